"""Tuples; lists, sets and dictionaries as far as signatures name them."""
from .base import (
    ConstSized,
    Container,
    Hashable,
    IterableType,
    MutableSequence,
    Sequence,
    SimpleIteratorType,
    Type,
)
from .scalars import literal, unliteral


class BaseTuple(ConstSized, Hashable):
    """All tuples; `types` are the types of the elements."""

    @classmethod
    def from_types(cls, tys, pyclass=None):
        """The tuple type of these elements; a named tuple if its class is given."""
        tys = tuple(tys)
        if pyclass is not None and hasattr(pyclass, "_fields"):
            if tys and all(ty == tys[0] for ty in tys):
                return NamedUniTuple(tys[0], len(tys), pyclass)
            return NamedTuple(tys, pyclass)
        return Tuple(tys)

    def __iter__(self):
        return iter(self.types)

    def __len__(self):
        return len(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def _parts(self):
        return "tuple", self.types

    def __unliteral__(self):
        types = tuple(unliteral(ty) for ty in self.types)
        return self if types == self.types else Tuple(types)


class BaseAnonymousTuple(BaseTuple):
    """Tuples without names."""


class BaseNamedTuple(BaseTuple):
    """Tuples with names; `instance_class` is the Python class, `fields` are the names."""

    def _parts(self):
        return "namedtuple", self.instance_class, self.types

    def __unliteral__(self):
        types = tuple(unliteral(ty) for ty in self.types)
        return self if types == self.types else BaseTuple.from_types(types, self.instance_class)


class LiteralStrKeyDict(Type):
    """A dict whose keys are known when the function compiles, as `**kwargs` and displays whose values have no common type:
    `fields` are the keys, `types` those of the values. `literal_value` has the literal types of the keys as keys.

    >>> from rumba import types
    >>> types.LiteralStrKeyDict({types.literal("a"): types.int64, types.literal("b"): types.unicode_type})
    Keywords(a: int64, b: unicode_type)
    """

    def __init__(self, literal_value):
        self.literal_value = dict(literal_value)
        self.fields = tuple(key.literal_value for key in self.literal_value)
        self.types = tuple(self.literal_value.values())
        self.count = len(self.types)
        parts = ", ".join(f"{name}: {ty}" for name, ty in zip(self.fields, self.types))
        super().__init__(f"Keywords({parts})")

    @classmethod
    def from_fields(cls, names, types):
        """The type of a dict with these keys, and these types of values."""
        return cls(zip(map(literal, names), types))

    @property
    def key(self):
        """What tells one from another: the order of the names, too."""
        return self.fields, self.types

    def _parts(self):
        return "keywords", self.fields, self.types

    def __unliteral__(self):
        return self.from_fields(self.fields, map(unliteral, self.types))


class LiteralList(ConstSized, IterableType):
    """A list that never changes, which is held as the tuple of its items: a display that is only passed to calls, the list that
    a starred name or `sorted` of a tuple gives. `types` are those of the items, `dtype` is the one that all have, or None;
    `literal_value` is a list of `types`.

    >>> from rumba import types
    >>> types.LiteralList([types.int64, types.unicode_type])
    list(int64, unicode_type)
    """

    def __init__(self, literal_value):
        self.types = tuple(literal_value)
        self.count = len(self.types)
        plain = set(map(unliteral, self.types))
        self.dtype = plain.pop() if len(plain) == 1 else None
        shown = f"{self.dtype} x {self.count}" if self.dtype is not None else ", ".join(map(str, self.types))
        super().__init__(f"list({shown})")

    @property
    def literal_value(self):
        """The types of the items."""
        return list(self.types)

    @property
    def key(self):
        return self.types

    @property
    def iterator_type(self):
        return Tuple(self.types).iterator_type

    def __len__(self):
        return self.count

    def __iter__(self):
        return iter(self.types)

    def __getitem__(self, index):
        return self.types[index]

    def _parts(self):
        return "fixed list", self.types

    def __unliteral__(self):
        return LiteralList(map(unliteral, self.types))


class View(IterableType):
    """What sees a container or an array in another way; `parent` is the type of that."""

    shown = ""

    def __init__(self, parent):
        self.parent = parent
        super().__init__(f"{self.shown}({parent})")

    @property
    def key(self):
        return self.parent

    def _parts(self):
        return "view", self.parent, self.shown


class DictKeysIterableType(View):
    """The keys of a dict."""

    shown = "dict_keys"


class DictValuesIterableType(View):
    """The values of a dict."""

    shown = "dict_values"


class DictItemsIterableType(View):
    """The items of a dict."""

    shown = "dict_items"


class NumpyFlatType(View):
    """The items of an array in the order of its places."""

    shown = "array.flat"


class _Homogeneous:
    """`count` elements of type `dtype`."""

    @property
    def types(self):
        return (self.dtype,) * self.count

    @property
    def iterator_type(self):
        return UniTupleIter(self)


class UniTuple(_Homogeneous, BaseAnonymousTuple, Sequence):
    """A tuple whose elements have one type."""

    def __init__(self, dtype, count):
        self.dtype, self.count = dtype, count
        super().__init__(f"{type(self).__name__}({dtype} x {count})")

    def __repr__(self):
        return f"UniTuple({self.dtype!r}, {self.count})"

    __str__ = Type.__str__

    @property
    def key(self):
        return self.dtype, self.count


class Tuple(BaseAnonymousTuple):
    """A tuple whose elements have types of their own. If they are all one type, a UniTuple."""

    def __new__(cls, types):
        types = _checked(types)
        if cls is Tuple and types and all(ty == types[0] for ty in types):
            return UniTuple(types[0], len(types))
        return object.__new__(cls)

    def __init__(self, types):
        self.types = _checked(types)
        self.count = len(self.types)
        super().__init__(f"{type(self).__name__}({', '.join(str(ty) for ty in self.types)})")

    def __repr__(self):
        return f"Tuple({tuple(self.types)!r})"

    __str__ = Type.__str__

    @property
    def key(self):
        return self.types

    @property
    def iterator_type(self):
        from .names import _undef_var

        if self.types:
            raise AttributeError("the elements have no type in common")
        return UniTupleIter(self, _undef_var)


def _checked(types):
    # A type has items, too (`int32[:]`), so it is not enough to try.
    if not hasattr(types, "__iter__"):
        from ..errors import TypingError

        raise TypingError(f"Argument 'types' is not iterable: {types!r}")
    types = tuple(types)
    for ty in types:
        if not isinstance(ty, Type):
            raise TypeError(f"a tuple type is made of types, not of {ty!r}")
    return types


class StarArgTuple(Tuple):
    """The `*args` of a function."""

    def __new__(cls, types):
        types = _checked(types)
        if types and all(ty == types[0] for ty in types):
            return StarArgUniTuple(types[0], len(types))
        return object.__new__(cls)


class StarArgUniTuple(UniTuple):
    """The `*args` of a function, all of one type."""


class NamedTuple(BaseNamedTuple):
    """A named tuple."""

    def __init__(self, types, cls):
        self.types = _checked(types)
        self.count = len(self.types)
        self.fields = tuple(cls._fields)
        self.instance_class = cls
        super().__init__(f"{cls.__name__}({', '.join(str(ty) for ty in self.types)})")

    @property
    def key(self):
        return self.instance_class, self.types


class NamedUniTuple(_Homogeneous, BaseNamedTuple):
    """A named tuple whose elements have one type."""

    def __init__(self, dtype, count, cls):
        self.dtype, self.count = dtype, count
        self.fields = tuple(cls._fields)
        self.instance_class = cls
        super().__init__(f"{cls.__name__}({dtype} x {count})")

    @property
    def key(self):
        return self.instance_class, self.dtype, self.count


class BaseContainerIterator(SimpleIteratorType):
    """An iterator over a container."""

    def __init__(self, container, yield_type=None):
        self.container = container
        super().__init__(f"iter({container})", container.dtype if yield_type is None else yield_type)

    @property
    def key(self):
        return self.container

    def _parts(self):
        return "iterator", self.container


class UniTupleIter(BaseContainerIterator):
    """An iterator over a tuple whose elements have one type, or that is empty."""


class ListIter(BaseContainerIterator):
    """An iterator over a list."""


class SetIter(BaseContainerIterator):
    """An iterator over a set."""


class Pair(Type):
    """A value and another."""

    def __init__(self, first_type, second_type):
        self.first_type, self.second_type = first_type, second_type
        super().__init__(f"pair<{first_type}, {second_type}>")

    @property
    def key(self):
        return self.first_type, self.second_type


class InitialValue:
    """A container that may know what it held when it was made."""

    @property
    def initial_value(self):
        """The value of the display that made the container, a list or a dict of constants; None where it is not known."""
        return self._initial_value

    def __unliteral__(self):
        return self if self._initial_value is None else self._with(None)

    def with_initial_value(self, constants):
        """The type of a container that a display of these literal types made, in a dict each key before its value.

        >>> from rumba import types
        >>> types.List(types.int64).with_initial_value([types.literal(1), types.literal(2)]).initial_value
        [1, 2]
        """
        return self._with(self._display([constant.literal_value for constant in constants]))


class List(MutableSequence, InitialValue):
    """A list; `reflected` if changes show in the Python list it came from."""

    def __init__(self, dtype, reflected=False, initial_value=None):
        self.dtype, self.reflected = unliteral(dtype), reflected
        self._initial_value = initial_value
        kind = "reflected list" if reflected else "list"
        super().__init__(f"{kind}({self.dtype})<iv={initial_value}>")

    def __repr__(self):
        return f"List({self.dtype}, {self.reflected})"

    __str__ = Type.__str__

    @property
    def key(self):
        return self.dtype, self.reflected, str(self._initial_value)

    def _parts(self):
        return "list", self.dtype, False

    @property
    def iterator_type(self):
        return ListIter(self)

    def copy(self, dtype=None, reflected=None):
        """The same with other parameters."""
        return List(
            self.dtype if dtype is None else dtype, self.reflected if reflected is None else reflected,
            self._initial_value)

    def is_precise(self):
        return self.dtype.is_precise()

    def __getitem__(self, spec):
        # The type of an item; with slices that of arrays of lists, as of any type.
        return self.dtype if isinstance(spec, int) else Type.__getitem__(self, spec)

    _display = list

    def _with(self, initial_value):
        return List(self.dtype, self.reflected, initial_value)


class Set(Container):
    """A set; `reflected` if changes show in the Python set it came from."""

    mutable = True

    def __init__(self, dtype, reflected=False):
        self.dtype, self.reflected = dtype, reflected
        super().__init__(f"{'reflected set' if reflected else 'set'}({dtype})")

    def __repr__(self):
        return f"Set({self.dtype}, {self.reflected})"

    __str__ = Type.__str__

    @property
    def key(self):
        return self.dtype, self.reflected

    def _parts(self):
        return "set", self.dtype, False

    @property
    def iterator_type(self):
        return SetIter(self)

    def is_precise(self):
        return self.dtype.is_precise()


class ListType(IterableType):
    """A typed list."""

    mutable = True

    def __init__(self, itemty):
        self.item_type = self.dtype = unliteral(itemty)
        super().__init__(f"ListType[{self.item_type}]")

    def __repr__(self):
        return f"ListType({self.item_type})"

    __str__ = Type.__str__

    @property
    def key(self):
        return self.item_type

    def _parts(self):
        return "list", self.item_type, True


class FrozenSetType(Set):
    """A frozen set."""

    mutable = False

    def __init__(self, dtype):
        super().__init__(dtype)
        self.name = f"frozenset[{dtype}]"

    def __repr__(self):
        return f"FrozenSetType({self.dtype})"

    def _parts(self):
        return "frozenset", self.dtype


class SetType(IterableType):
    """A typed set."""

    mutable = True

    def __init__(self, itemty):
        self.item_type = self.dtype = unliteral(itemty)
        super().__init__(f"SetType[{self.item_type}]")

    def __repr__(self):
        return f"SetType({self.item_type})"

    __str__ = Type.__str__

    @property
    def key(self):
        return self.item_type

    def _parts(self):
        return "set", self.item_type, True


class DictType(IterableType, InitialValue):
    """A typed dictionary."""

    mutable = True

    def __init__(self, keyty, valty, initial_value=None):
        self.key_type, self.value_type = unliteral(keyty), unliteral(valty)
        self._initial_value = initial_value
        super().__init__(f"DictType[{self.key_type},{self.value_type}]<iv={initial_value}>")

    def __repr__(self):
        return f"DictType({self.key_type}, {self.value_type})"

    __str__ = Type.__str__

    @property
    def key(self):
        return self.key_type, self.value_type, str(self._initial_value)

    @staticmethod
    def _display(constants):
        return dict(zip(constants[::2], constants[1::2]))

    def _with(self, initial_value):
        return DictType(self.key_type, self.value_type, initial_value)

    #: The type of what makes the values of missing keys, if these do not raise KeyError.
    missing = None

    def _parts(self):
        return "dict", self.key_type, self.value_type, self.missing
