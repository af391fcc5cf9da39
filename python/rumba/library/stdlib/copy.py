"""`copy.copy` and `copy.deepcopy`.

A deep copy keeps which containers and arrays are one and the same: for each type there is a dict from the identity of what was
copied to its copy.
"""
import copy

from ...errors import TypingError
from ...extending import register_jitable
from ...extending.effects import Effects
from ...intrinsics import array_address
from ...typed import Dict, List
from ...types import (
    BaseTuple, Boolean, Bytes, DequeType, DictType, EnumMember, FrozenSetType, ListType, NamedTuple, NamedUniTuple, NoneType, NPDatetime,
    NPTimedelta, Number, Optional, Set, Tuple, UnicodeType, int64, unliteral)
from ...types.names import _undef_var
from .. import library
from .._predicates import is_array, is_list


def _never_changes(ty):
    if isinstance(ty, BaseTuple):
        return all(_never_changes(one) for one in ty)
    if isinstance(ty, FrozenSetType):
        return _never_changes(ty.dtype)
    if isinstance(ty, Optional):
        return _never_changes(ty.type)
    # Of an empty container that nothing is put into, no item is ever copied.
    return ty is _undef_var or isinstance(unliteral(ty), (Boolean, Bytes, EnumMember, NoneType, NPDatetime, NPTimedelta, Number, UnicodeType))


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
    kinds = []
    _find_kinds(x, kinds)
    copied, memos = _copier(x, kinds), _memos(kinds)
    return lambda x: copied(x, memos())


def _parts(ty):
    """The types of what a container holds; None for what is copied as a whole, or not at all."""
    if isinstance(ty, BaseTuple) and not isinstance(ty, (NamedTuple, NamedUniTuple)):
        return list(ty)
    if is_list(ty) or isinstance(ty, DequeType):
        return [ty.dtype]
    if isinstance(ty, DictType):
        return [ty.value_type]
    return None


def _find_kinds(ty, kinds):
    """The types of all that has an identity."""
    if _never_changes(ty) or ty in kinds:
        return
    parts = _parts(ty)
    if parts is None and not is_array(ty) and not isinstance(ty, Set):
        raise TypingError(f"deepcopy copies arrays, tuples, lists, deques, dicts and sets of values that it can copy, and not {ty}")
    if not isinstance(ty, BaseTuple):
        kinds.append(ty)
    for part in parts or ():
        _find_kinds(part, kinds)


def _memos(kinds):
    """What makes the dicts, one for each type."""
    if not kinds:
        return register_jitable(lambda: ())
    rest, kind = _memos(kinds[1:]), kinds[0]
    # Arrays at one address may be several: the copies of all of them are listed.
    held = ListType(Tuple((kind, kind))) if is_array(kind) else kind
    return register_jitable(lambda: (Dict.empty(int64, held), *rest()))


def _copier(ty, kinds):
    """What copies a value of a type, given the dicts."""
    if _never_changes(ty):
        return register_jitable(lambda x, memos: x)
    if isinstance(ty, BaseTuple):
        return _copier_of_tuple([_copier(one, kinds) for one in ty], 0)
    memo = register_jitable(_memo_at(kinds.index(ty)))
    if is_array(ty):
        return _copier_of_array(memo)
    if isinstance(ty, Set):
        fill = register_jitable(lambda made, x, memos: made.update(x))
    elif isinstance(ty, DictType):
        inner = _copier(ty.value_type, kinds)

        @register_jitable
        def fill(made, x, memos):
            for key, value in x.items():
                made[key] = inner(value, memos)
    else:
        inner = _copier(ty.dtype, kinds)

        @register_jitable
        def fill(made, x, memos):
            for item in x:
                made.append(inner(item, memos))
    empty = _empty_of(ty)

    @register_jitable
    def copied(x, memos):
        known = memo(memos)
        at = id(x)
        if at in known:
            return known[at]
        made = empty(x)
        known[at] = made
        fill(made, x, memos)
        return made
    return copied


def _memo_at(position):
    return lambda memos: memos[position]


def _empty_of(ty):
    if is_list(ty):
        return register_jitable(lambda x: x[:0])

    @register_jitable
    def cleared(x):
        made = x.copy()
        made.clear()
        return made
    return cleared


def _copier_of_tuple(parts, at):
    if at == len(parts):
        return register_jitable(lambda x, memos: ())
    first, rest = parts[at], _copier_of_tuple(parts, at + 1)
    return register_jitable(lambda x, memos: (first(x[at], memos), *rest(x, memos)))


def _copier_of_array(memo):
    @register_jitable
    def copied(x, memos):
        known = memo(memos)
        at = array_address(x)
        if at in known:
            for pair in known[at]:
                if pair[0] is x:
                    return pair[1]
        made = x.copy()
        if at in known:
            known[at].append((x, made))
        else:
            known[at] = List([(x, made)])
        return made
    return copied
