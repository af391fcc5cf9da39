"""Programs that random ones were made small to: each does what it does in CPython, to its arguments as well, and keeps no memory."""
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.differential.objects.outcome import check  # noqa: E402

CASES = {
    "a tuple of two kinds of items, left in the first round": ("""
def main(p):
    for x, y in ('ab', 'xyz'):
        for v, w in (p, x):
            raise ValueError
""", "([1, 2],)"),
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
    "lists of constants in tuples that are appended": ("def main(p): v = []; v.append(([1, 2], 'a')); v.append(([p], 'b')); return v", "(3,)"),
    "lists of constants in tuples, on a heap": ("""
def main(p):
    heapq.heappush(p, ('', p[-1][0].split(',')))
    return heapq.heapreplace(p, ('a', ['b']))
""", "([('a', ['a', 'xyz']), ('a', []), ('é', ['a', 'b'])],)"),
    "empty lists among the values of a dict, zipped": (
        "def main(p): return [(x, y) for x, y in zip({'a': [7, p], 'b': []}.values(), [3, 4])]", "(1,)"),
    "empty dicts among the values of a dict": (
        "def main(p): return [len(x) for x in {'b': {0: 'b,a'}, '': {}, 'c': {1: '', p: 'é'}}.values()]", "(3,)"),
    "empty lists in tuples among the values of a dict": ("""
def main(p):
    return min(filter(lambda x: p, ((y, (1.5, x)) for x, y in {'': ([7, 3], [5, p]), 'b': ([5, 0], []), 'c': ([], [5])}.values()))), [
        x for x, y in {'b': ([1.5], {'b': (-4, -2.0), 'a': (3, 3.25)}), 'a': ([1.5], {'b': (1, 0.0)})}.values()]
""", "(1,)"),
    "empty lists of lists in tuples among the values of a dict": ("""
def main(p):
    return '-'.join(x[1][-1] for x, y in {'a': ([[p, 'c'], ['ab']], ['ab']), 'b': ([['c']], ['a']), 'c': ([], ['a', 'b'])}.values() if y)
""", "('x',)"),
    "lists of constants in tuples, taken from an iterator": ("def main(p): return next(iter([([p], 'ab')])) and ([0.5, 1.5], 'é')", "(2.5,)"),
    "lists and dicts of constants in tuples, taken from an iterator": (
        "def main(p): return (next(iter([([0.5, 0.0], {'': ('', 1), 'b': ('c', 5)})])), ([3.25], {'b': ('c', 0), 'a': ('b', -1)}))[p]",
        "(1,)", "(0,)"),
    "a dict that is not in a list": ("def main(p): return [{'a': 1}, {}, p].index({'': 5})", "({'b': 1},)", "({'': 5},)"),
    "dicts of known keys out of map, as truth values": (
        "def main(p): return any(map(lambda x, y: {'b': x}, [1, p], ['', 'a'])), all({'a': x} for x in (p, 2))", "(3,)"),
    "a dict of pairs out of zip, filter and iter": (
        "def main(p): return dict(iter(filter(lambda x: x[0] != 1, zip(p, ({'a': 0.5, 'b': 3.25} for y in iter([(1, 2), (3, 4)]))))))", "([1, 2],)"),
    "filter of items that nobody can compute": ("""
def main(p):
    first, *rest = (p,)
    for x in filter(len, (rest[0] for y in 'a')):
        break
    return p
""", "(1,)"),
    "map of items that nobody can compute": (
        "def main(p): return list(map(len, filter(None, ([][p] for x in 'a'))))", "(1,)"),
    "a generator expression over items that nobody can compute": (
        "def main(p): return [y for y in (x for x in ([].pop() for z in range(p)))]", "(0,)", "(1,)"),
    "dicts of a generator expression beside characters": (
        "def main(p): return list(zip(p, ({'b': 0.5} for x in 'cd')))", "('ab',)"),
    "a tuple with a dict of known keys, which is true for certain": (
        "def main(p): return ([(['a'], {'b': p, 'a': 3})][0] and ((['c', 'd'], {'b': 1, '': 2}) and (['e'], {'b': 4})))", "(1,)"),
    "dicts of known keys in a tuple, looked for": (
        "def main(p): return p in ({'a': (2, 0)}, {'a': (-4, 2), 'b': (-4, -1)}), {'a': (-4, 2)} in ({'a': (2, 0)}, {'a': (-4, 2)})",
        "({'a': (2, 0)},)", "({'a': (-4, 1), 'b': (-4, -1)},)"),
    "a dict of the items of a dict": ("def main(p): return dict({'a': ('é', ([p], [0.5])), 'b': ('b', ([], [0.5]))}.items())", "(1.5,)"),
    "an empty dict among the values of a dict, changed": ("""
def main(p):
    for x in ({'': {'a': -1, 'b': 5}, 'c': {}} or {'a': {'a': 1}}).values():
        x['x'] = p
        if len(x) == 1:
            return x
""", "(7,)"),
    "dicts of known keys out of a generator expression": (
        "def main(p): return {'b': [True], 'a': []} in list({'b': [True], 'a': [], 'c': [p]} for x in (1, 2)), [*({'a': p} for x in (1, 2))]",
        "(False,)"),
    "dicts of known keys out of a generator expression, one object": (
        "def main(p): d = {'a': p}; r = list(d for x in (1, 2)); r[0]['a'] = 5; return r", "(1,)"),
    "dicts of known keys out of map": ("""
def main(p):
    return [len(x) for x in list(map(lambda x: {'b': (True, 'ab'), 'a': (False, x)}, map(lambda x: x, ['a', p])))], sorted(
        enumerate(map(lambda x: {'a': x}, [p, p])), key=lambda x: -x[0])
""", "('x',)"),
    "dicts of known keys in a tuple, by a key": ("""
def main(p):
    return {1: (({'b': (3.25, 0.0), 'a': (0.5, 0.0)}, 0.5), 1)[0], 2: {'': ({'': (0.5, 0.0)}, 0.5)}.get('b', ({'a': (0.0, -2.0)}, 0.5))}[p]
""", "(2,)", "(1,)", "(0,)"),
    "a key that no dict of known keys has, in map": (
        "def main(p): return sum(map(lambda x: x['b'][1], map(lambda x: {'': {0: 2, 1: p}, 'a': {}}, [p])))", "(1,)"),
    "a key that no dict of known keys has, in generator expressions": ("""
def main(p):
    return '-'.join(y[1] for x, y in ((p, z) for z, w in ((p, u[''][0]) for u in map(lambda v: {'a': ('xyz', v), 'b': ('a', v)}, p) if p)))
""", "('ab',)", "('',)"),
    "a tuple of a dict of known keys, as a truth value": (
        "def main(p): return [x for x in ('' for y in [{'b': p}] if [y]) for z in (1, 2)]", "(1,)"),
    "empty containers that instances with other types went through": ("""
def main(p):
    v, w = [], {}
    v.append(p)
    w[p] = 0
    for x, y in ('ab', 'cd'):
        v.append('-'.join(a for a, b in ((x, w) for z in (y, y) if v)))
        v.append('+'.join('c' for a, b in zip([[p], v], (p for c in (v for d in y)))))
    return v, w
""", "('x',)"),
    "lists of lists of tuples, of different lengths, by a key": ("""
def main(p):
    return max([[([{'b': 'a'}, {'a': p}], [-1, 3]), ([], [5, 2])], [([{'b': p}], [1])]], key=lambda x: -len(x))
""", "('x',)"),
    "generator expressions with a chained comparison": ("""
def main(p):
    r = [0]
    for x in (i for i in p if 0 < i < 5):
        r.append(x)
    for x in (i for i in p if i > 1 in [False] if i != 3 != 5):
        r.append(-x)
    return r
""", "([1, 2, 7, 3, 0],)"),
    "an exception that another one is caught behind": ("""
def main(p):
    try:
        return p[1]
    finally:
        try:
            p.remove(3)
        except KeyError:
            p[0] = 5
        except ValueError:
            p[0] = 6
""", "([1],)", "([1, 2],)", "([1, 3],)"),
    "a generator expression that iter gets": ("def main(p): return dict(iter((x, p) for x in [1, p])), list(iter(x + 1 for x in (p, 2)))", "(3,)"),
    "a loop over a list of tuples that leaves at once, in a loop": ("""
def main(p):
    n = 0
    while n < 2:
        n += 1
        for x, y in [('b', ''), (p, 'c')]:
            return x
    return p
""", "('x',)"),
    "iterators that are made before it is known what their lists hold": ("""
def main(p):
    v, r = [], []
    s = [v]
    f, g = lambda x: len(x) + len(v), lambda x: len(x) < len(p)
    c, d, e = map(f, s), filter(g, s), enumerate(map(f, s))
    for n in range(3):
        for x in c:
            r.append(x)
            break
        for y in d:
            r.append(len(y))
            break
        for z in e:
            r.append(z[1])
            break
        c, d, e = map(f, s), filter(g, s), enumerate(map(f, s))
        v.append((p, 1))
    return r, v
""", "('xy',)"),
    "texts of containers that may be None": ("""
def main(p, q, n):
    a, b = (p, q) if n else (None, None)
    texts = [str(a), repr(b), f'{a}, {b}', str([a]), str((b, 1))]
    return texts
""", "([1, 2], {2: 'b', 1: 'a'}, 0)", "([1, 2], {2: 'b', 1: 'a'}, 1)"),
    "a list for what is missing in a dict of lists and None": ("""
def main(p):
    if bool({0: [], 2: None}.get(p, [])):
        return 1
    return len({0: [1], 1: [2, 3]}.get(p, [])) + bool({0: [], 1: None}.get(p, [2]))
""", "(5,)", "(0,)", "(2,)"),
    "lists of starred names that inner functions give": ("""
def main(k):
    *v, w = (0.0, 2.0)
    for x in (v for i in v):
        x[0] = k + 0.5
    (lambda: v)()[0] += 1.0
    return v
""", "(3,)"),
    "sums of lists with what is left of a starred name": ("""
def main(k):
    a, *rest = (k, 2)
    b, *none = (k,)
    return [a] + rest[1:], rest[1:] + [a], rest[1:] + rest, rest + none, none[1:] + none, none + [b]
""", "(3,)"),
    "an empty starred list whose items are set before it is iterated over": ("""
def main(p):
    u, *v = (p,)
    v[0:0] = 'a'
    return [x for x in v]
""", "(3,)"),
    "a filter that raises beside an iterable that is empty for certain": ("""
def main(p):
    v, *w = (p,)
    return [x for x, y in zip(filter(lambda x: w[0], 'c'), w)]
""", "(0,)"),
    "a loop over what is empty for certain": ("""
def main(p):
    for x, y in reversed({'b': [(5, 'a')], 'a': []}['a']):
        p = p + y
        v = v
    return p
""", "('x',)"),
}


@pytest.mark.parametrize("name", CASES)
def test_a_small_program(name):
    source, *calls = CASES[name]
    source = "import heapq\nimport numpy as np\n\n" + source.strip()
    failure = check(source, calls)
    assert failure is None, f"{failure.signature}\n{failure.details}"
