"""`typeof` of Python values, fingerprints of values, and what cannot be typed."""
import array
import ctypes
import enum
import mmap
from collections import namedtuple

import numpy as np
import pytest

from rumba import errors, njit, types, typeof
from rumba.dispatch.fingerprints import OmittedArg, compute_fingerprint

Point = namedtuple("Point", "x y")


class Color(enum.Enum):
    red = 1
    green = 2


class Mixed(enum.Enum):
    one = 1.0
    two = 2j


class Empty(enum.Enum):
    pass


class TestTypeof:
    def test_values_have_the_types_that_calls_see(self):
        @njit
        def f(x):
            return 0

        record = np.dtype([("a", np.float64), ("b", np.int32)])
        values = (
            1, 2**63, True, 1.5, 2j, "a", None, b"x", bytearray(2), memoryview(b"x"), array.array("i", [1]), (1, 2.0), (), [1.5],
            {1, 2}, Point(1, 2.5), np.float32(1), np.datetime64(1, "s"), np.zeros(3), np.zeros((2, 3)).T, np.zeros(4)[::2],
            np.zeros(2, record), np.zeros(2, record)[0], np.random.default_rng(1), slice(1, 2), slice(1, 2, 3))
        for value in values:
            f(value)
            assert f.signatures[-1] == (typeof(value),), value

    def test_generators_of_random_numbers(self):
        generator = np.random.default_rng(1)
        assert typeof(generator) is types.npy_rng
        assert typeof(generator.bit_generator) is types.npy_bitgen

    def test_functions_of_ctypes(self):
        libm = ctypes.CDLL("libm.so.6")
        sine, cosine = libm.sin, libm.cos
        for function in (sine, cosine):
            function.argtypes, function.restype = [ctypes.c_double], ctypes.c_double
        ty = typeof(sine)
        assert isinstance(ty, types.ExternalFunctionPointer) and ty is types.FunctionType(types.float64(types.float64))
        assert ty.sig == types.float64(types.float64) and ty == typeof(cosine)
        assert ty.get_pointer(sine) == ctypes.cast(sine, ctypes.c_void_p).value != ty.get_pointer(cosine)

        @njit
        def call(f, x):
            return f(x)

        assert call(sine, 0.5) == np.sin(0.5)

    @pytest.mark.parametrize(("value", "error", "message"), [
        (Mixed, ValueError, "Cannot type heterogeneous enum: got value types complex128, float64"),
        (Mixed.one, ValueError, "Cannot type heterogeneous enum: got value types complex128, float64"),
        (Empty, ValueError, "it has no members"),
        ([object()], ValueError, "Cannot type list element type <class 'object'>"),
        (frozenset((1,)), ValueError, "Cannot determine Numba type of <class 'frozenset'>"),
        ([], ValueError, "empty list"),
        (np.zeros(2, ">f8"), errors.NumbaValueError, "Unsupported array dtype: >f8"),
        (np.zeros(2, object), errors.NumbaValueError, "Unsupported array dtype: object"),
        (np.ma.MaskedArray([1]), errors.NumbaTypeError, "Unsupported array type: numpy.ma.MaskedArray"),
    ])
    def test_what_has_no_type(self, value, error, message):
        with pytest.raises(error) as raised:
            typeof(value)
        assert message in str(raised.value)

    def test_structured_dtypes(self):
        from rumba.types.typeof import from_struct_dtype

        dtype = np.dtype([("m", np.int32), ("n", "S5")])
        assert typeof(np.empty(4, dtype)).dtype == typeof(np.recarray(4, dtype)).dtype == from_struct_dtype(dtype)
        assert typeof(dtype) == types.DType(from_struct_dtype(dtype))
        with pytest.raises(errors.NumbaNotImplementedError, match="Python objects"):
            from_struct_dtype(np.dtype([("o", object)]))


class TestFingerprint:
    SAME = (
        (1, -1, 2**62), (1.0, float("nan"), np.float64(0).item()), (True, False), (1j, 0j), ("a", "bcd"), (None,),
        (np.float32(1), np.float32(2)), ((1, 2), (3, 4)), ([1], [2, 3]), ({1}, {2, 3}), (b"", b"xx"),
        (np.zeros(4), np.zeros(4)[:1]), (OmittedArg(0.0), OmittedArg(1.5)), (Point(1, 2), Point(3, 4)),
        (memoryview(bytearray(2)), memoryview(np.zeros(2, np.uint8)), memoryview(array.array("B", [1]))),
    )

    def test_values_of_one_type_share_one(self):
        for values in self.SAME:
            assert len({compute_fingerprint(value) for value in values}) == 1, values

    def test_values_of_different_types_do_not(self):
        aligned = np.dtype([("e", np.int8), ("f", np.float64)], align=True)
        more = (
            2**63, np.zeros(4)[::2], np.zeros((2, 2)), np.zeros((2, 2)).T, np.zeros(4, np.int8), np.zeros(()), (1,), (), (1, (2,)),
            ((1,), 2), [1.0], [(1,)], {1.0}, OmittedArg(1), bytearray(1), memoryview(b""), np.dtype("i8"), np.dtype("i4"),
            np.datetime64(1, "s"), np.datetime64(1, "Y"), np.timedelta64(1, "s"), mmap.mmap(-1, 4096), np.empty(1, aligned),
            np.empty(1, np.dtype([("e", np.int8), ("f", np.float64)])), slice(1, 2), slice(1, 2, 3))
        found = [compute_fingerprint(value) for value in (*(values[0] for values in self.SAME), *more)]
        assert len(set(found)) == len(found)

    def test_any_depth(self):
        value = None
        for _ in range(5000):
            value = (value,)
        assert compute_fingerprint(value) == b"(" * 5000 + b"n" + b")" * 5000

    def test_names_of_fields(self):
        assert compute_fingerprint(Point(1, (2.5,))) == b"Point(xiy(d))"

    @pytest.mark.parametrize(("value", "error"), [
        ([], ValueError), (set(), ValueError), (([],), ValueError), (Color.red, NotImplementedError),
        (frozenset((1,)), NotImplementedError), (object(), NotImplementedError)])
    def test_what_has_none(self, value, error):
        with pytest.raises(error, match="fingerprint"):
            compute_fingerprint(value)
