"""What tests of arrays share: arrays of every layout, and the comparison of compiled code with Python and NumPy."""
import functools
import types

import numpy as np

from rumba import njit


def layouts(shape, dtype="f8"):
    """Arrays of a shape with small different items, in rows, in columns and with gaps."""
    base = np.arange(int(np.prod(shape))).reshape(shape).astype(dtype)
    yield base
    if base.ndim:
        yield np.asfortranarray(base)
        yield base[::-1]
        yield np.repeat(base, 2, axis=0)[::2]
        yield np.repeat(base, 2, axis=-1)[..., ::2]


def shown(value):
    """A value as what can be compared."""
    if isinstance(value, tuple):
        return tuple(map(shown, value))
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tolist()
    return value.item() if isinstance(value, np.generic) else value


def outcome(function, args):
    """What a call gives or raises, as what can be compared."""
    try:
        return repr(shown(function(*args)))
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@functools.lru_cache(maxsize=64)
def compiled_code(code, defaults, space):
    return njit(types.FunctionType(code, space.dictionary, argdefs=defaults))


class Space:
    """The globals of a function, as a key: one dictionary, whatever it holds."""

    def __init__(self, dictionary):
        self.dictionary = dictionary

    def __eq__(self, other):
        return self.dictionary is other.dictionary

    def __hash__(self):
        return id(self.dictionary)


def compile_once(function):
    """The compiled function; the same for equal lambdas, so that each type of argument is compiled once."""
    if function.__closure__:
        return njit(function)
    return compiled_code(function.__code__, function.__defaults__, Space(function.__globals__))


def compare(function, *args, memory=True):
    """The compiled function gives and raises what Python does with the same arguments; with `memory`, it shares theirs alike."""
    expected, compiled = outcome(function, args), compile_once(function)
    got = outcome(compiled, args)
    assert got == expected, f"\ngot      {got}\nexpected {expected}"
    if not memory or expected[0] != "(":
        return
    given, got = function(*args), compiled(*args)
    if isinstance(got, np.ndarray):
        for arg in filter(lambda arg: isinstance(arg, np.ndarray), args):
            assert np.shares_memory(got, arg) == np.shares_memory(given, arg)
        assert got.flags.writeable == given.flags.writeable
