"""`functools.lru_cache` and `functools.cache` around functions that compiled code calls, and typed containers as globals."""
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache

import numpy as np
import pytest
import rumba
from rumba import njit, prange, typed, types


@lru_cache(maxsize=None)
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)


def test_recursion_that_is_cheap_by_the_cache_alone():
    assert njit(lambda n: fibonacci(n))(80) == 23416728348467685


@cache
@njit
def distance(a, b):
    if not a or not b:
        return len(a) + len(b)
    if a[0] == b[0]:
        return distance(a[1:], b[1:])
    return 1 + min(distance(a[1:], b), distance(a, b[1:]), distance(a[1:], b[1:]))


def test_texts_are_keys():
    assert njit(lambda a, b: distance(a, b))("kitten sitting on", "sitting kittens in") == 7


def test_arguments_by_name_and_defaults():
    @lru_cache
    def work(a, b=2.0, *, c=1):
        return a * b + c

    def call(a):
        return work(a), work(a, 3.0), work(a, c=5), work(b=1.0, a=a)
    assert njit(call)(2) == call(2)


def test_no_arguments_none_and_tuples():
    @lru_cache
    def setting():
        return 5

    @lru_cache(maxsize=2)
    def of_pair(pair, scale=None):
        return pair[0] + len(pair[1]) if scale is None else pair[0] * scale

    def call():
        return setting() + setting(), of_pair((1, "ab")), of_pair((1, "ab"), None), of_pair((1, "ab"), 3), of_pair((2, "c"), scale=4)
    compiled = njit(call)
    assert compiled() == compiled() == call()


def test_mutual_recursion():
    @njit
    def even(n):
        return n == 0 or odd(n - 1)

    @lru_cache
    def odd(n):
        return n != 0 and even(n - 1)
    assert even(301) is False and even(300) is True


def counted(room):
    """A function in a cache, and the calls of it as compiled code makes them."""
    calls = typed.List.empty_list(types.int64)

    @lru_cache(maxsize=room)
    def square(n):
        calls.append(n)
        return n * n
    return square, calls


@pytest.mark.parametrize("room", [None, 0, 1, 3, 10])
@pytest.mark.parametrize("seed", range(3))
def test_it_keeps_what_was_used_last(room, seed):
    square, calls = counted(room)

    @njit
    def ask(numbers):
        return [square(n) for n in numbers]
    numbers = [random.Random(seed).randint(0, 12) for _ in range(200)]
    assert ask(np.array(numbers)) == [n * n for n in numbers]
    by_compiled = list(calls)
    calls.clear()
    assert [square(n) for n in numbers] == [n * n for n in numbers]
    assert by_compiled == list(calls)


def test_types_have_tables_of_their_own():
    @lru_cache
    def half(x):
        return x / 2 if x > 1 else x * 1.0
    ask = njit(lambda a, b, c: (half(a), half(b), half(c)))
    assert ask(3, 3.5, np.float32(5)) == (1.5, 1.75, 2.5)


def test_the_same_array_is_given_again():
    @lru_cache(maxsize=2)
    def row(n):
        return np.array([n, n + 1])

    def change():
        first, second = row(1), row(1)
        first[0] = 7
        for n in range(5):
            row(n)
        return first is second, list(second), list(row(1))
    assert njit(change)() == change()


def test_exceptions_are_not_kept():
    @lru_cache
    def check(n):
        if n > 3:
            raise ValueError("too many")
        return n
    ask = njit(lambda n: check(n))
    for _ in range(2):
        with pytest.raises(ValueError, match="too many"):
            ask(4)
        assert ask(2) == 2


def test_threads_share_the_table():
    @lru_cache(maxsize=20)
    def work(n):
        return n * 3

    @njit(nogil=True)
    def add_up(count):
        total = 0
        for n in range(count):
            total += work(n % 37)
        return total

    @njit(parallel=True)
    def in_parallel(count):
        total = 0
        for n in prange(count):
            total += work(n % 37)
        return total
    expected = sum(n % 37 * 3 for n in range(20000))
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(add_up, [20000] * 4))
    assert found == [expected] * 4 and in_parallel(20000) == expected


@pytest.mark.parametrize("function, argument, message", [
    (lambda a: a.sum(), np.ones(3), "numbers, texts, bytes, None and tuples of these, not array"),
    (lambda n: [n], 3, "does not keep results of type reflected list"), (lambda *given: 3, 3, "any number of arguments")])
def test_what_is_refused(function, argument, message):
    kept = lru_cache(function)
    with pytest.raises(rumba.errors.TypingError, match=message):
        njit(lambda x: kept(x))(argument)


# Typed containers as globals: the same ones for compiled code and Python.

known = typed.Dict.empty(types.int64, types.float64)
seen = typed.List.empty_list(types.int64)


@njit
def remember(key, value):
    known[key] = value
    seen.append(key)
    return len(known), len(seen), seen[-1]


def test_a_global_container_is_shared():
    known.clear()
    seen.clear()
    assert remember(3, 0.5) == (1, 1, 3)
    known[4] = 1.5
    assert remember(3, 2.5) == (2, 2, 3) and known[3] == 2.5 and list(seen) == [3, 3]
    read = njit(lambda: (sum(known.values()), [key for key in seen], 4 in known))
    assert read() == (4.0, [3, 3], True)


def test_a_container_outlives_its_name():
    def make():
        table = typed.Dict.empty(types.int64, types.int64)

        @njit
        def square(n):
            if n in table:
                return -table[n]
            table[n] = n * n
            return table[n]
        return square
    first, second = make(), make()
    assert [first(3), first(3), second(3)] == [9, -9, 9]


def test_a_function_that_reads_one_is_not_cached_on_disk():
    @njit(cache=True)
    def read(key):
        return known[key]
    known[1] = 2.5
    with pytest.warns(rumba.errors.NumbaWarning, match="lies in the memory of this process"):
        assert read(1) == 2.5


def test_processes_have_their_own():
    program = "import test_lru_cache as t; assert t.remember(1, 2.0) == (1, 1, 1) and t.known[1] == 2.0"
    subprocess.run([sys.executable, "-c", program], check=True, cwd=__file__.rpartition("/")[0])
