"""`numba.core.inline_closurecall`."""
from ...numba_pipeline.inline import InlineClosureCallPass, inline_closure_call
from .._missing import missing

__getattr__ = missing(__name__, {"length_of_iterator": "rumba.unsafe.refcount"})
