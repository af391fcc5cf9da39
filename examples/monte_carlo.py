"""Monte Carlo: the price of an Asian option, whose payment depends on the mean of the price over a year.

    python -m rumba examples/monte_carlo.py

Each path is used twice, with its random numbers and with their opposites, which makes the error smaller. The option
on the geometric mean has a formula, which checks the paths.
Source of the formula: A. G. Z. Kemna, A. C. F. Vorst, "A pricing method for options based on average asset values", 1990.
"""
import math
import time

import numpy as np
from numba import njit

SPOT, STRIKE, RATE, VOLATILITY = 100.0, 100.0, 0.05, 0.3


@njit
def path_means(numbers, sign):
    """The arithmetic and the geometric mean of the prices along a path."""
    days = len(numbers)
    drift = (RATE - 0.5 * VOLATILITY ** 2) / days
    spread = VOLATILITY / math.sqrt(days)
    level, prices, logs = 0.0, 0.0, 0.0
    for number in numbers:
        level += drift + sign * spread * number
        prices += math.exp(level)
        logs += level
    return SPOT * prices / days, SPOT * math.exp(logs / days)


@njit
def price(seed, count, days):
    """The prices of both options and the standard error of the first."""
    np.random.seed(seed)
    total, squares, geometric = 0.0, 0.0, 0.0
    for _ in range(count):
        path = np.random.standard_normal(days)
        one, one_geometric = path_means(path, 1.0)
        other, other_geometric = path_means(path, -1.0)
        paid = 0.5 * (max(one - STRIKE, 0.0) + max(other - STRIKE, 0.0))
        total += paid
        squares += paid * paid
        geometric += 0.5 * (max(one_geometric - STRIKE, 0.0) + max(other_geometric - STRIKE, 0.0))
    discount = math.exp(-RATE)
    mean = total / count
    return discount * mean, discount * geometric / count, discount * math.sqrt((squares / count - mean * mean) / count)


def geometric_price(days):
    """The option on the geometric mean in closed form."""
    variance = VOLATILITY ** 2 * (days + 1) * (2 * days + 1) / (6 * days ** 2)
    mean = (RATE - 0.5 * VOLATILITY ** 2) * (days + 1) / (2 * days) + 0.5 * variance
    d1 = (math.log(SPOT / STRIKE) + mean + 0.5 * variance) / math.sqrt(variance)

    def normal(x):
        return 0.5 * math.erfc(-x / math.sqrt(2.0))

    return math.exp(-RATE) * (SPOT * math.exp(mean) * normal(d1) - STRIKE * normal(d1 - math.sqrt(variance)))


def main():
    """Prices with few paths in both ways, then with many."""
    days = 50
    started = time.perf_counter()
    small = price(9, 100, days)
    first = time.perf_counter() - started
    # The random numbers of compiled code are those of NumPy.
    assert np.allclose(small, price.py_func(9, 100, days), rtol=1e-12)

    started = time.perf_counter()
    asian, geometric, error = price(9, 40_000, days)
    run = time.perf_counter() - started
    exact = geometric_price(days)
    assert abs(geometric - exact) < 4 * error
    print(f"Monte Carlo: an Asian option costs {asian:.3f} +- {error:.3f}; "
          f"the geometric one {geometric:.3f}, by the formula {exact:.3f}")
    print(f"first call {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as plain Python on 100 paths")


if __name__ == "__main__":
    main()
