"""The state of a compilation that passes share."""


class StateDict(dict):
    """Names and values, which are attributes, too."""

    def __getattr__(self, attr):
        try:
            return self[attr]
        except KeyError:
            raise AttributeError(attr) from None

    def __setattr__(self, attr, value):
        self[attr] = value


class _CompileStatus:
    """How far a compilation has come."""

    __slots__ = ("fail_reason", "can_fallback")

    def __init__(self, can_fallback=False):
        self.fail_reason, self.can_fallback = None, can_fallback

    def __repr__(self):
        return f"_CompileStatus(fail_reason={self.fail_reason}, can_fallback={self.can_fallback})"


class TypeMap(dict):
    """Types of variables by name. `inferred` are the names whose types inference found; others were given."""

    def __init__(self, types=()):
        super().__init__(types)
        self.inferred = set(self)

    def add_inferred(self, types):
        """More types that inference found."""
        self.update(types)
        self.inferred.update(types)

    def copy(self):
        """Another one with the same types."""
        made = TypeMap(self)
        made.inferred = set(self.inferred)
        return made

