"""Helpers that every test file may use."""
import subprocess
import sys

import pytest


@pytest.fixture
def fresh_process():
    """Runs Python source in a process of its own and returns what it printed."""

    def run(source, *flags):
        done = subprocess.run([sys.executable, *flags, "-c", source], capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run
