"""Writes docs/guide/compiler.md: one function through every stage of the compiler, with what the stages really are.

    .venv/bin/python tools/compiler_guide.py
"""
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "guide" / "compiler.md"

SOURCE = """\
from rumba import njit

@njit
def count_runs(values):
    runs = 0
    last = -1
    for value in values:
        if value != last:
            runs += 1
        last = value
    return runs
"""
CALL = "import numpy as np\nassert count_runs(np.array([1, 1, 2, 2, 2, 1])) == 3\n"

# Stage (of RUMBA_DUMP_*), heading, text. The machine's own stages are not compared by the tests.
STAGES = (
    ("BYTECODE", "Bytecode", """CPython has already compiled the function. The crate `bytecode` takes a snapshot of the code object, so that Python
is not needed again, and translates the instructions of each CPython version into a common instruction set. Every
instruction keeps its lines and columns."""),
    ("CFG", "Control flow", """Jumps delimit basic blocks; `flow` computes dominators and loops. The output below has the form that Numba users know."""),
    ("SSA", "Untyped SSA", """`frontend` walks the blocks along the dominator tree. The interpreter's stack disappears; variables become values that are
assigned once, and where versions of a variable meet, the block has a parameter. Values have no types yet."""),
    ("TYPEGRAPH", "Type dependence graph", """`infer` starts with the argument types and resolves each operation with the catalog; the type of a block parameter is the
join of the incoming types. If types decide a branch, only the taken edge becomes reachable."""),
    ("TYPED", "Typed SSA", """The same instructions, with a type for each value. Where a value must be converted to the type of a join, there is a
`promote`."""),
    ("EXPLICIT", "Explicit", """`lower` emits the machine operations of the catalog's rules. An array has become its parts, and a check is a
branch to a block that raises. This phase has an interpreter, which the tests compare with CPython and with the machine code."""),
    ("LLVM", "LLVM IR", """After `opt` (inlining, loop versioning and other loop optimizations), `llvm` translates the function to LLVM IR. A function returns
a status, and its result through a pointer; a status that is not zero is the address of a record that describes the exception and its location."""),
    ("OPTIMIZED", "Optimized LLVM IR", """LLVM's passes are chosen by the content of the function: loops over arrays are vectorized, a function without loops
runs few passes."""),
    ("ASSEMBLY", "Machine code", """The object file is linked into memory, and the dispatcher calls it from now on for these types."""),
)
HEAD = """# The compiler, by one function

This page follows one function from Python to machine code, with the output of each stage (`RUMBA_DUMP_<STAGE>=1`).
`tools/compiler_guide.py` writes it; a test compares the stages that do not depend on the processor.
[ARCHITECTURE.md](../../ARCHITECTURE.md) describes the crates and the design decisions; the [glossary](../glossary.md) defines the terms.
[Entering and leaving the compiler](stages.md) takes a function out at any of these stages, edits it, runs it, and compiles what it became.

```python
{source}```

It is called with an int64 array.

{sections}
## Around it

The first call runs through `python` (which determines the argument types), `driver` (the pipeline on one page: `crates/driver/src/pipeline.rs`) and back; the next call
finds the machine code by the fingerprints of the arguments. To follow a function of your own, set the variables for a script, or add a file to
`tests/stages`, where the stages of small functions are stored and compared. CONTRIBUTING.md describes how to debug passes.
"""


def dumps():
    """The text of each stage."""
    variables = {f"RUMBA_DUMP_{stage}": "1" for stage, *_ in STAGES}
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("RUMBA_", "NUMBA_"))}
    script = ROOT / "target" / "count_runs.py"
    script.parent.mkdir(exist_ok=True)
    script.write_text(SOURCE + CALL)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, env=clean | variables, check=True)
    parts = re.split(r"^-+([A-Z ]+): (\w+)-+$", done.stdout, flags=re.M)
    # What is told more than once (a stage of another unit) counts the first time.
    found = {}
    for title, text in zip(parts[1::3], parts[3::3]):
        found.setdefault(title.strip(), shown(text))
    return found


def shown(text):
    """A dump without the machine's paths."""
    return text.replace(str(ROOT / "target") + os.sep, "").strip("\n")


# Headings of the dumps.
TITLES = {
    "BYTECODE": "BYTECODE", "CFG": "CONTROL FLOW", "SSA": "UNTYPED SSA", "TYPEGRAPH": "TYPE DEPENDENCE GRAPH", "TYPED": "TYPED SSA",
    "EXPLICIT": "EXPLICIT", "LLVM": "LLVM", "OPTIMIZED": "OPTIMIZED LLVM", "ASSEMBLY": "ASSEMBLY"}


def sections():
    """The sections of the stages, by stage."""
    found = dumps()
    return {stage: f"## {heading}\n\n{say}\n\n```text\n{found[TITLES[stage]]}\n```\n" for stage, heading, say in STAGES}


def main():
    """Writes the page."""
    PAGE.write_text(HEAD.format(source=SOURCE, sections="\n".join(sections().values())))


if __name__ == "__main__":
    main()
