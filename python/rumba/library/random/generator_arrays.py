"""Methods of `numpy.random.Generator` objects that fill or mix whole arrays: `permuted`, `dirichlet`, `bytes`."""
import numpy

from ...extending import Effects, register_jitable
from ...intrinsics import array_bytes, array_view, raise_if, random_float, random_generator
from ...types import Float, Integer
from .. import library
from .._predicates import is_absent, is_array, is_integer_or_bool, is_list, is_shape
from ..numpy._axis import check_axis
from .generator import _KERNELS

_BETA = _KERNELS.index("beta")


# Orders.

@library("numpy.random.Generator.permuted", effects=Effects(mutates="out", returns="out"))
def permuted(self, x, *, axis=None, out=None):
    if is_list(x):
        return lambda self, x, *, axis=None, out=None: self.permuted(numpy.asarray(x), axis=axis, out=out)
    if not is_array(x) or not x.ndim or not (is_absent(axis) or is_integer_or_bool(axis)):
        return None
    if not is_absent(out) and not (is_array(out) and out.ndim == x.ndim and out.mutable):
        return None
    mix = register_jitable(_mix_all if is_absent(axis) else _mix_row if x.ndim == 1 else _mix_lines)

    def into_new(self, x, *, axis=None, out=None):
        made = x.copy()
        mix(self, made, axis)
        return made

    def into_given(self, x, *, axis=None, out=None):
        raise_if(out.shape != x.shape, "ValueError", "out must have the same shape as x")
        out[...] = x
        mix(self, out, axis)
        return out
    return into_new if is_absent(out) else into_given


def _mix_all(self, made, axis):
    if made.size:
        row = made.copy().reshape(-1)
        self.shuffle(row)
        made[...] = row.reshape(made.shape)


def _mix_row(self, made, axis):
    check_axis(made, axis)
    self.shuffle(made)


def _mix_lines(self, made, axis):
    check_axis(made, axis)
    lines = numpy.moveaxis(made, axis, -1)
    for position in numpy.ndindex(lines.shape[:-1]):
        self.shuffle(lines[position])


# Shares of one.

@library("numpy.random.Generator.dirichlet")
def dirichlet(self, alpha, size=None):
    if is_list(alpha):
        return lambda self, alpha, size=None: self.dirichlet(numpy.asarray(alpha), size)
    if not is_array(alpha) or alpha.ndim != 1 or not isinstance(alpha.dtype, (Float, Integer)):
        return None
    if is_absent(size):
        def one(self, alpha, size=None):
            made = numpy.zeros(alpha.size)
            _share(self, alpha.astype(numpy.float64), made.reshape(1, -1))
            return made
        return one
    if not is_integer_or_bool(size) and not is_shape(size):
        return None
    shape_of = register_jitable((lambda size: (size,)) if is_integer_or_bool(size) else (lambda size: size))

    def several(self, alpha, size=None):
        made = numpy.zeros(shape_of(size) + (alpha.size,))
        _share(self, alpha.astype(numpy.float64), made.reshape(made.size // max(alpha.size, 1), alpha.size))
        return made
    return several


@register_jitable
def _share(self, alpha, rows):
    for one in alpha:
        raise_if(one < 0, "ValueError", "alpha < 0")
    if alpha.size == 0:
        return
    if alpha.max() < 0.1:
        # Gammas of such shapes could all be zero: the rest is broken once more by each (Devroye, Non-Uniform Random Variate
        # Generation, 1986, chapter XI.4).
        behind = numpy.cumsum(alpha[::-1])[::-1]
        for row in range(rows.shape[0]):
            rest = 1.0
            for at in range(alpha.size - 1):
                part = random_float("generator_float_2", random_generator(self), _BETA, alpha[at], behind[at + 1])
                rows[row, at] = rest * part
                rest *= 1 - part
                if behind[at + 1] == 0:
                    break
            rows[row, alpha.size - 1] = rest
        return
    for row in range(rows.shape[0]):
        total = 0.0
        for at in range(alpha.size):
            rows[row, at] = self.standard_gamma(alpha[at])
            total += rows[row, at]
        scale = 1 / total
        for at in range(alpha.size):
            rows[row, at] *= scale


@library("numpy.random.Generator.bytes")
def random_bytes(self, length):
    if not is_integer_or_bool(length):
        return None

    def drawn(self, length):
        # NumPy divides as C does, and slices what it has drawn.
        words = self.integers(0, 4294967296, int((length - 1) / 4) + 1, numpy.uint32)
        count = length if length >= 0 else max(4 * words.size + length, 0)
        return array_bytes(array_view(words, numpy.dtype(numpy.uint8), 0, (count,), (1,), "C").copy())
    return drawn
