"""Converts a function of the compiler to blocks of statements over variables.

The compiler says what the variables are and which statements there are (`crates/numba_ir`, as dumps show them): a version
of a name of the source is `acc.1`, what the source does not name `$12.1` after its block, and block parameters are copies
in predecessors. Here every statement becomes the node that Numba's users know. Labels are offsets in the bytecode.
"""
import builtins
import inspect
import operator
from dataclasses import dataclass, field

from ..numba_ir import (
    Arg, Assign, Block, Branch, Const, DelItem, ExceptionEdge, Expr, FreeVar, FunctionIR, Global, Jump, Loc,
    Raise, Reraise, Return, Scope, SetAttr, SetItem, UNDEFINED, Unreachable, Var)
from ..numba_ir.expr import BINARY, COMPARE, INPLACE, UNARY
from .. import object_mode
from . import liveness


@dataclass
class Shape:
    """The information needed to convert unchanged statements back to the same function."""

    # Variables with a parameter, by the label of the block.
    joins: dict = field(default_factory=dict)
    # The name of the source and the version, by the name of a variable.
    sources: dict = field(default_factory=dict)
    # Variables that the compiler's entry block makes, which is no block of its own here.
    entry_names: set = field(default_factory=set)
    entry_label: int = 0
    # Whether the compiler has an entry block that is none here.
    has_entry: bool = False
    # Offsets in the bytecode, by the labels of blocks that have another one.
    offsets: dict = field(default_factory=dict)
    # Labels of blocks that only hold the copies of an edge.
    between: set = field(default_factory=set)


class FunctionId:
    """What a function is called and takes."""

    def __init__(self, function):
        code = function.__code__
        self.func, self.code = function, code
        self.func_name, self.func_qualname = function.__name__, function.__qualname__
        self.modname, self.filename, self.firstlineno = function.__module__, code.co_filename, code.co_firstlineno
        self.module = inspect.getmodule(function)
        self.unique_name = f"{function.__qualname__}${id(function)}"
        self.pysig = inspect.signature(function)
        self.arg_names, self.arg_count = tuple(self.pysig.parameters), len(self.pysig.parameters)
        self.is_generator = bool(code.co_flags & inspect.CO_GENERATOR)


def build(function, raw, extra=None):
    """The function, and the types of its variables by name (those that are known). `extra` are values that rewrites
    gave it, by their names in the compiler."""
    builder = _Builder(function, raw, extra or {})
    return builder.build(), builder.typemap()


class Helper:
    """Marks a node that Numba IR has and the compiler does not: `$bool = global(bool)` before a test."""


class HelperGlobal(Global, Helper):
    """A built-in class that an operation of the compiler stands for."""


class HelperTruth(HelperGlobal):
    """`bool` around `x is None` before a test."""


class HelperConst(Const, Helper):
    """`None` in `x is None`."""


class _Builder:
    """Wraps what `crates/numba_ir` makes of a function: blocks of statements over variables, by their numbers."""

    def __init__(self, function, raw, extra):
        self.function, self.extra, self.func_id = function, extra, FunctionId(function)
        self.name, self.file, self.line, self.params, self.raw, self.raw_vars, self.of_entry = raw
        self.loc = Loc(self.file, self.line)
        self.scope = Scope(None, self.loc)
        self.labels = [place[0] for place, _, _ in self.raw]
        self.taken = {text for text, _, _, _ in self.raw_vars}
        self.vars = [
            self.scope.get_or_define(text, self.loc if span is None else self.at(span))
            for text, _, _, span in self.raw_vars]
        self.blocks = {label: Block(self.scope, self.loc) for label in self.labels}

    def build(self):
        for (label, _, _), begin, steps in self.raw:
            _Writer(self, label).block(begin, steps)
        liveness.place_dels(self.blocks)
        func_ir = FunctionIR(
            self.blocks, self.func_id.is_generator, self.func_id, self.loc, {}, len(self.params), tuple(self.params))
        func_ir.definitions_anew()
        func_ir._shape = self.shape()
        return func_ir

    def shape(self):
        shape = Shape(entry_label=self.labels[0])
        if self.of_entry is not None:
            shape.has_entry = True
            shape.entry_names = {self.vars[number].name for number in self.of_entry}
        for (label, offset, is_edge), (joins, _, _, _), _ in self.raw:
            if is_edge:
                shape.between.add(label)
                continue
            if label != offset:
                shape.offsets[label] = offset
            shape.joins[label] = [self.vars[number].name for number in joins]
        shape.sources = {text: source for text, source, _, _ in self.raw_vars if source is not None}
        return shape

    def typemap(self):
        """Types of variables, by name."""
        return {text: ty for text, _, ty, _ in self.raw_vars if ty is not None}

    def fresh(self, name, loc):
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return self.scope.get_or_define(name, loc)

    def at(self, span):
        line, _, column, _ = span
        if not line:
            return Loc(self.file, self.line, span=span)
        return Loc(self.file, line, column if column < 2**32 - 1 else None, span=span)

    def outside(self, name):
        """The value of a global or built-in name."""
        if name in self.extra:
            return self.extra[name]
        block, _, offset = name.partition(" ")
        if block == "$block":
            return object_mode.block(self.function, int(offset))
        return self.function.__globals__.get(name, getattr(builtins, name, UNDEFINED))

    def freevar(self, index):
        try:
            return self.function.__closure__[index].cell_contents
        except (ValueError, IndexError, TypeError):
            return UNDEFINED


class _Writer:
    """Statements of one block. An operation of the compiler that Numba writes alike has a method of its name."""

    def __init__(self, builder, label):
        self.builder, self.label, self.body = builder, label, builder.blocks[label].body

    def assign(self, target, value, loc):
        self.body.append(Assign(value, target, loc))

    def temporary(self, word, loc):
        return self.builder.fresh(f"${word}{self.label}.{len(self.body) + 1}", loc)

    def block(self, begin, steps):
        """What a block holds: the exception, copies, where exceptions go, instructions."""
        builder = self.builder
        _, exception, heads, handler = begin
        if exception is not None:
            self.assign(builder.vars[exception], Expr("exception", builder.loc), builder.loc)
        self.copies(heads)
        if handler is not None:
            copies, target = handler
            self.copies(copies)
            self.body.append(ExceptionEdge(builder.labels[target], builder.loc))
        for step in steps:
            self.inst(*step)

    def copies(self, steps):
        for _, _, [source], [target], _, _ in steps:
            self.assign(self.builder.vars[target], self.builder.vars[source], self.builder.loc)

    def inst(self, op, attrs, args, results, targets, span):
        loc = self.builder.at(span)
        args = [self.builder.vars[arg] for arg in args]
        results = [self.builder.vars[result] for result in results]
        if op is None:
            return self.assign(results[0], args[0], loc)
        labels = [self.builder.labels[target] for target in targets]
        if op == "branch":
            args, labels = self.tested(args[0], labels, loc)
        statement = _STATEMENTS.get(op)
        if statement is not None:
            made = statement(attrs, args, labels, loc)
        elif op in _VALUES and len(results) == 1:
            made = Assign(_VALUES[op](self, attrs, args, loc), results[0], loc)
        elif op in ("iternext", "unpack"):
            return self.several(op, args[0], results, loc)
        else:
            return self.other(op, attrs, args, results, loc)
        self.body.append(made)

    def tested(self, cond, labels, loc):
        """The condition and the targets of a branch. A test for None is a truth value, and true where the branch does not jump."""
        at = len(self.body) - 1
        # Copies for the blocks behind it may stand in between.
        while at > 0 and isinstance(self.body[at], Assign) and isinstance(self.body[at].value, Var):
            at -= 1
        test = self.body[at] if at > 0 else None
        if not (isinstance(test, Assign) and test.target is cond and isinstance(getattr(self.body[at - 1], "value", None), HelperConst)):
            return [cond], labels
        value = test.value
        behind = min((label for label in self.builder.labels if label > self.label), default=None)
        if labels[1] == behind:
            test.value = Expr.binop(operator.is_not, value.lhs, value.rhs, value.loc)
            labels = labels[::-1]
        truth, function = self.temporary("truth", loc), self.temporary("bool", loc)
        self.assign(function, HelperTruth("bool", bool, loc), loc)
        self.assign(truth, Expr.call(function, [cond], (), loc), loc)
        return [truth], labels

    def several(self, op, value, results, loc):
        """`iternext` and `exhaust_iter`, and what takes their results apart."""
        if op == "iternext":
            whole = self.temporary("pair", loc)
            self.assign(whole, Expr.iternext(value, loc), loc)
            self.assign(results[0], Expr.pair_first(whole, loc), loc)
            self.assign(results[1], Expr.pair_second(whole, loc), loc)
            return
        whole = self.temporary("unpack", loc)
        self.assign(whole, Expr.exhaust_iter(value, len(results), loc), loc)
        for index, result in enumerate(results):
            self.assign(result, Expr.static_getitem(whole, index, None, loc), loc)

    def other(self, op, attrs, args, results, loc):
        """An operation of the compiler's own."""
        expr = Expr(op, loc, values=args, attrs=attrs, results=len(results))
        if len(results) == 1:
            self.assign(results[0], expr, loc)
            return
        whole = self.temporary(op if op != "python" else attrs[0], loc)
        self.assign(whole, expr, loc)
        for index, result in enumerate(results):
            self.assign(result, Expr.static_getitem(whole, index, None, loc), loc)

    # ---- values ----

    def helper(self, cls, loc):
        var = self.temporary(cls.__name__, loc)
        self.assign(var, HelperGlobal(cls.__name__, cls, loc), loc)
        return var

    def binary(self, attrs, args, loc):
        return Expr.binop(BINARY[attrs[0]], *args, loc)

    def inplace(self, attrs, args, loc):
        return Expr.inplace_binop(INPLACE[attrs[0]], BINARY[attrs[0]], *args, loc)

    def compare(self, attrs, args, loc):
        left, right = reversed(args) if attrs[0] == "in" else args
        return Expr.binop(COMPARE[attrs[0]], left, right, loc)

    def unary(self, attrs, args, loc):
        if attrs[0] == "bool":
            return Expr.call(self.helper(bool, loc), args, (), loc)
        return Expr.unary(UNARY[attrs[0]], args[0], loc)

    def is_none(self, attrs, args, loc):
        none = self.temporary("none", loc)
        self.assign(none, HelperConst(None, loc), loc)
        return Expr.binop(COMPARE["is"], args[0], none, loc)

    def build_slice(self, attrs, args, loc):
        return Expr.call(self.helper(slice, loc), args, (), loc)

    def call(self, attrs, args, loc):
        func, *rest = args
        positional = len(rest) - len(attrs[0])
        kws = tuple(zip(attrs[0], rest[positional:]))
        return Expr.call(func, rest[:positional], kws, loc)

    def call_ex(self, attrs, args, loc):
        return Expr.call(args[0], [], (), loc, vararg=args[1], varkwarg=args[2] if len(args) > 2 else None)

    def build_map(self, attrs, args, loc):
        items = list(zip(args[::2], args[1::2]))
        return Expr.build_map(items, len(items), {}, [], loc)

    def make_function(self, attrs, args, loc):
        code, flags = attrs
        expr = Expr.make_function(None, code, None, None, loc)
        expr.values, expr.flags = args, flags
        return expr

    def declared(self, attrs, args, loc):
        expr = Expr.cast(args[0], loc)
        expr.declared = tuple(attrs)
        return expr

    def outer(self, attrs, args, loc):
        name = attrs[0]
        value = self.builder.outside(name)
        return Global(name.partition(".")[2] or name if name.startswith("$") else name, value, loc)

    def freevar(self, attrs, args, loc):
        index, name = attrs
        return FreeVar(index, name, self.builder.freevar(index), loc)


_VALUES = {
    "arg": lambda writer, attrs, args, loc: Arg(attrs[1], attrs[0], loc),
    "const": lambda writer, attrs, args, loc: Const(attrs[0], loc),
    "undef": lambda writer, attrs, args, loc: Expr.undef(loc),
    "global": _Writer.outer,
    "freevar": _Writer.freevar,
    "binary": _Writer.binary,
    "inplace": _Writer.inplace,
    "compare": _Writer.compare,
    "unary": _Writer.unary,
    "is_none": _Writer.is_none,
    "getattr": lambda writer, attrs, args, loc: Expr.getattr(args[0], attrs[0], loc),
    "getitem": lambda writer, attrs, args, loc: Expr.getitem(*args, loc),
    "call": _Writer.call,
    "call_ex": _Writer.call_ex,
    "build_tuple": lambda writer, attrs, args, loc: Expr.build_tuple(args, loc),
    "build_list": lambda writer, attrs, args, loc: Expr.build_list(args, loc),
    "build_set": lambda writer, attrs, args, loc: Expr.build_set(args, loc),
    "build_map": _Writer.build_map,
    "build_slice": _Writer.build_slice,
    "getiter": lambda writer, attrs, args, loc: Expr.getiter(args[0], loc),
    "make_function": _Writer.make_function,
    "cast": lambda writer, attrs, args, loc: Expr.cast(args[0], loc),
    "declared": _Writer.declared,
}

_STATEMENTS = {
    "setattr": lambda attrs, args, labels, loc: SetAttr(args[0], attrs[0], args[1], loc),
    "setitem": lambda attrs, args, labels, loc: SetItem(*args, loc),
    "delitem": lambda attrs, args, labels, loc: DelItem(*args, loc),
    "return": lambda attrs, args, labels, loc: Return(args[0], loc),
    "raise": lambda attrs, args, labels, loc: Raise(
        args[0] if args else None, loc, args[1] if len(args) > 1 else None),
    "reraise": lambda attrs, args, labels, loc: Reraise(args, loc),
    "unreachable": lambda attrs, args, labels, loc: Unreachable(loc),
    "jump": lambda attrs, args, labels, loc: Jump(labels[0], loc),
    "branch": lambda attrs, args, labels, loc: Branch(args[0], *labels, loc),
}
