"""Possible argument types, guessed from the uses of a parameter: something with two indices is a two-dimensional
array, an argument of `range` an integer.

A guess that compiles shows that a function is in order. One that does not compile shows nothing.
"""
import ast
import itertools

from ..types import Array, boolean, float64, int64, unicode_type
from .known_types import of_annotation, _typeof

# Types of numbers and items of arrays that are tried, then types of all arguments alike.
_NUMBERS = ((float64, float64), (int64, float64), (int64, int64), (boolean, int64))
_ALIKE = (float64, int64, Array(float64, 1, "C"), Array(float64, 2, "C"), unicode_type)
_MOST = 12
_INTEGER = "integer"


def guesses(dispatcher, node, definitions):
    """Types for all parameters, the likely ones first; `definitions` has the definitions of a file by first line."""
    function = dispatcher.py_func
    count = function.__code__.co_argcount
    found = []
    if node is not None:
        uses = _uses(function, node, definitions, 3)
        for number, item in _NUMBERS:
            found.append(tuple(_choice(use, number, item) for use in uses))
        if count > 1:
            # One number is an integer and the others are not, or an array has integers.
            for at in range(count):
                for number in (int64, float64):
                    other = float64 if number == int64 else int64
                    found.append(tuple(_choice(use, *((number, number) if at == place else (other, other)))
                                       for place, use in enumerate(uses)))
    found += [(ty,) * count for ty in _ALIKE]
    return list(dict.fromkeys(found))[:_MOST + len(_ALIKE)]


def _choice(use, number, item):
    """The type for a use: a type, a number of dimensions, or none of them."""
    if use == _INTEGER:
        return int64
    if isinstance(use, int):
        return Array(item, use, "C") if use else number
    return use


def _uses(function, node, definitions, depth):
    """What each parameter is used as: a type that is declared, a number of dimensions, or an integer."""
    names = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    dimensions, integers = dict.fromkeys(names, 0), set()
    for inner in ast.walk(node):
        for name, count in _indexed(inner):
            if name in dimensions:
                dimensions[name] = max(dimensions[name], count)
        integers.update(_counted(inner))
        if isinstance(inner, ast.Call) and depth:
            for name, use in _passed_on(inner, function, definitions, depth):
                if use == _INTEGER:
                    integers.add(name)
                elif name in dimensions and isinstance(use, int):
                    dimensions[name] = max(dimensions[name], use)
    defaults = dict(zip(reversed(names), reversed(function.__defaults__ or ())))
    declared = [of_annotation(function.__annotations__.get(name)) or (_typeof(defaults[name]) if name in defaults else None)
                for name in names]
    return [known or dimensions[name] or (_INTEGER if name in integers else 0) for name, known in zip(names, declared)]


def _indexed(node):
    """(name, how many dimensions it has at least) for what a node says of names."""
    if isinstance(node, ast.Subscript):
        count = len(node.slice.elts) if isinstance(node.slice, ast.Tuple) else 1
        owner = node.value
        while isinstance(owner, ast.Subscript):
            owner, count = owner.value, count + 1
        if isinstance(owner, ast.Name):
            yield owner.id, count
        if isinstance(owner, ast.Attribute) and owner.attr == "shape" and isinstance(owner.value, ast.Name):
            at = node.slice.value if isinstance(node.slice, ast.Constant) else 0
            yield owner.value.id, at + 1 if isinstance(at, int) and at >= 0 else 1
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        yield node.value.id, 1
    elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value.value, ast.Name):
            yield node.value.value.id, len(node.targets[0].elts)
    elif isinstance(node, ast.For) and isinstance(node.iter, ast.Name):
        yield node.iter.id, 1
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("len", "enumerate", "zip"):
        for one in node.args:
            if isinstance(one, ast.Name):
                yield one.id, 1


def _counted(node):
    """Names that a node uses as integers: in `range`, as an index, as a length."""
    parts = ()
    if isinstance(node, ast.Call):
        name = getattr(node.func, "attr", getattr(node.func, "id", None))
        if name in ("range", "prange"):
            parts = node.args
        elif name in ("empty", "zeros", "ones", "full", "arange"):
            parts = node.args[:1]
    elif isinstance(node, ast.Subscript):
        parts = (node.slice,)
    elif isinstance(node, ast.BinOp) and isinstance(node.op, (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)):
        parts = (node.left, node.right)
    for inner in itertools.chain.from_iterable(map(_plain_nodes, parts)):
        if isinstance(inner, ast.Name):
            yield inner.id


def _plain_nodes(node):
    """The nodes of an expression that have its kind: not what calls, attributes and items are taken from."""
    yield node
    if isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Slice)):
        for inner in ast.iter_child_nodes(node):
            yield from _plain_nodes(inner)


def _passed_on(node, function, definitions, depth):
    """(name, use) of names that a call passes to another compiled function of the file."""
    called = function.__globals__.get(node.func.id) if isinstance(node.func, ast.Name) else None
    called = getattr(called, "py_func", None)
    inner = definitions.get(called.__code__.co_firstlineno) if called is not None and called is not function else None
    if inner is not None and called.__code__.co_filename == function.__code__.co_filename:
        for given, use in zip(node.args, _uses(called, inner, definitions, depth - 1)):
            if isinstance(given, ast.Name):
                yield given.id, use
