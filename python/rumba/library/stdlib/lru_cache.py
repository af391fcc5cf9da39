"""`functools.lru_cache` and `functools.cache` in compiled code: the results of a function are kept in a dict that outlives calls.

There is one dict for each tuple of argument types. Compiled code and Python keep their results apart: `cache_info` of the object in
Python counts Python's calls alone.
"""
import functools
import inspect
import threading
import types

import numpy

from ... import atomic, source_text
from ...errors import TypingError
from ...extending import overload, register_jitable
from ...intrinsics import array_at, table_find, table_next, table_remove, table_value
from ...types import BaseTuple, Boolean, Bytes, NoneType, Number, UnicodeType, int64, unliteral
from .ordered_dicts import put_last

_making = threading.local()


def compiled_cache(wrapper, target):
    """What compiled code calls for `wrapper`, an object that `lru_cache` made, of which `target` is the compiled function.

    It is the same one each time: the object keeps it.
    """
    from ...decorators import njit

    if wrapper in _inferred():
        return _inferred()[wrapper]
    found = wrapper.__dict__.get("_rumba_cached")
    if found is None:
        function, results = target.py_func, _Results(wrapper, target)
        defaults = {one.name: one.default for one in _parameters(function) if one.default is not one.empty}
        names = [f"*{one.name}" if one.kind is one.VAR_POSITIONAL else one.name for one in _parameters(function) if one.kind is not one.VAR_KEYWORD]

        def kept(*args):
            raise NotImplementedError
        overload(kept, strict=False)(results.choose)
        # The parameters are those of the function, so that arguments find their places by name.
        space = {"kept": kept, **{f"default_{name}": value for name, value in defaults.items()}}
        given = ", ".join(f"{name}=default_{name}" if name in defaults else name for name in names)
        name = function.__name__ if function.__name__.isidentifier() else "cached"
        call = source_text.function(f"{name}({given})", [f"return kept({', '.join(names)})"], space)
        found = wrapper._rumba_cached = njit(call)
    return found


def _parameters(function):
    return inspect.signature(function).parameters.values()


class _Results:
    """The results of a function by the types of its arguments."""

    def __init__(self, wrapper, target):
        self.room = wrapper.cache_parameters()["maxsize"]
        self.wrapper, self.target, self.made = wrapper, target, {}

    def choose(self, *args):
        """The implementation for arguments of these types."""
        given = tuple(unliteral(ty) for ty in args)
        if any(one.kind in (one.VAR_POSITIONAL, one.VAR_KEYWORD) for one in _parameters(self.target.py_func)):
            raise TypingError(f"`{self.target.__name__}` is in a `lru_cache` and takes any number of arguments, which compiled code does not keep")
        if self.room == 0:
            return self._calling(self.target)
        if given not in self.made:
            self.made[given] = self._keeping(given)
        return self.made[given]

    def _result(self, given):
        """The type of the result. Meanwhile the function calls itself and not what keeps its results, whose type is not known yet."""
        from ..._rumba import stencils
        from ...decorators import njit

        function = self.target.py_func
        itself = types.FunctionType(function.__code__, function.__globals__, function.__name__, function.__defaults__, function.__closure__)
        itself.__kwdefaults__ = function.__kwdefaults__
        open_ones = _inferred()
        open_ones[self.wrapper] = njit(auto=True)(itself)
        try:
            return unliteral(stencils.inspect(self._calling(open_ones[self.wrapper]), list(given))[0])
        finally:
            del open_ones[self.wrapper]

    def _given(self, values):
        """The text that passes values to the function."""
        pairs = zip(_parameters(self.target.py_func), values)
        return ", ".join(f"{one.name}={value}" if one.kind is one.KEYWORD_ONLY else value for one, value in pairs)

    def _calling(self, target):
        names = [f"x{at}" for at in range(len(_parameters(self.target.py_func)))]
        return source_text.function(f"call({', '.join(names)})", [f"return target({self._given(names)})"], {"target": target})

    def _caller(self, given, parts):
        """What calls the function with the arguments in a key: those of which the type does not tell all."""
        places = {part: "key" if len(parts) == 1 else f"key[{at}]" for at, part in enumerate(parts)}
        values = [places.get(at, "None") for at in range(len(given))]
        return register_jitable(source_text.function("compute(key)", [f"return target({self._given(values)})"], {"target": self.target}))

    def _keeping(self, given):
        from ... import typed

        refused = next((ty for ty in given if not _is_key(ty)), None)
        if refused:
            raise TypingError(f"`{self.target.__name__}` is in a `lru_cache`: in compiled code its arguments can be numbers, texts, bytes, None and "
                              f"tuples of these, not {refused}")
        parts = [at for at, ty in enumerate(given) if not isinstance(ty, NoneType)]
        key = given[parts[0]] if len(parts) == 1 else BaseTuple.from_types([given[at] for at in parts]) if parts else int64
        result = self._result(given)
        try:
            table = typed.Dict.empty(key, result)
        except TypingError:
            raise TypingError(f"`{self.target.__name__}` is in a `lru_cache`, and compiled code does not keep results of type {result}: return a "
                              "number, a text, a tuple, an array or a `typed.List`") from None
        names = [f"x{at}" for at in range(len(given))]
        space = {"find": _finder(table, self.room, self._caller(given, parts))}
        shown = [names[at] for at in parts]
        one = shown[0] if len(parts) == 1 else f"({', '.join(shown)})" if parts else "0"
        return source_text.function(f"keep({', '.join(names)})", [f"return find({one})"], space)


def _is_key(ty):
    """Whether values of a type are compared without a call of code that may come back here."""
    if isinstance(ty, BaseTuple):
        return all(map(_is_key, ty.types))
    return isinstance(ty, (Number, Boolean, UnicodeType, Bytes, NoneType))


def _inferred():
    """The functions of which the type of the result is being inferred, by their objects in Python, with what compiled code calls for them."""
    return _making.__dict__.setdefault("inferred", {})


def _finder(table, room, compute):
    """What finds the result of a key in a table, or computes and keeps it; with `room`, for so many of those that were used last.

    Threads that hold no lock of Python's may come here at once: each waits for the others while it looks into the table, and computes alone.
    """
    state = numpy.zeros(1, numpy.int64)
    address = state.ctypes.data

    @register_jitable
    def wait():
        lock = array_at(address, numpy.int64, (1,), "C")
        while atomic.exchange(lock, 0, 1) != 0:
            pass

    @register_jitable
    def leave():
        atomic.exchange(array_at(address, numpy.int64, (1,), "C"), 0, 0)

    @register_jitable
    def used(at):
        return table_value(table, at)

    @register_jitable
    def used_last(at):
        return put_last(table, at)

    @register_jitable
    def put(key, value):
        table[key] = value

    @register_jitable
    def put_in_room(key, value):
        table[key] = value
        if len(table) > room:
            table_remove(table, table_next(table, 0))
    get, keep = (used, put) if room is None else (used_last, put_in_room)

    @register_jitable
    def find(key):
        wait()
        at = table_find(table, key)
        if at >= 0:
            value = get(at)
            leave()
            return value
        leave()
        value = compute(key)
        wait()
        try:
            keep(key, value)
        finally:
            leave()
        return value
    # The lock lives as long as the code that holds its address.
    find.state = state
    return find
