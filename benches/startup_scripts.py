"""Twenty small scripts, as people write them for a first try or a tool: name and source.

Each prints its result. `njit` is imported from the package that is measured, whose name stands for `PACKAGE`.
"""

HEAD = "import numpy as np\nfrom PACKAGE import njit\n\n"

SCRIPTS = {name: HEAD + source for name, source in {
    "add": """
@njit
def add(a, b):
    return a + b

print(add(1, 2))
""",
    "collatz": """
@njit
def collatz(n):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps

print(max(collatz(n) for n in range(1, 2000)))
""",
    "fibonacci": """
@njit
def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)

print(fibonacci(20))
""",
    "mandelbrot": """
@njit
def escape(x, y, limit):
    z = 0j
    for count in range(limit):
        z = z * z + complex(x, y)
        if abs(z) > 2.0:
            return count
    return limit

print(sum(escape(x / 20, y / 20, 50) for x in range(-40, 20) for y in range(-20, 20)))
""",
    "sum_array": """
@njit
def total(values):
    result = 0.0
    for value in values:
        result += value
    return result

print(total(np.arange(1000.0)))
""",
    "mean_and_deviation": """
@njit
def moments(values):
    mean = 0.0
    for i in range(len(values)):
        mean += values[i]
    mean /= len(values)
    square = 0.0
    for i in range(len(values)):
        square += (values[i] - mean) ** 2
    return mean, np.sqrt(square / len(values))

print(moments(np.linspace(0.0, 1.0, 1001)))
""",
    "running_mean": """
@njit
def running_mean(values, width):
    result = np.empty(len(values) - width + 1)
    total = values[:width].sum()
    result[0] = total / width
    for i in range(1, len(result)):
        total += values[i + width - 1] - values[i - 1]
        result[i] = total / width
    return result

print(running_mean(np.arange(100.0), 5)[:3])
""",
    "distances": """
@njit
def distances(points):
    count = len(points)
    result = np.zeros((count, count))
    for i in range(count):
        for j in range(count):
            for d in range(points.shape[1]):
                result[i, j] += (points[i, d] - points[j, d]) ** 2
    return np.sqrt(result)

print(distances(np.arange(30.0).reshape(10, 3)).sum())
""",
    "expression": """
@njit
def gauss(x, mean, width):
    return np.exp(-((x - mean) / width) ** 2) / width

print(gauss(np.linspace(-1.0, 1.0, 101), 0.0, 0.5).max())
""",
    "histogram": """
@njit
def histogram(values, bins):
    counts = np.zeros(bins, np.int64)
    for value in values:
        counts[min(int(value * bins), bins - 1)] += 1
    return counts

print(histogram(np.linspace(0.0, 1.0, 1000), 10))
""",
    "sieve": """
@njit
def primes(limit):
    is_prime = np.ones(limit + 1, np.bool_)
    is_prime[:2] = False
    for n in range(2, int(limit ** 0.5) + 1):
        if is_prime[n]:
            is_prime[n * n::n] = False
    return is_prime.sum()

print(primes(10_000))
""",
    "matrix_product": """
@njit
def product(a, b):
    result = np.zeros((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            for k in range(a.shape[1]):
                result[i, j] += a[i, k] * b[k, j]
    return result

print(product(np.eye(20), np.arange(400.0).reshape(20, 20)).sum())
""",
    "heat": """
@njit
def heat(u, steps):
    for _ in range(steps):
        v = u.copy()
        for i in range(1, len(u) - 1):
            u[i] = v[i] + 0.25 * (v[i - 1] - 2.0 * v[i] + v[i + 1])
    return u

u = np.zeros(100)
u[50] = 1.0
print(heat(u, 200).max())
""",
    "bisection": """
@njit
def root(low, high):
    while high - low > 1e-12:
        middle = 0.5 * (low + high)
        if middle ** 3 - middle - 2.0 > 0.0:
            high = middle
        else:
            low = middle
    return low

print(root(1.0, 2.0))
""",
    "newton": """
@njit
def derivative(f, x):
    return (f(x + 1e-6) - f(x - 1e-6)) / 2e-6

@njit
def f(x):
    return x * x - 2.0

@njit
def newton(x):
    for _ in range(20):
        x -= f(x) / derivative(f, x)
    return x

print(newton(1.0))
""",
    "longest_run": """
@njit
def longest_run(values):
    best, length = 0, 0
    for i in range(len(values)):
        length = length + 1 if i > 0 and values[i] == values[i - 1] else 1
        best = max(best, length)
    return best

print(longest_run(np.array([1, 1, 2, 2, 2, 3])))
""",
    "edit_distance": """
@njit
def distance(a, b):
    row = np.arange(len(b) + 1)
    for i in range(len(a)):
        before, row[0] = row[0], i + 1
        for j in range(len(b)):
            cost = before if a[i] == b[j] else 1 + min(before, row[j], row[j + 1])
            before, row[j + 1] = row[j + 1], cost
    return row[-1]

print(distance(np.array([1, 2, 3, 4]), np.array([1, 3, 4, 5])))
""",
    "lists": """
@njit
def squares(limit):
    result = []
    for n in range(limit):
        if n % 3 == 0:
            result.append(n * n)
    return sum(result)

print(squares(1000))
""",
    "dict": """
@njit
def count(values):
    counts = {}
    for value in values:
        if value in counts:
            counts[value] += 1
        else:
            counts[value] = 1
    return len(counts)

print(count(np.arange(1000) % 37))
""",
    "random_walk": """
@njit
def furthest(steps):
    at, best = 0, 0
    for step in steps:
        at += 1 if step > 0.5 else -1
        best = max(best, abs(at))
    return best

print(furthest(np.random.default_rng(1).random(10_000)))
""",
}.items()}
