"""Updates of array items in parallel loops: `counts[bins[i]] += 1` gives the sums of a serial loop, whichever iterations meet.

Floats are whole numbers here, so that sums are exact in any order.
"""
import os
import random
import subprocess
import sys

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit, prange

# More than what is left to one thread.
MANY = 60_000
INDICES = ["bins[i]", "-1 - bins[i]", "bins[bins[i]]", "int(x[i])", "i % 7", "i // 9000", "3", "bins[i] * 2 % 10", "bins[i] + (i & 3)"]
UPDATES = ["{0} += {1}", "{0} -= {1}", "{0} = {0} + {1}", "{0} = {1} + {0}", "{0} = {0} - {1} + 3", "{0} = i + ({0} - {1})"]
OPERANDS = ["x[i]", "i", "1", "x[i] * 2 - i", "bins[i]"]


def both(source, *args):
    """What a function given as text makes of its arguments on several threads, and as plain Python."""
    space = {"np": np, "prange": prange}
    exec(source, space)
    plain, copies = space["f"], [[arg.copy() for arg in args] for _ in range(2)]
    njit(parallel=True)(plain)(*copies[0])
    exec(source.replace("prange", "range"), space)
    space["f"](*copies[1])
    return copies


def check(source, *args):
    for found, wanted in zip(*both(source, *args), strict=True):
        np.testing.assert_array_equal(found, wanted, err_msg=source)


def arrays(rng, size, dtype):
    return (np.array(rng.choices(range(5), k=MANY)), np.array(rng.choices(range(8), k=MANY), dtype=float), np.arange(size).astype(dtype),
            np.ones(16, dtype))


def loop(lines):
    return "def f(bins, x, a, b):\n    for i in prange(len(bins)):\n" + "".join(f"        {line}\n" for line in lines)


@pytest.mark.parametrize("seed", range(24))
def test_random_updates(seed):
    rng = random.Random(seed)
    dtype = rng.choice([np.int64, np.float64, np.float64, np.int32, np.complex128])
    lines = []
    for name in rng.choice(["a", "ab", "aba"]):
        index = rng.choice(INDICES)
        operand = rng.choice(OPERANDS)
        if np.issubdtype(dtype, np.integer):
            operand = f"int({operand})"
        lines.append(rng.choice(UPDATES).format(f"{name}[{index}]", operand))
        if rng.random() < 0.3:
            lines[-1:] = [f"if x[i] > {rng.randrange(8)}:", "    " + lines[-1]]
    size = rng.choice([16, 16, 100, 200_000])
    check(loop(lines), *arrays(rng, size, dtype))


def test_products_and_quotients():
    check(loop(["a[bins[i]] *= 1 - 2 * (i % 2)", "b[i % 3] /= 1 - 2 * (i & 1)"]), *arrays(random.Random(0), 16, np.float64))


def test_several_dimensions_and_strides():
    bins, x = arrays(random.Random(1), 16, np.float64)[:2]
    lines = ["a[bins[i], i % 3] += x[i]", "b[bins[i]] -= x[i]"]
    check(loop(lines), bins, x, np.zeros((8, 3)), np.zeros(32)[::2])
    check(loop(lines), bins, x, np.zeros((8, 3), order="F"), np.zeros(32)[::-2])
    check(loop(["for j in range(4):", "    a[j] += x[i] * j", "    for k in range(2):", "        b[j, k] -= j"]), bins, x, np.zeros(6),
          np.zeros((4, 3)))


def test_shapes_of_what_is_updated():
    check(loop(["a[bins[i] % len(a)] += a.size", "b[i % b.shape[0]] += b.ndim"]), *arrays(random.Random(2), 16, np.float64))


def test_items_that_nothing_updates_stay_as_they_are():
    a = np.full(16, -0.0)
    a[9:] = np.nan
    found, wanted = both(loop(["a[bins[i]] += x[i]"]), *arrays(random.Random(3), 16, np.float64)[:2], a, a)
    assert found[2].view(np.uint64).tolist() == wanted[2].view(np.uint64).tolist()


def test_arrays_that_overlap():
    @njit(parallel=True)
    def f(bins, a, b):
        for i in prange(len(bins)):
            a[bins[i]] += b[i % 8]

    bins = np.array(random.Random(4).choices(range(5), k=MANY))
    whole = np.zeros(16)
    whole[8:] = 1
    f(bins, whole[:12], whole[8:])
    assert whole[:5].tolist() == np.bincount(bins).tolist()


def test_an_exception_in_an_iteration():
    @njit(parallel=True)
    def f(bins, a):
        for i in prange(len(bins)):
            a[bins[i]] += 1

    bins = np.zeros(MANY, np.int64)
    bins[MANY - 1] = 16
    with pytest.raises(IndexError, match="index 16 is out of bounds"):
        f(bins, np.zeros(16))


def test_other_uses_leave_the_array_shared():
    @njit(parallel=True)
    def f(bins, a, own):
        for i in prange(len(bins)):
            own[i] += a[0]
            if a[1] == 1:
                own[bins[i] + len(bins)] = a[bins[i]]

    bins, own = np.zeros(MANY, np.int64), np.zeros(MANY + 1)
    f(bins, np.ones(3), own)
    assert (own == 1).all()


def test_an_index_that_changes_between_reading_and_writing():
    source = '''
def f(bins, a):
    for i in prange(len(bins)):
        a[bins[i]] = a[bins[i]] + step(bins, i)
'''

    @njit
    def step(bins, i):
        bins[i] += 1
        return 1

    space = {"prange": prange, "step": step}
    exec(source, space)
    bins, a = np.arange(0, 2 * MANY, 2), np.zeros(2 * MANY + 1)
    njit(parallel=True)(space["f"])(bins, a)
    assert bins.tolist() == list(range(1, 2 * MANY, 2))
    assert (a[1::2] == 1).all() and (a[::2] == 0).all()


def test_in_functions_that_are_called():
    @njit(parallel=True)
    def count(bins, number):
        counts, weights = np.zeros(number, np.int64), np.zeros((number, 2))
        for i in prange(len(bins)):
            counts[bins[i]] += 1
            weights[bins[i], 1] += 0.5
        return counts, weights

    @njit
    def both_halves(bins):
        return count(bins[:100], 5)[0] + count(bins[100:], 5)[0], count(bins, 5)[1]

    bins = np.array(random.Random(5).choices(range(5), k=MANY))
    counts, weights = both_halves(bins)
    assert counts.tolist() == np.bincount(bins).tolist() and (weights[:, 1] * 2).tolist() == counts.tolist()


ATOMIC = """
import numpy as np
from rumba import njit, prange

@njit(parallel=True)
def f(bins, a, b):
    for i in prange(len(bins)):
        a[bins[i]] += 1
        b[bins[i]] -= 0.5 * i

bins = np.arange(60_000) * 7 % 90_000 // 3
a, b = np.zeros(90_000, np.int32), np.zeros(90_000)
for _ in range(5):
    f(bins, a, b)
assert a.tolist() == (5 * np.bincount(bins, minlength=90_000)).tolist()
assert b.tolist() == (-2.5 * np.bincount(bins, np.arange(60_000), 90_000)).tolist()
"""


@pytest.mark.parametrize("threads", ["1", "3", "8"])
def test_large_arrays_by_number_of_threads(threads):
    subprocess.run([sys.executable, "-c", ATOMIC], check=True, timeout=100, env={**os.environ, "NUMBA_NUM_THREADS": threads})
