"""Versions of loops that are compiled when a check fails for the first time: from threads, with calls, in recursions, in callbacks.
So are the shapes of long expressions where not all are equal."""
import ctypes
import threading

import numpy as np
import pytest

from rumba import cfunc, njit
from rumba.numba import carray


def shift(x, y, n):
    for i in range(n):
        y[i] = x[i] + 1.0
    return n


def raised(function, *args):
    """The message of the IndexError that a call raises."""
    with pytest.raises(IndexError) as caught:
        function(*args)
    return str(caught.value)


def test_what_came_before_the_exception_happened():
    """Items before the failing one are written, as in Python."""
    x, y, z = np.arange(4.0), np.zeros(6), np.zeros(6)
    assert raised(njit(shift), x, y, 6) == raised(shift, x, z, 6)
    assert y.tolist() == z.tolist() == [1.0, 2.0, 3.0, 4.0, 0.0, 0.0]


def test_loops_behind_which_everything_fails():
    """What is taken out leaves no way on but the failure."""
    @njit
    def change(a):
        a += 1
        raise ValueError("later")

    @njit
    def compute(a):
        raise IndexError((a * 2)[0], "x")

    for a in (np.arange(24.0).reshape(4, 6), np.arange(24.0).reshape(4, 6)[::2, ::2], np.arange(24.0)[::-3]):
        wanted = a + 1
        with pytest.raises(ValueError, match="later"):
            change(a)
        np.testing.assert_array_equal(a, wanted)
    for a in (np.arange(1.0, 5.0), np.arange(1.0, 5.0)[::-1]):
        with pytest.raises(IndexError) as caught:
            compute(a)
        assert caught.value.args == (2 * a[0], "x")


def test_it_is_compiled_once_for_all_threads():
    """Threads that run without the GIL meet where it is compiled."""
    function = njit(nogil=True)(shift)
    function(np.ones(2), np.ones(2), 2)
    gate = threading.Barrier(8)
    messages = []

    def run():
        gate.wait()
        for _ in range(50):
            messages.append(raised(function, np.ones(3), np.ones(9), 9))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(messages) == {"index 3 is out of bounds for axis 0 with size 3"} and len(messages) == 400


@njit
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def with_calls(x, n):
    s = 0
    for i in range(n):
        s += fibonacci(x[i])
    return s


def test_it_calls_what_its_function_calls():
    """A recursive callee goes into no caller."""
    function = njit(with_calls)
    assert function(np.arange(5), 5) == sum(fibonacci(n) for n in range(5))
    assert raised(function, np.arange(5), 6) == "index 5 is out of bounds for axis 0 with size 5"


@njit
def depth(x, n, deep):
    if deep > 0:
        return depth(x, n, deep - 1) + 1.0
    s = 0.0
    for i in range(n):
        s += x[i]
    return s


def test_it_belongs_to_a_function_that_calls_itself():
    """Its function has one more parameter, the limit of the stack."""
    assert depth(np.ones(3), 3, 20) == 23.0
    assert raised(depth, np.ones(3), 4, 20) == "index 3 is out of bounds for axis 0 with size 3"


def found(x, y, n):
    at = -1
    s = 0.0
    for i in range(n):
        s += x[i]
        if y[i] > 2:
            at = i
            break
    return at, s


def test_it_gives_back_what_is_used_behind_the_loop():
    """A loop that is left early never comes to the place that would fail."""
    x, y = np.arange(5.0), np.arange(5)
    function = njit(found)
    for n in (2, 5, 50):
        assert function(x, y, n) == found(x, y, n)
    assert raised(function, x, y - 9, 50) == raised(found, x, y - 9, 50)


def test_memory_is_freed_on_its_way_out():
    """What the function made before is released when the loop fails."""
    from rumba.nrt_stats import rtsys

    @njit
    def filled(x, n):
        made = np.zeros(n)
        for i in range(n):
            made[i] = x[i]
        return made

    before = rtsys.get_allocation_stats()
    for _ in range(10):
        assert raised(filled, np.ones(3), 5)
    assert filled(np.ones(3), 3).tolist() == [1.0, 1.0, 1.0]
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free > 0


def test_callbacks_have_it_too(monkeypatch):
    """C gets zeros, and the exception is reported."""
    @cfunc("float64(CPointer(float64), int64, int64)")
    def total(pointer, size, n):
        x = carray(pointer, (size,))
        s = 0.0
        for i in range(n):
            s += x[i]
        return s

    data = np.ones(4)
    pointer = data.ctypes.data_as(ctypes.POINTER(ctypes.c_double))
    assert total.ctypes(pointer, 4, 4) == 4.0
    told = []
    monkeypatch.setattr("sys.unraisablehook", lambda ignored: told.append(str(ignored.exc_value)))
    assert total.ctypes(pointer, 4, 5) == 0.0
    assert told == ["index 4 is out of bounds for axis 0 with size 4"]


LONG = "a" + " + b * c - a" * 12


@pytest.mark.parametrize("shapes", [((3, 4), (3, 4), (3, 4)), ((3, 4), (1, 4), (3, 1)), ((1, 4), (3, 1), (1, 1)), ((0, 4), (1, 4), (1, 1)),
                                    ((3, 4), (3, 4), (2, 4)), ((3, 4), (3, 5), (3, 4)), ((1, 1), (2, 3), (2, 4))])
def test_shapes_of_a_long_expression(shapes):
    """Where not all are equal they are stepped through as NumPy does it: the result's is that of all, or what it says of the first that do not fit."""
    random = np.random.default_rng(1)
    args = [random.random(shape) for shape in shapes]
    space = {}
    exec(f"def long(a, b, c):\n    return {LONG}", space)
    results = []
    for function in (njit(space["long"]), space["long"]):
        try:
            results.append(function(*args).tolist())
        except ValueError as error:
            results.append(str(error))
    assert results[0] == results[1]
