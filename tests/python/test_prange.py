"""Parallel loops over `prange`: what they leave behind is what the same loop leaves one iteration after the other."""
import collections
import math

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

import rumba.numba as numba
from rumba import njit, prange

pytestmark = pytest.mark.filterwarnings("ignore::rumba.errors.NumbaPerformanceWarning", "ignore:overflow:RuntimeWarning")

N = 1003
X = np.linspace(-3.0, 5.0, N)
K = (np.arange(N) * 7919) % 1009


def parallel_loops(compiled):
    """How many loops over `prange` run on several threads."""
    found = compiled.get_metadata(compiled.signatures[0])["parfor_diagnostics"].parallel
    return sum(loop.is_prange for loop in found)


def check(function, *args, exact=True, options={}):
    """Compares with the function as Python runs it, and with the loop on one thread."""
    for parallel in (True, False):
        compiled = njit(parallel=parallel, **options)(function)
        own = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
        python = [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]
        found, wanted = compiled(*own), function(*python)
        compare = np.testing.assert_array_equal if exact else np.testing.assert_allclose
        for a, b in zip(own, python):
            if isinstance(a, np.ndarray):
                np.testing.assert_array_equal(a, b)
        if wanted is not None:
            compare(found, wanted)


def each_item(x, y):
    for i in prange(len(x)):
        y[i] = x[i] * 2 + i


def from_a_to_b(x, y, a, b):
    for i in prange(a, b):
        y[i] = x[i] - y[i]


def every_third(x, y, step):
    for i in prange(2, len(x), 3):
        y[i] = x[i]
    for i in prange(1, len(x), step):
        y[i] += x[i]


def downwards(x, y):
    for i in prange(len(x) - 1, -1, -2):
        y[i] = i * x[i]


def with_continue(x, y):
    for i in prange(len(x)):
        if x[i] < 0:
            continue
        y[i] = math.sqrt(x[i])


def nested(a):
    n, m = a.shape
    for i in prange(n):
        for j in prange(m):
            a[i, j] = i * 100 + j


def inside_a_loop(x, y):
    for k in range(4):
        for i in prange(len(x)):
            y[i] += x[i] * k


def private_names(x, y):
    t = 0.0
    for i in prange(len(x)):
        t = x[i] * 2
        u = t + 1
        y[i] = t * u
    return y[0]


def own_arrays(x, y):
    for i in prange(len(x)):
        row = np.zeros(4)
        for j in range(4):
            row[j] = x[i] + j
        parts = [row.sum(), row[1]]
        y[i] = parts[0] + parts[-1]


def views(a):
    for i in prange(a.shape[0]):
        row = a[i]
        row[:] = row * 2 + i
        a[i, 0] = row[1:].sum()


def tuples_and_lists(pairs, y):
    for i in prange(len(y)):
        a, b = pairs
        y[i] = a[i % len(a)] + b


def unsigned(x, y):
    n = np.uint64(len(x))
    for i in prange(np.uint64(1), n):
        y[i] = x[i]


def narrow(y, n):
    for i in prange(np.int32(3), n):
        y[i] = i


def empty(y):
    for i in prange(0):
        y[i] = 1
    for i in prange(5, 3):
        y[i] = 1
    for i in prange(3, 5, -1):
        y[i] = 1


@pytest.mark.parametrize("case", [
    (each_item, X, np.zeros(N)), (from_a_to_b, X, np.ones(N), 3, N - 5), (every_third, X, np.zeros(N), 7),
    (downwards, X, np.zeros(N)), (with_continue, X, np.zeros(N)), (nested, np.zeros((37, 11))),
    (inside_a_loop, X, np.zeros(N)), (private_names, X, np.zeros(N)), (own_arrays, X, np.zeros(N)),
    (tuples_and_lists, ((1.0, 2.5, 4.0), 7), np.zeros(N)), (unsigned, X, np.zeros(N)),
    (narrow, np.zeros(N), np.int32(N)), (empty, np.zeros(N)),
], ids=lambda case: case[0].__name__)
def test_loops(case):
    check(*case)


def test_views_of_rows():
    check(views, np.arange(60.0).reshape(12, 5))


def sums(x, k):
    s, p, c, d, n = 1.5, 1.0, 1j, 10.0, 3
    for i in prange(len(x)):
        s += x[i]
        p *= 1 + x[i] / 10000
        c = x[i] * 2j + c
        d -= x[i]
        if k[i] % 3 == 0:
            n += k[i]
        elif k[i] % 3 == 1:
            n += 2
    return s, p, c.real, c.imag, d, n


def integers(k):
    a, o, e, p, q = -1, 0, 5, np.uint8(3), 1
    for i in prange(len(k)):
        a &= k[i] | 0xff00
        o |= k[i]
        e ^= k[i]
        q *= k[i] | 1
    return a, o, e, p, q


def extremes(x, k):
    low, high, most, least, at, where = math.inf, -math.inf, -1, 10**9, -1, -1
    for i in prange(len(x)):
        low = min(low, x[i])
        high = max(x[i], high)
        if k[i] > most:
            most = k[i]
            at = i
        v = k[i]
        if least > v:
            least = v
            where = i
    return low, high, most, at, least, where


def last_values(x, k):
    t, u, w, b = -1.0, 5, 7, False
    for i in prange(len(x)):
        t = x[i]
        if k[i] % 100 == 3:
            u = i
        if k[i] > 10**6:
            w = i
        if x[i] > 0:
            b = True
    return t, u, w, b, i


def serial_because_of_a_dependency(x):
    s = 0.0
    for i in prange(len(x)):
        s = s * 0.5 + x[i]
    return s


def serial_because_of_break(x):
    s = 0.0
    for i in prange(len(x)):
        if x[i] > 2:
            break
        s += x[i]
    return s


def reset(x, k):
    s = 0.0
    for i in prange(len(x)):
        s += x[i]
        if k[i] % 50 == 0:
            s = 0.0
    return s


def steps(x):
    n = 0
    for i in prange(3, len(x), 4):
        n += i
    for i in prange(len(x), 0, -3):
        n += i * i
    return n


def two_tests(x, k):
    m, other = -1.0, 0
    for i in prange(len(x)):
        if x[i] > m:
            m = x[i]
        else:
            other = i
    return m, other


@pytest.mark.parametrize("case", [
    (integers, K), (extremes, X, K), (last_values, X, K), (serial_because_of_a_dependency, X),
    (serial_because_of_break, X), (reset, X, K), (steps, X), (two_tests, X, K),
], ids=lambda case: case[0].__name__)
def test_values_that_go_on(case):
    check(*case)


def test_sums():
    check(sums, X, K, exact=False)


def test_sums_do_not_depend_on_scheduling():
    compiled = njit(parallel=True)(sums)
    assert len({compiled(X, K) for _ in range(20)}) == 1


def test_no_iterations():
    compiled = njit(parallel=True)(sums)
    assert compiled(X[:0], K[:0]) == (1.5, 1.0, 0.0, 1.0, 10.0, 3)


def test_the_lowest_chunk_tells_its_exception():
    @njit(parallel=True)
    def f(x, y):
        for i in prange(len(x)):
            if x[i] > 100:
                raise ValueError("too much", i)
            y[i] = x[i]

    x = np.zeros(N)
    f(x, x.copy())
    x[[3, N - 1]] = 1000
    for _ in range(20):
        with pytest.raises(ValueError) as info:
            f(x, x.copy())
        assert info.value.args == ("too much", 3)
    line = f.py_func.__code__.co_firstlineno + 4
    assert info.traceback[-1].lineno + 1 == line
    x[3] = 0
    f(x[:-1], x[:-1].copy())


def test_indices_are_checked():
    @njit(parallel=True)
    def f(x, y):
        for i in prange(len(x)):
            y[i] = np.zeros(3).sum() + x[i]

    with pytest.raises(IndexError, match="index 10 is out of bounds"):
        f(np.zeros(11), np.zeros(10))


def test_in_a_callee_and_a_recursion():
    @njit(parallel=True)
    def total(x):
        s = 0.0
        for i in prange(len(x)):
            s += x[i]
        return s

    @njit
    def fib(n):
        return n if n < 2 else fib(n - 1) + fib(n - 2)

    @njit
    def around(x):
        return total(x) + total(x[::2])

    @njit(parallel=True)
    def fibs(y):
        for i in prange(len(y)):
            y[i] = fib(i % 12)

    x = np.arange(100.0)
    assert around(x) == x.sum() + x[::2].sum()
    y = np.zeros(100)
    fibs(y)
    assert y[11] == 89 and y[99] == fib(99 % 12)


def test_a_handler_around_the_loop():
    @njit(parallel=True)
    def f(x):
        try:
            for i in prange(len(x)):
                if x[i] > 2:
                    raise ValueError("too much")
                x[i] = np.zeros(3).sum() + 1
        except ValueError:
            return -1.0
        return x.sum()

    assert f(np.zeros(N)) == N and f(np.arange(1.0 * N)) == -1.0
    assert parallel_loops(f) == 1


def row_sums(a):
    total = np.zeros(a.shape[1])
    product = np.ones((2, a.shape[1]))
    n = 0
    for i in prange(a.shape[0]):
        total += a[i]
        product *= 1 + a[i] / 10
        n += 1
    return np.concatenate((total, product.ravel(), np.array([1.0 * n])))


def test_sums_of_arrays():
    a = np.arange(300.0).reshape(60, 5) / 100
    check(row_sums, a, exact=False)
    compiled = njit(parallel=True)(row_sums)
    compiled(a)
    assert parallel_loops(compiled) == 1


def test_sums_of_arrays_change_the_array_itself():
    @njit(parallel=True)
    def f(total, a):
        same = total
        for i in prange(a.shape[0]):
            total += a[i]
        return same is total

    a = np.arange(600).reshape(120, 5)
    for total in (np.arange(5), np.arange(10)[::2]):
        wanted = total + a.sum(axis=0)
        assert f(total, a)
        np.testing.assert_array_equal(total, wanted)


def test_sums_of_arrays_with_an_exception():
    @njit(parallel=True)
    def f(a):
        total = np.zeros(a.shape[1])
        for i in prange(a.shape[0]):
            if a[i, 0] > 500:
                raise ValueError("too much")
            total += a[i]
        return total

    a = np.arange(600.0).reshape(120, 5)
    for _ in range(5):
        with pytest.raises(ValueError):
            f(a)
    np.testing.assert_allclose(f(a[:90]), a[:90].sum(axis=0))


def test_a_result_of_lists_in_a_serial_loop():
    @njit(parallel=True)
    def f(x, y):
        return [y[i] for i in prange(len(x))]

    assert f(X, X) == list(X)
    with pytest.raises(IndexError):
        f(X, X[:10])


def test_plain_python_sees_a_range():
    assert prange(3) == range(3) and list(prange(1, 7, 2)) == [1, 3, 5] and numba.prange is prange


def reads_containers(x, y):
    names = [3, 1, 2]
    table = {1: 10.0, 2: 20.0, 3: 30.0}
    for i in prange(len(x)):
        if i % 4 in table:
            y[i] = table[i % 4] + names[i % 3] + len(names) + table.get(7, 0.5)
        for name in names:
            y[i] += name
    return y.sum()


def changes_containers(n):
    found, seen, counts = [0], {0}, {0: 0}
    for i in prange(n):
        found.append(i)
    for i in prange(n):
        seen.add(i)
    for i in prange(n):
        counts[i] = i
    rows = [np.zeros(2), np.zeros(2)]
    for i in prange(n):
        rows[i % 2] = np.ones(3) * i
    return len(found), len(seen), len(counts), rows[0].sum() + rows[1].sum()


def test_containers_are_shared_by_readers_alone():
    check(reads_containers, X, np.zeros(N))
    check(changes_containers, 1000)
    for function, args, parallel in ((reads_containers, (X, np.zeros(N)), 1), (changes_containers, (10,), 0)):
        compiled = njit(parallel={"numpy": False})(function)
        compiled(*args)
        assert parallel_loops(compiled) == parallel


Point = collections.namedtuple("Point", "x y")


def handled_inside(p, text, n):
    out = np.zeros(n)
    for i in prange(n):
        try:
            if i % 7 == 3:
                raise ValueError(text)
            out[i] = p.x + len(text + str(i))
        except ValueError:
            out[i] = -1
    return out


def closures(x, k):
    def scaled(v):
        return v * k

    def total():
        t = 0.0
        for i in prange(len(x)):
            t += scaled(x[i])
        return t

    return total() + total()


def several_values(n):
    z, t = 0j, (0, 0.0)
    for i in prange(n):
        z += complex(i, 1)
        t = (i, i * 2.0)
    return z.real, z.imag, t[0], t[1]


def arrays_in_lists(n):
    rows = [np.arange(i + 1) for i in range(n)]
    out = np.zeros(n)
    for i in prange(n):
        out[i] = rows[i].sum()
    return out


@pytest.mark.parametrize("case", [
    (handled_inside, Point(1.5, 2), "abc", 100), (closures, np.arange(50.0), 3.0), (several_values, 100), (arrays_in_lists, 50),
], ids=lambda case: case[0].__name__)
def test_programs(case):
    check(*case)


def test_recursion_through_a_loop():
    @njit(parallel=True)
    def factorial(n):
        s = 0
        for i in prange(n):
            s += factorial(n - 1) if n > 1 else 1
        return s

    assert factorial(5) == 120


def test_a_name_that_no_iteration_bound():
    @njit(parallel=True)
    def f(n):
        for i in prange(n):
            t = i
        return t

    assert f(5) == 4
    with pytest.raises(UnboundLocalError, match="'t'"):
        f(0)


def truths(x, n):
    ok, bad, both, last = True, False, True, True
    for i in prange(n):
        ok = ok and x[i] > -3
        bad = bad or x[i] > 3
        both = both and x[i] < 4 and x[i] != 0.5
        last = x[i] > 0 and last
    return ok, bad, both, last


def test_and_or():
    f = njit(parallel=True)(truths)
    rng = np.random.default_rng(3)
    for at, value in ((0, 0.1), (999, -9), (500, 9), (3, 0.5), (998, 3.5)):
        x = np.abs(rng.normal(size=1000)) * 0.5 + 0.01
        x[at] = value
        assert f(x, 1000) == truths(x, 1000)
    assert f(x, 0) == (True, False, True, True)
    assert parallel_loops(f) == 1


def test_what_hangs_on_a_truth_value_is_no_reduction():
    def count(x):
        ok, n = True, 0
        for i in prange(len(x)):
            if ok:
                n += 1
                ok = x[i] > 0
        return ok, n

    f = njit(parallel=True)(count)
    x = np.ones(500)
    x[[70, 300]] = -1
    assert f(x) == count(x) == (False, 71)


def sum_of_rows(total, rows, other):
    for i in prange(len(rows)):
        total += rows[i] + other[0]
    return total


def test_sums_of_arrays_that_are_read_under_another_name():
    f = njit(parallel=True)(sum_of_rows)
    rows = np.arange(300.0).reshape(100, 3)
    for change in (lambda a: np.zeros(3), lambda a: a, lambda a: a[::-1]):
        given, wanted = np.ones(3), np.ones(3)
        assert f(given, rows, change(given)) is given
        sum_of_rows(wanted, rows, change(wanted))
        assert np.array_equal(given, wanted), change
    # One of the rows is the sum.
    given, wanted = rows.copy(), rows.copy()
    f(given[50], given, np.zeros(3))
    sum_of_rows(wanted[50], wanted, np.zeros(3))
    assert np.array_equal(given, wanted)


def test_sums_of_arrays_that_may_lie_in_a_list():
    @njit(parallel=True)
    def f(total, rows):
        for i in prange(len(rows)):
            total += rows[i]
        return total

    rows = [np.full(2, float(i)) for i in range(20)]
    assert np.array_equal(f(np.zeros(2), rows), [190.0, 190.0])
    assert parallel_loops(f) == 0
    loops = f.get_metadata(f.signatures[0])["parfor_diagnostics"].loops
    assert "may lie in a list" in next(loop.reason for loop in loops if loop.is_prange)
