"""NumPy's arrays of objects of compiled classes, against the same classes in plain Python."""
import random
from dataclasses import dataclass

import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import errors, int64, jitclass, njit, types
from rumba.numba.experimental import structref


class PlainItem:
    def __init__(self, x):
        self.x = x

    def up(self, n):
        self.x += n
        return self.x


class PlainOther(PlainItem):
    def __init__(self, x):
        self.x = x * 100

    def up(self, n):
        self.x -= n
        return -self.x


Item = jitclass([("x", int64)])(PlainItem)


@jitclass([])
class Other(Item):
    def __init__(self, x):
        self.x = x * 100

    def up(self, n):
        self.x -= n
        return -self.x


def numbers(array):
    """What an array holds, as numbers."""
    return [None if item is None else item.x for item in array.ravel().tolist()]


def test_an_array_that_is_made_empty_holds_what_is_put_in():
    @njit
    def made(n):
        a = np.empty(n, dtype=object)
        nothing = a[1] is None
        for i in range(n):
            a[i] = Item(i)
        a[-1] = Other(1)
        total = 0
        for item in a:
            total += item.up(1)
        return nothing, total, a[1].x, len(a), a.shape, a.ndim, a.size, a

    *told, array = made(4)
    assert told == [True, 1 + 2 + 3 - 99, 2, 4, (4,), 1, 4]
    assert array.dtype == object and numbers(array) == [1, 2, 3, 99]
    assert isinstance(array[3], Other) and isinstance(array[0], Item)


def test_arrays_of_one_value_and_of_lists():
    @njit
    def made(n):
        same = np.full((n, 2), Item(3))
        listed = np.array([Item(i) for i in range(n)])
        mixed = np.array([Item(1), None, Item(2)])
        pair = np.array((Item(1), Item(7)), dtype=object)
        return same[0, 0] is same[n - 1, 1], same, listed, mixed, pair

    is_same, same, listed, mixed, pair = made(3)
    assert is_same and same[0, 0] is same[2, 1] and same.shape == (3, 2)
    assert (numbers(listed), numbers(mixed), numbers(pair)) == ([0, 1, 2], [1, None, 2], [1, 7])


def test_parts_are_views_and_copies_are_not():
    @njit
    def parts(a):
        row = a[1]
        row[0] = None
        column = a[:, 1]
        column[0].up(10)
        copied = a.copy()
        copied[0, 0] = Item(50)
        a[0, ::-1][0] = Item(70)
        return copied, a[::2, 1:], a.tolist(), np.empty_like(a)

    a = np.array([[Item(1), Item(2)], [Item(3), Item(4)]], dtype=object)
    copied, part, listed, empty = parts(a)
    assert numbers(a) == [1, 70, None, 4] and numbers(copied) == [50, 12, None, 4]
    assert part[0, 0] is a[0, 1] and listed[1][1] is a[1, 1] and numbers(empty) == [None] * 4


def test_assignments_to_parts():
    @njit
    def assign(a, b):
        a[1:3] = b
        a[:1] = Item(9)
        a[1:] = a[:-1]
        a[-1] = None
        return (None in a), (b[0] in a), a.shape

    a, b = np.array([Item(i) for i in range(4)], dtype=object), np.array([Item(10), Item(20)], dtype=object)
    assert assign(a, b) == (True, True, (4,))
    assert numbers(a) == [9, 9, 10, None] and a[2] is b[0]

    @njit
    def misfit(a, b):
        a[:3] = b

    with pytest.raises(ValueError, match=r"could not broadcast input array from shape \(2,\) into shape \(3,\)"):
        misfit(a, b)


def test_arguments_are_the_same_objects_behind_the_call():
    @njit
    def change(a, b):
        a[0] = Item(42)
        a[1].up(1)
        return b[0].x, a

    a = np.array([Item(1), Item(2), None], dtype=object)
    second = a[1]
    x, given = change(a, a)
    assert x == 42 and given is a and numbers(a) == [42, 3, None] and a[1] is second
    frozen = a.copy()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        frozen[0] = None
    with pytest.raises(errors.TypingError):
        njit(lambda a: change(a, a))(frozen)

    @njit
    def total(a):
        return sum([item.x for item in a if item is not None])

    assert total(frozen) == total(a) == total(a[::-1]) == 45 and total(np.array([[a[0]]], dtype=object)[0]) == 42
    assert njit(lambda a: a[()].x)(zero_dimensional(5)) == 5


def zero_dimensional(x):
    made = np.empty((), dtype=object)
    made[()] = Item(x)
    return made


def test_an_item_that_is_refused_loses_nothing():
    @njit
    def first(a):
        return a[0].x

    assert first(np.array([Item(1), Item(2)], dtype=object)) == 1
    wrong = np.array([Item(1), 5, Item(3)], dtype=object)
    kept = wrong.tolist()
    with pytest.raises(errors.TypingError, match="whose items are Python objects"):
        first(wrong)
    assert all(one is other for one, other in zip(wrong, kept))


def test_arrays_in_fields():
    @jitclass([("items", types.Array(Item.class_type.instance_type, 1, "C")), ("n", int64)])
    class Box:
        def __init__(self, n):
            self.items = np.full(n, Item(4))
            self.n = n

        def put(self, index, item):
            self.items[index] = item

        def total(self):
            total = 0
            for item in self.items:
                total += item.x
            return total

    box = Box(3)
    item = Item(10)
    box.put(1, item)
    assert box.total() == 18 and box.items[1] is item and numbers(box.items) == [4, 10, 4]
    # What Python sees is a copy: an assignment to it would be lost.
    with pytest.raises(ValueError, match="read-only"):
        box.items[0] = item
    box.items = np.array([item, item], dtype=object)
    assert box.total() == 20


@dataclass
class Plain:
    a: int
    b: float


def test_arrays_of_dataclass_objects_and_structrefs():
    @njit
    def change(a):
        total = 0.0
        for one in a:
            if one is not None:
                one.a += 10
                total += one.b
        a[2] = Plain(7, 8.0)
        return total, a

    array = np.array([Plain(1, 2.0), Plain(3, 4.0), None], dtype=object)
    first = array[0]
    total, given = change(array)
    assert total == 6.0 and given is array and array.tolist() == [Plain(11, 2.0), Plain(13, 4.0), Plain(7, 8.0)] and array[0] is first

    @structref.register
    class BoxType(types.StructRef):
        pass

    class Box(structref.StructRefProxy):
        def __new__(cls, x):
            return structref.StructRefProxy.__new__(cls, x)

    structref.define_proxy(Box, BoxType, ["x"])

    @njit
    def add(a):
        a[0].x += 5
        return a[0].x + a[1].x, a

    boxes = np.array([Box(1), Box(2)], dtype=object)
    assert add(boxes)[0] == 8 and add(boxes)[1] is boxes


class Sequence:
    def __init__(self):
        self.x = 1

    def __len__(self):
        return 2

    def __getitem__(self, index):
        if index > 1:
            raise IndexError(index)
        return index


def test_objects_that_numpy_takes_for_sequences():
    compiled = jitclass([("x", int64)])(Sequence)

    @njit
    def one_by_one():
        a = np.empty(2, dtype=object)
        a[0] = compiled()
        a.fill(compiled())
        return a[0][1], len(a[1])

    assert one_by_one() == (1, 2)
    # NumPy would take the items.
    assert np.array([Sequence(), Sequence()], dtype=object).shape == (2, 2)
    for wrong in (lambda p: np.array([p, p], dtype=object), lambda p: np.full(2, p)):
        with pytest.raises(errors.TypingError):
            njit(wrong)(compiled())

    @njit
    def assigned(p):
        a = np.empty(2, dtype=object)
        a[0] = p
        a[:] = p

    with pytest.raises(errors.TypingError, match="NumPy takes an object whose class has `__len__` and `__getitem__` for a sequence"):
        assigned(compiled())


def test_what_cannot_be():
    def of_numbers(n):
        a = np.empty(n, dtype=object)
        a[0] = n
        return a

    with pytest.raises(errors.TypingError, match="an array of objects holds objects of compiled classes and None, not int64"):
        njit(of_numbers)(3)
    a = np.array([Item(1)], dtype=object)
    for wrong in (lambda a: a + 1, lambda a: np.sort(a), lambda a: a.view(np.int64), lambda a: np.frombuffer(a), lambda a: a[a > 0]):
        with pytest.raises(errors.TypingError):
            njit(wrong)(a)
    with pytest.raises(IndexError, match="index 5 is out of bounds for axis 0 with size 1"):
        njit(lambda a: a[5])(a)
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'x'"):
        njit(lambda a: np.array([a[0], None])[1].x)(a)
    for unknown in ([1, 2], ["a", None]):
        with pytest.raises(errors.TypingError, match="whose items are Python objects"):
            njit(lambda a: len(a))(np.array(unknown, dtype=object))
    with pytest.raises(ValueError, match="negative dimensions are not allowed"):
        njit(lambda n: np.empty(n, object)[0] is None)(-1)


def statements(random):
    """The lines of a random function over an array, a matrix and a list of objects."""
    def item():
        return random.choice([
            f"I({random.randrange(9)})", f"O({random.randrange(9)})", f"a[{random.randrange(-4, 4)}]",
            f"m[{random.randrange(2)}, {random.randrange(-3, 3)}]", "None", "kept"])

    lines = [
        "a = np.empty(4, dtype=object)", "m = np.empty((2, 3), dtype=object)", "kept = I(1)", "seen = []", "a[1] = I(5)",
        "m[0, 2] = O(3)"]
    for _ in range(random.randrange(5, 25)):
        i, j, k = random.randrange(-4, 4), random.randrange(2), random.randrange(-3, 3)
        lines += random.choice([
            [f"a[{i}] = {item()}"],
            [f"m[{j}, {k}] = {item()}"],
            [f"m[{j}] = a[{random.choice(['1:', ':3', '::-1][:3', '-3:'])}]"],
            [f"a[1:] = m[{j}]"],
            [f"a[{random.choice([':2', '::2', '2:'])}] = {item()}"],
            [f"m[:, {k}] = {item()}"],
            [f"if a[{i}] is not None:", f"    seen.append(a[{i}].up({j + 1}))"],
            ["for one in m[0]:", "    if one is not None:", f"        seen.append(one.up({i}))"],
            [f"b = a[{random.choice(['::-1', '1:3', ':', '::2'])}]", f"b[{random.randrange(2)}] = {item()}"],
            ["b = a.copy()", f"b[{i}] = {item()}", "a = b[::-1]"],
            ["m.fill(kept)"],
            [f"seen.append(1 if a[{i}] is m[{j}, {k}] else 0)"],
            [f"seen.append(1 if None in a[{random.choice([':2', '1:'])}] else 0)"],
            [f"listed = m.tolist()", f"seen.append(0 if listed[{j}][{k}] is None else listed[{j}][{k}].x)"],
            [f"seen.append(len(a) + m.size + m.shape[1] * m.ndim)"],
        ])
    lines += ["for one in a:", "    seen.append(-1 if one is None else one.x)"]
    lines += ["for row in m:", "    for one in row:", "        seen.append(-1 if one is None else one.x)"]
    return [*lines, "return seen"]


def program(lines, names):
    text = "\n".join(["def run():", *("    " + line for line in lines)])
    exec(compile(text, "<program>", "exec"), names)
    return names["run"]


@pytest.mark.parametrize("seed", range(60))
def test_random_programs(seed):
    lines = statements(random.Random(seed))
    plain = program(lines, {"np": np, "I": PlainItem, "O": PlainOther})
    compiled = njit(program(lines, {"np": np, "I": Item, "O": Other}))
    assert compiled() == plain(), "\n".join(lines)
