"""`array`, `asarray` and the like, of numbers, lists, tuples, ranges and arrays.

The compiler itself writes numbers and tuples of them one by one; all that asks for loops is here.
"""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_copy, array_view, raise_if
from ...types import BaseTuple, Boolean, ListType, NoneType, Number, NumpyFlatType, RangeType, float64, unliteral
from ...types.convert import unify
from ...types.typeof import as_dtype
from .. import library
from .object_arrays import array_of_objects
from .copy_eye import check_like, isitem_of, literal, wanted_item
from .._predicates import each_of, is_absent, is_array, is_fixed_list, is_list
from .._array_like import is_number, is_sequence, is_time

_RAGGED = "setting an array element with a sequence. The requested array has an inhomogeneous shape"


@library(numpy.array)
def array(object, dtype=None, *, copy=True, order="K", ndmin=0):
    copies, least = literal(copy), literal(ndmin)
    of_objects = array_of_objects(object, dtype)
    if of_objects is not None and copies is True and least == 0:
        plain_objects = register_jitable(of_objects)
        return lambda object, dtype=None, *, copy=True, order="K", ndmin=0: plain_objects(object)
    if isinstance(object, NoneType):
        raise TypingError('The argument "object" must be array-like, and none is not')
    wanted_item("array", dtype, None)
    if copies is True and literal(order) == "K" and least == 0:
        found = _array_of(object, dtype, True)
        if not found:
            return None
        plain = register_jitable(found)
        return lambda object, dtype=None, *, copy=True, order="K", ndmin=0: plain(object, dtype)
    if copies is False and is_array(object) and literal(order) in ("K", "A", object.layout) and least <= object.ndim:
        if is_absent(dtype) or isitem_of(object, dtype):
            return lambda object, dtype=None, *, copy=True, order="K", ndmin=0: object
    if least not in (0, 1, 2, 3) or copies not in (True, None) or literal(order) not in ("C", "F", "K", "A"):
        return None
    convert = numpy.array if copies and literal(order) in "KA" else numpy.asarray
    item = wanted_item("array", dtype, None)
    laid = {"C": _in_rows, "F": _in_columns}.get(literal(order), _itself)
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
def asarray(a, dtype=None, order=None):
    if is_absent(order) or literal(order) in ("K", "A"):
        found = _array_of(a, dtype, False)
        if not found:
            return None
        made = register_jitable(found)
        return lambda a, dtype=None, order=None: made(a, dtype)
    laid = {"C": _in_rows, "F": _in_columns}.get(literal(order))
    item = wanted_item("asarray", dtype, None)
    if laid is None:
        return None
    if item is None:
        return lambda a, dtype=None, order=None: laid(numpy.asarray(a))
    return lambda a, dtype=None, order=None: laid(numpy.asarray(a, item))


def _array_of(object, dtype, copies):
    """What makes an array of such a value; None if that is not known."""
    if isinstance(object, RangeType):
        return _from_range(wanted_item("array", dtype, numpy.dtype(numpy.int64)))
    if isinstance(object, NumpyFlatType):
        return _from_flat(wanted_item("array", dtype, None), copies)
    found = _from_array(object, dtype, copies) or _stacked(object, dtype) or _from_list(object, dtype)
    found = found or (None if copies else _from_one(object, dtype))
    if isinstance(object, ListType) and not found:
        raise TypingError("asarray support for List is limited to Boolean and Number types")
    return found


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


def _from_flat(item, copies):
    if item is not None:
        return lambda object, dtype=None: numpy.array(object.base.ravel(), item)
    if copies:
        return lambda object, dtype=None: object.base.flatten()
    return lambda object, dtype=None: object.base.ravel()


def _from_range(item):
    def counted(object, dtype=None):
        made, at = numpy.empty(len(object), item), 0
        for number in object:
            made[at] = number
            at += 1
        return made
    return counted


def _from_array(object, dtype, copies):
    if not is_array(object):
        return None
    kept = "F" if object.layout == "F" else "C"
    if is_absent(dtype) or isitem_of(object, dtype):
        def copied(object, dtype=None):
            return array_copy(object, object.dtype, kept)

        def same(object, dtype=None):
            return object
        return copied if copies else same
    item = wanted_item("array", dtype, None)

    def converted(object, dtype=None):
        return array_copy(object, item, kept)
    return converted


def _from_list(object, dtype):
    """An array of the items of a list, or of lists of equal length in a list."""
    if not is_list(object):
        return None
    kind, depth = object.dtype, 1
    while is_list(kind):
        kind, depth = kind.dtype, depth + 1
    if isinstance(kind, BaseTuple):
        kind, depth = unify(*kind.types) if len(kind) else float64, depth + 1
    if kind is None or depth > 3 or not (isinstance(kind, (Number, Boolean)) or is_time(kind) or is_array(kind)):
        return None
    item = wanted_item("array", dtype, None)
    if is_array(kind):
        item = item or as_dtype(kind.dtype)
        return (lambda object, dtype=None: _fill_with_arrays(object, item)) if depth == 1 else None
    item = item or as_dtype(kind)
    fill = (_fill_1, _fill_2, _fill_3)[depth - 1]
    if depth == 2 and isinstance(object.dtype, BaseTuple):
        fill = _fill_of_tuples if len(object.dtype) else _fill_of_empty_tuples
    return lambda object, dtype=None: fill(object, item)


@register_jitable
def _fill_with_arrays(arrays, dtype):
    raise_if(len(arrays) == 0, "ValueError", "an array of no arrays has no known shape")
    first = arrays[0]
    result = numpy.empty((len(arrays),) + first.shape, dtype)
    for at in range(len(arrays)):
        raise_if(arrays[at].shape != first.shape, "ValueError", _RAGGED)
        result[at] = arrays[at]
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
        raise_if(len(rows[at]) != count, "ValueError", _RAGGED)
        for index in range(count):
            result[at, index] = rows[at][index]
    return result


@register_jitable
def _fill_of_tuples(rows, dtype):
    result = numpy.empty((len(rows), len(rows[0]) if len(rows) else 0), dtype)
    for at in range(len(rows)):
        result[at] = numpy.array(rows[at])
    return result


@register_jitable
def _fill_of_empty_tuples(rows, dtype):
    return numpy.empty((len(rows), 0), dtype)


@register_jitable
def _fill_3(planes, dtype):
    rows = len(planes[0]) if len(planes) else 0
    count = len(planes[0][0]) if rows else 0
    result = numpy.empty((len(planes), rows, count), dtype)
    for at in range(len(planes)):
        raise_if(len(planes[at]) != rows, "ValueError", _RAGGED)
        result[at] = _fill_2(planes[at], dtype)
    return result


# Tuples in which arrays and lists are.

def _stacked(object, dtype):
    """An array of arrays, lists and tuples, which stand in a tuple, or in a list of which nobody else knows."""
    item, convert = wanted_item("array", dtype, None), None
    if is_fixed_list(object):
        convert = register_jitable(lambda object: tuple(object))
    elif not isinstance(object, BaseTuple) or not len(object):
        return None
    elif is_time(object[0]) and all(one == object[0] for one in object):
        return _of_times(item or as_dtype(object[0]))
    elif not all(is_array(one) or is_sequence(one) or is_number(one) for one in object):
        return None
    elif not all(is_array(one) for one in object):
        convert = each_of([_itself if is_array(one) else _made for one in object])
    if convert and item is None:
        return lambda object, dtype=None: numpy.array(convert(object))
    if convert:
        return lambda object, dtype=None: numpy.array(convert(object), item)
    if len({one.ndim for one in object}) > 1:
        raise TypingError(f"type {object} does not have a regular shape")
    if item is None:
        item = numpy.result_type(*(as_dtype(one.dtype) for one in object))
    put = _putter(len(object) - 1, register_jitable((lambda a: a) if object[0].ndim else (lambda a: a[()])))

    def stacked(object, dtype=None):
        made = numpy.empty((len(object),) + object[0].shape, item)
        put(made, object)
        return made
    return stacked


def _of_times(item):
    def collected(object, dtype=None):
        made = numpy.empty(len(object), item)
        for at in range(len(object)):
            made[at] = object[at]
        return made
    return collected


def _made(items):
    return numpy.asarray(items)


def _putter(number, content):
    """What writes the first arrays of a tuple into an array of arrays."""
    before = _putter(number - 1, content) if number else register_jitable(lambda made, arrays: None)

    @register_jitable
    def put(made, arrays):
        before(made, arrays)
        raise_if(arrays[number].shape != arrays[0].shape, "ValueError",
                 "setting an array element with a sequence. The requested array has an inhomogeneous shape after "
                 "1 dimensions. The detected shape was {} + inhomogeneous part.", (len(arrays),))
        made[number] = content(arrays[number])
    return put


# What is one already, as far as it is.

@library(numpy.asanyarray)
def asanyarray(a, dtype=None, order=None):
    if is_array(a) or is_sequence(a) or is_number(a):
        return lambda a, dtype=None, order=None: numpy.asarray(a, dtype, order)


@library(numpy.asarray_chkfinite)
def asarray_chkfinite(a, dtype=None):
    if not (is_array(a) or is_sequence(a) or is_number(a)):
        raise TypingError("The argument to np.asarray_chkfinite must be array-like")
    if is_array(a) and is_time(a.dtype):
        return lambda a, dtype=None: numpy.asarray(a, dtype)

    def checked(a, dtype=None):
        made = numpy.asarray(a, dtype)
        for item in made.flat:
            if not numpy.isfinite(item):
                raise ValueError("array must not contain infs or NaNs")
        return made
    return checked


def _contiguous_of(function, layout):
    def contiguous(a, dtype=None):
        item = wanted_item(function.__name__, dtype, None)
        if item is not None and not (is_array(a) and isitem_of(a, dtype)):
            return lambda a, dtype=None: function(numpy.asarray(a, item))
        found = _contiguous(a, layout)
        if found:
            made = register_jitable(found)
            return lambda a, dtype=None: made(a)
    library(function, array_like="a")(contiguous)


def _contiguous(a, layout):
    check_like(a)
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


_contiguous_of(numpy.ascontiguousarray, "C")
_contiguous_of(numpy.asfortranarray, "F")
