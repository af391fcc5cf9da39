"""Generator expressions beside CPython's: values, types, when things are computed, exceptions, and what leaks."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beside import compare
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit

few = settings(max_examples=40, deadline=None)
numbers = st.lists(st.integers(-5, 5), min_size=1, max_size=8)
words = st.lists(st.text("ab c", max_size=4), min_size=1, max_size=6)


@njit
def consumed(items, limit):
    return (sum(x * x for x in items), any(x > limit for x in items), all(x < limit for x in items),
            max(-x for x in items), min(abs(x) for x in items), sorted(x % 3 for x in items),
            list(x / 2 for x in items if x > limit), sum(1 for x in items if x != limit if x > 0),
            len(set(x // 2 for x in items)), sorted(dict((x, x + limit) for x in items)))


@few
@given(numbers, st.integers(-3, 3))
def test_what_takes_all_values(items, limit):
    compare(consumed, items, limit)


@njit
def texts(items):
    return (",".join(word.strip() for word in items if word), "".join(c + c for c in items[0]),
            max((len(word), word) for word in items), [part for part in (word.split() for word in items)],
            sorted(word.upper() for word in items if "a" in word), any(word.isspace() for word in items))


@few
@given(words)
def test_texts(items):
    compare(texts, items)


@njit
def looped(items, limit):
    total = 0
    for value in (x * x for x in items if x > limit):
        if value > 20:
            break
        if value == 4:
            continue
        total += value
    else:
        total = -total
    return total


@few
@given(numbers, st.integers(-3, 3))
def test_a_loop(items, limit):
    compare(looped, items, limit)


@njit
def step_by_step(items):
    squares = (x * x for x in items)
    first = next(squares)
    rest = [value for value in squares]
    return first, rest, next(squares, -1), sum(squares)


@few
@given(numbers)
def test_one_that_is_used_up(items):
    compare(step_by_step, items)


@njit
def zipped(items, other):
    return ([(a, b) for a, b in zip((x + 1 for x in items), other)],
            [at * value for at, value in enumerate(x - 1 for x in items)],
            list(map(lambda v: v + 1, (x for x in items))), sum(y + 1 for y in (x * 2 for x in items)))


@few
@given(numbers, numbers)
def test_inside_other_iterators(items, other):
    compare(zipped, items, other)


@njit
def nested(rows, limit):
    return (sum(x * y for x in rows for y in range(x)), any(x == y + limit for x in rows for y in rows),
            all(x + y != limit for x in rows for y in rows if y), list((x, y) for x in rows if x for y in rows if y > x),
            max(x - y for x in rows for y in rows), sorted(set(x + y + z for x in rows for y in (0, 1) for z in range(2))))


@few
@given(numbers, st.integers(-3, 3))
def test_several_loops(rows, limit):
    compare(nested, rows, limit)


@njit
def stops(items, seen):
    def note(x):
        seen.append(x)
        return 10 // x > 2

    return any(note(x) for x in items), any(note(x) for x in items for _ in range(2)), all(note(x) for x in items)


@few
@given(numbers, st.just([7]))
def test_nothing_is_computed_before_it_is_asked_for(items, seen):
    compare(stops, items, seen)


@njit
def late(items):
    factor = 2
    values = (x * factor for x in items)
    factor = 3
    items.append(4)
    return list(values)


def test_a_variable_is_read_when_a_value_is_made():
    compare(late, [1, 2])


@njit
def over(n, array, pairs, text, table):
    return (sum(i * i for i in range(n)), float(max(x * 2 for x in array)), sum(a * b for a, b in pairs),
            sum(ord(c) for c in text), sum(value for value in table.values()), [k + "!" for k in (key for key in table)],
            float(sum(x for row in array.reshape((2, 2)) for x in row)))


def test_all_that_can_be_gone_through():
    compare(over, 5, np.arange(4.0), [(1, 2), (3, 4)], "abc", {"a": 1, "b": 2})


@njit
def empty(items):
    return (sum(x for x in items if x > 100), list(x for x in items if x > 100), all(x for x in items if x > 100),
            max((x for x in items if x > 100), default=3))


@njit
def greatest_of_none(items):
    return max(x for x in items if x > 100)


def test_nothing():
    compare(empty, [1, 2])
    compare(greatest_of_none, [1, 2])


@njit
def sums_of_scalars(a, items):
    return (sum(x for x in a), sum(a[i] for i in range(len(a))), sum(-x * 2 for x in a if x),
            sum(x if x > 0 else a[0] for x in a))


@njit
def sums_of_floats(a, items):
    return sum(float(x) for x in a), sum(x for x in items), sum(x / 3 for x in items), sum(items[i] for i in range(len(items)))


@pytest.mark.parametrize("function", [sums_of_scalars, sums_of_floats])
def test_what_sums_round(function):
    """Since Python 3.12 sums of its floats are compensated, and those of NumPy's are not."""
    for items in ([1e100, 1.0, -1e100, 3.5], [0.1] * 10, [1e16, 1.0, 1.0, -1e16, 0.3]):
        wanted, found = function.py_func(np.array(items), items), function(np.array(items), items)
        assert [float(x).hex() for x in wanted] == [float(x).hex() for x in found]


@njit
def optional(items):
    return [x for x in (y if y > 1 else None for y in items)]


def test_values_that_may_be_none():
    compare(optional, [1, 2, 3])


@njit
def lists_of(items):
    return sum(len(part) for part in ([x] * x for x in items if x)), [p for p in ([x, x] for x in items if x > 1)]


def test_values_with_memory():
    compare(lists_of, [0, 1, 2, 3])


@njit
def passed_over(items):
    return list(filter(lambda word: len(word) > 2, map(lambda word: word + word, items)))


def test_what_filter_passes_over_is_freed():
    compare(passed_over, ["a", "bc", "def"])


@njit
def parts(n):
    return sum(float(x) for x in (str(i) + ".5" for i in range(n)) if len(x) > 3)


def test_temporary_texts():
    compare(parts, 20)


def shown(value):
    """Generators as lists of what is left in them."""
    if hasattr(value, "send"):
        return ["generator", [shown(item) for item in value]]
    if isinstance(value, (list, tuple)):
        return [shown(item) for item in value]
    return repr(value)


@njit
def through(values):
    for value in values:
        yield value * 2


@njit
def itself(values):
    return values


@njit
def taken_in_turn(items):
    values = (x * y for x in items for y in items if y != 2)
    first = next(values)
    return first, [value for value in values], next(values, -1)


@njit
def given_back(items):
    k = len(items)
    return (x + k for x in items if x), (y for y in (x * 2 for x in items)), (x * y for x in items for y in items)


@njit
def kept(items):
    values = [(x for x in items), (x * k for x in items for k in (1, 2)), (-x for x in [*items, 7])]
    first = [next(each, -1) for each in values]
    return first, values, {"a": (x + 1 for x in items)}["a"]


@njit
def one_of_two(items):
    values = (x for x in items) if len(items) > 2 else (x * 2 for x in items if x)
    return list(values), [(x for x in items)]


@njit
def from_round_to_round(items):
    out, last = [0], (x for x in items)
    for k in range(4):
        current = (x + 10 for x in range(k + 2))
        next(current)
        out.extend(last)
        last = current
    return out


@njit
def passed_on(items):
    return through(x + 1 for x in items), list(through(itself(x + 1 for x in items))), itself(x for x in items)


@njit
def of_generators(items):
    rows = ((x * y for y in items) for x in items)
    return [list(row) for row in rows], ((x, y) for x in items for y in (z for z in items if z > x))


@njit
def of_inner_functions(items):
    k = 3

    def scaled(by):
        return (x * by + k for x in items)

    def scaled_too(by):
        def each():
            for x in items:
                yield x * by + k
        return each()

    return scaled(2), scaled(3), [scaled_too(2), scaled_too(3)]


@njit
def seen_late(items):
    k = 1
    values = [(x * k for x in items for _ in range(2)), (x + k for x in items)]
    k = 5
    return list(values[0]), next(values[1], 0)


@njit
def of_words(items):
    return (str(x) + "!" for x in items), ([x] * 2 for x in items), ((x, str(x)) for x in items if x > 0)


@njit
def yielded(items):
    for k in range(2):
        yield (x + y for x in items for y in items)


@pytest.mark.parametrize("function", [taken_in_turn, given_back, kept, one_of_two, from_round_to_round, passed_on, of_generators,
                                      of_inner_functions, seen_late, of_words, yielded])
def test_those_that_live_on(function):
    if function is passed_on:
        wanted = function.py_func.__code__
        python = type(given_back.py_func)(wanted, {"through": through.py_func, "itself": itself.py_func})
    else:
        python = function.py_func
    for items in ([1, 2, 3], [2, 0], []):
        if items:
            assert shown(function(items)) == shown(python(items))


def test_one_over_an_array_and_one_that_is_dropped():
    @njit
    def over(a):
        return (x + y for x in a for y in a if y > x)

    a = np.arange(4.0)
    assert list(over(a)) == [x + y for x in a for y in a if y > x]
    values = over(a)
    assert next(values) == 1.0
    values.close()
    assert list(values) == []


def test_an_error_in_one_comes_where_it_is_gone_through():
    @njit
    def divided(items):
        return (1 // x for x in items)

    values = divided([1, 0, 2])
    assert next(values) == 1
    with pytest.raises(ZeroDivisionError):
        next(values)
    assert list(values) == []


def test_one_that_refers_to_a_variable_which_changes_is_not_returned():
    @njit
    def changes(items):
        k = 1
        values = (x * k for x in items)
        k = 2
        return values

    with pytest.raises(errors.NumbaError):
        changes([1])


@njit
def without_memory(n):
    return sum(i * i for i in range(n) if i % 3 == 0)


def test_a_sum_allocates_nothing():
    from rumba.nrt_stats import rtsys

    without_memory(3)
    before = rtsys.get_allocation_stats().alloc
    assert without_memory(1000) == without_memory.py_func(1000)
    assert rtsys.get_allocation_stats().alloc == before


@njit
def of_comprehensions(n, c):
    i = 5
    return (
        sum(len([i for i in range(j)]) for j in range(n)), [sum(i for i in range(j)) for j in range(n)],
        sum([sum(k for k in range(i)) for i in range(j)][-1] if j else 0 for j in range(n)),
        list([i + c for i in range(j) if i % 2] for j in range(n) if [k for k in range(j)]),
        sum(len({i for i in range(j)}) + len({i: i for i in range(j)}) for j in range(n)),
        sum(x for j in range(n) for x in [i for i in range(j)]), sum(len([j for j in range(j)]) for j in range(n)),
        max(sum([a * b for a in range(j) for b in range(a)]) for j in range(1, n + 2)),
        any([i for i in range(j)] == [0, 1] for j in range(n)), all(len([i for _ in range(i)]) == i for i in range(n)),
        [len([[k for k in range(i)] for i in range(j)]) for j in range(n)],
        list(list(i + k for i in [m for m in range(k)]) for k in range(n)),
        list(list(list(i + j + k for i in [i for i in range(j)]) for j in [j for j in range(k)]) for k in range(n)),
        sum(sum([i for i in range(j) if i != k]) for j in range(n) for k in [m for m in range(c)]), i)


@njit
def of_functions(n, c):
    return (
        list((lambda x: x + j)(len([i for i in range(j)])) for j in range(n)),
        list([(lambda x: x + i + j)(c) for i in range(j)] for j in range(n)),
        list((lambda x: sum([x + i for i in range(j)]))(c) for j in range(n)),
        list((lambda i: sum(i + k for k in [i for i in range(j)]))(j) for j in range(n)))


@few
@given(st.integers(0, 6), st.integers(-2, 4))
def test_comprehensions_inside(n, c):
    compare(of_comprehensions, n, c)
    compare(of_functions, n, c)


def test_what_goes_from_round_to_round():
    """Comprehensions inlined in loops hold names only as long as they run."""
    @njit
    def loops(n):
        found = []
        for j in range(n):
            found.append([i for i in range(j)])
            while len(found) < 3:
                found.append([j for j in range(j + 1)])
            for _ in found[-1]:
                found.append([found for found in range(1)])
        return found

    for n in range(5):
        compare(loops, n)


def test_a_condition_that_is_false_gives_nothing():
    def nothing(values, flag):
        flags = (flag, None)
        return (sum(x for x in values if False), any(x > 0 for x in values if flags[1]), [x for x in (y for y in values if False)],
                sum(x * y for x in values for y in values if False))

    assert njit(nothing)([1, 2], True) == nothing([1, 2], True)
