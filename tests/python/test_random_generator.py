"""`np.random.Generator` objects as arguments: their own numbers, bit for bit, and their states afterwards."""
import gc
import sys

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401

from rumba import njit, prange
from rumba.errors import TypingError
from rumba.numba.np.random.generator_core import next_double, next_uint32, next_uint64
from rumba.typed import List

CALLS = {
    "random": [()],
    "standard_normal": [()],
    "standard_exponential": [()],
    "standard_cauchy": [()],
    "uniform": [(), (1.5, 1e6), (-1, 1)],
    "normal": [(), (0.5,), (2, 0.25)],
    "lognormal": [(), (1.0, 0.5)],
    "exponential": [(), (0.5,)],
    "standard_gamma": [(0.0,), (0.5,), (1,), (70.0,)],
    "gamma": [(0.3,), (2.5, 3.0)],
    "beta": [(0.5, 2.5), (1e-4, 1e-4), (3.0, 4.0)],
    "chisquare": [(0.5,), (30.0,)],
    "noncentral_chisquare": [(0.5, 1), (5.0, 1.0)],
    "f": [(0.5, 1.5)],
    "noncentral_f": [(1.5, 0.8, 2.0)],
    "standard_t": [(0.5,), (100.0,)],
    "pareto": [(0.5,)],
    "weibull": [(0.0,), (2.5,)],
    "power": [(0.1,), (6.0,)],
    "laplace": [(), (0.0, 3.5)],
    "gumbel": [(), (-1.5, 3.5)],
    "logistic": [(), (-1.5, 3.5)],
    "rayleigh": [(), (0.1,)],
    "wald": [(1.0, 1.0), (1e5, 0.01)],
    "vonmises": [(0.5, 2.5), (0.0, 1e8)],
    "triangular": [(1.5, 2.2, 3.5)],
    "poisson": [(), (0.5,), (900.5,)],
    "hypergeometric": [(5, 5, 3), (100, 30, 50), (0, 4, 2), (3, 0, 3), (10**8, 10**8, 12345), (7, 6, 0)],
    "binomial": [(18, 0.25), (61, 0.5), (1000, 0.37), (10**9, 0.9), (0, 0.5)],
    "negative_binomial": [(10, 0.9), (0.3, 0.1)],
    "geometric": [(0.9,), (0.01,)],
    "zipf": [(1.5,), (9.0,)],
    "logseries": [(0.1,), (0.9999,)],
}
BITS = [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64, np.random.PCG64DXSM]


def functions(name, count):
    names = ", ".join("abc"[:count])
    comma = ", " * bool(names)
    scope = {}
    exec(f"def one(g{comma}{names}): return g.{name}({names})\n"
         f"def many(g{comma}{names}, size): return g.{name}({names}{comma}size=size)", scope)
    return njit(scope["one"]), njit(scope["many"])


def same(got, expected):
    if isinstance(expected, np.ndarray):
        assert type(got) is np.ndarray and got.dtype == expected.dtype and got.shape == expected.shape
        assert got.tobytes() == expected.tobytes(), (got, expected)
    else:
        assert got == expected or got != got and expected != expected, (got, expected)


def same_state(one, other):
    assert repr(one.bit_generator.state) == repr(other.bit_generator.state)


@pytest.mark.parametrize("name", CALLS)
def test_methods_have_numpys_numbers(name):
    for number, arguments in enumerate(CALLS[name]):
        one, many = functions(name, len(arguments))
        bits = BITS[number % len(BITS)]
        ours, theirs = np.random.Generator(bits(7)), np.random.Generator(bits(7))
        draw = getattr(theirs, name)
        for _ in range(100):
            same(one(ours, *arguments), draw(*arguments))
        for size in 17, (3, 4), (), 0:
            same(many(ours, *arguments, size), draw(*arguments, size=size))
        same_state(ours, theirs)


@pytest.mark.parametrize("bits", BITS)
def test_bit_generators(bits):
    @njit
    def mixed(g):
        return (g.random(), g.random(3), g.standard_normal(), g.integers(0, 100), g.integers(0, 2**40, 5),
                g.random(dtype=np.float32), g.integers(7, size=3, dtype=np.int8))

    ours, theirs = np.random.Generator(bits(3)), np.random.Generator(bits(3))
    for _ in range(10):
        for got, expected in zip(mixed(ours), mixed.py_func(theirs)):
            same(got, expected)
    same_state(ours, theirs)


@pytest.mark.parametrize("name", ["random", "standard_normal", "standard_exponential"])
def test_single_precision(name):
    scope = {"np": np}
    exec(f"def one(g): return g.{name}(dtype=np.float32)\n"
         f"def many(g, size): return g.{name}(size=size, dtype=np.float32)", scope)
    one, many = njit(scope["one"]), njit(scope["many"])
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(50):
        assert one(ours) == one.py_func(theirs)
    same(many(ours, 1000), many.py_func(theirs, 1000))
    same(many(ours, (2, 3)), many.py_func(theirs, (2, 3)))


def test_exponential_by_inversion_and_gamma_in_single_precision():
    @njit
    def inverse(g, size):
        return g.standard_exponential(size, method="inv"), g.standard_exponential(size, np.float32, "inv")

    @njit
    def gammas(g, shape, size):
        return g.standard_gamma(shape, size, np.float32)

    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    for got, expected in zip(inverse(ours, 100), inverse.py_func(theirs, 100)):
        same(got, expected)
    for shape in 0.0, 0.5, 1.0, 3.5:
        same(gammas(ours, shape, 100), gammas.py_func(theirs, shape, 100))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
def test_integers(dtype):
    limits = np.iinfo(dtype)
    kind = getattr(np, dtype)

    @njit
    def many(g, low, high, size):
        return g.integers(low, high, size=size, dtype=kind)

    @njit
    def closed(g, low, high, size):
        return g.integers(low, high, size=size, dtype=kind, endpoint=True)

    @njit
    def one(g, low, high):
        return g.integers(low, high, dtype=kind)

    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    for low, high in (5, 6), (5, 10), (0, 100), (limits.min, limits.max), (limits.max // 2, limits.max), (0, 2**40):
        if high > limits.max:
            continue
        low, high = int(low), int(high)
        same(many(ours, low, high, 50), many.py_func(theirs, low, high, 50))
        same(many(ours, low, high, (2, 3)), many.py_func(theirs, low, high, (2, 3)))
        same(closed(ours, low, high, 50), closed.py_func(theirs, low, high, 50))
        for _ in range(5):
            same(one(ours, low, high), one.py_func(theirs, low, high))
    same_state(ours, theirs)


def test_integers_of_other_kinds():
    @njit
    def truths(g, size):
        return g.integers(0, 1, size=size, dtype=np.bool_, endpoint=True), g.integers(False, True, size=size)

    @njit
    def below(g, high):
        return g.integers(high), g.integers(high, endpoint=True), g.integers(high, size=4)

    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    for got, expected in zip(truths(ours, 70) + below(ours, 9), truths.py_func(theirs, 70) + below.py_func(theirs, 9)):
        same(got, expected)


def test_shuffle_and_permutation():
    @njit
    def shuffle(g, x):
        g.shuffle(x)

    @njit
    def permutation(g, x):
        return g.permutation(x)

    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    for a in np.arange(20), np.arange(24.0).reshape(8, 3), np.arange(24).reshape(4, 3, 2)[::-1], np.arange(0):
        one, other = a.copy(), a.copy()
        shuffle(ours, one)
        theirs.shuffle(other)
        same(one, other)
        same(permutation(ours, a), theirs.permutation(a))
    for n in 0, 1, 30:
        same(permutation(ours, n), theirs.permutation(n))
    same_state(ours, theirs)


def test_axes():
    @njit
    def shuffle(g, x, axis):
        g.shuffle(x, axis)

    @njit
    def permutation(g, x, axis):
        return g.permutation(x, axis=axis)

    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    a = np.arange(60).reshape(3, 4, 5)
    for axis in 0, 1, 2, -1:
        one, other = a.copy(), a.copy()
        shuffle(ours, one, axis)
        theirs.shuffle(other, axis)
        same(one, other)
        same(permutation(ours, a, axis), theirs.permutation(a, axis=axis))
    for function in shuffle, permutation:
        same(function(ours, np.arange(5), -1), getattr(theirs, function.__name__)(np.arange(5), axis=-1))
        for axis in 1, -2:
            with pytest.raises(IndexError, match=f"axis {axis} is out of bounds for array of dimension 1"):
                function(ours, np.arange(5), axis)
    with pytest.raises(TypingError, match="Argument axis"):
        shuffle(ours, a, "x")


WRONG = [("normal", (0.0, -1.0)), ("exponential", (-1.0,)), ("gamma", (-1.0,)), ("beta", (0.0, 1.0)), ("chisquare", (0.0,)),
         ("f", (1.0, 0.0)), ("noncentral_chisquare", (1.0, -1.0)), ("standard_gamma", (-1.0,)), ("poisson", (-1.0,)),
         ("poisson", (1e19,)), ("binomial", (-1, 0.5)), ("binomial", (3, 1.5)), ("negative_binomial", (np.nan, 0.5)),
         ("negative_binomial", (3, 0.0)), ("geometric", (0.0,)), ("zipf", (1.0,)), ("logseries", (1.0,)),
         ("triangular", (1.0, 0.0, 2.0)), ("hypergeometric", (-1, 2, 1)), ("hypergeometric", (2, -1, 1)),
         ("hypergeometric", (2, 2, 5)), ("hypergeometric", (2, 2, -1)), ("hypergeometric", (10**9, 5, 1)), ("uniform", (0.0, np.inf)), ("uniform", (2.0, 1.0)), ("wald", (0.0, 1.0)),
         ("vonmises", (0.0, -1.0)), ("noncentral_f", (1.0, 1.0, -1.0))]


@pytest.mark.parametrize("name,arguments", WRONG)
def test_wrong_parameters(name, arguments):
    g = np.random.default_rng(1)
    with pytest.raises(Exception) as theirs:
        getattr(g, name)(*arguments)
    one, many = functions(name, len(arguments))
    for call in (lambda: one(g, *arguments), lambda: many(g, *arguments, 3)):
        with pytest.raises(type(theirs.value)) as ours:
            call()
        assert str(ours.value) == str(theirs.value)


def test_wrong_bounds():
    @njit
    def one(g, low, high):
        return g.integers(low, high, dtype=np.int8)

    g = np.random.default_rng(1)
    for low, high, text in ((-129, 5, "low is out of bounds"), (0, 129, "high is out of bounds"),
                            (5, 5, "low is greater than or equal to high")):
        with pytest.raises(ValueError, match=text):
            one(g, low, high)


def test_wrong_types():
    @njit
    def normal(g, loc, size):
        return g.normal(loc=loc, size=size)

    g = np.random.default_rng(1)
    with pytest.raises(TypingError, match="Argument loc is not one of the expected type"):
        normal(g, "x", 3)
    with pytest.raises(TypingError, match="Argument size is not one of the expected type"):
        normal(g, 1.0, ("x",))
    with pytest.raises(TypingError):
        normal(np.random.RandomState(1), 1.0, 3)


def test_a_generator_comes_back_as_itself():
    @njit
    def same_one(g):
        return g

    @njit
    def draw(g):
        return g.random()

    @njit
    def both(g):
        return draw(g), (g, draw(same_one(g)))

    g, other = np.random.default_rng(1), np.random.default_rng(1)
    assert same_one(g) is g
    before = sys.getrefcount(g)
    first, (again, second) = both(g)
    assert again is g and [first, second] == [other.random(), other.random()]
    del again
    for _ in range(100):
        draw(g)
        same_one(g)
    gc.collect()
    assert sys.getrefcount(g) == before


def three():
    return [np.random.default_rng(seed) for seed in range(3)]


class TestInContainers:
    def test_lists_as_arguments(self):
        @njit
        def total(generators):
            found = 0.0
            for at in range(len(generators)):
                found += generators[at].random()
            for generator in generators:
                found += generator.normal()
            return found

        assert total(three()) == total.py_func(three())
        assert total(List(three())) == total.py_func(three())
        with pytest.raises(TypeError, match="item 1 is float64"):
            total([np.random.default_rng(1), 1.0])

    def test_items_that_may_be_none(self):
        @njit
        def drawn(generators):
            return [generator.random() for generator in generators if generator is not None]

        first, second, _ = three()
        assert drawn([None, first, None, second]) == drawn.py_func([*three()[:2], None])

    def test_beside_other_values(self):
        @njit
        def weighted(pairs):
            by_number = {}
            for weight, generator in pairs:
                by_number[weight] = generator
            return [weight * by_number[weight].random() for weight, _ in pairs]

        assert weighted(list(enumerate(three()))) == weighted.py_func(list(enumerate(three())))

    def test_what_is_kept_comes_back_as_itself(self):
        @njit
        def kept(generators, more):
            generators.append(generators[0])
            found = [more]
            for _ in range(2):
                found.append(more)
            return found

        generators, more = three(), np.random.default_rng(9)
        before = list(generators)
        counts = [sys.getrefcount(one) for one in (*before, more)]
        assert all(one is more for one in kept(generators, more))
        assert len(generators) == 4 and all(one is other for one, other in zip(generators, [*before, before[0]]))
        for _ in range(100):
            del generators[3:]
            kept(generators, more)
        del generators
        gc.collect()
        assert [sys.getrefcount(one) for one in (*before, more)] == [count - 1 for count in counts[:3]] + counts[3:]

    def test_generators_of_compiled_code(self):
        @njit
        def drawn(generators):
            for generator in generators:
                yield generator.random()

        assert list(drawn(three())) == list(drawn.py_func(three()))


def test_several_generators():
    @njit
    def both(g, h):
        return g.random() + h.normal()

    assert both(np.random.default_rng(1), np.random.Generator(np.random.MT19937(2))) == (
        np.random.default_rng(1).random() + np.random.Generator(np.random.MT19937(2)).normal())


def test_generators_are_made_in_compiled_code():
    @njit
    def made(seed):
        g = np.random.default_rng(seed)
        return g, g.random(3)

    @njit
    def total(count):
        total = 0.0
        for seed in range(count):
            total += np.random.default_rng(seed).normal()
        return total

    @njit
    def by_default(g=None):
        rng = np.random.default_rng(g)
        return rng.random()

    for seed in (3, 2**40, np.uint64(2**63), np.arange(4), [1, 2, 3]):
        g, numbers = made(seed)
        other = np.random.default_rng(seed)
        assert numbers.tobytes() == other.random(3).tobytes()
        assert type(g) is np.random.Generator and g.random() == other.random()
    assert total(4) == sum(np.random.default_rng(seed).normal() for seed in range(4))
    g = np.random.default_rng(3)
    assert by_default(g) == np.random.default_rng(3).random() and g.random() == np.random.default_rng(3).random(2)[1]
    assert 0 <= by_default() < 1
    with pytest.raises(ValueError, match="expected non-negative integer"):
        made(-1)
    with pytest.raises(TypingError):
        made("a")


def test_a_generator_made_for_each_thread():
    @njit(parallel=True)
    def rows(count):
        out = np.empty((count, 3))
        for i in prange(count):
            out[i] = np.random.default_rng(i).random(3)
        return out

    assert rows(8).tobytes() == np.array([np.random.default_rng(i).random(3) for i in range(8)]).tobytes()


@pytest.mark.parametrize("bits", BITS)
@pytest.mark.parametrize("name", ["standard_normal", "standard_exponential"])
def test_the_rare_steps_of_the_ziggurat(bits, name):
    """This many numbers include some from every layer, from its edge and from the tail; the streams stay in step."""
    scope = {"np": np}
    exec(f"def many(g, n):\n    out = np.empty(n)\n    for i in range(n):\n        out[i] = g.{name}()\n    return out", scope)
    mine, other = np.random.Generator(bits(5)), np.random.Generator(bits(5))
    assert njit(scope["many"])(mine, 300_000).tobytes() == getattr(other, name)(300_000).tobytes()
    assert mine.bit_generator.random_raw() == other.bit_generator.random_raw()


def test_whole_arrays():
    grid, deep = np.arange(12).reshape(3, 4), np.arange(24.0).reshape(2, 3, 4)
    calls = [lambda g: g.permuted(grid), lambda g: g.permuted(grid, axis=0), lambda g: g.permuted(grid, axis=-1),
             lambda g: g.permuted(grid.T, axis=1), lambda g: g.permuted(deep, axis=1), lambda g: g.permuted([1, 2, 3]),
             lambda g: g.permuted(grid[0], axis=0), lambda g: g.permuted(grid, axis=1, out=np.zeros((3, 4), np.int64)),
             lambda g: g.dirichlet([1.0, 2.0, 3.0]), lambda g: g.dirichlet(np.array([1, 2]), 3),
             lambda g: g.dirichlet(np.array([0.01, 0.02, 0.05]), (2, 2)), lambda g: g.dirichlet(np.array([0.01, 0.0, 0.0]), 2),
             lambda g: g.dirichlet(np.array([1.0, 0.0])), lambda g: g.bytes(7), lambda g: g.bytes(0), lambda g: g.bytes(-1)]
    for call in calls:
        ours, theirs = np.random.default_rng(3), np.random.default_rng(3)
        got, expected = njit(call)(ours), call(theirs)
        assert np.array_equal(got, expected) and np.shape(got) == np.shape(expected) and type(got) is type(expected)
        assert ours.random() == theirs.random()
    wrong = [lambda g: g.permuted(grid, axis=2), lambda g: g.permuted(grid[0], axis=1), lambda g: g.dirichlet([1.0, -1.0]),
             lambda g: g.permuted(grid, out=np.zeros((4, 3), np.int64)), lambda g: g.bytes(-9)]
    for call in wrong:
        with pytest.raises(ValueError) as expected:
            call(np.random.default_rng(3))
        with pytest.raises(ValueError) as got:
            njit(call)(np.random.default_rng(3))
        assert type(got.value) is type(expected.value) and str(got.value) == str(expected.value)


def test_choices():
    odds, shares = np.array([0.1, 0.2, 0.3, 0.2, 0.2]), np.array([0.2, 0.3, 0.5])
    calls = [lambda g: g.choice(5), lambda g: g.choice(5, 7), lambda g: g.choice(odds), lambda g: g.choice(odds, 3),
             lambda g: g.choice(5, 3, replace=False), lambda g: g.choice(50, 30, replace=False, shuffle=False),
             lambda g: g.choice(20000, 3000, replace=False), lambda g: g.choice(20000, 30, replace=False),
             lambda g: g.choice(5, 9, p=odds), lambda g: g.choice(5, p=odds), lambda g: g.choice(5, 4, False, odds),
             lambda g: g.choice(5, (2, 3)), lambda g: g.choice(odds, size=(2, 2), p=odds), lambda g: g.choice(9, (2, 2, 2), replace=False),
             lambda g: g.choice(5, ()), lambda g: g.multinomial(5, shares), lambda g: g.multinomial(500, shares, 4)]
    for call in calls:
        ours, theirs = np.random.default_rng(3), np.random.default_rng(3)
        compiled = njit(call)
        for _ in range(3):
            got, expected = compiled(ours), call(theirs)
            assert np.array_equal(got, expected) and np.shape(got) == np.shape(expected)
        assert ours.random() == theirs.random()
    wrong = [lambda g: g.choice(5, 6, False), lambda g: g.choice(0), lambda g: g.choice(5, p=odds * 2), lambda g: g.choice(4, p=odds),
             lambda g: g.choice(5, 5, False, np.array([0.5, 0.5, 0, 0, 0])), lambda g: g.multinomial(5, shares * -1)]
    for call in wrong:
        with pytest.raises(ValueError) as expected:
            call(np.random.default_rng(3))
        with pytest.raises(ValueError) as got:
            njit(call)(np.random.default_rng(3))
        assert str(got.value) == str(expected.value)


def test_multinomial_takes_sequences():
    @njit
    def draws(seed):
        rng = np.random.default_rng(seed)
        return rng.multinomial(5, [0.5, 0.5]), rng.multinomial(7, (0.25, 0.25, 0.5), 3)

    for seed in range(5):
        for got, expected in zip(draws(seed), draws.py_func(seed)):
            np.testing.assert_array_equal(got, expected)


def test_numbers_one_by_one_from_the_bit_generator():
    @njit
    def drawn(rng):
        bits = rng.bit_generator
        return next_uint32(bits), next_uint32(bits), next_uint64(bits), next_double(bits), rng.random(), next_uint32(bits)

    rng = np.random.default_rng(3)
    bits = rng.bit_generator.ctypes
    expected = (bits.next_uint32(bits.state), bits.next_uint32(bits.state), bits.next_uint64(bits.state),
                bits.next_double(bits.state), rng.random(), bits.next_uint32(bits.state))
    assert drawn(np.random.default_rng(3)) == expected
    with pytest.raises(TypeError, match="cannot convert native NumPyRandomBitGeneratorType"):
        njit(lambda rng: rng.bit_generator)(rng)
