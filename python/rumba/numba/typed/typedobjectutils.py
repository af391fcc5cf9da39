"""`numba.typed.typedobjectutils`."""
from ...typed.cast_warnings import sentry_safe_cast as _sentry_safe_cast
from .._missing import missing

__all__ = ["_sentry_safe_cast"]

__getattr__ = missing(__name__)
