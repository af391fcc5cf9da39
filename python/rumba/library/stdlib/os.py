"""`os.fspath`, for texts."""
import os

from ...extending.effects import Effects
from ...types import Bytes, UnicodeType, unliteral
from .. import library


@library(os.fspath, effects=Effects(returns="path"))
def fspath(path):
    if isinstance(unliteral(path), (Bytes, UnicodeType)):
        return lambda path: path
