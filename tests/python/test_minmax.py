"""`min` and `max` with keys and defaults."""
import math

import numpy as np
import pytest
from rumba import errors, njit
from support import check_all, define

VALUES = [(3, -5, 4), (-1, 1, 0), (2, 2, -2), (1.5, -2.5, 2.5), (float("nan"), 1.0, -3.0), (0, 0, 0)]


@njit
def distance(x):
    return (x - 1) ** 2


@njit
def pair(x):
    return (x > 0, -x)


@pytest.mark.parametrize("arguments", [
    "a, b, c, key=abs", "(a, b, c), key=abs", "(a, b, c), key=float", "a, b, key=distance", "(a, b, c), key=pair",
    "(a,), key=abs", "(a,), default=7", "(), default=b", "(), key=abs, default=c", "(a, b), key=None",
    "(a, b), default=1, key=distance", "((a, 1), (b, 2)), key=len", "(a, b, c)[1:], key=abs", "a, b, key=math.fabs",
])
@pytest.mark.parametrize("name", ["min", "max"])
def test_keys_and_defaults(name, arguments):
    space = {"distance": distance, "pair": pair, "math": math}
    plain = define(f"{name}({arguments})",
                   **{k: getattr(v, "py_func", v) for k, v in space.items()})
    compiled = njit(define(f"{name}({arguments})", **space))
    names = plain.__code__.co_argcount
    check_all(compiled, [values[:names] for values in VALUES], expected=plain)


def test_none_is_a_default():
    source = ("def f(n):\n    return (min(range(n), default=None), max([n][1:], default=None), min('ba'[n:], default=None),\n"
              "            max((i for i in range(n)), key=abs, default=None), min((n, 2), default=None))")
    plain = define(source)
    compiled = njit(define(source))
    for n in (0, 1, 2):
        assert compiled(n) == plain(n)


def test_a_list_of_a_target_has_a_best_item():
    source = "def f(t):\n    a, *b = t\n    return max(b, key=abs), min(b, default=a)"
    check_all(define(source), [((1, -5, 3),)])


def test_what_is_not_compiled_is_told():
    with pytest.raises(errors.TypingError, match="unexpected keyword argument 'start'"):
        njit(define("max((a, 1), start=3)"))(3)
    with pytest.raises(errors.TypingError, match="Cannot specify a default for max"):
        njit(define("max(a, 1, default=3)"))(3)
    with pytest.raises(errors.TypingError, match=r"No implementation of function max"):
        njit(define("max((), key=abs)"))()


def test_arrays_are_compared_by_the_truth_of_their_comparison():
    def outcome(function, *args):
        try:
            return repr(function(*args))
        except ValueError as error:
            return str(error)

    pairs = [(np.arange(1), np.arange(1) + 1), (np.arange(2), np.arange(2)), (np.zeros(0), np.zeros(0)), (np.array([2.0]), np.array([1.0])),
             (np.ones((1, 1)), np.zeros((1, 1)))]
    for function in (lambda a, b: max(a, b), lambda a, b: min(a, b), lambda a, b: max((a, b))):
        compiled = njit(function)
        for pair in pairs:
            assert outcome(compiled, *pair) == outcome(function, *pair)

    @njit
    def made(n):
        return max(np.full(1, n), np.full(1, n + 1)) + min(np.full(1, n), np.full(1, 7))
    assert [made(n).tolist() for n in (3, 9)] == [[7], [17]]


def test_keys_are_asked_for_between_items():
    def of_a_generator(log):
        def items():
            for i in range(3):
                log.append(i)
                yield i

        def key(v):
            log.append(10 + v)
            return -v
        return max(items(), key=key), min(items(), key=key), max(items())

    def of_a_list_that_shrinks(log):
        log.insert(0, max(log, key=lambda x: log.pop()))
        return log[1]

    def of_a_list_that_grows(log):
        return min(log, key=lambda x: log.append(x) or x if len(log) < 6 else x)

    def that_fail(log):
        try:
            return str(max(log.pop() // (x - 2) for x in [3, 1, 2]))
        except ZeroDivisionError as error:
            return str(error)

    for function in (of_a_generator, of_a_list_that_shrinks, of_a_list_that_grows, that_fail):
        mine, wanted = [4, 2, 5, 1], [4, 2, 5, 1]
        assert njit(function)(mine) == function(wanted) and mine == wanted, function
