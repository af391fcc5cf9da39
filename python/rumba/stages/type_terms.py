"""Types as terms of the schema `Types.asdl`, and back.

    >>> from rumba import types
    >>> from rumba.stages import type_terms
    >>> term = type_terms.from_type(types.float64[:, ::1])
    >>> term
    Array(Float(64), 2, 'C', 1, 1)
    >>> print(type_terms.to_type(term))
    array(float64, 2d, C)

A class of a user can stand for a constructor, with fields and methods of its own: `LANGUAGE.stand_in(MyArray)`. Terms are then made of it wherever they
are made: from types, from text, from JSON.

Source: "Numba Intermediate Representation Specification", "Typed IR in SSA form".

Absent: what types mean (`rumba.types`).
"""
import base64
import pickle

from .. import types
from ..normalized import serialize
from ..normalized.language import Language
from ..normalized.serialize import FormatError
from ..normalized.validate import validate

LANGUAGE = Language.of_file("rumba.stages.type_terms", __file__, "Types.asdl", __name__)
SCHEMA = LANGUAGE.schema
globals().update(LANGUAGE.classes)

# Of scalars the name of a type is all that there is: the term for each.
_SCALARS = {
    types.boolean: ("Boolean",), types.none: ("NoneType",), types.unicode_type: ("Text",),
    **{getattr(types, f"{sign}int{bits}"): ("Integer", bits, int(not sign)) for bits in (8, 16, 32, 64) for sign in ("", "u")},
    types.float32: ("Float", 32), types.float64: ("Float", 64), types.complex64: ("Complex", 64), types.complex128: ("Complex", 128),
}
_TYPES = {term: ty for ty, term in _SCALARS.items()}


def _make(name, *fields):
    return LANGUAGE.classes[name](*fields)


def from_type(ty):
    """The term of a type. TypeError if it is none."""
    if not isinstance(ty, types.Type):
        raise TypeError(f"{ty!r} is not a type")
    if ty in _SCALARS:
        return _make(*_SCALARS[ty])
    kind = type(ty)
    if kind is types.Array:
        return _make("Array", from_type(ty.dtype), ty.ndim, ty.layout, int(ty.mutable), int(ty.aligned))
    if kind in (types.Tuple, types.UniTuple):
        return _make("Tuple", [from_type(one) for one in ty.types])
    if kind is types.Optional:
        return _make("Optional", from_type(ty.type))
    if kind in (types.List, types.Set):
        return _make(kind.__name__, from_type(ty.dtype), int(ty.reflected))
    if kind is types.ListType:
        return _make("TypedList", from_type(ty.dtype))
    if kind is types.DictType:
        return _make("TypedDict", from_type(ty.key_type), from_type(ty.value_type))
    if isinstance(ty, types.Literal):
        return _make("Literal", ty.literal_value)
    return _make("Opaque", kind.__module__, str(ty), base64.b64encode(pickle.dumps(ty)).decode())


def to_type(term):
    """The type of a term. ValidationError if it is not one of the schema; FormatError if it describes no type."""
    validate(term)
    return _to_type(term)


def _to_type(term):
    name = term._constructor.name
    fields = [getattr(term, field) for field in term._fields]
    if all(isinstance(field, int) for field in fields) and (name, *fields) in _TYPES:
        return _TYPES[name, *fields]
    if name == "Array":
        dtype, ndim, layout, is_mutable, is_aligned = fields
        if layout not in ("C", "F", "A") or ndim < 0:
            raise FormatError(f"no array has {ndim} dimensions and the layout {layout!r}")
        return types.Array(_to_type(dtype), ndim, layout, readonly=not is_mutable, aligned=bool(is_aligned))
    if name == "Tuple":
        return types.Tuple(tuple(map(_to_type, term.items)))
    if name == "Optional":
        return types.Optional(_to_type(term.of))
    if name in ("List", "Set"):
        return getattr(types, name)(_to_type(term.dtype), reflected=bool(term.is_reflected))
    if name == "TypedList":
        return types.ListType(_to_type(term.dtype))
    if name == "TypedDict":
        return types.DictType(_to_type(term.key), _to_type(term.value))
    if name == "Literal":
        return types.literal(term.value)
    if name == "Opaque":
        return pickle.loads(base64.b64decode(term.pickled))
    raise FormatError(f"{term!r} describes no type")


def dumps_json(term):
    """A term as JSON."""
    return serialize.dumps_json([term], LANGUAGE)


def loads_json(text):
    """The term of JSON; FormatError if it is not what `dumps_json` writes. Types of extensions are unpickled: read only what you trust."""
    return serialize.loads_json(text, LANGUAGE)[0]


def loads_text(text):
    """The term that `repr` of one wrote."""
    return serialize.loads_text(text, LANGUAGE)


__all__ = ["FormatError", "LANGUAGE", "SCHEMA", "dumps_json", "from_type", "loads_json", "loads_text", "to_type", *LANGUAGE.classes]
