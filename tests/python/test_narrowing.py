"""Values that may be None, behind tests that say whether they are."""
from typing import Optional

import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from rumba.numba import deferred_type, int64, optional
from rumba.numba.experimental import jitclass
from support import check


def compares(function, *calls):
    """The function compiled, interpreted and in Python, with a first argument that says whether there is a value."""
    compiled = njit(function)
    for call in calls:
        check(compiled, True, *call)
        check(compiled, False, *call)


def test_functions_that_take_no_none():
    def ordered(there, a):
        x = a if there else None
        if x is not None:
            return np.sort(x).tolist()
        return a.tolist()

    def joined(there, a):
        x = a if there else None
        return (a if x is None else np.concatenate((x, a))).tolist()

    def named(there, a):
        return (np.sort(x) if (x := a if there else None) is not None else a).tolist()

    def left_early(there, a):
        x = a if there else None
        if x is None:
            return [-1]
        return [int(np.argmax(x)), int(np.sort(x)[0])]

    for function in (ordered, joined, named, left_early):
        compares(function, (np.array([3, 1, 2]),))


def test_truth_says_that_there_is_a_value():
    def positive(there, n):
        x = n if there else None
        if x:
            return list(range(x))
        return []

    def negated(there, text):
        x = text if there else None
        if not x:
            return "nothing"
        return x.upper() + "!"

    compares(positive, (3,), (0,))
    compares(negated, ("abc",), ("",))


def test_a_default_makes_the_variable_a_number():
    def with_default(there, n):
        x = n if there else None
        if x is None:
            x = 10
        return x * 2

    compares(with_default, (4,))
    compiled = njit(with_default)
    compiled(True, 1)
    assert "int64" in str(compiled.overloads[compiled.signatures[0]].signature.return_type)


def test_what_is_none_by_default():
    @njit
    def scaled(a, factor=None):
        if factor is None:
            factor = 2.0
        return a * factor

    assert scaled(3) == 6.0 and scaled(3, 4) == 12 and scaled(3, 0.5) == 1.5


def test_loops_until_there_is_none():
    def collatz(there, n):
        x = n if there else None
        rounds = 0
        while x is not None:
            rounds += 1
            x = None if x == 1 else (3 * x + 1 if x % 2 else x // 2)
        return rounds

    def skips(there, n):
        total = 0
        for i in range(n):
            x = i if i % 2 == there else None
            if x is not None and x > 2:
                total += x
            if not x:
                continue
            total += x
        return total

    compares(collatz, (6,), (1,))
    compares(skips, (9,))


def test_tests_of_several_values():
    def both(there, a, b):
        x = a if there else None
        y = b if a < b else None
        if x is not None and y is not None:
            return divmod(y, x)
        if x is None or y is None:
            return 0, 0
        return 1, 1

    def again(there, a):
        x = a if there else None
        if x is not None:
            if x is not None:
                if x:
                    return pow(x, 2)
        return -1

    compares(both, (2, 7), (7, 2))
    compares(again, (5,), (0,))


def test_containers_grow_behind_the_test():
    def appended(there, n):
        x = [n] if there else None
        if x is not None:
            x.append(n + 1)
        return x

    def counted(there, words):
        counts = {"a": 1} if there else None
        if counts:
            for word in words:
                counts[word] = counts.get(word, 0) + 1
            return sorted(counts.items())
        return [("none", 0)]

    compares(appended, (1,))
    compares(counted, (("a", "b", "a"),))


def test_lists_of_what_may_be_none_beside_lists_of_values():
    def rounds(there, one):
        count = 0
        for x in [one, {"b": ""} if count else None] if there else [one]:
            count += 0 if x is None else len(x)
        return count

    def length(there, one):
        found = [one, [1] if len(one) > 3 else None] if there else [one]
        return len(found)

    compares(rounds, ({"a": "x"},))
    compares(length, ([1, 2],))


def test_exceptions_and_handlers():
    def guarded(there, n):
        x = n if there else None
        try:
            if x is None:
                raise ValueError("missing")
            return 10 // x
        except ZeroDivisionError:
            return x if x is not None else -2
        finally:
            if x is not None:
                x += 1

    compares(guarded, (5,), (0,))


def test_generators_and_inner_functions():
    @njit
    def given(n):
        for i in range(n):
            x = i if i % 3 else None
            if x is not None:
                yield x

    def through_generator(there, n):
        return sum(given(n)) if there else 0

    def captured(there, n):
        x = n if there else None
        if x is None:
            return 0
        return (lambda k: abs(x) + k)(1)

    compares(through_generator, (10,))
    compares(captured, (-4,))


def test_the_caller_gives_a_value_or_none():
    @njit("float64(optional(float64))")
    def absolute(x):
        if x is None:
            return -1
        return abs(x)

    assert absolute(None) == -1.0 and absolute(-2.5) == 2.5


def test_linked_objects():
    node = deferred_type()

    @jitclass([("value", int64), ("next", optional(node))])
    class Node:
        def __init__(self, value, next):
            self.value = value
            self.next = next

    node.define(Node.class_type.instance_type)

    @njit
    def total(head):
        at, found = head, 0
        while at is not None:
            found += at.value
            at = at.next
        return found

    assert total(Node(1, Node(2, Node(4, None)))) == 7


@pytest.mark.parametrize("there", [True, False])
def test_annotated_values(there):
    @njit
    def length(there: bool, text: Optional[str]) -> int:
        name = text if there else None
        if name is not None and len(name.strip()) > 1:
            return name.count("a")
        return -1

    assert length(there, "banana") == (3 if there else -1)
