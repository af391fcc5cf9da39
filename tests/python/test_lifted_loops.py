"""Functions in object mode: CPython runs them, their loops are lifted out and compiled where their values have types."""
import io
import sys
import traceback

import numpy as np
import pytest

from rumba import jit, njit
from rumba.numba.core import types
from rumba.numba.core.runtime import rtsys


def lifted_of(dispatcher):
    return dispatcher.overloads[dispatcher.signatures[0]].lifted


def outcome(function, *args):
    try:
        return function(*args)
    except Exception as error:
        return type(error), str(error)


def check(function, *calls, lifted=1, native=True):
    """Two calls each agree with CPython; the given number of loops is lifted, and the first of them is compiled or not."""
    compiled = jit(forceobj=True)(function)
    for args in calls:
        for _ in range(2):
            expected, found = outcome(function, *args), outcome(compiled, *args)
            assert repr(found) == repr(expected), (function, args)
    loops = lifted_of(compiled)
    assert len(loops) == lifted
    if lifted:
        assert bool(loops[0].nopython_signatures) == native
    return compiled


def test_variables_that_come_out():
    def total(n):
        object()
        t = 0
        for i in range(n):
            t += i
        return t

    def last(n):
        for i in range(n):
            r = i
        return r

    def maybe(n, flag):
        for i in range(n):
            if i == 3:
                r = i
        if flag:
            return r
        return object

    def carried(n):
        prev, s = None, 0
        for i in range(n):
            if i:
                s += prev
            prev = i
        return s, prev

    check(total, (10,), (0,))
    check(last, (3,), (0,))
    check(maybe, (5, True), (2, False), (2, True))
    check(carried, (5,), (0,))


def test_ways_out_of_a_loop():
    def broken(n):
        i = 0
        while i < n:
            if i > 5:
                break
            i += 1
        else:
            return "else"
        return i

    def returned(xs, y):
        n = 0
        for x in xs:
            n += 1
            if x == y:
                return n, x * 2
        return "no"

    def raised(xs):
        for x in xs:
            if x > 3:
                raise ValueError("big")
        return 1

    def both(xs, first):
        for x in xs:
            if x > 3:
                found = x
                break
        else:
            raise KeyError(first)
        return found

    def never_left(n):
        while True:
            n += 1
            if n > 100:
                return n

    check(broken, (3,), (9,))
    check(returned, ([1, 2], 2), ([1], 2))
    compiled = check(raised, ([1, 2],), ([1, 5],))
    check(both, ([1, 7, 8], 0), ([1], 2))
    check(never_left, (3,))
    with pytest.raises(ValueError) as error:
        compiled([9])
    lines = [entry.line for entry in traceback.extract_tb(error.value.__traceback__)]
    assert lines[-1] == 'raise ValueError("big")'


def test_what_a_loop_iterates_over():
    class Holder:
        def __init__(self):
            self.items = [1.5, 2.5]

    def attribute(o):
        t = 0.0
        for x in o.items:
            t += x
        return t

    def zipped(a, b):
        t = 0.0
        for i, (x, y) in enumerate(zip(a, b)):
            t += x * y + i
        return float(t)

    def chosen(a, b, flag):
        t = 0
        for x in a if flag else b:
            t += x
        return t

    def pairs(d):
        t = 0
        for key, value in d.items():
            t += len(key) * value
        return t

    check(attribute, (Holder(),))
    check(zipped, (np.ones(3), np.arange(3.0)))
    check(chosen, ([1, 2], [5], True), ([1, 2], [5], False))
    check(pairs, ({"a": 1, "bcd": 2},))


def test_loops_that_python_runs():
    def of_objects(xs):
        out = []
        for x in xs:
            out.append(x * 2)
        return out

    def big(n):
        t = 0
        for _ in range(3):
            t += n
        return t

    compiled = check(of_objects, (["a", 3],), ([1, 2],), ([object],), native=False)
    assert compiled.overloads[compiled.signatures[0]].objectmode
    check(big, (2**70,), native=False)

    def suspended(n):
        for i in range(n):
            yield i

    def caught(xs):
        t = 0
        for x in xs:
            try:
                t += x
            except TypeError:
                t += 1
        return t

    def shared(n):
        t = 0

        def add(i):
            nonlocal t
            t += i

        for i in range(n):
            add(i)
        return t

    def handled(xs):
        n = 0
        try:
            for x in xs:
                n += 1
                x + 1
        except TypeError:
            return n

    def counted(xs):
        global COUNT
        for x in xs:
            COUNT = x
        return COUNT

    for function, args in (
        (lambda n: list(jit(forceobj=True)(suspended)(n)), (3,)), (caught, ([1, "a"],)), (handled, ([1, "a", 2],)),
        (counted, ([1, 2],)),
    ):
        check(function, args, lifted=0)
    check(shared, (4,), native=False)


def test_loops_in_generators_closures_and_methods():
    def filled(n):
        a = np.empty(n)
        yield 0
        for i in range(a.size):
            a[i] = i
        yield float(a.sum())

    compiled = jit(forceobj=True)(filled)
    assert list(compiled(4)) == list(compiled(4)) == [0, 6.0]
    assert [len(loop.signatures) for loop in lifted_of(compiled)] == [1]
    factor = 3

    def captured(n):
        c = 2

        def inner():
            return c

        t = 0
        for i in range(n):
            if i % 2:
                continue
            t += i * c * factor
        return t + inner()

    check(captured, (7,))

    class Owner:
        scale = 2

        @jit(forceobj=True)
        def total(self, n, *more, start=1, **named):
            t = start
            for i in range(n):
                t += i
            return t * self.scale + len(more) + len(named)

    assert Owner().total(4, 5, 6, start=2, other=1) == 8 * 2 + 2 + 1


def test_loops_are_nopython_functions():
    """As in Numba, integers of a lifted loop are of fixed width."""
    def grown(n):
        x = 1
        for _ in range(n):
            x = x * 2
        return x

    assert grown(64) == 2**64
    assert jit(forceobj=True)(grown)(64) == 0
    assert jit(forceobj=True, looplift=False)(grown)(64) == 2**64
    assert not lifted_of(jit((types.intp,), forceobj=True, looplift=False)(grown))

    @njit
    def twice(x):
        return x * 2

    def calls(a):
        t = 0.0
        for x in a:
            t += twice(x)
        return float(t)

    check(calls, (np.arange(4.0),))


def test_what_is_told_of_lifted_loops():
    def f(x, y):
        object()
        for i in range(x.size):
            x[i] += y
        for j in range(x.size):
            x[j] *= 2
        return x

    compiled = jit(forceobj=True)(f)
    assert np.array_equal(compiled(np.arange(3.0), 1), [2, 4, 6])
    compiled(np.arange(3.0), 1.5)
    first, second = lifted_of(compiled)
    line = f.__code__.co_firstlineno
    assert (first.line, second.line) == (line + 2, line + 4) and str(line + 2) in repr(first)
    assert len(first.signatures) == 2 and len(second.signatures) == 1
    assert all(result.fndesc.native for result in first.overloads.values())
    text = io.StringIO()
    compiled.inspect_types(file=text)
    for said in ("The function contains lifted loops", f"Loop at line {line + 2}", "Has 2 overloads", "CPython runs its bytecode"):
        assert said in text.getvalue()
    [info] = compiled.get_annotation_info().values()
    assert info["num_lifted_loops"] == 2
    compiled.recompile()
    assert np.array_equal(compiled(np.arange(3.0), 1), [2, 4, 6])


def test_errors_of_code_that_ran_are_not_swallowed():
    def f(a, i):
        object()
        for k in range(3):
            a[0] += 1
            a[k + i] = k
        return a

    compiled = jit(forceobj=True)(f)
    compiled(np.zeros(3), 0)
    a = np.zeros(3)
    with pytest.raises(IndexError):
        compiled(a, 2)
    assert a.tolist() == [2.0, 0.0, 0.0]


def test_references_and_memory():
    kept = object()

    def f(xs, o, kind):
        t = 0.0
        for x in xs:
            t += x
            if kind == 1 and t > 3:
                raise ValueError("large")
        return t, o

    compiled = jit(forceobj=True)(f)
    array, items = np.arange(50.0), [object(), 1]

    def run():
        for args in ((array, kept, 0), (array, kept, 1), (items, kept, 0), ([1, 2], kept, 0)):
            outcome(compiled, *args)

    for _ in range(3):
        run()
    counts = [sys.getrefcount(value) for value in (array, kept, items, items[0])]
    before = rtsys.get_allocation_stats()
    for _ in range(100):
        run()
    after = rtsys.get_allocation_stats()
    assert [sys.getrefcount(value) for value in (array, kept, items, items[0])] == counts
    assert after.alloc - before.alloc == after.free - before.free
