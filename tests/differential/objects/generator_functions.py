"""Makes programs whose functions yield: in `try`, `with`, `match` and loops that are nested, with values and exceptions that are sent to
them, left early, gone through by each other and by `itertools`, and kept in containers.

All generators of a program yield values of one type, are sent integers and return an integer. What a `finally` does shows in the list
`log`, which is an argument of `main`. Names of generators are deleted: compiled code gives up what a name holds behind its last use.
"""
import random
from dataclasses import dataclass, field

# Of each type of items: what is yielded (`{}` is an integer), what is made of an item, and a value that is no item.
ITEMS = {
    "int": (("{}", "{} * 2", "-{}", "{} % 7"), "{} % 9", "-1"),
    "str": (("str({})", "'a' * ({} % 3)", "f'<{{{}}}>'"), "len({})", "''"),
    "float": (("{} * 0.5", "float({})", "{} / 4"), "int({}) % 9", "-0.5"),
    "pair": (("({}, str({}))", "(1, 'a')"), "{}[0] % 9", "(-1, '')"),
    "list": (("[{}]", "[{}, 1]", "[0] * ({} % 3)"), "len({})", "[-1]"),
}
ERRORS = ("ValueError", "KeyError", "IndexError", "ZeroDivisionError")


@dataclass
class Maker:
    """Makes one program."""

    rng: random.Random
    item: str
    # Whether values are sent to generators: then these go through others of their kind only.
    sends: bool
    # Generators that are defined already.
    known: list = field(default_factory=list)
    count: int = 0

    def chance(self, probability):
        return self.rng.random() < probability

    def number(self, most=5):
        return int(self.rng.random() * most)

    def pick(self, items):
        return items[int(self.rng.random() * len(items))]

    def fresh(self, letter):
        self.count += 1
        return f"{letter}{self.count}"

    def integer(self):
        return self.pick(("n", "acc", str(self.number(9)), f"(acc + {self.number()})", f"(n * {self.number()})"))

    def value(self, of=None):
        template = self.pick(ITEMS[self.item][0])
        return template.replace("{}", of or self.integer()) if "f'" not in template else f"f'<{{{of or self.integer()}}}>'"

    def condition(self):
        return f"{self.integer()} % {2 + self.number(3)} == {self.number(2)}"

    def error(self):
        return f"{self.pick(ERRORS)}({self.pick((self.integer(), repr('x'), ''))})"

    def call(self):
        return f"{self.pick(self.known)}({self.pick(('n', str(self.number(4)), 'n - 1'))}, log)"

    # ---- generators ----

    def block(self, depth, loops, size=3):
        """Statements, one step further in."""
        lines = []
        for _ in range(1 + self.number(size)):
            lines += self.statement(depth, loops)
            if lines[-1].split()[0] in ("return", "raise", "break", "continue"):
                break
        return ["    " + line for line in lines]

    def statement(self, depth, loops):
        """One statement of a generator."""
        simple = ["give"] * 5 + ["ask"] * 3 + ["count"] * 2 + ["log"] + ["delegate"] * 2 + ["items"] + ["leave"] * (loops > 0) + ["raise"] * (depth < 3)
        nested = ["for", "while", "finally", "except", "else", "if", "match", "with", "through"] if depth else []
        return getattr(self, "_" + self.pick(simple + nested * 2))(depth - 1, loops)

    def _give(self, depth, loops):
        return [f"yield {self.value()}"]

    def _ask(self, depth, loops):
        name = self.fresh("x")
        return [f"{name} = yield {self.value()}", f"if {name} is not None:", f"    acc += {name}"]

    def _count(self, depth, loops):
        return [f"acc += {self.number()}"]

    def _log(self, depth, loops):
        return [f"log.append({self.integer()})"]

    def _items(self, depth, loops):
        return [f"yield from [{self.value()}, {self.value()}]"] if not self.sends else self._give(depth, loops)

    def _delegate(self, depth, loops):
        if not self.known:
            return self._give(depth, loops)
        return [self.pick((f"yield from {self.call()}", f"acc += yield from {self.call()}"))]

    def _leave(self, depth, loops):
        return [f"if {self.condition()}:", f"    {self.pick(('break', 'continue', 'return acc'))}"]

    def _raise(self, depth, loops):
        return [f"if {self.condition()}:", f"    raise {self.error()}"]

    def _for(self, depth, loops):
        name = self.fresh("i")
        return [f"for {name} in range({1 + self.number(4)}):", f"    acc += {name}", *self.block(depth, loops + 1)]

    def _while(self, depth, loops):
        name = self.fresh("w")
        return [f"{name} = 0", f"while {name} < {1 + self.number(3)}:", f"    {name} += 1", *self.block(depth, loops + 1)]

    def _through(self, depth, loops):
        if not self.known:
            return self._for(depth, loops)
        name = self.fresh("y")
        of = ITEMS[self.item][1].format(name)
        return [f"for {name} in {self.call()}:", f"    acc += {of}", *self.block(depth, loops + 1)]

    def _finally(self, depth, loops):
        return ["try:", *self.block(depth, loops), "finally:", f"    log.append({10 + self.number(90)})"]

    def _except(self, depth, loops):
        lines = ["try:", *self.block(depth, loops), f"except {self.pick(ERRORS)}:", *self.block(depth, loops, 2)]
        if self.chance(0.3):
            lines += ["else:", *self.block(depth, loops, 1)]
        if self.chance(0.3):
            lines += ["finally:", f"    log.append({10 + self.number(90)})"]
        return lines

    def _else(self, depth, loops):
        return self._if(depth, loops) + ["else:", *self.block(depth, loops)]

    def _if(self, depth, loops):
        return [f"if {self.condition()}:", *self.block(depth, loops)]

    def _match(self, depth, loops):
        return ["match acc % 3:", "    case 0:", *self._further(depth, loops), "    case 1 | 2:", *self._further(depth, loops)]

    def _further(self, depth, loops):
        return ["    " + line for line in self.block(depth, loops, 2)]

    def _with(self, depth, loops):
        return [f"with contextlib.suppress({self.pick(ERRORS)}):", *self.block(depth, loops)]

    def generator(self):
        """The lines of a generator."""
        name = self.fresh("g")
        body = self.block(3, 0, 4)
        lines = [f"def {name}(n, log):", "    acc = 0", f"    yield {self.value()}", *body, "    return acc", "", ""]
        self.known.append(name)
        return lines

    # ---- main ----

    def use(self):
        """Statements of `main`."""
        sends = (self._sends,) * 3 if self.sends else (self._nexts,)
        return self.pick((*sends, self._loop, self._loop, self._nexts, self._throws, self._closes, self._taken, self._kept,
                          self._pipeline, self._pipeline, self._expression, self._passed, self._nested, self._dropped,
                          self._expressions, self._unpacked, self._ends))()

    def _of(self, name):
        return ITEMS[self.item][1].format(name)

    def _loop(self):
        name = self.fresh("x")
        lines = [f"for {name} in {self.call()}:", f"    out.append({name})", f"    if {self._of(name)} == {self.number(6)}:",
                 f"        {self.pick(('break', 'continue', 'log.append(1)'))}"]
        return lines + (["else:", "    log.append(2)"] if self.chance(0.3) else [])

    def _nexts(self):
        name = self.fresh("it")
        lines = [f"{name} = {self.call()}"]
        for _ in range(1 + self.number(4)):
            if self.chance(0.5):
                lines.append(f"out.append(next({name}, {ITEMS[self.item][2]}))")
            else:
                lines += self._guarded([f"out.append(next({name}))"])
        return [*lines, f"del {name}"]

    def _guarded(self, lines, more=""):
        caught = self.pick(("StopIteration", "StopIteration", f"(StopIteration, {self.pick(ERRORS)})", "Exception"))
        return ["try:", *("    " + line for line in lines), f"except {caught}:", f"    log.append({self.number(9)})"]

    def _sends(self):
        name = self.fresh("it")
        sends = [f"out.append({name}.send({self.pick((str(self.number(9)), 'n', 'None'))}))" for _ in range(1 + self.number(4))]
        return [f"{name} = {self.call()}", f"out.append(next({name}, {ITEMS[self.item][2]}))", *self._guarded(sends), f"del {name}"]

    def _throws(self):
        name = self.fresh("it")
        error = self.pick(ERRORS)
        given = self.pick((error, f"{error}({self.number()})"))
        lines = [f"out.append({name}.throw({given}))", f"out.append(next({name}, {ITEMS[self.item][2]}))"]
        return [f"{name} = {self.call()}", f"out.append(next({name}, {ITEMS[self.item][2]}))", "try:", *("    " + line for line in lines),
                f"except ({error}, StopIteration):", "    log.append(3)", f"del {name}"]

    def _closes(self):
        name = self.fresh("it")
        return [f"{name} = {self.call()}", *([f"next({name}, {ITEMS[self.item][2]})"] * self.number(3)),
                *self.pick(([f"{name}.close()"], self._guarded([f"{name}.close()"]))), f"out.extend(list({name}))", f"del {name}"]

    def _taken(self):
        call = self.call()
        return [self.pick((f"out.extend(list({call}))", f"out.extend({call})", f"log.append(sum([{self._of('x')} for x in {call}]))",
                           f"log.append(len(list({call})))", f"out.extend([x for x in {call} if {self._of('x')} > 1])"))]

    def _kept(self):
        name, item = self.fresh("gs"), self.fresh("x")
        return [f"{name} = [{self.call()} for _ in range({1 + self.number(3)})]", f"for {item} in {name}:",
                f"    out.append(next({item}, {ITEMS[self.item][2]}))",
                *self.pick(([], [f"out.extend(list({name}[0]))"], [f"{name}.reverse()", f"out.extend(list({name}.pop()))"])),
                f"{name}n = len({name})", f"del {name}, {item}", f"log.append({name}n)"]

    def _pipeline(self):
        name = self.fresh("x")
        call, other = self.call(), self.call()
        of = self.pick((f"itertools.islice({call}, {self.number(4)})", f"itertools.chain({call}, {other})",
                        f"itertools.takewhile(lambda x: {self._of('x')} < {2 + self.number()}, {call})",
                        f"itertools.dropwhile(lambda x: {self._of('x')} < {2 + self.number()}, {call})",
                        f"itertools.filterfalse(lambda x: {self._of('x')} % 2, {call})", f"[x for x, _ in zip({call}, {other})]",
                        f"[x for _, x in enumerate({call})]", f"[b for a, b in itertools.pairwise({call})]",
                        f"itertools.islice(itertools.cycle({call}), {self.number(6)})", f"[x for x in map(lambda x: x, {call})]",
                        f"filter(lambda x: {self._of('x')} > 1, {call})"))
        return [f"for {name} in {of}:", f"    out.append({name})", *([f"    if {self._of(name)} > 4:", "        break"] if self.chance(0.3) else [])]

    def _expression(self):
        name = self.fresh("e")
        return [f"{name} = (x for x in {self.call()} if {self._of('x')} != {self.number(4)})",
                self.pick((f"out.append(next({name}, {ITEMS[self.item][2]}))", f"out.extend(list({name}))", f"log.append(len(list({name})))")),
                f"del {name}"]

    def _expressions(self):
        """Expressions that live on: in a list, held beside each other, of several loops."""
        name, item = self.fresh("es"), self.fresh("e")
        made = [f"(x for x in {self.call()} if {self._of('x')} != {self.number(4)})", f"(x for x in {self.call()} for _ in range({self.number(3)}))",
                f"(y for x in range({self.number(3)}) for y in {self.call()})", f"(x for x in {self.call()})"]
        if self.chance(0.3):
            return [f"{name} = {self.pick(made)}", f"for {item} in range({1 + self.number(3)}):", f"    out.append(next({name}, {ITEMS[self.item][2]}))",
                    f"    {name} = {self.pick(made)}", f"out.extend({name})", f"del {name}"]
        return [f"{name} = [{self.pick(made)}, {self.pick(made)}]", f"for {item} in {name}:", f"    out.append(next({item}, {ITEMS[self.item][2]}))",
                *self.pick(([], [f"out.extend({name}[0])"], [f"out.extend(list({name}.pop()))"])),
                f"{name}n = len({name})", f"del {name}, {item}", f"log.append({name}n)"]

    def _unpacked(self):
        a, b = self.fresh("a"), self.fresh("b")
        call = self.call()
        lines = self.pick(([f"{a}, {b} = {call}", f"out.append({a})", f"out.append({b})"], [f"log.append(1 if {self.value('n')} in {call} else 0)"],
                           [f"for {a}, {b} in zip({call}, {self.call()}, strict=True):", f"    out.append({b})"],
                           [f"{a}, {b} = itertools.tee({call})", f"out.extend(itertools.islice({b}, {self.number(4)}))", f"out.extend({a})", f"out.extend({b})",
                            f"del {a}, {b}"]))
        return ["try:", *("    " + line for line in lines), f"except {self.pick(('ValueError', 'Exception'))}:", f"    log.append({self.number(9)})"]

    def _ends(self):
        name, end = self.fresh("it"), self.fresh("end")
        return [f"{name} = {self.call()}", "try:", *[f"    out.append(next({name}))"] * (1 + self.number(4)), f"except StopIteration as {end}:",
                f"    log.append(-1 if {end}.value is None else {end}.value + 0)", f"del {name}"]

    def _passed(self):
        return [f"drain({self.call()}, {self.number(4)}, out)"]

    def _nested(self):
        outer, inner = self.fresh("x"), self.fresh("y")
        return [f"for {outer} in {self.call()}:", f"    for {inner} in {self.call()}:", f"        out.append({inner})",
                f"        if {self._of(outer)} > {self.number(4)}:", f"            {self.pick(('break', 'continue'))}"]

    def _dropped(self):
        name = self.fresh("it")
        return [f"{name} = {self.call()}", f"out.append(next({name}, {ITEMS[self.item][2]}))", f"{name} = {self.call()}", f"del {name}"]

    def main(self):
        """The lines of `main`, and of what it passes generators to."""
        lines = [f"out = [{ITEMS[self.item][2]}]"]
        for _ in range(1 + self.number(4)):
            lines += self.use()
        return ["def drain(items, count, out):", "    for item in items:", "        out.append(item)", "        count -= 1", "        if count < 0:",
                "            break", "", "", "def main(n, log):", *("    " + line for line in lines), "    return out"]


def make(seed):
    """The text of a program and its calls."""
    rng = random.Random(seed)
    maker = Maker(rng, list(ITEMS)[int(rng.random() * len(ITEMS))], rng.random() < 0.5)
    lines = []
    for _ in range(1 + maker.number(3)):
        lines += maker.generator()
    text = "\n".join(lines + maker.main()) + "\n"
    head = "".join(f"import {module}\n" for module in ("contextlib", "itertools") if f"{module}." in text)
    return f"{head}\n\n{text}", [f"({n}, [0])" for n in (0, 1, 2 + maker.number(4))]
