"""Argument types that are known without running the program: from annotations, defaults, and calls.

An expression has a type here if that follows from literals, from global variables of the module, which is imported, from
functions of NumPy that create arrays, and from variables that are assigned once. Everything else is not known.
"""
import ast

import numpy as np

from ..errors import NumbaError
from ..types import Array, BaseTuple, from_dtype, typeof
from ..types.hints import as_numba_type

# Functions of NumPy that make arrays: where the shape stands and what the items are if no dtype is given.
_BY_SHAPE = {"zeros": "float64", "ones": "float64", "empty": "float64", "full": None}
_VECTORS = {"linspace": "float64", "logspace": "float64", "geomspace": "float64"}
_MATRICES = {"eye": "float64", "identity": "float64"}
# Those of numpy.random: by lengths as arguments, and by a shape as the last one.
_LENGTHS = {"rand": "float64", "randn": "float64"}
_SIZED = {"random": "float64", "random_sample": "float64", "uniform": "float64", "normal": "float64", "standard_normal": "float64",
          "exponential": "float64", "randint": "int64", "integers": "int64"}


def of_signature(function):
    """Types of all parameters, from annotations and defaults; None if one has neither."""
    import inspect
    import typing

    try:
        hints = typing.get_type_hints(function)
    except Exception:  # names that exist for type checkers alone, and whatever else evaluation raises
        hints = {}
    types = []
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            return None
        known = of_annotation(hints.get(name))
        if known is None and parameter.default is not parameter.empty:
            known = _typeof(parameter.default)
        if known is None:
            return None
        types.append(known)
    return tuple(types)


def of_annotation(annotation):
    """The type that an annotation stands for, or None."""
    if isinstance(annotation, type) and issubclass(annotation, np.generic) and annotation is not np.generic:
        return _typeof(annotation(0))
    try:
        return None if annotation is None else as_numba_type.try_infer(annotation)
    except NumbaError:
        return None


def of_calls(tree, module, dispatchers):
    """What a file calls compiled functions with outside of compiled functions: id(dispatcher) -> {types: line}, in the file's order."""
    lines = {dispatcher.py_func.__code__.co_firstlineno for dispatcher in dispatchers}
    found = {}
    _Calls(module, lines, found).visit(tree)
    return found


class _Calls(ast.NodeVisitor):
    """Goes through plain Python code, function by function."""

    def __init__(self, module, compiled_lines, found, scopes=()):
        self._space, self._lines, self._found, self._scopes = vars(module), compiled_lines, found, scopes

    def visit_Module(self, node):
        self._enter(node, node.body, ())

    def visit_FunctionDef(self, node):
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        if first not in self._lines:
            named = (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs, node.args.vararg, node.args.kwarg)
            self._enter(node, node.body, [one.arg for one in named if one is not None])

    visit_AsyncFunctionDef = visit_FunctionDef

    def _enter(self, node, body, parameters):
        scope = _Scope(node, parameters, is_module=isinstance(node, ast.Module))
        inner = _Calls.__new__(_Calls)
        inner.__dict__.update(self.__dict__, _scopes=(*self._scopes, scope))
        for statement in body:
            inner.visit(statement)

    def visit_Call(self, node):
        self.generic_visit(node)
        of = Types(self._space, self._scopes)
        dispatcher = of.value(node.func)
        if not hasattr(dispatcher, "py_func") or any(isinstance(one, ast.Starred) for one in node.args):
            return
        types = _bind(dispatcher.py_func, [of.type(one) for one in node.args],
                      {one.arg: of.type(one.value) for one in node.keywords})
        if types is not None:
            self._found.setdefault(id(dispatcher), {}).setdefault(types, node.lineno)


def _bind(function, args, keywords):
    """The types of all parameters for a call; None if they are not known."""
    import inspect

    try:
        bound = inspect.signature(function).bind(*args, **keywords)
    except TypeError:
        # What does not fit is the type checker's, or never runs.
        return None
    types = []
    for name, parameter in bound.signature.parameters.items():
        if parameter.kind not in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD):
            return None
        types.append(bound.arguments[name] if name in bound.arguments else _typeof(parameter.default))
    return None if None in types else tuple(types)


class _Scope:
    """The variables of a function or module: name -> the expression that is assigned, or None where more is."""

    def __init__(self, node, parameters, is_module):
        self.is_module = is_module
        self.names = dict.fromkeys(parameters)
        for inner in _own_nodes(node):
            if isinstance(inner, ast.Assign) and len(inner.targets) == 1 and isinstance(inner.targets[0], ast.Name):
                name = inner.targets[0].id
                self.names[name] = None if name in self.names else inner.value
                inner.targets[0]._is_first = True
        for inner in _own_nodes(node):
            if isinstance(inner, ast.Name) and isinstance(inner.ctx, (ast.Store, ast.Del)) and not hasattr(inner, "_is_first"):
                self.names[inner.id] = None


def _own_nodes(node):
    """The nodes below one, without those of inner functions and classes."""
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        one = waiting.pop(0)
        yield one
        if not isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            waiting += ast.iter_child_nodes(one)


class Types:
    """Types of expressions in some scopes, of which the last is the innermost. `depth` bounds chains of variables."""

    def __init__(self, space, scopes=(), depth=20):
        self._space, self._scopes, self._depth = space, scopes, depth

    def value(self, node):
        """What a name, or an attribute of it, is in the module; None if that is not known."""
        if isinstance(node, ast.Attribute):
            owner = self.value(node.value)
            return None if owner is None else getattr(owner, node.attr, None)
        if not isinstance(node, ast.Name) or any(node.id in scope.names for scope in self._scopes if not scope.is_module):
            return None
        import builtins

        return self._space.get(node.id, getattr(builtins, node.id, None))

    def type(self, node):
        """The type of an expression as an argument; None if that is not known."""
        if self._depth == 0:
            return None
        rule = getattr(self, f"_{type(node).__name__.lower()}", None)
        try:
            return rule(node) if rule else None
        except (TypeError, ValueError, AttributeError):
            # NumPy, or the table of types, refuses what stands there: so would the program.
            return None

    def _inner(self):
        return Types(self._space, self._scopes, self._depth - 1)

    def _constant(self, node):
        return _typeof(node.value)

    def _name(self, node):
        for scope in reversed(self._scopes):
            if node.id in scope.names:
                assigned = scope.names[node.id]
                if assigned is not None:
                    found = self._inner().type(assigned)
                    if found is not None:
                        return found
                if not scope.is_module:
                    return None
        return _typeof(self._space[node.id]) if node.id in self._space else None

    def _attribute(self, node):
        found = self.value(node)
        return None if found is None else _typeof(found)

    def _tuple(self, node):
        items = [self.type(one) for one in node.elts]
        return None if None in items else BaseTuple.from_types(items)

    def _list(self, node):
        return _typeof(ast.literal_eval(node))

    def _compare(self, node):
        return typeof(True) if _is_number(self.type(node.left)) else None

    def _unaryop(self, node):
        return typeof(True) if isinstance(node.op, ast.Not) else self.type(node.operand)

    def _binop(self, node):
        left, right = self.type(node.left), self.type(node.right)
        integer, real = typeof(1), typeof(1.0)
        if {left, right} <= {integer, real}:
            whole = left == right == integer and not isinstance(node.op, (ast.Div, ast.Pow))
            return integer if whole else None if isinstance(node.op, ast.Pow) and left == right == integer else real
        return None

    def _call(self, node):
        if isinstance(node.func, ast.Attribute) and self.value(node.func) is None:
            return self._method(node)
        called = self.value(node.func)
        if called in (int, float, bool, str, complex):
            return typeof(called())
        if called is len:
            return typeof(1)
        return self._array(getattr(called, "__module__", None), getattr(called, "__name__", None), called, node)

    def _method(self, node):
        """The type of what a method of an array gives."""
        owner, name = self.type(node.func.value), node.func.attr
        if not isinstance(owner, Array):
            return None
        if name == "copy":
            return Array(owner.dtype, owner.ndim, "C")
        if name == "astype" and node.args:
            dtype = self._dtype(node.args[0])
            return dtype and Array(dtype, owner.ndim, "C")
        if name == "reshape":
            ndim = self._dimensions(node.args[0]) if len(node.args) == 1 else len(node.args)
            return ndim and owner.layout == "C" and Array(owner.dtype, ndim, "C") or None
        return None

    def _array(self, module, name, called, node):
        """The type of what a function of NumPy creates."""
        keywords = {one.arg: one.value for one in node.keywords}
        if isinstance(called, type) and issubclass(called, np.generic):
            return _typeof(called(0))
        if called is not None and called in (np.array, np.asarray) and len(node.args) == 1:
            dtype = self._dtype(keywords["dtype"]) if "dtype" in keywords else None
            made = _typeof(np.array(ast.literal_eval(node.args[0])))
            return made if "dtype" not in keywords else dtype and Array(dtype, made.ndim, "C")
        if called is getattr(np, name or "", None) is not None:
            return self._created(name, node, keywords)
        if getattr(called, "__self__", None) is np.random.rand.__self__:
            return self._random(name, node, keywords)
        return None

    def _created(self, name, node, keywords):
        ndim = 1 if name in _VECTORS or name == "arange" else 2 if name in _MATRICES else None
        if name in _BY_SHAPE:
            shape = node.args[0] if node.args else keywords.get("shape")
            ndim = shape is not None and self._dimensions(shape)
        if not ndim or "order" in keywords:
            return None
        position = {"zeros": 1, "ones": 1, "empty": 1, "full": 2}.get(name)
        given = keywords.get("dtype", node.args[position] if position and len(node.args) > position else None)
        if given is not None:
            dtype = self._dtype(given)
        elif name == "arange":
            kinds = {self.type(one) for one in node.args}
            dtype = None if None in kinds else typeof(1.0) if typeof(1.0) in kinds else typeof(1)
        elif name == "full":
            dtype = self.type(node.args[1]) if len(node.args) > 1 else None
        else:
            dtype = from_dtype(np.dtype({**_BY_SHAPE, **_VECTORS, **_MATRICES}[name]))
        return dtype and Array(dtype, ndim, "C")

    def _random(self, name, node, keywords):
        if name in _LENGTHS:
            return Array(from_dtype(np.dtype(_LENGTHS[name])), len(node.args), "C") if node.args else typeof(1.0)
        if name not in _SIZED:
            return None
        dtype = from_dtype(np.dtype(_SIZED[name]))
        alone = node.args[0] if name in ("random", "random_sample") and node.args else None
        size = keywords.get("size", alone)
        if size is None:
            at = 1 if name == "standard_normal" else 2
            size = node.args[at] if len(node.args) > at else None
        if size is None:
            return dtype
        ndim = self._dimensions(size)
        return ndim and Array(dtype, ndim, "C")

    def _dimensions(self, node):
        """How many dimensions a shape has."""
        if isinstance(node, (ast.Tuple, ast.List)):
            return len(node.elts)
        known = self.type(node)
        return 1 if known == typeof(1) else len(known) if hasattr(known, "__len__") else None

    def _dtype(self, node):
        found = node.value if isinstance(node, ast.Constant) else self.value(node)
        return None if found is None else from_dtype(np.dtype(found))


def _is_number(ty):
    return ty in (typeof(1), typeof(1.0), typeof(True))


def _typeof(value):
    """The type of a value as an argument; None if it has none."""
    try:
        return typeof(value)
    except (NumbaError, ValueError, TypeError, NotImplementedError):
        return None
