"""Control-flow graphs over nodes of any hashable type, with the usual analyses.

The algorithms are the compiler's own (the extension's `FlowGraph`, over numbered nodes); here they
meet labels. Reading a function's bytecode into such a graph is `bytecode`'s.
"""
import collections
import functools
import sys


class Loop(collections.namedtuple("Loop", "entries exits header body")):
    """A natural loop: the nodes outside that lead to its header, the nodes outside that it leads to,
    the header, and its nodes with the header."""

    __slots__ = ()


class CFGraph:
    """A control-flow graph.

    Add nodes, then edges, set the entry point, call `process`; the analyses then speak of the nodes
    that the entry point reaches, all others are dead and gone.
    """

    def __init__(self):
        self._successors = {}
        self._predecessors = {}
        self._data = {}
        self._entry = None
        self._dead = set()
        self._analyses = None

    def add_node(self, node):
        """Adds a node; adding it again changes nothing."""
        self._successors.setdefault(node, {})
        self._predecessors.setdefault(node, {})

    def add_edge(self, src, dest, data=None):
        """Adds an edge that carries `data` between nodes that are there."""
        for role, node in (("source", src), ("destination", dest)):
            if node not in self._successors:
                raise ValueError(f"cannot add the edge {src!r} -> {dest!r}: its {role} is not a node of the graph")
        # Dictionaries without values are sets in the order of insertion.
        self._successors[src][dest] = self._predecessors[dest][src] = None
        self._data[src, dest] = data

    def set_entry_point(self, node):
        """Makes a node the one where control enters."""
        if node not in self._successors:
            raise ValueError(f"{node!r} cannot be the entry point: it is not a node of the graph")
        self._entry = node

    def process(self):
        """Analyzes the graph; to be called when it is complete."""
        if self._entry is None:
            raise RuntimeError("no entry point is set")
        reached = set(_Analyses(self._successors, self._entry).order)
        self._dead |= self._successors.keys() - reached
        for edges in (self._successors, self._predecessors):
            for node in list(edges):
                if node not in reached:
                    del edges[node]
                else:
                    edges[node] = {other: None for other in edges[node] if other in reached}
        self._data = {edge: data for edge, data in self._data.items() if reached.issuperset(edge)}
        self._analyses = _Analyses(self._successors, self._entry)

    def _analyzed(self):
        if self._analyses is None:
            raise RuntimeError("the graph is not analyzed yet: call process()")
        return self._analyses

    # The graph itself.

    def entry_point(self):
        """The node where control enters."""
        return self._entry

    def nodes(self):
        """The nodes that can be reached."""
        return set(self._successors)

    def dead_nodes(self):
        """The nodes that could not be reached when the graph was processed."""
        return set(self._dead)

    def exit_points(self):
        """The nodes without successors."""
        return {node for node, edges in self._successors.items() if not edges}

    def successors(self, src):
        """The edges out of a node: pairs of node and data."""
        return ((dest, self._data[src, dest]) for dest in self._successors[src])

    def predecessors(self, dest):
        """The edges into a node: pairs of node and data."""
        return ((src, self._data[src, dest]) for src in self._predecessors[dest])

    # Orders.

    def topo_order(self):
        """All nodes, each before its successors except along the edges that close a cycle."""
        return list(self._analyzed().order)

    def _find_topo_order(self):
        """The same of the nodes that can be reached, of a graph that is not analyzed, too: Numba's computation itself."""
        return list((self._analyses or _Analyses(self._successors, self._entry)).order)

    def topo_sort(self, nodes, reverse=False):
        """These nodes in topological order, or in reverse."""
        chosen = set(nodes)
        order = self._analyzed().order
        return (node for node in (reversed(order) if reverse else order) if node in chosen)

    def descendents(self, node):
        """The nodes that can be reached from a node without an edge back to a loop's header."""
        back_edges = self._analyzed().back_edges
        found, work = set(), [node]
        while work:
            src = work.pop()
            for dest in self._successors[src]:
                if dest not in found and (src, dest) not in back_edges:
                    found.add(dest)
                    work.append(dest)
        return found

    # Dominance.

    def immediate_dominators(self):
        """Node -> the last node before it on all ways from the entry point; itself for the entry."""
        return dict(self._analyzed().immediate_dominators)

    def dominators(self):
        """Node -> the nodes on all ways from the entry point to it, itself among them."""
        return dict(self._analyzed().dominators)

    def post_dominators(self):
        """Node -> the nodes on all ways from it to an exit, itself among them. A loop that nothing
        leaves is taken to exit from each of its nodes."""
        return dict(self._analyzed().post_dominators)

    def dominator_tree(self):
        """Node -> the nodes it dominates immediately."""
        return dict(self._analyzed().dominator_tree)

    def dominance_frontier(self):
        """Node -> the nodes where its dominance ends."""
        return dict(self._analyzed().frontiers)

    def backbone(self):
        """The nodes that every way through the graph passes."""
        return set(self._analyzed().post_dominators[self._entry])

    # Loops.

    def loops(self):
        """Header -> loop."""
        return dict(self._analyzed().loops)

    def in_loops(self, node):
        """The loops around a node, the innermost first."""
        analyses = self._analyzed()
        return [analyses.loops[header] for header in analyses.headers_around[node]]

    def _find_back_edges(self, stats=None):
        """The edges that close a loop. The search passes each node and each edge once, which is what
        `stats["iteration_count"]` tells."""
        if stats is not None:
            stats["iteration_count"] = len(self._successors) + len(self._data)
        return set(self._analyzed().back_edges)

    # For display.

    def dump(self, file=None):
        """Prints everything that is known of the graph."""
        analyses = self._analyzed()
        sections = (
            ("adjacency lists", {node: list(edges) for node, edges in self._successors.items()}),
            ("dominators", analyses.dominators),
            ("post-dominators", analyses.post_dominators),
            ("back edges", sorted(analyses.back_edges, key=repr)),
            ("loops", analyses.loops),
            ("node-to-loops", analyses.headers_around),
            ("backbone", self.backbone()),
        )
        for title, value in sections:
            print(f"CFG {title}:\n{value}", file=file or sys.stdout)

    def render_dot(self, filename="numba_cfg.dot"):
        """A `graphviz.Digraph` of the graph."""
        try:
            import graphviz
        except ImportError:
            raise ImportError("drawing a graph needs the package graphviz (pip install graphviz)") from None
        drawing = graphviz.Digraph(filename=filename)
        for node, edges in self._successors.items():
            drawing.node(str(node))
            for dest in edges:
                drawing.edge(str(node), str(dest))
        return drawing

    def __eq__(self, other):
        if not isinstance(other, CFGraph):
            return NotImplemented
        return ((self._entry, self._successors, self._data)
                == (other._entry, other._successors, other._data))

    __hash__ = None


class _Analyses:
    """What is computed of a graph that is complete, in terms of its nodes."""

    def __init__(self, successors, entry):
        from .._rumba import FlowGraph

        self._labels = labels = list(successors)
        self._entry = entry
        number = {label: position for position, label in enumerate(labels)}
        edges = [(number[src], number[dest]) for src in labels for dest in successors[src]]
        self._graph = FlowGraph(len(labels), edges, number[entry])

    def _set(self, numbers):
        return {self._labels[number] for number in numbers}

    def _sets(self, rows):
        return {label: self._set(row) for label, row in zip(self._labels, rows)}

    @functools.cached_property
    def order(self):
        return [self._labels[number] for number in self._graph.reverse_postorder()]

    @functools.cached_property
    def immediate_dominators(self):
        rows = zip(self._labels, self._graph.immediate_dominators())
        return {label: label if above is None else self._labels[above] for label, above in rows}

    @functools.cached_property
    def dominators(self):
        found = {}
        for node in self.order:
            above = self.immediate_dominators[node]
            found[node] = {node} if node == self._entry else found[above] | {node}
        return found

    @functools.cached_property
    def dominator_tree(self):
        tree = {label: set() for label in self._labels}
        for node, above in self.immediate_dominators.items():
            if node != self._entry:
                tree[above].add(node)
        return tree

    @functools.cached_property
    def post_dominators(self):
        return self._sets(self._graph.post_dominators())

    @functools.cached_property
    def frontiers(self):
        return self._sets(self._graph.frontiers())

    @functools.cached_property
    def back_edges(self):
        return {(self._labels[src], self._labels[dest]) for src, dest in self._graph.back_edges()}

    @functools.cached_property
    def loops(self):
        return {self._labels[header]: Loop(self._set(entries), self._set(exits), self._labels[header], self._set(body))
                for header, entries, exits, body in self._graph.loops()}

    @functools.cached_property
    def headers_around(self):
        headers = list(self.loops)
        rows = zip(self._labels, self._graph.loops_of_nodes())
        return {label: [headers[position] for position in row] for label, row in rows}
