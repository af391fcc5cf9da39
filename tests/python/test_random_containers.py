"""Random programs over a list, a dict and a set, beside CPython: what they give or raise, and what the caller's own hold then."""
import copy

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from beside import outcome
from leaks import nothing_leaks  # noqa: F401
from rumba import njit

_HEAD = "def program(a, d, s, x):\n    n = 0\n"
_TAIL = "    return a, list(d.items()), sorted(s), x, n\n"

numbers = st.sampled_from(
    ["x", "n", "len(a)", "len(d)", "len(s)", "0", "1", "-1", "2", "3", "a[0]", "a[-1]", "d.get(x, 4)", "min(a)", "x % 3", "n // 2"])
conditions = st.sampled_from(
    ["x in s", "x in d", "n in a", "len(a) > 3", "a[0] < x", "not s", "d", "s >= {1}", "{2, 3} & s", "x > 1 and n in d", "sorted(a) == a"])

_PLAIN = [
    "a.append({0})", "a.insert({0}, {1})", "a.extend([{0}, {1}])", "a.extend(a)", "a += (x, {0})", "a.reverse()", "a.sort()",
    "a.sort(reverse=True)", "x = a.pop()", "x = a.pop({0})", "a.remove({0})", "a[{0}] = {1}", "del a[{0}]", "del a[{0}:{1}]",
    "a = a[{0}:]", "a = a[::-1]", "a[{0}:{1}] = [x, x]", "x = a.index({0})", "x = a.count({0})", "a = a * 2", "a = a + [{0}]",
    "d[{0}] = {1}", "x = d[{0}]", "x = d.pop({0}, {1})", "x = d.pop({0})", "x = d.setdefault({0}, {1})", "del d[{0}]",
    "d.update({{{0}: {1}}})", "d |= {{x: {0}}}", "k, x = d.popitem()", "x = sum(d.values())", "a.extend(d.keys())",
    "d = {{v: k for k, v in d.items()}}", "a = [k + v for k, v in d.items()] + [0]", "d[{0}] += {1}",
    "s.add({0})", "s.discard({0})", "s.remove({0})", "s |= {{{0}, {1}}}", "s -= {{{0}}}", "s &= set(a)", "s ^= {{x, {0}}}",
    "s.update(a)", "s = {{v % 5 for v in a}}", "x = len(s - {{{0}}})", "a = sorted(s) + [{0}]", "s = s | set(d)", "n += 1",
    "n = max(a) - x", "a = [v + {0} for v in a if v != {1}]", "n = len([v for v in a for w in s if v == w])",
]


@st.composite
def _plain(draw):
    return [draw(st.sampled_from(_PLAIN)).format(draw(numbers), draw(numbers))]


def _indented(lines):
    return ["    " + line for line in lines]


@st.composite
def _compound(draw, blocks):
    body, other = _indented(draw(blocks)), _indented(draw(blocks))
    kind = draw(st.integers(0, 3))
    if kind == 0:
        return [f"if {draw(conditions)}:", *body, "else:", *other]
    if kind == 1:
        return ["for i in range(2):", *body, "    n += i"]
    if kind == 2:
        return ["for v in a:", f"    if v == {draw(numbers)}:", *_indented(body), "        break"]
    return ["for k in sorted(d):", "    n += k", *body, f"    if {draw(conditions)}:", "        break"]


def _block(statements):
    return st.lists(statements, min_size=1, max_size=3).map(lambda parts: [line for part in parts for line in part])


programs = _block(st.recursive(_plain(), lambda inner: _compound(_block(inner)), max_leaves=8)).map(
    lambda lines: _HEAD + "".join(f"    {line}\n" for line in lines) + _TAIL)
small = st.integers(-3, 6)
arguments = st.tuples(
    st.lists(small, min_size=1, max_size=6), st.dictionaries(small, small, min_size=1, max_size=4), st.sets(small, min_size=1, max_size=5), small)


def _outcome(function, args):
    """What a call gives or raises, and what its arguments are then. (The order of a set's items is nobody's business.)"""
    a, d, s, x = copy.deepcopy(args)
    found = outcome(function, (a, d, s, x))
    return found, a, list(d.items()), s


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(programs, st.lists(arguments, min_size=1, max_size=3))
def test_random_programs(source, calls):
    space = {}
    exec(source, space)
    compiled = njit(space["program"])
    for args in calls:
        assert _outcome(compiled, args) == _outcome(compiled.py_func, args)
