"""`rumba.unsafe`: replacing tuple items, tuples from arrays, bit counts, memory copies."""
import numpy as np

from .. import source_text, unsafe
from ..errors import RequireLiteralValue, TypingError
from ..extending import Effects, register_jitable
from ..intrinsics import array_at
from ..types import Array, BaseTuple, Boolean, Integer, IntegerLiteral, RawPointer, unliteral
from . import library


@library(unsafe.tuple_setitem, effects=Effects(returns=("items of tup", "val")))
def tuple_setitem(tup, idx, val):
    if not isinstance(tup, BaseTuple) or not isinstance(idx, Integer):
        return None
    if not len(tup):
        return _no_place
    return _only if len(tup) == 1 else _changed


def _no_place(tup, idx, val):
    raise IndexError("tuple index out of range")


def _only(tup, idx, val):
    if idx != 0 and idx != -1:
        raise IndexError("tuple index out of range")
    return (val,)


def _changed(tup, idx, val):
    last = len(tup) - 1
    if idx == last or idx == -1:
        return tup[:-1] + (val,)
    # What is no place of the tuple is none of a shorter one.
    return unsafe.tuple_setitem(tup[:-1], idx + 1 if idx < 0 else idx if idx < last else last, val) + tup[-1:]


def _known(value, name):
    if not isinstance(value, IntegerLiteral):
        raise RequireLiteralValue(f"*{name}* argument must be a constant")
    return value.literal_value


@library(unsafe.build_full_slice_tuple)
def build_full_slice_tuple(tuple_size):
    full = unsafe.build_full_slice_tuple(_known(tuple_size, "tuple_size"))
    return lambda tuple_size: full


@library(unsafe.to_fixed_tuple)
def to_fixed_tuple(array, length):
    if not isinstance(array, Array):
        return None
    if array.ndim != 1:
        raise TypingError(f"Not supported on array.ndim={array.ndim}")
    items = "".join(f"array[{at}], " for at in range(_known(length, "length")))
    return source_text.function("first(array, length)", [f"return ({items})"], {})


def _counted(function):
    """The overload of a function that counts bits: of a word, less what is not of the type."""
    def overload(x):
        kind = unliteral(x)
        if not isinstance(kind, Integer) or isinstance(kind, Boolean):
            raise TypingError(f"{function.__name__} is only defined for integers, but value passed was '{kind}'.")
        return _IMPLEMENTATIONS[function](kind.bitwidth)
    return overload


def _leading(bits):
    unused, mask = 64 - bits, np.uint64((1 << bits) - 1)

    def leading_zeros(x):
        return _zeros_in_front(np.uint64(x) & mask) - unused

    return leading_zeros


def _trailing(bits):
    def trailing_zeros(x):
        word = np.uint64(x)
        return 63 - _zeros_in_front(word & (~word + np.uint64(1))) if x else bits

    return trailing_zeros


@register_jitable
def _zeros_in_front(word):
    if word == np.uint64(0):
        return 64
    count = 0
    for step in (32, 16, 8, 4, 2, 1):
        if word >> np.uint64(64 - step) == np.uint64(0):
            count += step
            word <<= np.uint64(step)
    return count


_IMPLEMENTATIONS = {unsafe.leading_zeros: _leading, unsafe.trailing_zeros: _trailing}
for _function in _IMPLEMENTATIONS:
    library(_function)(_counted(_function))


@library(unsafe.memcpy_region, effects=Effects(mutates="dst"))
def memcpy_region(dst, dst_offset, src, src_offset, nbytes, align=1):
    if not all(isinstance(address, (Integer, RawPointer)) for address in (dst, src)):
        return None

    def copied(dst, dst_offset, src, src_offset, nbytes, align=1):
        array_at(dst + dst_offset, np.uint8, nbytes, "C")[:] = array_at(src + src_offset, np.uint8, nbytes, "C")

    return copied
