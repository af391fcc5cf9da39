"""NumPy's elementwise functions on scalars against NumPy."""
import itertools
import math

import numpy as np
import pytest

import rumba
from rumba.ufuncs.numpy_ufuncs import known_ufuncs
from support import define

INF, NAN = math.inf, math.nan
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, -2.5, 3.5, 10.0, 1e-300, 1e300, 800.0, -800.0, INF, -INF, NAN, 0.3, 123.456]
INTS = [0, 1, -1, 2, -3, 7, 100, 2**40, -(2**40)]

UNARY = ("arccos arccosh arcsin arcsinh arctan arctanh cbrt cos cosh deg2rad degrees exp exp2 expm1 fabs log log10 log1p "
         "log2 rad2deg radians reciprocal rint sin sinh spacing sqrt tan tanh floor ceil trunc negative positive square "
         "sign absolute isnan isinf isfinite signbit logical_not").split()
BINARY = ("arctan2 copysign heaviside hypot logaddexp logaddexp2 nextafter add subtract multiply divide floor_divide "
          "remainder fmod maximum minimum fmax fmin float_power less less_equal equal not_equal greater greater_equal "
          "logical_and logical_or logical_xor power").split()
BITS = "bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm".split()
COMPLEX = "exp log log10 sqrt sin cos tan sinh cosh tanh arcsin arccos arctan arcsinh arccosh arctanh square negative".split()


def same(found, expected, ulps):
    """Equal but for the last places; of NaN one is as good as another."""
    if isinstance(found, (bool, np.bool_)) or isinstance(expected, (bool, np.bool_)):
        return bool(found) == bool(expected)
    if isinstance(expected, (complex, np.complexfloating)):
        return abs(found - expected) <= ulps * 3e-16 * abs(expected)
    if np.isnan(expected) or np.isnan(found):
        return np.isnan(expected) and np.isnan(found)
    if found == expected:
        return math.copysign(1, found) == math.copysign(1, expected)
    return math.isfinite(expected) and abs(found - expected) <= ulps * abs(np.spacing(expected))


def compare(name, table, ulps=2):
    count = len(table[0])
    compiled = rumba.njit(define(f"np.{name}({', '.join('ab'[:count])})", np=np))
    wrong = []
    with np.errstate(all="ignore"):
        for args in table:
            expected, found = getattr(np, name)(*args), compiled(*args)
            if not same(found, expected, ulps):
                wrong.append(f"np.{name}{args}: {found!r}, NumPy {expected!r}")
    assert not wrong, "\n".join(wrong[:20])


@pytest.mark.parametrize("name", UNARY)
def test_function_of_one_scalar(name):
    compare(name, [(x,) for x in FLOATS])
    if name not in ("reciprocal", "spacing"):
        compare(name, [(n,) for n in INTS])


@pytest.mark.parametrize("name", BINARY)
def test_function_of_two_scalars(name):
    zeros = name in ("maximum", "minimum", "fmax", "fmin")
    # NumPy takes the square root for a power of 0.5, which differs at -0.0 and -inf.
    exponents = [x for x in FLOATS if x != 0.5 or name != "power"]
    compare(name, [case for case in itertools.product(FLOATS, exponents) if not zeros or case[0] != case[1]])
    integers = [(a, b) for a in INTS for b in INTS if name != "power" or 0 <= b < 30 and abs(a) < 5]
    compare(name, integers)


@pytest.mark.parametrize("name", BITS)
def test_function_of_integers(name):
    counts = INTS if "shift" not in name else [0, 1, 5, 63, 64, 100]
    compare(name, [(a, b) for a in INTS for b in counts if name != "lcm" or abs(a * b) < 2**62])


@pytest.mark.parametrize("name", COMPLEX)
def test_function_of_a_complex_number(name):
    compare(name, [(complex(re, im),) for re in (0.5, -2.0, 3.25) for im in (0.75, -1.5, 0.1)], ulps=8)


def test_types_follow_numpy():
    narrow = {"int8": np.int8(3), "int16": np.int16(3), "int32": np.int32(3), "uint8": np.uint8(3), "float32": np.float32(0.25),
              "bool": np.bool_(True), "int64": np.int64(3), "float64": np.float64(0.25), "complex64": np.complex64(0.5j)}
    for name in ("add", "multiply", "maximum", "divide", "sqrt", "absolute", "square"):
        for kind, value in narrow.items():
            if (name, kind) in {("maximum", "complex64"), ("maximum", "bool"), ("square", "bool")}:
                continue
            count = getattr(np, name).nin
            compiled = rumba.njit(define(f"np.{name}({', '.join('ab'[:count])})", np=np))
            compiled(*[value] * count)
            expected = getattr(np, name)(*[value] * count).dtype.name
            # Of the narrowest integers, functions of floats give singles here, as Numba's do.
            expected = {"float16": "float32"}.get(expected, expected)
            assert str(compiled.nopython_signatures[0].return_type) == expected, (name, kind)


def test_parts():
    for name in ("modf", "frexp"):
        compiled = rumba.njit(define(f"np.{name}(a)", np=np))
        for x in (0.0, 1.5, -2.75, 1e300, INF, -INF):
            found, expected = compiled(x), getattr(np, name)(x)
            assert tuple(map(float, found)) == tuple(map(float, expected)), (name, x)
    assert rumba.njit(define("np.ldexp(a, b)", np=np))(1.5, 4) == 24.0
    assert rumba.njit(define("np.divmod(a, b)", np=np))(-7, 2) == (-4, 1)


def test_rounding():
    for digits in (0, 1, 2, 5, -1, -2):
        compiled = rumba.njit(define("np.round(a, b)", np=np))
        for x in FLOATS:
            assert same(compiled(x, digits), np.round(x, digits), 0), (x, digits)
    assert rumba.njit(define("np.round(a)", np=np))(2.5) == 2.0


def test_constants_and_parts_of_complex_numbers():
    compiled = rumba.njit(define("(np.pi, np.real(a), np.imag(a), np.conj(a), np.angle(a), np.isnan(a))", np=np))
    assert compiled(3 + 4j) == (np.pi, 3.0, 4.0, 3 - 4j, np.angle(3 + 4j), False)


def test_single_precision_matches_numpy():
    values = [np.float32(x) for x in (0.1, 0.5, 0.9, -0.7, 2.0, 5.25)]
    for name in ("sin", "cos", "exp", "sqrt", "arctan", "tanh", "cbrt", "expm1"):
        compiled = rumba.njit(define(f"np.{name}(a)", np=np))
        for x in values:
            if name == "sqrt" and x < 0:
                continue
            expected = getattr(np, name)(x)
            assert abs(np.float32(compiled(x)) - expected) <= 2 * np.spacing(abs(expected)), (name, x)


def test_complex_powers_of_nothing_and_of_nan():
    numbers = [0j, complex(NAN, NAN), complex(0, NAN), 1 + 0j, 2 + 1j, -1 + 0j, 1j, 3 + 0j]
    pairs = [(a, b) for a in numbers for b in numbers]
    a, b = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
    with np.errstate(all="ignore"):
        expected, wide = np.power(a, b), np.float_power(a.astype(np.complex64), b.astype(np.complex64))
    # Powers are Rumba's own, within a few units in the last place of the magnitude.
    np.testing.assert_allclose(rumba.njit(define("np.power(a, b)", np=np))(a, b), expected, rtol=1e-15)
    found = rumba.njit(define("np.float_power(a, b)", np=np))(a.astype(np.complex64), b.astype(np.complex64))
    assert found.dtype == np.complex128
    np.testing.assert_allclose(found, wide, rtol=1e-15)


def test_the_ufuncs_that_are_known_are_those_that_compile():
    known = known_ufuncs()
    for ufunc in {function for function in vars(np).values() if isinstance(function, np.ufunc) and not function.signature}:
        kinds = next(loop for loop in ufunc.types if not set(loop) & set("egOmM") or ufunc is np.isnat).replace("->", "")
        operands = [np.ones(3, f"{kind}8[D]" if kind in "mM" else kind) for kind in kinds]
        names = ", ".join("abcd"[:len(operands)])
        compiled = rumba.njit(define(f"np.{ufunc.__name__}({names})", np=np))
        if ufunc in known:
            with np.errstate(all="ignore"):
                expected = ufunc(*operands[:ufunc.nin])
            compiled(*operands)
            for found, wanted in zip(operands[ufunc.nin:], expected if ufunc.nout > 1 else [expected]):
                # Mathematical functions are Rumba's own, within one unit in the last place.
                unit = np.finfo(wanted.dtype).eps if wanted.dtype.kind in "fc" else 0
                np.testing.assert_allclose(found, wanted, rtol=unit)
        else:
            with pytest.raises(rumba.TypingError):
                compiled(*operands)


def test_integers_at_the_ends_of_their_range():
    least, most = -2**63, 2**63 - 1
    pairs = [(2**62, 3), (least, 1), (least, -1), (least, 6), (7, 2**62), (0, 0), (least, least), (most, most - 1)]
    a, b = np.array([a for a, _ in pairs]), np.array([b for _, b in pairs])
    for name in ("lcm", "gcd"):
        compiled = rumba.njit(define(f"np.{name}(a, b)", np=np))
        assert [compiled(*pair) for pair in pairs] == [getattr(np, name)(*pair) for pair in pairs]
        for dtype in ("i1", "i2", "i4", "i8", "u1", "u8"):
            x, y = a.astype(dtype), b.astype(dtype)
            found, expected = compiled(x, y), getattr(np, name)(x, y)
            assert found.dtype == expected.dtype and (found == expected).all()
    for dtype in ("i1", "i2", "i4", "i8", "u1"):
        ends = np.iinfo(dtype)
        x = np.array([ends.max, ends.min, ends.max - 6, 15, 25], dtype)
        with np.errstate(all="ignore"):
            for digits in (-1, -2, 0, 1):
                expected = np.round(x, digits)
                compiled = rumba.njit(define("np.round(a, b)", np=np))
                found = compiled(x, digits)
                assert found.dtype == expected.dtype and (found == expected).all(), (dtype, digits, found, expected)
                assert [compiled(item, digits) for item in x] == expected.tolist()


def test_truth_values():
    truths = np.array([True, False])
    for name in ("conj", "conjugate", "reciprocal"):
        compiled = rumba.njit(define(f"np.{name}(a)", np=np))
        with np.errstate(all="ignore"):
            expected = getattr(np, name)(truths)
        assert compiled(truths).dtype == expected.dtype == np.int8 and (compiled(truths) == expected).all()
        assert [compiled(item) for item in truths] == expected.tolist()
    assert rumba.njit(lambda a: a.conj())(truths).dtype == bool
    with pytest.raises(rumba.errors.TypingError):
        rumba.njit(lambda a: np.sign(a))(truths)


@pytest.mark.parametrize("kind", ["c16", "c8"])
def test_complex_arithmetic_of_arrays_has_the_bits_of_numpy(kind):
    rng = np.random.default_rng(5)
    parts = rng.standard_normal((4, 3000)) * 10.0 ** rng.integers(-5, 5, (4, 3000))
    special = [0.0, -0.0, 1.0, -2.5, INF, -INF, NAN, 1e300, 1e-300]
    numbers = np.array([complex(re, im) for re in special for im in special])
    with np.errstate(all="ignore"):
        tables = [((parts[0] + 1j * parts[1]).astype(kind), (parts[2] + 1j * parts[3]).astype(kind)),
                  (np.repeat(numbers, len(numbers)).astype(kind), np.tile(numbers, len(numbers)).astype(kind))]

    def same_bits(found, expected):
        found, expected = found.view(found.real.dtype), expected.view(expected.real.dtype)
        equal = (found == expected) & (np.signbit(found) == np.signbit(expected)) | np.isnan(found) & np.isnan(expected)
        return found.dtype == expected.dtype and equal.all()

    with np.errstate(all="ignore"):
        for a, b in tables:
            for source in ("a * b", "np.multiply(a, b)", "a / b", "np.divide(a, b)", "np.square(a)", "a ** 2", "a * b[0]", "b[1] * a",
                           "a[::2] * b[::2]", "a[::-1] / b", "b[0] / a", "a[:60, None] * b[:50]", "a[:50] * b[:60, None]", "a[:60, None] / b[:50]"):
                function = define(source, np=np)
                assert same_bits(rumba.njit(function)(a, b) if "b" in source else rumba.njit(function)(a),
                                 function(a, b) if "b" in source else function(a)), source


def test_range_of_truth_values():
    compiled = rumba.njit(lambda n: np.arange(n, dtype=np.bool_))
    assert [compiled(n).tolist() for n in range(3)] == [[], [False], [False, True]]
    with pytest.raises(TypeError, match="only supported for booleans when the result has at most length 2"):
        compiled(3)
