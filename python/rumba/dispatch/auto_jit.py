"""`auto=True`: plain functions that a compiled function calls are compiled, too.

That is a plain function, a method of a class or of an object, a `functools.partial`, an `operator.itemgetter` and
its like. What is bound before the call (the object, the first arguments) goes into a function that passes it on, which inlining removes. Lists
of such things, and dicts of them by names, are what they hold when the caller compiles.
Classes and objects have no value in compiled code: only what their classes hold can be reached, and it is
frozen as globals are.
"""
import enum
import functools
import inspect
import operator
import types

from .. import errors, source_text


def callee(value):
    """The compiled function for something callable; None for what is none of the above.

    >>> callee(functools.partial(pow, 2)) is None
    True
    """
    if isinstance(value, types.FunctionType):
        return compiled(value)
    if isinstance(value, types.MethodType):
        return bound(value.__func__, value.__self__)
    if isinstance(value, functools.partial):
        return partial(value)
    if isinstance(value, (operator.itemgetter, operator.attrgetter, operator.methodcaller)):
        from ..library.stdlib.operator_getters import compiled_getter

        return compiled_getter(value)
    if isinstance(value, functools._lru_cache_wrapper):
        from ..library.stdlib.lru_cache import compiled_cache

        target = _dispatcher(value.__wrapped__)
        return target and compiled_cache(value, target)
    return None


def compiled(function):
    """The compiled form of a plain function, which keeps it; its own plain callees follow.

    >>> def half(x):
    ...     return x / 2
    >>> compiled(half)(3)
    1.5
    >>> compiled(half) is compiled(half)
    True
    """
    found = function.__dict__.get("_rumba_auto")
    if found is None or found.py_func is not function:
        found = function._rumba_auto = _compile(function)
    return found


def _compile(function):
    from ..decorators import njit

    return njit(auto=True)(function)


def _dispatcher(function):
    """The compiled form of a plain or compiled function; None for anything else."""
    from ..extending import is_jitted

    if is_jitted(function):
        return function
    return compiled(function) if isinstance(function, types.FunctionType) else None


def bound(function, owner):
    """A compiled function that passes `owner` as the first argument; the same one each time."""
    target = _dispatcher(function)
    if target is None:
        return None
    known = target.__dict__.setdefault("_rumba_bound", {})
    found = known.get(id(owner))
    if found is None:
        def call(*args, **keywords):
            return target(owner, *args, **keywords)

        call.__name__ = call.__qualname__ = function.__name__
        # The owner is kept, so that its id stays its own.
        found = known[id(owner)] = owner, _compile(call)
    return found[1]


def partial(value):
    """A compiled function that does what a `functools.partial` does, which keeps it."""
    found = value.__dict__.get("_rumba_auto")
    if found is not None:
        return found
    target = callee(value.func) or _dispatcher(value.func)
    if target is None:
        return None
    # The keywords are written out: a dict would be no constant.
    names = list(value.keywords)
    given = "".join(f"'{name}': keyword_{at}, " for at, name in enumerate(names))
    make = source_text.function(
        f"make(target, given, {', '.join(f'keyword_{at}' for at in range(len(names)))})",
        ["def call(*args, **keywords):", f" return target(*given, *args, **{{{given}**keywords}})", "return call"],
        {"__name__": __name__})
    call = make(target, value.args, *value.keywords.values())
    call.__name__ = call.__qualname__ = f"partial_of_{target.__name__}"
    found = value._rumba_auto = _compile(call)
    return found


def attribute(owner, name):
    """What `owner.name` is for compiled code; AttributeError if there is none.

    Raises TypingError for what depends on the object and not on its class alone.
    """
    if isinstance(owner, enum.EnumType) and name in owner.__members__:
        return owner.__members__[name]
    is_class = isinstance(owner, type)
    cls = owner if is_class else type(owner)
    shown = f"'{cls.__qualname__}.{name}'"
    if not is_class and name in getattr(cls, "__dataclass_fields__", ()) and cls.__dataclass_params__.frozen:
        return getattr(owner, name)
    if not is_class and name in getattr(owner, "__dict__", ()):
        raise errors.TypingError(
            f"{shown} is an attribute of the object: compiled code would freeze its value of now. Pass the value as "
            "an argument")
    if is_class and name in ("__name__", "__qualname__", "__module__"):
        return getattr(owner, name)
    found = inspect.getattr_static(cls, name)
    if isinstance(found, staticmethod):
        return found.__func__
    if isinstance(found, classmethod):
        return types.MethodType(found.__func__, cls)
    if _dispatcher(found) is not None:
        return found if is_class else types.MethodType(found, owner)
    if hasattr(type(found), "__get__"):
        raise errors.TypingError(
            f"{shown} is a {type(found).__name__}, which runs code for the object: call it outside of the compiled "
            "function, and pass the result as an argument")
    return found
