"""Compile errors as data: the attribute `diagnostic` of the exceptions in `rumba.errors`.

Lines count from 1. Columns count bytes of UTF-8 from 0, as CPython's own; they are None where the
code object does not tell them.
"""
from collections import namedtuple


class Place(namedtuple("Place", "filename line col end_line end_col function")):
    """A stretch of source text in a function."""

    __slots__ = ()

    def strformat(self):
        """One line for people."""
        return f'File "{self.filename}", line {self.line}, in {self.function}'


class Label(namedtuple("Label", "place text")):
    """A place and what is to be said of it."""

    __slots__ = ()


class Diagnostic(namedtuple("Diagnostic", "code title message place labels notes hint calls")):
    """A compile error: stable code and its title, message, primary place, labels, notes, a way out
    (or None), and the places of the calls that led to the function, the nearest first."""

    __slots__ = ()
