"""Compiled functions as values: chosen, in tuples, passed and returned."""
import numpy as np
import pytest
from rumba import cfunc, errors, njit


@njit
def increment(x):
    return x + 1


@njit
def scale(x):
    return x * 2.5


@njit
def named(x, y=2):
    return x * y


LEVELS = pytest.mark.parametrize("level", [0, 2, 3])


@LEVELS
def test_a_function_is_chosen(level):
    @njit(_opt_level=level)
    def program(which, x):
        if which:
            function = increment
        else:
            function = scale
        return function(x)

    for which in (True, False):
        for x in (3, 1.5):
            wanted = program.py_func(which, x)
            assert program(which, x) == wanted
    assert type(program(True, 3)) is float, "the results of both unify"


@LEVELS
def test_tuples_of_functions(level):
    @njit(_opt_level=level)
    def program(functions, i, x):
        total = functions[i](x)
        for function in functions:
            total += function(x)
        for function in (increment, lambda y: y * x, scale):
            total += function(x)
        return total

    for i in (0, 1, 2, -1):
        assert program((increment, scale, increment), i, 3) == program.py_func((increment, scale, increment), i, 3)
    with pytest.raises(IndexError):
        program((increment, scale), 2, 1)


@LEVELS
def test_choices_are_returned(level):
    @njit(_opt_level=level)
    def either(k, x):
        if k == 0:
            function = lambda y: y + x  # noqa: E731
        elif k == 1:
            function = lambda y: y - x  # noqa: E731
        else:
            function = increment
        return function

    assert [either(k, 10)(1) for k in range(3)] == [11, -9, 2]
    assert either(2, 10) is increment

    @njit(_opt_level=level)
    def program(k, x):
        return either(k, x)(x)

    assert [program(k, 10) for k in range(3)] == [20, 0, 11]


def test_a_choice_grows_in_a_loop():
    @njit
    def program(n):
        function = increment
        total = 0.0
        for i in range(n):
            total += function(i)
            if i % 3 == 0:
                function = scale
            elif i % 3 == 1:
                function = lambda y: y - total
            else:
                function = increment
        return total

    assert program(20) == program.py_func(20)


def test_each_function_gets_the_arguments_in_its_own_way():
    @njit
    def program(which, x):
        function = increment if which else named
        return function(x)

    assert (program(True, 1), program(False, 1)) == (increment(1), named(1))


def test_results_that_do_not_unify():
    @njit
    def part(x):
        return slice(x, x)

    @njit
    def program(which, x):
        function = increment if which else part
        return function(x)

    with pytest.raises(errors.TypingError, match="for the result of the call"):
        program(True, 1)


def plain(x):
    return also_plain(x) + 1


def also_plain(x):
    return x * 3


def plain_factorial(n):
    return 1 if n < 2 else n * plain_factorial(n - 1)


def test_plain_callees_compile_by_themselves():
    double = lambda x: 2 * x  # noqa: E731

    @njit(auto=True)
    def program(x):
        return plain(x) + plain_factorial(5) + double(x)

    assert program(4) == program.py_func(4)
    assert not plain._rumba_auto._units(), "callees are part of the caller's code"

    @njit
    def without(x):
        return plain(x)

    with pytest.raises(errors.TypingError, match="auto=True"):
        without(4)


FORMULAS = (increment, scale, increment)


def test_tuples_of_the_module():
    pair = increment, (scale, 2)

    @njit
    def program(x):
        total = pair[0](x) * pair[1][1]
        for function in FORMULAS[:2]:
            total += function(x)
        return total

    assert program(3) == program.py_func(3)


def test_an_inner_function_sees_captured_functions():
    def outer():
        helper = increment
        limit = 10

        @njit
        def program(x):
            def inner(y):
                return helper(y) + limit

            return inner(x)

        return program

    assert outer()(1) == 12


def test_callbacks_that_take_arrays():
    @cfunc("float64(float64[:], int64)")
    def item(x, at):
        if at > 5:
            raise ValueError("too far")
        return x[at]

    @cfunc("float64(float64[:], int64)")
    def negative(x, at):
        return -x[at]

    @njit
    def chosen(first, second, use_first, x, at):
        function = first if use_first else second
        return function(x, at)

    x = np.arange(10.0)
    assert chosen(item, negative, True, x, 3) == 3.0 and chosen(item, negative, False, x[::2], 3) == -6.0
    with pytest.raises(ValueError, match="too far"):
        chosen(item, negative, True, x, 7)
