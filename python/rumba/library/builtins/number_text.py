"""Conversions of numbers to text and bytes: `bin`, `oct`, `hex`, `bytes`, and the conversion methods of `int` and
`float`."""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import raise_if
from ...types import ByteArray, Boolean, Bytes, CharSeq, Integer, unliteral
from .. import library
from .._predicates import is_absent, is_array, is_integer_or_bool, is_list


def _prefixed(function, prefix, letter):
    negative = "-" + prefix

    def text(number):
        digits = format(numpy.int64(number), letter)
        return negative + digits[1:] if digits[0] == "-" else prefix + digits

    def text_of_large(number):
        return prefix + format(number, letter)

    def choose(number, /):
        if not is_integer_or_bool(number):
            raise TypingError(f"'{unliteral(number)}' object cannot be interpreted as an integer")
        ty = unliteral(number)
        is_large = isinstance(ty, Integer) and not ty.signed and ty.bitwidth == 64
        return text_of_large if is_large else text
    library(function, strict=False)(choose)


_prefixed(bin, "0b", "b")
_prefixed(oct, "0o", "o")
_prefixed(hex, "0x", "x")


# Integers as bytes.

@register_jitable
def _is_big(byteorder):
    raise_if(byteorder != "big" and byteorder != "little", "ValueError", "byteorder must be either 'little' or 'big'")
    return byteorder == "big"


@library("builtins.int.to_bytes")
def to_bytes(self, length=1, byteorder="big", *, signed=False):
    if not is_integer_or_bool(length):
        return None
    is_large = isinstance(unliteral(self), Integer) and not unliteral(self).signed

    def to_bytes(self, length=1, byteorder="big", *, signed=False):
        is_big = _is_big(byteorder)
        raise_if(length < 0, "ValueError", "length argument must be non-negative")
        is_negative = not is_large and self < 0
        raise_if(is_negative and not signed, "OverflowError", "can't convert negative int to unsigned")
        word = numpy.uint64(self)
        if length < 8:
            unused = 8 * length - (1 if signed else 0)
            if signed and length == 0:
                too_big = self != 0 and numpy.int64(self) != -1
            elif is_negative:
                too_big = numpy.int64(word) >> unused != -1
            else:
                too_big = word >> numpy.uint64(unused) != 0
            raise_if(too_big, "OverflowError", "int too big to convert")
        raise_if(is_large and signed and length == 8 and word >> numpy.uint64(63) != 0, "OverflowError", "int too big to convert")
        made = numpy.empty(length, numpy.uint8)
        for at in range(length):
            byte = (word >> numpy.uint64(8 * at)) & numpy.uint64(255) if at < 8 else numpy.uint64(255 if is_negative else 0)
            made[length - 1 - at if is_big else at] = byte
        return made.tobytes()
    return to_bytes


def _is_bytes(ty):
    return isinstance(ty, (Bytes, ByteArray, CharSeq))


@library("builtins.int.from_bytes", strict=False)
def from_bytes(bytes, byteorder="big", *, signed=False):
    if not _is_bytes(bytes) and not (is_array(bytes) and bytes.ndim == 1 and str(bytes.dtype) == "uint8"):
        return None

    def from_bytes(bytes, byteorder="big", *, signed=False):
        is_big, word = _is_big(byteorder), numpy.uint64(0)
        count = len(bytes)
        first = bytes[0 if is_big else count - 1] if count else 0
        fill = 255 if signed and first >= 128 else 0
        for at in range(count):
            byte = numpy.uint64(bytes[count - 1 - at if is_big else at])
            if at < 8:
                word |= byte << numpy.uint64(8 * at)
            else:
                raise_if(byte != fill, "OverflowError", "Python int too large to convert to a 64-bit integer")
        if fill and count < 8:
            word |= ~numpy.uint64(0) << numpy.uint64(8 * count)
        raise_if((numpy.int64(word) < 0) != (fill != 0), "OverflowError", "Python int too large to convert to a 64-bit integer")
        return numpy.int64(word)
    return from_bytes


@library(bytes, strict=False)
def make_bytes(source, /):
    if is_integer_or_bool(source) and not isinstance(unliteral(source), Boolean):
        def zeros(source, /):
            raise_if(source < 0, "ValueError", "negative count")
            return numpy.zeros(source, numpy.uint8).tobytes()
        return zeros
    if isinstance(source, Bytes):
        return lambda source, /: source
    if isinstance(source, ByteArray):
        return lambda source, /: numpy.frombuffer(source, numpy.uint8).tobytes()
    if isinstance(source, CharSeq):
        def of_text(source, /):
            made = numpy.empty(len(source), numpy.uint8)
            for at in range(len(source)):
                made[at] = source[at]
            return made.tobytes()
        return of_text
    if is_array(source):
        return lambda source, /: source.tobytes()
    if is_list(source) and is_integer_or_bool(source.dtype):
        def of_list(source, /):
            made = numpy.empty(len(source), numpy.uint8)
            for at in range(len(source)):
                raise_if(source[at] < 0 or source[at] > 255, "ValueError", "bytes must be in range(0, 256)")
                made[at] = source[at]
            return made.tobytes()
        return of_list


# Fractions.

@library("builtins.int.as_integer_ratio")
def int_ratio(self):
    return lambda self: (numpy.int64(self), 1)


@library("builtins.float.as_integer_ratio")
def float_ratio(self):
    return _float_ratio


def _float_ratio(self):
    number = float(self)
    raise_if(number != number, "ValueError", "cannot convert NaN to integer ratio")
    raise_if(numpy.isinf(number), "OverflowError", "cannot convert Infinity to integer ratio")
    denominator = 1
    while number != numpy.floor(number):
        raise_if(denominator >= 2 ** 62, "OverflowError", "Python int too large to convert to a 64-bit integer")
        number, denominator = number * 2, denominator * 2
    raise_if(abs(number) >= 2.0 ** 63, "OverflowError", "Python int too large to convert to a 64-bit integer")
    return int(number), denominator


@library("builtins.float.hex")
def float_hex(self):
    return _float_hex


def _float_hex(self):
    number = float(self)
    if number != number:
        return "nan"
    word = numpy.float64(number).view(numpy.int64)
    sign = "-" if word < 0 else ""
    if numpy.isinf(number):
        return sign + "inf"
    exponent, digits = (word >> 52) & 2047, word & (2 ** 52 - 1)
    if exponent == 0 and digits == 0:
        return sign + "0x0.0p+0"
    text = format(digits, "013x")
    return sign + ("0x1." if exponent else "0x0.") + text + "p" + format(exponent - 1023 if exponent else -1022, "+d")


@library(numpy.binary_repr)
def binary_repr(num, width=None):
    if not is_integer_or_bool(num) or not (is_absent(width) or is_integer_or_bool(width)):
        return None
    return _binary if is_absent(width) else _binary_of_width


def _binary(num, width=None):
    return format(num, "b")


def _binary_of_width(num, width=None):
    digits = format(num, "b")
    if num >= 0:
        raise_if(len(digits) > width, "ValueError", "Insufficient bit width={} provided for binwidth={}", width, len(digits))
        return digits.zfill(width)
    size = len(digits) - 1
    if digits.count("1") == 1:
        # The least number of its width.
        size -= 1
    raise_if(size + 1 > width, "ValueError", "Insufficient bit width={} provided for binwidth={}", width, size + 1)
    complement = format(num + (1 << (size + 1)), "b")
    return complement.rjust(width, "1")


_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@library(numpy.base_repr)
def base_repr(number, base=2, padding=0):
    if all(is_integer_or_bool(one) or isinstance(one, int) for one in (number, base, padding)):
        return _base_repr


def _base_repr(number, base=2, padding=0):
    raise_if(base > 36, "ValueError", "Bases greater than 36 not handled in base_repr.")
    raise_if(base < 2, "ValueError", "Bases less than 2 not handled in base_repr.")
    # The least integer has no absolute value in 64 bits, so negative numbers stay what they are.
    rest, text = int(number), ""
    while rest:
        quotient = rest // base
        if rest < 0 and quotient * base != rest:
            quotient += 1
        text = _DIGITS[abs(rest - quotient * base)] + text
        rest = quotient
    text = "0" * padding + text
    if number < 0:
        return "-" + text
    return text or "0"
