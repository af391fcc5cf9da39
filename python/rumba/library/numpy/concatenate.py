"""`concatenate`, `stack` and the like, `resize`."""
import numpy

from ... import source_text
from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if, scratch, scratch_items, scratch_like, scratch_set
from ...types import BaseTuple, Boolean, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import each_of, is_absent, is_array, is_fixed_list, is_list, is_shape, length
from .._array_like import is_number, is_sequence
from ._axis import literal
from .copy_eye import item_of
from .views import at_least


def _is_axis(ty):
    return isinstance(ty, int) or isinstance(unliteral(ty), Integer)


def _check_arrays(arrays):
    """Refuses what is no tuple of arrays. """
    if not isinstance(arrays, BaseTuple) or not len(arrays) or not all(is_array(one) for one in arrays):
        raise TypingError("expecting a non-empty tuple of arrays")


def _common_item(arrays):
    """The dtype that the items of all convert to."""
    try:
        return numpy.result_type(*(as_dtype(one.dtype) for one in arrays))
    except TypeError as error:
        raise TypingError(f"input arrays must have compatible dtypes: {error}") from None


def _as_arrays(arrays):
    """What makes a tuple of arrays of a tuple in which lists, tuples and numbers are, too; None where none is."""
    if not isinstance(arrays, BaseTuple) or not len(arrays) or all(is_array(one) for one in arrays):
        return None
    if not all(is_array(one) or is_sequence(one) or is_number(one) for one in arrays):
        return None
    return each_of([_itself if is_array(one) else _array_of for one in arrays])


def _itself(array):
    return array


def _array_of(items):
    return numpy.asarray(items)


def _rows_of_list(arrays):
    """Whether a list holds arrays of one type; "lists" where it holds lists or tuples of numbers."""
    if not is_list(arrays):
        return None
    if is_array(arrays.dtype):
        return "arrays"
    return "lists" if is_sequence(arrays.dtype) or is_number(arrays.dtype) else None


@library(numpy.concatenate)
def concatenate(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
    found = _joining(arrays, axis)
    if found is None or literal(casting) != "same_kind":
        return None
    join = register_jitable(found)
    if not is_absent(dtype):
        if not is_absent(out):
            raise TypingError("concatenate() only takes `out` or `dtype` as an argument, but both were provided.")
        if item_of(dtype) is None or not _is_kept_by(arrays, item_of(dtype)):
            return None
        return lambda arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind": join(arrays, axis).astype(dtype)
    if is_absent(out):
        return lambda arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind": join(arrays, axis)
    if not is_array(out) or not out.mutable or not _is_kept_by(arrays, out.dtype):
        return None
    if isinstance(arrays, BaseTuple) and all(is_array(one) and one.ndim == out.ndim for one in arrays) and not is_absent(axis):
        return _joiner_into(len(arrays), out.ndim)

    def into(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
        made = join(arrays, axis)
        raise_if(made.shape != out.shape, "ValueError", _WRONG_SHAPE)
        out[...] = made
        return out
    return into


_WRONG_SHAPE = "Output array is the wrong shape"


def _joiner_into(count, ndim):
    """What writes arrays behind each other into one that is given."""
    measure, put = _measurer(count - 1), _putter(count - 1, False)

    def into(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"):
        raise_if(axis < -ndim or axis >= ndim, "AxisError", _OUTSIDE, axis, ndim)
        along = axis % ndim
        total = measure(arrays, along)
        for at in range(ndim):
            raise_if(out.shape[at] != (total if at == along else arrays[0].shape[at]), "ValueError", _WRONG_SHAPE)
        put(numpy.moveaxis(out, along, 0), arrays, along)
        return out
    return into


def _is_kept_by(arrays, item):
    """Refuses items for the result that are of another kind than those that are joined."""
    types = [one.dtype for one in arrays if is_array(one)] if length(arrays) is not None else [arrays.dtype.dtype] if is_list(
        arrays) and is_array(arrays.dtype) else []
    for one in types:
        given, wanted = as_dtype(one), as_dtype(item)
        if not numpy.can_cast(given, wanted, "same_kind"):
            raise TypingError(f"Cannot cast array data from {given!r} to {wanted!r} according to the rule 'same_kind'")
    return True


def _joining(arrays, axis):
    """What joins arrays along an axis; None if there is no such thing."""
    if is_fixed_list(arrays):
        return lambda arrays, /, axis=0: numpy.concatenate(tuple(arrays), axis)
    if is_array(arrays) and arrays.ndim > 1:
        return _join_parts if _is_axis(axis) else None
    held = _rows_of_list(arrays)
    if held == "arrays" and arrays.dtype.ndim:
        if is_absent(axis):
            return lambda arrays, /, axis=0: _join_list([one.ravel() for one in arrays], 0)
        return (lambda arrays, /, axis=0: _join_list(arrays, axis)) if _is_axis(axis) else None
    if held == "lists" and not is_number(arrays.dtype):
        return lambda arrays, /, axis=0: numpy.concatenate([numpy.asarray(one) for one in arrays], axis)
    if not is_absent(axis) and isinstance(arrays, BaseTuple) and any(map(is_number, arrays)):
        raise TypingError("expecting a non-empty tuple of arrays: zero-dimensional arrays cannot be concatenated")
    convert = _as_arrays(arrays)
    if convert:
        return lambda arrays, /, axis=0: numpy.concatenate(convert(arrays), axis)
    _check_arrays(arrays)
    if is_absent(axis):
        rows = each_of([_row_of] * len(arrays))
        return lambda arrays, /, axis=0: numpy.concatenate(rows(arrays))
    if not _is_axis(axis):
        return None
    if len({one.ndim for one in arrays}) > 1:
        raise TypingError("all the input arrays must have same number of dimensions")
    if not arrays[0].ndim:
        return _refuse_numbers
    join = _joiner(arrays)
    return lambda arrays, /, axis=0: join(arrays, axis)


def _row_of(array):
    return array.ravel()


def _join_parts(arrays, /, axis=0):
    return _join_list([arrays[at] for at in range(arrays.shape[0])], axis)


_NOTHING = "need at least one array to concatenate"


@register_jitable
def _join_list(arrays, axis):
    """The arrays of a list behind each other."""
    raise_if(len(arrays) == 0, "ValueError", _NOTHING)
    first = arrays[0]
    ndim = first.ndim
    raise_if(axis < -ndim or axis >= ndim, "AxisError", _OUTSIDE, axis, ndim)
    along, lengths, total = axis % ndim, scratch(first.shape), 0
    for number in range(len(arrays)):
        one = arrays[number]
        total += one.shape[along]
        for at in range(ndim):
            raise_if(at != along and one.shape[at] != first.shape[at], "ValueError", _APART,
                     at, first.shape[at], number, one.shape[at])
    scratch_set(lengths, along, total)
    made, start = numpy.empty(tuple(scratch_items(lengths)), first.dtype), 0
    parts = numpy.moveaxis(made, along, 0)
    for one in arrays:
        end = start + one.shape[along]
        numpy.moveaxis(parts[start:end], 0, along)[...] = one
        start = end
    return made


def _refuse_numbers(arrays, /, axis=0):
    raise_if(True, "ValueError", "zero-dimensional arrays cannot be concatenated")
    return arrays[0]


_OUTSIDE = "axis {} is out of bounds for array of dimension {}"
_APART = ("all the input array dimensions except for the concatenation axis must match exactly, but along dimension {}, "
          "the array at index 0 has size {} and the array at index {} has size {}")


# Parts of fewer items are written array by array.
_FEW_ITEMS = 64


def _joiner(arrays):
    """What joins arrays like these along an axis."""
    item, ndim, count = _common_item(arrays), arrays[0].ndim, len(arrays)
    layout = "F" if all(one.layout == "F" for one in arrays) and ndim > 1 else "C"
    indices = (0,) * ndim
    measure, put = _measurer(count - 1), _putter(count - 1, layout == "F")
    # Part by part, so that the memory of the result is touched once.
    in_rows, put_part = ndim > 1 and all(one.layout == "C" for one in arrays), _part_putter(count - 1)

    @register_jitable
    def join(arrays, axis):
        raise_if(axis < -ndim or axis >= ndim, "AxisError", _OUTSIDE, axis, ndim)
        along = axis + ndim if axis < 0 else axis
        lengths = scratch(arrays[0].shape)
        scratch_set(lengths, along, measure(arrays, along))
        shape = tuple(scratch_items(lengths))
        if layout == "F":
            turned = scratch_like(indices, 0)
            for at in range(ndim):
                scratch_set(turned, at, shape[ndim - 1 - at])
            made = numpy.empty(tuple(scratch_items(turned)), item).T
        else:
            made = numpy.empty(shape, item)
        parts = 1
        for at in range(along):
            parts *= shape[at]
        if in_rows and made.size > _FEW_ITEMS * parts:
            items, start = made.reshape(-1), 0
            for part in range(parts):
                start = put_part(items, arrays, part, parts, start)
        else:
            put(numpy.moveaxis(made, along, 0), arrays, along)
        return made
    return join


def _part_putter(number):
    """What writes a part of each of the first arrays behind each other, from a place on, and gives the place behind them; the arrays have so many
    parts, which lie one after the other in memory."""
    if number < 0:
        return register_jitable(lambda items, arrays, part, parts, start: start)
    before = _part_putter(number - 1)

    @register_jitable
    def put(items, arrays, part, parts, start):
        begin, own = before(items, arrays, part, parts, start), arrays[number].reshape(-1)
        size = own.size // parts
        items[begin:begin + size] = own[part * size:(part + 1) * size]
        return begin + size
    return put


def _measurer(number):
    """What gives the length of the first arrays along an axis, and refuses those that do not fit."""
    if number == 0:
        return register_jitable(lambda arrays, along: arrays[0].shape[along])
    before = _measurer(number - 1)

    @register_jitable
    def measure(arrays, along):
        first, own = arrays[0], arrays[number]
        total = before(arrays, along)
        for at in range(own.ndim):
            raise_if(at != along and own.shape[at] != first.shape[at], "ValueError", _APART,
                     at, first.shape[at], number, own.shape[at])
        return total + own.shape[along]
    return measure


def _putter(number, by_columns):
    """What writes the first arrays behind each other, and gives the place behind them. Items are written in the order in which they
    lie in memory."""
    if number < 0:
        return register_jitable(lambda made, arrays, along: 0)
    before = _putter(number - 1, by_columns)
    turned = register_jitable((lambda array: array.T) if by_columns else (lambda array: array))

    @register_jitable
    def put(made, arrays, along):
        start = before(made, arrays, along)
        end = start + arrays[number].shape[along]
        part = numpy.moveaxis(made[start:end], 0, along)
        turned(part)[...] = turned(arrays[number])
        return end
    return put


@library(numpy.stack)
def stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
    found = _stacking(arrays, axis)
    if found is None or literal(casting) != "same_kind":
        return None
    join = register_jitable(found)
    if not is_absent(dtype):
        if item_of(dtype) is None or not _is_kept_by(arrays, item_of(dtype)):
            return None
        return (lambda arrays, axis=0, out=None, *, dtype=None, casting="same_kind": join(arrays, axis).astype(dtype)) if is_absent(
            out) else None
    if is_absent(out):
        return lambda arrays, axis=0, out=None, *, dtype=None, casting="same_kind": join(arrays, axis)
    if is_array(out) and out.mutable and _is_kept_by(arrays, out.dtype):
        def into(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"):
            made = join(arrays, axis)
            raise_if(made.shape != out.shape, "ValueError", "Output array is the wrong shape")
            out[...] = made
            return out
        return into


def _stacking(arrays, axis):
    """What joins arrays along a new axis; None if there is no such thing."""
    if is_fixed_list(arrays):
        return lambda arrays, axis=0: numpy.stack(tuple(arrays), axis)
    held = _rows_of_list(arrays)
    if held == "arrays":
        return lambda arrays, axis=0: _stack_list(arrays, axis)
    if held == "lists":
        return lambda arrays, axis=0: numpy.stack([numpy.asarray(one) for one in arrays], axis)
    convert = _as_arrays(arrays)
    if convert:
        return lambda arrays, axis=0: numpy.stack(convert(arrays), axis)
    _check_arrays(arrays)
    if not _is_axis(axis):
        return None
    if len({one.ndim for one in arrays}) > 1:
        raise TypingError("all input arrays must have the same shape")
    same, longer = _same_shapes(len(arrays) - 1), _expander(len(arrays) - 1)
    ndim = arrays[0].ndim + 1

    def stacked(arrays, axis=0):
        same(arrays)
        raise_if(axis < -ndim or axis >= ndim, "AxisError", _OUTSIDE, axis, ndim)
        return numpy.concatenate(longer(arrays, axis), axis)
    return stacked


@register_jitable
def _stack_list(arrays, axis):
    raise_if(len(arrays) == 0, "ValueError", "need at least one array to stack")
    for number in range(len(arrays)):
        raise_if(arrays[number].shape != arrays[0].shape, "ValueError", "all input arrays must have the same shape")
    made = numpy.empty((len(arrays),) + arrays[0].shape, arrays[0].dtype)
    for number in range(len(arrays)):
        made[number] = arrays[number]
    ndim = made.ndim
    raise_if(axis < -ndim or axis >= ndim, "AxisError", _OUTSIDE, axis, ndim)
    return numpy.ascontiguousarray(numpy.moveaxis(made, 0, axis))


def _same_shapes(number):
    if number == 0:
        return register_jitable(lambda arrays: None)
    before = _same_shapes(number - 1)

    @register_jitable
    def check(arrays):
        before(arrays)
        raise_if(arrays[number].shape != arrays[0].shape, "ValueError", "all input arrays must have the same shape")
    return check


def _expander(number):
    """What gives the first arrays one more dimension."""
    if number == 0:
        return register_jitable(lambda arrays, axis: (numpy.expand_dims(arrays[0], axis),))
    before = _expander(number - 1)
    return register_jitable(lambda arrays, axis: before(arrays, axis) + (numpy.expand_dims(arrays[number], axis),))


def _stacker(function, shaped, axis_of):
    """`hstack` and its like: arrays with enough dimensions, joined along an axis."""
    def stacking(tup):
        if is_fixed_list(tup):
            return lambda tup: function(tuple(tup))
        if is_array(tup) and tup.ndim > 1:
            return lambda tup: function([tup[at] for at in range(tup.shape[0])])
        held = _rows_of_list(tup)
        if held == "arrays":
            shape, axis = register_jitable(shaped(tup.dtype)), axis_of(tup.dtype.ndim)
            return lambda tup: _join_list([shape(one) for one in tup], axis)
        if held == "lists":
            return lambda tup: function([numpy.asarray(one) for one in tup])
        convert = _as_arrays(tup)
        if convert:
            return lambda tup: function(convert(tup))
        _check_arrays(tup)
        each, axis = each_of([shaped(one) for one in tup]), axis_of(max(one.ndim for one in tup))
        return lambda tup: numpy.concatenate(each(tup), axis)
    library(function)(stacking)


def _as_column(array):
    return (lambda a: a) if array.ndim > 1 else (lambda a: numpy.atleast_1d(a)[:, None])


_stacker(numpy.hstack, lambda one: at_least(one, 1), lambda ndim: 0 if ndim < 2 else 1)
_stacker(numpy.vstack, lambda one: at_least(one, 2), lambda ndim: 0)
if hasattr(numpy, "row_stack"):
    _stacker(numpy.row_stack, lambda one: at_least(one, 2), lambda ndim: 0)
_stacker(numpy.dstack, lambda one: at_least(one, 3), lambda ndim: 2)
_stacker(numpy.column_stack, _as_column, lambda ndim: 1)


# Blocks: lists of lists whose innermost are joined along the last axis, those around them along the one before.

@library(numpy.block)
def block(arrays):
    if not _is_leaf(arrays) and length(arrays) is None:
        return None
    depth, ndim = _measure(arrays)
    if depth is None:
        return None
    joined = _joined(arrays, depth, max(depth, ndim))
    if depth == 0:
        return lambda arrays: joined(arrays).copy()
    if depth == 2 and all(is_array(one) and one.ndim == 2 for row in arrays for one in row):
        return _matrix_of_blocks(arrays, joined)
    return lambda arrays: joined(arrays)


def _matrix_of_blocks(arrays, joined):
    """What copies matrices into one; those that do not fit each other are left to `joined`, which raises."""
    item = _common_item([one for row in arrays for one in row])
    widths = [" + ".join(f"arrays[{at}][{number}].shape[1]" for number in range(len(row))) for at, row in enumerate(arrays)]
    body, fits = ["top = 0"], [f"{width} == width" for width in widths[1:]]
    for at, row in enumerate(arrays):
        fits += [f"arrays[{at}][{number}].shape[0] == arrays[{at}][0].shape[0]" for number in range(1, len(row))]
        # Row by row, so that the memory of the result is touched once.
        body += [f"for line in range(arrays[{at}][0].shape[0]):", "    left = 0"]
        for number in range(len(row)):
            body += [f"    part = arrays[{at}][{number}]", "    made[top, left:left + part.shape[1]] = part[line]",
                     "    left += part.shape[1]"]
        body.append("    top += 1")
    height = " + ".join(f"arrays[{at}][0].shape[0]" for at in range(len(arrays)))
    head = [f"width = {widths[0]}", f"if not ({' and '.join(fits) or 'True'}):", "    return joined(arrays)",
            f"made = numpy.empty(({height}, width), item)"]
    return source_text.function("call(arrays)", [*head, *body, "return made"], {"joined": joined, "numpy": numpy, "item": item})


def _is_leaf(ty):
    return is_array(ty) or is_number(ty)


def _measure(ty):
    """How deep lists lie in each other, and the most dimensions of their arrays; None for other types."""
    if _is_leaf(ty):
        return 0, ty.ndim if is_array(ty) else 0
    if not is_fixed_list(ty):
        return None, 0
    found = [_measure(one) for one in ty]
    depths = {depth for depth, _ in found}
    if None in depths or not found:
        return None, 0
    if len(depths) > 1:
        raise TypingError("List depths are mismatched: all lists of numpy.block must be nested equally deep")
    return depths.pop() + 1, max(ndim for _, ndim in found)


def _joined(ty, depth, ndim):
    """What makes one array of so many dimensions of lists that lie in each other."""
    if depth == 0:
        ones = (1,) * (ndim - (ty.ndim if is_array(ty) else 0))
        return register_jitable(lambda array: numpy.asarray(array).reshape(ones + numpy.shape(array)))
    parts, axis = each_of([_joined(one, depth - 1, ndim) for one in ty]), ndim - depth
    return register_jitable(lambda arrays: numpy.concatenate(parts(tuple(arrays)), axis))


@library(numpy.resize, array_like="a")
def resize(a, new_shape):
    if isinstance(unliteral(a), (Number, Boolean)):
        return lambda a, new_shape: numpy.resize(numpy.array(a), new_shape)
    if not is_array(a):
        raise TypingError('The argument "a" must be array-like')
    if not (_is_axis(new_shape) or is_shape(new_shape)):
        raise TypingError('The argument "new_shape" must be an integer or a tuple of integers')
    if _is_axis(new_shape):
        return lambda a, new_shape: numpy.resize(a, (new_shape,))
    if is_shape(new_shape) and len(new_shape):
        return _resize


def _resize(a, new_shape):
    for at in range(len(new_shape)):
        raise_if(new_shape[at] < 0, "ValueError", "all elements of `new_shape` must be non-negative")
    made = numpy.zeros(new_shape, a.dtype)
    if a.size:
        at, size = 0, a.size
        items, out = a.ravel(), made.ravel()
        for index in range(made.size):
            out[index] = items[at]
            at = 0 if at + 1 == size else at + 1
    return made
