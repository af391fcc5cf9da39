"""`scipy.fft`: the transforms and helpers that `numpy.fft` has, too, by calls of these.

SciPy computes with its own loops, so results are equal up to rounding. `overwrite_x` and `workers` have no effect on them.
Absent: `plan`, other transforms (`dct`), Hermitian ones of several dimensions.
"""
import numpy

from ... import source_text
from .. import library
from .._predicates import is_absent

_REST = "norm=None, overwrite_x=False, workers=None, *, plan=None"
# The parameters before them, and those that NumPy's function takes.
_ONE = ("n=None, axis=-1", "n, axis")
_TWO = ("s=None, axes=(-2, -1)", "s, axes")
_ALL = ("s=None, axes=None", "s, axes")


def _register(name, first, passed):
    parameters = f"x, {first}, {_REST}"
    call = source_text.function(f"transform({parameters})", [f"return function(x, {passed}, norm)"], {"function": getattr(numpy.fft, name)})
    body = ["return call if is_absent(plan) else None"]
    library(f"scipy.fft.{name}", array_like="x")(source_text.function(
        f"{name}({parameters})", body, {"call": call, "is_absent": is_absent, "__name__": __name__}))


for _name in ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft"):
    _register(_name, *_ONE)
for _name in ("fft", "ifft", "rfft", "irfft"):
    _register(f"{_name}2", *_TWO)
    _register(f"{_name}n", *_ALL)


def _register_frequencies(name, function):
    @library(f"scipy.fft.{name}")
    def frequencies(n, d=1.0, *, xp=None, device=None):
        if is_absent(xp) and is_absent(device):
            return lambda n, d=1.0, *, xp=None, device=None: function(n, d)


def _register_shift(name, function):
    @library(f"scipy.fft.{name}", array_like="x")
    def shift(x, axes=None):
        return lambda x, axes=None: function(x, axes)


for _name in ("fftfreq", "rfftfreq"):
    _register_frequencies(_name, getattr(numpy.fft, _name))
for _name in ("fftshift", "ifftshift"):
    _register_shift(_name, getattr(numpy.fft, _name))
