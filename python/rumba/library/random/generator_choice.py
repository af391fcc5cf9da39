"""Methods of `numpy.random.Generator` that choose among items: `choice`, `multinomial`. The algorithms are NumPy's,
so the numbers are, too."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if, random_count, random_generator
from ...types import Boolean, Float, Integer, unliteral
from .. import library
from .._predicates import is_absent, is_array, is_integer, is_list, is_shape, is_uniform
from ..numpy._axis import literal


@library("numpy.random.Generator.choice")
def choice(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
    is_count = is_integer(a)
    if not is_count and not (is_array(a) and a.ndim == 1) or literal(axis) != 0:
        return None
    if is_shape(size):
        return _choice_of_shape
    if not (is_absent(size) or is_integer(size)):
        return None
    if not all(isinstance(one, bool) or isinstance(unliteral(one), Boolean) for one in (replace, shuffle)):
        return None
    if not is_absent(p) and not (is_array(p) and p.ndim == 1 and isinstance(p.dtype, (Float, Integer))):
        raise TypingError("'p' must be 1-dimensional")
    length = register_jitable((lambda a: a) if is_count else (lambda a: a.size))
    picked = register_jitable((lambda a, indices: indices) if is_count else (lambda a, indices: a[indices]))
    several, one_index = (_positions, _position) if is_absent(p) else (_indices_by_odds, _index_by_odds)

    @register_jitable
    def check(a, size):
        raise_if(length(a) <= 0 and size > 0, "ValueError", "a must be a positive integer unless no samples are taken"
                 if is_count else "a cannot be empty unless no samples are taken")

    def one(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        check(a, 1)
        return picked(a, one_index(self, length(a), p))

    def many(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
        check(a, size)
        raise_if(not replace and size > length(a), "ValueError",
                 "Cannot take a larger sample than population when replace is False")
        raise_if(size < 0, "ValueError", "negative dimensions are not allowed")
        return picked(a, several(self, length(a), size, replace, p, shuffle))
    return one if is_absent(size) else many


def _choice_of_shape(self, a, size=None, replace=True, p=None, axis=0, shuffle=True):
    count = 1
    for one in size:
        count *= one
    return self.choice(a, count, replace, p, 0, shuffle).reshape(size)


@register_jitable
def _position(self, count, p):
    return self.integers(0, count)


@register_jitable
def _positions(self, count, size, replace, p, shuffle):
    if replace:
        return self.integers(0, count, size)
    state = random_generator(self)
    if count > 10000 and size > count // (50 if shuffle else 20):
        indices = numpy.arange(count)
        _exchange(state, indices, max(count - size, 1))
        return indices[count - size:].copy()
    return _different(state, count, size, shuffle)


@register_jitable
def _exchange(state, indices, first):
    """Puts the indices from the last down to the first of those that are to be mixed in some order."""
    for at in range(indices.size - 1, first - 1, -1):
        other = random_count("generator_below", state, at)
        indices[at], indices[other] = indices[other], indices[at]


@register_jitable
def _different(state, count, size, shuffle):
    """So many different indices (Bentley and Floyd, A Sample of Brilliance, 1987)."""
    indices, taken = numpy.empty(size, numpy.int64), {numpy.int64(-1)}
    for last in range(count - size, count):
        index = random_count("generator_below", state, last)
        if index in taken:
            index = last
        taken.add(index)
        indices[last - count + size] = index
    if shuffle:
        _exchange(state, indices, 1)
    return indices


@register_jitable
def _check_odds(p, count):
    raise_if(p.size != count, "ValueError", "a and p must have same size")
    for one in p:
        raise_if(one != one, "ValueError", "Probabilities contain NaN")
    for one in p:
        raise_if(one < 0, "ValueError", "Probabilities are not non-negative")
    raise_if(abs(numpy.sum(p) - 1.0) > 1.4901161193847656e-08, "ValueError", "Probabilities do not sum to 1. See Notes "
             "section of docstring for more information.")


@register_jitable
def _sums(p):
    sums = numpy.cumsum(p)
    return sums / sums[-1]


@register_jitable
def _index_by_odds(self, count, p):
    _check_odds(p, count)
    return numpy.searchsorted(_sums(p), self.random(), side="right")


@register_jitable
def _indices_by_odds(self, count, size, replace, p, shuffle):
    _check_odds(p, count)
    if replace:
        return numpy.searchsorted(_sums(p), self.random(size), side="right")
    raise_if(numpy.count_nonzero(p > 0) < size, "ValueError", "Fewer non-zero entries in p than size")
    left, found, known = p.astype(numpy.float64), numpy.empty(size, numpy.int64), 0
    while known < size:
        drawn = self.random(size - known)
        for at in range(known):
            left[found[at]] = 0
        indices = numpy.searchsorted(_sums(left), drawn, side="right")
        begun = known
        for index in indices:
            is_new = True
            for at in range(begun, known):
                is_new = is_new and found[at] != index
            if is_new:
                found[known] = index
                known += 1
    return found


@library("numpy.random.Generator.multinomial")
def multinomial(self, n, pvals, size=None):
    if is_uniform(pvals) or is_list(pvals):
        return lambda self, n, pvals, size=None: self.multinomial(n, numpy.asarray(pvals), size)
    if not is_integer(n) or not is_array(pvals) or pvals.ndim != 1 or not isinstance(pvals.dtype, Float):
        return None
    if not (is_absent(size) or is_integer(size)):
        return None

    def one(self, n, pvals, size=None):
        _check_shares(n, pvals)
        made = numpy.zeros(pvals.size, numpy.int64)
        _deal(random_generator(self), n, pvals, made)
        return made

    def many(self, n, pvals, size=None):
        _check_shares(n, pvals)
        made, state = numpy.zeros((size, pvals.size), numpy.int64), random_generator(self)
        for at in range(size):
            _deal(state, n, pvals, made[at])
        return made
    return one if is_absent(size) else many


@register_jitable
def _check_shares(n, pvals):
    raise_if(n < 0, "ValueError", "n < 0")
    total = 0.0
    for at in range(pvals.size):
        raise_if(not 0 <= pvals[at] <= 1, "ValueError", "pvals < 0, pvals > 1 or pvals contains NaNs")
        total += pvals[at] if at < pvals.size - 1 else 0.0
    raise_if(total > 1 + 1e-12, "ValueError", "sum(pvals[:-1].astype(np.float64)) > 1.0")


@register_jitable
def _deal(state, n, pvals, made):
    left, share = int(n), 1.0
    for at in range(pvals.size - 1):
        made[at] = random_count("generator_binomial", state, left, min(float(pvals[at]) / share, 1.0))
        left -= made[at]
        if left <= 0:
            break
        share -= float(pvals[at])
    if left > 0:
        made[pvals.size - 1] = left
