"""What functions do to their arguments: the facts of the library and of overloads, and what is typed by them."""
import bisect
import copy
import functools
import heapq
import importlib
import inspect
import pathlib
import random

import numpy as np
import pytest

import rumba
from beside import compare
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit, types
from rumba.extending import overload_registry
from rumba.extending import Effects, overload, overload_method, register_jitable


# The notation.

def test_the_notation_has_names_and_positions():
    def f(a, /, b, *rest, c=None, **names):
        pass

    assert Effects().text(f) == "reads"
    assert Effects(mutates="a rest", calls="c").text(f) == "mutates=a@0 mutates=*rest@2 calls=c@-"
    assert Effects(appends={"a": "b"}, extends={"b": "a"}).text(f) == "appends=a@0:b@1 extends=b@1:a@0"
    assert Effects(sets={"a": ("b", "c")}, updates={"a": "b"}).text(f) == "sets=a@0:b@1:c@- updates=a@0:b@1"
    assert Effects(returns=("a", "items of b", "any of names")).text(f) == \
        "returns=a@0 returns=items:b@1 returns=any:**names@-"
    assert Effects(exhausts="b").text(f) == "exhausts=b@1"
    assert Effects(exhausts=("b", True)).text(f) == "exhausts=b@1:True"
    assert Effects(mutates="b").text(f, 1) == "mutates=b@0"


def test_what_is_wrong_is_told_at_once():
    with pytest.raises(TypeError, match="there is no parameter 'heap': there are a, b"):
        overload(len, effects=Effects(mutates="heap"))(lambda a, b: None)
    with pytest.raises(ValueError, match="not 'part of a'"):
        Effects(returns="part of a")


# The facts of the library are those that CPython's and NumPy's functions show.

def _calls(name):
    """Arguments for a function: (what is passed)."""
    array = lambda: np.array([3.0, 1.0, 2.0])
    nested = lambda: [[3, 1], [2, 5]]
    plain = lambda: [3, 1, 2]
    pairs = lambda: [(1, [2]), (3, [4])]
    makers = (array, plain, nested, pairs, lambda: 2, lambda: [0], lambda: {1: [2], 3: [4]}, lambda: (lambda *x: x[0]))
    for one in makers:
        yield [one()]
        for other in makers:
            yield [one(), other()]
            for third in (array, plain, lambda: 1):
                yield [one(), other(), third()]


def _containers(value, found, depth=3):
    """The lists, dicts and sets that a value is or holds, by their ids."""
    if isinstance(value, (list, dict, set)):
        found[id(value)] = value
    if depth and isinstance(value, (list, tuple, set, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            _containers(item, found, depth - 1)
    return found


def _same(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return np.array_equal(a, b)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(_same, a, b))
    return callable(a) or a == b


def _rows():
    folder = pathlib.Path(rumba.__file__).parent / "library"
    for line in (folder / "index.txt").read_text().splitlines():
        # What itertools gives are generators, some without end: test_itertools.py goes through them.
        if not line.startswith(("#", "itertools.")):
            name, module, facts = [*line.split(" ", 2), ""][:3]
            importlib.import_module(f"rumba.library.{module}")
            signatures = [inspect.signature(one.function) for one in overload_registry.registered(name) if one.library]
            if not signatures:
                # This version of NumPy or Python has no such function.
                continue
            takes_all = any(p.kind is p.VAR_POSITIONAL for one in signatures for p in one.parameters.values())
            yield name, facts, 9 if takes_all else max(len(one.parameters) for one in signatures)


def _function(name):
    module, _, function = name.rpartition(".")
    classes = {"builtins.list": list, "builtins.dict": dict, "builtins.set": set, "numpy.ndarray": np.ndarray}
    if module in classes:
        return getattr(classes[module], function, None)
    try:
        return getattr(importlib.import_module(module), function, None)
    except ImportError:
        return None


_PUTS = "appends", "extends", "sets", "updates"


def _stated(facts, position):
    """Whether the facts say that the parameter at a position is changed, and that it is kept."""
    changed = kept = False
    for fact in facts.split():
        word, _, values = fact.partition("=")
        for value in values.split(","):
            for at, parameter in enumerate(value.split(":")):
                name, _, place = parameter.partition("@")
                if place.isdigit() and (int(place) == position or name.startswith("*") and position >= int(place)):
                    changed |= word == "mutates" or word in _PUTS and at == 0
                    kept |= word == "returns" or word in _PUTS and at > 0
    return changed, kept


# What works on memory, has a state, or may overwrite its arguments in Python alone; what has the operands the other way round; what is no
# function.
_PASSED = "numpy.frombuffer", "rumba.", "numpy.random.seed", "random.seed", "scipy.linalg."
_OTHERS = "__merge__", "__rmul__", "__radd__", "empty", "__getitem__"


# Of several arguments, rules of the catalog say what these do.
_WITH_RULES = "builtins.max", "builtins.min"


@pytest.mark.filterwarnings("ignore")
def test_the_facts_are_what_the_functions_do():
    tried, changing, returning = set(), set(), set()
    for name, facts, most in _rows():
        function = _function(name)
        if function is None or name.startswith(_PASSED) or name in _WITH_RULES or name.endswith(_OTHERS):
            continue
        for given in _calls(name):
            # What NumPy makes of a dict is an array of objects; it has more parameters than are taken here.
            if name.startswith("numpy.") and any(isinstance(one, dict) for one in given):
                continue
            if len(given) > most:
                continue
            before = copy.deepcopy(given)
            held = [_containers(one, {}) for one in given]
            # Seven moves something when it shuffles.
            random.seed(7)
            np.random.seed(7)
            try:
                result = function(*given)
                kept = _containers(list(result) if hasattr(result, "__next__") else result, {})
            except Exception:
                continue
            tried.add(name)
            for position, (one, old) in enumerate(zip(given, before)):
                if not _same(one, old):
                    changing.add(name)
                    assert _stated(facts, position)[0], (name, position, before, given)
                if kept.keys() & held[position].keys():
                    returning.add(name)
                    assert _stated(facts, position)[1], (name, position, before, result)
    assert len(tried) > 150
    assert {"_heapq.heappush", "_heapq.heapify", "random.shuffle", "numpy.random.shuffle", "_bisect.insort_right",
            "builtins.list.append", "builtins.list.sort", "numpy.copyto"} - {"builtins.list.append"} <= changing
    assert {"builtins.list", "builtins.sorted", "random.choice", "_heapq.heappop", "builtins.list.copy"} <= returning


# Displays that change, or whose items do.

def _run(function, *args):
    compare(njit(function), *args, shown=_shown)


def _shown(value):
    """The text of a value, with dicts of compiled code as Python's."""
    if isinstance(value, tuple):
        return tuple(map(_shown, value))
    return repr(dict(value) if hasattr(value, "keys") else value)


def _grows_in_a_loop(n):
    rows = [[1, 2]]
    for k in range(n):
        rows.append([k, 3])
    return rows


def _inner_through_tuple(x):
    t = tuple([[1], [2]])
    t[0].append(x)
    return t


def _inner_through_max(x):
    best = max([[1], [2]])
    best.append(x)
    return best


def _inner_through_sorted(x):
    t = sorted([[2], [1]])
    t[0].append(x)
    return t


def _inner_through_enumerate(x):
    total = 0
    for at, row in enumerate([[1], [2]]):
        row.append(x)
        total += at * sum(row)
    return total


def _inner_through_zip(x):
    for row, _ in zip([[1], [2]], [3, 4]):
        row.append(x)
    return row


def _inner_through_reversed(x):
    t = list(reversed([[1], [2]]))
    t[0].append(x)
    return t


def _inner_through_next(x):
    row = next(iter([[1], [2]]))
    row.append(x)
    return row


def _inner_through_list(x):
    t = list([[1], [2]])
    t.append([x, 2])
    return t


def _inner_through_dict(x):
    d = dict([(1, [1])])
    d[1].append(x)
    return d


def _inner_through_map(x):
    t = list(map(lambda row: row, [[1], [2]]))
    t[0].append(x)
    return t


def _inner_through_filter(x):
    t = list(filter(lambda row: len(row) > 0, [[1], [2]]))
    t[0].append(x)
    return t


def _inner_changed_by_map(x):
    def push(row):
        row.append(x)
        return len(row)
    return list(map(push, [[1], [2, 3]]))


def _inner_changed_by_key(x):
    def push(row):
        row.append(x)
        return -row[0]
    return sorted([[1], [2], [3]], key=push)


def _sum_of_lists(x):
    t = sum([[1], [2]], [])
    t.append(x)
    return t


def _carried_by_a_loop(x):
    rows = [[1]]
    for _ in range(x):
        m = rows
    m[0].append(3)
    return m


def _sorted_grows(x):
    t = sorted([3, x])
    t.append(1)
    return t


def _sorted_in_a_loop(x):
    t = [1]
    for i in range(x):
        t = sorted([t, [2]])[0]
        t.append(i)
    return t


def _sum_with_sorted(x):
    return [3, x] + sorted([3, 5]), sorted([3, 5]) + [x]


def _default_of_get(x):
    d = {1: [1]}
    other = d.get(x, [2, 3])
    other.append(4)
    return other, d


def _reduced(x):
    return functools.reduce(lambda made, row: made + row, [[1], [2]], [x])


@pytest.mark.parametrize("function", [
    _grows_in_a_loop, _inner_through_tuple, _inner_through_max, _inner_through_sorted, _inner_through_enumerate,
    _inner_through_zip, _inner_through_reversed, _inner_through_next, _inner_through_list, _inner_through_dict,
    _inner_through_map, _inner_through_filter, _inner_changed_by_map, _inner_changed_by_key, _sum_of_lists,
    _carried_by_a_loop, _sorted_grows, _sorted_in_a_loop, _sum_with_sorted, _default_of_get, _reduced,
], ids=lambda function: function.__name__)
def test_displays_whose_items_change(function):
    for x in (1, 4):
        _run(function, x)


def test_displays_that_only_pass_are_held_as_tuples():
    """A shape needs its length, and nothing is allocated for it."""
    _run(lambda n: np.zeros([2, 3]) + n, 1)
    _run(lambda n: np.ones(tuple([2, n])), 3)
    _run(lambda n: np.arange(6).reshape([2, 3]) * n, 2)
    _run(lambda n: (max([n, 3]), min([n, 3, 2]), sum([n, 4]), len([n, 1]), sorted([n, 2, 1])[0]), 5)
    seen = []

    @overload(_seen, effects=Effects())
    def _(items):
        seen.append(str(items))
        return lambda items: 0

    njit(lambda n: _seen([n, 3, 2]) + max([n, 3, 2]))(1)
    assert seen == ["list(int64 x 3)"]


def _seen(items):
    return 0


# Library functions that change a display.

def _pushes(x, y):
    heap = [x]
    heapq.heappush(heap, y)
    return heap


def _pushes_in_a_loop(n):
    heap = [n]
    for k in range(n):
        heapq.heappush(heap, n - k)
    return heapq.heappop(heap), heap


def _pushes_and_pops(x):
    heap = [x, 1, 2]
    heapq.heapify(heap)
    return heapq.heappushpop(heap, 9), heapq.heapreplace(heap, 7), heap


def _pushes_lists(x):
    heap = [[x, 2]]
    heapq.heappush(heap, [x, 1])
    heap[0].append(3)
    return heap


def _pushes_into_nothing(x):
    heap = []
    for k in range(x):
        heapq.heappush(heap, (x - k, k))
    return heap


def _shuffles(seed):
    random.seed(seed)
    np.random.seed(seed)
    a, b, c = [seed, 1, 2, 3], [seed, 4, 5, 6], [[1], [2], [3]]
    for _ in range(3):
        random.shuffle(a)
        np.random.shuffle(b)
        random.shuffle(c)
    c[0].append(seed)
    return a, b, c


def _array_functions(x):
    a, b = np.arange(5.0), np.zeros((3, 3))
    np.put(a, [0, x], [9, 8])
    np.copyto(b, [1, 2, 3])
    np.place(b, b > 1, [5, 6])
    np.fill_diagonal(b, [7, 8, 9])
    return a, b


def _inserts(x):
    a, b, c = [1, 5], [], [[1], [3]]
    for k in range(x):
        bisect.insort(a, x - k)
        bisect.insort_left(b, 10 - k, 0)
        bisect.insort(c, [k])
    c[0].append(9)
    return a, b, c, bisect.bisect(a, 2), bisect.bisect_left(b, 9), bisect.bisect(c, [1, 2])


def _inserts_by_key(x):
    words = ["a", "ccc"]
    bisect.insort(words, "bb" * x, key=len)
    bisect.insort_left(words, "d", key=lambda word: len(word))
    return words


@pytest.mark.parametrize("function, args", [
    (_pushes, (2.5, 1.5)), (_pushes, (2, 1)), (_pushes_in_a_loop, (4,)), (_pushes_and_pops, (3,)), (_pushes_lists, (3,)),
    (_pushes_into_nothing, (4,)), (_shuffles, (3,)), (_array_functions, (2,)), (_inserts, (4,)), (_inserts_by_key, (1,)),
], ids=lambda one: getattr(one, "__name__", None))
def test_library_functions_change_displays(function, args):
    _run(function, *args)


def test_numbers_that_are_put_in_become_the_lists():
    assert _run_float(lambda x: _heap_of(x)) == [1.0, 4.5]
    assert _run_float(lambda x: _inserted(x)) == [1.0, 4.5]


def _run_float(function):
    return njit(function)(4.5)


@register_jitable
def _heap_of(x):
    heap = [1]
    heapq.heappush(heap, x)
    return heap


@register_jitable
def _inserted(x):
    a = [1]
    bisect.insort(a, x)
    return a


@pytest.mark.parametrize("a, x, lo, hi", [([1, 2, 3], 2, 0, None), ([1, 2], 5, 1, 2), ([3.5], 1, 0, 1)])
def test_insertions_into_a_list_from_elsewhere(a, x, lo, hi):
    def insert(a, x):
        bisect.insort(a, x, lo, hi)
        return a

    mine, own = copy.copy(a), copy.copy(a)
    assert njit(insert)(mine, x) == insert(own, x) and mine == own


def test_insertions_fail_as_in_python():
    def insert(a, lo, hi):
        bisect.insort(a, 2, lo, hi)
        return a

    compare(njit(insert), [1, 2, 3], -1, 2)
    compare(njit(insert), [1, 2, 3], 0, 9)
    compare(njit(lambda a, x: bisect.bisect(a, x)), np.array([1, 2, 2, 3]), 2)
    with pytest.raises(errors.TypingError, match="a list is inserted into, not"):
        njit(lambda a: bisect.insort(a, 1))((1, 2))
    with pytest.raises(errors.TypingError, match="a list of int64 cannot hold float64"):
        njit(lambda a: bisect.insort(a, 1.5))([1, 2])


# Functions of the user.

@register_jitable
def _append(items, x):
    items.append(x)


@register_jitable
def _append_through(items, x):
    _append(items, x)
    return len(items)


@register_jitable(inline="always")
def _append_inlined(items, x):
    items.append(x)


@register_jitable
def _put(table, key, value):
    table[key] = value


@register_jitable
def _extend_all(many, items):
    for one in many:
        one.extend(items)


@register_jitable
def _append_deep(items, n):
    if n > 0:
        items.append(n)
        _append_deep(items, n - 1)


@pytest.mark.parametrize("function", [
    lambda x: _made([], _append, x), lambda x: _made([1], _append, x), lambda x: _made([], _append_through, x),
    lambda x: _made([1], _append_inlined, x), lambda x: _made([], _append_inlined, x), lambda x: _made([], _append_deep, x),
], ids=["empty", "display", "through", "inlined", "inlined, empty", "recursive"])
def test_compiled_functions_that_append(function):
    _run(function, 3)


@register_jitable
def _made(items, change, x):
    change(items, x)
    return items


def _appends_to_nothing(x):
    items = []
    _append(items, x)
    return items


def _appends_in_a_loop(x):
    items = []
    for k in range(x):
        _append_through(items, k)
    return items


def _appends_lists(x):
    rows = [[1]]
    _append(rows, [x, 2])
    rows[1].append(x)
    return rows


def _appends_to_inner(x):
    rows = [[]]
    _append(rows[0], x)
    return rows


def _appends_floats(x):
    items = [1]
    _append(items, x + 0.5)
    return [item + 0.0 for item in items]


def _puts_into_a_dict(x):
    table = {}
    _put(table, x, [x])
    _put(table, x + 1, [])
    table[x].append(2)
    return table


def _extends_several(x):
    a, b = [], []
    _extend_all([a, b], [x, x + 1])
    return a, b


def _appends_by_a_closure(x):
    items = []

    def push(to, y):
        to.append(x + y)
    push(items, 1)
    push(items, 2)
    return items


def _appends_by_argument(x):
    items = []
    _append(items=items, x=x)
    _append(x=4, items=items)
    return items


@pytest.mark.parametrize("function", [
    _appends_to_nothing, _appends_in_a_loop, _appends_lists, _appends_to_inner, _appends_floats, _puts_into_a_dict,
    _extends_several, _appends_by_a_closure, _appends_by_argument,
], ids=lambda function: function.__name__)
def test_containers_that_callees_fill(function):
    _run(function, 3)


def test_a_list_from_elsewhere_stays_what_it_is():
    with pytest.raises(errors.TypingError, match="cannot become a"):
        njit(lambda items: _append(items, 2.5))([1, 2])


def push(stack, x):
    stack.append(x)


@overload(push)
def _push(stack, x):
    return lambda stack, x: stack.append(x)


def push_stated(stack, x):
    stack.append(x)


@overload(push_stated, effects=Effects(appends={"stack": "x"}))
def _push_stated(stack, x):
    if not isinstance(stack, types.List) or stack.dtype != types.unliteral(x) and not isinstance(x, types.Integer):
        raise errors.TypingError(f"a stack of {stack} does not take {x}")
    return lambda stack, x: stack.append(x)


def total(items):
    return sum(items)


@overload(total, effects=Effects(exhausts="items"))
def _total(items):
    def of_all(items):
        made = 0
        for item in items:
            made += item
        return made
    return of_all


def look(items):
    return len(items)


@overload(look, effects=Effects())
def _look(items):
    if isinstance(items, types.LiteralList):
        count = len(items)
        return lambda items: count
    return lambda items: -1


def look_unstated(items):
    return len(items)


@overload(look_unstated)
def _look_unstated(items):
    return (lambda items: 1) if isinstance(items, types.LiteralList) else (lambda items: -1)


@overload_method(types.List, "push_twice", effects=Effects(appends={"self": "x"}))
def _push_twice(self, x):
    def push_twice(self, x):
        self.append(x)
        self.append(x)
    return push_twice


@overload_method(types.List, "push_thrice")
def _push_thrice(self, x):
    def push_thrice(self, x):
        for _ in range(3):
            self.append(x)
    return push_thrice


def test_overloads_that_append():
    def several(x):
        a, b, c = [], [1], [[x]]
        push(a, x)
        push(b, x)
        push(c, [x, x])
        return a, b, c

    def stated(x):
        a, b, c = [], [1], [[x]]
        push_stated(a, x)
        push_stated(b, x)
        push_stated(c, [x, x])
        return a, b, c

    for function in (several, stated):
        _run(function, 4)

    @njit
    def floats(x):
        a, b = [1], [1]
        push(a, x)
        push_stated(b, x)
        return a, b

    assert floats(2.5) == ([1.0, 2.5], [1.0, 2.5])


def test_methods_that_append():
    @njit
    def methods(x):
        a, b, c = [], [x], []
        a.push_twice(x)
        b.push_twice(x + 0.5)
        c.push_thrice(x)
        return a, b, c

    assert methods(4) == ([4, 4], [4.0, 4.5, 4.5], [4, 4, 4])


def test_what_overloads_state_is_believed():
    # A list that is only looked at is held as the tuple of its items; of what nobody states, nothing is known.
    assert njit(lambda x: (look([x, 2, 3]), look_unstated([x, 2, 3])))(1) == (3, -1)
    # The iterator is gone through before anything can be noticed.
    assert njit(lambda n: total(i * j for i in range(n) for j in range(i)))(4) == 11
    # Of one that states nothing it may be kept.
    assert njit(lambda n: look_unstated(i * j for i in range(n) for j in range(i)))(4) == -1


def test_an_overload_that_states_nothing_makes_a_library_function_unknown():
    import subprocess
    import sys

    program = """
import bisect, rumba
from rumba import njit, types
from rumba.extending import Effects, overload

class Own(types.Type):
    def __init__(self):
        super().__init__("Own")

def use(x):
    return bisect.bisect([1, 2, 4], x)

@overload(bisect.bisect)
def of_own(a, x, lo=0, hi=None, *, key=None):
    if isinstance(a, types.LiteralList):
        return lambda a, x, lo=0, hi=None, *, key=None: -1

assert njit(use)(3) == 2
"""
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


# Types as the library asks them.

def test_a_list_that_never_changes_has_a_type_in_python():
    ty = types.LiteralList([types.int64, types.int64])
    assert (ty.count, ty.dtype, str(ty), len(ty)) == (2, types.int64, "list(int64 x 2)", 2)
    assert types.LiteralList([types.int64, types.float64]).dtype is None
    assert list(types.LiteralList([types.int64, types.float64])) == [types.int64, types.float64]
    assert types.LiteralList([types.int64, types.int64]) is ty


def test_views_have_types_in_python():
    seen = []

    def ask(x):
        pass

    @overload(ask)
    def _ask(x):
        seen.append(x)
        return lambda x: None

    @njit
    def several(d, a):
        ask(d.keys())
        ask(d.values())
        ask(d.items())
        ask(a.flat)

    several({1: 2.5}, np.zeros(3))
    of_dict = types.DictType(types.int64, types.float64)
    assert [type(ty) for ty in seen] == [
        types.DictKeysIterableType, types.DictValuesIterableType, types.DictItemsIterableType, types.NumpyFlatType]
    assert [ty.parent for ty in seen] == [of_dict] * 3 + [types.float64[::1]]
    assert [str(ty).partition("(")[0] for ty in seen] == ["dict_keys", "dict_values", "dict_items", "array.flat"]
