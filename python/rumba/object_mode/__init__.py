"""Python code that compiled code runs: functions with a declared type, and `with objmode(...)` blocks.

| file | what |
|---|---|
| `object_blocks` | the code of `with objmode` blocks as functions |
| `lifted_loops`, `loop_regions` | loops of functions in object mode that are cut out and compiled, and where they begin and end |
| `code_editor` | code objects as lists of instructions that can be cut and put together again |

Absent: calls of them out of compiled code (`python_rt::callbacks::python_functions`).
"""
from . import object_blocks
from ..types.base import Type
from ..types.containers import BaseTuple, FrozenSetType, List, Set
from ..types.misc import Optional
from ..types.signature import _evaluate, normalize_signature


class PythonFunction:
    """A function that Python runs and that compiled code calls: its result is what the signature declares."""

    def __init__(self, function, name, params, result, outgoing=()):
        self.function, self.name = function, name
        self.params, self.result, self.outgoing = params, result, outgoing
        self.__wrapped__ = function
        self.__name__ = getattr(function, "__name__", name)
        self.__doc__ = getattr(function, "__doc__", None)

    def __call__(self, *args, **keywords):
        return self.function(*args, **keywords)

    def __repr__(self):
        return f"<{self.name} as a function of declared type>"

    def __eq__(self, other):
        return type(other) is PythonFunction and self._identity == other._identity

    def __hash__(self):
        return hash((self.name, self.outgoing))

    @property
    def _identity(self):
        """What it runs: blocks of two functions with the same code and the same captured variables are the same."""
        code, captured = getattr(self.function, "__code__", self.function), getattr(self.function, "__closure__", None)
        return code, captured, id(getattr(self.function, "__globals__", None)), self.name, self.params, self.result, self.outgoing

    @property
    def _rumba_python(self):
        return self.function, self.name, self.params, self.result, self.outgoing


def typed_call(function, signature):
    """`function`, whatever can be called, as a callee of compiled code: `typed_call(f, "float64[:](float64[:])")(x)`.

    Compiled code hands the arguments over as Python's objects and checks that the result is what the signature says.
    """
    args, result = normalize_signature(signature)
    if result is None:
        raise TypeError(f"the signature {signature!r} does not say what the function returns")
    if not callable(function):
        raise TypeError(f"{function!r} cannot be called")
    name = getattr(function, "__name__", type(function).__name__)
    return PythonFunction(function, name, tuple(args), result)


def python(signature):
    """Decorates a plain Python function that compiled code calls: `@rumba.python("float64(float64)")`."""
    return lambda function: typed_call(function, signature)


class ObjectMode:
    """`with objmode(x="int64"):` a block that Python runs, with the types of the variables that it assigns and that are read
    behind it. In plain Python it is a block like any other."""

    def __call__(self, *args, **types):
        if args:
            raise ValueError("objmode context doesn't take any positional arguments")
        return self

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False

    def __reduce__(self):
        return "objmode"

    def __repr__(self):
        return "objmode"


objmode = ObjectMode()


def declared_type(name, value):
    """The type that a value, a type or its name, declares for a variable; None if it is neither. ValueError where a declaration says
    nothing, TypeError for a type that no variable of a block has."""
    if isinstance(value, str):
        try:
            value = _evaluate(value)
        except Exception as error:
            raise ValueError(f"Error handling objmode argument '{name}'. {value!r} is no type: {error}") from error
    if not isinstance(value, Type):
        return None
    if isinstance(value, List) and not value.reflected:
        raise TypeError(f"Does not support list type: argument '{name}' is declared as {value}")
    if _is_reflected(value):
        raise ValueError(
            f"Objmode context failed. Argument '{name}' is declared as an unsupported type: {value}. Reflected types are "
            "not supported.")
    return value


def _is_reflected(ty):
    if isinstance(ty, BaseTuple):
        return any(map(_is_reflected, ty))
    is_container = isinstance(ty, (List, Set)) and not isinstance(ty, FrozenSetType)
    return is_container or isinstance(ty, Optional) and _is_reflected(ty.type)


class _Blocks:
    """The blocks of one function, by the byte offset where they begin."""

    def __init__(self, function):
        self.of = function.__code__, function.__globals__, function.__closure__
        self.made, self.by_offset = {}, {}


def _blocks_of(function):
    known = function.__dict__.get("_rumba_blocks")
    of = function.__code__, function.__globals__, function.__closure__
    # `functools.wraps` copies attributes to other functions.
    if known is None or any(a is not b for a, b in zip(known.of, of)):
        known = function.__dict__["_rumba_blocks"] = _Blocks(function)
    return known


def note_block(function, where, passed, outgoing, own_cells, names, types, line):
    """Makes what compiled code calls in place of a block."""
    blocks = _blocks_of(function)
    key = where, passed, outgoing, own_cells
    made = blocks.made.get(key)
    if made is None:
        made = blocks.made[key] = object_blocks.make(function, where, passed, outgoing, own_cells)
    result = types[0] if len(types) == 1 else types
    blocks.by_offset[where[0]] = PythonFunction(made, f"objmode block at line {line}", None, result, names)


def block(function, offset):
    """What was made for the block at an offset."""
    return _blocks_of(function).by_offset[offset]
