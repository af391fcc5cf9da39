"""The gravitational N-body problem: two star clusters that pass through each other, and a picture of their paths.

    python -m rumba examples/nbody.py [--stars 160 --steps 400] [--out examples/out/nbody.png]

Leapfrog integration keeps the energy; how much it drifts is printed. The same steps in NumPy, where every star meets
every other in whole-array operations, check the positions after a few steps.
"""
import argparse
import struct
import time
import zlib
from pathlib import Path

import numpy as np
from numba import njit

SOFTENING = 0.05


@njit
def accelerate(position, mass, acceleration):
    """The pull of all stars on each; Newton's law, softened at close range."""
    count = len(mass)
    acceleration[:] = 0.0
    for i in range(count):
        for j in range(i + 1, count):
            dx = position[j, 0] - position[i, 0]
            dy = position[j, 1] - position[i, 1]
            square = dx * dx + dy * dy + SOFTENING * SOFTENING
            pull = 1.0 / (square * np.sqrt(square))
            acceleration[i, 0] += mass[j] * pull * dx
            acceleration[i, 1] += mass[j] * pull * dy
            acceleration[j, 0] -= mass[i] * pull * dx
            acceleration[j, 1] -= mass[i] * pull * dy


@njit
def energy(position, velocity, mass):
    """Kinetic and potential energy together."""
    total = 0.0
    for i in range(len(mass)):
        total += 0.5 * mass[i] * (velocity[i] ** 2).sum()
        for j in range(i + 1, len(mass)):
            dx, dy = position[j] - position[i]
            total -= mass[i] * mass[j] / np.sqrt(dx * dx + dy * dy + SOFTENING * SOFTENING)
    return total


@njit
def simulate(position, velocity, mass, step, steps, picture, scale):
    """Moves the stars and counts in `picture` where they have been."""
    acceleration = np.empty_like(position)
    accelerate(position, mass, acceleration)
    height, width = picture.shape
    for _ in range(steps):
        velocity += 0.5 * step * acceleration
        position += step * velocity
        accelerate(position, mass, acceleration)
        velocity += 0.5 * step * acceleration
        for x, y in position:
            row, column = int(height / 2 - scale * y), int(width / 2 + scale * x)
            if 0 <= row < height and 0 <= column < width:
                picture[row, column] += 1


def simulate_with_numpy(position, velocity, mass, step, steps):
    """The same steps over whole arrays."""
    def pull():
        apart = position[None, :, :] - position[:, None, :]
        square = (apart ** 2).sum(axis=2) + SOFTENING ** 2
        return (mass[None, :, None] * apart / (square ** 1.5)[:, :, None]).sum(axis=1)

    acceleration = pull()
    for _ in range(steps):
        velocity += 0.5 * step * acceleration
        position += step * velocity
        acceleration = pull()
        velocity += 0.5 * step * acceleration


def clusters(stars):
    """Two round clusters that fly towards each other, a little beside."""
    rng = np.random.default_rng(1)
    half = stars // 2
    position = rng.normal(scale=0.35, size=(stars, 2))
    velocity = rng.normal(scale=0.25, size=(stars, 2))
    position[:half] += (-1.5, -0.3)
    position[half:] += (1.5, 0.3)
    velocity[:half, 0] += 0.45
    velocity[half:, 0] -= 0.45
    return position, velocity, np.full(stars, 1.0 / stars)


def write_png(path, counts):
    """Writes counts as a picture in shades of gold. Source: the PNG specification (ISO/IEC 15948)."""
    shade = np.log1p(counts) / np.log1p(counts.max())
    colors = np.stack([255 * shade ** 0.6, 220 * shade, 160 * shade ** 2], axis=2).astype(np.uint8)
    raw = b"".join(b"\0" + row.tobytes() for row in colors)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", counts.shape[1], counts.shape[0], 8, 2, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw))
                     + chunk(b"IEND", b""))


def main():
    """Simulates, checks, and draws."""
    parser = argparse.ArgumentParser(description="Two star clusters.")
    parser.add_argument("--stars", type=int, default=160)
    parser.add_argument("--steps", type=int, default=400)
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "out" / "nbody.png")
    args = parser.parse_args()

    # A small problem first: it compiles the functions, and NumPy checks what they compute.
    position, velocity, mass = clusters(20)
    expected, speed = position.copy(), velocity.copy()
    started = time.perf_counter()
    simulate(position, velocity, mass, 0.01, 50, np.zeros((10, 10), np.int64), 1.0)
    first = time.perf_counter() - started
    simulate_with_numpy(expected, speed, mass, 0.01, 50)
    assert np.allclose(position, expected, rtol=1e-9, atol=1e-9)

    position, velocity, mass = clusters(args.stars)
    before = energy(position, velocity, mass)
    picture = np.zeros((400, 600), np.int64)
    started = time.perf_counter()
    simulate(position, velocity, mass, 0.01, args.steps, picture, 110.0)
    run = time.perf_counter() - started
    drift = abs(energy(position, velocity, mass) / before - 1)
    assert drift < 0.05, drift
    write_png(args.out, picture)
    print(f"N-body: {args.stars} stars, {args.steps} steps; the energy drifted by {drift:.1e}; picture: {args.out}")
    print(f"first call {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as NumPy on 20 stars")


if __name__ == "__main__":
    main()
