"""A control flow graph as SVG: blocks in layers from top to bottom, back edges at the side.

Layers are the longest ways from the entry without edges back; in a layer, blocks stand in the order of the middle of their
predecessors (Sugiyama, Tagawa, Toda: Methods for Visual Understanding of Hierarchical System Structures, 1981, one sweep).
"""
import html
import re

_STYLE = ("svg{color-scheme:light dark} rect{fill:light-dark(#f6f7f9,#1b2028);stroke:light-dark(#8b95a7,#6b7484)} "
          "text{fill:light-dark(#1d2430,#dde3ee);font:12px ui-monospace,'DejaVu Sans Mono',monospace;text-anchor:middle} "
          "path{fill:none;stroke:light-dark(#6b7484,#8b95a7)} path.back{stroke:light-dark(#2459c9,#8db4ff);stroke-dasharray:4 3}")
_HEIGHT, _GAP_X, _GAP_Y, _LETTER = 26, 24, 44, 7.4


def svg(dot):
    """The picture of a graph in DOT's language, with a node and an edge a line."""
    labels = dict(re.findall(r'^\s*(\w+) \[label="([^"]*)"\];', dot, re.M))
    edges = list(dict.fromkeys(re.findall(r"^\s*(\w+) -> (\w+);", dot, re.M)))
    nodes = list(dict.fromkeys([*labels, *(node for edge in edges for node in edge)]))
    following = {node: [other for one, other in edges if one == node] for node in nodes}
    order, back = _walk(nodes, following)
    layers = _layers(order, following, back)
    places, width = _places(layers, following, back, labels)
    height = len(layers) * (_HEIGHT + _GAP_Y) - _GAP_Y + 20
    side = 14 * len(back)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{width + side + 20:.0f}" height="{height}" role="img">', f"<style>{_STYLE}</style>",
             '<defs><marker id="tip" markerWidth="8" markerHeight="8" refX="7" refY="3" orient="auto">'
             '<path d="M0,0 L7,3 L0,6"/></marker></defs>']
    right = width
    for edge in edges:
        if edge in back:
            right += 14
        parts.append(_edge(places[edge[0]], places[edge[1]], right if edge in back else None))
    parts += [_node(*places[node], labels.get(node, node)) for node in nodes]
    return "\n".join([*parts, "</svg>"])


def _walk(nodes, following):
    """(nodes in reverse postorder, edges that go back), without recursion."""
    state, done, back = {}, [], set()
    for root in nodes:
        waiting = [(root, None)]
        while waiting:
            node, rest = waiting.pop()
            if rest is None:
                if node in state:
                    continue
                state[node], rest = "open", iter(following[node])
            for other in rest:
                if state.get(other) == "open":
                    back.add((node, other))
                elif other not in state:
                    waiting += [(node, rest), (other, None)]
                    break
            else:
                state[node] = "done"
                done.append(node)
    return done[::-1], back


def _layers(order, following, back):
    depth = dict.fromkeys(order, 0)
    for node in order:
        for other in following[node]:
            if (node, other) not in back:
                depth[other] = max(depth[other], depth[node] + 1)
    layers = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for node in order:
        layers[depth[node]].append(node)
    return layers


def _places(layers, following, back, labels):
    """(node -> its middle, its top and its width, the width of the picture)."""
    sizes = {node: max(40, _LETTER * len(labels.get(node, node)) + 16) for layer in layers for node in layer}
    width = max((sum(sizes[node] + _GAP_X for node in layer) for layer in layers), default=0) + 10
    places = {}
    for number, layer in enumerate(layers):
        before = {node: [places[one][0] for one in places if node in following[one] and (one, node) not in back] for node in layer}
        layer.sort(key=lambda node: sum(before[node]) / len(before[node]) if before[node] else 0)
        at = (width - sum(sizes[node] + _GAP_X for node in layer) + _GAP_X) / 2
        for node in layer:
            places[node] = at + sizes[node] / 2, 10 + number * (_HEIGHT + _GAP_Y), sizes[node]
            at += sizes[node] + _GAP_X
    return places, width


def _node(middle, top, width, label):
    return (f'<rect x="{middle - width / 2:.1f}" y="{top}" width="{width:.1f}" height="{_HEIGHT}" rx="5"/>'
            f'<text x="{middle:.1f}" y="{top + 17}">{html.escape(label)}</text>')


def _edge(start, end, right):
    (x, y, _), (other_x, other_y, width) = start, end
    y += _HEIGHT
    if right is None:
        half = (y + other_y) / 2
        return f'<path marker-end="url(#tip)" d="M{x:.1f},{y} C{x:.1f},{half} {other_x:.1f},{half} {other_x:.1f},{other_y}"/>'
    height = other_y + _HEIGHT / 2
    return (f'<path class="back" marker-end="url(#tip)" d="M{x:.1f},{y} C{x:.1f},{y + 22} {right:.1f},{y + 22} {right:.1f},{y} '
            f'L{right:.1f},{height} L{other_x + width / 2:.1f},{height}"/>')
