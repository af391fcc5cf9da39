"""The functions of Numba's `unsafe` modules: replacing tuple items, tuples from arrays, bit counts, memory copies.

Here is what they are in Python. Compiled code has them from the library (`rumba.library.unsafe`), where indices are checked.
Reference counts are in `refcount`.
"""
import ctypes


def tuple_setitem(tup, idx, val):
    """The tuple with another item at a place; IndexError if there is no such place."""
    items = list(tup)
    if not -len(items) <= idx < len(items):
        raise IndexError("tuple index out of range")
    items[idx] = val
    return tuple(items)


def build_full_slice_tuple(tuple_size):
    """A tuple of n `slice(None)`; n must be a compile-time constant."""
    return (slice(None, None),) * tuple_size


def to_fixed_tuple(array, length):
    """The first items of a vector as a tuple; compiled code has to know how many."""
    if array.ndim != 1:
        raise TypeError(f"Not supported on array.ndim={array.ndim}")
    return tuple(array[at] for at in range(length))


def leading_zeros(x):
    """The number of leading zero bits of an integer. Python's integers count as 64 bits."""
    bits = _bits(x)
    return bits - (int(x) & (1 << bits) - 1).bit_length()


def trailing_zeros(x):
    """The number of trailing zero bits of an integer."""
    return (int(x) & -int(x)).bit_length() - 1 if x else _bits(x)


def _bits(x):
    return 64 if isinstance(x, int) else 8 * x.dtype.itemsize


def memcpy_region(dst, dst_offset, src, src_offset, nbytes, align=1):
    """Copies bytes from an address to another one; they may lie over each other. Nothing is checked."""
    ctypes.memmove(dst + dst_offset, src + src_offset, nbytes)


# What intrinsics of Numba know of themselves.
for _function in (tuple_setitem, build_full_slice_tuple, to_fixed_tuple, leading_zeros, trailing_zeros, memcpy_region):
    _function._name = _function.__name__
