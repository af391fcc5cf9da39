"""Expressions of arrays under `parallel=True`, and the report of what runs on several threads."""
import warnings

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import config, errors, njit, prange
from rumba.parallel.thread_pool import get_parallel_chunksize, parallel_chunksize

RNG = np.random.default_rng(5)


def expression(a, b, c):
    d = a * b + c
    return np.sqrt(np.abs(d)) - a


def broadcast(a, b, c):
    return a * b[0] + c[:, :1] - 2


def in_place(a, b, c):
    a += b
    a[2:, 1:] = b[:-2, :-1] * 2
    a[1:] = a[:-1] + c[1:]
    return a


def conversions(a, b, c):
    return (a > b), (a * 10).astype(np.int64) // 3, a + 1j * b


@pytest.mark.parametrize("function", [expression, broadcast, in_place, conversions])
@pytest.mark.parametrize("shape", [(300, 70), (1, 30000), (2, 3), (0, 4)])
def test_expressions(function, shape):
    if function is broadcast and shape[0] == 0:
        return
    serial, parallel = njit(function), njit(parallel=True)(function)
    plain = [RNG.random(shape) for _ in range(3)]
    for change in (lambda x: x, np.asfortranarray, lambda x: np.repeat(x, 2, axis=1)[:, ::2]):
        args = [change(plain[0].copy()), plain[1], change(plain[2].copy())]
        found, wanted = parallel(*[arg.copy("K") for arg in args]), serial(*[arg.copy("K") for arg in args])
        for a, b in zip(found, wanted) if isinstance(found, tuple) else [(found, wanted)]:
            assert a.dtype == b.dtype
            np.testing.assert_array_equal(a, b)


def test_broadcast_errors_are_raised_once():
    f = njit(parallel=True)(lambda a, b: a + b)
    assert f(np.ones(30000), np.ones(30000)).sum() == 60000
    with pytest.raises(ValueError):
        f(np.ones(30000), np.ones(29999))


def loops(x, y):
    z = x * y + 1
    for i in prange(len(x)):
        z[i] += x[i]
    s = 0.0
    for i in prange(len(x)):
        s = s * 0.5 + x[i]
    return z, s


def test_the_report(capsys):
    f = njit(parallel=True)(loops)
    f(np.ones(10), np.ones(10))
    found = f.get_metadata(f.signatures[0])["parfor_diagnostics"]
    assert found.count_parfors() == 2
    first = loops.__code__.co_firstlineno
    assert sorted(loop.line - first for loop in found.parallel) == [1, 2]
    f.parallel_diagnostics(level=1)
    short = capsys.readouterr().out
    assert "2 parallel, 1 serial" in short and "no reduction" not in short
    assert any("for i in prange(len(x)):" in line and "| #" in line for line in short.splitlines())
    f.parallel_diagnostics(level=4)
    long = capsys.readouterr().out
    assert f"line {first + 5}, column 14: the loop over prange is serial: an iteration needs `s` of the one before" in long
    with pytest.raises(ValueError, match="between 1 and 4"):
        f.parallel_diagnostics(level=5)
    serial = njit(loops)
    serial(np.ones(3), np.ones(3))
    with pytest.raises(ValueError, match="without parallel=True"):
        serial.parallel_diagnostics()


def test_a_function_without_parallel_loops_is_warned_of():
    def f(x):
        s = 0.0
        for i in prange(10):
            s = s * 0.5 + x
        return s

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        njit(parallel=True)(f)(3.0)
        njit(f)(3.0)
        njit(parallel=True)(expression)(*(np.ones((2, 2)) for _ in range(3)))
    assert [warning.category for warning in found] == [errors.NumbaPerformanceWarning]
    message = str(found[0].message)
    assert "no transformation for parallel execution was possible" in message and "`s`" in message
    assert (found[0].filename, found[0].lineno) == (__file__, f.__code__.co_firstlineno)


def test_parts_can_be_turned_off():
    f = njit(parallel={"prange": False})(loops)
    f(np.ones(10), np.ones(10))
    assert f.get_metadata(f.signatures[0])["parfor_diagnostics"].count_parfors() == 1
    f = njit(parallel={"numpy": False})(loops)
    f(np.ones(10), np.ones(10))
    assert f.get_metadata(f.signatures[0])["parfor_diagnostics"].count_parfors() == 1


def assignments(x, y):
    x[1:] = y[:-1]
    y += x
    z = np.sqrt(x) * y
    return np.sum(z * y), z


@pytest.mark.parametrize("options, loops, fused", [
    ({"parallel": True}, 4, True), ({"parallel": {"setitem": False}}, 3, True), ({"parallel": {"inplace_binop": False}}, 3, True),
    ({"parallel": {"fusion": False}}, 6, False), ({"parallel": True, "no_rewrites": True}, 6, False)])
def test_what_each_switch_turns_off(options, loops, fused):
    f = njit(**options)(assignments)
    x, y = RNG.random(1000), RNG.random(1000)
    found, wanted = f(x.copy(), y.copy()), assignments(x.copy(), y.copy())
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-13)  # NumPy adds up on vectors of another width
    np.testing.assert_array_equal(found[1], wanted[1])
    told = f.get_metadata(f.signatures[0])["parfor_diagnostics"]
    assert told.count_parfors() == loops
    assert any(pair.reason is None for pair in told.fusions) == fused


def test_extremes_of_arrays_need_the_iteration_before():
    def f(rows):
        least = np.full(rows.shape[1], 9.0)
        for i in prange(len(rows)):
            least = np.minimum(least, rows[i])
        return least

    rows = RNG.random((2000, 3))
    compiled = njit(parallel=True)(f)
    np.testing.assert_array_equal(compiled(rows), rows.min(axis=0))


def test_writes_to_one_place_are_warned_of():
    @njit(parallel=True)
    def f(x, counts, flags):
        for i in prange(x.shape[0]):
            counts[0] = x[i, 0]
            flags[0] = 1
            for j in range(x.shape[1]):
                counts[j] = counts[j] + x[i, j] + counts[0]
            if i == 3:
                flags[1] = i
            flags[i] = i
            flags[int(x[i, 0])] = i
            own = np.zeros(3)
            own[1] = i

    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        f(np.ones((4, 3)), np.zeros(3), np.zeros(4))
    first = f.py_func.__code__.co_firstlineno
    assert [(warning.category, warning.lineno - first) for warning in found] == [
        (errors.NumbaParallelSafetyWarning, 3), (errors.NumbaParallelSafetyWarning, 6)]


def pairs(a, b, c):
    d = a * b
    e = d + c
    f = np.sqrt(a)
    g = f - b
    a[0] = 2.0
    return e, f + g, np.sum(
        (b - c) * b)


def test_the_report_names_operations_that_are_one_loop(capsys):
    f = njit(parallel=True)(pairs)
    f(np.ones(10), np.ones(10), np.ones(10))
    first = pairs.__code__.co_firstlineno
    found = {(pair.line - first, pair.operand_line - first): pair.reason
             for pair in f.get_metadata(f.signatures[0])["parfor_diagnostics"].fusions}
    assert found[2, 1] is None and found[6, 7] is None
    # One loop with two results.
    assert found[4, 3] is None
    assert "used elsewhere" in found[6, 3] and "may write" in found[6, 4]
    f.parallel_diagnostics(level=2)
    text = capsys.readouterr().out
    assert f"line {first + 2}, column 9: one loop with the operation in line {first + 1}, column 9" in text
    assert "may write to an array" in text


def test_settings_print_the_loops(capfd, monkeypatch):
    monkeypatch.setattr(config, "DEBUG_ARRAY_OPT_STATS", 1)
    njit(parallel=True)(pairs)(np.ones(10), np.ones(10), np.ones(10))
    told = capfd.readouterr()
    first = pairs.__code__.co_firstlineno
    assert f": loop over the items of arrays in pairs, {__file__} ({first + 4})\n" in told.out
    assert "After fusion, function pairs has 3 parallel for-loop(s); 4 operation(s)" in told.out and "arrayexpr" not in told.err
    monkeypatch.setattr(config, "DEBUG_ARRAY_OPT_STATS", 0)
    monkeypatch.setattr(config, "DEBUG_ARRAY_OPT", 1)
    njit(parallel=True)(pairs)(np.ones(10), np.ones(10), np.ones(10))
    told = capfd.readouterr()
    assert "arrayexpr" in told.out + told.err and "After fusion" not in told.out
    njit(pairs)(np.ones(10), np.ones(10), np.ones(10))
    assert not any(capfd.readouterr())


def test_loops_within_a_chunk_size_are_parallel():
    @njit(parallel=True)
    def f(x):
        with parallel_chunksize(7):
            for i in prange(len(x)):
                x[i] = get_parallel_chunksize()
        return get_parallel_chunksize()

    x = np.ones(100)
    assert f(x) == 0 and not x.any()
    found = f.get_metadata(f.signatures[0])["parfor_diagnostics"].loops
    assert [loop.reason for loop in found if loop.is_prange] == [None]
    with pytest.raises(ZeroDivisionError):
        g = njit(parallel=True)(fails_within)
        g(np.ones(10))
    assert get_parallel_chunksize() == 0


def test_names_that_a_loop_assigns_within_a_chunk_size():
    def f(x):
        s, last = 0.0, -1
        with parallel_chunksize(4):
            for i in prange(len(x)):
                s += x[i]
                last = i
        return s, last

    compiled = njit(parallel=True)(f)
    assert compiled(np.ones(100)) == (100.0, 99)
    loops = compiled.get_metadata(compiled.signatures[0])["parfor_diagnostics"].loops
    assert [loop.reason for loop in loops] == [None]

    def handled(x):
        s = 0.0
        try:
            for i in prange(len(x)):
                s += 1 // int(x[i])
        except ZeroDivisionError:
            return s, -1.0
        return s, 1.0

    # The handler reads what the loop assigns.
    compiled = njit(parallel=True)(handled)
    for x in (np.ones(30, np.int64), np.arange(9, -20, -1)):
        assert compiled(x) == handled(x)


def fails_within(x):
    with parallel_chunksize(2):
        for i in prange(len(x)):
            x[i] = 1 // (i - 5)
    return x


def test_where_is_one_loop_with_what_it_chooses_from():
    def f(x, y):
        return np.where((x > 0.2) & (y < 0.9), x * y, x - y)

    compiled, x, y = njit(parallel=True)(f), RNG.random(100_000), RNG.random(100_000)
    np.testing.assert_array_equal(compiled(x, y), f(x, y))
    assert compiled.get_metadata(compiled.signatures[0])["parfor_diagnostics"].count_parfors() == 1


def test_products_with_vectors():
    dot = njit(parallel=True)(lambda a, b: np.dot(a, b))
    # (Exact numbers, so that no order of sums is another one.)
    numbers = lambda *shape: RNG.integers(-9, 9, shape).astype(np.float64)  # noqa: E731
    for a, b in ((numbers(300_001), numbers(300_001)), (numbers(20_001, 7), numbers(7)), (numbers(20_001), numbers(20_001, 7)),
                 (numbers(30, 9001), numbers(9001)), (numbers(3), numbers(3, 30_000)), (numbers(3, 4), numbers(4)), (numbers(0, 5), numbers(5))):
        np.testing.assert_array_equal(dot(a, b), np.dot(a, b))
    found = [dot.get_metadata(signature)["parfor_diagnostics"].count_parfors() for signature in dot.signatures]
    assert found == [1, 1, 1]
    with pytest.raises(ValueError, match="not aligned"):
        dot(numbers(20_000, 7), numbers(8))


def test_arrays_that_stretch_along_the_last_dimension():
    def scaled(x, low, high):
        return np.exp(x - low) / (high - low), x * low > high

    rng = np.random.default_rng(3)
    x = rng.random((300, 70))
    low, high = x.min(axis=1, keepdims=True), x.max(axis=1, keepdims=True)
    for args in ((x, low, high), (x.T, low.T, high.T), (x.astype(np.float32), low, high), (x[:, :1], low, high), (x, low[:1], high)):
        for found, wanted in zip(njit(parallel=True)(scaled)(*args), njit(scaled)(*args), strict=True):
            np.testing.assert_array_equal(found, wanted)
