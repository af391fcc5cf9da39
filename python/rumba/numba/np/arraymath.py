"""`numba.np.arraymath`: what libraries ask of items of arrays."""
import numpy

from ...extending import register_jitable
from .._missing import missing

__getattr__ = missing(__name__)


def get_isnan(dtype):
    """A function of an item of a dtype: whether it is no number."""
    from ...types import Complex, Float, NPDatetime, NPTimedelta

    if isinstance(dtype, (Float, Complex, NPDatetime, NPTimedelta)):
        # Nothing else differs from itself.
        return register_jitable(lambda value: value != value)
    return register_jitable(lambda value: False)


def _get_inner_prod(dta, dtb):
    """A function of two vectors of the same length: their inner product. Of floats it is BLAS's, in the type to which both convert."""
    from ...types import Complex, Float

    if not (isinstance(dta, (Float, Complex)) and isinstance(dtb, (Float, Complex))):
        @register_jitable
        def inner_product(a, b):
            total = 0
            for x, y in zip(a, b):
                total = total + x * y
            return total
        return inner_product
    dtype = numpy.promote_types(str(dta), str(dtb))
    return register_jitable(lambda a, b: numpy.dot(a.astype(dtype), b.astype(dtype)))
