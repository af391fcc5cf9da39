"""The conversions of `colorsys`, with the results of CPython's module."""
import colorsys

from ...types import Integer, Float
from .. import library


def _as_written(function):
    """The library's implementation is the function itself, compiled with the helpers that it calls."""
    def choose(a, b, c):
        if all(isinstance(ty, (Integer, Float)) for ty in (a, b, c)):
            return function
    return choose


for _function in (colorsys.rgb_to_hls, colorsys.rgb_to_hsv, colorsys.rgb_to_yiq, colorsys.hls_to_rgb,
                  colorsys.hsv_to_rgb, colorsys.yiq_to_rgb):
    library(_function, strict=False, auto=True)(_as_written(_function))
