"""Loops over the rows of arrays: what vectors leave of a row, of every length, and rows that overlap."""
import numpy as np
import pytest

import rumba


def blended(a, b, out):
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = a[i, j] * 3 + b[i, j]


def raised_in_place(a):
    for i in range(1, a.shape[0]):
        for j in range(a.shape[1] - 1):
            if a[i - 1, j] < a[i, j + 1]:
                a[i, j] = a[i - 1, j] + a[i, j + 1]


@pytest.mark.parametrize("dtype", ["float64", "float32", "uint8", "int32"])
def test_rows_of_every_length(dtype):
    compiled = rumba.njit(blended)
    for width in (*range(40), 63, 64, 65, 90, 127):
        # Views of wider arrays, so that writes past the end of a row are detected.
        a, b, out = np.arange(3 * 5 * (width + 3)).reshape(3, 5, width + 3).astype(dtype)
        expected = out.copy()
        expected[:, :width] = a[:, :width] * 3 + b[:, :width]
        compiled(a[:, :width], b[:, :width], out[:, :width])
        assert out.tobytes() == expected.tobytes(), width


@pytest.mark.parametrize("dtype", ["float64", "int32"])
def test_rows_that_read_what_they_write(dtype):
    compiled = rumba.njit(raised_in_place)
    for width in (*range(1, 24), 33):
        found = (np.arange(4 * width) * 7919 % 101).reshape(4, width).astype(dtype)
        expected = found.copy()
        raised_in_place(expected)
        compiled(found)
        assert found.tobytes() == expected.tobytes(), width


def test_rows_of_one_memory():
    compiled = rumba.njit(blended)
    for width, shift in ((5, 1), (13, 2), (22, 3), (37, 4), (40, -1), (41, -3)):
        found, expected = np.arange(400.0), np.arange(400.0)
        for call, memory in ((compiled, found), (blended, expected)):
            a, out = (memory[start:start + 4 * width].reshape(4, width) for start in (10, 10 + shift))
            call(a, a, out)
        assert found.tobytes() == expected.tobytes(), (width, shift)
