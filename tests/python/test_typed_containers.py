"""`typed.Dict` and `typed.List` from Python and in compiled code."""
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit, typeof, types
from rumba.typed import Dict, List

few = settings(max_examples=30, deadline=None)
ints = st.integers(-4, 4)


@few
@given(st.lists(st.tuples(st.integers(0, 5), ints), max_size=30))
def test_a_dict_works_like_pythons(steps):
    mine, theirs = Dict.empty(types.int64, types.int64), {}
    for what, key in steps:
        for d in (mine, theirs):
            if what < 2:
                d[key] = what + key
            elif what == 2:
                d.pop(key, None)
            elif what == 3:
                d.setdefault(key, 7)
            elif what == 4 and d:
                d.popitem()
            else:
                d.update({key: 5})
    assert mine == theirs and list(mine.items()) == list(theirs.items()) and str(mine) == str(theirs)
    assert mine.copy() == mine and len(mine) == len(theirs)


@few
@given(st.lists(st.tuples(st.integers(0, 7), ints), max_size=30))
def test_a_list_works_like_pythons(steps):
    mine, theirs = List.empty_list(types.int64), []
    for what, item in steps:
        for items in (mine, theirs):
            if what < 3:
                items.append(item)
            elif what == 3:
                items.insert(item, what)
            elif what == 4 and items:
                items.pop()
            elif what == 5:
                items.extend([item, item])
            elif what == 6:
                items.sort(reverse=item > 0)
            else:
                items.reverse()
    assert mine == theirs and list(mine) == theirs and str(mine) == str(theirs)
    assert list(mine[1:5:2]) == theirs[1:5:2] and mine.count(2) == theirs.count(2)


def test_untyped_containers():
    d, items = Dict(), List()
    assert not d._typed and len(d) == 0 and list(d) == [] and "x" not in d and d.get(1) is None
    assert not items._typed and len(items) == 0 and list(items) == []
    with pytest.raises(KeyError):
        d[1]
    with pytest.raises(IndexError):
        items[0]
    d["a"], _ = 1.5, items.append(2)
    assert repr(d) == "DictType[unicode_type,float64]<iv=None>({a: 1.5})" and repr(items) == "ListType[int64]([2])"
    assert typeof(d) == types.DictType(types.unicode_type, types.float64)
    assert typeof(items) == types.ListType(types.int64)
    assert List([1, 2]) == [1, 2] and Dict({1: 2}) == {1: 2} and Dict([(1, 2)]) == {1: 2}


def test_exceptions():
    d, items = Dict({1: 2}), List([1])
    for wrong in (lambda: d[5], lambda: d.pop(5), lambda: d.__delitem__(5)):
        with pytest.raises(KeyError, match="5"):
            wrong()
    with pytest.raises(IndexError, match="list index out of range"):
        items[3]
    with pytest.raises(ValueError):
        items.remove(9)
    items.pop()
    with pytest.raises(IndexError, match="pop from empty list"):
        items.pop()
    with pytest.raises(RuntimeError, match="changed size"):
        for key in d:
            d[key + 1] = 1
    with pytest.raises(TypeError):
        hash(d)


def test_they_are_not_copied():
    @njit
    def change(d, items):
        d[7] = 1.5
        items.append(8)
        return d, items

    d, items = Dict.empty(types.int64, types.float64), List([1])
    other, others = change(d, items)
    assert d == {7: 1.5} and items == [1, 8]
    other[8] = 2.5
    others.append(9)
    assert d[8] == 2.5 and items[2] == 9 and d._address() == other._address()


def test_made_in_compiled_code():
    floats = types.float64[:]

    @njit
    def make(n):
        d = Dict.empty(types.int64, floats)
        e = Dict.empty(key_type=types.unicode_type, value_type=types.int64)
        items = List.empty_list(types.unicode_type)
        open_one, untyped = List(), Dict()
        for i in range(n):
            d[i] = np.arange(i * 1.0)
            items.append(str(i))
            e[str(i)] = i
            open_one.append((i, 0.5))
            untyped[i] = i
        return d, e, items, open_one, untyped

    d, e, items, open_one, untyped = make(3)
    assert [len(d[i]) for i in range(3)] == [0, 1, 2] and e == {"0": 0, "1": 1, "2": 2}
    assert items == ["0", "1", "2"] and open_one == [(0, 0.5), (1, 0.5), (2, 0.5)] and untyped == {0: 0, 1: 1, 2: 2}


def test_nested():
    outer = List.empty_list(types.ListType(types.int64))
    inner = List([1])
    outer.append(inner)
    outer[0].append(2)
    assert inner == [1, 2]
    table = Dict.empty(types.unicode_type, types.DictType(types.int64, types.int64))
    table["a"] = Dict({1: 2})
    table["a"][3] = 4
    assert table["a"] == {1: 2, 3: 4}


def test_sorting_by_a_key_and_pickles():
    items = List([3, -4, 1])
    items.sort(key=lambda x: abs(x))
    assert items == [1, 3, -4]
    assert pickle.loads(pickle.dumps(items)) == items
    d = Dict({"a": 1.5})
    assert pickle.loads(pickle.dumps(d)) == d and pickle.loads(pickle.dumps(Dict())) == {}


def test_constant_strings_outlive_the_code_that_put_them_in():
    import gc

    def made():
        @njit
        def fill(n):
            table = {"a long constant string": "its value, which is long as well"}
            table["another constant"] = "x" if n else "a third constant, as long as the others"
            return table
        return fill(0)

    tables = [made() for _ in range(5)]
    gc.collect()
    others = [njit(lambda n: n + 1)(1) for _ in range(20)]
    expected = {"a long constant string": "its value, which is long as well",
                "another constant": "a third constant, as long as the others"}
    assert all(dict(table) == expected for table in tables) and others[0] == 2


def test_a_typed_list_must_not_change_while_it_is_gone_through():
    @njit
    def grows(items):
        for item in items:
            items.append(item)

    items = List([1.0, 2.0])
    with pytest.raises(RuntimeError, match="list was mutated during iteration"):
        grows(items)


def test_integers_of_other_widths():
    @njit
    def put(table, items, number):
        table[number] = number
        items.append(number)
        items[0] = number
        return table[number], number in table, table.get(number), items[-1]

    def made():
        return Dict.empty(types.int32, types.uint8), List.empty_list(types.int8)

    assert put(*made(), 7) == (7, True, 7, 7)
    for number in (2**40, -2**31 - 1, -1, 200):
        with pytest.raises(OverflowError, match="Python integer out of bounds for u?int"):
            put(*made(), number)
    singles = List.empty_list(types.float32)
    njit(lambda items: items.append(0.1))(singles)
    assert singles[0] == np.float32(0.1)


def test_what_may_lose_something_is_said():
    ints, wide = List.empty_list(types.int32), List([7])
    with pytest.warns(errors.NumbaTypeSafetyWarning, match="unsafe cast from int64 to int32"):
        ints.extend(wide)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wide.extend(ints)
        Dict.empty(types.int64, types.float64).update(Dict.empty(types.int32, types.int8))
    with pytest.raises(errors.TypingError, match="cannot safely cast unicode_type to int32"):
        ints.extend(List(["a"]))
    with pytest.raises(errors.TypingError, match="cannot safely cast complex128 to float64"):
        Dict.empty(types.int64, types.float64).update(Dict.empty(types.int64, types.complex128))


def test_dicts_of_pairs_in_compiled_code():
    @njit
    def f(keys, values, pairs):
        return Dict(zip(keys, values)), Dict(pairs), Dict(zip(zip(keys, values), values))

    made = f((0, 1, 2), "abc", ((1, "x"), (3, "y")))
    assert made == ({0: "a", 1: "b", 2: "c"}, {1: "x", 3: "y"}, {(0, "a"): "a", (1, "b"): "b", (2, "c"): "c"})
    assert all(isinstance(one, Dict) for one in made)
    for argument in (3, {1: 2}):
        with pytest.raises(errors.TypingError, match="No implementation of function"):
            njit(lambda x: Dict(x))(argument)


def test_a_dict_is_equal_to_dicts_alone():
    compiled = njit(lambda d, other: (d == other, d != other))
    d = Dict()
    d[1] = 2
    for other in (1, 2.5, "a", (1, 2), [1], {1}, List([1]), True):
        assert compiled(d, other) == (False, True)
    assert compiled(d, d) == (True, False)


def _immutable(change):
    def function(value):
        items = List()
        items.append(value)
        items._make_immutable()
        change(items)
    return function


@pytest.mark.parametrize("change", [
    lambda items: items.append(1), lambda items: items.__setitem__(0, 2), lambda items: items.pop(), lambda items: items.pop(0),
    lambda items: items.__delitem__(0), lambda items: items.__delitem__(slice(0, 1)), lambda items: items.extend((0,)),
    lambda items: items.extend(items), lambda items: items.insert(0, 0), lambda items: items.remove(1), lambda items: items.clear(),
    lambda items: items.reverse(), lambda items: items.sort(), lambda items: items.sort(reverse=True),
])
def test_an_immutable_list_stays_as_it_is(change):
    with pytest.raises(ValueError, match="list is immutable"):
        _immutable(change)(3)


@njit
def immutable(at):
    items = List([3, 1, 2])
    before = items._is_mutable()
    items._make_immutable()
    if at == 0:
        items.append(1)
    elif at == 1:
        items[0] = 1
    elif at == 2:
        items.sort()
    elif at == 3:
        items[::2] = (1, 2)
    elif at == 4:
        items += [1]
    return before, items._is_mutable(), len(items), items[1], sorted(items)


def test_immutable_lists_in_compiled_code():
    for at in range(5):
        with pytest.raises(ValueError, match="list is immutable"):
            immutable(at)
    assert immutable(9) == (True, False, 3, 1, [1, 2, 3])
    items = List()
    assert items._is_mutable()


def test_what_typed_lists_refuse():
    @njit
    def index(items, value, start):
        return items.index(value, start)

    @njit
    def made(items):
        return List(items)

    @njit
    def room(count):
        return List.empty_list(types.int64, count)._allocated(), Dict.empty(types.int64, types.int64, count)

    items = List([1, 2])
    with pytest.raises(ValueError, match="item not in list"):
        index(items, 5, 0)
    with pytest.raises(errors.TypingError, match='arg "start" must be an Integer'):
        index(items, 1, "a")
    with pytest.raises(errors.TypingError, match=r"List\(\) argument must be iterable"):
        made(3)
    assert room(3)[0] == 3
    with pytest.raises(RuntimeError, match="expecting .allocated. to be >= 0"):
        room(-1)
    with pytest.raises(IndexError, match="list index out of range"):
        items.pop(7)


def test_tuples_of_other_numbers_are_keys_and_items():
    d = Dict.empty(types.UniTuple(types.uint32, 2), types.Tuple((types.float32, types.int8)))
    d[(1, 2)] = (0.5, 3)
    d[(np.uint8(3), True)] = (2, np.int64(4))
    assert dict(d) == {(1, 2): (0.5, 3), (3, 1): (2.0, 4)} and d[(1, 2)] == (0.5, 3) and (3, 1) in d
    items = List.empty_list(types.UniTuple(types.float32, 2))
    items.append((0.1, 2))
    assert list(items) == [(float(np.float32(0.1)), 2.0)]
    with pytest.raises((TypeError, ValueError, OverflowError)):
        d[(-1, 2)] = (0.5, 3)
    with pytest.raises((TypeError, ValueError, OverflowError)):
        d[(1, 2**40)] = (0.5, 3)
    with pytest.raises(errors.TypingError):
        List.empty_list(types.UniTuple(types.int64, 2)).append((0.5, 2.5))


def test_a_list_of_tuples_grows_wider_before_it_converts():
    @njit
    def mixed():
        items = [(np.float32(1.5), np.int8(3))]
        items.append((0.1, 300))
        return items

    assert mixed() == [(1.5, 3), (0.1, 300)]


@pytest.mark.parametrize("kind", [str, bytes])
def test_keys_of_fixed_width_from_python(kind):
    words = ["123", "ab"] if kind is str else [b"123", b"ab"]
    items, d = np.array(words), Dict.empty(typeof(np.array(words)).dtype, types.int64)

    @njit
    def fill(d, items):
        for at in range(len(items)):
            d[items[at]] = at

    fill(d, items)
    first, second = words
    assert d[first] == 0 and first in d and d.get(second) == 1 and dict(d) == {first: 0, second: 1} == d
    long = first + first
    assert long not in d and d.get(long, 5) == 5 and d.pop(long, 6) == 6
    for refused in (lambda: d[long], lambda: d.pop(long), lambda: d.__setitem__(long, 1), lambda: d.__delitem__(long)):
        with pytest.raises(KeyError):
            refused()
    d[second] = 7
    assert d.setdefault(second, 9) == 7 and d.pop(second) == 7 and second not in d
    del d[first]
    assert not d
    with pytest.raises(errors.TypingError):
        d[1]


def test_integers_are_put_into_a_dict_of_narrower_keys_elsewhere():
    @njit
    def put(d, key):
        d[key] = 2.0

    @njit
    def passed(key):
        d = Dict.empty(types.int32, types.float64)
        d[7] = 1.0
        put(d, key)
        return d

    @njit
    def captured(key):
        d = Dict.empty(types.int32, types.float64)
        d[7] = 1.0

        def put(key):
            d[key] = 2
        put(key)
        return d

    for function in (passed, captured):
        made = function(3)
        assert made == {7: 1.0, 3: 2.0} and made._dict_type.key_type == types.int32
        with pytest.raises(OverflowError):
            function(2**40)
        with pytest.raises(errors.TypingError, match="cannot safely cast float64 to int32"):
            function(2.5)
