"""Methods of built-in classes that are passed on as functions: `sorted(names, key=str.lower)`."""
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import njit
from support import check


def keys(names):
    return sorted(names, key=str.lower), max(names, key=str.lower), min(names, key=len)


def maps(names):
    return list(map(str.upper, names)), list(filter(str.isdigit, names)), sum(map(int.bit_length, [1, 255]))


def variables(names):
    function = str.upper
    return function("a"), [one(names[0]) for one in (function, str.lower)]


def calls(names):
    return str.upper("a"), str.join(",", ["a", "b"]), list.index([1, 2], 2)


def copies(names):
    rows = [[1], [2, 3]]
    more = list(map(list.copy, rows))
    more[0].append(5)
    return rows, more


@pytest.mark.parametrize("function", [keys, maps, variables, calls, copies])
def test_methods_as_functions(function):
    check(function, ["b", "A", "c", "12"])


def test_methods_as_functions_are_kept_in_caches(tmp_path, monkeypatch):
    monkeypatch.setenv("RUMBA_CACHE_DIR", str(tmp_path))
    for _ in range(2):
        assert njit(cache=True)(keys)(["b", "A"]) == (["A", "b"], "b", "b")
