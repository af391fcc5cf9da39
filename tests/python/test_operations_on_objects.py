"""Objects of two classes, and None: every operation, against the same classes in plain Python."""
import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import int64, jitclass, njit


class PlainFirst:
    def __init__(self, x):
        self.x = x

    def f(self, n):
        return self.x + n

    def __eq__(self, other):
        return self.x == other.x

    def __hash__(self):
        return hash(self.x)

    def __lt__(self, other):
        return self.x < other.x

    def __str__(self):
        return "first"

    def __bool__(self):
        return self.x > 1

    def __add__(self, n):
        return self.x + n

    def __getitem__(self, index):
        return self.x * index

    def __len__(self):
        return self.x

    def __neg__(self):
        return -self.x


class PlainSecond:
    def __init__(self, x):
        self.x = x * 10

    def f(self, n):
        return self.x - n

    def __eq__(self, other):
        return self.x == other.x

    def __hash__(self):
        return hash(self.x)

    def __lt__(self, other):
        return self.x < other.x

    def __str__(self):
        return "second"

    def __bool__(self):
        return self.x > 10

    def __add__(self, n):
        return self.x - n

    def __getitem__(self, index):
        return self.x * index + 1

    def __len__(self):
        return 2

    def __neg__(self):
        return self.x


PLAIN = {"A": PlainFirst, "B": PlainSecond}
COMPILED = {name: jitclass([("x", int64)])(cls) for name, cls in PLAIN.items()}

# Over a list `l` of objects of both classes and None.
OF_LISTS = {
    "bool": ["return [bool(p) for p in l]"],
    "not": ["return [not p for p in l]"],
    "if": ["return [1 if p else 0 for p in l]"],
    "isnone": ["return [p is None for p in l]"],
    "is": ["return [p is l[0] for p in l]"],
    "eq": ["return [(p == l[0]) for p in l if p is not None]"],
    "attr": ["return [p.x for p in l if p is not None]"],
    "attr2": ["return [0 if p is None else p.x for p in l]"],
    "meth": ["return [p.f(2) for p in l if p is not None]"],
    "str": ["return [str(p) for p in l if p is not None]"],
    "fmt": ["return [f'{p}' for p in l if p is not None]"],
    "add": ["return [p + 1 for p in l if p is not None]"],
    "item": ["return [p[3] for p in l if p is not None]"],
    "len": ["return [len(p) for p in l if p is not None]"],
    "neg": ["return [-p for p in l if p is not None]"],
    "hash": ["return [hash(p) for p in l if p is not None]"],
    "lt": ["return [p < l[0] for p in l if p is not None]"],
    "set": ["for p in l:", " if p is not None: p.x += 5", "return [0 if p is None else p.x for p in l]"],
    "and": ["return [(p is not None and p.x > 2) for p in l]"],
    "or": ["return [(p is None or p.x > 2) for p in l]"],
    "inst": ["return [isinstance(p, A) for p in l], [isinstance(p, (A, B)) for p in l], [isinstance(p, B) and p.x > 3 for p in l]"],
    "while": ["i = 0", "p = l[0]", "while p is not None and i < 5:", " i += p.x", " p = l[min(i, 2)]", "return i"],
    "rev": ["return [0 if p is None else p.x for p in l[::-1]]"],
    "max": ["return max([p.x for p in l if p is not None])"],
    "dict": ["d = {}", "for i, p in enumerate(l):", " if p is not None: d[p] = i", "return len(d), d[l[0]]"],
    "tup": ["return [(p, 1)[0] is p for p in l]"],
    "cond": ["q = l[0] if len(l) > 2 else None", "return q.x if q is not None else -1"],
    "match": ["r = []", "for p in l:", " match p:", "  case A(x=1): r.append(1)", "  case B(x=v): r.append(v)", "  case None: r.append(-1)", "  case A(): r.append(-2)", "return r"],
}

# Over a list `l` of objects of one or both classes.
OF_OBJECT_LISTS = {
    "remove": ["l.remove(l[1])", "return [p.x for p in l]"],
    "index": ["return l.index(l[2])"],
    "count": ["return l.count(l[0])"],
    "in": ["return [p in l for p in l]"],
    "insert": ["l.insert(1, l[2])", "return [p.x for p in l]"],
    "sortkey": ["return [p.x for p in sorted(l, key=lambda p: p.x)]"],
    "sort": ["m = sorted(l)", "return [p.x for p in m]"],
    "sortrev": ["l.sort(key=lambda p: -p.x)", "return [p.x for p in l]"],
    "min": ["return min(l).x, max(l).x"],
    "minkey": ["return min(l, key=lambda p: p.x).x, max(l, key=lambda p: -p.x).x"],
    "eqlist": ["return l == l[:], l == l[1:], l != [l[0]]"],
    "lt": ["return l < l[1:]"],
    "set": ["return len(set(l)), l[0] in set(l)"],
    "dictget": ["d = {p: p.x for p in l}", "return sorted(d.values()), d.get(l[1], -1)"],
    "zip": ["return [(p.x, q.x) for p, q in zip(l, l[1:])]"],
    "enum": ["return [i * p.x for i, p in enumerate(l)]"],
    "pop": ["p = l.pop()", "return p.x, len(l)"],
    "swap": ["l[0], l[1] = l[1], l[0]", "return [p.x for p in l]"],
    "tuple": ["t = (l[0], l[1])", "return t == (l[0], l[1]), t[0].x, t < (l[1], l[0])"],
    "star": ["a, *b = l", "return a.x, [p.x for p in b]"],
    "closure": ["def k(p): return p.f(1)", "return [k(p) for p in l]"],
    "gen": ["return sum(p.x for p in l)"],
    "map": ["return list(map(lambda p: p.x, l))"],
    "filter": ["return [p.x for p in filter(lambda p: p.x > 1, l)]"],
    "try": ["r = []", "for p in l:", " try:", "  r.append(10 // (p.x - 1))", " except ZeroDivisionError:", "  r.append(-1)", "return r"],
    "aug": ["for p in l: p.x += 1", "return [p.x for p in l]"],
    "chain": ["return l[0].x < l[1].x < l[2].x"],
    "cmp": ["return [(p == q, p != q, p < q) for p in l for q in l]"],
    "nested": ["m = [l, l[::-1]]", "return [[p.x for p in r] for r in m]"],
    "dictobj": ["d = {1: l[0], 2: l[1]}", "d[1], d[2] = d[2], d[1]", "return d[1].x, d[2].x"],
    "slice": ["l[1:2] = [l[0], l[0]]", "return [p.x for p in l]"],
    "mul": ["return [p.x for p in l * 2]"],
    "cat": ["return [p.x for p in l + l[:1]]"],
    "reduce": ["s = l[0]", "for p in l[1:]:", " if s < p: s = p", "return s.x"],
    "fstr": ["return f'{l[0]} {l[1]!s}'"],
    "while": ["n = 0", "while l:", " n += l.pop().x", "return n"],
    "isin": ["x = l[0]", "return [x is p for p in l], x is not l[1]"],
    "kw": ["def h(*, p, n=1): return p.f(n)", "return h(p=l[0]), h(n=3, p=l[1])"],
    "args": ["def h(*ps): return len(ps), ps[0].x", "return h(l[0], l[1])"],
    "hash": ["return hash((l[0], 1)) == hash((l[0], 1)), hash(l[0]) == hash(l[0].x)"],
    "frozen": ["return len(frozenset(l)), frozenset(l) == frozenset(l[::-1])"],
    "setops": ["a = set(l[:2]); b = set(l[1:])", "return len(a & b), len(a | b), len(a - b), len(a ^ b)"],
    "rev": ["return [p.x for p in reversed(l)]"],
    "del": ["del l[0]", "return [p.x for p in l]"],
    "any": ["return any(p.x > 2 for p in l), all(p.x > 0 for p in l)"],
}

# Over an array `a` whose first items are objects and whose last one is None.
OF_ARRAYS = {
    "len": ["return len(a[0]), len(a[1])"],
    "neg": ["return -a[0], -a[1]"],
    "add": ["return a[0] + 1, a[1] + 2"],
    "str": ["return str(a[0]), f'{a[1]}'"],
    "compare": ["return a[0] < a[1], a[0] == a[1], a[0] == a[0]"],
    "hash": ["return hash(a[0]), hash(a[1])"],
    "len of None": ["return len(a[-1])"],
    "neg of None": ["return -a[-1]"],
    "attribute of None": ["return a[-1].x"],
}

# Over two objects `a` and `b` of one class, and a number `n`.
OF_OBJECTS = {
    "while": ["p = a", "n = 0", "while p:", " n += 1", " p = None if n > 2 else a", "return n"],
    "ifelse": ["p = a if n else None", "return 1 if p else 0"],
    "any": ["return any([p for p in [a, None]])"],
    "all": ["return all([a, a])"],
    "filter": ["return len([p for p in [a, None, a] if p])"],
    "assert": ["p = a if n else None", "assert p", "return p.x"],
    "or": ["p = a if n else None", "q = p or b", "return q.x"],
    "and": ["p = a if n else None", "q = p and b", "return -1 if q is None else q.x"],
    "ternary": ["p = None", "if n: p = a", "return (p or a).x + (0 if p is None else p.x)"],
    "booltuple": ["p = a if n else None", "return bool((p,)), not p"],
}

LISTS = (lambda a, b: [a(1), b(2), None], lambda a, b: [b(1), a(10), None], lambda a, b: [a(3), None, b(3)])
OBJECT_LISTS = (lambda a, b: [a(1), a(2), a(3)], lambda a, b: [a(3), a(1), a(2), a(1)], lambda a, b: [a(1), b(2), a(30)])


def program(parameters, lines, names):
    space = dict(names)
    exec("\n".join([f"def program({parameters}):", *("    " + line for line in lines)]), space)
    return space["program"]


def as_array(objects):
    made = np.empty(len(objects), dtype=object)
    for number, one in enumerate(objects):
        made[number] = one
    return made


def outcome(function, *arguments):
    try:
        return function(*arguments)
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("name", OF_LISTS)
def test_lists_of_objects_and_none(name):
    plain, compiled = (program("l", OF_LISTS[name], names) for names in (PLAIN, COMPILED))
    compiled = njit(compiled)
    for make in LISTS:
        for kind in (list, as_array):
            assert outcome(compiled, kind(make(*COMPILED.values()))) == outcome(plain, kind(make(*PLAIN.values())))


@pytest.mark.parametrize("name", OF_OBJECT_LISTS)
def test_lists_of_objects(name):
    plain, compiled = (program("l", OF_OBJECT_LISTS[name], names) for names in (PLAIN, COMPILED))
    compiled = njit(compiled)
    for make in OBJECT_LISTS:
        assert outcome(compiled, make(*COMPILED.values())) == outcome(plain, make(*PLAIN.values()))


@pytest.mark.parametrize("name", OF_ARRAYS)
def test_items_of_arrays(name):
    plain, compiled = (program("a", OF_ARRAYS[name], names) for names in (PLAIN, COMPILED))
    compiled = njit(compiled)
    for make in LISTS[:2]:
        assert outcome(compiled, as_array(make(*COMPILED.values()))) == outcome(plain, as_array(make(*PLAIN.values())))


@pytest.mark.parametrize("name", OF_OBJECTS)
def test_variables_that_may_be_none(name):
    plain, compiled = (program("a, b, n", OF_OBJECTS[name], names) for names in (PLAIN, COMPILED))
    compiled = njit(compiled)
    for value in (1, 5):
        for n in (0, 1):
            wanted = outcome(plain, PlainFirst(value), PlainFirst(7), n)
            assert outcome(compiled, COMPILED["A"](value), COMPILED["A"](7), n) == wanted
