"""Errors of `range` with arguments that are not integers."""
from ...errors import TypingError
from ...types import Boolean, Complex, Float, Integer, NoneType, Omitted, UnicodeType, unliteral
from .. import library

_CLASSES = ((Float, "float"), (Complex, "complex"), (NoneType, "NoneType"), (UnicodeType, "str"))


@library(range, strict=False)
def range_(start, stop=0, step=1, /):
    for ty in map(unliteral, (start, stop, step)):
        if not isinstance(ty, (int, Integer, Boolean, Omitted)):
            name = next((name for kind, name in _CLASSES if isinstance(ty, kind)), None)
            if name is not None:
                raise TypingError(f"'{name}' object cannot be interpreted as an integer")
    return None
