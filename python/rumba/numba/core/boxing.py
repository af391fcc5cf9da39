"""`numba.core.boxing`: boxing and unboxing by kind of type. Each asks for what the compiler does for values of the type."""
from .._missing import missing

_SHARED = ("array", "charseq", "complex", "deferred", "dispatcher", "enum", "float", "integer", "list", "none", "npdatetime", "nptimedelta",
           "optional", "pyobject", "record", "set", "tuple", "unicodecharseq")
_BOXED, _UNBOXED = ("bool", "bytes", "namedtuple", *_SHARED), ("boolean", "buffer", "slice", *_SHARED)


def _box(typ, val, c):
    """The Python object of a value, a new reference."""
    return c.box(typ, val)


def _unbox(typ, obj, c):
    """The value of a Python object, as a `NativeValue`."""
    return c.unbox(typ, obj)


__getattr__ = missing(__name__)

globals().update({f"box_{kind}": _box for kind in _BOXED} | {f"unbox_{kind}": _unbox for kind in _UNBOXED})
