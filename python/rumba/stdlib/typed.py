"""`typed.List` and `typed.Set` of what can be iterated."""
from .. import typed
from . import library


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
