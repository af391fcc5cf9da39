"""`statistics.mode`."""
import statistics

from ...extending.effects import Effects
from .. import library
from .._predicates import check_uniform


@library(statistics.mode, effects=Effects(returns="item of data", exhausts=("data", "tuple")))
def mode(data):
    check_uniform(data, "mode")
    return _mode


def _mode(data):
    most, best = 0, 0
    for at in range(len(data)):
        count = data.count(data[at])
        if count > most:
            most, best = count, at
    return data[best]
