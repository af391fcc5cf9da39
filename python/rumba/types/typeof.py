"""`typeof`: the type of a Python value as an argument, and of NumPy's dtypes.

NumPy is asked only if the program has loaded it: before that no value can be NumPy's.
"""
import enum
import sys
from types import ModuleType

from .. import upcalls
from . import arrays, classes, containers, functions, misc, names, records, scalars
from .base import Type


def typeof(value, purpose=None):
    """The Numba type of `value` as an argument of a compiled function; raises ValueError if there is none."""
    found = _typeof(value)
    if found is None:
        raise ValueError(f"Cannot determine Numba type of {type(value)}")
    return found


def _typeof(value):
    found = _BY_CLASS.get(type(value))
    if found is not None:
        return found(value)
    foreign = sys.modules.get("rumba.extending.typeof_box")
    if foreign is not None:
        known = foreign.typeof(value)
        if known is not None:
            return known
    own = getattr(value, "_numba_type_", None)
    if isinstance(own, Type):
        return own
    for kind, found in _BY_BASE:
        if isinstance(value, kind):
            return found(value)
    module = sys.modules.get("array")
    if module is not None and type(value) is module.array:
        return _buffer(arrays.PyArray, memoryview(value))
    if hasattr(type(value), "__dataclass_fields__") or hasattr(type(value), "__slots__"):
        known = upcalls.type_of_plain_object(value)
        if known is not None:
            return known
    function = _function_value(value)
    if function is not None:
        return function
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        return _typeof_numpy(value, numpy)
    return None


def _function_value(value):
    if issubclass(type(value), functions.WrapperAddressProtocol) or "_ctypes" in sys.modules:
        return upcalls.function_type(value)
    callbacks = sys.modules.get("rumba.c_interop.callbacks")
    return None if callbacks is None else callbacks.function_type(value)


def _int(value):
    if -(1 << 63) <= value < 1 << 63:
        return names.int64
    if 0 <= value < 1 << 64:
        return names.uint64
    raise ValueError(f"Int value is too large: {value}")


def _tuple(value):
    types = [_typeof(item) for item in value]
    if any(ty is None for ty in types):
        return None
    common = _common_function(types)
    if common is not None:
        types = [common] * len(types)
    return containers.BaseTuple.from_types(types, type(value))


def _common_function(types):
    # The one type of functions as values, where one of them tells its signature.
    common = set()
    for ty in types:
        if isinstance(ty, functions.Dispatcher):
            ty = ty.dispatcher.get_function_type()
        elif not isinstance(ty, functions.FunctionType):
            return None
        if ty is not None:
            common.add(ty)
    return common.pop() if len(common) == 1 else None


def _list(value):
    if not value:
        raise ValueError("Cannot type empty list")
    item = _typeof(value[0])
    if item is None:
        raise ValueError(f"Cannot type list element type {type(value[0])}")
    return containers.List(_with_other_classes(item, value), reflected=True)


def _with_other_classes(item, values):
    # Objects may be of several classes, and None.
    if not isinstance(item, classes.ClassInstanceType):
        return item
    found = dict.fromkeys(_typeof(value) for value in {type(value): value for value in values}.values())
    instances = [ty for ty in found if isinstance(ty, classes.ClassInstanceType)]
    if len(instances) > 1:
        item = misc.Union(instances)
    return misc.Optional(item) if names.none in found else item


def _set(value):
    if not value:
        raise ValueError("Cannot type empty set")
    item = _typeof(next(iter(value)))
    return None if item is None else containers.Set(item, reflected=True)


def _slice(value):
    return names.slice2_type if value.step in (None, 1) else names.slice3_type


def _enum(value):
    cls = type(value)
    return _enum_class(cls).member_type


def _enum_class(cls):
    types = {typeof(member.value) for member in cls}
    if not types:
        raise ValueError(f"Cannot type enum {cls.__name__}: it has no members")
    if len(types) > 1:
        raise ValueError(f"Cannot type heterogeneous enum: got value types {', '.join(sorted(map(str, types)))}")
    kind = scalars.IntEnumClass if issubclass(cls, enum.IntEnum) else scalars.EnumClass
    return kind(cls, types.pop())


def _class(value):
    if issubclass(value, BaseException):
        return misc.ExceptionClass(value)
    if issubclass(value, enum.Enum):
        return _enum_class(value)
    if isinstance(getattr(value, "class_type", None), classes.ClassType):
        return value.class_type
    if issubclass(value, tuple) and hasattr(value, "_fields"):
        return functions.NamedTupleClass(value)
    numpy = sys.modules.get("numpy")
    if numpy is not None and issubclass(value, numpy.generic):
        return functions.NumberClass(from_dtype(numpy.dtype(value)))
    return None


def _memoryview(value):
    return _buffer(arrays.MemoryView, value)


def _buffer(kind, view):
    code = view.format.lstrip("@=<")
    item = _FORMATS.get((code, view.itemsize))
    if item is None:
        signed = "bhilqn".find(code) >= 0
        if len(code) != 1 or not signed and code not in "BHILQN":
            return None
        item = scalars.Integer.from_bitwidth(view.itemsize * 8, signed)
    layout = "C" if view.c_contiguous else "F" if view.f_contiguous else "A"
    return kind(item, view.ndim, layout, readonly=view.readonly)


_FORMATS = {
    ("?", 1): names.bool,
    ("f", 4): names.float32,
    ("d", 8): names.float64,
    ("Zf", 8): names.complex64,
    ("Zd", 16): names.complex128,
}


def _dispatcher_or_none(value):
    module = sys.modules.get("rumba._rumba")
    if module is not None and isinstance(value, module.Dispatcher):
        return functions.Dispatcher(value)
    return None


def _typeof_numpy(value, numpy):
    if isinstance(value, numpy.ndarray):
        return _array(value, numpy)
    if isinstance(value, numpy.generic):
        if isinstance(value, numpy.str_):
            return names.unicode_type
        return _quiet_dtype(value.dtype)
    if isinstance(value, numpy.dtype):
        return arrays.DType(from_dtype(value))
    random = sys.modules.get("numpy.random")
    if random is not None and isinstance(value, random.Generator):
        return names.npy_rng
    if random is not None and isinstance(value, random.BitGenerator):
        return names.npy_bitgen
    return _dispatcher_or_none(value)


def _quiet_dtype(dtype):
    from ..errors import NumbaNotImplementedError

    try:
        return from_dtype(dtype)
    except NumbaNotImplementedError:
        return None


def _array(value, numpy):
    if isinstance(value, numpy.ma.MaskedArray):
        from ..errors import NumbaTypeError

        raise NumbaTypeError("Unsupported array type: numpy.ma.MaskedArray, whose mask compiled code would not look at")
    if type(value) is not numpy.ndarray and not hasattr(value, "__array_priority__"):
        return None
    from ..errors import NumbaNotImplementedError, NumbaValueError

    try:
        dtype = from_dtype(value.dtype)
    except NumbaNotImplementedError as error:
        from ..errors import NumbaTypeError
        from .convert import compiler_types

        try:
            # One of objects of compiled classes.
            return compiler_types().type_of(value)
        except (TypeError, NumbaTypeError):
            raise NumbaValueError(f"Unsupported array dtype: {value.dtype}") from error
    flags = value.flags
    return arrays.Array(
        dtype, value.ndim, map_layout(value), readonly=not flags.writeable, aligned=flags.aligned)


_BY_CLASS = {
    int: _int,
    bool: lambda value: names.bool,
    float: lambda value: names.float64,
    complex: lambda value: names.complex128,
    type(None): lambda value: names.none,
    tuple: _tuple,
    str: lambda value: names.unicode_type,
    slice: _slice,
    type(...): lambda value: names.ellipsis,
    list: _list,
    set: _set,
    bytes: lambda value: arrays.Bytes(names.uint8, 1, "C", readonly=True),
    bytearray: lambda value: arrays.ByteArray(names.uint8, 1, "C"),
    memoryview: _memoryview,
    ModuleType: lambda value: None,
}
_BY_BASE = (
    (enum.Enum, _enum),
    (bool, lambda value: names.bool),
    (type, _class),
    (tuple, _tuple),
    (Type, functions.NumberClass),
)


def from_dtype(dtype):
    """The element type of a NumPy dtype, or of what `numpy.dtype` takes for one.

    >>> import numpy
    >>> from_dtype(numpy.dtype("f4")), from_dtype(numpy.int64)
    (float32, int64)
    """
    from ..errors import NumbaNotImplementedError

    if not hasattr(dtype, "kind"):
        import numpy

        try:
            dtype = numpy.dtype(dtype)
        except TypeError:
            raise NumbaNotImplementedError(f"{dtype!r} is no dtype") from None
    kind = dtype.kind
    if kind == "b":
        return names.bool
    if kind in "iufc" and dtype.isnative:
        if kind in "iu":
            return scalars.Integer.from_bitwidth(dtype.itemsize * 8, kind == "i")
        found = _FLOATS.get((kind, dtype.itemsize))
        if found is not None:
            return found
    if kind in "mM":
        import numpy

        unit, count = numpy.datetime_data(dtype)
        if count != 1 or not dtype.isnative:
            raise NumbaNotImplementedError(f"{dtype} is not supported")
        unit = "" if unit == "generic" else unit
        return (scalars.NPDatetime if kind == "M" else scalars.NPTimedelta)(unit)
    if kind == "S":
        return arrays.CharSeq(dtype.itemsize)
    if kind == "U":
        return arrays.UnicodeCharSeq(dtype.itemsize // 4)
    if kind == "V" and dtype.subdtype is not None:
        base, shape = dtype.subdtype
        return records.NestedArray(from_dtype(base), shape)
    if kind == "V" and dtype.fields is not None:
        return from_struct_dtype(dtype)
    raise NumbaNotImplementedError(f"{dtype} is not supported")


def from_struct_dtype(dtype):
    """The type of records of a structured dtype."""
    from ..errors import NumbaNotImplementedError

    if dtype.hasobject:
        raise NumbaNotImplementedError(f"{dtype} is not supported: it has fields with Python objects")
    fields = []
    for name, (field, offset, *title) in dtype.fields.items():
        title = title[0] if title else None
        fields.append((name, {"type": from_dtype(field), "offset": offset, "title": title}))
    return records.Record(fields, dtype.itemsize, dtype.isalignedstruct)


_FLOATS = {
    ("f", 2): names.float16,
    ("f", 4): names.float32,
    ("f", 8): names.float64,
    ("c", 8): names.complex64,
    ("c", 16): names.complex128,
}


def as_dtype(ty):
    """The NumPy dtype of a type."""
    import numpy

    from ..errors import NumbaNotImplementedError

    ty = scalars.unliteral(ty)
    if isinstance(ty, (scalars.Boolean, scalars.Integer, scalars.Float, scalars.Complex)):
        return numpy.dtype(ty.name)
    if isinstance(ty, scalars._Datetime):
        return numpy.dtype(ty.name if ty.unit else ty.type_name)
    if isinstance(ty, records.NestedArray):
        return numpy.dtype((as_dtype(ty.dtype), ty.shape))
    if isinstance(ty, records.Record):
        return _as_struct(ty, numpy)
    if isinstance(ty, arrays.CharSeq):
        return numpy.dtype(("S", ty.count))
    if isinstance(ty, arrays.UnicodeCharSeq):
        return numpy.dtype(("U", ty.count))
    if isinstance(ty, arrays.DType):
        return as_dtype(ty.dtype)
    raise NumbaNotImplementedError(f"{ty} cannot be the type of an array's items")


def _as_struct(record, numpy):
    names, formats, offsets, titles = [], [], [], []
    for name, field in record.fields.items():
        if not record.is_title(name):
            names.append(name)
            formats.append(as_dtype(field.type))
            offsets.append(field.offset)
            titles.append(field.title)
    parts = {"names": names, "formats": formats, "offsets": offsets, "itemsize": record.size}
    if record.has_titles():
        parts["titles"] = titles
    return numpy.dtype(parts, align=record.aligned)


def is_array(value):
    """Whether a value is a NumPy array."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, numpy.ndarray)


def map_layout(value):
    """The layout of an array: "C", "F" or "A"."""
    flags = value.flags
    return "C" if flags.c_contiguous else "F" if flags.f_contiguous else "A"


def map_arrayscalar_type(value):
    """The type of a NumPy scalar, or of what NumPy makes of a number."""
    import numpy

    dtype = value.dtype if isinstance(value, numpy.generic) else numpy.dtype(type(value))
    return from_dtype(dtype)


def numpy_version():
    """Major and minor version of NumPy."""
    import numpy

    return tuple(map(int, numpy.__version__.split(".")[:2]))
