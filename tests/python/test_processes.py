"""Compiled functions in other processes: pools, joblib, Dask. They give what they give here, and compile once in all."""
import concurrent.futures
import multiprocessing
import pickle

import cloudpickle
import dask.array as da
import joblib
import numpy as np
import processes
import pytest
from dask.distributed import Client, LocalCluster
from rumba.numba.core import serialize



def outcomes(run):
    """What `run(function, arguments)` gives for each thing. None of them outlives the test."""
    return {name: run(*thing) for name, thing in processes.things().items()}


@pytest.fixture(scope="module")
def expected():
    """What the things give in this process, as plain values."""
    return outcomes(lambda *thing: processes.call(*thing))


@pytest.mark.parametrize("dumps", [pickle.dumps, cloudpickle.dumps, serialize.dumps])
def test_all_kinds_pickle(dumps, expected):
    assert outcomes(lambda function, arguments: processes.call(*pickle.loads(dumps((function, arguments))))) == expected


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_pools_of_processes(method, expected):
    context = multiprocessing.get_context(method)
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
        futures = outcomes(lambda *thing: pool.submit(processes.call, *thing))
        assert {name: future.result(60) for name, future in futures.items()} == expected


def test_joblib(expected):
    tasks = [joblib.delayed(processes.call)(*thing) for thing in processes.things().values()]
    assert joblib.Parallel(2)(tasks) == list(expected.values())


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("cache"))
    environment = pytest.MonkeyPatch()
    environment.setenv("RUMBA_CACHE_DIR", folder)
    try:
        with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
            # The workers have it. What this process compiles goes where the environment says now.
            environment.undo()
            yield client
    finally:
        environment.undo()


def test_dask_runs_all_kinds(client, expected):
    futures = outcomes(lambda *thing: client.submit(processes.call, *thing))
    assert client.gather(futures) == expected


def test_dask_maps_chunks_and_compiles_once(client):
    x = np.arange(640.0).reshape(16, 40) / 7
    chunks = da.from_array(x, chunks=(2, 40))
    mapped = da.apply_gufunc(processes.row_total, "(n)->()", chunks.map_blocks(processes.shared, meta=np.empty((0, 0))),
                             output_dtypes=float)
    blocks = [processes.shared(x[at:at + 2]) for at in range(0, 16, 2)]
    expected = np.concatenate([processes.row_total(block) for block in blocks])
    assert (mapped.compute(scheduler=client) == expected).all()
    # Ufuncs and gufuncs take Dask's arrays themselves.
    assert (processes.row_total(chunks).compute(scheduler=client) == processes.row_total(x)).all()
    both = client.run(processes.call, processes.shared, (x,)), client.run(processes.hits_and_misses, processes.shared)
    assert list(both[0].values()) == [processes.call(processes.shared, (x,))] * 2
    found = list(both[1].values())
    assert len({process for process, _, _ in found}) == 2
    assert (sum(hits for _, hits, _ in found), sum(misses for _, _, misses in found)) == (1, 1)


def test_a_worker_that_is_killed_costs_nothing_but_its_task(client, tmp_path):
    marker = str(tmp_path / "ended")
    futures = client.map(lambda x: processes.end_once(marker, x), range(8))
    assert client.gather(futures) == [2.0 * x + 1 for x in range(8)]
