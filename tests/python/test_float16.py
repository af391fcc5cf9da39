"""Half precision: numbers and arrays of float16, computed in single precision and rounded after each operation as NumPy does it."""
import random

import numpy as np
import pytest
import rumba
from leaks import nothing_leaks  # noqa: F401
from rumba import guvectorize, njit, prange, types, vectorize

A = np.array([0.1, 1.5, -2.25, 100, 3e-5, 7, 0.5, -0.0, np.inf, np.nan, 65504, 6e-8], "f2")
B = np.array([3, 0.7, 2, 0.1, 1, 2, 3, 4, 0.3, 1.25, 0.01, 12], "f2")
M = (np.arange(20) / 7).astype("f2").reshape(4, 5)


def check(function, *args):
    with np.errstate(all="ignore"):
        expected = function(*args)
    found = njit(function)(*args)
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype and found.shape == expected.shape
    if isinstance(expected, np.generic) and expected.dtype.kind in "fc":
        # Compiled code gives Python's numbers.
        found = expected.dtype.type(found)
    np.testing.assert_array_equal(found, expected)


def compiled(text, parameters="a, b, m, i1, f4, f8"):
    space = {"np": np}
    exec(f"def f({parameters}):\n    return {text}", space)
    return space["f"]


ELEMENTWISE = """a + b|a - b|a * b|a / b|a // b|a % b|b ** a|-a|abs(a)|a + 1|a * 0.1|0.1 * a|2 - a|1 / b|a ** 2|b ** 0.5|b ** -1|a + True|a + i1|i1 * a|a + f4|a * f8|
a < b|a == b|a != 0|a >= 1.5|np.sqrt(b)|np.sin(b)|np.exp(b)|np.log(b)|np.tanh(b)|np.arctan2(b, a[0])|np.maximum(a, b)|np.fmin(a, b)|np.where(a > 0, a, b)|
np.where(a > 0, a, 1.5)|np.isnan(a)|np.signbit(a)|np.floor(a)|np.round(b, 1)|np.sign(a)|np.hypot(b, b)|np.copysign(b, a)|np.nextafter(b, a)|np.spacing(a)|
np.ldexp(b, 3)|np.modf(b)[0]|np.frexp(b)[1]|np.clip(b, 0.5, 2)|np.heaviside(a, 0.5)|np.divmod(b, b)[1]|b * 2j|np.float16(3) * b|np.reciprocal(b)|np.fmod(b, a)"""
REDUCTIONS = """b.sum()|b.mean()|b.prod()|b.std()|b.var()|b.max()|np.nanmin(a)|b.argmin()|np.median(b)|m.sum(axis=0)|m.sum(axis=1)|m.mean(axis=0)|m.prod(axis=1)|
m.max(axis=1)|np.var(m, axis=0)|m.sum(dtype=np.float32)|np.sum(b, initial=2)|np.cumsum(b)|np.cumsum(m, axis=1)|np.dot(b, b)|m @ m.T|m @ m[0]|np.linalg.norm(b)|
np.einsum('ij,kj->ik', m, m)|np.convolve(b, b)|np.average(b)|np.any(a)|np.count_nonzero(a)|(b * b + b).sum()|np.mean(b + b)|np.ptp(b)|m.trace()"""
SHAPES = """np.sort(a)|np.argsort(b)|np.unique(b)|np.searchsorted(np.sort(b), b[1])|a.astype(np.float32)|f8.astype(np.float16)|b.astype(np.int32)|np.zeros(3, 'e')|
np.full(3, b[0])|np.array([b[0], b[1]])|np.ones_like(b)|a.view(np.uint16)|m.T.copy()|a[::2]|np.concatenate((a, b))|np.pad(b, 1)|a[a > 0]|np.percentile(b, 50)|
np.arange(3, dtype=np.float16)|np.outer(b, b)|np.isin(a, b)|np.nonzero(b)[0]|np.repeat(b, 2)|np.lexsort((b,))"""


@pytest.mark.parametrize("text", [text.strip() for text in (ELEMENTWISE + "|" + REDUCTIONS + "|" + SHAPES).split("|")])
def test_arrays(text):
    check(compiled(text), A, B, M, np.arange(12, dtype="i1"), np.linspace(0, 3, 12).astype("f4"), np.linspace(-1, 70000, 12))


NUMBERS = """x + y|x * y|x / y|x // y|x % y|y ** x|-x|abs(x)|x < y|x == x|min(x, y)|max((x, y))|max([x, y])|float(x)|int(x)|bool(x)|complex(x)|divmod(x, y)[0]|
np.float16(0.1)|np.float16(2049)|np.float16(1e300)|np.float16(65520.0)|np.float16(1.00048828125 + 1e-12)|np.float16(n)|np.float32(x)|np.sqrt(y)|np.maximum(x, y)|x * np.float32(3)|
x + np.int8(3)|x * np.uint8(255)|str(x)|repr(x)|f'{x}|{x:.3f}'|hash(x)|x in (x, y)|sorted([y, x])|sum([x, y])|(x, y) == (x, y)|x.is_integer()|np.isnan(x)|np.half(0.3)|
np.result_type(x, y)|isinstance(x, np.float16)|isinstance(x, float)|x.real|np.finfo(np.float16).max"""


@pytest.mark.parametrize("text", [text.strip() for text in NUMBERS.replace("{x}|{x:.3f}", "{x} {x:.3f}").split("|")])
@pytest.mark.parametrize("x, y", [(0.1, 3), (1.5, 0.7), (-2.25, 11), (65504, 1e-7)])
def test_numbers(text, x, y):
    check(compiled(text, "x, y, n"), np.float16(x), np.float16(y), 70001)


def test_doubles_are_rounded_once():
    numbers = np.random.default_rng(1).uniform(-70000, 70000, 4000)
    halves = np.arange(0, 0x7c00, dtype=np.uint16).view(np.float16).astype(np.float64)
    middles = (halves[:-1] + halves[1:]) / 2
    for values in (numbers, numbers * 1e-9, middles, np.nextafter(middles, 0), np.nextafter(middles, 1e9), np.array([0.0, -0.0, np.inf, np.nan, 1e300, -1e-300])):
        check(lambda a: a.astype(np.float16).view(np.uint16), values)
        check(lambda a: a.astype(np.float16).view(np.uint16), values.astype(np.float32))


def test_every_half_is_its_single():
    every = np.arange(65536).astype(np.uint16).view(np.float16)
    check(lambda a: a.astype(np.float32), every)
    check(lambda a: a.astype(np.float64), every)
    assert [str(x) for x in every[::97]] == list(njit(lambda a: [str(x) for x in a])(every[::97]))


def loop(a, b, n):
    made, total = np.zeros(a.size, np.float16), np.float32(0)
    for i in range(a.size):
        made[i] = a[i] * 0.5 + b[i]
        made[i] += n
        total += a[i]
    made[1:3] *= 2
    made[0] -= made[1]
    return made, total


def test_loops():
    with np.errstate(all="ignore"):
        expected = loop(A[:6], B, 3)
    found = njit(loop)(A[:6], B, 3)
    # The product of a half and a Python number is a double in compiled code, as that of a single is.
    np.testing.assert_allclose(found[0].astype(float), expected[0].astype(float), rtol=2e-3)
    assert found[1] == expected[1]


def test_functions_of_numpy_are_made():
    square = vectorize(["float16(float16)", "float32(float32)"])(lambda x: x * x)
    np.testing.assert_array_equal(square(B), B * B)
    assert square(B).dtype == np.float16

    def add_up(row, result):
        total = row[0]
        for at in range(1, row.size):
            total += row[at]
        result[0] = total
    total = guvectorize(["(float16[:], float16[:])"], "(n)->()")(add_up)
    assert total(M).dtype == np.float16 and total(M).shape == (4,)


def test_signatures_fields_and_containers():
    assert njit("float16(float16, float16)")(lambda x, y: x + y)(0.1, 0.2) == float(np.float16(0.1) + np.float16(0.2))
    assert njit("float16(float64)")(lambda x: x)(1e10) == np.inf
    records = np.zeros(3, [("a", "f2"), ("b", "f8")])

    @njit
    def fill(records):
        records[0].a = 0.3
        records["a"][1] = records[0]["a"] * 2
        return records["a"].sum()
    assert fill(records) == records["a"].sum() and records["a"][0] == np.float16(0.3)

    @njit
    def keep(a):
        listed, table = [a[0]], {1: a[1]}
        listed.append(a[1])
        table[2] = a[0]
        return listed, table[2], {x for x in a}, {x: 1 for x in a}[a[1]]
    listed, value, found, one = keep(np.array([0, -0.0, 1.5, 1.5], "f2"))
    assert listed == [0, 0] and value == 0 and found == {0, 1.5} and one == 1

    @rumba.jitclass([("x", types.float16), ("row", types.float16[:])])
    class Holder:
        def __init__(self, row):
            self.x = row[1]
            self.row = row

        def both(self):
            return self.x + self.row[0]
    assert Holder(B).both() == B[1] + B[0]


def test_globals_and_results():
    row, number = B[:3], np.float16(0.1)

    @njit
    def read():
        return row, number, (number, row[0])
    assert read()[0].dtype == np.float16 and read()[1] == float(number)
    assert rumba.typeof(number) == types.float16 and rumba.typeof(B) == types.float16[::1]


def test_several_threads():
    @njit(parallel=True)
    def work(where, weights):
        counts, made, most = np.zeros(4, np.float16), np.empty_like(weights), np.float16(-1)
        for i in prange(where.size):
            counts[where[i]] += weights[i]
            made[i] = weights[i] * weights[i]
            most = max(most, weights[i])
        return counts, made, most, weights.sum(), (weights * weights).mean()
    choose = np.random.default_rng(0)
    where, weights = choose.integers(0, 4, 500), choose.random(500).astype("f2")
    counts, made, most, total, mean = work(where, weights)
    # Sums of halves in another order are rounded otherwise.
    np.testing.assert_allclose(counts, np.bincount(where, weights.astype(float)), rtol=2e-2)
    np.testing.assert_array_equal(made, weights * weights)
    assert most == weights.max() and abs(total - weights.sum()) <= 0.25 and abs(mean - (weights * weights).mean()) <= 1e-3


def test_what_is_refused():
    with pytest.raises(rumba.errors.TypingError, match="float16"):
        njit(lambda a: rumba.atomic.add(a, 0, 1.0))(B)
    with pytest.raises(rumba.errors.NumbaError, match="float16 cannot pass to or from functions of C"):
        rumba.cfunc("float16(float16)")(lambda x: x)


def test_an_exception_shows_the_number():
    @njit
    def fail(a):
        raise ValueError(a[0])
    with pytest.raises(ValueError) as error:
        fail(A)
    assert error.value.args == (np.float16(0.1),) and repr(error.value) == repr(ValueError(np.float16(0.1)))


# Random expressions over arrays of several types.

# Functions of floats alone get arrays of them: of the narrowest integers they give singles in compiled code, as Numba does it, and halves with NumPy.
UNARY = ["-{}", "abs({})", "np.floor({} + a)", "np.square({})", "({} > 1)", "{}[::-1]", "np.where({} > 0, a, 0.25)", "np.sqrt(abs({} * b))", "np.sin({} - a)"]
BINARY = ["({} + {})", "({} - {})", "({} * {})", "({} / ({} + a))", "np.maximum({}, {})", "({} < {})", "np.where({0} > 1, {0}, {1} * b)", "np.minimum({}, {})"]


def expression(choose, depth):
    if depth == 0:
        return choose.choice(["a", "a", "b", "i1", "u1", "f4", "t", "(a * 0.5)", "(3 - b)", "(b + True)"])
    if choose.random() < 0.4:
        return choose.choice(UNARY).format(expression(choose, depth - 1))
    return choose.choice(BINARY).format(expression(choose, depth - 1), expression(choose, depth - 1))


@pytest.mark.parametrize("seed", range(25))
def test_random_expressions(seed):
    choose, values = random.Random(seed), np.random.default_rng(seed)
    text = f"({expression(choose, 3)}) + a * {expression(choose, 2)}"
    args = [values.uniform(-3, 3, 9).astype("f2"), values.uniform(0, 9, 9).astype("f2"), values.integers(-9, 9, 9).astype("i1"),
            values.integers(0, 200, 9).astype("u1"), values.uniform(-2, 2, 9).astype("f4"), values.integers(0, 2, 9).astype(bool)]
    function = compiled(text, "a, b, i1, u1, f4, t")
    try:
        with np.errstate(all="ignore"):
            function(*args)
    except (TypeError, IndexError):
        # Truth values that NumPy does not subtract, and numbers that have no items.
        return
    check(function, *args)
