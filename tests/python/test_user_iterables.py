"""`enumerate`, `sum`, `any`, `all`, `map`, `filter` and unpacking of what a class or an extension says how to iterate over, against Python."""
import random

import pytest
from leaks import nothing_leaks  # noqa: F401  for each test here
from rumba import errors, jitclass, njit, types
from rumba.numba.core import cgutils
from rumba.numba.core.imputils import RefType, iternext_impl
from rumba.numba.extending import NativeValue, lower_builtin, models, register_model, typeof_impl, unbox


class Plain:
    """Numbers from n to 0 in steps; what a generator yields may raise."""

    def __init__(self, n, step):
        self.n, self.step = n, step

    def __iter__(self):
        at = self.n
        while at > 0:
            if at == 13:
                raise ValueError("thirteen")
            yield at
            at -= self.step


Compiled = jitclass([("n", types.int64), ("step", types.int64)])(Plain)


def enumerated(numbers):
    total = 0
    for place, number in enumerate(numbers):
        total = total * 7 + place * number
    return total


def enumerated_from(numbers, start):
    return [(place, number) for place, number in enumerate(numbers, start)]


def two_at_once(numbers):
    found = []
    for i, a in enumerate(numbers):
        for j, b in enumerate(numbers, i):
            if j > 3:
                break
            found.append(i * a - j * b)
    return found


def summed(numbers):
    return sum(numbers)


def summed_from(numbers, start):
    return sum(numbers, start)


def truths(numbers):
    return any(numbers), all(numbers), any(x > 5 for x in numbers), all(x < 5 for x in numbers)


def mapped(numbers):
    return list(map(lambda x: 2 * x, numbers)), [a + b for a, b in map(lambda a, b: (a, b), numbers, numbers)]


def filtered(numbers):
    return list(filter(lambda x: x % 2 == 1, numbers)), sum(filter(None, numbers))


def unpacked(numbers):
    a, b, c = numbers
    return a * 100 + b * 10 + c


def first_and_rest(numbers):
    first, *rest = numbers
    *start, last = numbers
    return first, rest, start, last


def unpacked_in_a_loop(numbers):
    found = []
    for _ in range(3):
        a, b, c = numbers
        found.append(a - b * c)
        if found[-1] > 0:
            (x, *y), z = numbers, 1
            found.append(x + len(y) + z)
    return found


def outcome(function, *args):
    try:
        return function(*args)
    except ValueError as error:
        return str(error)


PROGRAMS = [(enumerated, ()), (enumerated_from, (3,)), (two_at_once, ()), (summed, ()), (summed_from, (2.5,)), (summed_from, (-4,)),
            (truths, ()), (mapped, ()), (filtered, ()), (unpacked, ()), (first_and_rest, ()), (unpacked_in_a_loop, ())]


@pytest.mark.parametrize("function, more", PROGRAMS, ids=lambda given: getattr(given, "__name__", None))
def test_instances_of_compiled_classes(function, more):
    compiled = njit(function)
    numbers = random.Random(function.__name__)
    for _ in range(12):
        step = numbers.randrange(1, 5)
        n = numbers.choice([numbers.randrange(0, 30), 3 * step])
        assert outcome(compiled, Compiled(n, step), *more) == outcome(function, Plain(n, step), *more)


class Countdown:
    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return iter(range(self.n, 0, -1))


class CountdownType(types.SimpleIterableType):
    def __init__(self):
        super().__init__("Countdown", CountdownIterator())


class CountdownIterator(types.SimpleIteratorType):
    def __init__(self):
        super().__init__("CountdownIterator", types.int64)


typeof_impl.register(Countdown)(lambda value, context: CountdownType())


@register_model(CountdownType)
class CountdownModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("n", types.int64)])


@register_model(CountdownIterator)
class CountdownIteratorModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("at", types.EphemeralPointer(types.int64))])


@unbox(CountdownType)
def take_in(typ, obj, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    n = c.pyapi.object_getattr_string(obj, "n")
    made.n = c.unbox(types.int64, n).value
    c.pyapi.decref(n)
    return NativeValue(made._getvalue(), is_error=c.pyapi.c_api_error())


@lower_builtin("getiter", CountdownType)
def begin(context, builder, sig, args):
    made = context.make_helper(builder, sig.return_type)
    made.at = cgutils.alloca_once_value(builder, context.make_helper(builder, sig.args[0], args[0]).n)
    return made._getvalue()


@lower_builtin("iternext", CountdownIterator)
@iternext_impl(RefType.UNTRACKED)
def advance(context, builder, sig, args, result):
    iterator = context.make_helper(builder, sig.args[0], args[0])
    at = builder.load(iterator.at)
    is_valid = builder.icmp_signed(">", at, at.type(0))
    result.set_valid(is_valid)
    with builder.if_then(is_valid):
        result.yield_(at)
        builder.store(builder.sub(at, at.type(1)), iterator.at)


@pytest.mark.parametrize("function, more", PROGRAMS, ids=lambda given: getattr(given, "__name__", None))
def test_values_of_extension_types(function, more):
    compiled = njit(function)
    for n in (0, 1, 2, 3, 7):
        assert outcome(compiled, Countdown(n), *more) == outcome(function, Countdown(n), *more)


@jitclass
class Alone:
    n: int

    def __init__(self, n):
        self.n = n


@jitclass
class Itself:
    n: int

    def __init__(self, n):
        self.n = n

    def __iter__(self):
        return self

    def __next__(self):
        self.n -= 1
        return self.n


@pytest.mark.parametrize("function", [enumerated, summed, mapped, unpacked])
def test_an_object_is_no_iterator_itself(function):
    with pytest.raises(errors.NumbaError, match="Itself"):
        njit(function)(Itself(1))


@pytest.mark.parametrize("function", [enumerated, summed, truths, unpacked, first_and_rest])
def test_what_cannot_be_iterated_over_is_named(function):
    with pytest.raises(errors.TypingError, match="Alone"):
        njit(function)(Alone(1))
    with pytest.raises(errors.TypingError, match="float64"):
        njit(function)(1.5)
