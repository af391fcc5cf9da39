"""`collections.namedtuple` in compiled code: classes whose names are known when the function compiles."""
import collections

from ...errors import TypingError
from ...types import BaseTuple
from .. import library
from ..numpy._axis import literal


def _names(ty):
    """The names of fields that a text or a tuple of texts tells."""
    known = literal(ty)
    if isinstance(known, str):
        return known
    if isinstance(ty, BaseTuple) and all(isinstance(literal(one), str) for one in ty):
        return tuple(map(literal, ty))
    return None


@library(collections.namedtuple, strict=False)
def namedtuple(typename, field_names):
    name, fields = literal(typename), _names(field_names)
    if not isinstance(name, str) or fields is None:
        raise TypingError("the names of a named tuple must be known when the function compiles: give those of its fields in a text or a tuple")
    made = collections.namedtuple(name, fields)
    return lambda typename, field_names: made
