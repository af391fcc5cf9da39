"""Fingerprints of Python values: short byte strings that determine the type in compiled code.

Values with one fingerprint have one type; values of a type may have several. The dispatcher has fingerprints of its own, which
are numbers and mean something within a process alone; these are the same in every process.
"""
import enum

_SIMPLE = {type(None): b"n", bool: b"?", float: b"d", complex: b"D", str: b"s"}


class OmittedArg:
    """Stands for an argument that a call leaves out, with the parameter's default."""

    def __init__(self, value):
        self.value = value

    @property
    def _numba_type_(self):
        from ..types import Omitted

        return Omitted(self.value)

    def __repr__(self):
        return f"omitted arg({self.value!r})"


def compute_fingerprint(value):
    """The fingerprint of a value. ValueError for an empty list or set, whose item type is unknown; NotImplementedError
    for values that need a closer look: enumeration members, and values without a type."""
    parts, todo = [], [value]
    # Values may be nested deeper than Python's stack: what is to be done, the next last. Bytes there are parts as they are.
    while todo:
        value = todo.pop()
        code = _SIMPLE.get(type(value))
        if code is not None:
            parts.append(code)
        elif type(value) is _Part:
            parts.append(value)
        else:
            todo.extend(reversed(_pieces(value)))
    return b"".join(parts)


class _Part(bytes):
    """A part of a fingerprint, among values."""


def _pieces(value):
    """A fingerprint in parts and values inside of the value."""
    kind = type(value)
    if kind is int:
        return [_Part(b"i" if value < 1 << 63 else b"I")]
    if kind is tuple:
        return [_Part(b"("), *value, _Part(b")")]
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        named = (item for name, item in zip(kind._fields, value) for item in (_Part(name.encode()), item))
        return [_Part(kind.__name__.encode() + b"("), *named, _Part(b")")]
    if kind is list or kind is set:
        if not value:
            raise ValueError(f"cannot compute fingerprint of empty {kind.__name__}")
        return [_Part(b"[" if kind is list else b"{"), next(iter(value)), _Part(b"]" if kind is list else b"}")]
    if kind is OmittedArg:
        return [_Part(b"!"), value.value]
    return [_Part(b"<" + _name(value).encode() + b">")]


def _name(value):
    """The name of a value's type, or of its class and what is in its buffer."""
    from ..errors import TypingError
    from ..types import typeof

    if not isinstance(value, enum.Enum):
        try:
            return str(typeof(value))
        except (ValueError, TypingError):
            pass
        try:
            return f"{type(value).__qualname__} of {typeof(memoryview(value))}"
        except (TypeError, ValueError):
            pass
    raise NotImplementedError(f"cannot compute type fingerprint for value of type {type(value).__qualname__!r}")
