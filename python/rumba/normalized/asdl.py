"""Reads schemas in the Zephyr Abstract Syntax Description Language, as Python's own `Python.asdl` is written.

Source: Wang, Appel, Korn, Serra, "The Zephyr Abstract Syntax Description Language", DSL 1997. A list in which items may be missing (`expr?*`) is
as in the grammar of CPython.
"""
import re
from typing import NamedTuple

_TOKEN = re.compile(r"\s*(?:--[^\n]*\n\s*)*([A-Za-z_]\w*|[={}(),|?*]|$)")


class Field(NamedTuple):
    """A field of a constructor: `type name`, `type? name` (optional), `type* name` (repeated), `type?* name` (repeated, items optional)."""

    type: str
    name: str
    is_optional: bool
    is_repeated: bool


class Constructor(NamedTuple):
    """An alternative of a sum type, or the only one of a product type."""

    name: str
    fields: tuple
    attributes: tuple
    type: str


class Schema(NamedTuple):
    """A module: for each type the names of its constructors, and the constructors by name.

    A product type has one constructor, of its own name.
    """

    name: str
    types: dict
    constructors: dict


class SchemaError(ValueError):
    """A schema that is not well formed; the message has the line."""


def parse(text):
    """The `Schema` that a text describes; SchemaError with the line if it is not well formed."""
    return _Reader(text).module()


class _Reader:
    def __init__(self, text):
        self._text, self._at = text, 0
        self._advance()

    def _advance(self):
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            self._fail(f"unexpected {self._text[self._at:].lstrip()[:1]!r}")
        self._at, self._token = match.end(), match.group(1)

    def _fail(self, message):
        raise SchemaError(f"line {self._text.count(chr(10), 0, self._at) + 1}: {message}")

    def _take(self, *wanted):
        """Whether the next token is one of these, which is then read."""
        if self._token not in wanted:
            return False
        self._advance()
        return True

    def _expect(self, wanted):
        if not self._take(wanted):
            self._fail(f"expected {wanted!r} before {self._token or 'the end'!r}")

    def _identifier(self):
        name = self._token
        if not name.isidentifier():
            self._fail(f"expected a name before {name or 'the end'!r}")
        self._advance()
        return name

    def module(self):
        self._expect("module")
        name = self._identifier()
        self._expect("{")
        types, constructors = {}, {}
        while not self._take("}"):
            type_name = self._identifier()
            self._expect("=")
            if type_name in types:
                self._fail(f"the type {type_name} is defined twice")
            made = self._product(type_name) if self._token == "(" else self._sum(type_name)
            types[type_name] = tuple(one.name for one in made)
            for one in made:
                if one.name in constructors:
                    self._fail(f"the constructor {one.name} is defined twice")
                constructors[one.name] = one
        return Schema(name, types, constructors)

    def _product(self, type_name):
        fields = self._fields()
        return [Constructor(type_name, fields, self._attributes(), type_name)]

    def _sum(self, type_name):
        made = [self._alternative()]
        while self._take("|"):
            made.append(self._alternative())
        attributes = self._attributes()
        return [Constructor(name, fields, attributes, type_name) for name, fields in made]

    def _alternative(self):
        return self._identifier(), self._fields() if self._token == "(" else ()

    def _attributes(self):
        return self._fields() if self._take("attributes") else ()

    def _fields(self):
        self._expect("(")
        fields = []
        while not self._take(")"):
            if fields:
                self._expect(",")
            type_name = self._identifier()
            is_optional, is_repeated = self._take("?"), self._take("*")
            fields.append(Field(type_name, self._identifier(), is_optional, is_repeated))
        return tuple(fields)
