"""Data models: the representation of extension types in compiled code.

A model says what its values are made of: members of other types, a machine value, or nothing but an
address. The compiler asks which of its own types is held in the same parts (`held`).
"""
from .. import errors, types
from ..types import Type


class DataModel:
    """How values of the type `fe_type` are held."""

    def __init__(self, dmm=None, fe_type=None):
        self._dmm, self._fe_type = dmm, fe_type

    @property
    def fe_type(self):
        """The type."""
        return self._fe_type

    # The layout of values, for code over llvmlite.

    def get_value_type(self):
        """LLVM's type of values."""
        from ..codegen import value_models

        return value_models.value_type(self._fe_type)

    def get_data_type(self):
        """LLVM's type of values in memory."""
        from ..codegen import value_models

        return value_models.data_type(self.get_value_type())

    get_return_type = get_data_type

    def get_argument_type(self):
        """LLVM's types of what an argument is made of, nested as values are."""
        from ..codegen import value_models

        return value_models.argument_type(self.get_value_type())

    def as_data(self, builder, value):
        """A value in its memory representation."""
        from ..codegen import value_models

        return value_models.converted(builder, value, self.get_data_type())

    as_return = as_data

    def from_data(self, builder, value):
        """A value that lay in memory."""
        from ..codegen import value_models

        return value_models.converted(builder, value, self.get_value_type())

    from_return = from_data

    def as_argument(self, builder, value):
        """What a value as an argument is made of."""
        from ..codegen import value_models

        return value_models.as_argument(builder, value)

    def from_argument(self, builder, value):
        """A value out of what an argument is made of."""
        from ..codegen import value_models

        return value_models.from_argument(builder, value, self.get_value_type())

    def load_from_data_pointer(self, builder, ptr, align=None):
        """The value at an address."""
        return self.from_data(builder, builder.load(ptr, align=align))

    def contains_nrt_meminfo(self):
        """Whether values hold memory that is counted."""
        from ..codegen import value_models

        return value_models.is_counted(self._fe_type) or any(map(value_models.is_counted, getattr(self, "_members", ())))

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


class DataModelManager:
    """Models by classes of types."""

    def __init__(self, handlers=None):
        self._handlers, self._made = dict(handlers or {}), {}

    def register(self, fetypecls, handler):
        """Says how values of a class of types are held."""
        self._handlers[fetypecls] = handler

    def lookup(self, fetype):
        """The model of a type; KeyError if there is none."""
        found = self._made.get(fetype)
        if found is None:
            handler = next((self._handlers[cls] for cls in type(fetype).__mro__ if cls in self._handlers), None)
            if handler is None:
                raise KeyError(type(fetype))
            found = self._made[fetype] = handler(self, fetype)
        return found

    __getitem__ = lookup

    def __contains__(self, fetype):
        return any(cls in self._handlers for cls in type(fetype).__mro__)

    def copy(self):
        """Another one with the same models."""
        return DataModelManager(self._handlers)

    def chain(self, other):
        """One with these models, and those of another for all other types."""
        return DataModelManager({**other._handlers, **self._handlers})


class DefaultManager(DataModelManager):
    """The models of libraries, and the layouts of the compiler's own types."""

    def register(self, fetypecls, handler):
        """Says how values of a class of types are held."""
        from . import typeof_box

        typeof_box.register_model(fetypecls)(handler)

    def lookup(self, fetype):
        """The model of a type."""
        from . import typeof_box

        found = typeof_box.model(fetype)
        if found is None:
            from ..codegen.value_models import ValueModel

            found = ValueModel(self, fetype)
        return found

    __getitem__ = lookup

    def __contains__(self, fetype):
        return True


default_manager = DefaultManager()
