"""`str`, `repr` and `format` of containers, arrays and times, and `.format` with them."""
import re
import string
import sys

import numpy

from ...errors import TypingError
from ...extending import overload_registry, register_jitable
from ...intrinsics import deque_bound, present
from ...object_mode import objmode
from ...types import (
    BaseTuple, CounterType, DequeType, DictItemsIterableType, DictKeysIterableType, DictType, DictValuesIterableType, FrozenSetType, KnownFunction,
    NamedTuple, NamedUniTuple, NPDatetime, NPTimedelta, Optional, OrderedDictType, RangeType, Set)
from ...types.classes import ClassInstanceType
from .. import library
from .._predicates import each_of, is_array, is_fixed_list, is_list, length

# How Python writes the items of an OrderedDict.
_ITEMS_IN_BRACES = sys.version_info >= (3, 12)


@register_jitable
def _of_items(items):
    return "[" + ", ".join([repr(item) for item in items]) + "]"


@register_jitable
def _of_set(items):
    if not items:
        return "set()"
    return "{" + ", ".join([repr(item) for item in items]) + "}"


@register_jitable
def _of_frozenset(items):
    if not items:
        return "frozenset()"
    return "frozenset({" + ", ".join([repr(item) for item in items]) + "})"


@register_jitable
def _of_dict(items):
    return "{" + ", ".join([repr(key) + ": " + repr(value) for key, value in items.items()]) + "}"


@register_jitable
def _of_counter(items):
    if not items:
        return "Counter()"
    return "Counter({" + ", ".join([repr(key) + ": " + repr(count) for key, count in items.most_common()]) + "})"


@register_jitable
def _of_ordered_dict(items):
    if not items:
        return "OrderedDict()"
    if _ITEMS_IN_BRACES:
        return "OrderedDict(" + _of_dict(items) + ")"
    return "OrderedDict([" + ", ".join(["(" + repr(key) + ", " + repr(value) + ")" for key, value in items.items()]) + "])"


@register_jitable
def _of_deque(items):
    end = ")" if deque_bound(items) == 0 else ", maxlen=" + str(deque_bound(items) - 1) + ")"
    return "deque([" + ", ".join([repr(item) for item in items]) + "]" + end


def _of_default_dict(factory):
    """The text of a `defaultdict` whose factory is a builtin class; that of a function holds an address."""
    if not isinstance(factory, KnownFunction):
        raise TypingError("a `defaultdict` has no text in compiled code where its factory is a function")
    head = f"defaultdict({factory.typing_key!r}, "

    @register_jitable
    def of_default_dict(items):
        return head + _of_dict(items) + ")"
    return of_default_dict


@register_jitable
def _of_view(items):
    return ", ".join([repr(item) for item in items])


@register_jitable
def _of_range(items):
    text = "range(" + str(items.start) + ", " + str(items.stop)
    return text + ")" if items.step == 1 else text + ", " + str(items.step) + ")"


_VIEWS = DictKeysIterableType, DictValuesIterableType, DictItemsIterableType


def _writer(ty):
    """The function that gives the text of a container; None for what is none, or what the compiler writes itself."""
    if is_list(ty):
        return _of_items
    if isinstance(ty, RangeType):
        return _of_range
    if isinstance(ty, FrozenSetType):
        return _of_frozenset
    if isinstance(ty, Set):
        return _of_set
    if isinstance(ty, CounterType):
        return _of_counter
    if isinstance(ty, OrderedDictType):
        return _of_ordered_dict
    if isinstance(ty, DequeType):
        return _of_deque
    if isinstance(ty, DictType):
        return _of_dict if ty.missing is None else _of_default_dict(ty.missing)
    if isinstance(ty, _VIEWS):
        head, tail = ty.shown + "([", "])"

        @register_jitable
        def of_view(items):
            return head + _of_view(items) + tail
        return of_view
    if is_fixed_list(ty):
        return _of_fixed_list
    count = length(ty)
    if isinstance(ty, (NamedTuple, NamedUniTuple)):
        return _of_named(ty.instance_class.__name__, ty.fields)
    if not count:
        return None
    each, closing = each_of([_item] * count), ",)" if count == 1 else ")"

    @register_jitable
    def of_tuple(items):
        return "(" + ", ".join(each(items)) + closing
    return of_tuple


def _item(item):
    return repr(item)


def _of_named(name, fields):
    """What writes a named tuple, as `P(x=1, y=2)`."""
    if not fields:
        @register_jitable
        def of_nothing(items):
            return name + "()"
        return of_nothing
    head = name + "("
    each = each_of([_field(field) for field in fields])

    @register_jitable
    def of_named(items):
        return head + ", ".join(each(items)) + ")"
    return of_named


def _field(name):
    head = name + "="

    def field(item):
        return head + repr(item)
    return field


@register_jitable
def _of_fixed_list(items):
    text = repr(tuple(items))
    return "[" + text[1:-2 if len(items) == 1 else -1] + "]"


def _written(ty):
    if isinstance(ty, Optional):
        write = _writer(ty.type)

        def text_or_none(object, /):
            return "None" if object is None else write(present(object))
        return write and text_or_none
    write = _writer(ty)
    if write is None:
        return None

    def text(object, /):
        return write(object)
    return text


def _has_method(ty, name):
    """Whether something is an object, or may be one, whose class has a method."""
    plain = ty.type if isinstance(ty, Optional) else ty
    return isinstance(plain, ClassInstanceType) and name in plain.class_type.jit_methods


def _str_of_object(object, /):
    return object.__str__()


def _repr_of_object(object, /):
    return object.__repr__()


def _str_or_none(object, /):
    return "None" if object is None else present(object).__str__()


def _repr_or_none(object, /):
    return "None" if object is None else present(object).__repr__()


def _of_extension(ty, methods):
    """The text of a value of a library's own type: of the first of these methods that is registered for it, or the type's name."""
    if not overload_registry.is_extension_type(ty):
        return None
    known = overload_registry.Snapshot()
    for name, text in methods.items():
        if known.candidates("method", ty, name):
            return text
    shown = f"<object type:{ty}>"
    return lambda object, /: shown


# NumPy itself writes its arrays and times, as its print options say.

def _is_written_by_numpy(ty):
    return is_array(ty) or isinstance(ty, (NPDatetime, NPTimedelta))


def _str_of_numpy(object, /):
    with objmode(text="unicode_type"):
        text = str(object)
    return text


def _repr_of_numpy(object, /):
    with objmode(text="unicode_type"):
        text = repr(object)
    return text


def _format_of_numpy(value, format_spec="", /):
    with objmode(text="unicode_type"):
        text = format(value, format_spec)
    return text


@library("builtins.str.format", strict=False, prefer_literal=True)
def fill_in(self, /, *args):
    """Containers and arrays stand in it as their texts. (Numbers, strings and tuples of them the compiler has itself.)"""
    text = getattr(self, "literal_value", None)
    replaced = [_writer(one) is not None or _is_written_by_numpy(one) for one in args]
    if not isinstance(text, str) or not any(replaced):
        return None
    try:
        shown, fields = _fields(text, replaced)
    except (IndexError, ValueError) as error:
        kind, message = type(error), str(error)

        def fail(self, /, *args):
            raise kind(message)
        return fail
    texts = _texts(fields)
    return lambda self, /, *args: shown.format(*texts(args))


def _fields(text, replaced):
    """A format of which each field has an argument of its own, and which these are: the number of the given one, and whether its
    `str` or `repr` stands in for it."""
    shown, fields, number = "", [], 0
    for literal, field, spec, conversion in string.Formatter().parse(text):
        shown += literal.replace("{", "{{").replace("}", "}}")
        if field is None:
            continue
        first = re.match(r"\d*", field)[0]
        if number and first or not first and number is None:
            way = ("automatic field numbering", "manual field specification")
            raise ValueError("cannot switch from {} to {}".format(*(way if first else way[::-1])))
        at = int(first) if first else number
        number = None if first else number + 1
        if at >= len(replaced):
            raise IndexError(f"Replacement index {at} out of range for positional args tuple")
        if replaced[at] and (spec or field != first) or "{" in spec:
            raise TypingError("a container or an array stands in a format as it is, without a specification, an item or an attribute")
        ending = "" if replaced[at] else ("!" + conversion if conversion else "") + (":" + spec if spec else "")
        shown += "{" + str(len(fields)) + field[len(first):] + ending + "}"
        fields.append((at, ("repr" if conversion in ("r", "a") else "str") if replaced[at] else None))
    return shown, fields


def _texts(fields):
    """What gives the arguments of the fields."""
    if not fields:
        return register_jitable(lambda args: ())
    (at, made), rest = fields[0], _texts(fields[1:])
    if made == "str":
        return register_jitable(lambda args: (str(args[at]), *rest(args)))
    if made == "repr":
        return register_jitable(lambda args: (repr(args[at]), *rest(args)))
    return register_jitable(lambda args: (args[at], *rest(args)))


def _of_array(function):
    def overload(a):
        return write if is_array(a) else None

    def write(a):
        with objmode(text="unicode_type"):
            text = function(a)
        return text
    library(function, strict=False)(overload)


for _function in (numpy.array2string, numpy.array_repr, numpy.array_str):
    _of_array(_function)


@library(str, strict=False)
def str_(object, /):
    if _is_written_by_numpy(object):
        return _str_of_numpy
    if _has_method(object, "__str__"):
        return _str_or_none if isinstance(object, Optional) else _str_of_object
    return _written(object) or _of_extension(object, {"__str__": _str_of_object, "__repr__": _repr_of_object})


@library(repr)
def repr_(object, /):
    if _is_written_by_numpy(object):
        return _repr_of_numpy
    if _has_method(object, "__repr__"):
        return _repr_or_none if isinstance(object, Optional) else _repr_of_object
    return _written(object) or _of_extension(object, {"__repr__": _repr_of_object})


@library(format)
def format_(value, format_spec="", /):
    if _is_written_by_numpy(value):
        return _format_of_numpy
    if isinstance(value, Optional):
        has_text = isinstance(value.type, ClassInstanceType) or _writer(value.type)
        return _format_of_optional if has_text else None
    if isinstance(value, ClassInstanceType):
        return _format_of_object(value.class_type)
    write = _writer(value)
    if write is None:
        return None
    class_name = "tuple" if isinstance(value, BaseTuple) else {_of_set: "set", _of_frozenset: "frozenset", _of_dict: "dict", _of_counter: "Counter", _of_ordered_dict: "collections.OrderedDict", _of_deque: "collections.deque", _of_range: "range"}.get(write, "list")
    message = f"unsupported format string passed to {class_name}.__format__"

    def text(value, format_spec="", /):
        if len(format_spec) > 0:
            raise TypeError(message)
        return write(value)
    return text


def _format_of_object(cls):
    """`format` of an object whose class has `__format__`, or `__str__` or `__repr__`; None if it has none of them."""
    if "__format__" in cls.jit_methods:
        return lambda value, format_spec="", /: value.__format__(format_spec)
    if "__str__" not in cls.jit_methods:
        return None
    message = f"unsupported format string passed to {cls.class_name}.__format__"

    def text(value, format_spec="", /):
        if len(format_spec) > 0:
            raise TypeError(message)
        return str(value)
    return text


def _format_of_optional(value, format_spec="", /):
    if value is None:
        if len(format_spec) > 0:
            raise TypeError("unsupported format string passed to NoneType.__format__")
        return "None"
    return format(present(value), format_spec)
