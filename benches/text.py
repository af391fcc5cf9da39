"""Times of operations on strings: `python benches/text.py rumba` and, in an environment that has it, `... numba`."""
import importlib
import sys
import time

njit = importlib.import_module(sys.argv[1]).njit

LONG = "the quick brown fox jumps over the lazy dog, " * 40
FIELDS = ",".join([f"field{i}" for i in range(100)])


def repeated(expression):
    """A compiled function that evaluates an expression over `s`, `t`, `u` so often, and adds up what it gives."""
    space = {}
    exec(f"def run(s, t, u, n):\n    r = 0\n    for i in range(n):\n        r += {expression}\n    return r", space)
    return njit(space["run"])


@njit
def characters(s, t, u, n):
    r = 0
    for i in range(n):
        for c in s:
            if c == "a":
                r += 1
    return r


@njit
def items(s, t, u, n):
    r = 0
    for i in range(n):
        for j in range(len(s)):
            if s[j] == "a":
                r += 1
    return r


@njit
def slices(s, t, u, n):
    r = 0
    for i in range(n):
        for j in range(len(s) - 3):
            r += len(s[j:j + 3])
    return r


@njit
def grow(s, t, u, n):
    for i in range(n):
        s += t
    return len(s)


@njit
def join(s, t, u, n):
    parts = s.split(",")
    r = 0
    for i in range(n):
        r += len(t.join(parts))
    return r


CASES = [
    ("s == t, 1,800 characters", repeated("s == t"), LONG + "a", LONG + "a", "", 20000),
    ("s == t, 5 characters", repeated("s == t"), "hello", "hello", "", 200000),
    ("s == 'hello'", repeated("s == 'hello'"), "hello", "", "", 200000),
    ("s < t", repeated("s < t"), LONG + "a", LONG + "b", "", 20000),
    ("for c in s", characters, LONG, "", "", 50),
    ("s[i]", items, LONG, "", "", 50),
    ("s[i:i + 3]", slices, LONG, "", "", 20),
    ("s.find(t), 1,800 characters", repeated("s.find(t)"), LONG + "zzz", "zzz", "", 5000),
    ("s.find(t), 11 characters", repeated("s.find(t)"), "hello world", "wor", "", 100000),
    ("t in s", repeated("t in s"), LONG + "zzz", "zzz", "", 5000),
    ("s.count(t)", repeated("s.count(t)"), LONG, "fox", "", 2000),
    ("s.startswith(t)", repeated("s.startswith(t)"), LONG, "the quick", "", 100000),
    ("s.replace(t, u)", repeated("len(s.replace(t, u))"), LONG, "fox", "cats", 1000),
    ("s + t, 1,800 characters", repeated("len(s + t)"), LONG, LONG, "", 20000),
    ("s + t, 5 characters", repeated("len(s + t)"), "hello", "world", "", 200000),
    ("s += t in a loop", grow, "", "x", "", 20000),
    ("hash(s + t)", repeated("hash(s + t) & 1"), "hello", "x", "", 100000),
    ("s.split(',')", repeated("len(s.split(','))"), FIELDS, "", "", 1000),
    ("s.split()", repeated("len(s.split())"), LONG, "", "", 500),
    ("t.join(parts)", join, FIELDS, "-", "", 1000),
    ("s.upper()", repeated("len(s.upper())"), LONG, "", "", 2000),
    ("s.strip()", repeated("len(s.strip())"), "  " + LONG + "  ", "", "", 5000),
    ("str(i)", repeated("len(str(i))"), "", "", "", 100000),
]


def least(function, *args):
    """The least time of seven runs, in seconds."""
    function(*args)
    times = []
    for _ in range(7):
        start = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - start)
    return min(times)


if __name__ == "__main__":
    for name, function, *args in CASES:
        print(f"{name}\t{least(function, *args):.3e}")
