"""`numba.np.random.generator_core`: numbers drawn one by one from the bit generator of a `numpy.random.Generator`.

    >>> import numpy as np
    >>> from rumba import njit
    >>> from rumba.numba.np.random.generator_core import next_double
    >>> drawn = njit(lambda rng: next_double(rng.bit_generator))(np.random.default_rng(1))
    >>> drawn == np.random.default_rng(1).random()
    True
"""
import numpy

from ....extending import intrinsic, overload, overload_attribute
from ....types import NumPyRandomBitGeneratorType, NumPyRandomGeneratorType, npy_bitgen, npy_rng
from ..._missing import missing

__getattr__ = missing(__name__)


@intrinsic
def _bits_of(typingctx, generator):
    return npy_bitgen(npy_rng), lambda context, builder, signature, args: args[0]


@intrinsic
def _generator_of(typingctx, bits):
    return npy_rng(npy_bitgen), lambda context, builder, signature, args: args[0]


@overload_attribute(NumPyRandomGeneratorType, "bit_generator")
def _bit_generator(rng):
    return lambda rng: _bits_of(rng)


def next_double(bitgen):
    """The next float64 in [0, 1), for compiled code."""
    raise NotImplementedError("compiled code alone draws from a bit generator")


def next_uint32(bitgen):
    """The next uint32, for compiled code."""
    raise NotImplementedError("compiled code alone draws from a bit generator")


def next_uint64(bitgen):
    """The next uint64, for compiled code."""
    raise NotImplementedError("compiled code alone draws from a bit generator")


def _register(function, draw):
    @overload(function)
    def of_bits(bitgen):
        return draw if isinstance(bitgen, NumPyRandomBitGeneratorType) else None


# Numbers of the whole range are what the bit generator gives.
_register(next_double, lambda bitgen: _generator_of(bitgen).random())
_register(next_uint32, lambda bitgen: _generator_of(bitgen).integers(0, 2**32 - 1, dtype=numpy.uint32, endpoint=True))
_register(next_uint64, lambda bitgen: _generator_of(bitgen).integers(0, 2**64 - 1, dtype=numpy.uint64, endpoint=True))
