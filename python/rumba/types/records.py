"""Records: the elements of structured arrays, and subarrays in them."""
from typing import NamedTuple

from .arrays import Array
from .base import Type


class _RecordField(NamedTuple):
    """A field of a record: its type and its offset."""

    type: Type
    offset: int
    alignment: int | None
    title: str | None


class Record(Type):
    """A record with named fields.

    `fields` maps names to `_RecordField`s, or to dicts with `type`, `offset`, `alignment` and `title`; a field
    with a title is listed under both names. `size` is in bytes; `aligned` tells whether fields lie as in C.
    """

    mutable = True

    @classmethod
    def make_c_struct(cls, name_types):
        """The record of these `(name, type)` pairs, laid out as C does."""
        import numpy

        from .typeof import as_dtype, from_dtype

        fields = [(name, as_dtype(ty)) for name, ty in name_types]
        return from_dtype(numpy.dtype(fields, align=True))

    def __init__(self, fields, size, aligned, readonly=False):
        self.fields = _normalized(fields)
        self.size, self.aligned = size, aligned
        if readonly:
            self.mutable = False
        parts = []
        for name, field in self.fields.items():
            title = "" if field.title is None else f";title={field.title}"
            parts.append(f"{name}[type={field.type};offset={field.offset}{title}]")
        words = "readonly " if readonly else ""
        super().__init__(f"{words}Record({','.join(parts)};{size};{aligned})")

    @property
    def key(self):
        return tuple(self.fields.items()), self.size, self.aligned, self.mutable

    @property
    def mangling_args(self):
        return type(self).__name__, (self._code,)

    def __len__(self):
        return len(self.fields)

    def __repr__(self):
        fields = []
        for name, field in self.fields.items():
            parts = "".join(f"{key!r}: {value!r}, " for key, value in field._asdict().items())
            fields.append(f"({name!r}, {{{parts}}})")
        return f"Record([{', '.join(fields)}], {self.size}, {self.aligned})"

    __str__ = Type.__str__

    def offset(self, key):
        """The offset of a field in bytes."""
        return self.fields[key].offset

    def typeof(self, key):
        """The type of a field."""
        return self.fields[key].type

    def alignof(self, key):
        """What was said of a field's alignment."""
        return self.fields[key].alignment

    def has_titles(self):
        """Whether any field has a title."""
        return any(field.title is not None for field in self.fields.values())

    def is_title(self, key):
        """Whether a field is listed here under its title."""
        return self.fields[key].title == key

    @property
    def members(self):
        """Names and types of the fields, titles left out."""
        return [(name, field.type) for name, field in self.fields.items() if not self.is_title(name)]

    @property
    def dtype(self):
        """NumPy's dtype."""
        from .typeof import as_dtype

        return as_dtype(self)

    @property
    def bitwidth(self):
        """Bits of a record."""
        return self.size * 8

    def _parts(self):
        fields = []
        for name, field in self.fields.items():
            nested = isinstance(field.type, NestedArray)
            ty, shape = (field.type.dtype, field.type.shape) if nested else (field.type, ())
            fields.append((name, ty, shape, field.offset, field.title))
        return "record", tuple(fields), self.size, self.aligned, self.mutable


def _normalized(fields):
    items = fields.items() if isinstance(fields, dict) else fields
    found = {}
    for name, parts in items:
        if not isinstance(parts, _RecordField):
            parts = _RecordField(parts["type"], parts["offset"], parts.get("alignment"), parts.get("title"))
        found[name] = parts
    # A title comes after the field that has it. (A view of some fields has them in an order of its own.)
    ordered = {}
    for name, parts in found.items():
        if name != parts.title:
            ordered[name] = parts
            if parts.title in found:
                ordered[parts.title] = found[parts.title]
    return ordered


class NestedArray(Array):
    """The array that a field of a record is, of fixed shape."""

    def __init__(self, dtype, shape):
        if isinstance(dtype, NestedArray):
            shape, dtype = (*shape, *dtype.shape), dtype.dtype
        self._shape = tuple(shape)
        name = f"nestedarray({dtype}, {self._shape})"
        super().__init__(dtype, len(self._shape), "C", name=name)

    @property
    def shape(self):
        """Lengths of the dimensions."""
        return self._shape

    @property
    def nitems(self):
        """How many items there are."""
        count = 1
        for length in self._shape:
            count *= length
        return count

    @property
    def size(self):
        """Bytes of all items."""
        from .typeof import as_dtype

        return self.nitems * as_dtype(self.dtype).itemsize

    @property
    def strides(self):
        """Bytes from an item to the next, of each dimension."""
        from .typeof import as_dtype

        stride, found = as_dtype(self.dtype).itemsize, []
        for length in reversed(self._shape):
            found.append(stride)
            stride *= length
        return tuple(reversed(found))

    @property
    def key(self):
        return self.dtype, self.shape

    def __repr__(self):
        return f"NestedArray({self.dtype!r}, {self.shape!r})"

    __str__ = Type.__str__

    def _parts(self):
        # Outside of a record it is an array like others.
        return "array", self.dtype, self.ndim, "C", True, self.aligned
