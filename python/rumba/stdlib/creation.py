"""New arrays: `eye`, `diag`, arrays of arrays; arrays in another order; arrays over memory of C."""
import re

import numpy

from .. import pointers
from ..errors import TypingError
from ..extending import register_jitable
from ..special import array_at, array_bytes, array_copy, array_view, raise_if, room_items, room_like, room_set
from ..types import (
    BaseTuple, Boolean, Buffer, CPointer, Integer, ListType, Literal, Number, NumberClass, RawPointer, Record,
    UnicodeType, from_dtype, unliteral)
from ..types.convert import unify
from ..types.typeof import as_dtype
from . import library
from .kinds import each_of, is_absent, is_array, is_dtype, is_shape
from .likes import is_number, is_sequence, is_time
from .lists import is_list


def _literal(ty):
    """The value that a literal type, or a default, knows."""
    return getattr(ty, "literal_value", ty if isinstance(ty, (str, bool, type(None))) else getattr(ty, "value", ty))


# Copies and orders.

def _check_like(a):
    if not (is_array(a) or isinstance(unliteral(a), (Number, Boolean))):
        raise TypingError(f'The argument "a" must be array-like, which {a} is not')


@library(numpy.copy, likes="a")
def copy(a, order="K"):
    _check_like(a)
    if not is_array(a):
        return lambda a, order="K": numpy.array(a)
    layout = _order_of(a, order)
    if layout:
        def copied(a, order="K"):
            return array_copy(a, a.dtype, layout)
        return copied


@library("numpy.ndarray.copy")
def array_copy_in(self, order="C"):
    layout = _order_of(self, order)
    if layout:
        def copied(self, order="C"):
            return array_copy(self, self.dtype, layout)
        return copied


def _order_of(a, order):
    """The layout of a copy; None if that is not known."""
    order = _literal(order)
    if not is_array(a) or order not in ("C", "F", "A", "K"):
        return None
    kept = "F" if a.layout == "F" else "C"
    return kept if order in ("A", "K") else order


@library("numpy.ndarray.astype")
def array_astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    layout = _order_of(self, order)
    if isinstance(dtype, UnicodeType) and not isinstance(dtype, Literal):
        raise TypingError("array.astype if dtype is a string it must be constant: its value decides the type of the result")
    if is_array(self) and isinstance(item_of(dtype), Record) and not isinstance(self.dtype, Record):
        raise TypingError(f"cannot convert from {self.dtype} to {item_of(dtype)}: make the array of records, and write to its fields")
    if not layout or not is_dtype(dtype) or _literal(casting) != "unsafe" or not isinstance(_literal(copy), bool):
        return None

    def converted(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        return array_copy(self, dtype, layout)

    def same(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        return self
    may_stay = not _literal(copy) and (_literal(order) == "K" or layout == self.layout)
    return same if may_stay and _isitem_of(self, dtype) else converted


@library("numpy.ndarray.tobytes")
def array_tobytes(self, order="C"):
    layout = _order_of(self, order)
    if not layout or _literal(order) not in ("C", "F", "A") or self.layout == "A" and _literal(order) == "A":
        return None

    def bytes_of(self, order="C"):
        made = array_copy(self, self.dtype, layout)
        return array_bytes(array_view(made, numpy.uint8, 0, (made.nbytes,), (1,), "C"))
    return bytes_of


def _named(text):
    """The type of the items that a string names."""
    try:
        dtype = numpy.dtype(text)
    except TypeError:
        raise TypingError(f"Invalid NumPy dtype specified: '{text}'") from None
    return from_dtype(dtype)


def item_of(dtype):
    """The type of the items that a dtype means; None if that is not known."""
    if isinstance(dtype, Literal):
        return _named(dtype.literal_value)
    if isinstance(dtype, NumberClass):
        return dtype.instance_type
    named = re.fullmatch(r"Function\(builtins\.(float|int|complex|bool)\)", str(dtype))
    return from_dtype(numpy.dtype(named[1])) if named else None


def _isitem_of(array, dtype):
    """Whether a dtype is that of an array."""
    return item_of(dtype) == array.dtype


@library(numpy.array)
def array(object, dtype=None, *, copy=True, order="K", ndmin=0):
    copies, least = _literal(copy), _literal(ndmin)
    if copies is True and _literal(order) == "K" and least == 0:
        found = _from_array(object, dtype, True) or _stacked(object, dtype) or _from_list(object, dtype)
        if not found:
            return None
        plain = register_jitable(found)
        return lambda object, dtype=None, *, copy=True, order="K", ndmin=0: plain(object, dtype)
    if least not in (0, 1, 2, 3) or copies not in (True, None) or _literal(order) not in ("C", "F", "K", "A"):
        return None
    convert = numpy.array if copies and _literal(order) in "KA" else numpy.asarray
    item = None if is_absent(dtype) else as_dtype(item_of(dtype))
    laid = {"C": _in_rows, "F": _in_columns}.get(_literal(order), _itself)
    if copies and laid is not _itself:
        laid = register_jitable((lambda a: a.copy("C")) if laid is _in_rows else (lambda a: a.copy("F")))
    shaped = {0: _itself, 1: numpy.atleast_1d, 2: numpy.atleast_2d, 3: _leading_3d}[least]
    if is_absent(dtype):
        return lambda object, dtype=None, *, copy=True, order="K", ndmin=0: laid(shaped(convert(object)))
    return lambda object, dtype=None, *, copy=True, order="K", ndmin=0: laid(shaped(convert(object, item)))


@register_jitable
def _itself(a):
    return a


@register_jitable
def _in_rows(a):
    return numpy.ascontiguousarray(a)


@register_jitable
def _in_columns(a):
    return numpy.asfortranarray(a)


@register_jitable
def _leading_3d(a):
    return numpy.expand_dims(numpy.atleast_2d(a), 0) if a.ndim < 3 else a


@library(numpy.asarray)
def asarray(a, dtype=None):
    found = _from_array(a, dtype, False) or _stacked(a, dtype) or _from_list(a, dtype) or _from_one(a, dtype)
    if isinstance(a, ListType) and not found:
        raise TypingError("asarray support for List is limited to Boolean and Number types")
    if found:
        def as_array(a, dtype=None):
            return made(a, dtype)
        made = register_jitable(found)
        return as_array


def _from_array(object, dtype, copies):
    if not is_array(object):
        return None
    kept = "F" if object.layout == "F" else "C"
    if is_absent(dtype) or is_dtype(dtype) and _isitem_of(object, dtype):
        def copied(object, dtype=None):
            return array_copy(object, object.dtype, kept)

        def same(object, dtype=None):
            return object
        return copied if copies else same
    if is_dtype(dtype):
        def converted(object, dtype=None):
            return array_copy(object, dtype, kept)
        return converted


def _from_list(object, dtype):
    """An array of the items of a list, or of lists of equal length in a list."""
    if not is_list(object) or not (is_absent(dtype) or is_dtype(dtype)):
        return None
    kind, depth = object.dtype, 1
    while is_list(kind):
        kind, depth = kind.dtype, depth + 1
    if isinstance(kind, BaseTuple) and len(kind):
        kind, depth = unify(*kind.types), depth + 1
    if kind is None or depth > 3 or not isinstance(kind, (Number, Boolean)) and not is_array(kind):
        return None
    if is_array(kind):
        return _from_list_of_arrays if depth == 1 and is_absent(dtype) else None
    item = as_dtype(kind if is_absent(dtype) else item_of(dtype))
    fill = (_fill_1, _fill_2, _fill_3)[depth - 1]
    if depth == 2 and isinstance(object.dtype, BaseTuple):
        fill = _fill_of_tuples

    def listed(object, dtype=None):
        return fill(object, item)
    return listed


def _from_list_of_arrays(object, dtype=None):
    if len(object) == 0:
        raise ValueError("an array of no arrays has no known shape")
    first = object[0]
    result = numpy.empty((len(object),) + first.shape, first.dtype)
    for at in range(len(object)):
        if object[at].shape != first.shape:
            raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")
        result[at] = object[at]
    return result


@register_jitable
def _fill_1(items, dtype):
    result = numpy.empty(len(items), dtype)
    for at in range(len(items)):
        result[at] = items[at]
    return result


@register_jitable
def _fill_2(rows, dtype):
    count = len(rows[0]) if len(rows) else 0
    result = numpy.empty((len(rows), count), dtype)
    for at in range(len(rows)):
        if len(rows[at]) != count:
            raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")
        for place in range(count):
            result[at, place] = rows[at][place]
    return result


@register_jitable
def _fill_of_tuples(rows, dtype):
    result = numpy.empty((len(rows), len(rows[0]) if len(rows) else 0), dtype)
    for at in range(len(rows)):
        result[at] = numpy.array(rows[at])
    return result


@register_jitable
def _fill_3(planes, dtype):
    rows = len(planes[0]) if len(planes) else 0
    count = len(planes[0][0]) if rows else 0
    result = numpy.empty((len(planes), rows, count), dtype)
    for at in range(len(planes)):
        if len(planes[at]) != rows:
            raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape")
        result[at] = _fill_2(planes[at], dtype)
    return result


def _stacked(object, dtype):
    """An array of arrays of one type, which stand in a tuple, or in a list of which nobody else knows."""
    if str(object).startswith("list(") and is_absent(dtype):
        def listed(object, dtype=None):
            return numpy.array(tuple(object))
        return listed
    if not isinstance(object, BaseTuple):
        return None
    if not all(is_array(one) for one in object) or len(set(object)) > 1 or not is_absent(dtype):
        return _converted(object, dtype)
    inside = (0,) * (object[0].ndim + 1)

    def numbers(object, dtype=None):
        made = numpy.empty(len(object), object[0].dtype)
        for number in range(len(object)):
            made[number] = object[number][()]
        return made

    def stacked(object, dtype=None):
        first = object[0]
        lengths = room_like(inside, 0)
        room_set(lengths, 0, len(object))
        for at in range(first.ndim):
            room_set(lengths, at + 1, first.shape[at])
        for number in range(1, len(object)):
            raise_if(object[number].shape != first.shape, "ValueError",
                     "setting an array element with a sequence. The requested array has an inhomogeneous shape after "
                     "1 dimensions. The detected shape was {} + inhomogeneous part.", (len(object),))
        made = numpy.empty(tuple(room_items(lengths)), first.dtype)
        for number in range(len(object)):
            made[number] = object[number]
        return made
    return stacked if object[0].ndim else numbers


def _leaf(ty):
    """The dtype that holds the numbers of a sequence, however deep they lie; None if it holds others."""
    if is_array(ty) or is_list(ty):
        return _leaf(ty.dtype)
    if isinstance(ty, BaseTuple):
        inner = [_leaf(one) for one in ty] or [numpy.dtype(numpy.float64)]
        return numpy.result_type(*inner) if all(one is not None for one in inner) else None
    return as_dtype(unliteral(ty)) if is_number(ty) else None


def _converted(object, dtype):
    """An array of what stands in a tuple, of which arrays of one type and layout are made first."""
    if not all(is_array(one) or is_sequence(one) for one in object) or not (is_absent(dtype) or is_dtype(dtype)):
        return None
    item = _leaf(object) if is_absent(dtype) else as_dtype(item_of(dtype))
    if not len(object):
        return lambda object, dtype=None: numpy.empty(0, item)
    if item is None:
        return None

    def in_rows(one):
        return numpy.ascontiguousarray(numpy.asarray(one, item))

    def as_number(one):
        return numpy.asarray(one, item)
    each = each_of([in_rows if not is_array(one) or one.ndim else as_number for one in object])

    def stacked(object, dtype=None):
        return numpy.array(each(object))
    return stacked


def _from_one(object, dtype):
    """An array without dimensions of a time, or of a string that the compiler knows."""
    text = getattr(object, "literal_value", None)
    if is_time(object) and is_absent(dtype):
        item = as_dtype(object)
        return lambda object, dtype=None: numpy.full((), object, item)
    if not isinstance(text, str) or not is_absent(dtype):
        return None
    known = numpy.asarray(text)
    return lambda object, dtype=None: known.copy()


@library(numpy.asanyarray)
def asanyarray(a, dtype=None):
    if is_array(a) or is_sequence(a) or is_number(a):
        return lambda a, dtype=None: numpy.asarray(a, dtype)


@library(numpy.asarray_chkfinite)
def asarray_chkfinite(a, dtype=None):
    if not (is_array(a) or is_sequence(a) or is_number(a)):
        raise TypingError("The argument to np.asarray_chkfinite must be array-like")

    def checked(a, dtype=None):
        made = numpy.asarray(a, dtype)
        for item in made.flat:
            if not numpy.isfinite(item):
                raise ValueError("array must not contain infs or NaNs")
        return made
    return checked


@library(numpy.ascontiguousarray, likes="a")
def ascontiguousarray(a):
    return _contiguous(a, "C")


@library(numpy.asfortranarray, likes="a")
def asfortranarray(a):
    return _contiguous(a, "F")


def _contiguous(a, layout):
    _check_like(a)
    if isinstance(unliteral(a), (Number, Boolean)):
        return lambda a: numpy.array((a,))
    if not is_array(a):
        return None

    def number(a):
        return array_view(a, a.dtype, 0, (1,), (1,), "C")

    def same(a):
        return a

    def copied(a):
        return array_copy(a, a.dtype, layout)

    def rows(a):
        if a.flags.c_contiguous:
            return array_view(a, a.dtype, 0, a.shape, a.shape, "C")
        return array_copy(a, a.dtype, "C")

    def columns(a):
        if a.flags.f_contiguous:
            return array_view(a, a.dtype, 0, a.shape, a.shape, "F")
        return array_copy(a, a.dtype, "F")
    if a.ndim == 0:
        return number
    if a.layout == layout or a.ndim == 1 and a.layout == "C":
        return same
    if not a.mutable or a.layout != "A":
        # A copy may be written, and whether there is one is a matter of the type.
        return copied
    return rows if layout == "C" else columns


# What strings name as items, where the compiler does not know it.

def _of_shape(function):
    def made(shape, dtype=float):
        if not isinstance(dtype, Literal):
            return None
        item = as_dtype(_named(dtype.literal_value))
        return lambda shape, dtype=float: function(shape, item)
    library(function)(made)


_of_shape(numpy.zeros)
_of_shape(numpy.ones)
_of_shape(numpy.empty)


@library(numpy.full)
def full(shape, fill_value, dtype=None):
    if isinstance(dtype, Literal):
        item = as_dtype(_named(dtype.literal_value))
        return lambda shape, fill_value, dtype=None: numpy.full(shape, fill_value, item)


# Like numbers.

def _like_number(function, make):
    """`zeros_like` and so on of a number: an array without dimensions."""
    def like(a, dtype=None):
        if isinstance(dtype, Literal):
            _named(dtype.literal_value)
        if not isinstance(unliteral(a), (Number, Boolean, Record)) or not (is_absent(dtype) or is_dtype(dtype)):
            return None
        item = as_dtype(unliteral(a) if is_absent(dtype) else item_of(dtype))

        def made(a, dtype=None):
            return make((), item)
        return made

    def like_prototype(prototype, dtype=None):
        found = like(prototype, dtype)
        if found:
            made = register_jitable(found)
            return lambda prototype, dtype=None: made(prototype, dtype)
    if function is numpy.empty_like:
        library(function, likes="prototype")(like_prototype)
    else:
        library(function, likes="a")(like)


_like_number(numpy.zeros_like, numpy.zeros)
_like_number(numpy.ones_like, numpy.ones)
_like_number(numpy.empty_like, numpy.empty)


@library(numpy.full_like, likes="a")
def full_like(a, fill_value, dtype=None):
    if isinstance(dtype, Literal):
        _named(dtype.literal_value)
    if isinstance(unliteral(a), (Number, Boolean)) and (is_absent(dtype) or is_dtype(dtype)):
        item = as_dtype(unliteral(a) if is_absent(dtype) else item_of(dtype))

        def made(a, fill_value, dtype=None):
            return numpy.full((), fill_value, item)
        return made


# Matrices.

@library(numpy.eye)
def eye(N, M=None, k=0, dtype=float):
    integers = all(isinstance(one, int) or is_absent(one) or isinstance(unliteral(one), Integer) for one in (N, M, k))
    if not integers or not (dtype is float or is_dtype(dtype) or is_absent(dtype)):
        return None

    item = _items_or_floats(dtype)

    def matrix(N, M=None, k=0, dtype=float):
        return _eye(N, M, k, item)

    def square(N, M=None, k=0, dtype=float):
        return _eye(N, N, k, item)
    return square if is_absent(M) else matrix


def _items_or_floats(dtype):
    """The dtype that is asked for; that of floats where none is."""
    return numpy.dtype(float) if dtype is float or is_absent(dtype) else as_dtype(item_of(dtype))


@register_jitable
def _eye(rows, columns, k, dtype):
    made = numpy.zeros((rows, columns), dtype)
    for at in range(max(0, -k), min(rows, columns - k)):
        made[at, at + k] = 1
    return made


@library(numpy.identity)
def identity(n, dtype=None):
    if not isinstance(unliteral(n), Integer) or not (is_dtype(dtype) or is_absent(dtype)):
        return None

    item = _items_or_floats(dtype)

    def matrix(n, dtype=None):
        return _eye(n, n, 0, item)
    return matrix


@library(numpy.diag, likes="v")
def diag(v, k=0):
    if not is_array(v):
        return None
    return {1: _spread_diagonal, 2: _take_diagonal}.get(v.ndim, _refuse_diag)


def _spread_diagonal(v, k=0):
    n = v.size + abs(k)
    made = numpy.zeros((n, n), v.dtype)
    for at in range(v.size):
        made[at + max(0, -k), at + max(0, k)] = v[at]
    return made


def _take_diagonal(v, k=0):
    start_row, start_column = max(0, -k), max(0, k)
    made = numpy.empty(max(0, min(v.shape[0] - start_row, v.shape[1] - start_column)), v.dtype)
    for at in range(made.size):
        made[at] = v[at + start_row, at + start_column]
    return made


def _refuse_diag(v, k=0):
    raise_if(True, "ValueError", "Input must be 1- or 2-d.")
    return v


@library(numpy.fill_diagonal, likes="val")
def fill_diagonal(a, val, wrap=False):
    if is_array(a) and a.ndim < 2:
        raise TypingError("The first argument must be at least 2-D (found {}-D)".format(a.ndim))
    if is_array(a) and is_array(val) and a.mutable and isinstance(val.dtype, (Number, Boolean)):
        return _fill_diagonal_with if a.ndim == 2 else _fill_long_diagonal_with
    if is_array(a) and a.ndim >= 2 and a.mutable and isinstance(unliteral(val), (Number, Boolean)):
        return _fill_diagonal if a.ndim == 2 else _fill_long_diagonal


def _fill_diagonal(a, val, wrap=False):
    rows, columns = a.shape
    if columns == 0:
        return
    for at in range(min(rows, columns)):
        a[at, at] = val
    if wrap:
        # Behind each full diagonal one row is left out.
        for row in range(columns + 1, rows):
            if row % (columns + 1) < columns:
                a[row, row % (columns + 1)] = val


def _fill_diagonal_with(a, val, wrap=False):
    """One of the values after the other, over and over."""
    rows, columns = a.shape
    items, taken = val.ravel(), 0
    if columns == 0 or items.size == 0:
        return
    for row in range(rows if wrap else min(rows, columns)):
        if row % (columns + 1) < columns:
            a[row, row % (columns + 1)] = items[taken % items.size]
            taken += 1


def _fill_long_diagonal_with(a, val, wrap=False):
    items = val.ravel()
    for at in range(a.ndim):
        raise_if(a.shape[at] != a.shape[0], "ValueError", "All dimensions of input must be of equal length")
    step = 1
    for at in range(a.ndim - 1):
        step = step * a.shape[0] + 1
    for at in range(a.shape[0]):
        if items.size:
            a.flat[at * step] = items[at % items.size]


def _fill_long_diagonal(a, val, wrap=False):
    for at in range(a.ndim):
        raise_if(a.shape[at] != a.shape[0], "ValueError", "All dimensions of input must be of equal length")
    step = 1
    for at in range(a.ndim - 1):
        step = step * a.shape[0] + 1
    for at in range(a.shape[0]):
        a.flat[at * step] = val


# Memory of C.

@library(pointers.carray)
def carray(ptr, shape, dtype=None):
    return _over(ptr, shape, dtype, "C")


@library(pointers.farray)
def farray(ptr, shape, dtype=None):
    return _over(ptr, shape, dtype, "F")


@library(numpy.frombuffer)
def frombuffer(buffer, dtype=float, count=-1, offset=0):
    """What the compiler does itself is not asked for here: why it could not."""
    if isinstance(dtype, UnicodeType) and not isinstance(dtype, Literal):
        raise TypingError("If np.frombuffer dtype is a string it must be a string constant.")
    if not isinstance(buffer, Buffer):
        raise TypingError(f'Argument "buffer" must be buffer-like, which {buffer} is not')


def _over(ptr, shape, dtype, layout):
    given = None if is_absent(dtype) else item_of(dtype)
    if not isinstance(ptr, (RawPointer, CPointer)) or not (is_shape(shape) or isinstance(unliteral(shape), Integer)):
        return None
    own = getattr(ptr, "dtype", None)
    if own is None and given is None:
        raise TypingError("explicit dtype required for void* argument")
    if own is not None and given is not None and own != given:
        raise TypingError(f"mismatching dtype '{given}' for pointer type '{ptr}'")
    item = as_dtype(given or own)

    def over(ptr, shape, dtype=None):
        return array_at(ptr, item, shape, layout)
    return over
