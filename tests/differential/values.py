"""Extreme values of each type: constants of programs and their inputs."""
import math

from . import widths

LEAST, MOST = -(2**63), 2**63 - 1

INTS = (
    0, 1, -1, 2, -2, 3, 7, 10, -10, 31, 32, 63, 64, 65, 255, 1000, -1000,
    2**31 - 1, 2**31, -(2**31), 2**32, 2**53 - 1, 2**53, 2**53 + 1, -(2**53) - 1,
    2**62, -(2**62), 2**62 + 1, MOST, MOST - 1, LEAST, LEAST + 1,
)

FLOATS = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.0, 2.5, -2.5, 3.0, 1e-3, 0.1, -7.25, 1e10, 1e16,
    2.0**31, 2.0**53, 2.0**53 + 2.0, -(2.0**53), 2.0**62, 2.0**63, -(2.0**63), math.nextafter(2.0**63, 0.0),
    2.0**64, 1e308, -1e308, 1.7976931348623157e308, 2.2250738585072014e-308, 5e-324, -5e-324, 1e-310,
    math.inf, -math.inf, math.nan, math.pi, 1.0 + 2.0**-52, 709.8, -745.2,
)

BOOLS = (False, True)

COMPLEX = tuple(complex(re, im) for re in FLOATS[::5] for im in FLOATS[::7])

# The most extreme ones, where rules have their exceptions.
CORNERS = {"int": (0, 1, -1, LEAST, MOST), "float": (0.0, -0.0, -1.0, math.inf, -math.inf, math.nan, 2.0**63),
           "bool": BOOLS, "complex": (0j, complex(-0.0, -0.0), complex(math.inf, math.nan), 1j)}



def _integers(kind):
    """The limits of a width, and the values around the limits of narrower ones."""
    width, signed = widths.INTEGERS[kind]
    most = (1 << (width - signed)) - 1
    near = [0, 1, 2, 3, 7, 8, 31, 63, 64, 100, most // 2, most // 2 + 1, most - 1, most]
    near += [-value - 1 for value in near] if signed else [2**53 + 1, 2**63, 2**63 + 1]
    return tuple(dict.fromkeys(value for value in near if widths.wrap(value, kind) == value))


SINGLES = tuple(dict.fromkeys(widths.single(value) for value in (
    0.0, 1.0, -1.0, 0.5, -2.5, 3.0, 0.1, -7.25, 1e10, 16777217.0, 2.0**31, -(2.0**63), 3e38, -3e38, 1e-45, 1e-38,
    math.inf, -math.inf, 3.4028234663852886e38))) + (-0.0, math.nan)

VALUES = {"int": INTS, "float": FLOATS, "bool": BOOLS, "complex": COMPLEX, "float32": SINGLES,
          "complex64": tuple(complex(re, im) for re in SINGLES[::4] for im in SINGLES[::5])}
VALUES |= {kind: _integers(kind) for kind in widths.INTEGERS if kind != "int"}
for _kind in widths.NARROW:
    CORNERS[_kind] = VALUES[_kind][:2] + VALUES[_kind][-3:]


def pick(rng, items):
    """One of the items. Only `random()` is used: its stream is the same in every version of Python."""
    return items[int(rng.random() * len(items))]


def value(rng, kind):
    """A value of the type, extreme every second time."""
    choice = rng.random()
    if kind == "bool" or choice < 0.5:
        return pick(rng, (CORNERS if choice < 0.12 else VALUES)[kind])
    if kind == "int":
        size = pick(rng, (3, 3, 5, 8, 16, 33, 63))
        return int(rng.random() * 2.0**size) - int(rng.random() * 2.0**size)
    if kind in widths.INTEGERS:
        return widths.wrap(int(rng.random() * 2.0**64), kind)
    if kind == "float32":
        return widths.single((rng.random() - 0.5) * 2.0 ** int(rng.random() * 12.0))
    if kind == "complex64":
        return complex(value(rng, "float32"), value(rng, "float32"))
    if kind == "float":
        return (rng.random() - 0.5) * 2.0 ** int(rng.random() * 12.0)
    return complex(value(rng, "float"), value(rng, "float"))


def text(item):
    """The value as an expression of Python that is one constant where that is possible."""
    if isinstance(item, complex):
        # A sum of literals is one constant where it gives the same bits.
        literal = f"({item.real!r} + {item.imag!r}j)"
        if math.isfinite(item.real) and item.imag > 0.0 and math.isfinite(item.imag) and item.real > 0.0:
            return literal
        return f"complex({text(item.real)}, {text(item.imag)})"
    if isinstance(item, float):
        if math.isnan(item):
            return "math.nan"
        if math.isinf(item):
            return "1e999" if item > 0 else "(-1e999)"
        return repr(item) if math.copysign(1.0, item) > 0 else f"({item!r})"
    return f"({item})" if item < 0 else repr(item)
