"""Statements: assignments, statements with side effects, terminators."""
from .nodes import Inst, Var, vars_in


class Stmt(Inst):
    """A statement."""

    is_terminator = False
    is_exit = False


class Terminator(Stmt):
    """What leaves a block."""

    is_terminator = True

    def get_targets(self):
        """Labels of the blocks that it leads to."""
        raise NotImplementedError(f"{type(self).__name__} says nothing of where it leads")


class Assign(Stmt):
    """`target = value`."""

    def __init__(self, value, target, loc):
        self.value, self.target, self.loc = value, target, loc

    def __str__(self):
        return f"{self.target} = {self.value}"

    __repr__ = __str__


class SetItem(Stmt):
    """`target[index] = value`."""

    def __init__(self, target, index, value, loc):
        self.target, self.index, self.value, self.loc = target, index, value, loc

    def __repr__(self):
        return f"{self.target}[{self.index}] = {self.value}"


class StaticSetItem(Stmt):
    """`target[index] = value` with an index that is known; `index_var` holds it, too."""

    def __init__(self, target, index, index_var, value, loc):
        self.target, self.index, self.index_var, self.value, self.loc = target, index, index_var, value, loc

    def __repr__(self):
        return f"{self.target}[{self.index!r}] = {self.value}"


class DelItem(Stmt):
    """`del target[index]`."""

    def __init__(self, target, index, loc):
        self.target, self.index, self.loc = target, index, loc

    def __repr__(self):
        return f"del {self.target}[{self.index}]"


class SetAttr(Stmt):
    """`target.attr = value`."""

    def __init__(self, target, attr, value, loc):
        self.target, self.attr, self.value, self.loc = target, attr, value, loc

    def __repr__(self):
        return f"({self.target}).{self.attr} = {self.value}"


class DelAttr(Stmt):
    """`del target.attr`."""

    def __init__(self, target, attr, loc):
        self.target, self.attr, self.loc = target, attr, loc

    def __repr__(self):
        return f"del ({self.target}).{self.attr}"


class StoreMap(Stmt):
    """`dct[key] = value` of a dict being built."""

    def __init__(self, dct, key, value, loc):
        self.dct, self.key, self.value, self.loc = dct, key, value, loc

    def __repr__(self):
        return f"{self.dct}[{self.key}] = {self.value}"


class Del(Stmt):
    """The end of a variable, by its name."""

    def __init__(self, value, loc):
        if not isinstance(value, str):
            raise AssertionError(f"a Del holds the name of a variable, not {value!r}")
        self.value, self.loc = value, loc

    def __str__(self):
        return f"del {self.value}"

    __repr__ = __str__


class Print(Stmt):
    """`print(*args)`."""

    def __init__(self, args, vararg, loc):
        self.args, self.vararg, self.loc = tuple(args), vararg, loc
        # Constant arguments, by their places.
        self.consts = {}

    def __str__(self):
        return f"print({', '.join(map(str, self.args))})"

    __repr__ = __str__


class Yield(Inst):
    """What a generator gives."""

    def __init__(self, value, loc, index):
        self.value, self.loc, self.index = value, loc, index

    def __str__(self):
        return f"yield {self.value}"

    __repr__ = __str__

    def list_vars(self):
        """What it gives."""
        return [self.value]


class EnterWith(Stmt):
    """Where a `with` begins."""

    def __init__(self, contextmanager, begin, end, loc):
        self.contextmanager, self.begin, self.end, self.loc = contextmanager, begin, end, loc

    def __str__(self):
        return f"enter_with {self.contextmanager}"

    __repr__ = __str__


class PopBlock(Stmt):
    """Where a `with` or `try` ends."""

    def __init__(self, loc):
        self.loc = loc

    def __str__(self):
        return "pop_block"

    __repr__ = __str__


class ExceptionEdge(Stmt):
    """Exceptions of the statements after it lead to the block `target`. Specific to Rumba: it is preceded by the copies
    for that block."""

    def __init__(self, target, loc):
        self.target, self.loc = target, loc

    def __str__(self):
        return f"on exception jump {self.target}"

    __repr__ = __str__

    def list_vars(self):
        """None."""
        return []


class Jump(Terminator):
    """Goes on in the block `target`."""

    def __init__(self, target, loc):
        self.target, self.loc = target, loc

    def __str__(self):
        return f"jump {self.target}"

    __repr__ = __str__

    def get_targets(self):
        """Its target."""
        return [self.target]


class Branch(Terminator):
    """Goes on in the block `truebr` if `cond` is true, else in `falsebr`."""

    def __init__(self, cond, truebr, falsebr, loc):
        self.cond, self.truebr, self.falsebr, self.loc = cond, truebr, falsebr, loc

    def __str__(self):
        return f"branch {self.cond}, {self.truebr}, {self.falsebr}"

    __repr__ = __str__

    def get_targets(self):
        """Both targets."""
        return [self.truebr, self.falsebr]


class _Exit(Terminator):
    is_exit = True

    def get_targets(self):
        """None."""
        return []


class Return(_Exit):
    """Leaves the function with a value."""

    def __init__(self, value, loc):
        self.value, self.loc = value, loc

    def __str__(self):
        return f"return {self.value}"

    __repr__ = __str__


class Raise(_Exit):
    """`raise exception`, or `raise`; `cause` is the expression after `from`."""

    def __init__(self, exception, loc, cause=None):
        self.exception, self.loc, self.cause = exception, loc, cause

    def __str__(self):
        cause = f" from {self.cause}" if self.cause is not None else ""
        return f"raise {self.exception}{cause}"

    __repr__ = __str__


class Reraise(_Exit):
    """Raises the exception that is being handled again."""

    def __init__(self, values, loc):
        self.values, self.loc = values, loc

    def __str__(self):
        return f"reraise {self.values[-1]}"

    __repr__ = __str__


class Unreachable(_Exit):
    """Is never reached."""

    def __init__(self, loc):
        self.loc = loc

    def __str__(self):
        return "unreachable"

    __repr__ = __str__


class _RaiseOf:
    """An exception by its class and arguments."""

    def __init__(self, exc_class, exc_args, loc):
        if exc_class is not None and not (isinstance(exc_class, type) and issubclass(exc_class, BaseException)):
            raise AssertionError(f"{exc_class!r} is no class of exceptions")
        if exc_args is not None and not isinstance(exc_args, tuple):
            raise AssertionError(f"arguments of an exception are a tuple, not {exc_args!r}")
        self.exc_class, self.exc_args, self.loc = exc_class, exc_args, loc

    def __str__(self):
        if self.exc_class is None:
            return "<evaluated> raise"
        if self.exc_args is None:
            return f"raise {self.exc_class}"
        return f"raise {self.exc_class}({', '.join(map(repr, self.exc_args))})"

    __repr__ = __str__


class StaticRaise(_RaiseOf, _Exit):
    """`raise` of an exception that is known when the function compiles; without arguments where `exc_args` is None."""


class DynamicRaise(_RaiseOf, _Exit):
    """`raise` of a class that is known, with variables among its arguments."""


class TryRaise(Stmt):
    """A `raise` inside of a `try`."""

    def __init__(self, exception, loc):
        self.exception, self.loc = exception, loc

    def __str__(self):
        return f"try_raise {self.exception}"

    __repr__ = __str__


class StaticTryRaise(_RaiseOf, Stmt):
    """A `StaticRaise` inside of a `try`."""


class DynamicTryRaise(_RaiseOf, Stmt):
    """A `DynamicRaise` inside of a `try`."""


def uses_of(statement):
    """Names of the variables that a statement reads, each once, in order."""
    if isinstance(statement, Assign):
        found = vars_in(statement.value)
    elif isinstance(statement, Del):
        return []
    else:
        found = vars_in(statement.operands())
    return list(dict.fromkeys(var.name for var in found))


def target_of(statement):
    """The name of the variable that a statement assigns, or None."""
    if isinstance(statement, Assign) and isinstance(statement.target, Var):
        return statement.target.name
    return None
