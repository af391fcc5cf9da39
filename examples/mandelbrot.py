"""The Mandelbrot set: one function, compiled and plain, and a picture of what it computes.

    python examples/mandelbrot.py [--width 600 --height 400 --limit 200] [--out examples/out/mandelbrot.png]

`mandel` is run under Rumba for every point, and by plain CPython for every row or, where that would
take too long, for rows spread over the picture, whose time is scaled up and marked so. Both must count the same
iterations. The picture is written with nothing but `zlib` and `struct`.
"""
import argparse
import math
import os
import struct
import time
import zlib
from pathlib import Path

from rumba import njit

# The part of the plane that is shown: center and width.
CENTER = (-0.7436438870, 0.1318259043)
SPAN = 0.0060


def mandel(x, y, limit):
    """How many iterations of z = z*z + c, from z = 0 and with c = (x, y), stay within |z| <= 2; at most `limit`."""
    re = 0.0
    im = 0.0
    for count in range(limit):
        re_squared = re * re
        im_squared = im * im
        if re_squared + im_squared > 4.0:
            return count
        im = 2.0 * re * im + y
        re = re_squared - im_squared + x
    return limit


compiled_mandel = njit(mandel)


def rows_of(kernel, size, view, limit, rows):
    """Iteration counts of some rows of the picture, and the seconds that took."""
    width, height = size
    x0, y0, step = view
    started = time.perf_counter()
    counts = []
    for row in rows:
        y = y0 + step * (height / 2 - row)
        counts.append([kernel(x0 + step * (column - width / 2), y, limit) for column in range(width)])
    return counts, time.perf_counter() - started


def palette(size, limit):
    """Colors for iteration counts: dark blue through gold and white, again and again; black inside the set."""
    stops = ((0.0, (4, 7, 60)), (0.16, (20, 80, 170)), (0.42, (230, 245, 255)), (0.64, (255, 170, 0)),
             (0.86, (80, 10, 30)), (1.0, (4, 7, 60)))
    colors = []
    for count in range(size):
        where = (math.log(count + 1.0) * 0.62) % 1.0
        for (low, first), (high, second) in zip(stops, stops[1:]):
            if low <= where <= high:
                part = (where - low) / (high - low)
                colors.append(bytes(round(a + (b - a) * part) for a, b in zip(first, second)))
                break
    return colors[:limit] + [b"\0\0\0"]


def write_png(path, width, counts, limit):
    """Writes an RGB picture. Source: the PNG specification (ISO/IEC 15948)."""
    colors = palette(limit, limit)
    raw = b"".join(b"\0" + b"".join(colors[count] for count in row) for row in counts)

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">IIBBBBB", width, len(counts), 8, 2, 0, 0, 0)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(raw, 9))
                     + chunk(b"IEND", b""))


def main():
    """Computes, compares, writes and reports."""
    parser = argparse.ArgumentParser(description="The Mandelbrot set, compiled and plain.")
    parser.add_argument("--width", type=int, default=600)
    parser.add_argument("--height", type=int, default=400)
    parser.add_argument("--limit", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=20.0, help="how long plain CPython may take")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "out" / "mandelbrot.png")
    args = parser.parse_args()
    size, view = (args.width, args.height), (*CENTER, SPAN / args.width)

    started = time.perf_counter()
    compiled_mandel(0.0, 0.0, 1)
    compiling = time.perf_counter() - started
    counts, ours = rows_of(compiled_mandel, size, view, args.limit, range(args.height))

    # One row in the middle says how many of them fit into the time.
    _, probe = rows_of(mandel, size, view, args.limit, [args.height // 2])
    stride = max(1, math.ceil(probe * args.height / args.seconds))
    rows = range(0, args.height, stride)
    plain, theirs = rows_of(mandel, size, view, args.limit, rows)
    scale = args.height / len(rows)
    for row, line in zip(rows, plain):
        if line != counts[row]:
            column = next(i for i in range(args.width) if line[i] != counts[row][i])
            raise SystemExit(f"({column}, {row}): CPython counts {line[column]}, Rumba {counts[row][column]}")

    write_png(args.out, args.width, counts, args.limit)
    total = sum(map(sum, counts))
    note = "" if stride == 1 else f"   ({len(rows)} of {args.height} rows took {theirs:.2f} s)"
    print(f"{args.width} x {args.height} points, at most {args.limit} iterations, {total:,} in all")
    print(f"  CPython  {theirs * scale:9.3f} s{note}")
    print(f"  Rumba    {ours:9.3f} s   (and {compiling * 1000:.1f} ms to compile, once)")
    print(f"  ratio    {theirs * scale / ours:9.1f}")
    print(f"the same counts in all {len(rows) * args.width:,} points that both computed; picture: {os.path.relpath(args.out)}")


if __name__ == "__main__":
    main()
