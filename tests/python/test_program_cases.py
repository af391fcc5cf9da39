"""Programs that random ones were made small to: each does what it does in CPython, to its arguments as well, and keeps no memory."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.differential.objects.outcome import check  # noqa: E402

CASES = {
    "constant strings in tuples, reversed": ("""
def main(p):
    r = []
    for x, y in reversed([('é', 1), ('xyz', 5)]):
        r.append(x)
    return r
""", "([0],)"),
    "constant strings in tuples, joined": ("def main(p): return '-'.join(x5 for x5, x6 in (('é', 2), ('b', p)))", "(3,)"),
    "constant strings in tuples, mapped": ("def main(p): return [len(x[1][0]) for x in map(lambda x4: (p, x4), [('',)])]", "(1,)"),
    "constant strings in tuples, nested generator expressions": (
        "def main(p): return sum(len(x[0]) for x in ([x12] for x12, x13 in [('ab', p)]))", "(3,)"),
    "constant strings in tuples, next": ("def main(p): return next(iter([(2, 'é'), (p, 'b')]))", "(3,)"),
    "constant strings in tuples, a dict of a reversed list": (
        "def main(p): return [x for x, y in dict(reversed([('b,a', 'é'), ('ab', p)])).items()]", "('x',)"),
    "constant strings in tuples, filtered": (
        "def main(p): return {(7, 'a'): x2 for x2 in filter(None, {'b': [5], 'a': [p]}.items())}.get((7, 'a'), None)", "(5,)"),
    "sets of an argument, changed, replaced and dropped": ("""
def main(p):
    p[1].update([2])
    p[1] = p[1].copy()
    p.pop(0)
""", "([{1}, {1}],)"),
    "lists of an argument, replaced by each other": ("""
def main(p):
    p[1].append(4)
    p[1] = p[0]
    p[0].append(5)
""", "([[1], [2, 3]],)"),
    "lists of an argument, all replaced": ("""
def main(p):
    p[0].append(1)
    p[:] = [[7]]
    p[0].append(2)
""", "([[1], [2, 3]],)"),
    "an argument that is passed twice": ("""
def main(p, q):
    p[0].append(1)
    q.append(p[-1])
    del p[0]
    q[0].append(3)
""", "((v := [[1], [2]]), v)"),
    "a loop that leaves at once, with an exception": ("""
def main(p):
    for x in filter(None, {0: p}):
        raise KeyError(x)
""", "('c',)"),
    "a loop that leaves at once, over an item": ("""
def main(p):
    for x in filter(None, {3: p}):
        raise KeyError(x)
""", "('c',)"),
    "a loop that leaves at once, over nothing": ("""
def main(p):
    for x, y in [(p, 1)][:0]:
        raise ValueError
    for x in p[1:]:
        return x
    return p
""", "('',)"),
    "an array expression and an in-place operator": ("""
def main(p, q):
    v = np.minimum(p, q)
    v -= p
    w = p + q
    w += v
    return v, w
""", "(np.array([1.0, 2.0]), np.array([2.0, 0.5]))"),
    "arrays in tuples, in tuples": ("def main(p, q): return (p in (p, q)), ((p,) == (p,)), bool((p[:1],) < (q[:1],))",
                                    "(np.array([1.0, 2.0]), np.array([2.0, 0.5]))"),
    "arrays in tuples, ordered": ("def main(p, q): return (p,) < (q,)", "(np.array([1.0, 2.0]), np.array([2.0, 0.5]))"),
    "arrays in tuples, filtered": ("def main(p): return len(list(filter(lambda x: ((x,) < (x,)), [p, p])))", "(np.array([1.0, 2.0]),)"),
    "a list that may be None": ("""
def main(p):
    x = None
    if len(p) > 1:
        x = p[1:]
    return (1 if x else 2), (not x), (x is None), bool(x)
""", "([1],)", "([1, 2],)"),
    "a dict that may be None": ("""
def main(p):
    return 1 if not p else 2
""", "(None,)", "({1: 2},)"),
    "an array that may be None": ("def main(p): return bool(np.any(p == 1.0))", "(np.array([1.0, 2.0]),)", "(None,)"),
    "closures that capture closures": ("""
def main(k):
    a = lambda x: x + k
    b = lambda x: a(x) * 2
    return b(3), (lambda x: b(a(x)))(4)
""", "(3,)"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_small_program(name):
    source, *calls = CASES[name]
    source = "import numpy as np\n\n" + source.strip()
    failure = check(source, calls)
    assert failure is None, f"{failure.signature}\n{failure.details}"
