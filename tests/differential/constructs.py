"""Statements of the generator beyond assignments, branches and loops: match, unpacking, Optionals, joins of types.

Each method gives a statement, or None where it is not possible. Absent: the choice among them (`generator`).
"""
from . import values
from .program import Expr, Stmt
from .values import pick
from .widths import joined_kind

# What `Optional` values are opened as, by the compiler's name of their type.
NUMBERS = {"int": "int64", "float": "float64"}
ERRORS = ("ValueError", "KeyError", "IndexError", "RuntimeError", "OverflowError", "ArithmeticError", "Odd")
# Kinds that meet in one variable; the result has a kind of the usual ones.
MEETINGS = (("int", "float"), ("float", "int"), ("bool", "int"), ("int", "bool"), ("bool", "float"), ("float", "bool"))


class Constructs:
    """Mixed into the generator."""

    def fresh(self, letter):
        """A name of its own for what no expression may use."""
        self.counters += 1
        return f"{letter}{self.counters}"

    def assign(self, kind):
        """A target of the kind, bound from here on."""
        name = self.target(kind)
        self.scope.assign(name, kind)
        return name

    def opaque(self, depth=2):
        """A condition that no compiler knows before it runs."""
        return Expr("bool", "bool({0})", args=[self.condition(depth)])

    # Assignments.

    def chain_stmt(self):
        kind = self.kind()
        value = self.expr(kind, 3)
        first = self.assign(kind)
        second = self.new_name(kind)
        self.scope.assign(second, kind)
        return Stmt("chained assignment", f"{first} = {second} = {{0}}", [value])

    def annotated_stmt(self):
        kind = pick(self.rng, ("int", "float", "bool"))
        value = self.expr(kind, 3)
        name = self.new_name(kind)
        self.scope.assign(name, kind)
        return Stmt("annotated assignment", f"{name}: {kind} = {{0}}", [value])

    def nested_stmt(self):
        """A tuple in a tuple, unpacked in one go or by way of a name."""
        kinds = [self.kind() for _ in range(3)]
        exprs = [self.expr(kind, 2) for kind in kinds]
        names = []
        for kind in kinds:
            name = self.new_name(kind)
            self.scope.assign(name, kind)
            names.append(name)
        a, b, c = names
        form = pick(self.rng, ("({a}, {b}), {c} = ({{0}}, {{1}}), {{2}}", "{t} = ({{0}}, ({{1}}, {{2}})); {a}, ({b}, {c}) = {t}",
                               "{t} = (({{0}}, {{1}}), {{2}}); ({a}, {b}), {c} = {t}",
                               "{t} = (({{0}}, {{1}}), {{2}}); {c} = {t}[1]; {b} = {t}[0][-1]; {a} = {t}[0][0]"))
        return Stmt("nested tuple", form.format(a=a, b=b, c=c, t=self.fresh("t")), exprs)

    def concat_stmt(self):
        """Tuples added, cut and counted."""
        kinds = [self.kind() for _ in range(3)]
        exprs = [self.expr(kind, 2) for kind in kinds]
        whole = self.fresh("t")
        index = int(self.rng.random() * 3.0)
        name = self.assign(kinds[index])
        make = pick(self.rng, ("{t} = ({{0}}, {{1}}) + ({{2}},)", "{t} = ({{0}},); {t} += ({{1}}, {{2}})",
                               "{t} = () + ({{0}}, {{1}}, {{2}})"))
        part = pick(self.rng, ("{t}[{i}]", "{t}[{i}:][0]", "{t}[::-1][{j}]", "{t}[:{k}][-1]"))
        text = f"{make}; {{n}} = {part}"
        return Stmt("tuple operators", text.format(t=whole, n=name, i=index, j=2 - index, k=index + 1), exprs)

    def starred_target_stmt(self):
        """Unpacking where one name gets what is left."""
        kinds = [self.kind() for _ in range(2 + int(self.rng.random() * 3))]
        exprs = [self.expr(kind, 2) for kind in kinds]
        slots = ", ".join(f"{{{i}}}" for i in range(len(kinds)))
        rest, count = self.fresh("t"), self.new_name("int")
        self.scope.assign(count, "int")
        if self.rng.random() < 0.5:
            name = self.assign(kinds[0])
            targets, inside = f"{name}, *{rest}", kinds[1:]
        else:
            name = self.assign(kinds[-1])
            targets, inside = f"*{rest}, {name}", kinds[:-1]
        index = int(self.rng.random() * len(inside))
        other = self.new_name(inside[index])
        self.scope.assign(other, inside[index])
        return Stmt("starred target", f"{targets} = {slots}; {count} = len({rest}); {other} = {rest}[{index}]", exprs)

    def closure_stmt(self):
        """An inner function or a lambda that uses names of the function around it, called at once."""
        if self.has_deleted:
            return None
        kind, result = pick(self.rng, ("int", "float")), pick(self.rng, ("int", "float", "bool"))
        name, param = self.fresh("f_"), self.fresh("w")
        before = self.scope.mark()
        self.scope.assign(param, kind)
        self.walruses, may, self.may_be_unbound = False, self.may_be_unbound, False
        body = self.expr(result, 3)
        self.walruses, self.may_be_unbound = True, may
        self.scope.restore(before)
        del self.scope.types[param]
        args = [self.expr(kind, 1), self.expr(kind, 1)]
        target, second = self.assign(result), self.new_name(result)
        self.scope.assign(second, result)
        if self.rng.random() < 0.5:
            make = Stmt("lambda", f"{name} = lambda {param}: {{0}}", [body])
        else:
            make = Stmt("inner function", [(f"def {name}({param}):", [Stmt("return", "return {0}", [body])])])
        call = Stmt("call of an inner function", f"{target} = {name}({{0}}); {second} = {name}({{1}})", args)
        return Stmt("loop", [("if True:", [make, call])])

    def search_stmt(self):
        """`len`, `count` and `index` of a tuple."""
        exprs = [self.expr("int", 2) for _ in range(3)]
        form = pick(self.rng, ("({0}, {1}).count({2})", "({0}, {1}, {2}, {0}).index({2})", "len(({0}, {1}, {2}))",
                               "({0}, {1}).index({2})"))
        return Stmt("tuple methods", f"{self.assign('int')} = {form}", exprs)

    def named_stmt(self):
        """A named tuple: made, read by name and by number, unpacked."""
        kinds = [self.kind(), self.kind()]
        exprs = [self.expr(kind, 2) for kind in kinds]
        pair = self.fresh("r")
        names = []
        for kind in kinds:
            name = self.new_name(kind)
            self.scope.assign(name, kind)
            names.append(name)
        read = pick(self.rng, ("{a} = {r}.x; {b} = {r}.y", "{a}, {b} = {r}", "{b} = {r}[1]; {a} = {r}.x"))
        make = pick(self.rng, ("Pair({0}, {1})", "Pair({0}, y={1})"))
        return Stmt("named tuple", f"{pair} = {make}; " + read.format(a=names[0], b=names[1], r=pair), exprs)

    def rebind_stmt(self):
        """A name that holds one type, then another."""
        kinds = [self.kind(), self.kind()]
        exprs = [self.expr(kind, 2) for kind in kinds]
        name = self.fresh("v")
        first = self.assign(kinds[0])
        second = self.assign(kinds[1])
        return Stmt("type of a name changes", f"{name} = {{0}}; {first} = {name}; {name} = {{1}}; {second} = {name}", exprs)

    # Where types meet.

    def meet_stmt(self):
        """A name that holds one of two types behind a branch."""
        kinds = pick(self.rng, MEETINGS)
        kind = joined_kind(*kinds)
        test = self.opaque()
        before = self.scope.mark()
        ways = []
        for each in kinds:
            self.scope.restore(before)
            ways.append(self.expr(each, 2))
        self.scope.restore(before)
        name = self.new_name(kind)
        stmts = [Stmt("join of types", f"{name} = {{0}}", [way], f"{name} = convert({{0}}, '{kind}')") for way in ways]
        self.scope.assign(name, kind)
        self.scope.protected.add(name)
        return Stmt("if", [("if {0}:", stmts[:1]), ("else:", stmts[1:])], [test])

    def sum_stmt(self):
        """An integer that becomes a float in a loop."""
        start, step = self.expr("int", 1), self.expr("float", 2)
        name = self.new_name("float")
        self.scope.assign(name, "float")
        loop = Stmt("for", [(f"for {self.fresh('k')} in range({1 + int(self.rng.random() * 3)}):",
                             [Stmt("join of types", f"{name} += {{0}}", [step])])])
        begin = Stmt("join of types", f"{name} = {{0}}", [start], f"{name} = float({{0}})")
        return Stmt("loop", [("if True:", [begin, loop])])

    def optional_stmt(self):
        """None or a number behind a branch; asked for, or used and then perhaps an error."""
        kind = pick(self.rng, ("int", "int", "float"))
        name, before = self.fresh("o"), self.scope.mark()
        # Without the value there would be nothing but None.
        before_this, self.may_be_unbound = self.may_be_unbound, False
        value = self.expr(kind, 2)
        self.may_be_unbound = before_this
        self.scope.restore(before)
        test = self.opaque()
        start = pick(self.rng, ((f"{name} = None", "if {0}:", f"{name} = {{0}}"), (f"{name} = {{0}}", "if {0}:", f"{name} = None")))
        parts = [Stmt("Optional", start[0], [value] if "{0}" in start[0] else []),
                 Stmt("if", [(start[1], [Stmt("Optional", start[2], [value] if "{0}" in start[2] else [])])], [test])]
        parts += self.optional_use(name, kind)
        return Stmt("loop", [("if True:", parts)])

    def optional_use(self, name, kind):
        """Statements that use a name that may hold None."""
        if self.rng.random() < 0.25:
            other = self.expr(kind, 1)
            target = self.assign(kind)
            emulated = f"plus({name}, {{0}}, '{NUMBERS[kind]}')"
            emulated = f"{target} = w({emulated})" if kind == "int" else f"{target} = {emulated}"
            return [Stmt("Optional is opened", f"{target} = {name} + {{0}}", [other], emulated)]
        if self.rng.random() < 0.3:
            other = self.expr(kind, 1)
            test = pick(self.rng, (f"({name} == {{0}})", f"({name} != {{0}})", f"(({name} is None) == ({{0}} > 1))"))
            return [Stmt("Optional", f"{self.assign('bool')} = {test}", [other])]
        before = self.scope.mark()
        test = pick(self.rng, (f"if {name} is not None:", f"if not ({name} is None):"))
        other = self.expr(kind, 1)
        target = self.assign(kind)
        plus = f"w({name} + {{0}})" if kind == "int" else f"{name} + {{0}}"
        stmt = Stmt("Optional is opened", f"{target} = {name} + {{0}}", [other], f"{target} = {plus}")
        self.scope.join([(before, False), (self.scope.mark(), False)])
        return [Stmt("if", [(test, [stmt])])]

    # Errors.

    def error_stmt(self):
        """An exception with arguments of run time, under a condition; rare, since it ends the program."""
        if self.rng.random() < 0.7:
            return None
        error, test = pick(self.rng, ERRORS), self.opaque()
        kinds = [pick(self.rng, ("int", "float", "bool")) for _ in range(int(self.rng.random() * 3.0))]
        before = self.scope.mark()
        exprs = [self.expr(kind, 2) for kind in kinds]
        self.scope.restore(before)
        slots = [f"{{{i}}}" for i in range(len(kinds))]
        if slots and self.rng.random() < 0.5:
            slots.insert(0, "'text'")
        text = f"raise {error}({', '.join(slots)})" if slots or self.rng.random() < 0.5 else f"raise {error}"
        return Stmt("raise", [("if {0}:", [Stmt("raise with arguments" if slots else "raise", text, exprs)])], [test])

    # match.

    def match_stmt(self, depth):
        """On a number, on a truth value, on a tuple; with alternatives, captures, guards."""
        form = pick(self.rng, ("number", "number", "truth", "tuple", "float"))
        subject, patterns = getattr(self, f"_match_{form}")()
        before, ways, cases = self.scope.mark(), [], []
        count = 1 + int(self.rng.random() * len(patterns))
        full = False
        for pattern in patterns[-count:]:
            self.scope.restore(before)
            names = {}
            while "$" in pattern:
                letter = pattern[pattern.index("$") + 1]
                if letter == "r":
                    name = self.fresh("t")
                else:
                    kind = {"i": "int", "x": "float"}[letter]
                    names[name := self.new_name(kind)] = kind
                pattern = pattern.replace(f"${letter}", name, 1)
            for name, kind in names.items():
                self.scope.assign(name, kind)
            exprs = []
            if names and "if" not in pattern and self.rng.random() < 0.4:
                exprs = [self.opaque()]
                pattern += " if {0}"
            full = full or pattern == "_" or (form == "number" and names and not exprs and "as" not in pattern)
            body = self.block(2, depth + 1)
            cases.append(Stmt("case guard" if exprs else "case", [(f"case {pattern}:", body)], exprs))
            ways.append((self.scope.mark(), ends(body)))
            if full:
                break
        if not full:
            self.scope.restore(before)
            # A guard that is false leaves its captures bound.
            self.scope.maybe |= {name for mark, _ in ways for name in mark[0]} - self.scope.definite
            ways.append((self.scope.mark(), False))
        self.scope.join(ways)
        return Stmt(f"match {form}", [("match {0}:", cases)] if len(subject) == 1 else [("match ({0}, {1}):", cases)], subject)

    def _match_number(self):
        subject = Expr("int", "({0} % 5)", args=[self.opaque_int()])
        return [subject], self._ordered(("0", "1 | 2", "-1", "3", "4 as $i", "2 | 3 | 4"), ("_", "$i"))

    def _match_truth(self):
        return [self.opaque()], self._ordered(("True", "False"), ("_",))

    def _match_float(self):
        subject = Expr("float", "({0} % 2.0)", args=[self.expr("float", 2, constant=False)])
        return [subject], self._ordered(("0.5", "0.0", "1.0 | 1.5", "0"), ("_",))

    def _match_tuple(self):
        subject = [Expr("int", "({0} % 3)", args=[self.opaque_int()]), self.expr("float", 2, constant=False)]
        return subject, self._ordered(("(0, $x)", "($i, 0.0 | 1.0)", "(1, _)", "(1 | 2, $x)", "[$i, 2.5]", "(2, *_)", "($i, *$r)"), ("($i, $x)", "_"))

    def _ordered(self, patterns, last):
        chosen = [pick(self.rng, patterns) for _ in range(1 + int(self.rng.random() * 3))]
        return [*dict.fromkeys(chosen), pick(self.rng, last)]

    def opaque_int(self):
        """An integer that no compiler knows before it runs."""
        return self.expr("int", 2, constant=False)

    # Loops over tuples.

    def each_stmt(self, depth):
        """A loop over tuples, of tuples, enumerated, zipped."""
        kind = pick(self.rng, ("int", "float"))
        count = 1 + int(self.rng.random() * 3)
        form = pick(self.rng, ("enumerate", "pairs", "zip", "both", "reversed"))
        width = 2 if form in ("pairs", "zip", "both") else 1
        exprs = [self.expr(kind, 1) for _ in range(width * count)]
        if kind == "float":
            exprs = [Expr("float", "float({0})", args=[expr]) for expr in exprs]
        slots = [f"{{{i}}}, " for i in range(len(exprs))]
        before = self.scope.mark()
        names = [self.new_name(kind)]
        self.scope.assign(names[0], kind)
        for _ in range(width - 1 + (form in ("enumerate", "both"))):
            name = self.new_name("int" if form in ("enumerate",) else kind)
            self.scope.assign(name, self.scope.types[name])
            names.append(name)
        header = self._each_header(form, names, slots, count, kind)
        loop = self.loop("for", header, exprs, depth)
        self.scope.join([(before, False), (self.scope.mark(), False)])
        return loop

    def _each_header(self, form, names, slots, count, kind):
        rows = [f"({''.join(slots[at:at + 2])}), " for at in range(0, len(slots), 2)]
        columns = [f"({''.join(slots[at:at + count])})" for at in range(0, len(slots), count)]
        if form == "enumerate":
            start = pick(self.rng, ("", ", 3", ", -1"))
            return f"for {names[1]}, {names[0]} in enumerate(({''.join(slots)}){start}):"
        if form == "pairs":
            return f"for {names[0]}, {names[1]} in ({''.join(rows)}):"
        if form == "zip":
            return f"for {names[0]}, {names[1]} in zip({', '.join(columns)}):"
        if form == "both":
            self.scope.types[names[2]] = "int"
            return f"for {names[2]}, ({names[0]}, {names[1]}) in enumerate(zip({', '.join(columns)})):"
        return f"for {names[0]} in reversed(({''.join(slots)})):"


def ends(block):
    """Whether control never reaches the end of the block, as far as one can see at once."""
    if not block:
        return False
    last = block[-1]
    if last.kind in ("return", "break", "continue"):
        return True
    if last.kind == "if" and last.parts[-1][0] == "else:":
        return all(ends(part) for _, part in last.parts)
    return False
