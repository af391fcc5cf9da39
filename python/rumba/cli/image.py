"""The commands `rumba image build`, `list` and `verify`.

The format of the image and its use are the extension's; here is which instances it has, and how it is shown.
"""
import itertools
import os
import re
import sys
import time

from .._rumba import library


# The x86-64 levels that machine code exists for.
LEVELS = [3, 4]


def instances():
    """
    What the image is to hold, of library/instances.txt: ((function, types of arguments, names of the last), the one level
    of x86-64 for which there is machine code or None).
    """
    folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), "library")
    with open(os.path.join(folder, "instances.txt"), encoding="utf-8") as file:
        lines = [line.strip() for line in file]
    written = [line for line in lines if line and not line.startswith("#")]
    parts = [line.partition(" on x86-64-v") for line in written]
    return [(read_key(key), int(level) if level else None) for line, _, level in parts for key in expand(line)]


def expand(line):
    """All keys that a line stands for: `{a,b}` is a choice, `{2-5}` counts."""
    parts = re.split(r"\{([^}]*)\}", line)
    for at in range(1, len(parts), 2):
        count = re.fullmatch(r"(\d+)-(\d+)", parts[at])
        parts[at] = [str(n) for n in range(int(count[1]), int(count[2]) + 1)] if count else parts[at].split(",")
    choices = [part if isinstance(part, list) else [part] for part in parts]
    return ["".join(chosen) for chosen in itertools.product(*choices)]


def read_key(key):
    """`f(int64, reverse=bool)` as ("f", ["int64", "bool"], ["reverse"])."""
    name, _, inner = key.partition("(")
    arguments, depth, start = [], 0, 0
    inner = inner[:-1]
    for at, letter in enumerate(inner + ","):
        depth += (letter in "([") - (letter in ")]")
        if letter == "," and depth == 0:
            arguments.append(inner[start:at].strip())
            start = at + 1
    named = [re.match(r"(\w+)=", argument) for argument in arguments if argument]
    types = [argument[match.end():] if match else argument for argument, match in zip(arguments, named)]
    return name, types, [match[1] for match in named if match]


def build(path=None, levels=None):
    """Makes the image for x86-64 levels (all of LEVELS by default), unless it is up to date; the exit status."""
    path = path or library.path
    if library.fault(path) is None:
        return 0
    start = time.perf_counter()
    levels = levels or LEVELS
    wanted = [(*key, [level for level in levels if only in (None, level)] or levels) for key, only in instances()]
    count = library.build(path, wanted, _show_progress if sys.stdout.isatty() else None)
    print(f"library image: {count} instances in {time.perf_counter() - start:.1f} s")
    return 0


def _show_progress(done, count):
    """Writes over the line that the last call wrote."""
    print(f"library image: {done} of {count} instances", end="\r" if done < count else "\r\033[K", flush=True)


def show(path=None):
    """Prints what is in the image; the exit status."""
    entries = _entries(path)
    if entries is None:
        return 1
    levels = sorted({level for entry in entries for level, _ in entry[5]})
    rows = [("instance", "result", "ops", "use", *(f"{level} bytes" for level in levels))]
    for key, result, can_raise, ops, _, objects in sorted(entries):
        sizes = dict(objects)
        rows.append((key, result + (" or raises" if can_raise else ""), str(ops), "called" if sizes else "cloned",
                     *(str(sizes.get(level, "")) for level in levels)))
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        texts = [text.rjust(width) if 2 == at or at > 3 else text.ljust(width)
                 for at, (text, width) in enumerate(zip(row, widths))]
        print("  ".join(texts).rstrip())
    sizes = [sum(size for _, size in entry[5]) for entry in entries]
    print(f"{len(entries)} instances, {sum(sizes)} bytes of machine code, "
          f"{os.path.getsize(path or library.path)} bytes in all")
    return 0


def verify(path=None):
    """Checks the image: its bytes, and that the compiler still makes the same of every instance."""
    entries = _entries(path)
    if entries is None:
        return 1
    wrong = 0
    wanted = {f"{name}({_shown(types, names)})" for (name, types, names), _ in instances()}
    for key in sorted(wanted - {entry[0] for entry in entries}):
        print(f"{key}: is not there")
        wrong += 1
    for entry in sorted(entries):
        anew = library.anew(*read_key(entry[0]))
        if anew[:5] != entry[:5]:
            print(f"{entry[0]}: compiled anew it is another function")
            wrong += 1
    print(f"{len(entries)} instances, {wrong} wrong")
    return 1 if wrong else 0


def _shown(types, names):
    first = len(types) - len(names)
    return ", ".join([*types[:first], *map("=".join, zip(names, types[first:]))])


def _entries(path):
    path = path or library.path
    try:
        return library.entries(path)
    except ValueError as error:
        print(f"the library image {path} cannot be used: {error}", file=sys.stderr)
        return None
