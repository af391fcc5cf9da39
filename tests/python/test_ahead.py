"""Modules that are built ahead of time: built once, then imported by processes that have no Rumba."""
import os
import subprocess
import sys

import ahead_cases
import numpy
import pytest

from rumba import ahead, errors, guvectorize, njit, vectorize
from rumba.numba.pycc import CC

SITES = os.path.dirname(os.path.dirname(numpy.__file__)), os.path.dirname(__file__)


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The path of a module with all functions of `ahead_cases`."""
    functions = {name: (getattr(ahead_cases, name), signatures) for name, signatures in ahead_cases.SIGNATURES.items()}
    return ahead.build("built", functions, str(tmp_path_factory.mktemp("ahead")))


def run(folder, *command):
    """What a process without Rumba prints."""
    code = f"import sys; sys.path[:0] = {[str(folder), *SITES]!r}\n"
    command = [code + command[0]] if len(command) == 1 else command
    done = subprocess.run([sys.executable, "-S", "-I", "-c", *command], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_results_exceptions_and_lines_are_those_of_python(built):
    child = os.path.join(os.path.dirname(__file__), "ahead_child.py")
    done = subprocess.run([sys.executable, "-S", "-I", child, os.path.dirname(built), *SITES],
                          capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("all the same\n", "")


def test_a_module_needs_only_the_system(built):
    needed = subprocess.run(["ldd", built], capture_output=True, text=True, check=True).stdout
    libraries = {line.split()[0].partition(".so")[0].rpartition("/")[2] for line in needed.splitlines()}
    assert libraries <= {"linux-vdso", "libc", "libm", "libgcc_s", "libpthread", "libdl", "ld-linux-x86-64"}
    assert os.path.getsize(built) < 6_000_000


def test_functions_tell_of_themselves(built):
    text = run(os.path.dirname(built), """
import built, inspect
print(built.scaled.__name__, built.scaled.__doc__, built.scaled.__module__, type(built.scaled).__name__)
for args in (("a",), (1, 2, 3), ([1],)):
    try:
        built.add(*args)
    except TypeError as error:
        print(error)
try:
    built.add(1, "a")
except TypeError as error:
    print(error)
""")
    assert text.splitlines() == [
        "scaled Doc of scaled. built builtin_function_or_method",
        "add() missing 1 required positional argument: 'b'",
        "add() takes 2 positional arguments but 3 were given",
        "add() missing 1 required positional argument: 'b'",
        "add(): No matching definition for argument type(s) int64, unicode_type: it was built for (int64, int64) -> int64, "
        "(float64, float64) -> float64, (complex128, complex128) -> complex128, "
        "(array(float64, 1d, C), array(float64, 1d, C)) -> array(float64, 1d, C)",
    ]


def test_references_and_memory_come_back(built):
    text = run(os.path.dirname(built), """
import built, numpy as np, resource, sys
a = np.ones(300_000)
name = "text" * 1000
items = [1.0, 2.0]
before = sys.getrefcount(a), sys.getrefcount(name), sys.getrefcount(items), sys.getrefcount(None) // 100
def rounds(count):
    for _ in range(count):
        built.add(a, a), built.same(a), built.view(np.arange(9, dtype=np.int32)), built.made(1000), built.greet(name)
        built.words(name), built.squares(100), built.append(items), items.pop(), built.nothing(True)
        try:
            built.check(9)
        except ValueError:
            pass
        try:
            built.fill(a[:0], "no")
        except TypeError:
            pass
rounds(20)
start = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
rounds(300)
print((sys.getrefcount(a), sys.getrefcount(name), sys.getrefcount(items), sys.getrefcount(None) // 100) == before)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - start < 20_000)
result = built.add(a, a)
print(sys.getrefcount(result), built.same(a) is a or built.same(a).base is a)
""")
    assert text.split() == ["True", "True", "2", "True"]


def test_modules_are_imported_anew_and_their_loops_interrupted(built):
    text = run(os.path.dirname(built), """
import built, signal, sys
first = built.add
del sys.modules["built"]
import built as again
print(again is built, first(1, 2), again.add(1, 2), first.__module__)
signal.signal(signal.SIGALRM, signal.default_int_handler)
signal.setitimer(signal.ITIMER_REAL, 0.2)
try:
    again.spin(10**12)
except KeyboardInterrupt:
    print("interrupted")
""")
    assert text == "False 3 3 built\ninterrupted\n"


def test_ufuncs_are_those_of_numpy(tmp_path):
    @vectorize(["int64(int64, int64)", "float64(float64, float64)"], identity=0)
    def add(a, b):
        """Doc of add."""
        return a + b

    @guvectorize(["void(float64[:], float64[:], float64[:])"], "(n),(m)->(n)")
    def shifted(a, b, out):
        for i in range(a.size):
            out[i] = a[i] + b[i % b.size]

    @vectorize(["float64(float64)"])
    def inverse(x):
        if x == 0:
            raise ValueError("zero")
        return 1 / x

    ahead.build("ufuncs", {"add": add, "shifted": shifted, "inverse": inverse}, str(tmp_path))
    text = run(tmp_path, """
import numpy as np, ufuncs
print(type(ufuncs.add).__name__, ufuncs.add.__name__, ufuncs.add.types, ufuncs.add.identity, ufuncs.shifted.signature)
print(ufuncs.add(np.arange(3), 2), ufuncs.add(1.5, np.arange(2)), ufuncs.add.reduce(np.arange(10)), ufuncs.add.outer([1, 2], [3, 4]))
print(ufuncs.shifted(np.arange(6.0).reshape(2, 3), [10, 20]), ufuncs.add(np.arange(6)[::2], 1, out=np.zeros(3)))
try:
    ufuncs.inverse([1.0, 0.0])
except ValueError as error:
    print(error)
""")
    assert text == (
        "ufunc add ['ll->l', 'dd->d'] 0 (n),(m)->(n)\n"
        "[2 3 4] [1.5 2.5] 45 [[4 5]\n [5 6]]\n"
        "[[10. 21. 12.]\n [13. 24. 15.]] [1. 3. 5.]\n"
        "zero\n")
    with pytest.raises(errors.UnsupportedError, match="has no signatures"):
        ahead.build("refused", {"free": vectorize(lambda x: x)}, str(tmp_path))


def test_what_cannot_be_built_names_the_line(tmp_path):
    class Own(Exception):
        pass

    def prints(x):
        if x > 3:
            raise Own(x)
        return x

    with pytest.raises(errors.NumbaError) as raised:
        ahead.build("refused", {"prints": (prints, ["int64(int64)"])}, str(tmp_path))
    line = prints.__code__.co_firstlineno + 2
    assert "cannot be built ahead of time" in str(raised.value) and f"{__file__}:{line}" in str(raised.value).replace(", line ", ":")
    assert not os.listdir(tmp_path)

    def collects(*args):
        return len(args)

    with pytest.raises(errors.UnsupportedError, match="'args' collects arguments"):
        ahead.build("refused", {"collects": (collects, ["int64(int64)"])}, str(tmp_path))
    with pytest.raises(ValueError, match="has no signatures"):
        ahead.build("refused", {"free": njit(lambda x: x)}, str(tmp_path))


def test_without_a_linker_the_error_says_so(tmp_path, monkeypatch):
    functions = {"add": (ahead_cases.add, ["int64(int64, int64)"])}
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ahead.linker.LinkError, match="there is no cc, gcc or clang"):
        ahead.build("unlinked", functions, str(tmp_path))


def test_cc_builds_beside_its_source_and_the_same_each_time(tmp_path):
    cc = CC("collected")
    assert cc.output_dir == os.path.dirname(os.path.abspath(__file__)) and cc.name == "collected"
    with pytest.raises(ValueError):
        CC("a.b")
    cc.output_dir = str(tmp_path)

    @cc.export("square", "f8(f8)")
    @cc.export("square_int", ["i8(i8)", "i4(i4)"])
    def square(x):
        return x * x

    with pytest.raises(KeyError):
        cc.export("square", "f4(f4)")
    contents = []
    for _ in range(2):
        cc.compile()
        contents.append((tmp_path / cc.output_file).read_bytes())
    assert contents[0] == contents[1]
    assert run(tmp_path, "import collected as c; print(c.square(1.5), c.square_int(7), c.square.__module__)") == "2.25 49 collected\n"


def test_setuptools_builds_an_extension_of_a_package(tmp_path):
    package = tmp_path / "tools"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "source.py").write_text(
        "from rumba.numba.pycc import CC\n\ncc = CC('kernels')\n\n\n@cc.export('twice', 'i8(i8)')\ndef twice(x):\n    return 2 * x\n")
    (tmp_path / "setup.py").write_text(
        "from setuptools import setup\nfrom tools.source import cc\n\n"
        "setup(name='tools', packages=['tools'], ext_modules=[cc.distutils_extension()])\n")
    done = subprocess.run([sys.executable, "setup.py", "-q", "build_ext", "--inplace"], cwd=tmp_path, capture_output=True,
                          text=True, timeout=120, env={**os.environ, "PYTHONPATH": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert run(tmp_path, "from tools import kernels; print(kernels.twice(21))") == "42\n"


def test_the_command_builds_files_and_packages(tmp_path, fresh_process):
    package = tmp_path / "source" / "tools"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "kernels.py").write_text(
        "from numba import njit, vectorize\n\n\n@njit('int64(int64)')\ndef twice(x):\n    return 2 * x\n\n\n"
        "@njit\ndef free(x):\n    return x\n\n\n@vectorize(['int64(int64)'])\ndef each(x):\n    return x + 1\n")
    output = tmp_path / "output"
    code = f"import sys; from rumba.cli.main import main; sys.exit(main(['build', {str(package)!r}, '-o', {str(output)!r}]))"
    assert "kernels" in fresh_process(code)
    assert run(output, "from tools import kernels as k; print(k.twice(21), hasattr(k, 'free'), k.each([1, 2]))") == "42 False [2 3]\n"
