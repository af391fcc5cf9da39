"""`cffi` functions in compiled code.

A function of a library that `ffi.dlopen` opened, one of a module that cffi compiled (`mod.lib.f`) and a function pointer are
function values: they are called by their address. `ffi.from_buffer(array)` is the address of an array's items.
This module is imported when the compiler meets an object of cffi.
"""
import sys

import _cffi_backend
import numpy as np

from ..extending import datamodel
from .. import types
from ..errors import TypingError
from ..extending import overload_attribute, overload_method
from ..extending.typeof_box import register_model, typeof_impl
from ..types import Signature
from ..types.base import parts_of_library
from ..types.typeof import as_dtype

# Sizes of C's integers follow from the machine, so they are asked for by name. Anything else comes by its kind.
_NAMED = {"float": types.float32, "double": types.float64, "void": types.none, "_Bool": types.bool}
_UNSIGNED = ("unsigned", "uint", "size_t", "uintptr_t", "char16_t", "char32_t")
_ffi = _cffi_backend.FFI()

# Types of C that stand for types of their own.
_registered = {}
# Modules that cffi compiled, by the identity of their libraries.
_modules = {}


def is_ffi_instance(value):
    """Whether an object is an `FFI`."""
    kind = type(value)
    return isinstance(value, _cffi_backend.FFI) or (kind.__module__, kind.__name__) == ("cffi.api", "FFI")


def is_cffi_func(value):
    """Whether an object is a function of C that cffi found."""
    kind = _type_of(value)
    return kind is not None and kind.kind == "function"


def _type_of(value):
    """The type of C of an object of cffi; None if it has none."""
    if isinstance(value, _cffi_backend._CDataBase):
        return _ffi.typeof(value)
    ffi = _ffi_of(value)
    return None if ffi is None else ffi.typeof(value)


def _ffi_of(function):
    """The `FFI` of the module that made a function `mod.lib.f`; None for any other object."""
    library = getattr(function, "__self__", None)
    if type(library).__module__ != "_cffi_backend" or isinstance(library, type):
        return None
    known = _modules.get(id(library))
    if known is None:
        module = sys.modules.get((function.__module__ or "").removesuffix(".lib"))
        if getattr(module, "lib", None) is not library:
            return None
        register_module(module)
        known = module
    return known.ffi


def register_module(mod):
    """Lets compiled code call the functions of a module that cffi compiled. One that is imported is known by itself."""
    if getattr(mod, "lib", None) is None or not is_ffi_instance(getattr(mod, "ffi", None)):
        raise ValueError("Not a module that cffi compiled: it has no 'lib' and 'ffi'")
    _modules[id(mod.lib)] = mod


def register_type(cffi_type, numba_type):
    """From now on a type of C (`ffi.typeof("struct ...")`) stands for a type."""
    _registered[cffi_type] = numba_type


def get_pointer(function):
    """The address of a function."""
    if not isinstance(function, _cffi_backend._CDataBase):
        function = _ffi_of(function).addressof(function.__self__, function.__name__)
    return int(_ffi.cast("uintptr_t", function))


def map_type(cffi_type, use_record_dtype=False):
    """The type for a type of C: a signature for one of functions; TypeError if there is none.

    A struct is its registered type, or with `use_record_dtype` a record.
    """
    known = _registered.get(cffi_type)
    if known is not None:
        return known
    return _KINDS.get(cffi_type.kind, _refuse)(cffi_type, use_record_dtype)


def _refuse(cffi_type, use_record_dtype):
    raise TypeError(f"there is no type for C's '{cffi_type.cname}'")


def _primitive(cffi_type, use_record_dtype):
    name = cffi_type.cname
    if name in _NAMED:
        return _NAMED[name]
    if "complex" in name.lower() or name == "long double":
        return {"float _Complex": types.complex64, "double _Complex": types.complex128}.get(name) or _refuse(cffi_type, False)
    signed = not name.startswith(_UNSIGNED)
    return types.Integer.from_bitwidth(8 * _ffi.sizeof(cffi_type), signed)


def _enumeration(cffi_type, use_record_dtype):
    signed = int(_ffi.cast(cffi_type, -1)) < 0
    return types.Integer.from_bitwidth(8 * _ffi.sizeof(cffi_type), signed)


def _pointer(cffi_type, use_record_dtype):
    to = cffi_type.item
    opaque = to.kind == "void" or to.kind in ("struct", "union") and to.fields is None
    if opaque and to not in _registered:
        return types.voidptr
    return types.CPointer(map_type(to, use_record_dtype))


def _function(cffi_type, use_record_dtype):
    if cffi_type.ellipsis:
        raise TypeError(f"C's '{cffi_type.cname}' takes any number of arguments")
    args = [map_type(arg, use_record_dtype) for arg in cffi_type.args]
    args = [types.FunctionType(arg) if isinstance(arg, Signature) else arg for arg in args]
    return Signature(map_type(cffi_type.result, use_record_dtype), tuple(args), None)


def _array(cffi_type, use_record_dtype):
    return types.NestedArray(map_type(cffi_type.item, use_record_dtype), (cffi_type.length,))


def _struct(cffi_type, use_record_dtype):
    if not use_record_dtype:
        raise TypeError(f"C's '{cffi_type.cname}' is a struct: register_type says what it stands for")
    return map_struct_to_record_dtype(cffi_type)


_KINDS = {
    "void": lambda cffi_type, use_record_dtype: types.none, "primitive": _primitive, "enum": _enumeration, "pointer": _pointer,
    "function": _function, "array": _array, "struct": _struct}


def map_struct_to_record_dtype(cffi_type):
    """The record with the fields of a struct, where C puts them."""
    for name, field in cffi_type.fields:
        if field.bitsize >= 0:
            raise ValueError(f"field {name!r} has bitshift, this is not supported")
    fields = [
        (name, {"type": map_type(field.type, use_record_dtype=True), "offset": field.offset})
        for name, field in cffi_type.fields]
    return types.Record(fields, _ffi.sizeof(cffi_type), True)


def make_function_type(function, use_record_dtype=False):
    """The type of a function as a function value."""
    kind = _type_of(function)
    try:
        return types.FunctionType(map_type(kind, use_record_dtype))
    except TypeError as error:
        raise TypingError(f"cffi function '{kind.cname}' cannot be called from compiled code: {error}") from None


class FFI(types.Opaque):
    """The type of an `FFI`."""

    def __init__(self):
        super().__init__("ffi")


# As libraries have types.
FFI._parts = parts_of_library(FFI)


@register_model(FFI)
class _Nothing(datamodel.StructModel):
    """All is in the type."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [])


_ffi_type = FFI()


@typeof_impl.register(_cffi_backend.FFI)
def _typeof_compiled(value, context):
    return _ffi_type


def register_class(value):
    """Lets the compiler know the class of an object of cffi."""
    kind = type(value)
    if is_ffi_instance(value):
        typeof_impl.register(kind)(_typeof_compiled)
    elif kind.__name__ in ("FFILibrary", "Lib"):
        typeof_impl.register(kind)(_typeof_library)


@overload_method(FFI, "from_buffer")
def _from_buffer(ffi, buffer):
    if not isinstance(buffer, (types.Array, types.Buffer)):
        raise TypingError(f"from_buffer() takes an array or a buffer, not {buffer}")
    if buffer.layout not in "CF":
        raise TypingError("from_buffer() unsupported on non-contiguous buffers")
    if buffer.layout != "C" and buffer.ndim > 1:
        raise TypingError("from_buffer() only supports multidimensional arrays with C layout")

    def from_buffer(ffi, buffer):
        return buffer.ctypes

    def from_bytes(ffi, buffer):
        return np.frombuffer(buffer, dtype).ctypes

    dtype = None if isinstance(buffer, types.Array) else as_dtype(buffer.dtype)
    return from_buffer if dtype is None else from_bytes


class Library(types.Opaque):
    """The type of one library. Its functions are attributes."""

    def __init__(self, library):
        self.library = library
        super().__init__(f"cffi_library({id(library):#x})")


Library._parts = parts_of_library(Library)
register_model(Library)(_Nothing)
_functions = set()


def _typeof_library(value, context):
    for name in dir(value):
        if name not in _functions:
            _functions.add(name)
            overload_attribute(Library, name)(_attribute(name))
    return Library(value)


def _attribute(name):
    def attribute(library):
        found = getattr(library.library, name, None)
        if isinstance(found, int) or is_cffi_func(found):
            return lambda library: found

    return attribute
