"""What overload functions of the library ask of types."""
import re

from ..errors import TypingError
from ..types import BaseTuple, NamedUniTuple, NoneType, Omitted, UniTuple


def length(ty):
    """How many items a tuple has, or the list that `sorted` or a starred name gives; None for other types."""
    if isinstance(ty, BaseTuple):
        return len(ty)
    items = re.fullmatch(r"list\(.* x (\d+)\)", str(ty))
    return int(items.group(1)) if items else None


def is_uniform(ty):
    """Whether a type is a tuple of one or more items of one type, or such a list."""
    return bool(length(ty)) and (isinstance(ty, (UniTuple, NamedUniTuple)) or not isinstance(ty, BaseTuple))


def check_uniform(ty, function):
    """Refuses what is no tuple of one or more items of one type."""
    if length(ty) == 0:
        raise TypingError(f"{function} of an empty tuple")
    if not is_uniform(ty):
        raise TypingError(f"{function} takes a tuple whose items are of one type")


def is_absent(ty):
    """Whether an argument is None or was left out: overload functions get its type, or its default."""
    return ty is None or isinstance(ty, (NoneType, Omitted))
