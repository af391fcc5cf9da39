"""Methods of `sys.stdout` and `sys.stderr`: `write` and `flush`. `print(file=)` is the compiler's."""
from ...types import UnicodeType, unliteral
from .. import library


@library("io.TextIOBase.write")
def write(self, s, /):
    if isinstance(unliteral(s), UnicodeType):
        return _write


def _write(self, s, /):
    print(s, end="", file=self)
    return len(s)


@library("io.TextIOBase.flush")
def flush(self):
    return lambda self: print(end="", flush=True, file=self)
