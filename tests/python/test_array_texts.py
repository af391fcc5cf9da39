"""Arrays and times as text, and containers in formats, against NumPy and CPython."""
import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401

from rumba import njit
from rumba.errors import TypingError

ARRAYS = [np.arange(3), np.eye(2), np.array(["2020-01-01", "NaT"], "M8[D]"), np.array(["ab", ""]), np.zeros((0, 2)), np.array(1.5),
          np.arange(2000), np.array([1e-9, 1e9]), np.array([True, False]), np.array([1 + 2j])]


def outcome(function, *args):
    try:
        return function(*args)
    except (ValueError, TypeError, IndexError) as error:
        return type(error), str(error)


@pytest.mark.parametrize("function", [
    lambda x: str(x), lambda x: repr(x), lambda x: f"<{x}> {x!r}", lambda x: "%s %s" % (x, 1), lambda x: "{}: {!r}".format(x, [x]),
    lambda x: f"{x!r:>40}", lambda x: str((x, 1)), lambda x: "{1} {0}".format(x, (1, x))])
def test_arrays(function):
    for array in ARRAYS:
        assert njit(function)(array) == function(array)


def test_a_specification_is_refused():
    compiled = njit(lambda x: f"{x:>30}")
    for array in ARRAYS[:3]:
        assert outcome(compiled, array) == outcome(compiled.py_func, array)


def test_messages_of_errors():
    @njit
    def check(x):
        if x.size > 2:
            raise ValueError(f"bad array {x}")
        return x.size

    assert check(np.arange(2)) == 2
    with pytest.raises(ValueError, match=r"bad array \[0 1 2\]"):
        check(np.arange(3))


def test_print_options_count():
    compiled = njit(lambda x: str(x))
    with np.printoptions(precision=2):
        assert compiled(np.array([1 / 3])) == "[0.33]"


def test_times():
    for value in (np.datetime64("2020-01-01"), np.datetime64("NaT", "s"), np.timedelta64(5, "h")):
        for function in (lambda x: str(x), lambda x: f"{x} {x!r}", lambda x: "{}".format(x)):
            assert njit(function)(value) == function(value)


@pytest.mark.parametrize("function", [
    lambda x: "{} {}".format([x, 2], x), lambda x: "{1} {0:>4}".format(x, {x: [1]}), lambda x: "{{}} {}".format({x}),
    lambda x: "{!r} {!s}".format(["a"], ("b", [x])), lambda x: "{2}".format([x]), lambda x: "{".format([x]),
    lambda x: "{0} {}".format([x], x), lambda x: "{} {0}".format([x], x)])
def test_containers_in_formats(function):
    assert outcome(njit(function), 3) == outcome(function, 3)


def test_what_formats_ask_of_containers():
    for function in (lambda x: "{0[1]}".format([x, 2]), lambda x: "{:>9}".format([x, 2])):
        with pytest.raises(TypingError, match="without a specification, an item or an attribute"):
            njit(function)(1)


def test_functions_of_numpy():
    for function in (lambda x: np.array2string(x), lambda x: np.array_repr(x), lambda x: np.array_str(x)):
        for array in ARRAYS:
            assert njit(function)(array) == function(array)


def test_binary_repr():
    plain, of_width = njit(lambda x: np.binary_repr(x)), njit(lambda x, w: np.binary_repr(x, w))
    for number in (0, 1, 5, -1, -4, -5, 7, -8, 2**62, -(2**63)):
        assert plain(number) == np.binary_repr(number)
    for number in (0, 1, 5, -1, -4, -5, 7, -8):
        for width in (1, 3, 4, 8):
            assert outcome(of_width, number, width) == outcome(of_width.py_func, number, width)
