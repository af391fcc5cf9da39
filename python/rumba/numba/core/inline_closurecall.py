"""`numba.core.inline_closurecall`."""
from ...pipelines.inline import InlineClosureCallPass, inline_closure_call
from .._missing import missing

__getattr__ = missing(__name__, {"length_of_iterator": "rumba.unsafe_memory"})
