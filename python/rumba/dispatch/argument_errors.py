"""Arguments of a call that do not match the parameters of the function, with CPython's and Numba's messages."""
import inspect
import types


def explain(function, by_position, names, by_name, error):
    """The TypeError of such a call: CPython's message, then in brackets what `error` says, which Numba's users look for."""
    if not isinstance(error, TypeError):
        return error
    try:
        _without_body(function)(*by_position, **dict(zip(names or (), by_name)))
    except TypeError as told:
        return TypeError(f"{told} ({error})")
    return error


def _without_body(function):
    """A function with the parameters and defaults of another one that does nothing."""
    nothing, code = _nothing.__code__, function.__code__
    runs_later = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
    code = code.replace(
        co_code=nothing.co_code, co_consts=nothing.co_consts, co_names=(), co_freevars=(), co_cellvars=(),
        co_flags=code.co_flags & ~runs_later, co_linetable=nothing.co_linetable, co_exceptiontable=b"",
        co_stacksize=nothing.co_stacksize)
    stub = types.FunctionType(code, {}, function.__name__, function.__defaults__)
    stub.__kwdefaults__, stub.__qualname__ = function.__kwdefaults__, function.__qualname__
    return stub


def _nothing():
    pass
