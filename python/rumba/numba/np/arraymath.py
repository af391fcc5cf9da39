"""`numba.np.arraymath`: what libraries ask of items of arrays."""
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
