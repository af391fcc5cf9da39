"""Compiled classes: fields, methods, properties, operators, in Python and in compiled code; identity, memory, errors."""
import copy
import math
import os
import pickle
import subprocess
import sys
import typing
from collections import Counter, OrderedDict, deque
from typing import Dict, List, Optional

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit, types
from rumba.numba import deferred_type, float32, float64, int32, int64, optional, typed, typeof
from rumba.numba.experimental import jitclass
from rumba.types.hints import as_numba_type


@jitclass([("x", float64), ("y", float64)])
class Point:
    """A point of the plane."""

    DIMENSIONS = 2

    def __init__(self, x, y=2.0):
        self.x = x
        self.y = y

    def norm(self):
        return math.sqrt(self.x ** 2 + self.y ** 2)

    def scale(self, by, *, again=1.0):
        self.x *= by * again
        self.y *= by * again
        return self

    @property
    def total(self):
        """Both together."""
        return self.x + self.y

    @total.setter
    def total(self, value):
        self.x = value
        self.y = 0.0

    @staticmethod
    def double(value):
        return value * 2

    @classmethod
    def origin(cls):
        return cls(0.0, 0.0)

    def dimensions(self):
        return self.DIMENSIONS + Point.DIMENSIONS

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __radd__(self, number):
        return Point(self.x + number, self.y + number)

    def __neg__(self):
        return Point(-self.x, -self.y)

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __lt__(self, other):
        return self.x < other.x

    def __hash__(self):
        return int(self.x)

    def __len__(self):
        return int(self.y)

    def __getitem__(self, index):
        return self.x if index == 0 else self.y

    def __setitem__(self, index, value):
        if index == 0:
            self.x = value
        else:
            self.y = value

    def __contains__(self, value):
        return value == self.x or value == self.y

    def __call__(self, by):
        return self.x * by

    def __str__(self):
        return "a point"

    def __float__(self):
        return self.x

    def __index__(self):
        return int(self.y)

    def __iter__(self):
        yield self.x
        yield self.y


def test_a_container_without_items_gets_the_types_of_the_field():
    class Index:
        def __init__(self, many):
            if many:
                self.known = {}
            else:
                self.known = {1: 2.5}
            self.last = deque()
            self.counts = Counter()
            self.latest = None

        def add(self, key, value):
            self.known[key] = value
            self.last.append(key)
            self.counts[key] += 1
            self.latest = {}
            self.latest[key] = value
            return len(self.known), len(self.last), self.counts[key], len(self.latest)

    table = types.DictType(int64, float64)
    spec = [("known", table), ("last", types.DequeType(int64)), ("counts", types.CounterType(int64, int64)), ("latest", optional(table))]
    compiled = jitclass(spec)(Index)
    for many in (True, False):
        mine, theirs = compiled(many), Index(many)
        for key in (5, 6, 5):
            assert mine.add(key, 0.5) == theirs.add(key, 0.5)
        assert dict(mine.known) == theirs.known


def test_fields_from_python():
    p = Point(3, 4.0)
    assert (p.x, p.y) == (3.0, 4.0) and type(p.x) is float
    p.x = 5
    assert p.x == 5.0
    with pytest.raises(errors.TypingError):
        p.x = "text"
    with pytest.raises(AttributeError):
        p.z = 1
    with pytest.raises(AttributeError):
        del p.x
    with pytest.raises(TypeError, match="field 'x' is for objects of"):
        Point.x.__get__(Other(1), Other)
    with pytest.raises(TypeError):
        Point.x.__get__(3, int)


@jitclass([("x", int64)])
class Other:
    def __init__(self, x):
        self.x = x


def test_methods_from_python():
    p = Point(3.0, 4.0)
    assert p.norm() == 5.0
    assert p.scale(2.0) is p and (p.x, p.y) == (6.0, 8.0)
    assert p.scale(0.5, again=2.0).x == 6.0
    p.total = 7
    assert (p.total, p.x, p.y) == (7.0, 7.0, 0.0)
    assert Point.double(2) == p.double(2) == 4 and Point.DIMENSIONS == 2
    assert p.dimensions() == 4
    assert Point.origin() == Point(0.0, 0.0) and type(p.origin()) is Point
    assert Point.__doc__ == "A point of the plane." and Point.total.__doc__ == "Both together."
    assert Point.__init__.py_func.__code__.co_varnames[:2] == ("self", "x")
    assert Point.__module__ == __name__ and Point.__name__ == "Point"


def use(p, q):
    r = p + q
    r[0] = 11.0
    return (
        r.x, r.norm(), len(r), r == p, r != p, r < p, r > p, bool(r), not r, r[0], 11.0 in r, 5.0 not in r, r(3.0), (-r).y,
        (1.0 + r).x, Point.double(1), r.double(2), r.DIMENSIONS, r.total, hash(r), str(r), float(r), int(r), abs(float(r)),
        isinstance(r, Point), isinstance(3, Point), sum([x for x in r]), p is q, p is p, Point.origin().x)


def test_everything_from_compiled_code():
    p, q = Point(1.0, 2.0), Point(3.0)
    assert njit(use)(p, q) == use(p, q)


def test_setters_and_augmented_assignment():
    @njit
    def change(p):
        p.x += 1
        p.total = p.total * 2
        p.y -= 1
        return p

    p = Point(1.0, 2.0)
    assert change(p) is p and (p.x, p.y) == (8.0, -1.0)


@pytest.mark.parametrize("spec", [
    [("a", int64), ("b", float32)], {"a": int64, "b": float32}, OrderedDict(a=int64, b=float32), (("a", int64), ("b", float32))])
def test_specifications(spec):
    class Both:
        def __init__(self, a, b):
            self.a, self.b = a, b

    for made in (jitclass(spec)(Both), jitclass(Both, spec)):
        one = made(1, 2.5)
        assert (one.a, one.b) == (1, 2.5)
        assert list(made.class_type.struct.items()) == [("a", int64), ("b", float32)]


def test_annotations():
    @jitclass({"d": types.int8})
    class Annotated:
        a: int
        b: float
        c: Optional[int]
        d: int
        e: List[int]
        f: Dict[str, float]
        g: str

        def __init__(self):
            self.a, self.b, self.c, self.d = 1, 2, None, 3
            self.e = typed.List.empty_list(int64)
            self.f = {"a": 1.5}
            self.g = "text"
            self.e.append(4)

    one = Annotated()
    assert (one.a, one.b, one.c, one.d, list(one.e), one.f["a"], one.g) == (1, 2.0, None, 3, [4], 1.5, "text")
    struct = Annotated.class_type.struct
    assert struct["d"] == types.int8 and struct["e"] == types.ListType(int64) and struct["c"] == types.Optional(int64)
    assert as_numba_type(Annotated) is Annotated.class_type.instance_type
    one.c = 5
    one.g += "s"
    assert (one.c, one.g) == (5, "texts")


def test_types():
    p = Point(1.0)
    assert typeof(p) is Point.class_type.instance_type and isinstance(p, Point) and isinstance(typeof(p), types.ClassInstanceType)
    assert pickle.loads(pickle.dumps(typeof(p))) is typeof(p)
    assert typeof(Point) is Point.class_type
    assert njit([float64(Point.class_type.instance_type)])(lambda p: p.x)(p) == 1.0


node_type = deferred_type()


@jitclass([("data", int32), ("next", optional(node_type))])
class Node:
    def __init__(self, data, next):
        self.data = data
        self.next = next

    def prepend(self, data):
        return Node(data, self)


node_type.define(Node.class_type.instance_type)


def test_linked_list():
    @njit
    def build(n):
        head = Node(0, None)
        for i in range(1, n):
            head = head.prepend(i)
        return head

    @njit
    def total(head):
        found = 0
        while head is not None:
            found += head.data
            head = head.next
        return found

    head = build(10)
    assert (head.data, head.next.data, total(head)) == (9, 8, 45)
    assert head.next is head.next
    head.next = None
    assert total(head) == 9
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'data'"):
        njit(lambda node: node.next.data)(head)
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'prepend'"):
        njit(lambda node: node.next.prepend(1))(head)
    # Given up without recursion, too.
    assert total(build(200_000)) == 100_000 * 199_999


tree_type = deferred_type()


@jitclass([("left", optional(tree_type)), ("right", optional(tree_type))])
class Tree:
    def __init__(self, depth):
        if depth > 0:
            self.left = Tree(depth - 1)
            self.right = Tree(depth - 1)

    def count(self):
        if self.left is None:
            return 1
        return 1 + self.left.count() + self.right.count()


tree_type.define(Tree.class_type.instance_type)


def test_binary_trees():
    assert Tree(10).count() == 2047


def test_containers_of_objects():
    @njit
    def make(n):
        points = [Point(i, i) for i in range(n)]
        named = {str(i): points[i] for i in range(n)}
        return points, named, (points[0], 1)

    points, named, (first, _) = make(3)
    assert [p.x for p in points] == [0.0, 1.0, 2.0] and first is points[0] and named["2"] is points[2]

    @njit
    def bump(points):
        for p in points:
            p.x += 1
        points.append(Point(9.0))
        points.sort()
        return max([p.x for p in points])

    assert bump(points) == 9.0
    assert [p.x for p in points] == [1.0, 2.0, 3.0, 9.0]
    held = typed.List(points[:2])
    assert held[0] is points[0]
    assert njit(lambda points: points[1].norm() + len(points))(held) == points[1].norm() + 2


def test_fields_that_hold_memory():
    @jitclass([("values", float64[:]), ("names", types.ListType(types.unicode_type)), ("where", types.UniTuple(int64, 2)),
               ("point", Point.class_type.instance_type)])
    class Holder:
        def __init__(self, n):
            self.values = np.zeros(n)
            self.names = typed.List.empty_list(types.unicode_type)
            self.where = (1, 2)
            self.point = Point(1.0)

        def fill(self, value):
            for i in range(len(self.values)):
                self.values[i] = value
            self.names.append("n" + str(value))
            self.point = Point(value, self.point.x)
            return self.values.sum()

    one = Holder(3)
    assert one.fill(2.0) == 6.0 and one.fill(3.0) == 9.0
    np.testing.assert_array_equal(one.values, [3.0, 3.0, 3.0])
    assert list(one.names) == ["n2.0", "n3.0"] and one.where == (1, 2) and one.point.y == 2.0
    values = one.values
    one.values = np.arange(4.0)
    assert values.sum() == 9.0 and one.values[3] == 3.0


def test_many_fields():
    """More words than a mask has bits."""
    spec = [(f"a{i}", float64[:]) for i in range(40)]

    @jitclass(spec)
    class Wide:
        def __init__(self, n):
            self.a0 = np.ones(n)
            self.a39 = self.a0 * 2

    one = Wide(4)
    assert one.a39.sum() == 8.0
    with pytest.raises(AttributeError, match="field 'a20' is read before it is set"):
        one.a20


def test_fields_that_are_not_set():
    @jitclass([("n", int64), ("text", types.unicode_type)])
    class Late:
        def __init__(self):
            pass

        def size(self):
            return len(self.text)

    one = Late()
    assert one.n == 0
    for read in (lambda: one.text, one.size):
        with pytest.raises(AttributeError, match="field 'text' is read before it is set"):
            read()
    one.text = "abc"
    assert one.size() == 3


def test_exceptions_free_everything():
    @jitclass([("values", float64[:]), ("point", optional(Point.class_type.instance_type))])
    class Picky:
        def __init__(self, n):
            self.values = np.ones(n)
            self.point = Point(1.0)
            if n > 2:
                raise ValueError("too many")

    @njit
    def make(n):
        kept = [Picky(1)]
        try:
            kept.append(Picky(n))
        except ValueError:
            return -len(kept)
        return len(kept)

    for _ in range(3):
        with pytest.raises(ValueError, match="too many"):
            Picky(3)
        assert make(3) == -1 and make(2) == 2


def test_inheritance():
    class Plain:
        def shared(self):
            return self.x + 100

    @jitclass([("x", int64)])
    class Base(Plain):
        KIND = "base"

        def __init__(self, x):
            self.x = x

        def size(self):
            return self.x * self.factor()

        def factor(self):
            return 1

    @jitclass([("y", int64)])
    class Derived(Base):
        KIND = "derived"

        def __init__(self, x, y):
            self.x = x
            self.y = y

        def factor(self):
            return self.y

    base, derived = Base(3), Derived(3, 5)
    assert (base.size(), derived.size(), derived.shared()) == (3, 15, 103)
    assert isinstance(derived, Base) and not isinstance(base, Derived) and Derived.KIND == "derived"

    @njit
    def check(b, d):
        return b.size(), d.size(), d.shared(), isinstance(d, Base), isinstance(b, Derived), d.KIND

    assert check(base, derived) == (3, 15, 103, True, False, "derived")


@jitclass([("x", int64)])
class Animal:
    def __init__(self, x):
        self.x = x

    def legs(self):
        return self.x

    def describe(self):
        return 10 * self.legs()


@jitclass([("y", int64)])
class Bird(Animal):
    def __init__(self, x, y):
        super().__init__(x)
        self.y = y

    def legs(self):
        return super().legs() + self.y


@jitclass
class Duck(Bird):
    def legs(self):
        return super().legs() * 2


def test_super():
    assert (Animal(4).describe(), Bird(1, 2).describe(), Duck(1, 2).describe()) == (40, 30, 60)

    @njit
    def check():
        return Bird(1, 2).describe() + Duck(3, 4).legs()

    assert check() == 30 + 14

    class Plain:
        def value(self):
            return self.x + 1

    @jitclass([("x", int64)])
    class Derived(Plain):
        def __init__(self):
            self.x = 3

        def value(self):
            return super().value() * 2

    assert Derived().value() == 8


def test_derived_classes_are_compiled_too():
    class NotCompiled(Animal):
        pass

    with pytest.raises(TypeError, match="NotCompiled is not compiled itself: decorate it with @jitclass"):
        NotCompiled(1)


@jitclass([("x", int64), ("name", types.unicode_type), ("values", float64[:]), ("next", optional(Animal.class_type.instance_type)),
           ("late", types.unicode_type)])
class Record:
    def __init__(self, x, name, n):
        self.x = x
        self.name = name
        self.values = np.arange(float(n))
        self.next = Animal(7)


def test_copies():
    one = Record(1, "text", 3)
    shallow, deep, sent = copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))
    for other in (shallow, deep, sent):
        assert type(other) is Record and other is not one
        assert (other.x, other.name, list(other.values), other.next.x) == (1, "text", [0.0, 1.0, 2.0], 7)
        with pytest.raises(AttributeError):
            other.late
    assert shallow.next is one.next and deep.next is not one.next
    shallow.values[0] = 9.0
    deep.values[0] = 5.0
    assert one.values[0] == 9.0


SHARED = Animal(3)


def test_globals():
    held = Animal(5)

    @njit
    def check():
        SHARED.x += 1
        held.x += SHARED.x
        return held, SHARED.legs()

    found, legs = check()
    assert found is held and (held.x, SHARED.x, legs) == (9, 4, 4)
    SHARED.x = 3


def test_private_names():
    @jitclass([("__secret", int64)])
    class Safe:
        def __init__(self):
            self.__secret = 3

        def tell(self):
            return self.__secret

    assert Safe().tell() == 3 and Safe()._Safe__secret == 3


def test_errors():
    with pytest.raises(TypeError, match="spec values should be Numba type instances"):
        jitclass(Plain, [("x", int)])
    with pytest.raises(TypeError, match="spec keys should be strings, got 1"):
        jitclass(Plain, [(1, int64)])
    with pytest.raises(NameError, match="name shadowing: method"):
        jitclass(Plain, [("method", int64)])
    with pytest.raises(errors.UnsupportedError, match="VAR_POSITIONAL argument type unsupported in jitclass"):
        jitclass([])(type("Star", (), {"__init__": lambda self, *args: None}))
    with pytest.raises(errors.TypingError, match=r"__init__\(\) should return None, not"):
        jitclass([])(type("Returns", (), {"__init__": lambda self: 7}))()
    with pytest.raises(TypeError):
        Point()
    with pytest.raises(errors.TypingError, match="nothing"):
        njit(lambda p: p.nothing)(Point(1.0))
    with pytest.raises(errors.TypingError, match="R0"):
        njit(lambda p: p * p)(Point(1.0))


class Plain:
    def __init__(self):
        pass

    def method(self):
        pass


def test_without_compiler():
    program = """
from rumba.numba import int64
from rumba.numba.experimental import jitclass
@jitclass([("x", int64)])
class A:
    def __init__(self, x):
        self.x = x
print(A(1.5).x)
"""
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=60)
    assert done.stdout == "1.5\n", done.stderr


def test_print_shows_objects(capfd):
    @jitclass([("n", int64)])
    class Shown:
        def __init__(self, n):
            self.n = n

        def __str__(self):
            return "shown " + str(self.n)

    @njit
    def show(n):
        made = Shown(n)
        print(made, 1)
        print((made,), made is made)

    show(5)
    out = capfd.readouterr().out
    assert out.startswith("shown 5 1\n(<") and out.endswith(">,) True\n")


def test_the_class_of_an_object():
    @jitclass([("n", int64)])
    class First:
        unit = 10

        def __init__(self, n):
            self.n = n

        def next(self):
            return type(self)(self.n + 1)

        def shown(self):
            return f"{type(self).__name__}({self.n})"

    @jitclass([("n", int64)])
    class Second(First):
        pass

    def told(n):
        first, second = First(n), Second(n)
        maybe = first if n > 3 else None
        return (type(first) is First, type(second) is First, type(first) == type(second), type(second.next()) is Second,
                type(second)(5).n, type(first).unit, first.shown(), second.next().shown(), First.__name__, type(maybe) is First,
                First.__qualname__ == "First", first.__module__, maybe.__class__ is First, second.__class__(n).n,
                second.__class__.__name__)

    for n in (2, 7):
        assert njit(told)(n) == told(n)
    with pytest.raises(errors.NumbaError, match="__name__"):
        njit(lambda: First(1).__name__)()


def test_objects_without_equality_are_keys():
    @jitclass([("n", int64)])
    class Keyed:
        def __init__(self, n):
            self.n = n

    @njit
    def counted():
        one, other = Keyed(1), Keyed(1)
        counts = {one: 2}
        counts[other] = 3
        counts[one] += 5
        seen = {one, other, one}
        return len(counts), counts[one], counts[other], len(seen), Keyed(1) in seen, one in seen

    assert counted() == (2, 7, 3, 2, False, True)

    @njit
    def removed(times):
        one, other = Keyed(1), Keyed(1)
        counts, seen, pairs = {one: 2, other: 3}, {one, other}, {(one, 1), (other, 1)}
        found = 0
        for _ in range(times):
            found += counts.pop(other)
            seen.remove(one)
            pairs.remove((other, 1))
        del counts[one]
        return found, len(counts), one in seen, other in seen, len(pairs)

    assert removed(1) == (3, 0, False, True, 1)
    # The exception has no arguments: they cannot be objects.
    with pytest.raises(KeyError) as caught:
        removed(2)
    assert caught.value.args == ()
    with pytest.raises(KeyError):
        njit(lambda: {Keyed(1)}.remove(Keyed(1)))()

    @njit
    def keys(one):
        return {one: 1, Keyed(2): 2}

    one = Keyed(5)
    found = keys(one)
    assert found[one] == 1 and sorted(key.n for key in found) == [2, 5]
    assert njit(lambda counts, one: counts[one])(found, one) == 1


def test_a_typed_container_is_a_sample_of_its_type():
    @njit
    def made():
        dicts = typed.List.empty_list(typed.Dict.empty(int64, float64))
        dicts.append(typed.Dict.empty(int64, float64))
        dicts[0][3] = 1.5
        nested = typed.Dict.empty(int64, dicts)
        nested[1] = dicts
        return len(dicts), nested[1][0][3]

    assert made() == (1, 1.5)


def test_texts_of_objects():
    @jitclass([("x", int64)])
    class Shown:
        def __init__(self, x):
            self.x = x

        def __repr__(self):
            return f"Shown({self.x})"

    @jitclass([("x", int64)])
    class Both:
        def __init__(self, x):
            self.x = x

        def __repr__(self):
            return f"Both({self.x})"

        def __str__(self):
            return "both"

    @njit
    def texts(a, b):
        return f"{a} {a!r} {b} {b!r}", str(a), str(b), "%s %r" % (b, b)

    assert texts(Shown(1), Both(2)) == ("Shown(1) Shown(1) both Both(2)", "Shown(1)", "both", "both Both(2)")
    assert str(Shown(3)) == "Shown(3)"


def test_a_field_takes_an_array_that_may_not_be_written():
    @jitclass([("values", types.float64[:])])
    class Holder:
        def __init__(self, values):
            self.values = values

        def total(self):
            return self.values.sum()

    assert Holder(np.broadcast_to(1.5, 4)).total() == 6
    fixed = np.arange(3.0)
    fixed.flags.writeable = False
    assert Holder(fixed).total() == 3
    with pytest.raises(errors.TypingError, match="values"):
        Holder(np.arange(3))


def test_displays_become_typed_containers_in_fields():
    class Log:
        items: List[int]
        names: List[str]
        seen: typing.Set[int]
        rows: List[List[float]]

        def __init__(self, n):
            self.items = []
            self.names = ["a", "b"]
            self.seen = {1}
            self.rows = []
            for i in range(n):
                self.items.append(i)

        def add(self, k):
            self.items.append(k)
            self.names.append(str(k))
            self.seen.add(k)
            row = []
            row.append(k / 2)
            self.rows.append(row)
            self.rows.append([k, 2.0])
            self.rows[0].append(7.0)
            return sum(self.items)

        def reset(self):
            self.items = [1, 2]
            self.names = []
            return len(self.items)
    mine, theirs = jitclass(Log)(3), Log(3)
    for k in (5, 1):
        assert mine.add(k) == theirs.add(k)
    assert mine.reset() == theirs.reset() and mine.add(2) == theirs.add(2)
    assert list(mine.items) == theirs.items and list(mine.names) == theirs.names and set(mine.seen) == theirs.seen
    assert [list(row) for row in mine.rows] == theirs.rows


def test_displays_become_typed_containers_in_containers():
    of_ints, of_floats = types.ListType(int64), types.ListType(float64)

    @njit
    def rows(n):
        out, table = typed.List.empty_list(of_ints), typed.Dict.empty(int64, of_floats)
        for i in range(n):
            row = []
            for j in range(i):
                row.append(j)
            out.append(row)
            out.append([i])
            out[0] = [7, 8]
            if i not in table:
                table[i] = []
            table[i].append(i / 2)
        table[9] = [1.0]
        return out, table
    out, table = rows(3)
    assert [list(row) for row in out] == [[7, 8], [0], [0], [1], [0, 1], [2]]
    assert {key: list(value) for key, value in table.items()} == {0: [0.0], 1: [0.5], 2: [1.0], 9: [1.0]}

    @njit
    def keep(given):
        out = typed.List.empty_list(of_ints)
        out.append(given)
        return out
    with pytest.raises(errors.TypingError, match="cannot become"):
        keep([1])


def test_a_value_of_another_type_than_the_field():
    """As TypeError, too: what Python's own classes with declared fields raise."""
    @jitclass([("data", types.float64[:])])
    class Series:
        def __init__(self, data):
            self.data = data

    @njit
    def assign(series, data):
        series.data = data

    wrong = np.zeros(3, np.bool_)
    series = Series(np.zeros(3))
    for call in (lambda: Series(wrong), lambda: assign(series, wrong), lambda: setattr(series, "data", wrong)):
        with pytest.raises(errors.TypingError, match=r"field 'data' of Series is array\(float64, 1d, A\), not array\(bool, 1d, C\)") as caught:
            call()
        assert isinstance(caught.value, TypeError)
    with pytest.raises(TypeError, match="not unicode_type"):
        assign(series, "text")
