"""Tuples made inside of compiled functions, against CPython."""
import collections
import itertools
import typing

import numpy as np
import pytest
from rumba import errors, njit
from support import check, check_all, define, outcome

NAN = float("nan")
Point = collections.namedtuple("Point", ["x", "y"])


def test_items():
    check_all(define("(a, b, 7)[c]"), [(1, 2, i) for i in (0, 1, 2, -1, -3, 3, -4, True, 2**62)])
    check_all(define("(a, b, 7, 8, 9, a, b)[c]"), [(1, 2, i) for i in (0, 3, 6, -1, -7, 7, -8)])
    check_all(define("(a, 2.5, b)[1] + (a, b)[-1]"), [(1, 2)])
    check_all(define("((a, 1.5), (b, 2.5))[c]"), [(1, 2, 0), (1, 2, -1), (1, 2, 2)])
    check_all(define("(True, a > b)[c]"), [(1, 2, 1), (2, 1, 1), (2, 1, 0)])


SLICES = [":", "1:", ":2", "1:3", "-2:", ":-1", "::2", "::-1", "3:0:-1", "5:1", "100:", "-100:100", "2::-1", "3:3"]


@pytest.mark.parametrize("part", SLICES)
def test_slices(part):
    check(define(f"(a, 2.5, b, True, None)[{part}]"), 1, 2)


def test_length_and_truth():
    check(define("(len((a, b)), len(()), len((a,)), bool((a,)), bool(()), not (a, b))"), 1, 2)


def test_joining_and_repetition():
    check(define("(a,) + (b, 2.5) + ()"), 1, 2)
    check(define("((a, 2.5) * 3, 2 * (a, b), (a,) * 0, (a,) * -1, () * 5, True * (a,))"), 1, 2)


VALUES = [(1, 2), (1, 3), (2, 0), (1, 2.0), (1.0, 2), (0, NAN), (NAN, 0), (2**53 + 1, 1), (2.0**53, 1)]


@pytest.mark.parametrize("op", ["==", "!=", "<", "<=", ">", ">="])
def test_comparison(op):
    function = define(f"(a, b) {op} (c, d)")
    # A NaN of the same identity is equal to itself in a tuple of CPython: fresh ones are not.
    cases = [(*x, *(float(repr(v)) if v != v else v for v in y)) for x, y in itertools.product(VALUES, VALUES)]
    check_all(function, cases)
    check_all(define(f"((a, b) {op} (a,), (a,) {op} (a, b), () {op} (a,), () {op} ())"), [(1, 2)])
    check_all(define(f"((a, (b, 1)) {op} (a, (b, 2)), (a, (b,)) {op} (a, (b, 2)))"), [(1, 2)])


def test_equality_with_other_kinds():
    check_all(define("((a, b) == a, (a, b) != None, a == None, None == None, None != a, a == 'x', 'x' == 'x', (a, None) == (a, None))"),
              [(1, 2)])


def test_optionals_are_compared():
    def f(a, b):
        x = None
        if a > 0:
            x = a
        y = None
        if b > 0:
            y = b
        return x == y, x != y, x == 3, 3 != y, x == None, None != y  # noqa: E711

    check_all(f, [(1, 1), (1, 2), (0, 0), (0, 3), (3, 0), (3, 3)])


def test_membership():
    check_all(define("(a in (1, 2.5, b), a not in (1, b), a in (), None in (a, None), a in (None, b))"),
              [(1, 2), (2.5, 3), (7, 7), (True, 0), (NAN, 1)])
    check_all(define("(a, b) in ((1, 2), (3, 4)), (a, b) not in ((1, 2), 5)"), [(1, 2), (3, 4.0), (2, 1)])


def test_index_and_count():
    check_all(define("(1, 2, a, 2, 1.0).index(b)"), [(5, 1), (5, 5), (5, 2.0), (5, 9), (5, True)])
    check_all(define("(1, 2, a, 2, 1.0).count(b)"), [(5, 1), (2, 2), (5, 9), (1, True)])


def loop(a, b):
    total = 0
    for x in (a, b, 7):
        total = total * 10 + x
    for x in (0.5, 1.5):
        total += x
    for x, y in ((a, 2), (b, 3)):
        total += x * y
    for x in reversed((a, b, 9)):
        total = total * 2 + x
    for i in range(2):
        for x in (i, a):
            total += x
    return total


def test_iteration():
    check_all(loop, [(1, 2), (-3, 5)])


WORDS = (("ab", 1), ("c", 2))
LATER = (("a", ("b", 1)), ("c", ("d", 2)), ("e", ("f", 3)), ("g", ("h", 4)), ("i", ("j", 5)))


@pytest.mark.parametrize("pairs", ["WORDS", "[('ab', 1), ('c', 2)]", "(('ab', 1), ('c', 2))", "{'ab': 1, 'c': 2}.items()", "LATER"])
@pytest.mark.parametrize("source", [
    "[p for p in {}]", "[100, sum(len(p[0]) for p in {})]", "','.join(w for w, n in {})", "[n for w, n in {}]",
    "list({})", "list(enumerate({}))", "list(enumerate({}, 2))[1]", "list(zip({}, (1, 2)))", "list(map(lambda p: p[0], {}))",
    "list(filter(lambda p: p[0] == 'c', {}))", "next(iter({}))", "next(iter({}), {}[0])",
    "[i for i, (w, n) in enumerate({}) if w != 'ab']", "any(w == 'c' for w, n in {})", "all(len(w) == 1 for w, n in {})",
    "[p for q in [1, 2] for p in {}]", "len([p for p in zip({}, {})])",
])
def test_iteration_over_tuples_with_constant_texts(source, pairs):
    if "[0]" in source and "items" in pairs:
        return
    names = {"WORDS": WORDS, "LATER": LATER}
    exec(f"def f(): return {source.replace('{}', pairs)}", names)
    assert njit(names["f"])() == names["f"]()


def test_items_of_tuples_with_constant_texts():
    for tuples in (WORDS, LATER):
        def item(i, t=tuples):
            return t[i]

        def backwards(t=tuples):
            return [p for p in reversed(t)]

        def ends(t=tuples):
            return min(t), max(t), t[1:]
        compiled = njit(item)
        for i in range(-len(tuples), len(tuples)):
            assert compiled(i) == tuples[i]
        with pytest.raises(IndexError):
            compiled(len(tuples))
        for function in (backwards, ends):
            assert njit(function)() == function()


def nothing(a):
    for _ in ():
        a += 1
    return a


def test_iteration_over_nothing():
    check(nothing, 3)


def test_sum_any_all():
    check(define("(sum((a, b)), sum((a, 2.5)), sum(()), sum((a, b), 10), sum((a, b), 0.5), sum((True, True)), sum((a, 1j)))"), 1, 2)
    check(define("sum(((a,), (b, 2.5)), ())"), 1, 2)
    check(define("sum((a, b, c))"), -0.0, -0.0, -0.0)


INF = float("inf")
TERMS = [(1e100, 1.0, -1e100), (0.1, 0.2, 0.3), (-1.4768394353649388, 0.12986838379884114, -4.261612524594218),
         (INF, 1.0, 2.5), (INF, -INF, 1.0), (1e308, 1e308, -1e308), (NAN, 1.0, 1e100), (-0.0, -0.0, -0.0)]


@pytest.mark.parametrize("source", [
    "sum((a, b, c))", "sum((a, 1, b, True, c))", "sum((1, a, b, c))", "sum((a, b, c), 0.1)", "sum((a, b, c), 3)",
    "sum((a, b, c, 0.5j))", "sum((a, b, c), True)", "sum(reversed((a, b, c)))", "sum(iter((a, b, c)), 0.1)",
    "sum(iter((a, b, c)), 2**60 + 1)", "sum(iter((a, b, c)), True)",
])
def test_sums_of_floats_lose_what_this_python_loses(source):
    check_all(define(source), TERMS)
    check_all(define("(any((a, b)), all((a, b)), any(()), all(()), any((a, 0.0, None)), all((a, (b,), 1j)))"),
              [(0, 0), (0, 1), (1, 1), (1, 0)])


def test_min_and_max():
    same = [(3, 1, 2), (1, 1, 1), (-1, 5, 5)]
    check_all(define("(min(a, b, c), max(a, b, c), min((a, b, c)), max((a, b, c)))"), same)
    floats = [0.0, -0.0, 1.5, NAN, float("inf"), -2.5]
    check_all(define("(min(a, b, c), max(a, b, c), min((a, b)), max((a, b)))"), itertools.product(floats, repeat=3))
    check_all(define("min((a, b), (b, a)), max((a, b), (b, a), (0, 9))"), [(1, 2), (2, 1), (1, 1)])
    check(define("max(True, False), min((True, False)), max((a,))"), 5)


def test_hash():
    ints = [0, 1, -1, 2, -2, 2**61 - 1, 2**61, -(2**61) + 1, 2**63 - 1, -(2**63), 10**15, True, 2**63, 2**64 - 1]
    floats = [0.0, -0.0, 1.0, -1.0, 0.5, 1e300, -1e-300, 5e-324, 2.0**61, float("inf"), float("-inf"), 3.14]
    check_all(define("hash(a)"), [(x,) for x in ints + floats])
    check_all(define("hash(a)"), [(complex(x, y),) for x in floats for y in floats])
    check_all(define("(hash((a, b)), hash(()), hash((a,)), hash((a, (b, 2.5))), hash((a, b, True, 1j)))"),
              [(x, y) for x in ints[:10] for y in floats])


def test_classes():
    check_all(define("(isinstance(a, int), isinstance(a, float), isinstance(a, (int, float)), isinstance(a, complex),"
                     " isinstance(a, bool), isinstance(a, tuple), isinstance((a,), tuple), isinstance((a,), (int, tuple)))"),
              [(1,), (1.5,), (True,), (1j,)])
    check_all(define("(type(a) is int, type(a) is float, type(a) is not bool, type(a) == complex, type((a,)) is tuple)"),
              [(1,), (1.5,), (True,), (1j,)])
    check_all(define("(callable(a), callable(abs), callable(int))"), [(1,)])
    check_all(define("type(a)(b)"), [(1, 2.5), (1.5, 2), (True, 7)])


def test_an_optional_is_an_instance_where_it_is_there():
    def f(a):
        x = None
        if a > 0:
            x = a
        return isinstance(x, int), isinstance(x, (float, int)), isinstance(x, float)

    check_all(f, [(1,), (0,)])


def test_tuple_of_a_tuple():
    check(define("(tuple((a, 2.5)), tuple(), ()[b:])".replace("[b:]", "[1:]")), 1)
    check(define("()[a]"), 0)


def test_attributes_by_name():
    check_all(define("(getattr(a, 'real'), getattr(a, 'nothing', 7), hasattr(a, 'imag'), hasattr(a, 'nothing'))"),
              [(1,), (2.5,), (1j,)])


def test_classes_open_one_branch():
    def f(a):
        if isinstance(a, tuple):
            return a[0]
        if type(a) is float:
            return a.is_integer()
        return a.bit_length()

    check_all(f, [(2.0,), (5,)])
    check(define("g((a, 2))", g=__import__("rumba").njit(f)), 9, expected=lambda a: a)


def test_what_does_not_compile():
    import rumba

    for source in ("(a, 2.5)[b]", "(a, b)[5]", "(a, b) < (a, None)", "(a, b) * b", "min(())", "(a, b) < a"):
        with pytest.raises(rumba.errors.TypingError):
            rumba.njit(define(source))(*([1, 2][:2] if "b" in source else [1] if "a" in source else []))


def test_index_between_bounds():
    cases = [(v, i, j) for v in (1, 2, 7) for i in (0, 1, 2, -1, -2, 9, -9, True) for j in (0, 3, 4, -1, 99, -99)]
    check_all(define("(1, 2, 1, 2.0).index(a, b, c)"), cases)
    check_all(define("(1, 2, 1, 2.0).index(a, b)"), [case[:2] for case in cases])


def test_the_class_of_a_named_tuple_makes_others():
    check(define("type(a)(b, *c)"), Point(1, 2), 3, (4.5,))
    check(define("(type(a) is Point, isinstance(a, Point), isinstance(c, Point), isinstance(b, Point))", Point=Point),
          Point(1, 2), 3, (4, 5))


@pytest.mark.parametrize("value", [1, 2.5, 1j, True, (1, 2.5), None])
def test_attributes_that_python_knows_are_not_denied(value):
    special = define("(hasattr(a, '__hash__'), hasattr(a, '__class__'), hasattr(a, 'nothing'), hasattr(a, '__nothing__'))")
    check_all(special, [(value,)])
    added = define("hasattr(a, '__add__')")
    if isinstance(value, (int, float, complex)):
        check_all(added, [(value,)])
    else:
        with pytest.raises(errors.TypingError):
            njit(added)(value)


def of_arrays():
    """Arrays of several sizes: the truth of their comparisons is known or an error."""
    return np.array([1.0]), np.array([2.0]), np.array([1.0, 2.0]), np.array([1.0, 3.0]), np.zeros(0), np.array([1.0, 2.0, 3.0])


@pytest.mark.parametrize("source", [
    "(x,) == (y,)", "(x,) != (y,)", "(1, x) == (1, y)", "(1, x) == (2, y)", "(x, 1) == (y, 2)", "(x, x) == (x, y)", "(x,) == (x, y)",
    "((x, 1), 2) == ((y, 1), 2)", "x in (y,)", "x in (x, y)", "x in (y, x)", "x not in (y, 1)", "(y, x).index(x)", "(x, y).count(x)",
    "(y, x, x).index(x, 1)", "(y, x, x).index(y, 1, 3)", "x in [y]", "x in [x, y]", "[x] == [y]", "[x, y] == [x, y]", "[x] != [y]",
    "[y, x].index(x)", "[x, y].count(y)", "((x, [1]) == (y, [1]), 0)", "[(x, 1)] == [(y, 1)]", "1.0 in (x,)", "(1, x) < (2, y)",
    "(1, x) >= (2, y)",
])
def test_arrays_in_tuples_and_lists(source):
    names = {}
    exec(f"def f(x, y): return {source}", names)
    compiled = njit(names["f"])
    for x, y in itertools.product(of_arrays(), repeat=2):
        assert outcome(compiled, x, y) == outcome(names["f"], x, y), (x, y)


@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
def test_orders_of_tuples_with_arrays_are_truth_values(op):
    names = {}
    exec(f"def f(x, y): return (x, 1) {op} (y, 2)", names)
    compiled = njit(names["f"])
    for x, y in itertools.product(of_arrays(), repeat=2):
        wanted = outcome(lambda x, y: bool(names["f"](x, y)), x, y)
        assert outcome(compiled, x, y) == wanted, (x, y)


def test_search_in_tuples_of_containers():
    def found(x, a, b):
        return (x in (a, b), [1] in (a, b), a in (b, a), x not in (a, b), (a, b).count(a), (a, b).index(b),
                a in (x, (x, a)), (x, a) in ((x, a), b), () in (a, b), [] in (a, []))

    def of_kinds(x, a, b):
        return (x in (a, b), a in (x, a, b), b in (x, a), x == a, a == x, a != b, a == b, x == 1, a == "a", 1 == a, "a" != a,
                b == (2,), b == 3.5, b == None, a in (None, a))  # noqa: E711

    for args in ((1, [1], [2]), (2, [3], [2.5]), ([2], [1], [2]), ("a", ["a"], [])):
        assert njit(found)(*args) == found(*args)
    for args in (({1: 2}, {1}, [2]), ({1}, [1], [1]), ((1,), [1], {1: 1})):
        assert njit(of_kinds)(*args) == of_kinds(*args)
    with pytest.raises(ValueError, match="not in tuple"):
        njit(lambda a: (a, [2]).index([3]))([1])


def test_branches_depend_on_the_length():
    @njit
    def third(items):
        if len(items) == 3:
            return items[2]
        if len(items) > 3:
            return items[3] * 2
        return -1

    assert third((1, 2, 3)) == 3 and third((1, 2)) == -1 and third((1, 2, 3, 4)) == 8 and third(()) == -1

    @njit
    def named(*args):
        return args[0] if len(args) == 1 else args[0] + args[1]

    assert named("a") == "a" and named(1, 2.5) == 3.5


def test_a_long_tuple_of_texts_comes_out_of_a_function():
    """It has more parts than a word has bits."""
    @njit(inline="never")
    def make(x):
        return tuple_of_30(x)

    space = {}
    exec(f"def tuple_of_30(x): return ({', '.join(f'x + {str(number)!r}' for number in range(30))})", space)
    tuple_of_30 = njit(space["tuple_of_30"])

    @njit
    def program(x):
        items = make(x)
        return items[29] + items[0]

    assert program("a") == "a29a0" and make("b") == space["tuple_of_30"]("b")


class Reading(typing.NamedTuple):
    count: int
    value: float = 2.0


Triple = collections.namedtuple("Triple", "x y name")


def test_methods_of_named_tuples():
    def changed(triple, reading):
        other = triple._replace(x=5, name="z")
        return (other, reading._replace(value=reading.value + 1), triple._replace(), other._replace(y=[1.0]).y[0], reading._asdict()["value"],
                triple.count(1), triple.index(2.5), other == triple, triple == triple._replace(), triple < other)
    arguments = Triple(1, 2.5, "n"), Reading(1)
    found, expected = njit(changed)(*arguments), changed(*arguments)
    assert found == expected and list(map(type, found)) == list(map(type, expected))
    assert njit(lambda triple: triple._asdict())(arguments[0]) == arguments[0]._asdict()
    with pytest.raises(errors.TypingError, match=r"unexpected field names: \['w'\]"):
        njit(lambda triple: triple._replace(w=1))(arguments[0])
