"""`bytearray`, of the length that it is made with: the class, its operators and its methods.

Items, `len`, loops and `in` for a number are the compiler's. Absent: what changes the length.
"""
import numpy

from ... import source_text
from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_address, array_bytearray, array_bytes, raise_if
from ...types import (
    Array, BaseTuple, Boolean, ByteArray, Bytes, CharSeq, Integer, List, ListType, Omitted, RangeType, SliceType, UnicodeType, unliteral)
from .. import library

_LENGTH = ("a bytearray of compiled code keeps the length that it is made with. Collect the numbers in a list, and make "
           "the bytearray of that: bytearray(numbers)")
# Methods of `bytes` whose results are none, and those that give new bytes.
_OTHERS = "count find rfind index rindex startswith endswith decode hex".split()
_BYTES = "upper lower replace strip lstrip rstrip removeprefix removesuffix ljust rjust center zfill".split()
# Methods and operators that change the length.
_CHANGES = "append extend insert pop remove clear __delitem__".split()
_FIXED = "Existing exports of data: object cannot be re-sized"


def _is_bytes(ty):
    return isinstance(unliteral(ty), (Bytes, ByteArray, CharSeq))


@register_jitable
def _items(b):
    """The bytes as an array over the same memory."""
    return numpy.frombuffer(b, numpy.uint8)


@register_jitable
def _copied(b):
    """A bytearray with the same bytes."""
    return array_bytearray(_items(b).copy())


@register_jitable
def _same_bytes(b):
    """The memory as bytes, for the time in which nobody changes it."""
    return array_bytes(_items(b))


@register_jitable
def _plain(value):
    return bytes(value)


@register_jitable
def _byte(number):
    raise_if(number < 0 or number > 255, "ValueError", "byte must be in range(0, 256)")
    return numpy.uint8(number)


@register_jitable
def _collected(numbers):
    made, at = numpy.empty(len(numbers), numpy.uint8), 0
    for number in numbers:
        made[at] = _byte(number)
        at += 1
    return made


def _array_of(ty):
    """What makes an array of the bytes of a value, which may be over its memory; None if it has none."""
    if isinstance(unliteral(ty), CharSeq):
        return register_jitable(lambda value: numpy.frombuffer(bytes(value), numpy.uint8))
    if isinstance(ty, (Bytes, ByteArray)):
        return _items
    if isinstance(ty, Array) and ty.ndim == 1 and ty.dtype == numpy.uint8:
        return register_jitable(lambda value: value)
    is_row = isinstance(ty, (List, ListType)) and isinstance(ty.dtype, (Integer, Boolean)) or isinstance(ty, RangeType)
    if is_row or isinstance(ty, BaseTuple) and all(isinstance(unliteral(item), (Integer, Boolean)) for item in ty):
        return _collected
    return None


@library("builtins.bytearray")
def made(source=b"", encoding=None):
    if not isinstance(encoding, Omitted) and encoding is not None:
        if isinstance(unliteral(source), UnicodeType):
            return lambda source=b"", encoding=None: _copied(source.encode(encoding))
        return None
    if isinstance(unliteral(source), UnicodeType):
        raise TypingError("string argument without an encoding")
    if source == b"" or isinstance(source, Omitted):
        return lambda source=b"", encoding=None: array_bytearray(numpy.zeros(0, numpy.uint8))
    if isinstance(unliteral(source), (Integer, Boolean)):
        def zeros(source=b"", encoding=None):
            raise_if(source < 0, "ValueError", "negative count")
            return array_bytearray(numpy.zeros(source, numpy.uint8))
        return zeros
    items = _array_of(source)
    if items is not None:
        return lambda source=b"", encoding=None: array_bytearray(items(source).copy())


@library("builtins.bytearray.__getitem__")
def getitem(self, index):
    if isinstance(index, SliceType):
        return lambda self, index: array_bytearray(_items(self)[index].copy())


@library("builtins.bytearray.__setitem__")
def setitem(self, index, value):
    if not isinstance(index, SliceType):
        return None
    items = _array_of(value)
    if items is None:
        raise TypingError("can assign only bytes, buffers, or iterables of ints in range(0, 256)")

    def put(self, index, value):
        target, new = _items(self)[index], items(value)
        if target.size != new.size:
            raise BufferError(_FIXED)
        target[:] = new.copy() if _overlap(_items(self), new) else new
    return put


@register_jitable
def _overlap(one, other):
    """Whether vectors, the first of which is contiguous, may share memory."""
    first, begin, room = array_address(one), array_address(other), (other.size - 1) * other.strides[0]
    return min(begin, begin + room) < first + one.size and first <= max(begin, begin + room)


@library("builtins.bytearray.__add__")
def add(self, other):
    if _is_bytes(other):
        items = _array_of(other)
        return lambda self, other: array_bytearray(numpy.concatenate((_items(self), items(other))))


@library("builtins.bytearray.__radd__")
def radd(other, self):
    if isinstance(unliteral(other), (Bytes, CharSeq)):
        return lambda other, self: bytes(other) + bytes(self)


@library("builtins.bytearray.__mul__")
def mul(self, n):
    if isinstance(unliteral(n), (Integer, Boolean)):
        return lambda self, n: array_bytearray(_repeated(_items(self), n))


@library("builtins.bytearray.__rmul__")
def rmul(n, self):
    if isinstance(unliteral(n), (Integer, Boolean)):
        return lambda n, self: array_bytearray(_repeated(_items(self), n))


@register_jitable
def _repeated(items, count):
    made = numpy.empty(items.size * max(count, 0), numpy.uint8)
    if items.size == 1:
        made[:] = items[0]
        return made
    for at in range(0, made.size, max(items.size, 1)):
        made[at:at + items.size] = items
    return made


# It is changed in place in Python, which other names for it see.

@library("builtins.bytearray.__iadd__")
def iadd(self, other):
    items = _array_of(other)
    if items is None:
        return None

    def longer(self, other):
        if items(other).size:
            raise BufferError(_FIXED)
        return self
    return longer


@library("builtins.bytearray.__imul__")
def imul(self, n):
    if not isinstance(unliteral(n), (Integer, Boolean)):
        return None

    def longer(self, n):
        if n != 1 and len(self):
            raise BufferError(_FIXED)
        return self
    return longer


@library("builtins.bytearray.__contains__")
def contains(self, item):
    if _is_bytes(item):
        return lambda self, item: _same_bytes(self).find(bytes(item)) >= 0


def _register_comparison(name, written):
    @library(f"builtins.bytearray.__{name}__")
    def compared(self, other):
        return written if _is_bytes(other) else None


_register_comparison("eq", lambda self, other: _plain(self) == _plain(other))
_register_comparison("ne", lambda self, other: _plain(self) != _plain(other))
_register_comparison("lt", lambda self, other: _plain(self) < _plain(other))
_register_comparison("le", lambda self, other: _plain(self) <= _plain(other))
_register_comparison("gt", lambda self, other: _plain(self) > _plain(other))
_register_comparison("ge", lambda self, other: _plain(self) >= _plain(other))


@library("builtins.bytearray.reverse")
def reverse(self):
    def reversed_in_place(self):
        items = _items(self)
        items[:] = items[::-1].copy()
    return reversed_in_place


@library("builtins.bytearray.copy")
def copy(self):
    return lambda self: _copied(self)


def _register_method(name, scope):
    takes = "_same_bytes" if name in _OTHERS else "_plain"
    gives = "" if name in _OTHERS else "_copied"
    method = source_text.function(f"{name}(self, *args)", [f"return {gives}({takes}(self).{name}(*args))"], scope)

    @library(f"builtins.bytearray.{name}")
    def of_bytes(self, *args):
        return method


def _register_refusal(name):
    @library(f"builtins.bytearray.{name}")
    def refused(self, *args):
        raise TypingError(_LENGTH)


for _name in (*_OTHERS, *_BYTES):
    _register_method(_name, {"_same_bytes": _same_bytes, "_plain": _plain, "_copied": _copied})
for _name in _CHANGES:
    _register_refusal(_name)
