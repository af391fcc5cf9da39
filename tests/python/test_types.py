"""Types in Python: identity, names, signatures, typeof, rules of conversion."""
import collections
import copy
import pickle

import numpy as np
import pytest
from rumba import njit, typeof, types
from rumba.errors import LiteralTypingError, SignatureError, TypingError
from rumba.types import Conversion, normalize_signature

Point = collections.namedtuple("Point", "x y")
i4, i8, f8 = types.int32, types.int64, types.float64


def test_importing_types_loads_no_numpy(fresh_process):
    source = "import sys, rumba.types; print('numpy' in sys.modules, 'rumba._rumba' in sys.modules)"
    assert fresh_process(source).split() == ["False", "False"]


def test_equal_types_are_one_object():
    assert types.Tuple((i4, i4)) is types.UniTuple(i4, 2)
    assert types.Integer("int32") is types.i4 is types.intc
    assert types.Array(f8, 2, "C") is f8[:, ::1]
    assert types.Optional(i8) is types.Optional(i8) is not types.Optional(i4)
    assert types.intp is types.int_ is types.int64 and types.void is types.none


@pytest.mark.parametrize("ty", [
    i4, f8, types.none, types.Optional(i8), types.Tuple((i4, f8)), types.literal(3), types.literal("a"),
    f8[:, ::1], types.unicode_type, types.RangeType(i8), types.NamedTuple((i4, f8), Point), types.Omitted(3)])
def test_copies_and_pickles_are_the_same_object(ty):
    assert pickle.loads(pickle.dumps(ty)) is ty
    assert copy.copy(ty) is ty and copy.deepcopy(ty) is ty
    assert {ty: 1}[ty] == 1


@pytest.mark.parametrize("ty, text, shown", [
    (types.boolean, "bool", "bool"),
    (types.void, "none", "none"),
    (types.UniTuple(i8, 3), "UniTuple(int64 x 3)", "UniTuple(int64, 3)"),
    (types.Tuple((i4, f8)), "Tuple(int32, float64)", "Tuple((int32, float64))"),
    (types.Tuple(()), "Tuple()", "Tuple(())"),
    (types.Optional(i4), "OptionalType(int32)", "OptionalType(int32)"),
    (types.literal(3), "Literal[int](3)", "Literal[int](3)"),
    (f8[:], "array(float64, 1d, A)", "Array(float64, 1, 'A', False, aligned=True)"),
    (f8[::1, :], "array(float64, 2d, F)", "Array(float64, 2, 'F', False, aligned=True)"),
    (f8[::1, ::1], "array(float64, 2d, F)", "Array(float64, 2, 'F', False, aligned=True)"),
    (types.Array(f8, 1, "C", readonly=True), "readonly array(float64, 1d, C)",
     "Array(float64, 1, 'C', True, aligned=True)"),
    (types.List(i4, reflected=True), "reflected list(int32)<iv=None>", "List(int32, True)"),
    (types.NamedUniTuple(i4, 2, Point), "Point(int32 x 2)", "Point(int32 x 2)"),
    (types.CPointer(f8), "float64*", "float64*"),
    (types.voidptr, "void*", "void*"),
    (types.Omitted(3), "omitted(default=3)", "omitted(default=3)"),
    (types.slice3_type, "slice<a:b:c>", "slice<a:b:c>"),
    (types.NumberClass(i4), "class(int32)", "class(int32)"),
    (types.range_state64_type.iterator_type, "range_iter_int64", "range_iter_int64"),
    (types.FunctionType(f8(i4)), "FunctionType[float64(int32)]", "FunctionType[float64(int32)]"),
])
def test_printed_forms(ty, text, shown):
    assert (str(ty), ty.name, repr(ty)) == (text, text, shown)


def test_numbers_tell_their_range():
    assert (types.int8.minval, types.int8.maxval, types.uint8.minval, types.uint8.maxval) == (-128, 127, 0, 255)
    assert types.uint64.maxval == 2**64 - 1 and types.uint64.bitwidth == 64 and not types.uint64.signed
    assert types.int8 < types.int16 and types.float32 < types.float64
    assert types.int8 <= types.int8 and types.int16 > types.int8 and types.float64 >= types.float32
    assert types.complex64.underlying_float is types.float32
    assert types.int32(7.9) == 7 and type(types.int32(7.9)) is np.int32


def test_tuples_are_sequences_of_types():
    pair = types.Tuple((i4, f8))
    assert list(pair) == [i4, f8] == [pair[0], pair[1]] and len(pair) == pair.count == 2
    assert types.UniTuple(i4, 3).types == (i4,) * 3 and types.UniTuple(i4, 3).dtype is i4
    with pytest.raises(TypingError, match="not iterable"):
        types.Tuple(i4)
    with pytest.raises(TypeError, match="made of types"):
        types.Tuple((3,))


def test_types_have_slices_and_no_items():
    for wrong in (lambda: i4[0], lambda: i4[:, 4], lambda: list(i4)):
        with pytest.raises(KeyError, match="slices with no start or stop"):
            wrong()
    lists = types.List(f8)
    assert lists[0] is f8 and lists[:].dtype is lists


def test_types_of_objects_that_are_gone():
    class Thing:
        pass

    thing = Thing()
    first, second = types.Dispatcher(thing), types.Dispatcher(thing)
    assert first == second and len({first, second}) == 1
    del thing
    assert first != second and first != first
    with pytest.raises(ReferenceError):
        first.dispatcher


def test_function_values_with_conventions_are_other_types():
    signature = i4(i4)
    plain = types.FunctionType(signature)
    assert types.ExternalFunctionPointer(sig=signature, get_pointer=None) is plain
    assert plain != types.ExternalFunctionPointer(sig=signature, get_pointer=None, cconv="stdcall")
    place = types.ExternalFunctionPointer(sig=signature, get_pointer=lambda value: 7)
    assert place != plain and place.get_pointer(None) == 7


def test_templates_of_one_function():
    class First:
        key = "first"

    class Second:
        key = "second"

    with pytest.raises(ValueError, match="incompatible templates: they are for first, second"):
        types.Function((First, Second))


def test_containers_without_an_item_type_become_what_others_are():
    from rumba.types.convert import unify

    assert unify(types.List(types.undefined), types.List(i4)) is types.List(i4)


def test_literals():
    assert types.literal(3).literal_value == 3 and types.unliteral(types.literal(3)) is i8
    assert types.literal(True) is not types.literal(1)
    assert types.unliteral(types.Tuple((types.literal(1), f8))) is types.Tuple((i8, f8))
    assert types.maybe_literal(1.5) is None
    with pytest.raises(LiteralTypingError):
        types.literal(1.5)


def test_signatures():
    signature = f8(i4, f8)
    assert str(signature) == repr(signature) == "(int32, float64) -> float64"
    assert signature == f8(i4, f8) and hash(signature) == hash(f8(i4, f8)) and signature != f8(f8, f8)
    assert signature in [f8(i4, f8)] and {signature: 1}[f8(i4, f8)] == 1
    assert signature.args == (i4, f8) and signature.return_type is f8 and signature.recvr is None
    assert pickle.loads(pickle.dumps(signature)) == signature
    assert signature.replace(return_type=i4).return_type is i4
    method = types.signature(f8, i4, recvr=i8)
    assert method.is_method and method.as_function().args == (i8, i4) and method != f8(i4)


@pytest.mark.parametrize("written, args, result", [
    ("f8(i4, f8)", (i4, f8), f8),
    ("void()", (), types.none),
    ("(i4,)", (i4,), None),
    ("i4, f8", (i4, f8), None),
    ("()", (), None),
    ("f8[:](i4[:, ::1])", (i4[:, ::1],), f8[:]),
    ("Tuple((i4, f8))(i4)", (i4,), types.Tuple((i4, f8))),
    ((i4, f8), (i4, f8), None),
    (f8(i4), (i4,), f8),
])
def test_written_signatures(written, args, result):
    assert normalize_signature(written) == (args, result)


@pytest.mark.parametrize("written, error, match", [
    ("foo(i4)", SignatureError, "foo"),
    ("f8(", SignatureError, "never closed"),
    ("f8", TypeError, "evaluates to 'Float' instead of tuple or Signature"),
    (5, TypeError, "evaluates to 'int'"),
    ((i4, 3), TypeError, "expected a type instance, got 3"),
    ("__import__('os')", SignatureError, "__import__"),
])
def test_signatures_that_are_none(written, error, match):
    with pytest.raises(error, match=match):
        normalize_signature(written)


@pytest.mark.parametrize("value, name", [
    (1, "int64"), (2**63, "uint64"), (True, "bool"), (1.5, "float64"), (1j, "complex128"), (None, "none"),
    ((), "Tuple()"), ((1, 2), "UniTuple(int64 x 2)"), ((1, (2.0, None)), "Tuple(int64, Tuple(float64, none))"),
    (Point(1, 2), "Point(int64 x 2)"), (Point(1, 2.0), "Point(int64, float64)"), ("a", "unicode_type"),
    (np.int8(1), "int8"), (np.float32(1), "float32"), (np.bool_(True), "bool"), (np.complex64(1), "complex64"),
    (np.zeros((2, 3), np.float32), "array(float32, 2d, C)"), (np.zeros(4)[::2], "array(float64, 1d, A)"),
    (np.zeros((2, 3), order="F"), "array(float64, 2d, F)"), (slice(1), "slice<a:b>"), ([1], "reflected list(int64)<iv=None>"),
    (np.int32, "class(int32)"), (np.dtype("f4"), "dtype(float32)"), (ValueError, "ValueError"),
    (np.datetime64("2020-01-01"), "datetime64[D]"),
])
def test_typeof(value, name):
    assert str(typeof(value)) == name


@pytest.mark.parametrize("value", [2**64, -2**63 - 1, [], set(), {1: 2}, object(), len])
def test_typeof_of_other_values(value):
    with pytest.raises(ValueError):
        typeof(value)


def test_typeof_agrees_with_the_dispatcher():
    @njit
    def same(x):
        return x

    for value in (1, 2**63, 1.5, 1j, True, None, (1, 2.0), Point(1, 2), np.float32(1), np.int16(2)):
        same(value)
        assert same.signatures[-1] == (typeof(value),)


def test_conversions_and_unification_are_the_compiler_s():
    assert i4.can_convert_to(None, i8) == Conversion.promote
    assert i8.can_convert_to(None, f8) == Conversion.safe
    assert f8.can_convert_to(None, i8) == Conversion.unsafe
    assert f8.can_convert_to(None, f8) == Conversion.exact
    assert types.complex128.can_convert_to(None, f8) is None
    assert i4.unify(None, types.float32) is f8
    assert types.none.unify(None, i8) is types.Optional(i8)
    assert types.Tuple((i4, f8)).unify(None, types.Tuple((i8, f8))) is types.Tuple((i8, f8))
    assert i8.unify(None, types.unicode_type) is None


def test_dtypes():
    for dtype in ("b1", "i1", "u8", "f4", "c16", "M8[s]", "S3", "U2"):
        dtype = np.dtype("?" if dtype == "b1" else dtype)
        assert types.as_dtype(types.from_dtype(dtype)) == dtype


def test_what_numbers_have_together_does_not_depend_on_their_order():
    from itertools import combinations, permutations

    from rumba.numba.core.typing import Context

    unify = Context().unify_types
    for numbers in combinations((i4, i8, f8, types.uint16, types.int8, types.float32, types.complex64), 3):
        assert len({unify(*order) for order in permutations(numbers)}) == 1, numbers
