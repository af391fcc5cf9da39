"""`range` of other arguments than integers.

Floats whose values are integers count as these, as libraries write `range(np.ceil(a), np.floor(b))`. Others raise Python's TypeError, and so do all
arguments of types that cannot stand for an integer.
"""
from ... import source_text
from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Complex, Float, Integer, NoneType, Omitted, UnicodeType, unliteral
from .. import library

_CLASSES = ((Complex, "complex"), (NoneType, "NoneType"), (UnicodeType, "str"))


@register_jitable
def _exact(value):
    number = int(value)
    raise_if(number != value, "TypeError", "'float' object cannot be interpreted as an integer")
    return number


@library(range, strict=False)
def range_(start, stop=0, step=1, /):
    given = list(map(unliteral, (start, stop, step)))
    for ty in given:
        name = next((name for kind, name in _CLASSES if isinstance(ty, kind)), None)
        if name is not None:
            raise TypingError(f"'{name}' object cannot be interpreted as an integer")
    if not any(isinstance(ty, Float) for ty in given) or not all(isinstance(ty, (int, Integer, Boolean, Float, Omitted)) for ty in given):
        return None
    names = ("start", "stop", "step")
    count = 1 + max(at for at, ty in enumerate(given) if not isinstance(ty, (int, Omitted)))
    passed = ", ".join(f"exact({name})" if isinstance(ty, Float) else name for name, ty in zip(names[:count], given))
    return source_text.function("floats(start, stop=0, step=1, /)", [f"return range({passed})"], {"exact": _exact})
