"""Loops of known length within others, remainders by lengths, powers by constants, bits: what is rewritten before LLVM computes what CPython does."""
import math

import numpy as np
import pytest

from rumba import njit

WEIGHTS = np.arange(9.0).reshape(3, 3)
PAIRS = ((-1, 0), (1, 0), (0, -1), (0, 1))


def both(function, *makers, **options):
    """What the function gives compiled, beside what it gives in Python: results, arguments, or the exception."""
    outcomes = []
    for run in (njit(function, **options), function):
        args = [make() if callable(make) else make for make in makers]
        try:
            result = run(*args)
        except (IndexError, ZeroDivisionError, ValueError) as error:
            result = type(error)
        outcomes.append((result, args))
    (ours, our_args), (theirs, their_args) = outcomes
    assert ours == theirs or ours != ours and theirs != theirs, (ours, theirs)
    for ours, theirs in zip(our_args, their_args):
        np.testing.assert_array_equal(ours, theirs)


def grid():
    return np.arange(56.0).reshape(7, 8)


def window(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s = 0.0
            for di in (-1, 0, 1):
                for dj in range(-1, 2):
                    if di == 0 and dj == 0:
                        continue
                    s += a[i + di, j + dj] * WEIGHTS[di + 1, dj + 1]
            out[i, j] = s


def pairs(a, out):
    for i in range(1, a.shape[0] - 1):
        for j in range(1, a.shape[1] - 1):
            for k, (di, dj) in enumerate(PAIRS):
                out[i, j] += (k + 1) * a[i + di, j + dj]


def leaves(a):
    """Breaks, an `else`, and a value that the loop leaves behind."""
    total = 0.0
    for i in range(a.shape[0]):
        for k in range(5):
            if a[i, k] > 30.0:
                total += k
                break
        else:
            total -= 1.0
        total += 100 * k
    return total


def shrinks(a):
    """Steps, counting down, a loop of no rounds, loops in loops."""
    total = 0.0
    for i in range(a.shape[0]):
        for k in range(7, 0, -3):
            for q in range(0):
                total += 1e9
            for q in (2, 0):
                total = total * 0.5 + a[i, k] + q
    return total


def chained(a):
    """One loop is entered where another one is left, by its test or by a break."""
    total = 0.0
    for i in range(a.shape[0]):
        for k in range(3):
            if a[i, 0] > k * 10.0:
                break
        for q in range(4):
            if a[i, 1] + q > 33.0:
                break
        for r in (3, 1, 4):
            if a[i, r] < 20.0:
                continue
            total += r
        total = total * 3 + k * 10 + q
    return total


def from_the_end(a, out):
    """Places that are negative on purpose, and others that never are."""
    n = a.shape[0]
    for i in range(n):
        for j in range(1, a.shape[1]):
            out[i, j] = a[i, j] - a[i, j - 1] + a[i, -j] + a[-1 - i, j] + a[i - n, 0]


def beyond(a, out):
    """The third round is out of bounds at the end, behind what was stored."""
    for i in range(a.shape[0]):
        for k in range(3):
            out[i] += a[i + k, 0]
    return 0


def integers(a):
    total = 0
    for x in a:
        for k in range(8):
            total = total * 3 + ((x >> k) & 1) * k
    return total


@pytest.mark.parametrize("function", [window, pairs])
def test_windows_become_straight_code(function):
    both(function, grid, lambda: np.zeros((7, 8)))


def test_the_ways_out_of_an_unrolled_loop():
    both(leaves, grid)
    both(shrinks, grid)
    both(beyond, grid, lambda: np.zeros(7))
    both(chained, grid)
    both(integers, lambda: np.array([0, 1, 77, -5, 2**40 + 3]))


@pytest.mark.parametrize("function", [window, pairs, from_the_end])
def test_places_that_are_not_checked(function):
    both(function, grid, lambda: np.zeros((7, 8)), boundscheck=False)
    both(function, grid, lambda: np.zeros((7, 8)))


def insertion(a):
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key


def shell(a):
    gap = len(a) // 2
    while gap > 0:
        for i in range(gap, len(a)):
            key, j = a[i], i
            while j >= gap and a[j - gap] > key:
                a[j] = a[j - gap]
                j -= gap
            a[j] = key
        gap //= 2


def beyond_the_first(a):
    """The inner loop continues past index 0 to negative indices, and finally out of bounds."""
    for i in range(1, len(a)):
        j = i - 1
        while j >= -8 and a[j] > -1.0:
            a[j + 1] = a[j] + 0.5
            j -= 1
        a[j + 1] = a[i]


def beyond_the_last(a):
    for i in range(1, len(a)):
        j = i - 1
        while j >= 0 and a[j + 2] > a[j]:
            a[j] = a[j + 2]
            j -= 1
        a[j] = -1.0


def joined(a, shift):
    total = 0.0
    for i in range(len(a)):
        k = i - 1 if a[i] > 2.0 else i + shift
        total = total * 0.5 + a[k]
        a[i] += 1.0
    return total


@pytest.mark.parametrize("function", [insertion, shell, beyond_the_first, beyond_the_last])
def test_loops_that_shift_items(function):
    both(function, lambda: np.array([3.0, -1.0, 2.5, 9.0, 0.0, 0.5, 7.0]))
    both(function, lambda: np.arange(7.0))
    both(function, lambda: np.array([5.0]))


def differences(a, shift):
    """Places that two counters tell together, and one that is beyond the end, or before the beginning."""
    n = len(a)
    for i in range(1, n):
        for j in range(i, n):
            a[j] += a[j - i + shift] * 0.5 + a[n - 1 - (j - i)]
    for i in range(n):
        for j in range(i + 1):
            for k in range(j, i + 1):
                a[i - j + k - i] += a[i - k] + a[k - j] * 0.25
    return a[0]


def far_apart(a, start, stop):
    total = 0.0
    for i in range(start, stop):
        for j in range(i, stop):
            total = total * 0.5 + a[j - i]
    return total


@pytest.mark.parametrize("shift", [0, 1, 2, -1, -3, -9, 2**62])
def test_places_of_two_counters(shift):
    both(differences, lambda: np.arange(8.0), shift)
    both(differences, lambda: np.arange(1.0), shift)
    both(differences, lambda: np.arange(0.0), shift)


@pytest.mark.parametrize("start", [0, -3, 2**63 - 4, -(2**63), 2**40])
def test_places_of_counters_near_the_ends_of_words(start):
    both(far_apart, lambda: np.arange(4.0), start, start + 3)


@pytest.mark.parametrize("shift", [0, -1, -4, 1, 2, 7])
def test_places_that_come_by_several_ways(shift):
    both(joined, lambda: np.arange(6.0), shift)
    both(joined, lambda: np.arange(6.0)[::-1].copy(), shift)


def wrapped(a, out):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            out[i, j] = a[(i - 1) % n, j] + 2 * a[(i + 1) % n, j] + 3 * a[i, (j - 1) % m] + 4 * a[i, (j + 1) % m]


def far(x, shift, out):
    n = len(x)
    for i in range(n):
        out[(i + shift) % n] = x[i] + x[(i - 2) % n] + x[(i + n - 1) % n] + x[(i * 3) % n]


def of_nothing(x, out):
    n = x.shape[0]
    for i in range(3):
        out[i] = x[(i + 1) % n]


@pytest.mark.parametrize("shape", [(7, 8), (1, 1), (2, 1), (0, 3)])
def test_neighbours_on_a_ring(shape):
    def cells():
        return np.arange(float(shape[0] * shape[1])).reshape(shape)

    both(wrapped, cells, lambda: np.zeros(shape))


@pytest.mark.parametrize("shift", [0, 3, -3, 1000, -1000, 2**62])
@pytest.mark.parametrize("count", [1, 2, 9])
def test_remainders_by_a_length(shift, count):
    both(far, lambda: np.arange(float(count)), shift, lambda: np.zeros(count))


@pytest.mark.parametrize("count", [0, 1, 2, 5])
def test_a_length_that_may_be_nothing(count):
    both(of_nothing, lambda: np.arange(float(count)), lambda: np.zeros(3))


POWERS = (-64, -7, -3, -2, -1, 0, 1, 3, 4, 5, 12, 31, 64, 0.5, 1.5, 2.5, -0.5, -1.5, -7.5)


def test_powers_by_constants_are_within_a_unit():
    rng = np.random.default_rng(5)
    usual = np.concatenate([rng.uniform(0.5, 2.0, 3000), np.exp(rng.uniform(-11.0, 11.0, 3000)), [1.0, 1.5, 3.0, 10.0]])
    for power in POWERS:
        x = usual if power != int(power) else np.concatenate([usual, -usual])
        ours = compiled(power)(x)
        exact = np.power(x.astype(np.longdouble), np.longdouble(power))
        error = np.abs((ours.astype(np.longdouble) - exact) / np.spacing(np.abs(exact.astype(np.float64))))
        assert error.max() <= 0.5005 + (abs(power) == 0.5) * 0.1, power
        singles = compiled(power)(x.astype(np.float32))
        assert singles.dtype == (np.float32 if power == int(power) else np.float64)


def compiled(power):
    """`x ** power` of an array, in a loop where nothing is raised."""
    source = f"def f(x):\n    return x ** ({power})\n"
    namespace = {"np": np}
    exec(source, namespace)
    return njit(namespace["f"], error_model="numpy")


SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1e-310, 2.2250738585072014e-308, 1e-160, -1e-160, 1e155, 1e160,
           -1e160, 1.7976931348623157e308, -1.7976931348623157e308, 1e103, 1.3e154, 2.0]


def test_powers_of_special_numbers():
    x = np.array(SPECIAL)
    with np.errstate(all="ignore"):
        for power in POWERS:
            ours, theirs = compiled(power)(x), np.power(x, np.full(x.shape, float(power)))
            same = (ours == theirs) | np.isnan(ours) & np.isnan(theirs) | (np.abs(ours - theirs) <= np.spacing(np.abs(theirs)))
            assert same.all(), (power, x[~same], ours[~same], theirs[~same])
            signs = ~np.isnan(theirs)
            assert (np.signbit(ours) == np.signbit(theirs))[signs].all(), power


def test_errors_of_powers_by_constants():
    both(lambda x: x ** -1, 0.0)
    both(lambda x: x ** -3, -0.0)
    both(lambda x: x ** -1, 4.0)
    both(lambda x: x ** 0.5, 2.0)
    for function in (lambda x: x ** 0.5, lambda x: x ** -1.5):
        with pytest.raises(ValueError, match="negative number cannot be raised to a fractional power"):
            njit(function)(-2.0)
    assert njit(lambda x: x ** 3)(1e200) == math.inf


def test_integer_powers_wrap():
    values = np.array([0, 1, -1, 2, -3, 10**9, 2**62 + 1, -(2**63)])
    for power in (0, 1, 2, 3, 5, 13, 63, 64):
        function = njit(eval(f"lambda x: x ** {power}"))
        for value in values:
            assert function(int(value)) == (int(value) ** power + 2**63) % 2**64 - 2**63
        np.testing.assert_array_equal(function(values), values ** power)


def kernighan(x):
    count = 0
    for i in range(len(x)):
        v = x[i]
        while v:
            v &= v - 1
            count += 1
    return count


def lengths(x):
    total = 0
    for i in range(len(x)):
        v = x[i]
        n = 0
        while v > 0:
            v >>= 1
            n += 1
        total = total * 7 + n
    return total


def reverses(x):
    total = 0
    for i in range(len(x)):
        v, r = x[i], 0
        for _ in range(16):
            r = (r << 1) | (v & 1)
            v >>= 1
        total ^= r
    return total


def digits(x):
    total = 0
    for i in range(len(x)):
        n = abs(x[i]) if i % 2 else x[i]
        while n > 0:
            total = (total * 3 + n % 10) % 1000003
            n //= 10
        m = -n if n < 0 else n
        while m:
            total += m % 7
            m //= 7
    return total


@pytest.mark.parametrize("function", [kernighan, lengths, reverses, digits])
def test_loops_over_bits(function):
    both(function, lambda: np.array([0, 1, 2, 3, 255, 256, 12345678901, 2**62, 2**63 - 1, -1][: 10 if function in (reverses, digits) else 9]))
