"""`scipy.fft` in compiled code, against SciPy."""
import itertools

import numpy as np
import pytest
import scipy.fft
from leaks import nothing_leaks  # noqa: F401
from rumba import errors, njit

RNG = np.random.default_rng(3)
REAL, COMPLEX = RNG.random((4, 6)), RNG.random((4, 6)) + 1j * RNG.random((4, 6))


def agrees(function, *args):
    found, expected = njit(function)(*args), function(*args)
    assert found.dtype == expected.dtype and found.shape == expected.shape
    # SciPy and NumPy add up in different orders: the bound is some units in the last place of sums of up to 42 terms.
    tolerance = 1e-5 if expected.dtype.itemsize <= 4 << (expected.dtype.kind == "c") else 1e-12
    np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", ["fft", "ifft", "rfft", "irfft", "hfft", "ihfft"])
@pytest.mark.parametrize("dtype", ["f4", "f8", "c8", "c16", "i8"])
def test_one_axis(name, dtype):
    if name in ("rfft", "ihfft") and dtype[0] == "c":
        return
    transform = getattr(scipy.fft, name)
    x = (COMPLEX if dtype[0] == "c" else REAL * 9).astype(dtype)
    for n, axis in itertools.product((None, 4, 7), (0, -1)):
        agrees(lambda x: transform(x, n, axis), x)
    agrees(lambda x: transform(x, norm="ortho"), x[0])
    agrees(lambda x: transform(x, axis=0, norm="forward", overwrite_x=False, workers=1), x[:, ::2])


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn"])
def test_several_axes(name):
    transform = getattr(scipy.fft, name)
    x = REAL if name.startswith("r") else COMPLEX
    agrees(lambda x: transform(x), x)
    agrees(lambda x: transform(x, (3, 5)), x)
    agrees(lambda x: transform(x, axes=(1, 0), norm="ortho"), x)


def test_helpers():
    for n in (1, 4, 7):
        agrees(lambda n: scipy.fft.fftfreq(n, 0.5), n)
        agrees(lambda n: scipy.fft.rfftfreq(n), n)
    agrees(lambda x: scipy.fft.fftshift(x), REAL)
    agrees(lambda x: scipy.fft.ifftshift(x, 0), REAL)


def test_what_is_refused():
    with pytest.raises(ValueError, match="data points"):
        njit(lambda x: scipy.fft.fft(x, 0))(REAL[0])
    with pytest.raises(errors.TypingError, match="dct"):
        njit(lambda x: scipy.fft.dct(x))(REAL[0])


def test_lists_and_tuples_are_transformed():
    @njit
    def transforms():
        return scipy.fft.fft([1.0, 2.0, 4.0]), scipy.fft.rfft((1, 2, 3, 5)), scipy.fft.fftshift([1, 2, 3])

    # SciPy has loops of its own.
    for got, expected in zip(transforms(), transforms.py_func()):
        np.testing.assert_allclose(got, expected, rtol=1e-14)
