"""Functions whose body is LLVM IR text, over numbers."""
import itertools
import re

from ..extending import overload_registry

_numbers = itertools.count()


class _Function:
    """What compiled code calls."""

    def __init__(self, name):
        self.__name__ = name

    def __call__(self, *args):
        raise NotImplementedError(f"{self.__name__} is not usable in pure-python")


class _Native:
    """The machine code."""

    def __init__(self, text, symbol, result, params):
        self.text, self.symbol, self.result, self.params = text, symbol, result, params
        self.can_fail = False
        self.order = list(range(len(params)))

    def build(self):
        """It is there already."""


class _Candidate(overload_registry.Candidate):
    """What `rumba.extending.overload_registry` asks."""

    def __init__(self, function, native):
        self.function, self.native = function, native

    def implementation(self, args, keywords):
        """The code, if there are as many arguments as it takes."""
        return None if keywords or len(args) != len(self.native.params) else self.native

    def place(self):
        """How messages call it."""
        return f"'{self.function.__name__}'"


def intrinsic_of_text(text, name, result, params):
    """A Python function that calls the function of a text, which gets a symbol of its own."""
    symbol = f"lowered.{next(_numbers)}.{name}"
    text = re.sub(rf'@"?{re.escape(name)}"?(?=\s*\()', f'@"{symbol}"', text)
    function = _Function(name)
    overload_registry.add_function(function, _Candidate(function, _Native(text, symbol, result, params)))
    return lambda *args: function(*args)
