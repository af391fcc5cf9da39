"""What code generators of extensions do with arrays: `numba.np.arrayobj`, addresses of items, constants."""
import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import njit, types
from rumba.codegen import arrayobj, cgutils
from rumba.extending import intrinsic

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
