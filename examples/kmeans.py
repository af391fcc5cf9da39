"""k-means: points are grouped around centers that move to the middle of their group.

    python -m rumba examples/kmeans.py

Source: S. P. Lloyd, "Least squares quantization in PCM", 1982.
"""
import time

import numpy as np
from numba import njit


@njit
def nearest(point, centers):
    """The number of the center that is nearest to a point, and the square of the distance."""
    best, least = 0, np.inf
    for k in range(len(centers)):
        square = 0.0
        for d in range(len(point)):
            square += (point[d] - centers[k, d]) ** 2
        if square < least:
            best, least = k, square
    return best, least


@njit
def kmeans(points, centers, most_rounds):
    """Moves the centers until no point changes its group; groups, the sum of squares, rounds."""
    group = np.full(len(points), -1)
    count = np.zeros(len(centers))
    for done in range(1, most_rounds + 1):
        changed, squares = 0, 0.0
        sums = np.zeros_like(centers)
        count[:] = 0
        for i in range(len(points)):
            k, square = nearest(points[i], centers)
            changed += k != group[i]
            group[i] = k
            squares += square
            sums[k] += points[i]
            count[k] += 1
        if changed == 0:
            break
        for k in range(len(centers)):
            if count[k] > 0:
                centers[k] = sums[k] / count[k]
    return group, squares, done


def clouds(count):
    """Points around five places, and these places."""
    rng = np.random.default_rng(3)
    places = np.array([[0, 0, 0], [4, 0, 1], [0, 5, -1], [4, 4, 4], [-4, 2, 2]], dtype=np.float64)
    return places[rng.integers(0, len(places), count)] + rng.normal(scale=0.6, size=(count, 3)), places


def main():
    """Groups points, checks, and says where the centers are."""
    points, places = clouds(200_000)
    start = places + 0.8

    started = time.perf_counter()
    small = kmeans(points[:300], start.copy(), 100)
    first = time.perf_counter() - started
    plain = kmeans.py_func(points[:300], start.copy(), 100)
    assert (small[0] == plain[0]).all() and np.isclose(small[1], plain[1]) and small[2] == plain[2]

    centers = start.copy()
    started = time.perf_counter()
    group, squares, rounds = kmeans(points, centers, 100)
    run = time.perf_counter() - started
    assert np.abs(centers - places).max() < 0.05
    for k in range(len(centers)):
        assert np.allclose(points[group == k].mean(axis=0), centers[k])
    print(f"k-means: {len(points):,} points, {len(centers)} groups, {rounds} rounds; "
          f"mean distance to a center {np.sqrt(squares / len(points)):.3f}")
    print(f"first call {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as plain Python on 300 points")


if __name__ == "__main__":
    main()
