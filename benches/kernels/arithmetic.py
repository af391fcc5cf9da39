"""Arithmetic within loops: powers by constants, wrap by modulo, tricks with bits. `CLASSES` says what each is called with.

The functions are plain Python; benches/hand_written.py compiles them with each package.
"""
import numpy as np


def cubes(x, out):
    for i in range(len(x)):
        out[i] = x[i] ** 3


def lennard_jones(r, out):
    for i in range(len(r)):
        s = 1.0 / r[i]
        out[i] = 4.0 * (s ** 12 - s ** 6)


def roots(x, out):
    for i in range(len(x)):
        out[i] = x[i] ** 0.5


def reciprocals(x, out):
    for i in range(len(x)):
        out[i] = x[i] ** -1


def inverse_squares(x, out):
    for i in range(len(x)):
        out[i] = x[i] ** -2


def float_exponent(x, out):
    for i in range(len(x)):
        out[i] = x[i] ** 4.0 + x[i] ** 2.0


def three_halves(x, out):
    for i in range(len(x)):
        out[i] = x[i] ** 1.5


def integer_powers(x, out):
    for i in range(len(x)):
        out[i] = x[i] ** 3 + x[i] ** 5


def complex_squares(z, out):
    for i in range(len(z)):
        out[i] = z[i] ** 2 + z[i] ** 3


def array_cubes(a):
    return a ** 3


def array_fourth(a):
    return a ** 4 - a ** 5


def powers_of_two(x, out):
    for i in range(len(x)):
        out[i] = 2 ** x[i]


def life_wrapped(a, out):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            count = (a[(i - 1) % n, (j - 1) % m] + a[(i - 1) % n, j] + a[(i - 1) % n, (j + 1) % m]
                     + a[i, (j - 1) % m] + a[i, (j + 1) % m]
                     + a[(i + 1) % n, (j - 1) % m] + a[(i + 1) % n, j] + a[(i + 1) % n, (j + 1) % m])
            out[i, j] = 1 if count == 3 or (count == 2 and a[i, j] == 1) else 0


def ising_energy(s):
    n, m = s.shape
    energy = 0
    for i in range(n):
        for j in range(m):
            energy -= s[i, j] * (s[(i + 1) % n, j] + s[i, (j + 1) % m])
    return energy


def ring_laplacian(x, out):
    n = len(x)
    for i in range(n):
        out[i] = x[(i - 1) % n] - 2.0 * x[i] + x[(i + 1) % n]


def rule110(a, out):
    n = a.shape[0]
    for i in range(n):
        p = 4 * a[(i + n - 1) % n] + 2 * a[i] + a[(i + 1) % n]
        out[i] = (110 >> p) & 1


def circular_convolution(x, w, out):
    n, k = len(x), len(w)
    for i in range(n):
        s = 0.0
        for j in range(k):
            s += x[(i + j) % n] * w[j]
        out[i] = s


def rotated(x, shift, out):
    n = x.size
    for i in range(n):
        out[(i + shift) % n] = x[i]


def diffuse_wrapped(a, out):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            out[i, j] = 0.25 * (a[(i + 1) % n, j] + a[(i - 1) % n, j] + a[i, (j + 1) % m] + a[i, (j - 1) % m])


def popcount_shift(x, out):
    for i in range(len(x)):
        v = x[i]
        c = 0
        while v:
            c += v & 1
            v >>= 1
        out[i] = c


def popcount_kernighan(x, out):
    for i in range(len(x)):
        v = x[i]
        c = 0
        while v:
            v &= v - 1
            c += 1
        out[i] = c


def bit_length(x, out):
    for i in range(len(x)):
        v = x[i]
        n = 0
        while v > 0:
            v >>= 1
            n += 1
        out[i] = n


def popcount_for(x, out):
    for i in range(len(x)):
        v = x[i]
        c = 0
        for k in range(64):
            c += (v >> k) & 1
        out[i] = c


def reverse_bits(x, out):
    for i in range(len(x)):
        v = x[i]
        r = 0
        for k in range(16):
            r = (r << 1) | (v & 1)
            v >>= 1
        out[i] = r


def gray_codes(x, out):
    for i in range(len(x)):
        g = x[i]
        b = 0
        while g:
            b ^= g
            g >>= 1
        out[i] = b


def xorshift(n):
    x = np.uint64(88172645463325252)
    s = np.uint64(0)
    for i in range(n):
        x ^= x << np.uint64(13)
        x ^= x >> np.uint64(7)
        x ^= x << np.uint64(17)
        s += x & np.uint64(1)
    return s


def crc32(data):
    crc = np.uint32(0xFFFFFFFF)
    for i in range(len(data)):
        crc = crc ^ np.uint32(data[i])
        for k in range(8):
            if crc & np.uint32(1):
                crc = (crc >> np.uint32(1)) ^ np.uint32(0xEDB88320)
            else:
                crc = crc >> np.uint32(1)
    return crc


def trailing_zeros(x, out):
    for i in range(len(x)):
        v = x[i]
        n = 0
        while v & 1 == 0:
            v >>= 1
            n += 1
        out[i] = n


def _uniform(*shape, seed=1):
    return np.random.default_rng(seed).random(shape) + 0.5


def _whole(n, most=1 << 40, seed=1):
    return np.random.default_rng(seed).integers(1, most, n)


def _floats():
    return _uniform(10000), np.zeros(10000)


def _cells(n, seed=1):
    return np.random.default_rng(seed).integers(0, 2, (n, n))


def _bits():
    return _whole(2000), np.zeros(2000, np.int64)


CLASSES = {
    "powers": {
        cubes: _floats, lennard_jones: _floats, roots: _floats, reciprocals: _floats, inverse_squares: _floats,
        float_exponent: _floats, three_halves: _floats,
        integer_powers: lambda: (_whole(10000, 100), np.zeros(10000, np.int64)),
        complex_squares: lambda: (_uniform(5000) + 1j * _uniform(5000, seed=2), np.zeros(5000, np.complex128)),
        array_cubes: lambda: (_uniform(10000),), array_fourth: lambda: (_uniform(10000),),
        powers_of_two: lambda: (_whole(10000, 30), np.zeros(10000, np.int64)),
    },
    "modulo": {
        life_wrapped: lambda: (_cells(150), _cells(150)),
        ising_energy: lambda: (_cells(200) * 2 - 1,),
        ring_laplacian: _floats,
        rule110: lambda: (_cells(100).ravel(), np.zeros(10000, np.int64)),
        circular_convolution: lambda: (_uniform(4000), _uniform(7), np.zeros(4000)),
        rotated: lambda: (_uniform(10000), 777, np.zeros(10000)),
        diffuse_wrapped: lambda: (_uniform(150, 150), np.zeros((150, 150))),
    },
    "bits": {
        popcount_shift: _bits, popcount_kernighan: _bits, bit_length: _bits, popcount_for: _bits, reverse_bits: _bits,
        gray_codes: _bits, trailing_zeros: _bits, xorshift: lambda: (20000,),
        crc32: lambda: (_whole(4000, 256).astype(np.uint8),),
    },
}
