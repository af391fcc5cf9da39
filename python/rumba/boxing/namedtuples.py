"""Classes of named tuples created by compiled code, by name and fields."""
import collections
import functools


def made(description, items):
    """A named tuple of these items; `description` is the name of its class and those of its fields, with spaces between."""
    return _class(description)._make(items)


@functools.lru_cache
def _class(description):
    name, *fields = description.split()
    return collections.namedtuple(name, fields)
