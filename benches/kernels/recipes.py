"""Loops as they stand in recipes and scripts: numerical methods, images, text, graphs, simulations, statistics. `CLASSES` says what each is called with.

The functions are plain Python; benches/hand_written.py compiles them with each package.
"""
import math

import numpy as np


def simpson(n):
    h = 1.0 / n
    s = 0.0
    for i in range(n + 1):
        x = i * h
        f = math.sqrt(1.0 + x * x)
        if i == 0 or i == n:
            s += f
        elif i % 2 == 1:
            s += 4.0 * f
        else:
            s += 2.0 * f
    return s * h / 3.0


def newton_roots(a, out):
    for i in range(len(a)):
        x = a[i]
        for _ in range(20):
            next_x = 0.5 * (x + a[i] / x)
            if abs(next_x - x) < 1e-12:
                break
            x = next_x
        out[i] = x


def tridiagonal(a, b, c, d, x):
    n = len(d)
    cp = np.empty(n)
    dp = np.empty(n)
    cp[0] = c[0] / b[0]
    dp[0] = d[0] / b[0]
    for i in range(1, n):
        m = b[i] - a[i] * cp[i - 1]
        cp[i] = c[i] / m
        dp[i] = (d[i] - a[i] * dp[i - 1]) / m
    x[-1] = dp[-1]
    for i in range(n - 2, -1, -1):
        x[i] = dp[i] - cp[i] * x[i + 1]


def gaussian_elimination(a, b):
    n = a.shape[0]
    for k in range(n):
        for i in range(k + 1, n):
            f = a[i, k] / a[k, k]
            for j in range(k, n):
                a[i, j] -= f * a[k, j]
            b[i] -= f * b[k]
    for i in range(n):
        for j in range(n):
            a[i, j] = (i + 1) * (j == i) + 1.0 / (i + j + 1)


def runge_kutta(steps):
    x, v, t, h = 1.0, 0.0, 0.0, 0.01
    for _ in range(steps):
        k1x, k1v = v, -x
        k2x, k2v = v + 0.5 * h * k1v, -(x + 0.5 * h * k1x)
        k3x, k3v = v + 0.5 * h * k2v, -(x + 0.5 * h * k2x)
        k4x, k4v = v + h * k3v, -(x + h * k3x)
        x += h / 6.0 * (k1x + 2 * k2x + 2 * k3x + k4x)
        v += h / 6.0 * (k1v + 2 * k2v + 2 * k3v + k4v)
        t += h
    return x, v, t


def nbody_forces(pos, mass, acc):
    n = pos.shape[0]
    for i in range(n):
        ax = ay = az = 0.0
        for j in range(n):
            if i != j:
                dx = pos[j, 0] - pos[i, 0]
                dy = pos[j, 1] - pos[i, 1]
                dz = pos[j, 2] - pos[i, 2]
                r2 = dx * dx + dy * dy + dz * dz + 1e-9
                inv = mass[j] / (r2 * math.sqrt(r2))
                ax += dx * inv
                ay += dy * inv
                az += dz * inv
        acc[i, 0] = ax
        acc[i, 1] = ay
        acc[i, 2] = az


def distances(p, q, out):
    for i in range(p.shape[0]):
        out[i] = math.sqrt((p[i, 0] - q[i, 0]) ** 2 + (p[i, 1] - q[i, 1]) ** 2)


def z_scores(x, mean, deviation, out):
    for i in range(len(x)):
        out[i] = (x[i] - mean[i]) / deviation[i]


def haversine(lat, lon, out):
    for i in range(len(lat) - 1):
        dlat = lat[i + 1] - lat[i]
        dlon = lon[i + 1] - lon[i]
        a = math.sin(dlat / 2) ** 2 + math.cos(lat[i]) * math.cos(lat[i + 1]) * math.sin(dlon / 2) ** 2
        out[i] = 2 * 6371.0 * math.asin(math.sqrt(a))


def threshold(image, level, out):
    h, w = image.shape
    for y in range(h):
        for x in range(w):
            if image[y, x] > level:
                out[y, x] = 255
            else:
                out[y, x] = 0


def median3(image, out):
    h, w = image.shape
    for y in range(1, h - 1):
        for x in range(1, w - 1):
            a, b, c = image[y, x - 1], image[y, x], image[y, x + 1]
            out[y, x] = max(min(a, b), min(max(a, b), c))


def bilinear(image, scale, out):
    h, w = out.shape
    for y in range(h):
        for x in range(w):
            sy, sx = y * scale, x * scale
            y0, x0 = int(sy), int(sx)
            fy, fx = sy - y0, sx - x0
            out[y, x] = ((1 - fy) * (1 - fx) * image[y0, x0] + (1 - fy) * fx * image[y0, x0 + 1]
                         + fy * (1 - fx) * image[y0 + 1, x0] + fy * fx * image[y0 + 1, x0 + 1])


def float32_contrast(image, out):
    h, w = image.shape
    for y in range(h):
        for x in range(w):
            out[y, x] = (image[y, x] - np.float32(0.5)) * np.float32(1.5) + np.float32(0.5)


def flipped(image, out):
    h, w = image.shape
    for y in range(h):
        for x in range(w):
            out[y, x] = image[h - 1 - y, w - 1 - x]


def count_lines(data):
    lines = 0
    words = 0
    inside = False
    for b in data:
        if b == 10:
            lines += 1
        if b == 32 or b == 10:
            inside = False
        elif not inside:
            inside = True
            words += 1
    return lines, words


def parse_integers(data, out):
    k = 0
    value = 0
    for i in range(len(data)):
        b = data[i]
        if 48 <= b <= 57:
            value = value * 10 + (b - 48)
        else:
            out[k] = value
            k += 1
            value = 0
    return k


def find_first(x, wanted):
    for i in range(len(x)):
        if x[i] == wanted:
            return i
    return -1


def breadth_first(indptr, indices, start, distance):
    n = len(indptr) - 1
    for i in range(n):
        distance[i] = -1
    queue = np.empty(n, np.int64)
    queue[0] = start
    distance[start] = 0
    head, tail = 0, 1
    while head < tail:
        v = queue[head]
        head += 1
        for k in range(indptr[v], indptr[v + 1]):
            w = indices[k]
            if distance[w] < 0:
                distance[w] = distance[v] + 1
                queue[tail] = w
                tail += 1
    return tail


def page_rank(indptr, indices, rank, out):
    n = len(indptr) - 1
    for i in range(n):
        out[i] = 0.15 / n
    for v in range(n):
        degree = indptr[v + 1] - indptr[v]
        share = 0.85 * rank[v] / degree
        for k in range(indptr[v], indptr[v + 1]):
            out[indices[k]] += share


def union_find(a, b, parent):
    for i in range(len(parent)):
        parent[i] = i
    for k in range(len(a)):
        x, y = a[k], b[k]
        while parent[x] != x:
            parent[x] = parent[parent[x]]
            x = parent[x]
        while parent[y] != y:
            parent[y] = parent[parent[y]]
            y = parent[y]
        if x != y:
            parent[x] = y


def coin_change(coins, ways):
    ways[:] = 0
    ways[0] = 1
    for c in coins:
        for v in range(c, len(ways)):
            ways[v] += ways[v - c]
    return ways[-1]


def sieve(flags):
    n = len(flags)
    for i in range(n):
        flags[i] = True
    i = 2
    while i * i < n:
        if flags[i]:
            for j in range(i * i, n, i):
                flags[j] = False
        i += 1


def mandelbrot_row(cs, out):
    for i in range(len(cs)):
        z = 0j
        n = 0
        while n < 50 and z.real * z.real + z.imag * z.imag <= 4.0:
            z = z * z + cs[i]
            n += 1
        out[i] = n


def complex_gain(z, out):
    for i in range(len(z)):
        out[i] = z[i] * (0.5 + 0.5j) + z[i].conjugate()


def moving_average(x, k, out):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        if i >= k:
            s -= x[i - k]
        out[i] = s / k


def exponential_smoothing(x, alpha, out):
    out[0] = x[0]
    for i in range(1, len(x)):
        out[i] = alpha * x[i] + (1.0 - alpha) * out[i - 1]


def welford(x):
    mean, m2, n = 0.0, 0.0, 0
    for v in x:
        n += 1
        d = v - mean
        mean += d / n
        m2 += d * (v - mean)
    return mean, m2 / (n - 1)


def histogram(x, low, high, counts):
    n = len(counts)
    for i in range(len(x)):
        k = int((x[i] - low) / (high - low) * n)
        if 0 <= k < n:
            counts[k] += 1


def weighted_means(records, sums, weights):
    for i in range(len(records)):
        r = records[i]
        sums[r.group] += r.value * r.weight
        weights[r.group] += r.weight


def body_mass(weight, height, out):
    for i in range(len(weight)):
        out[i] = weight[i] / (height[i] * height[i])


def random_walk_bounds(steps, low, high, out):
    position = 0.0
    for i in range(len(steps)):
        position = min(high, max(low, position + steps[i]))
        out[i] = position


def volumes(a, out):
    n, m, p = a.shape
    for i in range(n):
        for j in range(m):
            for k in range(p):
                out[i, j, k] = 0.5 * (a[i, j, k] + a[i, j, -1 - k])


def late_days(dates, day):
    late = 0
    for i in range(1, len(dates)):
        if dates[i] - dates[i - 1] > day:
            late += 1
    return late


def normalized_rows(a):
    for i in range(a.shape[0]):
        s = 0.0
        for j in range(a.shape[1]):
            s += a[i, j]
        for j in range(a.shape[1]):
            a[i, j] /= s


def _rng(seed=1):
    return np.random.default_rng(seed)


def _uniform(*shape, seed=1):
    return _rng(seed).random(shape) + 0.5


def _bytes(*shape):
    return _rng().integers(0, 256, shape).astype(np.uint8)


def _text():
    return np.frombuffer(b"12 345 7 the quick brown fox\n" * 300, np.uint8).copy()


def _graph(n=2000, per=4):
    return np.arange(0, n * per + 1, per), _rng().integers(0, n, n * per)


def _diagonals(n=2000):
    return _uniform(n), _uniform(n, seed=2) + 4.0, _uniform(n, seed=3), _uniform(n, seed=4), np.zeros(n)


def _records(n=3000):
    records = np.zeros(n, [("group", np.int64), ("value", np.float64), ("weight", np.float64)])
    records["group"], records["value"], records["weight"] = _rng().integers(0, 20, n), _uniform(n), _uniform(n, seed=2)
    return records, np.zeros(20), np.zeros(20)


def _dates(n=5000):
    return np.datetime64("2020-01-01") + np.cumsum(_rng().integers(0, 9, n)).astype("m8[D]"), np.timedelta64(3, "D")


CLASSES = {
    "recipes": {
        simpson: lambda: (10000,),
        newton_roots: lambda: (_uniform(1000), np.zeros(1000)),
        tridiagonal: _diagonals,
        gaussian_elimination: lambda: (_uniform(50, 50) + 9 * np.eye(50), _uniform(50)),
        runge_kutta: lambda: (2000,),
        nbody_forces: lambda: (_uniform(120, 3), _uniform(120), np.zeros((120, 3))),
        distances: lambda: (_uniform(5000, 2), _uniform(5000, 2, seed=2), np.zeros(5000)),
        z_scores: lambda: (_uniform(8000), _uniform(8000, seed=2), _uniform(8000, seed=3), np.zeros(8000)),
        haversine: lambda: (_uniform(2000), _uniform(2000, seed=2), np.zeros(2000)),
        body_mass: lambda: (_uniform(8000), _uniform(8000, seed=2), np.zeros(8000)),
    },
    "pictures": {
        threshold: lambda: (_bytes(200, 200), 128, np.zeros((200, 200), np.uint8)),
        median3: lambda: (_bytes(200, 200), np.zeros((200, 200), np.uint8)),
        bilinear: lambda: (_uniform(64, 64), 0.49, np.zeros((120, 120))),
        float32_contrast: lambda: (_uniform(200, 200).astype(np.float32), np.zeros((200, 200), np.float32)),
        flipped: lambda: (_uniform(200, 200), np.zeros((200, 200))),
        volumes: lambda: (_uniform(20, 20, 50), np.zeros((20, 20, 50))),
    },
    "bytes and graphs": {
        count_lines: lambda: (_text(),),
        parse_integers: lambda: (_text(), np.zeros(9000, np.int64)),
        find_first: lambda: (np.arange(20000), 19990),
        breadth_first: lambda: (*_graph(), 0, np.zeros(2000, np.int64)),
        page_rank: lambda: (*_graph(), _uniform(2000), np.zeros(2000)),
        union_find: lambda: (_rng().integers(0, 3000, 3000), _rng(2).integers(0, 3000, 3000), np.zeros(3000, np.int64)),
        coin_change: lambda: (np.array([1, 2, 5, 10, 20, 50]), np.zeros(5000, np.int64)),
        sieve: lambda: (np.zeros(20000, np.bool_),),
    },
    "series": {
        mandelbrot_row: lambda: (np.linspace(-2, 0.5, 1000) + 0.3j, np.zeros(1000, np.int64)),
        complex_gain: lambda: (_uniform(5000) + 1j * _uniform(5000, seed=2), np.zeros(5000, np.complex128)),
        moving_average: lambda: (_uniform(8000), 20, np.zeros(8000)),
        exponential_smoothing: lambda: (_uniform(8000), 0.1, np.zeros(8000)),
        welford: lambda: (_uniform(5000),),
        histogram: lambda: (_uniform(8000), 0.5, 1.5, np.zeros(50, np.int64)),
        weighted_means: _records,
        random_walk_bounds: lambda: (_uniform(8000) - 1.0, -5.0, 5.0, np.zeros(8000)),
        late_days: _dates,
        normalized_rows: lambda: (_uniform(100, 100),),
    },
}
