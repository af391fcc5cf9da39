"""Expressions of the generator: rows of the grammar, variables, constants, walruses, calls."""
import bisect

from . import values
from .grammar_widths import NUMPY
from .program import Expr
from .values import pick
from .widths import INTEGERS, NARROW, is_complex, is_integer


class ExpressionMaker:
    """Makes expressions from a random stream, for the names in `self.scope`."""

    def __init__(self, rng, settings, tables, callees):
        self.rng, self.settings, self.tables, self.callees = rng, settings, tables, callees
        self.scope = None
        self.lazy = 0
        # Whether variables may be read that may be unbound.
        self.may_be_unbound = True
        # Whether expressions may bind names.
        self.walruses = True

    def new_name(self, kind):
        """A name that is not in use, of a type's letter."""
        letter = LETTERS[kind]
        number = sum(1 for name in self.scope.types if name[0] == letter)
        name = f"{letter}{number}"
        self.scope.types[name] = kind
        return name

    def target(self, kind):
        """A name to assign: one that exists (bound or not) or a new one."""
        names = [name for name, its in self.scope.types.items() if its == kind and name not in self.scope.protected]
        if names and (self.rng.random() < 0.6 or len(names) > 5):
            return pick(self.rng, names)
        return self.new_name(kind)

    def condition(self, depth):
        """A condition that is no constant."""
        kind = "bool" if self.rng.random() < 0.9 else pick(self.rng, ("int", "float"))
        return self.expr(kind, depth, constant=False)

    def expr(self, kind, depth, constant=True):
        """An expression of the type; `constant`: whether it may be a constant."""
        choice = self.rng.random()
        if depth <= 0 or choice < 0.2:
            return self.leaf(kind, constant)
        if choice < 0.24 and self.walruses:
            return self.walrus(kind, depth)
        if choice < 0.30 and self.callees:
            call = self.call(kind, depth)
            if call is not None:
                return call
        if kind not in self.tables:
            return self.leaf(kind, constant)
        rows, sums = self.tables[kind]
        return self.apply(rows[bisect.bisect(sums, self.rng.random() * sums[-1])], depth)

    def apply(self, row, depth):
        """The row with operands, of which one at least is no constant."""
        args = [None] * len(row.params)
        for index in row.order:
            param = row.params[index]
            lazy = index in row.lazy
            self.lazy += lazy
            args[index] = self.expr(param.rstrip("!"), depth - 1, constant=not param.endswith("!"))
            self.lazy -= lazy
        # CPython would fold an operator on constants, with integers that do not wrap.
        if args and all(arg.constant for arg in args):
            args[0] = self.variable_or(row.params[0].rstrip("!"), 0)
        return Expr(row.result, row.python, row.emulated, args, row)

    def leaf(self, kind, constant):
        if constant and self.rng.random() < 0.4:
            return self.constant(kind)
        return self.variable_or(kind, 0)

    def constant(self, kind):
        value = values.value(self.rng, kind)
        if kind in NARROW:
            return Expr(kind, f"np.{kind}({values.text(value)})", values.text(value))
        return Expr(kind, values.text(value), constant=True)

    def variable_or(self, kind, depth):
        """A variable of the type, rarely one that may be unbound, or something made of a variable."""
        if depth > 0 and self.rng.random() < 0.5:
            return self.expr(kind, depth, constant=False)
        if self.rng.random() < 0.008 and self.may_be_unbound:
            names = self.scope.named(kind, maybe=True)
            if names:
                return Expr(kind, pick(self.rng, names))
        names = self.scope.named(kind)
        if names:
            return Expr(kind, pick(self.rng, names))
        return self.converted(kind)

    def converted(self, kind):
        """A value of a type that no variable has, from a variable of another type."""
        for other in KINDS:
            names = self.scope.named(other)
            if names and other != kind:
                name = pick(self.rng, names)
                return Expr(kind, *(text.format(name) for text in conversion(other, kind)))
        return self.constant(kind)

    def walrus(self, kind, depth):
        value = self.expr(kind, depth - 1)
        name = self.target(kind)
        if self.lazy:
            self.scope.assign_maybe(name, kind)
        else:
            self.scope.assign(name, kind)
        return Expr(kind, f"({name} := {{0}})", args=[value])

    def call(self, kind, depth):
        callees = [callee for callee in self.callees if callee.result == kind]
        if not callees:
            return None
        callee = pick(self.rng, callees)
        names, kinds = zip(*callee.arguments(self.rng))
        args = [self.expr(each, min(depth - 1, 1)) for each in kinds]
        slots = ", ".join(f"{name}{{{i}}}" for i, name in enumerate(names))
        if not any(names) and self.rng.random() < 0.1:
            slots = f"*({slots},)"
        return Expr(kind, f"{callee.name}({slots})", args=args)


# The first letter of names of a type.
LETTERS = {"int": "i", "float": "x", "bool": "p", "complex": "z", "int8": "e", "int16": "g", "int32": "h", "uint8": "y",
           "uint16": "m", "uint32": "n", "uint64": "u", "float32": "s", "complex64": "q"}
# The kinds in the order in which one is made of another.
KINDS = ("int", "float", "bool", "complex", *NARROW)


def conversion(kind, to):
    """How one type is made of a variable of another: Python's text and the emulator's."""
    if to == "bool":
        return "({0} != 0)", "({0} != 0)"
    if kind in INTEGERS and to == "int":
        return "({0} + 0)", "convert({0}, 'int')"
    if kind in ("int", "bool") and to in ("int", "float", "complex"):
        return f"{to}({{0}})", f"{to}({{0}})"
    if is_complex(kind) and not is_complex(to):
        real, emulated = conversion("float" if kind == "complex" else "float32", to)
        return real.replace("{0}", "{0}.real"), emulated.replace("{0}", "{0}.real")
    if to in INTEGERS and not is_integer(kind):
        # What does not fit has no value, but for int() of a float.
        if to == "int":
            return "int({0})", "fint({0})"
        inside = "(min(abs({0}), 100.0) if {0} == {0} else 1.0)"
        return f"np.{to}({inside})", f"int{inside}"
    return f"np.{NUMPY.get(to, to)}({{0}})", f"convert({{0}}, '{to}')"
