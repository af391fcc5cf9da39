"""C functions: callbacks compiled from Python functions (`cfunc`), and other objects with an address that compiled
code can call (objects with the wrapper-address protocol, `ctypes` functions)."""
import sys

from .. import types
from ..errors import TypingError
from ..types import Signature


def cfunc(sig, locals=None, cache=False, pipeline_class=None, **options):
    """Decorates a function to be called from C: it is compiled immediately for the signature `sig`.

    The result has its address (`address`), is a function of `ctypes` (`ctypes`) and a pointer of `cffi` (`cffi`). In
    compiled code it is a function value; in Python it is called like the plain function. An exception that leaves it
    is printed on the standard error stream, and C gets zero.
    """
    if options.get("forceobj"):
        raise NotImplementedError("a callback runs without the interpreter: object mode is not for it")
    args, return_type = types.normalize_signature(sig)
    if return_type is None:
        raise TypeError("C callback needs an explicit return type")
    for name, value in (("locals", locals), ("cache", cache), ("pipeline_class", pipeline_class)):
        if value:
            options[name] = value

    def decorate(function):
        return CFunc(function, Signature(return_type, args, None), options)

    return decorate


class CFunc:
    """A C function compiled from a Python function."""

    def __init__(self, pyfunc, sig, options):
        from ..decorators import njit

        self._pyfunc = self.__wrapped__ = pyfunc
        self._sig = sig
        self._type = types.FunctionType(sig)
        self.__name__, self.__qualname__ = pyfunc.__name__, pyfunc.__qualname__
        self.__module__, self.__doc__ = pyfunc.__module__, pyfunc.__doc__
        options = {name: value for name, value in options.items() if name != "nopython"}
        dispatcher = njit(pyfunc, **options)
        if dispatcher is pyfunc:
            raise RuntimeError("a callback is compiled, which the setting DISABLE_JIT does not allow")
        # The code lives as long as its unit.
        self._options = options
        self._unit = dispatcher._unit_callback(sig)
        self._place, self._wrapper_name = self._unit.callback()
        self._pinned = False

    @property
    def address(self):
        """The address of the function. It stays valid until the process ends: the code is never freed."""
        if not self._pinned:
            self._pinned = True
            self._unit.keep_alive()
        return self._place

    _wrapper_address = address

    @property
    def native_name(self):
        """The symbol of the function."""
        return self._wrapper_name

    symbol_name = native_name

    def __wrapper_address__(self):
        return self.address

    def signature(self):
        """The types of its arguments and of its result."""
        return self._sig

    @property
    def ctypes(self):
        """The function for `ctypes`, which keeps this object alive."""
        made = self.__dict__.get("_ctypes")
        if made is None:
            import ctypes

            kinds = [to_ctypes(ty) for ty in self._sig.args]
            made = ctypes.CFUNCTYPE(to_ctypes(self._sig.return_type), *kinds)(self._place)
            made._rumba_callback = self
            self._ctypes = made
        return made

    @property
    def cffi(self):
        """The function for `cffi`, as a `void *`."""
        made = self.__dict__.get("_cffi")
        if made is None:
            import cffi

            made = self._cffi = cffi.FFI().cast("void *", self.address)
        return made

    @property
    def cache_hits(self):
        """The number of cache hits: 0 or 1."""
        return int(self._unit.metadata().get("cache") == "hit")

    def enable_caching(self):
        """Has no effect, because the function is already compiled. Use `cache=True` of the decorator."""

    def inspect_llvm(self):
        """The optimized LLVM IR."""
        return self._unit.stage("callback")

    def __call__(self, *args, **kwargs):
        return self._pyfunc(*args, **kwargs)

    def __reduce__(self):
        # Another process compiles it anew: its address means nothing there.
        from ..serialize.by_value import reduce_decorated

        return reduce_decorated(self, CFunc, self._pyfunc, self._sig, self._options)

    def __repr__(self):
        return f"<Numba C callback {self.__qualname__!r}>"


_C_NAMES = {
    "bool": "c_bool", "int8": "c_int8", "int16": "c_int16", "int32": "c_int32", "int64": "c_int64", "uint8": "c_uint8",
    "uint16": "c_uint16", "uint32": "c_uint32", "uint64": "c_uint64", "float32": "c_float", "float64": "c_double",
    "void*": "c_void_p",
}


def to_ctypes(ty):
    """The `ctypes` type for values of a type; None for None."""
    import ctypes

    if ty is types.none:
        return None
    if isinstance(ty, types.FunctionType):
        kinds = [to_ctypes(arg) for arg in ty.signature.args]
        return ctypes.CFUNCTYPE(to_ctypes(ty.signature.return_type), *kinds)
    if isinstance(ty, types.CPointer):
        plain = ty.dtype is types.none or isinstance(ty.dtype, types.Record)
        return ctypes.c_void_p if plain else ctypes.POINTER(to_ctypes(ty.dtype))
    name = _C_NAMES.get(str(ty))
    if name is None:
        raise TypeError(f"Cannot convert Numba type '{ty}' to ctypes type")
    return getattr(ctypes, name)


def from_ctypes(kind):
    """The type for values of a `ctypes` type; raises TypeError if there is none."""
    import ctypes

    if kind is None:
        return types.none
    if kind is ctypes.c_void_p:
        return types.voidptr
    if isinstance(kind, type) and issubclass(kind, ctypes._SimpleCData):
        code, size = kind._type_, ctypes.sizeof(kind)
        if code == "?":
            return types.bool
        if code in "fd":
            return types.float32 if code == "f" else types.float64
        if code in "bhilq":
            return types.Integer.from_bitwidth(8 * size, True)
        if code in "BHILQ":
            return types.Integer.from_bitwidth(8 * size, False)
    if isinstance(kind, type) and issubclass(kind, ctypes._Pointer):
        return types.CPointer(from_ctypes(kind._type_))
    if isinstance(kind, type) and issubclass(kind, ctypes._CFuncPtr):
        return types.FunctionType(_signature_of_ctypes(kind._restype_, kind._argtypes_))
    raise TypeError(f"Unsupported ctypes type: {kind}")


def _signature_of_ctypes(result, args):
    return Signature(from_ctypes(result), tuple(from_ctypes(arg) for arg in args), None)


# C's calling convention, and functions of `ctypes.pythonapi`: whether they may run is the caller's matter, as in Numba.
_PLAIN_FLAGS = 0x1 | 0x4


def _ctypes_signature(value):
    if type(value)._flags_ & ~_PLAIN_FLAGS:
        raise TypingError("functions of ctypes that keep errno (use_errno=True) are not called from compiled code")
    if value.argtypes is None:
        # A prototype that names no arguments is that of a function without any.
        if getattr(type(value), "_argtypes_", None) is None and type(value).__name__ == "_FuncPtr":
            name = getattr(value, "__name__", value)
            raise TypingError(
                f"ctypes function {name!r} doesn't define its argument types; consider setting the .argtypes attribute")
        return _signature_of_ctypes(value.restype, ())
    return _signature_of_ctypes(value.restype, value.argtypes)


def through_python(value):
    """The parts of a `PythonFunction` for a `ctypes` function with Python objects as arguments or result; None for
    any other value. Python calls it, with the GIL. Called by the compiler for values that are not function values.
    """
    if not _is_ctypes(value):
        return None
    import ctypes

    args = () if value.argtypes is None else value.argtypes
    if ctypes.py_object not in (*args, value.restype):
        return None
    result = types.pyobject if value.restype is ctypes.py_object else from_ctypes(value.restype)
    return value, getattr(value, "__name__", type(value).__name__), None, result, ()


def _is_ctypes(value):
    module = sys.modules.get("_ctypes")
    return module is not None and issubclass(type(value), module.CFuncPtr)


def is_ctypes_funcptr(value):
    """Whether an object is a `ctypes` function."""
    return _is_ctypes(value)


def make_function_type(value):
    """The function type of a `ctypes` function."""
    return types.FunctionType(_ctypes_signature(value))


def _cffi(value):
    """`rumba.c_interop.cffi_support`, if an object is one of cffi."""
    if "_cffi_backend" not in sys.modules:
        return None
    kind = type(value)
    # A function of a module that cffi compiled is a method of its library.
    owner = type(value.__self__) if kind is type(len) else kind
    if "cffi" not in kind.__module__ and "cffi" not in owner.__module__:
        return None
    from . import cffi_support

    cffi_support.register_class(value)
    return cffi_support


def function_type(value):
    """The function type of an object; None if it is not a function value. Called by the compiler."""
    if type(value) is CFunc:
        return value._type
    cffi = _cffi(value)
    if cffi is not None:
        return cffi.make_function_type(value) if cffi.is_cffi_func(value) else None
    if issubclass(type(value), types.WrapperAddressProtocol):
        return types.FunctionType(value.signature())
    if _is_ctypes(value):
        return make_function_type(value)
    return None


def address_of(value):
    """The address of the C function that an object represents. Called by the compiler."""
    if type(value) is CFunc:
        return value._place
    if _is_ctypes(value):
        import ctypes

        return ctypes.cast(value, ctypes.c_void_p).value or 0
    cffi = _cffi(value)
    if cffi is not None:
        return cffi.get_pointer(value)
    address = value.__wrapper_address__()
    if not isinstance(address, int):
        raise TypeError(f"wrapper address of {type(value)} instance must be integer but got {type(address)} instance")
    if address <= 0:
        raise ValueError(f"wrapper address of {type(value)} instance must be a positive integer but got {address}")
    return address


def wrapper_address(func, sig):
    """The address of the C function that an object represents, for a signature: a compiled function is compiled for
    it. Raises TypeError if its signature differs."""
    from .. import _rumba
    from ..types import FunctionType, signature

    if isinstance(func, _rumba.Dispatcher):
        result = func.get_compile_result(sig)
        return CompileResultWAP(result).__wrapper_address__()
    known = getattr(func, "signature", None)
    known = known() if callable(known) else getattr(func, "_sig", known)
    if known is not None and known != signature(sig.return_type, *sig.args) and known != FunctionType(sig).signature:
        raise TypeError(f"{func} has the signature {known}, not {sig}")
    return address_of(func)


class CompileResultWAP(types.WrapperAddressProtocol):
    """The compile result of a function for one signature, as a function value: `dispatcher.overloads` contains such
    results."""

    def __init__(self, cres):
        self.cres = cres
        self._unit = cres.library._unit
        self._place, self.native_name = self._unit.callback()

    @property
    def address(self):
        """The address of the function for C. The code is never freed."""
        self._unit.keep_alive()
        return self._place

    def __wrapper_address__(self):
        return self._place

    def signature(self):
        return self.cres.signature

    def __call__(self, *args, **kwargs):
        return self.cres.entry_point(*args, **kwargs)
