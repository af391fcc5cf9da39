"""Functions of whole arrays under `parallel=True`: reductions, creation, selection, copies and stencils on several threads.

The results have the same bits as those of serial functions, whatever the number of threads, but for products of floats.
"""
import random
import warnings

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit, prange, stencil
from rumba.extending import overload
from rumba.parallel.thread_pool import get_num_threads, set_num_threads

RNG = np.random.default_rng(11)
# More than what is left to one thread, and no multiple of anything.
MANY = 70_003


def of_all(a, b):
    return (np.sum(a), np.mean(a), a.min(), a.argmin(), np.argmax(a), np.count_nonzero(a), np.any(a), np.all(a),
            a.var(), np.sum(a * b), (a - b).mean(), np.count_nonzero(a != b), np.any(a * b == 7), np.all(a * 2 != 1))


def products(a, b):
    return a.prod(), (a * b).prod()


def extremes(a, b):
    return np.min(a - b), (a * b).max()


def along(a, b):
    return a.sum(axis=0), a.sum(axis=1), ((a - b) ** 2).sum(axis=1), np.max(a, 0)


def in_three(a):
    return np.count_nonzero(a, axis=2)


def made(a, b):
    out = np.empty_like(a)
    out[:] = 3
    out[a > b] = 5
    out[1:] = a[:-1]
    return (out, np.ones(a.size), np.full(a.size, a[0]), np.arange(a.size), np.arange(0, 1, 1e-5), np.linspace(0, 3, a.size), np.where(a > b, a, b),
            np.where(a > b, 1, b), a.copy(), a.astype(np.complex64))


def same(found, wanted):
    for number, (one, other) in enumerate(zip(found, wanted, strict=True)):
        one, other = np.asarray(one), np.asarray(other)
        assert (one.dtype, one.shape) == (other.dtype, other.shape), number
        assert np.array_equal(one, other, equal_nan=one.dtype.kind in "fc"), number


@pytest.fixture(scope="module")
def compiled():
    functions = of_all, products, extremes, along, in_three, made
    return {function: (njit(parallel=True)(function), njit(function)) for function in functions}


@pytest.fixture(scope="module")
def rows():
    return njit(parallel=True)(lambda a: a.sum(axis=1)), njit(lambda a: a.sum(axis=1))


def numbers(dtype, size):
    return (RNG.normal(size=size) * 4).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float64, np.int32])
def test_over_all_items(compiled, dtype):
    for size in (5, MANY):
        a, b = numbers(dtype, size), numbers(dtype, size)
        for function in (of_all, extremes):
            parallel, serial = compiled[function]
            same(parallel(a, b), serial(a, b))
    ones = np.where(RNG.random(MANY) < 0.5, 1, -1).astype(dtype)
    parallel, serial = compiled[products]
    same(parallel(ones, ones), serial(ones, ones))


def test_other_layouts_and_items():
    parallel, serial = (njit(parallel=shared)(lambda a: (a.sum(), a.min())) for shared in (True, False))
    for a in (np.repeat(numbers(np.float64, MANY), 2)[::2], numbers(np.complex64, MANY)):
        same(parallel(a), serial(a))


def test_special_items():
    parallel, serial = ([wrap(f) for f in (np.min, np.max, np.argmin, np.argmax)] for wrap in (
        lambda f: njit(parallel=True)(lambda a: f(a)), lambda f: njit(lambda a: f(a))))
    for places, value in (([60_000], np.nan), ([9, 69_000], np.nan), ([1, 50_000], -np.inf), ([3, 40_000], 1e300), ([], 0.0)):
        a = RNG.normal(size=MANY) if places else np.zeros(MANY)
        a[places] = value
        with np.errstate(invalid="ignore"):
            same([f(a) for f in parallel], [f(a) for f in serial])


def test_empty_arrays_are_refused_once():
    f = njit(parallel=True)(lambda a: np.max(a))
    assert f(np.arange(float(MANY))) == MANY - 1
    with pytest.raises(ValueError, match="zero-size array to reduction operation maximum"):
        f(np.empty(0))


@pytest.mark.parametrize("shape", [(300, 401), (3, 50_000), (50_000, 3), (2, 3)])
def test_along_axes(compiled, rows, shape):
    a, b = numbers(np.float64, shape), numbers(np.float64, shape)
    parallel, serial = compiled[along]
    same(parallel(a, b), serial(a, b))
    wide = np.repeat(a, 2, axis=1)[:, ::2]
    parallel, serial = rows
    assert np.array_equal(parallel(wide), serial(wide))


def test_three_dimensions(compiled):
    parallel, serial = compiled[in_three]
    for shape in (40, 50, 60), (2, 3, 20_000), (0, 3, 4):
        a = numbers(np.float32, shape)
        same(parallel(a), serial(a))


def test_what_is_made(compiled):
    parallel, serial = compiled[made]
    for size in (3, MANY):
        a, b = numbers(np.float64, size), numbers(np.float64, size)
        same(parallel(a, b), serial(a, b))


def test_the_number_of_threads_changes_no_bit(compiled):
    a, b = numbers(np.float64, 300_000), numbers(np.float64, 300_000)
    parallel = compiled[of_all][0], compiled[products][0]
    before = get_num_threads()
    try:
        found = []
        for threads in (1, before):
            set_num_threads(threads)
            found.append([*parallel[0](a, b), *parallel[1](a, b)])
        same(*found)
    finally:
        set_num_threads(before)


@stencil
def cross(a):
    return 0.25 * (a[0, 1] + a[1, 0] + a[0, -1] + a[-1, 0])


@stencil(neighborhood=((-2, 2),), cval=1.0)
def window(a, b):
    total = 0.0
    for at in range(-2, 3):
        total += a[at] * b[at]
    return total


def smooth(a, row, out):
    return cross(a), cross(a, out=out) + 1, window(row, row)


def smooth_in_place(a, by):
    @stencil(cval=2.0)
    def kernel(a):
        return (a[0, 1] - a[0, -1]) * by
    return kernel(a), stencil(lambda a: a[1, 0] + a[0, 0])(a)


def test_stencils():
    parallel, serial = njit(parallel=True)(smooth), njit(smooth)
    for shape in (3, 4), (200, 300):
        a, row = RNG.random(shape), RNG.random(MANY)
        same(parallel(a, row, np.ones(shape)), serial(a, row, np.ones(shape)))
    assert parallel.get_metadata(parallel.signatures[0])["parfor_diagnostics"].count_parfors() >= 3


def test_stencils_that_compiled_code_makes():
    parallel, serial = njit(parallel=True)(smooth_in_place), njit(smooth_in_place)
    for shape in (3, 4), (200, 300):
        a = RNG.random(shape)
        same(parallel(a, 0.5), serial(a, 0.5))
    assert "do_scheduling" in parallel.inspect_llvm(parallel.signatures[0])


def test_stencils_have_a_switch():
    def run(a):
        return row_of(a), stencil(lambda a: a[-1])(a)

    a = RNG.random(9)
    for parts, found in ({"stencil": False}, False), ({"numpy": False}, True):
        f = njit(parallel=parts)(run)
        same(f(a), njit(run)(a))
        assert ("do_scheduling" in f.inspect_llvm(f.signatures[0])) is found


@stencil
def row_of(a):
    return a[0] + a[1]


def halves(x):
    result = np.empty_like(x)
    for i in prange(len(x)):
        result[i] = x[i] / 2
    return result


def of_library(x):
    raise NotImplementedError


overload(of_library, inline="always")(lambda x: halves)


def test_functions_that_are_always_inlined_are_parallel_in_parallel_callers():
    a, inlined = RNG.random(50), njit(inline="always")(halves)
    for callee in inlined, of_library:
        serial, parallel = njit(lambda x: callee(x)), njit(parallel=True)(lambda x: callee(x))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            same((serial(a), parallel(a)), (a / 2, a / 2))
        assert "do_scheduling" in parallel.inspect_llvm(parallel.signatures[0])
        assert "do_scheduling" not in serial.inspect_llvm(serial.signatures[0])


def test_the_report_names_calls(capsys):
    f = njit(parallel=True)(lambda a: (
        a.sum(),
        np.max(a * 2)))
    f(np.ones(10))
    found = f.get_metadata(f.signatures[0])["parfor_diagnostics"]
    first = f.py_func.__code__.co_firstlineno
    assert sorted(loop.line - first for loop in found.parallel) == [1, 2]


def test_lists_and_arguments_that_are_refused_stay_serial():
    f = njit(parallel=True)(lambda a, row: (np.sum([1, 2, 3]), np.sum(a), np.sum(row, initial=2), np.where(row)))
    assert f((1, 2), np.ones(3))[:3] == (6, 3, 5)


def program(seed):
    """A random function of two matrices, a row and a number: expressions, assignments to parts, reductions."""
    pick = random.Random(seed)

    def expression(depth):
        if depth == 0:
            return pick.choice(["a", "b", "c", "row", "k", "a[::-1]", "b * 0.5"])
        kind = pick.randrange(5)
        if kind == 0:
            return f"np.{pick.choice(['sin', 'abs', 'exp'])}({expression(depth - 1)})"
        if kind == 1:
            return f"np.where(a {pick.choice('<>')} b, {expression(depth - 1)}, {expression(depth - 1)})"
        return f"({expression(depth - 1)} {pick.choice('+-*')} {expression(depth - 1)})"

    lines = ["c = a * 1"]
    for _ in range(3):
        target = pick.choice(["c", "c[1:]", "c[:, ::2]", "c[a > 0.5]"])
        if target == "c[a > 0.5]":
            lines.append(f"{target} = k")
        elif target == "c":
            lines.append(f"c = a * 0 + {expression(2)}")
        else:
            lines.append(f"{target} = (a * 0 + {expression(2)}){target[1:]}")
    reductions = [f"np.{pick.choice(['sum', 'mean', 'max', 'min'])}(c * {pick.choice('abk')})", "c.sum(axis=1)", "np.count_nonzero(c > a)", "c"]
    space = {"np": np}
    exec("def program(a, b, row, k):\n " + "\n ".join([*lines, f"return {', '.join(reductions)}"]), space)
    return space["program"]


@pytest.mark.parametrize("seed", range(3))
def test_random_programs(seed):
    function = program(seed)
    parallel, serial = njit(parallel=True)(function), njit(function)
    for shape in (300, 240), (3, 4):
        args = RNG.random(shape), RNG.random(shape), RNG.random(shape[1]), 0.25
        found = parallel(*args)
        same(found, serial(*args))
        for one, other in zip(found, function(*args), strict=True):
            # Compiled code adds up in another order than NumPy, on one thread (compared exactly) as on several.
            np.testing.assert_allclose(one, other, rtol=1e-9)
