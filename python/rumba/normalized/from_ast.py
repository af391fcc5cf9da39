"""Python's abstract syntax to Normalized IR.

    a = b = f(x)       $0 = f(x); a = $0; b = $0; del $0
    import m, n        import m; import n
    with p, q: ...     with p: with q: ...
    x and y and z      BoolOp(x, And, BoolOp(y, And, z))
    a < f() < b        Let($0, a, Let($1, f(), BoolOp(Compare($0, Lt, $1), And, Compare($1, Lt, b))))

Names that begin with `$` are fresh: Python has no such names. Positions are those of the syntax that a node is from.
"""
import ast

from . import nodes
from .nodes import CLASSES, SCHEMA

# What is made of syntax that has another form there, by the name of its class in `ast`.
_OWN = {}


def from_ast(tree):
    """The Normalized statements of a module, or of statements.

    Parameters
    ----------
    tree : ast.Module, ast.Interactive or sequence of ast.stmt

    Returns
    -------
    list of stmt

    Raises
    ------
    TypeError
        For what is no syntax of a program, such as `ast.Expression`.

    >>> import ast
    >>> from_ast(ast.parse("import a, b"))
    [Import('a', None), Import('b', None)]
    """
    statements = getattr(tree, "body", tree) if isinstance(tree, (ast.Module, ast.Interactive)) else tree
    if isinstance(statements, ast.AST):
        raise TypeError(f"a module or statements are normalized, not {type(statements).__name__}")
    return _Normalizer().program(list(statements))


class _Normalizer:
    """Makes nodes from the leaves up, without recursion: expressions may be thousands of operators deep."""

    def __init__(self):
        self._count = 0
        # What was made of the nodes of `ast`, by their identity: a node, or the statements of one.
        self._made = {}

    def program(self, statements):
        # Backwards: each node before what is in it.
        found, pending = [], list(statements)
        while pending:
            node = pending.pop()
            found.append(node)
            for name in node._fields:
                value = getattr(node, name, None)
                if isinstance(value, ast.AST):
                    pending.append(value)
                elif type(value) is list:
                    pending += (item for item in value if isinstance(item, ast.AST))
        made = self._made
        for node in reversed(found):
            name = type(node).__name__
            own = _OWN.get(name)
            made[id(node)] = self._generic(node, name) if own is None else own(self, node)
        return self.statements(statements)

    def node(self, node):
        """What was made of an expression, or of what else is in a statement."""
        return self._made[id(node)]

    def statements(self, statements):
        """What was made of statements: each may be several."""
        made = []
        for statement in statements:
            one = self._made[id(statement)]
            if type(one) is list:
                made += one
            else:
                made.append(one)
        return made

    def _fresh(self):
        self._count += 1
        return f"${self._count - 1}"

    def _generic(self, node, name):
        row = SCHEMA.constructors.get(name)
        if row is None:
            # Parts of statements with functions of their own: `alias`, `withitem`.
            return None
        made, fields = self._made, []
        for type_name, field, _, is_repeated in row.fields:
            value = getattr(node, field, None)
            if isinstance(value, ast.AST):
                value = made[id(value)]
            elif type_name == "stmt":
                value = self.statements(value or ())
            elif is_repeated:
                value = [made[id(item)] if isinstance(item, ast.AST) else item for item in value or ()]
            fields.append(value)
        return self._placed(CLASSES[name](*fields), node)

    @staticmethod
    def _placed(made, node):
        for name in made._attributes:
            setattr(made, name, getattr(node, name, None))
        return made


def _own(*names):
    def register(function):
        _OWN.update(dict.fromkeys(names, function))
        return function
    return register


@_own("Assign")
def _assign(self, node):
    value = self.node(node.value)
    if len(node.targets) == 1:
        return [self._placed(nodes.Assign(self.node(node.targets[0]), value), node)]
    name = self._fresh()
    made = [nodes.Assign(self._placed(nodes.Name(name, nodes.Store()), node.value), value)]
    made += (nodes.Assign(self.node(target), self._placed(nodes.Name(name, nodes.Load()), node.value)) for target in node.targets)
    made.append(nodes.Delete(self._placed(nodes.Name(name, nodes.Del()), node.value)))
    return [self._placed(one, node) for one in made]


@_own("Delete")
def _delete(self, node):
    return [self._placed(nodes.Delete(self.node(target)), node) for target in node.targets]


@_own("Global", "Nonlocal")
def _declaration(self, node):
    return [self._placed(CLASSES[type(node).__name__](name), node) for name in node.names]


@_own("Import")
def _import(self, node):
    return [self._placed(nodes.Import(one.name, one.asname), node) for one in node.names]


@_own("ImportFrom")
def _import_from(self, node):
    return [self._placed(nodes.ImportFrom(node.module, one.name, one.asname, node.level or 0), node) for one in node.names]


@_own("With", "AsyncWith")
def _with(self, node):
    body = self.statements(node.body)
    for item in reversed(node.items):
        variables = None if item.optional_vars is None else self.node(item.optional_vars)
        made = CLASSES[type(node).__name__](self.node(item.context_expr), variables, body, node.type_comment)
        body = [self._placed(made, node)]
    return body


@_own("BoolOp")
def _bool_op(self, node):
    *rest, made = map(self.node, node.values)
    op = type(node.op).__name__
    for left in reversed(rest):
        made = self._placed(nodes.BoolOp(left, CLASSES[op](), made), node)
    return made


@_own("Compare")
def _compare(self, node):
    operands = [self.node(node.left), *map(self.node, node.comparators)]
    ops = [CLASSES[type(op).__name__]() for op in node.ops]
    if len(ops) == 1:
        return self._placed(nodes.Compare(operands[0], ops[0], operands[1]), node)
    places = [node.left, *node.comparators]
    names = [self._fresh() for _ in operands[:-1]]

    def use(at):
        return self._placed(nodes.Name(names[at], nodes.Load()), places[at])

    made = self._placed(nodes.Compare(use(-1), ops[-1], operands[-1]), node)
    for at in reversed(range(len(ops) - 1)):
        first = self._placed(nodes.Compare(use(at), ops[at], use(at + 1)), node)
        both = self._placed(nodes.BoolOp(first, nodes.And(), made), node)
        made = self._placed(nodes.Let(names[at + 1], operands[at + 1], both), node)
    return self._placed(nodes.Let(names[0], operands[0], made), node)
