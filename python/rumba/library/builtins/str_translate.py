"""`str.maketrans` and `str.translate`."""
from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...typed import Dict
from ...types import DictType, Integer, NoneType, Optional, UnicodeType, int64, unliteral
from .. import library
from .._predicates import is_absent

_LONE_KEY = "string keys in translate table must be of length 1"
_LENGTHS = "the first two maketrans arguments must have equal length"
_MAYBE_CHARACTER = Optional(int64)


def _is_text(*types):
    return all(isinstance(unliteral(ty), UnicodeType) for ty in types)


@library("builtins.str.maketrans", effects=Effects(returns=("items of x",)))
def maketrans(x, y=None, z=None, /):
    if is_absent(y):
        return _of_dict(x) if isinstance(x, DictType) else None
    if not _is_text(x, y):
        return None
    if is_absent(z):
        return _of_texts
    return _of_texts_and_removed if _is_text(z) else None


@register_jitable
def _fill(table, x, y):
    if len(x) != len(y):
        raise ValueError(_LENGTHS)
    for at in range(len(x)):
        table[ord(x[at])] = ord(y[at])


def _of_texts(x, y=None, z=None, /):
    table = Dict.empty(int64, int64)
    _fill(table, x, y)
    return table


def _of_texts_and_removed(x, y=None, z=None, /):
    table = Dict.empty(int64, _MAYBE_CHARACTER)
    _fill(table, x, y)
    for character in z:
        table[ord(character)] = None
    return table


def _of_dict(x):
    """A dict whose keys are characters or their numbers."""
    value = x.value_type
    if isinstance(x.key_type, UnicodeType):
        @register_jitable
        def number(key):
            if len(key) != 1:
                raise ValueError(_LONE_KEY)
            return ord(key)
    elif isinstance(x.key_type, Integer):
        number = register_jitable(lambda key: int64(key))
    else:
        raise TypingError("keys in translate table must be strings or integers")

    def make(x, y=None, z=None, /):
        table = Dict.empty(int64, value)
        for key, item in x.items():
            table[number(key)] = item
        return table
    return make


@library("builtins.str.translate")
def translate(self, table, /):
    if not isinstance(table, DictType) or not isinstance(table.key_type, Integer):
        return None
    text = _text_of(table.value_type)
    if text is None:
        raise TypingError("character mapping must return integer, None or str")

    def replace(self, table, /):
        parts = [""] * len(self)
        for at in range(len(self)):
            number = ord(self[at])
            parts[at] = text(table[number]) if number in table else self[at]
        return "".join(parts)
    return replace


def _text_of(value):
    """What gives the text that a value of a table stands for; None for values of other types."""
    if isinstance(value, Optional):
        inner = _text_of(value.type)
        return inner and register_jitable(lambda value: "" if value is None else inner(value))
    if isinstance(value, NoneType):
        return register_jitable(lambda value: "")
    if isinstance(value, UnicodeType):
        return register_jitable(lambda value: value)
    return _character if isinstance(value, Integer) else None


@register_jitable
def _character(number):
    if number < 0 or number > 0x10FFFF:
        raise ValueError("character mapping must be in range(0x110000)")
    return chr(number)
