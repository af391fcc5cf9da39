"""Walks over Normalized IR: `walk`, and the base classes of analyses and passes."""
from .language import Node


def children(node):
    """The nodes directly in a node, in the order of its fields."""
    for name in node._fields:
        value = getattr(node, name)
        if isinstance(value, Node):
            yield value
        elif isinstance(value, (list, tuple)):
            for item in value:
                if isinstance(item, Node):
                    yield item


def walk(tree):
    """All nodes of a tree, or of statements, each before what is in it."""
    pending = [tree] if isinstance(tree, Node) else list(reversed(tree))
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(list(children(node)))


class Visitor:
    """An analysis: `visit(node)` calls `visit_<constructor>`, or `generic_visit`, which visits what is in the node."""

    def visit(self, node):
        """Calls the method for a node and returns its result; of statements, visits each."""
        if isinstance(node, (list, tuple)):
            for one in node:
                self.visit(one)
            return None
        return getattr(self, f"visit_{type(node).__name__}", self.generic_visit)(node)

    def generic_visit(self, node):
        """Visits what is in a node."""
        for child in children(node):
            self.visit(child)


class Transformer(Visitor):
    """A pass: what a method returns takes the place of the node. None removes a statement, and a list stands for several.

    >>> from rumba.normalized import nodes, normalize, unparse
    >>> class Doubled(Transformer):
    ...     def visit_Constant(self, node):
    ...         return nodes.Constant(2 * node.value, None)
    >>> print(unparse(Doubled().visit(normalize("x = 4"))))
    x = 8
    """

    def visit(self, node):
        """The node, or the statements, with what the methods made of them."""
        if isinstance(node, (list, tuple)):
            return self._all(node)
        return super().visit(node)

    def generic_visit(self, node):
        """Puts what the methods make of the nodes in a node in their places, and returns the node."""
        for name in node._fields:
            value = getattr(node, name)
            if isinstance(value, Node):
                setattr(node, name, self._placed(self.visit(value), value))
            elif isinstance(value, (list, tuple)):
                setattr(node, name, self._all(value))
        return node

    def _all(self, items):
        made = []
        for item in items:
            result = self._placed(self.visit(item), item) if isinstance(item, Node) else item
            if isinstance(result, (list, tuple)):
                made += result
            elif result is not None or item is None:
                made.append(result)
        return made

    @staticmethod
    def _placed(made, node):
        """A new node stands where the one stood that it replaces, unless it says otherwise."""
        for one in made if isinstance(made, (list, tuple)) else (made,):
            for name in getattr(one, "_attributes", ()):
                if getattr(one, name, None) is None and one is not node:
                    setattr(one, name, getattr(node, name, None))
        return made
