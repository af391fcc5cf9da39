"""A function of the compiler as blocks of statements over variables.

A version of a name of the source is `acc.1`, what the source does not name `$12.1` after its block. Block parameters
become copies in predecessors, as `acc.1 = acc.2`. Where such a copy would change what is still read (two names that
swap, a value that is read behind the loop), it goes through a variable `$phi36.1`. Labels are offsets in the bytecode.
"""
import builtins
import inspect
from dataclasses import dataclass, field

from ..numba_ir import (
    Arg, Assign, Block, Branch, Const, DelItem, ExceptionEdge, Expr, FreeVar, FunctionIR, Global, Jump, Loc,
    Raise, Reraise, Return, Scope, SetAttr, SetItem, UNDEFINED, Unreachable, Var)
from ..numba_ir.expr import BINARY, COMPARE, INPLACE, UNARY
from . import liveness


@dataclass
class Shape:
    """What the way back needs to make the same function of the same statements."""

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
    """Marks a node that Numba's shape has and the compiler has not: `$bool = global(bool)` in front of a test."""


class HelperGlobal(Global, Helper):
    """A built-in class that an operation of the compiler stands for."""


class HelperConst(Const, Helper):
    """`None` in `x is None`."""


class _Builder:
    def __init__(self, function, raw, extra):
        self.function, self.extra, self.func_id = function, extra, FunctionId(function)
        self.name, self.file, self.line, self.params, self.raw, self.values = raw
        self.by_id = {block[0]: block for block in self.raw}
        self.loc = Loc(self.file, self.line)
        self.scope = Scope(None, self.loc)
        self.shape, self.labels, self.taken = Shape(), set(), set()
        self.handlers = {block[3][0] for block in self.raw if block[3]}
        self.merged = self.find_merged()
        self.place, self.blocks, self.vars, self.counts = {}, {}, {}, {}

    def build(self):
        for block in self.raw:
            if block[0] != self.merged:
                label = self.place[block[0]] = self.take_label(block[1])
                if label != block[1]:
                    self.shape.offsets[label] = block[1]
        entry = self.raw[0][0]
        if self.merged is not None:
            self.place[self.merged] = self.place[entry]
        self.shape.entry_label = self.place[entry]
        for block in self.raw:
            self.name_values(block)
        for label in dict.fromkeys(self.place.values()):
            self.blocks[label] = Block(self.scope, self.loc)
        if self.merged is not None:
            self.shape.has_entry = True
            self.shape.entry_names = {
                self.vars[value].name for inst in self.raw[0][4] for value in inst[3]}
        for block in self.raw:
            self.translate(block)
        _Copies(self).place()
        liveness.place_dels(self.blocks)
        func_ir = FunctionIR(
            self.blocks, self.func_id.is_generator, self.func_id, self.loc, {}, len(self.params), tuple(self.params))
        func_ir.definitions_anew()
        func_ir._shape = self.shape
        return func_ir

    def typemap(self):
        """Types of variables, by name."""
        return {var.name: self.values[value][2] for value, var in self.vars.items()
                if self.values[value][2] is not None}

    def find_merged(self):
        """The block that the entry leads to, if nothing else does and nothing stands between."""
        entry = self.raw[0]
        targets = entry[4][-1][4]
        if len(targets) != 1:
            return None
        [(target, _)] = targets
        edges = [edge[0] for block in self.raw for edge in self.edges(block)]
        plain = not self.by_id[target][2] and not self.by_id[target][3]
        return target if plain and edges.count(target) == 1 else None

    @staticmethod
    def edges(block):
        """The exception edge and the edges of the terminator."""
        return ([block[3]] if block[3] else []) + list(block[4][-1][4])

    def take_label(self, wanted):
        # Offsets are even, so an odd label is free.
        label = wanted
        while label in self.labels:
            label = (label | 1) + 2 * (label % 2)
        self.labels.add(label)
        return label

    # ---- variables ----

    def name_values(self, block):
        label = self.place[block[0]]
        for index, value in enumerate(block[2]):
            self.new_var(value, f"$phi{label}.{index + 1}", self.loc)
        for op, _, _, results, _, span in block[4]:
            for value in results:
                self.counts[label] = self.counts.get(label, 0) + 1
                prefix = "const" if op == "const" else ""
                self.new_var(value, f"${prefix}{label}.{self.counts[label]}", self.at(span))

    def new_var(self, value, otherwise, loc):
        source, version, _ = self.values[value]
        name = otherwise
        if source is not None:
            wanted = f"{source}.{version}" if version else source
            if wanted not in self.taken:
                name = wanted
                self.shape.sources[name] = (source, version)
        self.taken.add(name)
        var = self.vars[value] = self.scope.get_or_define(name, loc)
        return var

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

    # ---- statements ----

    def translate(self, block):
        label = self.place[block[0]]
        writer = _Writer(self, label)
        if block[0] in self.handlers:
            writer.assign(self.vars[block[2][-1]], Expr("exception", self.loc), self.loc)
        for inst in block[4]:
            writer.inst(*inst)
        if self.merged is not None and block[0] == self.raw[0][0]:
            # The jump to the other half of the block.
            self.blocks[label].body.pop()

    def outside(self, name):
        """The value of a global or built-in name."""
        if name in self.extra:
            return self.extra[name]
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

    def inst(self, op, attrs, args, results, targets, span):
        loc = self.builder.at(span)
        args = [self.builder.vars[arg] for arg in args]
        results = [self.builder.vars[result] for result in results]
        labels = [self.builder.place[target] for target, _ in targets]
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
        return Global(name.partition(".")[2] if name.startswith("$") else name, value, loc)

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


class _Copies:
    """Block parameters as copies in predecessors."""

    def __init__(self, builder):
        self.builder, self.shadows = builder, {}
        self.live = self.compute_live()

    def compute_live(self):
        """The values that are live where each block begins."""
        raw = self.builder.raw
        live = {block[0]: set() for block in raw}
        changed = True
        while changed:
            changed = False
            for block in reversed(raw):
                needed = set()
                for edge in block[4][-1][4]:
                    needed |= live[edge[0]]
                for _, _, args, results, targets, _ in reversed(block[4]):
                    needed.difference_update(results)
                    needed.update(args, *(given for _, given in targets))
                if block[3]:
                    needed |= live[block[3][0]] | set(block[3][1])
                needed.difference_update(block[2])
                if needed != live[block[0]]:
                    live[block[0]], changed = needed, True
        return live

    def place(self):
        builder = self.builder
        for block in builder.raw:
            self.find_shadows(block)
        for block in builder.raw:
            self.connect(block)
        for block in builder.raw:
            label = builder.place[block[0]]
            if builder.merged == block[0]:
                continue
            params = block[2][:-1] if block[0] in builder.handlers else block[2]
            joins = [self.shadows.get(param, builder.vars[param]) for param in params]
            builder.shape.joins[label] = [var.name for var in joins]
            heads = [
                Assign(self.shadows[param], builder.vars[param], builder.loc)
                for param in params if param in self.shadows]
            at = 1 if block[0] in builder.handlers else 0
            builder.blocks[label].body[at:at] = heads

    def find_shadows(self, block):
        """Parameters that need a variable of their own on the way."""
        builder = self.builder
        last = block[4][-1]
        normal = last[4]
        for number, (target, args) in enumerate(builder.edges(block)):
            is_handler = bool(block[3]) and number == 0
            params = builder.by_id[target][2]
            for index, param in enumerate(params[:len(args)]):
                if is_handler:
                    elsewhere = param in self.live[block[0]] or param in block[2]
                else:
                    others = [edge for edge in normal if edge[0] != target]
                    elsewhere = param in last[2] or any(
                        param in given or param in self.live[other] for other, given in others)
                later = any(arg == param for other, arg in enumerate(args) if other != index)
                if (elsewhere or later) and param not in self.shadows:
                    name = f"$phi{builder.place[target]}.{index + 1}"
                    var = self.shadows[param] = builder.fresh(name, builder.loc)
                    source = builder.shape.sources.get(builder.vars[param].name)
                    if source is not None:
                        builder.shape.sources[var.name] = source

    def connect(self, block):
        """Copies of the edges that leave a block."""
        builder = self.builder
        body = builder.blocks[builder.place[block[0]]].body
        if block[3]:
            edge = ExceptionEdge(builder.place[block[3][0]], builder.loc)
            at = 1 if block[0] in builder.handlers else 0
            body[at:at] = [*self.copies(block[3], builder.loc), edge]
        if block[0] == builder.raw[0][0] and builder.merged is not None:
            return
        targets = block[4][-1][4]
        end = body[-1]
        for number, edge in enumerate(targets):
            if number and edge[0] == targets[0][0]:
                if edge[1] != targets[0][1]:
                    end.falsebr = self.between(edge, end.loc)
                continue
            body[-1:-1] = self.copies(edge, end.loc)

    def copies(self, edge, loc):
        builder = self.builder
        made = []
        for param, arg in zip(builder.by_id[edge[0]][2], edge[1]):
            target, source = self.shadows.get(param, builder.vars[param]), builder.vars[arg]
            if target is not source:
                made.append(Assign(source, target, loc))
        return made

    def between(self, edge, loc):
        """A block on an edge."""
        builder = self.builder
        target = builder.place[edge[0]]
        label = builder.take_label(target)
        block = builder.blocks[label] = Block(builder.scope, loc)
        block.body = [*self.copies(edge, loc), Jump(target, loc)]
        builder.shape.between.add(label)
        return label
