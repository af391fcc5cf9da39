"""`promotion="numpy2"`: operations on numbers have the types and values that NumPy gives them in Python."""
import random
import re

import numpy as np
import pytest
from support import define

from rumba import njit, vectorize
from rumba.errors import TypingError
from rumba.nrt_stats import rtsys

DTYPES = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64", "complex64", "complex128"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "<", "<=", "==", "!=", ">", ">="]
PYTHON = [0, 1, 2, 3, -1, -7, 5, 127, 128, 255, 256, 300, 2 ** 31, 2 ** 40, 0.1, 2.5, -1.5, 1j, 0.5 + 2j, True]


def compiled(function, **options):
    return njit(promotion="numpy2", **options)(function)


def in_numpy(function, *args):
    """The value and its dtype, or the exception, as NumPy has it."""
    try:
        with np.errstate(all="ignore"):
            value = np.asarray(function(*args))
    except Exception as error:
        return error
    return value, value.dtype


def in_compiled_code(dispatcher, *args):
    try:
        value = dispatcher(*args)
    except Exception as error:
        return error
    ty = dispatcher.nopython_signatures[-1].return_type
    return np.asarray(value), np.dtype(str(getattr(ty, "dtype", ty)))


def same(found, wanted, exact=True):
    if isinstance(wanted, TypeError):
        return isinstance(found, (TypeError, TypingError))
    if isinstance(wanted, Exception) or isinstance(found, Exception):
        return type(found) is type(wanted) and str(found) == str(wanted)
    (value, dtype), (expected, expected_dtype) = found, wanted
    equal = np.array_equal if exact else np.allclose
    return dtype == expected_dtype and equal(value, expected, equal_nan=True)


class Operands:
    """Random operands: numbers of Python, numbers of NumPy and arrays."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def number(self, dtype):
        kind, choice = dtype.kind, self.random.choice
        if kind == "b":
            return dtype.type(choice([False, True]))
        if kind in "iu":
            info = np.iinfo(dtype)
            least, most = int(info.min), int(info.max)
            return dtype.type(choice([1, 2, 3, 5, 7, most, most - 1, least, least + 1, self.random.randint(least, most)]))
        return dtype.type(choice([0.1, 1.5, -2.25, 3.0, 1e10, -0.0, 7.0] if kind == "f" else [1 + 2j, 0.1 - 3j, -2j]))

    def operand(self):
        """The value, and how it is written by its name: 64-bit arguments count as Python's numbers, so NumPy's are made in the function."""
        kind = self.random.choice("ppnnnaa")
        if kind == "p":
            return self.random.choice(PYTHON), "{}"
        dtype = np.dtype(self.random.choice(DTYPES))
        if kind == "n":
            return self.number(dtype), f"np.{dtype.type.__name__}({{}})"
        return np.array([self.number(dtype) for _ in range(3)]), "{}"


def is_compared(operator, a, b):
    """Whether NumPy's result is what compiled code is to give."""
    a, b = np.asarray(a), np.asarray(b)
    if "c" in (a.dtype.kind, b.dtype.kind) and operator in ("<", "<=", ">", ">=", "**"):
        # Complex numbers are not ordered, as in Python, and powers overflow differently.
        return False
    # Python's rules: shifts by a negative number raise, as does a division by zero of integers.
    if operator in ("<<", ">>"):
        return b.dtype.kind not in "iu" or 0 <= b.min() and b.max() < 8
    return operator not in ("//", "%") or b.dtype.kind not in "biu" or b.all()


@pytest.mark.parametrize("seed", range(4))
def test_operators(seed):
    operands = Operands(seed)
    count = 0
    while count < 150:
        (a, form_a), (b, form_b) = operands.operand(), operands.operand()
        operator = operands.random.choice(OPERATORS)
        if not is_compared(operator, a, b):
            continue
        count += 1
        function = define(f"def f(a, b):\n    return {form_a.format('a')} {operator} {form_b.format('b')}", np=np)
        found = in_compiled_code(compiled(function, error_model="numpy"), a, b)
        wanted = in_numpy(function, a, b)
        # Quotients, remainders and powers of floats are rounded differently.
        assert same(found, wanted, exact=operator not in ("**", "/", "//", "%")), (operator, a, b, found, wanted)


ARRAYS = {"a": np.array([250, 3, 7, 1], np.uint8), "b": np.array([0.5, -2.25, 3, 8], np.float32), "c": np.array([2 ** 40, -5, 3, 1]),
          "d": np.array([0.1, 1e10, -3, 2]), "e": np.array([100, -7, 2, 1], np.int16)}


def random_program(seed):
    """Statements that give a name to a number or an array, each made of those before it; the names."""
    chance = random.Random(seed)
    choice, arrays, numbers, lines = chance.choice, list(ARRAYS), ["n", "x"], []

    def number():
        return choice([choice(["1", "3", "200", "0.5", "-1", "100000"]), f"{choice(arrays)}[{chance.randrange(4)}]", *[choice(numbers)] * 2])

    def of_arrays(operator):
        return choice([
            f"{choice(arrays)} {operator} {number()}", f"{number()} {operator} {choice(arrays)}", f"{choice(arrays)} {operator} {choice(arrays)}",
            f"np.{choice(['maximum', 'minimum', 'add'])}({choice(arrays)}, {number()})", f"np.where(a > 5, {choice(arrays)}, {number()})"])

    def of_numbers(operator):
        converted = choice(["float", "len(a) + int", "np.float32", "np.int16", "np.float64"]), choice(["n", "x", "b[1]", "c[2]", "a[1]"])
        return choice([
            f"{number()} {operator} {number()}", f"{number()} {operator} {number()}", f"{converted[0]}({converted[1]})",
            f"{choice(arrays)}.{choice(['sum', 'max', 'mean', 'min'])}()", f"({number()}, {number()})[{chance.randrange(2)}]",
            f"[i * {number()} for i in {choice(arrays)}][{chance.randrange(4)}]"])

    for at in range(chance.randint(2, 7)):
        is_array = chance.random() < 0.4
        lines.append(f"v{at} = {(of_arrays if is_array else of_numbers)(choice('+-*'))}")
        (arrays if is_array else numbers).append(f"v{at}")
    names = ", ".join(f"v{at}" for at in range(len(lines)))
    return "\n    ".join(["def f(a, b, c, d, e, n, x):", *lines, f"return ({names},)"])


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_programs(first):
    for seed in range(first, first + 50):
        function = define(random_program(seed), np=np)
        dispatcher, args = compiled(function), [*ARRAYS.values(), 5, 0.75]
        try:
            with np.errstate(all="ignore"):
                wanted = function(*args)
        except OverflowError as error:
            with pytest.raises(OverflowError, match=re.escape(str(error))):
                dispatcher(*args)
            continue
        found = dispatcher(*args)
        for one, other, ty in zip(found, wanted, dispatcher.nopython_signatures[0].return_type, strict=True):
            assert np.dtype(str(getattr(ty, "dtype", ty))) == np.asarray(other).dtype, (random_program(seed), one, other, ty)
            # Means of single precision are added up in another order.
            assert np.allclose(one, other, rtol=1e-6, equal_nan=True), (random_program(seed), one, other)


def bytes3():
    return np.array([250, 3, 255], dtype=np.uint8)


def floats3():
    return np.array([0.1, 2.5, -3], dtype=np.float32)


WITH_ONE = np.array([0.1])


@pytest.mark.parametrize("text, make", [
    ("return np.maximum(a, 0.5), np.minimum(2, a)", floats3),
    ("return np.where(a > 0.5, a, 0.0), np.where(a > 1, 7, a)", floats3),
    ("return np.where(a > 5, a, 7), np.add(a[0], 5), np.subtract(a, 3)", bytes3),
    ("a += 5; a *= 3; a -= 1; a //= 2; return a", bytes3),
    ("a += 0.1; a *= 3; a /= 7; return a", floats3),
    ("a += 500; return a", bytes3),
    ("return -a[0], ~a[1], +a[0], abs(a[2])", bytes3),
    ("return -a, ~a, abs(a), 2 * a + 1", bytes3),
    ("return a[0] - 1, a[1] - 5, 1 - a[0]", bytes3),
    ("return a[0] == 250, a[0] < 300, a[0] > -1, a == 300, a < 251", bytes3),
    ("return (a > 3) + (a > 100), (a[0] > 3) + (a[2] > 100), np.sum(a > 3) + 1", bytes3),
    ("return a ** 2, a ** 0.5, a[1] ** 2, a[1] ** -1, a[1] ** 0.5", floats3),
    ("return a == 0.1, a[0] == 0.1, a[0] < 0.1", floats3),
    ("return np.sqrt(a[1]) * 0.5, a / a.size, a.sum() / len(a), a * a.shape[0]", floats3),
    ("return a * 0.5 + a * 2 - 1, (a * 0.5).sum(), np.sum(a * 0.5 > 1)", floats3),
    ("return a - True, True + a[0], a[0] * False", bytes3),
    ("return np.clip(a, 0, 300), np.clip(a, -5, 100), a.clip(5, 100), np.clip(a, 0.5, 100)", bytes3),
    ("return np.clip(a, 0.0, 1.0), a.clip(0.1, 2), np.clip(a[0], 0.5, 1), a.clip(0.0)", floats3),
    ("return np.where(a > 5, a, 1000), pow(a[1], 2), pow(2, a[1])", bytes3),
])
def test_where_python_and_numpy_meet(text, make):
    function = define(f"def f(a):\n    {text}", np=np)
    dispatcher = compiled(function)
    try:
        with np.errstate(all="ignore"):
            wanted = function(make())
    except OverflowError as error:
        with pytest.raises(OverflowError, match=str(error)):
            dispatcher(make())
        return
    found = dispatcher(make())
    types = dispatcher.nopython_signatures[-1].return_type
    if not isinstance(wanted, tuple):
        found, wanted, types = (found,), (wanted,), (types,)
    for one, other, ty in zip(found, wanted, types, strict=True):
        assert np.dtype(str(getattr(ty, "dtype", ty))) == np.asarray(other).dtype, (one, other, ty)
        assert np.array_equal(one, other, equal_nan=True), (one, other)


@pytest.mark.parametrize("text, dtype", [
    ("return a * b[0]", "float64"),
    ("return a * b.mean() + np.sum(b)", "float64"),
    ("t = (b[0], 1); return a * t[0]", "float64"),
    ("xs = [x for x in b]; return a * xs[0]", "float64"),
    ("s = 0.5\n    for x in b: s = x\n    return a * s", "float64"),
    ("return a * np.float64(0.5)", "float64"),
    ("return a * np.max(b)", "float64"),
    ("return a * b.item()", "float32"),
    ("return a * float(b[0])", "float32"),
    ("return a * len(b) * b.size", "float32"),
    ("s = 0.5\n    for i in range(3): s = s * i\n    return a * s", "float32"),
    ("xs = [0.5, 2.0]; return a * xs[0]", "float32"),
    ("return a * (0.5, b[0])[0]", "float32"),
    ("return a * math.sqrt(2.0)", "float32"),
])
def test_where_a_number_comes_from(text, dtype):
    import math

    function = define(f"def f(a, b):\n    {text}", np=np, math=math)
    wanted = function(floats3(), WITH_ONE)
    found = compiled(function)(floats3(), WITH_ONE)
    assert found.dtype == wanted.dtype == dtype and np.array_equal(found, wanted)


def test_arguments_are_pythons_numbers():
    f = compiled(lambda x, y: x + y)
    assert f(np.uint64(2 ** 63), 1) == 2 ** 63 + 1
    assert f(np.uint8(200), np.uint8(100)) == 44
    assert f(np.float32(1), 0.1) == np.float32(1.1)
    assert f(1, 2) == 3 and f(2 ** 62, 2 ** 62) == -2 ** 63
    with pytest.raises(OverflowError, match="Python integer -1 out of bounds for uint64"):
        f(np.uint64(5), -1)


def test_operations_on_arrays_are_one_loop():
    f = compiled(lambda a, b: (a * 0.5 + b * 2 - 1) / 3)
    a = np.ones(1000, dtype=np.float32)
    f(a, a)
    before = rtsys.get_allocation_stats().mi_alloc
    assert f(a, a).dtype == np.float32
    assert rtsys.get_allocation_stats().mi_alloc == before + 1


def test_what_numpy_refuses():
    with pytest.raises(TypingError, match="numpy boolean subtract"):
        compiled(lambda a: (a[0] > 1) - (a[1] > 1))(bytes3())
    with pytest.raises(TypingError, match="not supported for the input types"):
        compiled(lambda a, b: a[0] & b[0])(np.ones(1, np.uint64), np.ones(1, np.int64))


def test_errors_are_those_of_the_error_model():
    a = np.zeros(2, np.float32)
    with pytest.raises(ZeroDivisionError):
        compiled(lambda a: 1 / a[0])(a)
    assert compiled(lambda a: 1 / a[0], error_model="numpy")(a) == np.inf


def test_callers_keep_their_rules():
    halved = compiled(lambda a: a * 0.5)
    both = njit(lambda a: (halved(a), a * 0.5))
    assert [one.dtype.name for one in both(floats3())] == ["float32", "float64"]


def test_kernels_of_ufuncs():
    f = vectorize(promotion="numpy2")(lambda x: x + 1)
    assert f(bytes3()).tolist() == [251, 4, 0] and f(bytes3()).dtype == np.uint8


def test_other_values_of_the_option():
    assert njit(promotion="numba")(lambda x: x + 1)(np.uint8(255)) == 256
    with pytest.raises(ValueError, match="promotion is 'numba' or 'numpy2', not 'numpy'"):
        njit(promotion="numpy")(lambda x: x + 1)(1)
