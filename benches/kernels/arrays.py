"""Twenty-one loops over arrays, as people write them by hand. `KERNELS` says what each is called with.

Each takes the package's `njit`, so that Rumba and Numba compile the same text, and gives the function to call.
arrays.c holds the same. What writes does so to its last argument, and some return a number beside.
"""
import numpy as np


def total(njit):
    """Sum of float64."""

    @njit
    def total(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i]
        return s

    return total


def axpy(njit):
    """y = a x + y."""

    @njit
    def axpy(a, x, y):
        for i in range(len(x)):
            y[i] = a * x[i] + y[i]

    return axpy


def dot32(njit):
    """Dot product of float32, over items."""

    @njit
    def dot32(x, y):
        s = np.float32(0.0)
        for i in range(x.size):
            s += x[i] * y[i]
        return s

    return dot32


def matmul(njit):
    """Product of matrices in three loops."""

    @njit
    def matmul(a, b, c):
        rows, inner = a.shape
        columns = b.shape[1]
        for i in range(rows):
            for k in range(inner):
                factor = a[i, k]
                for j in range(columns):
                    c[i, j] += factor * b[k, j]

    return matmul


def stencil2(njit):
    """Mean of the four neighbours."""

    @njit
    def stencil2(a, out):
        rows, columns = a.shape
        for i in range(1, rows - 1):
            for j in range(1, columns - 1):
                out[i, j] = 0.25 * (a[i - 1, j] + a[i + 1, j] + a[i, j - 1] + a[i, j + 1])

    return stencil2


def stencil3(njit):
    """A step of the heat equation in three dimensions, float32."""

    @njit
    def stencil3(a, out):
        n, m, l = a.shape
        c = np.float32(0.1)
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                for k in range(1, l - 1):
                    around = (a[i - 1, j, k] + a[i + 1, j, k] + a[i, j - 1, k] + a[i, j + 1, k]
                              + a[i, j, k - 1] + a[i, j, k + 1])
                    out[i, j, k] = a[i, j, k] + c * (around - np.float32(6.0) * a[i, j, k])

    return stencil3


def histogram(njit):
    """Counts of numbers in [0, 1) by bin."""

    @njit
    def histogram(x, counts):
        bins = counts.size
        for value in x:
            counts[int(value * bins)] += 1

    return histogram


def masked_sum(njit):
    """Sum of the items that a mask marks."""

    @njit
    def masked_sum(x, mask):
        s = 0.0
        for i in range(len(x)):
            if mask[i]:
                s += x[i]
        return s

    return masked_sum


def gather(njit):
    """out[i] = x[places[i]]."""

    @njit
    def gather(x, places, out):
        for i in range(len(places)):
            out[i] = x[places[i]]

    return gather


def scatter(njit):
    """out[places[i]] += w[i]."""

    @njit
    def scatter(w, places, out):
        for i in range(len(places)):
            out[places[i]] += w[i]

    return scatter


def strided(njit):
    """Sum of squares of every third item, a view."""

    @njit
    def strided(x):
        s = 0.0
        for i in range(x.shape[0]):
            s += x[i] * x[i]
        return s

    return strided


def transposed(njit):
    """out[j, i] = a[i, j]."""

    @njit
    def transposed(a, out):
        for i in range(a.shape[0]):
            for j in range(a.shape[1]):
                out[j, i] = a[i, j]

    return transposed


def running_sum(njit):
    """Sums of all prefixes, int64."""

    @njit
    def running_sum(x, out):
        s = 0
        for i in range(len(x)):
            s += x[i]
            out[i] = s

    return running_sum


def row_maxima(njit):
    """The largest item of each row, float32."""

    @njit
    def row_maxima(a, out):
        for i in range(a.shape[0]):
            best = a[i, 0]
            for j in range(1, a.shape[1]):
                if a[i, j] > best:
                    best = a[i, j]
            out[i] = best

    return row_maxima


def normalize(njit):
    """Rows divided by their Euclidean norms."""

    @njit
    def normalize(a, out):
        for i in range(a.shape[0]):
            s = 0.0
            for j in range(a.shape[1]):
                s += a[i, j] ** 2
            norm = np.sqrt(s)
            for j in range(a.shape[1]):
                out[i, j] = a[i, j] / norm

    return normalize


def threshold(njit):
    """Pixels above a level become 255, others 0."""

    @njit
    def threshold(image, level, out):
        for i in range(image.shape[0]):
            for j in range(image.shape[1]):
                if image[i, j] > level:
                    out[i, j] = 255
                else:
                    out[i, j] = 0

    return threshold


def common(njit):
    """Length of the longest common subsequence, by a table."""

    @njit
    def common(a, b, table):
        for i in range(len(a)):
            for j in range(len(b)):
                if a[i] == b[j]:
                    table[i + 1, j + 1] = table[i, j] + 1
                else:
                    table[i + 1, j + 1] = max(table[i, j + 1], table[i + 1, j])
        return table[len(a), len(b)]

    return common


def sieve(njit):
    """Primes below the length, counted."""

    @njit
    def sieve(composite):
        n = composite.shape[0]
        count = 0
        for i in range(n):
            composite[i] = False
        for i in range(2, n):
            if not composite[i]:
                count += 1
                for j in range(i * i, n, i):
                    composite[j] = True
        return count

    return sieve


def distances(njit):
    """Euclidean distances of all pairs of points."""

    @njit
    def distances(points, out):
        n, d = points.shape
        for i in range(n):
            for j in range(n):
                s = 0.0
                for k in range(d):
                    delta = points[i, k] - points[j, k]
                    s += delta * delta
                out[i, j] = np.sqrt(s)

    return distances


def phases(njit):
    """Sum of z * conj(w) over complex128."""

    @njit
    def phases(z, w):
        s = 0j
        for i in range(len(z)):
            s += z[i] * w[i].conjugate()
        return s.real

    return phases


def records(njit):
    """A step of particles that are records, float32 beside float64."""

    @njit
    def records(particles, dt):
        for i in range(len(particles)):
            p = particles[i]
            p.x += p.vx * dt
            p.y += p.vy * dt
            p.vy -= 9.81 * dt

    return records


PARTICLE = np.dtype([("x", np.float64), ("y", np.float64), ("vx", np.float32), ("vy", np.float32)])


def _particles(count):
    found = np.zeros(count, PARTICLE)
    found["x"], found["vx"] = _uniform(count), _uniform(count)
    return found


def _uniform(*shape, dtype=np.float64):
    return np.random.default_rng(7).random(shape).astype(dtype)


def _places(count, limit):
    return np.random.default_rng(8).integers(0, limit, count)


def _letters(count, seed):
    return np.random.default_rng(seed).integers(65, 69, count).astype(np.uint8)


def _complex(count):
    return _uniform(count) + 1j * _uniform(count)


# How each is made, the arguments that its run time is measured with, and small ones for the first call.
KERNELS = {
    "total": (total, lambda n=1 << 20: (_uniform(n),), lambda: (_uniform(8),)),
    "axpy": (axpy, lambda n=1 << 14: (1e-9, _uniform(n), _uniform(n)), lambda: (2.0, _uniform(8), _uniform(8))),
    "dot32": (dot32, lambda n=1 << 18: (_uniform(n, dtype=np.float32), _uniform(n, dtype=np.float32)),
              lambda: (_uniform(8, dtype=np.float32), _uniform(8, dtype=np.float32))),
    "matmul": (matmul, lambda n=160: (_uniform(n, n), _uniform(n, n), np.zeros((n, n))),
               lambda: (_uniform(3, 3), _uniform(3, 3), np.zeros((3, 3)))),
    "stencil2": (stencil2, lambda n=300: (_uniform(n, n), np.zeros((n, n))),
                 lambda: (_uniform(4, 4), np.zeros((4, 4)))),
    "stencil3": (stencil3, lambda n=50: (_uniform(n, n, n, dtype=np.float32), np.zeros((n, n, n), np.float32)),
                 lambda: (_uniform(4, 4, 4, dtype=np.float32), np.zeros((4, 4, 4), np.float32))),
    "histogram": (histogram, lambda n=1 << 17: (_uniform(n), np.zeros(100, np.int64)),
                  lambda: (_uniform(8), np.zeros(4, np.int64))),
    "masked_sum": (masked_sum, lambda n=1 << 17: (_uniform(n), _uniform(n) < 0.5),
                   lambda: (_uniform(8), _uniform(8) < 0.5)),
    "gather": (gather, lambda n=1 << 17: (_uniform(1 << 14), _places(n, 1 << 14), np.zeros(n)),
               lambda: (_uniform(8), _places(8, 8), np.zeros(8))),
    "scatter": (scatter, lambda n=1 << 17: (_uniform(n), _places(n, 1 << 14), np.zeros(1 << 14)),
                lambda: (_uniform(8), _places(8, 8), np.zeros(8))),
    "strided": (strided, lambda n=1 << 18: (_uniform(3 * n)[::3],), lambda: (_uniform(24)[::3],)),
    "transposed": (transposed, lambda n=256: (_uniform(n, n), np.zeros((n, n))),
                   lambda: (_uniform(3, 3), np.zeros((3, 3)))),
    "running_sum": (running_sum, lambda n=1 << 17: (_places(n, 1000), np.zeros(n, np.int64)),
                    lambda: (_places(8, 8), np.zeros(8, np.int64))),
    "row_maxima": (row_maxima, lambda n=500: (_uniform(n, n, dtype=np.float32), np.zeros(n, np.float32)),
                   lambda: (_uniform(3, 3, dtype=np.float32), np.zeros(3, np.float32))),
    "normalize": (normalize, lambda n=300: (_uniform(n, n), np.zeros((n, n))),
                  lambda: (_uniform(3, 3), np.zeros((3, 3)))),
    "threshold": (threshold, lambda n=1000: (_letters(n * n, 1).reshape(n, n), 66, np.zeros((n, n), np.uint8)),
                  lambda: (_letters(9, 1).reshape(3, 3), 66, np.zeros((3, 3), np.uint8))),
    "common": (common, lambda n=500: (_letters(n, 1), _letters(n, 2), np.zeros((n + 1, n + 1), np.int32)),
               lambda: (_letters(5, 1), _letters(5, 2), np.zeros((6, 6), np.int32))),
    "sieve": (sieve, lambda n=1 << 17: (np.zeros(n, np.bool_),), lambda: (np.zeros(20, np.bool_),)),
    "distances": (distances, lambda n=200: (_uniform(n, 8), np.zeros((n, n))),
                  lambda: (_uniform(4, 3), np.zeros((4, 4)))),
    "records": (records, lambda n=1 << 13: (_particles(n), 1e-9), lambda: (_particles(4), 1e-9)),
    "phases": (phases, lambda n=1 << 17: (_complex(n), _complex(n)), lambda: (_complex(8), _complex(8))),
}
