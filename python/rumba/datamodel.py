"""Data models: how values of a library's types are held in compiled code.

A model says what its values are made of: members of other types, a machine value, or nothing but an
address. The compiler asks which of its own types is held in the same parts (`held`).
"""
from . import errors, types
from .types import Type


class DataModel:
    """How values of the type `fe_type` are held."""

    def __init__(self, dmm=None, fe_type=None):
        self._dmm, self._fe_type = dmm, fe_type

    @property
    def fe_type(self):
        """The type."""
        return self._fe_type

    def held(self):
        """The type whose parts values have."""
        raise errors.UnsupportedError(
            f"values of {self._fe_type} are held by the model {type(self).__name__}, which Rumba does not know: "
            "derive it from StructModel, PrimitiveModel or OpaqueModel")


class OpaqueModel(DataModel):
    """Values that are an address, which nobody looks through."""

    def held(self):
        return types.voidptr


class PointerModel(OpaqueModel):
    """Values that are an address."""


class PrimitiveModel(DataModel):
    """Values that are one machine value, of the type `be_type` of llvmlite."""

    def __init__(self, dmm, fe_type, be_type):
        super().__init__(dmm, fe_type)
        self.be_type = be_type

    def held(self):
        kind = type(self.be_type).__name__
        if kind == "IntType" and self.be_type.width in (1, 8, 16, 32, 64):
            return types.bool_ if self.be_type.width == 1 else getattr(types, f"int{self.be_type.width}")
        found = {"FloatType": types.float32, "DoubleType": types.float64}.get(kind)
        if found is None and hasattr(self.be_type, "addrspace"):
            return types.voidptr
        if found is None:
            raise errors.UnsupportedError(f"values of {self._fe_type} are held as {self.be_type}, which is no machine value")
        return found


class _OfKind(DataModel):
    """Values that are held as those of the built-in class that their type is derived from."""

    def held(self):
        ty = self._fe_type
        if isinstance(ty, types.Integer):
            return getattr(types, f"{'' if ty.signed else 'u'}int{ty.bitwidth}")
        return types.bool_ if isinstance(ty, types.Boolean) else getattr(types, f"float{ty.bitwidth}")


class IntegerModel(_OfKind):
    """Values of types derived from `types.Integer`."""


class FloatModel(_OfKind):
    """Values of types derived from `types.Float`."""


class BooleanModel(_OfKind):
    """Values that are true or false."""


class StructModel(DataModel):
    """Values of several members: pairs of a name and a type."""

    def __init__(self, dmm, fe_type, members):
        super().__init__(dmm, fe_type)
        pairs = list(members)
        for name, ty in pairs:
            if not isinstance(ty, Type):
                raise TypeError(f"the member '{name}' of {fe_type} has no type but {ty!r}")
        self._fields = tuple(name for name, _ in pairs)
        self._members = tuple(ty for _, ty in pairs)

    @property
    def field_count(self):
        """How many members there are."""
        return len(self._fields)

    def get_field_position(self, name):
        """Which member has this name; KeyError if there is none."""
        if name not in self._fields:
            raise KeyError(f"{type(self).__name__} does not have a field named {name!r}")
        return self._fields.index(name)

    def get_member_fe_type(self, name):
        """The type of a member."""
        return self._members[self.get_field_position(name)]

    def held(self):
        return types.Tuple(list(map(_held_as, self._members)))


def _held_as(ty):
    """The type that a member is held as: what a pointer into the frame points to goes with the value."""
    if isinstance(ty, types.PyObject):
        return types.voidptr
    return ty.dtype if isinstance(ty, types.EphemeralPointer) else ty


class TupleModel(StructModel):
    """Values of types that are derived from tuples of several types."""

    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [(f"f{at}", ty) for at, ty in enumerate(fe_type)])


