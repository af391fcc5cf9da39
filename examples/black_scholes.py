"""European options after Black and Scholes, and the volatility that a price implies.

    python -m rumba examples/black_scholes.py

Prices a hundred thousand options, then finds the volatilities from the prices again with Newton's method.
Source: F. Black, M. Scholes, "The Pricing of Options and Corporate Liabilities", 1973.
"""
import math
import time

import numpy as np
from numba import njit


@njit
def normal(x):
    """The distribution function of the normal distribution."""
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


@njit
def call_price(spot, strike, years, rate, volatility):
    """What a call is worth, and how fast that grows with the volatility."""
    spread = volatility * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility ** 2) * years) / spread
    price = spot * normal(d1) - strike * math.exp(-rate * years) * normal(d1 - spread)
    vega = spot * math.sqrt(years) * math.exp(-0.5 * d1 * d1) / math.sqrt(2.0 * math.pi)
    return price, vega


@njit
def price_all(spot, strike, years, rate, volatility):
    """The prices of many calls."""
    prices = np.empty_like(spot)
    for i in range(len(spot)):
        prices[i], _ = call_price(spot[i], strike[i], years[i], rate, volatility[i])
    return prices


@njit
def implied(prices, spot, strike, years, rate):
    """The volatilities at which the calls have these prices."""
    found = np.empty_like(prices)
    for i in range(len(prices)):
        guess = 0.5
        for _ in range(50):
            price, vega = call_price(spot[i], strike[i], years[i], rate, guess)
            step = (price - prices[i]) / max(vega, 1e-12)
            guess = min(max(guess - step, 1e-3), 5.0)
            if abs(step) < 1e-12:
                break
        found[i] = guess
    return found


def market(count):
    """Options near the money: spots, strikes, years and volatilities."""
    rng = np.random.default_rng(7)
    spot = rng.uniform(80.0, 120.0, count)
    return spot, spot * rng.uniform(0.8, 1.2, count), rng.uniform(0.2, 2.0, count), rng.uniform(0.1, 0.6, count)


def main():
    """Prices, checks, and goes back."""
    rate = 0.03
    spot, strike, years, volatility = market(100_000)

    started = time.perf_counter()
    price_all(spot[:10], strike[:10], years[:10], rate, volatility[:10])
    implied(spot[:10] / 10, spot[:10], strike[:10], years[:10], rate)
    first = time.perf_counter() - started

    started = time.perf_counter()
    prices = price_all(spot, strike, years, rate, volatility)
    back = implied(prices, spot, strike, years, rate)
    run = time.perf_counter() - started

    for i in range(0, len(spot), 997):
        plain, _ = call_price.py_func(spot[i], strike[i], years[i], rate, volatility[i])
        assert math.isclose(prices[i], plain, rel_tol=1e-12), i
    assert np.abs(back - volatility).max() < 1e-6
    print(f"Black-Scholes: {len(spot):,} calls from {prices.min():.2f} to {prices.max():.2f}; every volatility was found again")
    print(f"first calls {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as plain Python")


if __name__ == "__main__":
    main()
