"""Logs calls of functions to the log `trace`: Numba's `numba.core.tracing`.

`trace` decorates where the setting TRACE is on, `dotrace` always. Absent: what compiled code does inside.
"""
import functools
import inspect
import logging
import threading

from .. import config

logger = logging.getLogger("trace")
logger.setLevel(logging.INFO)

_state = threading.local()


def trace(*args, **options):
    """Decorates a function, method or property so that its calls are logged, if the setting TRACE is on."""
    if config.TRACE:
        return dotrace(*args, **options)
    return args[0] if args else lambda function: function


def dotrace(*args, **options):
    """Decorates a function, method or property so that its calls are logged.

    >>> import logging
    >>> from rumba.tools.tracing import dotrace
    >>> @dotrace
    ... def add(x, y=1):
    ...     return x + y
    >>> add(2)
    3
    """
    if not args:
        return lambda function: dotrace(function, **options)
    function = args[0]
    if isinstance(function, (classmethod, staticmethod)):
        return type(function)(_logged(function.__func__))
    if isinstance(function, property):
        return property(*(part and _logged(part) for part in (function.fget, function.fset, function.fdel)), function.__doc__)
    return _logged(function)


def event(message):
    """Logs a line, as deep as the traced calls that are under way."""
    if config.TRACE:
        logger.info("%s-- %s", _indent(), message)


def _indent():
    return " " * getattr(_state, "depth", 0)


def _logged(function):
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        name = _name(function, bound)
        logger.info("%s>> %s(%s)", _indent(), name, ", ".join(_shown(signature, bound)))
        _state.depth = getattr(_state, "depth", 0) + 1
        try:
            result = function(*args, **kwargs)
        except BaseException as error:
            _state.depth -= 1
            logger.info("%s<< %s -> %r", _indent(), name, error)
            raise
        _state.depth -= 1
        logger.info("%s<< %s%s", _indent(), name, "" if result is None else f" -> {result!r}")
        return result

    return call


def _name(function, bound):
    """The name of a function behind its module and, for methods, its class."""
    first = next(iter(bound.arguments), None)
    owner = {"self": type, "cls": lambda cls: cls}.get(first)
    parts = [function.__module__]
    if owner is not None:
        parts.append(owner(bound.arguments[first]).__name__)
    return ".".join([*parts, function.__name__])


def _shown(signature, bound):
    """`name=value` of all arguments that there are."""
    for name, value in bound.arguments.items():
        kind = signature.parameters[name].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            yield from map(repr, value)
        elif kind is inspect.Parameter.VAR_KEYWORD:
            yield from (f"{name}={item!r}" for name, item in value.items())
        else:
            yield f"{name}={value!r}"
