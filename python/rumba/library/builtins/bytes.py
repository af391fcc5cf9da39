"""Methods of `bytes`, and of elements of arrays of bytes, that return lists or tuples of bytes, or join them."""
from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import BaseTuple, Boolean, Bytes, CharSeq, Integer, NoneType, Omitted, unliteral
from .. import library
from .._predicates import is_integer_or_bool, is_list


def _is_bytes(ty):
    return isinstance(ty, (Bytes, CharSeq))


def _is_absent(ty):
    return ty is None or isinstance(ty, (NoneType, Omitted))


@register_jitable
def _is_space(byte):
    return byte == 32 or 9 <= byte <= 13


@register_jitable
def _words(text, most):
    made, at, size = [], 0, len(text)
    while True:
        while at < size and _is_space(text[at]):
            at += 1
        if at == size:
            return made
        end = at
        if most >= 0 and len(made) == most:
            made.append(bytes(text[at:]))
            return made
        while end < size and not _is_space(text[end]):
            end += 1
        made.append(bytes(text[at:end]))
        at = end


@register_jitable
def _words_from_end(text, most):
    made, end = [], len(text)
    while True:
        while end > 0 and _is_space(text[end - 1]):
            end -= 1
        if end == 0:
            break
        at = end
        if most >= 0 and len(made) == most:
            made.append(bytes(text[:end]))
            break
        while at > 0 and not _is_space(text[at - 1]):
            at -= 1
        made.append(bytes(text[at:end]))
        end = at
    made.reverse()
    return made


@register_jitable
def _parts(text, sep, most):
    raise_if(len(sep) == 0, "ValueError", "empty separator")
    made, at = [], 0
    while most < 0 or len(made) < most:
        found = text.find(sep, at)
        if found < 0:
            break
        made.append(bytes(text[at:found]))
        at = found + len(sep)
    made.append(bytes(text[at:]))
    return made


@register_jitable
def _parts_from_end(text, sep, most):
    raise_if(len(sep) == 0, "ValueError", "empty separator")
    made, end = [], len(text)
    while most < 0 or len(made) < most:
        found = text.rfind(sep, 0, end)
        if found < 0:
            break
        made.append(bytes(text[found + len(sep):end]))
        end = found
    made.append(bytes(text[:end]))
    made.reverse()
    return made


def _splitter(name, words, parts):
    def split(self, sep=None, maxsplit=-1):
        if not is_integer_or_bool(maxsplit):
            return None
        if _is_absent(sep):
            return lambda self, sep=None, maxsplit=-1: words(bytes(self), maxsplit)
        if not _is_bytes(sep):
            raise TypingError(f"a bytes-like object is required, not '{unliteral(sep)}'")
        return lambda self, sep=None, maxsplit=-1: parts(bytes(self), bytes(sep), maxsplit)
    split.__name__ = name
    library(f"builtins.bytes.{name}")(split)


_splitter("split", _words, _parts)
_splitter("rsplit", _words_from_end, _parts_from_end)


@library("builtins.bytes.splitlines")
def splitlines(self, keepends=False):
    if isinstance(keepends, bool) or isinstance(unliteral(keepends), (Boolean, Integer)):
        return lambda self, keepends=False: _lines(bytes(self), keepends)


@register_jitable
def _lines(text, keepends):
    made, begin, at, size = [], 0, 0, len(text)
    while at < size:
        if text[at] != 10 and text[at] != 13:
            at += 1
            continue
        next_line = at + 2 if text[at] == 13 and at + 1 < size and text[at + 1] == 10 else at + 1
        made.append(bytes(text[begin:next_line if keepends else at]))
        begin = at = next_line
    if begin < size:
        made.append(bytes(text[begin:]))
    return made


@library("builtins.bytes.partition")
def partition(self, sep, /):
    if _is_bytes(sep):
        return lambda self, sep, /: _partition(bytes(self), bytes(sep))


@register_jitable
def _partition(text, sep):
    raise_if(len(sep) == 0, "ValueError", "empty separator")
    at = text.find(sep)
    if at < 0:
        return text, bytes(0), bytes(0)
    return bytes(text[:at]), sep, bytes(text[at + len(sep):])


@library("builtins.bytes.rpartition")
def rpartition(self, sep, /):
    if _is_bytes(sep):
        return lambda self, sep, /: _rpartition(bytes(self), bytes(sep))


@register_jitable
def _rpartition(text, sep):
    raise_if(len(sep) == 0, "ValueError", "empty separator")
    at = text.rfind(sep)
    if at < 0:
        return bytes(0), bytes(0), text
    return bytes(text[:at]), sep, bytes(text[at + len(sep):])


@library("builtins.bytes.join")
def join(self, iterable_of_bytes, /):
    ty = iterable_of_bytes
    if is_list(ty) and _is_bytes(ty.dtype) or isinstance(ty, BaseTuple) and all(map(_is_bytes, ty)):
        return lambda self, iterable_of_bytes, /: _joined(bytes(self), [bytes(one) for one in iterable_of_bytes])
    if is_list(ty):
        raise TypingError(f"sequence item 0: expected a bytes-like object, {ty.dtype} found")


@register_jitable
def _joined(separator, parts):
    made = bytes(0)
    for at in range(len(parts)):
        if at:
            made = made + separator
        made = made + parts[at]
    return made


@library("builtins.bytes.hex")
def hexadecimal(self):
    def text(self):
        made = ""
        for byte in bytes(self):
            made += "0123456789abcdef"[byte >> 4] + "0123456789abcdef"[byte & 15]
        return made
    return text
