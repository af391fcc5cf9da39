"""Frozen sets. What reads a set alone is written for sets (`set`); what makes a new one is frozen here."""
import numpy as np

from ...extending import Effects, register_jitable
from ...intrinsics import frozen_set
from ...types import FrozenSetType
from .. import library
from . import set as sets


def _reading(overload):
    """The overload of an operator or a method that gives no set."""
    def frozen(self, other, /):
        return overload(self, other)
    return frozen


for _name, _overload in {
    "isdisjoint": sets.isdisjoint, "issubset": sets.issubset, "issuperset": sets.issuperset, "__eq__": sets.eq, "__ne__": sets.ne,
    "__le__": sets.le, "__lt__": sets.lt, "__ge__": sets.ge, "__gt__": sets.gt, "__req__": sets.req, "__rne__": sets.rne,
}.items():
    library(f"builtins.frozenset.{_name}")(_reading(_overload))


@library(frozenset, effects=Effects(returns="items of iterable", exhausts="iterable", also="makes=frozenset"))
def frozenset_(iterable, /):
    return _itself if isinstance(iterable, FrozenSetType) else _frozen_of


def _itself(iterable, /):
    return iterable


def _frozen_of(iterable, /):
    return frozen_set(set(iterable))


def _freezing(overload):
    """The overload of an operator or a method of frozen sets that makes a new one, as that of sets does."""
    def frozen(self, other, /):
        made = overload(self, other)
        if made is None:
            return None
        compiled = register_jitable(made)
        return lambda self, other, /: frozen_set(compiled(self, other))
    return frozen


for _name, _overload in {
    "__or__": sets.or_, "__and__": sets.and_, "__sub__": sets.sub, "__xor__": sets.xor, "symmetric_difference": sets.symmetric_difference,
}.items():
    library(f"builtins.frozenset.{_name}")(_freezing(_overload))


def _freezing_all(overload):
    """The same of a method that takes any number of iterables."""
    def frozen(self, *others):
        compiled = register_jitable(overload(self, *others))
        return lambda self, *others: frozen_set(compiled(self, *others))
    return frozen


for _name, _overload in {"union": sets.union, "intersection": sets.intersection, "difference": sets.difference}.items():
    library(f"builtins.frozenset.{_name}")(_freezing_all(_overload))


def hash_of_frozenset(obj, /):
    # CPython's `frozenset_hash`, which does not depend on the order of the items.
    mixed = np.uint64(0)
    for item in obj:
        bits = np.uint64(hash(item))
        mixed ^= ((bits ^ np.uint64(89869747)) ^ (bits << np.uint64(16))) * np.uint64(3644798167)
    mixed ^= np.uint64(len(obj) + 1) * np.uint64(1927868237)
    mixed ^= (mixed >> np.uint64(11)) ^ (mixed >> np.uint64(25))
    mixed = mixed * np.uint64(69069) + np.uint64(907133923)
    return 590923713 if mixed == ~np.uint64(0) else np.int64(mixed)
