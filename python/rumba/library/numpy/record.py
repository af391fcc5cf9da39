"""Comparison of records, of arrays of them, of arrays with None and of texts with one; tuples that are assigned to arrays of
records. Optional arrays."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...types import Array, Bytes, CharSeq, Record, UnicodeCharSeq, UnicodeType, unliteral
from .. import library
from .._predicates import is_absent, is_array
from .sequence_operands import between


def names_of(record):
    """The names of a record's fields; one that has a title is listed under both."""
    return [name for name in record.fields if not record.is_title(name)]


def _record_of(ty):
    """The record that a type is, or that its items are; None for other types."""
    of = ty.dtype if is_array(ty) else ty
    return of if isinstance(of, Record) else None


def _field_compared(name, is_whole):
    if is_whole:
        def compared(a, b):
            return bool((a[name] == b[name]).all())
    else:
        def compared(a, b):
            return a[name] == b[name]
    return register_jitable(compared)


def _compared(names, record, of_arrays):
    """What compares the fields of these names, of two records or of arrays."""
    first = _field_compared(names[0], not of_arrays and isinstance(record.typeof(names[0]), Array))
    if len(names) == 1:
        return first
    rest = _compared(names[1:], record, of_arrays)
    if of_arrays:
        @register_jitable
        def together(a, b):
            return first(a, b) & rest(a, b)
    else:
        @register_jitable
        def together(a, b):
            return first(a, b) and rest(a, b)
    return together


def _equality(a, b):
    """What compares values of these types field by field; None where they are not records of the same fields."""
    one, other = _record_of(a), _record_of(b)
    if one is None or other is None or not one.fields or names_of(one) != names_of(other):
        return None
    of_arrays = is_array(a) or is_array(b)
    if of_arrays and any(isinstance(one.typeof(name), Array) for name in names_of(one)):
        return None
    return _compared(names_of(one), one, of_arrays)


def _none_equals(self, other, /):
    """No item of an array is None."""
    array = other if self is None else self
    return numpy.zeros(array.shape, numpy.bool_)


def _all_differ(self, other, /):
    array = other if self is None else self
    return numpy.ones(array.shape, numpy.bool_)


def _text_equality(a, b, differ):
    """What compares each text of an array with one that is no array; None for other types."""
    array, one = (a, b) if is_array(a) else (b, a)
    kind = unliteral(one)
    is_text = is_array(array) and isinstance(array.dtype, UnicodeCharSeq) and isinstance(kind, UnicodeType)
    if not is_text and not (is_array(array) and isinstance(array.dtype, CharSeq) and isinstance(kind, Bytes)):
        return None
    end = "\0" if is_text else b"\0"

    @register_jitable
    def compared(texts, text):
        made = numpy.empty(texts.shape, numpy.bool_)
        # Zeros at the end fill an item of an array up.
        row, at, wanted = made.reshape(-1), 0, text.rstrip(end)
        for item in texts.flat:
            row[at] = (item == wanted) != differ
            at += 1
        return made
    if array is a:
        return lambda self, other, /: compared(self, other)
    return lambda self, other, /: compared(other, self)


def _register(name, differ):
    of_sequence = between("!=" if differ else "==")

    def overload(self, other, /):
        array = other if is_absent(self) else self
        if is_array(array) and (is_absent(self) or is_absent(other)):
            # What has fields is not compared with None.
            if isinstance(array.dtype, Record):
                return None
            return _all_differ if differ else _none_equals
        text = _text_equality(self, other, differ)
        if text is not None:
            return text
        compared = _equality(self, other)
        if compared is None:
            return of_sequence(self, other)
        if not differ:
            return lambda self, other, /: compared(self, other)
        if is_array(self) or is_array(other):
            return lambda self, other, /: ~compared(self, other)
        return lambda self, other, /: not compared(self, other)
    overload.__name__ = name
    for of in ("numpy.void", "numpy.ndarray"):
        library(f"{of}.{name}")(overload)
    # Where None stands in front.
    library(f"numpy.ndarray.__r{name[2:]}")(overload)


_register("__eq__", False)
_register("__ne__", True)


def fields_written(record, value):
    """What writes the items of a tuple to the fields of a record, or of all records of an array."""
    names = names_of(record)
    if len(names) != len(value):
        raise TypingError(f"could not assign tuple of length {len(value)} to structure with {len(names)} fields.")
    return _written(names)


def _written(names):
    name = names[0]
    if len(names) == 1:
        @register_jitable
        def write(target, values):
            target[name] = values[0]
        return write
    rest = _written(names[1:])

    @register_jitable
    def write_all(target, values):
        target[name] = values[0]
        rest(target, values[1:])
    return write_all
