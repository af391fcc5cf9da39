"""NumPy's datetime and timedelta units: which convert to which, and by what factor.

Units are written as NumPy does, from "Y" for years to "as" for attoseconds; "" is no unit.
"""

# Each with how many of the next one make it up; months have no fixed number of weeks.
_FACTORS = {
    "Y": 12, "M": None, "W": 7, "D": 24, "h": 60, "m": 60, "s": 1000, "ms": 1000, "us": 1000, "ns": 1000,
    "ps": 1000, "fs": 1000, "as": 1000, "": None,
}
_ORDER = list(_FACTORS)

# NumPy's numbers of the units, which leave one out.
DATETIME_UNITS = {unit: number + (number > 2) for number, unit in enumerate(_ORDER)}

# How many days 400 years have, after which the calendar repeats.
_DAYS_OF_400_YEARS = 400 * 365 + 97


def _is_finer(unit, other):
    return _ORDER.index(unit) > _ORDER.index(other)


def get_timedelta_conversion_factor(src_unit, dest_unit):
    """How many of one unit make up the other, None if no whole number does."""
    if src_unit == dest_unit or src_unit == "":
        return 1
    if dest_unit == "" or not _is_finer(dest_unit, src_unit):
        return None
    factor = 1
    for unit in _ORDER[_ORDER.index(src_unit):_ORDER.index(dest_unit)]:
        if _FACTORS[unit] is None:
            return None
        factor *= _FACTORS[unit]
    return factor


def can_cast_timedelta_units(src, dest):
    """Whether every span in one unit has a whole number of the other."""
    return get_timedelta_conversion_factor(src, dest) is not None


def combine_datetime_timedelta_units(datetime_unit, timedelta_unit):
    """The unit of a point plus a span, None if they have no sum."""
    if "" in (datetime_unit, timedelta_unit):
        return datetime_unit or timedelta_unit
    if not _is_finer(datetime_unit, timedelta_unit):
        return timedelta_unit
    return datetime_unit if can_cast_timedelta_units(timedelta_unit, datetime_unit) else None


def get_datetime_timedelta_conversion(datetime_unit, timedelta_unit):
    """The unit of a point plus a span, and what each is multiplied with, on an average of years and months."""
    unit = combine_datetime_timedelta_units(datetime_unit, timedelta_unit)
    if unit is None:
        raise RuntimeError(f"a span in {timedelta_unit!r} cannot be added to a point in {datetime_unit!r}")
    if "" in (datetime_unit, timedelta_unit):
        return datetime_unit, 1, 1
    span = get_timedelta_conversion_factor(timedelta_unit, unit)
    point = get_timedelta_conversion_factor(datetime_unit, unit)
    if point is not None:
        return unit, point, span
    # A calendar unit with days: the ratio of days to years or months over 400 years.
    whole = 400 * (1 if datetime_unit == "Y" else 12)
    if unit == "W":
        return unit, _DAYS_OF_400_YEARS, whole * 7
    return unit, _DAYS_OF_400_YEARS * get_timedelta_conversion_factor("D", unit), whole


def same_kind(src, dest):
    """Whether both units count days, or both parts of a day; no unit at all goes with the latter."""
    return _is_finer(src, "D") == _is_finer(dest, "D")
