"""Makes a program from a seed: the same one for the same seed and settings, in every Python."""
import bisect
import itertools
import random
from dataclasses import dataclass, replace

from . import grammar, values
from .callees import Callee
from .constructs import Constructs, ends
from .expressions import ExpressionMaker
from .program import Expr, Function, Program, Stmt
from .scope import Scope
from .values import pick
from .widths import NARROW

KINDS = ("int", "int", "int", "float", "float", "bool")


def kinds_of(groups):
    """Types of parameters and variables, the usual ones more often."""
    kinds = KINDS + ("complex",) * 2 if "complex" in groups else KINDS
    return kinds * 6 + NARROW if "widths" in groups else kinds


@dataclass(frozen=True)
class Settings:
    """What programs are made of."""

    groups: tuple = tuple(group for group in grammar.GROUPS if group not in ("complex", "widths"))
    calls: bool = False
    statements: int = 9
    depth: int = 3
    inputs: int = 8


class Generator(Constructs, ExpressionMaker):
    """The state while one function is made: the random stream and the names in scope."""

    def __init__(self, rng, settings, tables, callees):
        super().__init__(rng, settings, tables, callees)
        self.kinds = kinds_of(settings.groups)
        self.augmented = grammar.rows_by_result(settings.groups, augmented=True)
        self.loops = []
        self.result = "int"
        self.counters = 0
        self.is_main = False
        self.has_deleted = False

    def function(self, name, callee, recursive=None):
        """A function whose body ends in a return; `recursive`: which function it calls before."""
        params, result = callee.params, callee.result
        self.scope, self.result, self.is_main = Scope(dict(params)), result, name == "main"
        # A function that the compiler knows never to return would have no result.
        self.may_be_unbound = self.is_main
        body = []
        if recursive:
            self.scope.protected.add(params[0][0])
            body.append(self.recursion_end(params[0][0]))
        if callee.style == "star":
            body.append(self.starred())
        body += self.block(self.settings.statements, 0)
        if recursive:
            body.append(self.recursive_call(recursive, params, result))
        if not ends(body):
            body.append(self.return_stmt())
        return Function(name, params, result, body, callee.header())

    def starred(self):
        """What becomes of a starred parameter, of which there is one at least."""
        name = self.new_name("int")
        self.scope.assign(name, "int")
        form = pick(self.rng, ("{0} = len(rest)", "{0} = rest[-1]", "{0} = sum(rest)", "{0} = max(rest)"))
        emulated = form.replace("sum(rest)", "w(sum(rest))")
        return Stmt("starred parameter", form.format(name), emulated=emulated.format(name))

    def recursion_end(self, depth):
        """The first parameter says how deep calls may go; it is taken modulo a small number."""
        before = self.scope.mark()
        leave = Stmt("return", "return {0}", [self.expr(self.result, 1)])
        self.scope.restore(before)
        test = Expr("bool", f"({depth} <= 0)")
        return Stmt("if", [("if {0}:", [leave])], [test])

    def recursive_call(self, name, params, result):
        variable = self.new_name(result)
        args = [Expr("int", f"(min({params[0][0]}, 5) - 1)")]
        args += [self.expr(kind, 1) for _, kind in params[1:]]
        slots = ", ".join(f"{{{i}}}" for i in range(len(args)))
        call = Expr(result, f"{name}({slots})", args=args)
        self.scope.assign(variable, result)
        return Stmt("recursion", f"{variable} = {{0}}", [call])

    def block(self, size, depth):
        """Statements, at least one."""
        block = []
        for _ in range(1 + int(self.rng.random() * size)):
            stmt = self.statement(depth)
            block.append(stmt)
            if ends([stmt]):
                break
        return block

    def statement(self, depth):
        """One statement, simple ones only when the nesting is deep enough."""
        names, sums = SIMPLE if depth >= self.settings.depth else ANY
        while True:
            kind = names[bisect.bisect(sums, self.rng.random() * sums[-1])]
            stmt = getattr(self, f"{kind}_stmt")(*([depth] if kind in COMPOUND else []))
            if stmt is not None:
                return stmt

    # Simple statements. Each gives None where it is not possible.

    def kind(self):
        return pick(self.rng, self.kinds)

    def assign_stmt(self):
        kind = self.kind()
        value = self.expr(kind, 4)
        name = self.target(kind)
        self.scope.assign(name, kind)
        return Stmt("assign", f"{name} = {{0}}", [value])

    def augmented_stmt(self):
        names = self.scope.assignable()
        if not names:
            return None
        name = pick(self.rng, names)
        kind = self.scope.types[name]
        if kind not in self.augmented:
            return None
        rows, sums = self.augmented[kind]
        row = rows[bisect.bisect(sums, self.rng.random() * sums[-1])]
        operand = self.expr(row.params[1].rstrip("!"), 3, constant=not row.params[1].endswith("!"))
        whole = Expr(kind, row.python, row.emulated, [Expr(kind, name), operand], row)
        return Stmt("augmented", f"{name} {row.aug}", [whole, operand], emulated=f"{name} = {{0}}")

    def pair_stmt(self):
        kinds = [self.kind(), self.kind()]
        exprs = [self.expr(kind, 2) for kind in kinds]
        names = []
        for kind in kinds:
            name = self.target(kind)
            names.append(name if name not in names else self.new_name(kind))
        for name, kind in zip(names, kinds):
            self.scope.assign(name, kind)
        return Stmt("pair", f"{names[0]}, {names[1]} = {{0}}, {{1}}", exprs)

    def swap_stmt(self):
        names = [name for name in self.scope.assignable() if name in self.scope.definite]
        kind = self.kind()
        names = [name for name in names if self.scope.types[name] == kind]
        if len(names) < 2:
            return None
        first = pick(self.rng, names)
        names.remove(first)
        second = pick(self.rng, names)
        if len(names) > 1 and self.rng.random() < 0.5:
            names.remove(second)
            third = pick(self.rng, names)
            return Stmt("rotate", f"{first}, {second}, {third} = {second}, {third}, {first}")
        return Stmt("swap", f"{first}, {second} = {second}, {first}")

    def divmod_stmt(self):
        kind = pick(self.rng, ("int", "float"))
        args = [self.expr(kind, 2), self.expr(kind, 2)]
        first, second = self.target(kind), self.new_name(kind)
        self.scope.assign(first, kind)
        self.scope.assign(second, kind)
        emulated = {"int": "idivmod", "float": "divmod"}[kind]
        value = Expr("pair", "divmod({0}, {1})", emulated + "({0}, {1})", args)
        return Stmt("divmod", f"{first}, {second} = {{0}}", [value])

    def tuple_stmt(self):
        """A tuple in a variable of its own, indexed and unpacked."""
        kinds = [self.kind() for _ in range(2 + int(self.rng.random() * 2))]
        exprs = [self.expr(kind, 2) for kind in kinds]
        self.counters += 1
        whole = f"t{self.counters}"
        slots = ", ".join(f"{{{i}}}" for i in range(len(kinds)))
        index = int(self.rng.random() * len(kinds))
        shown = index - len(kinds) if self.rng.random() < 0.3 else index
        name = self.target(kinds[index])
        self.scope.assign(name, kinds[index])
        return Stmt("tuple", f"{whole} = ({slots}); {name} = {whole}[{shown}]", exprs)

    def delete_stmt(self):
        names = self.scope.assignable()
        if len(names) < 3 or self.rng.random() < 0.7:
            return None
        name = pick(self.rng, names)
        self.scope.delete(name)
        self.has_deleted = True
        return Stmt("delete", f"del {name}")

    def return_stmt(self):
        if self.result == "tuple":
            return self.return_tuple()
        if self.result == "optional":
            if self.rng.random() < 0.4:
                return Stmt("return", pick(self.rng, ("return None", "return")))
            return Stmt("return", "return {0}", [self.expr("int", 3)])
        return Stmt("return", "return {0}", [self.expr(self.result, 3)])

    def return_tuple(self):
        exprs = [self.expr(kind, 2) for kind in self.result_kinds]
        slots = ", ".join(f"{{{i}}}" for i in range(len(exprs)))
        return Stmt("return", f"return ({slots})", exprs)

    def raise_stmt(self):
        if self.rng.random() < 0.8:
            return None
        if self.rng.random() < 0.5:
            text = pick(self.rng, ("assert {0}", "assert {0}, 'not so'"))
            return Stmt("assert", text, [self.opaque()])
        error = pick(self.rng, ("ValueError('bad')", "KeyError", "IndexError('out')", "RuntimeError()"))
        return Stmt("raise", [("if {0}:", [Stmt("raise", f"raise {error}")])], [self.opaque()])

    def break_stmt(self):
        return Stmt("break", "break") if self.loops else None

    def continue_stmt(self):
        return Stmt("continue", "continue") if self.loops else None

    def guarded_stmt(self):
        """break, continue or return under a condition."""
        test, before = self.condition(2), self.scope.mark()
        if not self.loops or self.rng.random() < 0.25:
            leave = self.return_stmt()
            self.scope.restore(before)
        else:
            kind = pick(self.rng, ("break", "continue"))
            leave = Stmt(kind, kind)
        return Stmt(f"guarded {leave.kind}", [("if {0}:", [leave])], [test])

    # Compound statements.

    def if_stmt(self, depth):
        tests, parts = [self.condition(3)], []
        before, ways = self.scope.mark(), []
        parts.append(("if {0}:", self.block(3, depth + 1)))
        ways.append((self.scope.mark(), ends(parts[-1][1])))
        while len(tests) < 3 and self.rng.random() < 0.3:
            self.scope.restore(before)
            tests.append(self.condition(2))
            parts.append((f"elif {{{len(tests) - 1}}}:", self.block(2, depth + 1)))
            ways.append((self.scope.mark(), ends(parts[-1][1])))
        self.scope.restore(before)
        if self.rng.random() < 0.5:
            parts.append(("else:", self.block(3, depth + 1)))
        ways.append((self.scope.mark(), len(parts) > len(tests) and ends(parts[-1][1])))
        self.scope.join(ways)
        return Stmt("if", parts, tests)

    def loop(self, kind, header, exprs, depth, prologue=()):
        """Body and else of a loop whose header stands."""
        before = self.scope.mark()
        self.loops.append(kind)
        body = [*prologue, *self.block(4, depth + 1)]
        self.loops.pop()
        after = self.scope.mark()
        # Names of a body that every path leaves are known after the loop only if it was left by break.
        leaves = body[-1].kind if ends(body) else None
        self.scope.join([(before, False), (after, leaves not in (None, "continue"))])
        parts = [(header, body)]
        # What stands in the else of `while True` is unreachable, and names bound there are never bound.
        if header != "while True:" and self.rng.random() < 0.25:
            before = self.scope.mark()
            parts.append(("else:", self.block(2, depth + 1)))
            self.scope.join([(before, False), (self.scope.mark(), ends(parts[-1][1]))])
        if leaves == "break":
            self.scope.join([(self.scope.mark(), False), (after, False)])
        return Stmt(kind if len(parts) == 1 else f"{kind} else", parts, exprs)

    def while_stmt(self, depth):
        """A counter that nothing else assigns bounds the loop."""
        self.counters += 1
        counter = f"k{self.counters}"
        limit = 1 + int(self.rng.random() * self.trips())
        self.scope.assign(counter, "int")
        self.scope.protected.add(counter)
        count = Stmt("count", f"{counter} += 1")
        start = Stmt("count", f"{counter} = 0")
        if self.rng.random() < 0.3:
            leave = Stmt("guarded break", [("if {0}:", [Stmt("break", "break")])],
                         [Expr("bool", f"({counter} >= {limit})")])
            loop = self.loop("while True", "while True:", [], depth, [count, leave])
        else:
            exprs = [Expr("bool", f"{counter} < {limit}")]
            header = pick(self.rng, ("while {0} and {1}:", "while {1} and {0}:", "while {0}:"))
            if "{1}" in header:
                self.lazy += header.endswith("{1}:")
                exprs.append(self.condition(2))
                self.lazy -= header.endswith("{1}:")
            loop = self.loop("while", header, exprs, depth, [count])
        return Stmt("loop", [("if True:", [start, loop])])

    def for_stmt(self, depth):
        names = [self.target("int")]
        form = pick(self.rng, ("tuple", "reversed", "enumerate", "zip")) if self.rng.random() < 0.25 else "range"
        if form != "tuple":
            exprs, text = self.range()
            text = f"range({text})"
        if form != "range":
            if form == "tuple":
                exprs = [self.expr("int", 1) for _ in range(1 + int(self.rng.random() * 3))]
                text = f"({''.join(f'{{{i}}}, ' for i in range(len(exprs)))})"
            elif form == "reversed":
                text = f"reversed({text})"
            else:
                second = self.target("int")
                names.append(second if second != names[0] else self.new_name("int"))
                text = f"enumerate({text})" if form == "enumerate" else f"zip({text}, range(-2, 9, 3))"
        before = self.scope.mark()
        for name in names:
            self.scope.assign(name, "int")
        loop = self.loop("for", f"for {', '.join(names)} in {text}:", exprs, depth)
        self.scope.join([(before, False), (self.scope.mark(), False)])
        return loop

    def trips(self):
        """How often a loop may run; less where loops nest."""
        return (9, 6, 4, 3)[min(len(self.loops) + (not self.is_main), 3)]

    def range(self):
        """Arguments of a range that ends soon, in every form."""
        trips, form = self.trips(), self.rng.random()
        count = int(self.rng.random() * (trips + 2)) - 1
        if form < 0.2:
            return [], str(count)
        if form < 0.35:
            return [self.variable_or("int", 2)], f"{{0}} % {trips}"
        if form < 0.5:
            start = values.value(self.rng, "int")
            stop = max(min(start + count, values.MOST), values.LEAST)
            return [], f"{values.text(start)}, {values.text(stop)}"
        if form < 0.65:
            return [self.variable_or("int", 1)], f"{{0}} % 5, {{0}} % 5 + {count}"
        step = pick(self.rng, (1, 2, 3, -1, -2, -3, 7, -7, 2**62, -(2**62), values.LEAST))
        if form < 0.85:
            start = values.value(self.rng, "int")
            stop = max(min(start + step * count, values.MOST), values.LEAST)
            return [], f"{values.text(start)}, {values.text(stop)}, {values.text(step)}"
        if form < 0.97:
            # The step is known at run time only, and small beside the span.
            return [self.variable_or("int", 1)], f"{count}, {-count}, {{0}} % 5 - 2 or 1"
        return [self.variable_or("int", 1)], f"0, {count}, {{0}} % 3 - 1"


COMPOUND = ("if", "while", "for", "match", "each")
WEIGHTS = (
    ("assign", 8), ("augmented", 5), ("pair", 1.5), ("swap", 1), ("divmod", 0.5), ("tuple", 0.7), ("delete", 0.2),
    ("guarded", 1.2), ("raise", 0.5), ("break", 0.15), ("continue", 0.15), ("return", 0.1),
    ("chain", 0.4), ("annotated", 0.2), ("nested", 0.4), ("concat", 0.4), ("search", 0.2), ("named", 0.4), ("rebind", 0.4), ("starred_target", 0.3),
    ("closure", 0.4),
    ("meet", 0.5), ("sum", 0.3), ("optional", 0.6), ("error", 0.4),
    ("if", 4), ("while", 1.6), ("for", 2.6), ("match", 0.8), ("each", 0.7),
)


def _table(weights):
    total, sums = 0.0, []
    for _, weight in weights:
        total += weight
        sums.append(total)
    return [name for name, _ in weights], sums


ANY = _table(WEIGHTS)
SIMPLE = _table([entry for entry in WEIGHTS if entry[0] not in COMPOUND])


def generate(seed, settings):
    """The program of a seed."""
    rng = random.Random(seed)
    count = int(rng.random() * 3.0) if settings.calls else 0
    functions, callees = [], []
    for index in reversed(range(count + 1)):
        name = "main" if index == 0 else f"f{index}"
        recursive = index > 0 and rng.random() < 0.4
        # Types of recursive functions grow while they are inferred, and mixed widths grow to floats.
        own = replace(settings, groups=tuple(g for g in settings.groups if g != "widths")) if recursive else settings
        params = [("a", "int"), *((letter, pick(rng, kinds_of(own.groups))) for letter in "bcd")][: 2 + int(rng.random() * 3)]
        generator = Generator(rng, own, grammar.rows_by_result(own.groups), list(callees))
        result = pick(rng, kinds_of(own.groups))
        if rng.random() < 0.4 and not recursive:
            generator.result_kinds = [generator.kind() for _ in range(2 + int(rng.random() * 3))]
            result = "tuple"
        elif not index and rng.random() < 0.1:
            result = "optional"
        callee = Callee(rng, name, params, result, index > 0 and not recursive)
        if recursive and rng.random() < 0.35:
            other = Generator(rng, own, generator.tables, list(callees))
            functions.insert(0, other.function(f"{name}x", callee, recursive=name))
            functions.insert(0, generator.function(name, callee, recursive=f"{name}x"))
        else:
            functions.insert(0, generator.function(name, callee, recursive=name if recursive else None))
        if result not in ("tuple", "optional"):
            callees.append(callee)
    kinds = [kind for _, kind in functions[0].params]
    inputs = [tuple(values.value(rng, kind) for kind in kinds) for _ in range(settings.inputs - 2)]
    inputs += [tuple(pick(rng, values.CORNERS[kind]) for kind in kinds) for _ in range(2)]
    return Program(functions, inputs)


# So many inputs of a program that is one row of the grammar.
ROW_INPUTS = 1000


def row_program(index, seed):
    """A program that is one row of the grammar, and every pair of extreme values as inputs."""
    row = grammar.ROWS[index]
    kinds = [kind.rstrip("!") for kind in row.params]
    names = "abcd"[: len(kinds)]
    args = [Expr(kind, name) for kind, name in zip(kinds, names)]
    body = [Stmt("return", "return {0}", [Expr(row.result, row.python, row.emulated, args, row)])]
    rng = random.Random(seed * 1_000_003 + index)
    inputs = list(itertools.islice(itertools.product(*(values.VALUES[kind] for kind in kinds)), 50 * ROW_INPUTS))
    if len(inputs) > ROW_INPUTS:
        inputs = [tuple(values.value(rng, kind) for kind in kinds) for _ in range(ROW_INPUTS)]
    return Program([Function("main", list(zip(names, kinds)), row.result, body)], inputs, interpret_every=37)
