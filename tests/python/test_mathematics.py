"""Mathematical functions: within one unit in the last place of the exact value, over 10^6 points; the same bits for one number and for many."""
import decimal
import functools
import math

import numpy as np
import pytest

import rumba
import rumba.testing

# The exact value is taken from C's functions of 64 bits of precision: they are off by 1/2000 of a unit of a double.
assert np.finfo(np.longdouble).nmant >= 63

POINTS = 10**6
# NumPy's name: ranges of arguments beside all bit patterns and magnitudes.
RANGES = {
    "arccos": [(-1, 1)], "arccosh": [(1, 10), (1, 1.01)], "arcsin": [(-1, 1)], "arcsinh": [(-10, 10), (-0.1, 0.1)],
    "arctan": [(-10, 10), (-1, 1)], "arctanh": [(-1, 1), (-0.1, 0.1)], "cbrt": [(-100, 100)], "cos": [(-100, 100), (-1e9, 1e9)],
    "cosh": [(-710, 710), (-2, 2)], "exp": [(-745, 710), (-1, 1)], "exp2": [(-1075, 1024), (-1, 1)], "expm1": [(-40, 710), (-1, 1)],
    "log": [(0.5, 2), (0, 10)], "log10": [(0.5, 2), (0, 10)], "log1p": [(-1, 10), (-0.5, 0.5)], "log2": [(0.5, 2), (0, 10)],
    "sin": [(-100, 100), (-1e9, 1e9)], "sinh": [(-710, 710), (-2, 2)], "tan": [(-100, 100), (-1e9, 1e9)], "tanh": [(-20, 20), (-1, 1)],
}
RANGES_OF_TWO = {
    "arctan2": [((-10, 10), (-10, 10))],
    "hypot": [((-10, 10), (-10, 10))],
    "power": [((0, 10), (-50, 50)), ((0.9, 1.1), (-3000, 3000))],
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, -2.0, 3.0, -3.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1e-310, 1e-45,
           2.2250738585072014e-308, 1e308, -1e308, 709.79, -745.2, 88.7, -104.0, 1e22, -1e22, 1e300, 710.0, 1024.0, -1074.5, 1e-20]
KINDS = ["float64", "float32"]


@functools.cache
def compiled(name, **options):
    """The function over arrays, by a loop."""
    arguments = "a" if name in RANGES or name == "erf" else "a, b"
    call = f"np.{name}({', '.join(f'{one}[i]' for one in arguments.split(', '))})"
    call = call.replace("np.erf", "math.erf").replace("np.power(a[i], b[i])", "math.pow(a[i], b[i])")
    space = {"np": np, "math": math}
    exec(f"def over({arguments}, out):\n for i in range(len(out)): out[i] = {call}", space)
    return rumba.njit(error_model="numpy", **options)(space["over"])


def over(name, *args, **options):
    out = np.empty_like(args[0])
    compiled(name, **options)(*args, out)
    return out


def patterns(kind, rng, count):
    width = np.dtype(kind).itemsize * 8
    return rng.integers(0, 2**width, count, dtype=f"u{width // 8}").view(kind)


def magnitudes(kind, rng, count):
    return (np.exp2(rng.uniform(-30, 30, count)) * rng.choice([-1, 1], count)).astype(kind)


def special_values(kind):
    with np.errstate(over="ignore"):
        return np.array(SPECIAL).astype(kind)


def points(name, kind):
    """Tuples of arrays of arguments."""
    rng = np.random.default_rng(len(name))
    special = special_values(kind)
    if name in RANGES:
        ranges = RANGES[name]
        count = POINTS // (len(ranges) + 2)
        yield (np.resize(special, 70),)
        for make in (patterns, magnitudes):
            yield (make(kind, rng, count),)
        for low, high in ranges:
            yield (rng.uniform(low, high, count).astype(kind),)
        return
    ranges = RANGES_OF_TWO[name]
    count = POINTS // (len(ranges) + 2)
    yield tuple(side.ravel() for side in np.meshgrid(special, special))
    for make in (patterns, magnitudes):
        yield make(kind, rng, count), make(kind, rng, count)
    for one, other in ranges:
        yield rng.uniform(*one, count).astype(kind), rng.uniform(*other, count).astype(kind)


def units(found, exact, kind):
    """Distances in units of the last place; what rounds to infinity may be that or the largest number."""
    limits = np.finfo(kind)
    with np.errstate(all="ignore"):
        usual = np.isfinite(exact) & (exact != 0)
        exponent = np.frexp(np.where(usual, exact, np.longdouble(1)))[1] - 1
        unit = np.ldexp(np.longdouble(1), np.maximum(exponent, limits.minexp) - limits.nmant)
        beyond = np.abs(exact) >= np.ldexp(np.longdouble(1), limits.maxexp)
        clipped = np.where(np.isinf(found), np.copysign(np.ldexp(np.longdouble(1), limits.maxexp), found), found)
        distance = np.abs(clipped - exact) / unit
        saturated = (np.abs(found) >= limits.max) & (np.signbit(found) == np.signbit(exact))
    distance = np.where(beyond, np.where(saturated, 0, np.inf), distance)
    either = np.isnan(found) | np.isnan(exact)
    return np.where(either, np.where(np.isnan(found) & np.isnan(exact), 0, np.inf), distance)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*RANGES, *RANGES_OF_TWO])
def test_within_one_unit(name, kind):
    for args in points(name, kind):
        found = over(name, *args)
        with np.errstate(all="ignore"):
            exact = getattr(np, name)(*(arg.astype(np.longdouble) for arg in args))
        distances = units(found, exact, kind)
        worst = int(np.argmax(distances))
        assert distances[worst] <= 1, (distances[worst], [arg[worst] for arg in args], found[worst], exact[worst])
        zero = (exact == 0) & ~np.isnan(found)
        assert (np.signbit(found[zero]) == np.signbit(exact[zero])).all()


def exact_erf(x):
    """By its series, to 30 digits at least."""
    with decimal.localcontext(prec=60):
        x = decimal.Decimal(x)
        power, total, n = x, x, 0
        while abs(power) > decimal.Decimal("1e-40") * abs(total):
            n += 1
            power *= -x * x / n
            total += power / (2 * n + 1)
        # sqrt(pi) / 2
        value = total / decimal.Decimal("0.886226925452758013649083741670572591398774728061193564106904")
        high = float(value)
        return np.longdouble(high) + np.longdouble(float(value - decimal.Decimal(high)))


def test_error_function_is_within_one_unit():
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.uniform(-6, 6, 1000), magnitudes("float64", rng, 2000)])
    x = x[np.abs(x) < 6]
    assert units(over("erf", x), np.array([exact_erf(float(one)) for one in x]), "float64").max() <= 1
    single = x.astype("float32")
    assert units(over("erf", single), np.array([exact_erf(float(one)) for one in single]), "float32").max() <= 1


def same(found, expected):
    np.testing.assert_array_equal(found.view(f"u{found.itemsize}")[~np.isnan(expected)],
                                  expected.view(f"u{found.itemsize}")[~np.isnan(expected)])
    np.testing.assert_array_equal(np.isnan(found), np.isnan(expected))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", [*RANGES, "erf", *RANGES_OF_TWO])
def test_equal_bits_everywhere(name, kind):
    # 67 is not a multiple of a vector: the remainder is computed one by one.
    if name in RANGES_OF_TWO:
        args = [np.resize(side, 1027) for side in list(points(name, kind))[0]]
        args = [np.concatenate([one, magnitudes(kind, np.random.default_rng(5 + i), 200)]) for i, one in enumerate(args)]
    else:
        args = [np.concatenate([special_values(kind), magnitudes(kind, np.random.default_rng(5), 227)])]
    expected = over(name, *args)
    same(over(name, *args, _opt_level=0), expected)
    for start in (1, 2, 3):
        same(over(name, *(np.ascontiguousarray(arg[start:start + 5]) for arg in args)), expected[start:start + 5])
    one = compiled_of_one(name)
    for index in range(0, len(expected), 7):
        scalars = [arg[index] for arg in args]
        for value in (one(*scalars), rumba.testing.interpret(one, *scalars)):
            assert math.isnan(value) and np.isnan(expected[index]) or value == expected[index], scalars
    if name in RANGES:
        same(rumba.njit(getattr_of(name))(args[0]), expected)
        strided = np.repeat(args[0], 3)[::3]
        same(over(name, strided), expected)


@functools.cache
def compiled_of_one(name):
    space = {"np": np, "math": math}
    call = {"erf": "math.erf(a)", "power": "math.pow(a, b)"}.get(name, f"np.{name}(a)" if name in RANGES else f"np.{name}(a, b)")
    exec(f"def one({'a' if name in RANGES or name == 'erf' else 'a, b'}): return {call}", space)
    return rumba.njit(error_model="numpy")(space["one"])


def getattr_of(name):
    space = {"np": np}
    exec(f"def expression(a): return np.{name}(a)", space)
    return space["expression"]


def test_loops_call_forms_with_several_lanes():
    @rumba.njit
    def total(a):
        out = np.empty_like(a)
        for i in range(len(a)):
            out[i] = np.exp(a[i]) if a[i] > 0 else np.sin(a[i])
        return out

    a = np.linspace(-3, 3, 100)
    # Both functions are Rumba's own, within a unit in the last place.
    np.testing.assert_allclose(total(a), np.where(a > 0, np.exp(a), np.sin(a)), rtol=1e-15)
    if rumba_has_lanes():
        text = next(iter(total.inspect_asm().values()))
        assert "rumba_exp_x" in text and "rumba_sin_x" in text


def rumba_has_lanes():
    """Whether this processor has AVX2, as all that have forms with several lanes."""
    with open("/proc/cpuinfo") as file:
        return " avx2 " in file.read()
