"""Lists, dicts, sets, texts and arrays that change hands between Python and compiled code: what a tool that watches memory
runs, as `make valgrind` does. Each function is compiled once and called often; all results are compared with CPython's.

    .venv/bin/python tests/python/memory.py                  all; names of functions and of kinds of programs choose some
    .venv/bin/python tests/python/memory.py --programs 2     and two random programs of each of a few kinds

Machine code is kept (`cache=True`): where a first run made it, a second one under such a tool spends its time in it and not in LLVM.
"""
import copy
import os
import sys

import numpy as np

from rumba import njit
from rumba.nrt_stats import rtsys


def rows_that_move(rows):
    rows[1].append(4)
    rows[1] = rows[0]
    rows.append([7, 8])
    del rows[0]
    return [len(row) for row in rows]


def rows_that_are_replaced(rows):
    rows[:] = [[7], rows[0]]
    rows[0].extend(rows[1])
    return rows[0][-1]


def tables(table, seen):
    for key in range(20):
        table[key] = [key, key + 1]
        seen.add(key * 3)
    for key in range(0, 20, 2):
        del table[key]
        seen.discard(key * 3)
    first = table.pop(1)
    first.append(len(table))
    return sorted(table), sorted(seen), first


def texts(words):
    found = {}
    for word in words:
        for part in word.split(","):
            found.setdefault(part.strip().upper(), [0])[0] += 1
    return "-".join(sorted(found)), [n for _, (n,) in sorted((k, (v[0],)) for k, v in found.items())]


def leaves_early(rows):
    for row in rows:
        for item in row[1:]:
            if item > 2:
                return [item] + row
    return []


def raises(rows, at):
    kept = [[0], rows[0]]
    kept.append([x * 2 for x in rows[0]])
    rows[0].append(9)
    return kept[at]


def arrays(a, places):
    parts = [a[:3], a[::2] + 1.5, np.sort(a[places])]
    parts[0][0] = 4.0
    return [part.sum() for part in parts], np.concatenate((parts[1], parts[2]))


def sorts(pairs, numbers):
    pairs.sort(key=lambda pair: pair[1])
    numbers.sort()
    return sorted(numbers, reverse=True)


def generated(rows):
    return [sum(x for x in row if x) for row in rows], {len(row): max(row, default=-1) for row in rows}


def captured(rows):
    def last(row):
        return row[-1] + len(rows)
    return list(map(last, rows)), list(filter(lambda row: len(row) > 1, rows))


NAN = float("nan")
CALLS = {
    rows_that_move: ([[1], [2, 3]],),
    rows_that_are_replaced: ([[1], [2], []],),
    tables: ({1: [1], 50: [2]}, {1, 2}),
    texts: (["a, b", "b,c", "", "ä,a"],),
    leaves_early: ([[1], [1, 2], [1, 3, 2]],),
    raises: ([[1, 2], [3]], 5),
    arrays: (np.arange(6.0), np.array([4, 0, 5])),
    sorts: ([(1, "b"), (2, "a"), (3, "b")], [3.0, NAN, 1.0, 2.0] * 30),
    generated: ([[1, 2], [], [0, 5, 6]],),
    captured: ([[1], [2, 3]],),
}


def comparable(value):
    """A value whose text tells values apart and nothing else: dicts and numbers are those of Python, sets in order."""
    if isinstance(value, (list, tuple)):
        return type(value)(comparable(item) for item in value)
    if isinstance(value, set):
        return sorted(value)
    if hasattr(value, "items"):
        return {key: comparable(item) for key, item in value.items()}
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def outcome(function, args):
    """What comes out and what becomes of the arguments."""
    args = copy.deepcopy(args)
    try:
        found = function(*args)
    except Exception as error:
        found = repr(error)
    return repr(comparable(found)), repr(comparable(args))


def check(function, args, rounds=5, **options):
    wanted, compiled = outcome(function, args), njit(**options)(function)
    for _ in range(rounds):
        found = outcome(compiled, args)
        assert found == wanted, f"{function.__name__}: {found}, not {wanted}"


# Random programs about what changes hands (`tests/differential/objects`), and the seed that their numbers belong to.
KINDS, SEED = ("effects", "containers", "arrays", "generators"), 25


def check_program(kind, number):
    """A random program: what it gives, its arguments afterwards, references to them, and what it allocates."""
    # The oracle of random programs is imported where they are asked for.
    from tests.differential.objects.campaign import Plan
    from tests.differential.objects.outcome import check as check_calls

    program = Plan(kind, SEED).program(number)
    failure = check_calls(program.source, program.calls, program.after, options={"cache": True})
    assert failure is None, f"{program.text()}\n{failure.signature}\n{failure.details}"


def main(arguments):
    # Neither argparse nor pathlib: what they import computes with zeros whose digit CPython does not write, and valgrind
    # reports all that follows from these.
    programs = 0
    if "--programs" in arguments:
        at = arguments.index("--programs")
        programs = int(arguments[at + 1])
        arguments = arguments[:at] + arguments[at + 2:]
    for function, given in CALLS.items():
        if not arguments or function.__name__ in arguments:
            check(function, given, cache=True)
            print(function.__name__, flush=True)
    sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
    for number in range(programs):
        for kind in KINDS:
            if not arguments or kind in arguments:
                check_program(kind, number)
                print(f"{kind} {number}", flush=True)
    counts = rtsys.get_allocation_stats()
    assert counts.alloc == counts.free, counts


if __name__ == "__main__":
    main(sys.argv[1:])
