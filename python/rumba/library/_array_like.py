"""Array-like arguments: lists, tuples and numbers are converted to arrays before an overload sees them.

An overload function of the library sees arrays alone: `library(function, array_like="a b")` says which of its parameters may be
lists and tuples, `numbers` which may be numbers. The implementation for such a call converts them and calls the
function again.
"""
import functools
import inspect
import pkgutil

import numpy

from .. import source_text
from ..types import BaseTuple, Boolean, Literal, NoneType, NPDatetime, NPTimedelta, Number, Omitted, RangeType, unliteral
from ._predicates import is_array, is_fixed_list, is_list


def is_sequence(ty):
    """Whether a type is a list, a range or a tuple of which an array can be made, as far as that is known here."""
    if is_list(ty) or is_fixed_list(ty) or isinstance(ty, RangeType):
        return True
    if not isinstance(ty, BaseTuple):
        return False
    return all(is_number(one) or is_time(one) or is_array(one) or is_sequence(one) for one in ty)


def is_number(ty):
    return isinstance(unliteral(ty), (Number, Boolean))


def is_time(ty):
    return isinstance(ty, (NPDatetime, NPTimedelta))


def converting(function, find, array_like, scalars=()):
    """An overload function that asks `find`, after it has made arrays of what is none."""
    signature = inspect.signature(find)

    @functools.wraps(find)
    def choose(*args, **keywords):
        bound = signature.bind(*args, **keywords)
        given = bound.arguments
        found = [name for name in array_like if name in given and is_sequence(given[name])]
        found += [name for name in scalars if name in given and (is_number(given[name]) or is_time(given[name]))]
        return _conversion(function, signature, given, found) if found else find(*args, **keywords)
    return choose


def _conversion(function, signature, given, converted):
    """The implementation that calls the function with arrays in the place of some arguments."""
    # A function of a package that Rumba does not import is given by its name.
    called = pkgutil.resolve_name(function) if isinstance(function, str) else function
    space, passed = {"function": called, "asarray": numpy.asarray}, []
    skipped = False
    for name, one in signature.parameters.items():
        if name not in given or _is_left_out(given[name], one):
            skipped = True
            continue
        value = _passed(name, given[name], converted)
        keyword = one.kind is one.KEYWORD_ONLY or skipped and one.kind is not one.POSITIONAL_ONLY
        passed.append(f"{name}={value}" if keyword else value)
    return source_text.expression(signature, f"function({', '.join(passed)})", space)


def _is_left_out(ty, parameter):
    if parameter.default is parameter.empty:
        return False
    return isinstance(ty, Omitted) or isinstance(ty, NoneType) and parameter.default is None


def _passed(name, ty, converted):
    """The text of an argument; a value that the types know stays known."""
    if name in converted:
        return f"asarray({name})"
    value = getattr(ty, "literal_value", None) if isinstance(ty, Literal) else None
    return repr(value) if isinstance(value, (int, str)) else name


def register(names, parameters, call, find, array_like="a", scalars="a", parallel=False):
    """Registers a function and a method alike. `parameters` is what follows the array, `find` gets the types of all and
    gives what is called with `call`, or None. Names of methods are strings. With `parallel`, `find` is asked for parallel code, too."""
    from . import in_parallel, library

    for name in names:
        is_method = isinstance(name, str)
        first = "self" if is_method else "a"
        signature = source_text.signature(f"{first}{', ' if parameters else ''}{parameters}", {"numpy": numpy})
        inner = call.replace("a", first, 1) if call.startswith("a") else call
        overload = _overload(signature, inner, find)
        overload.__name__ = name if is_method else name.__name__
        options = {} if is_method else {"array_like": array_like, "scalars": scalars}
        library(name, **options)(overload)
        if parallel:
            library(in_parallel.name_of(name))(in_parallel.asking(overload))


def _overload(signature, call, find):
    def choose(*args, **keywords):
        bound = signature.bind(*args, **keywords)
        bound.apply_defaults()
        found = find(*bound.arguments.values())
        return None if found is None else source_text.expression(signature, f"found({call})", {"found": found})
    choose.__signature__ = signature
    # Messages and the index name the module that knows what happens.
    choose.__wrapped__, choose.__module__ = find, find.__module__
    return choose
