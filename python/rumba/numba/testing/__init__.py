"""`numba.testing`."""
import unittest

from ...testing import load_testsuite, make_tag_decorator
from . import main
from .._missing import missing

__getattr__ = missing(__name__)
