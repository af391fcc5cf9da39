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

# What tests compile does not go to the store of whoever runs them. Workers share one, and all stages of `make test` do:
# library functions are compiled once.
if "RUMBA_TEST_CACHE_DIR" in os.environ:
    os.environ["RUMBA_CACHE_DIR"] = os.environ["RUMBA_TEST_CACHE_DIR"]
elif "PYTEST_XDIST_WORKER" not in os.environ:
    os.environ["RUMBA_CACHE_DIR"] = tempfile.mkdtemp(prefix="rumba-tests-")
    atexit.register(shutil.rmtree, os.environ["RUMBA_CACHE_DIR"], ignore_errors=True)


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
