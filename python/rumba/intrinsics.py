"""Intrinsics: functions whose machine code a library writes with llvmlite.

A library's `codegen(context, builder, signature, args)` runs with the real llvmlite, in a module with one
function; the module's text is handed over and becomes part of the code that calls it. Around what the
library writes, values are put into the form that Numba gives them: a tuple is one aggregate there.

Absent: who is called when (`rumba.overloads`).
"""
import collections
import functools
import inspect
import itertools
import uuid
import weakref

from . import config, errors, types

_numbers = itertools.count()


class Intrinsic:
    """A function that only compiled code can call. `defn` gives its signature and its code generator for
    types of arguments."""

    # Those that were pickled or unpickled here, by their mark; the last of them are kept alive.
    _memo = weakref.WeakValueDictionary()
    _recent = collections.deque(maxlen=config.FUNCTION_CACHE_SIZE)
    _mark = None

    def __init__(self, name, defn, prefer_literal=False, **kwargs):
        self._name, self._defn, self._prefer_literal = name, defn, prefer_literal
        functools.update_wrapper(self, defn)

    def _register(self):
        from . import overloads

        overloads.add_function(self, _Candidate(self))
        return self

    def _remember(self, mark):
        self._mark = mark
        self._memo[mark] = self
        self._recent.append(self)

    def __reduce__(self):
        from .pickling import dumps

        if self._mark is None:
            self._remember(uuid.uuid4().hex)
        return _restore, (self._mark, self._name, dumps(self._defn), self._prefer_literal)

    def __call__(self, *args, **kwargs):
        raise NotImplementedError(f"{self} is not usable in pure-python")

    def __repr__(self):
        return f"<intrinsic {self._name}>"

    def __deepcopy__(self, memo):
        return self


def _restore(mark, name, defn, prefer_literal):
    """The intrinsic of a mark; unpickled, there is one for each."""
    from .pickling import loads

    found = Intrinsic._memo.get(mark)
    if found is None:
        found = Intrinsic(name, loads(defn), prefer_literal)._register()
        found._remember(mark)
    return found


def intrinsic(*args, **kwargs):
    """Decorates a function of a typing context and of types of arguments, which returns a signature and a
    code generator, or None where it does not take these types."""
    def decorate(function):
        return Intrinsic(getattr(function, "__name__", str(function)), function, **kwargs)._register()

    return decorate(args[0]) if args else decorate


class _Candidate:
    """What `rumba.overloads` asks."""

    # Of nobody but the user.
    library = False

    def __init__(self, owner):
        self.function, self.prefer_literal = owner._defn, owner._prefer_literal
        self._made = {}

    def implementation(self, args, keywords):
        """The code for arguments of these types, or None."""
        from .core import cpu_target

        key = args, tuple(keywords.items())
        if key in self._made:
            return self._made[key]
        context = cpu_target.typing_context
        try:
            bound = inspect.signature(self.function).bind(context, *args, **keywords)
        except TypeError as error:
            raise errors.TypingError(str(error)) from None
        found = self.function(context, *args, **keywords)
        if found is not None:
            found = Native(self, *found, _order(self.function, bound, len(args), list(keywords)))
        return self._made.setdefault(key, found)

    def place(self):
        """How messages call it."""
        code = self.function.__code__
        return f"'{self.function.__name__}' ({code.co_filename}:{code.co_firstlineno})"


def _order(function, bound, by_position, names):
    """Which argument of the call each parameter gets."""
    order = []
    for name in list(bound.arguments)[1:]:
        if inspect.signature(function).parameters[name].kind is inspect.Parameter.VAR_KEYWORD:
            raise errors.UnsupportedError("an intrinsic with **kwargs")
        if name in names:
            order.append(by_position + names.index(name))
        else:
            order.append(len(order))
    return order


class Native:
    """The machine code of an intrinsic for types of arguments; its text is made when it is chosen."""

    def __init__(self, candidate, signature, codegen, order):
        self._place, self._signature, self._codegen = candidate.place(), signature, codegen
        self.params, self.result, self.order = list(signature.args), signature.return_type, order
        self.symbol = f"intrinsic.{next(_numbers)}.{candidate.function.__name__}"
        self.text = None

    def build(self):
        """Runs the library's code generator, once."""
        if self.text is None:
            try:
                from llvmlite import ir
            except ImportError:
                raise errors.LoweringError(
                    f"the intrinsic {self._place} writes its code with llvmlite, which is not installed: "
                    "install the package llvmlite") from None
            self.text = str(self._module(ir))

    def _module(self, ir):
        context = Context(ir)
        parts = [part for ty in self.params for part in context.parts(ty)]
        results = context.parts(self.result)
        floats = sum(isinstance(part, (ir.FloatType, ir.DoubleType)) for part in results)
        if floats > 2 or len(results) - floats > 3:
            raise errors.UnsupportedError(
                f"the intrinsic {self._place} returns {self.result}, which has too many parts")
        returned = ir.LiteralStructType(results) if len(results) > 1 else (*results, ir.VoidType())[0]
        module = ir.Module(self.symbol)
        function = ir.Function(module, ir.FunctionType(returned, parts), self.symbol)
        function.attributes.add("alwaysinline")
        builder = ir.IRBuilder(function.append_basic_block("entry"))
        given = iter(function.args)
        args = [context.packed(builder, ty, given) for ty in self.params]
        value = self._codegen(context, builder, self._signature, args)
        if value is None and results:
            raise errors.LoweringError(
                f"non-void function returns None: the code generator of the intrinsic {self._place} has to "
                f"return a value of type {self.result}")
        _return(ir, builder, results and context.unpacked(builder, self.result, value), returned)
        return module


def _return(ir, builder, parts, returned):
    if not parts:
        builder.ret_void()
    elif len(parts) == 1:
        builder.ret(parts[0])
    else:
        whole = ir.Constant(returned, ir.Undefined)
        for at, part in enumerate(parts):
            whole = builder.insert_value(whole, part, at)
        builder.ret(whole)


class Context:
    """What code generators ask of the target. What is not here is refused by its name."""

    def __init__(self, ir):
        self._ir = ir

    def __getattr__(self, name):
        raise errors.UnsupportedError(f"a code generator uses `context.{name}`, which is not there (yet)")

    def get_value_type(self, ty):
        """LLVM's type of values, in the form that Numba gives them."""
        ir, ty = self._ir, types.unliteral(ty)
        if isinstance(ty, types.Boolean):
            return ir.IntType(1)
        if isinstance(ty, types.Integer):
            return ir.IntType(ty.bitwidth)
        if isinstance(ty, types.Float):
            return ir.FloatType() if ty.bitwidth == 32 else ir.DoubleType()
        if isinstance(ty, types.Complex):
            part = self.get_value_type(ty.underlying_float)
            return ir.LiteralStructType([part, part])
        if isinstance(ty, types.UniTuple):
            return ir.ArrayType(self.get_value_type(ty.dtype), ty.count)
        if isinstance(ty, types.BaseTuple):
            return ir.LiteralStructType([self.get_value_type(item) for item in ty])
        if isinstance(ty, types.Optional):
            return ir.LiteralStructType([self.get_value_type(ty.type), ir.IntType(1)])
        if isinstance(ty, types.Dummy) or not ty.is_internal:
            return ir.IntType(8).as_pointer()
        raise errors.UnsupportedError(f"values of type {ty} in an intrinsic")

    get_argument_type = get_return_type = get_value_type

    def get_data_type(self, ty):
        """LLVM's type of values in memory."""
        return self._ir.IntType(8) if isinstance(types.unliteral(ty), types.Boolean) else self.get_value_type(ty)

    def parts(self, ty):
        """LLVM's types of the parts in which values pass between functions."""
        held, ty = self.get_value_type(ty), types.unliteral(ty)
        if isinstance(ty, types.BaseTuple):
            return [part for item in ty for part in self.parts(item)]
        if isinstance(ty, types.Complex):
            return list(held.elements)
        if isinstance(ty, types.Optional):
            return [self._ir.IntType(1), *self.parts(ty.type)]
        return [] if isinstance(held, self._ir.PointerType) else [held]

    def packed(self, builder, ty, parts):
        """A value in Numba's form out of the next parts."""
        ty = types.unliteral(ty)
        if isinstance(ty, types.BaseTuple):
            return self._aggregate(builder, ty, [self.packed(builder, item, parts) for item in ty])
        if isinstance(ty, types.Complex):
            return self._aggregate(builder, ty, [next(parts), next(parts)])
        if isinstance(ty, types.Optional):
            present = next(parts)
            return self._aggregate(builder, ty, [self.packed(builder, ty.type, parts), present])
        return next(parts) if self.parts(ty) else self.get_dummy_value()

    def unpacked(self, builder, ty, value):
        """The parts of a value in Numba's form."""
        ty = types.unliteral(ty)
        if isinstance(ty, types.BaseTuple):
            items = enumerate(ty)
            return [part for at, item in items
                    for part in self.unpacked(builder, item, builder.extract_value(value, at))]
        if isinstance(ty, types.Complex):
            return [builder.extract_value(value, 0), builder.extract_value(value, 1)]
        if isinstance(ty, types.Optional):
            content = self.unpacked(builder, ty.type, builder.extract_value(value, 0))
            return [builder.extract_value(value, 1), *content]
        return [value] if self.parts(ty) else []

    def _aggregate(self, builder, ty, items):
        whole = self.get_constant_undef(ty)
        for at, item in enumerate(items):
            whole = builder.insert_value(whole, item, at)
        return whole

    def make_tuple(self, builder, ty, values):
        """A tuple of values."""
        return self._aggregate(builder, ty, values)

    def get_constant(self, ty, value):
        """A number as a constant."""
        return self._ir.Constant(self.get_value_type(ty), value)

    def get_constant_generic(self, builder, ty, value):
        """A number, or a tuple of such, as a constant."""
        ty = types.unliteral(ty)
        if isinstance(ty, types.Complex):
            return self._ir.Constant(self.get_value_type(ty), [value.real, value.imag])
        if isinstance(ty, types.BaseTuple):
            items = [self.get_constant_generic(builder, item, part) for item, part in zip(ty, value)]
            return self._ir.Constant(self.get_value_type(ty), items)
        if isinstance(ty, types.NoneType):
            return self.get_dummy_value()
        return self.get_constant(ty, value)

    def get_constant_undef(self, ty):
        """A value that does not matter."""
        return self._ir.Constant(self.get_value_type(ty), self._ir.Undefined)

    def get_constant_null(self, ty):
        """A value of zero bits."""
        return self._ir.Constant(self.get_value_type(ty), None)

    def get_dummy_value(self):
        """The value of what has no content."""
        return self._ir.Constant(self._ir.IntType(8).as_pointer(), None)

    def cast(self, builder, value, fromty, toty):
        """A number as one of another type."""
        source, target = types.unliteral(fromty), types.unliteral(toty)
        if source == target:
            return value
        if isinstance(target, types.Complex) and isinstance(source, (types.Integer, types.Float, types.Boolean)):
            part = target.underlying_float
            zero = self.get_constant(part, 0.0)
            return self._aggregate(builder, target, [self.cast(builder, value, source, part), zero])
        kinds = types.Integer, types.Float, types.Boolean
        if not (isinstance(source, kinds) and isinstance(target, kinds)):
            raise errors.UnsupportedError(f"`context.cast` from {source} to {target}")
        return self._number(builder, value, source, target)

    def _number(self, builder, value, source, target):
        wanted = self.get_value_type(target)
        if isinstance(target, types.Boolean):
            zero = self._ir.Constant(value.type, 0)
            is_float = isinstance(source, types.Float)
            return builder.fcmp_unordered("!=", value, zero) if is_float else builder.icmp_unsigned("!=", value, zero)
        signed = isinstance(source, types.Integer) and source.signed
        if isinstance(source, types.Float):
            if isinstance(target, types.Float):
                return (builder.fpext if target.bitwidth > source.bitwidth else builder.fptrunc)(value, wanted)
            return (builder.fptosi if target.signed else builder.fptoui)(value, wanted)
        if isinstance(target, types.Float):
            return (builder.sitofp if signed else builder.uitofp)(value, wanted)
        if value.type.width >= wanted.width:
            return builder.trunc(value, wanted) if value.type.width > wanted.width else value
        return (builder.sext if signed else builder.zext)(value, wanted)
