"""`numba.core.rewrites.static_getitem`."""
from ....rewriting.builtin import (
    RewriteConstGetitems, RewriteConstSetitems, RewriteStringLiteralGetitems, RewriteStringLiteralSetitems)
from ..._missing import missing

__getattr__ = missing(__name__)
