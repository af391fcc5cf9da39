"""`typed.List` and `typed.Set` of iterables, `typed.Dict` of pairs."""
from .. import typed
from ..extending.effects import Effects
from ..errors import TypingError
from ..types import DictType, LiteralStrKeyDict, unliteral
from . import library
from ._predicates import is_iterable


@library("rumba.typed.Dict", effects=Effects(returns="items of iterable", also="makes=dict"))
def dict_of(iterable, /):
    # Which types a dict from elsewhere is to have is asked for by `Dict.empty`.
    if isinstance(iterable, (DictType, LiteralStrKeyDict)):
        return None

    def made(iterable, /):
        items = typed.Dict()
        for key, value in iterable:
            items[key] = value
        return items
    return made


@library("rumba.typed.List", strict=False, effects=Effects(returns="items of items", also="makes=typed_list exhausts=items@0"))
def list_of(*items, **more):
    if more:
        raise TypingError("List() takes no keyword arguments")
    if len(items) != 1:
        raise TypingError(f"List() expected at most 1 argument, got {len(items)}")
    if not is_iterable(items[0]):
        raise TypingError(f"List() argument must be iterable, which {unliteral(items[0])} is not")

    def made(iterable, /):
        items = typed.List()
        for item in iterable:
            items.append(item)
        return items
    return made


@library("rumba.typed.Set", effects=Effects(returns="items of iterable", exhausts="iterable", also="makes=typed_set"))
def set_of(iterable, /):
    def made(iterable, /):
        items = typed.Set()
        for item in iterable:
            items.add(item)
        return items
    return made
