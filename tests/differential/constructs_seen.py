"""Which constructs of the language a program has, told from its text alone, whatever made it."""
import ast
from collections import Counter

OPERATORS = {"BinOp": "operator", "UnaryOp": "operator", "Compare": "comparison", "BoolOp": "and, or"}


def constructs(source):
    """How often each construct occurs."""
    seen, tree = Counter(), ast.parse(source)
    for node in ast.walk(tree):
        describe = DESCRIBE.get(type(node))
        if describe:
            seen.update(describe(node))
    seen["inner function"] = sum(isinstance(node, ast.FunctionDef) for node in ast.walk(tree)) - sum(
        isinstance(node, ast.FunctionDef) for node in tree.body)
    functions = [node for node in tree.body if isinstance(node, ast.FunctionDef)]
    for function in functions:
        seen.update(_function(function, {other.name: other for other in functions}))
    return seen


def _function(function, functions):
    args = function.args
    if args.vararg:
        yield "def: *args"
    if args.kwonlyargs:
        yield "def: keyword-only parameter"
    if args.posonlyargs:
        yield "def: positional-only parameter"
    if args.defaults:
        yield "def: default"
    called = {node.func.id for node in ast.walk(function) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    if function.name in called:
        yield "recursion"
    for name in called & set(functions) - {function.name}:
        inside = {node.func.id for node in ast.walk(functions[name]) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
        yield "mutual recursion" if function.name in inside else "call of another function"
    loops = [node for node in ast.walk(function) if isinstance(node, (ast.For, ast.While))]
    for loop in loops:
        inner = [node for node in ast.walk(loop) if isinstance(node, (ast.For, ast.While)) and node is not loop]
        if inner:
            yield "loop in a loop"
        if any(isinstance(deeper, (ast.For, ast.While)) and deeper is not node for node in inner for deeper in ast.walk(node)):
            yield "loop three deep"
        if any(isinstance(node, ast.Return) for node in ast.walk(loop)):
            yield "return out of a loop"
    returns = [node for node in ast.walk(function) if isinstance(node, ast.Return)]
    if len(returns) > 1:
        yield "early return"
    if any(node.value is None or isinstance(node.value, ast.Constant) and node.value.value is None for node in returns):
        yield "return None"


def _for(node):
    kind = node.iter.func.id if isinstance(node.iter, ast.Call) else "tuple"
    yield f"for: {kind}" + (f" of {len(node.iter.args)}" if kind == "range" else "")
    if node.orelse:
        yield "for ... else"
    if isinstance(node.target, ast.Tuple):
        nested = any(isinstance(item, ast.Tuple) for item in node.target.elts)
        yield "for: nested targets" if nested else "for: several targets"


def _while(node):
    yield "while True" if isinstance(node.test, ast.Constant) else "while"
    if node.orelse:
        yield "while ... else"


def _if(node):
    yield "if"
    if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.If):
        yield "elif"
    elif node.orelse:
        yield "else"


def _assign(node):
    target = node.targets[0]
    yield "chained assignment" if len(node.targets) > 1 else "assignment"
    if isinstance(target, ast.Tuple):
        nested = any(isinstance(item, ast.Tuple) for item in target.elts)
        starred = any(isinstance(item, ast.Starred) for item in target.elts)
        yield "unpacking into nested targets" if nested else "starred target" if starred else "unpacking"


def _call(node):
    for keyword in node.keywords:
        yield "call: keyword argument"
    if any(isinstance(arg, ast.Starred) for arg in node.args):
        yield "call: *tuple"
    if isinstance(node.func, ast.Attribute):
        base = node.func.value
        yield f"call: module {base.id}" if isinstance(base, ast.Name) and base.id in MODULES else "call: method"
    elif isinstance(node.func, ast.Name) and node.func.id == "Pair":
        yield "named tuple"


MODULES = ("math", "cmath", "operator", "np")


def _match(node):
    yield "match"
    for case in node.cases:
        yield from _case(case)


def _case(case):
    if case.guard:
        yield "case: guard"
    for node in ast.walk(case.pattern):
        if isinstance(node, ast.MatchValue):
            yield "case: literal"
        if isinstance(node, ast.MatchSingleton):
            yield "case: True, False"
        if isinstance(node, ast.MatchOr):
            yield "case: alternatives"
        if isinstance(node, ast.MatchSequence):
            yield "case: tuple"
        if isinstance(node, ast.MatchStar):
            yield "case: starred"
        if isinstance(node, ast.MatchAs):
            yield "case: as" if node.pattern else "case: capture" if node.name else "case: _"


def _raise(node):
    name = node.exc.func.id if isinstance(node.exc, ast.Call) else node.exc.id
    yield "raise of a user's class" if name == "Odd" else "raise"
    if isinstance(node.exc, ast.Call) and any(not isinstance(arg, ast.Constant) for arg in node.exc.args):
        yield "raise with run-time arguments"
    if not isinstance(node.exc, ast.Call):
        yield "raise of a class"


def _compare(node):
    yield "comparison" if len(node.ops) == 1 else f"comparison chained {len(node.ops)} times"
    for op, right in zip(node.ops, node.comparators):
        none = isinstance(right, ast.Constant) and right.value is None
        if isinstance(op, (ast.Is, ast.IsNot)) and none:
            yield "is None" if isinstance(op, ast.Is) else "is not None"
        elif isinstance(op, (ast.In, ast.NotIn)):
            yield "in, not in"


def _subscript(node):
    if isinstance(node.slice, ast.Slice):
        yield "slice"
    else:
        negative = isinstance(node.slice, ast.UnaryOp)
        yield "index from the end" if negative else "index"


def _constant(node):
    value = node.value
    if value is None:
        yield "None"
    elif type(value) is int and abs(value) >= 2**62:
        yield "integer literal near the limits"
    elif type(value) is float and (value != value or abs(value) in (1e999, 5e-324, 1e308)):
        yield "float literal at the limits"


def _name(node):
    if node.id in ("G_INT", "G_FLOAT", "G_BOOL", "G_PAIR"):
        yield "global constant"


DESCRIBE = {
    ast.For: _for, ast.While: _while, ast.If: _if, ast.Assign: _assign, ast.Call: _call, ast.Match: _match, ast.Raise: _raise,
    ast.Compare: _compare, ast.Subscript: _subscript, ast.Constant: _constant, ast.Name: _name,
    ast.AugAssign: lambda node: ["augmented assignment"], ast.AnnAssign: lambda node: ["annotated assignment"],
    ast.NamedExpr: lambda node: ["walrus"], ast.IfExp: lambda node: ["conditional expression"],
    ast.BoolOp: lambda node: ["and" if isinstance(node.op, ast.And) else "or"], ast.Assert: lambda node: ["assert"],
    ast.Delete: lambda node: ["del"], ast.Break: lambda node: ["break"], ast.Continue: lambda node: ["continue"],
    ast.Tuple: lambda node: ["tuple"] if isinstance(node.ctx, ast.Load) else [],
    ast.UnaryOp: lambda node: ["not"] if isinstance(node.op, ast.Not) else [],
    ast.Pass: lambda node: [], ast.Lambda: lambda node: ["lambda"],
}

# What programs must have. The generator makes no program without most of these; a few are rare.
EXPECTED = (
    "def: *args", "def: keyword-only parameter", "def: positional-only parameter", "def: default", "recursion",
    "mutual recursion", "call of another function", "loop in a loop", "loop three deep", "return out of a loop", "early return",
    "return None", "for: range of 1", "for: range of 2", "for: range of 3", "for: tuple", "for: reversed", "for: enumerate",
    "for: zip", "for: several targets", "for: nested targets", "for ... else", "while", "while True", "while ... else", "if",
    "elif", "else", "assignment", "chained assignment", "unpacking", "unpacking into nested targets", "augmented assignment",
    "annotated assignment", "walrus", "conditional expression", "and", "or", "not", "comparison", "comparison chained 2 times",
    "comparison chained 3 times", "is None", "is not None", "in, not in", "tuple", "index", "index from the end", "slice",
    "named tuple", "starred target", "case: starred", "lambda", "inner function", "call: *tuple", "call: keyword argument", "call: method", "call: module math", "call: module cmath",
    "call: module operator", "call: module np", "match", "case: literal", "case: True, False", "case: alternatives",
    "case: tuple", "case: as", "case: capture", "case: _", "case: guard", "raise", "raise of a class",
    "raise of a user's class", "raise with run-time arguments", "assert", "del", "break", "continue", "None",
    "integer literal near the limits", "float literal at the limits", "global constant",
)
