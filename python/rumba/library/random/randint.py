"""`np.random`: seeds, bounded integers, arrays of uniform and normal numbers by shape."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_address, raise_if, random_count, random_float, random_numpy, random_unit
from ...types import Boolean, Integer, NumberClass, Optional, unliteral
from ...types.typeof import as_dtype
from .. import library
from ..numpy.copy_eye import item_of
from .._predicates import is_absent, is_array
from ._common import check_size, in_a_row


@library("numpy.random.seed")
def seed(seed=None):
    if is_absent(seed):
        return _seed_by_chance
    if is_array(seed) and isinstance(seed.dtype, Integer):
        return _seed_by_array
    if isinstance(unliteral(seed), (int, Integer, Boolean)):
        return _seed
    if isinstance(seed, Optional) and isinstance(seed.type, (Integer, Boolean)):
        return _seed_if_any


def _seed_if_any(seed=None):
    if seed is None:
        random_count("seed_by_chance", random_numpy())
    else:
        numpy.random.seed(int(seed))


def _seed_by_chance(seed=None):
    random_count("seed_by_chance", random_numpy())


def _seed(seed=None):
    raise_if(seed < 0 or seed > 0xFFFFFFFF, "ValueError", "Seed must be between 0 and 2**32 - 1")
    random_count("seed", random_numpy(), int(seed))


def _seed_by_array(seed=None):
    raise_if(seed.size == 0, "ValueError", "Seed must be non-empty")
    raise_if(seed.ndim != 1, "ValueError", "Seed array must be 1-d")
    words = numpy.empty(seed.size, numpy.uint32)
    at = 0
    for word in seed.flat:
        raise_if(word < 0 or word > 0xFFFFFFFF, "ValueError", "Seed must be between 0 and 2**32 - 1")
        words[at] = word
        at += 1
    random_count("seed_words", random_numpy(), array_address(words), words.size)


# `rand` and `randn`.

def _by_shape(name, draw):
    draw = register_jitable(draw)

    def one(*shape):
        return draw(random_numpy())

    def many(*shape):
        made, state = numpy.empty(shape, numpy.float64), random_numpy()
        items = in_a_row(made)
        for at in range(made.size):
            items[at] = draw(state)
        return made

    def overloaded(*shape):
        if not all(isinstance(unliteral(length), Integer) for length in shape):
            return None
        return many if shape else one
    library(f"numpy.random.{name}", strict=False)(overloaded)


_by_shape("rand", lambda state: random_unit(state))
_by_shape("randn", lambda state: random_float("normal", state))


# `randint`.

@register_jitable
def _below(state, low, high):
    raise_if(low >= high, "ValueError", "low >= high")
    return numpy.int64(low) + random_count("interval", state, numpy.int64(high - 1) - numpy.int64(low))


@register_jitable
def _below_high(state, high):
    raise_if(high <= 0, "ValueError", "high <= 0")
    return random_count("interval", state, numpy.int64(high) - 1)


@register_jitable
def _fill_wide(made, first, most):
    random_count("interval_fill", random_numpy(), first, most, made.size, array_address(made))


@register_jitable
def _fill(made, first, most):
    items, state = in_a_row(made), random_numpy()
    for at in range(made.size):
        items[at] = first + random_count("interval", state, most)


@library("numpy.random.randint")
def randint(low, high=None, size=None, dtype=int):
    whole = (Integer, Boolean)
    if not isinstance(unliteral(low), whole) or not (is_absent(high) or isinstance(unliteral(high), whole)):
        return None
    item = numpy.dtype(int) if dtype is int else _wide_integer(dtype)
    if item is None:
        return None
    if not is_absent(size):
        check_size(size, "np.random.randint")
    as_item, fill = item.type, _fill_wide if item.itemsize == 8 else _fill

    def one(low, high=None, size=None, dtype=int):
        return as_item(_below(random_numpy(), low, high))

    def one_below(low, high=None, size=None, dtype=int):
        return as_item(_below_high(random_numpy(), low))

    def many(low, high=None, size=None, dtype=int):
        made = numpy.empty(size, item)
        # Bounds are asked for where there is something between them.
        raise_if(low >= high and made.size > 0, "ValueError", "low >= high")
        fill(made, numpy.int64(low), numpy.int64(high - 1) - numpy.int64(low))
        return made

    def many_below(low, high=None, size=None, dtype=int):
        made = numpy.empty(size, item)
        raise_if(low <= 0 and made.size > 0, "ValueError", "high <= 0")
        fill(made, 0, numpy.int64(low) - 1)
        return made
    if is_absent(size):
        return one_below if is_absent(high) else one
    return many_below if is_absent(high) else many


def _wide_integer(dtype):
    """The dtype of integers of 32 or 64 bits that is asked for: NumPy takes others from parts of words."""
    found = item_of(dtype)
    if isinstance(found, Integer) and found.bitwidth >= 32:
        return as_dtype(found)
    if isinstance(dtype, NumberClass):
        raise TypingError("np.random.randint() gives integers of 32 or 64 bits in compiled code")
    return None
