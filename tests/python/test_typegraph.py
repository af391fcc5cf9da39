"""`RUMBA_DUMP_TYPEGRAPH`: the type dependence graph and its condensation in DOT."""
import os
import subprocess
import sys

PRELUDE = "from rumba import njit\n"
EXAMPLE = """
@njit
def f(x):
    return x * 0.5

@njit
def main():
    x = 0
    for i in range(10):
        x = f(x)
    y = x

main()
"""


def graphs(source, tmp_path):
    """The edges of both graphs of the last function, and the comments."""
    file = tmp_path / "program.py"
    file.write_text(PRELUDE + source)
    done = subprocess.run([sys.executable, str(file)], capture_output=True, text=True, check=True,
                          env={**os.environ, "RUMBA_DUMP_TYPEGRAPH": "1"})
    text = done.stdout[done.stdout.index("TYPE DEPENDENCE GRAPH: main"):]
    typegraph, condensation = text.split("digraph ")[1:3]
    return [[line.strip() for line in part.splitlines()[1:] if "->" in line or "//" in line]
            for part in (typegraph, condensation)]


def test_a_loop_is_one_component(tmp_path):
    typegraph, condensation = graphs(EXAMPLE, tmp_path)
    assert [edge for edge in typegraph if "return" not in edge] == [
        "x_0 -> int", "x_1 -> x_0", "x_2 -> f", "x_1 -> x_2", "f -> x_1", "i_0 -> range", "range -> int",
        "y_0 -> x_1"]
    assert [edge for edge in condensation if "return" not in edge] == [
        "// SCC0: x_1 x_2 f", "x_0 -> int", "SCC0 -> x_0", "i_0 -> range", "range -> int", "y_0 -> SCC0"]


def test_independent_cycles_are_components_of_their_own(tmp_path):
    source = """
@njit
def main(n=3):
    a = 0
    while a < n:
        a += 1
    b = a
    while b < n:
        b = b + a
    return b

main()
"""
    _, condensation = graphs(source, tmp_path)
    assert [line for line in condensation if line.startswith("//")] == [
        "// SCC0: a_1 a_2 +", "// SCC1: b_0 b_1 + #2"]
    assert any(line.startswith("SCC1 -> a_") for line in condensation)


def test_names_are_quoted_where_dot_needs_it(tmp_path):
    typegraph, _ = graphs("@njit\ndef main(x=1):\n    y = (x + 1, x + 2)\n    return y[0]\n\nmain()\n", tmp_path)
    assert '"+" -> x_0' in typegraph and '"+ #2" -> x_0' in typegraph and "build_tuple -> \"+\"" in typegraph
