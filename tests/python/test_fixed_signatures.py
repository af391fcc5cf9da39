"""Functions with explicit signatures are called by compiled code as their signatures say, as Python calls them."""
import re

import numpy as np
import pytest
from rumba import errors, njit, types
from rumba.types import float64, int8, int64

LEVELS = pytest.mark.parametrize("level", [0, 2, 3])


@LEVELS
def test_arguments_and_results_are_converted(level):
    whole = njit(int64(int64))(lambda x: x + 1)
    real = njit(float64(int64))(lambda x: x)
    narrow = njit(int8(int8))(lambda x: x + 1)

    @njit(_opt_level=level)
    def program(x):
        return whole(x), real(x), narrow(x)

    assert program(2) == (3, 2.0, 3) and type(program(2)[1]) is float
    assert program(2.75) == (whole(2.75), 2.0, 3) == (3, 2.0, 3)
    assert program(300) == (301, 300.0, 45)
    assert program(True) == (2, 1.0, 2)


def test_the_best_signature_is_taken():
    double = njit([int64(int64), float64(float64)])(lambda x: x * 2)
    program = njit(lambda x: double(x))
    assert [program(x) for x in (3, 3.5, True)] == [6, 7.0, 2]
    assert [signature.return_type for signature in program.nopython_signatures] == [int64, float64, int64]
    with pytest.raises(errors.TypingError) as caught:
        program(1j)
    for words in ("Invalid use of", "complex128", "(int64) -> int64", "(float64) -> float64"):
        assert words in str(caught.value)


def test_without_more_compilations():
    function = njit(lambda x: x + 1)
    function(1)
    before = njit(lambda x: function(x))
    assert before(2.5) == 3.5
    function.disable_compile()
    assert njit(lambda x: function(x))(2.5) == 3
    function.disable_compile(False)
    assert njit(lambda x: function(x))(2.5) == 3.5


def test_keywords_defaults_and_more_arguments():
    power = njit(int64(int64, int64))(lambda x, y=2: x ** y)
    assert njit(lambda x: power(y=x, x=3.9))(2) == 9
    assert njit(lambda x: power(x))(5.5) == 25

    many = njit(int64(int64, types.UniTuple(float64, 2)))(count)
    assert njit(lambda x: many(x, 1, 2))(5.5) == 5 + 3
    assert njit(lambda x: many(x, *(1, 2.5)))(5) == 8


def count(x, *more):
    return x + more[0] + more[1]


def test_recursion():
    @njit(int64(int64))
    def down(n):
        return 0 if n == 0 else 1 + down(n - 1)

    assert down(20) == 20 and njit(lambda n: down(n))(20.9) == 20

    @njit(float64(int64))
    def half(n):
        return 0 if n == 0 else half(n - 1) + 0.5

    assert njit(lambda n: half(n))(5) == 2.5


def test_as_arguments_and_choices():
    whole = njit(int64(int64))(lambda x: x + 1)
    free = njit(lambda x: x * 1.5)
    assert njit(lambda f, x: f(x))(whole, 2.5) == 3

    @njit
    def program(k, x):
        f = whole if k else free
        return f(x)

    assert program(True, 2.5) == 3.0 and program(False, 2.5) == 3.75

    @njit
    def value(k, g):
        f = whole
        if k:
            f = g
        return f(2.5)

    from rumba import cfunc

    with pytest.raises(errors.TypingError, match="compiles no more"):
        value(True, cfunc(float64(float64))(lambda x: x))


@LEVELS
def test_functions_as_arguments(level):
    """A compiled function that is passed where the signature wants a function value is one, and is inlined."""
    @njit(int64(types.FunctionType(int64(int64, int64)), int64, int64), _opt_level=level)
    def repeat(f, x, y):
        total = 0
        for _ in range(100):
            total += f(x, y)
        return total

    class Own(Exception):
        pass

    @njit
    def add(x, y):
        if x > 1000:
            raise Own(x)
        return x + y

    program = njit(lambda x, y: repeat(add, x, y), _opt_level=level)
    assert program(123, 321) == repeat(add, 123, 321) == 100 * 444
    for function in (program, lambda x, y: repeat(add, x, y)):
        with pytest.raises(Own) as caught:
            function(1001, 1)
        assert caught.value.args == (1001,)
    if level == 2:
        # What is left are calls of the runtime where it fails: the argument of the exception and the places that it went through.
        body = re.search(r"^define \w+ @[^\n]*\.python\(.*?^}", program.inspect_llvm()[(int64, int64)], re.S | re.M).group()
        callees = re.findall(r"call [^@]*@(\w+)", body)
        assert set(callees) == {"rumba_payload", "rumba_through"} and body.count("call ") == len(callees)


def test_a_signature_may_name_values():
    """Calls with these values are served by it, others are not."""
    f = njit([(types.literal(10), types.int64), (types.literal(True), types.int64)])(lambda x, y: (x, y + 1))
    assert f(10, 2) == (10, 3) and f(True, 2) == (True, 3) and f(10, 5) == (10, 6)
    with pytest.raises(TypeError, match="No matching definition"):
        f(11, 2)
    assert f.overloads[(types.literal(10), types.int64)].entry_point(10, 4) == (10, 5)


def test_generators_have_types_in_signatures():
    kind = types.Generator(None, types.int64, (), (), False)

    @njit(types.int64(kind))
    def total(items):
        s = 0
        for item in items:
            s += item
        return s

    @njit
    def squares(n):
        for i in range(n):
            yield i * i

    @njit
    def halves(n):
        for i in range(n):
            yield i / 2

    assert total(squares(4)) == 14
    with pytest.raises(TypeError):
        total(halves(3))


def test_functions_that_are_always_inlined_take_what_callers_pass():
    """Their code is part of the caller, so their signatures hold for calls from Python alone."""
    @njit(int8(int8), inline="always")
    def next_one(x):
        return x + 1

    @njit(float64(float64[::1]), inline="always")
    def first(values):
        return values[0]

    assert njit(lambda x: next_one(x))(1000) == 1001
    assert next_one(127) == -128
    program = njit(lambda values: first(values))
    frozen = np.arange(3)
    frozen.flags.writeable = False
    assert program(frozen) == 0 and program(np.arange(6.0)[::2]) == 0.0
    with pytest.raises(TypeError):
        first(frozen)


def test_a_signature_takes_what_its_value_allows():
    in_columns = njit("f8(f8[::1, :])")(lambda a: a[1, 0])
    assert in_columns(np.arange(3.0)[:, None]) == 1.0
    with pytest.raises(TypeError, match="No matching definition"):
        in_columns(np.zeros((2, 2)))
    assert in_columns(np.arange(4.0).reshape(2, 2).T) == 1.0

    @njit([(types.List(types.int16),)])
    def changed(items):
        items.append(7)
        items[0] = items[1] + items[2]
        return sum(items)

    items = [1, 2, 3]
    assert changed(items) == 17 and items == [5, 2, 3, 7]
    for refused in ([70000, 2, 3], [-40000, 1, 1], [1.5, 2], [1, 2.5]):
        before = list(refused)
        with pytest.raises(TypeError):
            changed(refused)
        assert refused == before


def test_text_becomes_that_of_a_signatures_width():
    narrow = njit([(types.CharSeq(5),)])(lambda text: text)
    wide = njit([(types.UnicodeCharSeq(3),)])(lambda text: text)
    assert [narrow(text) for text in ("abc", "abcdefgh", np.bytes_(b"abcdef"))] == [b"abc", b"abcde", b"abcde"]
    assert [wide(text) for text in ("a", "abcd", "\u20ac")] == ["a", "abc", "\u20ac"]
    for function, refused in [(narrow, "\u00e9"), (narrow, 5), (wide, b"abc")]:
        with pytest.raises(TypeError, match="No matching definition"):
            function(refused)
