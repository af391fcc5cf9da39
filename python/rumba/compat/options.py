"""The options `parallel` and `inline`."""
from .inline_cost_model import InlineOptions

__all__ = ["CPUTargetOptions", "InlineOptions", "ParallelOptions"]

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


class CPUTargetOptions:
    """The options of `jit` that say how code is made, for targets which take the same."""

    # Option -> the switch of a compilation that it sets.
    _SWITCHES = {
        "boundscheck": "boundscheck", "debug": "debuginfo", "error_model": "error_model", "fastmath": "fastmath",
        "forceinline": "forceinline", "forceobj": "force_pyobject", "inline": "inline", "looplift": "enable_looplift",
        "no_cfunc_wrapper": "no_cfunc_wrapper", "no_cpython_wrapper": "no_cpython_wrapper", "no_rewrites": "no_rewrites",
        "nogil": "release_gil", "nopython": None, "parallel": "auto_parallel", "_nrt": "nrt",
        "_dbg_extend_lifetimes": "dbg_extend_lifetimes", "_dbg_optnone": "dbg_optnone"}

    @classmethod
    def parse_as_flags(cls, flags, options):
        """Sets the switches of a compilation that the options name; KeyError for an option that there is not."""
        unknown = set(options) - set(cls._SWITCHES)
        if unknown:
            raise KeyError(f"Unrecognized options: {unknown}. Known options are {list(cls._SWITCHES)}")
        for name, value in options.items():
            if cls._SWITCHES[name] is not None:
                setattr(flags, cls._SWITCHES[name], value)
        return flags
