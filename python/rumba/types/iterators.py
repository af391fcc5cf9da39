"""Ranges and the iterators of built-in functions."""
from .base import SimpleIterableType, SimpleIteratorType


class RangeType(SimpleIterableType):
    """`range` over an integer type."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"range_state_{dtype}", RangeIteratorType(dtype))

    def _parts(self):
        return "range", self.dtype


class RangeIteratorType(SimpleIteratorType):
    """An iterator over a range."""

    def __init__(self, dtype):
        super().__init__(f"range_iter_{dtype}", dtype)

    def _parts(self):
        return "iterator", RangeType(self.yield_type)


class EnumerateType(SimpleIteratorType):
    """What `enumerate` gives."""

    def __init__(self, iterable_type):
        from .containers import Tuple
        from .names import intp

        self.source_type = iterable_type.iterator_type
        super().__init__(f"enumerate({self.source_type})", Tuple([intp, self.source_type.yield_type]))

    @property
    def key(self):
        return self.source_type


class ZipType(SimpleIteratorType):
    """What `zip` gives."""

    def __init__(self, iterable_types):
        from .containers import Tuple

        self.source_types = tuple(ty.iterator_type for ty in iterable_types)
        names = ", ".join(str(ty) for ty in self.source_types)
        super().__init__(f"zip({names})", Tuple(ty.yield_type for ty in self.source_types))

    @property
    def key(self):
        return self.source_types


class CompiledIterator(SimpleIteratorType):
    """An iterator that compiled code alone makes: a generator, `map`, what goes through several."""


class Generator(SimpleIteratorType):
    """A generator of compiled code."""

    def __init__(self, gen_func, yield_type, arg_types, state_types, has_finalizer):
        self.gen_func = gen_func
        self.arg_types, self.state_types = tuple(arg_types), tuple(state_types)
        self.has_finalizer = has_finalizer
        super().__init__(f"{yield_type} generator(func={gen_func}, args={self.arg_types})", yield_type)

    @property
    def key(self):
        return self.gen_func, self.arg_types, self.yield_type, self.has_finalizer, self.state_types

    def _parts(self):
        return "generator", self.yield_type
