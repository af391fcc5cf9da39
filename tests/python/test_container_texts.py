"""Texts of containers, operators on views of dicts, and other rarer things, beside CPython's."""
import functools
import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import beside
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit, typed

few = settings(max_examples=40, deadline=None)
ints = st.integers(-3, 9)
lists = st.lists(ints, min_size=1, max_size=6)
words = st.lists(st.text("a'\"\\é\n", max_size=3), min_size=1, max_size=4)
tables = st.dictionaries(st.text("abc", max_size=2), ints, min_size=1, max_size=5)


def shown(value):
    """A value without the difference between a dict and a typed one."""
    if isinstance(value, typed.Dict):
        return repr(dict(value))
    if isinstance(value, tuple):
        return tuple(shown(item) for item in value)
    return sorted(value) if isinstance(value, set) else repr(value)


compare = functools.partial(beside.compare, shown=shown)


@njit
def texts(items, names, table):
    pairs = [(a, b) for a, b in zip(items, names)]
    return (str(items), repr(names), f"{items} {table!r} {names!s:}", str([items, items]), str((items, names[0])),
            repr({items[0]: names}), str(table), str({items[0]}), repr(pairs), str((items,)), str([names[0], items[0]]),
            str([(items[0],)]), repr([]), str(table.keys()), repr(table.values()), f"{table.items()}", str([1.5, 2.0]),
            format(items), format(table, ""))


@few
@given(lists, words, tables)
def test_texts(items, names, table):
    compare(texts, items, names, table)


@njit
def percent(text, items):
    return text % items


@pytest.mark.parametrize("text", [
    "%s", "a%rb", "%20s|", "%-30r|", "%.3s", "%%%s%%", "%a", "none", "%s%s", "%d", "%5.2f", "%x", "%c", "%y", "%", "%%"])
def test_percent_with_one_container(text):
    for items in ([1, 2], {3}, {1: 2.5}, {"a": 1}, [["x"]]):
        compare(percent, text, items)


@pytest.mark.parametrize("text", ["%(a)s", "%(a)d-%(bc)5.1f", "%(a)s %s", "%(a", "%(missing)s", "%(a)", "%s %r", "%s %(a)s"])
def test_percent_with_names(text):
    compare(percent, text, {"a": 1, "bc": 2})
    compare(percent, text, {"a": [1], "bc": [2, 3]})


@njit
def empty_texts(items, table):
    items.clear()
    table.clear()
    return str(items), str(table), str(set(items)), f"{items}{table}"


def test_texts_of_nothing():
    compare(empty_texts, [1], {"a": 2})


@njit
def badly_formatted(items):
    return f"{items:>5}"


def test_a_container_has_no_format():
    compare(badly_formatted, [1])


@njit
def views(table, other, names):
    a, b = table.keys(), other.keys()
    return (a & b, a | b, a - b, a ^ b, a == b, a != b, a <= b, a < b, a >= b, a > b, a.isdisjoint(b), a & names,
            table.items() & other.items(), table.items() == other.items(), a == set(names), a - set(names))


@few
@given(tables, tables, st.lists(st.text("abc", max_size=2), min_size=1, max_size=4))
def test_views_as_sets(table, other, names):
    compare(views, table, other, names)


@njit
def backwards(table, items):
    return ([key for key in reversed(table)], [v for v in reversed(table.values())], [i for i in reversed(table.items())],
            list(reversed(items)), list(reversed([1, 2])), [k for k in reversed(table.keys())])


@few
@given(tables, lists)
def test_reversed(table, items):
    compare(backwards, table, items)


@njit
def from_keys(items):
    return dict.fromkeys(items, 0), dict.fromkeys("abca", items[0]), len(dict.fromkeys(range(3), "x"))


@few
@given(lists)
def test_from_keys(items):
    compare(from_keys, items)


@njit
def named(value):
    return dict(a=value, b=2), dict(c=value)["c"]


def test_a_dict_of_names():
    compare(named, 4)


@njit
def ordered(rows, pairs):
    return (max(rows), min(rows), sorted(rows), sorted(pairs), max(pairs), (rows[0], 1) == (rows[-1], 1),
            (1, rows[0]) < (1, rows[-1]), (rows[0], 2) >= (rows[-1], 1), (1, rows[0]) != (1, rows[-1], 2),
            (rows[0],) <= (rows[-1], 3))


@few
@given(st.lists(lists, min_size=1, max_size=4), st.lists(st.tuples(ints, lists), min_size=1, max_size=4))
def test_comparison_of_what_holds_lists(rows, pairs):
    compare(ordered, rows, pairs)


@njit
def summed(rows):
    return sum(rows, []), sum([row + row for row in rows], [1])


@few
@given(st.lists(lists, min_size=1, max_size=4))
def test_sum_of_lists(rows):
    compare(summed, rows)


@njit
def constant_strings():
    return [x + "!" for x in ("a", "bc")], {x for x in ("é", "b")}, [len(a) for a in ["x", "yz"]], {k: 1 for k in ("p", "q")}


def test_comprehensions_over_constant_strings():
    compare(constant_strings)


@njit
def joined(items):
    return ",".join(map(str, items)), "-".join({str(items[0]): 1}), "".join(reversed(["a", "b"]))


@few
@given(lists)
def test_joined(items):
    compare(joined, items)


def test_a_dict_of_values_of_several_types_can_be_changed():
    @njit
    def assigned():
        table = {"a": 1, "b": "x"}
        table["a"] = 2
        return table

    @njit
    def updated():
        table = {"a": 1, "b": "x"}
        table.update({"c": 2})
        return table

    assert dict(assigned()) == {"a": 2, "b": "x"}
    assert dict(updated()) == {"a": 1, "b": "x", "c": 2}


def test_keyword_arguments_of_several_types_are_not_changed():
    @njit
    def function(**options):
        options["c"] = 2
        return options

    with pytest.raises(errors.TypingError, match="Cannot mutate a literal dictionary"):
        function(a=1, b="x")


def test_what_does_not_fit_a_typed_dict_is_named():
    @njit
    def wrong_key():
        table = typed.Dict.empty(key_type=int32, value_type=float64, n_keys=4)
        return table[1j]

    @njit
    def wrong_value(table):
        table[1] = 1j

    from rumba.types import float64, int32

    wrong_key.py_func.__globals__.update(int32=int32, float64=float64)
    with pytest.raises(errors.TypingError, match="cannot safely cast complex128 to int32"):
        wrong_key()
    with pytest.raises(errors.TypingError, match="cannot safely cast complex128 to float64"):
        wrong_value(typed.Dict.empty(int32, float64))


# Typed containers in Python.

def test_typed_containers_are_made_of_one_thing():
    for arguments, words, message in (((1, 2), {}, "at most 1 argument, got 2"), ((23,), {}, "must be iterable"),
                                      ((), {"items": []}, "takes no keyword arguments")):
        with pytest.raises(TypeError, match=message):
            typed.List(*arguments, **words)
    with pytest.raises(errors.TypingError, match="at most 1 argument, got 2"):
        typed.Dict(1, 2)
    with pytest.raises(errors.TypingError, match="object is not iterable"):
        typed.Dict(3)
    with pytest.raises(ValueError, match="element #1 has length 3"):
        typed.Dict([(1, 2), (2, 3, 4)])


def test_an_untyped_list_has_no_types():
    items = typed.List()
    assert repr(items) == "ListType[Undefined]([])"
    with pytest.raises(RuntimeError, match="invalid operation on untyped list"):
        items._dtype
    assert items._allocated() == 0


def test_room():
    from rumba.types import int32

    @njit
    def room(count):
        return typed.List.empty_list(int32, allocated=count)._allocated()

    for count in range(5):
        assert typed.List.empty_list(int32, count)._allocated() == room(count) == count


def test_types_that_a_typed_dict_cannot_hold():
    from rumba.types import List, int64

    for kinds, message in ((({List(int64)}, {int64}), "as key is forbidden"), (({int64}, {List(int64)}), "as value is forbidden")):
        for key, value in itertools.product(*kinds):
            with pytest.raises(errors.TypingError, match=message):
                typed.Dict.empty(key, value)


def test_without_compilation_typed_containers_are_plain(fresh_process):
    source = "import os; os.environ['NUMBA_DISABLE_JIT'] = '1'\n" \
        "from rumba import typed, types\n" \
        "print(type(typed.List()), typed.List([1]), type(typed.Dict()), typed.Dict.empty(types.int64, types.int64))"
    assert fresh_process(source) == "<class 'list'> [1] <class 'dict'> {}\n"


@njit
def unpacked(items):
    first, *rest = items
    *others, last = items
    one, *between, two = items
    return first, rest, others, last, one, between, two


@njit
def too_few(items):
    a, b, *c, d = items
    return a


@few
@given(lists, words)
def test_starred_names(items, names):
    compare(too_few, items)
    compare(too_few, names)
    compare(unpacked, items + items)
    compare(unpacked, [[name] for name in names + names])
    compare(unpacked, names + names)
