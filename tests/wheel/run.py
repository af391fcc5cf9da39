#!/usr/bin/env python3
"""Installs a wheel into empty environments, with the oldest and the newest NumPy, and tries it there.

    .venv/bin/python tests/wheel/run.py        the wheel of this Python in dist/, made by `make wheel`

Runs smoke.py, the command `rumba` and mypy over what users write, and looks into the source distribution.
"""
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NUMPYS = {"the oldest NumPy": {11: "numpy==1.26.*", 12: "numpy==1.26.*", 13: "numpy==2.1.*"}[sys.version_info.minor],
          "the newest NumPy": "numpy"}
"""NumPy 2.1 is the first for Python 3.13."""


def main():
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    wheels = sorted((ROOT / "dist").glob(f"rumba_jit-*-{tag}-*.whl"))
    if len(wheels) != 1:
        sys.exit(f"dist/ holds {len(wheels)} wheels for {tag} where one is expected: run `make wheel`")
    # Nothing of the checkout is found by the processes here.
    os.environ.pop("PYTHONPATH", None)
    for name, numpy in NUMPYS.items():
        with tempfile.TemporaryDirectory() as folder:
            python = _environment(folder, wheels[0], numpy)
            _run(python, ROOT / "tests" / "wheel" / "smoke.py", cwd=folder)
            _commands(python, folder)
            print(f"==> {wheels[0].name} runs with {name}")
            if numpy == "numpy":
                _types(python, folder)
                _ahead(python, pathlib.Path(folder))
    _source_distribution()


def _environment(folder, wheel, numpy):
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = pathlib.Path(folder) / "bin" / "python"
    _run(python, "-m", "pip", "install", "--quiet", wheel, numpy)
    return python


def _commands(python, folder):
    """What the wheel puts beside Python, and what `site` does for a process that asks and for one that does not."""
    rumba = python.parent / "rumba"
    assert _run(rumba, "--version", cwd=folder).startswith("rumba ")
    assert "R0300" in _run(rumba, "explain", "R0300", cwd=folder)
    assert "manylinux" not in _run(rumba, "info", cwd=folder)
    asked = "import sys; print('rumba' in sys.modules, 'numpy' in sys.modules)"
    assert _run(python, "-c", asked, cwd=folder) == "False False\n"
    program = "import numba; print(numba.njit(lambda x: x + 1)(41), numba.__file__)"
    answer, file = _run(python, "-c", program, cwd=folder, RUMBA_AS_NUMBA="1").split()
    assert answer == "42" and "rumba" in file, file


def _types(python, folder):
    """mypy finds the stubs in the installed package."""
    _run(python, "-m", "pip", "install", "--quiet", "mypy")
    for file in sorted((ROOT / "tests" / "typing").glob("*.py")):
        _run(python, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", "/dev/null", file, cwd=folder)
    print("==> mypy reads the installed stubs")


_PACKAGE = {
    "setup.py": """
from setuptools import setup
from tools.source import cc

setup(name="tools", version="1.0", packages=["tools"], ext_modules=[cc.distutils_extension()])
""",
    "tools/__init__.py": "",
    "tools/source.py": """
import numpy as np
from rumba.numba.pycc import CC

cc = CC("kernels")


@cc.export("total", ["f8(f8[::1])", "i8(i8[::1])"])
def total(values):
    return np.sort(values).sum()
""",
}


def _ahead(python, folder):
    """A package with a module that is built ahead of time becomes a wheel, which an environment without Rumba uses."""
    source = folder / "source"
    for name, text in _PACKAGE.items():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        (source / name).write_text(text)
    _run(python, "-m", "pip", "install", "--quiet", "setuptools>=70.1")
    _run(python, "-m", "pip", "wheel", "--quiet", "--no-build-isolation", "--no-deps", "--wheel-dir", folder, source,
         cwd=source, PYTHONPATH=str(source))
    [wheel] = folder.glob("tools-*.whl")
    with tempfile.TemporaryDirectory() as other:
        bare = _environment(other, wheel, "numpy")
        program = "import numpy as np, sys\nfrom tools import kernels\nprint(kernels.total(np.arange(4)), kernels.total(np.ones(3)))\n"
        assert _run(bare, "-c", program + "print([name for name in sys.modules if 'rumba' in name])", cwd=other) == "6 3.0\n[]\n"
    print(f"==> {wheel.name}, {wheel.stat().st_size / 1e6:.1f} MB, runs without Rumba")


def _source_distribution():
    """Holds what a build from source needs."""
    with tempfile.TemporaryDirectory() as folder:
        _run(pathlib.Path(sys.executable).parent / "maturin", "sdist", "--out", folder, cwd=ROOT)
        [archive] = pathlib.Path(folder).glob("*.tar.gz")
        with tarfile.open(archive) as opened:
            names = {name.partition("/")[2] for name in opened.getnames()}
    needed = {".cargo/config.toml", "Cargo.lock", "LICENSE", "README.md", "pyproject.toml", "crates/python/Cargo.toml", "crates/python/src/lib.rs",
              "python/rumba/__init__.pyi", "python/rumba.data/purelib/rumba_as_numba.pth", "python/rumba/library/instances.txt"}
    assert needed <= names, f"the source distribution lacks {sorted(needed - names)}"
    binary = [name for name in names if name.endswith((".so", ".image", ".o"))]
    assert not binary, f"the source distribution holds what was built: {binary}"
    print("==> the source distribution is complete")


def _run(*command, cwd=None, **variables):
    done = subprocess.run(command, cwd=cwd, env={**os.environ, **variables}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\nexited with {done.returncode}\n{done.stdout}")
    return done.stdout


if __name__ == "__main__":
    main()
