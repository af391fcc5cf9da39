"""Operators and elementwise functions of arrays, and expressions of them, against NumPy."""
import itertools
import warnings

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.errors import TypingError
from rumba.nrt_stats import rtsys

REAL = ["?", "i1", "u1", "i2", "i4", "u4", "i8", "u8", "f4", "f8"]


@pytest.fixture(autouse=True)
def quietly():
    """What divides by zero says nothing."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def allocations(function, *args):
    """How many blocks a call allocates."""
    before = rtsys.get_allocation_stats().alloc
    result = function(*args)
    return rtsys.get_allocation_stats().alloc - before, result


def same(got, expected):
    """Equal items, NaN included, in arrays of one shape and type."""
    assert isinstance(got, np.ndarray) == isinstance(expected, np.ndarray)
    assert np.shape(got) == np.shape(expected)
    if isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype
    np.testing.assert_array_equal(got, expected)


def check(function, *args):
    """The compiled function gives and raises what NumPy does, and changes its arguments alike."""
    def outcome(call):
        given = [arg.copy() if isinstance(arg, np.ndarray) and arg.base is None else arg for arg in args]
        try:
            return call(*given), None, given
        except Exception as error:
            return None, (type(error), str(error)), given

    expected, got = outcome(function), outcome(njit(function))
    assert got[1] == expected[1]
    if expected[1] is None:
        same(got[0], expected[0])
    for one, other in zip(got[2], expected[2]):
        np.testing.assert_array_equal(one, other)


def layouts(dtype="f8"):
    """Arrays of one shape in all layouts."""
    base = (np.arange(24).reshape(4, 6) % 7 + 1).astype(dtype)
    yield base
    yield np.asfortranarray(base)
    yield base[::-1]
    yield base[:, ::-1]
    yield np.repeat(base, 2, axis=1)[:, ::2]
    yield np.asfortranarray(np.repeat(base, 2, axis=0))[::2]


def test_an_expression_allocates_once():
    functions = [
        lambda a, b, c: a * b + np.sqrt(c),
        lambda a, b, c: (a > b) & (c < a) | (a == c),
        lambda a, b, c: -a + abs(b) * 2 - c / 3 + a * a - np.exp(-c * b) ** 2,
        lambda a, b, c: np.where(a > b, a * c, -b) + 1,
    ]
    for function in functions:
        compiled = njit(function)
        for a in layouts():
            compiled(a, a + 1, a * 2)
            count, result = allocations(compiled, a, a + 1, a * 2)
            assert count == 1
            np.testing.assert_array_equal(result, function(a, a + 1, a * 2))


def test_storing_allocates_nothing():
    @njit
    def change(a, b, c):
        a += b * c - 1
        a[...] = a * b + c
        a[1:] = b[1:] / c[1:]
        np.add(a, b, a)
        np.multiply(a, c * 2, out=a)

    for a in layouts():
        b, c = a + 1, a * 3
        expected = a.copy()
        change.py_func(expected, b, c)
        change(a.copy(), b, c)
        got = a.copy()
        assert allocations(change, got, b, c)[0] == 0
        same(got, expected)


@pytest.mark.parametrize("function", [
    lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a * b, lambda a, b: a / b, lambda a, b: a // b,
    lambda a, b: a % b, lambda a, b: a < b, lambda a, b: a <= b, lambda a, b: a == b, lambda a, b: a != b,
    lambda a, b: a > b, lambda a, b: a >= b,
])
@pytest.mark.parametrize("x, y", [("f8", "f8"), ("i8", "i8"), ("i4", "i8"), ("u1", "u1"), ("i1", "i2"), ("f4", "f4"),
                                  ("f4", "f8"), ("u8", "u8"), ("i8", "f8"), ("c16", "c16"), ("f8", "c16")])
def test_operators(function, x, y):
    a = np.array([0, 1, 2, 3, 5, 7]).astype(x)
    b = np.array([0, 1, 0, 2, 3, 1]).astype(y)
    try:
        function(a, b)
    except TypeError:
        with pytest.raises(TypingError):
            njit(function)(a, b)
        return
    if np.dtype(x).kind == "c" or np.dtype(y).kind == "c":
        a = a[1:4]
        b = b[1:4] + 1
        np.testing.assert_array_equal(njit(function)(a, b), function(a, b))
    else:
        check(function, a, b)


@pytest.mark.parametrize("function", [lambda a, b: a & b, lambda a, b: a | b, lambda a, b: a ^ b])
@pytest.mark.parametrize("dtype", ["?", "i1", "u2", "i4", "i8", "u8"])
def test_bits(function, dtype):
    check(function, np.array([0, 1, 1, 0]).astype(dtype), np.array([0, 0, 1, 1]).astype(dtype))


@pytest.mark.parametrize("dtype", ["i1", "u2", "i4", "i8", "u8"])
def test_shifts_and_signs(dtype):
    a = np.array([1, 2, 3, 100]).astype(dtype)
    check(lambda a, b: a << b, a, np.array([0, 1, 2, 3]).astype(dtype))
    check(lambda a, b: a >> b, a, np.array([0, 1, 2, 3]).astype(dtype))
    check(lambda a: ~a, a)
    check(lambda a: -a, a)
    check(lambda a: +a, a)
    check(lambda a: abs(a), a)


def test_powers():
    a = np.array([-2.5, 0, 1, 3, np.inf, np.nan])
    check(lambda a: a ** 2, a)
    check(lambda a: a ** 2, a.astype("f4"))
    check(lambda a: a ** 2, np.arange(5))
    check(lambda a, b: a ** b, np.arange(5), np.arange(5))
    check(lambda a, b: a ** b, np.arange(5), np.array([-1] * 5))
    np.testing.assert_array_equal(njit(lambda a: a ** 0.5)(np.arange(5.0)), np.arange(5.0) ** 0.5)


SHAPES = [(), (1,), (3,), (4, 3), (4, 1), (1, 3), (2, 4, 3), (2, 1, 1), (1, 1, 1), (0,), (4, 0), (0, 3), (5,)]


@pytest.mark.parametrize("shape", SHAPES)
def test_broadcasting(shape):
    add = njit(lambda a, b: a - b * 2)
    a = np.arange(np.prod(shape, dtype=int)).reshape(shape) + 0.5
    for other in SHAPES:
        b = np.arange(np.prod(other, dtype=int)).reshape(other) * 3.0
        for x, y in itertools.product([a, np.asfortranarray(a)], [b, np.asfortranarray(b)]):
            try:
                expected = add.py_func(x, y)
            except ValueError as error:
                with pytest.raises(ValueError) as raised:
                    add(x, y)
                assert str(raised.value) == str(error)
                continue
            got = add(x, y)
            assert np.shape(got) == np.shape(expected)
            np.testing.assert_array_equal(got, expected)


def test_broadcasting_of_three():
    f = njit(lambda a, b, c: a * b + c)
    rng = np.random.default_rng(3)
    for _ in range(100):
        shape = rng.integers(1, 4, 3)
        args = []
        for _ in range(3):
            own = np.where(rng.random(3) < 0.4, 1, shape)[rng.integers(0, 3):]
            array = rng.random(own)
            order = rng.integers(0, 3)
            args.append(array if order == 0 else np.asfortranarray(array) if order == 1 else array[::-1])
        same(f(*args), f.py_func(*args))


def test_numbers_beside_arrays():
    for dtype in ["f4", "f8", "i8"]:
        a = np.arange(5).astype(dtype)
        check(lambda a: 2 * a - 1, a)
        check(lambda a: 1 - a * 2, a)
    check(lambda a: a * 2.5 + True, np.arange(3.0))
    check(lambda a: a * 1j + 2, np.arange(3.0))
    check(lambda a, x: a * x, np.arange(3.0), np.float64(3))


def test_types_that_differ_from_numpys():
    """Python's numbers are int64 and float64, single precision stays beside integers: as in Numba."""
    assert njit(lambda a: a * 2)(np.ones(2, "i1")).dtype == np.int64
    assert njit(lambda a: a * 2.0)(np.ones(2, "f4")).dtype == np.float64
    assert njit(lambda a: a * 2)(np.ones(2, "u8")).dtype == np.float64
    assert njit(lambda a, b: a * b)(np.ones(2, "f4"), np.ones(2, "i8")).dtype == np.float32
    assert njit(lambda a, b: a / b)(np.ones(2, "f4"), np.ones(2, "i4")).dtype == np.float32


@pytest.mark.parametrize("x, y", list(itertools.product(REAL, REAL)))
def test_types_of_results(x, y):
    a, b = np.ones(2, x), np.ones(2, y)
    single = "f4" in (x, y) and "f8" not in (x, y)
    expected = np.dtype("f4") if single else (a + b).dtype
    assert njit(lambda a, b: a + b)(a, b).dtype == expected


def test_in_place():
    for dtype, other in itertools.product(["f4", "f8", "i4", "i8", "c16"], ["f4", "f8", "i4", "i8", "c16"]):
        a, b = np.arange(6).astype(dtype), (np.arange(6) + 1).astype(other)

        def change(a, b):
            a += b
            a *= b
            a -= 1
        try:
            change(a.copy(), b)
        except TypeError:
            with pytest.raises(TypingError):
                njit(change)(a.copy(), b)
            continue
        got, expected = a.copy(), a.copy()
        njit(change)(got, b)
        change(expected, b)
        same(got, expected)


def test_what_cannot_fail_in_any_layout():
    """Loops that are compiled when they are needed stand in functions that fail in no other way."""
    def add(a):
        a += 1

    def double(a):
        np.multiply(a, 2, a)

    compiled, twice = njit(add), njit(double)

    @njit
    def both(a):
        compiled(a)
        twice(a)
    for a in layouts():
        expected = (a + 1) * 2
        both(a)
        np.testing.assert_array_equal(a, expected)
    for one in (add, double):
        for a in layouts("i4"):
            expected = a.copy()
            one(expected)
            njit(one)(a)
            np.testing.assert_array_equal(a, expected)


def test_overlap():
    def reverse(a):
        a += a[::-1]

    def forward(a):
        a[1:] = a[:-1] * 2 + 1

    def backward(a):
        a[:-1] = a[1:] * 2 + 1

    def middle(a):
        a[1:-1] += a[:-2] + a[2:]

    def out(a):
        np.add(a[1:], a[:-1], a[1:])

    def turned(a):
        a += a.T * 2

    for change in [reverse, forward, backward, middle, out]:
        for a in [np.arange(10.0), np.arange(20.0)[::2], np.arange(30.0).reshape(10, 3)]:
            got, expected = a.copy(), a.copy()
            njit(change)(got)
            change(expected)
            same(got, expected)
    got, expected = np.arange(9.0).reshape(3, 3), np.arange(9.0).reshape(3, 3)
    njit(turned)(got)
    turned(expected)
    same(got, expected)


def test_errors_of_shapes():
    a, b = np.ones((2, 3)), np.ones(4)
    check(lambda a, b: a + b, a, b)
    check(lambda a, b: a * 2 + b, a, b)
    check(lambda a, b: np.where(a > 0, a, b), a, b)

    def in_place(a, b):
        a += b

    def assign(a, b):
        a[:] = b * 2

    def out(a, b):
        np.add(b, 1, out=a)
    for function in [in_place, out]:
        check(function, np.ones(3), np.ones(4))
        check(function, np.ones(1), np.ones(4))
        check(function, np.ones((2, 3)), np.ones(4))
    check(assign, np.ones(3), np.ones(4))
    check(assign, np.ones((2, 3)), np.ones(2))


def test_what_is_written_between_is_seen():
    @njit
    def f(a, b):
        t = a * b
        a[0] = 100
        return t + a

    @njit
    def g(a, b):
        t = a * b
        u = t + 1
        a += 1
        return u + a + t

    for function in [f, g]:
        a, b = np.arange(5.0), np.arange(5.0) + 2
        x, y = a.copy(), a.copy()
        same(function(x, b), function.py_func(y, b))
        same(x, y)


def test_results_that_are_used_twice():
    check(lambda a: (a + 1) * (a + 1), np.arange(4.0))

    def twice(a):
        t = a + 1
        return t * t - t
    check(twice, np.arange(4.0))

    def loop(a):
        for i in range(3):
            a = a * 2 + i
        return a
    check(loop, np.arange(4.0))

    def branch(a, b):
        if a[0] > 0:
            t = a * 2
        else:
            t = a * 3
        return t + b
    check(branch, np.arange(4.0), np.arange(4.0))


@pytest.mark.parametrize("change", [
    "t -= b", "t *= a + b", "t -= t", "t -= 1; t **= 2", "t[1:] = t[:-1]", "t[1:] = t[1:] * 2", "t[:] = b", "t[0] = t[1]; t -= a",
    "np.add(t, b, t)", "np.add(t, b, out=t)", "np.sin(t, t); t += np.cos(t)", "s = t; t -= b; t += s", "n = t.size; t += n",
    "u = t; u -= b", "t -= (t, b)[1]",
])
def test_results_that_are_changed_at_once(change):
    for made in ("a + b", "-a", "np.sin(a) + b * 2", "(a + b).T", "a + (b + a)"):
        names = {"np": np}
        exec(f"def f(a, b):\n    t = {made}\n    {change}\n    return t", names)
        exec(f"def g(a, b):\n    total = 0.0\n    for i in range(3):\n        t = {made} + i\n        {change}\n        total += t.sum()\n    return total", names)
        args = np.arange(4.0), np.linspace(1.0, 2.0, 4)
        same(njit(names["f"])(*args), names["f"](*args))
        assert float(njit(names["g"])(*args)) == float(names["g"](*args))


def test_truth_values_that_are_changed_at_once():
    def f(a, b):
        t = a < b
        t &= a > 1
        u = a != b
        u |= t
        return t, u
    args = np.arange(4.0), np.array([3.0, 1.0, 4.0, 1.0])
    for got, wanted in zip(njit(f)(*args), f(*args), strict=True):
        same(got, wanted)


def test_no_dimensions():
    a = np.array(3.0)
    got = njit(lambda a: a + 1)(a)
    assert got == 4 and isinstance(got, float)
    check(lambda a, b: a * b, a, np.arange(3.0))

    def change(a):
        a += 2
    njit(change)(a)
    assert a == 5


def test_out():
    a, b = np.arange(6.0).reshape(2, 3), np.ones(3)
    out = np.zeros((2, 3))
    result = njit(lambda a, b, out: np.add(a, b, out))(a, b, out)
    assert result is out
    same(out, a + b)
    result = njit(lambda a, out: np.sqrt(a, out=out))(a, out)
    assert result is out
    same(out, np.sqrt(a))
    same(njit(lambda a: np.sqrt(a, out=None))(a), np.sqrt(a))
    single = np.zeros((2, 3), "f4")
    njit(lambda a, b, out: np.add(a * 2, b, out))(a, b, single)
    same(single, (a * 2 + b).astype("f4"))
    with pytest.raises(TypingError):
        njit(lambda a, b, out: np.add(a, b, out))(a, b, np.zeros((2, 3), "i8"))
    with pytest.raises(TypingError):
        njit(lambda a, b, out: np.add(a, b, out))(a, b, (1, 2))


def test_division_of_integers_by_zero_gives_zero():
    a, b = np.array([1, -2, 3]), np.array([0, 0, 2])
    check(lambda a, b: a // b, a, b)
    check(lambda a, b: a % b, a, b)
    check(lambda a, b: a / b, a, b)
    check(lambda a: a // 0, a)


def test_times():
    a = np.array(["2020-01-01", "2021-02-03", "NaT"], "M8[D]")
    d = np.array([1, 20, 300], "m8[D]")
    check(lambda a, d: a + d, a, d)
    check(lambda a, b: a - b, a, a[::-1].copy())
    check(lambda a, b: a < b, a, a[::-1].copy())
    check(lambda d: d * 2, d)
    check(lambda d, e: d + e - e, d, d)

    def change(d):
        d += d
    check(change, d)


def test_records_are_refused():
    records = np.zeros(3, [("x", "f8")])
    with pytest.raises(TypingError):
        njit(lambda a: a + a)(records)
    with pytest.raises(TypingError):
        njit(lambda a, b: a + b)(np.ones(3), "text")
    with pytest.raises(TypingError):
        njit(lambda a: a @ a + "x")(np.ones(3))
    with pytest.raises(TypingError):
        njit(lambda a: a & 1)(np.ones(3))
    with pytest.raises(TypingError):
        njit(lambda a, b: np.add(a, b, a, b))(np.ones(3), np.ones(3))


def test_readonly_is_not_written():
    a = np.ones(3)
    a.flags.writeable = False

    def change(a):
        a += 1
    with pytest.raises(TypingError):
        njit(change)(a)
    same(njit(lambda a: a + 1)(a), a + 1)


def test_long_expressions():
    names = "abc"
    for count in [5, 40, 200]:
        text = "+".join(f"{names[i % 3]}*{i}" for i in range(1, count))
        function = eval(f"lambda a, b, c: {text}")
        args = [np.arange(10.0) + i for i in range(3)]
        compiled = njit(function)
        same(compiled(*args), function(*args))
        assert allocations(compiled, *args)[0] == 1


def test_many_arrays():
    names = [f"a{i}" for i in range(20)]
    function = eval(f"lambda {', '.join(names)}: {' * '.join(names)}")
    args = [np.linspace(0.5, 1.5, 100) + i / 100 for i in range(20)]
    same(njit(function)(*args), function(*args))


def test_complex_numbers_by_zero():
    parts = [0.0, -0.0, 1.0, -2.5, np.inf, -np.inf, np.nan]
    a = np.array([complex(x, y) for x in parts for y in parts])
    with np.errstate(all="ignore"):
        for zero in (complex(0.0, 0.0), complex(-0.0, 0.0), complex(0.0, -0.0), complex(-0.0, -0.0)):
            for dtype in ("c8", "c16"):
                b = np.full(a.size, zero, dtype)
                found, wanted = njit(lambda a, b: a / b)(a.astype(dtype), b), a.astype(dtype) / b
                np.testing.assert_array_equal(found.view(found.real.dtype), wanted.view(found.real.dtype))


EXTREME = [0, 1, -1, 2 ** 53, 2 ** 53 + 1, 2 ** 53 - 1, -2 ** 53 - 1, 2 ** 62 + 1, 2 ** 63 - 1, 2 ** 63 - 1024, -2 ** 63]


@pytest.mark.parametrize("operator", ["<", "<=", "==", "!=", ">", ">="])
def test_integers_compared_with_floats_are_floats(operator):
    """NumPy rounds them to doubles first, where Python compares numbers exactly."""
    compare = eval(f"lambda a, b: a {operator} b")
    compiled = njit(compare)
    counted = njit(eval(f"lambda a, b: (np.sum(a {operator} b), (b {operator} a).sum())", {"np": np}))
    floats = np.array([*map(float, EXTREME), np.inf, -np.inf, np.nan, 0.5, 2.0 ** 64])
    for number in EXTREME:
        integers = np.full(floats.size, number)
        for one, other in ((floats, number), (number, floats), (floats, integers), (integers, floats), (floats + 0j, integers)):
            if "=" == operator[1:] and operator[0] in "=!" or not np.iscomplexobj(one):
                assert np.array_equal(compiled(one, other), compare(one, other)), (number, one)
        assert counted(floats, number) == counted.py_func(floats, number)
    # Numbers in compiled code are Python's.
    for number in EXTREME:
        for one in floats.tolist():
            assert compiled(one, number) == compare(one, number) and compiled(number, one) == compare(number, one), (one, number)
