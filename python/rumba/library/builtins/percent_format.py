"""`format % values` where the values are one container. (Numbers, strings and tuples the compiler has itself.)"""
from ...extending import register_jitable
from ...types import DictType, Set, UnicodeType, unliteral
from .. import library
from .._predicates import is_list


@library("builtins.str.__mod__")
def mod(self, values, /):
    if isinstance(values, DictType):
        return _mod_of_named if isinstance(unliteral(values.key_type), UnicodeType) else _mod_of_mapping
    if is_list(values):
        return _mod_of_list
    return _mod_of_set if isinstance(values, Set) else None


@register_jitable
def _end_of_flags(text, at):
    """Where flags, width and precision of a conversion end."""
    while at < len(text) and text[at] in "#0- +.123456789hlL":
        at += 1
    if at == len(text):
        raise ValueError("incomplete format")
    return at


@register_jitable
def _refuse(letter, kind):
    """What Python says of a conversion that makes no text."""
    if letter == "(":
        if kind == "list":
            raise TypeError("list indices must be integers or slices, not str")
        raise TypeError("format requires a mapping")
    if letter in "diu":
        raise TypeError(f"%{letter} format: a real number is required, not {kind}")
    if letter in "oxX":
        raise TypeError(f"%{letter} format: an integer is required, not {kind}")
    if letter in "eEfFgG":
        raise TypeError(f"must be real number, not {kind}")
    if letter == "c":
        raise TypeError("%c requires int or char")
    # Python says what it thinks of any other.
    return ("%" + letter) % (0,)


@register_jitable
def _converted(text, begin, end, values, kind):
    """One conversion of a container, whose text is that of `str` and `repr` alike."""
    if text[end] not in "sra":
        return _refuse(text[end], kind)
    return ("%" + text[begin:end] + "s") % (str(values),)


@register_jitable
def _made_of(self, values, kind):
    """The text, and how many conversions there were."""
    made, count, at = "", 0, 0
    while at < len(self):
        if self[at] != "%":
            made += self[at]
        elif self[at:at + 2] == "%%":
            made += "%"
            at += 1
        else:
            end = _end_of_flags(self, at + 1)
            if count > 0:
                raise TypeError("not enough arguments for format string")
            made += _converted(self, at + 1, end, values, kind)
            at = end
            count += 1
        at += 1
    return made, count


def _mod_of_list(self, values, /):
    # To Python a list is a mapping, and one that nothing asks for is no value too many.
    return _made_of(self, values, "list")[0]


def _mod_of_mapping(self, values, /):
    return _made_of(self, values, "dict")[0]


def _mod_of_set(self, values, /):
    made, count = _made_of(self, values, "set")
    if count == 0:
        raise TypeError("not all arguments converted during string formatting")
    return made


def _mod_of_named(self, values, /):
    made, at, is_used = "", 0, False
    while at < len(self):
        if self[at] != "%":
            made += self[at]
        elif self[at:at + 2] == "%%":
            made += "%"
            at += 1
        elif self[at:at + 2] == "%(":
            close = self.find(")", at)
            if close < 0:
                raise ValueError("incomplete format key")
            end = _end_of_flags(self, close + 1)
            made += ("%" + self[close + 1:end + 1]) % values[self[at + 2:close]]
            at, is_used = end, True
        else:
            end = _end_of_flags(self, at + 1)
            if is_used:
                raise TypeError("not enough arguments for format string")
            made += _converted(self, at + 1, end, values, "dict")
            at, is_used = end, True
        at += 1
    return made
