"""Dates that are constant text: `datetime64("2020-01-01")`."""
import numpy

from ...errors import TypingError
from ...types import UnicodeType, unliteral
from .. import library
from ._axis import literal


@library("numpy.datetime64", strict=False, prefer_literal=True)
def datetime64(text, unit=None):
    if not isinstance(unliteral(text), UnicodeType):
        return None
    wanted = literal(text), *(() if unit is None else (literal(unit),))
    if not all(isinstance(one, str) for one in wanted):
        raise TypingError("the text of a datetime64, and its unit, must be constants: they say what the unit of the type is")
    try:
        made = numpy.datetime64(*wanted)
    except ValueError as error:
        why = str(error)

        def refused(text, unit=None):
            raise ValueError(why)
        return refused
    except TypeError as error:
        raise TypingError(str(error)) from None
    return (lambda text: made) if unit is None else lambda text, unit=None: made
