"""Rows of the grammar for every operator and every pair of the thirteen types of numbers."""
from . import widths
from .rows import row
from .widths import INTEGERS, KINDS, NARROW, is_integer

# Together these rows weigh about as much as one usual operator for each type of result.
RARE = 0.01

ARITHMETIC = ("+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>")
# What both tables have: pairs of these are in `grammar`.
USUAL = ("bool", "int", "float")
NUMPY = {"int": "int64", "float": "float64", "complex": "complex128"}


def pairs():
    """Pairs of kinds of which one has a width of its own, or is complex."""
    for a in KINDS:
        for b in KINDS:
            if not (a in USUAL and b in USUAL):
                yield a, b


def rows():
    """All rows."""
    for a, b in pairs():
        for op in ARITHMETIC:
            yield from _infix(op, a, b, widths.binary(op, a, b), "binary", inplace=True)
        for op in widths.COMPARISONS:
            yield from _infix(op, a, b, widths.comparison(op, a, b), "comparison")
        yield from _choices(a, b)
        found = widths.divided(a, b)
        for index in (0, 1) if found else ():
            yield row(f"divmod({a}, {b})[{index}]", "widths", found[1], (f"{a}!", f"{b}!"),
                      f"divmod({{0}}, {{1}})[{index}]", f"wide('divided', '{a}', '{b}')({{0}}, {{1}})[{index}]", weight=RARE)
    for kind in KINDS:
        yield from _of_one(kind)
    yield from _constructors()


def _infix(op, a, b, found, table, inplace=False):
    if found is None:
        return
    # A literal has rules of its own: it fits any width, and decides as an exponent what the result is.
    second = "({1} + 0)" if op == "**" and b == "int" else "{1}"
    python = f"({{0}} {op} {second})"
    aug = f"{op}= {second}" if inplace and found[1] == a else None
    yield row(f"{a} {op} {b}", "widths", found[1], (f"{a}!", f"{b}!"), python,
              f"wide('{table}', '{op}', '{a}', '{b}')({{0}}, {{1}})", aug=aug, weight=RARE)


def _choices(a, b):
    for name in ("min", "max"):
        found = widths.choice(name, a, b)
        if found:
            yield row(f"{name}({a}, {b})", "widths", found[1], (f"{a}!", f"{b}!"), f"{name}({{0}}, {{1}})",
                      f"wide('choice', '{name}', '{a}', '{b}')({{0}}, {{1}})", weight=RARE)
    kind = widths.joined_kind(a, b)
    # A value that is known when the function compiles decides then: the other one's type does not matter.
    first = "bool({0})" if a == "bool" else f"np.{NUMPY.get(a, a)}({{0}})"
    for name in ("and", "or"):
        yield row(f"{a} {name} {b}", "widths", kind, (f"{a}!", f"{b}!"), f"({first} {name} {{1}})",
                  f"wide('choice', '{name}', '{a}', '{b}')({{0}} {name} {{1}})", lazy=(1,), weight=RARE)
    yield row(f"{a} if bool else {b}", "widths", kind, (f"{a}!", "bool!", f"{b}!"), "({0} if bool({1}) else {2})",
              f"wide('choice', 'if', '{a}', '{b}')({{0}} if {{1}} else {{2}})", order=(1, 0, 2), lazy=(0, 2), weight=RARE)


def _of_one(kind):
    for op in ("-", "+", "~", "abs"):
        found = widths.unary(op, kind) if kind not in USUAL + ("complex",) else None
        if found:
            python = "abs({0})" if op == "abs" else f"({op}{{0}})"
            yield row(python.format(kind), "widths", found[1], (f"{kind}!",), python,
                      f"wide('unary', '{op}', '{kind}')({{0}})", weight=RARE)
    if kind not in USUAL:
        yield row(f"not {kind}", "widths", "bool", (f"{kind}!",), "(not {0})", weight=RARE)
        if kind in INTEGERS:
            yield row(f"int({kind})", "widths", "uint64" if kind == "uint64" else "int", (f"{kind}!",), "int({0})", weight=RARE)
        yield row(f"bool({kind})", "widths", "bool", (f"{kind}!",), "bool({0})", weight=RARE)


def _constructors():
    for to in NARROW + ("int", "float", "complex"):
        name = NUMPY.get(to, to)
        for kind in KINDS:
            if widths.is_complex(kind) and not widths.is_complex(to):
                continue
            if to in INTEGERS and not is_integer(kind):
                # What does not fit has no value.
                inside = "(min(abs({0}), 100.0) if {0} == {0} else 1.0)"
                yield row(f"{name}({kind})", "widths", to, (f"{kind}!",), f"np.{name}({inside})", f"int{inside}", weight=RARE)
            else:
                yield row(f"{name}({kind})", "widths", to, (f"{kind}!",), f"np.{name}({{0}})",
                          f"convert({{0}}, '{to}')", weight=RARE)
