"""Compile errors as data: the attribute `diagnostic` of the exceptions in `rumba.errors`.

Lines count from 1. Columns count bytes of UTF-8 from 0, as CPython's own; they are None where the
code object does not tell them.
"""
from collections import namedtuple


class Place(namedtuple("Place", "filename line col end_line end_col function")):
    """A stretch of source text in a function."""

    __slots__ = ()

    def strformat(self):
        """One line of text."""
        return f'File "{self.filename}", line {self.line}, in {self.function}'


class Label(namedtuple("Label", "place text")):
    """A location with a message."""

    __slots__ = ()


class Diagnostic(namedtuple("Diagnostic", "code title message place labels notes hint calls")):
    """A compile error: its stable code with a title, message, primary location, labels, notes, a hint (or None), and
    the locations of the calls that led to the function, innermost first."""

    __slots__ = ()
