"""`scipy.linalg`: factorizations of a matrix and what is solved with them, by NumPy's LAPACK.

The results are equal up to rounding, as SciPy brings a LAPACK of its own. `overwrite_a` and `overwrite_b` have no effect on them.
Absent: stacks of matrices, the warning of `lu_factor` that a matrix is singular.
"""
import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import lapack, raise_if
from ...types import BaseTuple, Boolean, Complex, Float, Integer, Omitted, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import is_array, library_letter
from ..linalg._lapack import check_lapack, constant, copier

# How the shape of a right-hand side is shown, by its dimensions.
_SHAPE = {1: "({},)", 2: "({}, {})"}
_NOT_FINITE = "array must not contain infs or NaNs"
_NOT_SQUARE = "Input array is expected to be square but has the shape: ({}, {})."
_NOT_DEFINITE = "{}-th leading minor of the array is not positive definite"
_SINGULAR = "singular matrix: resolution failed at diagonal {}"


def _is_numeric(ty, *dimensions):
    if not is_array(ty) or not isinstance(ty.dtype, (Float, Complex, Integer, Boolean)):
        return False
    if ty.ndim not in dimensions:
        raise TypingError("scipy.linalg in compiled code is for one matrix, and for one or two dimensions on the right-hand side")
    return True


class _Routines:
    """The class of the items that LAPACK computes with, and its letter; integers are computed with as float64."""

    def __init__(self, *arrays):
        dtypes = [as_dtype(ty.dtype) for ty in arrays]
        self.item = numpy.result_type(*(dtype if dtype.kind in "fc" else numpy.float64 for dtype in dtypes)).type
        self.letter = library_letter(self.item)

    def named(self, name):
        return self.letter + name

    def copies(self, ty):
        """What copies an array for LAPACK, which overwrites it: its numbers are finite, unless nobody asks."""
        copy = copier(self.item, ty.ndim)

        @register_jitable
        def checked(a, check_finite):
            check_lapack()
            if check_finite:
                for value in a.flat:
                    raise_if(not numpy.isfinite(value), "ValueError", _NOT_FINITE)
            return copy(a)
        return checked


def _width(ty):
    """What gives the number of right-hand sides."""
    return register_jitable((lambda b: 1) if ty.ndim == 1 else (lambda b: b.shape[1]))


def _is_system(factored, b):
    """Whether arguments are what a factorization gave, a matrix and what goes with it, and right-hand sides."""
    is_pair = isinstance(factored, BaseTuple) and len(factored) == 2
    return is_pair and _is_numeric(factored[0], 2) and _is_numeric(b, 1, 2)


# LAPACK's letters are constants: these choose among the routines that `routine` makes for each of them.

def _by_half(routine):
    """What calls a routine for the lower half of a matrix, or for the upper one."""
    of_lower, of_upper = routine("L"), routine("U")

    @register_jitable
    def call(lower, *args):
        return of_lower(*args) if lower else of_upper(*args)
    return call


def _by_transposition(routine):
    """What calls a routine for a matrix (0), its transpose (1) or its conjugate transpose (2)."""
    plain, transposed, conjugate = map(routine, "NTC")

    @register_jitable
    def call(trans, *args):
        if trans == 0:
            return plain(*args)
        return transposed(*args) if trans == 1 else conjugate(*args)
    return call


# LU.

@library("scipy.linalg.lu_factor")
def lu_factor(a, overwrite_a=False, check_finite=True):
    if not _is_numeric(a, 2):
        return None
    routines = _Routines(a)
    copy, name = routines.copies(a), routines.named("getrf")

    def factors(a, overwrite_a=False, check_finite=True):
        made = copy(a, check_finite)
        rows, width = made.shape
        pivots = numpy.empty(min(rows, width), numpy.int64)
        if made.size:
            lapack(name, rows, width, made, max(rows, 1), pivots)
        return made, (pivots - 1).astype(numpy.int32)
    return factors


@library("scipy.linalg.lu_solve")
def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    if not _is_system(lu_and_piv, b):
        return None
    lu = lu_and_piv[0]
    routines = _Routines(lu, b)
    copy_lu, copy_b, width, name = routines.copies(lu), routines.copies(b), _width(b), routines.named("getrs")
    solve = _by_transposition(lambda letter: register_jitable(
        lambda size, count, factors, places, made: lapack(name, letter, size, count, factors, size, places, made, size)))
    misfit = f"Shapes of lu ({{}}, {{}}) and b {_SHAPE[b.ndim]} are incompatible"

    def solved(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
        lu, pivots = lu_and_piv
        size = lu.shape[0]
        raise_if(size != b.shape[0], "ValueError", misfit, size, lu.shape[1], *b.shape)
        raise_if(trans < 0 or trans > 2, "ValueError", "trans is 0, 1 or 2")
        factors, made = copy_lu(lu, False), copy_b(b, check_finite)
        places = pivots.astype(numpy.int64) + 1
        if made.size:
            solve(trans, size, width(b), factors, places, made)
        return made
    return solved


# Cholesky.

def _cholesky_of(a):
    """What makes the factor in one half of a matrix: the lower one if that is asked for."""
    routines = _Routines(a)
    copy, name = routines.copies(a), routines.named("potrf")
    factorize = _by_half(lambda half: register_jitable(lambda size, made: lapack(name, half, size, made, size)))

    @register_jitable
    def factor(a, lower, check_finite):
        size = a.shape[0]
        raise_if(size != a.shape[1], "ValueError", _NOT_SQUARE, size, a.shape[1])
        made, status = copy(a, check_finite), 0
        if size:
            status = factorize(lower, size, made)
        raise_if(status > 0, "LinAlgError", _NOT_DEFINITE, status)
        return made
    return factor


@library("scipy.linalg.cholesky")
def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    if not _is_numeric(a, 2):
        return None
    factor, zero = _cholesky_of(a), _Routines(a).item(0)

    def cleaned(a, lower=False, overwrite_a=False, check_finite=True):
        made = factor(a, lower, check_finite)
        for column in range(1, a.shape[0]):
            for row in range(column):
                if lower:
                    made[row, column] = zero
                else:
                    made[column, row] = zero
        return made
    return cleaned


@library("scipy.linalg.cho_factor", effects=Effects(returns="lower"))
def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    if _is_numeric(a, 2):
        factor = _cholesky_of(a)
        return lambda a, lower=False, overwrite_a=False, check_finite=True: (factor(a, lower, check_finite), bool(lower))


@library("scipy.linalg.cho_solve")
def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    if not _is_system(c_and_lower, b):
        return None
    c = c_and_lower[0]
    routines = _Routines(c, b)
    copy_c, copy_b, width, name = routines.copies(c), routines.copies(b), _width(b), routines.named("potrs")
    solve = _by_half(lambda half: register_jitable(
        lambda size, count, factors, made: lapack(name, half, size, count, factors, size, made, size)))
    misfit = f"incompatible dimensions (({{}}, {{}}) and {_SHAPE[b.ndim]})"

    def solved(c_and_lower, b, overwrite_b=False, check_finite=True):
        c, lower = c_and_lower
        size = c.shape[0]
        raise_if(size != c.shape[1], "ValueError", "The factored matrix c is not square.")
        raise_if(size != b.shape[0], "ValueError", misfit, size, size, *b.shape)
        factors, made = copy_c(c, check_finite), copy_b(b, check_finite)
        if made.size:
            solve(lower, size, width(b), factors, made)
        return made
    return solved


# Triangular systems.

def _transposition(trans):
    """What gives the number of a transposition, which may be named; None for other types."""
    if isinstance(unliteral(trans), (Integer, Boolean)) or isinstance(trans, (int, Omitted)):
        return register_jitable(lambda trans: int(trans))
    number = {"N": 0, "T": 1, "C": 2}.get(constant(trans))
    return None if number is None else register_jitable(lambda trans: number)


@library("scipy.linalg.solve_triangular")
def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
    number_of = _transposition(trans)
    if number_of is None or not _is_numeric(a, 2) or not _is_numeric(b, 1, 2):
        return None
    routines = _Routines(a, b)
    copy_a, copy_b, width, name = routines.copies(a), routines.copies(b), _width(b), routines.named("trtrs")
    misfit = f"shapes of a ({{}}, {{}}) and b {_SHAPE[b.ndim]} are incompatible"

    def of_half(half):
        def of_transposition(letter):
            @register_jitable
            def solve(unit_diagonal, size, count, factors, made):
                if unit_diagonal:
                    return lapack(name, half, letter, "U", size, count, factors, size, made, size)
                return lapack(name, half, letter, "N", size, count, factors, size, made, size)
            return solve
        return _by_transposition(of_transposition)
    solve = _by_half(of_half)

    def solved(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, check_finite=True):
        size = a.shape[0]
        raise_if(size != a.shape[1], "ValueError", "expected square matrix")
        raise_if(size != b.shape[0], "ValueError", misfit, size, size, *b.shape)
        factors, made = copy_a(a, check_finite), copy_b(b, check_finite)
        if made.size:
            status = solve(lower, number_of(trans), unit_diagonal, size, width(b), factors, made)
            raise_if(status > 0, "LinAlgError", _SINGULAR, status - 1)
        return made
    return solved
