"""The module `random` in compiled code: the numbers of `random.Random`, bit for bit."""
import random
import sys

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401

from rumba import njit

CALLS = {
    "random": [()],
    "uniform": [(1.5, 1e6), (3, -2.5), (0, 1)],
    "triangular": [(), (1.5, 3.5), (1.5, 3.5, 2.2), (2.0, 2.0), (2.0, 2.0, 2.0), (1, 5, 2)],
    "gauss": [(), (1.0, 2.0), (3, 1)],
    "normalvariate": [(), (1.0, 2.0)],
    "lognormvariate": [(0.0, 1.0), (1, 0.5)],
    "expovariate": [(0.2,), (3,)],
    "gammavariate": [(0.5, 2.5), (1.0, 1.5), (1.5, 3.5), (30, 2)],
    "betavariate": [(0.5, 2.5), (3, 4)],
    "vonmisesvariate": [(0.5, 2.5), (0.0, 1e-7), (-3.0, 100.0)],
    "paretovariate": [(0.5,), (3,)],
    "weibullvariate": [(0.5, 2.5), (2, 1)],
    "randrange": [(1,), (10,), (2**40,), (-2, 3), (-2**62, 2**62), (-2**63, 2**63 - 1), (5, 50, 7), (-2**62, 2**62, 3), (50, 5, -7), (5, 6, 10)],
    "randint": [(1, 1), (1, 5), (-2**62, 2**62), (-2**63, 2**63 - 1)],
    "getrandbits": [(0,), (1,), (31,), (32,), (33,), (63,), (64,)],
}


def compiled(name, count):
    names = ", ".join("abc"[:count])
    scope = {"random": random}
    exec(f"def function({names}): return random.{name}({names})", scope)
    return njit(scope["function"])


@njit
def seed(value):
    random.seed(value)


def equal(got, expected):
    assert type(got) is type(expected)
    assert got == expected or got != got and expected != expected


@pytest.mark.parametrize("name", CALLS)
def test_functions_have_pythons_stream(name):
    for arguments in CALLS[name]:
        if (name, arguments) in (("gauss", ()), ("normalvariate", ())) and sys.version_info < (3, 11):
            continue
        function = compiled(name, len(arguments))
        for value in 0, 12345678901:
            expected = random.Random(value)
            seed(value)
            for _ in range(200):
                equal(function(*arguments), getattr(expected, name)(*arguments))


@pytest.mark.parametrize("value", [0, 1, -5, 2**32 - 1, 2**32, 2**63 - 1, -2**63, 2**64 - 1, True, 1.5, -0.0, 1e300, -3.75])
def test_seeds(value):
    draw = compiled("random", 0)
    seed(value)
    equal(draw(), random.Random(value).random())


def test_a_seed_forgets_the_second_normal_number():
    draw = compiled("gauss", 2)
    seed(1)
    first = draw(0.0, 1.0)
    seed(1)
    assert draw(0.0, 1.0) == first


def test_shuffle_and_choice():
    @njit
    def shuffle(x):
        random.shuffle(x)

    @njit
    def choice(x):
        return random.choice(x)

    expected = random.Random(4)
    seed(4)
    for items in (list(range(20)), [1.5, 2.5], [3], []):
        ours, theirs = list(items), list(items)
        if items:
            equal(choice(items), expected.choice(items))
            shuffle(ours)
            expected.shuffle(theirs)
            assert ours == theirs
    ours, theirs = np.arange(15), np.arange(15)
    shuffle(ours)
    expected.shuffle(theirs)
    assert ours.tolist() == theirs.tolist()
    assert choice((1, 2, 3)) == expected.choice((1, 2, 3))
    assert choice(ours) == expected.choice(theirs)
    assert choice("abcdef") == expected.choice("abcdef")
    with pytest.raises(IndexError, match="Cannot choose from an empty sequence"):
        choice(np.empty(0))


WRONG = {
    "gammavariate": [(0.0, 1.0), (1.0, 0.0), (-0.5, 1.0)],
    "betavariate": [(0.0, 1.0)],
    "paretovariate": [(0.0,)],
    "weibullvariate": [(1.0, 0.0)],
    "expovariate": [(0.0,)],
    "randrange": [(0,), (-5,), (5, 5), (5, 2), (5, 7, -1), (7, 5, 1), (5, 7, 0)],
    "randint": [(5, 4), (5, 2)],
    "getrandbits": [(-1,)],
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_arguments(name):
    for arguments in WRONG[name]:
        with pytest.raises(Exception) as theirs:
            getattr(random, name)(*arguments)
        with pytest.raises(type(theirs.value)) as ours:
            compiled(name, len(arguments))(*arguments)
        if not isinstance(theirs.value, ZeroDivisionError):
            assert str(ours.value) == str(theirs.value)


def test_more_bits_than_an_integer_has():
    with pytest.raises(OverflowError):
        compiled("getrandbits", 1)(65)


def test_both_modules_have_states_of_their_own():
    @njit
    def both():
        return random.random(), np.random.random()

    @njit
    def seed_numpy(value):
        np.random.seed(value)

    seed(1)
    seed_numpy(1)
    assert both() == (random.Random(1).random(), np.random.RandomState(1).random_sample())


@pytest.mark.parametrize("mu, sigma", [(1e10, 1.5), (800.0, 0.0), (0.0, 1.0), (float("inf"), 1.0), (709.0, 0.0)])
def test_lognormvariate_beyond_the_floats(mu, sigma):
    def drawn(mu, sigma):
        random.seed(1)
        return random.lognormvariate(mu, sigma)

    outcomes = []
    for function in (drawn, njit(drawn)):
        try:
            outcomes.append(function(mu, sigma))
        except OverflowError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]


def test_choices_and_sample():
    @njit
    def begin(seed):
        random.seed(seed)

    @njit
    def choices(items, k):
        return random.choices(items, k=k)

    @njit
    def sample(items, k):
        return random.sample(items, k)

    for seed in range(6):
        begin(seed)
        random.seed(seed)
        for count in (1, 5, 21, 22, 100, 400):
            items = list(range(count))
            for k in {0, 1, min(5, count), min(6, count), min(30, count), count}:
                assert choices(items, k) == random.choices(items, k=k)
                assert sample(items, k) == random.sample(items, k)
        assert choices(("a", "b", "c"), 4) == random.choices(("a", "b", "c"), k=4)
        assert sample((1.5, 2.5, 3.5), 2) == random.sample((1.5, 2.5, 3.5), 2)
        assert choices(np.arange(3.0), 4) == random.choices(np.arange(3.0), k=4)
    for k in (-1, 4):
        with pytest.raises(ValueError, match="Sample larger than population or is negative"):
            sample([1, 2, 3], k)
    with pytest.raises(IndexError, match="index out of range"):
        choices([1, 2, 3][:0], 1)
