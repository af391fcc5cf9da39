"""`copy.copy`, and `copy.deepcopy` of containers with immutable items."""
import copy

from ...extending.effects import Effects
from ...errors import TypingError
from ...types import (
    BaseTuple, Boolean, Bytes, DictType, EnumMember, NoneType, NPDatetime, NPTimedelta, Number, Set, UnicodeType, unliteral)
from .. import library
from .._predicates import is_array
from ..builtins.list import is_list


def _never_changes(ty):
    if isinstance(ty, BaseTuple):
        return all(_never_changes(one) for one in ty)
    return isinstance(unliteral(ty), (Boolean, Bytes, EnumMember, NoneType, NPDatetime, NPTimedelta, Number, UnicodeType))


@library(copy.copy, effects=Effects(returns=("x", "items of x")))
def shallow(x):
    if is_list(x) or is_array(x) or isinstance(x, (DictType, Set)):
        return lambda x: x.copy()
    if isinstance(x, BaseTuple) or _never_changes(x):
        return lambda x: x


@library(copy.deepcopy)
def deep(x):
    if _never_changes(x):
        return lambda x: x
    held = [x.dtype] if is_list(x) or isinstance(x, Set) else [x.key_type, x.value_type] if isinstance(x, DictType) else None
    if is_array(x) or held and all(_never_changes(one) for one in held):
        return lambda x: x.copy()
    raise TypingError("deepcopy copies arrays, and lists, dicts and sets of values that cannot change: containers inside of others "
                      "may be one and the same, which a copy would have to keep")
