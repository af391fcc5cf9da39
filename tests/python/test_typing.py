"""What type checkers are told: the stubs, and a file of uses that mypy checks and Python runs."""
import ast
import pathlib
import runpy
import subprocess
import sys

import pytest
import rumba

ROOT = pathlib.Path(__file__).parents[2]
STUBS = ROOT / "python" / "rumba"
USES = ROOT / "tests" / "typing" / "signatures.py"


def test_mypy_keeps_signatures():
    stubs = [STUBS / name for name in ("__init__.pyi", "decorators.pyi", "_rumba.pyi")]
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", "/dev/null"]
    done = subprocess.run([*command, USES, *stubs], capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_uses_run():
    runpy.run_path(str(USES), run_name="__main__")


def names_of(stub):
    """What a stub declares, classes with their members."""
    for node in ast.parse((STUBS / stub).read_text()).body:
        if isinstance(node, ast.ImportFrom):
            yield from ((alias.asname, ()) for alias in node.names if alias.asname)
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name, [item.name for item in getattr(node, "body", ()) if isinstance(item, ast.FunctionDef)]


@pytest.mark.parametrize("stub, module", [
    ("__init__.pyi", "rumba"), ("decorators.pyi", "rumba.decorators"), ("_rumba.pyi", "rumba._rumba")])
def test_what_stubs_declare_is_there(stub, module):
    value = __import__(module, fromlist=("__name__",))
    for name, members in names_of(stub):
        if name.startswith("_"):
            continue
        found = getattr(value, name)
        # Functions of a module have bodies of statements, not of methods.
        for member in members if isinstance(found, type) else ():
            assert hasattr(rumba.njit(lambda: 0), member) if found is rumba.Dispatcher else hasattr(found, member), member


def test_options_are_those_of_the_decorators():
    from rumba.decorators import _OPTIONS

    options = set()
    for node in ast.parse((STUBS / "decorators.pyi").read_text()).body:
        if isinstance(node, ast.ClassDef) and node.name.endswith("Options"):
            options.update(item.target.id for item in node.body if isinstance(item, ast.AnnAssign))
    assert options == _OPTIONS
