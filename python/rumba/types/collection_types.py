"""The classes of `collections`: dicts that make the values of missing keys, and deques."""
from .base import IterableType
from .containers import DictType
from .functions import KnownFunction


class CounterType(DictType):
    """A `collections.Counter`."""

    missing = KnownFunction("collections.Counter.__missing__")

    def __init__(self, keyty, valty):
        super().__init__(keyty, valty)
        self.name = f"Counter[{self.key_type},{self.value_type}]"

    def __repr__(self):
        return f"CounterType({self.key_type}, {self.value_type})"


class OrderedDictType(DictType):
    """A `collections.OrderedDict`."""

    missing = KnownFunction("collections.OrderedDict")

    def __init__(self, keyty, valty):
        super().__init__(keyty, valty)
        self.name = f"OrderedDict[{self.key_type},{self.value_type}]"

    def __repr__(self):
        return f"OrderedDictType({self.key_type}, {self.value_type})"


class DefaultDictType(DictType):
    """A `collections.defaultdict` whose factory is of the given type."""

    def __init__(self, factory, keyty, valty):
        super().__init__(keyty, valty)
        self.missing = factory
        self.name = f"defaultdict[{factory},{self.key_type},{self.value_type}]"

    @property
    def key(self):
        return self.missing, *super().key

    def __repr__(self):
        return f"DefaultDictType({self.missing}, {self.key_type}, {self.value_type})"


class DequeType(IterableType):
    """A `collections.deque`."""

    mutable = True

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"deque[{dtype}]")

    @property
    def key(self):
        return self.dtype

    def _parts(self):
        return "deque", self.dtype
