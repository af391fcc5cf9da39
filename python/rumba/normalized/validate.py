"""Whether trees are Normalized IR: fields against the schema, then what the schema cannot say."""
from . import nodes
from .language import Node


class ValidationError(ValueError):
    """A tree that is not Normalized IR. `node` is the node that is wrong; the message has the path to it."""

    def __init__(self, message, node):
        super().__init__(message)
        self.node = node


_CONSTANTS = (type(None), bool, int, float, complex, str, bytes, type(...))
_BUILTIN = {
    "identifier": lambda value: isinstance(value, str) and value != "",
    "string": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "constant": lambda value: isinstance(value, _CONSTANTS) or type(value) in (tuple, frozenset) and all(map(_BUILTIN["constant"], value)),
}


def validate(tree):
    """Raises ValidationError unless a node, or a sequence of statements, is Normalized IR. Returns the tree.

    >>> validate(nodes.Return(nodes.Name("x", nodes.Load())))
    Return(Name('x', Load()))
    """
    if isinstance(tree, Node):
        _validate(tree, type(tree).__name__)
    else:
        for at, statement in enumerate(tree):
            if not isinstance(statement, nodes.stmt):
                raise ValidationError(f"statement {at} is {_shown(statement)}, and has to be a stmt", statement)
            _validate(statement, f"{type(statement).__name__}")
    return tree


def _validate(root, path):
    # A stack of our own: expressions may be thousands of operators deep.
    pending = [(root, path)]
    while pending:
        node, path = pending.pop()
        if node._constructor is None:
            raise ValidationError(f"{path}: {type(node).__name__} is a type without fields: use one of its constructors", node)
        for field in node._constructor.fields:
            pending += _field(node, field, f"{path}.{field.name}")
        for field in node._constructor.attributes:
            value = getattr(node, field.name, None)
            # Made by hand, a node has no position.
            if value is not None and not _BUILTIN[field.type](value):
                raise ValidationError(f"{path}.{field.name} is {_shown(value)}, and has to be {field.type}", node)
        if node._language is nodes.LANGUAGE:
            _check_meaning(node, path)


def _field(node, field, path):
    """Checks a field and returns the nodes in it, with their paths."""
    if not hasattr(node, field.name):
        raise ValidationError(f"{path} is missing", node)
    value = getattr(node, field.name)
    if field.is_repeated:
        if not isinstance(value, (list, tuple)):
            raise ValidationError(f"{path} is {_shown(value)}, and has to be a list of {field.type}", node)
        items = [(item, f"{path}[{at}]") for at, item in enumerate(value)]
    else:
        items = [(value, path)]
    inner = []
    for item, where in items:
        if item is None and field.is_optional:
            continue
        if not _is_of(item, field.type, node._language):
            raise ValidationError(f"{where} is {_shown(item)}, and has to be {field.type}", node)
        if isinstance(item, Node):
            inner.append((item, where))
    return inner


def _is_of(value, type_name, language):
    check = _BUILTIN.get(type_name)
    if check is not None:
        return check(value)
    row = getattr(value, "_constructor", None)
    return row is not None and row.name in language.schema.types[type_name] and value._language is language


_TARGETS = {"Assign": "target", "For": "target", "AsyncFor": "target", "comprehension": "target", "With": "optional_vars",
            "AsyncWith": "optional_vars"}


def _check_meaning(node, path):
    """What holds beyond the schema."""
    name = type(node).__name__
    if name in _TARGETS and getattr(node, _TARGETS[name]) is not None:
        _check_target(getattr(node, _TARGETS[name]), nodes.Store, f"{path}.{_TARGETS[name]}")
    elif name == "Delete":
        _check_target(node.target, nodes.Del, f"{path}.target")
    elif name in ("NamedExpr", "AugAssign", "AnnAssign"):
        allowed = (nodes.Name,) if name == "NamedExpr" else (nodes.Name, nodes.Attribute, nodes.Subscript)
        if not isinstance(node.target, allowed) or not isinstance(node.target.ctx, nodes.Store):
            raise ValidationError(f"{path}.target is {_shown(node.target)}, and has to be stored to", node)
    elif name == "arguments" and len(node.kwonlyargs) != len(node.kw_defaults):
        raise ValidationError(f"{path} has {len(node.kwonlyargs)} keyword-only arguments and {len(node.kw_defaults)} defaults for them", node)
    elif name == "Dict" and len(node.keys) != len(node.values):
        raise ValidationError(f"{path} has {len(node.keys)} keys and {len(node.values)} values", node)


def _check_target(target, ctx, path):
    if not isinstance(target, (nodes.Name, nodes.Attribute, nodes.Subscript, nodes.Starred, nodes.Tuple, nodes.List)):
        raise ValidationError(f"{path} is {_shown(target)}, which is no target", target)
    if not isinstance(target.ctx, ctx):
        raise ValidationError(f"{path} has the context {type(target.ctx).__name__}, and has to have {ctx.__name__}", target)
    for at, item in enumerate(getattr(target, "elts", ())):
        _check_target(item, ctx, f"{path}.elts[{at}]")


def _shown(value):
    return type(value).__name__ if isinstance(value, Node) else repr(value)[:60]
