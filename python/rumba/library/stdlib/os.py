"""`os.fspath`, for texts."""
import os

from ...types import Bytes, UnicodeType, unliteral
from .. import library


@library(os.fspath)
def fspath(path):
    if isinstance(unliteral(path), (Bytes, UnicodeType)):
        return lambda path: path
