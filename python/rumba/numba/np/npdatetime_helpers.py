"""`numba.np.npdatetime_helpers`."""
from ...types.times import (  # noqa: F401
    DATETIME_UNITS, can_cast_timedelta_units, combine_datetime_timedelta_units, get_datetime_timedelta_conversion,
    get_timedelta_conversion_factor, same_kind,
)
from .._missing import missing

__getattr__ = missing(__name__)
