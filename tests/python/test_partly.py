"""Reductions with `initial` and `where`, against NumPy: values, types, exceptions."""
import numpy as np
import pytest
from array_cases import compare

from rumba import TypingError, njit

_RANDOM = np.random.default_rng(0)
A = _RANDOM.integers(-40, 40, (4, 5)) / 4
M = _RANDOM.random((4, 5)) > 0.4
I = _RANDOM.integers(-9, 9, (4, 5))

WHOLE = {
    "sum": lambda a, m: (np.sum(a, initial=3), np.sum(a, where=m), a.sum(where=m, initial=2)),
    "prod": lambda a, m: (np.prod(a, initial=2), np.prod(a, where=m), a.prod(where=m, initial=2)),
    "min": lambda a, m: (np.min(a, initial=1), np.amin(a, where=m, initial=9), a.min(initial=0)),
    "max": lambda a, m: (np.max(a, initial=1), np.amax(a, where=m, initial=0), a.max(initial=0)),
}
ALONG = {
    "sum": lambda a, m: (np.sum(a, axis=0, initial=3), np.sum(a, 1, where=m), a.sum(1, keepdims=True, where=m, initial=2)),
    "prod": lambda a, m: (np.prod(a, axis=0, initial=3), np.prod(a, 1, where=m), a.prod(1, keepdims=True, where=m)),
    "min": lambda a, m: (np.min(a, axis=0, initial=3), np.min(a, 1, where=m, initial=2), a.min(1, keepdims=True, initial=0)),
    "max": lambda a, m: (np.max(a, axis=0, initial=3), np.max(a, 1, where=m, initial=2), a.max(1, keepdims=True, initial=0)),
}


# A third of the dtypes for each, in turns.
@pytest.mark.parametrize("name, dtype", [
    (name, dtype) for at, name in enumerate(WHOLE) for dtype in ["?", "i1", "u2", "i8", "f8", "f4"][at % 3::3]])
def test_dtypes(name, dtype):
    for function in (WHOLE[name], ALONG[name]):
        compare(function, abs(I).astype(dtype), M)
        compare(function, np.asfortranarray(abs(I).astype(dtype)), M[:1])


@pytest.mark.parametrize("name", WHOLE)
def test_layouts_and_nothing(name):
    empty = np.ones((3, 0))
    for function in (WHOLE[name], ALONG[name]):
        compare(function, A[::2, ::-1], M[::2])
        compare(function, empty, empty > 0)
        compare(function, empty.T, empty.T > 0)


def test_nan_and_other_arguments():
    compare(lambda a: (np.max(a, initial=9.0), np.min(a, initial=9.0)), np.array([1.0, np.nan]))
    compare(lambda a, m: np.sum(a, where=m), np.array([1.0, np.nan]), np.array([True, False]))
    compare(lambda a: np.sum(a, axis=(0, 1), initial=1.0), A)
    compare(lambda a: (np.sum(a, dtype=np.float32, initial=1.0), np.sum(a, where=True), np.max(a, initial=None)), A)
    compare(lambda a, out: np.sum(a, 0, None, out, initial=2.0), A, np.empty(5))
    compare(lambda a, out: np.max(a, 0, out, where=True, initial=2.0), A, np.empty(5))
    compare(lambda a: np.sum(a, initial=0.5), I)


@pytest.mark.parametrize("function,args,text", [
    (lambda a, m: np.max(a, where=m), (A, M), "reduction operation 'maximum' does not have an identity, so to use a where mask"),
    (lambda a, m: a.min(0, where=m), (A, M), "reduction operation 'minimum' does not have an identity, so to use a where mask"),
    (lambda a, m: np.sum(a, where=m), (A, I), r"Cannot cast array data from dtype\('int64'\) to dtype\('bool'\)"),
    (lambda a, m: np.sum(a, where=m), (A[0], M), "input operand has more dimensions than allowed by the axis remapping"),
])
def test_refusals(function, args, text):
    with pytest.raises(TypingError, match=text):
        njit(function)(*args)
