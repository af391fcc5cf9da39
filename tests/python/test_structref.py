"""Structrefs: made in Python and in compiled code, changed by reference, in containers, freed when nobody holds them."""
import numpy as np
import pytest
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit, types
from rumba.extending import overload_attribute, overload_method
from rumba.numba import typed, typeof
from rumba.numba.experimental import structref


@structref.register
class PairType(types.StructRef):
    pass


class Pair(structref.StructRefProxy):
    @property
    def first(self):
        return get_first(self)

    @first.setter
    def first(self, value):
        set_first(self, value)

    @property
    def second(self):
        return get_second(self)


structref.define_proxy(Pair, PairType, ["first", "second"])


@njit
def get_first(pair):
    return pair.first


@njit
def set_first(pair, value):
    pair.first = value


@njit
def get_second(pair):
    return pair.second


@overload_method(PairType, "swap")
def swap(self):
    def implementation(self):
        self.first, self.second = self.second, self.first
    return implementation


@overload_attribute(PairType, "both")
def both(self):
    return lambda self: (self.first, self.second)


@structref.register
class NodeType(types.StructRef):
    def preprocess_fields(self, fields):
        self.name = f"NodeType#{id(self)}"
        return (("value", types.int64), ("next", types.Optional(self)))


class Node(structref.StructRefProxy):
    pass


structref.define_proxy(Node, NodeType, ["value", "next"])


@overload_method(NodeType, "double")
def double(self):
    def implementation(self):
        self.value *= 2
    return implementation


def test_made_in_python():
    pair = Pair(1.5, np.arange(3.0))
    assert type(pair) is Pair and pair.first == 1.5
    np.testing.assert_array_equal(pair.second, [0.0, 1.0, 2.0])
    pair.first = 2
    assert pair.first == 2.0
    assert str(typeof(pair)).startswith("numba.PairType(('first', float64), ('second', Array(float64, 1")


def test_made_in_compiled_code():
    @njit
    def make(a, b):
        pair = Pair(first=a, second=b)
        pair.first += b
        return pair

    pair = make(1, 2)
    assert (pair.first, pair.second) == (3, 2)
    texts = make("a", "b")
    assert (texts.first, texts.second) == ("ab", "b")


def test_one_object_for_one_struct():
    @njit
    def same(pair):
        return pair

    @njit
    def twice(pair):
        return [pair, pair], (pair, Pair(1, 2))

    pair = Pair(1, 2)
    assert same(pair) is pair
    (a, b), (c, d) = twice(pair)
    assert a is b is c is pair and d is not pair


def test_identity_in_compiled_code():
    @njit
    def check(c):
        d = Pair(3, 4)
        return c is c, c is d, c is not d, d == d, c == d

    assert check(Pair(3, 4)) == (True, False, True, True, False)


def test_methods_and_attributes_of_libraries():
    @njit
    def check(pair):
        pair.swap()
        return pair.both

    pair = Pair(1.0, 2.0)
    assert check(pair) == (2.0, 1.0) and pair.first == 2.0


def test_nested_and_in_containers():
    @njit
    def check(n):
        pairs = [Pair(i, float(i)) for i in range(n)]
        by_number = {i: pair for i, pair in enumerate(pairs)}
        outer = Pair(pairs, by_number)
        for pair in outer.first:
            pair.first += 10
        return by_number[n - 1].first, len(outer.second), outer

    last, count, outer = check(4)
    assert (last, count) == (13, 4)
    assert [pair.first for pair in outer.first] == [10, 11, 12, 13]
    assert outer.first[2] is outer.second[2]


def test_lists_of_python():
    @njit
    def bump(pairs):
        for pair in pairs:
            pair.first += 1
        pairs.append(pairs[0])
        return pairs[-1]

    pairs = [Pair(1, 2), Pair(3, 4)]
    assert bump(pairs) is pairs[0] is pairs[2]
    assert [pair.first for pair in pairs] == [2, 4, 2]


def test_typed_dict():
    known = typed.Dict()
    known["a"] = Pair(1, 2.5)
    known["a"] = Pair(2, 3.5)
    known["a"].first += 10
    assert (known["a"].first, known["a"].second) == (12, 3.5)
    with pytest.raises(errors.TypingError):
        known["b"] = Pair(2.5, 1)


def test_recursive():
    @njit
    def chain(n):
        node = Node(0, None)
        for i in range(1, n):
            head = Node(i, None)
            head.next = node
            node = head
        return node

    @njit
    def total(node):
        found = 0
        while node is not None:
            found += node.value
            node = node.next
        return found

    @njit
    def last():
        node = Node(1, None)
        node.next = Node(2, None)
        node.next.double()
        return node.next.value, node.next.next is None

    assert last() == (4, True)
    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'double'"):
        njit(lambda: Node(1, None).next.double())()
    # Given up without recursion, too.
    assert total(chain(200_000)) == 199_999 * 100_000


def test_freed_on_exceptions():
    @njit
    def fail(values):
        pair = Pair(values * 2, [1, 2])
        other = Pair(pair, "text" + str(len(values)))
        if len(values) > 1:
            raise ValueError(other.second)
        return other

    with pytest.raises(ValueError, match="text3"):
        fail(np.arange(3))


def test_new_and_fields_that_are_not_set():
    ty = PairType([("first", types.unicode_type), ("second", types.int64)])

    @njit
    def check(sets):
        pair = structref.new(ty)
        if sets:
            pair.first = "x"
        return pair.second, pair.first

    assert check(True) == (0, "x")
    with pytest.raises(AttributeError, match="field 'first' is read before it is set"):
        check(False)


def test_errors():
    with pytest.raises(ValueError, match="expecting a str for field name"):
        types.StructRef([(1, types.int64)])
    with pytest.raises(ValueError, match="expecting a Numba Type for field type"):
        types.StructRef([("a", 123)])
    with pytest.raises(ValueError, match="cannot register"):
        structref.register(types.StructRef)
    with pytest.raises(errors.TypingError, match="third"):
        njit(lambda pair: pair.third)(Pair(1, 2))
    with pytest.raises(errors.TypingError):
        set_first(Pair(1, 2), "text")
