"""Arrays in and out of compiled code, their items, views and memory, against NumPy."""
import gc
import itertools
import random
import sys

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

import rumba
from rumba import njit
from rumba.errors import TypingError
from rumba.nrt_stats import rtsys

DTYPES = ["?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "c8", "c16"]


def same(got, expected):
    """Both are equal, bit by bit where they are arrays."""
    if isinstance(expected, tuple):
        assert type(got) is tuple and len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other)
    elif isinstance(expected, np.ndarray):
        assert isinstance(got, np.ndarray)
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        assert got.tobytes() == expected.tobytes()
    else:
        assert got == expected or got != got and expected != expected


def check(function, *args):
    """The compiled function gives and raises what Python does, and changes its arguments alike."""
    def copies():
        return [arg.copy() if isinstance(arg, np.ndarray) else arg for arg in args]

    def outcome(call):
        given = copies()
        try:
            return call(*given), None, given
        except Exception as error:
            return None, (type(error), str(error)), given

    expected, got = outcome(function), outcome(njit(function))
    assert got[1] == expected[1]
    same(got[0], expected[0])
    for one, other in zip(got[2], expected[2]):
        same(one, other)


def arrays(dtype="f8", ndim=2):
    """Arrays of all layouts with small different items."""
    shape = (4, 3, 5)[:ndim]
    base = np.arange(np.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    yield base
    yield np.asfortranarray(base)
    if ndim:
        yield base[::-1]
        yield np.repeat(base, 2, axis=0)[::2]
        yield base[:0]


def sum_of_items(a):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j] * (i + 2 * j)
    return total


def test_items_of_every_layout():
    for a in arrays():
        check(sum_of_items, a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_items_of_every_dtype(dtype):
    def read(a, i):
        return a[i]

    def write(a, i, x):
        a[i] = x

    a = np.array([0, 1, 3]).astype(dtype)
    for i in range(-3, 3):
        got = njit(read)(a, i)
        assert got == a[i] and isinstance(got, (int, float, complex))
    check(write, a, 1, 1)
    check(write, a, -1, True)


def test_arguments_and_results_are_not_copied():
    def itself(a):
        return a

    def part(a):
        return a[1:]

    for a in arrays():
        assert njit(itself)(a) is a
        view = njit(part)(a)
        assert np.shares_memory(view, a) or a.size == 0
        same(view, a[1:])
    count = sys.getrefcount(a)
    views = [njit(part)(a) for _ in range(5)]
    assert sys.getrefcount(a) >= count
    del views
    assert sys.getrefcount(a) == count


def test_views_keep_their_base_alive():
    @njit
    def tail(n):
        a = np.empty(n)
        for i in range(n):
            a[i] = i
        return a[n - 3:]

    view = tail(1000)
    gc.collect()
    other = [tail(1000) for _ in range(10)]
    same(view, np.arange(997.0, 1000))
    del other


INDICES = [
    "0", "-1", "2", "3", "-4", "1:", ":2", "::2", "::-1", "-2:", "5:", "-7:-1", "1:1", "2:0:-1", "...", "None", "()",
    "0, 1", "-1, -1", "1:, 1:", "::2, ::-1", "..., 0", "0, ...", "None, 1", "1, None", ":, None, :", "..., None", "4, 0", "0, 3",
]


@pytest.mark.parametrize("index", INDICES)
def test_basic_indices(index):
    space = {}
    exec(f"def get(a): return a[{index}]\ndef put(a, x): a[{index}] = x\ndef both(a, b): a[{index}] = b[{index}]", space)
    for a in arrays("i4", 2):
        check(space["get"], a)
        check(space["put"], a, 7)
        check(space["both"], a, np.ascontiguousarray(a) + 100)


def test_slices_that_are_known_at_run_time_alone():
    def get(a, start, stop, step):
        return a[start:stop:step]

    def two(a, start, stop):
        return a[start:stop], a[:stop], a[start:]

    def put(a, start, stop, step):
        a[start:stop:step] = -1.0

    a = np.arange(7.0)
    ends = [0, 1, 3, 6, 7, 8, 100, -1, -3, -7, -8, -100, 2**63 - 1, -(2**63)]
    steps = [1, 2, 3, -1, -2, 100, -100, 2**63 - 1, -(2**63), 0]
    get_compiled, two_compiled = njit(get), njit(two)
    for start, stop in itertools.product(ends, ends):
        same(two_compiled(a, start, stop), two(a, start, stop))
        for step in steps[:-1]:
            same(get_compiled(a, start, stop, step), get(a, start, stop, step))
    for start, stop, step in [(0, 7, 2), (6, None, -2), (None, None, 3), (1, 2, 0)]:
        check(put, a, start, stop, step)


def test_assignment_broadcasts_and_respects_overlap():
    def put(a, b):
        a[:] = b

    def shift(a):
        a[1:] = a[:-1]

    def turn(a):
        a[:] = a[::-1]

    def rows(a, b):
        a[1:, ::2] = b

    for a in arrays():
        check(put, a, np.arange(3.0))
        check(put, a, np.arange(3))
        check(put, a, np.ones((1, 3)))
        check(put, a, np.ones(2))
        check(put, a, np.ones((2, 3)))
        check(put, a, np.array(5.0))
        check(shift, a)
        check(turn, a)
        check(rows, a, np.array([1.5, 2.5]))


def test_loops_over_arrays():
    def numbers(a):
        total = 0.0
        for x in a:
            total = 2 * total + x
        return total

    def rows(a):
        total = 0.0
        for i, row in enumerate(a):
            for x, y in zip(row, row[::-1]):
                total = 1.5 * total + x - y * i
        return total, len(a)

    for a in arrays("f8", 1):
        check(numbers, a)
    for a in arrays():
        check(rows, a)
    check(rows, np.empty((0, 3)))
    check(rows, np.empty((3, 0)))


def test_attributes():
    def all_of(a):
        return a.shape, a.ndim, a.size, a.itemsize, a.nbytes, a.T, a.T.T.shape

    def strides(a):
        return a.strides

    def parts(a):
        return a.real, a.imag

    for ndim in (0, 1, 2, 3):
        for a in arrays("f4", ndim):
            check(all_of, a)
            if a.size > 1:
                check(strides, a)
    for a in arrays("c16"):
        check(parts, a)


def test_new_arrays():
    def several(n):
        return (np.zeros(n), np.ones((n, 2)), np.full((2, n), 3), np.zeros((n,), np.int32), np.ones(n, dtype=np.complex64),
                np.full(n, 2.5, dtype=np.float32), np.zeros(shape=n, dtype="i2"), np.zeros((), bool))

    def like(a):
        return np.zeros_like(a), np.ones_like(a), np.full_like(a, 7), a.copy(), np.ones_like(a, dtype=np.int8)

    for n in (0, 1, 5):
        check(several, n)
    for a in arrays("i8"):
        got, expected = njit(like)(a), like(a)
        same(got, expected)
        if a.size > 1 and a.flags.c_contiguous:
            assert [g.strides for g in got] == [e.strides for e in expected]


def test_arange():
    def integers(a, b, c):
        return np.arange(a), np.arange(a, b), np.arange(a, b, c)

    for a, b, c in itertools.product((0, 3, -4), (5, -5, 0), (1, 2, -1, -3)):
        check(integers, a, b, c)
        check(integers, a / 2, b / 3, c / 7)
    check(integers, 1, 5, 0)


def test_sizes_that_are_refused():
    def zeros(n):
        return np.zeros(n)

    def plane(n, m):
        return np.empty((n, m))

    check(zeros, -1)
    check(plane, 3, -2)
    for n in (2**62, 2**63 - 1):
        with pytest.raises((ValueError, MemoryError)):
            njit(zeros)(n)
        with pytest.raises((ValueError, MemoryError)):
            njit(plane)(n, 7)
    with pytest.raises(MemoryError):
        njit(zeros)(2**59)


def test_nothing_is_held_when_an_exception_leaves():
    @njit
    def inner(n, at):
        a = np.zeros(n)
        return a[at]

    @njit
    def outer(n, at):
        b = np.ones(n)
        c = (b, np.zeros(2))
        x = inner(n, at)
        return c[0][0] + x + c[1][at]

    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        outer(3, 7)
    with pytest.raises(IndexError, match="size 2"):
        outer(9, 7)
    assert outer(3, 1) == 1.0


def test_arrays_change_hands():
    """Loops that swap, branches that choose, tuples, optional arrays, recursion and inner functions."""
    def swap(n):
        a, b = np.zeros(3), np.ones(3)
        for i in range(n):
            a, b = b, a
            b[0] = a[0] + i
        return a, b

    def choose(a, flag):
        if flag:
            b = np.full(3, 2.0)
        else:
            b = a
        c = b if flag else np.zeros(3)
        c[1] = 9
        return b, c

    def maybe(flag):
        a = None
        if flag:
            a = np.ones(2)
        if a is None:
            return -1.0
        return a[1]

    def overwrite(n):
        a = np.zeros(1)
        for i in range(n):
            a = np.full(i + 1, float(i))
            if i == 3:
                continue
            if i == 6:
                break
        return a

    def pair(n):
        t = (np.zeros(n), n, np.ones(n))
        u = (t[2], t[0])
        for part in u:
            part[0] += 1
        return u

    def nested(n):
        a = np.zeros(n)

        def put(i, x):
            a[i] = x
            return a

        for i in range(n):
            put(i, i * 1.5)
        return a, put(0, 8.0)

    for n in (0, 1, 2, 5, 9):
        check(swap, n)
        check(overwrite, n)
    for flag in (False, True):
        check(choose, np.arange(3.0), flag)
        check(maybe, flag)
    for n in (1, 4):
        check(pair, n)
        check(nested, n)


def test_recursion_with_arrays():
    @njit
    def grow(a, depth):
        if depth == 0:
            return a
        b = np.zeros(len(a) + 1)
        b[1:] = a
        return grow(b, depth - 1)

    same(grow(np.ones(2), 5), np.array([0.0] * 5 + [1.0] * 2))


def test_read_only_arrays_are_not_written():
    a = np.arange(3.0)
    a.flags.writeable = False

    @njit
    def put(a):
        a[0] = 1

    @njit
    def itself(a):
        return a, a[1:]

    with pytest.raises(TypingError, match="Cannot modify readonly array of type: readonly array"):
        put(a)
    same_one, view = itself(a)
    assert same_one is a and not view.flags.writeable


def test_what_is_not_supported_says_so():
    @njit
    def f(a):
        return 0

    for a, text in [(np.zeros(2, object), "object"), (np.zeros(3, ">f8"), "byte order"), (np.zeros(2, np.longdouble), "128"),
                    (np.ma.zeros(2), "masked")]:
        with pytest.raises(TypingError, match=text):
            f(a)


def test_explicit_signatures_take_any_layout():
    from rumba.types import float64, int64

    @njit(float64(float64[:, :], int64))
    def item(a, i):
        return a[i, 1]

    @njit(float64(float64[:, ::1], int64))
    def row(a, i):
        return a[i, 1]

    for a in arrays():
        if a.size:
            assert item(a, 2) == a[2, 1]
    assert row(np.ones((2, 2)), 1) == 1
    with pytest.raises(TypeError, match="No matching definition"):
        row(np.asfortranarray(np.ones((2, 2))), 1)
    with pytest.raises(TypeError, match="No matching definition"):
        item(np.ones(3), 1)


def test_bounds_are_not_checked_where_that_is_asked_for():
    @njit(boundscheck=False)
    def f(a, i):
        return a[i]

    text = next(iter(f.inspect_llvm().values()), "") if f.signatures else ""
    assert f(np.arange(3.0), -1) == 2.0
    assert "rumba_payload" not in next(iter(f.inspect_llvm().values())) + text


def test_random_programs_of_views():
    """Chains of slices, transpositions and copies, written and read."""
    rng = random.Random(5)
    steps = ["a = a[{0}:]", "a = a[::-1]", "a = a.T", "a = a.copy()", "a = a[:, {0}:]", "a = a[::2, ::-1]",
             "if n > {0}: a = a[:, ::-1].copy()", "a[{0}:] = a[{0}, 0]", "a[0, 0] += {0}", "b = a; a = a.copy(); b[:] = a[::-1, ::-1]",
             "for row in a:\n        row[0] = row[-1] * {0}"]
    for number in range(60):
        body = "\n    ".join(rng.choice(steps).format(rng.randrange(2)) for _ in range(rng.randrange(1, 6)))
        space = {}
        exec(f"def f(a, n):\n    {body}\n    return a", space)
        try:
            check(space["f"], np.arange(36.0).reshape(6, 6), number % 3)
        except TypingError as error:
            # One name for arrays of different layouts or dimensions.
            assert "Cannot unify" in str(error), (body, error)


def test_statistics_count():
    before = rumba.nrt_stats.rtsys.get_allocation_stats()

    @njit
    def make(n):
        return np.zeros(n)

    kept = make(3)
    after = rumba.nrt_stats.rtsys.get_allocation_stats()
    assert (after.alloc - before.alloc, after.free - before.free) == (1, 0)
    del kept


def test_arrays_in_what_iterates_and_calls():
    """Iterators, `map`, functions that are chosen or passed: each holds the arrays that it goes through."""
    def temporaries(n):
        total = 0.0
        for x in np.ones(n):
            total += x
        for i, (x, y) in enumerate(zip(np.arange(n), np.full(n, 2.0))):
            total += i * x * y
        for row in np.ones((n, 2)):
            total += row[1]
        for part in (np.ones(n), np.zeros(n)):
            total += len(part)
        return total

    def mapped(n):
        t = (np.ones(n), np.zeros(n))
        total = 0.0
        for x in map(lambda a: a[0] + len(a), t):
            total += x
        for made in map(lambda k: np.full(k, 1.5), (1, 2, 3)):
            total += made[0] * len(made)
        return total

    def chosen(n, flag):
        a = np.ones(n)

        def one(k):
            return np.full(k, 1.0)

        def two(k):
            return a

        f = one if flag else two
        b = f(2)
        b[0] += 1
        return f(3), b, a

    for n in (1, 3):
        check(temporaries, n)
        check(mapped, n)
        for flag in (False, True):
            check(chosen, n, flag)


GRID = np.arange(12.0).reshape(3, 4)
EVERY_SECOND = GRID[:, ::2]
PAIR = (GRID[0], 3)


def test_global_arrays_are_constants():
    def read(i):
        return GRID[i, 1] + EVERY_SECOND[i, 1] + PAIR[0][i] + PAIR[1], GRID.shape, EVERY_SECOND.strides

    def views():
        return GRID, EVERY_SECOND[1:], GRID[1]

    @njit
    def write():
        GRID[0, 0] = 1

    def make(a):
        def get(i):
            return a[i]
        return njit(get)

    check(read, 2)
    check(read, 3)
    itself, part, row = njit(views)()
    assert itself is GRID and not part.flags.writeable and not row.flags.writeable
    same((part, row), (EVERY_SECOND[1:], GRID[1]))
    with pytest.raises(TypingError, match="readonly"):
        write()
    get = make(np.arange(5))
    gc.collect()
    assert get(3) == 3


def test_item_types_and_the_object_that_holds_memory():
    dtype = np.dtype("f4")

    def make(n):
        return np.zeros(n, dtype), np.ones(n, dtype=dtype)

    check(make, 3)
    made = njit(make)(3)[0]
    assert (made.base.refcount, made.base.size, made.base.data) == (1, 12, made.ctypes.data)

    @njit
    def like(a):
        return np.zeros(2, a.dtype), np.ones_like(a)

    for kind in DTYPES:
        a = np.zeros(2, kind)
        same(like(a), (np.zeros(2, kind), np.ones(2, kind)))


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8"])
def test_floats_become_integers_as_in_astype(dtype):
    """An item, a row and a whole array agree on floats beyond the integers."""
    @njit
    def stored(a, x):
        a[0] = x
        a[1:3] = x
        return a

    # What uint64 makes of floats above it depends on the processor in NumPy, too.
    above = () if dtype == "u8" else (1e300, float("inf"))
    for value in (300.7, -1.0, 3e9, -3e9, -1e300, float("nan"), *above):
        with np.errstate(invalid="ignore"):
            expected = np.full(3, value).astype(dtype)
        assert stored(np.zeros(3, dtype), value).tolist() == expected.tolist()


def test_types_of_c_that_are_one_here_are_passed_alike():
    total = njit(lambda a: a[0] + len(a))
    for kind in "lqLQ":
        for other in "lqLQ":
            assert total(np.ones(3, kind)) == total(np.ones(3, other)) == 4


@pytest.mark.parametrize("dtype", ["f4", "c8"])
def test_float_of_a_float32_leaves_arrays_of_float32_as_they_are(dtype):
    """It is a float64 alone, as in Python, and the same number beside an array."""
    a, x = np.arange(4, dtype=dtype), np.float32(0.1)
    for function in (lambda a, x: a / float(x), lambda a, x: float(x) + a, lambda a, x: (a - x) * float(x - a[0].real),
                     lambda a, x: np.full(1, np.sum(a * float(x))), lambda a, x: np.sqrt(a * float(x)) + a):
        found, expected = njit(function)(a, x), function(a, x)
        assert found.dtype == expected.dtype == dtype and found.tobytes() == expected.tobytes()

    def in_place(a, x):
        a *= float(x)
        a -= float(x)
        return a

    assert njit(in_place)(a.copy(), x).tobytes() == in_place(a.copy(), x).tobytes()
    assert njit(lambda x: float(x) * float(x))(x) == float(x) * float(x)
    assert njit(lambda a, x: a * float(x))(a, np.float64(0.1)).dtype == np.result_type(a, np.float64)
