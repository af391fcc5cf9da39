"""The classes of Normalized IR: one for each type and constructor of the schema, made when this module is imported.

A node takes its fields by position or by name, and attributes (its position in the source) by name. Fields are checked by `validate`, not when
they are set, so that a pass may change a tree step by step.
"""
import os

from . import asdl

with open(os.path.join(os.path.dirname(__file__), "Normalized.asdl"), encoding="utf-8") as _file:
    SCHEMA = asdl.parse(_file.read())


class Node:
    """A node of Normalized IR.

    `_fields` and `_attributes` are the names of its fields and attributes, `_constructor` its row of the schema. `repr(node)` is text that
    `rumba.normalized.loads_text` reads.
    """

    _constructor = None
    _fields = _attributes = ()

    def __init__(self, *args, **named):
        if len(args) > len(self._fields):
            raise TypeError(f"{type(self).__name__} has {len(self._fields)} fields, and got {len(args)} values")
        for name in self._attributes:
            setattr(self, name, None)
        for name, value in zip(self._fields, args):
            if name in named:
                raise TypeError(f"{type(self).__name__} got its field {name!r} twice")
            setattr(self, name, value)
        for field in self._constructor.fields[len(args):]:
            if field.name in named:
                setattr(self, field.name, named.pop(field.name))
            elif field.is_repeated:
                setattr(self, field.name, [])
            elif field.is_optional:
                setattr(self, field.name, None)
            else:
                raise TypeError(f"{type(self).__name__} needs a value for its field {field.name!r}")
        for name, value in named.items():
            if name not in self._attributes:
                raise TypeError(f"{type(self).__name__} has no field {name!r}")
            setattr(self, name, value)

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(repr(getattr(self, name)) for name in self._fields)})"


def is_same(a, b):
    """Whether two trees have the same nodes and values; where they stand in the source does not matter.

    >>> is_same(Name("x", Load()), Name("x", Load()))
    True
    """
    pending = [(a, b)]
    while pending:
        a, b = pending.pop()
        if type(a) is not type(b):
            return False
        if isinstance(a, Node):
            pending += ((getattr(a, name), getattr(b, name)) for name in a._fields)
        elif isinstance(a, (list, tuple)):
            if len(a) != len(b):
                return False
            pending += zip(a, b)
        elif repr(a) != repr(b):
            # As constants of code: 0.0 is not -0.0, and nan is itself.
            return False
    return True


def _define():
    made = {}
    for type_name, names in SCHEMA.types.items():
        is_product = names == (type_name,)
        base = Node if is_product else type(type_name, (Node,), {"__module__": __name__, "__doc__": f"A {type_name}: {', '.join(names)}."})
        if not is_product:
            made[type_name] = base
        for name in names:
            row = SCHEMA.constructors[name]
            fields = ", ".join(field.type + "?" * field.is_optional + "*" * field.is_repeated + " " + field.name for field in row.fields)
            made[name] = type(name, (base,), {
                "__module__": __name__, "__doc__": f"{name}({fields})", "_constructor": row,
                "_fields": tuple(field.name for field in row.fields), "_attributes": tuple(field.name for field in row.attributes)})
    return made


CLASSES = _define()
globals().update(CLASSES)
