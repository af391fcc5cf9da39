"""`numba.core`."""
import importlib

from ... import config, errors, types
from . import (
    bytecode,
    ccallback,
    compiler,
    controlflow,
    decorators,
    dispatcher,
    extending,
    options,
    registry,
    runtime,
    serialize,
    sigutils,
    target_extension,
    typeconv,
    typing,
    utils,
)
from .._missing import missing

_missing_name = missing(__name__)


def __getattr__(name):
    # What few programs need is loaded when it is asked for.
    if name in ("cgutils", "datamodel", "imputils", "ir", "ir_utils", "pythonapi", "rewrites"):
        return importlib.import_module(f"{__name__}.{name}")
    return _missing_name(name)
