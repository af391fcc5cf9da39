"""`jitclass` of classes over type parameters."""
import copy
import pickle
from typing import Generic, Optional, TypeVar

import numpy as np
import pytest

from leaks import nothing_leaks  # noqa: F401
from rumba import float64, int64, jitclass, njit, typed, typeof, types

T = TypeVar("T")
K = TypeVar("K")


@jitclass
class Pair(Generic[T]):
    """A value, and the pairs behind it."""

    first: T
    rest: Optional["Pair[T]"]

    def __init__(self, first: T, rest=None):
        self.first = first
        self.rest = rest

    def total(self):
        total = self.first
        node = self.rest
        while node is not None:
            total += node.first
            node = node.rest
        return total


@jitclass([("key", K), ("n", int64)])
class Keyed(Generic[K, T]):
    values: list[T]
    __secret: int

    def __init__(self, key, values):
        self.key = key
        self.values = values
        self.n = len(values)
        self.__secret = 3

    def shown(self):
        return self.key, self.values[self.n - 1], self.__secret


def test_a_class_for_each_type():
    numbers = Pair[int64]
    assert Pair[int] is numbers and Pair[types.int64] is numbers and Pair[float64] is not numbers
    assert numbers.__name__ == "Pair" and numbers.__qualname__ == "Pair[int64]" and numbers.__doc__ == Pair.__doc__
    assert numbers(1, numbers(2, None)).total() == 3 and Pair[float](1.5).total() == 1.5
    assert repr(Pair) == f"<compiled class {__name__}.Pair[T]>"


def test_the_arguments_tell_the_types():
    assert type(Pair(1.5)) is Pair[float64] and type(Pair(2)) is Pair[int64] and Pair("ab").total() == "ab"
    assert np.array_equal(Pair(np.ones(3)).first, np.ones(3))
    with pytest.raises(TypeError, match="no argument tells the type K of Keyed: name it, as in Keyed"):
        Keyed(1, typed.List([2.0]))
    with pytest.raises(TypeError, match="first"):
        Pair()


def test_several_parameters_and_containers():
    keyed = Keyed[types.unicode_type, float64]("a", typed.List([1.0, 2.5]))
    assert keyed.shown() == ("a", 2.5, 3)
    with pytest.raises(TypeError, match="Keyed has 2 type parameters, not 1"):
        Keyed[int]


def test_compiled_code_names_the_types():
    @njit
    def use(n):
        a = Pair[int64](n, Pair[int](1, None))
        b = Pair[float64](n + 0.5, None)
        l = typed.List([2.5])
        c = Keyed[int64, float64](n, l)
        return a.total(), b.total(), c.shown(), isinstance(a, Pair[int64]), isinstance(a, Pair[float64]), a

    *told, made = use(3)
    assert told == [4, 3.5, (3, 2.5, 3), True, False]
    assert type(made) is Pair[int64] and isinstance(made, Pair) and not isinstance(made, Pair[float64])


def test_pickle_and_copy():
    pair = Pair(1, Pair(2))
    for again in (pickle.loads(pickle.dumps(pair)), copy.deepcopy(pair)):
        assert type(again) is Pair[int64] and again.total() == 3
    assert pickle.loads(pickle.dumps(Pair[float64])) is Pair[float64] and pickle.loads(pickle.dumps(Pair)) is Pair
    assert pickle.loads(pickle.dumps(typeof(pair))) == typeof(pair)


def test_classes_that_derive():
    @jitclass
    class Extended(Pair[int64]):
        extra: int

        def __init__(self, first):
            super().__init__(first, None)
            self.extra = 5

        def total(self):
            return super().total() + self.extra

    assert Extended(4).total() == 9 and isinstance(Extended(1), Pair) and issubclass(Extended, Pair[int64])
    with pytest.raises(TypeError, match=r"a class derives from Pair for given types: Pair\[float64\]"):
        class Wrong(Pair):
            pass
