"""What the documentation says does not compile yet: each phrase is in its page, and its program is refused.

A test that fails here because a program compiles is good news: the page is to be changed, and the row goes.
"""
import enum
import pathlib

import numpy as np
import pytest
import rumba
from rumba import njit, prange  # noqa: F401

DOCS = pathlib.Path(__file__).parents[2] / "docs"

# Page, phrase, program: the function `f`, and the arguments that it is called with.
GAPS = [
    ("guide/what-compiles.md", "`async`", "async def f():\n  return 1", ()),
    ("guide/what-compiles.md", "other context managers", "def f():\n  with open('a') as file:\n    return 1", ()),
    ("guide/what-compiles.md", "`except*`", "def f(x):\n  try:\n    return 1 // x\n  except* ValueError:\n    pass", (1,)),
    ("guide/what-compiles.md", "exception groups", "def f(x):\n  raise ExceptionGroup('a', [ValueError(1)])", (1,)),
    ("guide/what-compiles.md", "a returned function that calls itself",
     "def f(n):\n  def g(k):\n    return 1 if k < 1 else g(k - 1) + n\n  return g", (1,)),
    ("guide/what-compiles.md", "a new type for a `nonlocal` variable after the function around it has returned",
     "def f():\n  x = 1\n  def g():\n    nonlocal x\n    x = 'a'\n    return x\n  return g", ()),
    ("guide/what-compiles.md", "writing globals", "def f():\n  global written\n  written = 1", ()),
    ("guide/what-compiles.md", "`class` in a function", "def f():\n  class A:\n    pass\n  return 1", ()),
    ("guide/what-compiles.md", "objects of other plain classes", "def f(x):\n  return x", (object(),)),
    ("guide/what-compiles.md", "classes with `_missing_` are not called", "def f(x):\n  return Loose(x)", (1,)),
    ("containers.md", "`tuple(...)` of one, because its length is unknown", "def f(n):\n  return tuple(i for i in range(n))", (3,)),
    ("containers.md", "A float cannot be inserted into a list of integers that comes from Python", "def f(x):\n  x.append(1.5)", ([1],)),
    ("containers.md", "A list cannot contain itself", "def f():\n  x = []\n  x.append(x)\n  return x", ()),
    ("containers.md", "A `frozenset` cannot be the key of a dict", "def f(x):\n  return {x: 1}", (frozenset((1, 2)),)),
    ("containers.md", "or an item of a set yet", "def f(x):\n  return {x}", (frozenset((1, 2)),)),
    ("arrays.md", "Shape and dtype of an array cannot be assigned", "def f(a):\n  a.shape = (2, 2)", (np.ones(4),)),
    ("guide/classes.md", "`*args` and `**kwargs` in `__init__`",
     "@rumba.jitclass\nclass A:\n  x: int\n  def __init__(self, *args):\n    self.x = args[0]\ndef f(x):\n  return A(x).x", (1,)),
    ("guide/classes.md", "`__getattr__`",
     "@rumba.jitclass\nclass A:\n  x: int\n  def __init__(self):\n    self.x = 1\n  def __getattr__(self, name):\n    return 2\n"
     "def f():\n  return A().y", ()),
    ("guide/classes.md", "`type(object)` of a variable that holds several classes",
     "@rumba.jitclass\nclass A:\n  x: int\n  def __init__(self):\n    self.x = 1\n"
     "@rumba.jitclass\nclass B:\n  x: int\n  def __init__(self):\n    self.x = 1\n"
     "def f(n):\n  a = A() if n else B()\n  return type(a) is A", (1,)),
    ("guide/classes.md", "calculations with arrays of objects", "def f(a):\n  return a + a", (np.array([object()]),)),
    ("guide/classes.md", "more than one compiled base class",
     "@rumba.jitclass\nclass A:\n  x: int\n  def __init__(self):\n    self.x = 1\n"
     "@rumba.jitclass\nclass B:\n  y: int\n  def __init__(self):\n    self.y = 2\n"
     "@rumba.jitclass\nclass C(A, B):\n  def __init__(self):\n    self.x = 1\ndef f():\n  return 1", ()),
    ("guide/classes.md", "sequence and mapping patterns for objects",
     "@rumba.jitclass\nclass A:\n  x: int\n  def __init__(self):\n    self.x = 1\n  def __len__(self):\n    return 1\n"
     "  def __getitem__(self, i):\n    return 1\n  def __iter__(self):\n    return iter([1])\n"
     "def f():\n  a = A()\n  match a:\n    case [x]:\n      return x\n  return a.__missing", ()),
    ("guide/object-mode.md", "and dicts passed in from Python cannot be used in a block",
     "def f(d):\n  with rumba.objmode(x='int64'):\n    x = len(d)\n  return x", ({1: 2},)),
    ("guide/object-mode.md", "Sets, nested lists,", "def f(n):\n  s = {n}\n  with rumba.objmode(x='int64'):\n    x = len(s)\n  return x", (1,)),
    ("guide/object-mode.md", "Leaving it with `break`, `continue`, `return` or `yield`",
     "def f(n):\n  with rumba.objmode(x='int64'):\n    x = n\n    return x\n  return x", (1,)),
    ("guide/object-mode.md", "- `f(**o)` of an object `o`",
     "def f(n):\n  with rumba.objmode(x='pyobject'):\n    x = {}\n  return dict(**x)", (1,)),
    ("guide/object-mode.md", "`with` statements on objects",
     "def f(n):\n  with rumba.objmode(x='pyobject'):\n    x = open('/dev/null')\n  with x as y:\n    return y.read()", (1,)),
    ("guide/object-mode.md", "and functions that ask for the frame of their caller",
     "def f(n):\n  with rumba.objmode(x='pyobject'):\n    x = '1'\n  return eval(x)", (1,)),
    ("guide/differences.md", "`cuda` is missing: using it raises an error that says so",
     "from rumba.numba import cuda\ncuda.jit(lambda: 1)()\ndef f():\n  pass", ()),
]


class Loose(enum.Enum):
    ONE = 1

    @classmethod
    def _missing_(cls, value):
        return cls.ONE


@pytest.mark.parametrize("page, phrase, program, args", GAPS, ids=[f"{page}: {phrase[:40]}" for page, phrase, _, _ in GAPS])
def test_what_is_documented_as_missing_is_refused(page, phrase, program, args):
    text = " ".join((DOCS / page).read_text(encoding="utf-8").split())
    assert phrase in text, "the page does not say it any more: the row goes"
    space = {"rumba": rumba, "np": np, "prange": prange, "Loose": Loose, "__name__": __name__}
    with pytest.raises((rumba.errors.NumbaError, NotImplementedError, TypeError)):
        exec(program, space)
        result = njit(space["f"])(*args)
        if callable(result):
            result()
