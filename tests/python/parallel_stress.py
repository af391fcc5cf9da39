"""Threads that run parallel loops, raise out of them, compile new ones and fork meanwhile: python tests/python/parallel_stress.py --seconds 600.

Each result is compared with that of one thread, bit for bit. Prints how often each thing was done; the exit status is 1 where
something was wrong, or memory was not given back.
"""
import argparse
import collections
import gc
import os
import random
import signal
import sys
import threading
import time

import numpy as np

import rumba.numba as numba
from rumba import _rumba, atomic, njit, prange
from rumba.numba import vectorize


@njit(parallel=True)
def total(x):
    found = 0.0
    for i in prange(len(x)):
        found += np.sin(x[i])
    return found


@njit(parallel=True, nogil=True)
def rows(table):
    out = np.empty(len(table))
    for i in prange(len(table)):
        row = np.sort(table[i])
        for k in range(i % 7 * 10):
            row[k % len(row)] += k
        out[i] = row.sum()
    return out


@njit(parallel=True)
def fails(x, text, first):
    out = np.zeros(len(x))
    for i in prange(len(x)):
        kept = np.full(3, x[i])
        if i >= first:
            raise ValueError(text, i, kept[1])
        out[i] = kept[0]
    return out


@njit(parallel=True)
def asks_python(n, first):
    out = np.zeros(n)
    for i in prange(n):
        out[i] = float("x" if i >= first else "1.5")
    return out


@njit(parallel=True)
def histogram(x, bins):
    counts = np.zeros(bins, np.int64)
    for i in prange(len(x)):
        atomic.add(counts, x[i] % bins, 1)
    return counts


@njit(parallel=True)
def draws(seed, n):
    np.random.seed(seed)
    out = np.empty(n)
    for i in prange(n):
        out[i] = np.random.normal()
    return out


@vectorize(["float64(float64)"], target="parallel")
def root(x):
    if x < 0.0:
        raise ValueError("negative", x)
    return np.sqrt(x)


NUMBERS = np.random.default_rng(1).normal(size=20_000)
TABLE = NUMBERS.reshape(200, 100)
INTEGERS = np.arange(20_000) * 7919 % 65_537
POSITIVE = abs(NUMBERS)


def raised(call, *args):
    try:
        call(*args)
    except Exception as error:
        return type(error), error.args
    return None


def check_fails(rng):
    first = rng.choice([0, 7, 9_999, 19_999])
    kind, args = raised(fails, NUMBERS, f"at {first}", first)
    return kind is ValueError and args == (f"at {first}", first, NUMBERS[first])


def check_asks(rng):
    first = rng.choice([3, 200, 299])
    return raised(asks_python, 300, first) == (ValueError, ("could not convert string to float: 'x'",))


def check_ufunc(rng):
    wrong = POSITIVE.copy()
    first = rng.randrange(len(wrong))
    wrong[first:] = -1.0 - np.arange(len(wrong) - first)
    return raised(root, wrong) == (ValueError, ("negative", -1.0)) and (root(POSITIVE) == np.sqrt(POSITIVE)).all()


def check_new(rng):
    number = rng.random()

    @njit(parallel=True)
    def new(n):
        found = 0.0
        for i in prange(n):
            found += i * number
        return found

    return abs(new(1000) - number * 499_500) < 1e-6 * 499_500


def check_limit(rng):
    numba.set_num_threads(rng.randint(1, numba.config.NUMBA_NUM_THREADS))
    return True


def same(call, *args):
    numba.set_num_threads(1)
    wanted = call(*args)
    numba.set_num_threads(numba.config.NUMBA_NUM_THREADS)
    return lambda rng: np.array_equal(call(*args), wanted)


CHECKS = {
    "sum": same(total, NUMBERS), "rows": same(rows, TABLE), "histogram": same(histogram, INTEGERS, 37),
    "random numbers": same(draws, 5, 5000), "exceptions": check_fails, "exceptions of Python": check_asks, "ufuncs": check_ufunc,
    "limits": check_limit}


def child_is_right(rng):
    """Whether the child of a fork runs everything."""
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        os._exit(0 if all(check(rng) for check in CHECKS.values()) else 1)
    return os.waitpid(child, 0)[1] == 0


def work(until, seed, counts, wrong, checks):
    rng = random.Random(seed)
    # Each once, whatever time that takes.
    first = rng.sample(list(checks), len(checks))
    while (first or time.monotonic() < until) and not wrong:
        name = first.pop() if first else rng.choice(list(checks))
        if not checks[name](rng):
            wrong.append(name)
        counts[name] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--threads", type=int, default=4)
    options = parser.parse_args()
    for check in CHECKS.values():
        assert check(random.Random(0))
    gc.collect()
    allocated, freed = _rumba.allocation_counts()
    until, wrong = time.monotonic() + options.seconds, []
    counts = [collections.Counter() for _ in range(options.threads + 1)]
    threads = [threading.Thread(target=work, args=(until, seed, counts[seed], wrong, {**CHECKS, "new functions": check_new}))
               for seed in range(options.threads)]
    for thread in threads:
        thread.start()
    work(until, -1, counts[-1], wrong, {"forks": child_is_right, "sum": CHECKS["sum"]})
    for thread in threads:
        thread.join()
    gc.collect()
    allocated, freed = (now - before for now, before in zip(_rumba.allocation_counts(), (allocated, freed)))
    for name, count in sorted(sum(counts, collections.Counter()).items()):
        print(f"{name:22} {count}")
    print(f"{'blocks of memory':22} {allocated}, {freed} given back")
    if wrong or allocated != freed:
        print("WRONG:", wrong or "memory")
        sys.exit(1)


if __name__ == "__main__":
    main()
