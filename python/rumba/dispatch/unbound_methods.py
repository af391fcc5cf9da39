"""Methods of built-in classes as functions of their own: `str.lower` in `sorted(names, key=str.lower)`.

Absent: their calls, `str.lower(name)`, which compiled code makes on the value (`infer::calls::unbound_methods`).
"""
import builtins
import functools
import inspect
import types

from .. import source_text


@functools.cache
def function(class_name, name):
    """A compiled function that calls the method of its first argument; None for what is no method of objects.

    >>> function("str", "lower").py_func("Ab")
    'ab'
    """
    cls = getattr(builtins, class_name, None)
    method = cls.__dict__.get(name) if isinstance(cls, type) else None
    if not isinstance(method, types.MethodDescriptorType):
        return None
    from ..decorators import always_njit

    more = "" if _takes_nothing(method) else "*args"
    return always_njit(source_text.function(f"{name}(self, {more})", [f"return self.{name}({more})"], {}))


def _takes_nothing(method):
    """Whether a method has no parameter but the object."""
    try:
        return len(inspect.signature(method).parameters) == 1
    except ValueError:
        return False
