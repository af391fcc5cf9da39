"""What a cost model (`inline=function`) is shown of a call: the caller and the callee before their types are
known, in the shape that users of Numba know.

The statements are read from the text that `NUMBA_DUMP_IR` prints. So operands are variables and literals;
what is not read has its text alone. Changing any of it changes nothing.

Absent: whether a call is inlined otherwise. (The compiler inlines small functions whatever the option says.)
"""
import ast
import builtins
import inspect
import re
from collections import namedtuple

InlineInfo = namedtuple("InlineInfo", "func_ir typemap calltypes signature")


class Loc:
    """A place of the source; `line` is where the function begins."""

    def __init__(self, filename, line):
        self.filename, self.line, self.col = filename, line, None

    def __repr__(self):
        return f"{self.filename}:{self.line}"


class Var:
    """A variable."""

    def __init__(self, name, loc):
        self.name, self.loc = name, loc

    def __eq__(self, other):
        return isinstance(other, Var) and self.name == other.name

    def __hash__(self):
        return hash(self.name)

    def __str__(self):
        return self.name

    def __repr__(self):
        return f"Var({self.name}, {self.loc})"


class _Named:
    """Something with a value that does not change."""

    def __init__(self, name, value, loc):
        self.name, self.value, self.loc = name, value, loc

    def infer_constant(self):
        """The value."""
        return self.value

    def __repr__(self):
        return f"{type(self).__name__.lower()}({self.name}: {self.value!r})"


class Const(_Named):
    """A constant of the source."""


class Global(_Named):
    """A global or built-in name."""


class FreeVar(_Named):
    """A variable of the functions around."""


class Arg(_Named):
    """A parameter: `index` is its place."""

    @property
    def index(self):
        """Its place among the parameters."""
        return self.value


class Expr:
    """An operation, by `op` and operands: of a call `func`, `args`, `kws` and `vararg`."""

    def __init__(self, op, text, loc, **operands):
        self.op, self.text, self.loc = op, text, loc
        self.__dict__.update(operands)

    def list_vars(self):
        """The variables among the operands."""
        return [value for value in self.__dict__.values() if isinstance(value, Var)]

    def __repr__(self):
        return self.text


class Stmt:
    """A statement, by its text; an assignment has `target` and `value`."""

    def __init__(self, text, loc):
        self.text, self.loc = text, loc
        self.is_terminator = text.split(" ")[0] in ("jump", "branch", "return", "raise")

    def __repr__(self):
        return self.text


class Assign(Stmt):
    """An assignment."""

    def __init__(self, text, loc, target, value):
        super().__init__(text, loc)
        self.target, self.value = target, value


class Block:
    """A basic block: its statements are `body`."""

    def __init__(self, loc):
        self.loc, self.body = loc, []

    def find_exprs(self, op=None):
        """The operations of this name."""
        for statement in self.body:
            value = getattr(statement, "value", None)
            if isinstance(value, Expr) and op in (None, value.op):
                yield value

    @property
    def terminator(self):
        """The last statement."""
        return self.body[-1]


class FunctionIR:
    """A function before its types are known: `blocks` by their labels, `func_id`, `arg_names`."""

    def __init__(self, function, text):
        code = function.__code__
        self.func_id = _FunctionId(function)
        self.arg_count, self.arg_names = self.func_id.arg_count, self.func_id.arg_names
        self.loc = Loc(code.co_filename, code.co_firstlineno)
        self.blocks, self._text = {}, text
        block = None
        for line in text.splitlines():
            if line.startswith("label "):
                block = self.blocks[int(line[6:-1])] = Block(self.loc)
            elif block is not None and line.strip():
                block.body.append(_statement(line.rpartition(" [")[0].strip(), function, self.loc))

    def dump(self, file=None):
        """Prints the statements."""
        print(self._text, file=file)

    def get_definition(self, value):
        """What the only assignment to a variable assigns; KeyError if there are none or several."""
        name = value.name if isinstance(value, Var) else value
        found = [statement.value for block in self.blocks.values() for statement in block.body
                 if isinstance(statement, Assign) and statement.target.name == name]
        if len(found) != 1:
            raise KeyError(f"{name} has {len(found)} definitions")
        return found[0]

    def calls(self):
        """The calls, along the blocks."""
        return [call for block in self.blocks.values() for call in block.find_exprs("call")]


class _FunctionId:
    """What a function is called and takes."""

    def __init__(self, function):
        code = function.__code__
        self.func, self.code = function, code
        self.func_name, self.func_qualname = function.__name__, function.__qualname__
        self.modname, self.filename, self.firstlineno = function.__module__, code.co_filename, code.co_firstlineno
        self.pysig = inspect.signature(function)
        self.arg_names, self.arg_count = tuple(self.pysig.parameters), len(self.pysig.parameters)


_ASSIGNMENT = re.compile(r"([\w.$]+) = (.*)", re.S)
_NAMED = re.compile(r"(global|freevar)\(([^:)]+): .*\)", re.S)
_BINARY = re.compile(r"([\w.$]+) (\S+) ([\w.$]+)")
_OPERAND = re.compile(r"(\w+)=([\w.$]+)(?=[,)])")
_VARIABLE = re.compile(r"Var\(([^,]+), [^)]*\)")


def _statement(text, function, loc):
    found = _ASSIGNMENT.fullmatch(text)
    if not found:
        return Stmt(text, loc)
    return Assign(text, loc, Var(found[1], loc), _value(found[2], function, loc))


def _value(text, function, loc):
    if re.fullmatch(r"[\w.$]+", text):
        return Var(text, loc)
    if text.startswith("const("):
        return Const("const", _literal(text[6:-1].partition(", ")[2]), loc)
    if text.startswith("arg("):
        index, name = text[4:-1].split(", name=")
        return Arg(name, int(index), loc)
    if found := _NAMED.fullmatch(text):
        return (Global if found[1] == "global" else FreeVar)(found[2], _outside(function, found[2]), loc)
    if text.startswith("call "):
        return _call(text, loc)
    if found := _BINARY.fullmatch(text):
        return Expr("binop", text, loc, lhs=Var(found[1], loc), fn=found[2], rhs=Var(found[3], loc))
    operands = {name: Var(value, loc) for name, value in _OPERAND.findall(text)}
    return Expr(text.partition("(")[0].strip(), text, loc, **operands)


def _call(text, loc):
    head, _, rest = text.rpartition(", args=")
    args, _, rest = rest.partition(", kws=")
    keywords, _, rest = rest.partition(", vararg=")
    vararg = rest.partition(",")[0]
    names = re.findall(r"\('(\w+)', Var\(([^,]+),", keywords)
    return Expr(
        "call", text, loc, func=Var(head.rpartition("func=")[2], loc),
        args=[Var(name, loc) for name in _VARIABLE.findall(args)],
        kws=[(name, Var(value, loc)) for name, value in names],
        vararg=None if vararg == "None" else Var(vararg, loc))


def _literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


def _outside(function, name):
    code, cells = function.__code__, function.__closure__ or ()
    if name in code.co_freevars:
        return cells[code.co_freevars.index(name)].cell_contents
    return function.__globals__.get(name, getattr(builtins, name, None))


class InlineOptions:
    """What the option `inline` says: `"always"`, `"never"` or a cost model."""

    def __init__(self, value):
        if value not in ("always", "never") and not callable(value):
            raise ValueError(f"inline is 'always', 'never' or a function that decides, not {value!r}")
        self.value = value

    @property
    def is_always_inline(self):
        """Whether all calls become the body."""
        return self.value == "always"

    @property
    def is_never_inline(self):
        """Whether the compiler alone decides."""
        return self.value == "never"

    @property
    def has_cost_model(self):
        """Whether a function decides."""
        return callable(self.value)


class OfOverload:
    """The cost model of an overload, which is told what is known of types, too."""

    def __init__(self, model):
        self.model = model

    def __call__(self, expr, caller, callee, signature):
        caller, callee = InlineInfo(caller, None, None, None), InlineInfo(callee, None, None, signature)
        return self.model(expr, caller, callee)


def decide(model, caller, callee, number, signature):
    """Whether a cost model inlines a call: `caller` and `callee` are a function with the text of its statements,
    `number` says which of the caller's calls it is. The model of an overload is told the signature, too."""
    caller, callee = FunctionIR(*caller), FunctionIR(*callee)
    calls = caller.calls()
    known = number is not None and number < len(calls)
    expr = calls[number] if known else Expr("call", "call", caller.loc, func=None, args=[], kws=[], vararg=None)
    if isinstance(model, OfOverload):
        return model(expr, caller, callee, signature)
    return model(expr, caller, callee)
