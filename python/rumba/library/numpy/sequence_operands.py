"""Operators between arrays and lists, ranges and tuples of numbers, which count as arrays."""
import numpy

from ... import source_text
from ...extending import Effects
from .. import library
from .._array_like import is_sequence
from .._predicates import is_array

_OPERATORS = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@", "and": "&", "or": "|",
    "xor": "^", "lshift": "<<", "rshift": ">>", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}
_COMPARISONS = ("lt", "le", "gt", "ge")


def between(operator):
    """The overload of an operator of an array and a sequence, in the order in which they are written."""
    def implementation(left, right):
        text = f"return {left} {operator} {right}"
        return source_text.function("apply(self, other, /)", [text], {"numpy": numpy})
    after, before = implementation("self", "numpy.asarray(other)"), implementation("numpy.asarray(self)", "other")

    def overload(self, other, /):
        if is_array(self) and is_sequence(other):
            return after
        return before if is_sequence(self) and is_array(other) else None
    return overload


def _in_place(operator):
    changed = source_text.function(
        "apply(self, other, /)", [f"self {operator}= numpy.asarray(other)", "return self"], {"numpy": numpy})
    return lambda self, other, /: changed if is_array(self) and is_sequence(other) else None


for _name, _operator in _OPERATORS.items():
    library(f"numpy.ndarray.__{_name}__")(between(_operator))
    library(f"numpy.ndarray.__r{_name}__")(between(_operator))
    if _name not in _COMPARISONS:
        library(f"numpy.ndarray.__i{_name}__", effects=Effects(mutates="self", returns="self"))(_in_place(_operator))
