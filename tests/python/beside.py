"""Compiled functions beside CPython's over containers: what they give or raise, and what the caller's own hold afterwards."""
import collections.abc
import copy


def outcome(function, args, shown=repr):
    """What a call gives, as it is shown, or raises."""
    try:
        return shown(function(*args))
    except Exception as error:
        return type(error), error.args


def compare(compiled, *args, shown=repr):
    """A compiled function and its own text do the same, to copies of the arguments, too."""
    mine, theirs = copy.deepcopy(args), copy.deepcopy(args)
    expected = outcome(compiled.py_func, theirs, shown)
    assert outcome(compiled, mine, shown) == expected
    assert repr(mine) == repr(theirs)


def plain(value):
    """A result with Python's own dicts and sets in the place of typed ones, however deep."""
    if isinstance(value, collections.abc.Mapping):
        return {plain(key): plain(item) for key, item in value.items()}
    if isinstance(value, collections.abc.Set):
        return {plain(item) for item in value}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return tuple(plain(item) for item in value) if type(value) is tuple else value
