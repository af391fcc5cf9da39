"""Makes a failing program small: statements, expressions, calls and arguments are taken out as long as it fails in the same way.

Works on Python's syntax trees, so it needs to know nothing of how a program was made.
"""
import ast
import copy
import time

from .generator import Program
from .outcome import emulate

SECONDS = 40.0
BODIES = ("body", "orelse")
NONSENSE = ("TypeError", "NameError", "UnboundLocalError", "AttributeError")
SIMPLE = ("0", "1", "''", "'a'", "True", "False", "[]", "0.5", "None")


def shrink(program, failure, beat, fails, seconds):
    """The smallest program found that fails in the same way, and its failure; `fails` tells the failure of a program."""
    best, deadline = (program, failure), time.monotonic() + seconds
    sound = makes_sense(program)

    def attempt(candidate):
        nonlocal best
        beat()
        try:
            found = fails(candidate) if makes_sense(candidate) or not sound else None
        except Exception:  # A candidate that cannot even be run is none.
            return False
        if found is not None and found.is_like(failure):
            best = candidate, found
            return True
        return False

    progress = True
    while progress and time.monotonic() < deadline:
        progress = False
        for make in (fewer_calls, smaller_source, smaller_calls):
            while time.monotonic() < deadline:
                if not any(attempt(candidate) for candidate in make(best[0]) if time.monotonic() < deadline):
                    break
                progress = True
    return best


def makes_sense(program):
    """Whether CPython finds no fault with the types of values and no name that is not there."""
    return not any(one and one[0][1] in NONSENSE for one in emulate(program.source, program.calls, program.after))


def fewer_calls(program):
    """The program with one of its calls."""
    if len(program.calls) > 1:
        for call in program.calls:
            yield Program(program.source, [call], program.after)


def smaller_calls(program):
    """The program with smaller arguments."""
    for at, call in enumerate(program.calls):
        for text in smaller(call, top=2):
            yield Program(program.source, [*program.calls[:at], text, *program.calls[at + 1:]], program.after)


def smaller_source(program):
    """The program with less text, large parts first."""
    for text in smaller(program.source):
        yield Program(text, program.calls, program.after)


def smaller(text, top=0):
    """Texts that have one part less."""
    tree = ast.parse(text)
    count = len(list(edits(tree, top)))
    for at in range(count):
        changed = copy.deepcopy(tree)
        change = list(edits(changed, top))[at]
        change()
        ast.fix_missing_locations(changed)
        try:
            new = ast.unparse(changed)
        except Exception:  # An edit may leave a tree that is no program.
            continue
        if len(new) < len(text) or len(new) == len(text) and new < text:
            yield new


def edits(tree, top):
    """Functions that each change the tree at one place."""
    for node in list(ast.walk(tree)):
        for name in BODIES:
            body = getattr(node, name, None)
            if isinstance(body, list):
                yield from statement_edits(body, name == "body")
    for parent in list(ast.walk(tree)):
        for name, value in list(ast.iter_fields(parent)):
            if isinstance(value, ast.expr) and not isinstance(getattr(value, "ctx", None), ast.Store):
                if not (top and isinstance(parent, ast.Expr)):
                    yield from expression_edits(parent, name, None, value)
            elif isinstance(value, list):
                for at, item in enumerate(value):
                    if isinstance(item, ast.expr) and not isinstance(getattr(item, "ctx", None), ast.Store) and not (
                            top and isinstance(parent, ast.Expr)):
                        yield from expression_edits(parent, name, at, item)
                if name in ("elts", "generators", "ifs") and not (top and parent is tree.body[0].value) and not isinstance(
                        getattr(parent, "ctx", None), ast.Store):
                    for at in range(len(value)):
                        if len(value) > (name == "generators"):
                            yield lambda value=value, at=at: value.pop(at)
            if isinstance(parent, ast.Dict) and name == "keys":
                for at in range(len(parent.keys)):
                    yield lambda parent=parent, at=at: (parent.keys.pop(at), parent.values.pop(at))


def statement_edits(body, needed):
    """One statement less, or what it holds in its place."""
    for at in range(len(body)):
        if len(body) > 1 or not needed:
            yield lambda at=at: body.pop(at)
    for at, stmt in enumerate(body):
        for name in BODIES:
            inner = getattr(stmt, name, None)
            if isinstance(inner, list) and inner and not isinstance(stmt, ast.FunctionDef):
                yield lambda at=at, inner=inner: body.__setitem__(slice(at, at + 1), inner)


def expression_edits(parent, name, at, value):
    """A part of the expression, or something simple, in its place."""
    def put(new):
        if at is None:
            setattr(parent, name, new)
        else:
            getattr(parent, name)[at] = new

    if isinstance(parent, ast.Call) and name == "func":
        return
    for child in ast.iter_child_nodes(value):
        if isinstance(child, ast.expr):
            yield lambda child=child: put(child)
    if not isinstance(value, (ast.Constant, ast.Name)):
        for text in SIMPLE:
            yield lambda text=text: put(ast.parse(text, mode="eval").body)
