"""What calls of compiled functions are on Python objects, for the interpreter of the Typed phase.

Functions of Rumba's library stand for functions of Python and NumPy, which are called in their place. Absent: the library itself.
"""
import functools
import importlib
import inspect
import operator
import types

from .._rumba import Dispatcher
from .array_expressions import evaluate

_KINDS = inspect.Parameter
_BY_POSITION = _KINDS.POSITIONAL_ONLY, _KINDS.POSITIONAL_OR_KEYWORD
_STARRED = _KINDS.VAR_POSITIONAL, _KINDS.VAR_KEYWORD
# What the library calls functions that Python has no name for.
_NAMELESS = {
    "builtins.dict.__merge__": lambda one, other: {**one, **other},
    "rumba.items_equal": lambda one, other: one is other or one == other,
    "builtins.max.by_key": lambda *values: _by_key(max, values),
    "builtins.min.by_key": lambda *values: _by_key(min, values),
    "rumba.arrayexpr": evaluate,
    "rumba.setitem": operator.setitem,
    "rumba.delitem": operator.delitem,
}
# How the library calls versions of a function: for several threads, and of the text of an array expression.
_PARALLEL, _EXPRESSION = ".in_parallel", ".of_expression"


def callee(dispatcher, name):
    """What a call of a compiled function with one argument per parameter runs: `name` is the function's, or what it implements."""
    function = dispatcher.__wrapped__
    is_of_library = function.__module__ is None or function.__module__.startswith("rumba.library")
    return by_parameters(original(name) if is_of_library and "." in name else uncompiled(function), function)


class Uncompiled(dict):
    """The names of a module, where compiled functions are the functions that they were made of.

    >>> import rumba
    >>> add = rumba.njit(lambda a, b: a + b)
    >>> Uncompiled({"add": add})["add"]([1], ["one"])
    [1, 'one']
    """

    def __getitem__(self, name):
        value = super().__getitem__(name)
        return uncompiled(value.__wrapped__) if isinstance(value, Dispatcher) else value


def uncompiled(function):
    """A Python function that calls no compiled ones, by names of its module or of functions around it."""
    made = types.FunctionType(function.__code__, Uncompiled(function.__globals__), function.__name__, function.__defaults__,
                              function.__closure__ and tuple(map(_uncompiled_cell, function.__closure__)))
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _uncompiled_cell(cell):
    """The cell, or one that holds the function that a compiled one was made of."""
    try:
        value = cell.cell_contents
    except ValueError:
        return cell
    return types.CellType(value.__wrapped__) if isinstance(value, Dispatcher) else cell


def by_parameters(function, like):
    """`function`, called with one argument for each parameter of `like`.

    >>> by_parameters(sorted, lambda items, /, *, key=None, reverse=False: None)([1, 2], None, True)
    [2, 1]
    """
    # `*args` and `**kwargs` come last, as among the variables of the function's code.
    parameters = sorted(inspect.signature(like).parameters.values(), key=lambda parameter: parameter.kind in _STARRED)
    if all(parameter.kind in _BY_POSITION and parameter.default is _KINDS.empty for parameter in parameters):
        return function

    def call(*args):
        positional, absent, named = [], [], {}
        for parameter, value in zip(parameters, args, strict=True):
            if parameter.kind is _KINDS.VAR_POSITIONAL:
                positional.extend(value)
            elif parameter.kind is _KINDS.VAR_KEYWORD:
                named.update(value)
            elif value is parameter.default:
                # A default of the library may stand for an argument that is not there.
                absent.append(value)
            elif parameter.kind is _KINDS.POSITIONAL_ONLY or parameter.kind is _KINDS.POSITIONAL_OR_KEYWORD and not absent:
                positional += [*absent, value]
                absent = []
            else:
                named[parameter.name] = value
        return function(*positional, **named)

    return call


def _by_key(choose, values):
    """`max` or `min` of values, after which their keys follow."""
    half = len(values) // 2
    return values[choose(range(half), key=lambda at: values[half + at])]


def nameless(path):
    """The function, if it is one that the compiler uses and Python has no name for."""
    return _NAMELESS.get(path)


@functools.cache
def original(path):
    """The function of Python or NumPy that has a dotted name, or a function that takes the object whose method or attribute it is.

    >>> original("math.hypot")(3, 4), original("reflected list(int64).count()")([1, 1], 1), original("complex128.real")(2j)
    (5.0, 2, 0.0)

    Reflected operators take their operands as they are written.

    >>> original("builtins.list.__radd__")([1], [2]), original("builtins.list.__rmul__")(2, [1])
    ([1, 2], [1, 1])
    """
    path = path.removesuffix(_PARALLEL)
    if path in _NAMELESS:
        return _NAMELESS[path]
    name = path.removesuffix("()").rpartition(".")[2]
    if name.startswith("__r") and hasattr(operator, name.replace("__r", "__", 1)):
        return getattr(operator, name.replace("__r", "__", 1))
    if path.endswith(_EXPRESSION):
        function = original(path.removesuffix(_EXPRESSION))
        return lambda text, operands, *rest, **named: function(evaluate(text, *operands), *rest, **named)
    found = None if path.endswith("()") or path.startswith("rumba.") else _by_path(path.split("."))
    return _member(name) if found is None else found


def _by_path(parts):
    """What a dotted name leads to, from a module on; None if it leads nowhere."""
    for split in range(len(parts) - 1, 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:split]))
        except ImportError:
            continue
        try:
            return functools.reduce(getattr, parts[split:], found)
        except AttributeError:
            return None
    return None


def _member(name):
    """A function of an object and arguments: an operator, a method, or an attribute."""
    if name.startswith("__"):
        return getattr(operator, name)

    def member(self, *args, **named):
        value = getattr(self, name)
        return value(*args, **named) if callable(value) else value

    return member
