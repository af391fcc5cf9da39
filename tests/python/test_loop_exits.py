"""Loops that leave at once, over empty and full iterables: what the loop holds is released on every way out."""
import gc

import numpy as np
import pytest

from rumba import njit
from rumba.nrt_stats import rtsys

ITERABLES = {
    "view": "a[1:]",
    "new array": "a + 1",
    "rows": "a.reshape(-1, 1)",
    "flat": "a[1:].flat",
    "nditer": "np.nditer(a[1:].copy())",
    "ndenumerate": "np.ndenumerate(a[1:])",
    "list": "[x for x in a[1:]]",
    "slice of a list": "[x for x in a][1:]",
    "list of lists": "[[x] for x in a[1:]]",
    "list of strings": "[str(x) for x in a[1:]]",
    "sorted": "sorted(a[1:])",
    "reversed": "reversed([x for x in a[1:]])",
    "set": "set(a[1:])",
    "dict": "{x: 1 for x in a[1:]}",
    "items": "{x: [x] for x in a[1:]}.items()",
    "values": "{x: [x] for x in a[1:]}.values()",
    "words": "(s + ' ')[2:].split()",
    "lines": "(s + ' ')[2:].splitlines()",
    "characters": "(s + ' ')[1:]",
    "generator expression": "(x + 1 for x in a[1:])",
    "generator expression of lists": "([x] for x in a[1:])",
    "map": "map(abs, a[1:])",
    "map to lists": "map(lambda x: [x], a[1:])",
    "filter": "filter(bool, a[1:])",
    "enumerate": "enumerate([[x] for x in a[1:]])",
    "zip": "zip(a[1:], [str(x) for x in a])",
    "zip with more": "zip([str(x) for x in a], a[1:])",
    "iter": "iter(a[1:])",
}

WAYS = [
    "for x in {}:\n  return 1\n return 0",
    "for x in {}:\n  return [x]\n return [y for y in {}]",
    "for x in {}:\n  raise ValueError('no')\n return 0",
    "n = 0\n for x in {}:\n  n += 1\n  break\n else:\n  n = 5\n return n",
    "n = 0\n for i in range(3):\n  for x in {}:\n   n += 1\n   break\n return n",
    "for x in {}:\n  for y in {}:\n   return 1\n  return 2\n return 3",
    "t = list({})\n for x in t:\n  return 1\n return len(t)",
    "n = 0\n for x in {}:\n  if n == 1:\n   return n\n  n += 1\n return 9",
]


def outcome(f, *args):
    try:
        return str(f(*args))
    except ValueError as error:
        return f"ValueError: {error}"


def blocks():
    gc.collect()
    counts = rtsys.get_allocation_stats()
    return counts.alloc - counts.free


@pytest.mark.parametrize("name", ITERABLES)
def test_nothing_leaks(name):
    for way in WAYS:
        space = {"np": np}
        exec(f"def f(a, s):\n {way.format(*[ITERABLES[name]] * 2)}\n", space)
        compiled = njit(space["f"])
        for count in (0, 1, 2, 3):
            args = np.arange(1, 1 + count), "a b c d"[:2 * count]
            outcome(compiled, *args)
            before = blocks()
            found = outcome(compiled, *args)
            assert blocks() == before, (way, count)
            if "[x]\n return" not in way:
                # (NumPy's scalars print in other words.)
                assert found == outcome(space["f"], *args)


def test_places_that_are_always_counted_from_the_end():
    def mirrored(a, out):
        for k in range(len(a)):
            out[k] = a[-1 - k]

    def shifted(a, out, n):
        for k in range(n):
            out[-n + k] = a[k - n] + a[-2]

    def too_far(a, out):
        for k in range(len(out)):
            out[k] = a[-2 - k]

    a = np.arange(20.0)
    for function, args in ((mirrored, ()), (shifted, (7,)), (shifted, (20,)), (shifted, (0,)), (shifted, (21,)), (too_far, ())):
        outcomes = []
        for run in (njit(function), function):
            out = np.zeros(20)
            try:
                run(a, out, *args)
                raised = None
            except IndexError:
                raised = IndexError
            outcomes.append((raised, out.tolist()))
        assert outcomes[0] == outcomes[1], (function.__name__, args)
