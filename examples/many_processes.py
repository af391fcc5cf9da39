"""Price paths over many processes: a gufunc and a compiled function run in workers of Dask, chunk by chunk.

    python -m rumba examples/many_processes.py

Needs the packages dask and distributed. Each worker is a process of its own on this machine; with the address of a
scheduler in place of `LocalCluster` the same lines run on many machines.
"""
import math
import time

import dask.array as da
import numpy as np
from dask.distributed import Client, LocalCluster
from numba import guvectorize, njit

PATHS, DAYS = 40_000, 250


@njit(cache=True)
def prices(returns, start, drift):
    """Prices along each path that follow from its daily returns."""
    out = np.empty_like(returns)
    for path in range(returns.shape[0]):
        price = start
        for day in range(returns.shape[1]):
            price *= math.exp(drift + 0.01 * returns[path, day])
            out[path, day] = price
    return out


@guvectorize(["void(float64[:], float64[:])"], "(n)->()", cache=True)
def drawdown(path, out):
    """The deepest fall of a path below the highest price before it, as a share of that price."""
    highest, deepest = path[0], 0.0
    for price in path:
        highest = max(highest, price)
        deepest = max(deepest, 1.0 - price / highest)
    out[0] = deepest


def plain_drawdown(path):
    """The same by NumPy."""
    return (1.0 - path / np.maximum.accumulate(path)).max()


def on_workers(returns, client):
    """The deepest fall of each path, computed by the workers of a client."""
    walks = returns.map_blocks(prices, 100.0, 0.0002, meta=np.empty((0, 0)))
    return da.apply_gufunc(drawdown, "(n)->()", walks, output_dtypes=np.float64).compute(scheduler=client)


def main():
    """Computes in this process, then by workers, and compares."""
    chunks = da.random.default_rng(11).normal(size=(PATHS, DAYS), chunks=(PATHS // 8, DAYS))
    returns = chunks.compute()

    started = time.perf_counter()
    few = drawdown(prices(returns[:200], 100.0, 0.0002))
    first = time.perf_counter() - started
    plain = [plain_drawdown(path) for path in prices.py_func(returns[:200], 100.0, 0.0002)]
    assert np.allclose(few, plain, rtol=1e-12)

    expected = drawdown(prices(returns, 100.0, 0.0002))
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        on_workers(chunks, client)
        started = time.perf_counter()
        falls = on_workers(chunks, client)
        run = time.perf_counter() - started
    assert (falls == expected).all()
    print(f"drawdowns: {PATHS:,} paths of {DAYS} days by 2 workers; "
          f"half of them fall by more than {np.median(falls):.1%}")
    print(f"first call {first * 1000:.1f} ms, run {run * 1000:.1f} ms, the same as one process, bit for bit")


if __name__ == "__main__":
    main()
