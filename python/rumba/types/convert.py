"""The compiler's rules of conversion and unification for Python's type objects."""
from .base import Conversion


def compiler_types():
    """The compiler's table of types."""
    from .. import _rumba

    return _rumba.types


def conversion(source, target):
    """How a value of type `source` becomes one of type `target`, or None if it does not."""
    if source == target:
        return Conversion.exact
    if source._parts() is None or target._parts() is None:
        return None
    grade = compiler_types().conversion(source, target)
    if grade == "exact" and getattr(source, "count", None) == 0:
        # Tuples without items are of different types where items would be.
        return Conversion.safe
    return None if grade is None else Conversion[grade]


def unify(*types):
    """The type that values of all these types fit in, or None."""
    if len(set(types)) == 1:
        return types[0]
    known = [ty for ty in types if ty.is_precise()]
    if known and len(known) < len(types) and len({type(ty) for ty in types}) == 1:
        # A container of items without a type is whatever the others are.
        return unify(*known)
    if any(ty._parts() is None for ty in types):
        return None
    if len(types) > 2 and all(hasattr(ty, "bitwidth") for ty in types):
        # What several numbers have together does not depend on their order.
        types = tuple(sorted(types, key=lambda ty: (ty.bitwidth, ty.name)))
    found = compiler_types().unify(types)
    from .containers import FrozenSetType, List, Set

    if isinstance(found, (List, Set)) and not isinstance(found, FrozenSetType) and all(isinstance(ty, (List, Set)) for ty in types):
        # The compiler's own lists and sets are all changed in Python, too.
        return type(found)(found.dtype, reflected=any(ty.reflected for ty in types))
    return found
