"""Times in other units, and as numbers: `astype` of datetimes and timedeltas.

Times are counts of a unit; the least count is no time (NaT). Years and months are counted by the civil calendar (H. Hinnant,
"chrono-Compatible Low-Level Date Algorithms", 2021). Spans of years or months do not become days.
"""
import numpy

from ...errors import TypingError
from ...extending import register_jitable
from ...types import Boolean, Float, Integer, NPDatetime, NPTimedelta
from ...types.typeof import as_dtype
from .. import library
from .._predicates import is_absent, is_array

_NO_TIME = numpy.iinfo(numpy.int64).min
_TIMES = (NPDatetime, NPTimedelta)
# How many of each unit make up the one before it, from days on.
_PARTS = {"D": 1, "h": 24, "m": 60, "s": 60, "ms": 1000, "us": 1000, "ns": 1000, "ps": 1000, "fs": 1000, "as": 1000}
_MONTHS = {"Y": 12, "M": 1}


def _parts_of_day(unit):
    """How many of a unit make up a day; None for weeks, months and years."""
    count = 1
    for name, times in _PARTS.items():
        count *= times
        if name == unit:
            return count
    return None


@register_jitable
def month_of(day):
    """The month that a day is in, both counted from January 1970."""
    # From March of the year 0 on, so that the day that some years have is the last of theirs.
    shifted = day + 719468
    era = shifted // 146097
    of_era = shifted - era * 146097
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    month = (5 * of_year + 2) // 153
    return (year + era * 400) * 12 + month + 2 - 1970 * 12


def _coarser(from_unit, to_unit, is_span):
    """What gives the count in a coarser unit that a count is in; None if the units are no such."""
    if from_unit in _MONTHS and to_unit in _MONTHS:
        divisor = _MONTHS[to_unit] // _MONTHS[from_unit]
        return register_jitable(lambda count: count // divisor) if divisor > 1 else None
    days = 1 if from_unit == "W" else _parts_of_day(from_unit)
    if to_unit in _MONTHS:
        if is_span:
            raise TypingError(f"timedelta64[{from_unit}] has no number of {'years' if to_unit == 'Y' else 'months'}")
        weeks, divisor = 7 if from_unit == "W" else 1, _MONTHS[to_unit]
        return register_jitable(lambda count: month_of(count * weeks // days) // divisor)
    if from_unit in _MONTHS or from_unit == "W":
        return None
    if to_unit == "W":
        return register_jitable(lambda count: count // days // 7)
    divisor = days // _parts_of_day(to_unit) if days > _parts_of_day(to_unit) else 1
    return register_jitable(lambda count: count // divisor) if divisor > 1 else None


def _counts(item):
    return isinstance(item, (Integer, Float, Boolean))


def converter(item, wanted):
    """What makes an array of times, or of numbers, one of another type: `made, source` are written and read item by item.

    None where neither is a type of times; `"view"` where the counts stay, `"cast"` where compiled code converts by itself.
    """
    if isinstance(item, _TIMES) and _counts(wanted) or _counts(item) and isinstance(wanted, _TIMES) and wanted.unit:
        return "view"
    if not isinstance(item, _TIMES) or not isinstance(wanted, _TIMES):
        return None
    if item.unit == wanted.unit or not item.unit:
        return "view"
    if not wanted.unit:
        return None
    coarser = _coarser(item.unit, wanted.unit, isinstance(item, NPTimedelta))
    if coarser is None:
        return "cast" if type(item) is type(wanted) else None

    @register_jitable
    def counts(source):
        made = numpy.empty(source.shape, numpy.int64)
        row, at = made.reshape(-1), 0
        for count in source.flat:
            row[at] = count if count == _NO_TIME else coarser(count)
            at += 1
        return made
    return counts


def converted(array, wanted):
    """What gives a copy of an array of times, or of numbers as times, with other items; None if that is not known."""
    if not is_array(array):
        return None
    found = converter(array.dtype, wanted)
    if found is None or found == "cast":
        return None
    made = as_dtype(wanted)
    of_numbers = isinstance(wanted, _TIMES)
    if found != "view":
        return register_jitable(lambda a: found(a.view(numpy.int64)).view(made))
    if not of_numbers:
        of = made.type
        return register_jitable(lambda a: a.view(numpy.int64).astype(of))
    if isinstance(array.dtype, _TIMES):
        return register_jitable(lambda a: a.view(numpy.int64).copy().view(made))
    return register_jitable(lambda a: a.astype(numpy.int64).view(made))


def _register(name):
    @library(f"numpy.{name}.astype")
    def astype(self, dtype):
        from .copy_eye import item_of

        wanted = item_of(dtype)
        if not isinstance(wanted, _TIMES) and not _counts(wanted):
            return None
        if isinstance(wanted, _TIMES) and not wanted.unit:
            return None
        made = as_dtype(wanted)
        return lambda self, dtype: numpy.full(1, self).astype(made)[0]


_register("datetime64")
_register("timedelta64")


# Times at equal distances.

def times_between(start, stop, step, dtype):
    """The implementation of `arange` of datetimes or timedeltas; None for other types."""
    kind = type(start)
    if kind not in _TIMES or type(stop) is not kind or not (is_absent(step) or isinstance(step, NPTimedelta)) or not is_absent(dtype):
        return None
    unit = numpy.datetime_data(numpy.promote_types(as_dtype(start), as_dtype(stop)))[0]
    one = numpy.timedelta64(1, unit)
    by = register_jitable((lambda step: one) if is_absent(step) else (lambda step: step))

    def times(start, stop=None, step=None, dtype=None):
        distance = by(step)
        if numpy.isnat(start) or numpy.isnat(stop) or numpy.isnat(distance):
            raise ValueError("arange: cannot use NaT (not-a-time) datetime values")
        if distance == -distance:
            raise ValueError("arange: step cannot be zero")
        return start + numpy.arange(max(0, -((start - stop) // distance))) * distance
    return times
