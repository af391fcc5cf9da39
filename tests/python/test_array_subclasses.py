"""Types derived from `types.Array`, of subclasses of `numpy.ndarray` that register themselves."""
import gc
import sys

import numpy as np
import pytest
from llvmlite import ir

from leaks import nothing_leaks  # noqa: F401
from rumba.errors import TypingError
from rumba.numba import njit, types
from rumba.numba.core import cgutils
from rumba.numba.core.datamodel import models
from rumba.numba.extending import (
    box, intrinsic, lower_builtin, overload_classmethod, overload_method, register_model, type_callable, typeof_impl)
from rumba.numba.np import numpy_support
from rumba.numba.np.arrayobj import make_array, populate_array
from rumba.nrt_stats import rtsys


class Sampled(np.ndarray):
    """An array whose ufuncs give arrays of the same class."""


class SampledType(types.Array):
    def __init__(self, dtype, ndim, layout, readonly=False, aligned=True):
        super().__init__(dtype, ndim, layout, readonly=readonly, aligned=aligned, name=f"Sampled({dtype}, {ndim}, {layout}, {readonly})")

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        if ufunc is np.arctan2:
            return NotImplemented
        return types.Array if ufunc is np.greater else SampledType

    def copy(self, dtype=None, ndim=None, layout=None, readonly=False):
        return SampledType(dtype or self.dtype, self.ndim if ndim is None else ndim, layout or self.layout, readonly)

    box_type = Sampled


class Pooled(np.ndarray):
    """An array in memory of an allocator, which keeps its class in ufuncs alone."""


class PooledType(types.Array):
    def __init__(self, dtype, ndim, layout, readonly=False, aligned=True):
        super().__init__(dtype, ndim, layout, readonly=readonly, aligned=aligned, name=f"Pooled({dtype}, {ndim}, {layout})")

    def __array_ufunc__(self, ufunc, method, *inputs, **keywords):
        return PooledType

    box_type = Pooled


def _members(ty):
    return [("meminfo", types.MemInfoPointer(ty.dtype)), ("parent", types.pyobject), ("nitems", types.intp),
            ("itemsize", types.intp), ("data", types.CPointer(ty.dtype)), ("shape", types.UniTuple(types.intp, ty.ndim)),
            ("strides", types.UniTuple(types.intp, ty.ndim)), ("rate", types.float64)]


class _Model(models.StructModel):
    def __init__(self, dmm, fe_type):
        super().__init__(dmm, fe_type, _members(fe_type))


for cls, type_class in ((Sampled, SampledType), (Pooled, PooledType)):
    register_model(type_class)(type(f"{type_class.__name__}Model", (_Model,), {}))

    @typeof_impl.register(cls)
    def _type_of(value, context, type_class=type_class):
        return type_class(numpy_support.from_dtype(value.dtype), value.ndim, numpy_support.map_layout(value),
                          readonly=not value.flags.writeable)


@box(PooledType)
def _box_pooled(ty, value, c):
    dtype = c.env_manager.read_const(c.env_manager.add_const(numpy_support.as_dtype(ty.dtype)))
    made = c.pyapi.nrt_adapt_ndarray_to_python(ty, value, dtype)
    c.context.nrt.decref(c.builder, ty, value)
    return made


@overload_classmethod(PooledType, "_allocate")
def _allocate(cls, size, align):
    return lambda cls, size, align: _from_pool(size, align)


@intrinsic
def _from_pool(typingctx, size, align):
    def codegen(context, builder, signature, args):
        context.nrt._require_nrt()
        pool = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(cgutils.voidptr_t, ()), "_nrt_get_sample_external_allocator")
        allocate = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(cgutils.voidptr_t, [cgutils.intp_t, ir.IntType(32), cgutils.voidptr_t]),
            "NRT_MemInfo_alloc_safe_aligned_external")
        return builder.call(allocate, [*args, builder.call(pool, ())])

    return types.MemInfoPointer(types.voidptr)(size, align), codegen


@type_callable(Sampled)
def _type_sampled(context):
    return lambda shape, dtype, buffer: SampledType(buffer.dtype, len(shape), buffer.layout)


@lower_builtin(Sampled, types.UniTuple, types.DType, types.Array)
def _make_sampled(context, builder, sig, args):
    given = make_array(sig.args[2])(context, builder, value=args[2])
    made = make_array(sig.return_type)(context, builder)
    populate_array(made, given.data, given.shape, given.strides, given.itemsize, given.meminfo)
    context.nrt.incref(builder, sig.return_type, made._getvalue())
    return made._getvalue()


@overload_method(SampledType, "doubled")
def _doubled(a):
    return lambda a: a * 2


def sampled(values, dtype=float, cls=Sampled):
    return np.array(values, dtype).view(cls)


def same(found, expected, cls=Sampled):
    """Whether a result has this class, and the values, dtype and layout of what NumPy gives."""
    return (type(found) is cls and found.dtype == expected.dtype and found.shape == expected.shape
            and np.array_equal(np.asarray(found), np.asarray(expected)))


UFUNCS = [lambda a: a + 1, lambda a: 2 * a, lambda a: a - a, lambda a: -a, lambda a: np.sqrt(a), lambda a: np.add(a, np.ones(3)),
          lambda a: a ** 2 / 3, lambda a: abs(a - 2), lambda a: a // 2 % 3, lambda a: np.maximum(a, 1.5)]
VIEWS = [lambda a: a[1:], lambda a: a[::-1], lambda a: a.T, lambda a: a.reshape(3, 1), lambda a: a.astype(np.float32),
         lambda a: a[np.array([2, 0])], lambda a: a.copy(), lambda a: a.ravel()]
PLAIN = [lambda a: a.sum(), lambda a: np.mean(a), lambda a: len(a), lambda a: a.shape, lambda a: a.ndim, lambda a: a.dtype,
         lambda a: a[1], lambda a: np.dot(a, a), lambda a: a.argmax(), lambda a: [x for x in a], lambda a: 2.0 in list(a), lambda a: a.size]


@pytest.mark.parametrize("function", UFUNCS + VIEWS)
def test_arrays_keep_their_class(function):
    a = sampled([1.0, 2.0, 4.0])
    assert same(njit(function)(a), function(a))


@pytest.mark.parametrize("function", PLAIN)
def test_what_is_no_array(function):
    a = sampled([1.0, 2.0, 4.0])
    found, expected = njit(function)(a), function(a)
    assert found == expected and not isinstance(found, np.ndarray)


@pytest.mark.parametrize("shape", [(), (0,), (2, 3), (2, 0, 3)])
def test_of_any_dimensions(shape):
    a = np.arange(float(np.prod(shape))).reshape(shape).view(Sampled)
    found = njit(lambda a: a + 1)(a)
    # Compiled code makes numbers of arrays without dimensions.
    assert same(found, a + 1) if shape else found == 1.0
    assert njit(lambda a: a)(a) is a


def test_the_same_object_comes_back_changed():
    @njit
    def changed(a):
        a[0] = 7
        a += 1
        return a, [a], a.doubled()

    a = sampled([1.0, 2.0])
    same_one, (inside,), doubled = changed(a)
    assert same_one is inside is a and same(a, sampled([8.0, 3.0])) and same(doubled, sampled([16.0, 6.0]))


def test_made_from_an_array():
    made = njit(lambda b: Sampled(b.shape, b.dtype, b))(np.arange(4))
    assert same(made, np.arange(4))


def test_ufuncs_that_the_type_refuses_or_leaves_plain():
    a = sampled([1.0, 2.0])
    found = njit(lambda a: a > 1)(a)
    assert type(found) is np.ndarray and found.tolist() == [False, True]
    with pytest.raises(TypingError, match="No implementation of function numpy.arctan2"):
        njit(lambda a: np.arctan2(a, a))(a)


def test_results_lie_in_memory_of_the_types_allocator():
    a = sampled([1.0, 2.0], cls=Pooled)
    function = njit(lambda a: (a + 1, a * np.arange(2.0), a[:1]))
    first, second, view = function(a)
    assert same(first, a + 1, Pooled) and same(second, sampled([0.0, 2.0]), Pooled)
    assert type(view) is np.ndarray and view.tolist() == [1.0]


def test_nothing_is_left():
    for a in (sampled([1.0, 2.0]), sampled([1.0, 2.0], cls=Pooled)):
        function = njit(lambda a: ((a + 1) * 2, a, a[1:]))
        function(a)
        gc.collect()
        holders, before = sys.getrefcount(a), rtsys.get_allocation_stats()
        for _ in range(20):
            function(a)
        gc.collect()
        after = rtsys.get_allocation_stats()
        assert sys.getrefcount(a) == holders and after.alloc - before.alloc == after.free - before.free > 0
