"""The command `rumba build`: builds modules ahead of time."""
import importlib
import importlib.util
import os
import pkgutil
import sys


def build(source, output, cpu, verbose):
    """Builds a file, or each module of a package that has something to build; the exit status."""
    from .. import ahead

    paths = []
    for module in _load(source):
        name = module.__name__
        collected, functions = _find(module)
        for cc in collected:
            cc.output_dir, cc.verbose = os.path.join(output, *name.split(".")[:-1]), verbose or cc.verbose
            cc.compile()
            paths.append(os.path.join(cc.output_dir, cc.output_file))
        if functions:
            folder = os.path.join(output, *name.split(".")[:-1])
            paths.append(ahead.build(name, functions, folder, cpu=cpu, verbose=verbose))
    for path in paths:
        print(f"{path}  {os.path.getsize(path):,} bytes")
    if not paths:
        print(f"rumba: {source} has nothing to build: functions get signatures, as in @njit('f8(f8)'), or are exported by "
              f"numba.pycc.CC", file=sys.stderr)
    return 0 if paths else 1


def _load(source):
    """The modules of a file or a package, imported."""
    source = os.path.abspath(source)
    name = os.path.splitext(os.path.basename(source))[0]
    sys.path.insert(0, os.path.dirname(source))
    if os.path.isfile(source):
        spec = importlib.util.spec_from_file_location(name, source)
        module = sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return [module]
    if not os.path.isdir(source):
        raise SystemExit(f"rumba: there is no file or package {source}")
    package = importlib.import_module(name)
    names = [found.name for found in pkgutil.walk_packages(package.__path__, f"{name}.")]
    return [package, *map(importlib.import_module, names)]


def _find(module):
    """What numba.pycc.CC has collected in a module, and its own functions with signatures."""
    from ..ahead.cc import CC
    from ..ufuncs.base import Base

    values = vars(module).items()
    collected = [value for _, value in values if isinstance(value, CC)]
    functions = {}
    for name, value in values:
        python = getattr(value, "py_func", None)
        if getattr(python, "__module__", None) != module.__name__:
            continue
        if value.ntypes and not value.is_dynamic if isinstance(value, Base) else getattr(value, "_can_compile", True) is False:
            functions[name] = value
    return collected, functions
