"""`cache=True`: machine code that an earlier process compiled, never stale, never in the way."""
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

# Functions of many kinds, what they give, and what the cache had of them.
KINDS = """
import sys, warnings
import numpy as np
from rumba import njit
from rumba.numba import cfunc, guvectorize, vectorize
warnings.simplefilter("error")

@njit(cache=True)
def add(a, b):
    return a + b

@njit
def square(x):
    return x * x

@njit(cache=True)
def loops(n, k):
    total = 0
    for i in range(n):
        total += square(i) // k
    return total

@njit(cache=True)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)

@njit(cache=True)
def words(s):
    found = {}
    for word in s.split():
        found[word] = found.get(word, 0) + 1
    return sorted(found.items())

@njit(cache=True)
def numbers(n):
    for i in range(n):
        yield i * 2.5

@njit(cache=True)
def broken(a, i):
    return a[i]

@njit(cache=True)
def arrays(a, b):
    return np.sort(a * 2 + b)[::-1].sum()

def outer(k):
    @njit(cache=True)
    def inner(x):
        return x + k
    return inner

@vectorize(["float64(float64, float64)"], cache=True)
def hypotenuse(a, b):
    return (a * a + b * b) ** 0.5

@guvectorize(["void(float64[:], float64[:])"], "(n)->()", cache=True)
def total(a, out):
    out[0] = a.sum()

@cfunc("int64(int64)", cache=True)
def callback(x):
    return x + 1

a = np.arange(5.0)
print(add(1, 2), add(1.5, 2), loops(10, 3), fib(12), words("a b a"), list(numbers(3)), arrays(a, a), outer(3)(4), outer(4)(4),
      hypotenuse(a, a).tolist(), total(a), callback.ctypes(41))
try:
    loops(3, 0)
except ZeroDivisionError as error:
    print(repr(error), error.__traceback__.tb_next.tb_lineno)
try:
    broken(a, 7)
except IndexError as error:
    print(repr(error))
made = [add, loops, fib, words, numbers, broken, arrays, hypotenuse._dispatcher]
print(sum(sum(f.stats.cache_hits.values()) for f in made), sum(sum(f.stats.cache_misses.values()) for f in made),
      callback.cache_hits)
"""


def run(folder, script, *arguments, status=0, **environment):
    """What a script prints, in a process whose cache is below a folder."""
    space = {**os.environ, "RUMBA_CACHE_DIR": str(folder), **environment}
    space.pop("NUMBA_CACHE_DIR", None)
    done = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True, timeout=120, env=space)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def files(folder):
    return sorted(pathlib.Path(folder, "objects").glob("*.object"))


def test_a_second_process_finds_all_kinds(tmp_path):
    script = tmp_path / "kinds.py"
    script.write_text(KINDS)
    *first, counted = run(tmp_path, script).splitlines()
    assert counted == "0 9 0"
    made = files(tmp_path)
    # Twelve functions, and two loops for NumPy.
    assert len(made) == 14
    *second, counted = run(tmp_path, script).splitlines()
    assert counted == "9 0 1"
    assert second == first
    assert files(tmp_path) == made


SCRIPT = """
import sys
from rumba import njit
import {other}

{above}LIMIT = {limit}

@njit(cache=True)
def f(x):
    return {other}.g(x) + LIMIT

print(f(1), *(len(counter) for counter in f.stats[1:]))
"""
OTHER = """
from rumba import njit

@njit
def g(x):
    return {body}
"""


def test_what_changes_elsewhere_is_never_stale(tmp_path):
    script, other = tmp_path / "script.py", tmp_path / "helper.py"

    def outcome(limit=10, body="x + 1", above=""):
        script.write_text(SCRIPT.format(other="helper", limit=limit, above=above))
        other.write_text(OTHER.format(body=body))
        return run(tmp_path, script, PYTHONDONTWRITEBYTECODE="1").split()

    assert outcome() == ["12", "0", "1"]
    assert outcome() == ["12", "1", "0"]
    assert outcome(limit=20) == ["22", "0", "1"]
    assert outcome(body="x + 2") == ["13", "0", "1"]
    # What was there before is still there.
    assert outcome() == ["12", "1", "0"]


def test_damaged_files_are_made_anew(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from rumba import njit\n@njit(cache=True)\ndef f(x):\n return x * 3\nprint(f(2), len(f.stats.cache_hits))")
    assert run(tmp_path, script).split() == ["6", "0"]
    [path] = files(tmp_path)
    whole = path.read_bytes()
    for damaged in (b"", b"nonsense", whole[:-1], whole[:100] + b"x" + whole[101:]):
        path.write_bytes(damaged)
        assert run(tmp_path, script).split() == ["6", "0"]
        assert path.read_bytes() == whole
    assert run(tmp_path, script).split() == ["6", "1"]


def test_folders_that_cannot_be_used_cost_one_warning(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from rumba import njit\n@njit(cache=True)\ndef f(x):\n return x * 3\nprint(f(2), f(2.5))")
    (tmp_path / "objects").write_text("no folder")
    out = run(tmp_path, script)
    assert out.startswith("6 7.5\n") or out.endswith("6 7.5\n")
    assert out.count("cache=True has no effect") == 1
    # A folder that nobody chose and others may write to.
    home = tmp_path / "home"
    (home / ".cache" / "rumba" / "objects").mkdir(parents=True)
    (home / ".cache" / "rumba" / "objects").chmod(0o777)
    out = run("", script, HOME=str(home), XDG_CACHE_HOME="")
    assert out.count("others may write to it") == 1 and "6 7.5" in out


def test_many_processes_fill_one_cache(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from rumba import njit\nfor k in range(8):\n f = njit(lambda x: x * k + 1, cache=True)\n assert f(3) == 3 * k + 1")
    space = {**os.environ, "RUMBA_CACHE_DIR": str(tmp_path)}
    running = [subprocess.Popen([sys.executable, script], env=space) for _ in range(4)]
    running[0].kill()
    assert [process.wait(120) for process in running[1:]] == [0, 0, 0]
    assert run(tmp_path, "-m", "rumba", "cache", "verify").startswith("8 files, 0 cannot be used")


def test_the_command_shows_and_clears(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from rumba import njit\n@njit(cache=True)\ndef f(x):\n return x * 3\nprint(f(2))")
    run(tmp_path, script)
    shown = run(tmp_path, "-m", "rumba", "cache", "list")
    assert f"f  {script}:2" in shown
    assert "files:  1" in run(tmp_path, "-m", "rumba", "cache", "stats")
    files(tmp_path)[0].write_bytes(b"nonsense")
    assert "another format" in run(tmp_path, "-m", "rumba", "cache", "verify", status=1)
    assert run(tmp_path, "-m", "rumba", "cache", "clear") == "1 files removed\n"
    assert files(tmp_path) == []


@pytest.mark.parametrize("options", [{}, {"fastmath": True}, {"nogil": True}, {"error_model": "numpy"}])
def test_results_are_those_without_a_cache(options):
    from rumba import njit

    def f(a, b):
        total = 0.0
        for i in range(len(a)):
            total += a[i] / b
        return total

    a = np.arange(1, 50) / 7
    expected = njit(f, **options)(a, 3.0)
    for _ in range(2):
        compiled = njit(f, cache=True, **options)
        assert compiled(a, 3.0) == expected
    assert len(compiled.stats.cache_hits) == 1 and compiled.stats.cache_path


ONE = "from rumba import njit\n@njit(cache=True)\ndef f(x):\n return x * 3 + 0.5\nprint(f(2), sum(f.stats.cache_hits.values()))"


def test_code_for_a_level_of_processors_is_found_by_its_level(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(ONE)
    levels = ["x86-64", "x86-64", "host", "x86-64"]
    assert [run(tmp_path, script, RUMBA_CPU=level) for level in levels] == [f"6.5 {hits}\n" for hits in (0, 1, 0, 1)]
    out = run(tmp_path, script, RUMBA_CPU="pentium")
    assert "RUMBA_CPU=pentium has no effect" in out and "6.5 1" in out


def test_the_cache_has_a_size_and_says_what_it_does(tmp_path):
    script = tmp_path / "script.py"
    script.write_text("from rumba import njit\nfor k in range(20):\n f = njit(lambda x: x * k + 1, cache=True)\n f(3)")
    out = run(tmp_path, script, RUMBA_CACHE_SIZE="16K", NUMBA_DEBUG_CACHE="1")
    assert out.count("[cache] data saved to '") == 20
    made = files(tmp_path)
    assert 0 < sum(path.stat().st_size for path in made) <= 16 << 10
    out = run(tmp_path, script, RUMBA_CACHE_SIZE="much", NUMBA_DEBUG_CACHE="1")
    assert f"[cache] data loaded from '{made[0]}'" in out and out.count("RUMBA_CACHE_SIZE=much is no number") == 1


def test_lines_and_folders_are_those_of_today(tmp_path):
    """Code that was cached raises where its functions stand now, of this file and of another one."""
    other = "from rumba import njit\n@njit\ndef get(a, i):\n    return a[i]\n"
    text = """
import numpy as np, traceback
from rumba import njit
from other import get

@njit(cache=True)
def f(a, n):
    if n > 3:
        raise ValueError("too much")
    total = 0.0
    for i in range(n):
        total += get(a, i) // n
    return total + g(n)

@njit
def g(n):
    assert n < 3, "g"
    return n

a = np.ones(2)
for n in (4, 3, 0):
    try:
        f(a, n)
    except Exception as error:
        print(repr(error), [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)[1:]])
print(sum(f.stats.cache_hits.values()), sum(f.stats.cache_misses.values()))
"""
    shown = []
    for folder, above in (("one", 0), ("one", 7), ("two", 3), ("two", 3)):
        place = tmp_path / folder
        place.mkdir(exist_ok=True)
        (place / "other.py").write_text("#\n" * above * 2 + other)
        (place / "script.py").write_text("#\n" * above + text)
        *lines, hits = run(tmp_path, place / "script.py").splitlines()
        here, there = str(place / "script.py"), str(place / "other.py")
        wanted = [f"('{here}', {9 + above})", f"('{there}', {4 + 2 * above})"]
        assert len(lines) == 2 and all(place in line for place, line in zip(wanted, lines)), lines
        shown.append(hits)
    assert shown == ["0 1", "1 0", "1 0", "1 0"]


def test_modules_are_compiled_ahead_and_carried(tmp_path):
    package = tmp_path / "code" / "pkg"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "deep.py").write_text(
        "from numba import njit, vectorize\n@njit('f8(f8)', cache=True)\ndef f(x):\n return x * 3\n"
        "@njit(cache=True)\ndef g(x, y):\n return x + y\n"
        "@vectorize(['i8(i8)'], cache=True)\ndef h(x):\n return x + 1\n")
    path, archive = str(tmp_path / "code"), str(tmp_path / "cache.tar.gz")
    one, two = tmp_path / "one", tmp_path / "two"
    command = "-m", "rumba", "cache"
    out = run(one, *command, "warm", "pkg", "pkg.deep:g(float64, int64[::1])", PYTHONPATH=path)
    count = len(files(one))
    assert count >= 3 and out.startswith(f"{count} files made, {count} in ")
    out = run(one, *command, "warm", "pkg", "no_such_module", status=1, PYTHONPATH=path)
    assert "0 files made" in out and "no_such_module: ModuleNotFoundError" in out
    assert run(one, *command, "export", archive) == f"{count} files in {archive}\n"
    assert run(two, *command, "import", archive) == f"{count} files taken, 0 refused\n"
    script = "import rumba; rumba.install(); import numpy as np; from pkg.deep import *; g(1.0, np.arange(3)); print(sum(sum(d.stats.cache_hits.values()) for d in (f, g)))"
    assert run(two, "-c", script, PYTHONPATH=path) == "2\n"
    import tarfile
    with tarfile.open(archive, "w:gz") as made:
        for name in ("a.object", "../b.object", "c.py"):
            (tmp_path / "file").write_bytes(b"nonsense")
            made.add(tmp_path / "file", name)
    assert "0 files taken, 3 refused" in run(two, *command, "import", archive, status=1)
    assert len(files(two)) == count


def test_code_without_a_file_of_its_own_is_cached(tmp_path):
    """In an archive, given to `exec`, and typed into a notebook, whose cells have names of their own in each session."""
    import zipfile

    with zipfile.ZipFile(tmp_path / "archive.zip", "w") as made:
        made.writestr("inside.py", "from rumba import njit\n@njit(cache=True)\ndef f(x):\n    assert x > 0\n    return x * 3\n")
    script = tmp_path / "script.py"
    script.write_text(
        "import linecache, os, sys, traceback\nsys.path.insert(0, sys.argv[1])\nfrom inside import f\n"
        "space = {}\nexec('from rumba import njit\\n@njit(cache=True)\\ndef g(x):\\n  return x + 1', space)\n"
        "cell, text = f'<ipython-input-{os.getpid()}>', '\\n@space[\"njit\"](cache=True)\\ndef h(x):\\n  return 1 // x\\n'\n"
        "linecache.cache[cell] = len(text), None, text.splitlines(True), cell\nexec(compile(text, cell, 'exec'))\n"
        "print(f(2), space['g'](3), h(1), [sum(made.stats.cache_hits.values()) for made in (f, space['g'], h)])\n"
        "for call in (lambda: f(0), lambda: h(0)):\n"
        "  try: call()\n"
        "  except Exception: print(traceback.format_exc().splitlines()[-3:-1])\n")
    archive = str(tmp_path / "archive.zip")
    for hits in (0, 1):
        first, second, third = run(tmp_path, script, archive).splitlines()
        assert first == f"6 4 1 [{hits}, {hits}, {hits}]"
        assert "archive.zip/inside.py" in second and "line 4" in second
        assert "<ipython-input-" in third and "line 4, in h" in third or "1 // x" in third


def test_programs_may_look_into_the_cache_of_a_function(monkeypatch):
    from rumba import config, njit
    from rumba.numba.core import caching

    f, plain = njit(cache=True)(lambda x: x - 5), njit(lambda x: x - 5)
    assert f(7) == plain(7) == 2 and sum(f._cache_misses.values()) + sum(f._cache_hits.values()) == 1
    assert isinstance(f._cache, caching.FunctionCache) and isinstance(plain._cache, caching.NullCache)
    locator = caching.InTreeCacheLocator.from_function(f.py_func, __file__)
    assert f._cache.cache_path == f.stats.cache_path == locator.get_cache_path() and plain._cache.cache_path is None
    f._cache.disable()
    assert plain.stats.cache_path == f.stats.cache_path is None
    monkeypatch.setattr(config, "CACHE_LOCATOR_CLASSES", "NoSuchLocator")
    with pytest.raises(RuntimeError, match="NoSuchLocator"):
        caching.FunctionCache(f.py_func)


SETTING = """
from rumba import config, njit

@njit(cache=True)
def add(a, b):
    return a + b

for folder in sys.argv[1:]:
    config.CACHE_DIR = folder
    again = njit(cache=True)(add.py_func)
    again(1, 2)
    print(again.stats.cache_path == (folder or of_environment), *(sum(counter.values()) for counter in again.stats[1:]))
"""


def test_the_setting_is_followed_when_a_program_changes_it(tmp_path):
    script = tmp_path / "setting.py"
    script.write_text("import sys\nof_environment = sys.argv.pop(1)\n" + SETTING)
    one, two = str(tmp_path / "one"), str(tmp_path / "two")
    printed = run(tmp_path, script, str(tmp_path / "objects"), one, two, one, "", "").splitlines()
    assert printed == ["True 0 1", "True 0 1", "True 1 0", "True 0 1", "True 1 0"]
    assert [len(list(pathlib.Path(folder).glob("*.object"))) for folder in (one, two)] == [1, 1]
    assert len(files(tmp_path)) == 1


CLASSES = """
import numpy as np
from typing import Generic, TypeVar
from rumba import int64, jitclass, njit

T = TypeVar("T")

@jitclass([("x", int64)])
class P:
    def __init__(self, x):
        self.x = x
    def up(self, n):
        self.x += n
        return self.x
    def __eq__(self, other):
        return self.x == other.x
    def __hash__(self):
        return self.x

@jitclass
class G(Generic[T]):
    value: T
    def __init__(self, value: T):
        self.value = value

@njit(cache=True)
def method(p, n):
    return p.up(n) + P(3).x

@njit(cache=True)
def of_array(a):
    total = 0
    for p in a:
        total += p.up(1)
    return total, len({p: 1 for p in a}), a[0] in {P(2), P(3)}

@njit(cache=True)
def generic(n):
    return G[int64](n).value

@njit(cache=True)
def maybe(p, there):
    q = p if there else None
    return hash(q), method(q, 1)

print(method(P(1), 2), of_array(np.array([P(1), P(1)], dtype=object)), generic(3), maybe(P(4), True),
      [sum(f.stats.cache_hits.values()) for f in (method, of_array, generic, maybe)])
"""


def test_functions_of_objects_are_found_by_other_processes(tmp_path):
    script = tmp_path / "classes.py"
    script.write_text(CLASSES)
    shown = "6 (4, 1, True) 3 (4, 8)"
    assert run(tmp_path, script) == f"{shown} [0, 0, 0, 0]\n"
    assert run(tmp_path, script) == f"{shown} [1, 1, 1, 1]\n"
