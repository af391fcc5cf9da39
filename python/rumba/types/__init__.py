"""The types of compiled code: classes, the instances users write, signatures, `typeof`.

    from rumba import types

    types.float64(types.int32, types.float64)    # a signature
    types.float64[:, ::1]                         # arrays of two dimensions, contiguous
    types.UniTuple(types.int64, 3)

Equal types are one object. Nothing here is loaded by `import rumba`.
"""
from .arrays import (
    Array,
    ArrayIterator,
    Buffer,
    ByteArray,
    Bytes,
    CharSeq,
    DType,
    MemoryView,
    ObjectArray,
    PyArray,
    UnicodeCharSeq,
)
from .base import (
    ArrayCompatible,
    Callable,
    ConstSized,
    Container,
    Conversion,
    DTypeSpec,
    Dummy,
    Hashable,
    IterableType,
    IteratorType,
    MutableSequence,
    Number,
    Opaque,
    Phantom,
    Sequence,
    SimpleIterableType,
    SimpleIteratorType,
    Sized,
    Type,
    Undefined,
    UndefVar,
)
from .classes import ClassDataType, ClassInstanceType, ClassType, StructRef, StructRefPayload
from .containers import (
    BaseAnonymousTuple,
    BaseContainerIterator,
    BaseNamedTuple,
    BaseTuple,
    DictItemsIterableType,
    DictKeysIterableType,
    DictType,
    DictValuesIterableType,
    InitialValue,
    List,
    ListIter,
    ListType,
    LiteralList,
    LiteralStrKeyDict,
    NamedTuple,
    NamedUniTuple,
    NumpyFlatType,
    Pair,
    Set,
    SetIter,
    FrozenSetType,
    SetType,
    StarArgTuple,
    StarArgUniTuple,
    Tuple,
    UniTuple,
    UniTupleIter,
    View,
)
from .collection_types import CounterType, DefaultDictType, DequeType, OrderedDictType
from .functions import (
    BaseFunction,
    BoundFunction,
    Dispatcher,
    ExternalFunction,
    ExternalFunctionPointer,
    Function,
    FunctionPrototype,
    FunctionType,
    Closure,
    KnownFunction,
    KnownMethod,
    NamedTupleClass,
    NumberClass,
    ObjModeDispatcher,
    UndefinedFunctionType,
    WeakType,
    WrapperAddressProtocol,
)
from .iterators import CompiledIterator, EnumerateType, Generator, RangeIteratorType, RangeType, ZipType
from .misc import (
    ContextManager,
    CPointer,
    DeferredType,
    EllipsisType,
    EphemeralPointer,
    ExceptionClass,
    ExceptionInstance,
    MemInfoPointer,
    Module,
    NoneType,
    NumPyRandomBitGeneratorType,
    NumPyRandomGeneratorType,
    Omitted,
    Optional,
    Union,
    PyObject,
    RawPointer,
    SliceLiteral,
    SliceType,
    TypeRef,
    UnicodeIteratorType,
    UnicodeType,
    VarArg,
)
from .names import *  # noqa: F403  the instances
from .names import _undef_var
from .records import NestedArray, Record
from .scalars import (
    Boolean,
    BooleanLiteral,
    Complex,
    EnumClass,
    EnumMember,
    Float,
    Integer,
    IntegerLiteral,
    IntEnumClass,
    IntEnumMember,
    Literal,
    NPDatetime,
    NPTimedelta,
    StringLiteral,
    literal,
    maybe_literal,
    unliteral,
)
from .signature import Signature, normalize_signature, signature
from .typeof import as_dtype, from_dtype, typeof

optional, deferred_type = Optional, DeferredType

_MODULES = ("arrays", "base", "containers", "convert", "functions", "iterators", "misc", "names", "records", "scalars")

__all__ = [name for name in list(globals()) if not name.startswith("__") and name not in _MODULES]


def __getattr__(name):
    if name == "CompileResultWAP":
        return getattr(functions, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def _signature_names():
    """The names that a signature in a string may use."""
    return {name: globals()[name] for name in __all__}
