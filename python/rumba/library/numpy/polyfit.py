"""`numpy.polyfit`: polynomials through points, by least squares."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Complex, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import is_absent, is_array
from ._axis import literal


def _check(x, y, w):
    if not is_array(x) or x.ndim != 1:
        raise TypingError("expected 1D vector for x")
    if not is_array(y) or y.ndim not in (1, 2):
        raise TypingError("expected 1D or 2D array for y")
    if not is_absent(w) and (not is_array(w) or w.ndim != 1):
        raise TypingError("expected a 1-d array for weights")
    return all(isinstance(one.dtype, (Number, Boolean)) for one in (x, y, w) if is_array(one))


@library(numpy.polyfit, array_like="x y w")
def polyfit(x, y, deg, rcond=None, full=False, w=None, cov=False):
    if not _check(x, y, w) or not isinstance(unliteral(deg), (int, Integer)):
        return None
    asked = literal(cov)
    if not isinstance(literal(full), bool) or asked not in (True, False, "unscaled"):
        raise TypingError("'full' and 'cov' must be constants")
    item = numpy.result_type(as_dtype(x.dtype), 0.0)
    other = numpy.result_type(as_dtype(y.dtype), 0.0)
    if not is_absent(w):
        other = item = numpy.result_type(item, other, as_dtype(w.dtype))
    if isinstance(x.dtype, Complex):
        return None
    limit = float(numpy.finfo(item).eps)
    as_given = register_jitable((lambda rcond, size: size * limit) if is_absent(rcond) else (lambda rcond, size: float(rcond)))
    weigh = register_jitable(_unweighted if is_absent(w) else _weigh_vector if y.ndim == 1 else _weigh_matrix)
    unscale = register_jitable((lambda c, scale: c / scale) if y.ndim == 1 else (lambda c, scale: (c.T / scale).T))
    spread = register_jitable((lambda base, factor: base * factor) if y.ndim == 1 else _stacked)

    @register_jitable
    def solved(x, y, deg, rcond, w):
        raise_if(deg < 0, "ValueError", "expected deg >= 0")
        raise_if(x.size == 0, "TypeError", "expected non-empty vector for x")
        raise_if(x.shape[0] != y.shape[0], "TypeError", "expected x and y to have same length")
        limit = as_given(rcond, x.size)
        left, right = weigh(numpy.vander(x.astype(item), deg + 1), y.astype(other), w)
        scale = numpy.sqrt((left * left).sum(axis=0))
        left = left / scale
        found, residuals, rank, singular = numpy.linalg.lstsq(left, right, limit)
        return unscale(found, scale), residuals, rank, singular, limit, left, scale

    def fitted(x, y, deg, rcond=None, full=False, w=None, cov=False):
        return solved(x, y, deg, rcond, w)[0]

    def with_all(x, y, deg, rcond=None, full=False, w=None, cov=False):
        return solved(x, y, deg, rcond, w)[:5]

    def with_covariances(x, y, deg, rcond=None, full=False, w=None, cov=False):
        found, residuals, _, _, _, left, scale = solved(x, y, deg, rcond, w)
        base = numpy.linalg.inv(numpy.dot(left.T, left)) / numpy.outer(scale, scale)
        raise_if(x.size <= deg + 1, "ValueError", "the number of data points must exceed order to scale the covariance matrix")
        return found, spread(base, residuals / (x.size - (deg + 1)))

    def unscaled(x, y, deg, rcond=None, full=False, w=None, cov=False):
        found, _, _, _, _, left, scale = solved(x, y, deg, rcond, w)
        return found, numpy.linalg.inv(numpy.dot(left.T, left)) / numpy.outer(scale, scale)
    if literal(full):
        return with_all
    if asked == "unscaled":
        return unscaled if y.ndim == 1 else None
    return with_covariances if asked else fitted


def _unweighted(left, right, w):
    return left, right


def _weigh_vector(left, right, w):
    raise_if(w.shape[0] != right.shape[0], "TypeError", "expected w and y to have the same length")
    return left * w.reshape(-1, 1), right * w


def _weigh_matrix(left, right, w):
    raise_if(w.shape[0] != right.shape[0], "TypeError", "expected w and y to have the same length")
    return left * w.reshape(-1, 1), right * w.reshape(-1, 1)


def _stacked(base, factor):
    return base.reshape(base.shape[0], base.shape[1], 1) * factor
