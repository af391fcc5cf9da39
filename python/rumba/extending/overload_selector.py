"""Selects the most specific of several implementations for given argument types, for tools that use Numba's lowering.

Absent: how the compiler itself chooses (`rumba.extending.overload_registry`, `rumba.extending.lower_builtin`).
"""
from .. import errors, types
from ..types import Type


class OverloadSelector:
    """Implementations by signatures of types and classes of types."""

    def __init__(self):
        self.versions, self._cache = [], {}

    def append(self, value, sig):
        """Adds an implementation."""
        self.versions.append((sig, value))
        self._cache.clear()

    def find(self, sig):
        """The implementation for these types; NumbaNotImplementedError if there is none, NumbaTypeError if none is more special than
        all others."""
        found = self._cache.get(sig)
        if found is None:
            found = self._cache[sig] = self._find(sig)
        return found

    def _find(self, sig):
        candidates = self._select_compatible(sig)
        if not candidates:
            raise errors.NumbaNotImplementedError(f"{self}, {sig}")
        ordered, scoring = self._sort_signatures(candidates)
        best = [one for one in ordered if scoring[one] == scoring[ordered[0]]]
        if len(best) > 1:
            shown = "\n".join(f"{one} => {candidates[one]}" for one in best)
            raise errors.NumbaTypeError(f"{len(best)} ambiguous signatures:\n{shown}")
        return candidates[best[0]]

    def _select_compatible(self, sig):
        """Signature -> implementation, of those that take these types."""
        return {formal: value for formal, value in self.versions if self._takes(formal, sig)}

    def _takes(self, formal, actual):
        if formal and isinstance(formal[-1], types.VarArg):
            formal = formal[:-1] + (formal[-1].dtype,) * (len(actual) - len(formal) + 1)
        return len(formal) == len(actual) and all(map(self._match, formal, actual))

    def _match(self, formal, actual):
        """Whether a type, or a class of types, is one that another one or its class stands for."""
        if formal == actual or formal is types.Any or formal == types.Any:
            return True
        if isinstance(formal, type) and issubclass(formal, Type):
            return issubclass(actual, formal) if isinstance(actual, type) else isinstance(actual, formal)
        return False

    def _sort_signatures(self, candidates):
        """The signatures from the most special one on, and how many others each stands for."""
        scoring = {one: sum(other != one and self._takes(one, other) for other in candidates) for one in candidates}
        return sorted(candidates, key=scoring.get), scoring
