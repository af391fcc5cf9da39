"""Random expressions and statements over arrays of random shapes, layouts and types, beside NumPy."""
import random
import warnings

import hypothesis
import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit, vectorize
from rumba.nrt_stats import rtsys

st = hypothesis.strategies

NAMES = "abc"
BINARY = ["({} + {})", "({} - {})", "({} * {})", "np.maximum({}, {})", "np.minimum({}, {})", "np.hypot({}, {})",
          "np.copysign({}, {})", "({} / {})", "weighed({}, {})"]
CHOICE = "np.where(a < {}, {}, {})"
UNARY = ["halved({})", "(-{})", "abs({})", "np.sqrt({})", "np.floor({})", "np.square({})", "({} ** 2)", "np.rint({})"]


@vectorize(["float64(float64)"])
def halved(x):
    return x / 2 - 1


@vectorize(["float64(float64, float64)"])
def weighed(x, y):
    return x * 3 - y if x > y else y


SCOPE = {"np": np, "halved": halved, "weighed": weighed}
SHAPES = [(4, 3), (1, 3), (4, 1), (3,), (1,), (2, 4, 3), (1, 1)]


def trees():
    """Texts of expressions."""
    leaves = st.sampled_from([*NAMES, "2.5", "3.0"])

    def larger(inner):
        return st.one_of(
            st.builds(lambda text, x: text.format(x), st.sampled_from(UNARY), inner),
            st.builds(lambda text, x, y: text.format(x, y), st.sampled_from(BINARY), inner, inner),
            st.builds(CHOICE.format, inner, inner, inner))
    return st.recursive(leaves, larger, max_leaves=9).map(lambda text: f"a + {text}")


@st.composite
def arrays(draw):
    """An array of small numbers, in some layout."""
    shape = draw(st.sampled_from(SHAPES))
    size = int(np.prod(shape))
    numbers = draw(st.lists(st.integers(-6, 6), min_size=size, max_size=size))
    array = np.array(numbers, draw(st.sampled_from(["f8", "f8", "f4"]))).reshape(shape) / 2
    layout = draw(st.sampled_from(["C", "F", "reversed", "strided"]))
    if layout == "F":
        return np.asfortranarray(array)
    if layout == "reversed":
        return array[::-1]
    if layout == "strided":
        return np.repeat(array, 2, axis=-1)[..., ::2]
    return array


def outcome(function, args):
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return function(*args), None
        except ValueError as error:
            return None, str(error)


def widened(args):
    """NumPy's types where Rumba follows Numba: numbers are float64 beside single precision."""
    return [arg.astype("f8") for arg in args]


@hypothesis.settings(max_examples=120, deadline=None, derandomize=True,
                     suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(trees(), st.tuples(arrays(), arrays(), arrays()))
def test_expressions(text, args):
    function = eval(f"lambda a, b, c: {text}", SCOPE)
    args = widened(args)
    compiled = njit(function)
    expected, wrong = outcome(function, args)
    got, raised = outcome(compiled, args)
    assert raised == wrong
    if wrong is None:
        assert got.shape == expected.shape and got.dtype == expected.dtype
        np.testing.assert_array_max_ulp(got, expected, 1) if "hypot" in text else \
            np.testing.assert_array_equal(got, expected)
        before = rtsys.get_allocation_stats().alloc
        compiled(*args)
        allocated = rtsys.get_allocation_stats().alloc - before
        # What takes long is kept where it has fewer dimensions than the result.
        kept = sum(text.count(name) for name in ("sqrt", "hypot", "/", "halved", "weighed")) if len({arg.ndim for arg in args}) > 1 else 0
        assert 1 <= allocated <= 1 + kept


STEPS = ["t = {x} + {y}", "t = {x} * {y} - {x}", "a += {y} * 2", "a[...] = {x} - {y}", "a[1:] = {y}[:-1] * 2 + a[1:]",
         "a[::-1] += {y}", "b = {x} * 3 + {y}", "t = np.sqrt(abs({x})) + t", "np.add({x}, {y} * 2, a)", "a -= a[::-1]",
         "a[:-1] = a[1:] + {x}[1:] * {y}[1:]", "b -= a * t", "t = weighed({x}, {y}) * 2", "a += halved({y}) - {x}"]


@hypothesis.settings(max_examples=80, deadline=None, derandomize=True,
                     suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from("abt"), st.sampled_from("abt")),
                           min_size=1, max_size=7), st.sampled_from(["own", "same", "turned", "shifted"]))
def test_statements_over_shared_memory(steps, sharing):
    lines = [step.format(x=x, y=y) for step, x, y in steps]
    source = "def f(a, b):\n    t = a + 1\n" + "".join(f"    {line}\n" for line in lines) + "    return t + a, b * 1.0\n"
    namespace = dict(SCOPE)
    exec(source, namespace)

    def run(function):
        memory = np.arange(40.0) / 4 - 3
        a, b = {"own": (memory[:12], memory[20:32]), "same": (memory[:12], memory[:12]),
                "turned": (memory[:12], memory[11::-1]), "shifted": (memory[2:14], memory[:12])}[sharing]
        with np.errstate(all="ignore"):
            return *function(a, b), memory

    for got, expected in zip(run(njit(namespace["f"])), run(namespace["f"])):
        np.testing.assert_array_equal(got, expected)


class Statements:
    """A function of statements that read what those before made, some of them by its items, and that gives some of it."""

    READS = ["{x} + {y}", "{x} - {y} * {z}", "{x} * {x} - {y}", "np.sqrt(abs({x}))", "np.where({x} < {y}, {x}, {z})", "-{x}",
             "({x} - {y}) ** 2", "{x} / (abs({y}) + 1)", "{x} * s", "np.maximum({x}, 1) + {y}"]

    def __init__(self, seed):
        pick = random.Random(seed)
        names, lines, truths = ["a", "b", "c"], ["s = 0.5"], []
        for number in range(pick.randint(3, 9)):
            x, y, z = (pick.choice(names) for _ in "xyz")
            kind = pick.random()
            if kind < 0.15:
                lines.append(f"s += {x}.size + {y}.sum() * 0.125")
            elif kind < 0.3:
                lines.append(f"m{number} = {x} <= {y}")
                truths.append(f"m{number}")
            elif kind < 0.4 and number and x not in "abc":
                lines.append(f"{x} = {x} + {y}" if pick.random() < 0.5 else f"{x}[...] = {x} * 2 + s")
            else:
                names.append(f"t{number}")
                lines.append(f"t{number} = {pick.choice(self.READS).format(x=x, y=y, z=z)}")
        made = names[3:] + truths or ["a + 1"]
        given = pick.sample(made, pick.randint(1, len(made)))
        self.text = "def f(a, b, c):\n" + "".join(f"    {line}\n" for line in lines) + f"    return ({', '.join(given)},), s\n"
        space = dict(SCOPE)
        exec(self.text, space)
        self.function = space["f"]
        shape = pick.choice([(), (3,), (2, 3)])
        self.shapes = [(pick.choice([shape, shape, shape, tuple(1 if pick.random() < 0.4 else n for n in shape)])) + (4,) for _ in "abc"]
        self.order = pick.choice("CCCF")

    def args(self):
        for seed in range(2):
            numbers = np.random.default_rng(seed)
            yield [np.asarray(numbers.integers(-6, 6, shape) / 2, order=self.order) for shape in self.shapes]


@pytest.mark.parametrize("seed", range(90))
def test_statements_that_read_one_another(seed):
    program = Statements(seed)
    compiled = njit(parallel=seed % 5 == 0)(program.function)
    for args in program.args():
        made, wrong = outcome(program.function, args)
        got, raised = outcome(compiled, args)
        assert raised == wrong, program.text
        if wrong is not None:
            continue
        (expected, scalar), (got, found) = made, got
        assert found == scalar, program.text
        for one, other in zip(got, expected, strict=True):
            assert one.shape == other.shape and one.dtype == other.dtype, program.text
            np.testing.assert_array_equal(one, other, program.text)


def test_results_of_different_shapes():
    """Two results that read one array and are broadcast with others to different shapes, and one that cannot be."""
    @njit
    def two(a, b, c):
        return a + b, a * c

    wide, row, column = np.arange(12.0).reshape(3, 4), np.ones((1, 4)), np.ones((3, 1))
    for args in ((wide, row, column), (row, wide, row), (row, row, column), (column, row, column)):
        for got, expected in zip(two(*args), two.py_func(*args), strict=True):
            assert got.shape == expected.shape
            np.testing.assert_array_equal(got, expected)
    with pytest.raises(ValueError, match="could not be broadcast"):
        two(wide, row, np.ones((3, 3)))


def test_what_is_used_by_several_results_is_no_array():
    @njit
    def two(a, b):
        d = a - b
        e = d * d
        return d * a + e, d * b - e

    args = np.arange(10.0), np.arange(10.0)[::-1]
    for got, expected in zip(two(*args), two.py_func(*args), strict=True):
        np.testing.assert_array_equal(got, expected)
    before = rtsys.get_allocation_stats().alloc
    two(*args)
    assert rtsys.get_allocation_stats().alloc == before + 2
