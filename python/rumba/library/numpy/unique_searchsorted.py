"""`unique` and `searchsorted`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_view
from ...types import Boolean, Complex, Float, Integer, NPDatetime, NPTimedelta, UnicodeType, unliteral
from .. import library
from .sort import sort_order as _sort_order
from .sort import sorts as _sorts
from ._axis import check_axis, literal
from .._predicates import is_absent, is_array


@library(numpy.unique, array_like="ar", scalars="ar")
def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
    flags = [literal(one) for one in (return_index, return_inverse, return_counts)]
    if not is_array(ar) or not _sorts(ar.copy(ndim=1)) or not all(isinstance(one, bool) for one in flags):
        return None
    if not is_absent(axis):
        return _unique_lines(ar, axis, *flags) if ar.ndim else None
    if any(flags):
        return _unique_with(ar, *flags)

    def different(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
        ordered = numpy.sort(ar.ravel())
        kept = 0
        for at in range(ordered.size):
            # Of several NaN the first stays.
            nan = ordered[at] != ordered[at] and kept > 0 and ordered[kept - 1] != ordered[kept - 1]
            if at == 0 or ordered[at] != ordered[kept - 1] and not nan:
                ordered[kept] = ordered[at]
                kept += 1
        return ordered[:kept].copy()
    return different


def _unique_with(ar, wants_index, wants_inverse, wants_counts):
    """The different items, and with them where each is first, which one each item is, how often each is there."""
    if not wants_index and not wants_inverse:
        return lambda ar, return_index=False, return_inverse=False, return_counts=False, axis=None: _counted(ar)
    indices = _sort_order(ar.copy(ndim=1, layout="C"))
    if not wants_index and isinstance(ar.dtype, (Integer, Float)):
        # In which order equal items come does not matter.
        indices = numpy.argsort

    shaped = register_jitable((lambda which, ar: which.reshape(ar.shape)) if wants_inverse else (lambda which, ar: which))

    @register_jitable
    def look(ar):
        row = ar.ravel()
        order = indices(row)
        items, first = numpy.empty(row.size, row.dtype), numpy.empty(row.size if wants_index else 0, numpy.int64)
        which = numpy.empty(row.size if wants_inverse else 0, numpy.int64)
        counts = numpy.zeros(row.size if wants_counts else 0, numpy.int64)
        kept = 0
        for at in order:
            value = row[at]
            nan = kept > 0 and value != value and items[kept - 1] != items[kept - 1]
            if kept == 0 or value != items[kept - 1] and not nan:
                items[kept] = value
                if wants_index:
                    first[kept] = at
                kept += 1
            if wants_inverse:
                which[at] = kept - 1
            if wants_counts:
                counts[kept - 1] += 1
        return items[:kept].copy(), first[:kept].copy(), shaped(which, ar), counts[:kept].copy()
    chosen = _chosen(wants_index, wants_inverse, wants_counts)
    return lambda ar, return_index=False, return_inverse=False, return_counts=False, axis=None: chosen(look(ar))


@register_jitable
def _counted(ar):
    """The different items and how often each is there."""
    ordered = numpy.sort(ar.ravel())
    counts = numpy.empty(ordered.size, numpy.int64)
    kept = start = 0
    for at in range(ordered.size):
        nan = ordered[at] != ordered[at] and kept > 0 and ordered[kept - 1] != ordered[kept - 1]
        if at == 0 or ordered[at] != ordered[kept - 1] and not nan:
            if kept > 0:
                counts[kept - 1] = at - start
            start = at
            ordered[kept] = ordered[at]
            kept += 1
    if kept > 0:
        counts[kept - 1] = ordered.size - start
    return ordered[:kept].copy(), counts[:kept].copy()


def _chosen(*flags):
    """What keeps the first part of a tuple, and of the others those that are asked for."""
    part1, part2, part3 = (_part(at + 1) if wanted else _no_part for at, wanted in enumerate(flags))
    return register_jitable(lambda found: (found[0],) + part1(found) + part2(found) + part3(found))


def _part(at):
    return register_jitable(lambda found: (found[at],))


@register_jitable
def _no_part(found):
    return ()


# Different lines along an axis.

def _unique_lines(ar, axis, *flags):
    if not isinstance(axis, int) and not isinstance(unliteral(axis), Integer) or not isinstance(
            ar.dtype, (Integer, Float, Boolean)):
        return None
    if ar.ndim == 1:
        def of_row(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
            check_axis(ar, axis)
            return numpy.unique(ar, *flags)
        return of_row
    chosen = _chosen(*flags) if any(flags) else register_jitable(lambda found: found[0])

    def of_lines(ar, return_index=False, return_inverse=False, return_counts=False, axis=None):
        check_axis(ar, axis)
        lines = numpy.ascontiguousarray(numpy.moveaxis(ar, axis, 0))
        rows, count = lines.reshape((lines.shape[0], _size_of_lines(lines))), lines.shape[0]
        order = _order_of_rows(rows)
        first, which = numpy.empty(count, numpy.int64), numpy.empty(count, numpy.int64)
        counts, kept = numpy.zeros(count, numpy.int64), 0
        for at in order:
            if kept == 0 or _compared(rows, first[kept - 1], at) != 0:
                first[kept] = at
                kept += 1
            which[at] = kept - 1
            counts[kept - 1] += 1
        made = numpy.moveaxis(lines[first[:kept]], 0, axis)
        return chosen((made, first[:kept].copy(), which, counts[:kept].copy()))
    return of_lines


@register_jitable
def _size_of_lines(lines):
    size = 1
    for at in range(1, lines.ndim):
        size *= lines.shape[at]
    return size


@register_jitable
def _compared(rows, one, other):
    """Below, at or above 0 as one row comes before the other, is equal, or comes behind."""
    for at in range(rows.shape[1]):
        if rows[one, at] != rows[other, at]:
            return -1 if _before(rows[one, at], rows[other, at]) else 1
    return 0


@register_jitable
def _order_of_rows(rows):
    """The indices of rows in order, equal ones as they are: merged from the bottom."""
    count, width = rows.shape[0], 1
    order, merged = numpy.arange(count), numpy.arange(count)
    while width < count:
        for start in range(0, count, 2 * width):
            left, middle, end = start, min(start + width, count), min(start + 2 * width, count)
            right = middle
            for at in range(start, end):
                if left < middle and (right >= end or _compared(rows, order[left], order[right]) <= 0):
                    merged[at] = order[left]
                    left += 1
                else:
                    merged[at] = order[right]
                    right += 1
        order[:] = merged
        width *= 2
    return order


@register_jitable
def _before(a, b):
    return a < b or b != b and a == a


@register_jitable
def _complex_before(a, b):
    """By the real part, then by the imaginary one; numbers with NaN last, those with it in the real part behind the others."""
    a, b = complex(a), complex(b)
    group = 2 * (a.real != a.real) + (a.imag != a.imag)
    other = 2 * (b.real != b.real) + (b.imag != b.imag)
    if group != other:
        return group < other
    if group < 2 and a.real != b.real:
        return a.real < b.real
    return group in (0, 2) and a.imag < b.imag


def _searches(before):
    """For each side: whether an item of the array lies left of where a value fits, and the search for that place from `low` to `high`."""
    is_left_of = before, register_jitable(lambda item, value: not before(value, item))
    return [(lies_left, _bisection(lies_left)) for lies_left in is_left_of]


def _bisection(lies_left):
    @register_jitable
    def search(a, value, low, high):
        while low < high:
            middle = (low + high) // 2
            if lies_left(a[middle], value):
                low = middle + 1
            else:
                high = middle
        return low
    return search


_searches_of_reals, _complex_searches = _searches(_before), _searches(_complex_before)


def _search_whole(side):
    _, search = side
    return register_jitable(lambda a, value: search(a, value, 0, a.size))


# The first place in a sorted array where a real number fits, and the last.
find_left, find_right = map(_search_whole, _searches_of_reals)


@library(numpy.searchsorted, array_like="a v sorter")
def searchsorted(a, v, side="left", sorter=None):
    sought = v.dtype if is_array(v) else unliteral(v)
    if not (_sorts(a) and a.ndim == 1) or not _has_order(a.dtype, sought):
        return None
    is_complex = isinstance(sought, Complex) or isinstance(a.dtype, Complex)
    left, right = _complex_searches if is_complex else _searches_of_reals
    known = literal(side)
    if isinstance(known, UnicodeType):
        search_left, search_right = _searcher(v, left), _searcher(v, right)

        @register_jitable
        def find_by(a, v, side):
            if side != "left" and side != "right":
                raise ValueError("search side must be 'left' or 'right' (got '" + side + "')")
            return search_left(a, v) if side == "left" else search_right(a, v)
    else:
        if known not in ("left", "right"):
            raise TypingError(f"Invalid value given for 'side': {known}")
        find = _searcher(v, left if known == "left" else right)
        find_by = register_jitable(lambda a, v, side: find(a, v))
    if is_absent(sorter):
        return lambda a, v, side="left", sorter=None: find_by(a, v, side)
    if not (is_array(sorter) and sorter.ndim == 1 and isinstance(sorter.dtype, Integer)):
        raise TypingError("sorter has to be an array of integers")

    def by_order(a, v, side="left", sorter=None):
        if sorter.size != a.size:
            raise ValueError("sorter.size must equal a.size")
        return find_by(a[sorter], v, side)
    return by_order


@library("numpy.ndarray.searchsorted")
def array_searchsorted(self, v, side="left", sorter=None):
    if is_absent(sorter):
        return lambda self, v, side="left", sorter=None: numpy.searchsorted(self, v, side)
    return lambda self, v, side="left", sorter=None: numpy.searchsorted(self, v, side, sorter)


def _has_order(item, sought):
    """Whether a value can be compared with the items of an array: a number with numbers, a time with times."""
    numbers = (Integer, Float, Boolean, Complex)
    return any(isinstance(item, kinds) and isinstance(sought, kinds) for kinds in (numbers, NPDatetime, NPTimedelta))


def _searcher(v, side):
    """What finds the indices of a number, or of all items of an array."""
    lies_left, search = side
    if not is_array(v):
        return register_jitable(lambda a, v: search(a, v, 0, a.size))

    @register_jitable
    def each(a, v):
        made = numpy.empty(v.shape, numpy.int64)
        if v.size == 0:
            return made
        row = array_view(made, made.dtype, 0, (made.size,), (8,), "C")
        at, low, high, last = 0, 0, a.size, v.flat[0]
        for value in v.flat:
            # As NumPy does: what was found for the last value bounds the search for the next, and where `a` is not sorted both find the same.
            if at and lies_left(last, value):
                high = a.size
            elif at:
                low, high = 0, min(high + 1, a.size)
            low = high = search(a, value, low, high)
            row[at] = low
            at += 1
            last = value
        return made
    return each
