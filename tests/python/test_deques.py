"""`collections.deque` in compiled code, and lists that change at their begin."""
from collections import deque

import pytest
import rumba
from leaks import nothing_leaks  # noqa: F401
from support import check, check_all, outcome


def breadth_first(n):
    queue, seen, order = deque(), {0}, []
    queue.append(0)
    while queue:
        node = queue.popleft()
        order.append(node)
        for child in (2 * node + 1, 2 * node + 2):
            if child < n and child not in seen:
                seen.add(child)
                queue.append(child)
    return order, len(queue), bool(queue)


def of_pairs(n):
    queue, total = deque([(0, 0)]), 0
    while queue:
        x, y = queue.popleft()
        total += x * y
        if x < n:
            queue.append((x + 1, y + 2))
    return total


def methods(numbers):
    items = deque(numbers)
    items.rotate(2)
    items.extend([1.0, 2.0])
    items.extendleft((5.0, 6.0))
    items.rotate(-1)
    items.reverse()
    items += [8.0]
    other = items.copy()
    other.remove(5.0)
    del other[0]
    other[0] = 99.0
    other.extend(other)
    shown = items, other, items == other, items != other, other.count(1.0), sum(items), max(items), items[0], items[-1], 8.0 in items
    cleared = items.copy()
    cleared.clear()
    return *shown, cleared, list(reversed(items)), sorted(items), items == [1.0], isinstance(items, deque), isinstance(items, list)


def bounded(n, limit):
    window = deque(range(n), maxlen=limit)
    window.append(7)
    window.appendleft(9)
    window.extend([1, 2, 3])
    return window, len(window), window.copy(), str(window), f"{deque('ab')}"


def of_lists(n):
    rows = deque([["a"], ["b", "c"]])
    rows[0].append("d")
    rows.appendleft(["e" * n])
    last = rows.pop()
    rows.rotate(1)
    return rows, last, [len(row) for row in rows]


def widened(n):
    items = deque()
    items.append(n)
    items.append(0.5)
    return sum(items)


def changed_in_a_loop(n):
    items = deque([1] * n)
    for item in items:
        items.append(item)
    return len(items)


def reaches_too_far(n):
    return deque([1, 2])[n]


def empties(n):
    items = deque([1] * n)
    while True:
        items.popleft()


def empties_from_behind(n):
    items = deque([1] * n)
    while True:
        items.pop()


def removes_what_is_not_there(n):
    items = deque([1, 2])
    items.remove(n)
    return items


@pytest.mark.parametrize("function", [
    breadth_first, of_pairs, of_lists, changed_in_a_loop, reaches_too_far, empties, empties_from_behind, removes_what_is_not_there],
    ids=lambda function: function.__name__)
def test_deques(function):
    check_all(function, [(0,), (1,), (5,), (30,)])


def test_methods():
    check_all(methods, [([1.0, 1.0, 3.0],), ([4.0] * 17,)])
    check_all(bounded, [(n, limit) for n in (0, 2, 9) for limit in (0, 1, 3, 20)])
    check(widened, 3)


def test_a_negative_maxlen_is_refused():
    check(lambda n: len(deque([1], maxlen=n)), -1)


def queue_in_a_list(n):
    numbers, total = [i for i in range(n)], 0
    for step in range(3 * n):
        if step % 3 == 2:
            numbers.insert(0, step)
        if numbers:
            total = (total * 31 + numbers.pop(0)) % 1_000_003
        numbers.append(step)
        del numbers[:step % 2]
    return total, numbers


def texts_at_both_ends(words):
    kept = []
    for word in words * 9:
        kept.insert(0, word + "!")
        kept.append(word)
        if len(kept) > 5:
            kept.pop(0)
    return kept


def test_lists_that_change_at_their_begin():
    check_all(queue_in_a_list, [(n,) for n in (0, 1, 2, 3, 10, 100, 1000)])
    check(texts_at_both_ends, ["a", "bc", "d"])


def taken_from(numbers, words):
    numbers.pop(0)
    numbers.insert(0, 7)
    words.insert(0, "first")
    words.insert(0, "zeroth")
    words.pop(0)
    return len(numbers), len(words)


def test_lists_of_python_change_at_their_begin():
    mine, wanted = ([1, 2, 3], ["a"]), ([1, 2, 3], ["a"])
    assert rumba.njit(taken_from)(*mine) == taken_from(*wanted)
    assert mine == wanted


# Arguments.

def searched(queue):
    found = 0
    while queue:
        x = queue.popleft()
        found += x
        if x < 3:
            queue.append(x + 1)
    return found


def filled(queue):
    queue.appendleft(8)
    queue.append(9)
    queue.rotate(1)
    queue[0] += 1
    return queue


def read(queue):
    return sum(queue), queue[-1], len(queue), 2 in queue, queue == deque([1, 2]), queue.copy(), [x for x in queue]


def nested(queues):
    queues[0].append(7)
    queues.append(deque([1]))
    return queues, queues[0]


def raised(queue):
    queue.pop()
    return queue[5]


@pytest.mark.parametrize("function, given", [
    (searched, [1, 2]), (filled, [1, 2, 3]), (read, [1, 2]), (read, [1.5]), (raised, [1, 2]),
])
@pytest.mark.parametrize("maxlen", [None, 3])
def test_an_argument_is_changed(function, given, maxlen):
    mine, other = deque(given, maxlen), deque(given, maxlen)
    assert outcome(rumba.njit(function), mine) == outcome(function, other)
    assert mine == other and mine.maxlen == maxlen


def test_an_argument_is_one_object():
    queue = deque([1, 2, 3])
    assert rumba.njit(filled)(queue) is queue
    queues = [queue, deque([4])]
    result, first = rumba.njit(nested)(queues)
    assert result is queues and first is queue and queue[-1] == 7 and queues[-1] == deque([1])
    items = [[1], [2]]
    rumba.njit(lambda queue: queue[0].append(5))(deque(items))
    assert items == [[1, 5], [2]]


def test_items_of_several_types():
    check(lambda queue: (queue[0], queue[1], len(queue)), deque([1, "a"]))
    with pytest.raises(TypeError, match="heterogeneous"):
        rumba.njit(lambda queue: len(queue))(deque([1, 2.5]))


def inserted(queue, i, x):
    queue = queue.copy()
    queue.insert(i, x)
    return list(queue), queue.maxlen


@pytest.mark.parametrize("maxlen", [None, 5, 3])
@pytest.mark.parametrize("i", [0, 1, 2, 3, 9, -1, -3, -9])
def test_insert(maxlen, i):
    check(inserted, deque([1, 2, 3], maxlen), i, 7)


def found(queue, x, start, stop):
    return queue.index(x), queue.index(x, start), queue.index(x, start, stop)


@pytest.mark.parametrize("args", [(2, 0, 9), (2, 1, 2), (2, -2, -1), (2, -9, 4), (3, 3, 9), (8, 0, 3), (2, 4, 1)])
def test_index(args):
    check(found, deque([1, 2, 3, 2]), *args)


def combined(a, b, n):
    return a + b, a * n, (a + deque([n])).maxlen, a is a + b


@pytest.mark.parametrize("maxlen", [None, 3])
@pytest.mark.parametrize("n", [0, 1, 3, -2])
def test_sums_and_multiples(maxlen, n):
    check(combined, deque([1, 2], maxlen), deque([5]), n)


def test_a_bound_without_items():
    def last(n, count):
        window = deque(maxlen=n)
        for i in range(count):
            window.append(i)
        return window, window.maxlen

    def of_both(n):
        window = deque(maxlen=n)
        for i in range(6):
            window.append(None if i % 2 else 0.5)
            window.appendleft(1.5 * i)
        return window.copy(), len(window)

    def of_nothing(n):
        return len(deque(maxlen=n)), deque(maxlen=n).maxlen, deque(maxlen=None).maxlen

    def inside(n):
        windows = {1: deque(maxlen=n), 2: deque(maxlen=2)}
        for i in range(4):
            windows[1 + i % 2].append(i)
        return list(windows.items())

    check_all(last, [(3, 6), (0, 2), (1, 1), (-1, 0)])
    check_all(of_both, [(3,), (1,), (0,)])
    check_all(of_nothing, [(3,), (0,)])
    check_all(inside, [(1,), (5,)])


def test_a_bound_stays_where_items_of_another_type_come():
    def mixed(items):
        window = deque(items, maxlen=2)
        window.append(None)
        window.extend(items)
        window.appendleft(None)
        return window

    check_all(mixed, [([1, 2],), ([],)])


def test_bounded_deques_of_several_types_in_one_function():
    def both(n):
        numbers, words = deque((i / 2 for i in range(4)), n), deque((w for w in "abc"), maxlen=n)
        later, empty = deque(maxlen=2), deque(maxlen=2)
        later.append("a")
        empty.append(n)
        return numbers, words, later, empty

    check_all(both, [(2,), (0,), (-1,)])
