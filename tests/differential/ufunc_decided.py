"""What is decided otherwise than in NumPy, with the reason: the one table that `ufunc_table` asks.

Everything else that differs is a failure.
"""
import re
from collections import namedtuple

import numpy as np

# The last places of functions that are computed by our own sequence of operations (docs/mathematics.md), and of what
# is made of them or adds in another order.
_ULPS = {name: 4 for name in """
    exp exp2 expm1 log log2 log10 log1p sin cos tan arcsin arccos arctan arctan2 sinh cosh tanh arcsinh arccosh arctanh
    cbrt hypot logaddexp logaddexp2 power float_power sqrt absolute angle sinc i0 abs pow
""".split()}
_ULPS |= {name: 64 for name in """
    mean std var nanmean nanstd nanvar cov corrcoef average trapezoid convolve correlate polyval polyder polyint interp
    linalg.norm gradient percentile quantile median nanmedian linspace dot vdot inner unwrap prod cumprod nanprod
    nancumprod vander sum cumsum nansum nancumsum cross polymul kron outer
""".split()}
_ULPS |= {"operator **": 64, "operator **=": 64, "operator abs": 4, "power": 64, "float_power": 64, "pow": 64}


def plain_name(subject):
    """The function that a subject is about."""
    name = subject.name.removesuffix(" out").removeprefix("method ")
    return name if name.startswith("operator") else re.sub(r"^(np|v|r)\.", "", name).split("(")[0]


def ulps(subject):
    """How many last places of a result may differ."""
    return _ULPS.get(plain_name(subject), 0)


# kinds: of difference. subjects: a pattern of names. any: kinds of dtypes of which one takes part. text: a pattern of what
# the description holds. numbers: only where an argument is a number.
Decision = namedtuple("Decision", "reason kinds subjects any text numbers", defaults=("", "", "", False))

DECIDED = (
    Decision("Times: what has no rule for them is refused when the function compiles.", "refused", any="mM"),
    Decision("Python's numbers and operators on numbers have Numba's types: int64, float64, complex128.", "dtype",
             r"(sum|min|max|abs|round|divmod|pow)\(.*|operator.*", numbers=True),
    Decision("Beside single precision integers of any width are singles, as in Numba.", "dtype",
             text=r"^(float64 and float32|complex128 and complex64)"),
    Decision("Numbers are divided as Python divides them: zero is an error (error_model='python').", "raises",
             r"operator (//|%|/|\*\*)|divmod.*|pow.*|np\.divmod", text="ZeroDivisionError"),
    Decision("A power of numbers that is too large is an error, as in Python.", "raises", r"operator \*\*|pow\(.*",
             text="OverflowError"),
    Decision("`linspace` of real numbers is of doubles, as in Numba.", "dtype", r"np\.linspace.*", text="^float32 and float64"),
    Decision("`item()` of a time is a time, not an integer or an object of datetime.", "dtype", r"v\.item\(0\)", any="mM"),
    Decision("How many dimensions are left is to be known when the function compiles.", "refused", r".*squeeze.*"),
    Decision("An iterator over items does not leave compiled code.", "refused", r"v\.flat"),
    Decision("Linear algebra takes floats and complex numbers, as Numba does.", "refused",
             r"np\.linalg.*|.*\bv?dot.*|np\.inner.*", any="iub"),
    Decision("Complex numbers have no order in the library.", "refused",
             r"np\.(sort|argsort|unique|partition|searchsorted|intersect1d|union1d|setdiff1d|setxor1d|isin|median|percentile|"
             r"quantile|digitize|clip|nan\w*|interp|trim_zeros|ptp|min|max|argmin|argmax|gradient).*|(sorted|min|max)\(.*|"
             r"v\.(argsort|clip).*|method (min|max|argmin|argmax)", any="c"),
    Decision("A complex number is no item of an array of real ones.", "refused",
             r"a\[.*|np\.(insert|put|fill_diagonal|full_like|copyto|place|append|where).*|v\.astype.*", any="c"),
    Decision("Truth values are no numbers for these functions.", "refused", any="b"),
    Decision("Truth values are numbers for these functions, as in Numba.", "accepted", any="b",
             subjects=r"np\.(percentile|quantile).*|round\(.*"),
    Decision("Functions that give two arrays are those of numbers alone.", "refused", r"np\.(modf|frexp).*"),
    Decision("One dimension is fewer than the index names.", "refused", r".*\[:,.*"),
    Decision("A part of the order says nothing of the order on either side.", "value", r"np\.partition.*"),
    Decision("Percentiles are doubles, as in Numba.", "dtype", r"np\.(percentile|quantile).*", text="^float32 and float64"),
    Decision("Percentiles of nothing are NaN, as in Numba.", "accepted", r"np\.(percentile|quantile).*", text="index .* is out of bounds"),
    Decision("The angle of an integer is a double, as in Numba.", "dtype", r"np\.angle.*", text="^float32 and float64"),
    Decision("A float beyond an unsigned integer of 32 bits: NumPy's answer depends on how many items there are.", "value",
             r"np\.(round|around|full|full_like|copyto|put|place|insert|append|array).*|v\.(astype|round).*|a\[.*", any="u"),
    Decision("What is stored is converted as by an assignment, whatever rule of casting the function has in NumPy.", "accepted",
             r"np\.(place|copyto|put|fill_diagonal|insert).*"),
    Decision("Powers of complex numbers that are not finite are the C library's in NumPy.", "value",
             r"operator \*\*=?|np\.(float_)?power.*|pow\(.*", any="c", text="nan|inf"),
    Decision("An integer of 64 bits may be Python's, which takes the type of the array.", "accepted", r"operator .*=",
             any="iu", text="same_kind"),
)


def decision(case, kind, text):
    """The decision that explains a difference, if there is one."""
    kinds = {np.dtype(dtype).kind for dtype, param in zip(case.dtypes, case.subject.params) if param in "xvrs"}
    numbers = "number" in case.layouts or "s" in case.subject.params or "(r)" in case.subject.name
    for row in DECIDED:
        fits = kind == row.kinds and (not row.subjects or re.fullmatch(row.subjects, case.subject.name))
        if fits and (not row.any or kinds & set(row.any)) and (not row.text or re.search(row.text, text)) and (
                numbers or not row.numbers):
            return row
    return None


# What NumPy is asked, where types follow other rules.

def _is_single(dtype):
    return dtype in (np.float32, np.complex64)


def _as_compiled(values):
    """Arguments in the types in which they take part: beside single precision integers of any width are singles."""
    numbers = [value for value in values if isinstance(value, (np.ndarray, np.generic))]
    doubles = any(value.dtype in (np.float64, np.complex128) for value in numbers)
    if doubles or not any(_is_single(value.dtype) for value in numbers):
        return values
    return [value.astype(np.float32) if isinstance(value, (np.ndarray, np.generic)) and value.dtype.kind in "iu" else value
            for value in values]


_NARROW = {"i1": "i2", "u1": "u2", "b1": "i2"}


def oracle(subject, function):
    """The function that says what is expected."""
    is_ufunc = subject.name.startswith(("np.", "operator")) and "(" not in subject.name and "=" not in subject.name and (
        " out" not in subject.name)

    def expected(*args):
        if not is_ufunc:
            return function(*args)
        result = function(*args)
        if getattr(result, "dtype", None) in (np.float64, np.complex128) and _as_compiled(args) is not args:
            result = function(*_as_compiled(args))
        if getattr(result, "dtype", None) == np.float16:
            # What gives halves of the narrowest integers in NumPy gives singles.
            return function(*(value.astype(_NARROW.get(value.dtype.str[1:], value.dtype)) for value in args))
        return result
    return expected


def is_beyond(case, expected):
    """Whether nothing is compared: results that compiled code has no type for, or that NumPy computes in halves."""
    if getattr(getattr(expected, "dtype", None), "char", "d") in "gGeO":
        return True
    if case.subject.name.endswith(" out"):
        # With an array for the result NumPy computes in the type that the operands have, which may be halves.
        return any(np.dtype(dtype).itemsize == 1 for dtype in case.dtypes[:-1]) or ulps(case.subject) > 0 and (
            len(set(case.dtypes)) > 1)
    return False
