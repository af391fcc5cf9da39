"""What is not there yet says so at use, and what works serially or uncached gives right results."""

import numpy as np
import pytest
import rumba.numba as numba
from rumba import errors, njit
from rumba.compat import unsupported


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


def test_cuda():
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


def test_cuda_says_that_there_is_no_driver():
    from rumba import numba
    from rumba.numba.cuda.cudadrv.driver import _raise_driver_not_found

    assert issubclass(numba.cuda.cudadrv.error.CudaSupportError, ImportError)
    for ask in (lambda: numba.cuda.cudadrv.devices.gpus.current, lambda: len(numba.cuda.cudadrv.devices.gpus),
                numba.cuda.cudadrv.devices.get_context, _raise_driver_not_found):
        with pytest.raises(numba.cuda.cudadrv.error.CudaSupportError, match="driver library cannot be found"):
            ask()
