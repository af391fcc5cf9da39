"""Arrays in order: `sort`, `argsort`, `unique`, `searchsorted`; counts: `bincount`, `histogram`.

Numbers become integers of the same order, which are distributed byte by byte, the last byte first (D. Knuth, The Art of Computer
Programming, volume 3, 5.2.5); few are inserted one by one. Equal items keep their order, and NaN comes last.
"""
import numpy

from ..extending import register_jitable
from ..special import array_view
from ..types import Boolean, Float, Integer, Number, unliteral
from . import library
from .kinds import is_absent, is_array

# So many items are inserted one by one.
_FEW = 48
_LAST = 0x7FFFFFFFFFFFFFFF


def _keyed(dtype, joins_zeros):
    """What makes integers in the order of items, and back."""
    if isinstance(dtype, Float):
        word = numpy.int32 if dtype.bitwidth == 32 else numpy.int64
        item = numpy.float32 if dtype.bitwidth == 32 else numpy.float64
        rest = word(0x7FFFFFFF if dtype.bitwidth == 32 else _LAST)

        @register_jitable
        def keys_of(row):
            keys = numpy.empty(row.size, numpy.int64)
            values = row.copy()
            words = values.view(word)
            for at in range(row.size):
                key = words[at]
                if key < 0:
                    key = key ^ rest
                if values[at] != values[at]:
                    keys[at] = rest
                elif joins_zeros and values[at] == 0:
                    keys[at] = 0
                else:
                    keys[at] = key
            return keys

        @register_jitable
        def back(keys, out):
            words = numpy.empty(keys.size, word)
            for at in range(keys.size):
                key = word(keys[at])
                words[at] = key ^ rest if key < 0 else key
            out[:] = words.view(item)
        return keys_of, back
    if isinstance(dtype, Integer) and not dtype.signed and dtype.bitwidth == 64:
        least = -_LAST - 1

        @register_jitable
        def keys_of_words(row):
            words = row.copy().view(numpy.int64)
            return words ^ least

        @register_jitable
        def words_back(keys, out):
            out[:] = (keys ^ least).view(numpy.uint64)
        return keys_of_words, words_back

    @register_jitable
    def keys_of_integers(row):
        keys = numpy.empty(row.size, numpy.int64)
        keys[:] = row
        return keys

    @register_jitable
    def integers_back(keys, out):
        for at in range(keys.size):
            out[at] = keys[at]
    return keys_of_integers, integers_back


@register_jitable
def _insert(keys):
    for at in range(1, keys.size):
        key, free = keys[at], at
        while free > 0 and keys[free - 1] > key:
            keys[free] = keys[free - 1]
            free -= 1
        keys[free] = key


@register_jitable
def _insert_places(keys, order):
    for at in range(1, keys.size):
        key, free = keys[at], at
        while free > 0 and keys[order[free - 1]] > key:
            order[free] = order[free - 1]
            free -= 1
        order[free] = at


@register_jitable
def _starts(keys):
    """Where the items begin whose byte has a value, for each byte; and how many passes move something."""
    starts = numpy.zeros((8, 256), numpy.int64)
    for at in range(keys.size):
        key = keys[at] ^ (-0x7FFFFFFFFFFFFFFF - 1)
        for byte in range(8):
            starts[byte, (key >> (8 * byte)) & 255] += 1
    return starts


@register_jitable
def _sum_up(counts, size):
    """Counts become places; whether all items have one value."""
    at, alone = 0, False
    for value in range(256):
        count = counts[value]
        alone = alone or count == size
        counts[value] = at
        at += count
    return alone


@register_jitable
def _distribute(keys):
    if keys.size <= _FEW:
        _insert(keys)
        return keys
    starts, other = _starts(keys), numpy.empty(keys.size, numpy.int64)
    for byte in range(8):
        places = starts[byte]
        if not _sum_up(places, keys.size):
            for at in range(keys.size):
                key = keys[at]
                value = ((key ^ (-0x7FFFFFFFFFFFFFFF - 1)) >> (8 * byte)) & 255
                other[places[value]] = key
                places[value] += 1
            keys, other = other, keys
    return keys


@register_jitable
def _order_of(keys):
    order = numpy.arange(keys.size)
    if keys.size <= _FEW:
        _insert_places(keys, order)
        return order
    starts, other = _starts(keys), numpy.empty(keys.size, numpy.int64)
    for byte in range(8):
        places = starts[byte]
        if not _sum_up(places, keys.size):
            for at in range(keys.size):
                place = order[at]
                value = ((keys[place] ^ (-0x7FFFFFFFFFFFFFFF - 1)) >> (8 * byte)) & 255
                other[places[value]] = place
                places[value] += 1
            order, other = other, order
    return order


def _sorts(array):
    return is_array(array) and array.ndim > 0 and isinstance(array.dtype, (Integer, Float, Boolean))


def _sorter(dtype):
    """What sorts a row in place."""
    keys_of, back = _keyed(dtype, False)

    @register_jitable
    def arrange(row):
        back(_distribute(keys_of(row)), row)
    return arrange


@register_jitable
def _lines(a):
    """The lines along the last axis of an array that lies in rows."""
    length = a.shape[-1]
    return a.reshape(a.size // max(length, 1), length)


@library(numpy.sort)
def sort(a):
    if not _sorts(a):
        return None
    arrange = _sorter(a.dtype)
    if a.ndim == 1:
        def row(a):
            made = a.copy()
            arrange(made)
            return made
        return row

    def lines(a):
        made = numpy.empty(a.shape, a.dtype)
        made[...] = a
        for line in _lines(made):
            arrange(line)
        return made
    return lines


@library("numpy.ndarray.sort")
def array_sort(self):
    if not _sorts(self) or self.ndim != 1:
        return None
    arrange = _sorter(self.dtype)

    def in_place(self):
        arrange(self)
    return in_place


def _placer(array):
    keys_of, _ = _keyed(array.dtype, True)
    return register_jitable(lambda a: _order_of(keys_of(a)))


@library(numpy.argsort)
def argsort(a, axis=-1, kind="quicksort"):
    if _sorts(a) and a.ndim == 1:
        places = _placer(a)
        return lambda a, axis=-1, kind="quicksort": places(a)


@library("numpy.ndarray.argsort")
def array_argsort(self, axis=-1, kind="quicksort"):
    if _sorts(self) and self.ndim == 1:
        places = _placer(self)
        return lambda self, axis=-1, kind="quicksort": places(self)


@library(numpy.unique)
def unique(ar):
    if not _sorts(ar):
        return None

    def different(ar):
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


@register_jitable
def _before(a, b):
    return a < b or b != b and a == a


@register_jitable
def _left(a, value):
    low, high = 0, a.size
    while low < high:
        middle = (low + high) // 2
        if _before(a[middle], value):
            low = middle + 1
        else:
            high = middle
    return low


@register_jitable
def _right(a, value):
    low, high = 0, a.size
    while low < high:
        middle = (low + high) // 2
        if _before(value, a[middle]):
            high = middle
        else:
            low = middle + 1
    return low


@library(numpy.searchsorted)
def searchsorted(a, v, side="left"):
    real = (Integer, Float, Boolean)
    if not (_sorts(a) and a.ndim == 1) or not isinstance(v.dtype if is_array(v) else unliteral(v), real):
        return None
    side = getattr(side, "literal_value", getattr(side, "value", side))
    if side not in ("left", "right"):
        return None
    search = _left if side == "left" else _right
    if not is_array(v):
        return lambda a, v, side="left": search(a, v)

    def each(a, v, side="left"):
        made = numpy.empty(v.shape, numpy.int64)
        row = array_view(made, made.dtype, 0, (made.size,), (8,), "C")
        at = 0
        for value in v.flat:
            row[at] = search(a, value)
            at += 1
        return made
    return each


@library(numpy.bincount)
def bincount(x, weights=None, minlength=0):
    if not (is_array(x) and x.ndim == 1 and isinstance(x.dtype, (Integer, Boolean))):
        return None
    if is_absent(weights):
        def add_one(counts, x, weights):
            for place in x:
                counts[place] += 1
        add, item = register_jitable(add_one), numpy.int64
    elif is_array(weights) and weights.ndim == 1 and isinstance(weights.dtype, (Integer, Float, Boolean)):
        def add_weights(counts, x, weights):
            if weights.size != x.size:
                raise ValueError("The weights and list don't have the same length.")
            for at in range(x.size):
                counts[x[at]] += weights[at]
        add, item = register_jitable(add_weights), numpy.float64
    else:
        return None

    def count(x, weights=None, minlength=0):
        if minlength < 0:
            raise ValueError("'minlength' must not be negative")
        most = -1
        for place in x:
            if place < 0:
                raise ValueError("'list' argument must have no negative elements")
            most = max(most, numpy.int64(place))
        counts = numpy.zeros(max(most + 1, minlength), item)
        add(counts, x, weights)
        return counts
    return count


@library(numpy.histogram)
def histogram(a, bins=10, range=None):
    if not _sorts(a) or not is_absent(range):
        return None
    if is_array(bins) and bins.ndim == 1 and isinstance(bins.dtype, Number):
        def by_edges(a, bins=10, range=None):
            counts = numpy.zeros(bins.size - 1, numpy.int64)
            for value in a.flat:
                if bins[0] <= value <= bins[-1]:
                    counts[min(_right(bins, value), bins.size - 1) - 1] += 1
            return counts, bins
        return by_edges
    if not isinstance(unliteral(bins), (int, Integer)):
        return None

    def evenly(a, bins=10, range=None):
        if bins < 1:
            raise ValueError("`bins` must be positive, when an integer")
        low, high = 0.0, 1.0
        if a.size:
            low, high = float(a.min()), float(a.max())
        if low == high:
            low, high = low - 0.5, high + 0.5
        edges = numpy.linspace(low, high, bins + 1)
        counts = numpy.zeros(bins, numpy.int64)
        for value in a.flat:
            at = int((value - low) / (high - low) * bins)
            if at == bins:
                at -= 1
            if value < edges[at]:
                at -= 1
            elif value >= edges[at + 1] and at != bins - 1:
                at += 1
            counts[at] += 1
        return counts, edges
    return evenly
