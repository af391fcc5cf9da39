"""`numba.core.inline_closurecall`: whether an array of a comprehension is made without a list, which is a setting of Rumba's."""
import sys
import types

from ... import config
from .._missing import missing

__getattr__ = missing(__name__)


class _Module(types.ModuleType):
    @property
    def enable_inline_arraycall(self):
        return bool(config.FILL_ARRAYS)

    @enable_inline_arraycall.setter
    def enable_inline_arraycall(self, value):
        config.FILL_ARRAYS = int(value)


sys.modules[__name__].__class__ = _Module
