"""Normalized IR: Python's syntax with fewer cases, as data that can be read, edited, stored and compiled.

    >>> from rumba import normalized
    >>> program = normalized.normalize("y = 0 < x < 9")
    >>> print(normalized.dumps_text(program), end="")
    Assign(Name('y', Store()), Let('$0', Constant(0, None), Let('$1', Name('x', Load()), BoolOp(Compare(Name('$0', Load()), Lt(), \
Name('$1', Load())), And(), Compare(Name('$1', Load()), Lt(), Constant(9, None))))))
    >>> print(normalized.unparse(program))
    y = 0 < x < 9

The schema (`SCHEMA`, the file `Normalized.asdl`) is the one source of the classes of nodes, of the validator, the visitors and the file formats.
`njit(normalized=[...])` applies passes to a function before it is compiled: each gets its `FunctionDef` and returns one.

Source: "Numba Intermediate Representation Specification", the stage "Normalized IR".

Absent: the compiler. A normalized function goes on through CPython's own `compile`.
"""
import ast

from . import nodes
from .asdl import SchemaError
from .from_ast import from_ast
from .functions import of_function, to_function, transform
from .nodes import SCHEMA, Node, is_same
from .serialize import FormatError, dumps_json, dumps_text, flatten, loads_json, loads_text, unflatten
from .to_ast import to_ast
from .validate import ValidationError, validate
from .visitors import Transformer, Visitor, children, walk

__all__ = [
    "FormatError", "Node", "SCHEMA", "SchemaError", "Transformer", "ValidationError", "Visitor", "children", "dumps_json", "dumps_text",
    "flatten", "from_ast", "is_same", "loads_json", "loads_text", "nodes", "normalize", "of_function", "to_ast", "to_function", "transform",
    "unflatten", "unparse", "validate", "walk",
]


def normalize(source):
    """Normalized IR of a program.

    Parameters
    ----------
    source : str, bytes, or function
        The text of a module, or a Python function whose source is known.

    Returns
    -------
    list of stmt, or FunctionDef for a function

    Raises
    ------
    SyntaxError
        If the text is no program.
    """
    return from_ast(ast.parse(source)) if isinstance(source, (str, bytes)) else of_function(source)


def unparse(tree):
    """Python source for Normalized IR: comments and layout are not in it."""
    return ast.unparse(to_ast(tree))
