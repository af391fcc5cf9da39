"""Structrefs: structs of named fields that are passed by reference, whose types, methods and attributes a library defines.

    @structref.register
    class PointType(types.StructRef):
        pass

    class Point(structref.StructRefProxy):
        @property
        def x(self):
            return get_x(self)

    structref.define_proxy(Point, PointType, ["x", "y"])

`Point(1.0, 2.0)` makes one, in compiled code and in Python. There is a type for each combination of types of fields. Methods and
attributes are added by `overload_method` and `overload_attribute`.
"""
from . import source_text
from ._rumba import Instance, types as rules
from .extending import overload
from .intrinsics import new_object
from .types import StructRef


def register(struct_type):
    """Decorates a class of types that derives from `types.StructRef`, so that compiled code supports its structs."""
    _check(struct_type)
    return struct_type


def _check(struct_type):
    if struct_type is StructRef:
        raise ValueError(f"cannot register {StructRef}: derive a class from it")


# A new struct of a type, whose fields are not set yet.
new = new_object


def define_proxy(py_class, struct_typeclass, fields):
    """Makes a class derived from `StructRefProxy` the Python class of such structs, and the constructor from the
    values of all fields."""
    define_constructor(py_class, struct_typeclass, fields)
    define_boxing(struct_typeclass, py_class)


def define_boxing(struct_type, obj_class):
    """Makes a class derived from `StructRefProxy` the Python class of such structs."""
    _check(struct_type)
    struct_type._object_class = obj_class


def define_constructor(py_class, struct_typeclass, fields):
    """Makes a class callable in compiled code, as the constructor of a struct from the values of all fields."""
    fields = list(fields)
    parameters = ", ".join(fields)

    def typed(*args):
        struct_type = struct_typeclass(list(zip(fields, args)))
        body = ["_self = _new(_type)", *(f"_self.{name} = {name}" for name in fields), "return _self"]
        return source_text.function(f"construct({parameters})", body, {"_new": new_object, "_type": struct_type})

    asked = source_text.function(f"asked({parameters})", [f"return _typed({parameters})"], {"_typed": typed})
    overload(py_class)(asked)


class StructRefProxy(Instance):
    """The Python class of structs. A subclass has no `__init__`; it may have `__new__`, which calls this one."""

    __slots__ = ()

    def __new__(cls, *args):
        make = cls.__dict__.get("_rumba_ctor")
        if make is None:
            from .decorators import njit

            make = cls._rumba_ctor = njit(lambda *args: cls(*args))
        return make(*args)

    @property
    def _type(self):
        return rules.type_of(self)

    _numba_type_ = _type
