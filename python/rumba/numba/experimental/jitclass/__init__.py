"""`numba.experimental.jitclass`."""
from ....classes import jitclass  # noqa: F401
from . import _box
