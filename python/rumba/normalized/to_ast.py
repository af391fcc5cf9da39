"""Normalized IR to Python's abstract syntax, for CPython's own `compile`.

Chains of comparisons and of assignments that `from_ast` took apart become one again, so that their bytecode is that of the source. Any other
`Let` becomes an assignment expression in a tuple; within a comprehension of a class, where Python has no such expression, a call of a lambda.
"""
import ast
import sys

from . import nodes
from .nodes import SCHEMA, Node
from .visitors import children, walk

_OWN = {}
# Fields that older versions of Python do not have.
_ABSENT = {"type_params": (3, 12), "default_value": (3, 13)}


def to_ast(tree):
    """What `ast` and `compile` take.

    Parameters
    ----------
    tree : Node or sequence of stmt
        Normalized IR; `validate` says whether it is.

    Returns
    -------
    ast.Module for statements, otherwise the node of `ast`. Nodes without a position get that of what they are in.

    >>> from rumba.normalized import normalize
    >>> print(ast.unparse(to_ast(normalize("a = b = 0 < f() < 9"))))
    a = b = 0 < f() < 9
    """
    writer = _Writer()
    if isinstance(tree, Node):
        writer.write([tree])
        return _fill_positions(writer.node(tree))
    tree = list(tree)
    writer.write(tree)
    return _fill_positions(ast.Module(body=writer.statements(tree), type_ignores=[]))


def spell(name):
    """A name as Python has it: fresh ones begin with `$`, which no name of a source does."""
    return "_rumba_" + name[1:] if name.startswith("$") else name


def _fill_positions(tree):
    """Gives nodes without a position that of what they are in; `ast.fix_missing_locations` recurs."""
    pending = [(tree, 1, 0, 1, 0)]
    while pending:
        node, *place = pending.pop()
        if "lineno" in node._attributes:
            for at_most, name in enumerate(_POSITION):
                if getattr(node, name, None) is None:
                    setattr(node, name, place[at_most])
                place[at_most] = getattr(node, name)
        pending += [(child, *place) for child in ast.iter_child_nodes(node)]
    return tree


_POSITION = ("lineno", "col_offset", "end_lineno", "end_col_offset")
_COMPREHENSIONS = (nodes.ListComp, nodes.SetComp, nodes.DictComp, nodes.GeneratorExp)


class _Writer:
    """Makes nodes of `ast` from the leaves up, without recursion."""

    def __init__(self):
        # What was made of nodes, by their identity.
        self._made = {}
        # Whether they are directly in a comprehension of a class, where there are no assignment expressions.
        self._in_class = {}

    def write(self, roots):
        # A node, whether what is in it was made, whether a class is around it, and whether a comprehension of that class is.
        pending = [(node, False, False, False) for node in roots]
        while pending:
            node, is_ready, within_class, within_both = pending.pop()
            if is_ready:
                self._in_class[id(node)] = within_both
                own = _OWN.get(type(node).__name__)
                self._made[id(node)] = _generic(self, node) if own is None else own(self, node)
                continue
            pending.append((node, True, within_class, within_both))
            if isinstance(node, nodes.ClassDef):
                within_class, within_both = True, False
            elif isinstance(node, (nodes.FunctionDef, nodes.AsyncFunctionDef, nodes.Lambda)):
                within_class = within_both = False
            elif within_class and isinstance(node, _COMPREHENSIONS):
                within_both = True
            pending += [(child, False, within_class, within_both) for child in children(node)]

    def statements(self, statements):
        made, index = [], 0
        while index < len(statements):
            first = statements[index]
            count, targets = _assigned_together(statements, index)
            one = self.node(first)
            if targets:
                one = self.make(first, targets=[self.node(target) for target in targets], value=self.node(first.value), type_comment=None)
            elif isinstance(first, nodes.ImportFrom):
                count = _imported_together(statements, index)
                one.names = [_alias(each) for each in statements[index:index + count]]
            made.append(one)
            index += count
        return made

    def node(self, node):
        """What was made of a node."""
        return self._made[id(node)]

    def is_in_comprehension_of_class(self, node):
        return self._in_class[id(node)]

    def field(self, field, value):
        if isinstance(value, Node):
            return self.node(value)
        if field.type == "stmt":
            return self.statements(value)
        if field.is_repeated:
            return [self.node(item) if isinstance(item, Node) else item for item in value]
        return spell(value) if field.type == "identifier" and value is not None else value

    def make(self, node, class_name=None, /, **fields):
        """A node of `ast` with the position of a node."""
        class_name = class_name or type(node).__name__
        made = getattr(ast, class_name, None)
        if made is None:
            raise TypeError(f"Python {sys.version_info[0]}.{sys.version_info[1]} has no {class_name}")
        given = {name: value for name, value in fields.items() if sys.version_info >= _ABSENT.get(name, (3,))}
        return at(made(**given), node)


def _position(node):
    return [getattr(node, name, None) for name in _POSITION]


def at(made, node):
    """Gives a node of `ast` the position of a node, if that has one."""
    for name in _POSITION:
        value = getattr(node, name, None)
        if value is not None:
            setattr(made, name, value)
    return made


def _assigned_together(statements, index):
    """How many statements are one assignment to several targets as `from_ast` writes it, and the targets; (1, []) if there is none."""
    first = statements[index]
    if not (isinstance(first, nodes.Assign) and _is_fresh(first.target)):
        return 1, []
    targets = []
    for one in statements[index + 1:]:
        if isinstance(one, nodes.Delete) and _is_fresh(one.target) and one.target.id == first.target.id and targets:
            return len(targets) + 2, targets
        if not (isinstance(one, nodes.Assign) and _is_fresh(one.value) and one.value.id == first.target.id):
            break
        targets.append(one.target)
    return 1, []


def _imported_together(statements, index):
    """How many statements stand at one position of the source: they were one `from module import a, b`."""
    def key(node):
        return isinstance(node, nodes.ImportFrom) and (node.module, node.level, node.lineno, node.col_offset)

    first, count = key(statements[index]), 1
    while index + count < len(statements) and first[2] is not None and key(statements[index + count]) == first:
        count += 1
    return count


def _alias(node):
    return at(ast.alias(name=node.name, asname=node.asname), node)


def _is_fresh(node):
    return isinstance(node, nodes.Name) and node.id.startswith("$")


def _own(*names):
    def register(function):
        _OWN.update(dict.fromkeys(names, function))
        return function
    return register


def _generic(self, node):
    row = SCHEMA.constructors[type(node).__name__]
    return self.make(node, **{field.name: self.field(field, getattr(node, field.name)) for field in row.fields})


@_own("Assign")
def _assign(self, node):
    return self.make(node, targets=[self.node(node.target)], value=self.node(node.value), type_comment=None)


@_own("Delete")
def _delete(self, node):
    return self.make(node, targets=[self.node(node.target)])


@_own("Global", "Nonlocal")
def _declaration(self, node):
    return self.make(node, names=[spell(node.name)])


@_own("Import")
def _import(self, node):
    return self.make(node, names=[_alias(node)])


@_own("ImportFrom")
def _import_from(self, node):
    return self.make(node, module=node.module, names=[_alias(node)], level=node.level)


@_own("With", "AsyncWith")
def _with(self, node):
    variables = None if node.optional_vars is None else self.node(node.optional_vars)
    item = ast.withitem(context_expr=self.node(node.context_expr), optional_vars=variables)
    return self.make(node, items=[item], body=self.statements(node.body), type_comment=node.type_comment)


@_own("BoolOp")
def _bool_op(self, node):
    # Python has one operation for a chain of one operator. What stands in parentheses of its own has another position.
    values, op, place = [self.node(node.left)], type(node.op), _position(node)
    while isinstance(node.right, nodes.BoolOp) and type(node.right.op) is op and _position(node.right) == place:
        node = node.right
        values.append(self.node(node.left))
    values.append(self.node(node.right))
    return self.make(node, op=getattr(ast, op.__name__)(), values=values)


@_own("Compare")
def _compare(self, node):
    return self.make(node, left=self.node(node.left), ops=[self.node(node.op)], comparators=[self.node(node.right)])


@_own("Let")
def _let(self, node):
    chain = _chain(node)
    if chain is not None:
        operands, ops = chain
        left, *comparators = map(self.node, operands)
        return self.make(node, "Compare", left=left, ops=[self.node(op) for op in ops], comparators=comparators)
    name, definition, user = spell(node.name), self.node(node.definition), self.node(node.user)
    if self.is_in_comprehension_of_class(node):
        parameters = ast.arguments(posonlyargs=[], args=[at(ast.arg(arg=name), node)], kwonlyargs=[], kw_defaults=[], defaults=[])
        function = self.make(node, "Lambda", args=parameters, body=user)
        return self.make(node, "Call", func=function, args=[definition], keywords=[])
    bound = self.make(node, "NamedExpr", target=self.make(node, "Name", id=name, ctx=ast.Store()), value=definition)
    pair = self.make(node, "Tuple", elts=[bound, user], ctx=ast.Load())
    return self.make(node, "Subscript", value=pair, slice=self.make(node, "Constant", value=1, kind=None), ctx=ast.Load())


def _chain(node):
    """The operands and operators of a chained comparison, if a `Let` is one as `from_ast` writes it."""
    operands, ops, last = [node.definition], [], node.name
    node = node.user
    while isinstance(node, nodes.Let):
        both = node.user
        if not (isinstance(both, nodes.BoolOp) and isinstance(both.op, nodes.And) and _compares(both.left, last, node.name)):
            return None
        operands.append(node.definition)
        ops.append(both.left.op)
        last, node = node.name, both.right
    if not ops or not _compares(node, last, None) or _uses(node.right, last):
        return None
    return [*operands, node.right], [*ops, node.op]


def _compares(node, left, right):
    """Whether a node compares a fresh name with another one, or with anything."""
    names = [left] if right is None else [left, right]
    sides = [node.left, node.right][:len(names)] if isinstance(node, nodes.Compare) else []
    return len(sides) == len(names) and all(isinstance(side, nodes.Name) and side.id == name for side, name in zip(sides, names))


def _uses(node, name):
    return any(isinstance(inner, nodes.Name) and inner.id == name for inner in walk(node))
