"""Random expressions and statements over arrays of random shapes, layouts and types, beside NumPy."""
import warnings

import hypothesis
import numpy as np
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.nrt_stats import rtsys

st = hypothesis.strategies

NAMES = "abc"
BINARY = ["({} + {})", "({} - {})", "({} * {})", "np.maximum({}, {})", "np.minimum({}, {})", "np.hypot({}, {})",
          "np.copysign({}, {})", "({} / {})"]
CHOICE = "np.where(a < {}, {}, {})"
UNARY = ["(-{})", "abs({})", "np.sqrt({})", "np.floor({})", "np.square({})", "({} ** 2)", "np.rint({})"]
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
    function = eval(f"lambda a, b, c: {text}", {"np": np})
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
        assert rtsys.get_allocation_stats().alloc == before + 1


STEPS = ["t = {x} + {y}", "t = {x} * {y} - {x}", "a += {y} * 2", "a[...] = {x} - {y}", "a[1:] = {y}[:-1] * 2 + a[1:]",
         "a[::-1] += {y}", "b = {x} * 3 + {y}", "t = np.sqrt(abs({x})) + t", "np.add({x}, {y} * 2, a)", "a -= a[::-1]",
         "a[:-1] = a[1:] + {x}[1:] * {y}[1:]", "b -= a * t"]


@hypothesis.settings(max_examples=80, deadline=None, derandomize=True,
                     suppress_health_check=list(hypothesis.HealthCheck))
@hypothesis.given(st.lists(st.tuples(st.sampled_from(STEPS), st.sampled_from("abt"), st.sampled_from("abt")),
                           min_size=1, max_size=7), st.sampled_from(["own", "same", "turned", "shifted"]))
def test_statements_over_shared_memory(steps, sharing):
    lines = [step.format(x=x, y=y) for step, x, y in steps]
    source = "def f(a, b):\n    t = a + 1\n" + "".join(f"    {line}\n" for line in lines) + "    return t + a, b * 1.0\n"
    namespace = {"np": np}
    exec(source, namespace)

    def run(function):
        memory = np.arange(40.0) / 4 - 3
        a, b = {"own": (memory[:12], memory[20:32]), "same": (memory[:12], memory[:12]),
                "turned": (memory[:12], memory[11::-1]), "shifted": (memory[2:14], memory[:12])}[sharing]
        with np.errstate(all="ignore"):
            return *function(a, b), memory

    for got, expected in zip(run(njit(namespace["f"])), run(namespace["f"])):
        np.testing.assert_array_equal(got, expected)
