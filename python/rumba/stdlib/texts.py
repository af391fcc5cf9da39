"""Texts of containers, and texts put together."""
from ..extending import register_jitable
from ..types import BaseTuple, DictType, NamedTuple, NamedUniTuple, Set
from . import library
from .kinds import each_of, length
from .lists import is_list


@library("builtins.str.join")
def join(self, iterable, /):
    return _join


def _join(self, iterable, /):
    return self.join([text for text in iterable])


@register_jitable
def _of_items(items):
    return "[" + ", ".join([repr(item) for item in items]) + "]"


@register_jitable
def _of_set(items):
    if not items:
        return "set()"
    return "{" + ", ".join([repr(item) for item in items]) + "}"


@register_jitable
def _of_dict(items):
    return "{" + ", ".join([repr(key) + ": " + repr(value) for key, value in items.items()]) + "}"


@register_jitable
def _of_view(items):
    return ", ".join([repr(item) for item in items])


_VIEWS = ("dict_keys", "dict_values", "dict_items")


def _writer(ty):
    """The function that gives the text of a container; None for what is none, or what the compiler writes itself."""
    if is_list(ty):
        return _of_items
    if isinstance(ty, Set):
        return _of_set
    if isinstance(ty, DictType):
        return _of_dict
    view = str(ty).partition("(")[0]
    if view in _VIEWS:
        head, tail = view + "([", "])"

        @register_jitable
        def of_view(items):
            return head + _of_view(items) + tail
        return of_view
    if str(ty).startswith("list("):
        return _of_fixed_list
    count = length(ty)
    if not count or isinstance(ty, (NamedTuple, NamedUniTuple)):
        return None
    each, closing = each_of([_item] * count), ",)" if count == 1 else ")"

    @register_jitable
    def of_tuple(items):
        return "(" + ", ".join(each(items)) + closing
    return of_tuple


def _item(item):
    return repr(item)


@register_jitable
def _of_fixed_list(items):
    text = repr(tuple(items))
    return "[" + text[1:-2 if len(items) == 1 else -1] + "]"


def _written(ty):
    write = _writer(ty)
    if write is None:
        return None

    def text(object, /):
        return write(object)
    return text


@library(str, strict=False)
def str_(object, /):
    return _written(object)


@library(repr)
def repr_(object, /):
    return _written(object)


@library(format)
def format_(value, format_spec="", /):
    write = _writer(value)
    if write is None:
        return None
    class_name = "tuple" if isinstance(value, BaseTuple) else {_of_set: "set", _of_dict: "dict"}.get(write, "list")
    message = f"unsupported format string passed to {class_name}.__format__"

    def text(value, format_spec="", /):
        if len(format_spec) > 0:
            raise TypeError(message)
        return write(value)
    return text
