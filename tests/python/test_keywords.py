"""Keyword arguments: `**kwargs`, dicts passed on by `**`, choices and closures called by name."""
import pytest
from rumba import errors, njit
from rumba.intrinsics import literally


def mixed(a, b=2, *args, c=3, **more):
    total = a * 1000 + b * 100 + c * 10 + len(args)
    if "x" in more:
        total += more["x"] * 10000
    for name in more:
        if name == "y":
            total += 0.5
    return total + more.get("z", 0) + len(more) * 1000000


CALLS = [
    ((1,), {}),
    ((1, 2, 3), {}),
    ((1,), {"x": 3}),
    ((1,), {"y": 3, "x": 1.5}),
    ((1,), {"x": 1.5, "y": 3}),
    ((1,), {"z": 4, "b": 5, "c": 1, "y": 1}),
    ((1, 2, 3, 4), {"q": None, "z": 2.5}),
]


@pytest.mark.parametrize("args, keywords", CALLS)
def test_a_call_from_python_collects_what_has_no_parameter(args, keywords):
    assert njit(mixed)(*args, **keywords) == mixed(*args, **keywords)


def test_each_set_of_names_is_a_specialization():
    function = njit(mixed)
    for args, keywords in CALLS * 2:
        assert function(*args, **keywords) == mixed(*args, **keywords)
    assert len(function.signatures) == len(CALLS)


def test_a_function_that_collects_takes_no_tuple_for_the_collected_ones():
    @njit
    def count(a, *args):
        return len(args)

    assert (count(1, 2, 3), count(1, (2, 3)), count(1, 2, 3)) == (2, 1, 2)


def test_keywords_are_passed_on():
    # What containers are asked to hold is looked at from the first one on.
    assert njit(lambda n: [[n], [n, 2]])(1) == [[1], [1, 2]]
    compiled = njit(mixed)

    def calls(callee):
        def outer(v, **more):
            known = {"x": 1, "c": 2}
            joined = {"y": 2.0, **more, "c": 9}
            return (
                callee(v, **more), callee(*(v, 5), **known), callee(v, b=3, **{"y": 2.0, **more}),
                callee(*(1, 2, 3), c=4, **more), callee(v, **joined))
        return outer

    for keywords in ({}, {"x": 2}, {"z": 1, "y": 2}):
        assert njit(calls(compiled))(7, **keywords) == calls(mixed)(7, **keywords)


def test_loops_over_keywords_are_written_out():
    def totals(**given):
        total = 0.0
        for name, value in given.items():
            if name == "a":
                total += value
            else:
                total += 10 * value
        for value in given.values():
            total += value
        for name in given.keys():
            if name == "b":
                total += 7
        names = 0
        for name in given:
            names += 1
        return total, names, bool(given), "b" not in given

    for keywords in ({}, {"a": 1}, {"b": 2.5, "a": 1}, {"a": 1, "b": 2, "c": 3j}):
        assert njit(totals)(**keywords) == totals(**keywords)


def test_keywords_come_back_as_a_dict():
    @njit
    def same(**given):
        return given

    assert same(b=1, a=2.5) == {"b": 1, "a": 2.5}
    assert list(same(b=1, a=2.5)) == ["b", "a"]
    assert same() == {}


def test_a_display_with_known_keys_is_a_value():
    def pick(a):
        table = {"low": a, "high": a + 0.5, "low": a - 1}
        return table["low"], table["high"], len(table), table.get("none"), table.get("none", 4)

    assert njit(pick)(3) == pick(3)


def test_a_positional_only_name_may_be_a_keyword_too():
    def shared(a, /, **more):
        return a, more["a"]

    assert njit(shared)(1, a=2.5) == (1, 2.5)


@pytest.mark.parametrize("flag", [True, False])
def test_one_of_several_functions_is_called_by_name_and_with_defaults(flag):
    def choose(flag, x):
        def add(a, b=1, *, c=2):
            return a + b + c

        def multiply(a, c=5):
            return a * c

        function = add if flag else multiply
        return function(x, c=7), function(a=x), function(*(x,), **{"c": 1.5}), function(c=2, a=x)

    assert njit(choose)(flag, 10) == choose(flag, 10)


def test_closures_collect_keywords_and_have_defaults():
    def make(x):
        def inner(a, b=1, *args, c=x, **more):
            return a + b + c + len(args) + more.get("d", 0)

        return inner(1), inner(1, 2, 3), inner(1, d=2.5), inner(*(1, 2), c=4, d=1), inner(b=5, a=x)

    assert njit(make)(100) == make(100)


@pytest.mark.parametrize("call, message", [
    ("callee(1)", "missing a required argument: 'b'"),
    ("callee(1, 2, 3)", "too many positional arguments: takes 2, got 3"),
    ("callee(1, 2, a=3)", "got multiple values for argument 'a'"),
    ("callee(1, b=2, d=3)", "got an unexpected keyword argument 'd'"),
    ("callee(1, b=2, **{'b': 3})", "got multiple values for keyword argument 'b'"),
    ("callee(1, 2, **{'b': 3})", "got multiple values for argument 'b'"),
    ("callee(1, 2, **x)", "`**` of int64"),
])
def test_arguments_that_do_not_fit_are_errors_of_compilation(call, message):
    @njit
    def callee(a, b, *, c=1):
        return a + b + c

    scope = {"callee": callee}
    exec(f"def caller(x):\n    return {call}", scope)
    with pytest.raises(errors.NumbaError) as caught:
        njit(scope["caller"])(1)
    assert message in str(caught.value)


def test_an_unknown_key_names_the_known_ones():
    @njit
    def read(**given):
        return given["q"]

    with pytest.raises(errors.TypingError, match="KeyError: 'q'") as caught:
        read(a=1, b=2)
    assert "'a', 'b'" in str(caught.value)


def test_an_argument_without_a_type_is_named_by_its_keyword():
    @njit
    def read(**given):
        return 1

    with pytest.raises(errors.TypingError, match="argument 'b': Cannot determine Numba type"):
        read(a=1, b=object())
    with pytest.raises(TypeError, match="too many arguments"):
        read(1)


def test_signatures_with_keywords_compile_again():
    @njit
    def count(a, **given):
        return a + len(given)

    assert (count(1, x=2), count(1, y=2.5), count(1)) == (2, 2, 1)
    before = count.signatures
    count.recompile()
    assert count.signatures == before
    assert str(before[0]) == "(int64, Keywords(x: int64))"
    assert njit("float64(float64)")(count.py_func)(1) == 1.0


def test_the_value_of_a_keyword_argument_can_be_asked_for():
    @njit
    def pick(items, **given):
        return items[literally(given["at"])]

    @njit
    def caller(items, at):
        return pick(items, at=at)

    items = (1, 2.5, 3j)
    assert [pick(items, at=at) for at in range(3)] == list(items)
    assert [caller(items, at) for at in range(3)] == list(items)


@njit
def weighed(**more):
    total, at = 0, 0
    for name in more:
        total += at * more[name]
        at += 1
    return total, len(more)


@njit
def with_many_keywords(x, y):
    return weighed(a=1, b=2, c=x, d=4, e=5, f=6, g=y, h=8, i=9, j=10, k=11, l=12, m=13, n=14, o=15, p=x + y, q=17, r=18,
                   s=19, t=20)


@njit
def large_display(x, y):
    known = {"a": 1, "b": 2, "c": 3, "d": 4, "e": 5, "f": 6, "g": 7, "h": 8, "i": 9, "j": 10, "k": 11, "l": 12, "m": 13,
             "n": 14, "o": 15, "p": 16, "q": x, "r": 18, "s": y, "a": 21}
    return known["s"], known["a"], len(known), weighed(**{"u": 1, **{"v": x}})


@njit
def large_table(x):
    table = {1: x, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 1, 8: 1, 9: 1, 10: 1, 11: 1, 12: 1, 13: 1, 14: 1, 15: 1, 16: 1,
             17: x + 1, 18: 1, 1: 7}
    table[30] = len(table)
    return table, {n: n * x for n in table}


def test_many_entries_are_as_few():
    """CPython puts displays and calls together in parts where they have more than fifteen entries."""
    assert with_many_keywords(3, 4) == with_many_keywords.py_func(3, 4)
    assert large_display(3, "text") == large_display.py_func(3, "text")
    assert large_table(5) == large_table.py_func(5)


def test_calls_by_name_go_the_way_of_the_one_before_where_they_fit():
    def scaled(x, y=2, /, z=0.5, *, w=1.5, flag=None):
        return x, y, z, w, flag is None

    function = njit(scaled)
    calls = [
        ((1,), {}), ((2,), {}), ((1, 3), {}), ((1,), {"w": 2.5}), ((1,), {"w": 2}), ((1.5,), {"z": 1.0, "w": 2.5}),
        ((1,), {"w": 2.5, "z": 1.0}), ((1, 2, 0.25), {"flag": 7}), ((1, 2, 0.25), {"flag": None}), ((1, 2.0), {}), ((2**63,), {}),
    ]
    for _ in range(2):
        for args, keywords in calls:
            for _ in range(3):
                assert function(*args, **keywords) == scaled(*args, **keywords)
    for args, keywords in [((), {}), ((1,), {"y": 2}), ((1,), {"x": 2}), ((1, 2, 3.0), {"z": 1.0}), ((1,), {"v": 1}), ((1, 2, 3, 4), {})]:
        function(1)
        with pytest.raises(TypeError):
            function(*args, **keywords)
    name = "".join(["fl", "ag"])
    assert function(1, **{name: 3}) == scaled(1, flag=3)


def test_defaults_of_keyword_only_parameters_may_change_their_type():
    def with_default(x, *, y=1):
        return x + y

    function = njit(with_default)
    assert [function(1), function(1)] == [2, 2]
    with_default.__kwdefaults__["y"] = 0.5
    assert [function(1), function(1)] == [1.5, 1.5]


def test_arguments_by_name_are_released():
    import sys

    import numpy as np

    function = njit(lambda a, n=1: a[0] + n)
    array = np.ones(3)
    function(array), function(a=array, n=2)
    before = sys.getrefcount(array)
    for _ in range(100):
        function(array), function(a=array, n=2), function(n=2, a=array)
    assert sys.getrefcount(array) == before
