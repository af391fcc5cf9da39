"""Lists beside CPython's: results, exceptions, and what the caller's lists hold afterwards."""
import copy
import threading
from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beside import compare
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit

few = settings(max_examples=60, deadline=None)
ints = st.integers(-5, 5)
lists = st.lists(ints, max_size=12).filter(bool)
floats = st.lists(st.floats(-9, 9) | st.just(-0.0), min_size=1, max_size=40)
pairs = st.lists(st.tuples(ints, st.floats(-2, 2)), min_size=1, max_size=40)
bounds = st.none() | st.integers(-15, 15)


@njit
def changes(items, other, at, value):
    items.append(value)
    items.insert(at, value)
    items.extend(other)
    items += other
    items.extend(items)
    items.extend((value, value))
    items.reverse()
    items *= 2
    return items.copy(), len(items)


@few
@given(lists, lists, ints, ints)
def test_what_changes_a_list(items, other, at, value):
    compare(changes, items, other, at, value)


@njit
def indexed(items, at, value):
    before = items[at]
    items[at] = value
    return before, items[-1]


@njit
def popped(items, at):
    return items.pop(at), items.pop()


@njit
def deleted(items, at):
    del items[at]


@few
@given(lists, ints, ints)
def test_items(items, at, value):
    compare(indexed, items, at, value)
    compare(popped, items, at)
    compare(deleted, items, at)


@njit
def removed(items, value):
    items.remove(value)


@njit
def found(items, value, start, stop):
    return items.index(value), items.index(value, start), items.index(value, start, stop)


@njit
def counted(items, value):
    return items.count(value), value in items, value not in items, len(items), bool(items), not items


@few
@given(lists, ints, ints, ints)
def test_searches(items, value, start, stop):
    compare(removed, items, value)
    compare(found, items, value, start, stop)
    compare(counted, items, value)


@njit
def sliced(items, start, stop, step):
    return items[start:stop:step], items[start:], items[:stop], items[::-1]


@njit
def slices_deleted(items, start, stop, step):
    del items[start:stop:step]


@njit
def slice_set(items, start, stop, other):
    items[start:stop] = other


@njit
def steps_set(items, start, stop, step, other):
    items[start:stop:step] = other


@few
@given(lists, bounds, bounds, st.integers(-3, 3).filter(bool), lists)
def test_slices(items, start, stop, step, other):
    compare(sliced, items, start, stop, step)
    compare(slices_deleted, items, start, stop, step)
    compare(slice_set, items, start, stop, other)
    compare(steps_set, items, start, stop, step, other)
    compare(steps_set, items, start, stop, step, [7] * len(items[start:stop:step]))


@njit
def compared(a, b):
    return a == b, a != b, a < b, a <= b, a > b, a >= b, a + b, a * 2, 2 * b


@few
@given(lists, lists)
def test_comparison_and_concatenation(a, b):
    compare(compared, a, b)
    compare(compared, a, a)


@njit
def sorts(items):
    items.sort()
    return sorted(items, reverse=True)


@njit
def sorts_by_key(items, scale):
    items.sort(key=lambda item: -item[0] * scale)
    return sorted(items, key=lambda item: item[1], reverse=True), min(items), max(items), min(items, key=lambda i: i[1])


@few
@given(floats, pairs, ints)
def test_sorting(numbers, items, scale):
    compare(sorts, numbers)
    compare(sorts, items)
    compare(sorts, [round(number) for number in numbers])
    compare(sorts, [number > 0 for number in numbers])
    compare(sorts_by_key, items, scale)


def test_sorting_of_many_and_with_nan():
    numbers = [((i * 7919) % 1009) / 3 for i in range(3000)]
    compare(sorts, numbers)
    with_nan = [2.0, float("nan"), 1.0]
    sorts(with_nan)
    assert sorted(map(repr, with_nan)) == ["1.0", "2.0", "nan"]


@njit
def iterated(items):
    total = 0
    for at, item in enumerate(items):
        total += at * item
    for a, b in zip(items, items[1:]):
        total += a * b
    for item in reversed(items):
        total = total * 3 + item
    return total, sum(items), any(items), all(items), [item for item in items if item > 0]


@njit
def grows_while_iterated(items):
    for item in items:
        if len(items) < 20:
            items.append(item)
    return items


@njit
def nested(n):
    rows = [[i * j for i in range(n)] for j in range(n)]
    for row in rows:
        row.append(row[0])
    rows[0][0] = 5
    rows.append(rows.pop(1))
    return rows, [len(row) for row in rows], [x for row in rows for x in row if x % 2]


@njit
def unpacked(items):
    a, b = items
    items[0], items[1] = b, a
    return a - b


@few
@given(lists)
def test_iteration_and_unpacking(items):
    compare(iterated, items)
    compare(grows_while_iterated, items)
    compare(unpacked, items)


def test_nesting():
    for n in range(2, 5):
        compare(nested, n)


def test_types_follow_from_use():
    @njit
    def grown(n):
        items, table = [], []
        for i in range(n):
            items.append(i)
            table.append([])
            table[i].append(items[-1])
        items.append(0.5)
        table[0] += [0.25]
        return items, table

    assert grown(2) == ([0.0, 1.0, 0.5], [[0.0, 0.25], [1.0]])

    @njit
    def optional(n):
        items = [None] * n
        items[0] = 3
        return items

    assert optional(2) == [3, None]

    @njit
    def constructed(n):
        items = list()
        items.insert(0, (n, 1.5))
        return items, list(range(n)), list((n, n)), list([1, 2])

    compare(constructed, 3)


@pytest.mark.parametrize("items", [
    [True, False], [1.5], [1 + 2j], [None], [(1, 2.5), (2, 0.5)], [[1], [2, 3]], [[[]], [[1.5]]], [2**63],
    [np.float32(1.5), np.float32(2)], [np.int8(3)], [np.datetime64(5, "s")], [(1, [2])]], ids=repr)
def test_items_of_many_types(items):
    @njit
    def through(items):
        items.append(items[0])
        return items, items[-1], len(items)

    mine, theirs = copy.deepcopy(items), copy.deepcopy(items)
    found, last, count = through(mine)
    *kept, added = theirs + theirs[:1]
    # A number of NumPy that is put in comes out as Python's; those that were there stay what they were.
    added = added.item() if isinstance(added, np.number) else added
    assert found is mine and repr((found, last, count)) == repr(([*kept, added], added, len(kept) + 1))


def test_arrays_in_lists():
    @njit
    def total(arrays):
        arrays.append(arrays[0] * 1 if False else arrays[0][1:])
        return [array.sum() for array in arrays], [len(array) for array in arrays]

    arrays = [np.arange(3.0), np.ones(2)]
    assert total(arrays) == ([3.0, 2.0, 3.0], [3, 2, 2])
    assert len(arrays) == 3 and arrays[2].tolist() == [1.0, 2.0]

    @njit
    def made(items, rows):
        return np.array(items), np.array(rows), np.array([x * x for x in items])

    for got, expected in zip(made([1, 2], [[1.0, 2.0], [3.0, 4.0]]), made.py_func([1, 2], [[1.0, 2.0], [3.0, 4.0]])):
        assert got.dtype == expected.dtype and got.tolist() == expected.tolist()
    with pytest.raises(ValueError, match="inhomogeneous"):
        made([1], [[1.0], [1.0, 2.0]])


def test_the_same_list_stays_the_same():
    @njit
    def changed(a, b, rows):
        a.append(1)
        b.append(2)
        rows[0].append(3)
        return a is b, rows[0] is rows[1], rows

    a, row = [0], [5]
    rows = [row, row]
    assert changed(a, a, rows)[:2] == (True, True)
    assert a == [0, 1, 2] and rows == [[5, 3]] * 2 and rows[0] is row and rows[1] is row
    assert changed([0], [0], [[1], [2]])[:2] == (False, False)


def test_changes_before_an_exception_are_seen():
    @njit
    def fails(items):
        items.append(9)
        return items[100]

    items = [1]
    with pytest.raises(IndexError, match="^list index out of range$"):
        fails(items)
    assert items == [1, 9]


def test_what_is_not_changed_is_not_written():
    numbers = [10**6, 10**6 + 1]
    before = [id(number) for number in numbers]
    njit(lambda items: sum(items))(numbers)
    assert [id(number) for number in numbers] == before


def test_what_cannot_come_in():
    first = njit(lambda items: items[0])
    for items, message in (([1, 2.5], "item 1 is float64, not int64"), ([[1], [2.5]], "item 0 is float64, not int64")):
        with pytest.raises(TypeError, match=f"can't unbox heterogeneous list: {message}"):
            first(items)
    with pytest.raises(errors.TypingError, match="Cannot determine Numba type"):
        first([object()])
    deep = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(RecursionError, match="nested"):
        first(deep)


def test_exceptions():
    for body, args in (("a.pop()", ([],)), ("a.pop(5)", ([1],)), ("a.remove(5)", ([1],)), ("a[3]", ([1],)), ("max(a)", ([],))):
        namespace = {}
        exec(f"def f(n):\n a = [n]\n a.clear()\n a.extend({args[0]!r})\n return {body}", namespace)
        compare(njit(namespace["f"]), 1)


def test_huge_lists_are_refused():
    @njit
    def huge(n):
        return len([0] * n)

    for n in (2**62, 2**60, 2**46):
        with pytest.raises(MemoryError):
            huge(n)


def test_closures_and_functions_share_lists():
    @njit
    def fill(items, n):
        for i in range(n):
            items.append(i)

    @njit
    def outer(n):
        items = [0.5]
        whole = [0]
        fill(whole, n)

        def inner(x):
            items.append(x)
            return len(items)
        return inner(1.5) + inner(2.5), items, whole

    assert outer(3) == (5, [0.5, 1.5, 2.5], [0, 0, 1, 2])


def test_threads():
    @njit(nogil=True)
    def work(n):
        rows = [[i] for i in range(n)]
        for row in rows:
            row.append(len(rows))
        return sum([row[0] * row[1] for row in rows])

    expected, got = work.py_func(300), []
    threads = [threading.Thread(target=lambda: got.extend(work(300) for _ in range(50))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [expected] * 200


def test_functions_share_what_a_list_holds():
    @njit
    def collected(n):
        items, first = [], [1]

        def add(x):
            items.append(x)
            first[0] = 2.5
            return len(items)
        for i in range(n):
            add(i)
        return items, first

    assert collected(3) == ([0, 1, 2], [2.5])


@njit
def picked(a, places):
    b = a.copy()
    b[places] = 7
    b[[0]] += 1
    return a[places], a[[0, 1]], a[:, places], a[places, 0], a[[True, False]], b


@few
@given(st.lists(st.integers(-2, 1), min_size=1, max_size=4))
def test_lists_as_indices(places):
    a = np.arange(4.0).reshape(2, 2)
    for mine, theirs in zip(picked(a, places), picked.py_func(a, places)):
        assert mine.dtype == theirs.dtype and mine.tolist() == theirs.tolist()
    with pytest.raises(IndexError):
        picked(a, [5])


def test_empty_lists():
    @njit
    def total(items):
        result = 0
        for item in items:
            result += 1
        for at, item in enumerate(items):
            result += at
        return result, len(items), [x for x in items], isinstance(items, list)

    compare(total, [])
    compare(total, [1.5])

    @njit
    def kept(n):
        items = []
        return items, len(items), not items

    compare(kept, 1)


def test_lists_of_other_numbers():
    @njit
    def joined(a, b):
        return a + b, b + a, a == b, a < b, 2.0 in a, a.count(1.0)

    assert joined([1, 2], [1.0, 2.5]) == joined.py_func([1, 2], [1.0, 2.5])
    for body in ("a.append(2.5)", "a[0] = 2.5", "a.insert(0, 2.5)", "a.extend([2.5])", "a += [2.5]", "a[0:1] = [2.5]"):
        namespace = {}
        exec(f"def f(a):\n {body}", namespace)
        with pytest.raises(errors.TypingError, match="cannot become|No implementation"):
            njit(namespace["f"])([1, 2])


def test_a_list_in_itself_is_refused():
    @njit
    def itself():
        items = []
        items.append(items)
        return len(items)

    with pytest.raises(errors.TypingError, match="containers of its own type"):
        itself()


def test_what_containers_cannot_hold():
    for body in ("a = [0]\n a.clear()\n a = [iter((n, 1))]\n a.append(iter((n, 2)))", "a = {1: iter((n, 1))}",
                 "a = {}\n a[n] = enumerate((1, 2))"):
        namespace = {}
        exec(f"def f(n):\n {body}\n return n", namespace)
        with pytest.raises(errors.NumbaError) as error:
            njit(namespace["f"])(1)
        assert not isinstance(error.value, errors.InternalError)


@pytest.mark.parametrize("function, args, message", [
    (lambda x: sum(x, ""), ((1, 2),), "sum() can't sum strings [use ''.join(seq) instead]"),
    (lambda x, start: sum(x, start), ((1, 2), b"1"), "sum() can't sum bytes [use b''.join(seq) instead]"),
    (lambda x, start: sum(x, start), ((1, 2), bytearray(b"1")), "sum() can't sum bytearray [use b''.join(seq) instead]"),
    (lambda: max(()), (), "max() argument is an empty tuple"),
    (lambda: min(()), (), "min() argument is an empty tuple"),
])
def test_what_cannot_be_summed_or_is_empty_is_told(function, args, message):
    with pytest.raises(errors.TypingError) as found:
        njit(function)(*args)
    assert message in str(found.value)


def test_what_is_empty_for_certain():
    @njit
    def nothing():
        return (list(reversed([])), list(reversed([x for x in ()])), list(reversed(())), [*reversed([])], sum(reversed([])),
                any(reversed([])), all(reversed(())), list(filter(None, [])), list(iter(())), any(x for x in ()),
                len(list(reversed([]))), [1] + list(reversed([])), [x for x in reversed([])])

    assert nothing() == nothing.py_func()


def test_methods_are_called_through_their_class():
    def through_classes(items, word, table, n):
        list.append(items, n)
        list.extend(items, [n, n])
        seen = {n}
        set.add(seen, n + 1)
        for _ in range(2):
            word = str.upper(str.replace(word, "a", "bc")) + "a"
        return items, len(seen), word, dict.get(table, n), dict.get(table, 9, 5), list.index(items, n)

    def with_lists(n):
        made = []
        list.append(made, n)
        list.append(made, 0.5)
        return made

    compare(njit(through_classes), [1, 2], "banana", {3: 4}, 3)
    compare(njit(with_lists), 2.0)
    for wrong in (lambda a: str.upper(a), lambda a: list.append(a, 1), lambda a: list.sort(a)):
        with pytest.raises(errors.TypingError):
            njit(wrong)(np.ones(3))


def test_a_display_that_is_not_in_a_list_is_named():
    for function in (lambda x: [[1]].index([x, 2]), lambda x: [[(1, "a")]].index([(x, "b")]), lambda x: [].index([])):
        with pytest.raises(ValueError) as wanted:
            function(1)
        with pytest.raises(ValueError) as found:
            njit(function)(1)
        assert str(found.value) == str(wanted.value)


def test_index_shows_what_it_looks_for():
    for function in (lambda x: [deque([x + 1])].index(deque([x])), lambda x: [{x + 1}].index({x}), lambda x: [].index({x: deque([x])}),
                     lambda x: [frozenset([x + 1])].index(frozenset([x]))):
        with pytest.raises(ValueError) as expected:
            function(1)
        with pytest.raises(ValueError) as found:
            njit(function)(1)
        assert str(found.value) == str(expected.value)
