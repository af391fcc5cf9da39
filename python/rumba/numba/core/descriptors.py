"""`numba.core.descriptors`."""
from ...compat.targets import Target as TargetDescriptor
from .._missing import missing

__getattr__ = missing(__name__)
