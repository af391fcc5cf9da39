"""Rows that several threads reduce in parts.

What the parts are follows from the length alone, and what comes of them is put together in their order, so that a result is the same for any
number of threads. A sum of floats is that of the serial tree (`_kernels`), of which the threads compute the lower parts: the same bits.
"""
import numpy

from ... import atomic
from ...extending import register_jitable
from ...intrinsics import prange
from ..in_parallel import LOOPS, is_asked, note, with_alone

# Fewer items are reduced by the calling thread alone.
FEW = 1 << 16
# Items that a part has at least.
_GRAIN = 1 << 13
# Parts at most, and how often a tree is halved for as many.
_PARTS, _LEVELS = 256, 8
# Places that a thread joins at least: of fewer it would read too little of each row at once.
_COLUMNS = 256
# Items of a block that BLAS multiplies on one thread, whatever it may use, and rows of a matrix that a block has at least.
_BLOCK, _ROWS = 9000, 16


@register_jitable
def parts_of(count):
    """How many parts so many items have."""
    return min(count // _GRAIN, _PARTS)


def in_parts(of_part, of_results, made, few=FEW):
    """What reduces `count` items from an index on, as `of_part(more, start, count)` does: to numbers of the class `made`, of
    which `of_results` makes one."""
    dtype = numpy.dtype(made)

    @register_jitable(parallel=LOOPS)
    def reduce(more, start, count):
        if count < few:
            return of_part(more, start, count)
        found = numpy.empty(parts_of(count), dtype)
        for at in prange(found.size):
            first = count * at // found.size
            found[at] = of_part(more, start + first, count * (at + 1) // found.size - first)
        return of_results(found)
    note()
    return reduce


def in_tree(add_part, few_at_once, made, few=FEW):
    """What adds up as `add_part(row, more, start, count)` does, by halves whose first one has a multiple of `few_at_once` items."""
    dtype = numpy.dtype(made)

    @register_jitable(parallel=LOOPS)
    def add(row, more, start, count):
        levels = 0
        while levels < _LEVELS and count >> levels + 1 >= _GRAIN:
            levels += 1
        sums = numpy.empty(1 << levels, dtype)
        for at in prange(sums.size):
            first, number = start, count
            for level in range(levels - 1, -1, -1):
                half = number // 2
                half -= half % few_at_once
                first, number = (first + half, number - half) if at >> level & 1 else (first, half)
            sums[at] = add_part(row, more, first, number)
        while levels:
            levels -= 1
            for at in range(1 << levels):
                sums[at] = sums[2 * at] + sums[2 * at + 1]
        return sums[0]

    @register_jitable
    def add_any(row, more, start, count):
        return add_part(row, more, start, count) if count < few else add(row, more, start, count)
    note()
    return add_any


def of_row(reduce, made, of_results=None):
    """The same as `reduce`, which makes a number of the class `made` of a row, on several threads where that is asked for. What comes of
    parts is a row for `of_results`, if not for `reduce` itself."""
    if not is_asked():
        return reduce
    of_slice = register_jitable(lambda row, start, count: reduce(row[start:start + count]))
    parts = in_parts(of_slice, of_results or reduce, made)
    return register_jitable(lambda row: parts(row, 0, row.size))


def block_by_block(add_block, size, made):
    """What adds up what `add_block(row, start)` gives for the blocks of a row, which several threads compute where that is asked for."""
    dtype = numpy.dtype(made)

    @register_jitable
    def add_all(row):
        total = made(0)
        for start in range(0, row.size, size):
            total += add_block(row, start)
        return total

    @register_jitable(parallel=LOOPS)
    def add_of_several(row):
        if row.size < FEW:
            return add_all(row)
        sums = numpy.empty((row.size + size - 1) // size, dtype)
        for at in prange(sums.size):
            sums[at] = add_block(row, at * size)
        total = made(0)
        for at in range(sums.size):
            total += sums[at]
        return total
    if not is_asked():
        return add_all
    note()
    return add_of_several


@register_jitable
def add_counts(counts):
    total = 0
    for at in range(counts.size):
        total += counts[at]
    return total


def counting(count):
    """What counts items of a row as `count` does, on several threads where that is asked for."""
    return of_row(count, numpy.int64, add_counts)


def position_of(find, item):
    """What finds the index of an item of a row, as `find` does, on several threads where that is asked for: among the
    indices that it finds in parts it finds the one."""
    if not is_asked():
        return find
    dtype = numpy.dtype(item)

    @register_jitable(parallel=LOOPS)
    def index(row):
        if row.size < FEW:
            return find(row)
        count = min(row.size // _GRAIN, _PARTS)
        indices, items = numpy.empty(count, numpy.int64), numpy.empty(count, dtype)
        for at in prange(count):
            first = row.size * at // count
            indices[at] = first + find(row[first:row.size * (at + 1) // count])
            items[at] = row[indices[at]]
        return indices[find(items)]
    note()
    return index


@with_alone
def searching(search, wanted):
    """What says whether items of a row are such as `search` looks for, on several threads where that is asked for. What
    one finds ends the search of all."""
    if not is_asked():
        return search
    in_part = register_jitable(lambda row, start, count: search(row[start:start + count]))
    parts = searching_parts(in_part, wanted)
    return register_jitable(lambda row: parts(row, 0, row.size))


def searching_parts(search, wanted, few=FEW):
    """The same for what looks at `count` items from an index on."""
    @register_jitable(parallel=LOOPS)
    def look(more, start, count):
        if count < few:
            return search(more, start, count)
        if search(more, start, _GRAIN) == wanted:
            return wanted
        found = numpy.zeros(1, numpy.int64)
        for part in prange(1, (count + _GRAIN - 1) // _GRAIN):
            first = part * _GRAIN
            if not found[0] and search(more, start + first, min(_GRAIN, count - first)) == wanted:
                atomic.exchange(found, 0, 1)
        return wanted if found[0] else not wanted
    note()
    return look


def by_columns(join_all, dtype):
    """What joins the parts of an array along its first axis as `join_all` does, on several threads where that is asked for: each
    joins some of the indices of a part."""
    if not is_asked():
        return join_all

    @register_jitable(parallel=LOOPS)
    def join(parts):
        count = 0 if parts.size < FEW else min(parts.shape[1], parts.size // parts.shape[0] // _COLUMNS, _PARTS)
        if count < 2:
            return join_all(parts)
        result = numpy.empty(parts.shape[1:], dtype)
        for at in prange(count):
            first, end = parts.shape[1] * at // count, parts.shape[1] * (at + 1) // count
            result[first:end] = join_all(parts[:, first:end])
        return result
    note()
    return join


# Products of vectors and matrices, block by block: BLAS does such blocks on the thread that asks.

def product_of_vectors(multiply, item):
    """What multiplies two vectors as `multiply` does, on several threads."""
    @register_jitable
    def of_part(both, start, count):
        total = item(0)
        for at in range(start, start + count, _BLOCK):
            end = min(start + count, at + _BLOCK)
            total += multiply(both[0][at:end], both[1][at:end])
        return total
    of_parts = in_parts(of_part, register_jitable(lambda found: item(numpy.sum(found))), item)
    return register_jitable(lambda a, b: multiply(a, b) if a.size < FEW else of_parts((a, b), 0, a.size))


def rows_with_vector(multiply, item):
    """What multiplies the rows of a matrix with a vector as `multiply` does, on several threads."""
    @register_jitable(parallel=LOOPS)
    def product(a, b):
        rows, columns = a.shape
        if a.size < FEW or columns > _BLOCK:
            return multiply(a, b)
        made, step = numpy.empty(rows, item), _BLOCK // columns
        for block in prange((rows + step - 1) // step):
            first, end = block * step, min(rows, block * step + step)
            made[first:end] = multiply(a[first:end], b)
        return made
    note()
    return product


def vector_with_rows(multiply, item):
    """What multiplies a vector with a matrix as `multiply` does, on several threads: what comes of their rows is added up in the order of the rows."""
    @register_jitable(parallel=LOOPS)
    def product(a, b):
        rows, columns = b.shape
        if b.size < FEW or columns > _BLOCK // _ROWS:
            return multiply(a, b)
        step, count = _BLOCK // columns, min(b.size // _GRAIN, _PARTS)
        parts = numpy.zeros((count, columns), item)
        for at in prange(count):
            last = rows * (at + 1) // count
            for first in range(rows * at // count, last, step):
                end = min(last, first + step)
                parts[at] += multiply(a[first:end], b[first:end])
        made = parts[0].copy()
        for at in range(1, count):
            made += parts[at]
        return made
    note()
    return product
