"""The programs of `examples/`: each checks its own results, and says what it did and how long that took.

They import Numba's names, as programs do that were written for it."""
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).parents[2] / "examples"
EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem != "mandelbrot")


def test_there_are_eleven():
    assert len(EXAMPLES) == 11


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name, tmp_path):
    arguments = ["--out", str(tmp_path / "nbody.png")] if name == "nbody" else []
    command = [sys.executable, "-m", "rumba", str(FOLDER / f"{name}.py"), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "first call" in done.stdout and ", the same as " in done.stdout
    if name == "nbody":
        assert (tmp_path / "nbody.png").read_bytes().startswith(b"\x89PNG")
