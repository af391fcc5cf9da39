"""Items moved and repeated: `roll`, `repeat`, `append`; `cross`."""
import numpy

from ..special import array_view
from ..types import Boolean, Integer, Number, unliteral
from ..types.typeof import as_dtype
from . import library
from .kinds import is_array


def _is_numbers(ty):
    return is_array(ty) and isinstance(ty.dtype, (Number, Boolean))


@library(numpy.roll)
def roll(a, shift):
    if not _is_numbers(a) or not isinstance(unliteral(shift), Integer):
        return None

    def rolled(a, shift):
        made = numpy.empty(a.shape, a.dtype)
        to = array_view(made, made.dtype, 0, (made.size,), (made.itemsize,), "C")
        row = a.flatten()
        if row.size:
            start = shift % row.size
            to[start:] = row[:row.size - start]
            to[:start] = row[row.size - start:]
        return made
    return rolled


@library(numpy.repeat)
def repeat(a, repeats):
    if not _is_numbers(a) or not isinstance(unliteral(repeats), Integer):
        return None

    def repeated(a, repeats):
        row = a.flatten()
        made = numpy.empty(row.size * repeats, a.dtype)
        at = 0
        for value in row:
            for _ in range(repeats):
                made[at] = value
                at += 1
        return made
    return repeated


@library(numpy.append)
def append(arr, values):
    if not _is_numbers(arr) or not (_is_numbers(values) or isinstance(unliteral(values), (Number, Boolean))):
        return None
    other = values.dtype if is_array(values) else unliteral(values)
    item = numpy.promote_types(as_dtype(arr.dtype), as_dtype(other)).type
    if is_array(values):
        def more(arr, values):
            first, second = arr.flatten(), values.flatten()
            made = numpy.empty(first.size + second.size, item)
            made[:first.size] = first
            made[first.size:] = second
            return made
        return more

    def one_more(arr, values):
        first = arr.flatten()
        made = numpy.empty(first.size + 1, item)
        made[:first.size] = first
        made[first.size] = values
        return made
    return one_more


@library(numpy.cross)
def cross(a, b):
    if not all(_is_numbers(one) and one.ndim == 1 and isinstance(one.dtype, Number) for one in (a, b)):
        return None
    item = numpy.promote_types(as_dtype(a.dtype), as_dtype(b.dtype)).type

    def product(a, b):
        if a.size != 3 or b.size != 3:
            raise ValueError("cross takes two vectors of three items here")
        made = numpy.empty(3, item)
        made[0] = a[1] * b[2] - a[2] * b[1]
        made[1] = a[2] * b[0] - a[0] * b[2]
        made[2] = a[0] * b[1] - a[1] * b[0]
        return made
    return product
