"""The commands `rumba cache list`, `stats`, `verify` and `clear`.

A file of the cache holds the machine code of one function for types of arguments. Its format is the extension's.
"""
import os
import sys

from .._rumba import library

_ENDING = ".object"


def _paths():
    """The files of the cache, what was used longest ago first."""
    folder = library.objects
    if folder is None or not os.path.isdir(folder):
        return []
    entries = [entry for entry in os.scandir(folder) if entry.name.endswith(_ENDING)]
    return [entry.path for entry in sorted(entries, key=lambda entry: entry.stat().st_mtime)]


def show():
    """Prints the functions in the cache, what was used longest ago first; the exit status."""
    for path in _paths():
        try:
            function, file, line, size = library.cached_object(path)
        except ValueError as fault:
            print(f"{os.path.basename(path)}: cannot be used: {fault}")
        else:
            print(f"{size:9,} bytes  {function}  {file}:{line}")
    return 0


def stats():
    """Prints the folder of the cache, the number of its files and their size; the exit status."""
    paths = _paths()
    print(f"folder: {library.objects}")
    print(f"files:  {len(paths)}")
    print(f"bytes:  {sum(map(os.path.getsize, paths)):,}")
    return 0


def verify():
    """Checks every byte of every file; the exit status is 1 where one cannot be used."""
    faults = 0
    for path in _paths():
        try:
            library.cached_object(path)
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
