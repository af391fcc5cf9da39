"""`str.maketrans` and `str.translate`, as in CPython."""
import pytest
from hypothesis import given
from hypothesis import strategies as st
from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from support import outcome

TEXT = st.text(alphabet="ab€cd\U0001F600é", max_size=12)


@njit
def by_texts(text, source, target):
    return text.translate(str.maketrans(source, target))


@njit
def by_texts_without(text, source, target, removed):
    return text.translate(str.maketrans(source, target, removed))


@njit
def by_dict(text, table):
    return text.translate(table)


@given(TEXT, TEXT, TEXT, TEXT)
def test_tables_of_texts(text, source, target, removed):
    assert outcome(by_texts, text, source, target) == outcome(by_texts.py_func, text, source, target)
    args = text, source, target, removed
    assert outcome(by_texts_without, *args) == outcome(by_texts_without.py_func, *args)


@given(TEXT, st.dictionaries(st.sampled_from([97, 98, 0x20AC, 0x1F600]), TEXT, min_size=1))
def test_dicts_of_texts(text, table):
    assert by_dict(text, table) == text.translate(table)


@pytest.mark.parametrize("function", [
    lambda: "abca".translate({97: 120, 98: 121}),
    lambda: "abca".translate({97: "xyz", 98: ""}),
    lambda: "abca".translate({97: None, 98: "x"}),
    lambda: "abca".translate(str.maketrans({"a": "XX", "b": ""})),
    lambda: "abca".translate(str.maketrans({97: 98})),
    lambda: "abca".translate(str.maketrans({"ab": "x"})),
    lambda: "abca".translate({97: -1}),
    lambda: "".translate(str.maketrans("", "")),
])
def test_as_in_python(function):
    assert outcome(njit(function)) == outcome(function)
