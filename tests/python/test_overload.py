"""What libraries implement in Python: overloads of functions, operators, methods, attributes, classes."""
import math
import operator
import threading

import numpy as np
import pytest
from rumba import errors, njit, types
from rumba.extending import (
    overload,
    overload_attribute,
    overload_classmethod,
    overload_method,
    register_jitable,
)
from rumba.intrinsics import literally
from support import caller, forgotten_overloads
from support import overloaded as make


@pytest.fixture(autouse=True)
def forgets():
    with forgotten_overloads():
        yield


def test_the_first_implementation_wins_and_others_are_asked_in_order():
    asked = []

    def of_floats(x, k=3):
        asked.append(("floats", x, k))
        return (lambda x, k=3: 1) if isinstance(x, types.Float) else None

    def of_all(x, k=3):
        asked.append(("all", x, k))
        return lambda x, k=3: x + k

    function = make(of_floats, of_all)

    @njit
    def calls(x):
        return function(x), function(x, 4), function(x, k=5)

    assert calls(1.0) == (1, 1, 1)
    assert ("all", types.float64, 3) not in asked
    asked.clear()
    assert calls(1) == (4, 5, 6)
    # A default stands in for a type that is not there; plain types are offered before literal ones.
    assert asked[:3] == [("floats", types.int64, 3), ("all", types.int64, 3), ("floats", types.int64, types.int64)]


def test_prefer_literal():
    def chooses(x):
        if isinstance(x, types.IntegerLiteral):
            if x.literal_value == 1:
                return lambda x: -1
            raise errors.TypingError("another value")
        return lambda x: x * 100

    function, plain = make(chooses, prefer_literal=True), make(chooses)

    @njit
    def calls(x):
        return function(1), function(2), function(x), plain(1), plain(x)

    assert calls(3) == (-1, 200, 300, 100, 300)


def test_an_implementation_that_asks_for_a_value_has_the_overload_asked_again():
    def power(x, n):
        """x to a known power."""

    @overload(power)
    def compiled(x, n=2):
        if isinstance(n, types.Literal):
            known = n.literal_value
            return lambda x, n=2: (x, known)
        return lambda x, n=2: literally(n)

    assert njit(lambda x, n: power(x, n))(1.5, 3) == (1.5, 3)
    assert njit(lambda x: power(x, 4))(1.5) == (1.5, 4)
    assert njit(lambda x: power(x, n=5))(1.5) == (1.5, 5)
    outer = njit(lambda x, n: power(x, n))
    assert [njit(lambda x, n: outer(x, n))(1.5, n) for n in (6, 7)] == [(1.5, 6), (1.5, 7)]
    with pytest.raises(errors.TypingError, match="Cannot request literal type"):
        njit(lambda x, n: power(x, n + 1))(1.5, 3)


def test_literal_types_are_tried_where_plain_ones_do_not_compile():
    function = make(lambda x, i: lambda x, i: x[i])

    @njit
    def calls(x):
        return function(x, 0), function(x, 1)

    assert calls((4, 2.5)) == (4, 2.5)


def test_an_implementation_that_does_not_compile_gives_way_to_the_next():
    function = make(lambda x: lambda x: x.missing, lambda x: lambda x: x + 1)
    assert caller(function)(1) == 2


def test_the_compiler_asks_after_its_own_rules():
    asked = []

    @overload(math.sqrt)
    def sqrt(x):
        asked.append(x)
        return (lambda x: x[0] * 10) if isinstance(x, types.BaseTuple) else None

    assert caller(math.sqrt)(4) == 2.0
    assert not asked
    assert caller(math.sqrt)((4, 5)) == 40


def test_operators():
    def is_ours(ty):
        return isinstance(ty, types.UniTuple) and ty.count == 5 and ty.dtype == types.float64

    @overload(operator.add)
    def add(a, b):
        return (lambda a, b: a[0] + b) if is_ours(a) and isinstance(b, types.Integer) else None

    @overload(operator.setitem)
    def setitem(a, i, value):
        if is_ours(a):
            def implementation(a, i, value):
                if value > 5:
                    raise ValueError("more than five")
            return implementation

    @overload(operator.contains)
    def contains(container, x):
        return (lambda container, x: x > container) if isinstance(container, types.Integer) else None

    @overload(operator.neg)
    def neg(a):
        return (lambda a: -a[1]) if is_ours(a) else None

    @njit
    def calls(a, b):
        a[0] = b
        c = a
        c += b
        return a + b, c, b in 3, -a

    ours = (1.0, 2.0, 3.0, 4.0, 5.0)
    assert calls(ours, 4) == (5.0, 5.0, True, -2.0)
    with pytest.raises(ValueError, match="more than five"):
        calls(ours, 6)


def test_methods_and_attributes_of_types_and_of_classes_of_types():
    @overload_method(types.Integer, "plus")
    def plus(x, y=1):
        return lambda x, y=1: x + y

    @overload_method(types.UniTuple, "first")
    def first(x):
        return lambda x: x[0]

    @overload_attribute(types.float64, "doubled")
    def doubled(x):
        return lambda x: x * 2

    @overload_method(types.Integer, "rest")
    def rest(x, first, *args):
        return lambda x, first, *args: (first, args)

    @njit
    def calls(x, y, *args):
        return x.plus(), x.plus(5), x.plus(y=6), (x, x).first(), y.doubled, x.rest(*args), (x + 1).plus()

    assert calls(4, 1.5, 7, 2.5) == (5, 9, 10, 4, 3.0, (7, (2.5,)), 6)
    with pytest.raises(errors.TypingError, match="Unknown attribute 'plus' of type float64"):
        njit(lambda x: x.plus())(1.5)


def test_classes_and_conversions():
    class Pair:
        pass

    @overload(Pair)
    def pair(x, y):
        return lambda x, y: (x, y)

    @overload(float)
    def to_float(x):
        return (lambda x: 0.5) if isinstance(x, types.BaseTuple) else None

    @njit
    def calls(x):
        return Pair(x, 2), float((x, x)), float(x)

    assert calls(1) == ((1, 2), 0.5, 1.0)


def test_registered_functions_and_compiled_ones_in_implementations():
    @register_jitable
    def helper(x):
        return x + 1

    assert helper(1) == 2
    assert caller(make(lambda x: lambda x: helper(x)))(1) == 2
    # A compiled function may be the implementation itself.
    compiled = njit(lambda x: x * 7)
    assert caller(make(lambda x: compiled))(2) == 14


def test_every_candidate_is_told_with_its_reason():
    def other_default(a, k=1):
        return lambda a, k=2: a

    def more_parameters(a, b, k=1):
        return lambda a, b, k=1: a

    def objects(a, k=1):
        raise errors.TypingError(f"{a} is not welcome")

    def returns_none(a, k=1):
        return None

    function = make(other_default, more_parameters, objects, returns_none)

    @njit
    def calls(x):
        return function(x, k=4)

    with pytest.raises(errors.TypingError) as caught:
        calls(1)
    told = str(caught.value)
    assert "No implementation of function function(int64, k=int64)" in told
    assert "'other_default'" in told and "keyword argument default values" in told
    assert '<Parameter "k=1">' in told and '<Parameter "k=2">' in told
    assert "missing a required argument: 'b'" in told
    assert "int64 is not welcome" in told and 'raise errors.TypingError(f"{a} is not welcome")' in told
    assert "'returns_none'" in told and "no match" in told
    assert __file__ in told


@pytest.mark.parametrize("implementation, words", [
    (lambda z, b, kw=None: 1, ["argument names", '<Parameter "a">', '<Parameter "z">']),
    (lambda a, b, kwarg=None: 1, ["keyword argument names", '<Parameter "kw=None">', '<Parameter "kwarg=None">']),
    (lambda a, kw=None: 1, ["argument names", '<Parameter "b">']),
    (lambda a, b, **kws: 1, ["use of VAR_KEYWORD", "offending argument name is '**kws'"]),
    (lambda z, *args: 1, ["argument names", "First difference: 'z'"]),
])
def test_parameters_must_agree(implementation, words):
    def given(a, b, kw=None):
        return implementation

    function = make(given)
    with pytest.raises(errors.TypingError) as caught:
        njit(lambda x: function(x, x))(1)
    assert all(word in str(caught.value) for word in words)


def test_without_strict_parameters_may_differ():
    def given(a, **kws):
        return lambda a, kw=10: a + kw

    assert njit(lambda x, f=None: 0)(1) == 0
    loose = make(given, strict=False)
    assert njit(lambda x: loose(x, kw=11))(1) == 12


def test_an_exception_in_an_overload_names_it():
    def broken(x):
        return {}["key"]

    with pytest.raises(KeyError) as caught:
        caller(make(broken))(1)
    assert any("'broken'" in note and "int64" in note for note in getattr(caught.value, "__notes__", ["'broken' int64"]))


def test_what_is_no_function_is_rejected():
    with pytest.raises(errors.TypingError, match="has to return a function"):
        caller(make(lambda x: 12))(1)


def test_an_overload_that_calls_itself():
    def total(x):
        raise NotImplementedError

    @overload(total)
    def total_of_tuple(x):
        if not isinstance(x, types.BaseTuple):
            return lambda x: x
        if len(x) == 0:
            return lambda x: 0
        return lambda x: total(x[0]) + total(x[1:])

    assert caller(total)((1, (2, 3.5), (), 4)) == 10.5


def test_threads_share_implementations():
    made = []

    def implement(x):
        made.append(x)
        return lambda x: x + 1

    function = make(implement)
    results, barrier = [], threading.Barrier(4)

    def work():
        call = caller(function)
        barrier.wait()
        results.append((call(1), call(1.5)))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [(2, 2.5)] * 4


def test_unknown_options_and_owners():
    with pytest.raises(TypeError, match="unknown options: sctrict"):
        overload(len, sctrict=False)
    with pytest.raises(errors.NonexistentTargetError):
        overload(len, target="quantum")
    with pytest.raises(TypeError, match="a type or a class of types"):
        overload_method(int, "x")(lambda x: None)
    overload_classmethod(types.Array, "made_for_a_test")(lambda cls: None)


def test_overloads_for_other_targets_are_passed_over():
    def function(x):
        raise NotImplementedError

    overload(function, target="cuda")(lambda x: lambda x: x + 1000)
    with pytest.raises(errors.TypingError, match="for the target 'cuda', and this code is for 'cpu'"):
        caller(function)(1)
    overload(function, target="cpu")(lambda x: lambda x: x + 1)
    overload(function, target="generic")(lambda x: lambda x: x + 2)
    assert caller(function)(1) == 2


@pytest.mark.parametrize("order", [("generic", "cpu"), ("cpu", "generic"), (None, "cpu"), ("cuda", "cpu"), ("cpu", "cuda")])
def test_an_overload_for_this_target_comes_first(order):
    def function(x):
        raise NotImplementedError

    for target in order:
        options = {"target": target} if target else {}
        overload(function, **options)(_constant_function(target == "cpu"))
    assert caller(function)(1) is True


def _constant_function(constant):
    def overload_function(x):
        return lambda x: constant
    return overload_function


def test_members_for_this_target_come_first():
    for order in (("generic", "cpu"), ("cpu", "generic")):
        for target in order:
            overload_method(types.Float, f"told_{order[0]}", target=target)(_constant_function(target == "cpu"))
            overload_attribute(types.Float, f"is_{order[0]}", target=target)(_constant_function(target == "cpu"))
    assert njit(lambda x: (x.told_cpu(), x.is_cpu, x.told_generic(), x.is_generic))(1.5) == (True,) * 4


def test_of_one_target_the_first_that_fits_is_taken():
    def function(x):
        raise NotImplementedError

    overload(function)(_constant_function(1))
    overload(function)(lambda x: (lambda x: 5) if isinstance(x, types.Float) else None)
    overload(function, target="cpu")(lambda x: (lambda x: 2) if isinstance(x, types.Integer) else None)
    overload(function, target="cpu")(lambda x: (lambda x: 3) if isinstance(x, types.Integer) else None)
    assert caller(function)(1) == 2 and caller(function)(1.5) == 1


@pytest.mark.parametrize("is_first", [True, False])
def test_a_function_that_is_jitable_is_an_overload_beside_others(is_first):
    """Where it does not compile, or does not fit, another overload serves; of two that fit the first registered does."""
    def fill(values, number):
        values[:] = number * (1 + 0j)

    def other(values, number):
        if isinstance(values.dtype, types.Float):
            def fill_real(values, number):
                values[:] = number
            return fill_real

    if is_first:
        register_jitable(fill)
        overload(fill)(other)
    else:
        overload(fill)(other)
        register_jitable(fill)
    run = njit(lambda values: fill(values, 3))
    for dtype in (np.float64, np.complex128):
        values = np.zeros(2, dtype)
        run(values)
        assert (values == 3).all()
