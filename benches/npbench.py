"""The programs of NPBench for Numba (https://github.com/spcl/npbench) on Rumba and on Numba, in turns, with as many threads.

    git clone https://github.com/spcl/npbench
    .venv/bin/python benches/npbench.py npbench [NAME ...] [--size S] [--rounds 3] [--docs]

A program has up to three versions: serial (`n`), `parallel=True` over array code (`np`), and with `prange` (`npr`). A round is a process of each
side per version; a process calls it for a second, on fresh copies of its arguments, and the minimum counts. First calls are those of
the first round. Results of both sides are compared. `THREADS` in the environment is the number of threads, 2 if it is not set.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

import report
import rounds
from run import ensure_numba

THREADS = os.environ.get("THREADS", "2")
VERSIONS = ("n", "np", "npr")
TIMEOUT = 300

CHILD = '''
import copy, importlib.util, json, pathlib, pickle, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
root, name, version, size, kept = sys.argv[1:]
root = pathlib.Path(root)
info = json.loads((root / "bench_info" / f"{name}.json").read_text())["benchmark"]
folder, module = root / "npbench" / "benchmarks" / info["relative_path"], info["module_name"]
sys.path.insert(0, str(root))

def load(file):
    spec = importlib.util.spec_from_file_location(file, folder / f"{file}.py")
    sys.modules[file] = found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found

# Some programs draw their arguments without a seed.
np.random.seed(1)
data, init = dict(info["parameters"][size]), info.get("init")
if init:
    made = getattr(load(module), init["func_name"])(*(data[name] for name in init["input_args"]))
    data.update(zip(init["output_args"], made if len(init["output_args"]) > 1 else (made,)))
function = getattr(load(f"{module}_numba_{version}"), info["func_name"])

def timed():
    args = [copy.deepcopy(data[name]) for name in info["input_args"]]
    started = time.perf_counter()
    result = function(*args)
    return time.perf_counter() - started, result, args

first, result, args = timed()
results = [] if result is None else list(result) if isinstance(result, (tuple, list)) else [result]
results += [arg for name, arg in zip(info["input_args"], args) if name in info.get("array_args", ())]
pickle.dump(results, open(kept, "wb"))
best, began, calls = 1e9, time.perf_counter(), 0
while calls < 2 or calls < 100 and time.perf_counter() - began < 1:
    best, calls = min(best, timed()[0]), calls + 1
print(json.dumps([first, best]))
'''
ABOUT = ("The programs of [NPBench](https://github.com/spcl/npbench), written by others for Numba: serial (`n`), `parallel=True` over array code (`np`), "
         "and with `prange` (`npr`), with {threads} threads and the size {size} (`benches/npbench.py` measures and writes this section). "
         "Rumba checks indices. Left out is what Numba refuses. Where results are not the same, Numba's differ from Python's (`azimint_hist npr` is a race, "
         "`seidel_2d np` reads what it has overwritten), or a sum overflows, of which `fastmath` leaves open what comes (`mlp`).")


def run(python, root, name, version, size, kept, hook):
    """First call and the best one in seconds, or the last line of the error."""
    variables = {"NUMBA_NUM_THREADS": THREADS, "RUMBA_AS_NUMBA": "1" if hook else ""}
    command = [python, "-W", "ignore", "-c", CHILD, root, name, version, size, kept]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT, env={**os.environ, **variables})
    except subprocess.TimeoutExpired:
        return "no result in time"
    if done.returncode:
        return (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1][:100]
    return json.loads(done.stdout.splitlines()[-1])


def are_same(files):
    """Whether two files of results hold the same but for rounding: the programs ask for `fastmath`."""
    import pickle

    import numpy as np
    one, other = (pickle.loads(pathlib.Path(file).read_bytes()) for file in files)
    scale = [max(1.0, float(np.max(np.abs(item), initial=0.0))) for item in other]
    return all(np.allclose(a, b, rtol=1e-4, atol=1e-6 * most, equal_nan=True) for a, b, most in zip(one, other, scale, strict=True))


def measure(root, name, version, size, count, pythons):
    """Figures by package, or the error of one that fails; and whether the results are the same."""
    best, same = {}, None
    with tempfile.TemporaryDirectory() as folder:
        files = {package: str(pathlib.Path(folder) / package) for package in pythons}
        for turn in range(count):
            for package in pythons if turn % 2 else reversed(pythons):
                found = run(pythons[package], root, name, version, size, files[package], package == "rumba")
                known = best.get(package, found)
                best[package] = found if isinstance(found, str) else [known[0], min(known[1], found[1])]
            if any(isinstance(found, str) for found in best.values()):
                return best, None
        same = are_same(files.values())
    return best, same


def main():
    """Measures, and prints the table."""
    parser = rounds.parser(__doc__, 3)
    parser.add_argument("root")
    parser.add_argument("names", nargs="*")
    parser.add_argument("--size", default="S")
    args = parser.parse_args()
    root = pathlib.Path(args.root).resolve()
    pythons = {"numba": ensure_numba(), "rumba": sys.executable}
    lines, ratios, firsts, failed = [("program", "version", "first: Numba", "Rumba", "run: Numba", "Rumba", "times", "same")], [], [], []
    for path in sorted((root / "bench_info").glob("*.json")):
        if args.names and path.stem not in args.names:
            continue
        info = json.loads(path.read_text())["benchmark"]
        for version in VERSIONS:
            if not (root / "npbench" / "benchmarks" / info["relative_path"] / f"{info['module_name']}_numba_{version}.py").exists():
                continue
            best, same = measure(root, path.stem, version, args.size, args.rounds, pythons)
            if any(isinstance(found, str) for found in best.values()):
                failed.append(f"{path.stem} {version}: " + ", ".join(f"{package}: {found}" for package, found in best.items() if isinstance(found, str)))
                continue
            (numba_first, numba), (first, own) = best["numba"], best["rumba"]
            ratios.append(numba / own)
            firsts.append(numba_first / first)
            lines.append((path.stem, version, f"{numba_first * 1e3:.0f} ms", f"{first * 1e3:.0f} ms", f"{numba * 1e3:.3g} ms", f"{own * 1e3:.3g} ms",
                          f"{ratios[-1]:.2f}", "yes" if same else "no"))
            print(*lines[-1], file=sys.stderr, flush=True)
    say = (f"Geometric mean of {len(ratios)}: {report.geometric_mean(ratios):.2f} times as fast as Numba, the worst {min(ratios):.2f}, "
           f"{sum(ratio < 0.95 for ratio in ratios)} below 0.95. First calls: {report.geometric_mean(firsts):.0f} times as fast. "
           f"Minima of {args.rounds} rounds.")
    for line in failed:
        print(line, file=sys.stderr)
    rounds.show("NPBench", ABOUT.format(threads=THREADS, size=args.size), lines, say, pythons["numba"], args.docs)


if __name__ == "__main__":
    main()
