"""Data models of values for tools: as values, in memory, as arguments and as results, with llvmlite.

In memory and as results, truth values are bytes. An argument is made of the members of what it is made of.

Absent: which members values have (`rumba.codegen.target_context`), models of libraries (`rumba.extending.datamodel`).
"""
from llvmlite import ir

from ..extending import datamodel
from .. import types
from . import cgutils
from .target_context import Context

_AGGREGATES = ir.LiteralStructType, ir.ArrayType


def value_type(ty):
    """LLVM's type of values of a type."""
    return Context().get_value_type(ty)


def _members(llvm):
    return list(llvm.elements) if isinstance(llvm, ir.LiteralStructType) else [llvm.element] * llvm.count


def data_type(llvm):
    """LLVM's type of the same values in memory."""
    if llvm == cgutils.bool_t:
        return cgutils.int8_t
    if isinstance(llvm, ir.LiteralStructType):
        return ir.LiteralStructType(list(map(data_type, llvm.elements)))
    return ir.ArrayType(data_type(llvm.element), llvm.count) if isinstance(llvm, ir.ArrayType) else llvm


def converted(builder, value, wanted):
    """A value with its truth values as bits or as bytes, as the type wants it."""
    if value.type == wanted:
        return value
    if not isinstance(wanted, _AGGREGATES):
        return builder.trunc(value, wanted) if wanted == cgutils.bool_t else builder.zext(value, wanted)
    whole = ir.Constant(wanted, ir.Undefined)
    for at, member in enumerate(_members(wanted)):
        whole = builder.insert_value(whole, converted(builder, builder.extract_value(value, at), member), at)
    return whole


def argument_type(llvm):
    """LLVM's types of what an argument is made of, nested as it is."""
    return tuple(map(argument_type, _members(llvm))) if isinstance(llvm, _AGGREGATES) else data_type(llvm)


def as_argument(builder, value):
    """What an argument is made of."""
    if isinstance(value.type, _AGGREGATES):
        return tuple(as_argument(builder, builder.extract_value(value, at)) for at in range(len(_members(value.type))))
    return converted(builder, value, data_type(value.type))


def from_argument(builder, parts, llvm):
    """A value out of what an argument is made of."""
    if not isinstance(llvm, _AGGREGATES):
        return converted(builder, parts, llvm)
    whole = ir.Constant(llvm, ir.Undefined)
    for at, (part, member) in enumerate(zip(parts, _members(llvm))):
        whole = builder.insert_value(whole, from_argument(builder, part, member), at)
    return whole


_COUNTED = (types.Buffer, types.List, types.ListType, types.DictType, types.Set, types.UnicodeType, types.MemInfoPointer)


def is_counted(ty):
    """Whether values hold memory that is counted."""
    if isinstance(ty, types.BaseTuple):
        return any(map(is_counted, ty))
    if isinstance(ty, types.Optional):
        return is_counted(ty.type)
    return isinstance(ty, _COUNTED)


class ArgPacker:
    """The arguments of a function as a flat sequence of values."""

    def __init__(self, dmm, fe_args):
        self._models = [dmm.lookup(ty) for ty in fe_args]
        self._shapes = [model.get_argument_type() for model in self._models]

    @property
    def argument_types(self):
        """LLVM's types of all of them."""
        return tuple(part for shape in self._shapes for part in _flat(shape))

    def as_arguments(self, builder, values):
        """The parts of all arguments as one flat sequence."""
        return tuple(part for model, value in zip(self._models, values) for part in _flat(model.as_argument(builder, value)))

    def from_arguments(self, builder, args):
        """The values out of that."""
        parts = iter(args)
        nested = [_nested(shape, parts) for shape in self._shapes]
        return [model.from_argument(builder, one) for model, one in zip(self._models, nested)]

    def assign_names(self, args, names):
        """Names what the arguments are made of."""
        parts = iter(args)
        for name, shape in zip(names, self._shapes):
            own = [next(parts) for _ in _flat(shape)]
            for at, part in enumerate(own):
                part.name = name if len(own) == 1 else f"{name}.{at}"


def _flat(nested):
    return [part for one in nested for part in _flat(one)] if isinstance(nested, tuple) else [nested]


def _nested(shape, parts):
    return tuple(_nested(one, parts) for one in shape) if isinstance(shape, tuple) else next(parts)


class DataPacker:
    """Values of several types as a struct in memory."""

    def __init__(self, dmm, fe_types):
        self._models = [dmm.lookup(ty) for ty in fe_types]

    def as_data(self, builder, values):
        """The struct."""
        parts = [model.as_data(builder, value) for model, value in zip(self._models, values)]
        whole = ir.Constant(self.get_data_type(), ir.Undefined)
        for at, part in enumerate(parts):
            whole = builder.insert_value(whole, part, at)
        return whole

    def get_data_type(self):
        """LLVM's type of the struct."""
        return ir.LiteralStructType([model.get_data_type() for model in self._models])

    def load(self, builder, ptr):
        """Pairs of a type and a value out of a struct at an address."""
        places = [cgutils.gep_inbounds(builder, ptr, 0, at) for at in range(len(self._models))]
        return [(model.fe_type, model.from_data(builder, builder.load(place)))
                for model, place in zip(self._models, places)]


class ValueModel(datamodel.DataModel):
    """How values of the compiler's own types are laid out."""

    def held(self):
        """The type itself."""
        return self.fe_type

    @property
    def _fields(self):
        from .target_context import Context

        return Context().fields(self.fe_type)

    @property
    def field_count(self):
        """How many members a value has."""
        return len(self._fields)

    def get_field_position(self, name):
        """Which member has this name; KeyError if there is none."""
        if name not in self._fields:
            raise KeyError(f"values of {self.fe_type} have no field named {name!r}")
        return self._fields.index(name)
