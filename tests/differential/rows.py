"""The form of a row of the grammar. The rows themselves: `grammar`, `grammar_widths`, `grammar_modules`."""
from collections import namedtuple


# name: what coverage shows. group: for switching off. params: types of the operands; a type that
# ends in "!" must not be a constant expression (CPython would fold it, and a literal has other
# rules). order: the order of evaluation where it is not that of the operands. lazy: operands that
# may not be evaluated. aug: the row's augmented assignment.
Row = namedtuple("Row", "name group result params python emulated order lazy aug weight")


def row(name, group, result, params, python, emulated=None, *, order=None, lazy=(), aug=None, weight=1.0):
    """A row whose emulation is the expression itself if none is given."""
    params = tuple(params)
    order = tuple(range(len(params))) if order is None else order
    return Row(name, group, result, params, python, emulated or python, order, lazy, aug, weight)


def binary(group, op, result, pairs, emulated=None, weight=1.0, inplace=True):
    """An infix operator for pairs of types."""
    python = f"({{0}} {op} {{1}})"
    for a, b in pairs:
        aug = f"{op}= {{1}}" if inplace and a.rstrip("!") == result else None
        name = f"{a.rstrip('!')} {op} {b.rstrip('!')}"
        yield row(name, group, result, (a, b), python, emulated or python, aug=aug, weight=weight)
