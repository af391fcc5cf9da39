"""Set operations: `isin`, `in1d` of NumPy before 2.4, `union1d`, `intersect1d`, `setdiff1d`, `setxor1d`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...types import Boolean, Complex, Float, Integer, unliteral
from ...types.typeof import as_dtype
from .. import library
from ._axis import literal
from .._predicates import is_absent, is_array


def _check(function, *arrays):
    """Whether all are arrays of what can be put in order."""
    if not all(is_array(one) for one in arrays):
        raise TypingError(f"The arguments to np.{function} must be array-like")
    return all(isinstance(one.dtype, (Integer, Float, Boolean, Complex)) for one in arrays)


def _common(*arrays):
    return numpy.promote_types(*(as_dtype(one.dtype) for one in arrays)).type


def _unique(assumed):
    """What gives the different items of an array in order, or its items if they are said to be different."""
    if literal(assumed) is True:
        return register_jitable(lambda a, assumed: a.ravel())
    if literal(assumed) is False:
        return register_jitable(lambda a, assumed: numpy.unique(a))
    return register_jitable(lambda a, assumed: a.flatten() if assumed else numpy.unique(a))


def _is_flag(function, **flags):
    for name, one in flags.items():
        if not isinstance(literal(one), bool) and not isinstance(unliteral(one), Boolean):
            raise TypingError(f"The argument {name} of np.{function} must be a boolean")
    return True


@library(numpy.union1d, array_like="ar1 ar2", scalars="ar1 ar2")
def union1d(ar1, ar2):
    if _check("union1d", ar1, ar2):
        return lambda ar1, ar2: numpy.unique(numpy.concatenate((ar1.ravel(), ar2.ravel())))


@library(numpy.intersect1d, array_like="ar1 ar2", scalars="ar1 ar2")
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    if not _check("intersect1d", ar1, ar2) or not _is_flag("intersect1d", assume_unique=assume_unique):
        return None
    if not isinstance(literal(return_indices), bool):
        raise TypingError("The argument return_indices of np.intersect1d must be a constant")
    if literal(return_indices):
        return _both_with_indices(ar1, ar2, assume_unique)
    different, item = _unique(assume_unique), _common(ar1, ar2)

    def both(ar1, ar2, assume_unique=False, return_indices=False):
        row = numpy.sort(numpy.concatenate((different(ar1, assume_unique), different(ar2, assume_unique))))
        made, count = numpy.empty(row.size, item), 0
        for at in range(row.size - 1):
            if row[at] == row[at + 1]:
                made[count] = row[at]
                count += 1
        return made[:count].copy()
    return both


def _both_with_indices(ar1, ar2, assumed):
    """What is in both arrays, with the indices of the first of each."""
    item = _common(ar1, ar2)
    if not isinstance(literal(assumed), bool):
        return None
    if literal(assumed):
        different = register_jitable(lambda a: (a.ravel(), numpy.arange(a.size)))
    else:
        different = register_jitable(lambda a: numpy.unique(a, return_index=True))

    def both(ar1, ar2, assume_unique=False, return_indices=False):
        (one, indices), (other, other_indices) = different(ar1), different(ar2)
        row = numpy.concatenate((one, other))
        order = numpy.argsort(row, kind="mergesort")
        made, first, second = numpy.empty(row.size, item), numpy.empty(row.size, numpy.int64), numpy.empty(row.size, numpy.int64)
        count = 0
        for at in range(row.size - 1):
            if row[order[at]] == row[order[at + 1]]:
                made[count] = row[order[at]]
                first[count], second[count] = indices[order[at]], other_indices[order[at + 1] - one.size]
                count += 1
        return made[:count].copy(), first[:count].copy(), second[:count].copy()
    return both


@library(numpy.setxor1d, array_like="ar1 ar2", scalars="ar1 ar2")
def setxor1d(ar1, ar2, assume_unique=False):
    if not _check("setxor1d", ar1, ar2) or not _is_flag("setxor1d", assume_unique=assume_unique):
        return None
    different, item = _unique(assume_unique), _common(ar1, ar2)

    def either(ar1, ar2, assume_unique=False):
        row = numpy.sort(numpy.concatenate((different(ar1, assume_unique), different(ar2, assume_unique))))
        made, count = numpy.empty(row.size, item), 0
        for at in range(row.size):
            before = at > 0 and row[at - 1] == row[at]
            after = at + 1 < row.size and row[at + 1] == row[at]
            if not before and not after:
                made[count] = row[at]
                count += 1
        return made[:count].copy()
    return either


@library(numpy.setdiff1d, array_like="ar1 ar2", scalars="ar1 ar2")
def setdiff1d(ar1, ar2, assume_unique=False):
    if not _check("setdiff1d", ar1, ar2) or not _is_flag("setdiff1d", assume_unique=assume_unique):
        return None
    different = _unique(assume_unique)

    def first_alone(ar1, ar2, assume_unique=False):
        row = different(ar1, assume_unique)
        known = numpy.isin(row, ar2)
        made, count = numpy.empty(row.size, row.dtype), 0
        for at in range(row.size):
            if not known[at]:
                made[count] = row[at]
                count += 1
        return made[:count].copy()
    return first_alone


@library(numpy.isin, array_like="element test_elements", scalars="test_elements")
def isin(element, test_elements, assume_unique=False, invert=False, *, kind=None):
    if not is_absent(kind) and literal(kind) not in ("sort", "table"):
        raise TypingError("Invalid kind. It must be None, 'sort' or 'table', known when the function compiles.")
    _is_flag("isin", assume_unique=assume_unique, invert=invert)
    if is_array(element) and is_array(test_elements):
        if literal(kind) == "table" and not all(isinstance(one.dtype, (Integer, Boolean)) for one in (element, test_elements)):
            raise TypingError("The 'table' method is only supported for boolean or integer arrays. Please select 'sort' or None for kind.")
        return _are_in(element, test_elements) if _check("isin", element, test_elements) else None
    if not is_array(test_elements) or not isinstance(unliteral(element), (Integer, Float, Boolean, Complex)):
        raise TypingError("The arguments to np.isin must be array-like")

    def is_in(element, test_elements, assume_unique=False, invert=False, *, kind=None):
        return numpy.isin(numpy.array(element), test_elements, assume_unique, invert)
    return is_in


@library(getattr(numpy, "in1d", None), array_like="ar1 ar2", scalars="ar1 ar2")
def in1d(ar1, ar2, assume_unique=False, invert=False, *, kind=None):
    if _check("in1d", ar1, ar2):
        return lambda ar1, ar2, assume_unique=False, invert=False, *, kind=None: numpy.isin(
            ar1.ravel(), ar2, assume_unique, invert, kind=kind)


# A table of the numbers between the least and the greatest is used where it has at most so many entries for each item.
_ENTRIES = 6


def _table_of(item):
    """What writes whether items are among others by a table, and says whether it did; it serves integers that are close together."""
    if not issubclass(item, numpy.signedinteger):
        return register_jitable(lambda items, known, out, invert: False)

    @register_jitable
    def by_table(items, known, out, invert):
        if known.size == 0:
            return False
        least, most = numpy.int64(known.min()), numpy.int64(known.max())
        # Beyond the range of integers it is negative.
        count = most - least
        if count < 0 or count > _ENTRIES * (items.size + known.size):
            return False
        table = numpy.full(count + 1, invert)
        for one in known:
            table[numpy.int64(one) - least] = not invert
        for at in range(items.size):
            value = numpy.int64(items[at])
            out[at] = table[value - least] if least <= value <= most else invert
        return True
    return by_table


def _are_in(element, test_elements):
    item = _common(element, test_elements)
    by_table = _table_of(item)

    def are_in(element, test_elements, assume_unique=False, invert=False, *, kind=None):
        made = numpy.empty(element.shape, numpy.bool_)
        items, out = element.ravel(), made.reshape(-1)
        if by_table(items, test_elements.ravel(), out, invert):
            return made
        known = numpy.sort(test_elements.ravel().astype(item))
        for at in range(items.size):
            value = item(items[at])
            index = numpy.searchsorted(known, value)
            out[at] = (index < known.size and known[index] == value) != invert
        return made
    return are_in
