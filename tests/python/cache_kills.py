"""Processes that are killed at random while they fill one cache, and what is left of it.

    .venv/bin/python tests/python/cache_kills.py --kills 1000

Each process compiles a few functions with `cache=True`, some of which others compile at the same time, and is killed after a random
time. Between them processes that are left alone check every result. At the end the whole cache is verified, and files under
temporary names are counted. The exit status is 1 if a process failed, a result was wrong, an entry cannot be read, or more than one
temporary file is left.
"""
import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import time

FUNCTIONS = 8
"""How many functions a process compiles."""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="rumba-kills-")
    os.environ["RUMBA_CACHE_DIR"] = folder
    # Children need not import it, and begin to compile at once.
    import rumba  # noqa: F401

    began, chance = time.monotonic(), random.Random(chosen.seed)
    killed = ended = failed = 0
    while killed < chosen.kills:
        # Eight processes at once, which share most of their functions with each other and some with those before.
        start = killed // 2
        children = [_start(start + chance.randrange(3)) for _ in range(8)]
        time.sleep(chance.uniform(0.0, 0.4))
        for child in children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            status = os.waitpid(child, 0)[1]
            killed += os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
            ended += status == 0
            failed += status != 0 and not (os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL)
        if chance.random() < 0.1:
            failed += os.waitpid(_start(start), 0)[1] != 0
    # Later processes: over all functions again.
    for start in range(0, killed // 2 + 3, FUNCTIONS):
        failed += os.waitpid(_start(start), 0)[1] != 0
    entries, faults, others = _look(os.path.join(folder, "objects"))
    print(f"{killed} killed, {ended} ended before, {failed} failed, {entries} entries, {faults} of which cannot be read, "
          f"{len(others)} temporary files {others[:5]}, {time.monotonic() - began:.0f} s")
    return 1 if failed or faults or len(others) > 1 else 0


def _start(first):
    """A process that compiles functions from number `first` on; it exits with 1 where a result is wrong."""
    child = os.fork()
    if child:
        return child
    status = 1
    try:
        status = _work(first)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(status)


def _work(first):
    import warnings

    from rumba import njit

    warnings.simplefilter("error")
    for number in range(first, first + FUNCTIONS):
        scope = {}
        exec(f"def f(n):\n    result = {number}\n    for i in range(n):\n        result += i * {number} ^ (i >> 3)\n    return result\n", scope)
        expected = scope["f"](50)
        if njit(cache=True)(scope["f"])(50) != expected:
            print(f"function {number} is wrong", file=sys.stderr)
            return 1
    return 0


def _look(folder):
    """How many entries there are, how many cannot be read, and the names of other files."""
    from rumba._rumba import library

    entries = faults = 0
    others = []
    for name in os.listdir(folder):
        path = os.path.join(folder, name)
        if name.endswith(".object"):
            entries += 1
            try:
                library.cached_object(path)
            except ValueError:
                faults += 1
        elif not name.endswith(".lock") and name != "lock":
            others.append(name)
    return entries, faults, others


if __name__ == "__main__":
    sys.exit(main())
