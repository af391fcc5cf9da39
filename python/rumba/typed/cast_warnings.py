"""Warnings about lossy conversions of the typed containers."""
import warnings

from ..errors import NumbaTypeSafetyWarning, TypingError
from ..types import BaseTuple, Boolean, Complex, Conversion, Float, Integer, unliteral
from ..types.convert import conversion

# Where such a conversion may lose something, a program is warned: it may know better.
_MAY_LOSE = ((Integer, Integer), (Integer, Float), (Boolean, Integer), (Float, Float), (Complex, Complex))


def sentry_safe_cast(source, target):
    """Says what becomes of a value of type `source` that a container with items of type `target` gets: nothing if all its
    values fit; a NumbaTypeSafetyWarning if it may lose precision or its sign; a TypingError if it becomes no such item."""
    source, target = unliteral(source), unliteral(target)
    grade = conversion(source, target)
    if grade is not None and grade <= Conversion.safe:
        return
    if not _may_lose(source, target):
        raise TypingError(f"cannot safely cast {source} to {target}")
    warnings.warn(f"unsafe cast from {source} to {target}: the value may not fit", NumbaTypeSafetyWarning, stacklevel=3)


def _may_lose(source, target):
    if isinstance(source, BaseTuple) and isinstance(target, BaseTuple) and len(source) == len(target):
        return all(_may_lose(*pair) or conversion(*pair) is not None for pair in zip(source, target))
    return any(isinstance(source, given) and isinstance(target, kept) for given, kept in _MAY_LOSE)
