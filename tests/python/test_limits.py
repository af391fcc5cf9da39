"""`iinfo`, `finfo`, `arange` with a dtype, what `range` refuses."""
import numpy as np
import pytest
from rumba import errors, njit

INTEGERS = [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64, np.intp]


@pytest.mark.parametrize("kind", INTEGERS)
def test_iinfo(kind):
    found = njit(lambda: (np.iinfo(kind).min, np.iinfo(kind).max, np.iinfo(kind).bits))()
    assert found == (np.iinfo(kind).min, np.iinfo(kind).max, np.iinfo(kind).bits)
    assert njit(lambda a: np.iinfo(a.dtype).max)(np.zeros(1, kind)) == np.iinfo(kind).max


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.complex64, np.complex128])
def test_finfo(kind):
    found = njit(lambda: (np.finfo(kind).eps, np.finfo(kind).max, np.finfo(kind).tiny, np.finfo(kind).nmant))()
    info = np.finfo(kind)
    assert found == (info.eps, info.max, info.tiny, info.nmant)


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint16, np.float32, np.float64, np.complex128])
def test_arange_with_a_dtype(kind):
    for f in (lambda a, b, c: np.arange(a, b, c, dtype=kind), lambda a, b, c: np.arange(a, b, dtype=kind),
              lambda a, b, c: np.arange(b, dtype=kind), lambda a, b, c: np.arange(a, b, c, kind)):
        for values in (1, 7, 2), (0, 5, 1), (3, 3, 1), (2, 1, 1), (1, 11, 3):
            found, expected = njit(f)(*values), f(*values)
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
    found = njit(lambda a, b, c: np.arange(a, b, c, dtype=np.float64))(0.1, 2.0, 0.3)
    np.testing.assert_array_equal(found, np.arange(0.1, 2.0, 0.3, dtype=np.float64))
    with pytest.raises(ZeroDivisionError):
        njit(lambda: np.arange(1, 2, 0, dtype=np.float64))()


def test_range_refuses_what_is_no_integer():
    """Floats that are no whole numbers when it runs, other types when it compiles."""
    uses = (lambda *a: sum(range(*a)), lambda *a: [i for i in range(*a)], lambda *a: len(range(*a)))
    for arguments, error in (((2.7,), TypeError), ((0, 2.7), TypeError), ((0, 10, 2.5), TypeError), ((np.float32(2.5),), TypeError),
                             ((2 + 0j,), errors.TypingError), ((None,), errors.TypingError), (("a",), errors.TypingError)):
        with pytest.raises(TypeError) as raised:
            range(*arguments)
        message = str(raised.value).replace("numpy.float32", "float")
        for f in uses:
            with pytest.raises(error) as refused:
                njit(f)(*arguments)
            assert message in str(refused.value)
    for f in uses:
        assert njit(f)(0, 10, 2.0) == f(0, 10, 2)
    assert njit(lambda b: list(range(b)))(True) == [0]
