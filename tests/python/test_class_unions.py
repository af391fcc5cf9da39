"""Objects of several classes in one variable, list, dict, field or result: the right method is called, `isinstance` narrows."""
from dataclasses import dataclass

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit, prange, types
from rumba.numba import deferred_type, float64, int64, typed, typeof
from rumba.numba.experimental import jitclass
from rumba.types.hints import as_numba_type


@jitclass([("name", int64)])
class Shape:
    def __init__(self, name):
        self.name = name

    def area(self):
        return 0.0

    def doubled(self):
        return 2 * self.area()

    def width(self):
        return -1.0


@jitclass([("radius", float64)])
class Circle(Shape):
    def __init__(self, radius):
        self.name = 1
        self.radius = radius

    def area(self):
        return 3.0 * self.radius ** 2

    @property
    def size(self):
        return 2 * self.radius


@jitclass([("a", float64), ("b", float64)])
class Rectangle(Shape):
    def __init__(self, a, b):
        self.name = 2
        self.a = a
        self.b = b

    def area(self):
        return self.a * self.b

    @property
    def size(self):
        return self.a

    def width(self):
        return self.a


def shapes():
    return [Circle(1.0), Rectangle(2.0, 3.0), Shape(4), Circle(2.0)]


def compare(function, make=shapes):
    """Compiled code and Python do the same to the same objects."""
    given, expected = make(), make()
    result, known = njit(function)(given), function(expected)
    assert result == known
    assert [shape and (type(shape), shape.name) for shape in given] == [
        shape and (type(shape), shape.name) for shape in expected]
    return result


def test_methods_of_the_class_of_each_object_are_called():
    def total(shapes):
        found = []
        for shape in shapes:
            found.append(shape.area())
            found.append(shape.doubled())
            found.append(shape.width())
        return found

    assert len(compare(total)) == 12


def test_fields_and_properties_are_read_and_written():
    def change(shapes):
        found = []
        for shape in shapes:
            shape.name += 10
            found.append(shape.size + shape.name)
        shapes[1].name = 5
        return found

    compare(change, lambda: [Circle(1.0), Rectangle(2.0, 3.0)])


def test_isinstance_narrows_on_both_edges():
    def told_apart(shapes):
        found = 0.0
        for shape in shapes:
            if isinstance(shape, Circle):
                found += shape.radius
            elif not isinstance(shape, Rectangle):
                found += shape.name
            else:
                found += 100 * shape.a + shape.size
            if isinstance(shape, (Circle, Rectangle)) and shape.size > 1:
                found += 1000 * shape.size
            if isinstance(shape, Shape):
                found += 0.5
        return found

    compare(told_apart)


def test_a_variable_holds_objects_of_the_classes_that_meet():
    @njit
    def chosen(number):
        if number == 0:
            shape = Circle(1.0)
        elif number == 1:
            shape = Rectangle(2.0, 3.0)
        else:
            shape = Shape(7)
        before = shape.area()
        shape = Circle(2.0) if number == 2 else shape
        return before, shape.area(), shape.name

    assert [chosen(number) for number in range(3)] == [(3.0, 3.0, 1), (6.0, 6.0, 2), (0.0, 12.0, 1)]


def test_what_a_list_holds_may_grow_while_it_is_inferred():
    def grow(shapes):
        for at in range(6):
            shape = shapes[at % len(shapes)]
            if shape.name == 1:
                shapes.append(Rectangle(1.0, 2.0))
            elif shape.name == 2:
                shapes.append(Shape(7))
            else:
                shapes.append(Circle(2.0))
            shape.name += shape.name
        return sum([shape.area() for shape in shapes])

    compare(grow)


@njit
def made(number):
    if number == 0:
        return Circle(1.5)
    if number == 1:
        return Rectangle(1.0, 2.0)
    return Shape(3) if number == 2 else None


def test_objects_of_several_classes_come_back_as_what_they_are():
    assert [type(made(number)) for number in range(4)] == [Circle, Rectangle, Shape, type(None)]
    given = shapes()
    first = njit(lambda shapes: shapes[0])
    assert first(given) is given[0]
    appended = njit(lambda shapes: shapes.append(Rectangle(7.0, 7.0)))
    appended(given)
    assert type(given[-1]) is Rectangle and given[-1].b == 7.0


def test_none_among_objects():
    def names(shapes):
        found = 0
        for shape in shapes:
            if shape is None:
                found += 100
            else:
                found += shape.name
        return found

    compare(names, lambda: [*shapes(), None])
    compare(names, lambda: [None, Circle(1.0)])

    @njit
    def unchecked(shapes):
        return [shape.name for shape in shapes]

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'name'"):
        unchecked([Circle(1.0), None, Rectangle(1.0, 1.0)])


def test_objects_are_told_apart_by_identity():
    def alike(shapes):
        first = shapes[0]
        return (first is shapes[0], first is shapes[1], first == shapes[0], first != shapes[1], first is None, bool(first),
                not first, first in shapes, shapes.index(shapes[2]), shapes.count(first))

    compare(alike)

    @njit
    def keys():
        first, second = Circle(1.0), Rectangle(1.0, 1.0)
        numbers = {first: 1}
        numbers[second] = 2
        return [numbers[shape] for shape in [first, second, first]], len({first, second, first})

    assert keys() == ([1, 2, 1], 2)


def test_tuples_generators_closures_and_keys():
    def several(shapes):
        found = 0.0
        for shape in (Circle(1.0), Rectangle(1.0, 2.0)):
            found += shape.area()

        def area(shape):
            return shape.area() + found

        best = max(shapes, key=lambda shape: shape.area())
        return found, [area(shape) for shape in shapes], best.name, [shape.name for shape in sorted(shapes, key=area)]

    compare(several)

    @njit
    def each(count):
        for number in range(count):
            if number % 2:
                yield Circle(1.0 * number)
            else:
                yield Rectangle(1.0 * number, 1.0)

    @njit
    def total(count):
        return sum([shape.area() for shape in each(count)])

    assert total(4) == sum([0.0, 3.0, 2.0, 27.0])
    assert [type(shape) for shape in each(3)] == [Rectangle, Circle, Rectangle]


def test_dicts_of_objects():
    @njit
    def total(shapes):
        found = 0.0
        for name in shapes:
            found += shapes[name].area()
        shapes["again"] = shapes["a"]
        return found

    shapes = {"a": Circle(1.0), "b": Rectangle(1.0, 1.0)}
    assert total(shapes) == 4.0 and shapes["again"] is shapes["a"]


def test_a_type_of_several_classes_is_written_as_a_union():
    union = as_numba_type(Circle | Rectangle)
    assert union == types.Union([instance.class_type.instance_type for instance in (Rectangle, Circle)])
    assert as_numba_type(Circle | None | Rectangle) == types.Optional(union)
    assert typeof([Circle(1.0), Rectangle(1.0, 1.0), Circle(2.0)]).dtype == union
    with pytest.raises(errors.TypingError, match="Cannot type Union of more than two"):
        as_numba_type(int | str | None)

    shapes = typed.List.empty_list(union)
    shapes.append(Circle(1.0))
    shapes.append(Rectangle(2.0, 3.0))
    assert [type(shape) for shape in shapes] == [Circle, Rectangle]
    assert njit(lambda shapes: sum([shape.area() for shape in shapes]))(shapes) == 9.0
    with pytest.raises((TypeError, errors.TypingError)):
        shapes.append(Shape(1))


@jitclass
class Scene:
    best: Circle | Rectangle
    other: Circle | Rectangle | None

    def __init__(self, best):
        self.best = best
        self.other = None

    def area(self):
        return self.best.area() + (0.0 if self.other is None else self.other.area())


def test_a_field_holds_objects_of_several_classes():
    scene = Scene(Circle(1.0))
    assert (scene.area(), type(scene.best), scene.other) == (3.0, Circle, None)
    scene.best, scene.other = Rectangle(1.0, 5.0), Circle(2.0)
    assert (scene.area(), type(scene.best), type(scene.other)) == (17.0, Rectangle, Circle)
    with pytest.raises(errors.TypingError):
        scene.best = Shape(1)


expression_type = deferred_type()


@jitclass([("value", float64)])
class Number:
    def __init__(self, value):
        self.value = value

    def evaluated(self):
        return self.value


@jitclass([("left", expression_type), ("right", expression_type)])
class Sum:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def evaluated(self):
        return self.left.evaluated() + self.right.evaluated()


@jitclass([("left", expression_type), ("right", expression_type)])
class Product:
    def __init__(self, left, right):
        self.left = left
        self.right = right

    def evaluated(self):
        return self.left.evaluated() * self.right.evaluated()


expression_type.define(as_numba_type(Number | Sum | Product))


def test_a_tree_of_several_classes():
    def built(count):
        node = Number(1.0)
        for number in range(count):
            if number % 2:
                node = Sum(node, Number(float(number)))
            else:
                node = Product(node, Number(2.0))
        return node

    def depth(node):
        if isinstance(node, Number):
            return 1
        return 1 + max(depth(node.left), depth(node.right))

    def leftmost(node):
        while not isinstance(node, Number):
            node = node.left
        return node.value

    tree = njit(built)(10)
    assert tree.evaluated() == built(10).evaluated() == 115.0
    expected = depth(tree)
    depth = njit(depth)
    assert depth(tree) == expected == 11 and njit(leftmost)(tree) == 1.0
    assert (type(tree), type(tree.left), type(tree.left.left)) == (Sum, Product, Sum)


@jitclass([("x", float64)])
class Valued:
    def __init__(self, x):
        self.x = x

    def value(self):
        return self.x

    def __add__(self, other):
        return Valued(self.x + other.value())

    def __eq__(self, other):
        return self.value() == other.value()

    def __lt__(self, other):
        return self.value() < other.value()

    def __len__(self):
        return 3

    def __bool__(self):
        return self.x > 0

    def __str__(self):
        return "valued"

    def __call__(self, by):
        return self.x * by

    def __getitem__(self, at):
        return self.x + at


@jitclass([("y", float64)])
class Doubled(Valued):
    def __init__(self, x):
        self.x = x
        self.y = x

    def value(self):
        return self.x + self.y

    def __len__(self):
        return 4

    def __str__(self):
        return "doubled"


@jitclass
class Halved(Valued):
    def __init__(self, x):
        self.x = x

    def value(self):
        return self.x / 2

    def __add__(self, other):
        return Halved(self.x - other.value())


def test_operators_and_functions_that_ask_an_object():
    def several(values):
        first, second = values[0], values[1]
        numbers = [(first + second).value(), (second + first).value(), len(first) + len(second), first(2.0) + second(3.0),
                   first[1] + second[2], abs(min(first, second).value())]
        text = str(first) + str(second) + f"{first} {second}"
        return numbers, text, [first == second, first < second, second == second, bool(first), not second]

    values = [Valued(1.0), Doubled(2.0)]
    assert njit(several)(values) == several(values)


def test_operands_of_which_more_classes_become_known():
    def added(values):
        value = values[0]
        found = []
        for other in values:
            for part in (value + other, other + value):
                found.append(part.value() + len(part))
            found.append((value + value).value() + len(value) + value(1.0))
            value = Halved(value.value()) if found[-1] > 3 else other
        return found

    values = [Valued(1.0), Doubled(2.0), Valued(3.0)]
    assert njit(added)(values) == added(values)


class Living:
    """A base without fields."""


@dataclass
class Animal(Living):
    name: str

    def noise(self):
        return "..."


@dataclass
class Dog(Animal):
    size: int

    def noise(self):
        return "woof" * self.size


@dataclass
class Cat(Animal):
    lives: int

    def noise(self):
        self.lives -= 1
        return "meow"


def test_dataclasses():
    def heard(animals):
        found = ""
        for animal in animals:
            found += animal.name + animal.noise()
            if isinstance(animal, Dog):
                animal.size += 1
            if not isinstance(animal, Animal):
                found += "?"
        return found

    given, expected = ([Dog("Rex", 2), Cat("Tom", 9), Animal("x")] for _ in range(2))
    assert njit(heard)(given) == heard(expected) and given == expected
    chosen = njit(lambda number: Dog("a", 1) if number else Cat("b", 2))
    assert [chosen(number) for number in (0, 1)] == [Cat("b", 2), Dog("a", 1)]
    told = njit(lambda animal: (isinstance(animal, Animal), isinstance(animal, Dog), isinstance(animal, Living)))
    assert told(Dog("a", 1)) == (True, True, True) and told(Animal("a")) == (True, False, True)


def test_parallel_loops():
    @njit(parallel=True)
    def areas(shapes):
        found = np.zeros(len(shapes))
        for at in prange(len(shapes)):
            found[at] = shapes[at].area()
        return found

    assert list(areas(shapes() * 100)) == [3.0, 6.0, 0.0, 12.0] * 100


def test_what_one_class_lacks_is_an_error_that_names_the_class():
    @njit
    def radii(shapes):
        return [shape.radius for shape in shapes]

    with pytest.raises(errors.TypingError, match="Unknown attribute 'radius' of type instance.jitclass.Rectangle"):
        radii([Circle(1.0), Rectangle(1.0, 1.0)])


def test_a_function_of_many_operations_on_several_classes():
    lines = "\n".join(f"        found += shape.area() * {number} + shape.name" for number in range(150))
    scope = {}
    exec(f"def many(shapes):\n    found = 0.0\n    for shape in shapes:\n{lines}\n    return found\n", scope)
    compare(scope["many"])


def test_isinstance_of_objects_of_several_classes_or_none():
    def counted(items):
        counts = [0, 0, 0, 0]
        for item in items:
            if isinstance(item, Circle):
                counts[0] += 1
            elif isinstance(item, Rectangle):
                counts[1] += 1
            else:
                counts[2] += 1
            if isinstance(item, (Circle, Rectangle)):
                counts[3] += 1
        return counts, isinstance(items[0], Rectangle), isinstance(items[0], (Circle, Shape))

    for items in (
            [Rectangle(1.0, 2.0), Circle(2.0), None], [None, Rectangle(1.0, 1.0), Circle(1.0)], [Circle(1.0), Rectangle(1.0, 3.0), None, Shape(2)]):
        assert njit(counted)(items) == counted(items)


@jitclass([("x", int64), ("y", int64)])
class Spot:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x = x
        self.y = y

    @property
    def total(self):
        return self.x + self.y


@dataclass
class Named:
    number: int
    text: str


def test_a_branch_for_a_class_that_no_object_is_of():
    def labels(items):
        found = 0
        for item in items:
            if isinstance(item, Spot):
                found += item.total
            elif item is not None:
                found += 1
        return found

    items = [Circle(1.0), None, Rectangle(1.0, 2.0)]
    assert njit(labels)(items) == labels(items) == 2


def test_class_patterns():
    def of_shape(shape):
        match shape:
            case Circle(radius=r) if r > 100.0:
                return -r
            case Circle(size=s, radius=r):
                return s + shape.radius
            case Rectangle(a=1.0, b=b):
                return b
            case Rectangle() as found:
                return found.a * shape.b
            case None:
                return -1.0
            case _:
                return 0.5

    def all_of(shapes):
        return [of_shape(shape) for shape in shapes]

    def of_spot(spot):
        match spot:
            case Spot(0, y):
                return y
            case Spot(x, 5, total=t):
                return x * 100 + t
            case Spot(total=t):
                return -t

    def of_maybe(spot, there):
        match spot if there else None:
            case Spot(x):
                return x
            case None:
                return -1
        return -2

    def of_named(named):
        match named:
            case Named(1, text):
                return text
            case Named(number, "b"):
                return str(number)
        return "none"

    of_shape_compiled = njit(of_shape)
    shapes = [Circle(2.0), Circle(200.0), Rectangle(1.0, 7.0), Rectangle(2.0, 3.0), Shape(3), None]
    expected = [6.0, -200.0, 7.0, 6.0, 0.5, -1.0]
    assert all_of(shapes) == expected

    @njit
    def compiled(shapes):
        return [of_shape_compiled(shape) for shape in shapes]

    assert compiled(shapes) == expected and [of_shape_compiled(shape) for shape in shapes] == expected
    for spot in (Spot(0, 3), Spot(2, 5), Spot(2, 6)):
        assert njit(of_spot)(spot) == of_spot(spot)
        for there in (True, False):
            assert njit(of_maybe)(spot, there) == of_maybe(spot, there)
    for named in (Named(1, "a"), Named(2, "b"), Named(2, "c")):
        assert njit(of_named)(named) == of_named(named)
