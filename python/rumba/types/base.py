"""The root of all types: identity, names, calling a type, arrays of a type.

Equal types are one object: making a type that exists gives the one that exists, and so does
unpickling. What a type means to the compiler is said by `_parts`; rules of conversion are the
compiler's, asked through `conversion`. Concrete types live in the modules beside this one.
"""
import enum
import itertools
import weakref

from .. import fork_locks, upcalls


class Conversion(enum.IntEnum):
    """The grade of a conversion between two types, best first."""

    exact = 1
    promote = 2
    safe = 3
    unsafe = 4
    nil = 99


_known = weakref.WeakValueDictionary()


class _TypeCache:
    """The types that are alive, as weak references."""

    def __iter__(self):
        return iter(_known.valuerefs())

    def __len__(self):
        return len(_known)


_typecache = _TypeCache()
# A number for each type of the process, as `_code`.
_codes = itertools.count()
# Reentrant: a collection may run while the lock is held and drop a type.
_lock = fork_locks.reentrant_lock()


def _intern(new):
    """The object that stands for all types equal to `new`."""
    key = (type(new), new.key)
    with _lock:
        old = _known.get(key)
        if old is None:
            new._code = next(_codes)
            _known[key] = old = new
    return old


class _TypeClass(type):
    """Makes instances canonical."""

    def __call__(cls, *args, **kwargs):
        return _intern(type.__call__(cls, *args, **kwargs))


def parts_of_library(cls):
    """The description of types of a library's class that is passed to the compiler: their model, or the description of the class that theirs
    is derived from, or an opaque type."""
    def _parts(self):
        return upcalls.model_parts(self) or super(cls, self)._parts() or upcalls.opaque_parts(self)

    return _parts


def _restore(cls, state):
    new = object.__new__(cls)
    new.__dict__.update(state)
    return _intern(new)


class Type(metaclass=_TypeClass):
    """A type of compiled code. `name` is its printed form; types of a class with the same `key` are equal."""

    mutable = False
    reflected = False

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        if not cls.__module__.startswith("rumba.") and "_parts" not in vars(cls):
            cls._parts = parts_of_library(cls)

    def __init__(self, name):
        self.name = name

    @property
    def key(self):
        """Two types of the same class are equal if their keys are."""
        return self.name

    @property
    def mangling_args(self):
        """Name and parameters, for symbols."""
        return self.name, ()

    def __repr__(self):
        return self.name

    __str__ = __repr__

    def __hash__(self):
        return hash(self.key)

    def __eq__(self, other):
        return self is other or (type(self) is type(other) and self.key == other.key)

    def __ne__(self, other):
        return not self == other

    def __reduce__(self):
        return _restore, (type(self), {name: value for name, value in self.__dict__.items() if name != "_code"})

    def __call__(self, *args):
        """The signature of a function that returns this type; for a value, the value converted."""
        if len(args) == 1 and not isinstance(args[0], Type):
            return self.cast_python_value(args[0])
        return upcalls.signature(self, *args)

    def __getitem__(self, spec):
        """The type of arrays of this type: `float64[:]`, `float64[::1]`, `float64[:, ::1]`."""
        ndim, layout = _array_spec(spec)
        return upcalls.array_type(self.dtype if isinstance(self, DTypeSpec) else self, ndim, layout)

    def _parts(self):
        """The description passed to the compiler: a kind and its parameters. None if the compiler does not know the type."""
        return None

    def unify(self, typingctx, other):
        """The common type of both types, or None."""
        from .convert import unify

        return unify(self, other)

    def can_convert_to(self, typingctx, other):
        """The grade of the conversion to type `other`, or None."""
        from .convert import conversion

        return conversion(self, other)

    def can_convert_from(self, typingctx, other):
        """How a value of type `other` becomes one of this type, or None to leave it to `other`."""
        return None

    def is_precise(self):
        """Whether the type is fully known."""
        return True

    def augment(self, other):
        """An augmented type where that means something, or None."""
        return None

    def cast_python_value(self, args):
        """A Python value converted to this type."""
        raise NotImplementedError(f"{self} does not convert Python values")

    @property
    def is_internal(self):
        """Whether the type is defined by the compiler itself, and not by a library that extends it."""
        return type(self).__module__.startswith("rumba.")

    def dump(self, tab=""):
        """Prints the type, for debugging."""
        print(f"{tab}{type(self).__name__}[key={self.key}, name={self.name}]")


def _array_spec(spec):
    """Dimensions and layout of a subscript of slices."""
    slices = spec if isinstance(spec, tuple) else (spec,)
    unit = slice(None, None, 1)
    if not slices or any(s != slice(None) and s != unit for s in slices):
        raise KeyError(f"Can only index numba types with slices with no start or stop, got {spec!r}: write `:` or `::1`")
    if unit in slices[1:-1]:
        raise KeyError("`::1` stands in the first or the last dimension")
    if slices[-1] == unit and (len(slices) == 1 or slices[0] != unit):
        return len(slices), "C"
    # Numba takes the first dimension where both are marked.
    return len(slices), "F" if slices[0] == unit else "A"


class Dummy(Type):
    """A type without a value at run time."""

    def _parts(self):
        return ("opaque", self, self.name) if type(self) is Dummy else super()._parts()


class Hashable(Type):
    """Values can be keys."""


class Number(Hashable):
    """Integers, floats, complex numbers."""


class Callable(Type):
    """Values can be called."""


class DTypeSpec(Type):
    """Stands for another type, in `.dtype`."""


class Opaque(Dummy):
    """A type whose values are only passed around."""


class Phantom(Dummy):
    """A type of values that do not exist at run time."""


class Undefined(Dummy):
    """A type that is not known yet."""

    def is_precise(self):
        return False


class UndefVar(Dummy):
    """The type of a variable that has no value on this path."""

    def _parts(self):
        return "fixed", "undefined"


class IterableType(Type):
    """Values are iterable; `iterator_type` is the type of the iterator."""


class Sized(Type):
    """Values have a length."""


class ConstSized(Sized):
    """Values of the type all have the same length."""


class IteratorType(IterableType):
    """Iterators; `yield_type` is the item type."""

    @property
    def iterator_type(self):
        return self


class Container(Sized, IterableType):
    """Sized and iterable."""


class Sequence(Container):
    """Ordered containers."""


class MutableSequence(Sequence):
    """Mutable sequences."""

    mutable = True


class ArrayCompatible(Type):
    """Values that are accepted as arrays; `as_array` is the array type."""


class SimpleIterableType(IterableType):
    """An iterable whose iterator's type is given."""

    def __init__(self, name, iterator_type):
        self._iterator_type = iterator_type
        super().__init__(name)

    @property
    def iterator_type(self):
        return self._iterator_type


class SimpleIteratorType(IteratorType):
    """An iterator whose item type is given."""

    def __init__(self, name, yield_type):
        self._yield_type = yield_type
        super().__init__(name)

    @property
    def yield_type(self):
        return self._yield_type
