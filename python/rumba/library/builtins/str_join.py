"""`str.join` of lists and other iterables."""
from ...errors import TypingError
from ...intrinsics import present
from ...types import Optional, UnicodeCharSeq, UnicodeType
from ...types.names import _undef_var
from .. import library
from .._predicates import is_list


@library("builtins.str.join")
def join(self, iterable, /):
    if not is_list(iterable):
        return _join
    # A list into which nothing is ever put.
    if iterable.dtype == _undef_var:
        return _join_nothing
    if isinstance(iterable.dtype, Optional) and isinstance(iterable.dtype.type, UnicodeType):
        return _join_present
    if isinstance(iterable.dtype, UnicodeCharSeq):
        return _join_items
    raise TypingError(f"sequence item 0: expected str instance, {iterable.dtype} found")


def _join_nothing(self, iterable, /):
    return ""


def _join_present(self, iterable, /):
    texts = []
    for text in iterable:
        if text is None:
            raise TypeError("sequence item " + str(len(texts)) + ": expected str instance, NoneType found")
        texts.append(present(text))
    return self.join(texts)


def _join_items(self, iterable, /):
    return str(self).join([str(text) for text in iterable])


def _join(self, iterable, /):
    return self.join([text for text in iterable])
