"""Promotion and kinds of dtypes, known when the function compiles: `result_type`, `promote_types`, `can_cast`, `isdtype`, `common_type`."""
import numpy

from ...errors import TypingError
from ...types import BaseTuple, Boolean, DType, Number, NumberClass, UnicodeType, unliteral
from ...types.typeof import as_dtype
from .. import library
from .._predicates import is_array
from ._axis import literal


def named_dtype(ty):
    """The dtype that an argument names; None if it names none."""
    if isinstance(ty, DType):
        return as_dtype(ty.dtype)
    if isinstance(ty, NumberClass):
        return as_dtype(ty.instance_type)
    if isinstance(unliteral(ty), UnicodeType) and isinstance(literal(ty), str):
        return numpy.dtype(literal(ty))
    return None


def operand(ty):
    """What NumPy promotes for an argument, None for none: numbers of 64 bits are weak, as Python's are."""
    if is_array(ty):
        return as_dtype(ty.dtype)
    plain = unliteral(ty)
    if not isinstance(plain, (Number, Boolean)):
        return named_dtype(ty)
    if isinstance(plain, Boolean):
        return numpy.dtype(bool)
    weak = {"int64": 0, "float64": 0.0, "complex128": 0j}
    return weak.get(plain.name, as_dtype(plain))


@library(numpy.result_type, prefer_literal=True)
def result_type(*arrays_and_dtypes):
    operands = [operand(one) for one in arrays_and_dtypes]
    if not operands or any(one is None for one in operands):
        return None
    made = numpy.result_type(*operands)
    return lambda *arrays_and_dtypes: made


@library(numpy.promote_types, prefer_literal=True)
def promote_types(type1, type2, /):
    given = named_dtype(type1), named_dtype(type2)
    if any(one is None for one in given):
        return None
    made = numpy.promote_types(*given)
    return lambda type1, type2, /: made


@library(numpy.can_cast, prefer_literal=True)
def can_cast(from_, to, casting="safe"):
    given = as_dtype(from_.dtype) if is_array(from_) else named_dtype(from_), named_dtype(to)
    if any(one is None for one in given) or literal(casting) not in ("no", "equiv", "safe", "same_kind", "unsafe"):
        return None
    answer = bool(numpy.can_cast(*given, literal(casting)))
    return lambda from_, to, casting="safe": answer


_KINDS = ("bool", "signed integer", "unsigned integer", "integral", "real floating", "complex floating", "numeric")


@library(numpy.isdtype, prefer_literal=True)
def isdtype(dtype, kind):
    def wanted(one):
        if not isinstance(unliteral(one), UnicodeType):
            return named_dtype(one)
        return literal(one) if literal(one) in _KINDS else None

    if isinstance(unliteral(dtype), UnicodeType) or named_dtype(dtype) is None:
        return None
    kinds = tuple(map(wanted, kind if isinstance(kind, BaseTuple) else (kind,)))
    # A dtype equals None if it is the default one.
    if any(one is None for one in kinds):
        raise TypingError(f"kind is a dtype, or one of {', '.join(map(repr, _KINDS))}")
    answer = bool(numpy.isdtype(named_dtype(dtype), kinds))
    return lambda dtype, kind: answer


@library(numpy.common_type)
def common_type(*arrays):
    if not arrays or not all(is_array(one) and isinstance(one.dtype, Number) for one in arrays):
        return None
    found = numpy.common_type(*(numpy.empty(0, as_dtype(one.dtype)) for one in arrays))
    return lambda *arrays: found
