"""Functions of a program as their callers see them: how parameters are declared and given."""
from . import values
from .values import pick


class Callee:
    """A function as its callers see it: parameters with types, and how they are given."""

    def __init__(self, rng, name, params, result, styled):
        self.name, self.params, self.result = name, params, result
        styles = ("plain", "plain", "default", "keywords", "keyword only", "positional only", "star")
        self.style = pick(rng, styles) if styled else "plain"
        # A constant has no width of its own.
        if self.style == "default" and params[-1][1] not in ("int", "float", "bool"):
            self.style = "keywords"
        self.default = values.text(values.value(rng, params[-1][1])) if self.style == "default" else None

    def header(self):
        """The parameters as they are written."""
        names = [name for name, _ in self.params]
        if self.style == "default":
            names[-1] += f"={self.default}"
        if self.style == "keyword only":
            names.insert(-1, "*")
        if self.style == "positional only":
            names.insert(1, "/")
        return ", ".join(names + ["*rest"] * (self.style == "star"))

    def arguments(self, rng):
        """Prefix and type of each argument of one call."""
        given = [("", kind) for _, kind in self.params]
        last = (f"{self.params[-1][0]}=", self.params[-1][1])
        if self.style == "default" and rng.random() < 0.6:
            return given[:-1]
        if self.style == "star":
            return given + [("", "int")] * (1 + int(rng.random() * 3))
        if self.style == "keywords":
            # Out of order.
            named = [(f"{name}=", kind) for name, kind in self.params]
            return given[:1] + named[:0:-1]
        if self.style == "keyword only" or self.style in ("default", "positional only") and rng.random() < 0.5:
            return given[:-1] + [last]
        return given
