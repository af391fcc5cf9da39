"""`numba.core.typing.typeof`."""
from ....extending.typeof_box import typeof_impl  # noqa: F401
from ....types.typeof import typeof
from ..._missing import missing
from ....extending.typeof_box import Purpose

__getattr__ = missing(__name__)
