"""`np.random` in compiled code: the numbers of `np.random.RandomState`, bit for bit, one by one and in arrays."""
import os
import threading

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401

from rumba import njit, types

# Names, and arguments for each.
DISTRIBUTIONS = {
    "random": [()],
    "random_sample": [()],
    "standard_normal": [()],
    "standard_exponential": [()],
    "standard_cauchy": [()],
    "uniform": [(), (1.5, 1e6), (3, -2.5), (-1, 1)],
    "normal": [(), (0.5,), (2, 0.25), (-1.5, 0.0)],
    "lognormal": [(), (1.0, 0.5)],
    "exponential": [(), (0.5,), (3,), (0.0,)],
    "standard_gamma": [(0.0,), (0.1,), (0.5,), (1.0,), (1,), (1.5,), (70.0,)],
    "gamma": [(0.3,), (2.5, 3.0), (1.0, 0.0)],
    "beta": [(0.5, 2.5), (0.2, 0.3), (1.0, 1.0), (1e-4, 1e-4), (3.0, 4.0)],
    "chisquare": [(0.5,), (1.5,), (2,), (30.0,)],
    "noncentral_chisquare": [(0.5, 1), (1.0, 5.0), (5.0, 1.0), (3.0, 0.0), (2.0, np.nan), (0.5, np.nan)],
    "f": [(0.5, 1.5), (10, 3)],
    "noncentral_f": [(1.5, 0.8, 2.0), (5, 6, 0.0)],
    "standard_t": [(0.5,), (5,), (100.0,)],
    "pareto": [(0.5,), (3.5,)],
    "weibull": [(0.0,), (0.5,), (2.5,)],
    "power": [(0.1,), (0.9,), (6.0,)],
    "laplace": [(), (-1.5,), (0.0, 3.5)],
    "gumbel": [(), (-1.5, 3.5)],
    "logistic": [(), (-1.5, 3.5)],
    "rayleigh": [(), (0.1,), (1e3,), (0.0,)],
    "wald": [(1.0, 1.0), (2.0, 5.0), (1e5, 0.01)],
    "vonmises": [(0.5, 2.5), (-3.0, 1e-9), (0.0, 1e-6), (1.0, 700.0)],
    "triangular": [(1.5, 2.2, 3.5), (0, 0, 1), (-5, 1, 1)],
    "poisson": [(), (0.0,), (0.5,), (9.99,), (10.0,), (900.5,), (1e9,)],
    "binomial": [(0, 0.5), (18, 0.25), (60, 0.5), (61, 0.5), (100, 0.6), (1000, 0.37), (10, 0.0), (10, 1.0), (10**9, 0.9),
                 (10**6, 0.001)],
    "negative_binomial": [(10, 0.9), (0.3, 0.1), (1000, 0.1)],
    "geometric": [(1.0,), (0.9,), (0.4,), (0.01,), (1e-9,)],
    "zipf": [(1.5,), (2.5,), (9.0,)],
    "logseries": [(0.1,), (0.99,), (0.9999,)],
    "hypergeometric": [(1000, 5000, 10), (5000, 1000, 10), (10, 20, 15), (1000, 100000, 100), (7, 3, 10), (5, 5, 1)],
}


def functions(name, count):
    """The compiled functions of a distribution: one number, an array by `size`."""
    names = ", ".join("abc"[:count])
    scope = {"np": np}
    exec(f"def one({names}): return np.random.{name}({names})\n"
         f"def many({names}{', ' * bool(names)}size): return np.random.{name}({names}{', ' * bool(names)}size=size)", scope)
    return njit(scope["one"]), njit(scope["many"])


@njit
def seed(value):
    np.random.seed(value)


def same(got, expected):
    assert type(got) is type(expected), (got, expected)
    if isinstance(got, np.ndarray):
        assert got.dtype == expected.dtype and got.shape == expected.shape
        assert got.tobytes() == expected.tobytes(), (got, expected)
    else:
        assert np.float64(got).tobytes() == np.float64(expected).tobytes(), (got, expected)


@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions_have_numpys_stream(name):
    for arguments in DISTRIBUTIONS[name]:
        one, many = functions(name, len(arguments))
        for value in 1, 4_000_000_000:
            expected = np.random.RandomState(value)
            draw = getattr(expected, name)
            seed(value)
            for _ in range(40):
                same(one(*arguments), draw(*arguments))
            same(many(*arguments, 17), draw(*arguments, size=17))
            same(many(*arguments, (3, 4)), draw(*arguments, size=(3, 4)))
            same(many(*arguments, ()), draw(*arguments, size=()))
            same(many(*arguments, 0), draw(*arguments, size=0))
            same(one(*arguments), draw(*arguments))


def test_long_streams():
    """Over many blocks of words, and with an odd number of words taken."""
    @njit
    def mixed(count):
        total = 0.0
        for _ in range(count):
            total += np.random.random() + np.random.randint(7) + np.random.normal()
        return total

    expected = np.random.RandomState(3)
    total = 0.0
    for _ in range(5000):
        total += expected.random_sample() + expected.randint(7) + expected.normal()
    seed(3)
    assert mixed(5000) == total


WRONG = {
    "normal": [(0.0, -1.0), (0.0, -0.0)],
    "lognormal": [(0.0, -1.0)],
    "exponential": [(-1.0,)],
    "standard_gamma": [(-1.0,)],
    "gamma": [(-1.0, 1.0), (1.0, -1.0)],
    "beta": [(0.0, 1.0), (1.0, -1.0)],
    "chisquare": [(0.0,)],
    "noncentral_chisquare": [(0, 1), (1, -1)],
    "f": [(0.0, 1.0), (1.0, 0.0)],
    "noncentral_f": [(0.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, -1.0)],
    "standard_t": [(0.0,)],
    "pareto": [(0.0,)],
    "weibull": [(-1.0,)],
    "power": [(0.0,)],
    "laplace": [(0.0, -1.0)],
    "gumbel": [(0.0, -1.0)],
    "logistic": [(0.0, -1.0)],
    "rayleigh": [(-1.0,)],
    "wald": [(0.0, 1.0), (1.0, 0.0)],
    "vonmises": [(0.0, -1.0)],
    "triangular": [(2.0, 1.0, 3.0), (1.0, 3.0, 2.0), (1.0, 1.0, 1.0)],
    "poisson": [(-0.1,), (np.nan,), (1e19,)],
    "binomial": [(-1, 0.5), (10, -0.1), (10, 1.1), (10, np.nan)],
    "negative_binomial": [(0, 0.5), (-1, 0.5), (10, -0.1), (10, 1.1)],
    "geometric": [(-1.0,), (0.0,), (1.001,)],
    "zipf": [(1.0,), (0.5,), (np.nan,)],
    "logseries": [(-0.1,), (1.0,), (np.nan,)],
    "hypergeometric": [(-1, 5, 2), (5, -1, 2), (5, 5, 11), (5, 5, -1), (5, 5, 0)],
    "uniform": [(0.0, np.inf), (np.nan, 1.0)],
    "randint": [(0,), (-5,), (5, 5), (5, 2)],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_parameters(name):
    for arguments in WRONG[name]:
        with pytest.raises(Exception) as theirs:
            getattr(np.random, name)(*arguments)
        one, many = functions(name, len(arguments))
        calls = [lambda: one(*arguments), lambda: many(*arguments, 3)]
        for call in calls:
            with pytest.raises(type(theirs.value)) as ours:
                call()
            assert str(ours.value) == str(theirs.value)


@pytest.mark.parametrize("low,high", [(0, 1), (-2, 3), (0, 2**32), (0, 2**32 - 1), (-2**40, 2**50), (-2**63, 2**63 - 1), (5, 6)])
def test_randint(low, high):
    @njit
    def one(low, high):
        return np.random.randint(low, high)

    @njit
    def many(low, high, size):
        return np.random.randint(low, high, size)

    expected = np.random.RandomState(11)
    seed(11)
    for _ in range(30):
        same(one(low, high), expected.randint(low, high))
    same(many(low, high, 50), expected.randint(low, high, 50))
    same(many(low, high, (2, 3)), expected.randint(low, high, (2, 3)))


@pytest.mark.parametrize("most", [1, 2, 64, 65, 2**31, 2**32 - 1, 2**33])
def test_many_integers_over_blocks_of_words(most):
    many = njit(lambda low, high, size: np.random.randint(low, high, size))
    one = njit(lambda low, high: np.random.randint(low, high))
    expected = np.random.RandomState(3)
    seed(3)
    for size in (0, 1, 623, 625, 3000):
        same(many(-5, most - 5, size), expected.randint(-5, most - 5, size))
        for _ in range(size):
            assert one(0, most) == expected.randint(0, most)


def test_randint_with_a_type():
    @njit
    def narrow(high):
        return np.random.randint(high, size=9, dtype=np.int32)

    expected = np.random.RandomState(11)
    seed(11)
    same(narrow(1000), expected.randint(1000, size=9, dtype=np.int32))


def test_rand_and_randn():
    @njit
    def both(n):
        return np.random.rand(), np.random.rand(n), np.random.rand(2, n), np.random.randn(), np.random.randn(n, 2)

    expected = np.random.RandomState(5)
    seed(5)
    for got, wanted in zip(both(3), (expected.rand(), expected.rand(3), expected.rand(2, 3), expected.randn(),
                                     expected.randn(3, 2))):
        same(got, wanted)


def test_shuffle_and_permutation():
    @njit
    def shuffle(a):
        np.random.shuffle(a)

    @njit
    def permutation(a):
        return np.random.permutation(a)

    expected = np.random.RandomState(2)
    seed(2)
    for a in np.arange(20), np.arange(24.0).reshape(8, 3), np.arange(24).reshape(4, 3, 2)[::-1], np.arange(3)[:1], np.arange(0):
        ours, theirs = a.copy(), a.copy()
        shuffle(ours)
        expected.shuffle(theirs)
        same(ours, theirs)
        same(permutation(a), expected.permutation(a))
    for n in 0, 1, 30:
        same(permutation(n), expected.permutation(n))
    ours, theirs = list(range(10)), list(range(10))
    shuffle(ours)
    expected.shuffle(theirs)
    assert ours == theirs


def test_choice():
    @njit
    def one(a):
        return np.random.choice(a)

    @njit
    def many(a, size, replace):
        return np.random.choice(a, size, replace)

    @njit
    def weighted(a, p):
        return np.random.choice(a, p=p)

    @njit
    def all_weighted(a, size, replace, p):
        return np.random.choice(a, size, replace, p)

    expected = np.random.RandomState(9)
    seed(9)
    p = np.array([0.1, 0.2, 0.3, 0.25, 0.15])
    for a in 5, np.arange(5) * 1.5:
        for _ in range(5):
            got, wanted = one(a), expected.choice(a)
            assert got == wanted
            assert weighted(a, p) == expected.choice(a, p=p)
        for size in 3, (2, 2), (), 0:
            for replace in True, False:
                same(many(a, size, replace), expected.choice(a, size, replace))
                if size != ():
                    same(all_weighted(a, size, replace, p), expected.choice(a, size, replace, p))
    for call, theirs in ((lambda: many(5, 6, False), lambda: np.random.choice(5, 6, False)),
                         (lambda: one(0), lambda: np.random.choice(0)),
                         (lambda: one(np.empty(0)), lambda: np.random.choice(np.empty(0))),
                         (lambda: weighted(4, p), lambda: np.random.choice(4, p=p)),
                         (lambda: weighted(5, p * 2), lambda: np.random.choice(5, p=p * 2)),
                         (lambda: weighted(5, p * np.nan), lambda: np.random.choice(5, p=p * np.nan)),
                         (lambda: weighted(5, p - 0.2), lambda: np.random.choice(5, p=p - 0.2))):
        with pytest.raises(ValueError) as wanted:
            theirs()
        with pytest.raises(ValueError) as got:
            call()
        assert str(got.value) == str(wanted.value)


def test_multinomial_and_dirichlet():
    @njit
    def multinomial(n, pvals):
        return np.random.multinomial(n, pvals)

    @njit
    def multinomials(n, pvals, size):
        return np.random.multinomial(n, pvals, size)

    @njit
    def dirichlet(alpha):
        return np.random.dirichlet(alpha)

    @njit
    def dirichlets(alpha, size):
        return np.random.dirichlet(alpha, size)

    expected = np.random.RandomState(21)
    seed(21)
    p = np.array([1, 1, 1, 2, 3, 1]) / 9
    alpha = np.array([1.0, 0.5, 2.5, 10.0])
    for n in 0, 1, 1000:
        same(multinomial(n, p), expected.multinomial(n, p))
        same(multinomials(n, p, 4), expected.multinomial(n, p, 4))
        same(multinomials(n, p, (2, 3)), expected.multinomial(n, p, (2, 3)))
    same(multinomial(10, list(p)), expected.multinomial(10, list(p)))
    same(dirichlet(alpha), expected.dirichlet(alpha))
    same(dirichlet(tuple(alpha)), expected.dirichlet(alpha))
    same(dirichlets(alpha, 3), expected.dirichlet(alpha, 3))
    same(dirichlets(alpha, (2, 2)), expected.dirichlet(alpha, (2, 2)))


def test_seeds():
    @njit
    def draw():
        return np.random.random()

    for value in 0, 1, 2**32 - 1, np.uint32(7):
        seed(value)
        same(draw(), np.random.RandomState(value).random_sample())
    words = np.array([1, 2, 2**32 - 1])
    seed(words)
    same(draw(), np.random.RandomState(words).random_sample())
    for wrong in -1, 2**32, np.array([-1, 2]):
        with pytest.raises(ValueError) as theirs:
            np.random.RandomState(wrong)
        with pytest.raises(ValueError) as ours:
            seed(wrong)
        assert str(ours.value) == str(theirs.value)


def test_states_are_of_compiled_code_and_of_threads():
    @njit
    def draw():
        return np.random.random()

    np.random.seed(1)
    seed(1)
    first = draw()
    assert np.random.random() == first
    found = []
    threads = [threading.Thread(target=lambda: found.append(draw())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({first, *found}) == 4


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_children_of_a_fork_have_other_numbers():
    @njit
    def draw():
        return np.random.random()

    seed(1)
    draw()
    numbers = set()
    for _ in range(2):
        readable, writable = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                os.write(writable, repr(draw()).encode())
            finally:
                os._exit(0)
        os.waitpid(child, 0)
        numbers.add(float(os.read(readable, 100)))
        os.close(readable)
        os.close(writable)
    numbers.add(draw())
    assert len(numbers) == 3


def test_sizes_that_are_none():
    from rumba.errors import TypingError

    @njit
    def sized(size):
        return np.random.normal(0.0, 1.0, size)

    seed(4)
    same(sized(None), np.random.RandomState(4).normal())
    for size in True, 1.5, (1.5, 1), "x":
        with pytest.raises(TypingError, match="size should be int or tuple of ints or None"):
            sized(size)
    with pytest.raises(ValueError):
        sized(-1)


def test_states_can_be_read_and_set():
    from rumba import rng_state
    from rumba.numba import _helperlib

    @njit
    def draw():
        return np.random.random()

    r = np.random.RandomState(77)
    r.random_sample(5)
    _, words, at = r.get_state()[:3]
    rng_state.set_state("numpy", at, words)
    assert draw() == r.random_sample()
    assert rng_state.get_state("numpy") == (r.get_state()[2], r.get_state()[1].tolist())
    state = _helperlib.rnd_get_np_state_ptr()
    _helperlib.rnd_seed(state, 5)
    assert draw() == np.random.RandomState(5).random_sample()
    _helperlib.rnd_shuffle(state)
    assert _helperlib.rnd_get_state(state)[0] == 0
    rng_state.seed("numpy", b"abcdefgh")
    first = draw()
    rng_state.seed("numpy")
    assert draw() != first
    with pytest.raises(ValueError):
        rng_state.set_state("numpy", 0, [1, 2])
    with pytest.raises(ValueError):
        rng_state.seed("other")


def test_a_seed_that_may_be_none():
    @njit([types.float64(types.optional(types.uint64))])
    def drawn(seed):
        np.random.seed(seed)
        return np.random.random()

    assert drawn(4) == np.random.RandomState(4).random_sample()
    assert drawn(None) != drawn(None)


@pytest.mark.parametrize("n, p", [(0, 0.5), (0, 0.0), (0, 1.0), (5, 0.0), (5, 1.0)])
def test_what_cannot_but_happen_draws_a_number_too(n, p):
    def draw(n, p):
        np.random.seed(3)
        return np.random.binomial(n, p), np.random.binomial(n, p, 2).sum(), np.random.random()
    assert njit(draw)(n, p) == draw(n, p)


def test_parameters_are_checked_where_nothing_is_drawn():
    calls = ["np.random.uniform(0.0, np.inf, 0)", "np.random.poisson(-1.0, 0)", "np.random.poisson(1e30, (0, 2))", "np.random.triangular(2.0, 1.0, 3.0, 0)",
             "np.random.triangular(1.0, 1.0, 1.0, 0)", "np.random.hypergeometric(1, 1, 5, 0)", "np.random.normal(0.0, -1.0, 0)",
             "np.random.randint(5, 5, 0)", "np.random.randint(0, size=0)", "np.random.randint(5, 5, 1)", "np.random.randint(0, size=1)",
             "np.random.binomial(-1, 0.5, 0)", "np.random.uniform(1.0, 2.0, 0)"]
    of_generator = ["rng.uniform(0.0, np.inf, 0)", "rng.uniform(2.0, 1.0, 0)", "rng.poisson(-1.0, 0)", "rng.triangular(2.0, 1.0, 3.0, 0)",
                    "rng.negative_binomial(0, 0.5, 0)", "rng.negative_binomial(3, 0.0, 0)", "rng.poisson(3.0, 0)"]

    def outcome(function, *args):
        try:
            return function(*args).shape
        except Exception as error:
            return f"{type(error).__name__}: {error}"

    for source in calls:
        function = eval(f"lambda: {source}", {"np": np})
        assert outcome(njit(function)) == outcome(function), source
    for source in of_generator:
        function = eval(f"lambda rng: {source}", {"np": np})
        assert outcome(njit(function), np.random.default_rng(1)) == outcome(function, np.random.default_rng(1)), source
