"""What code generators of extensions do with arrays: `numba.np.arrayobj`, addresses of items, constants."""
import gc

import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import atomic, njit, objmode, prange, types
from rumba.codegen import arrayobj, cgutils
from rumba.extending import intrinsic, models, overload_method
from rumba.numba.core.boxing import unbox_array
from rumba.numba.core.typing.arraydecl import get_array_index_type
from rumba.numba.extending import NativeValue, lower_builtin, make_attribute_wrapper, register_model, type_callable, typeof_impl, unbox

LAYOUTS = pytest.mark.parametrize("layout", "CF")


def made(layout, ndim):
    """An intrinsic that allocates an array of float64 of a given shape."""
    @intrinsic
    def empty(typingctx, shape):
        result = types.Array(types.float64, ndim, layout)

        def codegen(context, builder, signature, args):
            lengths = cgutils.unpack_tuple(builder, args[0])
            return arrayobj.empty_nd(context, builder, result, lengths)._getvalue()

        return result(shape), codegen
    return empty


@LAYOUTS
def test_empty_arrays(layout):
    empty = made(layout, 3)

    @njit
    def filled(shape, value):
        a = empty(shape)
        a[:] = value
        return a

    for shape in ((2, 3, 4), (0, 5, 1), (1, 1, 1)):
        found, expected = filled(shape, 2.5), np.full(shape, 2.5, order=layout)
        assert found.shape == shape and (found == expected).all() and found.flags[f"{layout}_CONTIGUOUS"]


def test_an_empty_array_that_is_too_big():
    empty = made("C", 3)
    with pytest.raises(ValueError, match="array is too big"):
        njit(lambda shape: empty(shape).size)((2**40, 2**40, 2))


def item(wraparound, boundscheck):
    """An intrinsic that reads an item of a matrix."""
    @intrinsic
    def read(typingctx, array, i, j):
        def codegen(context, builder, signature, args):
            ty = signature.args[0]
            struct = arrayobj.make_array(ty)(context, builder, value=args[0])
            where = arrayobj.get_item_pointer(context, builder, ty, struct, args[1:], wraparound, boundscheck)
            return builder.load(where)

        return array.dtype(array, types.intp, types.intp), codegen
    return read


@pytest.mark.parametrize("which", ["rows", "columns", "strided"])
def test_addresses_of_items(which):
    base = np.arange(24.0).reshape(4, 6)
    array = {"rows": base, "columns": np.asfortranarray(base), "strided": base[::-2, 1::2]}[which]
    plain, checked = item(False, False), item(True, True)
    read, careful = njit(lambda a, i, j: plain(a, i, j)), njit(lambda a, i, j: checked(a, i, j))
    for i, j in np.ndindex(array.shape):
        assert read(array, i, j) == careful(array, i, j) == careful(array, i - array.shape[0], j - array.shape[1]) == array[i, j]
    for i, j in ((array.shape[0], 0), (0, array.shape[1]), (-array.shape[0] - 1, 0)):
        with pytest.raises(IndexError, match="index is out of bounds"):
            careful(array, i, j)


@pytest.mark.parametrize("array", [np.arange(5), np.arange(6.0).reshape(2, 3), np.asfortranarray(np.arange(6.0).reshape(2, 3)),
                                   np.arange(12)[::-3], np.array(3 + 2j), np.zeros((0, 4), "f4")])
def test_arrays_as_constants(array):
    @intrinsic
    def constant(typingctx):
        return types.typeof(array)(), lambda context, builder, signature, args: context.get_constant_generic(builder, signature.return_type, array)

    found = njit(lambda: constant().copy())()
    assert found.dtype == array.dtype and found.shape == array.shape and (found == array).all()


def test_constant_arrays_outlive_the_code():
    made = []
    for number in range(40):
        array = np.full(500, float(number))

        @intrinsic
        def constant(typingctx):
            return types.typeof(array)(), lambda context, builder, signature, args: context.get_constant_generic(builder, signature.return_type, array)

        function = njit(lambda: (constant(), constant()[5:]))
        whole, part = function()
        # What one caller does with it, no other one sees.
        whole[0] = part[0] = -1
        made.append(function()[0])
        array[:] = -2
    del function, constant
    gc.collect()
    assert all((found == number).all() and len(found) == 500 for number, found in enumerate(made))


def test_items_of_an_array_updated_by_an_extension():
    """As packages do that draw progress bars: one type in front of an array, which threads add to."""
    @type_callable(add_atomically)
    def typed(context):
        def typer(array, index, value):
            found = get_array_index_type(array, index)
            return found.result if context.can_convert(value, found.result) else None
        return typer

    @lower_builtin(add_atomically, types.Buffer, types.Any, types.Any)
    def lowered(context, builder, sig, args):
        ty, index, value = sig.args
        parts = (index.types, cgutils.unpack_tuple(builder, args[1])) if isinstance(index, types.BaseTuple) else ((index,), (args[1],))
        array = arrayobj.make_array(ty)(context, builder, args[0])
        where, shape, _ = arrayobj.basic_indexing(context, builder, ty, array, *arrayobj.normalize_indices(context, builder, *parts),
                                                  boundscheck=context.enable_boundscheck)
        assert not shape
        value = context.get_value_as_data(builder, ty.dtype, context.cast(builder, args[2], value, ty.dtype))
        return builder.atomic_rmw("add", where, value, "monotonic")

    counts = np.zeros((2, 3), np.int64)

    @njit(parallel=True)
    def count(counts, n):
        for i in prange(n):
            add_atomically(counts, (i % 2, -1), 1)

    count(counts, 1000)
    assert counts.tolist() == [[0, 0, 500], [0, 0, 500]]
    row = np.zeros(3, np.int64)
    njit(lambda a: add_atomically(a, np.int8(-2), 7))(row)
    assert row.tolist() == [0, 7, 0]
    with pytest.raises(IndexError):
        njit(lambda a: add_atomically(a, 3, 7))(row)


def add_atomically(array, index, value):
    raise NotImplementedError


class Meter:
    """A counter that threads share."""

    def __init__(self):
        self.hook = np.zeros(1, np.int64)


class MeterType(types.Type):
    def __init__(self):
        super().__init__("Meter")


typeof_impl.register(Meter)(lambda value, context: MeterType())


@register_model(MeterType)
class MeterModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("hook", types.int64[::1])])


make_attribute_wrapper(MeterType, "hook", "hook")


@unbox(MeterType)
def unbox_meter(typ, obj, c):
    hook = c.pyapi.object_getattr_string(obj, "hook")
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    made.hook = unbox_array(types.int64[::1], hook, c).value
    c.pyapi.decref(hook)
    return NativeValue(made._getvalue(), is_error=cgutils.is_not_null(c.builder, c.pyapi.err_occurred()))


@overload_method(MeterType, "update")
def meter_update(self, n):
    def update(self, n):
        atomic.add(self.hook, 0, n)
    return update


def test_loops_with_values_of_extensions_are_parallel():
    """Their members are arrays, so nothing that threads could break."""
    @njit(parallel=True)
    def run(n, meter):
        for _ in prange(n):
            meter.update(2)

    meter = Meter()
    run(1000, meter)
    assert meter.hook[0] == 2000
    assert run.get_metadata(run.signatures[0])["parfor_diagnostics"].count_parfors() == 1


class Rows:
    """An array with a name."""

    def __init__(self, items):
        self.items = items


class RowsType(types.Type):
    """The type of `Rows`, by that of its array; its name does not say it."""

    def __init__(self, items):
        self.items = items
        super().__init__("Rows")

    @property
    def key(self):
        return self.items


@typeof_impl.register(Rows)
def _typeof_rows(value, context):
    return RowsType(typeof_impl(value.items, context))


@register_model(RowsType)
class _RowsModel(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, [("items", fe_type.items)])


make_attribute_wrapper(RowsType, "items", "items")


@unbox(RowsType)
def _unbox_rows(typ, value, c):
    made = cgutils.create_struct_proxy(typ)(c.context, c.builder)
    items = c.pyapi.object_getattr_string(value, "items")
    found = c.unbox(typ.items, items)
    made.items = found.value
    c.pyapi.decref(items)
    return NativeValue(made._getvalue(), is_error=found.is_error)


def test_the_declared_type_of_an_extension_takes_in_its_members():
    """The layout of the array is `C` in the value and any in the declared type."""
    declared = RowsType(types.float64[:])

    @njit
    def total(n):
        with objmode(made=declared):
            made = Rows(np.arange(float(n)))
        return made.items.sum()

    assert total(5) == 10
    wrong = RowsType(types.int64[:])

    @njit
    def refused(n):
        with objmode(made=wrong):
            made = Rows(np.arange(float(n)))
        return made.items.sum()

    with pytest.raises(TypeError):
        refused(5)
