"""The table of expressions: one row for each operator and combination of types.

To extend the language, add rows. A row is what the expression looks like in Python and in the
emulated program (with the names of `semantics`); `{0}`, `{1}` stand for the operands. Statements are
in `generator`.
"""
import functools
import itertools

from . import grammar_modules, grammar_widths
from .rows import binary, row

INTEGERS = (("int", "int"),) * 1 + (("int", "bool"), ("bool", "int"), ("bool", "bool"))
FLOATS = (("float", "float"), ("float", "int"), ("int", "float"), ("float", "bool"), ("bool", "float"))
REALS = INTEGERS + FLOATS


def arithmetic():
    """The arithmetic operators."""
    for op in "+-*":
        yield from binary("arithmetic", op, "int", INTEGERS[:1], f"w({{0}} {op} {{1}})", weight=6)
        yield from binary("arithmetic", op, "int", INTEGERS[1:], f"w({{0}} {op} {{1}})", weight=0.5)
        yield from binary("arithmetic", op, "float", FLOATS[:1], weight=6)
        yield from binary("arithmetic", op, "float", FLOATS[1:], weight=0.7)
    for op in ("//", "%"):
        yield from binary("division", op, "int", INTEGERS[:1], f"w({{0}} {op} {{1}})", weight=0.12)
        yield from binary("division", op, "int", INTEGERS[1:], f"w({{0}} {op} {{1}})", weight=0.03)
        yield from binary("division", op, "float", FLOATS[:1], weight=0.12)
        yield from binary("division", op, "float", FLOATS[1:], weight=0.05)
    yield from binary("division", "/", "float", REALS[:1], weight=0.12)
    yield from binary("division", "/", "float", FLOATS[:1], weight=0.12)
    yield from binary("division", "/", "float", INTEGERS[1:] + FLOATS[1:], weight=0.05)
    for kind in ("int", "float"):
        # A divisor that is never zero, so that programs with divisions reach their end, too.
        constant = {"int": "(({1} & 15) + 1)", "float": "(abs({1}) + 1.0)"}[kind]
        for op in ("/", "//", "%"):
            result = "float" if op == "/" else kind
            name = f"{kind} {op} {kind} (no zero)"
            yield row(name, "division", result, (kind, f"{kind}!"), f"({{0}} {op} {constant})",
                      f"w({{0}} {op} {constant})" if result == "int" else None, weight=2)
    for kind in ("int", "bool"):
        yield row(f"-{kind}", "arithmetic", "int", (f"{kind}!",), "(-{0})", "w(-{0})")
        yield row(f"+{kind}", "arithmetic", "int", (f"{kind}!",), "(+{0})", weight=0.5)
    yield row("-float", "arithmetic", "float", ("float!",), "(-{0})")
    yield row("+float", "arithmetic", "float", ("float!",), "(+{0})", weight=0.5)


def powers():
    """`**`, with literal exponents and others."""
    for power in (0, 1, 2, 3, 5, 63):
        for kind in ("int", "bool"):
            yield row(f"{kind} ** {power}", "power", "int", (f"{kind}!",), f"({{0}} ** {power})",
                      f"ipow({{0}}, {power})", weight=0.4 if kind == "int" else 0.1)
    for power in (-1, -2, -3):
        for kind in ("int", "bool"):
            yield row(f"{kind} ** {power}", "power", "float", (f"{kind}!",), f"({{0}} ** {power})",
                      f"named_power({{0}}, {power})", weight=0.1 if kind == "int" else 0.03)
    for power in (0, 1, 2, 3, 12, -1, -2, 0.5, -0.5, 2.0, 1.5, -2.5):
        yield row(f"float ** {power}", "power", "float", ("float!",), f"({{0}} ** {power})",
                  f"named_power({{0}}, {power})", weight=0.3)
    yield row("float ** 0.3", "power", "float", ("float!",), "({0} ** 0.3)", "fpow({0}, 0.3)", weight=0.3)
    yield row("int ** int", "power", "int", ("int!", "int!"), "({0} ** ({1} & 15))", "ipow({0}, {1} & 15)",
              aug="**= ({1} & 15)")
    yield row("int ** int (any)", "power", "int", ("int!", "int!"), "({0} ** ({1} % 9 - 1))",
              "ipow({0}, {1} % 9 - 1)", weight=0.15)
    yield row("int ** int (huge)", "power", "int", ("int!", "int!"), "({0} ** ({1} & 9223372036854775807))",
              "ipow({0}, {1} & 9223372036854775807)", weight=0.3)
    yield row("bool ** bool", "power", "int", ("bool!", "bool!"), "({0} ** {1})", "ipow({0}, {1})", weight=0.2)
    for a, b in FLOATS:
        b = b.replace("int", "int!")
        python = "({0} ** ({1} + 0))" if b == "int!" else "({0} ** {1})"
        emulated = "fpow({0}, w({1} + 0))" if b == "int!" else "fpow({0}, {1})"
        aug = "**= {1}" if (a, b) == ("float", "float") else None
        yield row(f"{a} ** {b.rstrip('!')}", "power", "float", (f"{a}!", b), python, emulated, aug=aug, weight=0.4)


def bits():
    """Bitwise operators and shifts."""
    for op in "&|^":
        yield from binary("bits", op, "int", (("int", "int"),), weight=2)
        yield from binary("bits", op, "int", (("int", "bool"), ("bool", "int")), weight=0.3)
        yield from binary("bits", op, "bool", (("bool", "bool"),))
    yield row("~int", "bits", "int", ("int!",), "(~{0})")
    yield row("~bool", "bits", "bool", ("bool!",), "(~{0})", "(not {0})", weight=0.5)
    for op, name in (("<<", "shl"), (">>", "shr")):
        emulated = f"{name}({{0}}, {{1}})"
        yield from binary("bits", op, "int", (("int", "int"),), emulated, 0.12)
        yield from binary("bits", op, "int", (("int", "bool"), ("bool", "int"), ("bool", "bool")), emulated, 0.1)
        yield row(f"int {op} int (count in range)", "bits", "int", ("int", "int!"), f"({{0}} {op} ({{1}} & 63))",
                  f"{name}({{0}}, {{1}} & 63)", aug=f"{op}= ({{1}} & 63)", weight=2)
        for count in (1, 4, 63, 64):
            yield row(f"int {op} {count}", "bits", "int", ("int!",), f"({{0}} {op} {count})",
                      f"{name}({{0}}, {count})", weight=0.3)


def comparisons():
    """Comparisons, chains of them, and logic."""
    for op in ("<", "<=", "==", "!=", ">", ">="):
        for a, b in REALS:
            weight = 2 if a == b else 0.6 if "bool" not in (a, b) else 0.2
            yield row(f"{a} {op} {b}", "comparison", "bool", (a, b), f"({{0}} {op} {{1}})", weight=weight)
    for first, second in (("<", "<="), ("<=", "<"), (">", ">="), ("==", "!="), ("!=", "<"), (">=", "==")):
        for kinds in (("int", "int!", "int"), ("float", "float!", "float"), ("int", "float!", "int")):
            names = [kind.rstrip("!") for kind in kinds]
            yield row(f"{names[0]} {first} {names[1]} {second} {names[2]}", "chain", "bool", kinds,
                      f"({{0}} {first} {{1}} {second} {{2}})", lazy=(2,), weight=0.4)
    yield row("chain of four", "chain", "bool", ("int", "int!", "int!", "int"), "({0} <= {1} < {2} != {3})",
              lazy=(2, 3), weight=0.3)
    yield row("bool is bool", "comparison", "bool", ("bool!", "bool!"), "({0} is {1})", weight=0.3)
    yield row("bool is not bool", "comparison", "bool", ("bool!", "bool!"), "({0} is not {1})", weight=0.3)


def logic():
    """and, or, not, the conditional expression, truth."""
    for kind, weight in (("bool", 3), ("int", 1), ("float", 1)):
        yield row(f"{kind} and {kind}", "logic", kind, (kind + "!", kind), "({0} and {1})", lazy=(1,), weight=weight)
        yield row(f"{kind} or {kind}", "logic", kind, (kind + "!", kind), "({0} or {1})", lazy=(1,), weight=weight)
        yield row(f"not {kind}", "logic", "bool", (kind + "!",), "(not {0})", weight=1)
        yield row(f"bool({kind})", "logic", "bool", (kind,), "bool({0})", weight=0.5)
        for test in ("bool", "int", "float"):
            yield row(f"{kind} if {test} else {kind}", "logic", kind, (kind, test + "!", kind),
                      "({0} if {1} else {2})", order=(1, 0, 2), lazy=(0, 2), weight=1.5 if test == "bool" else 0.4)


def conversions():
    """Types called as functions."""
    yield row("int(float)", "conversion", "int", ("float",), "int({0})", "fint({0})", weight=0.35)
    yield row("int(int)", "conversion", "int", ("int",), "int({0})", weight=0.3)
    yield row("int(bool)", "conversion", "int", ("bool",), "int({0})")
    yield row("float(int)", "conversion", "float", ("int",), "float({0})", weight=2)
    yield row("float(float)", "conversion", "float", ("float",), "float({0})", weight=0.3)
    yield row("float(bool)", "conversion", "float", ("bool",), "float({0})", weight=0.5)


def functions():
    """Built-in functions of numbers."""
    yield row("abs(int)", "builtins", "int", ("int",), "abs({0})", "w(abs({0}))")
    yield row("abs(bool)", "builtins", "int", ("bool",), "abs({0})", weight=0.2)
    yield row("abs(float)", "builtins", "float", ("float",), "abs({0})")
    for name in ("min", "max"):
        for kind, weight in (("int", 1), ("float", 1), ("bool", 0.2)):
            for count in (2, 3):
                operands = ", ".join(f"{{{i}}}" for i in range(count))
                yield row(f"{name}({', '.join([kind] * count)})", "builtins", kind, (kind,) * count,
                          f"{name}({operands})", weight=weight if count == 2 else weight / 2)
    yield row("pow(int, int)", "builtins", "int", ("int!", "int!"), "pow({0}, {1} & 31)", "ipow({0}, {1} & 31)",
              weight=0.5)
    yield row("pow(float, float)", "builtins", "float", ("float!", "float!"), "pow({0}, {1})", "fpow({0}, {1})",
              weight=0.5)
    # The tuples that divmod gives are unpacked by a statement or indexed here.
    for index in (0, 1):
        yield row(f"divmod(int, int)[{index}]", "builtins", "int", ("int", "int"),
                  f"divmod({{0}}, {{1}})[{index}]", f"idivmod({{0}}, {{1}})[{index}]", weight=0.07)
        yield row(f"divmod(float, float)[{index}]", "builtins", "float", ("float", "float"),
                  f"divmod({{0}}, {{1}})[{index}]", weight=0.07)


# Functions by how often they are wanted; those that have no value for most floats are rare.
UNARY_MATH = {
    1.0: ("fabs", "sin", "cos"),
    0.3: ("sqrt", "exp", "log"),
    0.15: ("asinh", "atan", "cbrt", "degrees", "erf", "erfc", "expm1", "radians", "tan", "tanh", "ulp"),
    0.05: ("acos", "acosh", "asin", "atanh", "cosh", "exp2", "gamma", "lgamma", "log10", "log1p", "log2", "sinh"),
}


def mathematics():
    """The module `math`, on floats."""
    for weight, names in UNARY_MATH.items():
        for name in names:
            yield row(f"math.{name}(float)", "math", "float", ("float",), f"math.{name}({{0}})", weight=weight)
    yield row("math.sqrt(int)", "math", "float", ("int",), "math.sqrt({0})", "math.sqrt(float({0}))", weight=0.3)
    # Arguments for which there is a value, so that programs reach their end.
    yield row("math.sqrt(abs(float))", "math", "float", ("float!",), "math.sqrt(abs({0}))", weight=1.5)
    yield row("math.log(1 + abs(float))", "math", "float", ("float!",), "math.log(1.0 + abs({0}))", weight=0.5)
    yield row("math.exp(-abs(float))", "math", "float", ("float!",), "math.exp(-abs({0}))", weight=0.5)
    for name in ("atan2", "copysign", "fmod", "hypot", "nextafter", "pow", "remainder", "log"):
        # The sign of a NaN is not specified: which operand a NaN comes from depends on their order in machine code.
        second = "max(-1.0, {1})" if name == "copysign" else "{1}"
        yield row(f"math.{name}(float, float)", "math", "float", ("float", "float"),
                  f"math.{name}({{0}}, {second})", weight=0.04 if name in ("log", "pow") else 0.2)
    for name in ("isnan", "isinf", "isfinite"):
        yield row(f"math.{name}(float)", "math", "bool", ("float",), f"math.{name}({{0}})", weight=0.5)
    yield row("math.isclose(float, float)", "math", "bool", ("float", "float"), "math.isclose({0}, {1})", weight=0.2)
    for name in ("pi", "e", "inf", "nan", "tau"):
        yield row(f"math.{name}", "math", "float", (), f"math.{name}", weight=0.1)
    yield row("math.ldexp(float, int)", "math", "float", ("float", "int!"), "math.ldexp({0}, {1} % 80 - 40)", weight=0.2)
    yield row("math.frexp(float)[0]", "math", "float", ("float",), "math.frexp({0})[0]", weight=0.1)
    yield row("math.frexp(float)[1]", "math", "int", ("float",), "math.frexp({0})[1]", weight=0.1)
    for index in (0, 1):
        yield row(f"math.modf(float)[{index}]", "math", "float", ("float",), f"math.modf({{0}})[{index}]", weight=0.1)


def rounding():
    """Floats to integers, or to fewer digits."""
    for name, emulated in (("round", "fint(round_float({0}))"), ("math.floor", "fint(floor_float({0}))"),
                           ("math.ceil", "fint(ceil_float({0}))"), ("math.trunc", "fint({0})")):
        yield row(f"{name}(float)", "rounding", "int", ("float",), f"{name}({{0}})", emulated, weight=0.3)
        yield row(f"{name}(float % 1000)", "rounding", "int", ("float!",), f"{name}({{0}} % 1000.0)", weight=0.3)
        yield row(f"{name}(int)", "rounding", "int", ("int",), f"{name}({{0}})", weight=0.1)
    yield row("round(float, int)", "rounding", "float", ("float", "int!"), "round({0}, {1} % 9 - 4)", weight=0.3)
    yield row("round(int, int)", "rounding", "int", ("int", "int!"), "round({0}, -({1} % 20))",
              "int_round({0}, -({1} % 20))", weight=0.2)


def integers():
    """Functions of integers: `math`'s, methods, `hash`."""
    for name in ("gcd", "lcm"):
        yield row(f"math.{name}(int, int)", "integers", "int", ("int!", "int!"),
                  f"math.{name}({{0}} % 1000003, {{1}} % 1000033)", weight=0.2)
    yield row("math.isqrt(int)", "integers", "int", ("int!",), "math.isqrt({0})", weight=0.05)
    yield row("math.isqrt(int & most)", "integers", "int", ("int!",), f"math.isqrt({{0}} & {2**63 - 1})", weight=0.2)
    yield row("math.factorial(int)", "integers", "int", ("int!",), "math.factorial({0} % 21)", weight=0.2)
    yield row("math.comb(int, int)", "integers", "int", ("int!", "int!"), "math.comb({0} % 30, {1} % 12)", weight=0.2)
    yield row("math.perm(int, int)", "integers", "int", ("int!", "int!"), "math.perm({0} % 12, {1} % 8)", weight=0.2)
    yield row("int.view", "integers", "float", ("int!",), "float(np.int64({0}).view(np.float64))",
              "as_double({0})", weight=0.2)
    for name in ("min", "max"):
        yield row(f"{name}(key)", "integers", "float", ("float", "float"), f"{name}({{0}}, {{1}}, key=abs)", weight=0.2)
    yield row("int.bit_length", "integers", "int", ("int!",), "{0}.bit_length()", weight=0.2)
    yield row("int.bit_count", "integers", "int", ("int!",), "{0}.bit_count()", weight=0.2)
    yield row("pow(int, int, int)", "integers", "int", ("int!", "int!", "int!"),
              "pow({0}, {1} & 1023, ({2} & 65535) + 1)", weight=0.2)
    for kind in ("int", "float", "bool"):
        condition = " if {0} == {0} else 0" if kind == "float" else ""
        yield row(f"hash({kind})", "integers", "int", (kind + "!",), f"(hash({{0}}){condition})", weight=0.1)


def tuples():
    """Tuples that are made and used up in one expression, and ranges."""
    for kind in ("int", "float"):
        pair = "({0}, {1})"
        wrap = "w(sum({0}))" if kind == "int" else "sum({0})"
        emulated = wrap.format("({0}, {1}, {2})") if kind == "float" else "w(w({0} + {1}) + {2})"
        yield row(f"sum of a tuple of {kind}", "tuples", kind, (kind,) * 3, "sum(({0}, {1}, {2}))", emulated, weight=0.2)
        for name in ("min", "max"):
            yield row(f"{name} of a tuple of {kind}", "tuples", kind, (kind,) * 2, f"{name}({pair})", weight=0.2)
        # Values have no identity in compiled code: a NaN is in no tuple and equals none.
        fresh = "fresh({%d})" if kind == "float" else "{%d}"
        first, second, third, fourth = (fresh % index for index in range(4))
        for op in ("in", "not in"):
            yield row(f"{kind} {op} tuple", "tuples", "bool", (kind,) * 3, f"({{0}} {op} ({{1}}, {{2}}))",
                      f"({{0}} {op} ({second}, {third}))", weight=0.2)
        for op in ("<", "<=", "==", "!=", ">", ">="):
            yield row(f"tuple of {kind} {op} tuple", "tuples", "bool", (kind,) * 4,
                      f"(({{0}}, {{1}}) {op} ({{2}}, {{3}}))", f"(({first}, {second}) {op} ({third}, {fourth}))",
                      weight=0.1)
    yield row("any of a tuple", "tuples", "bool", ("bool", "int", "float"), "any(({0}, {1}, {2}))", weight=0.2)
    yield row("all of a tuple", "tuples", "bool", ("bool", "int", "float"), "all(({0}, {1}, {2}))", weight=0.2)
    yield row("int in range", "tuples", "bool", ("int!", "int", "int!"), "({0} in range({1}, {2}, 3))", weight=0.2)
    yield row("len of range", "tuples", "int", ("int!", "int!"), "len(range({0} % 100, {1} % 100, 3))", weight=0.2)
    yield row("range[int]", "tuples", "int", ("int!", "int!"), "range({0} % 50, {0} % 50 + 20, 4)[{1} % 11 - 5]", weight=0.1)
    yield row("sum of range", "tuples", "int", ("int!",), "sum(range({0} % 50))", weight=0.1)


def complexes():
    """Complex numbers. Division by zero raises; magnitudes follow C."""
    pairs = (("complex", "complex"), ("complex", "float"), ("float", "complex"), ("int", "complex"))
    for op in ("+", "-", "*", "/"):
        emulated = f"(complex({{0}}) {op} complex({{1}}))"
        yield from binary("complex", op, "complex", pairs, emulated)
    for op in ("==", "!="):
        yield row(f"complex {op} complex", "complex", "bool", ("complex", "complex"), f"({{0}} {op} {{1}})")
    yield row("-complex", "complex", "complex", ("complex!",), "(-{0})")
    yield row("abs(complex)", "complex", "float", ("complex",), "abs({0})", "cabs({0})")
    yield row("complex ** complex", "complex", "complex", ("complex!", "complex!"), "({0} ** {1})", weight=0.2)
    yield row("complex(float, float)", "complex", "complex", ("float", "float"), "complex({0}, {1})", weight=3)
    yield row("complex(int)", "complex", "complex", ("int",), "complex({0})")
    yield row("complex.real", "complex", "float", ("complex!",), "{0}.real", weight=2)
    yield row("complex.imag", "complex", "float", ("complex!",), "{0}.imag", weight=2)
    yield row("complex.conjugate", "complex", "complex", ("complex!",), "{0}.conjugate()")


TABLES = (arithmetic, powers, bits, comparisons, logic, conversions, functions, mathematics, rounding, integers,
          tuples, complexes)


def _all_rows():
    """The rows of this file, then those of the tables of all widths that are not among them."""
    usual = [entry for table in TABLES for entry in table()]
    names = {entry.name for entry in usual}
    more = itertools.chain(grammar_widths.rows(), grammar_modules.rows())
    return tuple(usual) + tuple(entry for entry in more if entry.name not in names)


ROWS = _all_rows()
assert len({entry.name for entry in ROWS}) == len(ROWS), "row names are unique"

GROUPS = tuple(dict.fromkeys(entry.group for entry in ROWS))


@functools.cache
def rows_by_result(groups, augmented=False):
    """The rows of these groups for each result type, with the running sums of their weights.

    `augmented`: only the rows that can be an augmented assignment.
    """
    tables = {}
    for entry in ROWS:
        if entry.group in groups and (entry.aug or not augmented):
            rows, sums = tables.setdefault(entry.result, ([], []))
            rows.append(entry)
            sums.append((sums[-1] if sums else 0.0) + entry.weight)
    return tables
