"""Writes docs/supported-numpy.md and docs/supported-python.md: which functions compiled code calls, and with which parameters.

    .venv/bin/python scripts/supported_tables.py            writes the pages
    .venv/bin/python scripts/supported_tables.py --check    says what the pages have that is not so any more

The compiler's catalog and the library's index are the source, so a page cannot promise what compiled code does not know.
"""
import argparse
import collections
import importlib
import inspect
import pathlib
import re
import sys

DOCS = pathlib.Path(__file__).resolve().parents[1] / "docs"
# The pages: file, title, what it says first, modules.
PAGES = (
    ("supported-numpy.md", "Supported NumPy", "Functions, classes and methods of NumPy",
     ("numpy", "numpy.linalg", "numpy.random", "numpy.fft", "numpy.ndarray", "numpy.random.Generator")),
    ("supported-python.md", "Supported Python", "Builtin functions, methods, and functions of the standard library",
     ("builtins", "builtins.str", "builtins.bytes", "builtins.list", "builtins.dict", "builtins.set", "builtins.frozenset", "builtins.tuple",
      "builtins.int", "builtins.float", "math", "cmath", "random", "statistics", "itertools", "functools", "operator", "heapq", "bisect",
      "collections", "collections.deque", "collections.Counter", "copy", "time", "colorsys")),
)
INTRODUCTION = """# {title}

{what} that compiled code can call, written by `scripts/supported_tables.py` from the compiler's own tables. *Without* lists
parameters that compiled code does not take. Which types of arguments a function takes, and where it differs, is told in
[the library](library.md), [arrays](arrays.md), [containers](containers.md) and [strings](text.md).
"""
# Names of modules that are not for programs.
IGNORED = {"test", "info", "get_include", "show_config", "show_runtime", "GenericAlias", "RLock", "Error", "error", "copyright", "credits",
           "exit", "help", "license", "quit", "classmethod", "property", "staticmethod", "super"}
# Parameters that say how NumPy works, not what it computes.
HOW = {"subok", "casting", "signature", "like", "device", "self", "kwargs", "args"}
# What the compiler says of an attribute and of a function that it does not know.
UNKNOWN_ATTRIBUTE, UNKNOWN_FUNCTION = "Unknown attribute", ("compiled code does not know it", "Untyped", "is not supported")
# How functions are called that need a function themselves.
CALLS = {map: "lambda: list(f(abs, (1, 2)))", filter: "lambda: list(f(abs, (1, 2)))"}


def refusal(text, *args, **names):
    """What the compiler says of a function that it refuses; nothing if it does not."""
    from rumba import errors, njit

    try:
        njit(eval(text, names))(*args)
    except errors.NumbaError as error:
        return str(error)
    except Exception:
        return ""
    return ""


def sample(owner):
    """An object of a class."""
    import numpy

    made = {"numpy.ndarray": lambda: numpy.ones(2), "numpy.random.Generator": numpy.random.default_rng, "builtins.str": lambda: "a",
            "builtins.bytes": lambda: b"a", "builtins.list": lambda: [1], "builtins.dict": lambda: {1: 2}, "builtins.set": lambda: {1},
            "builtins.frozenset": lambda: frozenset([1]), "builtins.tuple": lambda: (1, 2), "builtins.int": lambda: 1,
            "builtins.float": lambda: 1.5, "collections.deque": lambda: collections.deque([1]),
            "collections.Counter": lambda: collections.Counter([1])}
    return made[owner]()


class Tables:
    """What the compiler knows."""

    def __init__(self):
        from rumba._rumba import interpreter, session
        from rumba.tools.inspector import _index

        self.session, self.functions, self.index = session, dict(interpreter.functions()), _index()

    def of_function(self, value):
        """The name that the compiler has for a value, and whether compiled code can call it."""
        name = self.session.function_name(value)
        if name is None or name in self.functions or name in self.index or name.startswith("class."):
            return name, name is not None
        # Inference knows some by itself.
        call = CALLS.get(value, "lambda: f()")
        return name, not any(text in refusal(call, f=value) for text in UNKNOWN_FUNCTION)

    def of_method(self, owner, method):
        """The same of a method of a class."""
        dotted = f"{owner}.{method}"
        name = dotted if dotted in self.index else f"method.{method}"
        return name, UNKNOWN_ATTRIBUTE not in refusal(f"lambda x: x.{method}", sample(owner))

    def parameters(self, name):
        """Names of the parameters of what implements a function; None where they are not known."""
        found = self.functions.get(name)
        if name in self.index:
            from rumba.extending import overload_registry

            importlib.import_module(f"rumba.library.{self.index[name]}")
            found = list(found or [])
            for overload in overload_registry.registered(name):
                for one in inspect.signature(overload.function).parameters.values():
                    if one.name not in found:
                        found.append(one.name)
        return found


def without(value, parameters):
    """The parameters of a function that compiled code does not take."""
    if parameters is None:
        return []
    try:
        own = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return []
    named = [one for one in own if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD) and one.default is not one.empty]
    taken = {name.rstrip("_") for name in parameters}
    return [one.name for one in named if one.name not in HOW and one.name.rstrip("_") not in taken]


def resolve(path):
    """A module, or a class in one."""
    try:
        return importlib.import_module(path), False
    except ImportError:
        module, _, name = path.rpartition(".")
        return getattr(importlib.import_module(module), name), True


def rows(tables, path):
    """Of each public name of a module or a class: the name, whether it is known, and which parameters are not taken."""
    owner, is_class = resolve(path)
    for name in sorted(dir(owner), key=str.lower):
        try:
            value = getattr(owner, name)
        except AttributeError:
            continue
        if name.startswith("_") or name in IGNORED or not callable(value) or isinstance(value, type) and issubclass(value, BaseException):
            continue
        dotted, known = tables.of_method(path, name) if is_class else tables.of_function(value)
        yield name, known, without(value, tables.parameters(dotted)) if known else []


def table(tables, path):
    """The lines of a module."""
    found = list(rows(tables, path))
    known = [row for row in found if row[1]]
    unknown = [name for name, is_known, _ in found if not is_known]
    lines = [f"## {path}", "", f"{len(known)} of {len(found)} names.", "", "| name | without |", "|---|---|"]
    lines += [f"| `{name}` | {', '.join(f'`{one}`' for one in missing)} |" for name, _, missing in known]
    if unknown:
        lines += ["", "Not compiled: " + ", ".join(f"`{name}`" for name in unknown) + "."]
    return lines


def page(tables, title, what, modules):
    """The text of a page."""
    lines = INTRODUCTION.format(title=title, what=what).splitlines()
    for path in modules:
        lines += ["", *table(tables, path)]
    return "\n".join(lines) + "\n"


def untrue(tables, text):
    """Names of a page that this version of Python and NumPy has, of which it says what is not so."""
    wrong = []
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        path = section.splitlines()[0]
        claimed = {name: True for name in re.findall(r"^\| `(\w+)` \|", section, re.M)}
        for line in re.findall(r"^Not compiled: (.*)$", section, re.M):
            claimed.update(dict.fromkeys(re.findall(r"`(\w+)`", line), False))
        wrong += [f"{path}.{name}" for name, known, _ in rows(tables, path) if claimed.get(name, known) != known]
    return wrong


def main():
    """Writes or checks the pages."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="say what is not so any more, and write nothing")
    asked, tables, wrong = parser.parse_args(), Tables(), []
    for name, title, what, modules in PAGES:
        if asked.check:
            wrong += untrue(tables, (DOCS / name).read_text())
            continue
        (DOCS / name).write_text(page(tables, title, what, modules))
        print(f"docs/{name}")
    if wrong:
        sys.exit("not so any more, `scripts/supported_tables.py` writes the pages anew: " + ", ".join(wrong))


if __name__ == "__main__":
    main()
