"""Each call of library_cases.py against NumPy, over types of items and layouts: value, type, shape, exceptions."""
import os
import re
import warnings
import zlib

import library_cases
import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401  the fixture

from rumba import njit
from rumba.errors import TypingError

KINDS = ["i8", "f4", "i4", "u1", "?", "c16", "f8", "u8", "i2", "c8"]
LAYOUTS = ["C", "F", "A"]
# All others have NumPy's bits; these are as near as UNITS of the last place of the largest item.
UNITS = 4
BLAS, LAYOUT = "NumPy's BLAS adds up in another order", "items that lie in columns are added or multiplied in another order"
INEXACT = {
    "einsum": "NumPy adds up in an order that follows from strides", "tensordot": BLAS, "vecdot": BLAS, "inner": BLAS, "dot": BLAS,
    "convolve": BLAS, "correlate": BLAS, "cov": BLAS, "corrcoef": BLAS,
    "prod": LAYOUT, "std": LAYOUT, "var": LAYOUT, "nanmean": LAYOUT, "nanvar": LAYOUT,
    "polynomial": "products are convolutions, and NumPy divides complex coefficients by way of a reciprocal",
    "polyfit": BLAS, "matvec": BLAS, "linalg": BLAS, "multi_dot": BLAS, "tensorinv": BLAS,
    "trapezoid": "what is added up lies in rows, where NumPy keeps the layout",
    "kaiser": "`exp` is Rumba's own, within a unit",
    "logspace": "NumPy's powers are the processor's own with AVX-512, and differ from CPython's in the last bit",
    "sinc": "sines of complex numbers are made of Rumba's own functions",
}
# What NumPy computes in single precision from items of it, and compiled code in double precision: the edges, the weights and the number
# in the call are doubles.
WIDER = {"histogram", "percentile", "outer"}
# Numbers in a call count as their type, as in all of compiled code, and edges are doubles.
OWN_TYPES = {"where", "choose", "select", "clip", "outer", "unwrap", "histogram", "histogram_bin_edges", "trapezoid"}
# NumPy has sums and differences of truth values that are not numbers; these are refused.
NO_TRUTH_VALUES = {"ptp", "diff", "average", "interp", "convolve", "trapezoid", "allclose", "isclose", "clip"}
# Functions that order items do not take complex numbers.
UNORDERED = {"sort", "argsort", "partition", "argpartition", "unique", "union1d", "intersect1d", "setdiff1d", "setxor1d", "isin",
             "searchsorted", "take_along_axis", "nanmax", "nanmin", "nanargmax", "nanargmin", "clip", "histogram", "histogram2d", "histogramdd",
             "interp"}


@pytest.fixture(autouse=True)
def quietly():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def same(got, expected, tolerance, types=True):
    if isinstance(expected, (tuple, list)):
        assert isinstance(got, (tuple, list)) and len(got) == len(expected)
        for one, other in zip(got, expected):
            same(one, other, tolerance, types)
        return
    assert np.shape(got) == np.shape(expected)
    if types and isinstance(expected, np.ndarray):
        assert got.dtype == expected.dtype
    elif types and expected is not None:
        assert np.asarray(got).dtype.kind.replace("u", "i") == np.asarray(expected).dtype.kind.replace("u", "i")
    if tolerance and np.asarray(expected).dtype.kind in "fc":
        finite = np.abs(expected)[np.isfinite(expected)]
        np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * finite.max(initial=0))
    else:
        np.testing.assert_array_equal(got, expected)


def tolerance_of(name, kind):
    """How far a result may be off, as a part of its largest item."""
    is_single = kind in ("f4", "c8")
    if name in INEXACT or name in WIDER and is_single:
        return UNITS * np.finfo("f4" if is_single else "f8").eps
    return 0


def look(name, call, kind, layout):
    pool = library_cases.inputs(kind, layout)
    code = compile(call, call, "eval")
    used = [one for one in pool if one in code.co_names]
    function = eval(f"lambda {', '.join(used)}: {call}", {"np": np})
    args = [pool[one] for one in used]
    try:
        expected = function(*args)
    except Exception as error:
        if isinstance(error, TypeError):
            # What cannot be is mostly known when the function compiles; what NumPy does not take may be more than that.
            return
        with pytest.raises(Exception) as raised:
            njit(function)(*args)
        found = raised.value
        if not isinstance(found, TypingError):
            assert isinstance(found, type(error)) or isinstance(error, type(found))
            assert str(found) == str(error)
        return
    try:
        got = njit(function)(*args)
    except TypingError:
        if kind[0] == "c" and (name in UNORDERED or library_refuses_complex(name)):
            return
        if kind == "?" and name in NO_TRUTH_VALUES:
            return
        raise
    same(got, expected, tolerance_of(name, kind), name not in OWN_TYPES)


def library_refuses_complex(name):
    return name in {"median", "percentile", "quantile", "digitize", "round", "around", "unwrap", "gradient", "size0"}


def is_chosen(number, call):
    """All calls take minutes: without LIBRARY_CALLS=all, the first call of each function and one of eight others."""
    return os.environ.get("LIBRARY_CALLS") == "all" or not number or zlib.crc32(call.encode()) // 7 % 8 == 0


def variants(call):
    """In rows of doubles, or with others: each call with one of them, or with three."""
    number = zlib.crc32(call.encode())
    if os.environ.get("LIBRARY_CALLS") != "all":
        yield (KINDS[number % len(KINDS)], LAYOUTS[number // 16 % 3]) if number % 3 else ("f8", "C")
        return
    yield "f8", "C"
    if re.search(r"\b[xy][0-3]\b|\bs\b", call):
        yield KINDS[number % len(KINDS)], LAYOUTS[number // 16 % 3]
        yield KINDS[(number // 64 + 3) % len(KINDS)], LAYOUTS[number // 1024 % 3]


GROUPS = {}
for _name, _call in library_cases.expressions():
    GROUPS.setdefault(_name, []).append(_call)


@pytest.mark.parametrize("name", GROUPS)
def test_calls(name):
    wrong = []
    for call in (call for number, call in enumerate(GROUPS[name]) if is_chosen(number, call)):
        for kind, layout in dict.fromkeys(variants(call)):
            try:
                look(name, call, kind, layout)
            except BaseException as error:
                text = str(error).strip().splitlines()
                note = next((line for line in text if "error[" in line), text[0] if text else repr(error))
                wrong.append(f"{kind} {layout} {call}: {type(error).__name__} {note[:200]}")
    assert not wrong, "\n".join(wrong)
