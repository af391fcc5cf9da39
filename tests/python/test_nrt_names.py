"""Memory as code generators of libraries see it: `context.nrt`, the functions `NRT_...`, the fields of a meminfo, arrays as structs.

Layouts and names are those of Numba: packages that make arrays of their own depend on them.
"""
import ctypes

import numpy as np
import pytest
from llvmlite import ir
from rumba import njit, types
from rumba.codegen.arrayobj import get_itemsize, make_array, populate_array
from rumba.codegen.cgutils import get_or_insert_function, int32_t, intp_t, voidptr_t
from rumba.extending import intrinsic
from rumba.nrt_stats import rtsys

I8P = ir.IntType(8).as_pointer()


@pytest.fixture(autouse=True)
def no_leaks():
    """Every block that a test allocates is freed."""
    before = rtsys.get_allocation_stats()
    yield
    after = rtsys.get_allocation_stats()
    assert after.alloc - before.alloc == after.free - before.free


def new_array(allocate):
    """An intrinsic that makes an array of n doubles of what `allocate` gives."""

    @intrinsic
    def make(typingctx, n):
        ty = types.float64[::1]

        def codegen(context, builder, signature, args):
            size = builder.mul(args[0], intp_t(get_itemsize(context, ty)))
            meminfo = allocate(context, builder, size)
            array = make_array(ty)(context, builder)
            data = context.nrt.meminfo_data(builder, meminfo)
            populate_array(array, data=data, shape=[args[0]], strides=[intp_t(8)], itemsize=8, meminfo=meminfo)
            return array._getvalue()

        return ty(types.int64), codegen

    @njit
    def f(n):
        a = make(n)
        for i in range(len(a)):
            a[i] = i / 2
        return a[:-1]

    return f


@pytest.mark.parametrize("allocate, alignment", [
    (lambda context, builder, size: context.nrt.meminfo_alloc(builder, size), 16),
    (lambda context, builder, size: context.nrt.meminfo_alloc_unchecked(builder, size), 16),
    (lambda context, builder, size: context.nrt.meminfo_alloc_aligned(builder, size, align=32), 32),
    (lambda context, builder, size: context.nrt.meminfo_alloc_aligned_unchecked(builder, size, int32_t(512)), 512),
])
def test_an_array_over_memory_of_ones_own(allocate, alignment):
    f = new_array(allocate)
    for n in (1, 2, 1000):
        a = f(n)
        np.testing.assert_array_equal(a, np.arange(n - 1) / 2)
        assert a.base is not None and a.ctypes.data % alignment == 0
    del a


def test_more_memory_than_there_is():
    f = new_array(lambda context, builder, size: context.nrt.meminfo_alloc(builder, size))
    with pytest.raises(MemoryError, match="Allocation failed"):
        f(1 << 59)


def test_the_fields_of_a_meminfo_and_of_an_array():
    """Holders, destructor, its information, items, bytes; meminfo, parent, items, bytes of one, items, lengths, strides."""

    @intrinsic
    def fields(typingctx, a):
        result = types.UniTuple(types.int64, 10)

        def codegen(context, builder, signature, args):
            array = make_array(a)(context, builder, value=args[0])
            words = builder.bitcast(array.meminfo, intp_t.as_pointer())
            # The reference count, and the fields at the same offsets of every meminfo.
            read = [builder.load(builder.gep(words, [intp_t(at)])) for at in (0, 1, 3, 4)]
            [(ty, meminfo)] = context.nrt.get_meminfos(builder, a, args[0])
            assert ty == a
            rest = [
                builder.ptrtoint(meminfo, intp_t), builder.ptrtoint(array.meminfo, intp_t), array.nitems, array.itemsize,
                builder.extract_value(array.shape, 1), builder.extract_value(array.strides, 0)]
            return context.make_tuple(builder, result, [*read, *rest])

        return result(a), codegen

    @njit
    def f():
        a = np.ones((3, 5), np.float32)
        return fields(a), a.ctypes.data

    (count, destructor, data, size, meminfo, same, items, itemsize, columns, stride), address = f()
    assert count >= 1 and destructor == 0 and data == address and size == 60
    assert meminfo == same and (items, itemsize, columns, stride) == (15, 4, 5, 20)


def test_counting():
    """Who counts by hand holds the memory until it gives it up."""

    @intrinsic
    def holders(typingctx, a):
        def codegen(context, builder, signature, args):
            meminfo = make_array(a)(context, builder, value=args[0]).meminfo
            kind = ir.FunctionType(ir.VoidType(), [I8P])
            count = get_or_insert_function(builder.module, ir.FunctionType(intp_t, [I8P]), "NRT_MemInfo_refcount")
            before = builder.call(count, [meminfo])
            builder.call(get_or_insert_function(builder.module, kind, "NRT_incref"), [meminfo])
            context.nrt.incref(builder, a, args[0])
            within = builder.call(count, [meminfo])
            context.nrt.decref(builder, a, args[0])
            builder.call(get_or_insert_function(builder.module, kind, "NRT_decref"), [meminfo])
            return builder.sub(within, before)

        return types.int64(a), codegen

    @njit
    def f(n):
        return holders(np.zeros(n))

    assert f(4) == 2


def test_plain_memory():
    @intrinsic
    def through_memory(typingctx, x):
        def codegen(context, builder, signature, args):
            place = context.nrt.allocate(builder, intp_t(8))
            typed = builder.bitcast(place, intp_t.as_pointer())
            builder.store(args[0], typed)
            grow = get_or_insert_function(builder.module, ir.FunctionType(I8P, [I8P, intp_t]), "NRT_Reallocate")
            larger = builder.call(grow, [place, intp_t(1 << 16)])
            read = builder.load(builder.bitcast(larger, intp_t.as_pointer()))
            context.nrt.free(builder, larger)
            return read

        return types.int64(types.int64), codegen

    assert njit(lambda x: through_memory(x))(42) == 42


def test_a_destructor_is_called_before_memory_is_freed():
    seen = []

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    def destructor(items, size, info):
        seen.append((ctypes.cast(items, ctypes.POINTER(ctypes.c_double))[0], size))

    def allocate(context, builder, size):
        address = ctypes.cast(destructor, ctypes.c_void_p).value
        return context.nrt.meminfo_alloc_dtor(builder, size, builder.inttoptr(intp_t(address), voidptr_t))

    f = new_array(allocate)
    a = f(3)
    assert not seen
    a[0] = 7.5
    del a
    assert seen == [(7.5, 24)]


def test_names_of_the_facade():
    from rumba.numba.np import arrayobj

    assert arrayobj.make_array is make_array and arrayobj.populate_array is populate_array
    with pytest.raises(AttributeError, match="is not there"):
        arrayobj.nothing_of_the_kind
