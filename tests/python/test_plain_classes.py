"""Dataclasses and classes with annotated slots: arguments, results, made in compiled code; what is written back, and errors."""
import dataclasses
import math
from dataclasses import dataclass, field
from typing import ClassVar, List, Optional

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  for each test here
from rumba import errors, njit
from rumba.numba import float64


@dataclass
class Particle:
    x: float
    y: float = 0.5
    charge: int = dataclasses.field(default=1, compare=False)
    LIGHT: ClassVar[int] = 3

    def norm(self):
        return math.hypot(self.x, self.y)

    def move(self, dx):
        self.x += dx
        return self

    @property
    def double(self):
        return 2 * self.x

    @staticmethod
    def half(x):
        return x / 2


@dataclass(frozen=True, order=True)
class Version:
    major: int
    minor: int = 0

    def next(self):
        return Version(self.major, self.minor + 1)


@dataclass
class Node:
    value: int
    next: Optional["Node"] = None


@dataclass
class Segment:
    start: Particle
    end: Particle
    name: str = ""


@dataclass
class Samples:
    items: np.ndarray
    counts: List[int] = field(default_factory=list)


class Slotted:
    __slots__ = ("a", "b")
    a: int
    b: float

    def __init__(self, a, b=1.5):
        self.a = a
        self.b = b

    def total(self):
        return self.a + self.b


def test_arguments_methods_and_properties():
    def use(particle):
        return particle.x, particle.charge, particle.norm(), particle.double, particle.half(3.0), particle.LIGHT

    assert njit(use)(Particle(3.0, 4.0)) == use(Particle(3.0, 4.0)) == (3.0, 1, 5.0, 6.0, 1.5, 3)
    # What is annotated as a float may hold an integer.
    assert njit(use)(Particle(3, 4)) == use(Particle(3, 4))


def test_what_changes_is_written_back_and_nothing_else():
    written = []

    @dataclass
    class Watched:
        x: float
        y: float

        def __setattr__(self, name, value):
            written.append(name)
            object.__setattr__(self, name, value)

    @njit
    def double(one):
        one.x *= 2

    one = Watched(1, 3)
    written.clear()
    double(one)
    assert (one.x, one.y, type(one.y)) == (2.0, 3, int) and written == ["x"]


def test_changes_are_seen_where_the_call_raises():
    @njit
    def fails(one):
        one.x = 7.0
        raise ValueError("no")

    one = Particle(1.0)
    with pytest.raises(ValueError, match="no"):
        fails(one)
    assert one.x == 7.0


def test_one_object_stays_one_object():
    @njit
    def both(one, other, pair):
        one.x = 5.0
        return other.x, one is other, pair[0] is one, one, pair

    one = Particle(1.0)
    pair = (one, Particle(2.0))
    x, same, also, first, second = both(one, one, pair)
    assert (x, same, also) == (5.0, True, True) and first is one and second[0] is one and second[1] is pair[1]
    moved = njit(lambda one: one.move(1.0))
    assert moved(one) is one and one.x == 6.0


def test_a_result_is_an_object_of_the_class():
    @njit
    def made(x):
        return Particle(x), Particle(x, 2.0, charge=4), Particle(y=1.0, x=x)

    results = made(1)
    assert results == (Particle(1.0), Particle(1.0, 2.0, 4), Particle(1.0, 1.0))
    assert all(type(one) is Particle for one in results) and results[1].charge == 4
    with pytest.raises(errors.TypingError, match="missing a required argument: 'x'"):
        njit(lambda: Particle())()


def test_a_frozen_class_is_a_value():
    version = Version(3, 1)
    assert njit(lambda version: version.next())(version) == Version(3, 2)
    assert njit(lambda version: version)(version) is version

    @njit
    def compared(one, other):
        return one == other, one != other, one < other, one >= other, hash(one) == hash(other)

    for other in (Version(3, 1), Version(2, 9), Version(3, 2)):
        assert compared(version, other) == compared.py_func(version, other)

    @njit
    def assigns(version):
        version.major = 4

    with pytest.raises(AttributeError, match="cannot assign to field 'major'"):
        assigns(version)
    assert version.major == 3


def test_objects_refer_to_objects():
    @njit
    def total(node):
        found = 0
        while node is not None:
            found += node.value
            node.value = 0
            node = node.next
        return found

    chain = Node(1, Node(2, Node(3)))
    inner = chain.next
    assert total(chain) == 6 and (chain.value, inner.value, inner.next.value) == (0, 0, 0) and chain.next is inner

    @njit
    def pushed(node, value):
        return Node(value, node)

    longer = pushed(chain, 9)
    assert longer.value == 9 and longer.next is chain
    ring = Node(1, chain)
    ring.next.next.next.next = ring
    with pytest.raises(ValueError, match="in a circle"):
        total(ring)

    @njit
    def swaps(segment):
        segment.start, segment.end = segment.end, segment.start
        segment.end.x = -1.0
        segment.name += "!"

    segment = Segment(Particle(1.0), Particle(2.0), "s")
    start, end = segment.start, segment.end
    swaps(segment)
    assert segment.start is end and segment.end is start and start.x == -1.0 and segment.name == "s!"


def test_lists_of_objects():
    @njit
    def shift(particles):
        for particle in particles:
            particle.move(1.0)
        particles.append(Particle(10.0))
        return [particle for particle in particles if particle.x > 2.0]

    particles = [Particle(1.0), Particle(2.0)]
    before = list(particles)
    far = shift(particles)
    assert [particle.x for particle in particles] == [2.0, 3.0, 10.0] and particles[:2] == before
    assert particles[0] is before[0] and far[0] is before[1]


def test_fields_that_hold_arrays_and_lists():
    @njit
    def use(samples):
        samples.items[0] = 5
        samples.counts.append(len(samples.items))
        return samples.items.sum()

    samples = Samples(np.ones(3))
    items, counts = samples.items, samples.counts
    assert use(samples) == 7.0 and samples.items is items and items[0] == 5 and samples.counts is counts == [3]
    assert use(Samples(np.arange(4))) == 11

    @dataclass
    class Typed:
        items: float64[:]
        scale: float = 2.0

    assert list(njit(lambda n: Typed(np.ones(n)))(2).items) == [1, 1]


def test_classes_with_annotated_slots():
    one = Slotted(1)

    @njit
    def use(one):
        one.a += 1
        return one.total(), Slotted(5, 2.0)

    total, made = use(one)
    assert (total, one.a, made.a, made.b, type(made)) == (3.5, 2, 5, 2.0, Slotted)


def test_isinstance_and_the_code_behind_init():
    @dataclass
    class Checked:
        low: int
        high: int

        def __post_init__(self):
            if self.high < self.low:
                raise ValueError("high is below low")

    @njit
    def make(low, high):
        made = Checked(low, high)
        return isinstance(made, Checked), isinstance(low, Checked), made.high

    assert make(1, 2) == (True, False, 2)
    with pytest.raises(ValueError, match="high is below low"):
        make(2, 1)


@pytest.mark.parametrize("value, message", [
    (Particle("a"), "field 'x' of Particle is annotated as float64, and is of class 'str'"),
    (Particle(1.0, charge=1.5), "field 'charge' of Particle is annotated as int64, and is of class 'float'"),
    (Samples(object()), "field 'items' of Samples"),
    (Segment(Particle(1.0), 3), "field 'end' of Segment"),
])
def test_what_does_not_fit_names_the_field(value, message):
    with pytest.raises(errors.TypingError, match=message):
        njit(lambda value: 1)(value)
    # Also where a value of this class fitted before.
    first = njit(lambda one: one.x)
    assert first(Particle(1.0)) == 1.0
    with pytest.raises((errors.TypingError, TypeError)):
        first(value)


def test_a_class_whose_fields_have_no_type_is_not_made():
    with pytest.raises(errors.TypingError, match="annotation of field 'items' does not say its type"):
        njit(lambda a: Samples(a))(np.ones(2))


def test_print_shows_the_object(capfd):
    @njit
    def show(one):
        one.x = 2.0
        print(one, Version(1))

    show(Particle(1.0))
    assert capfd.readouterr().out == f"{Particle(2.0)} {Version(1)}\n"


def test_texts_of_objects():
    @dataclass
    class Named:
        name: str
        weight: float = field(default=1.0, repr=False)

    @dataclass
    class Whole:
        part: Named
        items: List[int]

    class Spelled(Slotted):
        __slots__ = ()

        def __repr__(self):
            return "Spelled"

        def __format__(self, spec):
            return spec + str(self.a)

    def texts(a, b):
        return str(a), repr(a), f"{a} {a!r} {a!s}", "%s|%r" % (a, a), str([a]), repr((a, 1)), f"{b} {b!s}"

    def formatted(a):
        return f"{a:abc} {a} {a!r} {a!s}"

    def of_optional(a, there):
        b = a if there else None
        return f"{b} {b!r}", str(b)

    def padded(a):
        return f"{a:>10}"

    named, spelled = Named("it's", 2.5), Spelled(3)
    for a, b in ((named, 1), (Whole(named, [1, 2]), named), (spelled, spelled)):
        assert njit(texts)(a, b) == texts(a, b)
    assert njit(formatted)(spelled) == formatted(spelled)
    for there in (True, False):
        assert njit(of_optional)(named, there) == of_optional(named, there)
    for function in (padded, njit(padded)):
        with pytest.raises(TypeError, match=r"unsupported format string passed to Named\.__format__"):
            function(named)


@dataclass(frozen=True)
class Cell:
    row: int
    column: int
    name: str = field(default="", compare=False)


def test_frozen_dataclasses_are_keys_by_their_fields():
    def visits(steps):
        seen, numbers = set(), {}
        for step in range(steps):
            cell = Cell(step % 3, step % 2, str(step))
            numbers[cell] = numbers.get(cell, 0) + step
            seen.add((cell, step % 4))
            if Cell(step % 5, 0) in numbers:
                numbers.pop(Cell(step % 5, 0), 0)
            if step % 7 == 6:
                del numbers[Cell(step % 3, step % 2)]
                seen.remove((Cell(step % 3, step % 2, str(step)), step % 4))
        return len(seen), [(cell.row, cell.column, cell.name) for cell in numbers], list(numbers.values()), Cell(1, 1) in numbers

    assert njit(visits)(20) == visits(20)
    made = njit(lambda count: {Cell(number % 3, 1): number for number in range(count)})(7)
    assert dict(made) == {Cell(0, 1): 6, Cell(1, 1): 4, Cell(2, 1): 5}
    assert made[Cell(1, 1)] == 4 and Cell(9, 9) not in made
    assert njit(lambda: {Cell(1, 2), Cell(1, 2), Cell(2, 2)})() == {Cell(1, 2), Cell(2, 2)}

    @dataclass(frozen=True)
    class Corner:
        row: int

    corners = njit(lambda number: len({Cell(1, 2): 1, Corner(1): 2, Corner(number): 3}))
    assert [corners(1), corners(2)] == [2, 3]
    with pytest.raises(errors.NumbaError, match="Cannot determine Numba type"):
        njit(lambda cells: len(cells))({Cell(1, 2): 3})


@dataclass(order=True)
class Measured:
    length: int


@dataclass(order=True)
class Weighed(Measured):
    weight: int


def test_objects_of_different_dataclasses_are_never_equal():
    def equal(n):
        a, b = Measured(n), Weighed(n, 2)
        return (a == b, b == a, a != b, a == Measured(n), b == Weighed(n, n), b != Weighed(n, 2), a == n, Cell(n, 2) == a,
                a in [Measured(0), Measured(n)])

    def ordered(n):
        return Measured(1) < Measured(n), Weighed(1, 2) >= Weighed(1, n), Measured(n) > Measured(1), Weighed(n, 0) <= Weighed(1, 9)

    def between_classes(n):
        return Measured(1) < Weighed(n, 2)

    for n in range(4):
        assert njit(equal)(n) == equal(n)
        assert njit(ordered)(n) == ordered(n)
    for function in (between_classes, njit(between_classes)):
        with pytest.raises(TypeError, match="^'<' not supported between instances of 'Measured' and 'Weighed'$"):
            function(1)
