"""Loops over operations on strings. `KERNELS` says what each is called with.

Each takes the package's `njit`, so that Rumba and Numba compile the same text, and gives the function to call.
"""

LONG = "the quick brown fox jumps over the lazy dog, " * 40
FIELDS = ",".join([f"field{i}" for i in range(100)])


def repeated(expression):
    """What makes a compiled function that evaluates an expression over `s`, `t`, `u` so often, and adds up what it gives."""
    text = f"def run(s, t, u, n):\n    r = 0\n    for i in range(n):\n        r += {expression}\n    return r"

    def make(njit):
        namespace = {}
        exec(text, namespace)
        return njit(namespace["run"])

    return make


def characters(njit):
    """Goes through the characters."""

    @njit
    def characters(s, t, u, n):
        r = 0
        for i in range(n):
            for c in s:
                if c == "a":
                    r += 1
        return r

    return characters


def slices(njit):
    """Takes slices of three characters."""

    @njit
    def slices(s, t, u, n):
        r = 0
        for i in range(n):
            for j in range(len(s) - 3):
                r += len(s[j:j + 3])
        return r

    return slices


def join(njit):
    """Joins the parts of a string."""

    @njit
    def join(s, t, u, n):
        parts = s.split(",")
        r = 0
        for i in range(n):
            r += len(t.join(parts))
        return r

    return join


# The function that makes it, its arguments, and arguments for the first call.
KERNELS = {
    "equal": (repeated("s == t"), (LONG + "a", LONG + "b", "", 20_000), ("a", "b", "", 1)),
    "less": (repeated("s < t"), (LONG + "a", LONG + "b", "", 20_000), ("a", "b", "", 1)),
    "find": (repeated("s.find(t)"), (LONG + "zzz", "zzz", "", 5_000), ("a", "b", "", 1)),
    "count": (repeated("s.count(t)"), (LONG, "fox", "", 2_000), ("a", "b", "", 1)),
    "replace": (repeated("len(s.replace(t, u))"), (LONG, "fox", "cats", 1_000), ("a", "b", "c", 1)),
    "concatenate": (repeated("len(s + t)"), (LONG, LONG, "", 20_000), ("a", "b", "", 1)),
    "split": (repeated("len(s.split(t))"), (FIELDS, ",", "", 1_000), ("a", ",", "", 1)),
    "split_spaces": (repeated("len(s.split())"), (LONG, "", "", 500), ("a", "", "", 1)),
    "join": (join, (FIELDS, "-", "", 1_000), ("a,b", "-", "", 1)),
    "upper": (repeated("len(s.upper())"), (LONG, "", "", 2_000), ("a", "", "", 1)),
    "characters": (characters, (LONG, "", "", 200), ("a", "", "", 1)),
    "slices": (slices, (LONG, "", "", 200), ("abcd", "", "", 1)),
}
