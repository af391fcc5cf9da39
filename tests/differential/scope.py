"""The names of a function while it is made: their types, and which are bound for certain."""


class Scope:
    """Names keep one type for the whole function. A name is bound for certain, or maybe, or not."""

    def __init__(self, params):
        self.types = dict(params)
        self.definite = set(params)
        self.maybe = set()
        # Names that statements must not assign: counters that bound loops.
        self.protected = set()

    def assign(self, name, kind):
        """The name is bound from here on."""
        self.types[name] = kind
        self.definite.add(name)
        self.maybe.discard(name)

    def assign_maybe(self, name, kind):
        """The name may be bound from here on."""
        self.types[name] = kind
        if name not in self.definite:
            self.maybe.add(name)

    def delete(self, name):
        """The name is unbound from here on."""
        self.definite.discard(name)
        self.maybe.discard(name)

    def named(self, kind, maybe=False):
        """Names of the type in a fixed order, bound for certain or maybe bound."""
        names = self.maybe if maybe else self.definite
        return [name for name in self.types if self.types[name] == kind and name in names]

    def assignable(self):
        """Bound names that may be assigned."""
        return [name for name in self.types if name in self.definite and name not in self.protected]

    def mark(self):
        """What is bound now."""
        return frozenset(self.definite), frozenset(self.maybe)

    def restore(self, mark):
        """What was bound then."""
        self.definite, self.maybe = set(mark[0]), set(mark[1])

    def join(self, ways):
        """Where several ways meet: pairs of a mark and whether the way ends before."""
        open_ways = [mark for mark, ended in ways if not ended]
        if not open_ways:
            open_ways = [mark for mark, _ in ways]
        definite = frozenset.intersection(*(mark[0] for mark in open_ways))
        anywhere = frozenset().union(*(mark[0] | mark[1] for mark in open_ways))
        self.definite, self.maybe = set(definite), set(anywhere - definite)
