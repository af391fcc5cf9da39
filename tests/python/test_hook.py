"""`import numba` finds Rumba when the user asks for it, in every process, and never otherwise."""
import os
import subprocess
import sys
import textwrap

import pytest

PROGRAM = textwrap.dedent("""
    import importlib.metadata, multiprocessing, pickle, subprocess, sys
    import numba
    import numba.core.types
    from numba import njit, types

    @njit
    def twice(x):
        return x * 2

    def work(x):
        import numba
        return numba.__name__, twice(x)

    class Held:
        pass

    if __name__ == "__main__":
        print(sys.argv[1:], numba.__name__, importlib.metadata.version("numba"))
        assert numba.core.types is types is sys.modules["rumba"].types
        assert numba is sys.modules["rumba.numba"] and numba.__spec__.name == "rumba.numba"
        assert isinstance(pickle.loads(pickle.dumps(Held())), Held)
        for way in "fork", "spawn", "forkserver":
            with multiprocessing.get_context(way).Pool(1) as pool:
                print(way, pool.map(work, [21]))
        source = "import numba; print('child', numba.__name__)"
        print(subprocess.run([sys.executable, "-c", source], capture_output=True, text=True).stdout.strip())
""")
PRINTED = """\
['a', '-b'] rumba.numba 0.68.1
fork [('rumba.numba', 42)]
spawn [('rumba.numba', 42)]
forkserver [('rumba.numba', 42)]
child rumba.numba
"""


def run(*arguments, environment=(), cwd=None):
    """What Python printed, run with these arguments and variables."""
    variables = {name: value for name, value in os.environ.items() if name != "RUMBA_AS_NUMBA"}
    return subprocess.run([sys.executable, "-W", "ignore", *arguments], capture_output=True, text=True, timeout=120,
                          env={**variables, **dict(environment)}, cwd=cwd)


def printed(*arguments, **options):
    done = run(*arguments, **options)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def program(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def test_a_script(program):
    assert printed("-m", "rumba", str(program / "program.py"), "a", "-b") == PRINTED


def test_a_module(program):
    assert printed("-m", "rumba", "-m", "program", "a", "-b", cwd=program) == PRINTED


def test_the_variable(program):
    for value in "1", "yes":
        assert printed(str(program / "program.py"), "a", "-b", environment={"RUMBA_AS_NUMBA": value}) == PRINTED


def test_install():
    source = "import rumba; rumba.install(); rumba.install(); import numba.np.numpy_support as s; print(s.__name__)"
    assert printed("-c", source) == "rumba.numba.np.numpy_support\n"


@pytest.mark.parametrize("environment", [{}, {"RUMBA_AS_NUMBA": "0"}, {"RUMBA_AS_NUMBA": ""}])
def test_nobody_asked(environment):
    source = ("import sys; assert not any(name.startswith('rumba') for name in sys.modules if %r); import rumba;"
              "print(any(type(finder).__module__.startswith('rumba') for finder in sys.meta_path))" % (not environment))
    assert printed("-c", source, environment=environment) == "False\n"


def test_what_comes_too_late():
    source = ("import sys, types; sys.modules['numba'] = types.ModuleType('numba')\n"
              "import rumba\ntry:\n  rumba.install()\nexcept ImportError as error:\n  print(error)")
    assert "too late: numba was imported already" in printed("-c", source)


def test_missing_names_say_so():
    source = textwrap.dedent("""
        for line in "import numba.hsa", "from numba import nonsense", "import numba; numba.nonsense":
            try:
                exec(line)
            except (ImportError, AttributeError) as error:
                print(type(error).__name__, error)
    """)
    assert printed("-m", "rumba", "-c", source).splitlines() == [
        "ModuleNotFoundError No module named 'numba.hsa' in Rumba, which stands in for Numba here: "
        "it is not there (yet)",
        "ImportError cannot import name 'nonsense' from 'numba': Rumba does not have it (yet)",
        "AttributeError module 'numba' has no attribute 'nonsense' in Rumba: it is not there (yet)"]


def test_the_exit_status_and_bad_commands(tmp_path):
    assert run("-m", "rumba", "-c", "raise SystemExit(3)").returncode == 3
    failing = run("-m", "rumba", "-c", "1/0")
    assert failing.returncode == 1 and "ZeroDivisionError" in failing.stderr
    for arguments, text in ((["nothing.py"], "cannot open 'nothing.py'"), (["--nonsense"], "no option --nonsense"),
                            (["-m"], "-m needs an argument"), ([], "usage: rumba")):
        done = run("-m", "rumba", *arguments, cwd=tmp_path)
        assert done.returncode == 2 and text in done.stderr
    assert "usage: rumba" in printed("-m", "rumba", "--help")


def test_a_folder_with_a_main(tmp_path):
    (tmp_path / "__main__.py").write_text("import numba, sys; print(numba.__name__, __name__, sys.argv[1:])")
    assert printed("-m", "rumba", str(tmp_path), "x") == "rumba.numba __main__ ['x']\n"


def test_extensions_that_say_numba(tmp_path):
    """Entry points are loaded under the hook, and one that fails is a warning."""
    info = tmp_path / "ext-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ext\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[numba_extensions]\ninit = ext:register\n")
    (tmp_path / "ext.py").write_text(textwrap.dedent("""
        def triple(x):
            raise NotImplementedError

        def register():
            from numba.extending import overload

            @overload(triple)
            def overload_triple(x):
                return lambda x: x * 3
    """))
    source = "from numba import njit\nimport ext\nprint(njit(lambda x: ext.triple(x))(14))"
    assert printed("-m", "rumba", "-c", source, environment={"PYTHONPATH": str(tmp_path)}) == "42\n"
    (tmp_path / "ext.py").write_text("import nonsense")
    source = "from numba import njit\nprint(njit(lambda x: x * 3)(14))"
    done = subprocess.run([sys.executable, "-m", "rumba", "-c", source], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": str(tmp_path)}, timeout=120)
    assert done.stdout == "42\n" and "Numba extension module 'ext' failed to load" in done.stderr


class TestNumbasOwnTests:
    """`numba.tests` of a package of Numba on the path, which is not imported itself."""

    @pytest.fixture
    def environment(self, tmp_path):
        folder = tmp_path / "numba" / "tests"
        folder.mkdir(parents=True)
        (tmp_path / "numba" / "__init__.py").write_text("raise AssertionError('this is the other one')")
        (folder / "__init__.py").write_text("")
        (folder / "support.py").write_text("from numba import njit")
        (folder / "test_thing.py").write_text(textwrap.dedent("""
            import unittest
            from .support import njit

            class TestThing(unittest.TestCase):
                def test_one(self):
                    import numba
                    self.assertEqual((numba.__name__, njit(abs)(-3)), ("rumba.numba", 3))
        """).replace("njit(abs)", "njit(lambda x: abs(x))"))
        return {"RUMBA_AS_NUMBA": "1", "PYTHONPATH": str(tmp_path)}

    def test_they_run_on_rumba(self, environment):
        for test in "numba.tests.test_thing", "numba.tests.test_thing.TestThing.test_one":
            done = run("-m", "numba.runtests", "-v", test, environment=environment)
            assert done.returncode == 0 and "test_one" in done.stderr and "Ran 1 test" in done.stderr, done.stderr

    def test_missing_ones(self, environment):
        done = run("-m", "numba.runtests", "numba.tests.test_nothing", environment=environment)
        assert done.returncode == 1 and "No module named 'numba.tests.test_nothing'" in done.stderr
        done = run("-c", "import numba.tests", environment={"RUMBA_AS_NUMBA": "1"})
        assert done.returncode == 1 and "whose tests these are, does not lie on the path" in done.stderr
