"""`operator.itemgetter`, `operator.attrgetter` and `operator.methodcaller`: made in compiled code, or before and used as globals."""
import operator

from ...extending import register_jitable
from ...extending.effects import Effects
from ...types import Literal
from .. import library
from ..numpy._axis import literal

# Those that exist already, by identity, with the compiled function: they take no attributes. Each is kept, so that its id stays its own.
_compiled = {}


def compiled_getter(getter):
    """The compiled function that does what an object of one of the three classes does; None for one with keywords, or of subclasses.

    >>> compiled_getter(operator.itemgetter(1))("abc")
    'b'
    """
    found = _compiled.get(id(getter))
    if found is None:
        function = _function_of(getter)
        if function is None:
            return None
        from ...decorators import njit

        found = _compiled[id(getter)] = getter, njit(function)
    return found[1]


def _function_of(getter):
    made = getter.__reduce__()
    if type(getter) is operator.itemgetter:
        return _items(made[1])
    if type(getter) is operator.attrgetter:
        return _attributes(made[1])
    if type(getter) is operator.methodcaller and made[0] is operator.methodcaller:
        name, *arguments = made[1]
        return _method(name, tuple(arguments))
    return None


def _items(indices):
    return _one_or_all([_item(index) for index in indices])


def _item(index):
    return lambda obj, /: obj[index]


def _attributes(paths):
    return _one_or_all([_attribute(path.split(".")) for path in paths])


def _attribute(names):
    name, *others = names
    if not others:
        return lambda obj, /: getattr(obj, name)
    rest = register_jitable(_attribute(others))
    return lambda obj, /: rest(getattr(obj, name))


def _one_or_all(functions):
    return functions[0] if len(functions) == 1 else _tuple(functions)


def _tuple(functions):
    first = register_jitable(functions[0])
    if len(functions) == 1:
        return lambda obj, /: (first(obj),)
    rest = register_jitable(_tuple(functions[1:]))
    return lambda obj, /: (first(obj),) + rest(obj)


def _method(name, arguments):
    return lambda obj, /: getattr(obj, name)(*arguments)


def _giving(function):
    """The implementation of a call, whatever its arguments, that gives this function."""
    compiled = register_jitable(function)

    def make(first, /, *others):
        def getter(obj, /):
            return compiled(obj)
        return getter
    return make


@library(operator.itemgetter, strict=False, prefer_literal=True, effects=Effects(returns=("item", "items")))
def itemgetter(item, /, *items):
    indices = (item, *items)
    if all(isinstance(index, Literal) for index in indices):
        return _giving(_items([literal(index) for index in indices]))
    if not items:
        def make_one(item, /):
            def getter(obj, /):
                return obj[item]
            return getter
        return make_one


@library(operator.attrgetter, strict=False)
def attrgetter(attr, /, *attrs):
    paths = [literal(path) for path in (attr, *attrs)]
    if all(isinstance(path, str) for path in paths):
        return _giving(_attributes(paths))


@library(operator.methodcaller, strict=False, effects=Effects(returns="args"))
def methodcaller(name, /, *args):
    text = literal(name)
    if isinstance(text, str):
        def make(name, /, *args):
            def caller(obj, /):
                return getattr(obj, text)(*args)
            return caller
        return make
