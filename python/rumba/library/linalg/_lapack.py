"""Shared by the functions of `numpy.linalg`: argument checks, and matrices in LAPACK's layout.

LAPACK thinks in columns and overwrites what it is given, so every function works on a copy in columns, and the matrices that
it returns lie in columns, too. Messages begin with NumPy's; where Numba's says something else, it follows.
"""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_copy, has_lapack, raise_if
from ...types import Complex, Float, float16
from ...types.typeof import as_dtype
from .._predicates import is_array, library_letter

NOT_SQUARE = "Last 2 dimensions of the array must be square."
SINGULAR = "Singular matrix. Matrix is singular to machine precision."
NOT_FINITE = "Array must not contain infs or NaNs."
EMPTY = "Arrays cannot be empty"
MISSING = ("numpy.linalg in compiled code needs LAPACK with 64-bit integers, which NumPy's wheels from PyPI bring; "
           "the NumPy that is installed has none")


class Kind:
    """A type of items: its class, LAPACK's letter for it, and the same of its real numbers."""

    def __init__(self, *types):
        self.item = numpy.result_type(*(as_dtype(ty.dtype) for ty in types)).type
        self.letter = library_letter(self.item)
        self.is_complex = self.letter in "cz"
        self.real = numpy.float32 if self.letter in "sc" else numpy.float64
        self.complex = numpy.complex64 if self.letter in "sc" else numpy.complex128


def takes(name, ty, *dimensions):
    """Whether a type is an array; of other items or dimensions, the call is refused."""
    if not is_array(ty):
        return False
    if ty.ndim not in (dimensions or (2,)):
        given = "1 and 2-D" if 1 in dimensions else "2-D"
        raise TypingError(f"np.linalg.{name}() only supported on {given} arrays")
    if ty.dtype == float16:
        raise TypingError("array type float16 is unsupported in linalg")
    if not isinstance(ty.dtype, (Float, Complex)):
        raise TypingError(f"np.linalg.{name}() only supported on float and complex arrays")
    return True


def constant(argument):
    """The value of an argument that is known when the function compiles."""
    return getattr(argument, "literal_value", getattr(argument, "value", argument))


@register_jitable
def check_lapack():
    """Refuses to go on without LAPACK."""
    raise_if(not has_lapack(), "RuntimeError", MISSING)


@register_jitable
def check_square(a):
    """Refuses matrices that are not square, and to go on without LAPACK."""
    check_lapack()
    raise_if(a.shape[0] != a.shape[1], "LinAlgError", NOT_SQUARE)


@register_jitable
def check_finite(a):
    """Refuses infinities and NaN, with which LAPACK may not end."""
    for value in a.flat:
        raise_if(not numpy.isfinite(value), "LinAlgError", NOT_FINITE)


@register_jitable
def check_filled(a):
    """Refuses arrays without items, and to go on without LAPACK."""
    check_lapack()
    raise_if(a.size == 0, "LinAlgError", EMPTY)


def copier(item, ndim=2):
    """What copies an array as items of a class, matrices in columns."""
    if ndim == 1:
        return register_jitable(lambda a: array_copy(a, item, "C"))
    return register_jitable(lambda a: array_copy(a, item, "F"))


def columns(item):
    """What makes a matrix in columns, whose items are not set."""
    @register_jitable
    def make(rows, width):
        return numpy.empty((width, rows), item).T
    return make


@register_jitable
def room_for(work):
    """What LAPACK says in the first item of its room when it is asked how much it needs."""
    return max(int(work[0].real), 1)
