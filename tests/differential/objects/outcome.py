"""Runs a program in CPython and compiled, and compares: what it gives or raises, its arguments afterwards, what is allocated."""
import gc
import linecache
import math
import re
import signal
import struct
import sys
from collections import Counter, defaultdict, deque

import numpy as np

PATIENCE = 0.5
# Rumba says of a None that was not expected what it expected, not which operator got it.
NO_VALUE = "expected"
# What the guide says is refused, or is a TypeError: arrays that may be None are not compared with what is not None.
NO_ARRAY = re.compile(r"expected array\(.*got None|an array that may be None is compared with None")
# Expressions of arrays become one loop, whose shapes are compared where it begins: if two of them go wrong, or an index that stands between
# them does, the exception may be the other one's.
SHAPES = "operands could not be broadcast together with shapes "
INDEX = "boolean index did not match indexed array"
# What is refused by right: functions that are returned and capture containers, what fails for certain (a key or an index that is not
# in a display), and keys that may be None.
EXCUSED = re.compile(r"error\[R0201\]|error\[R0301\]: (KeyError|.* index out of range|keys of type OptionalType)")
# Containers of the caller hold what they hold: None is refused by right where there is none.
SETTLED = re.compile(r"cannot safely cast .*(OptionalType\(|none\b).* to .*\n.*comes from a caller")
# An interpreter takes a limited number of steps.
TOO_LONG = re.compile("internal compiler error in the interpreter: .*out of fuel after")
# An operator one of whose operands is None for certain fails for certain; comparisons for equality do not.
NONE_OPERAND = re.compile(r"No implementation of function operator\.(?!eq|ne|contains|is_)\w+\((none, .*|.*, none)\)")


class TooLong(BaseException):
    """CPython takes too long."""


def shape(value, seen, after=(), rounds=2):
    """A value in a form that compares: types, bits, and if `seen` is a dict, which mutable values are one."""
    kind = type(value)
    if kind in (bool, str, bytes, type(None)):
        return kind.__name__, value
    if kind is int:
        return ("int", value) if -(2**63) <= value < 2**63 else ("huge",)
    if kind is float:
        return "float", "nan" if math.isnan(value) else struct.pack("<d", value)
    if kind is complex:
        return "complex", shape(value.real, seen), shape(value.imag, seen)
    if isinstance(value, np.generic):
        return "scalar", value.dtype.str, shape(value.item(), seen)
    if isinstance(value, tuple):
        return ("tuple", *(shape(item, seen, after) for item in value))
    if isinstance(value, range):
        return "range", value.start, value.stop, value.step
    if callable(value):
        # What a function gives may be one, too.
        return "function", tuple(result(value, args, seen, args) for args in (after,) * rounds)
    if seen is not None:
        if id(value) in seen:
            return "seen", seen[id(value)]
        seen[id(value)] = len(seen)
    if isinstance(value, np.ndarray):
        return "array", value.dtype.str, value.shape, tuple(shape(item, seen) for item in value.ravel().tolist())
    if isinstance(value, list):
        return ("list", *(shape(item, seen, after) for item in value))
    if isinstance(value, deque):
        return ("deque", value.maxlen, *(shape(item, seen, after) for item in value))
    if isinstance(value, (set, frozenset)):
        return ("frozenset" if isinstance(value, frozenset) else "set", *sorted((shape(item, seen) for item in value), key=repr))
    if hasattr(value, "items"):
        return ("dict", *((shape(key, seen), shape(item, seen, after)) for key, item in value.items()))
    return "other", repr(value)


def result(function, args, seen, after=()):
    """What a call gives or raises."""
    try:
        value = function(*args)
    except CompileError:
        raise
    except Exception as error:
        if failure := compile_failure(error):
            raise CompileError(failure) from None
        return "raises", type(error).__name__, str(error), links(error)
    return "gives", shape(value, seen, after)


def links(error, seen=()):
    """The notes of an exception, what it was raised from, and what was handled then: classes alone, as texts of the runtime may differ."""
    if error is None:
        return None
    if any(error is other for other in seen):
        return "seen"
    seen = (*seen, error)
    notes = getattr(error, "__notes__", None)
    return type(error).__name__, notes, links(error.__cause__, seen), links(error.__context__, seen), error.__suppress_context__


def outcome(function, args, after):
    """What a call gives or raises, what its arguments are then, and how many references there are to those that can be changed."""
    found = result(function, args, None, after)
    if found[0] == "raises" and "'seen'" in repr(found[-1]):
        # Exceptions that refer to each other keep the frames of their tracebacks, with the arguments in them.
        gc.collect()
    counts = tuple(sys.getrefcount(arg) for arg in args if isinstance(arg, (list, dict, set, frozenset, deque, np.ndarray)))
    return found, shape(args, {}), counts


def evaluate(text):
    """A value from its text; names in it hold values that occur more than once."""
    return eval(text, {"np": np, "Counter": Counter, "defaultdict": defaultdict, "deque": deque})


def emulate(source, calls, after):
    """CPython's outcomes; None where it takes too long or integers are too large."""
    def alarm(*_):
        raise TooLong

    before, outcomes = signal.signal(signal.SIGALRM, alarm), []
    space = load(source, "<program>")
    for call in calls:
        signal.setitimer(signal.ITIMER_REAL, PATIENCE)
        try:
            found = outcome(space["main"], evaluate(call), tuple(map(evaluate, after)))
            outcomes.append(None if "huge" in repr(found) else found)
        except (TooLong, RecursionError, MemoryError):
            outcomes.append(None)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)
    return outcomes


def load(source, name):
    """The names that the program defines."""
    space = {"__name__": "program"}
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), space)
    return space


def agree(wanted, found):
    """Whether outcomes are the same, but for the words of a TypeError about None, and what the guide says of arrays."""
    if wanted == found:
        return True
    (one, *rest), (other, *more) = wanted, found
    if other[:2] == ("raises", "TypeError") and NO_ARRAY.match(other[2]):
        return True
    if one[0] == other[0] == "raises" and one[2].startswith(SHAPES) and other[2].startswith((SHAPES, INDEX)):
        return rest == more
    return one[:2] == other[:2] == ("raises", "TypeError") and other[2].startswith(NO_VALUE) and "None" in one[2] and rest == more


class Failure:
    """What went wrong: a word for the kind, a line that tells such failures from others, the details."""

    def __init__(self, word, signature, details):
        self.word, self.signature, self.details = word, f"{word}: {signature}", details

    def is_like(self, other):
        """Whether a program that was made smaller fails as before: a refusal is one of the same types, or it may be a refusal by right."""
        return self.signature == other.signature and (self.word != "refused" or headline(self.details) == headline(other.details))

    def is_excused(self):
        """Whether the compiler refuses the program by right, or it is too long for an interpreter."""
        return bool(EXCUSED.search(self.signature) or TOO_LONG.search(self.details) or SETTLED.search(self.details) or NONE_OPERAND.search(self.details))


def compile_failure(error):
    """A failure for an error of the compiler; None for errors of the program."""
    errors = sys.modules.get("rumba.errors")
    if errors is None or not isinstance(error, errors.NumbaError):
        return None
    text = str(error)
    return Failure("internal error" if re.search("internal (compiler )?error", text) else "refused", without_types(headline(text)), text)


def headline(text):
    """The line of a message that says what is wrong."""
    lines = [line for line in text.splitlines() if line.strip().startswith("error[")] or text.splitlines()[:1]
    return lines[0].strip()


def without_types(line):
    """A message without what is in brackets, without names of types and numbers, so that such messages are one."""
    while (shorter := re.sub(r"\([^()]*\)", "", line)) != line:
        line = shorter
    return re.sub(r"\b(reflected |literal )?(list|set|DictType|Tuple|UniTuple|Keywords|int64|float64|bool|unicode_type|Literal)\b|'.*'|(?<!R)(?<!\d)\d+", "_",
                  line)


def interpreted(function, stage):
    """Calls of a compiled function that an interpreter of the compiler runs, of the stage `typed` or `explicit`."""
    from rumba import testing

    return {"typed": lambda *args: testing.execute(function, "typed", *args), "explicit": lambda *args: testing.interpret(function, *args)}[stage]


def check(source, calls, after=(), expected=None, options=None, stage=None):
    """The first failure of the program, or None; the options are those of `njit`. With a stage its interpreter runs the program."""
    import rumba
    from rumba.nrt_stats import rtsys

    expected = emulate(source, calls, after) if expected is None else expected
    space = load(source, "<compiled>")
    for name, value in list(space.items()):
        if hasattr(value, "__code__"):
            space[name] = rumba.njit(value, **options or {})
    main = interpreted(space["main"], stage) if stage else space["main"]
    for call, wanted in zip(calls, expected):
        if wanted is None:
            continue
        args, more = evaluate(call), tuple(map(evaluate, after))
        gc.collect()
        before = rtsys.get_allocation_stats()
        try:
            found = outcome(main, args, more)
        except CompileError as error:
            return None if error.failure.is_excused() else error.failure
        if not agree(wanted, found):
            return difference(call, wanted, found)
        del args, found
        gc.collect()
        now = rtsys.get_allocation_stats()
        kept = (now.alloc - before.alloc) - (now.free - before.free)
        if kept:
            return Failure("leak", "blocks", f"main(*{call}): {kept} blocks")
    return None


class CompileError(Exception):
    """An error of the compiler, as a failure."""

    def __init__(self, failure):
        super().__init__(failure.signature)
        self.failure = failure


def difference(call, wanted, found):
    """The failure for outcomes that differ."""
    if wanted[0] != found[0]:
        words = "value" if wanted[0][0] == found[0][0] == "gives" else f"exception {brief(wanted[0])}, {brief(found[0])}"
    else:
        words = "arguments afterwards" if wanted[1] != found[1] else "references to arguments"
    return Failure("wrong", words, f"main(*{call})\n  expected {wanted}\n  got      {found}")


def brief(one):
    return one[1] if one[0] == "raises" else "value"
