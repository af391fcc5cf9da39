"""Means and medians of `statistics` whose type does not depend on the values, over tuples of one type."""
import math
import statistics

from ...extending.effects import Effects
from .. import library
from .._predicates import check_uniform, is_absent, length


@library(statistics.fmean)
def fmean(data, weights=None):
    check_uniform(data, "fmean")
    if is_absent(weights):
        return _fmean


def _fmean(data, weights=None):
    return math.fsum(data) / len(data)


@library(statistics.median, effects=Effects(returns="item of data", exhausts=("data", "tuple")))
def median(data):
    check_uniform(data, "median")
    return _middle if length(data) % 2 else _between


@library(statistics.median_low, effects=Effects(returns="item of data", exhausts=("data", "tuple")))
def median_low(data):
    check_uniform(data, "median_low")
    return _middle


@library(statistics.median_high, effects=Effects(returns="item of data", exhausts=("data", "tuple")))
def median_high(data):
    check_uniform(data, "median_high")
    return _high


def _middle(data):
    return sorted(data)[(len(data) - 1) // 2]


def _high(data):
    return sorted(data)[len(data) // 2]


def _between(data):
    items = sorted(data)
    half = len(data) // 2
    return (items[half - 1] + items[half]) / 2
