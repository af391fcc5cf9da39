"""Control-flow graphs and the bytecode that they are built from, as tools read them."""
import argparse
import inspect
import io
import json.decoder
import random

import pytest
from rumba import njit
from rumba.numba_ir.bytecode import ByteCode, ControlFlowAnalysis, FunctionIdentity, load_global_name
from rumba.numba_ir.controlflow import CFGraph
from rumba.errors import ByteCodeSupportError


def graph_of(edges, entry):
    graph = CFGraph()
    for node in edges:
        graph.add_node(node)
    for node, targets in edges.items():
        for target in targets:
            graph.add_edge(node, target, data=(node, target))
    graph.set_entry_point(entry)
    graph.process()
    return graph


def reachable(edges, start, without=()):
    found, work = set(), [start]
    while work:
        node = work.pop()
        if node not in found and node not in without:
            found.add(node)
            work.extend(edges[node])
    return found


def random_edges(seed):
    """Labels are texts, so that nothing depends on numbers."""
    rng = random.Random(seed)
    nodes = [f"n{number}" for number in range(rng.randint(1, 9))]
    return {node: rng.sample(nodes, rng.randint(0, min(2, len(nodes)))) for node in nodes}


@pytest.mark.parametrize("seed", range(60))
def test_dominance_follows_its_definition(seed):
    edges = random_edges(seed)
    graph = graph_of(edges, "n0")
    nodes = reachable(edges, "n0")
    assert graph.nodes() == nodes and graph.dead_nodes() == edges.keys() - nodes
    dominators = {
        node: {above for above in nodes if node == above or node not in reachable(edges, "n0", {above})}
        for node in nodes}
    assert graph.dominators() == dominators
    for node, above in graph.immediate_dominators().items():
        strict = dominators[node] - {node}
        assert above == node if node == "n0" else dominators[above] == strict
    frontier = graph.dominance_frontier()
    for node in nodes:
        assert frontier[node] == {
            join for join in nodes if (node == join or node not in dominators[join])
            and any(join in edges[src] and node in dominators[src] for src in nodes)}


@pytest.mark.parametrize("seed", range(60))
def test_post_dominance_follows_its_definition_where_all_nodes_reach_an_exit(seed):
    edges = random_edges(seed)
    graph = graph_of(edges, "n0")
    nodes, exits = graph.nodes(), graph.exit_points()
    if not all(reachable(edges, node) & exits for node in nodes):
        return
    assert graph.post_dominators() == {
        node: {below for below in nodes if node == below or not reachable(edges, node, {below}) & exits}
        for node in nodes}


def test_loops_know_their_borders_and_their_nesting():
    edges = {"in": ["outer"], "outer": ["inner", "out"], "inner": ["body", "latch"],
             "body": ["inner"], "latch": ["outer"], "out": []}
    graph = graph_of(edges, "in")
    inner, outer = graph.loops()["inner"], graph.loops()["outer"]
    assert (inner.header, inner.entries, inner.exits, inner.body) == (
        "inner", {"outer"}, {"latch"}, {"inner", "body"})
    assert (outer.entries, outer.exits) == ({"in"}, {"out"})
    assert graph.in_loops("body") == [inner, outer] and graph.in_loops("out") == []
    assert graph.backbone() == {"in", "outer", "out"}
    assert graph.descendents("inner") == {"body", "latch"}
    assert list(graph.topo_sort(["out", "in"])) == ["in", "out"]
    assert list(graph.successors("in")) == [("outer", ("in", "outer"))]
    assert list(graph.predecessors("inner")) == [("outer", ("outer", "inner")), ("body", ("body", "inner"))]


def test_graphs_compare_by_nodes_edges_and_entry():
    assert graph_of({1: [2], 2: []}, 1) == graph_of({2: [], 1: [2]}, 1)
    assert graph_of({1: [2], 2: [1]}, 1) != graph_of({1: [2], 2: [1]}, 2)


def test_mistakes_are_named():
    graph = CFGraph()
    graph.add_node("a")
    with pytest.raises(ValueError, match="destination is not a node"):
        graph.add_edge("a", "b")
    with pytest.raises(ValueError, match="not a node"):
        graph.set_entry_point("b")
    with pytest.raises(RuntimeError, match="no entry point"):
        graph.process()
    with pytest.raises(RuntimeError, match="process"):
        graph.dominators()


def test_a_dump_has_every_section():
    out = io.StringIO()
    graph_of({1: [1, 2], 2: []}, 1).dump(out)
    for section in ("adjacency lists", "dominators", "post-dominators", "back edges", "loops", "node-to-loops", "backbone"):
        assert f"CFG {section}:" in out.getvalue()


def functions():
    for module in (argparse, json.decoder, inspect, random):
        for _, value in inspect.getmembers(module, inspect.isfunction):
            yield value


def test_blocks_cover_the_bytecode_and_edges_follow_jumps():
    for function in functions():
        bytecode = ByteCode(FunctionIdentity.from_function(function))
        analysis = ControlFlowAnalysis(bytecode)
        analysis.run()
        covered = [offset for block in analysis.iterblocks() for offset in block]
        assert covered == list(bytecode.table)
        for block in analysis.iterliveblocks():
            *_, last = block
            last = bytecode[last]
            if last.is_jump:
                assert last.get_jump_target() in block.outgoing_jumps
            assert block.terminating == last.is_terminator
        assert analysis.backbone >= {0} or analysis.graph.in_loops(0)


def test_a_handler_follows_what_it_protects():
    def f(x):
        try:
            x.a()
        except ValueError:
            x.b()

    analysis = ControlFlowAnalysis(ByteCode(FunctionIdentity.from_function(f)))
    analysis.run()
    handlers = {entry.target for entry in analysis.bytecode.exception_entries}
    assert handlers <= analysis.graph.nodes()


def test_the_identity_of_a_function():
    @njit
    def f(a, b=1):
        return a + len((a, b)) + undefined  # noqa: F821

    identity = FunctionIdentity.from_function(f)
    assert identity.func is f.py_func and identity.func_name == "f" and identity.arg_names == ["a", "b"]
    assert identity.modname == __name__ and identity.unique_name != identity.derive().unique_name
    bytecode = ByteCode(identity)
    loads = [bytecode.co_names[load_global_name(i.arg)] for i in bytecode if i.opname == "LOAD_GLOBAL"]
    assert loads == ["len", "undefined"]
    assert bytecode.get_used_globals() == {"len": len}
    with pytest.raises(TypeError, match="not callable"):
        FunctionIdentity.from_function(3)
    with pytest.raises(ByteCodeSupportError, match="no bytecode"):
        FunctionIdentity.from_function(len)


def test_the_topological_order_of_a_graph_that_is_not_analyzed():
    from rumba.numba_ir.controlflow import CFGraph

    graph = CFGraph()
    for node in "abcd":
        graph.add_node(node)
    for edge in ("ab", "ac", "bd", "cd"):
        graph.add_edge(*edge)
    graph.set_entry_point("a")
    order = graph._find_topo_order()
    assert order[0] == "a" and order[-1] == "d" and set(order) == set("abcd")
    graph.process()
    assert graph._find_topo_order() == graph.topo_order() == order
