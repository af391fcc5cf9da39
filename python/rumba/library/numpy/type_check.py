"""Predicates on values and types: `iscomplex`, `isreal`, `iscomplexobj`, `isrealobj`, `isneginf`, `isposinf`."""
import numpy

from ...errors import TypingError
from ...types import Boolean, Complex, Float, Integer, NoneType, Number, Optional, UnicodeType, unliteral
from .. import library
from .._predicates import is_absent, is_array
from .._array_like import is_number


def _item(ty):
    return ty.dtype if is_array(ty) else unliteral(ty)


def _object_test(function, is_complex):
    def overload(x):
        item = _item(x.type if isinstance(x, Optional) else x)
        if not isinstance(item, (Number, Boolean, NoneType, UnicodeType)):
            return None
        answer = isinstance(item, Complex) is is_complex
        if isinstance(x, Optional) and isinstance(item, Complex):
            return (lambda x: x is not None) if is_complex else lambda x: x is None
        return lambda x: answer
    library(function, array_like="x")(overload)


_object_test(numpy.iscomplexobj, True)
_object_test(numpy.isrealobj, False)


@library(numpy.iscomplex, array_like="x")
def iscomplex(x):
    if not (is_number(x) or is_array(x) and isinstance(x.dtype, (Number, Boolean))):
        return (lambda x: False) if isinstance(x, (NoneType, UnicodeType)) else None
    if is_array(x):
        is_part = isinstance(x.dtype, Complex)
        return (lambda x: x.imag != 0) if is_part else lambda x: numpy.zeros(x.shape, numpy.bool_)
    return (lambda x: x.imag != 0) if isinstance(unliteral(x), Complex) else lambda x: False


@library(numpy.isreal, array_like="x")
def isreal(x):
    if not (is_number(x) or is_array(x) and isinstance(x.dtype, (Number, Boolean))):
        return (lambda x: True) if isinstance(x, (NoneType, UnicodeType)) else None
    if is_array(x):
        is_part = isinstance(x.dtype, Complex)
        return (lambda x: x.imag == 0) if is_part else lambda x: numpy.ones(x.shape, numpy.bool_)
    return (lambda x: x.imag == 0) if isinstance(unliteral(x), Complex) else lambda x: True


def _infinity(function, is_negative):
    def overload(x, out=None):
        item = _item(x)
        if not isinstance(item, (Integer, Float, Boolean, Complex)):
            return None
        if isinstance(item, Complex):
            raise TypingError("This operation is not supported for complex128 values because it would be ambiguous."
                              if item.bitwidth == 128 else
                              "This operation is not supported for complex64 values because it would be ambiguous.")
        if not is_absent(out):
            return _into(is_negative) if is_array(out) else None
        if is_negative:
            return lambda x, out=None: numpy.logical_and(numpy.isinf(x), numpy.signbit(x))
        return lambda x, out=None: numpy.logical_and(numpy.isinf(x), numpy.logical_not(numpy.signbit(x)))

    def exact(x, out=None):
        if isinstance(_item(x), (Integer, Boolean)) and is_absent(out):
            if is_array(x) and x.ndim:
                return lambda x, out=None: numpy.zeros(x.shape, numpy.bool_)
            return lambda x, out=None: False
        return overload(x, out)
    library(function, array_like="x")(exact)


def _into(is_negative):
    def negative(x, out=None):
        return numpy.logical_and(numpy.isinf(x), numpy.signbit(x), out)

    def positive(x, out=None):
        return numpy.logical_and(numpy.isinf(x), numpy.logical_not(numpy.signbit(x)), out)
    return negative if is_negative else positive


_infinity(numpy.isneginf, True)
_infinity(numpy.isposinf, False)
