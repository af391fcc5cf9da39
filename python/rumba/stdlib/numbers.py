"""Helpers for single numbers: `numpy.clip`."""
import numpy

from ..types import Number
from . import library
from .kinds import is_absent


@library(numpy.clip)
def clip(a, a_min, a_max):
    if not isinstance(a, Number):
        return None
    if isinstance(a_min, Number) and isinstance(a_max, Number):
        return _clip
    if isinstance(a_min, Number) and is_absent(a_max):
        return _clip_below
    if is_absent(a_min) and isinstance(a_max, Number):
        return _clip_above


def _clip(a, a_min, a_max):
    return numpy.minimum(numpy.maximum(a, a_min), a_max)


def _clip_below(a, a_min, a_max):
    return numpy.maximum(a, a_min)


def _clip_above(a, a_min, a_max):
    return numpy.minimum(a, a_max)
