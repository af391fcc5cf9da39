"""`numba.np.linalg`: the copy in columns that libraries call."""
from ...decorators import njit
from ...extending import overload
from ...types import Array
from .._missing import missing

__getattr__ = missing(__name__, {})

# Whether SciPy's LAPACK, on which Numba is built, takes integers of 64 bits: Rumba uses none of SciPy.
_LAPACK_ILP64 = False


def ensure_blas():
    """ImportError if there is no BLAS: that of NumPy."""
    from ...intrinsics import has_lapack

    if not njit(lambda: has_lapack())():
        raise ImportError("NumPy was built without BLAS and LAPACK that compiled code could call")


ensure_lapack = ensure_blas


def get_blas_kind(dtype, func_name="<BLAS function>"):
    """The letter that BLAS has for a dtype; TypeError for one that it does not know."""
    from ...types import complex64, complex128, float32, float64

    kind = {float32: "s", float64: "d", complex64: "c", complex128: "z"}.get(dtype)
    if kind is None:
        raise TypeError(f"unsupported dtype for {func_name}()")
    return kind


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


class _LAPACK:
    """Functions of LAPACK for a type, with the arguments of Numba's helpers in C: pointers and lengths."""

    @staticmethod
    def numba_xgesv(dtype):
        """Solves a linear system in place."""
        from ._lapack import xgesv

        return xgesv(dtype)

    @staticmethod
    def numba_xxgetrf(dtype):
        """Factors a matrix in place."""
        from ._lapack import xxgetrf

        return xxgetrf(dtype)

    @staticmethod
    def numba_ez_xxgetri(dtype):
        """Inverts a factored matrix in place."""
        from ._lapack import ez_xxgetri

        return ez_xxgetri(dtype)
