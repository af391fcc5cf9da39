"""`try` around `yield`: what is caught in a generator, what comes out of it, and what runs when it is dropped half-way."""
import traceback
import types

import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from test_try import same


def quotients(n):
    for i in range(n):
        try:
            yield 10 // (i - 2)
        except ZeroDivisionError as error:
            yield len(str(error))
        finally:
            yield i


def failing(n):
    text = "end" * n
    for i in range(n):
        yield i
    raise ValueError(text, n)


def logged(log, n):
    try:
        for i in range(n):
            yield i
    finally:
        log[0] += 1


compiled_quotients, compiled_failing, compiled_logged = map(njit, (quotients, failing, logged))


def test_what_is_raised_between_items_is_caught():
    compiled = njit(quotients)
    for n in range(6):
        assert list(compiled(n)) == list(quotients(n))


def test_a_generator_in_a_try():
    def summed(n):
        found = 0
        try:
            for x in failing(n):
                found += x
        except ValueError as error:
            return str(error) + str(found)
        return "none"

    def by_next(n):
        found = 0
        items = quotients(n)
        try:
            while True:
                found = found * 3 + next(items)
        except StopIteration:
            return found

    wanted = [(summed(n), by_next(n)) for n in range(5)]
    space = globals()
    before = {name: space[name] for name in ("failing", "quotients")}
    space.update(failing=compiled_failing, quotients=compiled_quotients)
    try:
        first, second = njit(summed), njit(by_next)
        assert [(first(n), second(n)) for n in range(5)] == wanted
    finally:
        space.update(before)


def test_finally_runs_where_a_generator_is_dropped():
    log = np.zeros(1)
    items = compiled_logged(log, 5)
    assert next(items) == 0 and next(items) == 1 and log[0] == 0
    items.close()
    assert log[0] == 1
    items = compiled_logged(log, 5)
    assert next(items) == 0
    del items
    assert log[0] == 2
    assert list(compiled_logged(log, 2)) == [0, 1] and log[0] == 3


def test_generator_expressions_in_a_try():
    def summed(n):
        try:
            return sum(1 // (x - 2) for x in range(n))
        except ZeroDivisionError:
            return -1

    same(summed, (2,), (4,))


@njit
def says_text(n):
    yield n
    return "text " * n


@njit
def says_array(n):
    yield n
    return np.arange(n)


@njit
def says_pair(n):
    yield n
    return str(n), n, 2.5


@njit
def may_say(n):
    yield n
    if n > 1:
        return [str(n)][0]


def ended(generator):
    try:
        while True:
            next(generator)
    except StopIteration as end:
        return end.value


def ended_text(n):
    said = [ended(says_text(n)), ended(may_say(n))]
    found = []
    for generator in (says_text(n), says_text(n + 1)):
        try:
            next(generator)
            next(generator)
        except StopIteration as end:
            found.append(end.value + str(n))
            found.append(end.value or "")
    return said, found


def ended_array(n):
    return ended(says_array(n)), ended(says_pair(n))


def shown_first(n):
    generator = says_pair(n)
    next(generator)
    try:
        next(generator)
    except StopIteration as end:
        text = str(end)
        return text, end.value
    return "", ("", 0, 0.0)


def test_what_generators_return_is_told():
    """Strings, arrays and tuples of them, by `value`, also where the exception was shown before."""
    names = {"ended": njit(ended)}
    for function in (ended_text, ended_array, shown_first):
        compiled = njit(type(function)(function.__code__, {**globals(), **names}))
        space = {**globals(), **{one.__name__: one.py_func for one in (says_text, says_array, says_pair, may_say)}, "ended": ended}
        plain = type(function)(function.__code__, space)
        for n in (1, 3):
            assert repr(compiled(n)) == repr(plain(n))


@njit
def raises_inside(n):
    try:
        for i in range(n):
            yield i
    finally:
        try:
            raise KeyError(n, "other" * n)
        except KeyError as error:
            n += len(error.args)


@njit
def makes_some(n):
    for _ in range(n):
        yield raises_inside(n)


@njit
def checked(x, n):
    if x == n - 1:
        raise ValueError("text" * n, x + 70, str(x))
    return x


def test_generators_that_are_given_up_leave_the_exception_as_it_is():
    """What their own `finally` blocks raise and catch meanwhile changes neither its arguments nor its traceback."""
    def left(n):
        for generator in makes_some(n):
            for x in generator:
                checked(x, n)

    def left_in_list(n):
        for generator in [raises_inside(n), raises_inside(n)]:
            for x in generator:
                checked(x, n)

    def again(n):
        generator = raises_inside(n)
        try:
            try:
                checked(next(generator) + n - 1, n)
            except ValueError as error:
                error.add_note("a note")
                raise
        finally:
            n = 0

    def caught(n):
        kept = ""
        try:
            for generator in makes_some(n):
                for x in generator:
                    checked(x, n)
        except ValueError as error:
            kept = repr(error) + error.args[0] + str(error.args[1])
        return kept

    def lines(function, n):
        try:
            function(n)
        except ValueError as error:
            return [(entry.name, entry.lineno) for entry in traceback.extract_tb(error.__traceback__)][1:]

    for function in (left, left_in_list, again, caught):
        same(function, (3,), (5,))
        assert lines(njit(function), 3) == lines(function, 3)


@njit
def noted(log, number):
    try:
        yield number
        yield number + 1
    finally:
        log.append(number)


@njit
def through(log):
    for x in noted(log, 1):
        try:
            yield x
        finally:
            log.append(10)


def given_up(log):
    next(through(log))


def closed(log):
    generator = through(log)
    next(generator)
    generator.close()


def thrown_into(log):
    generator = through(log)
    next(generator)
    try:
        generator.throw(KeyError(3))
    except KeyError:
        log.append(3)


def returns(log):
    for x in noted(log, 1):
        try:
            return x
        finally:
            log.append(10)


def raises(log):
    for _ in noted(log, 1):
        try:
            log[5]
        finally:
            log.append(10)


def nested(log):
    for x in noted(log, 1):
        for y in noted(log, 4):
            try:
                if y == 5:
                    return x
            finally:
                log.append(10)


def breaks(log):
    for x in noted(log, 1):
        if x == 1:
            log.append(10)
            break
    log.append(11)


def test_a_loop_holds_its_generator_until_it_is_left():
    for function in (given_up, closed, thrown_into, returns, raises, nested, breaks):
        outcomes, known = [], dict(globals())
        for name in ("noted", "through"):
            known[name] = types.FunctionType(known[name].py_func.__code__, known)
        for one in (njit(function), types.FunctionType(function.__code__, known)):
            log = [0]
            try:
                outcomes.append((one(log), log))
            except IndexError as error:
                outcomes.append((str(error), log))
        assert outcomes[0] == outcomes[1], function.__name__


STOPS = [
    "list(next(iter(v[1:])) for x in 'a')", "[*(next(iter(v[1:])) for x in 'a')]", "max(next(iter(v[1:])) for x in 'a')",
    "'x' in (next(iter(v[1:])) for x in 'a')", "list(zip('a', (next(iter(v[1:])) for x in 'a')))",
    "[x for x in (next(iter(v[1:])) for x in 'a')]", "''.join(next(iter(v[1:])) for x in 'a')",
    "set(next(iter(v[1:])) for x in 'a')", "next((next(iter(v[1:])) for x in 'a'), 'b')",
    "any(next(iter(v[1:])) == y for x in 'a' for y in v)", "list(filter(None, (next(iter(v[1:])) for x in 'a')))",
    "list(y for y in (next(iter(v[1:])) for x in 'a'))", "[y for x in 'a' for y in (next(iter(v[1:])) for z in x)]",
    "[x for x in (x for x in v if next(iter(v[1:])))]",
]


@pytest.mark.parametrize("stops", STOPS)
def test_stop_iteration_in_a_generator_expression_is_a_runtime_error(stops):
    names = {}
    exec(f"def f(v):\n    return {stops}", names)
    same(names["f"], (["a"],), (["a", "b"],))


def test_unpacking_of_generator_expressions_over_nothing():
    def one(v):
        a, = (x for x in v)
        return a

    def starred(v):
        a, *b, c = (x for x in v)
        return a

    def rest(v):
        *b, = (x for x in v)
        return len(b)

    def stops(v):
        *b, a = (next(iter(v)) for x in "a")
        return a

    for function in (one, starred, rest, stops):
        same(function, ([],))
