"""Closures of compiled functions: templates of their code, and closures returned to Python."""
import dis
import types


def changes(code, name):
    """Whether code, or code inside of it, binds or unbinds the closure variable of this name."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("STORE_DEREF", "DELETE_DEREF") and instruction.argval == name:
            return True
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


def make(dispatcher, captured, defaults, optional, number):
    """The compiled function that a compiled function returned: `dispatcher`'s code with the values of its
    closure variables and with defaults for the parameters of these numbers.

    Where others may change what it has taken along, calls pass that on; its type has this number.
    """
    from rumba.boxing.shared_variables import Closure, may_change
    from rumba.decorators import njit

    if may_change(captured + defaults):
        return Closure(dispatcher, captured, defaults, optional, number)

    inner = dispatcher.py_func
    code = inner.__code__
    cells = tuple(map(types.CellType, captured))
    given = dict(zip(optional, defaults))
    by_position = tuple(given[number] for number in sorted(given) if number < code.co_argcount)
    function = types.FunctionType(code, inner.__globals__, inner.__name__, by_position or None, cells)
    by_name = {code.co_varnames[number]: given[number] for number in given if number >= code.co_argcount}
    function.__kwdefaults__ = by_name or None
    function.__qualname__ = inner.__qualname__
    function.__module__ = inner.__module__
    compiled = njit(function)
    # Another function may have taken it along, and be passed on with it.
    compiled._closure = Closure(dispatcher, captured, defaults, optional, number)
    return compiled
