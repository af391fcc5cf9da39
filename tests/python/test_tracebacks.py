"""Tracebacks of compiled code mark the line and the columns that those of plain Python mark."""
import itertools
import traceback

import numpy as np
import pytest
from rumba import jit, njit


def index(values, n):
    total = 0.0
    for i in range(n + 1):
        total += values[i] * 2
    return total


def division(values, n):
    return 1 + 10 // (n - 3) + len(values)


def key(values, n):
    table = {0: 1.5}
    table[1] = table[0] + table[n]
    return table


def over_lines(values, n):
    return (values[0] +
            values[
                n
            ])


def raised(values, n):
    if n == 3: raise ValueError("three")
    return values


def äöü(values, n):
    ä = "ü"; return len(ä) + values[n]


@pytest.mark.parametrize("function", [index, division, key, over_lines, raised, äöü])
def test_the_place_is_that_of_plain_python(function):
    places = []
    for called in (function, njit(function), jit(function, forceobj=True)):
        with pytest.raises(Exception) as caught:
            called(np.ones(3), 3)
        entry = traceback.extract_tb(caught.value.__traceback__)[-1]
        *_, (frame, line) = traceback.walk_tb(caught.value.__traceback__)
        places.append((
            entry.name, entry.lineno, entry.end_lineno, entry.colno, entry.end_colno, line, frame.f_code.co_firstlineno))
    assert places[0] == places[1] == places[2]


def test_a_call_that_became_part_of_its_caller():
    inner = njit(index)
    outer = njit(lambda values: inner(values, 5))
    with pytest.raises(IndexError) as caught:
        outer(np.ones(3))
    entry = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert (entry.name, entry.line[entry.colno - 8:entry.end_colno - 8]) == ("index", "values[i]")


def frames(function, *args):
    with pytest.raises(Exception) as caught:
        function(*args)
    entries = traceback.extract_tb(caught.value.__traceback__)
    return [(entry.name, entry.lineno, entry.colno, entry.end_colno) for entry in entries if entry.filename == __file__][1:]


def innermost(values, n):
    if n > 20:
        raise ValueError(n)
    return sorted([1, 2])[n] + values[n]


def middle(values, n):
    total = innermost(values, 0)
    return total + innermost(values, n)


def outermost(values, n):
    try:
        return middle(values, n)
    except ValueError:
        if n == 21:
            raise
    except IndexError as error:
        if n == 5:
            raise error
        raise
    raise KeyError(n)


def handling(values, n):
    try:
        raise KeyError("outer")
    except KeyError:
        return outermost(values, n)


def again():
    raise


@pytest.mark.parametrize("n", [2, 5, 21, 22])
def test_every_call_is_shown(n):
    values, compiled = np.ones(2), {}
    wanted = frames(handling, values, n)
    for name in ("innermost", "middle", "outermost", "handling"):
        compiled[name] = njit(globals()[name])
    saved = {name: globals()[name] for name in compiled}
    globals().update(compiled)
    try:
        assert frames(compiled["handling"], values, n) == wanted
    finally:
        globals().update(saved)


def test_what_python_handles_is_raised_again():
    compiled = njit(again)
    for function in (again, compiled):
        with pytest.raises(ValueError) as caught:
            try:
                raise ValueError("handled")
            except ValueError:
                function()
        assert caught.value.args == ("handled",)
        with pytest.raises(RuntimeError, match="No active exception to reraise"):
            function()


def test_what_python_handles_is_the_context():
    compiled = njit(innermost)
    for function in (innermost, compiled):
        with pytest.raises(ValueError) as caught:
            try:
                raise KeyError("handled")
            except KeyError:
                function(np.ones(2), 21)
        assert repr(caught.value.__context__) == "KeyError('handled')" and caught.value.__cause__ is None


def test_what_python_raised_keeps_its_line_through_finally():
    def converted(text, log):
        try:
            return int(text)
        finally:
            log[0] += 1

    def again(text, log):
        try:
            return int(text)
        except ValueError:
            log[0] += 1
            raise

    def lines(function):
        try:
            function("x", np.zeros(1))
        except ValueError as error:
            return [entry.lineno for entry in traceback.extract_tb(error.__traceback__)][1:]

    for function in (converted, again):
        assert lines(njit(function)) == lines(function)


def test_functions_of_the_library_are_not_shown():
    """Neither those that were compiled before, nor those that are made of text, nor what they call."""
    def sorted_rows(values, n):
        return sorted(values.reshape(2, 2))

    def grouped(values, n):
        return [len(list(group)) for _, group in itertools.groupby(values.reshape(2, 2))]

    def zipped(values, n):
        for pair in zip(values, range(n), strict=True):
            n += 1
        return n

    def called_back(values, n):
        return sorted(values, key=lambda value: 1 // int(value))

    def places(function):
        with pytest.raises((ValueError, ZeroDivisionError)) as caught:
            function(np.zeros(4), 2)
        entries = traceback.extract_tb(caught.value.__traceback__)[1:]
        # (Comprehensions have frames of their own up to Python 3.11.)
        return [(entry.filename, entry.name, entry.lineno) for entry in entries if entry.name != "<listcomp>"]

    for function in (sorted_rows, grouped, zipped, called_back):
        assert places(njit(function)) == places(function)
