"""`numba.core`."""
import importlib

from ... import config, errors, types
from . import (
    bytecode,
    ccallback,
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
_LATER = frozenset(
    "analysis annotations base caching cgutils compiler compiler_machinery cpu datamodel imputils inline_closurecall ir ir_utils "
    "object_mode_passes postproc pythonapi rewrites ssa typed_passes untyped_passes".split())


def __getattr__(name):
    # What few programs need is loaded when it is asked for.
    if name in _LATER:
        return importlib.import_module(f"{__name__}.{name}")
    return _missing_name(name)
