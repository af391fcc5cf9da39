"""The Explicit stage with polymorphic arithmetic: `c = add(a, b)` of scalars of any one type, which is resolved last.

    >>> from rumba import stages
    >>> from rumba.stages import polymorphic
    >>> def total(a, b):
    ...     return a + b
    >>> module = polymorphic.generalized(stages.explicit(total, "(float64, float64)").terms())
    >>> [defn.value.op for block in module.units[0].blocks for defn in block.defns]
    ['arg', 'arg', 'add']
    >>> stages.explicit(total, "(float64, float64)").with_terms(module).compile()(1.5, 2.0)
    3.5

Source: "Numba Intermediate Representation Specification", "Low-level Portable IR".

Absent: operations whose meaning is more than the types of their operands, such as signed and unsigned division.
"""
import copy

from ..normalized import Transformer
from . import terms

# The operation on integers and that on floats, by the polymorphic one.
OPERATIONS = {"add": ("iadd", "fadd"), "sub": ("isub", "fsub"), "mul": ("imul", "fmul")}
_GENERAL = {op: name for name, ops in OPERATIONS.items() for op in ops}
_FLOATS = ("f32", "f64")


def generalized(module):
    """A copy of a module in which arithmetic is polymorphic."""
    return _Renamed(lambda op: _GENERAL.get(op.op)).visit(copy.deepcopy(module))


def resolved(module):
    """A copy of a module in which the types of operands say which operation is meant. FormatError where they have none or differ."""
    copied = copy.deepcopy(module)
    types = {}
    for unit in copied.units:
        for block in getattr(unit, "blocks", ()):
            types.update((result.name, result.type) for defn in block.defns for result in defn.results)

    def chosen(op):
        if op.op not in OPERATIONS:
            return None
        given = {types.get(operand) for operand in op.operands}
        if len(given) != 1 or None in given or not op.operands:
            raise terms.FormatError(f"`{op.op}` of {', '.join(op.operands)}: the operands have to have one type, and have {_shown(given)}")
        return OPERATIONS[op.op][given <= set(_FLOATS)]

    return _Renamed(chosen).visit(copied)


def _shown(types):
    return ", ".join(sorted(str(one) for one in types)) or "none"


class _Renamed(Transformer):
    def __init__(self, name_of):
        self._name_of = name_of

    def visit_Op(self, node):
        name = self._name_of(node)
        return node if name is None else terms.Op(name, node.immediates, node.operands)
