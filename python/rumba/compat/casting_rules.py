"""Custom conversion rules for tools: which types convert to which, and how well.

Absent: the compiler's own rules (`rumba.types.convert`), which `default_type_manager` answers from.
"""
from ..types import Conversion


class TypeGraph:
    """Conversions between types and their transitive closure: a conversion through a third type has the worse grade of its two steps.
    `callback(source, target, grade)` is called for each one that is new or better than before."""

    def __init__(self, callback=None):
        self._callback, self._grades = callback or (lambda source, target, grade: None), {}

    def insert_rule(self, source, target, grade):
        """Adds a conversion."""
        work = [(source, target, grade)]
        while work:
            a, b, new = work.pop(0)
            if a == b or self._grades.get((a, b), Conversion.nil) <= new:
                continue
            self._grades[a, b] = new
            self._callback(a, b, new)
            for (c, d), known in list(self._grades.items()):
                if d == a:
                    work.append((c, b, max(known, new)))
                if c == b:
                    work.append((a, d, max(known, new)))

    def promote(self, a, b):
        """One type's values are all values of another of its kind."""
        self.insert_rule(a, b, Conversion.promote)

    def safe(self, a, b):
        """One type's values convert to another without loss."""
        self.insert_rule(a, b, Conversion.safe)

    def unsafe(self, a, b):
        """One type's values convert to another, and may change."""
        self.insert_rule(a, b, Conversion.unsafe)


class TypeManager:
    """Conversions that are set one by one, and the choice among signatures by them."""

    def __init__(self):
        self._grades = {}

    def check_compatible(self, fromty, toty):
        """How a value of one type becomes one of another, or None."""
        return Conversion.exact if fromty == toty else self._grades.get((fromty, toty))

    def set_compatible(self, fromty, toty, by):
        """Says how."""
        self._grades[fromty, toty] = by

    def set_promote(self, fromty, toty):
        """They become others of their kind."""
        self.set_compatible(fromty, toty, Conversion.promote)

    def set_safe_convert(self, fromty, toty):
        """They convert without loss."""
        self.set_compatible(fromty, toty, Conversion.safe)

    def set_unsafe_convert(self, fromty, toty):
        """They convert, and may change."""
        self.set_compatible(fromty, toty, Conversion.unsafe)

    def select_overload(self, sig, overloads, allow_unsafe, exact_match_required):
        """The number of the signature that these types convert to best; TypeError if there is none, or more than one."""
        ranked = []
        for number, wanted in enumerate(overloads):
            grades = [self.check_compatible(*both) for both in zip(sig, wanted)] if len(wanted) == len(sig) else [None]
            is_exact = all(grade == Conversion.exact for grade in grades)
            if None in grades or exact_match_required and not is_exact or not allow_unsafe and Conversion.unsafe in grades:
                continue
            counts = [grades.count(kind) for kind in (Conversion.unsafe, Conversion.safe, Conversion.promote)]
            ranked.append((counts, number))
        ranked.sort()
        if not ranked:
            raise TypeError(f"no match for types {sig}")
        if len(ranked) > 1 and ranked[0][0] == ranked[1][0]:
            raise TypeError(f"ambiguous overloading for types {sig}")
        return ranked[0][1]


class TypeCastingRules(TypeGraph):
    """Rules for a manager: what follows from them is set, too."""

    def __init__(self, tm):
        super().__init__(tm.set_compatible)

    def promote_unsafe(self, a, b):
        """One way within its kind, back with possible change."""
        self.promote(a, b)
        self.unsafe(b, a)

    def safe_unsafe(self, a, b):
        """One way without loss, back with possible change."""
        self.safe(a, b)
        self.unsafe(b, a)

    def unsafe_unsafe(self, a, b):
        """Both ways with possible change."""
        self.unsafe(a, b)
        self.unsafe(b, a)


class _OfCompiler(TypeManager):
    """The compiler's own rules, and those that libraries set here."""

    def check_compatible(self, fromty, toty):
        """How a value of one type becomes one of another, or None."""
        from ..types.convert import conversion

        found = super().check_compatible(fromty, toty)
        return conversion(fromty, toty) if found is None else found


def _with_halves(manager):
    """Floats of 16 bits, which no code computes with, have rules, too."""
    from .. import types

    half = types.float16
    for whole in (*types.integer_domain, types.boolean):
        manager.set_unsafe_convert(whole, half)
        manager.set_unsafe_convert(half, whole)
    for wider, grade in ((types.float32, Conversion.promote), (types.float64, Conversion.promote),
                         (types.complex64, Conversion.safe), (types.complex128, Conversion.safe)):
        manager.set_compatible(half, wider, grade)
        manager.set_unsafe_convert(wider, half)
    return manager


default_type_manager = _with_halves(_OfCompiler())
default_casting_rules = TypeCastingRules(default_type_manager)
