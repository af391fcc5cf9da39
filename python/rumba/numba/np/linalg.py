"""`numba.np.linalg`: the copy in columns that libraries call."""
from ...extending import overload
from ...types import Array
from .._missing import missing

__getattr__ = missing(__name__, {"_LAPACK": "rumba.unsupported:lapack"})

# Whether SciPy's LAPACK, on which Numba is built, takes integers of 64 bits: Rumba uses none of SciPy.
_LAPACK_ILP64 = False


def _copy_to_fortran_order(a):
    """A new array with the same items in columns."""
    import numpy

    return numpy.array(a, order="F")


@overload(_copy_to_fortran_order)
def _copy_in_columns(a):
    from ...intrinsics import array_copy

    if isinstance(a, Array):
        item = a.dtype
        return lambda a: array_copy(a, item, "F")
    return None
