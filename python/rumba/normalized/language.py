"""Languages of trees: the classes of nodes that a schema describes.

Absent: the schemas (`nodes`, `rumba.stages.terms`), and what is done with trees (`validate`, `serialize`, `visitors`).
"""
import os

from . import asdl


class Node:
    """A node of a language.

    `_fields` and `_attributes` are the names of its fields and attributes, `_constructor` its row of the schema, `_language` what it is of.
    `repr(node)` is text that `loads_text` reads.
    """

    _constructor = _language = None
    _fields = _attributes = ()

    def __init__(self, *args, **named):
        if len(args) > len(self._fields):
            raise TypeError(f"{type(self).__name__} has {len(self._fields)} fields, and got {len(args)} values")
        for name, value in zip(self._fields, args):
            setattr(self, name, value)
        if named or len(args) < len(self._fields):
            self._take_named(len(args), named)

    def _take_named(self, count, named):
        """Sets the fields behind the first `count`, and attributes."""
        for name in self._fields[:count]:
            if name in named:
                raise TypeError(f"{type(self).__name__} got its field {name!r} twice")
        for field in self._constructor.fields[count:]:
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


class Language:
    """The classes of a schema, one for each type and constructor.

    Attributes
    ----------
    name : str
        What JSON calls the format; the module of the classes.
    schema : Schema
        What they were made of.
    classes : dict of str to type
        By the names of the schema.
    """

    def __init__(self, name, schema, module):
        self.name, self.schema, self.classes = name, schema, {}
        for type_name, names in schema.types.items():
            is_product = names == (type_name,)
            base = Node if is_product else type(type_name, (Node,), {
                "__module__": module, "__doc__": f"A {type_name}: {', '.join(names)}.", "_language": self})
            if not is_product:
                self.classes[type_name] = base
            for one in names:
                self.classes[one] = self._constructor(schema.constructors[one], base, module)

    @classmethod
    def of_file(cls, name, module_file, schema_file, module):
        """The language of a schema file that lies beside the file of a module."""
        with open(os.path.join(os.path.dirname(module_file), schema_file), encoding="utf-8") as file:
            return cls(name, asdl.parse(file.read()), module)

    def stand_in(self, cls):
        """A class of a user, derived from one of the classes, whose nodes are made from here on in its place. Returns the class.

        TypeError if it is derived from none, or from several.
        """
        ours = [name for name, known in self.classes.items() if known._constructor is not None and issubclass(cls, known)]
        if len(ours) != 1:
            raise TypeError(f"{cls.__name__} stands for {len(ours)} constructors of {self.name}, and has to be derived from one")
        self.classes[ours[0]] = cls
        return cls

    def _constructor(self, row, base, module):
        fields = ", ".join(field.type + "?" * field.is_optional + "*" * field.is_repeated + " " + field.name for field in row.fields)
        # Attributes are None until they are set.
        return type(row.name, (base,), dict.fromkeys((field.name for field in row.attributes)) | {
            "__module__": module, "__doc__": f"{row.name}({fields})", "_constructor": row, "_language": self,
            "_fields": tuple(field.name for field in row.fields), "_attributes": tuple(field.name for field in row.attributes)})
