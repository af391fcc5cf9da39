"""Runs a program in each tier and compares the outcomes, to the bit."""
import functools
import re
import struct
import sys
import traceback

from . import semantics
from .unbound import maybe_unbound_names

# The tiers of Rumba by name: options of `njit`, and whether the interpreter runs the function.
TIERS = {
    "interpreter": ({"_opt_level": 0}, True),
    "O0": ({"_opt_level": 0}, False),
    "O3": ({"_opt_level": 3}, False),
    "default": ({}, False),
}
# The compile error about a name that has no value on any path.
UNBOUND = re.compile(r"name '(\w+)' is not defined|local variable '(\w+)' is used where no path")
USUAL = ("interpreter", "O0", "O3")
# Those without LLVM's optimizations.
CHEAP = ("interpreter", "O0")


# CPython 3.11 joins a store with the load behind it once a function is warm; if that finds nothing, it tells the line of the store.
_JOINED = sys.version_info < (3, 12)


class Outcome:
    """A value or an exception, in a form that compares bits and prints; of an exception the lines of its traceback, too."""

    __slots__ = ("key", "lines", "shown", "rejected")

    def __init__(self, key, shown, rejected=False, lines=None):
        self.key, self.shown, self.rejected, self.lines = key, shown, rejected, lines

    def __eq__(self, other):
        return self.key == other.key and (None in (self.lines, other.lines) or self.lines == other.lines)

    __hash__ = None


def _bits(value):
    """The type and the bits of a value; all NaN are one."""
    if isinstance(value, tuple):
        return tuple(_bits(item) for item in value)
    if type(value) is float:
        return "float", "nan" if value != value else struct.pack("<d", value)
    if type(value) is complex:
        return "complex", _bits(value.real), _bits(value.imag)
    return type(value).__name__, value


def places(source):
    """The lines of functions, but for what counts the rounds of loops: number in the source -> number among them."""
    lines = source.split("\n")
    first = next(number for number, line in enumerate(lines) if line.startswith("def "))
    counted = [number for number, line in enumerate(lines) if number >= first and line.strip() != "tick()"]
    return {number + 1: place for place, number in enumerate(counted)}


def _traceback(error, known):
    """Functions and lines that an exception came through; comprehensions belong to the function around them."""
    entries = [entry for entry in traceback.extract_tb(error.__traceback__) if entry.filename == "<program>"]
    return [(entry.name, known.get(entry.lineno)) for entry in entries if not entry.name.startswith("<")]


def run(function, args, known=None):
    """The outcome of a call. With the places of lines that are known, tracebacks are compared."""
    try:
        value = function(*args)
    except Exception as error:  # Whatever a program raises is its outcome.
        from rumba import errors

        rejected = isinstance(error, errors.NumbaError)
        told = known is not None and not rejected and not (_JOINED and isinstance(error, UnboundLocalError))
        lines = _traceback(error, known) if told else None
        shown = f"{type(error).__name__}: {error}" + ("" if lines is None else f" through {lines}")
        return Outcome((type(error).__name__, str(error)), shown, rejected, lines)
    return Outcome(_bits(value), f"{value!r} ({_shape(value)})")


def _shape(value):
    if isinstance(value, tuple):
        return f"({', '.join(_shape(item) for item in value)})"
    return type(value).__name__


def _namespace(source, names):
    # A class belongs to the module of its namespace.
    namespace = {"__name__": "program", **names}
    exec(compile(source, "<program>", "exec"), namespace)
    return namespace


def emulate(program, inputs):
    """Outcomes of CPython with the semantics of compiled code; None where a run is too long."""
    clock = semantics.Clock()
    source = program.source(emulated=True)
    main, known = _namespace(source, {**semantics.NAMES, "tick": clock.tick})["main"], places(source)
    outcomes = []
    for args in inputs:
        clock.reset()
        try:
            outcomes.append(run(main, args, known))
        except semantics.TooLong:
            outcomes.append(None)
    return outcomes


class Ready:
    """A program in each tier. The interpreter runs what the tier with its options compiled, after that ran."""

    def __init__(self, program, names):
        from rumba import testing

        code = compile(program.source(), "<program>", "exec")
        compiled, self.mains, self.functions = {}, {}, []
        for tier in sorted(names, key=lambda name: TIERS[name][1]):
            options, interpreted = TIERS[tier]
            known = tuple(options.items())
            if known not in compiled:
                compiled[known], self.functions = _dispatchers(program, code, options)
            self.mains[tier] = functools.partial(testing.interpret, compiled[known]) if interpreted else compiled[known]

    def phases(self):
        """Texts of the Typed and of the Explicit phase of all functions, of one tier."""
        units = [unit for function in self.functions for unit in function._units()]
        return [[unit.stage(stage) or "" for unit in units] for stage in ("types", "explicit")]


def prepare(program, names):
    """The program, ready to run in these tiers."""
    return Ready(program, names)


def _dispatchers(program, code, options):
    """The first function, and all of them, decorated."""
    import rumba

    namespace = {"__name__": "program"}
    exec(code, namespace)
    for function in program.functions:
        namespace[function.name] = rumba.njit(**options)(namespace[function.name])
    return namespace["main"], [namespace[function.name] for function in program.functions]


class Mismatch:
    """One input of a program on which the tiers do not agree."""

    def __init__(self, args, outcomes):
        self.args, self.outcomes = args, outcomes

    @property
    def signature(self):
        """What makes two mismatches the same kind: which tiers differ, and how they fail."""
        expected = self.outcomes["CPython"]
        parts = []
        for tier, outcome in self.outcomes.items():
            if outcome != expected:
                words = _reason(outcome.shown) if outcome.rejected else _class_of(outcome)
                parts.append(f"{tier}: {words}")
        return f"CPython: {_class_of(expected)}; " + "; ".join(parts)

    def report(self):
        """The input and what each tier made of it."""
        lines = [f"input: {self.args!r}"]
        width = max(map(len, self.outcomes))
        for tier, outcome in self.outcomes.items():
            mark = "  " if outcome == self.outcomes["CPython"] else "! "
            shown = outcome.shown.replace("\n", "\n" + " " * (width + 4))
            lines.append(f"{mark}{tier:{width}}  {shown}")
        return "\n".join(lines)


def _reason(message):
    """The line of a compile error that says what is wrong, without names."""
    lines = [line.strip() for line in message.split("\n")]
    line = next((line for line in lines if line.startswith("error")), lines[0])
    return re.sub(r"'[^']*'", "'...'", line)


def _class_of(outcome):
    key = outcome.key
    if isinstance(key[0], tuple):
        return "tuple"
    return str(key[0])


def check(program, tiers=USUAL, expected=None, ready=None, refused=None):
    """The first input on which the tiers differ, or None; counts names that were refused."""
    expected = emulate(program, program.inputs) if expected is None else expected
    source = program.source()
    known = places(source)
    ready = ready or prepare(program, tiers)
    for index, (args, outcome) in enumerate(zip(program.inputs, expected)):
        if outcome is None:
            continue
        outcomes, native = {"CPython": outcome}, program.native(args)
        for tier, main in ready.mains.items():
            if not TIERS[tier][1] or index % program.interpret_every == 0:
                outcomes[tier] = run(main, native, known)
        different = [other for other in outcomes.values() if other != outcome]
        if any(not is_refused_name(other, source) for other in different):
            return Mismatch(args, outcomes)
        if different:
            # It does not compile, whatever the inputs are.
            if refused is not None:
                refused["names"] += 1
            return None
    return None


def is_refused_name(outcome, source):
    """Whether a compile error is about a name that not every path binds.

    Whether really no path binds it depends on how much the compiler knows of conditions.
    """
    name = UNBOUND.search(outcome.shown) if outcome.rejected else None
    return bool(name) and (name[1] or name[2]) in maybe_unbound_names(source)
