"""`numba.core`."""
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

__getattr__ = missing(__name__)
