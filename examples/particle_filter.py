"""A particle filter follows a position that is never seen directly.

    python -m rumba examples/particle_filter.py

The model and its noise are the usual test of such filters.
Source: N. J. Gordon, D. J. Salmond, A. F. M. Smith, "Novel approach to nonlinear/non-Gaussian Bayesian state estimation", 1993.
"""
import math
import time

import numpy as np
from numba import njit

NOISE, SIGHT = math.sqrt(10.0), 1.0


@njit
def move(x, t):
    """Where the state goes from `x` in step `t`, without noise."""
    return 0.5 * x + 25.0 * x / (1.0 + x * x) + 8.0 * math.cos(1.2 * t)


@njit
def resample(particles, weights, start, chosen):
    """Draws particles in proportion to their weights, at even distances along their sum."""
    count = len(particles)
    where, total = 0, weights[0]
    for i in range(count):
        wanted = (start + i) / count
        while total < wanted and where < count - 1:
            where += 1
            total += weights[where]
        chosen[i] = particles[where]


@njit
def follow(seen, noise, starts, particles):
    """What the filter believes after each observation."""
    count = len(particles)
    weights, chosen = np.empty(count), np.empty(count)
    believed = np.empty(len(seen))
    for t in range(len(seen)):
        for i in range(count):
            particles[i] = move(particles[i], t) + NOISE * noise[t, i]
            apart = seen[t] - particles[i] ** 2 / 20.0
            weights[i] = math.exp(-0.5 * (apart / SIGHT) ** 2) + 1e-300
        weights /= weights.sum()
        believed[t] = (weights * particles).sum()
        resample(particles, weights, starts[t], chosen)
        particles[:] = chosen
    return believed


def world(steps, rng):
    """The true states, and what is seen of them."""
    states, seen = np.empty(steps), np.empty(steps)
    state = 0.1
    for t in range(steps):
        state = move.py_func(state, t) + NOISE * rng.normal()
        states[t], seen[t] = state, state ** 2 / 20.0 + SIGHT * rng.normal()
    return states, seen


def main():
    """Follows a state, checks, and says how well."""
    rng = np.random.default_rng(11)
    steps, count = 100, 5_000
    states, seen = world(steps, rng)
    noise, starts, cloud = rng.normal(size=(steps, count)), rng.uniform(size=steps), rng.normal(size=count)

    started = time.perf_counter()
    small = follow(seen[:20], noise[:20, :100].copy(), starts[:20], cloud[:100].copy())
    first = time.perf_counter() - started
    plain = follow.py_func(seen[:20], noise[:20, :100].copy(), starts[:20], cloud[:100].copy())
    assert np.allclose(small, plain, rtol=1e-9)

    started = time.perf_counter()
    believed = follow(seen, noise, starts, cloud.copy())
    run = time.perf_counter() - started
    error, guess = (math.sqrt(np.mean((states - other) ** 2)) for other in (believed, np.zeros(steps)))
    assert error < 0.6 * guess
    print(f"particle filter: {count:,} particles, {steps} steps; error {error:.2f}, without looking {guess:.2f}")
    print(f"first call {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as plain Python on 100 particles")


if __name__ == "__main__":
    main()
