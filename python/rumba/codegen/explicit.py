"""Code of extensions in Rumba's own form: functions of the Explicit phase, written with a builder that has an op of the table as
each method. Neither llvmlite nor a text of LLVM is involved, so that it compiles fast, and is inlined and optimized like any code.

    @intrinsic
    def hypotenuse(typingctx, x, y):
        @explicit
        def codegen(b, signature, args):
            x, y = args
            return b.fsqrt(b.fma(x, x, b.fmul(y, y)))

        return types.float64(types.float64, types.float64), codegen

Absent: objects of Python (`rumba.codegen.explicit_objects`), the ops themselves (`ir::op`, docs/design/ir.md).
"""
import contextlib
import functools
import math
import struct

from .. import errors, types
from ..extending import typeof_box

# Machine types: owners are words (`i64`), which `incref` and `decref` take.
NATIVES = "i1", "i8", "i16", "i32", "i64", "f32", "f64", "ptr"


class Value:
    """A value of a machine type, which an op or a parameter gives."""

    __slots__ = ("name", "type")

    def __init__(self, name, type):
        self.name, self.type = name, type

    def __repr__(self):
        return f"<{self.name}: {self.type}>"


class Struct:
    """A value of several parts: they are its items, and its attributes where they have names.

        interval.low, interval[0], interval.replace(low=x)
    """

    __slots__ = ("names", "items")

    def __init__(self, items, names=None):
        self.items, self.names = tuple(items), names

    def __getattr__(self, name):
        if self.names is None or name not in self.names:
            raise AttributeError(f"a value with the parts {', '.join(self.names or ()) or len(self.items)} has no part {name!r}")
        return self.items[self.names.index(name)]

    def __getitem__(self, index):
        return self.items[index]

    def __len__(self):
        return len(self.items)

    def __iter__(self):
        return iter(self.items)

    def replace(self, **parts):
        """The same value with other parts."""
        for name in parts:
            getattr(self, name)
        return Struct((parts.get(name, item) for name, item in zip(self.names or (), self.items)), self.names)

    def __repr__(self):
        names = self.names or range(len(self.items))
        return f"Struct({', '.join(f'{name}={item}' for name, item in zip(names, self.items))})"


class Block:
    """A basic block: its parameters get values where something jumps to it."""

    def __init__(self, number, params):
        self.number, self.params, self.lines, self.is_terminated = number, params, [], False

    def __repr__(self):
        return f"block{self.number}"


@functools.cache
def _ops():
    """The ops, by their names: kinds of immediates, how many operands and whether exactly, how many results, whether they end a block."""
    from .._rumba import explicit

    return {name: tuple(row) for name, *row in explicit.ops()}


# What ops give that do not give what their first operand is.
_RESULTS = {
    "icmp": ("i1",), "fcmp": ("i1",), "stack_slot": ("ptr",), "ptr_add": ("ptr",), "alloc": ("ptr",)}
# Ops besides those that end a block which the builder writes in its own way, or that have no meaning in an extension.
_NOT_OFFERED = frozenset({
    "arg", "call_external", "call_indirect", "address_of", "site_status", "declare_variable", "poll", "poll_flag", "poll_out_of_line",
    "suspend", "take_ref", "give_ref", "null_ref", "fconst", "iconst"})


@functools.cache
def _offered():
    """The names of the ops that are methods of the builder."""
    return frozenset(name for name, (*_, ends_block) in _ops().items() if not ends_block) - _NOT_OFFERED


class Builder:
    """Writes one function. Each op of the Explicit phase is a method that takes its immediates first and gives its results:

        b.iadd(x, y)    b.icmp("slt", x, y)    b.load("f64", 8, address)    b.select(c, x, y)    b.sint_to_float("f64", n)

    LoweringError names an op that there is not, and operands that it does not take.
    """

    def __init__(self, symbol, params, results, owned=()):
        self.symbol, self._results, self.can_fail = symbol, list(results), False
        # Which results are references that the caller owns.
        self._owned = frozenset(owned)
        self._sites, self._externals, self._blocks, self._count = [], [], [], 0
        # What the code knows by address, which has to live as long.
        self.kept = []
        self.current = self.block()
        self.args = []
        for index, native in enumerate(params):
            value = self._value(native)
            self.current.lines.append(f"{value.name}: {native} = arg {index}, a{index}")
            self.args.append(value)

    # Ops.

    def __getattr__(self, name):
        if name.startswith("_") or name not in _offered():
            raise errors.LoweringError(f"there is no op {name!r} in the Explicit phase: {_near(name)}")
        return functools.partial(self.op, name)

    def __dir__(self):
        return sorted({*super().__dir__(), *_offered()})

    def op(self, name, *operands):
        """The results of an op: one value, a tuple of several, or None."""
        kinds, count, is_exact, results, _ = _ops()[name]
        immediates, operands = operands[:len(kinds)], operands[len(kinds):]
        if len(immediates) < len(kinds) or not all(isinstance(one, Value) for one in operands) or (
                len(operands) != count if is_exact else len(operands) < count):
            wanted = ", ".join([*(f"<{kind}>" for kind in kinds), *["value"] * count])
            raise errors.LoweringError(f"the op `{name}` takes ({wanted}), not ({', '.join(map(str, (*immediates, *operands)))})")
        given = self._given(name, kinds, immediates, operands, results)
        return self._write(name, [*map(str, immediates), *(value.name for value in operands)], given)

    def _given(self, name, kinds, immediates, operands, count):
        if count == 0:
            return []
        if "Native" in kinds:
            return [immediates[kinds.index("Native")]]
        if name in _RESULTS:
            return list(_RESULTS[name])
        if count == 2:
            return [operands[0].type, "i1"]
        if name == "select" or name.startswith("atomic_"):
            return [operands[1].type]
        return [operands[0].type]

    def _write(self, op, operands, given):
        if self.current.is_terminated:
            raise errors.LoweringError(f"`{op}` stands behind the end of {self.current}: switch to another block first")
        results = [self._value(native) for native in given]
        left = ", ".join(f"{value.name}: {value.type}" for value in results)
        self.current.lines.append(f"{left} = {op} {', '.join(operands)}" if left else f"{op} {', '.join(operands)}")
        if len(results) > 1:
            return tuple(results)
        return results[0] if results else None

    def _value(self, native):
        if native not in NATIVES:
            raise errors.LoweringError(f"{native!r} is no machine type: there are {', '.join(NATIVES)}")
        self._count += 1
        return Value(f"%{self._count - 1}", native)

    # Constants.

    def iconst(self, native, number):
        """An integer or a boolean, or the null pointer for 0."""
        return self._write("iconst", [native, str(int(number))], [native])

    def fconst(self, native, number):
        """A float."""
        number = float(number)
        text = repr(number)
        if math.isnan(number):
            text = f"nan:{struct.unpack('<Q', struct.pack('<d', number))[0]:x}"
        return self._write("fconst", [native, text], [native])

    def address(self, number, keep=None):
        """An address of this process as a pointer. The code keeps the object `keep` alive."""
        if keep is not None:
            self.kept.append(keep)
        return self.bitcast("ptr", self.iconst("i64", number))

    # Blocks.

    def block(self, *params):
        """A new block, with parameters of these machine types."""
        made = Block(len(self._blocks), [self._value(native) for native in params])
        self._blocks.append(made)
        return made

    def switch_to(self, block):
        """What is written from here on goes to the end of a block."""
        self.current = block

    def jump(self, block, *values):
        """Ends the block: on to another one."""
        self._terminate("jump", [_target(block, values)])

    def branch(self, condition, then, otherwise):
        """Ends the block: on to one of two others, each a block or a tuple of a block and its values."""
        self._terminate("branch", [condition.name, _target(*_split(then)), _target(*_split(otherwise))])

    def _terminate(self, op, operands):
        self._write(op, operands, [])
        self.current.is_terminated = True

    @contextlib.contextmanager
    def if_then(self, condition):
        """What is written inside runs if the condition is true."""
        then, after = self.block(), self.block()
        self.branch(condition, then, after)
        self.switch_to(then)
        yield
        if not self.current.is_terminated:
            self.jump(after)
        self.switch_to(after)

    @contextlib.contextmanager
    def loop(self, count):
        """What is written inside runs `count` times: gives the number of the round, an i64."""
        head, body, after = self.block("i64"), self.block(), self.block()
        self.jump(head, self.iconst("i64", 0))
        self.switch_to(head)
        (number,) = head.params
        self.branch(self.icmp("slt", number, count), body, after)
        self.switch_to(body)
        yield number
        self.jump(head, self.iadd(number, self.iconst("i64", 1)))
        self.switch_to(after)

    def return_(self, *values):
        """Ends the function with the parts of its result."""
        given = [value.type for value in values]
        if given != self._results:
            raise errors.LoweringError(f"the function returns the parts ({', '.join(self._results)}), not ({', '.join(given)})")
        self._terminate("return", [value.name for value in values])

    # Calls and exceptions.

    def call(self, symbol, result, *args):
        """The result of a function of C that the process has: `result` is its machine type, or None."""
        results = [] if result is None else [result]
        names = [arg.name for arg in args]
        if symbol.startswith("Py"):
            return self._write("call_external", [self._external(symbol, args, results), *names], results)
        place = self.address(_address_of(symbol))
        return self._write("call_indirect", [self._external("", args, results), place.name, *names], results)

    def call_compiled(self, function, signature, *args):
        """The result of a Python function that is compiled for a signature. What it raises is raised."""
        from .._rumba import types as compiler
        from ..decorators import njit

        compiled = function if hasattr(function, "py_func") else njit(function)
        compiled.compile(tuple(signature.args))
        self.kept.append(compiled)
        address = compiler.address(compiled, types.FunctionType(types.signature(signature.return_type, *signature.args)))
        values = [part for arg in args for part in flatten(arg)]
        parts = compiler.parts(signature.return_type)
        owned = [at + 1 for at in compiler.owners(signature.return_type)]
        called = self._external("", values, ["i64", *parts], owned)
        place = self.address(address)
        found = self._write("call_indirect", [called, place.name, *(value.name for value in values)], ["i64", *parts])
        status, *parts = found if isinstance(found, tuple) else (found,)
        self._leave_if(self.icmp("ne", status, self.iconst("i64", 0)), status)
        return pack(signature.return_type, iter(parts))

    def raise_(self, exception, message=None):
        """Ends the block: raises an exception of a built-in class."""
        text = "" if message is None else " " + _quoted(message)
        self._sites.append(f"site{len(self._sites)} = raises {exception.__name__}{text} @ ?")
        self._fail(self._write("site_status", [f"site{len(self._sites) - 1}"], ["i64"]))

    def _leave_if(self, condition, status):
        leave, after = self.block(), self.block()
        self.branch(condition, leave, after)
        self.switch_to(leave)
        self._fail(status)
        self.switch_to(after)

    def _fail(self, status):
        self.can_fail = True
        self._terminate("fail", [status.name])

    def _external(self, symbol, args, results, owned=()):
        params = ", ".join(arg.type for arg in args)
        line = f'external {_quoted(symbol)} ({params}) -> {_marked(results, owned)}'
        if line not in self._externals:
            self._externals.append(line)
        return f"fn{self._externals.index(line)}"

    # Values of Rumba's types.

    def incref_value(self, ty, value):
        """Counts one holder more of the memory that a value of a type refers to: an extension returns what it owns."""
        self._count_each("incref", ty, value)

    def decref_value(self, ty, value):
        """Counts one holder less."""
        self._count_each("decref", ty, value)

    def _count_each(self, op, ty, value):
        from .._rumba import types as compiler

        parts = flatten(value)
        for at in compiler.owners(ty):
            self.op(op, parts[at])

    def constant(self, ty, number):
        """A number of one of Rumba's types."""
        (native,) = machine_types(ty)
        return self.fconst(native, number) if native[0] == "f" else self.iconst(native, number)

    def struct(self, ty, *items, **members):
        """A value of a type by its parts, in their order or by their names."""
        names = member_names(ty)
        if members:
            if names is None or set(members) != set(names):
                raise errors.LoweringError(f"a value of {ty} has the members {', '.join(names or ())}, not {', '.join(members)}")
            items = [members[name] for name in names]
        return Struct(items, names)

    def text(self):
        """The function as text."""
        from .._rumba import explicit

        params = ", ".join(f"a{index}" for index in range(len(self.args)))
        results = f" -> {_marked(self._results, self._owned)}" if self._results else ""
        fails = " fails" if self.can_fail else ""
        lines = [f'function explicit "{self.symbol}" file "?" line 1 ({params}){results}{fails} {{']
        lines += [f"    {site}" for site in self._sites]
        lines += [f"    fn{index} = {line}" for index, line in enumerate(self._externals)]
        for block in self._blocks:
            if not block.lines:
                raise errors.LoweringError(f"{block} is empty: a block ends with a jump, a branch or a return")
            params = ", ".join(f"{value.name}: {value.type}" for value in block.params)
            lines.append(f"block{block.number}{f'({params})' if params else ''} @0:")
            lines += [f"    {line}" for line in block.lines]
        text = "\n".join([*lines, "}"])
        try:
            explicit.check(text)
        except errors.NumbaError as error:
            raise errors.LoweringError(f"the code of an extension is wrong: {error}\n{text}") from None
        return text


def _address_of(symbol):
    import ctypes

    function = getattr(ctypes.CDLL(None), symbol, None)
    if function is None:
        raise errors.LoweringError(f"the process has no function {symbol!r}: load its library with `ctypes.CDLL(path, ctypes.RTLD_GLOBAL)`")
    return ctypes.cast(function, ctypes.c_void_p).value


def _marked(natives, owned):
    """Machine types, those of references that change hands with a mark."""
    return ", ".join(f"own {native}" if at in owned else native for at, native in enumerate(natives))


def _target(block, values):
    return f"block{block.number}" + (f"({', '.join(value.name for value in values)})" if values else "")


def _split(target):
    return (target[0], target[1:]) if isinstance(target, tuple) else (target, ())


def _near(name):
    import difflib

    offered = sorted(_offered())
    near = difflib.get_close_matches(name, offered, 3)
    return f"is {' or '.join(near)} meant?" if near else f"there are {', '.join(offered)}"


def _quoted(text):
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


# Rumba's types.

def machine_types(ty):
    """The machine types of the parts of a type's values."""
    from .._rumba import types as compiler

    return compiler.parts(ty)


def member_names(ty):
    """The names of the members of a type's values; None if they have none."""
    model = typeof_box.model(ty)
    if model is not None:
        return tuple(model._fields) if hasattr(model, "_fields") else None
    if isinstance(ty, types.Complex):
        return "real", "imag"
    if isinstance(ty, types.NamedTuple):
        return tuple(ty.fields)
    return None


def _members(ty):
    """The types of the members that a value consists of; None if it has none."""
    model = typeof_box.model(ty)
    if model is not None:
        return tuple(model._members) if hasattr(model, "_members") else None
    # The items of a tuple may be constants, which have no parts.
    if isinstance(ty, types.BaseTuple):
        return tuple(ty)
    ty = types.unliteral(ty)
    return (ty.underlying_float,) * 2 if isinstance(ty, types.Complex) else None


def pack(ty, parts):
    """A value of a type out of the next parts: a `Value`, or a `Struct` of those of its members."""
    members = _members(ty)
    if members is not None:
        return Struct((pack(member, parts) for member in members), member_names(ty))
    if isinstance(ty, types.Array) and typeof_box.model(ty) is None:
        owner, data = next(parts), next(parts)
        shape = Struct(next(parts) for _ in range(ty.ndim))
        lengths = [shape] if ty.layout != "A" else [shape, Struct(next(parts) for _ in range(ty.ndim))]
        return Struct((owner, data, *lengths), ("owner", "data", "shape", "strides")[:2 + len(lengths)])
    own = [next(parts) for _ in machine_types(ty)]
    return own[0] if len(own) == 1 else Struct(own)


def flatten(value):
    """The parts of a value."""
    if value is None:
        return []
    if isinstance(value, Value):
        return [value]
    if not isinstance(value, (Struct, tuple, list)):
        raise errors.LoweringError(f"{value!r} is no value of the builder: constants are made with `b.iconst` and `b.fconst`")
    return [part for item in value for part in flatten(item)]


def function_text(symbol, params, result, codegen, *given):
    """The text of a function, whether it can fail, and what it knows by address. `codegen(b, *given, args)` writes it."""
    from .._rumba import types as compiler

    natives = [native for ty in params for native in machine_types(ty)]
    builder = Builder(symbol, natives, machine_types(result), compiler.owners(result))
    parts = iter(builder.args)
    value = codegen(builder, *given, [pack(ty, parts) for ty in params])
    if not builder.current.is_terminated:
        builder.return_(*flatten(value))
    return builder.text(), builder.can_fail, builder.kept
