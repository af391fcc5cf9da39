"""Locations, scopes, variables, and existing values: constants, globals, parameters."""
import os
import re
from types import BuiltinFunctionType, FunctionType

from ..errors import ConstantInferenceError, NotDefinedError, RedefinedError


class Loc:
    """A place of the source. The line counts from 1."""

    def __init__(self, filename="<unknown>", line=0, col=None, maybe_decorator=False, span=None):
        self.filename, self.line, self.col, self.maybe_decorator = filename, line, col, maybe_decorator
        # Lines and columns as the compiler knows them.
        self.span = span

    @classmethod
    def from_function_id(cls, func_id):
        """Where a function is defined."""
        return cls(func_id.filename, func_id.firstlineno, maybe_decorator=True)

    def with_lineno(self, line, col=None):
        """Another line of the same file."""
        return type(self)(self.filename, line, col)

    def short(self):
        """The file without its folder, and the line."""
        return f"{os.path.basename(self.filename)}:{self.line}"

    def strformat(self, nlines_up=2):
        """The place with the lines of the source that lead to it."""
        import linecache

        first = max(1, self.line - nlines_up)
        lines = [linecache.getline(self.filename, number).rstrip("\n") for number in range(first, self.line + 1)]
        shown = "\n".join(lines) if any(lines) else "<source missing, REPL/exec in use?>"
        return f'\nFile "{self.filename}", line {self.line}:\n{shown}\n'

    def __eq__(self, other):
        return type(other) is type(self) and (self.filename, self.line, self.col) == (
            other.filename, other.line, other.col)

    def __hash__(self):
        return hash((self.filename, self.line, self.col))

    def __repr__(self):
        return f"Loc(filename={self.filename}, line={self.line}, col={self.col})"

    def __str__(self):
        return f"{self.filename} ({self.line}:{self.col})" if self.col is not None else f"{self.filename} ({self.line})"


unknown_loc = Loc("unknown location", 0, 0)


class VarMap:
    """Variables by their names."""

    def __init__(self):
        self._con = {}

    def define(self, name, var):
        """A new name."""
        if name in self._con:
            raise RedefinedError(name)
        self._con[name] = var

    def get(self, name):
        """The variable of a name; NotDefinedError if there is none."""
        try:
            return self._con[name]
        except KeyError:
            raise NotDefinedError(name) from None

    def __contains__(self, name):
        return name in self._con

    def __len__(self):
        return len(self._con)

    def __iter__(self):
        return iter(self._con.items())

    def __repr__(self):
        return repr(self._con)

    def __hash__(self):
        return id(self)

    def __eq__(self, other):
        return isinstance(other, VarMap) and self._con == other._con


class AbstractRHS:
    """Whatever may stand on the right of an assignment."""


class Inst(AbstractRHS):
    """Something with operands. Two are equal if their operands are, wherever they stand; each is a key of its own."""

    def list_vars(self):
        """The variables among the operands."""
        return list(vars_in(self.operands()))

    def operands(self):
        """What it holds, its place aside."""
        return {name: value for name, value in self.__dict__.items() if name != "loc" and name[0] != "_"}

    def __eq__(self, other):
        if type(self) is not type(other):
            return False
        mine, theirs = self.operands(), other.operands()
        return mine.keys() == theirs.keys() and all(_same(value, theirs[name]) for name, value in mine.items())

    def __le__(self, other):
        return str(self) <= str(other)

    def __hash__(self):
        return id(self)


def _same(one, other):
    return one is other or one == other


def vars_in(value):
    """The variables in a value, its items and so on, in order."""
    if isinstance(value, Var):
        yield value
    elif isinstance(value, Inst):
        yield from value.list_vars()
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from vars_in(item)
    elif isinstance(value, dict):
        for item in value.values():
            yield from vars_in(item)


class Arg(Inst):
    """A parameter: `index` is its place."""

    def __init__(self, name, index, loc):
        self.name, self.index, self.loc = name, index, loc

    def __repr__(self):
        return f"arg({self.index}, name={self.name})"

    def infer_constant(self):
        """A parameter is none."""
        raise ConstantInferenceError(str(self), loc=self.loc)


class Const(Inst):
    """A constant."""

    def __init__(self, value, loc, use_literal_type=True):
        self.value, self.loc, self.use_literal_type = value, loc, use_literal_type

    def infer_constant(self):
        """The value."""
        return self.value

    def __eq__(self, other):
        # 1 and True, 0.0 and -0.0 are equal, but not one constant.
        return type(other) is Const and type(self.value) is type(other.value) and (
            _same(self.value, other.value) and repr(self.value) == repr(other.value))

    __hash__ = Inst.__hash__

    def __repr__(self):
        return f"const({type(self.value).__name__}, {self.value})"

    def __deepcopy__(self, memo):
        return Const(self.value, self.loc, self.use_literal_type)


class Global(Inst):
    """A global or built-in name, and its value."""

    def __init__(self, name, value, loc):
        self.name, self.value, self.loc = name, value, loc

    def infer_constant(self):
        """The value."""
        return self.value

    def __repr__(self):
        return f"global({self.name}: {_shown(self.value)})"

    def __deepcopy__(self, memo):
        return Global(self.name, self.value, self.loc)


class FreeVar(Inst):
    """A variable of the functions around: its index, name and value."""

    def __init__(self, index, name, value, loc):
        self.index, self.name, self.value, self.loc = index, name, value, loc

    def infer_constant(self):
        """The value."""
        return self.value

    def __repr__(self):
        return f"freevar({self.name}: {_shown(self.value)})"

    def __deepcopy__(self, memo):
        return FreeVar(self.index, self.name, self.value, self.loc)


def _shown(value):
    """A value on one line, without an address."""
    if isinstance(value, FunctionType):
        return f"<function {value.__qualname__}>"
    if isinstance(value, BuiltinFunctionType):
        return f"<built-in function {value.__name__}>"
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value).replace("\n", " "))


class Var(AbstractRHS):
    """A variable of a scope."""

    def __init__(self, scope, name, loc):
        if not isinstance(name, str):
            raise TypeError(f"the name of a variable is a str, not {name!r}")
        self.scope, self.name, self.loc = scope, name, loc

    def list_vars(self):
        """Itself."""
        return [self]

    @property
    def is_temp(self):
        """Whether the source does not name it."""
        return self.name.startswith("$")

    @property
    def unversioned_name(self):
        """The name of the source."""
        head, _, version = self.name.rpartition(".")
        return head if head and version.isdigit() and not self.is_temp else self.name

    @property
    def versioned_names(self):
        """Other names that the scope has for versions of it."""
        return self.scope.get_versions_of(self.unversioned_name) if self.scope else set()

    @property
    def all_names(self):
        """These and its own."""
        return self.versioned_names | {self.unversioned_name}

    def __eq__(self, other):
        return type(other) is type(self) and self.name == other.name

    def __le__(self, other):
        return self.name <= other.name

    def __hash__(self):
        return hash(self.name)

    def __repr__(self):
        return f"Var({self.name}, {self.loc.short()})" if self.loc else f"Var({self.name})"

    def __str__(self):
        return self.name

    def __deepcopy__(self, memo):
        return Var(self.scope, self.name, self.loc)


class Scope:
    """Variables of a function by name; a name that is defined again gets a version."""

    def __init__(self, parent, loc):
        if parent is not None and not isinstance(parent, Scope):
            raise AssertionError(f"the parent of a scope is a scope, not {parent!r}")
        self.parent, self.localvars, self.loc, self.redefined, self.var_redefinitions = parent, VarMap(), loc, {}, {}

    @property
    def has_parent(self):
        """Whether there is a scope around."""
        return self.parent is not None

    def define(self, name, loc):
        """A new variable."""
        var = Var(self, name, loc)
        self.localvars.define(name, var)
        return var

    def get(self, name):
        """The last version of a variable."""
        if name in self.redefined:
            name = f"{name}.{self.redefined[name]}"
        return self.get_exact(name)

    def get_exact(self, name):
        """The variable of this very name."""
        try:
            return self.localvars.get(name)
        except NotDefinedError:
            if self.parent is None:
                raise
            return self.parent.get(name)

    def get_or_define(self, name, loc):
        """The variable of a name; a new one if there is none."""
        if name in self.redefined:
            name = f"{name}.{self.redefined[name]}"
        return self.localvars.get(name) if name in self.localvars else self.define(name, loc)

    def redefine(self, name, loc, rename=True):
        """A new version of a variable."""
        if name not in self.localvars:
            return self.define(name, loc)
        if not rename:
            return self.localvars.get(name)
        version = self.redefined.get(name, 0)
        fresh = name
        while fresh in self.localvars:
            version += 1
            fresh = f"{name}.{version}"
        self.redefined[name] = version
        var = self.define(fresh, loc)
        self.var_redefinitions.setdefault(name, set()).add(fresh)
        return var

    def get_versions_of(self, name):
        """Names of all versions."""
        return set(self.var_redefinitions.get(name, ()))

    def make_temp(self, loc):
        """A new variable that the source does not name."""
        number = len(self.localvars)
        while f"$.{number}" in self.localvars:
            number += 1
        return self.define(f"$.{number}", loc)

    def __eq__(self, other):
        return type(other) is Scope and (self.parent, self.localvars, self.redefined) == (
            other.parent, other.localvars, other.redefined)

    def __hash__(self):
        return id(self)

    def __repr__(self):
        return f"Scope(has_parent={self.has_parent}, num_vars={len(self.localvars)}, {self.loc})"


class UndefinedType:
    """The value of what has none."""

    _only = None

    def __new__(cls):
        if cls._only is None:
            cls._only = super().__new__(cls)
        return cls._only

    def __repr__(self):
        return "Undefined"


UNDEFINED = UndefinedType()
