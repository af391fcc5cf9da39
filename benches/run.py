"""Start-up, first calls and call overhead against Numba, interleaved in one run.

    run.py [--pairs 15] [--json FILE] [--page FILE]

Each sample is a process of its own, ours and theirs in turn, so that what else the machine does falls
on both. A figure is the minimum over the samples; a ratio is theirs over ours with a 95 % interval by
bootstrap over the samples. A limit counts as missed only if the interval of our minimum lies beyond it.
"""
import argparse
import json
import os
import pathlib
import platform
import random
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
REFERENCE = ROOT / ".venv-numba"

# Figure, unit, limit for Rumba, what it is.
FIGURES = [
    ("import", "ms", 12.0, "`import rumba` beyond NumPy's own import"),
    ("first add", "ms", 8.0, "first call of `add(1, 2)` in a fresh process"),
    ("next add", "ms", 2.5, "next new function of that size, warm process"),
    ("sum loop", "ms", 8.0, "first call of a summing loop, warm process"),
    ("call ints", "ns", 35.0, "call overhead, two ints"),
    ("call floats", "ns", 35.0, "call overhead, two floats"),
]


def reference_python():
    """The interpreter with Numba, made on first use."""
    python = REFERENCE / "bin" / "python"
    have = subprocess.run([python, "-c", "import numba"], capture_output=True) if python.exists() else None
    if have is None or have.returncode != 0:
        print("installing the reference into .venv-numba ...", flush=True)
        subprocess.run([sys.executable, "-m", "venv", REFERENCE], check=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", HERE / "requirements.txt"], check=True)
    return python


def sample(python, which):
    out = subprocess.run([python, HERE / "worker.py", which], capture_output=True, text=True, check=True)
    return json.loads(out.stdout)


def interval(values, statistic, rounds=2000):
    """95 % interval of a statistic of resampled values."""
    rng = random.Random(20)
    found = sorted(statistic([rng.choice(values) for _ in values]) for _ in range(rounds))
    return found[int(0.025 * rounds)], found[int(0.975 * rounds)]


def summarize(pairs):
    rows = []
    for key, unit, limit, what in FIGURES:
        both = [(ours[key], theirs[key]) for ours, theirs in pairs]
        ours, theirs = min(a for a, _ in both), min(b for _, b in both)
        ratio = interval(both, lambda chosen: min(b for _, b in chosen) / min(a for a, _ in chosen))
        low, high = interval([a for a, _ in both], min)
        rows.append({
            "figure": key, "what": what, "unit": unit, "ours": ours, "theirs": theirs,
            "ratio": theirs / ours, "interval": ratio, "ours_interval": (low, high), "limit": limit, "missed": low > limit,
        })
    return rows


def table(rows):
    lines = ["| what | Rumba | Numba 0.68.1 | ratio (95 % interval) | limit |", "|---|---|---|---|---|"]
    for row in rows:
        low, high = row["interval"]
        verdict = f"{row['limit']:g} {row['unit']}" + (" **missed**" if row["missed"] else "")
        lines.append(
            f"| {row['what']} | {row['ours']:.3g} {row['unit']} | {row['theirs']:.3g} {row['unit']} "
            f"| {row['ratio']:.0f} ({low:.0f} to {high:.0f}) | {verdict} |")
    return "\n".join(lines)


def machine():
    model = "unknown processor"
    try:
        for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    except OSError:
        pass
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, CPython {platform.python_version()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=15)
    parser.add_argument("--json", default=str(HERE / "results" / "latest.json"))
    parser.add_argument("--page", default=str(ROOT / "docs" / "benchmarks.md"))
    args = parser.parse_args()
    theirs = reference_python()
    pairs = []
    for number in range(args.pairs):
        pairs.append((sample(sys.executable, "rumba"), sample(theirs, "numba")))
        print(f"\r{number + 1} of {args.pairs} pairs", end="", flush=True)
    print()
    rows = summarize(pairs)
    print(table(rows))
    pathlib.Path(args.json).parent.mkdir(parents=True, exist_ok=True)
    pathlib.Path(args.json).write_text(json.dumps({"machine": machine(), "pairs": pairs, "rows": rows}, indent=1))
    pathlib.Path(args.page).write_text(
        f"# Benchmarks\n\nMeasured by `make bench` on: {machine()}.\n\n{table(rows)}\n\n"
        f"{args.pairs} pairs of processes, ours and Numba's in turn. Each figure is the minimum over its samples, the ratio "
        "theirs over ours, the interval from a bootstrap over the pairs. First calls count decoration, compilation and the call "
        "itself; in a warm process they are the best of five new functions.\n")
    return 1 if any(row["missed"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
