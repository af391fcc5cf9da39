"""The library image and the user's store: what they save, and that nothing wrong in them does harm."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import rumba
from rumba._rumba import library
from rumba.cli import image as imaging
from rumba.errors import TypingError

PACKAGE = pathlib.Path(rumba.__file__).parent

# Functions of the library that are in the image, and what importing them would bring.
HITS = """
import bisect, functools, operator, statistics, sys, warnings
import rumba
warnings.simplefilter("always")

@rumba.njit
def f(t, x):
    return (tuple(sorted(t)), statistics.median(t), bisect.bisect_left(t, x), functools.reduce(operator.add, t),
            statistics.fmean(t))

print(f((3.0, 1.0, 2.5), 2.0))
print(*sorted(name for name in sys.modules if name.startswith(("rumba.library", "rumba.extending.overload_registry", "rumba.types"))))
"""
ANSWER = "((1.0, 2.5, 3.0), 2.5, 2, 6.5, 2.1666666666666665)"

# One that is not: too many items.
MISS = """
import sys
import rumba

@rumba.njit
def f(t):
    return tuple(sorted(t))

print(f(tuple(range(30, 0, -1))) == tuple(range(1, 31)))
print(*sorted(name for name in sys.modules if name.startswith("rumba.library")))
"""


def run(source, store, package=None):
    """What a program prints and what it complains about, with a store and perhaps another package of its own."""
    environment = dict(os.environ, RUMBA_CACHE_DIR=str(store))
    if package:
        environment["PYTHONPATH"] = str(package.parent)
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines(), done.stderr


def stored(store):
    return sorted((store / "library").glob("*.instance"))


@pytest.fixture
def package(tmp_path):
    """The package with a copy of the library that may be changed."""
    copy = tmp_path / "changed" / "rumba"
    copy.mkdir(parents=True)
    for item in PACKAGE.iterdir():
        if item.name == "library":
            shutil.copytree(item, copy / item.name)
        else:
            (copy / item.name).symlink_to(item)
    return copy


def image_of(package):
    return next((package / "library").glob(f"library.{sys.implementation.cache_tag}.image"))


def test_hits_import_nothing_of_the_library(tmp_path):
    printed, complaints = run(HITS, tmp_path)
    assert printed == [ANSWER, ""] and complaints == ""
    assert stored(tmp_path) == []


def flip(data, at):
    return data[:at] + bytes([data[at] ^ 1]) + data[at + 1:]


DAMAGES = {
    "no image format": (lambda data: b"something else" * 100, "it has another format"),
    "empty": (lambda data: b"", "its end is missing"),
    "another format": (lambda data: flip(data, 8), "it has another format"),
    "another build": (lambda data: flip(data, 16), "its bytes have changed"),
    "half of it": (lambda data: data[:len(data) // 2], "its end is missing"),
    "the header alone": (lambda data: data[:72], "its end is missing"),
    "a bit in the index": (lambda data: flip(data, 78), "its bytes have changed"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_image_is_no_image(package, tmp_path, damage):
    change, why = DAMAGES[damage]
    image = image_of(package)
    image.write_bytes(change(image.read_bytes()))
    printed, complaints = run(HITS, tmp_path, package)
    assert printed[0] == ANSWER
    assert complaints.count("NumbaWarning") == 1 and f"is not used: {why}" in complaints
    assert "rumba image build" in complaints


def test_damaged_instances_are_compiled_anew(package, tmp_path):
    image = image_of(package)
    data = bytearray(image.read_bytes())
    records = 72 + 40 * int.from_bytes(data[40:48], "little")
    for at in range(records, len(data), 500):
        data[at] ^= 1
    image.write_bytes(bytes(data))
    printed, complaints = run(HITS, tmp_path, package)
    assert printed[0] == ANSWER
    assert complaints.count("NumbaWarning") == 1 and "is not used: its bytes have changed" in complaints


def test_other_sources_make_the_image_stale(package, tmp_path):
    with open(package / "library" / "stdlib" / "functools.py", "a", encoding="utf-8") as file:
        file.write("\n# changed\n")
    printed, complaints = run(HITS, tmp_path, package)
    assert printed[0] == ANSWER
    assert complaints.count("NumbaWarning") == 1 and "the library's sources have changed" in complaints
    # What was compiled instead is in the store, for these sources.
    assert stored(tmp_path) != []
    again, _ = run(HITS, tmp_path, package)
    assert again == [ANSWER, ""]


def test_without_an_image_nothing_is_said(package, tmp_path):
    image_of(package).unlink()
    printed, complaints = run(HITS, tmp_path, package)
    assert printed[0] == ANSWER and complaints == ""


def test_without_code_for_the_processor_instances_are_cloned(package, tmp_path):
    build = "from rumba.cli import image as imaging; from rumba._rumba import library; " \
            "print(library.build(library.path, [(*key, []) for key, _ in imaging.instances()]))"
    built, _ = run(build, tmp_path, package)
    assert built == [str(len(imaging.instances()))]
    printed, complaints = run(HITS, tmp_path, package)
    assert printed == [ANSWER, ""] and complaints == ""


def test_a_miss_is_stored_for_the_next_process(tmp_path):
    first, _ = run(MISS, tmp_path)
    assert first == ["True", "rumba.library rumba.library._predicates rumba.library.builtins rumba.library.builtins._unequal_kinds rumba.library.builtins.list rumba.library.builtins.sorted rumba.library.stable_argsort"]
    assert len(stored(tmp_path)) == 1
    second, _ = run(MISS, tmp_path)
    assert second == ["True", ""]


# Calls whose results depend on constants: a flag, a text, a number; one that always raises has no instance.
CONSTANTS = """
import sys
import numpy, rumba

@rumba.njit
def f(a):
    sums = numpy.sum(a, axis=0, keepdims=True)
    return sums.shape, numpy.pad(a, 1, mode="wrap").shape, numpy.tensordot(a, a, axes=1)[0, 0], numpy.tensordot(a, a, axes=2)[()]

@rumba.njit
def g():
    return list(itertools.product([1], repeat=-1))

print(f(numpy.ones((3, 3), numpy.float32)))
print(*sorted(name for name in sys.modules if name.startswith("rumba.library.numpy")))
import itertools
try:
    g()
except ValueError as error:
    print(error)
"""


def test_constants_of_a_call_are_part_of_its_key(tmp_path):
    for imported in (True, False):
        (answer, modules, error), _ = run(CONSTANTS, tmp_path)
        assert answer == "((1, 3), (5, 5), 3.0, 9.0)"
        assert bool(modules) == imported
        assert error == "repeat argument cannot be negative"
    keys = b"".join(file.read_bytes() for file in stored(tmp_path))
    for key in (b"keepdims=Literal[bool](True))", b"mode=Literal[str](wrap))", b"axes=Literal[int](1))", b"axes=Literal[int](2))"):
        assert key in keys
    assert b"itertools.product" not in keys


def test_a_damaged_store_is_repaired(tmp_path):
    run(MISS, tmp_path)
    file, = stored(tmp_path)
    whole = file.read_bytes()
    for damaged in (whole[:100], flip(whole, len(whole) // 2), b""):
        file.write_bytes(damaged)
        printed, complaints = run(MISS, tmp_path)
        assert printed[0] == "True" and complaints == ""
        assert file.read_bytes() == whole


def test_a_store_that_cannot_be_written_is_no_store(tmp_path):
    (tmp_path / "file").write_text("no folder")
    printed, complaints = run(MISS, tmp_path / "file")
    assert printed[0] == "True" and complaints == ""


def test_several_processes_fill_one_store(tmp_path):
    environment = dict(os.environ, RUMBA_CACHE_DIR=str(tmp_path))
    source = MISS.replace("print(f(", "[f(tuple(range(n))) for n in range(9, 15)]\nprint(f(")
    running = [subprocess.Popen([sys.executable, "-c", source], env=environment, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE) for _ in range(4)]
    for process in running:
        printed, complaints = process.communicate(timeout=120)
        assert process.returncode == 0 and printed.startswith("True") and complaints == ""
    assert len(stored(tmp_path)) == 7
    assert [file.name for file in (tmp_path / "library").iterdir() if file.suffix != ".instance"] == []


def test_instances_survive_a_fork(tmp_path):
    source = HITS + """
import os
child = os.fork()
@rumba.njit
def g(t, x):
    return sorted(t)[0], statistics.median(t), tuple(sorted(t + (x,)))
result = g((5, 4, 3, 2, 1, 0, 9, 8, 7, 6), 3), f((3.0, 1.0, 2.5), 2.0)[1]
if child == 0:
    os._exit(0 if result == ((0, 4.5, (0, 1, 2, 3, 3, 4, 5, 6, 7, 8, 9)), 2.5) else 1)
print(os.waitpid(child, 0)[1], result[1])
"""
    printed, _ = run(source, tmp_path)
    assert printed[-1] == "0 2.5"


def test_threads_share_an_instance(tmp_path):
    source = """
import threading, rumba
results = []
def work(number):
    f = rumba.njit(lambda t: sorted(t)[number])
    results.append(f((2, 1, 0, 3, 5, 4, 9, 8, 7, 6, 11, 10)) == number)
threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(all(results), len(results))
"""
    printed, complaints = run(source, tmp_path)
    assert printed == ["True 8"] and complaints == ""


def test_what_depends_on_the_users_functions_is_not_stored(tmp_path):
    source = """
import functools, rumba
key = rumba.njit(lambda x: -x)
print(rumba.njit(lambda t: sorted(t, key=key)[0] + functools.reduce(lambda a, b: a - b, t))((1, 2, 3)))
"""
    printed, _ = run(source, tmp_path)
    assert printed == ["-1"] and stored(tmp_path) == []


def test_an_interrupt_goes_on_and_the_next_call_works(tmp_path):
    source = """
import statistics, rumba
import rumba.library.stdlib.statistics
from rumba.extending import overload_registry as overloads

one, = overloads._functions["statistics.fmean"]
usual = one.function

def interrupted(data, weights=None):
    one.function = usual
    raise KeyboardInterrupt

one.function = interrupted
f = rumba.njit(lambda t: statistics.fmean(t))
try:
    f(tuple(range(20)))
except KeyboardInterrupt:
    print(f(tuple(range(20))))
"""
    printed, _ = run(source, tmp_path)
    assert printed == ["9.5"] and len(stored(tmp_path)) == 1


def test_overloads_of_others_come_first(tmp_path):
    source = """
import functools, operator, rumba
from rumba.extending import overload
from rumba.types import Float

@overload(functools.reduce)
def mine(function, iterable):
    if isinstance(iterable.dtype, Float):
        return lambda function, iterable: 42

f = rumba.njit(lambda t: functools.reduce(operator.add, t))
print(f((1.0, 2.0)), f((1, 2)))
"""
    printed, _ = run(source, tmp_path)
    assert printed == ["42 3"]


def test_code_of_instances_is_freed(fresh_process):
    printed = fresh_process("""
import gc, statistics, rumba
from rumba._rumba import session
def use():
    f = rumba.njit(lambda t: statistics.median(t))
    assert f((1, 2, 3)) == 2
    return session.live_units()
def share():
    f, g = (rumba.njit(lambda t: statistics.median(t) + k) for k in (1, 2))
    assert f((1, 2, 3)) + g((3, 2, 1)) in (6, 7, 8)
    return session.live_units()
before = session.live_units()
during = use()
gc.collect()
print(before, during, session.live_units(), share())
gc.collect()
print(session.live_units())
""")
    assert printed.split() == ["0", "2", "0", "3", "0"]


def test_exceptions_of_linked_instances(fresh_process):
    printed = fresh_process("""
import bisect, rumba
f = rumba.njit(lambda t, lo: bisect.bisect_left(t, 2, lo))
g = rumba.njit(lambda t: bisect.bisect_left(t, 2, 0, 9))
for call in lambda: f((1, 2, 3), -1), lambda: g((1, 2, 3)):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)
""")
    assert printed == "ValueError lo must be non-negative\nIndexError tuple index out of range\n"


# The command.

def command(*arguments):
    done = subprocess.run([sys.executable, "-m", "rumba", "image", *arguments], capture_output=True, text=True,
                          timeout=300)
    return done.returncode, done.stdout, done.stderr


def test_the_image_is_what_the_compiler_makes_now():
    status, printed, complaints = command("verify")
    assert (status, complaints) == (0, "") and printed.endswith("instances, 0 wrong\n"), printed


def test_the_list_says_what_becomes_of_each():
    status, printed, _ = command("list")
    head, *rows, total = printed.splitlines()
    assert status == 0 and head.split()[:4] == ["instance", "result", "ops", "use"]
    assert len(rows) == len(imaging.instances()) and total.startswith(f"{len(rows)} instances")
    small = next(row for row in rows if row.startswith("numpy.clip(int64"))
    large = next(row for row in rows if row.startswith("builtins.sorted(UniTuple(int64 x 3))"))
    assert " cloned" in small and " called" in large and "list(int64 x 3)" in large


def test_commands_refuse_a_damaged_image(tmp_path):
    damaged = tmp_path / "damaged"
    damaged.write_bytes(image_of(PACKAGE).read_bytes()[:1000])
    for action in ("list", "verify"):
        status, printed, complaints = command(action, "--path", str(damaged))
        assert status == 1 and printed == "" and "its end is missing" in complaints


def test_lines_of_instances_expand():
    assert imaging.expand("f({a,b} x {2-4})") == [
        "f(a x 2)", "f(a x 3)", "f(a x 4)", "f(b x 2)", "f(b x 3)", "f(b x 4)"]
    assert imaging.read_key("m.f(UniTuple(int64 x 2), Function(g), reverse=bool)") == (
        "m.f", ["UniTuple(int64 x 2)", "Function(g)", "bool"], ["reverse"])
    assert imaging.read_key("f()") == ("f", [], [])


def test_an_instance_that_cannot_be_kept_ends_the_image_with_its_error(tmp_path):
    """More of them than wait in the queue between the thread that types and those that compile."""
    failing = ("statistics.fmean", ["array(float64, 1d, C)"], [])
    with pytest.raises(TypingError, match="an exception class of the user"):
        library.build(str(tmp_path / "image"), [(*failing, [3])] * 60)
    assert not (tmp_path / "image").exists()


CALLING = """
import glob, os, sys
import numpy as np
from rumba import njit

@njit
def total(a):
    return np.sum(a, axis=1)

assert total(np.ones((2, 3, 4), np.int16)).tolist() == [[3] * 4] * 2
"""


def test_an_instance_whose_callee_is_gone_is_made_again(tmp_path):
    def run():
        subprocess.run([sys.executable, "-c", CALLING], check=True, env={**os.environ, "RUMBA_CACHE_DIR": str(tmp_path)})
        return sorted(path for path in tmp_path.rglob("*.instance"))

    files = run()
    assert len(files) > 1
    for path in files:
        path.unlink()
        assert run() == files
