"""Copies of arrays in another order or dtype; `eye`, `diag`; arrays over C memory."""

import numpy

from ...c_interop import pointer_arrays as pointers
from ...errors import TypingError
from ...extending import Effects, register_jitable
from ...intrinsics import array_at, array_bytes, array_copy, array_view, raise_if
from ...types import (
    Boolean, Buffer, CharSeq, CPointer, Integer, KnownFunction, Literal, Number, NumberClass, RawPointer, Record,
    UnicodeType, complex128, float64, from_dtype, int64, unliteral)
from ...types.typeof import as_dtype
from .. import library
from .datetime_units import converted as times_converted
from .._predicates import is_absent, is_array, is_dtype, is_shape


def literal(ty):
    """The value that a literal type, or a default, knows."""
    return getattr(ty, "literal_value", ty if isinstance(ty, (str, bool, type(None))) else getattr(ty, "value", ty))


# Copies and orders.

def check_like(a):
    """Refuses what no array can be made of."""
    if not (is_array(a) or isinstance(unliteral(a), (Number, Boolean))):
        raise TypingError(f'The argument "a" must be array-like, which {a} is not')


@library(numpy.copy, array_like="a")
def copy(a, order="K"):
    check_like(a)
    if not is_array(a):
        return lambda a, order="K": numpy.array(a)
    layout = _order_of(a, order)
    if layout:
        def copied(a, order="K"):
            return array_copy(a, a.dtype, layout)
        return copied


@library("numpy.ndarray.copy")
def array_copy_in(self, order="C"):
    layout = _order_of(self, order)
    if layout:
        def copied(self, order="C"):
            return array_copy(self, self.dtype, layout)
        return copied


def _order_of(a, order):
    """The layout of a copy; None if that is not known."""
    order = literal(order)
    if not is_array(a) or order not in ("C", "F", "A", "K"):
        return None
    kept = "F" if a.layout == "F" else "C"
    return kept if order in ("A", "K") else order


@library("numpy.ndarray.astype")
def array_astype(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
    layout = _order_of(self, order)
    if isinstance(dtype, UnicodeType) and not isinstance(dtype, Literal):
        raise TypingError("array.astype if dtype is a string it must be constant: its value decides the type of the result")
    if is_array(self) and isinstance(item_of(dtype), Record) and not isinstance(self.dtype, Record):
        raise TypingError(f"cannot convert from {self.dtype} to {item_of(dtype)}: make the array of records, and write to its fields")
    if not layout or not is_dtype(dtype) or literal(casting) != "unsafe" or not isinstance(literal(copy), bool):
        return None

    other = times_converted(self, item_of(dtype))
    if other is not None:
        return lambda self, dtype, order="K", casting="unsafe", subok=True, copy=True: other(self)

    def converted(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        return array_copy(self, dtype, layout)

    def same(self, dtype, order="K", casting="unsafe", subok=True, copy=True):
        return self
    may_stay = not literal(copy) and (literal(order) == "K" or layout == self.layout)
    return same if may_stay and isitem_of(self, dtype) else converted


@library("numpy.ndarray.tobytes")
def array_tobytes(self, order="C"):
    layout = _order_of(self, order)
    if not layout or literal(order) not in ("C", "F", "A") or self.layout == "A" and literal(order) == "A":
        return None

    def bytes_of(self, order="C"):
        made = array_copy(self, self.dtype, layout)
        return array_bytes(array_view(made, numpy.uint8, 0, (made.nbytes,), (1,), "C"))
    return bytes_of


def _named(text):
    """The type of the items that a string names."""
    try:
        dtype = numpy.dtype(text)
    except TypeError:
        raise TypingError(f"Invalid NumPy dtype specified: '{text}'") from None
    return from_dtype(dtype)


_PYTHONS_OWN = int64, float64, complex128
# Python's classes of numbers, which are functions to the compiler.
_CLASSES = {f"builtins.{one.__name__}": one for one in (float, int, complex, bool)}


def item_of(dtype):
    """The type of the items that a dtype means; None if that is not known."""
    if isinstance(dtype, Literal):
        return _named(dtype.literal_value)
    if isinstance(dtype, NumberClass):
        return dtype.instance_type
    if isinstance(unliteral(dtype), Number) and unliteral(dtype) not in _PYTHONS_OWN:
        # Numbers of NumPy's own classes know their dtype; those that Python has, too, may be Python's.
        return unliteral(dtype)
    named = _CLASSES.get(dtype.dotted) if isinstance(dtype, KnownFunction) else None
    return from_dtype(numpy.dtype(named)) if named else None


def wanted_item(name, dtype, other):
    """The dtype that an argument of the function `name` means, `other` where there is none."""
    if is_absent(dtype):
        return other
    if isinstance(dtype, UnicodeType):
        raise TypingError(f"If np.{name} dtype is a string it must be a string constant.")
    if dtype is float:
        return numpy.dtype(float)
    item = item_of(dtype) if is_dtype(dtype) else None
    if item is None:
        raise TypingError(f'The argument "dtype" must be a data-type if it is provided, {dtype} is none')
    return as_dtype(item)


def isitem_of(array, dtype):
    """Whether a dtype is that of an array."""
    return item_of(dtype) == array.dtype


# Matrices.

@library(numpy.eye)
def eye(N, M=None, k=0, dtype=float):
    if not all(isinstance(one, int) or is_absent(one) or isinstance(unliteral(one), Integer) for one in (N, M, k)):
        return None
    item = wanted_item("eye", dtype, numpy.dtype(float))

    def matrix(N, M=None, k=0, dtype=float):
        return _eye(N, M, k, item)

    def square(N, M=None, k=0, dtype=float):
        return _eye(N, N, k, item)
    return square if is_absent(M) else matrix


@register_jitable
def _eye(rows, columns, k, dtype):
    made = numpy.zeros((rows, columns), dtype)
    for at in range(max(0, -k), min(rows, columns - k)):
        made[at, at + k] = 1
    return made


@library(numpy.identity)
def identity(n, dtype=None):
    if not isinstance(unliteral(n), Integer):
        return None
    item = wanted_item("identity", dtype, numpy.dtype(float))

    def matrix(n, dtype=None):
        return _eye(n, n, 0, item)
    return matrix


@library(numpy.diag, array_like="v")
def diag(v, k=0):
    if not is_array(v):
        raise TypingError('The argument "v" must be array-like')
    return {1: _spread_diagonal, 2: _take_diagonal}.get(v.ndim, _refuse_diag)


def _spread_diagonal(v, k=0):
    n = v.size + abs(k)
    made = numpy.zeros((n, n), v.dtype)
    for at in range(v.size):
        made[at + max(0, -k), at + max(0, k)] = v[at]
    return made


def _take_diagonal(v, k=0):
    start_row, start_column = max(0, -k), max(0, k)
    made = numpy.empty(max(0, min(v.shape[0] - start_row, v.shape[1] - start_column)), v.dtype)
    for at in range(made.size):
        made[at] = v[at + start_row, at + start_column]
    return made


def _refuse_diag(v, k=0):
    raise_if(True, "ValueError", "Input must be 1- or 2-d.")
    return v


@library(numpy.fill_diagonal, array_like="val", effects=Effects(mutates="a"))
def fill_diagonal(a, val, wrap=False):
    if is_array(a) and a.ndim < 2:
        raise TypingError("The first argument must be at least 2-D (found {}-D)".format(a.ndim))
    if is_array(a) and is_array(val) and a.mutable and isinstance(val.dtype, (Number, Boolean)):
        return _fill_diagonal_with if a.ndim == 2 else _fill_long_diagonal_with
    if is_array(a) and a.ndim >= 2 and a.mutable and isinstance(unliteral(val), (Number, Boolean)):
        return _fill_diagonal if a.ndim == 2 else _fill_long_diagonal


def _fill_diagonal(a, val, wrap=False):
    rows, columns = a.shape
    if columns == 0:
        return
    for at in range(min(rows, columns)):
        a[at, at] = val
    if wrap:
        # Behind each full diagonal one row is left out.
        for row in range(columns + 1, rows):
            if row % (columns + 1) < columns:
                a[row, row % (columns + 1)] = val


def _fill_diagonal_with(a, val, wrap=False):
    """One of the values after the other, over and over."""
    rows, columns = a.shape
    items, taken = val.ravel(), 0
    if columns == 0 or items.size == 0:
        return
    for row in range(rows if wrap else min(rows, columns)):
        if row % (columns + 1) < columns:
            a[row, row % (columns + 1)] = items[taken % items.size]
            taken += 1


def _fill_long_diagonal_with(a, val, wrap=False):
    items = val.ravel()
    for at in range(a.ndim):
        raise_if(a.shape[at] != a.shape[0], "ValueError", "All dimensions of input must be of equal length")
    step = 1
    for at in range(a.ndim - 1):
        step = step * a.shape[0] + 1
    for at in range(a.shape[0]):
        if items.size:
            a.flat[at * step] = items[at % items.size]


def _fill_long_diagonal(a, val, wrap=False):
    for at in range(a.ndim):
        raise_if(a.shape[at] != a.shape[0], "ValueError", "All dimensions of input must be of equal length")
    step = 1
    for at in range(a.ndim - 1):
        step = step * a.shape[0] + 1
    for at in range(a.shape[0]):
        a.flat[at * step] = val


# Memory of C.

@library(pointers.carray)
def carray(ptr, shape, dtype=None):
    return _over(ptr, shape, dtype, "C")


@library(pointers.farray)
def farray(ptr, shape, dtype=None):
    return _over(ptr, shape, dtype, "F")


@library(numpy.frombuffer)
def frombuffer(buffer, dtype=float, count=-1, offset=0):
    """What the compiler does itself is not asked for here: constants, and why it could not."""
    if isinstance(buffer, CharSeq):
        made = as_dtype(float64 if dtype is float or is_absent(dtype) else item_of(dtype))
        return lambda buffer, dtype=float, count=-1, offset=0: numpy.frombuffer(bytes(buffer), made, count, offset)
    if isinstance(dtype, UnicodeType) and not isinstance(dtype, Literal):
        raise TypingError("If np.frombuffer dtype is a string it must be a string constant.")
    if not isinstance(buffer, Buffer):
        raise TypingError(f'Argument "buffer" must be buffer-like, which {buffer} is not')


def _over(ptr, shape, dtype, layout):
    given = None if is_absent(dtype) else item_of(dtype)
    if not isinstance(ptr, (RawPointer, CPointer)) or not (is_shape(shape) or isinstance(unliteral(shape), Integer)):
        return None
    own = getattr(ptr, "dtype", None)
    if own is None and given is None:
        raise TypingError("explicit dtype required for void* argument")
    if own is not None and given is not None and own != given:
        raise TypingError(f"mismatching dtype '{given}' for pointer type '{ptr}'")
    item = as_dtype(given or own)

    def over(ptr, shape, dtype=None):
        return array_at(ptr, item, shape, layout)
    return over
