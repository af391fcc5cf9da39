"""Lists the functions of a module that compiled code supports, and their implementations:
`numba.misc.help.inspector`.

    python -m numba.misc.help.inspector --format rst --file math math

Functions that are part of the compiler itself are known without a place in a source file.
"""
import argparse
import functools
import importlib
import inspect
import os
import pkgutil
import sys
import types as python_types

from .. import types
from .._rumba import interpreter, session
from ..extending import overload_registry


def inspect_function(function, target=None):
    """What there is to say of a function: a dictionary with its `numba_type` (None where compiled code does not know it),
    an explanation in words (`explained`), and the `source_infos` of what implements it."""
    name = session.function_name(function)
    infos = _source_infos(name)
    if not infos and name not in _known_to_compiler():
        return {"numba_type": None, "explained": "compiled code does not know it", "source_infos": {}}
    known = types.Function(function)
    return {"numba_type": known, "explained": f"{name} can be called in compiled code", "source_infos": infos}


def inspect_module(module, target=None, alias=None):
    """The same of all functions and classes of a module, each with its `module`, its `name` and itself, `obj`."""
    for name in dir(module):
        value = getattr(module, name)
        if name.startswith("_") or not callable(value) or getattr(value, "__module__", None) is None:
            continue
        yield {"module": module, "name": name, "alias": alias, "obj": value, **inspect_function(value, target)}


@functools.cache
def _known_to_compiler():
    """Names of the functions that are part of the compiler, and of those that it finds in the library."""
    made = (key.partition(" ") for key, _ in interpreter.catalog())
    classes = {f"builtins.{name}" for kind, _, name in made if kind == "construct"}
    return classes | {name for name, _ in interpreter.functions()} | set(_index())


@functools.cache
def _index():
    """Which module of the library implements which function."""
    with open(os.path.join(os.path.dirname(os.path.dirname(__file__)), "library", "index.txt"), encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {row[0]: row[1] for row in rows}


def _source_infos(name):
    """What implements a function: key -> kind, name, signature, file, lines, docstring."""
    module = _index().get(name)
    if module is not None:
        importlib.import_module(f"rumba.library.{module}")
    infos = {}
    for number, overload in enumerate(overload_registry.registered(name) if name else ()):
        function = inspect.unwrap(overload.function)
        lines, first = inspect.getsourcelines(function)
        infos[number, function] = {
            "kind": "overload", "name": function.__name__, "sig": str(inspect.signature(function)),
            "filename": inspect.getsourcefile(function), "lines": (first, first + len(lines) - 1),
            "docstring": inspect.getdoc(function)}
    return infos


def _modules(name):
    """A module, and those in it if it is a package."""
    module = importlib.import_module(name)
    yield module
    for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
        if not found.name.startswith("_"):
            try:
                yield importlib.import_module(f"{name}.{found.name}")
            except ImportError:
                continue


def _rows(modules):
    for module in modules:
        yield module, [row for row in inspect_module(module) if not isinstance(row["obj"], python_types.ModuleType)]


def _as_html(modules):
    from html import escape

    yield "<!DOCTYPE html><meta charset='utf-8'><title>Functions in compiled code</title>"
    for module, rows in _rows(modules):
        yield f"<h1>{escape(module.__name__)}</h1><ul>"
        for row in rows:
            state = "known" if row["numba_type"] is not None else "not known"
            places = "".join(f"<li>{escape(info['filename'])}, lines {info['lines'][0]} to {info['lines'][1]}</li>"
                             for info in row["source_infos"].values())
            yield f"<li><b>{escape(row['name'])}</b>: {state}{f'<ul>{places}</ul>' if places else ''}</li>"
        yield "</ul>"


def _as_rst(modules):
    for module, rows in _rows(modules):
        yield from (module.__name__, "=" * len(module.__name__), "")
        for row in rows:
            yield f"- ``{row['name']}``: {'known' if row['numba_type'] is not None else 'not known'}"
            yield from (f"  - {info['filename']}, lines {info['lines'][0]} to {info['lines'][1]}"
                        for info in row["source_infos"].values())
        yield ""


_FORMATS = {"html": _as_html, "rst": _as_rst}


def main(arguments=None):
    """Writes what is known of packages into a file, `--file` with the format behind it; the exit status."""
    parser = argparse.ArgumentParser(prog="python -m numba.misc.help.inspector", description=__doc__.split("\n")[0])
    parser.add_argument("package", nargs="+")
    parser.add_argument("--format", default="html")
    parser.add_argument("--file", default="inspector.out")
    given = parser.parse_args(arguments)
    if given.format not in _FORMATS:
        print(f"'{given.format}' is not supported: the formats are {', '.join(_FORMATS)}", file=sys.stderr)
        return 1
    modules = [module for name in given.package for module in _modules(name)]
    with open(f"{given.file}.{given.format}", "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in _FORMATS[given.format](modules))
    return 0
