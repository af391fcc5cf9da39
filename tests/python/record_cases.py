"""Records for tests, and what compares compiled code with plain Python."""
import numpy as np

from rumba import njit

PACKED = np.dtype([("a", "i4"), ("b", "f8"), ("c", "?"), ("z", "c8")])
ALIGNED = np.dtype([("a", "i4"), ("b", "f8"), ("c", "?"), ("z", "c8")], align=True)
INNER = np.dtype([("x", "i2"), ("y", "f4")])
NESTED = np.dtype([("id", "u1"), ("p", INNER), ("q", INNER, 2), ("m", "f8", (2, 3)), ("big", "u8", 20)])
ANY = [PACKED, ALIGNED]


def filled(dtype, *shape):
    """An array of records with other values in every byte, but for truth values."""
    array = np.zeros(shape, dtype)
    count = iter(range(1, 1 << 20))

    def fill(values):
        if values.dtype.names:
            for name in values.dtype.names:
                fill(values[name])
        else:
            for at in np.ndindex(values.shape):
                values[at] = next(count) % (2 if values.dtype == bool else 100)

    fill(array)
    return array


def same(got, expected):
    """Both are equal, and of the same dtype where NumPy's."""
    if isinstance(expected, tuple):
        assert type(got) is tuple and len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other)
    elif isinstance(expected, (np.ndarray, np.void)):
        assert isinstance(got, (np.ndarray, np.void))
        assert (got.dtype, got.shape) == (expected.dtype, expected.shape)
        assert repr(got.tolist()) == repr(expected.tolist())
    else:
        assert got == expected or got != got and expected != expected


def check(function, *args):
    """The compiled function gives what Python does, and changes its arguments alike."""
    def copies():
        return [arg.copy(order="A") if isinstance(arg, np.ndarray) else arg.copy() if isinstance(arg, np.void) else arg
                for arg in args]

    for_python, for_compiled = copies(), copies()
    expected, got = function(*for_python), njit(function)(*for_compiled)
    same(got, expected)
    for one, other in zip(for_compiled, for_python):
        same(one, other)
