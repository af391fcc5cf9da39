"""The Mandelbrot set: the same loop under Rumba and under plain CPython, and a picture of it.

    make demo, or: .venv/bin/python examples/mandelbrot.py [--width 900] [--height 600] [--out FILE]

Writes a PNG with nothing but the standard library. CPython computes every 20th row, as it would take
minutes for all of them; its time is scaled by the number of rows, and the rows it did must agree.
"""
import argparse
import math
import pathlib
import struct
import time
import zlib

from rumba import njit

LIMIT = 300
PLAIN_EVERY = 20


def escape(re, im, limit):
    """How many steps z -> z*z + c takes to leave the circle of radius 16, and where it then is."""
    x = 0.0
    y = 0.0
    for step in range(limit):
        xx = x * x
        yy = y * y
        if xx + yy > 256.0:
            return step, xx + yy
        y = 2.0 * x * y + im
        x = xx - yy + re
    return limit, 0.0


fast_escape = njit(escape)


@njit
def total_steps(width, height):
    """The steps of all points, without going back to Python in between."""
    scale = 3.0 / width
    left = -2.25
    top = -0.5 * height * scale
    total = 0
    for row in range(height):
        for column in range(width):
            total += fast_escape(left + column * scale, top + row * scale, LIMIT)[0]
    return total


def compute(function, width, height, rows):
    """One list of (steps, radius squared) per row."""
    scale = 3.0 / width
    left, top = -2.25, -0.5 * height * scale
    return [[function(left + column * scale, top + row * scale, LIMIT) for column in range(width)] for row in rows]


def color(steps, radius_squared):
    """A smooth palette over the logarithm of the fractional number of steps; black inside."""
    if steps == LIMIT:
        return b"\x05\x06\x0b"
    smooth = steps + 1 - math.log2(math.log(radius_squared) / 2)
    t = math.log(max(smooth, 1.0)) * 1.6
    return bytes(int(127.5 * (1 - math.cos(t * f + p))) for f, p in ((1.0, 0.15), (1.13, 0.0), (0.87, 0.9)))


def write_png(path, width, rows):
    """Writes rows of RGB bytes as an 8-bit truecolor PNG (W3C, Portable Network Graphics, 2nd ed.)."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, len(rows), 8, 2, 0, 0, 0)
    body = zlib.compress(b"".join(b"\0" + row for row in rows), 6)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", body) + chunk(b"IEND", b""))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--width", type=int, default=900)
    parser.add_argument("--height", type=int, default=600)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path(__file__).parent / "out" / "mandelbrot.png")
    args = parser.parse_args()

    start = time.perf_counter()
    fast_escape(0.0, 0.0, 1)
    total_steps(1, 1)
    compile_ms = (time.perf_counter() - start) * 1e3
    start = time.perf_counter()
    picture = compute(fast_escape, args.width, args.height, range(args.height))
    compiled_s = time.perf_counter() - start
    start = time.perf_counter()
    steps = total_steps(args.width, args.height)
    loop_s = time.perf_counter() - start

    rows = range(0, args.height, PLAIN_EVERY)
    start = time.perf_counter()
    plain = compute(escape, args.width, args.height, rows)
    plain_s = (time.perf_counter() - start) * args.height / len(rows)
    if [picture[row] for row in rows] != plain or steps != sum(point[0] for row in picture for point in row):
        raise SystemExit("Rumba and CPython do not agree: this is a bug")

    args.out.parent.mkdir(parents=True, exist_ok=True)
    write_png(args.out, args.width, [b"".join(color(*point) for point in row) for row in picture])
    print(f"{args.width} x {args.height} points, {steps / 1e6:.0f} million steps, identical in both; compiled in {compile_ms:.1f} ms")
    print(f"  CPython                              {plain_s:7.2f} s   (every {PLAIN_EVERY}th row, scaled)")
    print(f"  Rumba, called for each point         {compiled_s:7.2f} s   {plain_s / compiled_s:4.0f} times as fast")
    print(f"  Rumba, all points in one function    {loop_s:7.2f} s   {plain_s / loop_s:4.0f} times as fast")
    print(f"picture: {args.out}")


if __name__ == "__main__":
    main()
