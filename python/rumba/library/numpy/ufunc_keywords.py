"""`where` and `dtype` in calls of NumPy's ufuncs: `np.divide(a, b, out=c, where=b != 0)`.

All items are computed, and those of the mask are kept. Without `out`, the others are what the memory held, as in NumPy.
"""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...types import Boolean, Number, unliteral
from ...types.typeof import as_dtype, from_dtype
from .. import library
from .._array_like import is_number
from .._predicates import is_absent, is_array
from .dtype_promotion import named_dtype

# What has one result. Of `matmul` and the like the library has functions with parameters of their own.
NAMES = tuple(sorted(name for name in dir(numpy) if isinstance(getattr(numpy, name), numpy.ufunc)
                     and getattr(numpy, name).__name__ == name and getattr(numpy, name).nout == 1
                     and getattr(numpy, name).signature is None and getattr(numpy, name).nin <= 2
                     and name not in ("bitwise_count", "ldexp")))


def _is_everything(where):
    return where is True or is_absent(where) or getattr(where, "literal_value", None) is True


def _operand(ty):
    """Whether a type is that of numbers or of an array of them."""
    return is_number(ty) or is_array(ty) and isinstance(ty.dtype, (Boolean, Number))


def _converted(ty, item):
    """What gives an operand items of a type."""
    if item is None:
        return register_jitable(lambda x: x)
    of = as_dtype(item).type
    return register_jitable((lambda x: x.astype(of)) if is_array(ty) else (lambda x: of(x)))


def _masked(operands, out, where, dtype):
    """Whether a call asks for one of the keywords, and the type in which it computes; None for a call that is known without."""
    if not all(map(_operand, operands)):
        return None
    item = None
    if not is_absent(dtype):
        known = named_dtype(dtype)
        if known is None or known.kind not in "biufc":
            raise TypingError("the dtype of a ufunc is a class of numbers that is known when the function compiles")
        item = from_dtype(known)
    if _is_everything(where):
        return None if item is None else (False, item)
    mask = where.dtype if is_array(where) else unliteral(where)
    if not isinstance(mask, Boolean):
        raise TypingError(f"Cannot cast array data from {mask} to bool according to the rule 'safe': the mask of a ufunc is boolean")
    if not is_array(out) and not any(map(is_array, (*operands, where))):
        return None
    return True, item


def _kept(out):
    """What puts items of a mask into the result, which is new without `out`."""
    if is_array(out):
        @register_jitable
        def keep(made, out, where):
            numpy.copyto(out, made, where=where)
            return out
        return keep

    @register_jitable
    def keep_new(made, out, where):
        found, mask = numpy.asarray(made), numpy.asarray(where)
        fresh = numpy.empty(numpy.broadcast_shapes(found.shape, mask.shape), found.dtype)
        numpy.copyto(fresh, found, where=mask)
        return fresh
    return keep_new


def _of_one(ufunc):
    def overload(x, /, out=None, *, where=True, dtype=None):
        found = _masked((x,), out, where, dtype)
        if found is None:
            return None
        first, keep = _converted(x, found[1]), _kept(out)
        compute = register_jitable(lambda x: ufunc(first(x)))
        if found[0]:
            return lambda x, /, out=None, *, where=True, dtype=None: keep(compute(x), out, where)
        if is_array(out):
            return lambda x, /, out=None, *, where=True, dtype=None: keep(compute(x), out, True)
        return lambda x, /, out=None, *, where=True, dtype=None: compute(x)
    return overload


def _of_two(ufunc):
    def overload(x1, x2, /, out=None, *, where=True, dtype=None):
        found = _masked((x1, x2), out, where, dtype)
        if found is None:
            return None
        first, second, keep = _converted(x1, found[1]), _converted(x2, found[1]), _kept(out)
        compute = register_jitable(lambda x1, x2: ufunc(first(x1), second(x2)))
        if found[0]:
            return lambda x1, x2, /, out=None, *, where=True, dtype=None: keep(compute(x1, x2), out, where)
        if is_array(out):
            return lambda x1, x2, /, out=None, *, where=True, dtype=None: keep(compute(x1, x2), out, True)
        return lambda x1, x2, /, out=None, *, where=True, dtype=None: compute(x1, x2)
    return overload


for _name in NAMES:
    _ufunc = getattr(numpy, _name)
    if _ufunc.nin == 1:
        library(_ufunc, strict=False, array_like="x where")(_of_one(_ufunc))
    else:
        library(_ufunc, strict=False, array_like="x1 x2 where")(_of_two(_ufunc))
