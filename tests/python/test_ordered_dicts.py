"""`collections.OrderedDict` in compiled code, as an argument and as a result."""
import random
from collections import Counter, OrderedDict, defaultdict

import pytest
import rumba
from leaks import nothing_leaks  # noqa: F401
from rumba import njit


def check(function, *args):
    expected, found = function(*args), njit(function)(*args)
    assert repr(found) == repr(expected) and type(found) is type(expected)


def made(pairs, names):
    a = OrderedDict(pairs)
    b = OrderedDict(names)
    c = OrderedDict()
    c["z"] = 1
    c["y"] = 2
    c["z"] = 3
    d = OrderedDict(x=1, y=2)
    return a, b, c, d, OrderedDict.fromkeys([3, 1, 2], 0), OrderedDict(d), c.copy(), len(d), "x" in d, d["y"], list(d), list(c.items())


def test_it_is_made_of_what_dicts_are():
    check(made, [(2, 1.5), (1, 2.5)], {"b": 1, "a": 2})


def moved(d, key, last):
    d = OrderedDict(d)
    d.move_to_end(key, last)
    d.move_to_end("b")
    d.move_to_end("c", last=False)
    first, end = d.popitem(last=False), d.popitem()
    return d, first, end, list(reversed(d)), str(d), f"{d}", repr(OrderedDict(d))


@pytest.mark.parametrize("last", [True, False])
@pytest.mark.parametrize("key", "abcde")
def test_keys_move(key, last):
    check(moved, OrderedDict(zip("abcde", range(5))), key, last)


def compared(a, b, plain):
    return (a == b, a != b, a == plain, plain == a, b == plain, a == OrderedDict(a), a | b, a | plain, plain | a, type(a) == OrderedDict,
            isinstance(a, OrderedDict), isinstance(a, dict), isinstance(plain, OrderedDict), isinstance(a, defaultdict))


def test_the_order_is_compared_between_ordered_dicts():
    a = OrderedDict([("a", 1), ("b", 2)])
    check(lambda a, b, plain: (a == b, a != b, a == plain, plain == a, b == plain, a == OrderedDict(a), a != plain, isinstance(a, OrderedDict),
                               isinstance(a, dict), isinstance(plain, OrderedDict), isinstance(a, defaultdict)),
          a, OrderedDict([("b", 2), ("a", 1)]), {"b": 2, "a": 1})
    check(lambda a, b: a == b, a, OrderedDict([("a", 1), ("b", 3)]))
    check(lambda a, b: a == b, OrderedDict([(1, float("nan"))]), OrderedDict([(1, float("nan"))]))


def test_merging_keeps_the_class():
    a, b, plain = OrderedDict([("a", 1), ("b", 2)]), OrderedDict([("b", 5), ("a", 6), ("c", 7)]), {"z": 1, "a": 9}

    def merged(a, b, plain):
        c = a.copy()
        c |= plain
        return a | b, a | plain, plain | a, c
    check(merged, a, b, plain)


def test_an_argument_keeps_what_is_done_to_it():
    @njit
    def change(d):
        d.move_to_end("a")
        d["new"] = 5
        del d["b"]
        return d.popitem(last=False)
    mine = OrderedDict([("a", 1), ("b", 2), ("c", 3)])
    theirs = OrderedDict(mine)
    assert change(mine) == change.py_func(theirs)
    assert list(mine.items()) == list(theirs.items()) and type(mine) is OrderedDict


def test_ordered_and_plain_dicts_are_different_types():
    read = njit(lambda d: d["a"])
    assert read(OrderedDict(a=1)) == read({"a": 1}) == read(Counter("a")) == 1
    assert len(read.signatures) == 3


def test_keys_that_are_not_equal_to_themselves_stay():
    def move(d):
        d.move_to_end(2.0, last=False)
        return list(d.values()), len(d)
    d = OrderedDict([(1.0, "a"), (float("nan"), "b"), (2.0, "c")])
    assert njit(move)(OrderedDict(d)) == move(d)


@pytest.mark.parametrize("wrong", [
    lambda d: d.popitem(), lambda d: d.popitem(last=False), lambda d: d.move_to_end("k"), lambda d: d.move_to_end("k", last=False),
    lambda d: d["k"], lambda d: d.pop("k"), lambda d: format(d, "3")])
def test_errors(wrong):
    def run(d):
        d.clear()
        return wrong(d)
    compiled = njit(wrong)
    with pytest.raises((KeyError, TypeError)) as expected:
        wrong(OrderedDict())

    @njit
    def rerun(d):
        d.clear()
        return compiled(d)
    with pytest.raises(expected.type) as found:
        rerun(OrderedDict(a=1))
    assert str(found.value) == str(expected.value)


class LeastRecentlyUsed:
    """A cache as people write it over an OrderedDict."""
    size: int
    known: OrderedDict[int, int]

    def __init__(self, size):
        self.size = size
        self.known = OrderedDict()

    def get(self, key):
        if key not in self.known:
            return -1
        self.known.move_to_end(key)
        return self.known[key]

    def put(self, key, value):
        self.known[key] = value
        self.known.move_to_end(key)
        if len(self.known) > self.size:
            self.known.popitem(last=False)


def test_a_cache_of_the_least_recently_used():
    compiled = rumba.jitclass(LeastRecentlyUsed)
    for seed in range(20):
        choose = random.Random(seed)
        size = choose.randint(1, 20)
        mine, theirs = compiled(size), LeastRecentlyUsed(size)
        for _ in range(300):
            key = choose.randint(0, 30)
            if choose.random() < 0.5:
                assert mine.get(key) == theirs.get(key)
            else:
                mine.put(key, key * 7)
                theirs.put(key, key * 7)


STEPS = ["d[{k}] = {v}", "d.pop({k}, 0)", "d.move_to_end({k}) if {k} in d else None", "d.move_to_end({k}, last=False) if {k} in d else None",
         "log.append(d.popitem({f})) if d else None", "d.update({{{k}: {v}, {w}: 2}})", "d = d | OrderedDict([({w}, {v}), ({k}, 1)])",
         "d = OrderedDict(d)", "log.append((int(d == OrderedDict(sorted(d.items()))), {v}))", "log.extend(list(d.items()))",
         "d.setdefault({k}, {v})", "d = d.copy()", "del d[next(iter(d))]\n    d[{k}] = {v}"]


@pytest.mark.parametrize("seed", range(12))
def test_random_programs(seed):
    choose = random.Random(seed)
    steps = "\n    ".join(choose.choice(STEPS).format(k=choose.randint(0, 6), v=choose.randint(-9, 9), w=choose.randint(0, 6), f=choose.random() < 0.5)
                          for _ in range(12))
    source = f"def program():\n    log = [(0, 0)]\n    d = OrderedDict([(i, -i) for i in range(7)])\n    {steps}\n    return d, log\n"
    space = {"OrderedDict": OrderedDict}
    exec(source, space)
    check(space["program"])
