"""The clocks of `time`, and `sleep`."""
import time

from ...intrinsics import clock_ns
from ...object_mode import objmode
from ...types import Boolean, Float, Integer, unliteral
from .. import library

# The functions, by the number of their clock (`rumba.intrinsics.clock_ns`).
_CLOCKS = {"time": 0, "monotonic": 1, "perf_counter": 1, "process_time": 2, "thread_time": 3}


def _register(name, clock):
    library(getattr(time, name))(lambda: lambda: clock_ns(clock) / 1e9)
    library(getattr(time, name + "_ns"))(lambda: lambda: clock_ns(clock))


for _name, _clock in _CLOCKS.items():
    _register(_name, _clock)


@library(time.sleep, strict=False)
def sleep(seconds, /):
    if not isinstance(unliteral(seconds), (Boolean, Float, Integer)):
        return None

    def wait(seconds, /):
        with objmode():
            time.sleep(seconds)
    return wait
