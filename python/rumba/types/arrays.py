"""Arrays, buffers and NumPy's other types, as far as signatures and names need them."""
from .base import ArrayCompatible, DTypeSpec, IterableType, Opaque, SimpleIteratorType, Type
from .scalars import NPDatetime, NPTimedelta, unliteral  # noqa: F401  NumPy's types, as the others here


class Buffer(IterableType, ArrayCompatible):
    """Values with the buffer protocol: items of type `dtype` in `ndim` dimensions.

    `layout` is "C" or "F" for contiguous memory in either order, "A" for any strides.
    """

    mutable = True
    slice_is_copy = False
    aligned = True
    LAYOUTS = frozenset(["C", "F", "CS", "FS", "A"])

    def __init__(self, dtype, ndim, layout, readonly=False, name=None):
        if isinstance(dtype, Buffer):
            raise TypeError(f"the items of a buffer are no buffers: {dtype}")
        if layout not in self.LAYOUTS:
            raise ValueError(f"invalid layout '{layout}'")
        self.dtype = unliteral(dtype)
        self.ndim, self.layout = ndim, layout
        if readonly:
            self.mutable = False
        if name is None:
            kind = type(self).__name__.lower()
            name = f"{'readonly ' if readonly else ''}{kind}({self.dtype}, {ndim}d, {layout})"
        super().__init__(name)

    @property
    def key(self):
        return self.dtype, self.ndim, self.layout, self.mutable

    @property
    def as_array(self):
        return self

    def _parts(self):
        if type(self) in _PLAIN and self.layout in ("C", "F", "A"):
            return "buffer", self.dtype, self.ndim, self.layout, self.mutable, True, type(self).__name__.lower()
        return None

    @property
    def is_c_contig(self):
        """Whether arrays are C-contiguous."""
        return self.layout == "C" or (self.ndim <= 1 and self.layout in "CF")

    @property
    def is_f_contig(self):
        """Whether arrays are Fortran-contiguous."""
        return self.layout == "F" or (self.ndim <= 1 and self.layout in "CF")

    @property
    def is_contig(self):
        """Whether arrays are contiguous, in C or Fortran order."""
        return self.layout in "CF"

    @property
    def iterator_type(self):
        return ArrayIterator(self)

    def copy(self, dtype=None, ndim=None, layout=None):
        """The same with other parameters."""
        return type(self)(
            dtype=self.dtype if dtype is None else dtype, ndim=self.ndim if ndim is None else ndim,
            layout=self.layout if layout is None else layout, readonly=not self.mutable)


class Array(Buffer):
    """A NumPy array."""

    def __init__(self, dtype, ndim, layout, readonly=False, name=None, aligned=True):
        from .misc import Optional
        from .records import NestedArray, Record

        if isinstance(dtype, Optional):
            from ..errors import TypingError

            raise TypingError(f"the items of an array are not optional: {dtype}")
        if isinstance(dtype, NestedArray) and not isinstance(self, NestedArray):
            # An array of arrays is one of more dimensions.
            ndim, dtype = ndim + dtype.ndim, dtype.dtype
        if isinstance(dtype, Record) and not dtype.aligned:
            aligned = False
        # Not to be stored by the canonical instances of the class: an attribute of this one.
        self.aligned = aligned
        if name is None:
            words = ("" if aligned else "unaligned ") + ("readonly " if readonly else "")
            name = f"{words}array({dtype}, {ndim}d, {layout})"
        super().__init__(dtype, ndim, layout, readonly=readonly, name=name)

    def __repr__(self):
        return (f"Array({self.dtype!r}, {self.ndim!r}, {self.layout!r}, {not self.mutable!r}, "
                f"aligned={self.aligned!r})")

    __str__ = Type.__str__

    @property
    def key(self):
        return self.dtype, self.ndim, self.layout, self.mutable, self.aligned

    @property
    def mangling_args(self):
        access = "mutable" if self.mutable else "readonly"
        return type(self).__name__, [
            self.dtype, self.ndim, self.layout, access, "aligned" if self.aligned else "unaligned"]

    def _parts(self):
        # Others have no meaning to the compiler yet.
        if type(self) is Array and self.layout in ("C", "F", "A"):
            return "array", self.dtype, self.ndim, self.layout, self.mutable, self.aligned
        return None

    @property
    def box_type(self):
        """The Python class of the values."""
        import numpy

        return numpy.ndarray

    def copy(self, dtype=None, ndim=None, layout=None, readonly=None):
        return Array(
            dtype=self.dtype if dtype is None else dtype, ndim=self.ndim if ndim is None else ndim,
            layout=self.layout if layout is None else layout,
            readonly=not self.mutable if readonly is None else readonly, aligned=self.aligned)

    def is_precise(self):
        return self.dtype.is_precise()


class ByteArray(Buffer):
    """`bytearray`."""

    slice_is_copy = True


class Bytes(Buffer):
    """`bytes`."""

    mutable = False
    slice_is_copy = True


class PyArray(Buffer):
    """`array.array`."""

    slice_is_copy = True


class MemoryView(Buffer):
    """`memoryview`."""


class ObjectArray(Buffer):
    """An array of NumPy whose items are objects of compiled classes, or None: `dtype` is the optional type of these."""


_PLAIN = frozenset([Bytes, ByteArray, PyArray, MemoryView, ObjectArray])


class ArrayIterator(SimpleIteratorType):
    """An iterator over an array's first dimension."""

    def __init__(self, array_type):
        self.array_type = array_type
        item = array_type.dtype
        if array_type.ndim > 1:
            layout = array_type.layout if array_type.layout == "C" else "A"
            item = array_type.copy(ndim=array_type.ndim - 1, layout=layout)
        super().__init__(f"iter({array_type})", item)


class DType(DTypeSpec, Opaque):
    """`numpy.dtype`."""

    def __init__(self, dtype):
        self._dtype = dtype
        super().__init__(f"dtype({dtype})")

    @property
    def key(self):
        return self._dtype

    @property
    def dtype(self):
        return self._dtype


class CharSeq(Type):
    """`count` bytes of text, the item of an array of dtype `S`."""

    def __init__(self, count):
        self.count = count
        super().__init__(f"[char x {count}]")

    @property
    def key(self):
        return self.count

    def _parts(self):
        return "chars", self.count, False


class UnicodeCharSeq(Type):
    """`count` characters, the item of an array of dtype `U`."""

    def __init__(self, count):
        self.count = count
        super().__init__(f"[unichr x {count}]")

    def __repr__(self):
        return f"UnicodeCharSeq({self.count})"

    __str__ = Type.__str__

    @property
    def key(self):
        return self.count

    def _parts(self):
        return "chars", self.count, True
