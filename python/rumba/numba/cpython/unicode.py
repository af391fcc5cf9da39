"""`numba.cpython.unicode`: code points of strings, and what code generators ask of constant strings. The rest is Numba's own memory layout, which Rumba has another of."""
import sys

from ...extending import register_jitable
from ...intrinsics import string_new, string_write
from .._missing import missing

__getattr__ = missing(__name__)

# The largest code point.
_MAX_UNICODE = sys.maxunicode
_CODECS = {1: "latin-1", 2: "utf-16-le", 4: "utf-32-le"}


def compile_time_get_string_data(obj):
    """Of a str: its characters as zero-terminated bytes, their number, the bytes per character, whether it is ASCII, its hash."""
    widest = max(map(ord, obj), default=0)
    width = 1 if widest < 1 << 8 else 2 if widest < 1 << 16 else 4
    return obj.encode(_CODECS[width], "surrogatepass") + bytes(width), len(obj), width, int(obj.isascii()), hash(obj)


@register_jitable
def _get_code_point(a, i):
    """The code point of a string's character."""
    return ord(a[i])


@register_jitable
def _codepoint_to_kind(cp):
    """The bytes that a character takes in the narrowest string that can hold it."""
    if cp > _MAX_UNICODE:
        raise ValueError("Invalid codepoint. Found value greater than Unicode maximum")
    return 1 if cp < 256 else 2 if cp < 65536 else 4


@register_jitable
def _empty_string(kind, length, is_ascii=0):
    """A new string with this many bytes per character, which `_set_code_point` fills. Nobody else may have it before it is filled."""
    return string_new(kind, length)


@register_jitable
def _set_code_point(a, i, ch):
    """Writes a character of a string that `_empty_string` made."""
    string_write(a, i, ch)
