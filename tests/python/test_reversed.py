"""`reversed` goes through what it is given while that changes, as in Python."""
import pytest

from beside import compare
from leaks import nothing_leaks  # noqa: F401
from rumba import njit


def assigned(items):
    seen = []
    for item in reversed(items):
        items[0] = items[-1]
        seen.append(item)
    return seen


def shrinks(items):
    seen = []
    for item in reversed(items):
        if len(items) > 1:
            items.pop()
        seen.append(item)
    return seen


def grows(items):
    seen = []
    for item in reversed(items):
        items.append(item)
        seen.append(item)
    return seen


def refilled(items):
    taken = reversed(items)
    first = next(taken)
    items.clear()
    items.append(first)
    return list(taken), items


def begun_at_the_call(items):
    taken = reversed(items)
    items.insert(0, items[0])
    return list(taken)


def ended_for_good(items):
    taken = reversed(items)
    count = sum(1 for item in taken)
    items.extend(items)
    return count, list(taken), next(taken, items[0])


def taken_from_the_front(items):
    return [(items.pop(0), item) for item in reversed(items)]


def nested(items):
    return [(a, b) for a in reversed(items) for b in reversed(items)], list(enumerate(reversed(items)))


@pytest.mark.parametrize("function", [
    assigned, shrinks, grows, refilled, begun_at_the_call, ended_for_good, taken_from_the_front, nested,
])
@pytest.mark.parametrize("items", [[1, 2, 3], ["a", "b", "c", "d"], [[1], [2]], [(1, "x"), (2, "y"), (3, "z")], [2.5]], ids=str)
def test_lists(function, items):
    compare(njit(function), items)


def test_items_of_a_list_keep_their_identity():
    def moved(items):
        for item in reversed(items):
            items[0] = item
        return items[0] is items[1]

    for items in ([{1: 2}, {3: 4}], [[1], [2]], [set(), {1}]):
        assert njit(moved)(items) and items[0] is items[1]
