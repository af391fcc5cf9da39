"""Global lists of numbers and texts: constants, as global tuples and arrays are."""
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from rumba.errors import TypingError, UnsupportedError
from support import check

DAYS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
RATES = [0.5, 1.5]
WORDS = ["a", "bc"]
PAIRS = [(1, "x"), (2, "y")]
LONG = list(range(500))
NESTED = [[1], [2]]


def items(i):
    return DAYS[i], DAYS[-1], WORDS[i], PAIRS[i], LONG[i] + LONG[-1], [DAYS[j % 12] for j in range(20)]


def answers(i):
    return sum(DAYS), len(DAYS), max(DAYS), i in DAYS, DAYS.count(31), "".join(WORDS)


def loops(i):
    total = 0.0
    for day in DAYS:
        total += day
    for place, rate in enumerate(RATES):
        total += place * rate
    return total, [word for word in WORDS], [number for number, _ in PAIRS], [day for day in DAYS if day > i]


def copies(i):
    more = [1, 2]
    more.extend(DAYS)
    return DAYS[1:3], DAYS + [i], [i] + DAYS, sorted(DAYS), DAYS[::-1], list(reversed(DAYS)), list(DAYS), tuple(RATES), more


def comparisons(i):
    return DAYS == [i], [31] == DAYS, DAYS != [i], DAYS == DAYS, DAYS < DAYS, RATES == [0.5, 1.5]


def itself(i):
    return DAYS


@pytest.mark.parametrize("function", [items, answers, loops, copies, comparisons, itself])
def test_global_lists(function):
    for number in (0, 1):
        check(function, number)


def test_a_place_that_is_not_there():
    def f(i):
        return DAYS[i]

    check(f, 12)
    check(f, -13)


def test_global_lists_are_not_changed():
    @njit
    def append(i):
        DAYS.append(i)

    @njit
    def assign(i):
        DAYS[0] = i

    @njit
    def extend(i):
        days = DAYS
        days += [i]

    for function in (append, assign, extend):
        with pytest.raises((TypingError, UnsupportedError)):
            function(1)
    assert len(DAYS) == 12


def test_lists_of_lists_are_no_constants():
    with pytest.raises(TypingError, match="A list of numbers and texts is a constant"):
        njit(lambda i: NESTED[i])(0)


def test_items_of_constants_in_loops():
    table = tuple(range(40))

    def f(n):
        total = 0
        for i in range(n):
            total += table[i % 40] * LONG[i % 7]
        return total

    def g(n):
        for i in range(n):
            yield table[i] + LONG[i]

    check(f, 100)
    assert list(njit(g)(30)) == list(g(30))
