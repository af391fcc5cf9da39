"""Helpers that every test file may use."""
import atexit
import gc
import os
import shutil
import subprocess
import sys
import tempfile

import pytest

# Its assertions say what differs, as those of test files do.
pytest.register_assert_rewrite("beside")

# The compiler's verifiers run behind every pass.
os.environ["RUMBA_VERIFY"] = "1"

# What tests compile does not go to the store of whoever runs them. Workers share one, which the runs of pytest in `make test` share, too:
# library functions are compiled once. Workers find it in their environment.
if "PYTEST_XDIST_WORKER" not in os.environ:
    store = os.environ.pop("RUMBA_TEST_CACHE_DIR", None)
    if store is None:
        store = tempfile.mkdtemp(prefix="rumba-tests-")
        atexit.register(shutil.rmtree, store, ignore_errors=True)
    os.environ["RUMBA_CACHE_DIR"] = store


def pytest_collection_finish():
    """What was collected stays: the garbage collector need not go through it each time a test asks for a collection."""
    gc.freeze()


@pytest.fixture
def fresh_process():
    """Runs Python source in a process of its own and returns what it printed."""

    def run(source, *flags, **environment):
        command = [sys.executable, *flags, "-c", source]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
