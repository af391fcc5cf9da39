"""Lists, ranges and tuples of numbers where arrays are meant: operands of operators, indices, values that are assigned, arguments."""
import random

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit

A, M = np.arange(3.0), np.arange(6).reshape(2, 3)


def compiled(text):
    space = {"np": np}
    exec(f"def f(a, m):\n    return {text}", space)
    return space["f"]


def check(text, a=A, m=M):
    function = compiled(text)
    try:
        expected = function(a, m)
    except (TypeError, ValueError, IndexError) as error:
        expected = error
    if isinstance(expected, Exception):
        with pytest.raises(type(expected)) as found:
            njit(function)(a, m)
        assert str(found.value) == str(expected)
        return
    found = njit(function)(a, m)
    np.testing.assert_array_equal(found, expected)
    assert np.asarray(found).dtype == np.asarray(expected).dtype


@pytest.mark.parametrize("text", """a == [1, 2, 3]|[0, 1, 5] != a|a < [1, 2, 3]|[1, 2, 3] < a|(1, 2, 3) >= a|a + (1, 2, 3)|(1, 2, 3) * a|a * [1, 2, 3]|[1, 2, 3] - a|
a + [[1], [2]]|a // [1, 2, 3]|a ** [1, 2, 1]|a @ [1, 2, 3]|[1, 2, 3] @ a|a % [2, 2, 2]|m & [1, 2, 3]|m << (1, 2, 3)|m + range(3)|[1, 2] + m[:, 0]|m * [[1], [2]]|
(a == a) & [True, False, True]|[1.5] * a|a * (2,)|(m + [1, 2, 3]).sum()|((1, 2), (3, 4)) @ m|range(3) - a|a + [1.5, 2, 3j]|a + []|a + [1, 2]""".replace("\n", "").split("|"))
def test_operators(text):
    check(text)


@pytest.mark.parametrize("text", """a[range(2)]|m[range(2), 1]|m[:, range(1, 3)]|m[[0, 1], range(2)]|m[range(0)]|m[1, range(2)]|a[range(3)]|np.sum(range(4))|np.mean(range(1, 9, 2))|
np.interp(range(3), [0., 2.], [1., 3.])|np.concatenate((range(3), a))|np.cumsum(range(5))|np.dot(range(3), a)|a.dot(range(3))|np.take(a, range(2))|np.max(range(3))|
np.stack((range(3), range(3)))|np.reshape(range(6), (2, 3))|np.unique(range(3))|np.outer(range(2), a)|np.diff(range(4))|np.append(a, range(2))|np.array([range(3), range(3)])|
np.full(2, range(2))|np.polyval(range(3), 2.0)|np.bincount(range(3))|np.isin(range(4), [1, 2])|np.searchsorted(range(9), [2.5])|a[range(5)]""".replace("\n", "").split("|"))
def test_ranges(text):
    check(text)


def test_assignments():
    def assign(d):
        d[0] = range(4)
        d[1, 1:] = range(0, 6, 2)
        d[:, 0] = range(3)
        d[range(2), range(2)] += 1
        d += [1, 2, 3, 4]
        d *= (2, 2, 2, 2)
        d -= range(4)
        d /= [2.0]
        d[range(2)] **= [[2], [3]]
        return d
    np.testing.assert_array_equal(njit(assign)(np.ones((3, 4))), assign(np.ones((3, 4))))

    def too_short(d):
        d[0] = range(3)
    with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(3,\) into shape \(4,\)"):
        njit(too_short)(np.ones((3, 4)))

    def narrow(d):
        d += [1.5, 2.0, 3.0]
    with pytest.raises(errors.TypingError, match="iadd"):
        njit(narrow)(np.arange(3))


def operand(choose, depth=2):
    if depth and choose.random() < 0.6:
        return f"({operand(choose, depth - 1)} {choose.choice(['+', '-', '*', '/', '<', '>='])} {choose.choice(['a', 'm', 'a'])})"
    numbers = [choose.choice(["1", "2.5", "-3", "0.5"]) for _ in range(3)]
    return choose.choice([f"[{', '.join(numbers)}]", f"({', '.join(numbers)})", "range(1, 4)", "a", f"[{numbers[0]}]"])


@pytest.mark.parametrize("seed", range(20))
def test_random_expressions(seed):
    choose = random.Random(seed)
    check(f"{operand(choose, 3)} * a + {operand(choose, 1)}" if choose.random() < 0.7 else f"m + {operand(choose, 2)}")
