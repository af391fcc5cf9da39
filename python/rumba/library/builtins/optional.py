"""Operators on optional values, if the library implements them: on lists, dicts and sets, and on tuples with them.
`==` and `!=` compare with None, too; elsewhere None is a TypeError."""
import numpy as np

from ...extending import Effects, register_jitable
from ...intrinsics import present
from ...types import Optional
from .. import library
from .._predicates import is_absent, is_array

_BINARY = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b, "matmul": lambda a, b: a @ b,
    "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b, "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b,
}


def _of_contents(compute):
    compiled = register_jitable(compute)

    def run(self, other, /):
        return compiled(present(self), present(other))
    return lambda self, other, /: run


def _equal(self, other, /):
    if self is None or other is None:
        return self is None and other is None
    return present(self) == present(other)


def _differ(self, other, /):
    if self is None or other is None:
        return not (self is None and other is None)
    return present(self) != present(other)


def _is_array_or_none(a, b):
    """Whether one type is that of an array that may be None, and the other that of None."""
    return any(isinstance(one, Optional) and is_array(one.type) and is_absent(other) for one, other in ((a, b), (b, a)))


_NO_ARRAY = "an array that may be None is compared with None by `is`: `==` gives an array"


def _none_equal(self, other, /):
    if self is None and other is None:
        return True
    raise TypeError(_NO_ARRAY)


def _none_differ(self, other, /):
    if self is None and other is None:
        return False
    raise TypeError(_NO_ARRAY)


def _items_equal(self, other, /):
    if other is None:
        return np.full(self.shape, False)
    return self == present(other)


def _equals_items(self, other, /):
    if self is None:
        return np.full(other.shape, False)
    return present(self) == other


def _items_differ(self, other, /):
    if other is None:
        return np.full(self.shape, True)
    return self != present(other)


def _differs_from_items(self, other, /):
    if self is None:
        return np.full(other.shape, True)
    return present(self) != other


def _array_equal(self, other, /):
    return present(self) == present(other)


def _array_differs(self, other, /):
    return present(self) != present(other)


def _comparison(with_none, items, of_items, arrays, contents):
    """What compares with something that may be None: an array with an item, or the other way around, arrays, or anything else."""
    def choose(self, other, /):
        one, two = (ty.type if isinstance(ty, Optional) else ty for ty in (self, other))
        if _is_array_or_none(self, other):
            return with_none
        if not is_array(one) and not is_array(two):
            return contents
        if is_array(self) and not is_array(two):
            return items
        return of_items if is_array(other) and not is_array(one) else arrays
    return choose


def _contains(self, other, /):
    return other in present(self)


def _item(self, other, /):
    return present(self)[other]


def _set_item(self, index, value, /):
    present(self)[index] = value


def _delete_item(self, index, /):
    del present(self)[index]


for _name, _compute in _BINARY.items():
    for _side in ("", "r"):
        library(f"rumba.optional.__{_side}{_name}__")(_of_contents(_compute))
for _side in ("", "r"):
    library(f"rumba.optional.__{_side}eq__")(_comparison(_none_equal, _items_equal, _equals_items, _array_equal, _equal))
    library(f"rumba.optional.__{_side}ne__")(_comparison(_none_differ, _items_differ, _differs_from_items, _array_differs, _differ))
library("rumba.optional.__contains__")(lambda self, other, /: _contains)
library("rumba.optional.__getitem__")(lambda self, other, /: _item)
library("rumba.optional.__setitem__", effects=Effects(mutates="self"))(lambda self, index, value, /: _set_item)
library("rumba.optional.__delitem__", effects=Effects(mutates="self"))(lambda self, index, /: _delete_item)
