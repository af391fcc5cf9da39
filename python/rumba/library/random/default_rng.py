"""`numpy.random.default_rng` in compiled code: Python makes the Generator, compiled code draws from it."""
import numpy

from ...extending import register_jitable
from ...object_mode import typed_call
from ...types import Array, Integer, NumPyRandomGeneratorType, npy_rng, unliteral
from .. import library
from .._predicates import is_absent, is_array, is_list


@library("numpy.random.default_rng")
def default_rng(seed=None):
    if isinstance(seed, NumPyRandomGeneratorType):
        return lambda seed=None: seed
    if is_absent(seed):
        made = typed_call(numpy.random.default_rng, npy_rng())
        return lambda seed=None: made()
    plain = unliteral(seed)
    if isinstance(plain, (int, Integer)) or is_array(plain) and isinstance(plain.dtype, Integer):
        return _seeded(plain)
    if is_list(plain) and isinstance(plain.dtype, Integer):
        seeded = register_jitable(_seeded(Array(plain.dtype, 1, "C")))
        return lambda seed=None: seeded(numpy.asarray(seed))
    return None


def _seeded(seed):
    """What makes a Generator of a seed of a type."""
    made = typed_call(numpy.random.default_rng, npy_rng(seed))
    return lambda seed=None: made(seed)
