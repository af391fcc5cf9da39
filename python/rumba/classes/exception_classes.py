"""Infers the attributes of user-defined exceptions from their classes.

An exception that compiled code raises is made by Python, so its attributes are whatever its class makes them; but compiled code
has to know their types when it compiles. They follow from `__init__`: what is assigned from a parameter has the type of its
argument, what is assigned from a constant, or from a call of `int`, `float`, `str`, `bool` or `len`, is like that, and operators give
what they give in compiled code. Otherwise from an annotation in the class, or from the class's own attribute of that name.
"""
import ast
import functools
import inspect
import textwrap
import types as python_types

from .super_calls import with_super

_CALLED = {"int": 0, "float": 0.0, "str": "", "bool": False, "len": 0, "repr": ""}
_OF_STRINGS = {"capitalize", "casefold", "format", "join", "lower", "lstrip", "replace", "rstrip", "strip", "title", "upper"}
_OPERATORS = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.FloorDiv: "floordiv", ast.Mod: "mod", ast.Pow: "pow",
    ast.BitAnd: "and_", ast.BitOr: "or_", ast.BitXor: "xor", ast.LShift: "lshift", ast.RShift: "rshift", ast.USub: "neg",
    ast.UAdd: "pos", ast.Invert: "invert", ast.Not: "not_",
}
_ANNOTATED = {int: 0, float: 0.0, str: "", bool: False, complex: 0j, **{name: like for name, like in _CALLED.items() if name != "len"}}


def attribute(cls, name, arguments, names):
    """What an attribute of an instance is whose class is called with `arguments` arguments, the last ones by the keywords `names`.

    The number of an argument, a tuple of such parts, a list with one value that is like it, a dict with one function's name and the
    parts that it is called with, or None where nothing is known.

    >>> class Failed(Exception):
    ...     def __init__(self, code, why="unknown"):
    ...         super().__init__(code)
    ...         self.code, self.why = code, why
    ...         self.next = self.code + 1
    >>> attribute(Failed, "args", 2, ["why"]), attribute(Failed, "why", 1, []), attribute(Failed, "next", 1, [])
    ((0,), ['unknown'], {'operator.add': (0, [1])})
    """
    own = next((base for base in cls.__mro__ if "__init__" in vars(base)), None)
    given = _arguments(own, arguments, names) if inspect.isfunction(getattr(own, "__init__", None)) else None
    found = None
    if given is not None:
        found = _from_init(own, name, given)
    if found is None and name == "args" and not _passes_on(own):
        found = tuple(range(arguments - len(names)))
    return found if found is not None else _from_class(cls, name)


def _arguments(own, arguments, names):
    """Parameter -> the number of its argument, or a list with its default; None if they do not fit."""
    try:
        signature = inspect.signature(own.__init__)
        by_position = arguments - len(names)
        bound = signature.bind(None, *range(by_position), **{name: by_position + at for at, name in enumerate(names)})
    except (TypeError, ValueError):
        return None
    found = {}
    for parameter in list(signature.parameters.values())[1:]:
        if parameter.name in bound.arguments:
            value = bound.arguments[parameter.name]
            if parameter.kind is not parameter.VAR_KEYWORD:
                found[parameter.name] = value
        elif parameter.kind is parameter.VAR_POSITIONAL:
            found[parameter.name] = ()
        elif parameter.kind is not parameter.VAR_KEYWORD:
            found[parameter.name] = [parameter.default]
    return found


def _body(own):
    """The statements of `__init__`, and the name of its first parameter; None where there is no source."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(own.__init__)))
    except (OSError, TypeError, SyntaxError):
        return None
    function = tree.body[0]
    parameters = [*function.args.posonlyargs, *function.args.args]
    return (function.body, parameters[0].arg) if parameters else None


def _from_init(own, name, given):
    """What `__init__` makes an attribute."""
    source = _body(own)
    if source is None:
        return None
    statements, this = source
    known = _known(statements, given)
    return _passed_on(statements, known) if name == "args" else known.get(f"{this}.{name}")


def _known(statements, given):
    """What the names of `__init__`, and the attributes of them, are that it assigns: `given`, and more. What may be one thing or another
    is the first one that is not None: reading it is a TypeError where it is the other."""
    known = dict(given)
    for statement in statements:
        for node in ast.walk(statement):
            for target, value in _assigned(node):
                name = _dotted(target)
                if name is not None and (statement is node or known.get(name) in (None, [None])):
                    known[name] = _part(value, known)
    return known


def _assigned(node):
    """The names that a statement assigns, each with its value."""
    if isinstance(node, ast.Assign):
        return [pair for target in node.targets for pair in _pairs(target, node.value)]
    if isinstance(node, ast.AnnAssign) and node.value is not None:
        return [(node.target, node.value)]
    if isinstance(node, ast.AugAssign):
        return [(node.target, ast.BinOp(node.target, node.op, node.value))]
    if isinstance(node, (ast.For, ast.NamedExpr)):
        return [(node.target, None)]
    return []


def _pairs(target, value):
    """What each name of an assignment gets."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        return [pair for one, other in zip(target.elts, value.elts) for pair in _pairs(one, other)]
    return [(target, value)]


def _dotted(target):
    """A name, or an attribute of one."""
    if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
        return f"{target.value.id}.{target.attr}"
    return target.id if isinstance(target, ast.Name) else None


def _part(value, given):
    """What an expression of `__init__` is."""
    if isinstance(value, (ast.Name, ast.Attribute)):
        return given.get(_dotted(value))
    if isinstance(value, ast.Subscript) and isinstance(value.value, ast.Name) and isinstance(value.slice, ast.Constant):
        rest, at = given.get(value.value.id), value.slice.value
        if isinstance(rest, tuple):
            return rest[at] if isinstance(at, int) and -len(rest) <= at < len(rest) else None
    if isinstance(value, ast.Constant):
        return [value.value]
    if isinstance(value, ast.JoinedStr):
        return [""]
    if isinstance(value, ast.Call):
        return _called(value)
    if isinstance(value, ast.Tuple):
        return _tuple(value.elts, given)
    if isinstance(value, (ast.BoolOp, ast.IfExp)):
        choices = value.values if isinstance(value, ast.BoolOp) else [value.body, value.orelse]
        first, *others = (_part(choice, given) for choice in choices)
        return first if all(_are_alike(first, other) for other in others) else None
    return _operator(value, given)


def _called(call):
    """What a call gives: of a function that always gives the like, or of a method that only strings have."""
    function = call.func
    if isinstance(function, ast.Name) and function.id in _CALLED:
        return [_CALLED[function.id]]
    return [""] if isinstance(function, ast.Attribute) and function.attr in _OF_STRINGS else None


def _operator(value, given):
    """What an operator gives: the function of `operator` that means the same, and its operands."""
    if isinstance(value, ast.Compare):
        return [False]
    if isinstance(value, ast.UnaryOp):
        name, operands = _OPERATORS.get(type(value.op)), [value.operand]
    elif isinstance(value, ast.BinOp):
        name, operands = _OPERATORS.get(type(value.op)), [value.left, value.right]
    elif isinstance(value, ast.Subscript) and not isinstance(value.slice, ast.Slice):
        name, operands = "getitem", [value.value, value.slice]
    else:
        return None
    parts = _tuple(operands, given)
    return None if name is None or parts is None else {f"operator.{name}": parts}


def _are_alike(one, other):
    """Whether two parts are values of one type, as far as that is plain."""
    if isinstance(one, list) and isinstance(other, list):
        return type(one[0]) is type(other[0])
    return one == other


def _tuple(values, given):
    """Several expressions, if something is known of each."""
    parts = tuple(_part(value, given) for value in values)
    return None if None in parts else parts


def _passed_on(statements, given):
    """What `args` is behind `super().__init__(...)`; None where that is not called in plain sight."""
    calls = [node for statement in statements for node in ast.walk(statement)
             if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "__init__"]
    if len(calls) != 1 or calls[0].keywords or not isinstance(calls[0].func.value, ast.Call):
        return None
    parts = []
    for argument in calls[0].args:
        if isinstance(argument, ast.Starred):
            rest = given.get(argument.value.id) if isinstance(argument.value, ast.Name) else None
            if not isinstance(rest, tuple):
                return None
            parts += rest
        else:
            parts.append(_part(argument, given))
    return None if None in parts else tuple(parts)


def _passes_on(own):
    """Whether `__init__` is one of Python code that may give `args` another value than the arguments."""
    source = _body(own) if inspect.isfunction(getattr(own, "__init__", None)) else ([], "")
    if source is None:
        return True
    names = {node.attr for statement in source[0] for node in ast.walk(statement) if isinstance(node, ast.Attribute)}
    return bool(names & {"__init__", "args"})


def _from_class(cls, name):
    """What an annotation says, or what the class has itself."""
    for base in cls.__mro__:
        annotation = vars(base).get("__annotations__", {}).get(name)
        if isinstance(annotation, (str, type)) and annotation in _ANNOTATED:
            return [_ANNOTATED[annotation]]
        if name in vars(base):
            return [vars(base)[name]] if _is_constant(vars(base)[name]) else None
    return None


def _is_constant(value):
    if isinstance(value, tuple):
        return all(map(_is_constant, value))
    return value is None or isinstance(value, (int, float, complex, str, bytes))


class _Members:
    """What a class of exceptions has apart from attributes of its instances, as the compiler reads it (`_class`)."""

    def __init__(self, cls):
        self._described = {"fields": (), "members": tuple(_members(cls)), "constructor": None, "constants": cls, "base": None}

    def _class(self):
        return self._described


@functools.cache
def members(cls):
    """Methods, properties, static and class methods of a user-defined class of exceptions and of those that it derives from.

    >>> class Failed(Exception):
    ...     def twice(self):
    ...         return 2
    >>> [(name, kind) for name, kind, *functions in members(Failed)._class()["members"]]
    [('twice', 'method')]
    """
    return _Members(cls)


def _members(cls):
    """(name, kind, function, second function) of each member. What Python itself calls, such as `__str__`, is Python's."""
    seen = set()
    for base in cls.__mro__:
        for name, value in vars(base).items():
            if name in seen or (name.startswith("__") and name.endswith("__")):
                continue
            seen.add(name)
            if isinstance(value, python_types.FunctionType):
                yield name, "method", _compiled(value), None
            elif isinstance(value, property):
                yield name, "property", *(one and _compiled(one) for one in (value.fget, value.fset))
            elif isinstance(value, staticmethod):
                yield name, "static", _compiled(value.__func__), None
            elif isinstance(value, classmethod):
                yield name, "class", _compiled(value.__func__), None


@functools.cache
def _compiled(function):
    """The compiled function for a method: the same for every class that inherits it."""
    from ..decorators import njit

    return njit(with_super(function, lambda base: base))
