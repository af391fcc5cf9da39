"""`typed.List` and `typed.Set` of what can be iterated, `typed.Dict` of pairs."""
from .. import typed
from ..types import DictType, Keywords
from . import library


@library("rumba.typed.Dict")
def dict_of(iterable, /):
    # Which types a dict from elsewhere is to have is asked for by `Dict.empty`.
    if isinstance(iterable, (DictType, Keywords)):
        return None

    def made(iterable, /):
        items = typed.Dict()
        for key, value in iterable:
            items[key] = value
        return items
    return made


@library("rumba.typed.List")
def list_of(iterable, /):
    def made(iterable, /):
        items = typed.List()
        for item in iterable:
            items.append(item)
        return items
    return made


@library("rumba.typed.Set")
def set_of(iterable, /):
    def made(iterable, /):
        items = typed.Set()
        for item in iterable:
            items.add(item)
        return items
    return made
