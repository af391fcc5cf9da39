"""`choose`: selects elements from several arrays by index; `putmask`."""
import numpy

from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import raise_if
from ...types import Boolean, Integer, Number, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._array_like import is_number, is_sequence
from .._predicates import each_of, is_array, is_fixed_list, length
from ._axis import literal

_WRONG = "invalid entry in choice array"


def _is_indices(ty):
    return isinstance(ty.dtype if is_array(ty) else unliteral(ty), (Integer, Boolean))


@library(numpy.choose, array_like="a")
def choose(a, choices, mode="raise"):
    if not _is_indices(a) or length(choices) is None or literal(mode) not in ("raise", "wrap", "clip"):
        return None
    known = literal(mode)
    if is_fixed_list(choices):
        return lambda a, choices, mode="raise": numpy.choose(a, tuple(choices), known)
    if any(is_sequence(one) for one in choices):
        convert = each_of([(lambda one: numpy.asarray(one)) if is_sequence(one) else (lambda one: one) for one in choices])
        return lambda a, choices, mode="raise": numpy.choose(a, convert(choices), known)
    if not all(is_number(one) or is_array(one) and isinstance(one.dtype, (Number, Boolean)) for one in choices):
        return None
    if not len(choices):
        raise TypingError("choose needs at least one array of choices")
    types = [unliteral(one) if is_number(one) else one for one in choices]
    item = numpy.result_type(*(as_dtype(one.dtype if is_array(one) else one) for one in types)).type
    if not any(is_array(one) for one in (a, *types)):
        return _of_numbers(len(types), item, known)
    return _of_arrays(a, types, item, known)


def _index_by_mode(count, mode):
    """What gives the number of a choice for an index."""
    @register_jitable
    def checked(at):
        raise_if(at < 0 or at >= count, "ValueError", _WRONG)
        return at

    @register_jitable
    def wrapped(at):
        return at % count

    @register_jitable
    def clipped(at):
        return 0 if at < 0 else min(at, count - 1)
    return {"raise": checked, "wrap": wrapped, "clip": clipped}[mode]


def _of_numbers(count, item, mode):
    index, pick = _index_by_mode(count, mode), _picker(count - 1, item)
    return lambda a, choices, mode="raise": pick(index(numpy.int64(a)), choices)


def _picker(number, item):
    if number == 0:
        return register_jitable(lambda at, choices: item(choices[0]))
    before = _picker(number - 1, item)
    return register_jitable(lambda at, choices: item(choices[number]) if at == number else before(at, choices))


def _of_arrays(a, types, item, mode):
    index, put, shape_of = _index_by_mode(len(types), mode), _putter(types, len(types) - 1, item), _shape(types)
    own_shape = register_jitable((lambda a: a.shape) if is_array(a) else (lambda a: ()))

    def of_arrays(a, choices, mode="raise"):
        shape = numpy.broadcast_shapes(own_shape(a), shape_of(choices))
        made = numpy.empty(shape, item)
        wanted, at = numpy.empty(made.size, numpy.int64), 0
        for one in numpy.broadcast_to(a, shape).flat:
            wanted[at] = index(numpy.int64(one))
            at += 1
        put(made, wanted, choices)
        return made
    return of_arrays


def _shape(types):
    """What gives the shape that all choices have together."""
    number = len(types) - 1
    own = register_jitable((lambda one: one.shape) if is_array(types[-1]) else (lambda one: ()))
    if not number:
        return register_jitable(lambda choices: own(choices[0]))
    before = _shape(types[:-1])
    return register_jitable(lambda choices: numpy.broadcast_shapes(before(choices), own(choices[number])))


def _putter(types, number, item):
    """What writes the items of the first choices to where they are wanted."""
    if number < 0:
        return register_jitable(lambda made, wanted, choices: None)
    before = _putter(types, number - 1, item)

    @register_jitable
    def put_items(made, wanted, choices):
        before(made, wanted, choices)
        row, items = made.reshape(-1), numpy.ravel(numpy.broadcast_to(choices[number], made.shape))
        for at in range(row.size):
            if wanted[at] == number:
                row[at] = item(items[at])

    @register_jitable
    def put_number(made, wanted, choices):
        before(made, wanted, choices)
        row, value = made.reshape(-1), item(choices[number])
        for at in range(row.size):
            if wanted[at] == number:
                row[at] = value
    return put_items if is_array(types[number]) else put_number


@library("numpy.ndarray.choose")
def array_choose(self, choices, mode="raise"):
    known = literal(mode)
    return lambda self, choices, mode="raise": numpy.choose(self, choices, known)


@library(numpy.putmask, array_like="mask values", scalars="values", effects=Effects(mutates="a"))
def putmask(a, mask, values):
    numbers = (Number, Boolean)
    if not all(is_array(one) and isinstance(one.dtype, numbers) for one in (a, mask, values)):
        return None
    if not a.mutable:
        raise TypingError(f"Cannot modify readonly array of type: {a}")
    given, item = as_dtype(values.dtype), as_dtype(a.dtype)
    if values.ndim and not numpy.can_cast(given, item, "safe"):
        raise TypingError(f"Cannot cast array data from {given!r} to {item!r} according to the rule 'safe'")

    def put_where(a, mask, values):
        raise_if(mask.size != a.size, "ValueError", "putmask: mask and data must be the same size")
        new, row, at = values.ravel(), a.flat, 0
        if not new.size:
            return
        if new.size == a.size:
            for wanted in mask.flat:
                if wanted:
                    row[at] = new[at]
                at += 1
            return
        for wanted in mask.flat:
            if wanted:
                row[at] = new[at % new.size]
            at += 1
    return put_where
