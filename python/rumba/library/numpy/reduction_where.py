"""Reductions with `initial` and `where`: masked elements are replaced by the identity, and the initial value is
combined at the end.

A sum of floats that begins with a number may differ from NumPy's by its rounding where NumPy adds row after row.
"""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...types import Boolean, Number, unliteral
from ...types.typeof import as_dtype
from . import _kernels
from ._axis import axis_kind, literal, remaining_ndim
from .._predicates import is_absent, is_array
from .._array_like import is_number

_NO_IDENTITY = ("reduction operation '{}' does not have an identity, so to use a where mask one has to specify 'initial'")


def _is_everything(where):
    return where is True or is_absent(where)


def _check_where(array, where):
    item = where.dtype if is_array(where) else unliteral(where)
    if not isinstance(item, Boolean):
        raise TypingError(f"Cannot cast array data from {as_dtype(item)!r} to dtype('bool') according to the rule 'safe'")
    if is_array(where) and where.ndim > array.ndim:
        raise TypingError("input operand has more dimensions than allowed by the axis remapping")


def partly(function, find, made_of, join, identity=None):
    """What is asked for a reduction with `initial` and `where`, given what is asked for the same without: `find(array, axis, ...)`.

    `made_of(array, ...)` is the class of what comes out, `join` brings two such numbers together, `identity` changes nothing."""
    def found(array, axis, *rest):
        *rest, initial, where = rest
        if is_absent(initial) and _is_everything(where):
            plain = find(array, axis, *rest)
            return plain and register_jitable(lambda a, axis, out, initial, where: plain(a, axis, out))
        out, keepdims = rest[-2:]
        made = made_of(array, *rest) if is_array(array) else None
        if made is None or not axis_kind(array, axis) or not isinstance(literal(keepdims), bool):
            return None
        if not is_absent(initial) and not is_number(initial):
            return None
        if find(array, axis, *rest) is None:
            return None
        if not _is_everything(where):
            _check_where(array, where)
            if identity is None and is_absent(initial):
                raise TypingError(_NO_IDENTITY.format(join.__name__))
        return _with_out(_reduction(function, array, axis, made, keepdims, initial, where, join, identity), out)
    # Messages and the index name the module that knows what happens.
    found.__module__ = find.__module__
    return found


def _reduction(function, array, axis, made, keepdims, initial, where, join, identity):
    own, keeps = _kernels.class_of(array.dtype), literal(keepdims)
    is_one = not remaining_ndim(array, axis) and not keeps
    typed = identity is not None

    @register_jitable
    def reduce(a, axis):
        return function(a, axis, dtype=made, keepdims=keeps) if typed else function(a, axis, keepdims=keeps)

    @register_jitable
    def kept(a, initial, where):
        return numpy.where(where, a, own(identity) if typed else own(initial))
    chosen = register_jitable((lambda a, initial, where: a) if _is_everything(where) else kept)

    @register_jitable
    def empty(a, axis, initial):
        return made(initial) if is_one else numpy.full(numpy.sum(a, axis, keepdims=keeps).shape, made(initial), made)

    @register_jitable
    def begun(a, axis, initial, where):
        if not typed and a.size == 0:
            return empty(a, axis, initial)
        found = join(reduce(chosen(a, initial, where), axis), made(initial))
        return made(found) if is_one else found
    if is_absent(initial):
        return register_jitable(lambda a, axis, initial, where: reduce(chosen(a, initial, where), axis))
    return begun


def _with_out(reduce, out):
    @register_jitable
    def put(a, axis, out, initial, where):
        out[...] = reduce(a, axis, initial, where)
        return out
    if is_absent(out):
        return register_jitable(lambda a, axis, out, initial, where: reduce(a, axis, initial, where))
    return put


# Reductions of some items that are no sum of them alone.

def _is_one(array, axis, keepdims):
    return not remaining_ndim(array, axis) and not literal(keepdims)


def _fits(array, axis, where, out, keepdims):
    if not is_array(array) or not axis_kind(array, axis) or not isinstance(literal(keepdims), bool):
        return False
    _check_where(array, where)
    return is_absent(out) or is_array(out) and out.mutable


def _put_out(reduce, out):
    """The same, with the result written to an array if there is one; what follows `out` are the other arguments."""
    @register_jitable
    def put(a, axis, out, where, ddof):
        out[...] = reduce(a, axis, where, ddof)
        return out
    return register_jitable(lambda a, axis, out, where, ddof: reduce(a, axis, where, ddof)) if is_absent(out) else put


def _without_ddof(reduce):
    return register_jitable(lambda a, axis, out, where: reduce(a, axis, out, where, 0))


def truth_partly(function, find, identity):
    """What is asked for `any` and `all` with `where`, given what is asked for the same without."""
    def found(array, axis, out, keepdims, where):
        if _is_everything(where):
            plain = find(array, axis, out, keepdims)
            return plain and register_jitable(lambda a, axis, out, where: plain(a, axis, out))
        if not _fits(array, axis, where, out, keepdims) or not isinstance(array.dtype, (Boolean, Number)):
            return None
        keeps = literal(keepdims)
        return _without_ddof(_put_out(register_jitable(lambda a, axis, where, ddof: function(
            numpy.where(where, a != 0, identity), axis, keepdims=keeps)), out))
    found.__module__ = find.__module__
    return found


def _mean_class(array, dtype):
    """The class of means of these items; None if it is none that NumPy has."""
    own = _kernels.class_of(array.dtype)
    if is_absent(dtype):
        return own if issubclass(own, numpy.inexact) else numpy.float64
    made = getattr(dtype, "dtype", None)
    made = made and as_dtype(made).type
    return made if made and issubclass(made, numpy.inexact) else None


def _averager(array, axis, made, keeps):
    """What divides the sum of some items by how many they are."""
    is_one = _is_one(array, axis, keeps)

    @register_jitable
    def average(a, axis, where, ddof):
        count = numpy.sum(numpy.broadcast_to(where, a.shape), axis, keepdims=keeps)
        total = numpy.sum(a, axis, dtype=made, keepdims=keeps, where=where)
        found = numpy.true_divide(total, numpy.maximum(count - ddof, 0))
        return made(found) if is_one else found.astype(made)
    return average


def mean_partly(find):
    """What is asked for `mean` with `where`, given what is asked for it without."""
    def found(array, axis, dtype, out, keepdims, where):
        if _is_everything(where):
            plain = find(array, axis, dtype, out, keepdims)
            return plain and register_jitable(lambda a, axis, out, where: plain(a, axis, out))
        if not _fits(array, axis, where, out, keepdims) or not isinstance(array.dtype, (Boolean, Number)):
            return None
        made = _mean_class(array, dtype)
        return made and _without_ddof(_put_out(_averager(array, axis, made, literal(keepdims)), out))
    found.__module__ = find.__module__
    return found


def variance_partly(find, is_root):
    """What is asked for `var` and `std` with `where`, given what is asked for them without."""
    def found(array, axis, dtype, out, ddof, keepdims, where):
        if _is_everything(where):
            plain = find(array, axis, dtype, out, ddof, keepdims)
            return plain and register_jitable(lambda a, axis, ddof, out, where: plain(a, axis, ddof, out))
        if not _fits(array, axis, where, out, keepdims) or not isinstance(array.dtype, (Boolean, Number)) or not is_absent(dtype):
            return None
        spread = _put_out(_spread(array, axis, literal(keepdims), is_root), out)
        return register_jitable(lambda a, axis, ddof, out, where: spread(a, axis, out, where, ddof))
    found.__module__ = find.__module__
    return found


def _spread(array, axis, keeps, is_root):
    made = _mean_class(array, None)
    part = {numpy.complex64: numpy.float32, numpy.complex128: numpy.float64}.get(made, made)
    mean, average = _averager(array, axis, made, True), _averager(array, axis, part, keeps)
    square = register_jitable(
        (lambda d: (d * numpy.conjugate(d)).real) if issubclass(made, numpy.complexfloating) else (lambda d: d * d))
    root = register_jitable((lambda found: numpy.sqrt(found)) if is_root else (lambda found: found))

    @register_jitable
    def spread(a, axis, where, ddof):
        return root(average(square(a - mean(a, axis, where, 0)), axis, where, ddof))
    return spread
