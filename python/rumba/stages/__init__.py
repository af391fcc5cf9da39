"""The stages of the compiler: take a function out at any of them, read it, edit it, run it, and compile what you made of it.

    >>> from rumba import stages
    >>> def add(a, b):
    ...     return a + b
    >>> stage = stages.untyped(add)
    >>> print(stage.without_places)
    function untyped "add" file "<doctest rumba.stages[1]>" line 1 (a, b) {
    block0:
        %a.0 = arg 0, a
        %b.0 = arg 1, b
        jump block1
    block1:
        %0 = binary +, %a.0, %b.0
        %1 = cast %0
        return %1
    }
    >>> stage.run("ab", "c")
    'abc'
    >>> subtract = stage.edited(stage.text.replace("binary +", "binary -")).compile()
    >>> subtract(5, 2)
    3

| stage | form | what `run` does |
|---|---|---|
| `ast`, `normalized` | trees (`ast`, `rumba.normalized`) | CPython runs it |
| `untyped` | SSA, no types | runs it on Python objects |
| `typed` | SSA, a type for each value | runs it on Python objects, converted as the types say |
| `explicit` | machine operations | runs it in the reference interpreter |
| `llvm` | LLVM IR of the unit, not optimized | compiles and calls it |
| `assembly` | assembly of the unit | calls it; it is not read back |

`step(function, *args)` runs a function in an interpreter under pdb; it is `rumba.step`, too.

`njit(stages={"typed": [pass]})` runs passes of your own at the end of a stage: each gets the text and returns text. A function that is called by
other compiled code is changed there, too, except in the stage `llvm`, which is of a whole unit.

Source: "Numba Intermediate Representation Specification".

Absent: the stages themselves (the compiler), and the passes of users (`passes`).
"""
from .stage import STAGES, Stage, assembly, ast, explicit, llvm, loads_json, normalized, typed, untyped

__all__ = ["Debugger", "STAGES", "Stage", "assembly", "ast", "explicit", "llvm", "loads_json", "normalized", "step", "typed", "untyped"]


def __getattr__(name):
    """What loads Python's debugger, on first use."""
    if name in ("Debugger", "step"):
        from . import stepping

        return getattr(stepping, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
