"""Predicates on types, for overload functions of the library."""
import importlib
import sys

from ..errors import TypingError
from ..types import (
    Array, BaseFunction, BaseTuple, Boolean, ByteArray, Bytes, CharSeq, ClassInstanceType, DequeType, DictType, EnumClass, FrozenSetType, Integer,
    List, ListType, LiteralList, LiteralStrKeyDict, MemoryView, NamedUniTuple, NoneType, NPDatetime, NPTimedelta, Number, Omitted,
    Opaque, Optional, PyArray, Set, SetType, SliceType, StructRef, UnicodeCharSeq, UnicodeType, Union, UniTuple, View, unliteral)
from ..types.convert import compiler_types, unify


def length(ty):
    """How many items a tuple has, or the list that `sorted` or a starred name gives; None for other types."""
    return len(ty) if isinstance(ty, (BaseTuple, LiteralList)) else None


def is_list(ty):
    """Whether a type is that of a list that changes."""
    return isinstance(ty, (List, ListType))


def is_uniform(ty):
    """Whether a type is a tuple of one or more items of one type, or such a list."""
    return bool(length(ty)) and (isinstance(ty, (UniTuple, NamedUniTuple)) or is_fixed_list(ty) and ty.dtype is not None)


def holds_objects(ty):
    """Whether a type is that of objects of compiled classes, or of tuples that hold some: an exception cannot have them as
    arguments."""
    if isinstance(ty, BaseTuple):
        return any(holds_objects(item) for item in ty)
    if isinstance(ty, Optional):
        return holds_objects(ty.type)
    return isinstance(unliteral(ty), (ClassInstanceType, StructRef, Union))


def is_sequence_to_numpy(ty):
    """Whether NumPy takes an object of a compiled class for a sequence of items: the class has `__len__` and `__getitem__`."""
    if isinstance(ty, Optional):
        return is_sequence_to_numpy(ty.type)
    if isinstance(ty, Union):
        return any(map(is_sequence_to_numpy, ty.types))
    return isinstance(ty, ClassInstanceType) and {"__len__", "__getitem__"} <= ty.jit_methods.keys()


def is_key_by_methods(ty):
    """Whether methods of compiled classes, `__eq__` and `__hash__`, say which keys of a type are equal."""
    return holds_objects(ty) and compiler_types().is_key_by_methods(ty)


def check_uniform(ty, function):
    """Refuses what is no tuple of one or more items of one type."""
    if length(ty) == 0:
        raise TypingError(f"{function} of an empty tuple")
    if not is_uniform(ty):
        raise TypingError(f"{function} takes a tuple whose items are of one type")


def joins_unchanged(ty):
    """Whether a type is a tuple of items that one type holds as they are: some of them, or parts of them, may be None."""
    joined = unify(*ty) if isinstance(ty, BaseTuple) and len(ty) else None
    return joined is not None and all(_stays(unliteral(item), joined) for item in ty)


def _stays(ty, joined):
    if isinstance(joined, Optional):
        return isinstance(ty, NoneType) or _stays(ty.type if isinstance(ty, Optional) else ty, joined.type)
    if isinstance(joined, BaseTuple):
        return isinstance(ty, BaseTuple) and len(ty) == len(joined) and all(
            _stays(unliteral(one), other) for one, other in zip(ty, joined))
    return ty == joined


def is_iterable(ty):
    """Whether a value of this type may have items."""
    return not isinstance(unliteral(ty), (Boolean, NoneType, Number))


def is_absent(ty):
    """Whether an argument is None or was left out: overload functions get its type, or its default."""
    return ty is None or isinstance(ty, (NoneType, Omitted))


def is_array(ty, *layouts):
    """Whether a type is an array, of one of these layouts if there are any."""
    return isinstance(ty, Array) and (not layouts or ty.layout in layouts)


def is_buffer(ty):
    """Whether a type is that of another object with memory."""
    return isinstance(ty, (ByteArray, Bytes, MemoryView, PyArray))


def has_truth(ty):
    """Whether a type is an array whose items are true or false: numbers, and text and times, too."""
    return isinstance(ty, Array) and isinstance(
        ty.dtype, (Number, Boolean, CharSeq, UnicodeCharSeq, NPDatetime, NPTimedelta))


def is_movable(ty):
    """Whether a type is an array whose items are numbers, truth values or times: what functions take that only move items."""
    return isinstance(ty, Array) and isinstance(ty.dtype, (Number, Boolean, NPDatetime, NPTimedelta))


def is_dtype(ty):
    """Whether an argument may be a dtype: of a string the value must be known."""
    return ty is not None and not isinstance(ty, (UnicodeType, NoneType, Omitted))


def is_shape(ty):
    """Whether a type is a tuple of integers."""
    return isinstance(ty, BaseTuple) and all(isinstance(unliteral(item), Integer) for item in ty)


def integers_in_list(ty):
    """How many integers there are in a list of which nobody else knows; None for other types."""
    if not is_fixed_list(ty) or not len(ty) or not all(isinstance(unliteral(item), Integer) for item in ty):
        return None
    return len(ty)


def is_fixed_list(ty):
    """Whether a type is that of a list that never changes: of a display of which nobody else knows."""
    return isinstance(ty, LiteralList)


def each_of(functions):
    """What applies functions to the items of a tuple, one to each, and gives the tuple of what they give."""
    from ..extending import register_jitable

    first = register_jitable(functions[0])
    if len(functions) == 1:
        @register_jitable
        def only(items):
            return (first(items[0]),)
        return only
    rest = each_of(functions[1:])

    @register_jitable
    def each(items):
        return (first(items[0]),) + rest(items[1:])
    return each


def library_letter(item):
    """The letter of BLAS and LAPACK for a class of numbers; None if they do not know it."""
    import numpy

    letters = {numpy.float32: "s", numpy.float64: "d", numpy.complex64: "c", numpy.complex128: "z"}
    return letters.get(item)


def is_integer(ty):
    """Whether an argument is an integer, or a default that is one."""
    return isinstance(ty, int) or isinstance(unliteral(ty), Integer)


def is_integer_or_bool(ty):
    """The same, where a boolean counts as 0 or 1."""
    return isinstance(ty, int) or isinstance(unliteral(ty), (Integer, Boolean))


def is_numeric_array(ty):
    """Whether an argument is an array of numbers or booleans."""
    return is_array(ty) and isinstance(ty.dtype, (Number, Boolean))


_UNHASHABLE = [(ListType, None), (List, "list"), (SetType, None), (Set, "set"), (DictType, None), (LiteralStrKeyDict, "dict"), (Array, None),
               (ByteArray, "bytearray"), (DequeType, "collections.deque")]
if sys.version_info < (3, 12):
    _UNHASHABLE.append((SliceType, "slice"))


def why_unhashable(ty):
    """What is said of a type without hashes: Python's name of its class, or the type where Python has none of its own; None for others."""
    if isinstance(ty, (FrozenSetType, NoneType)):
        return None
    for kind, name in _UNHASHABLE:
        if isinstance(ty, kind):
            return f"unhashable type: '{name or ty}'"
    if is_fixed_list(ty):
        return "unhashable type: 'list'"
    if isinstance(ty, (BaseFunction, Opaque, View)):
        return f"No __hash__ is defined for object of type {ty}"
    if isinstance(ty, BaseTuple):
        return next(filter(None, map(why_unhashable, ty.types)), None)
    return None


def is_user_iterable(ty):
    """Whether a class or an extension says how values of a type are iterated over: a compiled class with `__iter__`, an enumeration, or
    a type with `getiter`. The compiler itself knows its own iterables."""
    if isinstance(ty, ClassInstanceType):
        return "__iter__" in ty.methods
    if isinstance(ty, EnumClass):
        return True
    if ty.is_internal:
        return False
    # The interface for extensions is only loaded where there is one.
    return importlib.import_module("rumba.extending.user_iteration").iterator_of(ty) is not None
