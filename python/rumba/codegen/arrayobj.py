"""Arrays as structs, for code generators of extensions (`numba.np.arrayobj`).

Absent: which members there are (`rumba.codegen.target_context`), and memory (`context.nrt`).
"""
from . import cgutils
from .. import types


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


def _words(builder, words):
    return cgutils.pack_array(builder, words, ty=cgutils.intp_t) if isinstance(words, (list, tuple)) else words
