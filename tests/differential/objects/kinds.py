"""Types of values as trees of words, their text, and unification with patterns that have variables."""
import functools

# Variables of patterns: anything, hashable, ordered, what is equal or not, what has a text, items of arrays.
ANY, HASHABLE, ORDERED, EQUAL, SHOWN, NUMBER = "TUVW", "KL", "OP", "E", "S", "N"
VARIABLES = frozenset(ANY + HASHABLE + ORDERED + EQUAL + SHOWN + NUMBER)


@functools.cache
def parse(text):
    """`dict[str,list[int]]` as a tree."""
    text = text.replace(" ", "")
    tree, rest = _parse(text)
    assert not rest, text
    return tree


def _parse(text):
    at = 0
    while at < len(text) and text[at] not in "[],":
        at += 1
    head, rest = text[:at], text[at:]
    items = []
    if rest.startswith("["):
        while rest[0] != "]":
            item, rest = _parse(rest[1:])
            items.append(item)
        rest = rest[1:]
    return (head, *items), rest


def show(kind):
    """The text of a tree."""
    return kind[0] + (f"[{','.join(map(show, kind[1:]))}]" if len(kind) > 1 else "")


def fits(kind, variable):
    """Whether a variable of a pattern may stand for the type."""
    if kind[0] in ("iter", "fn", "idx", "small", "exc", "excargs", "failed"):
        return False
    if variable in HASHABLE:
        return kind[0] in ("int", "str", "bool") or kind[0] == "tuple" and all(fits(item, variable) for item in kind[1:])
    if variable in ORDERED:
        return kind[0] in ("int", "str", "float") or kind[0] in ("tuple", "list") and all(fits(item, variable) for item in kind[1:])
    if variable in NUMBER:
        return kind in (("int",), ("float",))
    if kind[0] == "figure":
        return variable in ANY + EQUAL
    if variable in EQUAL:
        # Items of tuples that are the same object are not compared, and a full slice is the array itself in compiled code.
        return kind[0] != "array" and all(fits(item, variable) for item in kind[1:])
    if variable in SHOWN:
        # CPython shows a set in the order of its hash table.
        return kind[0] not in ("array", "set", "frozenset", "figure") and all(fits(item, variable) for item in kind[1:])
    return True


def unify(pattern, kind, bound):
    """Whether the pattern is the type; binds variables."""
    if pattern[0] in VARIABLES:
        if pattern[0] in bound:
            return bound[pattern[0]] == kind
        if not fits(kind, pattern[0]):
            return False
        bound[pattern[0]] = kind
        return True
    return pattern[0] == kind[0] and len(pattern) == len(kind) and all(
        unify(inner, item, bound) for inner, item in zip(pattern[1:], kind[1:]))


def substitute(pattern, bound, choose):
    """The type that a pattern stands for; what is not bound is chosen."""
    if pattern[0] in VARIABLES:
        if pattern[0] not in bound:
            bound[pattern[0]] = choose(pattern[0])
        return bound[pattern[0]]
    return (pattern[0], *(substitute(item, bound, choose) for item in pattern[1:]))


def depth(kind):
    """How deep containers lie in each other."""
    return 1 + max(map(depth, kind[1:])) if len(kind) > 1 else 0


def mutable(kind):
    """Whether a value can be changed."""
    return kind[0] in ("list", "set", "dict", "counter", "defaultdict", "deque", "array")
