"""The command `rumba`: what it prints and its exit status."""
import pathlib
import subprocess
import sys

import pytest
from rumba.cli import environment
from rumba.cli.main import main

ROOT = pathlib.Path(__file__).parents[2]


@pytest.fixture
def run(capsys):
    """Runs a command: (exit status, standard output, standard error)."""
    def run(*arguments):
        try:
            status = main(list(arguments))
        except SystemExit as exit:
            status = exit.code
        return status, *capsys.readouterr()
    return run


@pytest.mark.parametrize("arguments, text", [
    (["--help"], "running programs:"), (["--version"], "rumba 0."), (["-V"], "rumba 0."), (["cache", "--help"], "least recently used"),
    (["image", "--help"], "verify"), (["info"], "processors available"), (["-s"], "NumPy"), (["--sysinfo"], "cache"),
    (["explain"], "R0300  Types that do not unify"), (["explain", "r0300"], "R0300: Types that do not unify"),
    (["explain", "error[R0300]"], "R0300: Types that do not unify"), (["env"], "RUMBA_DISABLE_JIT or NUMBA_DISABLE_JIT"),
])
def test_commands_print(run, arguments, text):
    status, out, err = run(*arguments)
    assert (status, err) == (0, "") and text in out


@pytest.mark.parametrize("arguments, text", [
    (["explain", "R0311x"], "did you mean R0311 (A value that Python code cannot be given)?"),
    (["explain", "nothing"], "there is no error code nothing"), (["cache"], "required: action"),
    (["cache", "nothing"], "invalid choice: 'nothing'"), (["--nothing"], "there is no option --nothing"),
    ([], "running programs:"),
])
def test_wrong_commands_are_refused(run, arguments, text):
    status, out, err = run(*arguments)
    assert (status, out) == (2, "") and text in err


def test_what_is_set_is_shown(run, monkeypatch):
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    assert "\n    NUMBA_DISABLE_JIT=1\n" in run("env")[1]
    assert "NUMBA_DISABLE_JIT  1" in run("info")[1]


def test_the_page_of_variables_is_the_table():
    page = (ROOT / "docs" / "guide" / "environment.md").read_text()
    assert "\n".join(environment.table()) in page, "run `rumba env --markdown` and put its table there"


def test_programs_that_are_named_like_commands(tmp_path):
    (tmp_path / "info").write_text("import sys; print(__name__, sys.argv)")
    command = [sys.executable, "-m", "rumba", "run", "info", "x"]
    assert subprocess.run(command, capture_output=True, text=True, cwd=tmp_path).stdout == "__main__ ['info', 'x']\n"


def test_numba_as_a_command():
    command = [sys.executable, "-m", "rumba", "-m", "numba", "--version"]
    assert subprocess.run(command, capture_output=True, text=True).stdout.startswith("rumba 0.")


@pytest.mark.parametrize("command", [["failing.py"], ["-m", "failing"], ["-c", "import failing"], ["folder"]])
def test_tracebacks_begin_in_the_program(tmp_path, command):
    (tmp_path / "failing.py").write_text("def f():\n    return 1 / 0\nf()\n")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "__main__.py").write_text("def f():\n    return 1 / 0\nf()\n")
    done = subprocess.run([sys.executable, "-m", "rumba", *command], capture_output=True, text=True, cwd=tmp_path)
    lines = done.stderr.splitlines()
    assert done.returncode == 1 and lines[0] == "Traceback (most recent call last):"
    assert lines[-1] == "ZeroDivisionError: division by zero"
    places = [line for line in lines if line.startswith("  File ")]
    assert not [place for place in places if "cli" in place or "runpy" in place]
    assert sum("in f" in place for place in places) == 1


def test_a_syntax_error_is_shown_as_python_shows_it(tmp_path):
    (tmp_path / "wrong.py").write_text("def f(:\n")
    shown = [subprocess.run([sys.executable, *command, "wrong.py"], capture_output=True, text=True, cwd=tmp_path).stderr
             for command in ([], ["-m", "rumba"])]
    assert shown[0].splitlines()[1:] == shown[1].splitlines()[1:]
