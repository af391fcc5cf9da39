"""Loops whose bounds are constants, within loops over arrays: windows, neighbours, weights. `CLASSES` says what each is called with.

The functions are plain Python; benches/hand_written.py compiles them with each package.
"""
import numpy as np

WEIGHTS = np.array([[1.0, 2.0, 1.0], [2.0, 4.0, 2.0], [1.0, 2.0, 1.0]]) / 16.0
TAPS = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
NEIGHBOURS = ((-1, 0), (1, 0), (0, -1), (0, 1))
COEFFICIENTS = (0.5, 0.25, 0.125, 0.0625)


def mean3x3(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s = 0.0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    s += a[i + di, j + dj]
            out[i, j] = s / 9.0


def mean5x5(a, out):
    n, m = a.shape
    for i in range(2, n - 2):
        for j in range(2, m - 2):
            s = 0.0
            for di in range(5):
                for dj in range(5):
                    s += a[i + di - 2, j + dj - 2]
            out[i, j] = s * 0.04


def convolve_weights(a, w, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s = 0.0
            for k in range(3):
                for l in range(3):
                    s += w[k, l] * a[i + k - 1, j + l - 1]
            out[i, j] = s


def convolve_global(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s = 0.0
            for k in range(3):
                for l in range(3):
                    s += WEIGHTS[k, l] * a[i + k - 1, j + l - 1]
            out[i, j] = s


def taps_global(x, out):
    for i in range(2, len(x) - 2):
        s = 0.0
        for k in range(5):
            s += TAPS[k] * x[i + k - 2]
        out[i] = s


def over_tuple_of_offsets(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s = 0.0
            for di in (-1, 0, 1):
                for dj in (-1, 0, 1):
                    s += a[i + di, j + dj]
            out[i, j] = s / 9.0


def over_pairs(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            s = -4.0 * a[i, j]
            for di, dj in NEIGHBOURS:
                s += a[i + di, j + dj]
            out[i, j] = s


def polynomial_tuple(x, out):
    for i in range(len(x)):
        s = 0.0
        for c in COEFFICIENTS:
            s = s * x[i] + c
        out[i] = s


def life_clipped(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            count = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if di != 0 or dj != 0:
                        count += a[i + di, j + dj]
            out[i, j] = 1 if count == 3 or (count == 2 and a[i, j] == 1) else 0


def maximum3x3(a, out):
    n, m = a.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            best = a[i, j]
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    if a[i + di, j + dj] > best:
                        best = a[i + di, j + dj]
            out[i, j] = best


def points3(p, q, out):
    for i in range(p.shape[0]):
        s = 0.0
        for k in range(3):
            d = p[i, k] - q[k]
            s += d * d
        out[i] = s ** 0.5


def matrices3x3(a, b, out):
    for n in range(a.shape[0]):
        for i in range(3):
            for j in range(3):
                s = 0.0
                for k in range(3):
                    s += a[n, i, k] * b[n, k, j]
                out[n, i, j] = s


def _uniform(*shape, seed=1):
    return np.random.default_rng(seed).random(shape)


def _cells(n, seed=1):
    return np.random.default_rng(seed).integers(0, 2, (n, n))


def _pair(n):
    return lambda: (_uniform(n, n), np.zeros((n, n)))


CLASSES = {
    "constant bounds": {
        mean3x3: _pair(200),
        mean5x5: _pair(200),
        convolve_weights: lambda: (_uniform(200, 200), WEIGHTS.copy(), np.zeros((200, 200))),
        convolve_global: _pair(200),
        taps_global: lambda: (_uniform(20000), np.zeros(20000)),
        over_tuple_of_offsets: _pair(200),
        over_pairs: _pair(200),
        polynomial_tuple: lambda: (_uniform(20000), np.zeros(20000)),
        life_clipped: lambda: (_cells(200), _cells(200)),
        maximum3x3: _pair(200),
        points3: lambda: (_uniform(10000, 3), _uniform(3), np.zeros(10000)),
        matrices3x3: lambda: (_uniform(2000, 3, 3), _uniform(2000, 3, 3), np.zeros((2000, 3, 3))),
    },
}
