"""Closures of compiled functions: templates of their code, and closures returned to Python."""
import types
from opcode import EXTENDED_ARG, opmap

_CHANGES = frozenset((opmap["STORE_DEREF"], opmap["DELETE_DEREF"]))


def changes(code, name):
    """Whether code, or code inside of it, binds or unbinds the closure variable of this name."""
    # Read by hand: `dis` builds an object for each instruction, and every compilation of an inner function asks.
    own = code.co_varnames
    variables = own + tuple(cell for cell in code.co_cellvars if cell not in own) + code.co_freevars
    number = variables.index(name)
    high = 0
    instructions = iter(code.co_code)
    for opcode, operand in zip(instructions, instructions):
        operand |= high
        if opcode in _CHANGES and operand == number:
            return True
        high = operand << 8 if opcode == EXTENDED_ARG else 0
    inner = (value for value in code.co_consts if isinstance(value, types.CodeType))
    return any(name in other.co_freevars and changes(other, name) for other in inner)


def template(outer, code, auto):
    """A compiled function of the code object `code`, which stands among the constants of `outer`; with `auto`,
    its plain callees are compiled, too.

    Its closure variables are empty cells: where it is called, the closure brings their values along.
    """
    from rumba import _rumba

    cells = tuple(types.CellType() for _ in code.co_freevars)
    function = types.FunctionType(code, outer.__globals__, code.co_name, None, cells)
    function.__qualname__ = code.co_qualname
    function.__module__ = outer.__module__
    # No setting has it go through Numba's passes: they would take the closure for a parameter.
    return _rumba.session.dispatcher(function, {"nopython": True, "boundscheck": None, "auto": auto})


def _is_object(value):
    """Whether a value has no type of its own in compiled code."""
    from rumba import _rumba

    try:
        _rumba.types.type_of(value)
    except TypeError:
        return True
    return False


def make(dispatcher, captured, defaults, optional, number):
    """The compiled function that a compiled function returned: `dispatcher`'s code with the values of its
    closure variables and with defaults for the parameters of these numbers.

    Where others may change what it has taken along, calls pass that on; its type has this number.
    """
    from rumba.boxing.shared_variables import Closure, may_change
    from rumba.decorators import njit

    if may_change(captured + defaults):
        return Closure(dispatcher, captured, defaults, optional, number)

    function = python_function(dispatcher.py_func, map(types.CellType, captured), dict(zip(optional, defaults)))
    # Of a function that works with objects it has some along.
    compiled = njit(fallback=True)(function) if any(map(_is_object, captured + defaults)) else njit(function)
    # Another function may have taken it along, and be passed on with it.
    compiled._closure = Closure(dispatcher, captured, defaults, optional, number)
    return compiled


def python_function(function, cells, defaults):
    """A function with the code of `function`, these closure variables, and defaults by the numbers of parameters."""
    code = function.__code__
    by_position = tuple(defaults[number] for number in sorted(defaults) if number < code.co_argcount)
    made = types.FunctionType(code, function.__globals__, function.__name__, by_position or None, tuple(cells))
    by_name = {code.co_varnames[number]: defaults[number] for number in defaults if number >= code.co_argcount}
    made.__kwdefaults__ = by_name or None
    made.__qualname__ = function.__qualname__
    made.__module__ = function.__module__
    return made
