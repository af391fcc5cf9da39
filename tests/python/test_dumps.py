"""What `RUMBA_DUMP_*` and the `NUMBA_DUMP_*` names print, for two functions of the documentation."""
import os
import re
import subprocess
import sys

import pytest

SOURCE = """
import rumba

@rumba.njit
def add(a, b):
    return a + b

@rumba.njit
def doloops(n):
    acc = 0
    for i in range(n):
        acc += 1
        if n == 10:
            break
    return acc

assert add(1, 2) == 3
assert doloops(3) == 3
assert doloops(10) == 1
"""

# Title of the heading and what the text of `doloops` must contain, by stage.
STAGES = {
    "BYTECODE": ("BYTECODE", ["ForIter", "InplaceBinary          +=", "Return"]),
    "CFG": ("CONTROL FLOW", ["CFG adjacency lists:", "CFG loops:"]),
    "IR": ("IR DUMP", ["label 0:", "n = arg(0, name=n)", "global(range: <class 'range'>)", "pair_second", "del "]),
    "SSA": ("UNTYPED SSA", ["function untyped \"doloops\"", "iternext"]),
    "TYPED": ("TYPED SSA", ["function typed \"doloops\"", "%n.0: int64"]),
    "EXPLICIT": ("EXPLICIT", ["function explicit \"doloops\"", "icmp eq", "-> i64"]),
    "LLVM": ("LLVM", ["define i64 @", "phi i64", "ret i64"]),
    "OPTIMIZED": ("OPTIMIZED LLVM", ["define i64 @", "ret i64"]),
    "ASSEMBLY": ("ASSEMBLY", [".text", "ret"]),
}


def run(**variables):
    """The printed texts by title and function."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith(("RUMBA_", "NUMBA_"))}
    done = subprocess.run([sys.executable, "-c", SOURCE], capture_output=True, text=True, env=clean | variables, timeout=120)
    assert done.returncode == 0, done.stderr
    parts = re.split(r"^-+([A-Z ]+): (\w+)-+$", done.stdout, flags=re.M)
    assert parts[0].strip() == ""
    return {(title, name): text for title, name, text in zip(parts[1::3], parts[2::3], parts[3::3])}


@pytest.fixture(scope="module")
def dumps():
    return run(**{f"RUMBA_DUMP_{stage}": "1" for stage in STAGES})


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_is_printed_for_each_function(dumps, stage):
    title, expected = STAGES[stage]
    assert dumps[title, "add"].strip()
    for text in expected:
        assert text in dumps[title, "doloops"]


@pytest.mark.parametrize("stage", STAGES)
def test_the_other_name_prints_that_stage_alone(dumps, stage):
    title, _ = STAGES[stage]
    alone = run(**{f"NUMBA_DUMP_{stage}": "1"})
    assert set(alone) == {(title, "add"), (title, "doloops")}
    assert alone[title, "add"] == dumps[title, "add"]


def test_nothing_is_printed_unless_asked():
    assert run() == {}
    assert run(RUMBA_DUMP_IR="0", NUMBA_DUMP_CFG="") == {}


def sections(text):
    """The sections of a control-flow report, read as Python values."""
    found = {}
    for name, body in re.findall(r"^CFG ([\w -]+):(.*?)(?=^CFG |\Z)", text, flags=re.M | re.S):
        found[name] = eval(body.strip(), {"Loop": dict})  # The report is written as Python literals.
    return found


def test_the_graph_of_a_function_of_one_block(dumps):
    assert sections(dumps["CONTROL FLOW", "add"]) == {
        "adjacency lists": {0: []},
        "dominators": {0: {0}},
        "post-dominators": {0: {0}},
        "back edges": [],
        "loops": {},
        "node-to-loops": {0: []},
    }


def test_the_graph_of_a_loop_with_a_break(dumps):
    found = sections(dumps["CONTROL FLOW", "doloops"])
    edges = found["adjacency lists"]
    assert set(found) == {
        "adjacency lists", "dominators", "post-dominators", "back edges", "loops", "node-to-loops",
    }
    # One loop, entered from the first block.
    [(header, loop)] = found["loops"].items()
    assert loop["header"] == header and loop["entries"] == {0} and edges[0] == [header]
    # Its header leads into the body and out of the loop.
    body, behind = edges[header]
    assert body in loop["body"] and behind not in loop["body"] and behind in loop["exits"]
    # The body goes back to the header, or out by `break`.
    assert all(target == header and source in loop["body"] for source, target in found["back edges"])
    assert len(found["back edges"]) == 1
    breaks = loop["exits"] - {behind}
    assert len(breaks) == 1 and breaks <= set(edges[body])
    # What dominates and post-dominates what.
    for node, dominators in found["dominators"].items():
        assert {0, node} <= dominators
        assert (header in dominators) == (node != 0)
    for node, after in found["post-dominators"].items():
        assert node in after
        assert not after & loop["body"] or node in loop["body"] | {0}
    for node, headers in found["node-to-loops"].items():
        assert headers == ([header] if node in loop["body"] else [])


def squeezed(text):
    return [" ".join(line.split()) for line in text.strip().splitlines()]


def test_the_statements_of_add_are_those_of_the_documentation(dumps):
    assert squeezed(dumps["IR DUMP", "add"]) == [
        "label 0:",
        "a = arg(0, name=a) ['a']",
        "b = arg(1, name=b) ['b']",
        "$0.3 = a + b ['$0.3', 'a', 'b']",
        "del b []",
        "del a []",
        "$0.4 = cast(value=$0.3) ['$0.3', '$0.4']",
        "del $0.3 []",
        "return $0.4 ['$0.4']",
    ]


def test_labels_are_the_nodes_of_the_graph(dumps):
    labels = re.findall(r"^label (\d+):$", dumps["IR DUMP", "doloops"], flags=re.M)
    nodes = sections(dumps["CONTROL FLOW", "doloops"])["adjacency lists"]
    assert [int(label) for label in labels] == sorted(nodes)


@pytest.mark.parametrize("variables, titles", [
    ({"RUMBA_DEBUG_PRINT_AFTER": "decode"}, {"BYTECODE"}),
    ({"RUMBA_DEBUG_PRINT_AFTER": "ssa"}, {"UNTYPED SSA"}),
    ({"RUMBA_DEBUG_PRINT_AFTER": "infer"}, {"TYPED SSA"}),
    ({"RUMBA_DEBUG_PRINT_BEFORE": "infer"}, {"UNTYPED SSA"}),
    ({"NUMBA_DEBUG_PRINT_AFTER": "lower"}, {"EXPLICIT"}),
    ({"RUMBA_DEBUG_PRINT_BEFORE": "llvm"}, {"EXPLICIT"}),
    ({"RUMBA_DEBUG_PRINT_AFTER": "llvm"}, {"OPTIMIZED LLVM"}),
    ({"RUMBA_DEBUG_PRINT_AFTER": "redundant_params"}, {"UNTYPED SSA"}),
    ({"RUMBA_DEBUG_PRINT_AFTER": "refcount_pairs"}, {"EXPLICIT"}),
    ({"RUMBA_DEBUG_PRINT_BEFORE": "desugar"}, {"TYPED SSA"}),
    ({"RUMBA_DEBUG_PRINT_AFTER": "inline_calls"}, {"EXPLICIT"}),
    ({"RUMBA_DEBUG_PRINT_BEFORE": "lower", "RUMBA_DEBUG_PRINT_AFTER": "ssa, lower"},
     {"UNTYPED SSA", "TYPED SSA", "EXPLICIT"}),
    ({"RUMBA_DEBUG_PRINT_AFTER": "all"},
     {"BYTECODE", "UNTYPED SSA", "TYPED SSA", "EXPLICIT", "OPTIMIZED LLVM"}),
])
def test_stages_by_the_names_of_passes(variables, titles):
    assert {title for title, _ in run(**variables)} == titles


def test_a_constant_raise_and_a_global_are_recognisable():
    source = """
import math
import rumba
K = 3
@rumba.njit
def f(x):
    if x == 0:
        raise ValueError("x cannot be zero")
    return math.sqrt(x) + K
f(4.0)
"""
    done = subprocess.run([sys.executable, "-c", source], capture_output=True, text=True,
                          env=os.environ | {"RUMBA_DUMP_IR": "1"})
    assert done.returncode == 0, done.stderr
    for text in ("global(ValueError: <class 'ValueError'>)", "const(str, x cannot be zero)", "global(K: 3)",
                 "global(math: <module 'math'>)", "attr=sqrt", "raise $"):
        assert text in done.stdout
