"""`range` as an iterable and as a sequence, `enumerate`, `zip`, `reversed`."""
import sys

import numpy as np
import pytest
import rumba
from support import check, check_all, define

TRIPLES = [(0, 5, 1), (0, 0, 1), (5, 0, 1), (5, 0, -1), (0, 5, -1), (-3, 10, 4), (10, -3, -4), (1, 2, 100), (2, 1, -100),
           (0, 7, 7), (-(2**63), 2**63 - 1, 2**62), (2**63 - 1, -(2**63), -(2**62)), (2**63 - 3, 2**63 - 1, 5), (3, 3, -1)]


def all_values(a, b, c):
    total, last, n = 0, 0, 0
    for i in range(a, b, c):
        total = total * 3 + i % 97
        last = i
        n += 1
        if n > 50:
            break
    return n, last, total


def test_iteration():
    check_all(all_values, TRIPLES + [(0, 0, 0)])


def one_two(a, b):
    n = 0
    for i in range(a):
        n += i
    for i in range(a, b):
        n += 10 * i
    else:
        n += 1000
    return n


def test_one_and_two_arguments():
    check_all(one_two, [(0, 0), (5, 9), (-2, 3), (True, 4)])


@pytest.mark.parametrize("source", [
    "len(range(a, b, c))", "range(a, b, c).start, range(a, b, c).stop, range(a, b, c).step", "bool(range(a, b, c))",
    "min(range(a, b, c))", "max(range(a, b, c))", "range(a, b, c)[0]", "range(a, b, c)[-1]", "range(a, b, c)[2]",
    "not range(a, b, c)", "len(range(a, b, c)[1:])",
])
def test_properties(source):
    triples = [case for case in TRIPLES if abs(case[0]) < 2**60] + [(0, 3, 0)]
    if "m" in source[:1] and sys.version_info >= (3, 12):
        # The message about an empty range is that of CPython 3.11.
        triples = [case for case in triples if case[2] == 0 or range(*case)]
    check_all(define(source), triples)


def test_sum():
    triples = [case for case in TRIPLES if abs(case[0]) < 2**60]
    check_all(define("sum(range(a, b, c))"), triples)
    check_all(define("sum(range(a), b)"), [(5, 3), (0, 7), (10, 0.1), (1000001, 0), (5, True)])
    check_all(define("(any(range(a, b)), all(range(a, b)))"), [(0, 0), (0, 1), (0, 3), (1, 3), (-1, 2)])


@pytest.mark.parametrize("op", ["in", "not in"])
def test_membership(op):
    function = define(f"d {op} range(a, b, c)")
    items = [0, 1, 4, 5, -3, 9, 2**62, -(2**63), 2**63 - 1, True, 0.0, 4.0, 4.5, float("nan"), float("inf"), 1e300, -2.0**63]
    check_all(function, [(*case, item) for case in TRIPLES for item in items])


def test_index_and_count():
    check_all(define("range(a, b, c).index(d)"), [(*case, x) for case in TRIPLES for x in (0, 4, 5, 10, -2, 7, 2.0, 4.5)])
    check_all(define("range(a, b, c).count(d)"), [(*case, x) for case in TRIPLES for x in (0, 4, 5, 10, 4.0, 4.5)])


def test_items():
    check_all(define("range(a, b, c)[d]"), [(*case, i) for case in TRIPLES[:10] for i in (0, 1, 2, -1, -3, 4, 5, -6, True)])


SLICES = [":", "1:", ":2", "1:3", "-2:", ":-1", "::2", "::-1", "3:0:-1", "-1:-9:-2", "5:1", "::-3", "100:", "-100:100", "2::-1"]


@pytest.mark.parametrize("part", SLICES)
def test_slices(part):
    function = define(f"(range(a, b, c)[{part}].start, range(a, b, c)[{part}].stop, range(a, b, c)[{part}].step)")
    check_all(function, TRIPLES[:10])


@pytest.mark.parametrize("op", ["==", "!="])
def test_comparison(op):
    cases = [(0, 5, 1), (0, 5, 2), (0, 6, 2), (0, 0, 1), (3, 3, 7), (1, 2, 3), (1, 3, 5)]
    function = define(f"range(a, b, 2) {op} range(c, d, 2), range(a, b) {op} range(c, d, 5)")
    check_all(function, [(x, y, z, w) for x, y, _ in cases for z, w, _ in cases])
    check(define(f"(range(a) {op} 3, range(a) {op} (0, 1), range(a) {op} None)"), 2)


def backwards(a, b, c):
    total = 0
    for i in reversed(range(a, b, c)):
        total = total * 7 + i % 101
    return total


def test_reversed():
    check_all(backwards, [case for case in TRIPLES if case[1] < 2**62])


def count(a, b):
    total = 0
    for i, x in enumerate(range(a)):
        total = total * 5 + i * x + 1
    for i, x in enumerate(range(a), b):
        total = total * 5 + i - x
    for i, x in enumerate((a, b, 7)):
        total += i * x
    return total


def together(a, b):
    total = 0
    for x, y in zip(range(a), range(b, b + 9, 2)):
        total = total * 3 + x * y
    for x, y, z in zip(range(a), (b, a, 5), (1.5, 2.5, 3.5, 4.5)):
        total += x + y * z
    for (x,) in zip((a, b)):
        total += x
    for i, (x, (j, y)) in enumerate(zip(range(b), enumerate(range(a), 3))):
        total += i + x * j - y
    return total


def test_enumerate_and_zip():
    check_all(count, [(0, 0), (4, -2), (7, 10)])
    check_all(together, [(1, 0), (4, -2), (7, 10), (2, 3)])
    check_all(define("next(iter(range(a)))"), [(3,), (0,)])
    check_all(define("next(iter(range(a)), b)"), [(3, -1), (0, -1), (0, 2.5), (0, None)])


def iterators(a):
    it = iter(range(a))
    first = next(it)
    rest = 0
    for x in it:
        rest += x
    pairs = zip(iter((1, 2, 3)), range(a))
    for p, q in pairs:
        rest += 100 * p + q
    return first, rest


def test_iterators_go_on_where_they_stopped():
    check_all(iterators, [(5,), (1,), (2,)])


def test_errors():
    check_all(define("len(range(a, 5, b))"), [(1, 0), (1, 1)])

    with pytest.raises(rumba.errors.TypingError):
        rumba.njit(define("len(range(a))"))(1.5j)


def test_narrow_and_unsigned():
    def total(n):
        s = 0
        for i in range(n):
            s += i
        return s

    for kind in (np.int8, np.uint8, np.int16, np.uint32, np.int32):
        function = define("len(range(a)) + len(range(2, a)) + int(max(range(a)) == 99) + (3 in range(a))")
        check(function, kind(100), expected=lambda n: function(int(n)))
        check(total, kind(100), expected=lambda n: 4950)


@pytest.mark.parametrize("kind", [float, np.float32])
def test_floats_that_are_whole_numbers(kind):
    """As libraries for Numba pass them: `range(np.ceil(a), np.floor(b))`."""
    for a, b, c in ((0, 5, 1), (-3, 10, 4), (5, 0, -2), (3, 3, 1)):
        expected = all_values(a, b, c)
        assert rumba.njit(all_values)(kind(a), kind(b), kind(c)) == expected
        assert rumba.njit(all_values)(a, kind(b), c) == rumba.njit(all_values)(kind(a), b, c) == expected
    items = rumba.njit(define("[i for i in range(a)]"))
    assert items(kind(3)) == [0, 1, 2] and items(kind(-2)) == []
    for value in (2.5, float("inf"), float("nan")):
        with pytest.raises((TypeError, ValueError, OverflowError)) as caught:
            items(kind(value))
        assert value != 2.5 or str(caught.value) == "'float' object cannot be interpreted as an integer"


@pytest.mark.parametrize("value", [0j, 2 + 0j, 2 + 1j, 3j, 2.5 + 0j, complex(float("nan"), 0), complex(6, float("nan")), 6 + 0j])
def test_complex_numbers_are_looked_for(value):
    check(define("(a in range(5), a in range(0, 10, 3), a in range(8, 1, -2))"), value)


@pytest.mark.parametrize("a, b, c", [(0, 5, 1), (2, 2, 1), (5, -3, -2), (1, 10, 4), (-2**62, 2**62, 2**61)])
def test_text(a, b, c):
    check(define("(str(range(a)), repr(range(a, b)), f'{range(a, b, c)}', str((range(a, b, c), [range(b)])), '{}'.format(range(a, b)))"), a, b, c)
