"""What libraries that reach into Numba's frontend import from its modules, and what it does."""
import ctypes
import itertools
import operator
import random

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  for each test here
from rumba import cfunc, errors, njit, typeof, types
from rumba.extending.datamodel import DataModelManager, OpaqueModel, default_manager
from rumba.extending import intrinsic
from rumba.numba.core import cgutils
from rumba.numba.core.base import BaseContext, OverloadSelector
from rumba.numba.core.datamodel import ArgPacker, DataPacker, registry
from rumba.numba.core.datamodel.testing import test_factory as checks_of_model
from rumba.numba.core.registry import cpu_target
from rumba.numba.core.typeconv import Conversion, castgraph, rules
from rumba.numba.core.typeconv.typeconv import TypeManager
from rumba.numba.core.typing.npydecl import parse_dtype
from rumba.numba.cpython import charseq, listobj, unicode
from rumba.numba.experimental.function_type import _get_wrapper_address
from rumba.numba.extending import NativeValue, make_attribute_wrapper, models, register_model, typeof_impl, unbox
from rumba.numba.np.arraymath import get_isnan
from rumba.numba.np.linalg import ensure_blas, ensure_lapack, get_blas_kind


class Cell:
    def __init__(self, n):
        self.n = n


class CellType(types.Type):
    def __init__(self):
        super().__init__("Cell")


@typeof_impl.register(Cell)
def type_of_cell(value, context):
    return CellType()


@register_model(CellType)
class CellModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("n", types.int64), ("flag", types.boolean)])


make_attribute_wrapper(CellType, "n", "n")


@unbox(CellType)
def take_in(typ, obj, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    part = c.pyapi.object_getattr_string(obj, "n")
    made.n = c.unbox(types.int64, part).value
    c.pyapi.decref(part)
    return NativeValue(made._getvalue(), is_error=c.pyapi.c_api_error())


def test_getattr_with_a_constant_name():
    name = "n"
    assert njit(lambda cell: getattr(cell, "n"))(Cell(3)) == 3
    assert njit(lambda cell: getattr(cell, name, 5))(Cell(3)) == 3
    assert njit(lambda cell: getattr(cell, "other", 5))(Cell(3)) == 5
    with pytest.raises(errors.TypingError):
        njit(lambda cell: getattr(cell, "other"))(Cell(3))


def test_external_functions_by_their_symbols():
    absolute = types.ExternalFunction("labs", types.int64(types.int64))
    assert njit(lambda x: absolute(x) + 1)(-4) == 5
    seconds = types.ExternalFunction("difftime", types.float64(types.int64, types.int64))
    assert njit(lambda a, b: seconds(a, b))(7, 4) == 3.0
    with pytest.raises(errors.TypingError):
        njit(lambda x: absolute(x, x))(1)


def test_the_address_of_a_compiled_function():
    signature = types.int64(types.int64)
    increment = njit(lambda x: x + 1)
    address = _get_wrapper_address(increment, signature)
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)(4) == 5


def test_a_dict_of_objects():
    @intrinsic
    def pack(typingctx):
        def codegen(context, builder, sig, args):
            api = context.get_python_api(builder)
            state = api.gil_ensure()
            one = api.long_from_longlong(context.get_constant(types.int64, 7))
            made = api.dict_pack([("a", one), ("b", one)])
            size = api.dict_getitem_string(made, "b")
            value = api.long_as_longlong(size)
            api.decref(one)
            api.decref(made)
            api.gil_release(state)
            return value

        return types.int64(), codegen

    assert njit(lambda: pack())() == 7


def test_what_code_generators_do_with_objects_of_python():
    """Each piece of code takes two objects and gives one; Python says what it should be."""
    def of(write):
        @intrinsic
        def run(typingctx, a, b):
            def codegen(context, builder, sig, args):
                api = context.get_python_api(builder)
                state = api.gil_ensure()
                one, other = (api.from_native_value(ty, arg) for ty, arg in zip(sig.args, args))
                made = write(api, one, other)
                value = api.to_native_value(types.int64, made).value
                for held in (one, other, made):
                    api.decref(held)
                api.gil_release(state)
                return value

            return types.int64(a, b), codegen

        return njit(lambda a, b: run(a, b))

    for name, function in (("add", operator.add), ("subtract", operator.sub), ("multiply", operator.mul),
                            ("floordivide", operator.floordiv), ("remainder", operator.mod), ("lshift", operator.lshift),
                            ("xor", operator.xor), ("power", operator.pow)):
        assert of(lambda api, a, b: getattr(api, f"number_{name}")(a, b))(7, 3) == function(7, 3), name
        assert of(lambda api, a, b: getattr(api, f"number_{name}")(a, b, inplace=True))(7, 3) == function(7, 3), name
    for sign, compared in (("<", False), (">=", True), ("!=", True), ("is", False), ("is not", True)):
        assert of(lambda api, a, b: api.object_richcompare(a, b, sign))(7, 3) == compared, sign

    def contained(api, a, b):
        made = api.list_pack([a, a])
        found = api.object_richcompare(b, made, "not in")
        api.decref(made)
        return found

    assert (of(contained)(7, 3), of(contained)(3, 3)) == (1, 0)

    def size_of_set(api, a, b):
        made = api.set_new()
        for item in (a, b, a):
            api.set_add(made, item)
        size = api.set_size(made)
        api.decref(made)
        return api.long_from_ssize_t(size)

    assert (of(size_of_set)(7, 3), of(size_of_set)(3, 3)) == (2, 1)

    def call_without_arguments(api, a, b):
        kind = api.unserialize(api.serialize_object(int))
        made = api.call(kind, None, None)
        api.decref(kind)
        return made

    assert of(call_without_arguments)(7, 3) == 0


def test_function_types_have_a_model_and_calls():
    ty = types.FunctionType(types.int64(types.int64))
    model = default_manager[ty]
    assert [model._fields[model.get_field_position(name)] for name in ("c_addr", "py_addr", "jit_addr")] == [
        "c_addr", "py_addr", "jit_addr"]
    context = cpu_target.typing_context
    assert ty.get_call_type(context, (types.int32,), {}) == types.int64(types.int64)
    assert ty.get_call_type(context, (types.unicode_type,), {}) is None and ty.get_call_type(context, (), {}) is None

    @intrinsic
    def address_for_c(typingctx, function):
        def codegen(context, builder, sig, args):
            held = context.make_helper(builder, sig.args[0], args[0])
            return builder.ptrtoint(held.c_addr, context.get_value_type(types.intp))

        return types.intp(function), codegen

    increment = cfunc("int64(int64)")(lambda x: x + 1)
    assert njit(lambda function: address_for_c(function))(increment) == increment.address


def test_overloads_by_selectors():
    selector = OverloadSelector()
    selector.append("any", (types.Any, types.Any))
    selector.append("number", (types.Number, types.Any))
    selector.append("exact", (types.int64, types.Integer))
    assert selector.find((types.unicode_type, types.int64)) == "any"
    assert selector.find((types.float64, types.int64)) == "number"
    assert selector.find((types.int64, types.int32)) == "exact"
    selector.append("other", (types.Any, types.Integer))
    with pytest.raises(errors.NumbaTypeError, match="2 ambiguous signatures"):
        selector.find((types.float64, types.int64))
    with pytest.raises(errors.NumbaNotImplementedError):
        selector.find((types.int64,))


def test_rules_of_conversion():
    graph, told = None, []
    graph = castgraph.TypeGraph(lambda *rule: told.append(rule))
    graph.promote(types.int32, types.int64)
    graph.safe(types.int64, types.float64)
    assert told == [(types.int32, types.int64, Conversion.promote), (types.int64, types.float64, Conversion.safe),
                    (types.int32, types.float64, Conversion.safe)]
    manager = TypeManager()
    manager.set_promote(types.int32, types.int64)
    assert manager.select_overload((types.int32,), [(types.float64,), (types.int64,)], False, False) == 1
    with pytest.raises(TypeError):
        manager.select_overload((types.float64,), [(types.int64,)], True, False)
    known = rules.default_type_manager
    assert known.check_compatible(types.float16, types.float32) == Conversion.promote
    for one, other in itertools.product((types.int8, types.float64, types.boolean), repeat=2):
        assert known.check_compatible(one, other) == cpu_target.typing_context.can_convert(one, other)


class TestLayoutOfRecords(checks_of_model()):
    fe_type = types.Tuple([types.boolean, types.UniTuple(types.float64[:, ::1], 2)])


class TestLayoutOfAStruct(checks_of_model()):
    fe_type = CellType()


def test_models_and_packers():
    from llvmlite import ir

    assert registry.default_manager is default_manager
    assert default_manager[types.float64[:]].contains_nrt_meminfo() and not default_manager[types.int8].contains_nrt_meminfo()
    packer = ArgPacker(default_manager, [types.int32, types.Tuple([types.boolean, types.float64])])
    assert packer.argument_types == (ir.IntType(32), ir.IntType(8), ir.DoubleType())
    data = DataPacker(default_manager, [types.boolean, types.int64])
    assert data.get_data_type() == ir.LiteralStructType([ir.IntType(8), ir.IntType(64)])

    class Model(OpaqueModel):
        pass

    base, own = DataModelManager({types.Number: OpaqueModel}), DataModelManager()
    own.register(types.Integer, Model)
    assert type(own.chain(base)[types.int64]) is Model and type(own.chain(base)[types.float64]) is OpaqueModel
    with pytest.raises(KeyError):
        own.lookup(types.float64)


def test_functions_of_items_and_of_blas():
    is_nan, never = get_isnan(types.float64), get_isnan(types.int64)
    assert njit(lambda x: (is_nan(x), never(1)))(float("nan")) == (True, False)
    ensure_blas()
    ensure_lapack()
    assert [get_blas_kind(ty) for ty in (types.float32, types.float64, types.complex64, types.complex128)] == list("sdcz")
    with pytest.raises(TypeError, match="unsupported dtype for solve"):
        get_blas_kind(types.int64, "solve")


def test_modules_that_libraries_import():
    assert isinstance(cpu_target.target_context, BaseContext)
    for module in (charseq, listobj, unicode):
        with pytest.raises(AttributeError, match="not there"):
            module.nonsense


def test_code_points_of_strings():
    @njit
    def points(text):
        return [(unicode._get_code_point(text, i), unicode._codepoint_to_kind(ord(text[i]))) for i in range(len(text))]

    assert points("aé€😀") == [(97, 1), (233, 1), (0x20AC, 2), (0x1F600, 4)]
    with pytest.raises(ValueError, match="greater than Unicode maximum"):
        unicode._codepoint_to_kind(0x110000)


def test_data_of_constant_strings():
    data = unicode.compile_time_get_string_data
    assert data("ab") == (b"ab\0", 2, 1, 1, hash("ab")) and data("")[:4] == (b"\0", 0, 1, 1)
    assert data("\xe9")[:4] == (b"\xe9\0", 1, 1, 0) and data("\u20ac")[:4] == (b"\xac\x20\0\0", 1, 2, 0)
    assert data("\U0001f600")[:3] == ("\U0001f600".encode("utf-32-le") + bytes(4), 1, 4)


def test_strings_whose_characters_are_written():
    """As code does that decodes text: characters are counted, then written one by one."""
    @njit
    def decoded(points):
        widest = 0
        for point in points:
            widest = max(widest, point)
        text = unicode._empty_string(unicode._codepoint_to_kind(widest), len(points), 1 if widest < 128 else 0)
        for i in range(len(points)):
            unicode._set_code_point(text, i, points[i])
        return text

    @njit
    def doubled(points):
        text = decoded(points)
        return text + text, text == decoded(points), hash(text) == hash(decoded(points)), {text: 1}[text]

    numbers = random.Random("characters")
    for limit in (128, 256, 0xD800, 0x110000):
        for count in (1, 2, 9, 100):
            points = np.array([numbers.randrange(limit) for _ in range(count)])
            text = "".join(map(chr, points))
            assert decoded(points) == text
            assert doubled(points) == (text + text, True, True, 1)
    assert decoded(np.zeros(0, np.int64)) == ""


def test_strings_of_others_are_not_written():
    @njit
    def write(text, i):
        unicode._set_code_point(text, i, 65)

    @njit
    def write_own(length, i):
        unicode._set_code_point(unicode._empty_string(1, length), i, 65)

    @njit
    def write_constant():
        unicode._set_code_point("abc", 0, 65)

    @njit
    def write_character(text):
        unicode._set_code_point(text[1], 0, 65)

    given = "a long string of Python"
    for call in (lambda: write(given, 0), write_constant, lambda: write_character(given)):
        with pytest.raises(ValueError, match="_empty_string"):
            call()
    assert given == "a long string of Python"
    write_own(3, 2)
    for i in (3, -1):
        with pytest.raises(IndexError):
            write_own(3, i)
    for length in (-1, 1 << 60):
        with pytest.raises(MemoryError):
            write_own(length, 0)


def test_dtypes_as_arguments():
    assert parse_dtype(types.DType(types.int8)) == types.int8
    assert parse_dtype(typeof(np.float32)) == types.float32
    assert parse_dtype(types.literal("complex64")) == types.complex64
    assert parse_dtype(types.int64) is None


def test_bytes_that_a_code_generator_makes():
    assert charseq.bytes_type == typeof(b"")

    @intrinsic
    def copied(typingctx, data):
        def codegen(context, builder, sig, args):
            given = cgutils.create_struct_proxy(sig.args[0])(context, builder, value=args[0])
            made = cgutils.create_struct_proxy(sig.return_type)(context, builder)
            made.meminfo = context.nrt.meminfo_alloc(builder, given.nitems)
            made.nitems, made.itemsize = given.nitems, context.get_constant(types.intp, 1)
            made.data = context.nrt.meminfo_data(builder, made.meminfo)
            made.parent = cgutils.get_null_value(made.parent.type)
            made.shape, made.strides = given.shape, given.strides
            cgutils.memcpy(builder, made.data, given.data, given.nitems)
            return made._getvalue()

        return charseq.bytes_type(data), codegen

    for data in (b"", b"a", b"\xff\0b", bytes(range(256))):
        assert njit(lambda data: copied(data))(data) == data


class Labelled:
    """Values of extension types and constant names in tuples, as members."""

    def __init__(self, cells, names):
        self.cells, self.names = cells, names


class LabelledType(types.Type):
    def __init__(self):
        names = types.Tuple([types.literal("left"), types.literal("right")])
        self.members = [("cells", types.Tuple([CellType(), types.Tuple([CellType(), types.float64])])), ("names", names)]
        super().__init__("Labelled")


typeof_impl.register(Labelled)(lambda value, context: LabelledType())


@register_model(LabelledType)
class LabelledModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, fe_type.members)


make_attribute_wrapper(LabelledType, "cells", "cells")
make_attribute_wrapper(LabelledType, "names", "names")


@unbox(LabelledType)
def labelled_comes_in(typ, obj, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    parts = [c.pyapi.object_getattr_string(obj, name) for name, _ in typ.members]
    taken = [c.pyapi.to_native_value(ty, part) for (_, ty), part in zip(typ.members, parts)]
    for (name, _), part, native in zip(typ.members, parts, taken):
        setattr(made, name, native.value)
        c.pyapi.decref(part)
    return NativeValue(made._getvalue(), is_error=c.builder.or_(*(native.is_error for native in taken)))


def test_tuples_of_extension_values_and_constants_as_members():
    @njit
    def read(labelled):
        first, (second, factor) = labelled.cells
        return (first.n + second.n * factor, labelled.names[0] + labelled.names[1], len(labelled.names[1]))

    names = ("left", "right")
    assert read(Labelled((Cell(1), (Cell(2), 2.5)), names)) == (6.0, "leftright", 5)
    for cells, given in (((Cell(1), Cell(2)), names), ((Cell(1), (Cell(2), "text")), names),
                         ((Cell(1), (Cell(2), 1.0)), ("left", "other")), ((Cell(1), (Cell(2), 1.0)), 5), ((Cell(1),), names)):
        with pytest.raises(TypeError):
            read(Labelled(cells, given))
