"""`numpy.polynomial.Polynomial`: its objects in compiled code, and how they are made there.

An object of compiled code has the coefficients, the domain, the window and the symbol of one of NumPy. Coefficients of an argument may
be of any numeric dtype; those of what compiled code makes are floats or complex numbers, as NumPy makes them.
Absent: `fit`, `fromroots` and other constructors, `roots`, division and powers, the text of a polynomial.
"""
import numpy
from numpy.polynomial import Polynomial, polynomial

from ...classes import plain_classes
from ...errors import TypingError
from ...extending import register_jitable
from ...intrinsics import array_copy, new_object, raise_if, set_field
from ...types import Array, BaseTuple, Boolean, Complex, Float, Integer, UnicodeType, from_dtype, unliteral
from ...types.convert import unify
from ...types.names import float64, unicode_type
from .. import library
from .._array_like import is_number, is_sequence
from .._predicates import is_absent, is_array
from .polynomial import _common


@plain_classes.stands_for(Polynomial)
class Members:
    """The fields and methods of a polynomial."""

    __slots__ = ("coef", "domain", "window", "_symbol")
    coef: numpy.ndarray
    domain: numpy.ndarray
    window: numpy.ndarray
    _symbol: str

    @property
    def symbol(self):
        return self._symbol

    def __len__(self):
        return len(self.coef)

    def __call__(self, arg):
        offset, scale = self.mapparms()
        return polynomial.polyval(offset + scale * arg, self.coef)

    def mapparms(self):
        old, new = self.domain, self.window
        width = old[1] - old[0]
        return (old[1] * new[0] - old[0] * new[1]) / width, (new[1] - new[0]) / width

    def degree(self):
        return len(self.coef) - 1

    def copy(self):
        return Polynomial(self.coef, self.domain, self.window, self._symbol)

    def truncate(self, size):
        raise_if(size < 1, "ValueError", "size must be a positive integer")
        return Polynomial(self.coef[:size], self.domain, self.window, self._symbol)

    def cutdeg(self, deg):
        return self.truncate(deg + 1)

    def deriv(self, m=1):
        return Polynomial(polynomial.polyder(self.coef, m, self.mapparms()[1]), self.domain, self.window, self._symbol)

    def integ(self, m=1, k=0.0, lbnd=None):
        offset, scale = self.mapparms()
        bound = 0.0 if lbnd is None else offset + scale * lbnd
        return Polynomial(_integral(self.coef, m, k, bound, 1.0 / scale), self.domain, self.window, self._symbol)

    def __neg__(self):
        return Polynomial(-self.coef, self.domain, self.window, self._symbol)

    def __pos__(self):
        return self

    def __add__(self, other):
        return Polynomial(polynomial.polyadd(self.coef, _coefficients(self, other)), self.domain, self.window, self._symbol)

    def __radd__(self, other):
        return Polynomial(polynomial.polyadd(_coefficients(self, other), self.coef), self.domain, self.window, self._symbol)

    def __sub__(self, other):
        return Polynomial(polynomial.polysub(self.coef, _coefficients(self, other)), self.domain, self.window, self._symbol)

    def __rsub__(self, other):
        return Polynomial(polynomial.polysub(_coefficients(self, other), self.coef), self.domain, self.window, self._symbol)

    def __mul__(self, other):
        return Polynomial(polynomial.polymul(self.coef, _coefficients(self, other)), self.domain, self.window, self._symbol)

    def __rmul__(self, other):
        return Polynomial(polynomial.polymul(_coefficients(self, other), self.coef), self.domain, self.window, self._symbol)

    def __eq__(self, other):
        return (len(self.coef) == len(other.coef) and bool(numpy.all(self.coef == other.coef))
                and bool(numpy.all(self.domain == other.domain)) and bool(numpy.all(self.window == other.window))
                and self._symbol == other._symbol)

    def __ne__(self, other):
        return not self == other


@register_jitable
def _coefficients(one, other):
    """The coefficients of the other operand, which is a polynomial of the same variable, a number or an array of coefficients."""
    if hasattr(other, "mapparms"):
        raise_if(not numpy.all(one.domain == other.domain), "TypeError", "Domains differ")
        raise_if(not numpy.all(one.window == other.window), "TypeError", "Windows differ")
        raise_if(one._symbol != other._symbol, "ValueError", "Polynomial symbols differ")
        return other.coef
    return numpy.atleast_1d(numpy.asarray(other))


@register_jitable
def _integral(coefficients, m, k, bound, scale):
    raise_if(m < 0, "ValueError", "The order of integration must be non-negative")
    made = coefficients * 1.0
    for at in range(m):
        made = made * scale
        constant = k if at == 0 else k * 0
        if len(made) == 1 and made[0] == 0:
            made = made + constant
            continue
        longer = numpy.empty(len(made) + 1, made.dtype)
        longer[0], longer[1] = made[0] * 0, made[0]
        for power in range(1, len(made)):
            longer[power + 1] = made[power] / (power + 1)
        longer[0] += constant - polynomial.polyval(bound, longer)
        made = longer
    return made


# Construction.

def _series_of(ty):
    """The type of the numbers of a list or a tuple, if it has one."""
    if isinstance(ty, BaseTuple):
        return unify(*map(unliteral, ty)) if len(ty) else float64
    return ty.dtype


def _row(ty):
    """What makes an array of coefficients, and its dtype; None for types that are none."""
    if is_number(ty):
        return _common(ty), register_jitable(lambda values: numpy.atleast_1d(numpy.asarray(values)))
    if is_sequence(ty):
        return _common(_series_of(ty)), register_jitable(lambda values: numpy.asarray(values))
    if is_array(ty) and isinstance(ty.dtype, (Integer, Float, Complex, Boolean)):
        if ty.ndim > 1:
            raise TypingError("Coefficient array is not 1-d")
        return _common(ty), register_jitable(lambda values: numpy.atleast_1d(values))
    return None


@library("numpy.polynomial.polynomial.Polynomial")
def construct(coef, domain=None, window=None, symbol="x"):
    of_coefficients = _row(coef)
    ends = [None if is_absent(one) else _row(one) for one in (domain, window)]
    if of_coefficients is None or any(end is None and not is_absent(one) for end, one in zip(ends, (domain, window))):
        return None
    if not (isinstance(symbol, str) or isinstance(unliteral(symbol), UnicodeType)):
        return None
    item, convert = of_coefficients
    item = item.type
    row = Array(from_dtype(numpy.dtype(item)), 1, "C")
    end = Array(float64, 1, "C")
    instance = plain_classes.of_fields(Polynomial, coef=row, domain=end, window=end, _symbol=unicode_type)
    domain_of, window_of = (_end_maker(end, name) for end, name in zip(ends, ("Domain", "Window")))

    def make(coef, domain=None, window=None, symbol="x"):
        coefficients = convert(coef)
        raise_if(coefficients.size == 0, "ValueError", "Coefficient array is empty")
        raise_if(not symbol.isidentifier(), "ValueError", "Symbol string must be a valid Python identifier")
        made = new_object(instance)
        set_field(made, "coef", array_copy(coefficients, item, "C"))
        set_field(made, "domain", domain_of(domain))
        set_field(made, "window", window_of(window))
        set_field(made, "_symbol", symbol)
        return made
    return make


def _end_maker(end, name):
    """What makes the two ends of a domain or a window."""
    message = f"{name} has wrong number of elements."
    if end is None:
        return register_jitable(lambda given: numpy.array([-1.0, 1.0]))
    convert = end[1]

    @register_jitable
    def ends(given):
        made = array_copy(convert(given), numpy.float64, "C")
        raise_if(made.size != 2, "ValueError", message)
        return made
    return ends
