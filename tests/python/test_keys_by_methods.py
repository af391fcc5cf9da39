"""Dict keys and set items whose classes define `__eq__` and `__hash__`, against the same classes in plain Python."""
import random
from dataclasses import dataclass

import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import deferred_type, errors, int64, jitclass, njit, typed, types


class PlainPoint:
    def __init__(self, x, y):
        self.x = x
        self.y = y

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __hash__(self):
        return hash((self.x, self.y % 2))


Point = jitclass([("x", int64), ("y", int64)])(PlainPoint)


@jitclass([("x", int64)])
class Refusing:
    """Does not compare with 7, and has no hash below 0."""

    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        if self.x == 7 or other.x == 7:
            raise ValueError("no comparison with 7")
        return self.x == other.x

    def __hash__(self):
        if self.x < 0:
            raise ValueError("no hash")
        return 5


def mixed(make, seed):
    """A random sequence of operations on a dict and a set: what each of them gave."""
    d = {make(0, 0): 0, make(1, 1): 1, make(0, 0): 2}
    s = {make(0, 0), make(0, 0), make(5, 1)}
    found = [len(d), d[make(0, 0)], len(s)]
    state = seed
    for step in range(300):
        state = (state * 1103515245 + 12345) % 2147483648
        key = make(state // 7 % 5, state // 41 % 5)
        kind = state // 1009 % 10
        if kind == 0:
            d[key] = step
        elif kind == 1:
            found.append(d.get(key, -1))
        elif kind == 2:
            found.append(d.setdefault(key, step))
        elif kind == 3:
            found.append(d.pop(key, -2))
        elif kind == 4:
            found.append(1 if key in d else 0)
        elif kind == 5:
            s.add(key)
        elif kind == 6:
            s.discard(key)
        elif kind == 7:
            found.append(1 if key in s else 0)
        elif kind == 8:
            if key in d:
                del d[key]
        elif kind == 9:
            if key in d.keys():
                d[key] += 1000
    for key, value in d.items():
        found.append(key.x * 100 + key.y)
        found.append(value)
    found.append(-99)
    for key in s:
        found.append(key.x * 100 + key.y)
    return found


compiled_mixed = njit(mixed)


@pytest.mark.parametrize("seed", range(20))
def test_operations_in_any_order(seed):
    got = compiled_mixed(Point, seed)
    expected = mixed(PlainPoint, seed)
    # Compiled sets keep the order of insertion, those of Python have none.
    end = got.index(-99)
    assert got[:end] == expected[:end] and sorted(got) == sorted(expected)


def test_hashes_are_those_of_python():
    @njit
    def hashes(x, y):
        p = Point(x, y)
        return hash(p), hash((p, 1.5, "a")), hash(((p,), p)), hash((p,))

    for _ in range(50):
        x, y = random.Random(_).randrange(-9, 9), _ % 5
        p = PlainPoint(x, y)
        assert hashes(x, y) == (hash(p), hash((p, 1.5, "a")), hash(((p,), p)), hash((p,)))


def test_set_operations():
    def operations(make, n):
        a = {make(i // 2, 1) for i in range(n)}
        b = frozenset([make(i, 1) for i in range(1, 4)])
        c = {make(i % 3, i % 2): i for i in range(n)}
        return (len(a), len(b), len(a | b), len(a & b), len(a - b), len(a ^ b), a <= b, a == b, make(2, 1) in b,
                len(c), c == {**c}, hash(b) == hash(frozenset([make(3, 1), make(2, 1), make(1, 1)])),
                len(c.keys() & {make(1, 1)}))

    @njit
    def compiled(n):
        a = {Point(i // 2, 1) for i in range(n)}
        b = frozenset([Point(i, 1) for i in range(1, 4)])
        c = {Point(i % 3, i % 2): i for i in range(n)}
        return (len(a), len(b), len(a | b), len(a & b), len(a - b), len(a ^ b), a <= b, a == b, Point(2, 1) in b,
                len(c), c == {**c}, hash(b) == hash(frozenset([Point(3, 1), Point(2, 1), Point(1, 1)])),
                len(c.keys() & {Point(1, 1)}))

    for n in (0, 1, 5, 12):
        assert compiled(n) == operations(PlainPoint, n)


def test_tuples_with_objects_are_keys():
    @njit
    def tuples():
        d = {(Point(1, 2), 1): 5.0}
        d[Point(1, 2), 1] += 2
        d[Point(1, 3), 1] = 2
        return len(d), d[Point(1, 2), 1], (Point(1, 2), 2) in d

    assert tuples() == (2, 7.0, False)


def test_nan_beside_an_object_is_found_nowhere():
    def numbers(make, infinity):
        d = {(make(1, 2), infinity - infinity): 1}
        d[make(1, 2), infinity - infinity] = 2
        return len(d), (make(1, 2), infinity - infinity) in d

    assert njit(numbers)(Point, float("inf")) == numbers(PlainPoint, float("inf")) == (2, False)


def test_dicts_and_sets_of_python_are_copied_in_and_written_back():
    @njit
    def change(d, s, key):
        d[Point(9, 9)] = 1.5
        d[key] += 1
        s.add(Point(9, 9))
        s.add(Point(1, 2))
        return len(d), len(s)

    d = {Point(1, 2): 2.5, Point(1, 4): 3.5}
    s = {Point(1, 2)}
    first = next(iter(d))
    assert change(d, s, Point(1, 4)) == (3, 2)
    assert d[Point(9, 9)] == 1.5 and d[Point(1, 4)] == 4.5 and len(s) == 2
    assert next(iter(d)) is first


def test_containers_that_are_returned_and_typed_dicts():
    @njit
    def made(n):
        return {Point(i, 0): i for i in range(n)}, {Point(1, 1)}

    d, s = made(3)
    assert d[Point(2, 0)] == 2 and Point(1, 1) in s and Point(1, 0) not in s
    typed_dict = typed.Dict()
    typed_dict[Point(3, 1)] = 1
    typed_dict[Point(3, 1)] = 2
    assert len(typed_dict) == 1 and typed_dict[Point(3, 1)] == 2 and Point(3, 2) not in typed_dict
    with pytest.raises(KeyError):
        typed_dict[Point(4, 4)]


def test_counters_and_default_dicts():
    @njit
    def counted(n):
        from collections import Counter, defaultdict

        sums, counts = defaultdict(int), Counter()
        for i in range(n):
            sums[Point(i % 3, 1)] += i
            counts[Point(i % 5, 0)] += 1
        return sums[Point(1, 1)], counts[Point(2, 0)], len(counts), len(sums)

    assert counted(20) == (70, 4, 5, 3)


@njit
def strings_by_key(n):
    d = {}
    for i in range(n):
        d[Refusing(i)] = str(i)
    d[Refusing(1)] = "one"
    return d[Refusing(3)] + d[Refusing(1)]


@njit
def two_keys(n):
    return {Refusing(1): "a", Refusing(n): "b"}


def test_exceptions_of_methods_lose_nothing():
    for _ in range(3):
        assert strings_by_key(5) == "3one"
        with pytest.raises(ValueError, match="no comparison with 7"):
            strings_by_key(9)
        with pytest.raises(ValueError, match="no hash"):
            two_keys(-1)
        with pytest.raises(ValueError, match="no comparison"):
            two_keys(7)
        assert compiled_mixed(Point, 4)


own_type = deferred_type()


@jitclass([("x", int64), ("table", types.DictType(own_type, int64))])
class Meddling:
    """A key whose comparison changes the dict that it is in."""

    def __init__(self, x, table):
        self.x = x
        self.table = table

    def __eq__(self, other):
        if self.x == 2 and other.x == 2 and len(self.table) > 2:
            self.table.clear()
        return self.x == other.x

    def __hash__(self):
        return 1


own_type.define(Meddling.class_type.instance_type)


def test_comparisons_that_change_the_dict():
    @njit
    def change(n):
        d = typed.Dict.empty(own_type, int64)
        for i in range(n):
            d[Meddling(i, d)] = i
        d[Meddling(2, d)] = 100
        found = len(d), d.get(Meddling(2, d), -1), d.get(Meddling(1, d), -1)
        d.clear()
        return found

    assert change(2) == (3, -1, -1)
    assert change(8) == (1, 100, -1)


def test_objects_of_several_classes():
    @jitclass([("x", int64)])
    class Base:
        def __init__(self, x):
            self.x = x

        def __eq__(self, other):
            return self.x == other.x

        def __hash__(self):
            return self.x

    @jitclass([])
    class Derived(Base):
        def __init__(self, x):
            self.x = x + 1

    @njit
    def several():
        d = {}
        d[Base(2)] = 1
        d[Derived(1)] = 5
        d[Derived(2)] = 7
        return len(d), d[Base(2)], d[Base(3)]

    assert several() == (2, 5, 7)


@dataclass
class ByText:
    number: int
    text: str

    def __hash__(self):
        return hash(self.text)


@dataclass
class Unhashable:
    number: int


@dataclass(frozen=True)
class Outer:
    number: int
    inner: ByText


def test_dataclasses():
    @njit
    def by_text(p):
        d = {p: 1}
        d[ByText(1, "x")] = 2
        return len(d), d[p], ByText(1, "y") in d

    @njit
    def outer(n):
        return {Outer(1, ByText(1, "x")): n}[Outer(1, ByText(1, "x"))]

    assert by_text(ByText(1, "x")) == (1, 2, False)
    assert by_text(ByText(2, "x")) == (2, 1, False)
    assert outer(3) == 3


def test_keys_that_may_be_none():
    @njit
    def keyed(items):
        d = {item: 1 for item in items}
        s = {item for item in items}
        e = {}
        for item in items:
            e[item] = 2
        f = {items[0]: 4}
        return len(d), len(s), len(e), items[0] in d, d[items[0]], e.get(items[0]), f[items[0]], hash(items[0])

    points = np.array([Point(1, 2), Point(1, 2), Point(1, 4)], dtype=object)
    assert keyed(points) == (2, 2, 2, True, 1, 2, 4, hash(points[0]))
    with pytest.raises(TypeError, match="got None"):
        keyed(np.array([Point(1, 2), None], dtype=object))


def test_a_class_without_hash_is_refused():
    @njit
    def unhashable(p):
        return {p: 1}

    with pytest.raises(errors.TypingError, match="defines `__eq__` without `__hash__`"):
        unhashable(Unhashable(1))
