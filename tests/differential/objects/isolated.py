"""Checks a program in a child of this process, so that one that crashes or hangs can be made small, too.

This process imports Rumba and compiles nothing, so it can be forked.
"""
import functools
import json
import os
import resource
import select
import signal
import sys
import time
import warnings

from . import shrink
from .outcome import Failure, check

# Seconds of the processor that a program may take, and how much longer it may be waited for.
PATIENCE, WALL = 5, 20


def with_environment(variables):
    """Starts this process anew if it lacks variables, some of which are read at its start only."""
    if any(os.environ.get(name) != value for name, value in variables.items()):
        os.execve(sys.executable, [sys.executable, *sys.orig_argv[1:]], os.environ | variables)


def ask(program, patience=PATIENCE, **how):
    """The failure of a program that is checked like this; a crash and a hang are failures as well."""
    import rumba  # noqa: F401  # Once, here.

    compile(program.source, "<program>", "exec")
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.close(reading)
        answer(program, writing, patience, how)
    os.close(writing)
    data, deadline, hangs = b"", time.monotonic() + WALL * patience, False
    while True:
        if not select.select([reading], [], [], max(0.0, deadline - time.monotonic()))[0]:
            hangs = True
            os.kill(child, signal.SIGKILL)
            break
        part = os.read(reading, 65536)
        if not part:
            break
        data += part
    os.close(reading)
    status = os.waitpid(child, 0)[1]
    code = os.waitstatus_to_exitcode(status)
    if hangs or code == -signal.SIGXCPU:
        return Failure("hang", "no answer", f"no answer in {patience} s")
    if not data:
        return Failure("crash", f"status {code}", "")
    found = json.loads(data)
    return found and Failure(found[0], found[1].split(": ", 1)[1], found[2])


def answer(program, writing, patience, how):
    """In the child: writes what fails and ends."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (patience, patience + 1))
    silent = os.open(os.devnull, os.O_WRONLY)
    os.dup2(silent, 1)
    os.dup2(silent, 2)
    try:
        failure = check(program.source, program.calls, program.after, **how)
        os.write(writing, json.dumps(failure and [failure.word, failure.signature, failure.details]).encode())
    except BaseException:  # What cannot be run does not fail.
        os.write(writing, b"null")
    finally:
        os._exit(0)


def shrink_and_print(program, options, stage, seconds=80.0):
    """Prints a small program that fails as the program does; the exit code is 1 if it fails.

    It is compiled with these options of `njit`, and run by the interpreter of a stage if there is one.
    """
    warnings.simplefilter("ignore")
    ask_so = functools.partial(ask, options=options, stage=stage)
    failure = ask_so(program, 4 * PATIENCE)
    if failure is None:
        print(program.text())
        print("no difference found")
        return 0
    small, failure = shrink.shrink(program, failure, lambda: None, ask_so, seconds)
    print(f"# {failure.signature}")
    print(as_test(small))
    print("\n".join("# " + line for line in failure.details.splitlines()[:8]))
    return 1


def as_test(program):
    """The program as a test of pytest."""
    calls = "".join(f"        lambda: {call},\n" for call in program.calls)
    after = f", {', '.join(program.after)}" if program.after else ""
    return (f"{program.source.strip()}\n\n\ndef test_main():\n    compiled = njit(main)\n    for args in (\n{calls}    ):\n"
            f"        wanted, found = args(), args()\n        assert outcome(compiled, *found{after}) == outcome(main, *wanted{after})\n"
            f"        assert found == wanted\n")
