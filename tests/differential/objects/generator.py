"""Makes a program from a seed: text of functions, and texts of the arguments that `main` is called with."""
import ast
import itertools
import random
import re
import textwrap
from dataclasses import dataclass, field

from . import generator_functions, kept_iterators
from . import rows as tables
from .kinds import ANY, EQUAL, HASHABLE, NUMBER, ORDERED, SHOWN, depth, fits, mutable, parse, show, substitute, unify

SLOT = re.compile(r"<(@?[A-Za-z][^<>]*)>")
AUGMENTED = re.compile(r"\\1 .= ")
DECLARED = re.compile(r"\$(\w+):([A-Za-z]+(?:\[[A-Za-z\[\],]+\])?)")
FRESH = re.compile(r"\$(\w+)")

BASE = ("int", "int", "str", "str", "float", "bool")
KEYS = ("int", "str", "str", "tuple[int,str]")
SHAPES = ("list[T]", "list[T]", "list[list[T]]", "dict[K,T]", "dict[K,list[T]]", "set[K]", "tuple[T,U]", "list[tuple[T,U]]",
          "list[dict[K,T]]", "list[set[K]]", "tuple[list[T],U]", "list[tuple[T,list[U]]]", "dict[K,tuple[T,U]]", "list[list[list[T]]]",
          "dict[K,dict[L,T]]", "list[tuple[str,T]]", "tuple[list[T],list[T]]")


@dataclass
class Program:
    """The text of the functions, and of each call's arguments (a display of a tuple)."""

    source: str
    calls: list
    # What functions that `main` returns are called with.
    after: list = field(default_factory=list)

    def text(self):
        """What is printed and what is shrunk."""
        calls = "".join(f"    {call!r},\n" for call in self.calls)
        after = f"AFTER = {self.after!r}\n" if self.after else ""
        return f"{self.source}\nCALLS = [\n{calls}]\n{after}"


@dataclass
class Profile:
    """What programs are made of."""

    name: str
    expressions: tuple
    statements: tuple
    shapes: tuple = SHAPES
    base: tuple = BASE
    options: bool = False
    # How much of what has blocks are `try` statements.
    tries: float = 0.0
    # How much of it keeps iterators in variables.
    kept: float = 0.0
    leaves: float = 0.15
    helpers: float = 0.3
    inner: float = 0.2
    result: tuple = ()
    size: int = 5
    depth: int = 3


# What the texts of strings begin with.
QUOTES = ("'", '"')


class NoWay(Exception):
    """There is no such expression or place here."""


def pick(rng, items):
    """One of the items."""
    return items[int(rng.random() * len(items))]


def weighted(rng, items):
    """One of pairs of weight and item."""
    at = rng.random() * sum(weight for weight, _ in items)
    for weight, item in items:
        at -= weight
        if at < 0:
            return item
    return items[-1][1]


class Scope:
    """Names and their types; what is known on every path."""

    def __init__(self, names=None, fixed=()):
        self.names, self.fixed = dict(names or {}), set(fixed)

    def copy(self):
        return Scope(self.names, self.fixed)


class Generator:
    """The state while a program is made."""

    def __init__(self, seed, profile):
        self.rng, self.profile = random.Random(seed), profile
        self.count, self.functions, self.scope, self.inside, self.loops = 0, {}, Scope(), 0, 0
        # How many functions of `map` and `filter` are around.
        self.called_lazily = 0
        # Functions that a StopIteration may leave.
        self.stopping = set()
        # Names that the handlers around bind, None for those that bind nothing.
        self.handled = []
        self.result = None
        # The list that statements tell what they did.
        self.log = None

    # Types.

    def base(self):
        return parse(pick(self.rng, self.profile.base))

    def choose(self, variable):
        """A type for a variable of a pattern, of a name in scope if one fits."""
        if self.rng.random() < 0.6:
            found = [kind for kind in self.known() if fits(kind, variable) and depth(kind) < 3]
            if found:
                return pick(self.rng, found)
        if variable in HASHABLE:
            return parse(pick(self.rng, KEYS))
        if variable in NUMBER:
            return (pick(self.rng, ("int", "float", "float")),)
        while True:
            kind = self.shape() if self.rng.random() < 0.3 else self.base()
            if fits(kind, variable) and depth(kind) < 3:
                return kind

    def known(self):
        """Types of names, and of what is in them."""
        found = []
        for kind in self.scope.names.values():
            if kind[0] == "fn":
                continue
            found.append(kind)
            found += [item for item in kind[1:] if item[0] != "fn"]
        return found

    def shape(self):
        """The type of a container."""
        bound = {}

        def choose(variable):
            if variable in HASHABLE:
                return parse(pick(self.rng, KEYS))
            return self.base()

        return substitute(parse(pick(self.rng, self.profile.shapes)), bound, choose)

    # Values of arguments, as text.

    def value(self, kind, full=False):
        """A display of a value; `full`: not an empty one."""
        rng, head = self.rng, kind[0]
        if head == "int":
            return repr(pick(rng, (0, 1, 2, 3, 5, -1, -4, 7)))
        if head == "float":
            return repr(pick(rng, (0.0, 0.5, 1.5, -2.0, 3.25)))
        if head == "bool":
            return pick(rng, ("True", "False"))
        if head == "str":
            return repr(pick(rng, ("", "a", "b", "ab", "b,a", "c", "xyz", "\u00e9")))
        if head == "figure":
            other = pick(rng, ("", f", {self.value(('int',))}", f", {self.value(('str',))}"))
            return f"{'Figure' if not other else 'Square' if other[2] in QUOTES else 'Pair'}({self.value(('int',))}{other})"
        if head == "opt":
            return self.value(kind[1], full) if full or rng.random() < 0.6 else "None"
        if head == "tuple":
            items = [self.value(item, full) for item in kind[1:]]
            return f"({', '.join(items)}{',' * (len(items) == 1)})"
        if head == "array":
            count = 3 if rng.random() < 0.85 else int(rng.random() * 4)
            items = ", ".join(self.value(kind[1]) for _ in range(count))
            return f"np.array([{items}], np.{show(kind[1])}64)"
        count = 1 + int(rng.random() * 3) if full or rng.random() < 0.75 else 0
        if head == "deque":
            items = ", ".join(self.value(kind[1], full and not at) for at in range(count))
            return f"deque([{items}]{pick(rng, ('', '', ', 4'))})"
        if head == "frozenset":
            return f"frozenset({self.value(('list', kind[1]), full)})"
        if head == "list":
            return f"[{', '.join(self.value(kind[1], full and not at) for at in range(count))}]"
        if head == "set":
            return f"{{{', '.join(self.value(kind[1]) for _ in range(count))}}}" if count else "set()"
        if head == "counter":
            return f"Counter({self.value(('dict', kind[1], ('int',)), full)})"
        if head == "defaultdict":
            if kind[2][0] not in FACTORIES:
                raise NoWay
            return f"defaultdict({FACTORIES[kind[2][0]]}, {self.value(('dict', *kind[1:]), full)})"
        assert head == "dict", kind
        keys = [self.key(kind[1]) for _ in range(count)]
        # The value that stays is the last one of a key.
        return f"{{{', '.join(f'{key}: {self.value(kind[2], full and key == keys[0])}' for key in keys)}}}"

    def key(self, kind):
        """A display of a key of few."""
        if kind[0] == "tuple":
            return f"({', '.join(map(self.key, kind[1:]))},)"
        return pick(self.rng, {"int": ("0", "1", "2"), "str": ("'a'", "'b'", "''"), "bool": ("True",)}[kind[0]])

    def arguments(self, params, full):
        """Arguments of a call, some of which are the same object twice."""
        made, texts, numbers = {}, [], itertools.count()

        def make(kind):
            if kind in made and self.rng.random() < 0.5:
                return pick(self.rng, made[kind])
            name = f"v{next(numbers)}"
            if kind[0] == "list" and kind[1][0] in ("list", "dict", "set") and self.rng.random() < 0.5:
                items = ", ".join(make(kind[1]) for _ in range(1 + int(self.rng.random() * 3)))
                text = f"[{items}]"
            elif kind[0] == "tuple" and self.rng.random() < 0.5:
                text = f"({', '.join(make(item) for item in kind[1:])}{',' * (len(kind) == 2)})"
            else:
                text = self.value(kind, full)
            if mutable(kind):
                made.setdefault(kind, []).append(name)
                return f"({name} := {text})"
            return text

        for kind in params:
            texts.append(make(kind))
        return f"({', '.join(texts)},)"

    # Expressions.

    def fresh(self, stem="x"):
        self.count += 1
        return f"{stem}{self.count}"

    def places(self, kind, steps=2):
        """Texts of names, and items of names, that have the type."""
        found = []
        for name, known in self.scope.names.items():
            # Names of exceptions are deleted where their handlers end: compiled code has no such names that inner functions use.
            if known[0] not in HANDLED or not self.inside:
                self._places(name, known, kind, steps, found)
        return found

    def _places(self, text, known, kind, steps, found):
        if unify(kind, known, {}):
            found.append((text, known))
        if not steps:
            return
        if known[0] == "list":
            self._places(f"{text}[{pick(self.rng, ('0', '-1', '0', '1'))}]", known[1], kind, steps - 1, found)
        elif known[0] == "tuple":
            for at, item in enumerate(known[1:]):
                self._places(f"{text}[{at}]", item, kind, steps - 1, found)
        elif known[0] in ("dict", "defaultdict"):
            key = self.key(known[1])
            self._places(f"{text}[{key}]", known[2], kind, steps - 1, found)

    def place(self, pattern, bound, assigned=False):
        """A name or an item that fits the pattern; binds its variables."""
        found = [(text, known) for text, known in self.places(_open(pattern, bound))
                 if unify(pattern, known, dict(bound)) and not (assigned and not self.may_assign(text, known))]
        if not found:
            raise NoWay
        text, known = pick(self.rng, found)
        unify(pattern, known, bound)
        return text

    def may_assign(self, text, known):
        """Items of tuples and names of loops are not assigned."""
        if "[" not in text:
            return text not in self.scope.fixed and known[0] != "fn"
        owner = text[:text.rindex("[")]
        return dict(self.places(("list", known))).get(owner) or any(owner == place for head in ("dict", "defaultdict") for place, _ in self.places((head, ("K",), known)))

    def expression(self, kind, level):
        """An expression of the type."""
        rng = self.rng
        for _ in range(12):
            names = [name for name, known in self.scope.names.items() if known == kind]
            if names and rng.random() < (0.3 if level > 0 else 0.8):
                return pick(rng, names)
            if level <= 0 or rng.random() < 0.12:
                if kind[0] not in ("iter", "fn", "idx"):
                    found = self.places(kind) if rng.random() < 0.7 else []
                    return pick(rng, found)[0] if found else self.literal(kind)
            calls = [
                name for name, (result, _) in self.functions.items()
                if result == kind and not (self.called_lazily and name in self.stopping)
            ]
            try:
                if calls and rng.random() < 0.3:
                    return self.call(pick(rng, calls), level)
                return self.row(kind, level)
            except NoWay:
                continue
        if kind[0] == "iter":
            return self.expression(("list", kind[1]), level)
        if kind[0] == "idx":
            return "0"
        if kind[0] == "fn":
            raise NoWay
        return self.literal(kind)

    def literal(self, kind):
        """A display without calls; names stand in containers, so that values are shared."""
        if kind == ("bool",):
            numbers = [name for name, known in self.scope.names.items() if known == ("int",)]
            if numbers:
                return f"({pick(self.rng, numbers)} {pick(self.rng, ('>', '<', '=='))} {self.value(('int',))})"
            return pick(self.rng, ("(len('') > 0)", "(len('') == 0)"))
        if kind[0] == "array" and self.rng.random() < 0.8:
            names = [name for name, known in self.scope.names.items() if known == kind]
            if names:
                return pick(self.rng, names)
        if len(kind) > 1 and kind[0] in ("list", "tuple") and self.rng.random() < 0.6:
            items = [self.expression(item, 0) for item in (kind[1:] if kind[0] == "tuple" else kind[1:] * (1 + int(self.rng.random() * 2)))]
            return f"[{', '.join(items)}]" if kind[0] == "list" else f"({', '.join(items)}{',' * (len(items) == 1)})"
        # An empty container of which nothing tells what it holds has no type, where it may be None, too.
        if kind[0] == "opt" and self.rng.random() < 0.2:
            return "None"
        if kind[0] == "opt" and self.rng.random() < 0.8:
            return f"({self.present_value(kind[1])} if {self.literal(('bool',))} else None)"
        return self.value(kind, full=True)

    def present_value(self, kind):
        """A display of what may be None elsewhere, which is often zero or empty."""
        zero = {"int": "0", "float": "0.0", "str": "''"}.get(kind[0])
        if zero and self.rng.random() < 0.5:
            return zero
        return f"{self.value(kind, full=True)}[:0]" if kind[0] == "list" and self.rng.random() < 0.5 else self.value(kind, full=True)

    def call(self, name, level):
        _, params = self.functions[name]
        return f"{name}({', '.join(self.expression(item, level - 1) for item in params)})"

    def row(self, kind, level):
        """An expression made by a row of the tables."""
        found = []
        for table in self.profile.expressions:
            for pattern, weight, template in table:
                if level <= 1 and template.count("<") > 3 or ":=" in template and self.inside:
                    continue
                bound = {}
                if unify(pattern, kind, bound):
                    # What is made for the type alone counts more.
                    found.append((weight * (1 if pattern[0] in ANY + ORDERED + EQUAL + SHOWN else 3), (template, bound)))
        if not found:
            raise NoWay
        template, bound = weighted(self.rng, found)
        if template.startswith("next(") and self.called_lazily:
            # A StopIteration ends the loop of CPython's `map` and `filter` in silence, as the guide says.
            raise NoWay
        return self.fill(template, dict(bound), level)[0]

    def fill(self, template, bound, level, first=None):
        """The text of a template, and the names that it declares."""
        names, made, declared = {}, [] if first is None else [first], {}

        def name(match):
            return names.setdefault(match.group(1), self.fresh())

        inner = any(word in template for word in (" for $", "lambda"))
        lazily = any(word in template for word in ("map(lambda", "filter(lambda"))

        def slot(match):
            words = match.group(1).split(";")
            pattern = parse(words[0].lstrip("@"))
            before = self.scope
            if len(words) > 1:
                self.scope = before.copy()
                for word in words[1:]:
                    stem, kind = word.strip().lstrip("$").split(":")
                    local = names.setdefault(stem, self.fresh())
                    self.scope.names[local] = substitute(parse(kind), bound, self.choose)
                    self.scope.fixed.add(local)
            self.inside += inner
            self.called_lazily += lazily
            try:
                if words[0].startswith("@"):
                    text = self.place(pattern, bound, assigned=template.startswith(match.group(0) + " =") or "+=" in template)
                else:
                    text = self.expression(substitute(pattern, bound, self.choose), level - 1)
            finally:
                self.scope = before
                self.inside -= inner
                self.called_lazily -= lazily
            made.append(text)
            return text

        # Names of statements are declared with their types behind a colon.
        text = SLOT.sub(slot, template)
        for stem, kind in DECLARED.findall(text):
            declared[names.setdefault(stem, self.fresh("v"))] = substitute(parse(kind), bound, self.choose)
        text = DECLARED.sub(r"$\1", text) if declared else text
        text = FRESH.sub(name, text)
        text = re.sub(r"\\(\d)", lambda match: made[int(match.group(1)) - 1], text)
        return text, declared

    # Statements.

    def statement(self, level):
        """Lines of one statement."""
        for _ in range(30):
            try:
                chance = self.rng.random()
                if level > 0 and chance < 0.3:
                    return self.compound(level)
                if self.loops and chance < 0.36 or chance < 0.3 + 0.3 * self.profile.leaves:
                    return self.leave()
                if chance < 0.4 and self.rng.random() < self.profile.inner:
                    return self.inner_function()
                return self.simple()
            except NoWay:
                continue
        return ["pass"]

    def simple(self):
        template, places = weighted(self.rng, [(weight, (template, places)) for table in self.profile.statements
                                               for weight, template, places in table])
        bound, first = {}, None
        if places:
            pattern = parse(places[0].strip("<>@"))
            first = self.place(pattern, bound, assigned=AUGMENTED.match(template))
        if template.startswith("$v:fn[T,U]") and self.result[0] == "fn" and self.rng.random() < 0.7:
            bound["T"], bound["U"] = self.result[1:]
        if template.startswith("$v:T") and not bound and self.rng.random() < 0.5:
            bound["T"] = self.shape()
        text, declared = self.fill(template, bound, self.profile.depth, first)
        if ".extend(" in template and self.may_be_itself(text.partition(".extend(")[2][:-1], ("list", bound["T"])):
            raise NoWay
        self.scope.names.update(declared)
        return [text]

    def may_be_itself(self, iterable, kind):
        """Whether a list of the type may be extended by an iterator over itself, which never ends in CPython."""
        if iterable.isidentifier():
            return False
        names = [name for name, known in self.scope.names.items() if mentions(known, kind)]
        return any(re.search(rf"\b{name}\b", iterable) for name in [*names, *self.functions])

    def block(self, size, level):
        """Statements, with the names of before behind it."""
        before, functions, lines = self.scope, dict(self.functions), []
        self.scope = before.copy()
        for _ in range(1 + int(self.rng.random() * size)):
            lines += self.statement(level)
            if lines[-1].split(" ")[0] in ("return", "break", "continue", "raise"):
                break
        self.scope = before
        if self.result[0] == "fn":
            # A function that is returned takes along what it captures, so that has to be there already.
            self.functions = functions
        return ["    " + line for line in lines]

    def leave(self):
        """A way out of a loop or of the function, most often under a condition."""
        word = pick(self.rng, ("break", "continue", "return", "raise") if self.loops else ("return", "raise"))
        if word == "return":
            word = f"return {self.expression(self.result, 2)}"
        if word == "raise":
            word = self.raising()
        if self.loops and self.rng.random() < 0.35:
            return [word]
        return [f"if {self.expression(('bool',), 2)}: {word}"]

    def raising(self):
        """A raise statement: in a handler also of what is handled, or with a cause."""
        made = f"{pick(self.rng, ('ValueError', 'KeyError', 'IndexError'))}({self.expression(('str',), 1)})"
        if self.profile.tries and self.rng.random() < 0.2:
            made = f"Failed({self.expression(('int',), 1)}, {self.expression(('str',), 1)})"
        if not self.handled:
            return f"raise {made}"
        names = [name for name in self.handled if name is not None]
        words = ["raise", f"raise {made}", f"raise {made} from None"]
        if names:
            words += [f"raise {names[-1]}", f"raise {made} from {names[-1]}"]
        return pick(self.rng, words)

    def attempt(self, level):
        """A try statement."""
        rng = self.rng
        protected = self.block(3, level - 1)
        lines = ["try:", *protected]
        handlers, earlier = int(rng.random() * 3), set()
        for number in range(handlers):
            classes = pick(rng, CAUGHT + (("",) if number + 1 == handlers else ()))
            name = self.fresh("e") if classes and rng.random() < 0.6 else None
            before = self.scope
            self.scope = before.copy()
            if name is not None:
                self.scope.names[name] = (handled_as(classes, protected, earlier),)
                self.scope.fixed.add(name)
            self.handled.append(name)
            body = self.block(2, level - 1)
            self.handled.pop()
            self.scope = before
            earlier.add(classes)
            lines += [f"except{' ' * bool(classes)}{classes}{f' as {name}' if name else ''}:", *body]
        if handlers and rng.random() < 0.3:
            lines += ["else:", *self.block(2, level - 1)]
        if not handlers or rng.random() < 0.4:
            lines += ["finally:", *self.block(2, level - 1)]
        return lines

    def compound(self, level):
        if self.rng.random() < self.profile.tries:
            return self.attempt(level)
        if self.profile.kept and self.rng.random() < self.profile.kept:
            return kept_iterators.statements(self)
        rng, kind = self.rng, pick(self.rng, ("if", "for", "for", "for", "while"))
        if kind == "if":
            lines = [f"if {self.expression(('bool',), 2)}:", *self.block(2, level - 1)]
            return lines + ["else:", *self.block(2, level - 1)] if rng.random() < 0.5 else lines
        if kind == "while":
            name = self.fresh("n")
            before = self.scope
            self.scope = before.copy()
            self.scope.names[name] = ("int",)
            self.scope.fixed.add(name)
            test = self.expression(("bool",), 2)
            self.loops += 1
            body = self.block(2, level - 1)
            self.loops -= 1
            self.scope = before
            return [f"{name} = 0", f"while {name} < {1 + int(rng.random() * 4)} and {test}:", f"    {name} += 1", *body]
        return self.loop(level)

    def loop(self, level):
        """A for loop over anything; with an else sometimes."""
        pairs = self.rng.random() < 0.45
        kinds = [self.choose("T"), self.choose("T")] if pairs else [self.choose("T")]
        item = ("tuple", *kinds) if pairs else kinds[0]
        text = self.expression(("iter", item), 2)
        names = [self.fresh() for _ in kinds]
        before = self.scope
        self.scope = before.copy()
        for name, kind in zip(names, kinds):
            self.scope.names[name] = kind
            self.scope.fixed.add(name)
        self.loops += 1
        body = self.block(3, level - 1)
        self.loops -= 1
        self.scope = before
        lines = [f"for {', '.join(names)} in {text}:", *body]
        return lines + ["else:", *self.block(1, level - 1)] if self.rng.random() < 0.12 else lines

    # Functions.

    def inner_function(self):
        """A function that captures names of this one; it is known behind its definition."""
        if self.loops:
            raise NoWay
        name, result = self.fresh("g"), self.choose("T")
        params = [self.choose("T") for _ in range(1 + int(self.rng.random() * 2))]
        lines = self.body(name, params, result, 2, captured=True)
        self.functions[name] = (result, params)
        return lines

    def body(self, name, params, result, size, captured=False, level=2):
        """The lines of a function."""
        before, loops, wanted, functions = self.scope, self.loops, self.result, dict(self.functions)
        handled, self.handled = self.handled, []
        names = [self.fresh("p") for _ in params]
        # Names of the function around it are read only.
        self.scope = before.copy() if captured else Scope()
        self.scope.names = {name: kind for name, kind in self.scope.names.items() if kind[0] not in HANDLED}
        self.scope.fixed |= set(self.scope.names)
        self.scope.names.update(zip(names, params))
        self.loops, self.result = 0, result
        if self.profile.kept and name == "main":
            self.log = names[0]
        lines = []
        for _ in range(1 + int(self.rng.random() * size)):
            lines += self.statement(level if not captured else 1)
        lines.append(f"return {self.ending(result)}")
        self.scope, self.loops, self.result, self.functions, self.handled = before, loops, wanted, functions, handled
        if any(re.search(rf"\b{called}\(", line) for line in lines for called in ("next", *self.stopping)):
            self.stopping.add(name)
        return [f"def {name}({', '.join(names)}):", *("    " + line for line in lines)]

    def ending(self, result):
        """What a function returns last. A function that is returned calls one that it captures, if there is one."""
        if result[0] == "fn" and self.rng.random() < 0.8:
            try:
                return self.fill("(lambda $x: <@fn[T,U]>(<U; $x:U>))", {"T": result[1], "U": result[2]}, 2)[0]
            except NoWay:
                pass
        return self.expression(result, 2)

    def program(self):
        """The whole."""
        rng, lines = self.rng, []
        while rng.random() < self.profile.helpers and len(self.functions) < 2:
            name, result = self.fresh("h"), self.choose("T")
            params = [self.shape() if rng.random() < 0.7 else self.base() for _ in range(1 + int(rng.random() * 2))]
            lines += self.body(name, params, result, 3, level=1)
            self.functions[name] = (result, params)
        params = [self.shape() if rng.random() < 0.8 else self.base() for _ in range(1 + int(rng.random() * 3))]
        if self.profile.options:
            # What comes from Python may be None itself, its items may not.
            params = [("opt", kind) if rng.random() < 0.5 else kind for kind in map(present, params)]
            # A number that conditions can ask for.
            params.append(("int",))
        if self.profile.kept:
            params.insert(0, ("list", ("str",)))
        result = parse(pick(rng, self.profile.result)) if self.profile.result else ("tuple", *(self.choose("T") for _ in range(2)))
        result = substitute(result, {}, self.choose)
        lines += self.body("main", params, result, self.profile.size)
        calls = [self.arguments(params, True) for _ in range(3)]
        after = [self.value(item) for item in result[2:]] if result[0] == "fn" else []
        text = "\n".join(lines + calls)
        head = "".join(f"import {module}\n" for module in ("bisect", "copy", "heapq", "random") if f"{module}." in text)
        classes = [name for name in ("Counter", "defaultdict", "deque") if re.search(rf"\b{name}\b", text)]
        head += f"from collections import {', '.join(classes)}\n" * bool(classes)
        head = head + "import numpy as np\n" * ("np." in text) + "\n\n" + (tables.FAILED + "\n\n") * ("Failed" in text)
        if re.search(r"\b(Figure|Square|Pair)\b", text):
            head = f"from rumba.numba.experimental import jitclass\n{head}{tables.FIGURES}\n\n"
        return Program(head + "\n".join(lines) + "\n", calls, after)


def present(kind):
    """The type without optional parts."""
    return present(kind[1]) if kind[0] == "opt" else (kind[0], *map(present, kind[1:]))


def mentions(kind, part):
    """Whether a type is, or holds, another one."""
    return kind == part or any(mentions(item, part) for item in kind[1:])


def _open(pattern, bound):
    """The pattern with what is bound in place."""
    if pattern[0] in bound:
        return bound[pattern[0]]
    return (pattern[0], *(_open(item, bound) for item in pattern[1:]))


E_ROWS = tables.table(tables.EXPRESSIONS)
S_ROWS = tables.statements(tables.STATEMENTS)
R_ROWS = tables.statements(tables.RAISES)
O_ROWS = tables.table(tables.OPTIONS)
A_ROWS, A_STATEMENTS = tables.table(tables.ARRAYS), tables.statements(tables.ARRAY_STATEMENTS)
F_ROWS, F_STATEMENTS = tables.table(tables.FUNCTIONS), tables.statements(tables.FUNCTION_STATEMENTS)
M_ROWS, M_STATEMENTS = tables.table(tables.MEETINGS), tables.statements(tables.MEETING_STATEMENTS)
OPTIONAL = ("opt[T]", "opt[list[T]]", "list[opt[T]]", "dict[K,opt[T]]", "opt[str]", "opt[dict[K,T]]", "opt[set[K]]", "opt[tuple[T,U]]")
# No lists of arrays: one that comes from Python holds arrays in the order of C alone, and so none of the slices that programs make.
ARRAYS = ("array[float]",) * 6 + ("array[int]",) * 4 + ("tuple[array[float],T]", "tuple[array[int],array[int]]", "list[T]",
                                                      "tuple[T,array[float]]")

COUNTERS = ("counter[K]",) * 3 + ("defaultdict[K,int]", "defaultdict[K,list[T]]", "defaultdict[K,set[L]]", "defaultdict[K,float]", "list[K]",
                                  "dict[K,int]", "list[str]", "frozenset[K]", "deque[T]", "deque[K]")

# The text of what makes the values of a `defaultdict`.
FACTORIES = {kind: kind for kind in ("int", "float", "bool", "str", "list", "set", "dict")} | {"counter": "Counter"}

# What handlers catch.
CAUGHT = ("ValueError", "KeyError", "IndexError", "(ValueError, KeyError)", "LookupError", "ZeroDivisionError", "Exception", "BaseException",
          "Failed", "Failed")

# What is known of the arguments and attributes of what they catch, by the class: ZeroDivisionError and IndexError hold a text.
HANDLED_AS = {"ZeroDivisionError": "excargs", "IndexError": "excargs", "Failed": "failed"}
HANDLED = {"exc", *HANDLED_AS.values()}


def handled_as(classes, protected, earlier):
    """The type of a handler's name. Where no `Failed` comes to the handler, the compiler does not know what its arguments are."""
    if classes == "Failed":
        comes = not earlier & {"Failed", "Exception", "BaseException"} and raises_failed(ast.parse(textwrap.dedent("\n".join(protected))).body)
        return "failed" if comes else "exc"
    return HANDLED_AS.get(classes, "exc")


def raises_failed(body):
    """Whether a `Failed` leaves some statements. One that is raised in a `try` among them does not count: it may be caught there."""
    for statement in body:
        if isinstance(statement, ast.Raise) and ast.unparse(statement).startswith("raise Failed("):
            return True
        if isinstance(statement, (ast.If, ast.For, ast.While, ast.With)) and raises_failed([*statement.body, *getattr(statement, "orelse", [])]):
            return True
    return False


PROFILES = {
    "containers": Profile("containers", (E_ROWS,), (S_ROWS,)),
    "leaving": Profile("leaving", (E_ROWS,), (S_ROWS, R_ROWS), leaves=0.9, helpers=0.1, inner=0.0, size=3),
    "handlers": Profile("handlers", (E_ROWS, tables.table(tables.HANDLED)), (S_ROWS, R_ROWS, tables.statements(tables.FAILING),
                         tables.statements(tables.CHANGED)), tries=0.5, leaves=0.6,
                        helpers=0.4, inner=0.2, size=4),
    "options": Profile("options", (E_ROWS, O_ROWS), (S_ROWS,), options=True, shapes=SHAPES + OPTIONAL * 2),
    "functions": Profile("functions", (F_ROWS, F_ROWS, F_ROWS, E_ROWS), (S_ROWS, F_STATEMENTS, F_STATEMENTS), inner=0.6, size=3,
                         result=("fn[T,U]", "fn[T,U]", "fn[fn[T,U],U]"), shapes=("tuple[T,U]", "tuple[str,T]", "tuple[tuple[T,U],int]")),
    "effects": Profile("effects", (E_ROWS,), (S_ROWS, tables.statements(tables.EFFECTS) * 3), helpers=0.9, inner=0.6),
    "meetings": Profile("meetings", (E_ROWS, M_ROWS, M_ROWS), (S_ROWS, M_STATEMENTS, M_STATEMENTS)),
    "arrays": Profile("arrays", (A_ROWS, A_ROWS, E_ROWS), (S_ROWS, A_STATEMENTS * 4), shapes=ARRAYS, base=("int", "float", "float", "bool")),
    "optional arrays": Profile("optional arrays", (A_ROWS, A_ROWS, E_ROWS, O_ROWS, tables.table(tables.OPTIONAL_ARRAYS)),
                               (S_ROWS, A_STATEMENTS * 2), shapes=ARRAYS, base=("int", "float"), options=True),
    "iterators": Profile("iterators", (E_ROWS,), (S_ROWS, R_ROWS), kept=0.6, leaves=0.4, size=4),
    "counters": Profile("counters", (tables.table(tables.COUNTERS) * 2, E_ROWS), (tables.statements(tables.COUNTER_STATEMENTS) * 3, S_ROWS),
                        shapes=COUNTERS),
    "classes": Profile("classes", (tables.table(tables.CLASSES) * 2, E_ROWS), (tables.statements(tables.CLASS_STATEMENTS) * 3, S_ROWS),
                       helpers=0.4),
    # Made in a way of their own (`generator_functions`).
    "generators": Profile("generators", (), ()),
}


def generate(seed, kind):
    """The program of a seed."""
    if kind == "generators":
        return Program(*generator_functions.make(seed))
    return Generator(seed, PROFILES[kind]).program()
