"""Other types: None, optional, slices, pointers, modules, exceptions, omitted arguments, and types that only occur in
signatures."""
from .. import upcalls
from .base import Callable, Dummy, IterableType, Hashable, Opaque, Phantom, SimpleIteratorType, Type
from .scalars import Integer, Literal, unliteral


class NoneType(Opaque):
    """The type of None; `void` is another name of it."""

    def _parts(self):
        return "fixed", "none"


class EllipsisType(Opaque):
    """The type of `...`."""

    def _parts(self):
        return "fixed", "ellipsis"


class PyObject(Dummy):
    """Any Python object, which compiled code does not look into."""

    def _parts(self):
        return "fixed", self.name

    def is_precise(self):
        return False


class RawPointer(Opaque):
    """A pointer to memory of no known type."""

    def _parts(self):
        return "pointer", None


class NumPyRandomBitGeneratorType(Type):
    """A bit generator of NumPy, which compiled code reaches through a Generator alone, and holds as that."""

    def _parts(self):
        return "foreign", self, self.name, NumPyRandomGeneratorType("NumPyRandomGeneratorType")


class NumPyRandomGeneratorType(Type):
    """A `numpy.random.Generator`."""

    def _parts(self):
        return "random generator", None


class CPointer(Type):
    """A pointer to values of type `dtype`."""

    mutable = True

    def __init__(self, dtype, addrspace=None):
        self.dtype, self.addrspace = dtype, addrspace
        super().__init__(f"{dtype}*" if addrspace is None else f"{dtype}_{addrspace}*")

    @property
    def key(self):
        return self.dtype, self.addrspace

    def _parts(self):
        # A pointer to None points to anything, as in C.
        return "pointer", None if isinstance(self.dtype, NoneType) else self.dtype


class EphemeralPointer(CPointer):
    """A pointer that does not outlive the call."""


class MemInfoPointer(Type):
    """A pointer to memory that is counted."""

    mutable = True

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"memory-managed *{dtype}")

    @property
    def key(self):
        return self.dtype

    def _parts(self):
        # What owns the memory, and where that begins.
        return "foreign", self, self.name, upcalls.array_type(Integer("uint8"), 0, "C")


class Optional(Type):
    """A value of the inner type, or None."""

    def __init__(self, typ):
        self.type = unliteral(typ)
        super().__init__(f"OptionalType({self.type})")

    @property
    def key(self):
        return self.type

    def _parts(self):
        return "optional", self.type


class Union(Type):
    """An object of one of several compiled classes.

    `types` are the types of their instances. Compiled code tells the classes apart at run time.
    """

    def __init__(self, types):
        self.types = tuple(types)
        super().__init__(" | ".join(map(str, self.types)))

    @property
    def key(self):
        return frozenset(self.types)

    def _parts(self):
        return "union", self.types


class Omitted(Opaque):
    """The type of a parameter left to its default."""

    def __init__(self, value):
        self._value = value
        super().__init__(f"omitted(default={value!r})")

    @property
    def key(self):
        try:
            hash(self._value)
        except TypeError:
            return type(self._value), id(self._value)
        return type(self._value), self._value

    @property
    def value(self):
        """The default."""
        return self._value

    def _parts(self):
        return "omitted", upcalls.typeof(self._value)


class VarArg(Type):
    """A `*args` of this type, in a signature."""

    def __init__(self, dtype):
        self.dtype = dtype
        super().__init__(f"*{dtype}")

    @property
    def key(self):
        return self.dtype


class Module(Dummy):
    """A Python module."""

    def __init__(self, pymod):
        self.pymod = pymod
        super().__init__(f"Module({pymod})")

    @property
    def key(self):
        return self.pymod

    def _parts(self):
        return "module", self.pymod.__name__


class SliceType(Type):
    """A slice, with a step (3 members) or without (2)."""

    def __init__(self, name, members):
        self.members = members
        super().__init__(name)

    @property
    def has_step(self):
        """Whether there is a step."""
        return self.members >= 3

    @property
    def key(self):
        return self.members

    def _parts(self):
        return "slice", self.members


class SliceLiteral(Literal, SliceType):
    """A slice that is known."""

    def __init__(self, value):
        self._literal_init(value)
        SliceType.__init__(self, f"Literal[slice]({value})", 2 if value.step is None else 3)

    @property
    def key(self):
        value = self._literal_value
        return value.start, value.stop, value.step

    def _parts(self):
        return "literal slice", self._literal_value


class UnicodeType(IterableType, Hashable):
    """A string."""

    @property
    def iterator_type(self):
        return UnicodeIteratorType(self)

    def _parts(self):
        return "fixed", "unicode_type"


class UnicodeIteratorType(SimpleIteratorType):
    """An iterator over a string's characters."""

    def __init__(self, dtype):
        self.data = dtype
        super().__init__("iter_unicode", dtype)


class ExceptionClass(Callable, Phantom):
    """A class of exceptions."""

    def __init__(self, exc_class):
        self.exc_class = exc_class
        super().__init__(f"{exc_class.__name__}")

    @property
    def key(self):
        return self.exc_class


class ExceptionInstance(Phantom):
    """An exception."""

    def __init__(self, exc_class):
        self.exc_class = exc_class
        super().__init__(f"{exc_class.__name__}(...)")

    @property
    def key(self):
        return self.exc_class


class ContextManager(Callable, Phantom):
    """A context manager of Python."""

    def __init__(self, cm):
        self.cm = cm
        super().__init__(f"ContextManager({cm})")


class DeferredType(Type):
    """Stands for a type that is defined later, by `define`."""

    def __init__(self):
        self._defined = None
        super().__init__(f"DeferredType#{id(self)}")

    def get(self):
        """The type it stands for."""
        if self._defined is None:
            raise RuntimeError("deferred type not defined")
        return self._defined

    def _parts(self):
        return self.get()._parts()

    def define(self, typ):
        """Says which type it stands for; once."""
        if self._defined is not None:
            raise TypeError("deferred type already defined")
        if not isinstance(typ, Type):
            raise TypeError(f"arg is not a Type; got: {type(typ)}")
        self._defined = typ


class TypeRef(Dummy):
    """A type used as a value."""

    def __init__(self, instance_type):
        self.instance_type = instance_type
        super().__init__(f"typeref[{instance_type}]")

    @property
    def key(self):
        return self.instance_type

    def _parts(self):
        return "opaque", self, self.name
