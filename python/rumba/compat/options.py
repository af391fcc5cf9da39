"""The options `parallel` and `inline`."""
from .inline_cost_model import InlineOptions

__all__ = ["InlineOptions", "ParallelOptions"]

PARALLEL_PARTS = ("comprehension", "reduction", "inplace_binop", "setitem", "numpy", "stencil", "fusion", "prange")


class ParallelOptions:
    """What of a function runs on several threads: a truth value, or a dictionary of parts."""

    __slots__ = ("enabled", *PARALLEL_PARTS)

    def __init__(self, value):
        if isinstance(value, ParallelOptions):
            known = {name: getattr(value, name) for name in self.__slots__}
        elif isinstance(value, bool):
            known = dict.fromkeys(self.__slots__, value)
        elif isinstance(value, dict):
            unknown = sorted(set(value) - set(PARALLEL_PARTS))
            if unknown:
                raise NameError(f"Unrecognized parallel options: {', '.join(unknown)}")
            known = {"enabled": True, **{name: value.get(name, True) for name in PARALLEL_PARTS}}
        else:
            raise ValueError(f"parallel is True, False or a dictionary of parts, not {value!r}")
        for name, choice in known.items():
            setattr(self, name, choice)

    def __eq__(self, other):
        return type(other) is ParallelOptions and all(getattr(self, n) == getattr(other, n) for n in self.__slots__)

    def __hash__(self):
        return hash(tuple(getattr(self, name) for name in self.__slots__))

    def __bool__(self):
        return self.enabled

    def __repr__(self):
        return f"ParallelOptions({ {name: getattr(self, name) for name in self.__slots__} })"
