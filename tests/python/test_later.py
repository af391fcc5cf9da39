"""What is not there yet says so at use, and what works serially or uncached gives right results."""
import os

import numpy as np
import pytest
import rumba.numba as numba
from rumba import errors, njit, unsupported
from rumba.numba import objmode


def value(x):
    return x + 1


@pytest.mark.parametrize("decorate, what", [(unsupported.cuda_jit, "cuda.jit")])
def test_decorators_that_are_not_there(decorate, what):
    decorated = decorate(value)
    assert decorated.py_func is value and decorated.__name__ == "value"
    with pytest.raises(NotImplementedError, match=f"'value' is decorated with @{what} .*test_later.py:"):
        decorated(1)
    with pytest.raises(errors.TypingError, match=f"'value' is decorated with @{what} .*does not have yet"):
        njit(lambda x: decorated(x))(1)


def test_object_mode():
    with numba.objmode(x="int64"):
        x = 1
    assert x == 1

    @njit
    def f(x):
        with numba.objmode(y="int64"):
            y = open(x)
        return y

    with pytest.raises(NotImplementedError, match="Rumba does not have `objmode` blocks yet"):
        f(1)


def test_object_mode_that_is_not_reached():
    """What is inside is not looked at; the rest compiles."""

    @njit([numba.float64(numba.float64, numba.optional(numba.uint64))])
    def f(x, seed):
        if seed is None:
            for _ in range(3):
                with objmode(seed="optional(uint64)"):
                    seed = int.from_bytes(os.urandom(8), "little")
        with_seed = seed + 1
        return x * with_seed

    assert f(2.0, 4) == 10.0
    with pytest.raises(NotImplementedError, match="this one was reached"):
        f(2.0, None)


def test_debuggers_and_cuda():
    with pytest.raises(NotImplementedError, match="`gdb` yet"):
        numba.gdb()
    assert not numba.cuda.is_available()
    with pytest.raises(NotImplementedError, match="'value' is decorated with @cuda.jit"):
        numba.cuda.jit(value)(1)


def test_parallel_and_cached_functions_give_right_results():
    @njit(parallel=True, cache=True, fastmath={"contract"}, nogil=True, error_model="numpy", boundscheck=True,
          locals={"total": numba.float64}, inline="never")
    def f(a):
        total = 0
        for i in numba.prange(a.shape[0]):
            total += a[i]
        for i in numba.prange(1, a.shape[0], 2):
            total += a[i]
        return total

    a = np.arange(10)
    assert f(a) == a.sum() + a[1::2].sum() and isinstance(f(a), float)
