"""`numba.experimental.jitclass`. The package of this name has the decorator as its attribute; once this module is loaded, it is that
attribute, so it can be called."""
import sys
from types import ModuleType

from ....classes.jitclass import jitclass
from . import _box


class _Decorator(ModuleType):
    def __call__(self, *args, **keywords):
        return jitclass(*args, **keywords)


sys.modules[__name__].__class__ = _Decorator
