"""Arrays as structs, for code generators of extensions (`numba.np.arrayobj`).

Absent: which members there are (`rumba.codegen.target_context`), and memory (`context.nrt`).
"""
import numpy
from llvmlite import ir

from . import cgutils
from .. import types
from ..errors import UnsupportedError

ALIGNMENT = 64
# What tells the address of a Python object, which somebody else keeps alive, from that of a block of memory.
_BORROWED = 1
_TOO_BIG = "array is too big; `arr.size * arr.dtype.itemsize` is larger than the maximum possible size."


def make_array(array_type):
    """The class of structs that show an array's members: `meminfo`, `parent`, `nitems`, `itemsize`, `data`, `shape`,
    `strides`. It is called as `make_array(ty)(context, builder)` or with `value=` or `ref=`."""
    return cgutils.create_struct_proxy(array_type)


def get_itemsize(context, array_type):
    """Bytes of an item.

    >>> from rumba import types
    >>> get_itemsize(None, types.float32[:])
    4
    """
    return types.as_dtype(array_type.dtype).itemsize


def populate_array(array, data, shape, strides, itemsize, meminfo, parent=None):
    """Sets all members of an array's struct; gives the struct.

    `shape` and `strides` are arrays of LLVM, or sequences of words (strides in bytes). `meminfo` is counted memory, of which
    the array is a holder, or None if nothing counts it.
    """
    builder = array._builder
    shape, strides = (_words(builder, words) for words in (shape, strides))
    count = cgutils.intp_t(1)
    for length in cgutils.unpack_tuple(builder, shape, shape.type.count):
        count = builder.mul(count, length)
    array.shape, array.strides, array.nitems = shape, strides, count
    array.itemsize = cgutils.intp_t(itemsize) if isinstance(itemsize, int) else itemsize
    array.data = builder.bitcast(data, array.data.type)
    array.meminfo = cgutils.voidptr_t(None) if meminfo is None else builder.bitcast(meminfo, cgutils.voidptr_t)
    array.parent = cgutils.voidptr_t(None) if parent is None else parent
    return array


def empty_nd(context, builder, array_type, shape):
    """Allocates an array without setting its items, and returns its struct.

    `shape` is a sequence of words, outermost dimension first. Dimensions whose size in bytes is more than a word holds raise ValueError.
    """
    itemsize = context.get_abi_sizeof(context.get_data_type(array_type.dtype))
    order = range(len(shape)) if array_type.layout == "F" else reversed(range(len(shape)))
    size, too_big, strides = cgutils.intp_t(itemsize), cgutils.false_bit, [None] * len(shape)
    for axis in order:
        strides[axis] = size
        product = builder.smul_with_overflow(size, shape[axis])
        size = builder.extract_value(product, 0)
        too_big = builder.or_(too_big, builder.extract_value(product, 1))
    with cgutils.if_unlikely(builder, too_big):
        context.call_conv.return_user_exc(builder, ValueError, (_TOO_BIG,))
    meminfo = context.nrt.meminfo_alloc_aligned(builder, size, ALIGNMENT)
    array = make_array(array_type)(context, builder)
    return populate_array(array, context.nrt.meminfo_data(builder, meminfo), shape, strides, itemsize, meminfo)


def make_constant_array(context, builder, array_type, array):
    """The struct of an array that is a read-only copy of an array, as it is now, which lives as long as the code.

    `array` is a NumPy array of numbers, and `array_type` its type, of any layout.
    """
    if array.dtype.hasobject:
        raise TypeError(f"an array of Python objects is no constant of compiled code: {array.dtype}")
    copy = numpy.array(array, order="F" if array_type.layout == "F" else "C")
    # To Python goes a copy of what may not be written.
    copy.flags.writeable = False
    context.kept.append(copy)
    pointer, word = cgutils.voidptr_t, cgutils.intp_t
    data, owner = (word(known).inttoptr(pointer) for known in (copy.ctypes.data, id(copy) | _BORROWED))
    words = ([word(length) for length in each] for each in (copy.shape, copy.strides))
    return populate_array(make_array(array_type)(context, builder), data, *words, copy.itemsize, owner)._getvalue()


def get_item_pointer(context, builder, array_type, array, indices, wraparound=False, boundscheck=False):
    """The address of an item of an array's struct. See `get_item_pointer2`."""
    shape, strides = (cgutils.unpack_tuple(builder, words, array_type.ndim) for words in (array.shape, array.strides))
    return get_item_pointer2(context, builder, array.data, shape, strides, array_type.layout, indices, wraparound, boundscheck)


def get_item_pointer2(context, builder, data, shape, strides, layout, indices, wraparound=False, boundscheck=False):
    """The address of an item, from the parts of an array.

    With `wraparound` a negative index counts from the end. With `boundscheck` an index out of bounds raises IndexError. The strides of arrays of
    layout C and F follow from their shape and are not used.
    """
    if wraparound:
        indices = [_wrapped(builder, index, length) for index, length in zip(indices, shape)]
    if boundscheck:
        _check_bounds(context, builder, indices, shape)
    if not indices:
        return data
    if layout not in "CF":
        offset = cgutils.intp_t(0)
        for index, stride in zip(indices, strides):
            offset = builder.add(offset, builder.mul(index, stride))
        return cgutils.pointer_add(builder, data, offset)
    axes = list(zip(indices, shape))
    if layout == "F":
        axes.reverse()
    position = axes[0][0]
    for index, length in axes[1:]:
        position = builder.add(builder.mul(position, length), index)
    return builder.gep(data, [position])


def normalize_indices(context, builder, index_types, indices):
    """Integers among indices as words: their types and values. Other indices stay."""
    pairs = [(types.intp, context.cast(builder, index, ty, types.intp)) if isinstance(ty, (types.Integer, types.Boolean)) else (ty, index)
             for ty, index in zip(index_types, indices)]
    return tuple(ty for ty, _ in pairs), [index for _, index in pairs]


def basic_indexing(context, builder, array_type, array, index_types, indices, boundscheck=None):
    """What integers and `...` select of an array's struct: (address, lengths, strides), the latter of the dimensions that are left.

    Negative indices count from the end. With `boundscheck` an index out of bounds raises IndexError.
    """
    if not all(isinstance(ty, (types.Integer, types.EllipsisType)) for ty in index_types):
        named = ", ".join(map(str, index_types))
        raise UnsupportedError(f"`basic_indexing` takes integers and `...`, not ({named}): index the array in a compiled function")
    left = array_type.ndim - sum(isinstance(ty, types.Integer) for ty in index_types)
    at = next((at for at, ty in enumerate(index_types) if not isinstance(ty, types.Integer)), len(indices))
    zero = cgutils.intp_t(0)
    whole = [*indices[:at], *[None] * left, *indices[at + 1:]]
    shape, strides = (cgutils.unpack_tuple(builder, words, array_type.ndim) for words in (array.shape, array.strides))
    axes = [axis for axis, index in enumerate(whole) if index is None]
    # Dimensions that are left begin at 0, which is no item if one of them is empty.
    checked = [(index, shape[axis]) for axis, index in enumerate(whole) if index is not None]
    found = [_wrapped(builder, index, length) for index, length in checked]
    if boundscheck:
        _check_bounds(context, builder, found, [length for _, length in checked])
    taken = iter(found)
    whole = [zero if index is None else next(taken) for index in whole]
    address = get_item_pointer2(context, builder, array.data, shape, strides, array_type.layout, whole)
    return address, [shape[axis] for axis in axes], [strides[axis] for axis in axes]


def _check_bounds(context, builder, indices, shape):
    for index, length in zip(indices, shape):
        with cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", index, length)):
            context.call_conv.return_user_exc(builder, IndexError, ("index is out of bounds",))


def _wrapped(builder, index, length):
    is_negative = builder.icmp_signed("<", index, cgutils.intp_t(0))
    return builder.select(is_negative, builder.add(index, length), index)


def _words(builder, words):
    return cgutils.pack_array(builder, words, ty=cgutils.intp_t) if isinstance(words, (list, tuple)) else words
