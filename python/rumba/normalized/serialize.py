"""Normalized IR as text, as JSON and as a flat table. Each is read back to an equal tree.

The text of a node is the call that makes it: `Assign(Name('x', Store()), Constant(1, None))`. JSON is a flat table, so that readers in other
languages need no recursion: node `n` is row `n`, fields name rows by number, and the last row is the root.
"""
import ast
import json

from . import nodes
from .language import Node
from .nodes import LANGUAGE
from .visitors import children


class FormatError(ValueError):
    """Text or JSON that is no Normalized IR."""


def dumps_text(tree):
    """The text of a node, or of statements: a statement a line."""
    return repr(tree) if isinstance(tree, Node) else "".join(f"{statement!r}\n" for statement in tree)


def loads_text(text, language=LANGUAGE):
    """The statements of a text, or the one node that a text without a newline at its end describes. Positions are not in the text.

    >>> loads_text("Return(BinOp(Name('x', Load()), Add(), Constant(1, None)))")
    Return(BinOp(Name('x', Load()), Add(), Constant(1, None)))
    """
    try:
        calls = [statement.value for statement in ast.parse(text).body if isinstance(statement, ast.Expr)]
    except (SyntaxError, ValueError) as error:
        raise FormatError(f"this is no text of {language.name}: {error}") from None
    made = [_read(call, language.classes) for call in calls]
    return made if text.endswith("\n") or len(made) != 1 else made[0]


def _read(node, classes):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in classes and not node.keywords:
        try:
            return classes[node.func.id](*(_read(argument, classes) for argument in node.args))
        except TypeError as error:
            raise FormatError(f"line {node.lineno}: {error}") from None
    if isinstance(node, ast.List):
        return [_read(item, classes) for item in node.elts]
    try:
        return _constant(node)
    except ValueError:
        raise FormatError(f"line {node.lineno}: {ast.unparse(node)[:60]!r} is neither a node nor a constant") from None


def _constant(node):
    """The constant that an expression writes: as `repr` does, so with `inf`, `nan`, `Ellipsis`, and sums of complex numbers."""
    if isinstance(node, ast.Name) and node.id in ("inf", "nan", "Ellipsis"):
        return ... if node.id == "Ellipsis" else float(node.id)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "frozenset" and len(node.args) < 2:
        return frozenset(_constant(node.args[0])) if node.args else frozenset()
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return -_constant(node.operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
        left, right = _constant(node.left), _constant(node.right)
        return complex(left, right.imag if isinstance(node.op, ast.Add) else -right.imag)
    if isinstance(node, ast.Tuple):
        return tuple(map(_constant, node.elts))
    if isinstance(node, ast.Set):
        return set(map(_constant, node.elts))
    if isinstance(node, ast.Constant):
        return node.value
    raise ValueError


def flatten(tree):
    """The rows of a tree, or of statements: `(constructor, fields, attributes)` for each node, what is in it before it.

    A field is `("node", row)`, `("list", fields)` or `("value", value)`. Attributes are a dict of those that are set.

    Returns
    -------
    (rows, roots)
        Both lists; `roots` are the numbers of the rows of the statements, or of the one node.
    """
    rows, numbers = [], {}
    roots = [tree] if isinstance(tree, Node) else list(tree)
    pending = [(node, False) for node in reversed(roots)]
    while pending:
        node, is_ready = pending.pop()
        if id(node) in numbers:
            continue
        if not is_ready:
            pending.append((node, True))
            pending += ((child, False) for child in reversed(list(children(node))))
            continue
        numbers[id(node)] = len(rows)
        attributes = {name: getattr(node, name) for name in node._attributes if getattr(node, name, None) is not None}
        rows.append((type(node).__name__, [_flat(getattr(node, name), numbers) for name in node._fields], attributes))
    return rows, [numbers[id(node)] for node in roots]


def _flat(value, numbers):
    if isinstance(value, Node):
        return "node", numbers[id(value)]
    if isinstance(value, list):
        return "list", [_flat(item, numbers) for item in value]
    return "value", value


def unflatten(rows, roots, language=LANGUAGE):
    """The statements at these rows."""
    made = []

    def value(field):
        kind, what = field
        if kind == "node":
            if not 0 <= what < len(made):
                raise FormatError(f"row {len(made)} names row {what}, which does not stand before it")
            return made[what]
        return [value(item) for item in what] if kind == "list" else what

    for name, fields, attributes in rows:
        if name not in language.classes or language.classes[name]._constructor is None:
            raise FormatError(f"row {len(made)}: there is no constructor {name!r}")
        try:
            made.append(language.classes[name](*map(value, fields), **attributes))
        except TypeError as error:
            raise FormatError(f"row {len(made)}: {error}") from None
    return [made[root] for root in roots]


def dumps_json(statements, language=LANGUAGE):
    """Statements as JSON, with their positions."""
    rows, roots = flatten(statements)
    written = [{"node": name, "fields": [_to_json(field) for field in fields], **({"at": attributes} if attributes else {})}
               for name, fields, attributes in rows]
    return json.dumps({"format": language.name, "version": 1, "rows": written, "roots": roots})


def loads_json(text, language=LANGUAGE):
    """The statements of JSON; FormatError if it is not what `dumps_json` writes."""
    try:
        read = json.loads(text)
        if read["format"] != language.name or read["version"] != 1:
            raise FormatError("this is JSON of another format or version")
        rows = [(row["node"], [_from_json(field) for field in row["fields"]], row.get("at", {})) for row in read["rows"]]
        return unflatten(rows, read["roots"], language)
    except (KeyError, IndexError, TypeError, AttributeError, json.JSONDecodeError) as error:
        raise FormatError(f"this is no JSON of {language.name}: {error!r}") from None


def _to_json(field):
    kind, what = field
    if kind == "node":
        return {"row": what}
    if kind == "list":
        return [_to_json(item) for item in what]
    # Texts, truth values and None are JSON's own; all else as Python writes it, since JSON's numbers are not Python's.
    return what if what is None or isinstance(what, (str, bool)) and _is_json(what) else {"python": repr(what)}


def _is_json(value):
    """Surrogates alone are no text of JSON."""
    try:
        value if isinstance(value, bool) else value.encode()
    except UnicodeEncodeError:
        return False
    return True


def _from_json(field):
    if isinstance(field, list):
        return "list", [_from_json(item) for item in field]
    if isinstance(field, dict):
        if "row" in field:
            return "node", field["row"]
        try:
            return "value", _constant(ast.parse(field["python"], mode="eval").body)
        except (SyntaxError, ValueError):
            raise FormatError(f"{field['python']!r} is no constant") from None
    return "value", field


__all__ = ["FormatError", "dumps_json", "dumps_text", "flatten", "loads_json", "loads_text", "nodes", "unflatten"]
