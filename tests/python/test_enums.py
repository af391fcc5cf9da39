"""Members of enumerations beside CPython's: as arguments, constants, results, keys, and what they are asked for."""
import builtins
import enum
import random
import types as types_of_python

import numpy as np
import pytest

from beside import compare
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit, typed, types
from rumba.types import typeof
from rumba.ufuncs import vectorize


class Color(enum.Enum):
    red = 1
    green = 2
    also_green = 2


class Other(enum.Enum):
    red = 1


class Mass(enum.Enum):
    earth = (5.976e24, 6.37814e6)
    mars = (6.421e23, 3.3972e6)


class Word(enum.Enum):
    one = "foo"
    two = "bär"


class Mixed(enum.Enum):
    number = 1
    text = "a"


class Code(enum.IntEnum):
    low = -4
    ok = 200
    missing = 404


class Flags(enum.IntFlag):
    a = 1
    b = 2


@njit
def compared(a, b):
    return a == b, a != b, a is b, a is not b


@njit
def asked(a):
    return a.value, a.name


@njit
def chosen(a, b, first):
    return a if first else b


MEMBERS = [*Color, *Other, *Mass, *Word, *Code]


@pytest.mark.parametrize("member", MEMBERS)
def test_members_come_in_and_go_out(member):
    others = list(type(member))
    for other in others:
        compare(compared, member, other)
        for first in (True, False):
            assert chosen(member, other, first) is (member if first else other)
    compare(asked, member)


def test_members_of_different_classes_are_different():
    compare(compared, Color.red, Other.red)
    compare(compared, Color.red, 1)
    compare(compared, Color.red, "red")
    compare(compared, Mass.earth, Mass.earth.value)
    compare(compared, Code.ok, 200)
    compare(compared, 200.0, Code.ok)


def test_members_with_values_of_different_types():
    compare(compared, Mixed.number, Mixed.text)
    compare(asked, Mixed.text)


@njit
def constants(a):
    return (a is Color.red, a == Color["green"], a is Color.also_green, Color.green.value, Code.missing + 1, Mass.mars.value[1],
            Word.two.name)


@njit
def by_case(a):
    match a:
        case Color.red:
            return 10
        case Color.green:
            return 20
    return 30


@njit
def counted(members):
    counts = {}
    for member in members:
        counts[member] = counts.get(member, 0) + 1
    return list(counts.items()), [member for member in members if member is not Color.red], Color.red in members


def test_constants_and_containers():
    for member in Color:
        compare(constants, member)
        compare(by_case, member)
    compare(counted, [Color.red, Color.green, Color.red])


@njit
def as_integer(a, x):
    return (a + 1, x - a, a * 2.5, -a, abs(a), a < x, a == x, hash(a), bool(a), float(a), int(np.int16(a)), a & 12, ~a, str(a),
            f"{a} {a:5d}", int(max(a, x)), divmod(a, 7), a.bit_length(), isinstance(a, int), x if a > x else a + 0)


@njit
def as_length(a):
    return np.zeros((a, 2)), np.full(a, a), int(np.arange(10)[a % 10]), [5] * (a % 3)


@njit
def clipped(items, low, high):
    return np.clip(items, low, high)


def test_an_integer_is_one_where_integers_are_wanted():
    for member in Code:
        compare(as_integer, member, 7)
    compare(as_length, Code.ok, shown=str)
    compare(clipped, np.array([-9, 3, 999]), Code.low, Code.ok, shown=str)
    assert njit("int64(int64)")(lambda x: x + 1)(Code.ok) == 201


def test_where_classes_meet_numbers_are_left():
    assert chosen(Code.ok, 5, False) == 5
    assert chosen(Code.ok, 2.5, True) == 200.0


def test_a_vectorized_function_gives_the_values():
    @vectorize
    def code(x):
        return Code.missing if x > 1 else Code["ok"]

    assert code(np.array([1, 2])).tolist() == [200, 404]


def test_what_a_member_may_be_is_optional():
    @njit
    def found(x):
        if x > 0:
            return Color.green
        return None

    assert found(1) is Color.green and found(0) is None


def test_types_of_members():
    assert typeof(Code.ok) == types.IntEnumMember(Code, types.int64)
    assert typeof(Color.red) == types.EnumMember(Color, types.int64)


@pytest.mark.parametrize("function, args, message", [
    (lambda a: a < Color.red, (Color.red,), "No implementation of function operator.lt"),
    (lambda a: a + 1, (Color.red,), "No implementation of function operator.add"),
    (lambda a: Color.blue, (Color.red,), "Unknown attribute 'blue'"),
    (lambda a: a.other, (Color.red,), "Unknown attribute 'other'"),
    (lambda a: repr(a), (Code.ok,), "No implementation of function repr"),
    (lambda a: str((a, 1)), (Code.ok,), "No implementation of function repr"),
    (lambda a: "%r" % a, (Code.ok,), "No implementation of function operator.mod"),
    (lambda a: a | 2, (Flags.a,), "No implementation of function operator.or_"),
    (lambda a: a == 1, (Flags.a,), "No implementation of function operator.eq"),
])
def test_what_is_not_known_is_refused(function, args, message):
    with pytest.raises(errors.TypingError) as found:
        njit(function)(*args)
    assert message in str(found.value)


def outcome(function, *args):
    try:
        return function(*args)
    except (ValueError, KeyError) as error:
        return type(error), str(error)


def all_values(found):
    for place, member in enumerate(Enumeration):
        found.append((place, member.name, member.value))
    return found


def by_value(value):
    member = Enumeration(value)
    return member, member.name, member.value == value


def by_name(name):
    return Enumeration[name]


def counts_of(values):
    known = {member: 0 for member in Enumeration}
    for value in values:
        known[Enumeration(value)] += 1
    return [known[member] for member in list(Enumeration)], len(Enumeration)


def contained(member):
    return member in Enumeration, any(other is member for other in Enumeration), Enumeration(member) is member


class Rank(enum.IntEnum):
    LOW = 1
    LEAST = 1
    HIGH = 10


class Unit(enum.Enum):
    METER = "m"
    GRAM = "g"
    GRAMME = "g"
    SECOND = "s"


class Rate(enum.Enum):
    HALF = 0.5
    FULL = 1.0


class Corner(enum.Enum):
    ORIGIN = (0, 0)
    RIGHT = (1, 0)


@pytest.mark.parametrize("enumeration, wrong", [(Rank, 7), (Unit, "kg"), (Rate, 0.25), (Corner, (5, 5))],
                         ids=lambda given: getattr(given, "__name__", None))
def test_members_by_value_and_by_name(enumeration, wrong):
    def of(function):
        made = types_of_python.FunctionType(function.__code__, {"Enumeration": enumeration, "__builtins__": builtins})
        return njit(made), made

    for value in [*(member.value for member in enumeration), wrong]:
        compiled, plain = of(by_value)
        assert outcome(compiled, value) == outcome(plain, value)
    for name in [*enumeration.__members__, "NONE"]:
        compiled, plain = of(by_name)
        assert outcome(compiled, name) == outcome(plain, name)
    for member in enumeration:
        compiled, plain = of(contained)
        assert compiled(member) == plain(member)
    compiled, plain = of(all_values)
    start = [(0, "name", next(iter(enumeration)).value)]
    assert compiled(typed.List(start)) == plain(start)
    values = [random.Random(enumeration.__name__).choice(list(enumeration)).value for _ in range(20)]
    compiled, plain = of(counts_of)
    assert compiled(typed.List(values)) == plain(values)


class Loose(enum.Enum):
    ONE = 1

    @classmethod
    def _missing_(cls, value):
        return cls.ONE


class Several(enum.Enum):
    NUMBER = 1
    TEXT = "one"


class Bits(enum.Flag):
    LEFT = 1
    RIGHT = 2


@pytest.mark.parametrize("enumeration", [Loose, Several, Bits])
def test_enumerations_that_are_not_called(enumeration):
    with pytest.raises(errors.TypingError, match="enumeration"):
        njit(lambda value: enumeration(value))(1)
