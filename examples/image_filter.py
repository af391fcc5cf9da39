"""An image filter that keeps edges: every pixel becomes a mean of the pixels around it that look alike.

    python -m rumba examples/image_filter.py

Source: C. Tomasi, R. Manduchi, "Bilateral filtering for gray and color images", 1998.
"""
import math
import time

import numpy as np
from numba import njit


@njit
def bilateral(image, radius, space, tone):
    """The filtered image; `space` and `tone` say how far apart pixels may lie and look."""
    height, width = image.shape
    result = np.empty_like(image)
    for row in range(height):
        for column in range(width):
            total, weights = 0.0, 0.0
            for i in range(max(0, row - radius), min(height, row + radius + 1)):
                for j in range(max(0, column - radius), min(width, column + radius + 1)):
                    apart = ((i - row) ** 2 + (j - column) ** 2) / (2.0 * space * space)
                    unlike = (image[i, j] - image[row, column]) ** 2 / (2.0 * tone * tone)
                    weight = math.exp(-apart - unlike)
                    total += weight * image[i, j]
                    weights += weight
            result[row, column] = total / weights
    return result


def noisy_disc(size):
    """A bright disc on a dark ground, and the same with noise."""
    y, x = np.mgrid[:size, :size] - size / 2
    clean = np.where(x * x + y * y < (size / 3) ** 2, 0.8, 0.2)
    return clean, clean + np.random.default_rng(2).normal(scale=0.1, size=clean.shape)


def main():
    """Filters a small picture in both ways, then a larger one."""
    _, small = noisy_disc(16)
    started = time.perf_counter()
    filtered = bilateral(small, 2, 1.5, 0.3)
    first = time.perf_counter() - started
    assert np.allclose(filtered, bilateral.py_func(small, 2, 1.5, 0.3), rtol=1e-12)

    clean, image = noisy_disc(256)
    started = time.perf_counter()
    filtered = bilateral(image, 4, 2.5, 0.3)
    run = time.perf_counter() - started
    before, after = (np.sqrt(np.mean((picture - clean) ** 2)) for picture in (image, filtered))
    assert after < before / 2
    print(f"bilateral filter: {image.shape[0]} x {image.shape[1]} pixels; the noise went from {before:.3f} to {after:.3f}")
    print(f"first call {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as plain Python on 16 x 16 pixels")


if __name__ == "__main__":
    main()
