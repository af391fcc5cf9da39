"""`numpy.errstate`: compiled code computes without NumPy's warnings, so what silences them changes nothing."""
import contextlib

import numpy

from ...errors import TypingError
from .. import library
from .._predicates import is_absent
from ._axis import literal

_SILENT = ("ignore", "warn")


@library(numpy.errstate, prefer_literal=True)
def errstate(*, call=None, all=None, divide=None, over=None, under=None, invalid=None):
    if not is_absent(call):
        raise TypingError("np.errstate(call=...) has no meaning in compiled code, which raises no floating-point errors")
    given = {"all": all, "divide": divide, "over": over, "under": under, "invalid": invalid}
    for name, value in given.items():
        if not is_absent(value) and literal(value) not in _SILENT:
            shown = literal(value)
            shown = repr(shown) if isinstance(shown, str) else "..."
            raise TypingError(f"np.errstate({name}={shown}) is not supported: compiled code computes without floating-point errors, as with 'ignore'. "
                              "Ask for np.isfinite of the result")
    return _errstate


def _errstate(*, call=None, all=None, divide=None, over=None, under=None, invalid=None):
    return contextlib.nullcontext()
