"""Globals, closure cells and defaults that hold NumPy scalars: their types are kept."""
import collections
import functools
import typing

import numpy as np
import pytest
from rumba import errors, njit
from rumba.numba import vectorize
from support import bits

SCALARS = [np.bool_(True), np.int8(-5), np.uint8(250), np.int16(-300), np.uint16(60000), np.int32(-2**31), np.uint32(2**32 - 1),
           np.int64(-2**63), np.uint64(2**64 - 1), np.float32(0.1), np.float64(0.1), np.complex64(0.1 + 2j),
           np.complex128(1 - 2.5j)]


def same(found, scalar):
    assert bits(found) == bits(scalar.item())


@pytest.mark.parametrize("scalar", SCALARS, ids=lambda scalar: type(scalar).__name__)
def test_a_scalar_is_a_constant(scalar):
    space = {"G": scalar, "T": (scalar, (1, scalar))}
    exec("def of_global(): return G\n"
         "def of_tuple(): return T[1][1], T[0]\n"
         "def of_default(a, b=G): return b\n"
         "def outer(c):\n"
         "    def of_cell(): return c\n"
         "    return of_cell\n", space)
    name = "bool" if isinstance(scalar, np.bool_) else type(scalar).__name__
    function = njit(space["of_global"])
    same(function(), scalar)
    assert str(function.nopython_signatures[0].return_type) == name
    cell = njit(space["outer"](scalar))
    same(cell(), scalar)
    assert str(cell.nopython_signatures[0].return_type) == name
    first, second = njit(space["of_tuple"])()
    same(first, scalar)
    same(second, scalar)
    with_default = njit(space["of_default"])
    space["with_default"] = with_default
    exec("def calls(): return with_default(1)", space)
    same(njit(space["calls"])(), scalar)


def test_arithmetic_follows_the_type():
    space = {"S": np.float32(0.1), "U": np.uint64(2**63), "B": np.uint8(200)}
    exec("def f(): return S * S, U + U, B + B, -B", space)
    result = njit(space["f"])
    single, unsigned, small, negative = result()
    assert single == float(np.float32(0.1) * np.float32(0.1))
    assert unsigned == 0 and small == 400
    assert str(result.nopython_signatures[0].return_type) == "Tuple(float32, uint64, uint64, uint64)"


VIEWS = [(np.uint8, np.int8, 200), (np.int8, np.uint8, -1), (np.int32, np.float32, 1065353216), (np.float32, np.uint32, 0.1),
         (np.float64, np.int64, -0.0), (np.uint64, np.float64, 1), (np.int64, np.int64, -7)]


@pytest.mark.parametrize("of, to, value", VIEWS)
def test_view(of, to, value):
    def f(x):
        return of(x).view(to)

    assert bits(njit(f)(value)) == bits(f(value).item())


def test_view_needs_a_numpy_scalar_of_the_same_size():
    def of_another_size(x):
        return np.int32(x).view(np.int64)

    def of_a_literal():
        a = 1
        return a.view(np.int64)

    with pytest.raises(errors.TypingError, match="Changing the dtype of a 0d array is only supported"):
        njit(of_another_size)(1)
    with pytest.raises(errors.TypingError, match=r"try wrapping the variable 'a' with 'np.<dtype>\(\)'"):
        njit(of_a_literal)()


def test_long_tuples_are_refused():
    with pytest.raises(errors.UnsupportedError, match="Tuple 't' length must be smaller than 1000"):
        njit(lambda t: len(t))(tuple(range(1001)))


def test_values_of_different_kinds_are_never_the_same():
    compiled = njit(lambda a, b: (a is b, a is not b))
    values = (True, 2, "a", (1,), [1], {1: 2}, {1}, np.zeros(2))
    for number, a in enumerate(values):
        for b in values[number + 1:]:
            assert compiled(a, b) == compiled(b, a) == (False, True), (a, b)
    # An object may well be both, as a signature says.
    with pytest.raises(errors.TypingError):
        njit("boolean(int64, float64)")(lambda a, b: a is b)


def test_the_ellipsis_crosses():
    compiled = njit(lambda x, y: (x, x is y, x == y, x is ..., x is None))
    assert compiled(..., ...) == (..., True, True, True, False)
    assert njit("boolean(ellipsis, ellipsis)")(lambda x, y: x is y)(..., ...) is True
    with pytest.raises(TypeError):
        njit("boolean(ellipsis, ellipsis)")(lambda x, y: x is y)(..., None)


class Settings(typing.NamedTuple):
    width: int
    scale: float
    name: str = "plain"


Pair = collections.namedtuple("Pair", "first second")
SETTINGS = Settings(3, 0.5)
NESTED = Pair(Pair(np.float32(1.5), None), (SETTINGS, (2, Pair(True, 7))))


def test_named_tuples_are_constants():
    def fields():
        return SETTINGS.width * SETTINGS.scale, SETTINGS.name, SETTINGS[0], len(SETTINGS), SETTINGS

    def nested(x):
        return NESTED.first.first, NESTED.first.second, NESTED.second[0].name, NESTED.second[1][1].second + x
    assert njit(fields)() == fields() and type(njit(fields)()[-1]) is Settings
    assert njit(nested)(2) == nested(2)
    inner = Pair(1, "ab")
    assert njit(lambda: (inner.second, inner))() == ("ab", inner)


def test_fields_of_named_tuples_may_be_left_out():
    class Sized(typing.NamedTuple):
        x: float
        size: int = 3
        name: str = "none"

    made = njit(lambda x: (Sized(x), Sized(x, name="one"), Sized(x, 4)))(1.5)
    assert made == (Sized(1.5), Sized(1.5, name="one"), Sized(1.5, 4))
    assert all(type(one) is Sized for one in made)
    with pytest.raises(errors.TypingError, match="missing a required argument: 'x'"):
        njit(lambda: Sized(size=1))()


def test_partial_objects_of_compiled_functions():
    compiled = njit(lambda a, b=2, c=0: a * 100 + b * 10 + c)
    first, by_name = functools.partial(compiled, 3), functools.partial(compiled, c=7)

    def f(x):
        return first(x), first(x, 4), first(c=x), by_name(x), by_name(x, x)

    assert njit(f)(1) == f(1)
    plain = functools.partial(f, 3)
    with pytest.raises(errors.TypingError):
        njit(lambda: plain())()


def test_functions_with_signatures_keep_the_globals_of_their_decoration():
    space = {"TABLE": np.array([1.0, 2.0]), "K": 2}
    exec("def add(x):\n    return TABLE[0] + K + x + later()", space)
    space["later"] = njit(lambda: 0.5)
    made = []
    for table, number in (([1.0, 2.0], 2), ([10.0], 20)):
        space["TABLE"], space["K"] = np.array(table), number
        made += [njit("float64(float64)")(space["add"]), vectorize(["float64(float64)"])(space["add"])]
    first, of_rows, second, of_other_rows = made

    @njit
    def called(x):
        return first(x), of_rows(x), second(x), of_other_rows(x)

    assert called(1.0) == (4.5, 4.5, 31.5, 31.5)
    assert [function(1.0) for function in made] == [4.5, 4.5, 31.5, 31.5]
    first.recompile()
    assert first(1.0) == 31.5 == njit(lambda: first(1.0))()


def test_a_global_that_is_set_after_the_decoration_is_read():
    space = {"njit": njit}
    exec("@njit('int64(int64)')\ndef down(n):\n    return 0 if n == 0 else n + down(n - 1)", space)
    assert space["down"](4) == 10
    assert njit(space["down"].py_func)(4) == 10
