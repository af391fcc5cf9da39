"""Loops over lists, dicts and sets that are made in compiled code. `KERNELS` says what each is called with.

Each takes the package's `njit`, so that Rumba and Numba compile the same text, and gives the function to call.
"""


def list_append(njit):
    """Appends, then sums by index."""

    @njit
    def list_append(n):
        items = []
        for i in range(n):
            items.append(i)
        total = 0
        for i in range(n):
            total += items[i]
        return total

    return list_append


def list_comprehension(njit):
    """A comprehension with a condition, gone through."""

    @njit
    def list_comprehension(n):
        total = 0.0
        for x in [i * 0.5 for i in range(n) if i % 3]:
            total += x
        return total

    return list_comprehension


def list_sort(njit):
    """Sorts numbers in no order."""

    @njit
    def list_sort(n):
        items = [(i * 7919) % 1000003 for i in range(n)]
        items.sort()
        return items[n // 2]

    return list_sort


def dict_insert(njit):
    """Inserts integers."""

    @njit
    def dict_insert(n):
        d = dict()
        for i in range(n):
            d[i * 7919] = i
        return len(d)

    return dict_insert


def dict_lookup(njit):
    """Counts integers of few values."""

    @njit
    def dict_lookup(n):
        d = dict()
        for i in range(1000):
            d[i * 31] = 0
        for i in range(n):
            d[(i * 7919) % 1000 * 31] += 1
        return d[31]

    return dict_lookup


def dict_missing(njit):
    """Asks for keys of which half are there."""

    @njit
    def dict_missing(n):
        d = dict()
        for i in range(1000):
            d[i * 2] = i
        found = 0
        for i in range(n):
            if (i * 7919) % 2000 in d:
                found += 1
        return found

    return dict_missing


def dict_iterate(njit):
    """Goes through keys and values."""

    @njit
    def dict_iterate(n):
        d = dict()
        for i in range(1000):
            d[i] = i * 0.5
        total = 0.0
        for _ in range(n // 1000):
            for key, value in d.items():
                total += key * value
        return total

    return dict_iterate


def dict_tuple(njit):
    """Counts pairs of integers."""

    @njit
    def dict_tuple(n):
        d = dict()
        for i in range(n):
            key = (i % 37, i % 11)
            if key in d:
                d[key] += 1
            else:
                d[key] = 1
        return len(d)

    return dict_tuple


def dict_str(njit):
    """Counts words."""

    @njit
    def dict_str(words, n):
        d = dict()
        for word in words:
            d[word] = 0
        for _ in range(n):
            for word in words:
                d[word] += 1
        return d[words[3]]

    return dict_str


def set_add(njit):
    """Adds integers, each of them several times."""

    @njit
    def set_add(n):
        s = set()
        for i in range(n):
            s.add((i * 7919) % 5003)
        return len(s)

    return set_add


def set_operators(njit):
    """Union, intersection and difference of two sets, and membership."""

    @njit
    def set_operators(n):
        a, b = set(range(n)), set(range(n // 2, n + n // 2))
        both, either, rest = a & b, a | b, a - b
        found = 0
        for i in range(n):
            if i in both:
                found += 1
        return len(both) + len(either) + len(rest) + found

    return set_operators


WORDS = tuple(f"word{number * 7919}" for number in range(20))

# The function that makes it, its arguments, and arguments for the first call.
KERNELS = {
    "list_append": (list_append, (200_000,), (10,)),
    "list_comprehension": (list_comprehension, (200_000,), (10,)),
    "list_sort": (list_sort, (100_000,), (10,)),
    "dict_insert": (dict_insert, (100_000,), (10,)),
    "dict_lookup": (dict_lookup, (300_000,), (10,)),
    "dict_missing": (dict_missing, (300_000,), (10,)),
    "dict_iterate": (dict_iterate, (300_000,), (1000,)),
    "dict_tuple": (dict_tuple, (200_000,), (10,)),
    "dict_str": (dict_str, (WORDS, 10_000), (WORDS, 10)),
    "set_add": (set_add, (200_000,), (10,)),
    "set_operators": (set_operators, (50_000,), (10,)),
}
