"""Rows of the grammar for `operator`, `cmath`, NumPy's functions, and what else the catalog has under a name."""
import functools

from . import widths
from .grammar_widths import NUMPY
from .rows import row
from .widths import INTEGERS, KINDS

RARE = 0.02
REAL = tuple(kind for kind in KINDS if not widths.is_complex(kind))
NUMBERS = tuple(kind for kind in KINDS if kind != "bool")

# `operator`'s functions of two by what they mean.
BINARY = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "and_": "&",
          "or_": "|", "xor": "^", "lshift": "<<", "rshift": ">>"}
ORDER = {"lt": "<", "le": "<=", "eq": "==", "ne": "!=", "gt": ">", "ge": ">="}

# NumPy's functions of one float that are a function of the C library, and its name there.
LIBM = {"arccos": "acos", "arccosh": "acosh", "arcsin": "asin", "arcsinh": "asinh", "arctan": "atan", "arctanh": "atanh",
        "cos": "cos", "cosh": "cosh", "exp": "exp", "exp2": "exp2", "expm1": "expm1", "log": "log", "log10": "log10",
        "log1p": "log1p", "log2": "log2", "sin": "sin", "sinh": "sinh", "tan": "tan", "tanh": "tanh"}
LIBM_OF_TWO = {"arctan2": "atan2", "hypot": "hypot", "float_power": "pow"}
# Those where NumPy's result is exact, and the kinds they are known for.
FLOATS = ("float32", "float")
EXACT = {name: FLOATS for name in ("fabs", "rint", "sqrt", "reciprocal", "spacing", "signbit", "isnan", "isinf", "isfinite",
                                   "floor", "ceil", "trunc")}
EXACT |= {"negative": NUMBERS[:-2], "positive": NUMBERS[:-2], "square": NUMBERS[:-2], "sign": NUMBERS[:-2],
          "absolute": REAL, "invert": ("bool", *INTEGERS), "logical_not": REAL}
EXACT_OF_TWO = {name: FLOATS for name in ("copysign", "nextafter", "heaviside")}
EXACT_OF_TWO |= {name: NUMBERS[:-2] for name in ("subtract", "floor_divide", "remainder", "fmod", "divide")}
EXACT_OF_TWO |= {name: REAL for name in ("add", "multiply", "less", "less_equal", "equal",
                                         "not_equal", "greater", "greater_equal", "logical_and", "logical_or", "logical_xor")}
# Which of two zeros is larger depends on how NumPy was built.
ZEROS = ("maximum", "minimum", "fmax", "fmin")
EXACT_OF_TWO |= {name: REAL[1:] for name in ZEROS}
EXACT_OF_TWO |= {name: ("bool", *INTEGERS) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")}
EXACT_OF_TWO |= {name: tuple(INTEGERS) for name in ("left_shift", "right_shift", "gcd")}
# Which sign a NaN has is nobody's promise.
OF_SIGNS = {"signbit": "({} and {{0}} == {{0}})", "copysign": "({} if {{1}} == {{1}} else {{0}})"}
# NumPy's least common multiple wraps where compiled code raises.
EXACT_OF_TWO["lcm"] = ("int8", "int16", "uint8", "uint16")


def rows():
    """All rows."""
    yield from _operators()
    yield from _cmath()
    yield from _numpy()
    yield from _singles()
    yield from _others()


def _operators():
    kinds = ("int", "float", "bool")
    for name, symbol in BINARY.items():
        for kind in kinds:
            found = widths.binary(symbol, kind, kind)
            second = "({1} + 0)" if symbol == "**" and kind == "int" else "{1}"
            for function in (name, "i" + name.rstrip("_")) if found else ():
                yield row(f"operator.{function}({kind}, {kind})", "operator", found[1], (f"{kind}!",) * 2,
                          f"operator.{function}({{0}}, {second})", f"wide('binary', '{symbol}', '{kind}', '{kind}')({{0}}, {{1}})",
                          weight=RARE)
    for name in ORDER:
        for kind in kinds:
            yield row(f"operator.{name}({kind}, {kind})", "operator", "bool", (f"{kind}!",) * 2,
                      f"operator.{name}({{0}}, {{1}})", weight=RARE)
    for name, symbol in (("neg", "-"), ("pos", "+"), ("inv", "~"), ("invert", "~"), ("abs", "abs")):
        for kind in kinds:
            found = widths.unary(symbol, kind)
            if found:
                yield row(f"operator.{name}({kind})", "operator", found[1], (f"{kind}!",), f"operator.{name}({{0}})",
                          f"wide('unary', '{symbol}', '{kind}')({{0}})", weight=RARE)
    for name in ("not_", "truth"):
        for kind in kinds:
            yield row(f"operator.{name}({kind})", "operator", "bool", (f"{kind}!",), f"operator.{name}({{0}})", weight=RARE)
    yield row("operator.is_(bool, bool)", "operator", "bool", ("bool!",) * 2, "operator.is_({0}, {1})", weight=RARE)
    yield row("operator.is_not(bool, bool)", "operator", "bool", ("bool!",) * 2, "operator.is_not({0}, {1})", weight=RARE)
    yield row("operator.index(int)", "operator", "int", ("int!",), "operator.index({0})", weight=RARE)
    pair = "({0}, {1})"
    for text, result in ((f"operator.concat({pair}, ({{0}},))[2]", "int"), (f"operator.iconcat({pair}, ({{0}},))[2]", "int"),
                         (f"operator.contains({pair}, {{1}})", "bool"), (f"operator.countOf({pair}, {{1}})", "int"),
                         (f"operator.indexOf({pair}, {{1}})", "int"), (f"operator.getitem({pair}, 1)", "int")):
        yield row(text.split("(")[0], "operator", result, ("int!",) * 2, text, weight=RARE)


def _cmath():
    names = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "exp", "log", "log10", "sin", "sinh", "sqrt",
             "tan", "tanh")
    for name in names:
        yield row(f"cmath.{name}(complex)", "cmath", "complex", ("complex!",), f"cmath.{name}({{0}})", weight=RARE)
    for name, result in (("isfinite", "bool"), ("isinf", "bool"), ("isnan", "bool")):
        yield row(f"cmath.{name}(complex)", "cmath", result, ("complex!",), f"cmath.{name}({{0}})", weight=RARE)
    # CPython's phase is an OverflowError where the C library's atan2 underflows.
    yield row("cmath.phase(complex)", "cmath", "float", ("complex!",), "cmath.phase({0})", "math.atan2({0}.imag, {0}.real)", weight=RARE)
    for index in (0, 1):
        yield row(f"cmath.polar(complex)[{index}]", "cmath", "float", ("complex!",), f"cmath.polar({{0}})[{index}]", weight=RARE)
    yield row("cmath.rect(float, float)", "cmath", "complex", ("float!",) * 2, "cmath.rect({0}, {1})", weight=RARE)
    yield row("cmath.isclose", "cmath", "bool", ("complex!",) * 2, "cmath.isclose({0}, {1})", weight=RARE)
    yield row("cmath.log(complex, complex)", "cmath", "complex", ("complex!",) * 2, "cmath.log({0}, {1})", weight=RARE)


def _numpy():
    for name, c_name in LIBM.items():
        for kind in FLOATS:
            yield row(f"np.{name}({kind})", "numpy", kind, (f"{kind}!",), f"np.{name}({{0}})",
                      f"libm('{c_name}', '{kind}')({{0}})", weight=RARE)
    for name, c_name in LIBM_OF_TWO.items():
        for kind in FLOATS if name != "float_power" else ("float",):
            yield row(f"np.{name}({kind}, {kind})", "numpy", kind, (f"{kind}!",) * 2, f"np.{name}({{0}}, {{1}})",
                      f"libm('{c_name}', '{kind}', 2)({{0}}, {{1}})", weight=RARE)
    for count, table in ((1, EXACT), (2, EXACT_OF_TWO)):
        operands = ", ".join(f"{{{index}}}" for index in range(count))
        for name, kinds in table.items():
            for kind in kinds:
                result = _kind_of_result(name, kind, count)
                if result and name in ZEROS and kind in FLOATS:
                    yield row(f"np.{name}({kind}, {kind})", "numpy", "float", (f"{kind}!",) * 2, f"(np.{name}({operands}) + 0.0)",
                              f"(numpy_scalar('{name}', '{kind}')({operands}) + 0.0)", weight=RARE)
                elif result:
                    form = OF_SIGNS.get(name, "{}")
                    yield row(f"np.{name}({', '.join([kind] * count)})", "numpy", result, (f"{kind}!",) * count,
                              form.format(f"np.{name}({operands})"), form.format(f"numpy_scalar('{name}', '{kind}')({operands})"),
                              weight=RARE)
    for name, text in (("radians", "math.pi / 180.0"), ("deg2rad", "math.pi / 180.0"), ("degrees", "180.0 / math.pi"),
                       ("rad2deg", "180.0 / math.pi")):
        yield row(f"np.{name}(float)", "numpy", "float", ("float!",), f"np.{name}({{0}})", f"({{0}} * ({text}))", weight=RARE)
    yield row("np.cbrt(float)", "numpy", "float", ("float!",), "np.cbrt({0})", "math.cbrt({0})", weight=RARE)
    yield row("np.power(int, int)", "numpy", "int", ("int!",) * 2, "np.power({0}, {1} & 15)", "ipow({0}, {1} & 15)", weight=RARE)
    yield row("np.ldexp(float, int)", "numpy", "float", ("float!", "int!"), "np.ldexp({0}, {1} % 80 - 40)",
              "numpy_scalar('ldexp', 'float', 'int')({0}, {1} % 80 - 40)", weight=RARE)
    for name, kinds in (("modf", ("float", "float")), ("frexp", ("float", "int32"))):
        for index, kind in enumerate(kinds):
            yield row(f"np.{name}(float)[{index}]", "numpy", kind, ("float!",), f"np.{name}({{0}})[{index}]",
                      f"numpy_scalar('{name}', 'float')({{0}})[{index}]", weight=RARE)
    for index in (0, 1):
        yield row(f"np.divmod(int, int)[{index}]", "numpy", "int", ("int!",) * 2, f"np.divmod({{0}}, {{1}})[{index}]",
                  f"numpy_scalar('divmod', 'int')({{0}}, {{1}})[{index}]", weight=RARE)
    for name in ("round", "around"):
        yield row(f"np.{name}(float)", "numpy", "float", ("float!",), f"np.{name}({{0}})", "numpy_scalar('rint', 'float')({0})",
                  weight=RARE)
    # Sums of powers differ in the last bit from NumPy's; what can be said of them exactly is compared.
    for name in ("logaddexp", "logaddexp2"):
        yield row(f"np.{name}(float, float)", "numpy", "bool", ("float!",) * 2, f"(np.{name}({{0}}, {{1}}) >= max({{0}}, {{1}}))",
                  f"(numpy_scalar('{name}', 'float')({{0}}, {{1}}) >= max({{0}}, {{1}}))", weight=RARE)
    for name, result in (("real", "float"), ("imag", "float"), ("conjugate", "complex"), ("absolute", "float"), ("angle", "float")):
        emulated = {"absolute": "cabs({0})", "conjugate": "{0}.conjugate()", "angle": "math.atan2({0}.imag, {0}.real)"}
        yield row(f"np.{name}(complex)", "numpy", result, ("complex!",), f"np.{name}({{0}})",
                  emulated.get(name, f"{{0}}.{name}"), weight=RARE)


@functools.cache
def _kind_of_result(name, kind, count):
    """The kind of NumPy's result for operands of a kind; None where NumPy has none."""
    import numpy

    scalar = getattr(numpy, NUMPY.get(kind, kind))(1)
    try:
        with numpy.errstate(all="ignore"):
            found = getattr(numpy, name)(*[scalar] * count).dtype.name
    except TypeError:
        return None
    return {"int64": "int", "float64": "float", "complex128": "complex"}.get(found, found if found in KINDS else None)


# `math`'s functions of one float, on singles; what the C library calls them.
SINGLE_MATH = ("acos", "acosh", "asin", "asinh", "atan", "atanh", "cos", "cosh", "erf", "erfc", "exp", "exp2", "expm1", "fabs",
               "log", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan", "tanh")


def _singles():
    for name in SINGLE_MATH:
        yield row(f"math.{name}(float32)", "singles", "float32", ("float32!",), f"math.{name}({{0}})",
                  f"single_math('{name}')({{0}})", weight=RARE)
    for name in ("atan2", "copysign", "fmod", "pow"):
        form = OF_SIGNS.get(name, "{}")
        yield row(f"math.{name}(float32, float32)", "singles", "float32", ("float32!",) * 2, form.format(f"math.{name}({{0}}, {{1}})"),
                  form.format(f"single_math('{name}', 2)({{0}}, {{1}})"), weight=RARE)
    for name in ("isnan", "isinf", "isfinite"):
        yield row(f"math.{name}(float32)", "singles", "bool", ("float32!",), f"math.{name}({{0}})", weight=RARE)
    for name in ("floor", "ceil", "trunc"):
        yield row(f"math.{name}(float32)", "singles", "int", ("float32!",), f"math.{name}({{0}} % np.float32(100.0))",
                  f"math.{name}(wide('binary', '%', 'float32', 'float32')({{0}}, 100.0))", weight=RARE)


def _others():
    """Builtins and methods that have no other row."""
    for kind, result in (("int", True), ("float", True), ("bool", True), ("complex", True)):
        for text in ("isinstance({0}, int)", "isinstance({0}, (float, bool))", "hasattr({0}, 'imag')", "hasattr({0}, 'x')",
                     "callable({0})", "({0} is None)", "({0} is not None)", "(type({0}) == int)"):
            if "type(" in text and kind == "bool":
                continue
            yield row(text.format(kind), "others", "bool", (f"{kind}!",), text, weight=RARE)
    for name in ("real", "imag", "numerator", "denominator"):
        yield row(f"int.{name}", "others", "int", ("int!",), f"{{0}}.{name}", weight=RARE)
    yield row("getattr(float, 'imag')", "others", "float", ("float!",), "getattr({0}, 'imag')", weight=RARE)
    yield row("getattr(float, 'x', float)", "others", "float", ("float!",), "getattr({0}, 'x', 2.5)", weight=RARE)
    yield row("complex ** complex, by pow", "others", "complex", ("complex!",) * 2, "pow({0}, {1})", weight=RARE)
    yield row("float.is_integer", "others", "bool", ("float!",), "{0}.is_integer()", weight=RARE)
    yield row("int.conjugate", "others", "int", ("int!",), "{0}.conjugate()", weight=RARE)
    yield row("int32.item", "others", "int32", ("int32!",), "np.int32({0}).item()", "convert({0}, 'int32')", weight=RARE)
    yield row("next(iter(tuple))", "others", "int", ("int!",) * 2, "next(iter(({0}, {1})))", weight=RARE)
    yield row("next(iter(range))", "others", "int", ("int!",), "next(iter(range({0} % 3)))", weight=RARE)
    yield row("tuple(tuple)", "others", "int", ("int!",) * 2, "tuple(({0}, {1}))[1]", weight=RARE)
    yield row("len of a tuple", "others", "int", ("int!",) * 2, "len(({0}, {1}))", weight=RARE)
    for name in ("start", "stop", "step"):
        yield row(f"range.{name}", "others", "int", ("int!",) * 2, f"range({{0}} % 9, {{1}} % 9, 2).{name}", weight=RARE)
    yield row("range.index", "others", "int", ("int!",) * 2, "range({0} % 9, {0} % 9 + 20, 3).index({1} % 30)", weight=RARE)
    yield row("range.count", "others", "int", ("int!",) * 2, "range({0} % 9, {0} % 9 + 20, 3).count({1} % 30)", weight=RARE)
    yield row("range == range", "others", "bool", ("int!",) * 2, "(range({0} % 9) == range({1} % 9))", weight=RARE)
    yield row("range != range", "others", "bool", ("int!",) * 2, "(range(0, {0} % 9, 2) != range(0, {1} % 9, 2))", weight=RARE)
    yield row("range[slice]", "others", "int", ("int!",) * 2, "sum(range({0} % 20, {1} % 5 + 30)[2:9:2])", weight=RARE)
    yield row("max(range)", "others", "int", ("int!",), "max(range({0} % 9))", weight=RARE)
    yield row("min(range)", "others", "int", ("int!",), "min(range({0} % 9, -3, -2))", weight=RARE)
    yield row("bool(range)", "others", "bool", ("int!",), "bool(range({0} % 2))", weight=RARE)
    yield row("sum(tuple, start)", "others", "int", ("int!",) * 3, "sum(({0}, {1}), {2})", "w({0} + {1} + {2})", weight=RARE)
    yield row("math.prod", "others", "int", ("int!",) * 3, "math.prod(({0}, {1}, {2}))", "w({0} * {1} * {2})", weight=RARE)
    yield row("math.fsum", "others", "float", ("float!",) * 3, "math.fsum(({0}, {1}, {2}))", weight=RARE)
    yield row("math.dist", "others", "float", ("float!",) * 2, "math.dist(({0}, 1.0), ({1}, 2.5))", weight=RARE)
    yield row("math.hypot of three", "others", "float", ("float!",) * 3, "math.hypot({0}, {1}, {2})", weight=RARE)
    for a, b in (("uint64", "uint64"), ("int", "uint64"), ("uint64", "int"), ("float32", "float32"), ("float32", "int"),
                 ("float32", "uint64")):
        second = "({1} + 0)" if b == "int" else "{1}"
        yield row(f"pow({a}, {b})", "others", widths.binary("**", a, b)[1], (f"{a}!", f"{b}!"), f"pow({{0}}, {second})",
                  f"wide('binary', '**', '{a}', '{b}')({{0}}, {{1}})", weight=RARE)
    yield row("pow(uint64, uint64, uint64)", "others", "uint64", ("uint64!",) * 3, "pow({0}, {1}, {2})",
              "modular({0}, {1}, {2})", weight=RARE)
    for name in ("floor", "ceil", "trunc"):
        yield row(f"math.{name}(uint64)", "others", "uint64", ("uint64!",), f"math.{name}({{0}})", weight=RARE)
    yield row("math.perm(int)", "others", "int", ("int!",), "math.perm({0} % 20)", weight=RARE)
    for module, kind in (("math", "float"), ("cmath", "complex")):
        yield row(f"{module}.isclose, rel_tol", "others", "bool", (f"{kind}!",) * 2, f"{module}.isclose({{0}}, {{1}}, rel_tol=0.25)",
                  weight=RARE)
        yield row(f"{module}.isclose, both", "others", "bool", (f"{kind}!",) * 2,
                  f"{module}.isclose({{0}}, {{1}}, rel_tol=0.25, abs_tol=1.0)", weight=RARE)
    yield row("float32.is_integer", "others", "bool", ("float32!",), "np.float32({0}).is_integer()", "{0}.is_integer()", weight=RARE)
    yield row("G_INT", "others", "int", (), "G_INT", weight=0.3)
    yield row("G_FLOAT", "others", "float", (), "G_FLOAT", weight=0.3)
    yield row("G_BOOL", "others", "bool", (), "G_BOOL", weight=0.1)
    yield row("G_PAIR[1]", "others", "float", (), "G_PAIR[1]", weight=0.1)
    for kind in ("int", "float", "complex"):
        for text in (f"({{0}}.__class__ is {kind})", f"(type({{0}}).__name__ == '{kind}')", f"({{0}}.__class__.__qualname__ != '{kind}')"):
            yield row(text.format(kind), "others", "bool", (f"{kind}!",), text, weight=0)
