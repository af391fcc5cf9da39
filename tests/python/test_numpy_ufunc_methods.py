"""`reduce`, `accumulate`, `reduceat`, `outer` and `at` of NumPy's own ufuncs in compiled code, to the bit."""
import copy

import numpy as np
import pytest
from rumba import errors, njit
from rumba.library.numpy.ufunc_methods import BINARY, FOLDING, UNARY
from rumba.numba import vectorize

DTYPES = ["i8", "f8", "u1", "f4", "?", "i2", "c16", "u8"]
METHODS = [(name, method) for method in ("reduce", "accumulate", "reduceat") for name in FOLDING]
# The last bit of these is left open.
OPEN = ("hypot", "logaddexp2")
METHODS = [(name, method) for name, method in METHODS if name not in OPEN]
METHODS += [(name, "outer") for name in FOLDING + BINARY if name not in OPEN]
METHODS += [(name, "at") for name in FOLDING + BINARY + UNARY if name not in OPEN]
CALLS = {
    "reduce": ["f.reduce(a)", "f.reduce(m, 1)", "f.reduce(m, axis=-2, keepdims=True)"],
    "accumulate": ["f.accumulate(a)", "f.accumulate(m, 1)", "f.accumulate(m.T)"],
    "reduceat": ["f.reduceat(a, [0, 5, 2, 20])", "f.reduceat(m, i[:2], 1)"],
    "outer": ["f.outer(a, b)", "f.outer(m, b)", "f.outer(a[0], b)", "f.outer(b, a[1])"],
    "at": ["f.at(a, i, b)", "f.at(m, (i[:2], i[1:]), b[0])", "f.at(m, 1, a[0])", "f.at(a, a > 2, b[:1])"],
}

# The last bit of the functions of single precision, and what NaN is as an integer, are left open.
ONLY = {"logaddexp": ["f8"], "arctan2": ["f8"], "sqrt": ["f8", "f4", "c16"]}


def function_of(text, **names):
    space = {"np": np, **names}
    exec(f"def f_(a, m, b, i): return {text}", space)
    return space["f_"]


def numbers(count, dtype):
    """Small numbers, some of which are not whole, negative or not finite where there are such."""
    values = (np.arange(count) * 7 % 11 - (4 if np.dtype(dtype).kind in "ifc" else 0)) / (4 if np.dtype(dtype).kind in "fc" else 1)
    made = np.asarray(values).astype(dtype)
    if made.dtype.kind == "f" and count > 20:
        made[7], made[11] = np.nan, np.inf
    return made


def outcome(function, args):
    args = copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            found = function(*args)
    except Exception as error:
        return type(error), str(error)
    return described(found), [described(one) for one in args]


def described(value):
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes() if value.dtype.kind not in "fc" else list(map(repr, value.ravel().tolist()))
    return repr(getattr(value, "item", lambda: value)())


def has_loop(name, dtype):
    """Whether NumPy has a loop for such items, whose results are not of half precision."""
    ufunc = getattr(np, name)
    try:
        found = ufunc.resolve_dtypes((*[np.dtype(dtype)] * ufunc.nin, None))
    except TypeError:
        return False
    return np.dtype("f2") not in found


def rounded(shown):
    """What an outcome shows, with 14 digits of numbers: on processors with AVX-512, NumPy's arctan2 is Intel's, which may be 4 ulp off."""
    if isinstance(shown, (list, tuple)):
        return [rounded(item) for item in shown]
    try:
        return f"{float(shown):.13e}"
    except (TypeError, ValueError):
        return shown


@pytest.mark.parametrize("name, method", METHODS)
def test_methods(name, method):
    known = [dtype for dtype in DTYPES if has_loop(name, dtype) and dtype in ONLY.get(name, DTYPES)]
    # One dtype each, in turns.
    dtype = known[METHODS.index((name, method)) % len(known)]
    args = numbers(23, dtype), numbers(12, dtype).reshape(3, 4), numbers(3, dtype) if name != "power" else abs(numbers(3, dtype)), np.array([2, 0, 1])
    # Two calls each, in turns, too.
    turn = FOLDING.index(name) if name in FOLDING else len(name)
    for text in {CALLS[method][turn % len(CALLS[method])], CALLS[method][(turn + 1) % len(CALLS[method])]}:
        text = text.replace(", b)", ")").replace(", b[0])", ")").replace(", a[0])", ")").replace(", b[:1])", ")") if name in UNARY else text
        function = function_of(text, f=getattr(np, name))
        found, expected = outcome(njit(function), args), outcome(function, args)
        # What has no loop is refused.
        refused = found[0] is errors.TypingError and isinstance(expected[0], type) and issubclass(expected[0], TypeError)
        if name == "arctan2":
            found, expected = rounded(found), rounded(expected)
        assert refused or found == expected, (text, dtype)


@pytest.mark.parametrize("text", [
    "np.add.reduce(m, axis=None)", "np.add.reduce(m, (0, 1))", "np.add.reduce(m, dtype=np.float32)", "np.multiply.reduce(a, initial=2)",
    "np.add.reduce(m, 0, None, b)", "np.logical_or.reduce(m > 100, axis=1)", "np.minimum.reduce(m, 1, initial=3)", "np.add.reduce([1, 2, 3])",
    "np.maximum.reduce(a[:0])", "np.subtract.reduce(a[:0])", "np.bitwise_and.reduce(i[:0])", "np.subtract.reduce(m, 2)",
    "np.fmax.reduce(m, axis=None)", "np.subtract.accumulate(a[:0])", "np.maximum.accumulate((3, 5, 4))", "np.add.accumulate(m, 1, np.float32)", "np.add.reduceat(a, [0, 40])",
    "np.add.reduceat(a, np.array([-1]))", "np.add.at(a, [0, 40], 1)", "np.add.at(a, i, [1.0, 2.0])", "np.add.at(a, [0, 0, 0], 0.5)",
    "np.add.at(i, [0, 0], 1.75)", "np.add.at(a, slice(1, 5, 2), b)", "np.outer(a, b)", "np.subtract.outer(3, 4.5)",
    "np.add.outer([1, 2], [[1, 2]])", "np.add.outer([[1, 2]], b)", "np.add.outer(a, (1, 2))"])
def test_other_arguments(text):
    args = numbers(20, "f8"), np.arange(12).reshape(3, 4), np.zeros(4) if "None, b" in text else np.ones(2), np.array([2, 0, 1])
    function = function_of(text)
    assert outcome(njit(function), args) == outcome(function, args)


def test_histograms_count_each_place_as_often_as_it_stands_there():
    @njit
    def counted(places, weights, count):
        found = np.zeros(count)
        np.add.at(found, places, weights)
        return found

    places, weights = np.random.default_rng(3).integers(0, 50, 10_000), np.random.default_rng(4).random(10_000)
    np.testing.assert_array_equal(counted(places, weights, 50), np.bincount(places, weights, 50))


def test_methods_of_functions_that_users_made():
    add = vectorize(identity=0)(lambda x, y: x + y)

    @njit
    def both(a, b):
        return add.accumulate(a), add.outer(a, b), add.accumulate(np.stack((a, a)), axis=1)

    a, b = np.arange(5.0), np.array([1, 2])
    for found, expected in zip(both(a, b), (np.cumsum(a), np.add.outer(a, b), np.cumsum([a, a], axis=1))):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("text, message", [
    ("np.sin.reduce(a)", "reduce"),
    ("np.gcd.reduce(a)", "the ufunc 'gcd' has no loop for"),
    ("np.add.accumulate(3)", "cannot accumulate on a scalar"),
    ("np.subtract.reduce(m, axis=None)", "is not reorderable"),
    ("np.add.at(a, 0)", "second operand needed for ufunc"),
])
def test_errors(text, message):
    with pytest.raises(errors.TypingError, match=message):
        njit(function_of(text))(np.ones(3), np.ones((2, 2)), np.ones(2), np.arange(2))
