"""`typed.Dict`: a dict of compiled code."""
from collections.abc import Iterable, Mapping, MutableMapping

from .. import _rumba
from ..decorators import jit_is_disabled, njit
from ..errors import TypingError
from ..types import DictType, List, Set, typeof
from .cast_warnings import sentry_safe_cast


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

    def _settle(self, key, value):
        if not self._typed:
            self._adopt(Dict.empty(typeof(key), typeof(value)))

    def __getitem__(self, key):
        if not self._typed:
            raise KeyError(key)
        return _get(self, key)

    def __setitem__(self, key, value):
        self._settle(key, value)
        _set(self, key, value)

    def __delitem__(self, key):
        if not self._typed:
            raise KeyError(key)
        _delete(self, key)

    def __contains__(self, key):
        return self._typed and _contains(self, key)

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
        if not self._typed or not _contains(self, key):
            return default
        return _get(self, key)

    def setdefault(self, key, default=None):
        """The value of a key; inserts the default if the key is missing."""
        if default is None and not self._typed:
            raise TypeError("invalid operation on untyped dictionary")
        self._settle(key, default)
        return _set_default(self, key, default)

    def pop(self, key, *default):
        """Removes a key and returns its value, or the default."""
        if self._typed and (not default or _contains(self, key)):
            return _pop(self, key)
        if not default:
            raise KeyError(key)
        return default[0]

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
