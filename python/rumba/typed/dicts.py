"""`typed.Dict`: a dict of compiled code."""
from collections.abc import Iterable, Mapping, MutableMapping

import numpy

from .. import _rumba
from ..decorators import jit_is_disabled, njit
from ..errors import TypingError
from ..types import CharSeq, DictType, List, Set, UnicodeCharSeq, typeof
from .cast_warnings import sentry_safe_cast

# Text of fixed width as a key: Python's class, which it comes back as, and NumPy's, which compiled code tells from that.
_TEXT = {CharSeq: (bytes, numpy.bytes_), UnicodeCharSeq: (str, numpy.str_)}


@njit
def _get(d, key):
    return d[key]


@njit
def _set(d, key, value):
    d[key] = value


@njit
def _delete(d, key):
    del d[key]


@njit
def _contains(d, key):
    return key in d


@njit
def _length(d):
    return len(d)


@njit
def _get_or_none(d, key):
    return d.get(key)


@njit
def _pop(d, key):
    return d.pop(key)


@njit
def _pop_item(d):
    return d.popitem()


@njit
def _set_default(d, key, default):
    return d.setdefault(key, default)


@njit
def _update(d, other):
    d.update(other)


@njit
def _clear(d):
    d.clear()


@njit
def _copy(d):
    return d.copy()


@njit
def _equal(a, b):
    return a == b


@njit
def _keys(d):
    return [key for key in d]


@njit
def _values(d):
    return [value for value in d.values()]


@njit
def _items(d):
    return [item for item in d.items()]


class Dict(_rumba.Container, MutableMapping):
    """A dict with one key type and one value type, shared with compiled code. It keeps insertion order."""

    def __new__(cls, *items, **more):
        if len(items) > 1:
            raise TypingError(f"Dict expect at most 1 argument, got {len(items)}")
        if items and not isinstance(items[0], Iterable):
            raise TypingError(f"Dict argument must be iterable: '{type(items[0]).__name__}' object is not iterable")
        return dict(*items, **more) if jit_is_disabled() else _rumba.Container.__new__(cls)

    def __init__(self, items=(), **more):
        for mapping in (items, more):
            pairs = mapping.items() if isinstance(mapping, Mapping) else mapping
            for number, pair in enumerate(pairs):
                if len(pair) != 2:
                    raise ValueError(f"dictionary update sequence element #{number} has length {len(pair)}; 2 is required")
                self[pair[0]] = pair[1]

    @classmethod
    def empty(cls, key_type, value_type, n_keys=0):
        """An empty dict of these types with the given capacity."""
        if jit_is_disabled():
            return {}
        for kind, part in (("key", key_type), ("value", value_type)):
            if isinstance(part, (List, Set)):
                raise TypingError(f"{part} as {kind} is forbidden")
        return _rumba.types.container(cls, DictType(key_type, value_type), n_keys)

    @property
    def _numba_type_(self):
        if not self._typed:
            raise TypeError("invalid operation on untyped dictionary")
        return _rumba.types.type_of(self)

    @property
    def _dict_type(self):
        return self._numba_type_

    def _of_fixed_width(self, key):
        """A key that has just been refused, as text of fixed width; KeyError if it is longer than the keys are."""
        given, text = _TEXT.get(type(self._dict_type.key_type), (None, None))
        if given is None or not isinstance(key, given):
            raise
        if len(key) > self._dict_type.key_type.count:
            raise KeyError(key)
        return text(key)

    def _settle(self, key, value):
        if not self._typed:
            self._adopt(Dict.empty(typeof(key), typeof(value)))

    def __getitem__(self, key):
        if not self._typed:
            raise KeyError(key)
        try:
            return _get(self, key)
        except TypingError:
            return _get(self, self._of_fixed_width(key))

    def __setitem__(self, key, value):
        self._settle(key, value)
        try:
            _set(self, key, value)
        except TypingError:
            _set(self, self._of_fixed_width(key), value)

    def __delitem__(self, key):
        if not self._typed:
            raise KeyError(key)
        try:
            _delete(self, key)
        except TypingError:
            _delete(self, self._of_fixed_width(key))

    def __contains__(self, key):
        try:
            return self._typed and _contains(self, key)
        except TypingError:
            try:
                return _contains(self, self._of_fixed_width(key))
            except KeyError:
                return False

    def __len__(self):
        return _length(self) if self._typed else 0

    def __iter__(self):
        return self._each(_keys)

    def _each(self, read):
        if not self._typed:
            return
        length = len(self)
        for item in read(self):
            yield item
            if len(self) != length:
                raise RuntimeError("dictionary changed size during iteration")

    def __eq__(self, other):
        if isinstance(other, Dict) and self._typed and other._typed:
            return self is other or _equal(self, other)
        return Mapping.__eq__(self, other)

    __hash__ = None

    def get(self, key, default=None):
        """The value of a key, or the default."""
        return self[key] if key in self else default

    def setdefault(self, key, default=None):
        """The value of a key; inserts the default if the key is missing."""
        if default is None and not self._typed:
            raise TypeError("invalid operation on untyped dictionary")
        self._settle(key, default)
        try:
            return _set_default(self, key, default)
        except TypingError:
            return _set_default(self, self._of_fixed_width(key), default)

    def pop(self, key, *default):
        """Removes a key and returns its value, or the default."""
        if default and key not in self:
            return default[0]
        if not self._typed:
            raise KeyError(key)
        try:
            return _pop(self, key)
        except TypingError:
            return _pop(self, self._of_fixed_width(key))

    def popitem(self):
        """Removes and returns the last inserted item."""
        if not self._typed:
            raise KeyError("dictionary is empty")
        return _pop_item(self)

    def update(self, other=(), /, **more):
        """Inserts the items of a mapping, or pairs."""
        if isinstance(other, Dict) and self._typed and other._typed:
            given, kept = other._dict_type, self._dict_type
            sentry_safe_cast(given.key_type, kept.key_type)
            sentry_safe_cast(given.value_type, kept.value_type)
            _update(self, other)
        else:
            MutableMapping.update(self, other)
        for key, value in more.items():
            self[key] = value

    def clear(self):
        """Removes all items."""
        if self._typed:
            _clear(self)

    def copy(self):
        """A shallow copy."""
        return _copy(self) if self._typed else Dict()

    def __str__(self):
        return "{" + ", ".join(f"{key}: {value}" for key, value in self._each(_items)) + "}"

    def __repr__(self):
        shown = str(self._dict_type) if self._typed else "DictType[undefined,undefined]"
        return f"{shown}({self})"

    def __reduce__(self):
        if not self._typed:
            return Dict, ()
        kind = self._dict_type
        return _rebuilt, (kind.key_type, kind.value_type, list(self._each(_items)))


def new_dict(key_type, value_type, n_keys=0):
    """`Dict.empty` as a function."""
    return Dict.empty(key_type, value_type, n_keys)


def _rebuilt(key_type, value_type, items):
    made = Dict.empty(key_type, value_type, len(items))
    for key, value in items:
        made[key] = value
    return made
