"""Loops of whole programs: dynamic programming, `while`, steps, defaults, images, long functions. `CLASSES` says what each is called with.

The functions are plain Python; benches/hand_written.py compiles them with each package.
"""
import numpy as np


def edit_distance(a, b, D):
    n, m = len(a), len(b)
    for i in range(n + 1):
        D[i, 0] = i
    for j in range(m + 1):
        D[0, j] = j
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            D[i, j] = min(D[i - 1, j] + 1, D[i, j - 1] + 1, D[i - 1, j - 1] + cost)
    return D[n, m]


def common_subsequence(a, b, D):
    for i in range(1, len(a) + 1):
        for j in range(1, len(b) + 1):
            if a[i - 1] == b[j - 1]:
                D[i, j] = D[i - 1, j - 1] + 1
            else:
                D[i, j] = max(D[i - 1, j], D[i, j - 1])
    return D[len(a), len(b)]


def warping(x, y, D):
    n, m = x.shape[0], y.shape[0]
    for i in range(1, n + 1):
        for j in range(1, m + 1):
            D[i, j] = abs(x[i - 1] - y[j - 1]) + min(D[i - 1, j], D[i, j - 1], D[i - 1, j - 1])
    return D[n, m]


def knapsack(weights, values, best):
    for i in range(len(weights)):
        for w in range(len(best) - 1, weights[i] - 1, -1):
            best[w] = max(best[w], best[w - weights[i]] + values[i])
    return best[-1]


def least_path(a, D):
    n, m = a.shape
    D[0, 0] = a[0, 0]
    for j in range(1, m):
        D[0, j] = D[0, j - 1] + a[0, j]
    for i in range(1, n):
        D[i, 0] = D[i - 1, 0] + a[i, 0]
        for j in range(1, m):
            D[i, j] = a[i, j] + min(D[i - 1, j], D[i, j - 1])
    return D[n - 1, m - 1]


def largest_sum(x):
    best = x[0]
    here = x[0]
    for i in range(1, len(x)):
        here = max(x[i], here + x[i])
        best = max(best, here)
    return best


def floyd_warshall(d):
    n = d.shape[0]
    for k in range(n):
        for i in range(n):
            for j in range(n):
                if d[i, k] + d[k, j] < d[i, j]:
                    d[i, j] = d[i, k] + d[k, j]


def prefix_table(a, S):
    n, m = a.shape
    for i in range(n):
        for j in range(m):
            S[i + 1, j + 1] = a[i, j] + S[i, j + 1] + S[i + 1, j] - S[i, j]


def while_sum(x):
    s = 0.0
    i = 0
    n = len(x)
    while i < n:
        s += x[i]
        i += 1
    return s


def while_axpy(a, x, y):
    i = 0
    while i < x.size:
        y[i] += a * x[i]
        i += 1


def while_merge(a, b, out):
    i = j = k = 0
    while i < len(a) and j < len(b):
        if a[i] <= b[j]:
            out[k] = a[i]
            i += 1
        else:
            out[k] = b[j]
            j += 1
        k += 1
    return k


def while_steps(x, out):
    i = 0
    while i < len(x) - 1:
        out[i] = x[i] + x[i + 1]
        out[i + 1] = x[i] - x[i + 1]
        i += 2


def range_steps(x, step):
    s = 0.0
    for i in range(0, len(x), step):
        s += x[i]
    return s


def searches(x, keys, out):
    for k in range(len(keys)):
        low, high = 0, len(x)
        while low < high:
            mid = (low + high) // 2
            if x[mid] < keys[k]:
                low = mid + 1
            else:
                high = mid
        out[k] = low


def sparse_product(data, indices, indptr, x, y):
    for i in range(len(indptr) - 1):
        s = 0.0
        for k in range(indptr[i], indptr[i + 1]):
            s += data[k] * x[indices[k]]
        y[i] = s


def insertion_sort(source, a):
    for i in range(len(a)):
        a[i] = source[i]
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key


def counting(x, out):
    for i in range(len(x)):
        out[x[i]] += 1


def gray_image(image, out):
    h, w, _ = image.shape
    for i in range(h):
        for j in range(w):
            out[i, j] = 0.299 * image[i, j, 0] + 0.587 * image[i, j, 1] + 0.114 * image[i, j, 2]


def brighten(image, factor, out):
    h, w, c = image.shape
    for i in range(h):
        for j in range(w):
            for k in range(c):
                v = image[i, j, k] * factor
                out[i, j, k] = 255 if v > 255 else v


def invert(image, out):
    h, w = image.shape
    for i in range(h):
        for j in range(w):
            out[i, j] = 255 - image[i, j]


def blend(a, b, out):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            for k in range(3):
                out[i, j, k] = (a[i, j, k] + b[i, j, k]) // 2


def box_blur(image, out):
    h, w = image.shape
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            s = 0
            for di in range(-1, 2):
                for dj in range(-1, 2):
                    s += image[i + di, j + dj]
            out[i, j] = s // 9


def gray_levels(image, counts):
    for i in range(image.shape[0]):
        for j in range(image.shape[1]):
            counts[image[i, j]] += 1


def quantized(x, out):
    for i in range(len(x)):
        out[i] = int(x[i] * 255.0)


def sobel(image, out):
    h, w = image.shape
    for i in range(1, h - 1):
        for j in range(1, w - 1):
            gx = (float(image[i - 1, j + 1]) + 2.0 * image[i, j + 1] + image[i + 1, j + 1]
                  - image[i - 1, j - 1] - 2.0 * image[i, j - 1] - image[i + 1, j - 1])
            gy = (float(image[i + 1, j - 1]) + 2.0 * image[i + 1, j] + image[i + 1, j + 1]
                  - image[i - 1, j - 1] - 2.0 * image[i - 1, j] - image[i - 1, j + 1])
            out[i, j] = min(255.0, (gx * gx + gy * gy) ** 0.5)


def default_power(x, out, p=3):
    for i in range(len(x)):
        out[i] = x[i] ** p


def default_window(x, out, width=5):
    for i in range(len(x) - width):
        s = 0.0
        for k in range(width):
            s += x[i + k]
        out[i] = s / width


def default_step(x, out, step=1):
    for i in range(0, len(x), step):
        out[i] = 2.0 * x[i]


def default_flag(x, out, squared=False, scale=1.0):
    for i in range(len(x)):
        v = x[i] * x[i] if squared else x[i]
        out[i] = v * scale


def default_modulo(x, out, m=16):
    for i in range(len(x)):
        out[i] = x[i] % m


def default_divisor(x, out, d=10):
    for i in range(len(x)):
        out[i] = x[i] // d


def _long_source():
    """A function of many loops, as generated code and grown programs have: each works on its own."""
    lines = ["def many_loops(x, y, out):", "    n = len(x)"]
    for k in range(30):
        lines += ["    for i in range(n):", f"        out[i] = out[i] * 0.5 + x[i] * {k + 1}.0 - y[i] * {k}.5"]
    return "\n".join(lines)


def _long_body_source():
    """One loop with a long body."""
    lines = ["def long_body(x, y, out):", "    for i in range(len(x)):", "        s = x[i]"]
    for k in range(60):
        lines.append(f"        s = s * 0.5 + y[i] * {k + 1}.0 - x[i] * {k}.25")
    return "\n".join([*lines, "        out[i] = s"])


def _long_windows_source():
    """Many windows over a matrix."""
    lines = ["def many_windows(a, out):", "    n, m = a.shape"]
    for k in range(12):
        lines += ["    for i in range(1, n - 1):", "        for j in range(1, m - 1):", "            s = 0.0",
                  "            for di in range(-1, 2):", "                for dj in range(-1, 2):",
                  f"                    s += a[i + di, j + dj] * {k + 1}.0", "            out[i, j] += s"]
    return "\n".join(lines)


def _long_reductions_source():
    """Many statistics of one array."""
    lines = ["def many_statistics(x):", "    t = 0.0"]
    for k in range(25):
        lines += ["    s = 0.0", "    b = -1e9", "    for i in range(len(x)):", f"        d = x[i] - 0.{k + 1}", "        s += d * d",
                  "        if d > b:", "            b = d", "    t += s + b"]
    return "\n".join([*lines, "    return t"])


def _long_integers_source():
    """Many loops over integers."""
    lines = ["def many_integers(x, out):", "    n = x.shape[0]"]
    for k in range(40):
        lines += ["    for i in range(n):", f"        out[i] = (out[i] ^ x[i]) + {k} * x[i]"]
    return "\n".join(lines)


def _long_matrix_source():
    """Steps of a simulation over several fields."""
    lines = ["def many_fields(u, v, p):", "    n, m = u.shape"]
    for k in range(12):
        a, b, c = ("uvp"[(k + shift) % 3] for shift in range(3))
        lines += ["    for i in range(1, n - 1):", "        for j in range(1, m - 1):",
                  f"            {a}[i, j] = {a}[i, j] * 0.9 + 0.01 * ({b}[i, j + 1] - {b}[i, j - 1]) + 0.02 * ({c}[i + 1, j] - {c}[i - 1, j])"]
    return "\n".join(lines)


def _written(source):
    """The function of a source text."""
    import linecache

    name = f"<{source.split('(')[0][4:]}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    namespace = {}
    exec(compile(source, name, "exec"), namespace)
    return next(value for key, value in namespace.items() if not key.startswith("_"))


def _uniform(*shape, seed=1):
    return np.random.default_rng(seed).random(shape)


def _whole(n, most, seed=1):
    return np.random.default_rng(seed).integers(0, most, n)


def _bytes(*shape, seed=1):
    return np.random.default_rng(seed).integers(0, 256, shape).astype(np.uint8)


def _floats():
    return _uniform(10000), np.zeros(10000)


def _sparse(n=2000, per=8):
    return _uniform(n * per), _whole(n * per, n), np.arange(0, n * per + 1, per), _uniform(n), np.zeros(n)


def _table(n):
    return np.zeros((n + 1, n + 1), np.int64)


CLASSES = {
    "dynamic programming": {
        edit_distance: lambda: (_whole(200, 4), _whole(200, 4, 2), _table(200)),
        common_subsequence: lambda: (_whole(200, 4), _whole(200, 4, 2), _table(200)),
        warping: lambda: (_uniform(200), _uniform(200, seed=2), np.zeros((201, 201))),
        knapsack: lambda: (_whole(50, 90), _whole(50, 90, 2), np.zeros(1000, np.int64)),
        least_path: lambda: (_uniform(200, 200), np.zeros((200, 200))),
        largest_sum: lambda: (_uniform(10000) - 0.5,),
        floyd_warshall: lambda: (_uniform(60, 60),),
        prefix_table: lambda: (_uniform(200, 200), np.zeros((201, 201))),
    },
    "while and steps": {
        while_sum: lambda: (_uniform(10000),),
        while_axpy: lambda: (1e-9, *_floats()),
        while_merge: lambda: (np.sort(_uniform(5000)), np.sort(_uniform(5000, seed=2)), np.zeros(10000)),
        while_steps: _floats,
        range_steps: lambda: (_uniform(20000), 2),
        searches: lambda: (np.sort(_uniform(4096)), _uniform(2000, seed=2), np.zeros(2000, np.int64)),
        sparse_product: _sparse,
        insertion_sort: lambda: (_uniform(300), np.zeros(300)),
        counting: lambda: (_whole(10000, 64), np.zeros(64, np.int64)),
    },
    "images": {
        gray_image: lambda: (_bytes(100, 100, 3), np.zeros((100, 100), np.uint8)),
        brighten: lambda: (_bytes(100, 100, 3), 1.3, np.zeros((100, 100, 3), np.uint8)),
        invert: lambda: (_bytes(200, 200), np.zeros((200, 200), np.uint8)),
        blend: lambda: (_bytes(100, 100, 3), _bytes(100, 100, 3, seed=2), np.zeros((100, 100, 3), np.uint8)),
        box_blur: lambda: (_bytes(200, 200), np.zeros((200, 200), np.uint8)),
        gray_levels: lambda: (_bytes(100, 100), np.zeros(256, np.int64)),
        quantized: lambda: (_uniform(10000), np.zeros(10000, np.uint8)),
        sobel: lambda: (_bytes(150, 150), np.zeros((150, 150), np.uint8)),
    },
    "defaults": {
        default_power: _floats, default_window: _floats, default_step: _floats, default_flag: _floats,
        default_modulo: lambda: (_whole(10000, 1 << 40), np.zeros(10000, np.int64)),
        default_divisor: lambda: (_whole(10000, 1 << 40), np.zeros(10000, np.int64)),
    },
    "long functions": {
        _written(_long_source()): lambda: (_uniform(2000), _uniform(2000), np.zeros(2000)),
        _written(_long_body_source()): lambda: (_uniform(2000), _uniform(2000), np.zeros(2000)),
        _written(_long_windows_source()): lambda: (_uniform(60, 60), np.zeros((60, 60))),
        _written(_long_reductions_source()): lambda: (_uniform(1000),),
        _written(_long_integers_source()): lambda: (_whole(2000, 1000), np.zeros(2000, np.int64)),
        _written(_long_matrix_source()): lambda: (_uniform(60, 60), _uniform(60, 60), _uniform(60, 60)),
    },
}
