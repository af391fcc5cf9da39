"""Types that the user declares for names: `locals={"x": int32}`."""
import numpy as np
import pytest
from rumba import errors, jit, njit
from rumba.types import float32, float64, int8, int32, int64, uint8
from rumba.types import Optional as optional


def test_every_store_converts():
    @njit(locals={"x": int32, "y": float32, "absent": int8})
    def f(n):
        x = n
        y = 0.1
        for i in range(3):
            x = x * 2 + i
            y += i
        return x, y

    x, y = f(2**31 - 1)
    # Each product is computed in 64 bits and stored in 32.
    expected = 2**31 - 1
    for i in range(3):
        expected = (expected * 2 + i + 2**31) % 2**32 - 2**31
    assert x == expected
    assert y == float(np.float32(np.float32(np.float32(0.1) + np.float32(1)) + np.float32(2)))
    assert str(f.nopython_signatures[0].return_type) == "Tuple(int32, float32)"


def test_parameters_are_names_too():
    @njit(locals={"n": int8})
    def f(n):
        return n

    assert f(300) == 44
    assert str(f.nopython_signatures[0]) == "(int64,) -> int8"


def test_targets_of_loops_unpacking_and_walrus():
    @njit(locals={"i": uint8, "a": float64, "w": int8})
    def f(t):
        total = 0
        for i in range(250, 260):
            total += i
        a, b = t
        # The value of `:=` is that of its right side, as it is.
        if (w := t[1] + 200) > 200 and w < 0:
            total += 1000
        return total, a, b, w

    assert f((1, 2)) == (sum(range(250, 256)) + sum(range(4)) + 1000, 1.0, 2, -54)
    assert type(f((1, 2))[1]) is float


def test_a_join_has_the_declared_type():
    @njit(locals={"x": float64})
    def f(flag):
        if flag:
            x = 1
        else:
            x = 2.5
        return x

    assert f(True) == 1.0 and type(f(True)) is float
    assert f(False) == 2.5


def test_none_and_a_number():
    @njit(locals={"x": optional(int64)})
    def f(n):
        x = None
        if n > 0:
            x = n
        return x

    assert f(3) == 3 and f(0) is None


def test_callees_keep_their_own():
    @njit(locals={"x": int8})
    def narrow(n):
        x = n + 1
        return x

    @njit(locals={"x": int64})
    def wide(n):
        x = narrow(n)
        return x + n

    assert wide(127) == -1
    assert narrow(127) == -128


def test_in_a_signature_and_unbound():
    @jit("int64(int64)", locals={"x": int32}, nopython=True)
    def f(n):
        if n:
            x = n
        return x

    assert f(2**32 + 5) == 5
    with pytest.raises(UnboundLocalError):
        f(0)


def test_what_does_not_convert_is_told():
    @njit(locals={"x": int32})
    def f(z):
        x = z * 1j
        return x

    with pytest.raises(errors.TypingError, match="No conversion from complex128 to int32 for 'x'"):
        f(1)


def test_what_is_no_type_is_told():
    @njit(locals={"x": 5})
    def f(z):
        x = z
        return x

    with pytest.raises(TypeError, match="expected a type, got 5"):
        f(1)
