"""Types of objects with fields: structrefs, and instances of compiled classes.

`_class` says once what the objects of a type have; the compiler asks when it meets the type first, so that fields may be of
types that are defined later, or of the type itself.
"""
import functools
import importlib
import os
from types import MappingProxyType

from .base import Callable, Opaque, Type


class StructRef(Type):
    """A reference to a struct of named fields, which may be changed.

    A subclass is a kind of structs, of which there is a type for each combination of types of fields.
    """

    mutable = True
    # The class in Python whose objects stand for values of such types (`rumba.structref.define_boxing`).
    _object_class = None

    def __init__(self, fields):
        fields = tuple(map(_checked, fields))
        self._fields = tuple(map(_checked, self.preprocess_fields(fields)))
        self._typename = type(self).__qualname__
        super().__init__(f"numba.{self._typename}{self._fields}")

    def preprocess_fields(self, fields):
        """The pairs of name and type that the struct has. A subclass may change them."""
        return fields

    @property
    def field_dict(self):
        """Names and types of the fields."""
        return MappingProxyType(dict(self._fields))

    def get_data_type(self):
        """The type of what it refers to."""
        return StructRefPayload(type(self).__name__, self._fields)

    def _parts(self):
        return "instance", self, self.name

    def _class(self):
        return {"fields": self._fields}


def _checked(pair):
    name, typ = pair
    if not isinstance(name, str):
        raise ValueError("expecting a str for field name")
    if not isinstance(typ, Type):
        raise ValueError("expecting a Numba Type for field type")
    return name, typ


class StructRefPayload(Type):
    """What a structref refers to."""

    mutable = True

    def __init__(self, typename, fields):
        self._typename, self._fields = typename, tuple(fields)
        super().__init__(f"numba.{typename}{self._fields}.payload")

    @property
    def field_dict(self):
        """Names and types of the fields."""
        return MappingProxyType(dict(self._fields))


class ClassType(Callable, Opaque):
    """A compiled class as a value. `class_def` is the class as it was written."""

    mutable = True
    kind = "jitclass"

    def __init__(self, class_def, ctor_template_cls, struct, jit_methods, jit_props, jit_static_methods):
        self.class_name, self.class_doc = class_def.__name__, class_def.__doc__
        self.class_def, self._ctor_template_class = class_def, ctor_template_cls
        self.struct, self.jit_methods = struct, jit_methods
        self.jit_props, self.jit_static_methods = jit_props, jit_static_methods
        # What `rumba.classes.jitclass` adds.
        self.jit_class_methods, self.constructor, self.object_class = {}, None, None
        # The names of the fields that say alone which instances are equal, and never change; None if no such fields do.
        self.identifying = None
        fields = ",".join(f"{name}:{ty}" for name, ty in struct.items())
        super().__init__(f"{self.kind}.{self.class_name}#{id(self):x}<{fields}>")

    def __reduce__(self):
        generic = self.class_def.__dict__.get("_generic")
        if generic is not None:
            return _class_type_of, generic
        number = _numbers.setdefault(self, len(_numbers))
        return _class_type, (_process, number, self.class_def.__module__, self.class_def.__qualname__)

    @property
    def methods(self):
        """The methods as they were written."""
        return {name: method.py_func for name, method in self.jit_methods.items()}

    @property
    def static_methods(self):
        """The static methods as they were written."""
        return {name: method.py_func for name, method in self.jit_static_methods.items()}

    @property
    def instance_type(self):
        """The type of its instances."""
        return ClassInstanceType(self)

    def ancestors(self):
        """The classes that its instances are instances of in Python, as they were written, itself first."""
        found = {self.class_def: None}
        for base in self.class_def.__mro__[1:-1]:
            if isinstance(compiled := getattr(base, "class_type", None), ClassType):
                found |= compiled.ancestors()
        return found

    def _parts(self):
        return "class", self.instance_type


# Compiled classes that were pickled, and what tells this process from others: here a class need not be found by its name.
_numbers, _process = {}, os.urandom(8)


def _class_type_of(generic, types):
    return generic[types].class_type


def _class_type(process, number, module, name):
    if process == _process:
        return next(known for known, own in _numbers.items() if own == number)
    return functools.reduce(getattr, name.split("."), importlib.import_module(module)).class_type


class ClassInstanceType(Type):
    """An instance of a compiled class."""

    mutable = True

    def __init__(self, class_type):
        self.class_type = class_type
        super().__init__(f"instance.{class_type.name}")

    @property
    def key(self):
        return self.class_type.key

    @property
    def classname(self):
        """The name of the class."""
        return self.class_type.class_name

    @property
    def struct(self):
        """Names and types of the fields."""
        return self.class_type.struct

    def __getattr__(self, name):
        # What the class has, under the same name.
        if name in ("jit_props", "jit_methods", "jit_static_methods", "methods", "static_methods"):
            return getattr(self.class_type, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def get_data_type(self):
        """The type of the fields as they lie in memory."""
        return ClassDataType(self)

    def get_reference_type(self):
        """The type of a reference to it: the same."""
        return self

    @property
    def _object_class(self):
        return self.class_type.object_class

    def _parts(self):
        return "instance", self, self.name

    def _class(self):
        known = self.class_type
        members = [(name, "method", method, None) for name, method in known.jit_methods.items()]
        members += [(name, "static", method, None) for name, method in known.jit_static_methods.items()]
        members += [(name, "class", method, None) for name, method in known.jit_class_methods.items()]
        members += [(name, "property", prop.get("get"), prop.get("set")) for name, prop in known.jit_props.items()]
        return {"fields": tuple(known.struct.items()), "members": tuple(members), "constructor": known.constructor,
                "constants": known.class_def, "ancestors": tuple(known.ancestors()),
                "identifying": known.identifying, "sets_all_fields": known.kind == "jitclass"}


class ClassDataType(Type):
    """The fields of an instance as they lie in memory."""

    def __init__(self, class_type):
        self.class_type = class_type
        super().__init__(f"data.{class_type.name}")
