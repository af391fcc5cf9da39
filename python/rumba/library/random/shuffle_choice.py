"""`np.random`: shuffling, permutations, choices, and multivariate distributions."""
import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import raise_if, random_count, random_float, random_numpy, random_unit
from ...types import Boolean, Buffer, Float, Integer, unliteral
from .. import library
from .._predicates import is_absent, is_array, is_list
from ._common import check_size, in_a_row


@register_jitable
def interval(state, most):
    """An integer from 0 to `most`, as NumPy's legacy functions shuffle."""
    return random_count("interval", state, most)


# Shuffling, with any way of drawing integers.

def shuffler(x, draw):
    """What shuffles a value of a type along its first axis: a function of the value and a state; None for other types."""
    draw = register_jitable(draw)

    @register_jitable
    def items(x, state):
        for at in range(len(x) - 1, 0, -1):
            other = draw(state, at)
            x[at], x[other] = x[other], x[at]

    @register_jitable
    def rows(x, state):
        for at in range(len(x) - 1, 0, -1):
            other = draw(state, at)
            if other != at:
                row = x[at].copy()
                x[at] = x[other]
                x[other] = row
    if is_list(x):
        return items
    if isinstance(x, Buffer) and x.ndim >= 1:
        if not x.mutable:
            raise TypingError(f"shuffle() of {x}, which cannot be written")
        return items if x.ndim == 1 else rows
    return None


@library("numpy.random.shuffle", effects=Effects(mutates="x"))
def shuffle(x):
    arrange = shuffler(x, interval)
    if arrange:
        return lambda x: arrange(x, random_numpy())


def permuter(x, draw):
    """What gives a permutation of an array or of a range: a function of it and a state; None for other types."""
    draw = register_jitable(draw)

    @register_jitable
    def order(count, state):
        made = numpy.arange(count)
        for at in range(count - 1, 0, -1):
            other = draw(state, at)
            made[at], made[other] = made[other], made[at]
        return made

    @register_jitable
    def items(x, state):
        made = x.copy()
        for at in range(len(made) - 1, 0, -1):
            other = draw(state, at)
            made[at], made[other] = made[other], made[at]
        return made

    @register_jitable
    def rows(x, state):
        made = numpy.empty(x.shape, x.dtype)
        indices = order(len(x), state)
        for at in range(len(x)):
            made[at] = x[indices[at]]
        return made
    if isinstance(unliteral(x), (int, Integer)):
        return order
    if is_array(x) and x.ndim >= 1:
        return items if x.ndim == 1 else rows
    return None


@library("numpy.random.permutation")
def permutation(x):
    arrange = permuter(x, interval)
    if arrange:
        return lambda x: arrange(x, random_numpy())


_permuted = permuter(1, interval)


# Choices.

@register_jitable
def _check_choice(count, samples):
    raise_if(count <= 0 and samples > 0, "ValueError", "a must be greater than 0 unless no samples are taken")


@register_jitable
def _check_choice_of(count, samples):
    raise_if(count == 0 and samples > 0, "ValueError", "'a' cannot be empty unless no samples are taken")


@register_jitable
def _cumulated(p, count):
    """The sums of probabilities, divided by the last."""
    raise_if(len(p) != count, "ValueError", "'a' and 'p' must have same size")
    sums, total = numpy.empty(count, numpy.float64), 0.0
    rest = 0.0
    for at in range(count):
        raise_if(p[at] != p[at], "ValueError", "probabilities contain NaN")
        raise_if(p[at] < 0, "ValueError", "probabilities are not non-negative")
    for at in range(count):
        total += p[at]
        sums[at] = total
    # The sum that is compared with 1 loses nothing (Kahan).
    exact = 0.0
    for at in range(count):
        more = p[at] - rest
        new = exact + more
        rest = (new - exact) - more
        exact = new
    raise_if(abs(exact - 1.0) > max(1.4901161193847656e-08, 0.0), "ValueError",
             "probabilities do not sum to 1")
    for at in range(count):
        sums[at] /= total
    return sums


@register_jitable
def _position(sums, value):
    """How many sums are not above a value."""
    low, high = 0, sums.size
    while low < high:
        middle = (low + high) // 2
        if value < sums[middle]:
            high = middle
        else:
            low = middle + 1
    return low


@register_jitable
def _fill_indices(indices, count, replace, state):
    raise_if(not replace and indices.size > count, "ValueError",
             "Cannot take a larger sample than population when 'replace=False'")
    if replace:
        for at in range(indices.size):
            indices[at] = random_count("interval", state, count - 1)
    else:
        order = _permuted(count, state)
        for at in range(indices.size):
            indices[at] = order[at]


@register_jitable
def _fill_indices_by(indices, count, replace, p, state):
    raise_if(not replace and indices.size > count, "ValueError",
             "Cannot take a larger sample than population when 'replace=False'")
    sums = _cumulated(p, count)
    if replace:
        for at in range(indices.size):
            indices[at] = _position(sums, random_unit(state))
        return
    weights = numpy.empty(count, numpy.float64)
    possible = 0
    for at in range(count):
        weights[at] = p[at]
        possible += weights[at] > 0
    raise_if(possible < indices.size, "ValueError", "Fewer non-zero entries in p than size")
    found = 0
    while found < indices.size:
        wanted = indices.size - found
        drawn = numpy.empty(wanted, numpy.float64)
        for at in range(wanted):
            drawn[at] = random_unit(state)
        for at in range(found):
            weights[indices[at]] = 0.0
        sums = numpy.cumsum(weights)
        last = sums[count - 1]
        for at in range(count):
            sums[at] /= last
        before = found
        for at in range(wanted):
            index, is_new = _position(sums, drawn[at]), True
            for other in range(before, found):
                is_new = is_new and indices[other] != index
            if is_new:
                indices[found] = index
                found += 1


@library("numpy.random.choice")
def choice(a, size=None, replace=True, p=None):
    whole = isinstance(unliteral(a), (int, Integer))
    if not whole and not (is_array(a) and a.ndim == 1) and not is_list(a):
        if is_array(a):
            raise TypingError("np.random.choice() first argument should be int or 1-d array, got " + str(a))
        return None
    if not is_absent(p) and not is_list(p) and not (is_array(p) and p.ndim == 1):
        return None
    if not is_absent(size):
        check_size(size, "np.random.choice")
    check = _check_choice if whole else _check_choice_of
    count_of = register_jitable((lambda a: numpy.int64(a)) if whole else (lambda a: len(a)))
    item = register_jitable((lambda a, at: at) if whole else (lambda a, at: a[at]))
    if whole:
        taken = register_jitable(lambda a, indices: indices)
    else:
        @register_jitable
        def taken(a, indices):
            array = numpy.asarray(a)
            made = numpy.empty(indices.shape, array.dtype)
            source, target = in_a_row(indices), in_a_row(made)
            for at in range(indices.size):
                target[at] = array[source[at]]
            return made
    if is_absent(p):
        fill = register_jitable(lambda indices, count, replace, p, state: _fill_indices(indices, count, replace, state))
    else:
        fill = _fill_indices_by

    def one_number(a, size=None, replace=True, p=None):
        raise_if(a <= 0, "ValueError", "a must be greater than 0 unless no samples are taken")
        return random_count("interval", random_numpy(), numpy.int64(a) - 1)

    def one(a, size=None, replace=True, p=None):
        count = count_of(a)
        check(count, 1)
        return item(a, random_count("interval", random_numpy(), count - 1))

    def one_by(a, size=None, replace=True, p=None):
        count = count_of(a)
        check(count, 1)
        sums = _cumulated(p, count)
        return item(a, _position(sums, random_unit(random_numpy())))

    def many(a, size=None, replace=True, p=None):
        count = count_of(a)
        indices = numpy.empty(size, numpy.int64)
        check(count, indices.size)
        fill(in_a_row(indices), count, replace, p, random_numpy())
        return taken(a, indices)
    if is_absent(size):
        return one_by if not is_absent(p) else one_number if whole else one
    return many


# Several numbers at once.

@register_jitable
def _with_length(size, count):
    return (size, count)


@register_jitable
def _with_lengths(size, count):
    return size + (count,)


def _shaper(size):
    """What adds the number of categories to a size."""
    if isinstance(unliteral(size), Integer):
        return _with_length
    return _with_lengths


def _are_numbers(ty):
    return is_list(ty) or is_array(ty) and ty.ndim == 1 and isinstance(ty.dtype, (Float, Integer)) or (
        hasattr(ty, "types") and len(ty) and all(isinstance(unliteral(one), (Float, Integer)) for one in ty))


@register_jitable
def _draw_multinomial(row, n, pvals, state):
    left, rest = n, 1.0
    last = row.size - 1
    for at in range(row.size):
        row[at] = 0
    for at in range(last):
        # For what cannot happen no number is drawn here, while `binomial` itself draws one.
        if left > 0 and pvals[at] != 0.0:
            row[at] = random_count("binomial", state, left, pvals[at] / rest)
        left -= row[at]
        if left <= 0:
            return
        rest -= pvals[at]
    if left > 0:
        row[last] = left


@register_jitable
def _check_multinomial(n, pvals):
    raise_if(n < 0, "ValueError", "n < 0")
    total = 0.0
    for at in range(len(pvals)):
        raise_if(not 0 <= pvals[at] <= 1, "ValueError", "pvals < 0, pvals > 1 or pvals contains NaNs")
    for at in range(len(pvals) - 1):
        total += pvals[at]
    raise_if(total > 1.0 + 1e-12, "ValueError", "sum(pvals[:-1]) > 1.0")


@library("numpy.random.multinomial")
def multinomial(n, pvals, size=None):
    if not isinstance(unliteral(n), (int, Integer, Boolean)) or not _are_numbers(pvals):
        return None

    def one(n, pvals, size=None):
        chances = numpy.asarray(pvals)
        _check_multinomial(n, chances)
        made = numpy.empty(chances.size, numpy.int64)
        _draw_multinomial(made, n, chances, random_numpy())
        return made
    if is_absent(size):
        return one
    check_size(size, "np.random.multinomial")
    shaped = _shaper(size)

    def many(n, pvals, size=None):
        chances = numpy.asarray(pvals)
        _check_multinomial(n, chances)
        made, state = numpy.empty(shaped(size, chances.size), numpy.int64), random_numpy()
        items = in_a_row(made)
        for start in range(0, items.size, chances.size):
            _draw_multinomial(items[start:start + chances.size], n, chances, state)
        return made
    return many


@register_jitable
def _draw_dirichlet(row, alpha, state):
    total = 0.0
    for at in range(row.size):
        row[at] = random_float("gamma", state, float(alpha[at]))
        total += row[at]
    scale = 1 / total
    for at in range(row.size):
        row[at] *= scale


@register_jitable
def _check_dirichlet(alpha):
    for at in range(len(alpha)):
        raise_if(not alpha[at] > 0, "ValueError", "dirichlet: alpha must be > 0.0")


@library("numpy.random.dirichlet")
def dirichlet(alpha, size=None):
    if not _are_numbers(alpha):
        return None

    def one(alpha, size=None):
        weights = numpy.asarray(alpha)
        _check_dirichlet(weights)
        made = numpy.empty(weights.size, numpy.float64)
        _draw_dirichlet(made, weights, random_numpy())
        return made
    if is_absent(size):
        return one
    check_size(size, "np.random.dirichlet")
    shaped = _shaper(size)

    def many(alpha, size=None):
        weights = numpy.asarray(alpha)
        _check_dirichlet(weights)
        made, state = numpy.empty(shaped(size, weights.size), numpy.float64), random_numpy()
        items = in_a_row(made)
        for start in range(0, items.size, weights.size):
            _draw_dirichlet(items[start:start + weights.size], weights, state)
        return made
    return many
