"""`delete`, `insert`, `trim_zeros`; assignment by `copyto`, `place`, `put`."""
import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Integer, Number, SliceType, UnicodeType, unliteral
from ...types.typeof import as_dtype
from .. import library
from .take import index_by_mode
from ._axis import check_axis, literal
from .._predicates import is_absent, is_array, is_integer, is_movable, is_numeric_array
from .._array_like import is_number, is_time

_OUTSIDE = "index {} is out of bounds for axis {} with size {}"


def _marker(obj):
    """What marks the positions that an index names."""
    @register_jitable
    def one(marks, obj, axis):
        size = marks.size
        raise_if(obj < -size or obj >= size, "IndexError", _OUTSIDE, obj, axis, size)
        marks[obj] = True

    @register_jitable
    def each(marks, obj, axis):
        size = marks.size
        for at in obj.flat:
            raise_if(at < -size or at >= size, "IndexError", _OUTSIDE, at, axis, size)
            marks[at] = True

    @register_jitable
    def where_true(marks, obj, axis):
        raise_if(obj.size != marks.size, "ValueError",
                 "boolean array argument `obj` to delete must be one-dimensional and match the axis length of {}", marks.size)
        for at in range(obj.size):
            marks[at] = obj[at]

    @register_jitable
    def part(marks, obj, axis):
        marks[obj] = True
    if isinstance(unliteral(obj), SliceType):
        return part
    if is_array(obj):
        return where_true if isinstance(obj.dtype, Boolean) else each
    return one


@library(numpy.delete, array_like="arr obj", scalars="arr")
def delete(arr, obj, axis=None):
    if not is_movable(arr):
        raise TypingError("arr must be either an Array or a Sequence")
    if not is_integer(obj) and not isinstance(unliteral(obj), SliceType) and not (
            is_array(obj) and isinstance(obj.dtype, (Integer, Boolean))):
        raise TypingError("obj should be of Integer dtype")
    mark = _marker(obj)

    def flat(arr, obj, axis=None):
        row = arr.ravel()
        marks = numpy.zeros(row.size, numpy.bool_)
        mark(marks, obj, 0)
        made, count = numpy.empty(row.size - numpy.count_nonzero(marks), row.dtype), 0
        for at in range(row.size):
            if not marks[at]:
                made[count] = row[at]
                count += 1
        return made

    def lines(arr, obj, axis=None):
        check_axis(arr, axis)
        along = axis % arr.ndim
        parts = numpy.moveaxis(arr, along, 0)
        marks = numpy.zeros(parts.shape[0], numpy.bool_)
        mark(marks, obj, along)
        made = numpy.empty((parts.shape[0] - numpy.count_nonzero(marks),) + parts.shape[1:], arr.dtype)
        count = 0
        for at in range(parts.shape[0]):
            if not marks[at]:
                made[count] = parts[at]
                count += 1
        return numpy.ascontiguousarray(numpy.moveaxis(made, 0, along))
    if is_absent(axis):
        return flat
    return (flat if arr.ndim == 1 else lines) if is_integer(axis) and arr.ndim else None


@library(numpy.insert, array_like="arr obj values", scalars="arr")
def insert(arr, obj, values, axis=None):
    if not is_movable(arr):
        raise TypingError("The first argument \"arr\" must be array-like")
    if isinstance(unliteral(obj), SliceType):
        return lambda arr, obj, values, axis=None: numpy.insert(arr, numpy.arange(arr.size)[obj], values, axis)
    if not (is_integer(obj) or is_array(obj) and isinstance(obj.dtype, (Integer, Boolean))):
        raise TypingError("The second argument \"obj\" must be an integer or an array of integers")
    if not (is_number(values) or is_movable(values) or is_time(values)):
        raise TypingError("The third argument \"values\" must be a number or an array of numbers")
    if not is_absent(axis):
        return _insert_along(arr, obj, values, axis)
    if not is_array(obj):
        return _insert_at
    if isinstance(obj.dtype, Boolean):
        return lambda arr, obj, values, axis=None: numpy.insert(arr, numpy.flatnonzero(obj), values, axis)
    return _insert_each


def _insert_along(arr, obj, values, axis):
    """What inserts parts of an array in front of an index along an axis."""
    if is_array(obj) or not is_array(arr) or not is_integer(axis):
        raise TypingError("insert along an axis takes an array, and an integer as the index")
    depth = values.ndim if is_array(values) else 0
    ndim = arr.ndim
    if depth > ndim:
        return None
    before = (1,) * (ndim - depth)

    def insert(arr, obj, values, axis=None):
        check_axis(arr, axis)
        lines, new = numpy.moveaxis(arr, axis, 0), numpy.asarray(values)
        new = new.reshape(before + new.shape)
        size, count = lines.shape[0], new.shape[0]
        raise_if(obj < -size or obj > size, "IndexError", _OUTSIDE, obj, axis, size)
        at = obj + size if obj < 0 else obj
        made = numpy.empty((size + count,) + lines.shape[1:], arr.dtype)
        made[:at] = lines[:at]
        made[at:at + count] = new
        made[at + count:] = lines[at:]
        return numpy.moveaxis(made, 0, axis)
    return insert


def _insert_at(arr, obj, values, axis=None):
    row, new = arr.ravel(), numpy.ravel(numpy.asarray(values))
    size = row.size
    raise_if(obj < -size or obj > size, "IndexError", _OUTSIDE, obj, 0, size)
    at = obj + size if obj < 0 else obj
    made = numpy.empty(size + new.size, row.dtype)
    made[:at] = row[:at]
    made[at:at + new.size] = new
    made[at + new.size:] = row[at:]
    return made


def _insert_each(arr, obj, values, axis=None):
    row, new, positions = arr.ravel(), numpy.ravel(numpy.asarray(values)), obj.ravel()
    size, count = row.size, positions.size
    if count == 1:
        return numpy.insert(arr, numpy.int64(positions[0]), values, axis)
    raise_if(new.size != count and new.size != 1, "ValueError",
             "shape mismatch: value array of shape ({},)  could not be broadcast to indexing result of shape ({},)",
             new.size, count)
    wanted = numpy.empty(count, numpy.int64)
    for at in range(count):
        index = numpy.int64(positions[at])
        raise_if(index < -size or index > size, "IndexError", _OUTSIDE, index, 0, size)
        wanted[at] = index + size if index < 0 else index
    order = numpy.argsort(wanted)
    made, taken, written = numpy.empty(size + count, row.dtype), 0, 0
    for at in range(count):
        number = order[at]
        while taken < wanted[number]:
            made[written] = row[taken]
            taken += 1
            written += 1
        made[written] = new[number if new.size > 1 else 0]
        written += 1
    made[written:] = row[taken:]
    return made


@library(numpy.trim_zeros, array_like="filt")
def trim_zeros(filt, trim="fb"):
    if not is_array(filt):
        raise TypingError("The first argument must be an array")
    if filt.ndim > 1:
        raise TypingError("array must be 1D")
    if not isinstance(trim, str) and not isinstance(unliteral(trim), UnicodeType):
        raise TypingError("The second argument must be a string")

    def trimmed(filt, trim="fb"):
        ends = trim.lower()
        front, back = "f" in ends, "b" in ends
        start, end = 0, filt.size
        while front and start < end and filt[start] == 0:
            start += 1
        while back and end > start and filt[end - 1] == 0:
            end -= 1
        return filt[start:end]
    return trimmed if isinstance(filt.dtype, (Number, Boolean)) and filt.ndim == 1 else None


# Items overwritten.

@library(numpy.copyto, array_like="src where", scalars="where", effects=Effects(mutates="dst"))
def copyto(dst, src, casting="same_kind", where=True):
    if not is_array(dst) or not (is_number(src) or is_numeric_array(src)):
        return None
    if not dst.mutable:
        raise TypingError(f"Cannot modify readonly array of type: {dst}")
    rule, given = literal(casting), as_dtype(src.dtype if is_array(src) else unliteral(src))
    if rule not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        raise TypingError("casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe', known when the function compiles")
    if is_array(src) and not numpy.can_cast(given, as_dtype(dst.dtype), rule):
        raise TypingError(f"Cannot cast array data from {given!r} to {as_dtype(dst.dtype)!r} according to the rule {rule!r}")
    if literal(where) is True:
        def copy_all(dst, src, casting="same_kind", where=True):
            dst[...] = src
        return copy_all
    if not is_array(where) or not isinstance(where.dtype, Boolean):
        return None

    def copy_where(dst, src, casting="same_kind", where=True):
        new, row, at = numpy.broadcast_to(src, dst.shape).flat, dst.flat, 0
        for wanted in numpy.broadcast_to(where, dst.shape).flat:
            if wanted:
                row[at] = new[at]
            at += 1
    return copy_where


@library(numpy.place, array_like="mask vals", effects=Effects(mutates="arr"))
def index(arr, mask, vals):
    if not is_numeric_array(arr) or not arr.mutable or not is_numeric_array(mask) or not is_numeric_array(vals):
        return None

    def put_where(arr, mask, vals):
        raise_if(mask.size != arr.size, "ValueError", "place: mask and data must be the same size")
        new, taken, at = vals.ravel(), 0, 0
        row = arr.flat
        for wanted in mask.flat:
            if wanted:
                raise_if(new.size == 0, "ValueError", "Cannot insert from an empty array!")
                row[at] = new[taken % new.size]
                taken += 1
            at += 1
    return put_where


@library(numpy.put, array_like="ind v", scalars="ind v", effects=Effects(mutates="a"))
def put(a, ind, v, mode="raise"):
    if not is_numeric_array(a) or not a.mutable or not is_numeric_array(ind) or not is_numeric_array(v):
        return None
    where = index_by_mode(mode)

    def put_each(a, ind, v, mode="raise"):
        new, row, size, taken = v.ravel(), a.flat, a.size, 0
        if not new.size:
            return
        raise_if(size == 0 and ind.size > 0, "IndexError", "cannot replace elements of an empty array")
        for at in ind.flat:
            row[where(at, size, 0)] = new[taken % new.size]
            taken += 1
    return put_each


@library("numpy.ndarray.put", effects=Effects(mutates="self"))
def array_put(self, indices, values, mode="raise"):
    known = literal(mode)
    return lambda self, indices, values, mode="raise": numpy.put(self, indices, values, known)
