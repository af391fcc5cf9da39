"""What overloads know of the displays that make their arguments: `initial_value` and `literal_value` of types."""
import numpy as np
import pytest
from rumba import njit, types
from rumba.extending import overload
from rumba.numba import literally

from leaks import nothing_leaks  # noqa: F401  a fixture


def told(attribute):
    """A function that gives the text of an attribute of its argument's type, known when its caller compiles."""
    def function(x):
        raise NotImplementedError

    @overload(function)
    def implementation(x):
        if attribute == "initial_value" and x.initial_value is None:
            return lambda x: literally(x)
        text = str(getattr(x, attribute))
        return lambda x: text

    return function


initial_value, literal_value = told("initial_value"), told("literal_value")


def list_of_constants():
    return initial_value([3, 1, 2])


def list_by_name():
    x = [3, 1, 2]
    x.append(4)
    return initial_value(x)


def list_of_texts():
    return initial_value(["a", "b"])


def dict_of_constants():
    d = {"a": 1, "b": 2}
    d["c"] = 3
    return initial_value(d)


def dict_of_numbers():
    return initial_value({1: True, 2: False})


def list_of_bools():
    return initial_value([True, False])


@pytest.mark.parametrize("function, text", [
    (list_of_constants, "[3, 1, 2]"), (list_by_name, "[3, 1, 2]"), (list_of_texts, "['a', 'b']"),
    (dict_of_constants, "{'a': 1, 'b': 2}"), (dict_of_numbers, "{1: True, 2: False}"), (list_of_bools, "[True, False]"),
])
def test_the_display_is_known(function, text):
    assert njit(function)() == text


def test_two_displays_of_one_type_are_two():
    @njit
    def both():
        return initial_value([1, 2]) + initial_value([3, 4])

    assert both() == "[1, 2][3, 4]"


def test_what_is_no_display_of_constants_is_not_known():
    @njit
    def computed(n):
        return initial_value([1, n])

    @njit
    def given(x):
        return initial_value(x)

    for call in (lambda: computed(2), lambda: given([1, 2])):
        with pytest.raises(Exception, match="literal"):
            call()


def test_the_first_answer_is_for_the_type_alone():
    seen = []

    def function(x):
        raise NotImplementedError

    @overload(function)
    def implementation(x):
        seen.append(x.initial_value)
        return lambda x: len(x)

    @njit
    def caller():
        return function([1, 2, 3])

    assert caller() == 3
    assert seen == [None]


def test_literal_types_come_first_where_they_are_preferred():
    def function(x):
        raise NotImplementedError

    @overload(function, prefer_literal=True)
    def implementation(x):
        known = x.initial_value
        first = -1 if known is None else known[0]
        return lambda x: first

    @njit
    def caller(n):
        return function([7, 8]), function([n, 8])

    assert caller(5) == (7, -1)


def test_the_items_of_what_never_changes_are_known():
    @njit
    def of_dict(x):
        d = {"a": 1, "b": x, "c": "text"}
        return literal_value(d)

    @njit
    def of_list(x):
        return literal_value([1, "text", x])

    assert of_dict(1j) == "{Literal[str](a): Literal[int](1), Literal[str](b): complex128, Literal[str](c): Literal[str](text)}"
    assert of_list(np.zeros(2)) == "[Literal[int](1), Literal[str](text), Array(float64, 1, 'C', False, aligned=True)]"


def test_types_are_made_from_what_they_show():
    known = {types.literal("a"): types.int64, types.literal("b"): types.unicode_type}
    ty = types.LiteralStrKeyDict(known)
    assert ty.literal_value == known and ty.fields == ("a", "b") and ty == types.LiteralStrKeyDict(known)
    assert types.LiteralList([types.int64]).literal_value == [types.int64]
    mapping = types.DictType(types.unicode_type, types.int64, {"a": 1})
    assert mapping.initial_value == {"a": 1}
    assert types.unliteral(mapping) == types.DictType(types.unicode_type, types.int64) != mapping
    assert types.unliteral(types.List(types.int64, initial_value=[1])) == types.List(types.int64)


def test_random_displays_are_their_own():
    random = np.random.default_rng(7)
    for _ in range(20):
        items = [int(item) for item in random.integers(-2**62, 2**62, random.integers(1, 9))]
        keys = [f"k{at}" for at in range(len(items))]
        shown = dict(zip(keys, items))
        space = {"initial_value": initial_value}
        exec(f"def of_list():\n    return initial_value({items})\ndef of_dict():\n    d = {shown}\n    d['more'] = 0\n"
             "    return initial_value(d)", space)
        assert njit(space["of_list"])() == str(items)
        assert njit(space["of_dict"])() == str(shown)
