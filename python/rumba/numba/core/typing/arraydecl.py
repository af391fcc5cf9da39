"""`numba.core.typing.arraydecl`: the types of items of arrays."""
import collections

from .... import types
from ....compat import compiler_questions
from ..._missing import missing

__getattr__ = missing(__name__)

Indexing = collections.namedtuple("Indexing", ("index", "result", "advanced"))


def get_array_index_type(ary, idx):
    """What an array gives for an index of a type, or None: the type of the index with integers as `intp`, that of the result, and whether arrays
    are among the indices."""
    result = compiler_questions.item(ary, idx)
    if result is None:
        return None
    parts = list(idx) if isinstance(idx, types.BaseTuple) else [idx]
    advanced = any(isinstance(part, types.Array) and part.ndim for part in parts)
    parts = [types.intp if isinstance(part, types.Integer) else part for part in parts]
    return Indexing(types.Tuple(parts) if isinstance(idx, types.BaseTuple) else parts[0], result, advanced)
