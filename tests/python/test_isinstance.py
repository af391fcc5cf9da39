"""`isinstance` over the classes of NumPy, `numbers` and `collections.abc`."""
import collections.abc
import numbers

import numpy as np
import pytest

from rumba import njit

VALUES = {
    "int": 3, "float": 2.5, "complex": 1j, "bool": True, "str": "a", "None": None, "tuple": (1, 2), "list": [1, 2], "dict": {1: 2},
    "set": {1}, "bytes": b"a", "bytearray": bytearray(b"x"), "vector": np.arange(3), "matrix": np.ones((2, 2), np.float32),
    "int32": np.int32(3), "float32": np.float32(1), "uint8": np.uint8(3), "complex64": np.complex64(1j),
    "datetime": np.datetime64("2020-01-01"), "timedelta": np.timedelta64(3, "s"),
}
# In compiled code a number is Python's and NumPy's alike.
ALIKE = {"int": np.int64(3), "float": np.float64(2.5), "complex": np.complex128(1j), "bool": np.True_}
CLASSES = [
    np.ndarray, np.integer, np.signedinteger, np.unsignedinteger, np.floating, np.complexfloating, np.inexact, np.number, np.generic,
    numbers.Number, numbers.Complex, numbers.Real, numbers.Rational, numbers.Integral, type(None), bytearray, memoryview,
    collections.abc.Sequence, collections.abc.MutableSequence, collections.abc.Mapping, collections.abc.MutableMapping,
    collections.abc.Set, collections.abc.MutableSet, collections.abc.Sized, collections.abc.Iterable, collections.abc.Container,
    collections.abc.Collection, collections.abc.Hashable,
]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: f"{cls.__module__}.{cls.__name__}")
def test_classes(cls):
    @njit
    def asked(value):
        return isinstance(value, cls)

    for name, value in VALUES.items():
        wanted = isinstance(value, cls) or name in ALIKE and isinstance(ALIKE[name], cls)
        assert asked(value) is wanted, name


def test_constant_bytes_and_the_text_of_arrays():
    constant = b"abc"

    def asked(names, codes):
        kinds = isinstance(b"x", bytes), isinstance(constant, bytes), isinstance(b"x", str), isinstance("x", bytes)
        return kinds, isinstance(names[0], str), isinstance(codes[0], bytes), isinstance(names[0], collections.abc.Sequence)

    args = np.array(["ab", "c"]), np.array([b"ab", b"c"])
    assert njit(asked)(*args) == asked(*args)


def test_branches_are_decided():
    @njit
    def total(value):
        if isinstance(value, (list, np.ndarray)):
            return sum(value)
        if isinstance(value, collections.abc.Mapping):
            return len(value)
        return value

    assert total([1, 2]) == 3 and total(np.arange(4.0)) == 6.0 and total({1: 2}) == 1 and total(2.5) == 2.5


def test_what_may_be_none():
    @njit
    def asked(there):
        value = 3 if there else None
        kind = isinstance(value, type(None)), isinstance(value, (int, type(None))), isinstance(value, np.ndarray)
        return kind, isinstance(value, numbers.Integral)

    nothing = type(None)
    for there in (True, False):
        value = 3 if there else None
        assert asked(there) == ((isinstance(value, nothing), True, False), isinstance(value, numbers.Integral))
