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
    ("BYTECODE", "Bytecode", """CPython has compiled the function already. The crate `bytecode` takes a snapshot of the code object, so that Python
is not asked again, and translates the instructions of each version of CPython into one common set. Every
instruction keeps its lines and columns."""),
    ("CFG", "Control flow", """Jumps make blocks; `flow` finds dominators and loops. The view below has the shape that Numba's users know."""),
    ("SSA", "Untyped SSA", """`frontend` walks the blocks along the dominator tree. The stack of the interpreter disappears; names become values that are
assigned once, and where versions of a name meet, the block has a parameter. Nothing has a type yet."""),
    ("TYPEGRAPH", "What the types follow from", """`infer` starts with the types of the arguments and asks the catalog for each operation; a block parameter has the
type that what comes in has in common. A branch whose condition is known from types opens one edge only."""),
    ("TYPED", "Typed SSA", """The same instructions, each value with a type. Where a value has to change its type to meet others, there is a
`promote`."""),
    ("EXPLICIT", "Explicit", """`lower` asks the catalog for the second half of what it knows: the machine operations. An array has become its parts, a check is a
branch to a block that raises. This phase has an interpreter, which the tests compare with CPython and with the machine code."""),
    ("LLVM", "LLVM, as it is given", """After `opt` (inlining, loops in two versions where that saves checks), `llvm` writes it in the language of LLVM. A function returns
a status and gives its result through a pointer; a status that is not zero is the address of a record that says which exception it is and where."""),
    ("OPTIMIZED", "LLVM, optimized", """A pipeline that is chosen by what the function has: loops over arrays get the passes for vectors, a function without loops
gets few."""),
    ("ASSEMBLY", "Machine code", """The object is linked into memory, and the dispatcher calls it from now on for these types."""),
)
HEAD = """# The compiler, by one function

This page follows one function from Python to machine code, with what the stages print (`RUMBA_DUMP_<STAGE>=1`).
`tools/compiler_guide.py` writes it; a test compares the stages that do not depend on the processor.
[ARCHITECTURE.md](../../ARCHITECTURE.md) says which crate does what and why; the [glossary](../glossary.md) explains the words.

```python
{source}```

It is called with an array of int64.

{sections}
## Around it

The first call runs through `python` (which looks at the arguments), `driver` (the pipeline on one page: `crates/driver/src/pipeline.rs`) and back; the next one
finds the machine code by the classes of the arguments. To follow a function of your own, set the variables for a script, or add a file to
`tests/stages`, where the stages of small functions are kept and compared. CONTRIBUTING.md says how to bisect over passes.
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
