"""`numba.core.typing.cmathdecl`: what is there is the compiler's own, so the registry is empty."""
from ....extending.templates import Registry
from ..._missing import missing

registry = Registry()

__getattr__ = missing(__name__)
