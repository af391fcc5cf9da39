"""`numba.core.typing.asnumbatype`."""
from ....types.hints import AsNumbaTypeRegistry, as_numba_type  # noqa: F401
from ..._missing import missing

__getattr__ = missing(__name__)
