"""`with` over `suppress` and `nullcontext`, and over objects of compiled and of plain classes."""
import contextlib
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from traceback import extract_tb

import numpy as np
import pytest
from rumba import errors, int64, njit
from rumba.numba.experimental import jitclass
from rumba.typed import List
from rumba.types import ListType

from leaks import nothing_leaks  # noqa: F401
from test_try import Own, Special, same


def test_suppressed_exceptions():
    def counted(items, n):
        found = 0
        with suppress(IndexError, ZeroDivisionError):
            for i in range(n):
                found += items[i] // (i - 4)
            found += 100
        with contextlib.suppress(Own):
            found += 1
            if n == 3:
                raise Special("special", n)
            if n == 4:
                raise KeyError(found)
            found += 1000
        return found

    def returned(n):
        for i in range(n):
            with suppress(ValueError):
                if i == 2:
                    return str(i) * 3
                if i == 1:
                    continue
                raise ValueError(str(i))
        return "none"

    def nothing(n):
        with suppress():
            return 1 // n

    same(counted, *(([7, 8, 9, 3, 4], n) for n in range(7)))
    same(returned, *((n,) for n in range(5)))
    same(nothing, (0,), (1,))


def test_contexts_that_do_nothing():
    def entered(n):
        rows = []
        with nullcontext([n, 2]) as row, nullcontext():
            rows.append(row)
            row.append(10 // n)
        return rows

    def of_array(n):
        with contextlib.nullcontext(np.ones(3)) as a:
            a[n] += 1
        return float(a.sum())

    same(entered, (1,), (0,))
    same(of_array, (1,), (5,))


@jitclass([("number", int64), ("seen", ListType(int64))])
class Recorder:
    """Notes what happens to it; takes exceptions if its number is large."""

    def __init__(self, number):
        self.number = number
        self.seen = List.empty_list(int64)

    def __enter__(self):
        self.seen.append(1)
        return self

    def __exit__(self, kind, exception, traceback):
        self.seen.append(2 if kind is None else 3)
        if exception is not None and self.number == 5:
            self.seen.append(len(str(exception)))
        return self.number > 2


class PlainRecorder:
    """The same for CPython."""

    def __init__(self, number):
        self.number, self.seen = number, []

    __enter__ = Recorder.__enter__.py_func
    __exit__ = Recorder.__exit__.py_func


def beside(function, number, *args):
    """What a function gives, or raises, and what the context has seen, compiled and in CPython."""
    def outcome(function, context):
        try:
            result = function(context, *args)
        except Exception as error:
            result = type(error), error.args, [frame.lineno for frame in extract_tb(error.__traceback__)[1:2]]
        return result, list(context.seen)

    assert outcome(njit(function), Recorder(number)) == outcome(function, PlainRecorder(number))


@pytest.mark.parametrize("number", [1, 5])
def test_objects(number):
    def left(context, n):
        out = 0
        try:
            with context as same:
                out += 1
                if n == 0:
                    return out, "returned"
                if n == 1:
                    raise ValueError("bad")
                if n == 2:
                    same.seen[100]
                out += 10
            out += 100
        except ValueError as error:
            return out, str(error)
        finally:
            context.seen.append(9)
        return out, "fell through"

    def in_loop(context, n):
        total = 0
        for i in range(n):
            with context:
                if i % 2:
                    continue
                if i == 6:
                    break
                total += 10 // (i - 4)
        return total

    def nested(context, n):
        with context as a, context as b:
            with context:
                a.seen.append(7)
                if n:
                    raise KeyError(n)
            b.seen.append(8)
        return n

    for n in range(4):
        beside(left, number, n)
    for n in (0, 3, 5, 10):
        beside(in_loop, number, n)
    for n in range(2):
        beside(nested, number, n)


def test_an_exit_that_raises():
    @jitclass([("number", int64)])
    class Failing:
        def __init__(self, number):
            self.number = number

        def __enter__(self):
            return 10 // self.number

        def __exit__(self, kind, exception, traceback):
            raise IndexError("in exit")

    @njit
    def entered(number):
        try:
            with Failing(number) as given:
                if given > 5:
                    raise ValueError(given)
        except IndexError as error:
            return str(error), str(error.__context__)
        except ZeroDivisionError:
            return "not entered", ""
        return "", ""

    assert entered(1) == ("in exit", "10")
    assert entered(5) == ("in exit", "None")
    assert entered(0) == ("not entered", "")


def test_objects_of_plain_classes():
    @dataclass
    class Depth:
        n: int

        def __enter__(self):
            self.n += 1
            return self.n

        def __exit__(self, kind, exception, traceback):
            self.n += 10

    def entered(depth):
        with depth as n, Depth(n) as m:
            return n + m

    one, other = Depth(1), Depth(1)
    assert (njit(entered)(one), one) == (entered(other), other)


def test_what_is_no_context_manager():
    @jitclass([("number", int64)])
    class Nothing:
        def __init__(self):
            self.number = 1

    @njit
    def entered(value):
        with value:
            return 1

    with pytest.raises(errors.UnsupportedError, match="`with` statement"):
        entered(Nothing())
    with pytest.raises(errors.UnsupportedError, match="`with` statement"):
        entered(3)
