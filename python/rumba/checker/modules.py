"""Imports modules given as files, folders and names, and finds the compiled functions in them.

A module is imported in the ordinary way: code under `if __name__ == "__main__":` does not run.
"""
import contextlib
import gc
import importlib
import importlib.util
import os
import pkgutil
import sys

from .._rumba import Dispatcher


def files_of(target):
    """The files that a file, a folder or the name of a module stands for, in order; ValueError if there are none."""
    if os.path.isfile(target):
        return [os.path.abspath(target)]
    if os.path.isdir(target):
        found = [os.path.join(folder, name) for folder, folders, names in os.walk(target)
                 if not _is_hidden(folders) for name in names if name.endswith(".py")]
        if not found:
            raise ValueError(f"there is no Python file in {target!r}")
        return sorted(map(os.path.abspath, found))
    try:
        # Packages around a module are imported.
        with contextlib.redirect_stdout(sys.stderr):
            spec = importlib.util.find_spec(target)
    except (ImportError, ValueError):
        spec = None
    if spec is None:
        raise ValueError(f"there is no file, folder or module {target!r}")
    if spec.submodule_search_locations is None:
        return [spec.origin]
    with contextlib.redirect_stdout(sys.stderr):
        inner = pkgutil.walk_packages(spec.submodule_search_locations, f"{target}.")
        specs = [spec, *(importlib.util.find_spec(found.name) for found in inner if not found.name.endswith("__main__"))]
    return [one.origin for one in specs if one is not None and one.origin and one.origin.endswith(".py")]


def _is_hidden(folders):
    """Leaves out folders that hold no sources: they are removed from the list that is walked. Always false."""
    folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
    return False


def module_name(file):
    """(the folder that imports of a file begin in, the file's name as a module): packages around it are part of the name."""
    folder, name = os.path.split(file)
    parts = [] if name == "__init__.py" else [name.removesuffix(".py")]
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        parts.insert(0, package)
    return folder, ".".join(parts)


def import_file(file):
    """The module of a file. What it prints goes to the standard error stream: the standard output is the checker's."""
    folder, name = module_name(file)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    known = sys.modules.get(name)
    with contextlib.redirect_stdout(sys.stderr):
        if known is not None and os.path.realpath(getattr(known, "__file__", None) or "") == os.path.realpath(file):
            return known
        if "." in name or known is None:
            return importlib.import_module(name)
        # The name belongs to another module.
        spec = importlib.util.spec_from_file_location(f"_checked_{name}", file)
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
        return module


def dispatchers_of(file):
    """The compiled functions whose source is in a file, as they stand there: also those in classes and other functions."""
    real = os.path.realpath(file)
    found = {}
    for value in gc.get_objects():
        if isinstance(value, Dispatcher):
            code = value.py_func.__code__
            if os.path.realpath(code.co_filename) == real:
                found.setdefault((code.co_firstlineno, code.co_name, code), value)
    return [found[key] for key in sorted(found, key=lambda key: key[:2])]
