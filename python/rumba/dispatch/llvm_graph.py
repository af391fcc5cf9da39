"""The control flow of functions in LLVM's text, as DOT and as a picture."""
from .. import upcalls


class Graph:
    """The control flow of LLVM's code as DOT."""

    def __init__(self, llvm):
        self._llvm = llvm
        self.dot = _to_dot(llvm)

    def __str__(self):
        return self.dot

    __repr__ = __str__

    def _repr_svg_(self):
        return upcalls.picture_of(self.dot)

    def display(self, filename=None, format="pdf", view=False):
        """The graph drawn by the graphviz package, saved and shown if asked for."""
        source = self._render()
        if filename is not None or view:
            source.render(filename or "cfg", view=view, format=format)
        return source

    def _render(self):
        try:
            import graphviz
        except ImportError:
            raise ImportError("showing a graph needs the package graphviz; str() gives its DOT text") from None
        return graphviz.Source(self.dot)


def _reached(llvm):
    """Name -> body of the function that others call, in LLVM's text, and of those that it calls."""
    import re

    found = re.findall(r'^define ([^@\n]*)@("[^"\n]*"|[-\w.$]+)\([^\n]*\{\n(.*?)^\}', llvm, re.M | re.S)
    bodies = {name.strip('"'): body for _, name, body in found}
    entries = [name.strip('"') for linkage, name, _ in found if not re.search(r"\b(internal|private)\b", linkage)]
    reached, waiting = {}, entries[:1] or list(bodies)[:1]
    while waiting:
        name = waiting.pop(0)
        if name in bodies and name not in reached:
            reached[name] = bodies[name]
            waiting += [called.strip('"') for called in re.findall(r'@("[^"\n]*"|[-\w.$]+)', bodies[name])]
    return reached


def _to_dot(llvm):
    """Blocks and branches of the function that others call, and of those that it calls."""
    import re

    functions = _reached(llvm)
    lines = [f"digraph \"CFG for '{next(iter(functions), '')}' function\" {{",
             "  node [shape=box, fontname=monospace];"]
    names = {}

    def node(number, block):
        # Names as LLVM's own printer of graphs gives them, which tools look for.
        return names.setdefault((number, block), f"Node0x{0x1000 + len(names):x}")

    for number, body in enumerate(functions.values()):
        block = "entry"
        if not re.match(r'[-\w.$"]+:', body):
            lines.append(f'  {node(number, block)} [label="{block}"];')
        for line in body.splitlines():
            label = re.match(r'([-\w.$"]+):', line)
            if label:
                block = label[1].strip('"')
                lines.append(f'  {node(number, block)} [label="{block}"];')
            if re.match(r"\s+(br|switch|indirectbr)\b", line) or " label %" in line:
                for target in re.findall(r'label %"?([-\w.$]+)"?', line):
                    lines.append(f"  {node(number, block)} -> {node(number, target)};")
    return "\n".join([*lines, "}"])
