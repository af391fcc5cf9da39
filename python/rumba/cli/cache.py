"""The commands `rumba cache list`, `stats`, `verify`, `clear`, `warm`, `export` and `import`.

A file of the cache holds the machine code of one function for types of arguments. Its format is the extension's.
"""
import os
import sys

_ENDING = ".object"


def _library():
    """The extension, which other commands than these set up before they load it."""
    from .._rumba import library

    return library


def _paths():
    """The files of the cache, least recently used first."""
    folder = _library().objects
    if folder is None or not os.path.isdir(folder):
        return []
    entries = [entry for entry in os.scandir(folder) if entry.name.endswith(_ENDING)]
    return [entry.path for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime)]


def show():
    """Prints the functions in the cache, least recently used first; the exit status."""
    for path in _paths():
        try:
            function, file, line, size = _library().cached_object(path)
        except ValueError as fault:
            print(f"{os.path.basename(path)}: cannot be used: {fault}")
        else:
            print(f"{size:9,} bytes  {function}  {file}:{line}")
    return 0


def stats():
    """Prints the folder of the cache, the number of its files and their size; the exit status."""
    paths = _paths()
    print(f"folder: {_library().objects}")
    print(f"files:  {len(paths)}")
    print(f"bytes:  {sum(map(os.path.getsize, paths)):,}")
    return 0


def verify():
    """Checks every byte of every file; the exit status is 1 where one cannot be used."""
    faults = 0
    for path in _paths():
        try:
            _library().cached_object(path)
        except ValueError as fault:
            faults += 1
            print(f"{path}: {fault}", file=sys.stderr)
    print(f"{len(_paths())} files, {faults} cannot be used")
    return 1 if faults else 0


def clear():
    """Removes all files of the cache; the exit status."""
    paths = _paths()
    for path in paths:
        try:
            os.remove(path)
        except FileNotFoundError:
            # Another process was faster.
            pass
    print(f"{len(paths)} files removed")
    return 0


def warm(modules):
    """Imports modules, packages with all that is in them, so that what is compiled on import is in the cache; 1 where one
    cannot be imported. `module:function(types)` also compiles a function for types of arguments."""
    failed = 0
    before = set(_paths())
    for text in modules:
        name, _, call = text.partition(":")
        try:
            _import_all(name)
            if call:
                _compile(sys.modules[name], call)
        except Exception as error:  # whatever a module raises
            failed = 1
            print(f"{text}: {type(error).__name__}: {error}", file=sys.stderr)
    made = len(set(_paths()) - before)
    print(f"{made} files made, {len(_paths())} in {_library().objects}")
    return failed


def _import_all(name):
    import importlib
    import pkgutil

    module = importlib.import_module(name)
    for found in pkgutil.walk_packages(getattr(module, "__path__", ()), name + "."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)


def _compile(module, call):
    """Compiles what `function(types)` says."""
    path, bracket, types = call.partition("(")
    if not bracket or not types.endswith(")"):
        raise ValueError(f"{call!r} is not of the form function(types)")
    function = module
    for part in path.split("."):
        function = getattr(function, part)
    function.compile(f"({types[:-1].rstrip(',')},)" if types != ")" else "()")


def export(file):
    """Puts all files of the cache into an archive; the exit status."""
    import tarfile

    paths = _paths()
    with tarfile.open(file, "w:gz") as archive:
        for path in paths:
            archive.add(path, os.path.basename(path))
    print(f"{len(paths)} files in {file}")
    return 0


def take_in(file):
    """Adds the files of an archive to the cache: those that this build of Rumba can use, and nothing else. The exit status.

    What is in the archive will run: it is to be trusted as a program is.
    """
    import tarfile
    import tempfile

    folder = _library().objects
    os.makedirs(folder, 0o700, exist_ok=True)
    taken = refused = 0
    with tarfile.open(file) as archive:
        for member in archive:
            name = os.path.basename(member.name)
            if not member.isfile() or member.name != name or not name.endswith(_ENDING):
                refused += 1
                continue
            with tempfile.NamedTemporaryFile(dir=folder, prefix=".import.", delete=False) as made:
                made.write(archive.extractfile(member).read())
            try:
                _library().cached_object(made.name)
            except ValueError as fault:
                os.remove(made.name)
                refused += 1
                print(f"{name}: {fault}", file=sys.stderr)
            else:
                os.replace(made.name, os.path.join(folder, name))
                taken += 1
    print(f"{taken} files taken, {refused} refused")
    return 1 if refused else 0
