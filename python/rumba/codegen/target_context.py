"""The target as code generators of extensions see it: `context` in `codegen(context, builder, signature, args)`.

Values pass between functions in parts; here they are put into the form that Numba gives them: a tuple is one
aggregate there, an array a struct that names its memory.

Absent: what the code generators are and when they run (`rumba.codegen.intrinsic`, `rumba.extending.lower_builtin`, `rumba.codegen.boxing`).
"""
import functools

from llvmlite import ir

from . import cgutils
from .. import errors, source_text, types, upcalls
from ..extending import lower_builtin, overload_registry, typeof_box
from ..extending.code_forms import is_explicit
from .call_conv import CallConvention, Counting, call_at

# What an array is made of, in the form of Numba.
ARRAY_FIELDS = "meminfo", "parent", "nitems", "itemsize", "data", "shape", "strides"
# The same of other built-in types, with their members' types.
_FIELDS = {
    types.Optional: lambda ty: [("data", ty.type), ("valid", types.bool_)],
    types.Complex: lambda ty: [("real", ty.underlying_float), ("imag", ty.underlying_float)],
    types.FunctionType: lambda ty: [(name, types.voidptr) for name in ("jit_addr", "c_addr", "py_addr")],
    types.Pair: lambda ty: [("first", ty.first_type), ("second", ty.second_type)],
    types.SliceType: lambda ty: [(name, types.intp) for name in ("start", "stop", "step")],
}
_NUMBERS = types.Integer, types.Float, types.Boolean


class Context:
    """What code generators ask of the target. What is not here is refused by its name."""

    # Memory is counted.
    enable_nrt = True

    def __init__(self, can_fail=False):
        self.can_fail = can_fail
        self.nrt, self.call_conv = Counting(self), CallConvention(self)
        # What the code knows by address.
        self.kept = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        raise errors.UnsupportedError(f"a code generator uses `context.{name}`, which is not there (yet)")

    @functools.cached_property
    def typing_context(self):
        """Types of functions and attributes."""
        return upcalls.typing_context()

    # Types.

    def get_value_type(self, ty):
        """LLVM's type of values, in the form that Numba gives them."""
        model = typeof_box.model(ty)
        if model is not None:
            return self._type_of_model(model)
        if isinstance(ty, types.StringLiteral):
            # A constant text has no parts.
            return cgutils.voidptr_t
        # The items of a tuple may be constants.
        if not isinstance(ty, types.BaseTuple):
            ty = types.unliteral(ty)
        if isinstance(ty, types.Boolean):
            return ir.IntType(1)
        if isinstance(ty, types.Integer):
            return ir.IntType(ty.bitwidth)
        if isinstance(ty, types.Float):
            return ir.FloatType() if ty.bitwidth == 32 else ir.DoubleType()
        if isinstance(ty, types.UniTuple):
            return ir.ArrayType(self.get_value_type(ty.dtype), ty.count)
        if isinstance(ty, types.BaseTuple):
            return ir.LiteralStructType([self.get_value_type(item) for item in ty])
        if isinstance(ty, types.Buffer):
            return self._array_type(ty)
        if isinstance(ty, types.CPointer) and not isinstance(ty.dtype, types.NoneType):
            return self.get_data_type(ty.dtype).as_pointer()
        fields = self._fields(ty)
        if fields is not None:
            return ir.LiteralStructType([self.get_value_type(member) for _, member in fields])
        if isinstance(ty, (types.Dummy, types.CPointer, types.MemInfoPointer)) or not ty.is_internal:
            return cgutils.voidptr_t
        parts = self.parts(ty)
        return parts[0] if len(parts) == 1 else ir.LiteralStructType(parts)

    get_argument_type = get_return_type = get_value_type

    def get_function_pointer_type(self, ty):
        """LLVM's type of the address of a function of C."""
        sig = ty.signature
        return ir.FunctionType(self.get_value_type(sig.return_type), [self.get_value_type(arg) for arg in sig.args]).as_pointer()

    def _type_of_model(self, model):
        if hasattr(model, "be_type"):
            return model.be_type
        if hasattr(model, "_fields"):
            return ir.LiteralStructType([self.get_value_type(member) for member in model._members])
        return self.get_value_type(model.held())

    def _array_type(self, ty):
        data, word = self.get_data_type(ty.dtype).as_pointer(), cgutils.intp_t
        lengths = ir.ArrayType(word, ty.ndim)
        return ir.LiteralStructType([cgutils.voidptr_t, cgutils.voidptr_t, word, word, data, lengths, lengths])

    def get_data_type(self, ty):
        """LLVM's type of values in memory."""
        return ir.IntType(8) if isinstance(types.unliteral(ty), types.Boolean) else self.get_value_type(ty)

    def get_value_as_data(self, builder, ty, value):
        """A value as it is in memory: a truth value is a byte."""
        wanted = self.get_data_type(ty)
        return builder.zext(value, wanted) if value.type != wanted and isinstance(wanted, ir.IntType) else value

    def get_data_as_value(self, builder, ty, data):
        """What is in memory as a value."""
        wanted = self.get_value_type(ty)
        return builder.trunc(data, wanted) if data.type != wanted and isinstance(wanted, ir.IntType) else data

    @property
    def enable_boundscheck(self):
        """Whether indices are checked: always."""
        return True

    def get_abi_sizeof(self, llvm_type):
        """Bytes of a type of LLVM in memory."""
        return cgutils.size_of(llvm_type)

    def _fields(self, ty):
        """The names and types of what a value is made of; None if it is not a struct."""
        model = typeof_box.model(ty)
        if model is not None:
            return list(zip(model._fields, model._members)) if hasattr(model, "_fields") else None
        for kind, fields in _FIELDS.items():
            if isinstance(ty, kind):
                return fields(ty)
        return None

    def fields(self, ty):
        """The names of the members of a struct, for `create_struct_proxy`."""
        if isinstance(ty, types.Buffer) and typeof_box.model(ty) is None:
            return ARRAY_FIELDS
        found = self._fields(ty)
        if found is None:
            raise errors.UnsupportedError(f"a value of type {ty} is taken apart, which is not made of members")
        return tuple(name for name, _ in found)

    # Parts.

    def parts(self, ty):
        """LLVM's types of the parts in which values pass between functions."""
        from .._rumba import types as compiler

        return [_MACHINE[name] for name in compiler.parts(ty)]

    def packed(self, builder, ty, parts):
        """A value in Numba's form out of the next parts."""
        if isinstance(ty, types.EphemeralPointer):
            return cgutils.alloca_once_value(builder, self.packed(builder, ty.dtype, parts))
        wanted = self.get_value_type(ty)
        members = self._members(ty)
        if members is not None:
            items = [self.packed(builder, member, parts) for member in members]
            return self._aggregate(builder, wanted, items)
        given, ty = ty, types.unliteral(ty)
        if isinstance(ty, types.Optional) and ty.is_internal:
            present = next(parts)
            return self._aggregate(builder, wanted, [self.packed(builder, ty.type, parts), present])
        if isinstance(ty, types.Buffer) and typeof_box.model(ty) is None:
            return self._packed_array(builder, ty, wanted, parts)
        if isinstance(ty, types.MemInfoPointer):
            owner, _ = next(parts), next(parts)
            return builder.inttoptr(owner, cgutils.voidptr_t)
        # A constant text has no parts.
        own = [next(parts) for _ in self.parts(given)]
        if not own:
            return self.get_dummy_value()
        if isinstance(ty, types.SliceType):
            own = _filled_slice(builder, own)
        if len(own) > 1:
            return self._aggregate(builder, wanted, own)
        return _as_pointer(builder, own[0], wanted)

    def _members(self, ty):
        """The types of the members that a value consists of, in order; None if the type has no members."""
        fields = self._fields(ty)
        if typeof_box.model(ty) is not None:
            return None if fields is None else [member for _, member in fields]
        if isinstance(ty, types.BaseTuple):
            return list(ty)
        ty = types.unliteral(ty)
        return [ty.underlying_float] * 2 if isinstance(ty, types.Complex) else None

    def unpacked(self, builder, ty, value):
        """The parts of a value in Numba's form."""
        if isinstance(ty, types.EphemeralPointer):
            return self.unpacked(builder, ty.dtype, builder.load(value))
        members = self._members(ty)
        if members is not None:
            return [part for at, member in enumerate(members)
                    for part in self.unpacked(builder, member, builder.extract_value(value, at))]
        given, ty = ty, types.unliteral(ty)
        if isinstance(ty, types.Optional) and ty.is_internal:
            content = self.unpacked(builder, ty.type, builder.extract_value(value, 0))
            return [builder.extract_value(value, 1), *content]
        if isinstance(ty, types.Buffer) and typeof_box.model(ty) is None:
            return self._unpacked_array(builder, ty, value)
        if isinstance(ty, types.MemInfoPointer):
            return [builder.ptrtoint(value, cgutils.intp_t), self.nrt.meminfo_data(builder, value)]
        wanted = self.parts(given)
        if not wanted:
            return []
        if len(wanted) > 1:
            return [builder.extract_value(value, at) for at in range(len(wanted))]
        return [_as_pointer(builder, value, wanted[0])]

    def _packed_array(self, builder, ty, wanted, parts):
        owner, data = next(parts), next(parts)
        shape = [next(parts) for _ in range(ty.ndim)]
        itemsize = cgutils.intp_t(types.as_dtype(ty.dtype).itemsize)
        count = cgutils.intp_t(1)
        for length in shape:
            count = builder.mul(count, length)
        if ty.layout == "A":
            strides = [next(parts) for _ in shape]
        else:
            strides = _strides(builder, shape, itemsize, ty.layout)
        lengths = wanted.elements[-1]
        return self._aggregate(builder, wanted, [
            builder.inttoptr(owner, cgutils.voidptr_t), cgutils.voidptr_t(None), count, itemsize,
            builder.bitcast(data, wanted.elements[4]),
            self._aggregate(builder, lengths, shape), self._aggregate(builder, lengths, strides)])

    def _unpacked_array(self, builder, ty, value):
        owner = builder.ptrtoint(builder.extract_value(value, 0), cgutils.intp_t)
        data = builder.bitcast(builder.extract_value(value, 4), cgutils.voidptr_t)
        lengths = (5, 6) if ty.layout == "A" else (5,)
        return [owner, data, *(builder.extract_value(value, (at, axis)) for at in lengths for axis in range(ty.ndim))]

    def _aggregate(self, builder, wanted, items):
        whole = ir.Constant(wanted, ir.Undefined)
        for at, item in enumerate(items):
            whole = builder.insert_value(whole, item, at)
        return whole

    # Values.

    def make_tuple(self, builder, ty, values):
        """A tuple of values."""
        return self._aggregate(builder, self.get_value_type(ty), values)

    def get_preferred_array_alignment(self, ty):
        """The bytes at multiples of which the items of arrays begin."""
        return upcalls.array_structs().ALIGNMENT

    def make_array(self, ty):
        """The class of structs that show an array's members."""
        return cgutils.create_struct_proxy(ty)

    def populate_array(self, array, **members):
        """Sets all members of an array's struct. See `rumba.codegen.arrayobj.populate_array`."""
        return upcalls.array_structs().populate_array(array, **members)

    def make_constant_array(self, builder, ty, array):
        """An array whose items are part of the code, which nobody may write to."""
        return upcalls.array_structs().make_constant_array(self, builder, ty, array)

    def make_helper(self, builder, ty, value=None, ref=None):
        """A struct that shows the members of a value."""
        return cgutils.create_struct_proxy(ty)(self, builder, value=value, ref=ref)

    def make_complex(self, builder, ty, value=None):
        """A struct that shows the parts of a complex number."""
        return self.make_helper(builder, ty, value)

    def make_optional_value(self, builder, ty, value):
        """An Optional that has a value."""
        wanted = self.get_value_type(types.Optional(ty))
        return self._aggregate(builder, wanted, [value, cgutils.true_bit])

    def make_optional_none(self, builder, ty):
        """An Optional that has none."""
        return self.get_constant_null(types.Optional(ty))

    def get_constant(self, ty, value):
        """A number as a constant."""
        return ir.Constant(self.get_value_type(ty), value)

    def get_constant_generic(self, builder, ty, value):
        """A number, a value of a library's type, or a tuple of such, as a constant."""
        written = typeof_box.constant(ty)
        if written is not None:
            return written(self, builder, ty, value)
        ty = types.unliteral(ty)
        if isinstance(ty, types.Complex):
            return ir.Constant(self.get_value_type(ty), [value.real, value.imag])
        if isinstance(ty, types.BaseTuple):
            items = [self.get_constant_generic(builder, item, part) for item, part in zip(ty, value)]
            return ir.Constant(self.get_value_type(ty), items)
        if isinstance(ty, types.NoneType):
            return self.get_dummy_value()
        if isinstance(ty, types.Array):
            return self.make_constant_array(builder, ty, value)
        return self.get_constant(ty, value)

    def get_constant_undef(self, ty):
        """A value that does not matter."""
        return ir.Constant(self.get_value_type(ty), ir.Undefined)

    def get_constant_null(self, ty):
        """A value of zero bits."""
        return ir.Constant(self.get_value_type(ty), None)

    def get_dummy_value(self):
        """The value of what has no content."""
        return cgutils.voidptr_t(None)

    def insert_const_string(self, module, text):
        """The address of a text of C."""
        return cgutils.global_string(module, text)

    def add_dynamic_addr(self, builder, address, info=""):
        """An address of this process."""
        return builder.inttoptr(cgutils.intp_t(address), cgutils.voidptr_t)

    def printf(self, builder, format, *args):
        """A call of C's `printf`, which writes to the standard output of the process, past Python's."""
        import ctypes

        written = ctypes.CDLL(None).printf
        # Its address is another one in the next process.
        self.kept.append(written)
        address = ctypes.cast(written, ctypes.c_void_p).value
        kind = ir.FunctionType(cgutils.int32_t, [cgutils.voidptr_t], var_arg=True)
        function = builder.bitcast(self.add_dynamic_addr(builder, address, "printf"), kind.as_pointer())
        return builder.call(function, [cgutils.global_string(builder.module, format), *args])

    def get_python_api(self, builder):
        """Calls of Python's own functions."""
        return upcalls.python_api(self, builder)

    # Conversions and calls.

    def call_function_pointer(self, builder, funcptr, args, cconv=None):
        """The result of a function of C by its address."""
        return builder.call(funcptr, args, cconv=cconv)

    def cast(self, builder, value, fromty, toty):
        """A value as one of another type."""
        written = typeof_box.cast_function(fromty, toty)
        if fromty != toty and written is not None:
            if is_explicit(written):
                raise errors.UnsupportedError(
                    f"the conversion from {fromty} to {toty} is written in Rumba's own form, and what uses it with llvmlite: write both in one")
            return written(self, builder, fromty, toty, value)
        source, target = types.unliteral(fromty), types.unliteral(toty)
        if source == target:
            return value
        if isinstance(target, types.Complex) and isinstance(source, _NUMBERS):
            part = target.underlying_float
            zero = self.get_constant(part, 0.0)
            return self._aggregate(builder, self.get_value_type(target), [self.cast(builder, value, source, part), zero])
        if isinstance(target, types.Optional):
            return self.make_optional_value(builder, target.type, self.cast(builder, value, source, target.type))
        pointers = types.RawPointer, types.CPointer
        if isinstance(target, pointers) and isinstance(source, (types.Integer, *pointers)):
            change = builder.inttoptr if isinstance(source, types.Integer) else builder.bitcast
            return change(value, self.get_value_type(target))
        if isinstance(source, types.BaseTuple) and isinstance(target, types.BaseTuple) and len(source) == len(target):
            items = [self.cast(builder, builder.extract_value(value, at), one, other)
                     for at, (one, other) in enumerate(zip(source, target))]
            return self.make_tuple(builder, target, items)
        if not (isinstance(source, _NUMBERS) and isinstance(target, _NUMBERS)):
            raise errors.UnsupportedError(f"`context.cast` from {source} to {target}")
        return self._number(builder, value, source, target)

    def _number(self, builder, value, source, target):
        wanted = self.get_value_type(target)
        if isinstance(target, types.Boolean):
            zero = ir.Constant(value.type, 0)
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

    def get_function(self, fn, sig, _firstcall=True):
        """What writes a call of a function with a signature, for `(builder, args)`: as a library says it, or as compiled code
        has it."""
        key = getattr(fn, "typing_key", fn)
        written = lower_builtin.lowering_of(overload_registry.name_of_key(key), tuple(sig.args))
        if written is not None:
            return lambda builder, args: written(self, builder, sig, args)
        function = getattr(fn, "dispatcher", key)
        if not callable(function):
            raise errors.NumbaNotImplementedError(f"{fn}, {tuple(sig.args)}")
        names = [f"x{at}" for at in range(len(sig.args))]
        calls = source_text.function(
            f"call({', '.join(names)})", [f"return function({', '.join(names)})"], {"function": function})
        return lambda builder, args: self.compile_internal(builder, calls, sig, args)

    def get_getattr(self, typ, attr):
        """What writes an attribute of values of a type, for `(context, builder, typ, value, attr)`."""
        written = lower_builtin.getter(typ, attr)
        if written is None:
            raise errors.NumbaNotImplementedError(f"No definition for lowering {typ}.{attr}")
        return written

    def call_internal(self, builder, compiled, sig, args):
        """The result of a compiled function. What it raises is raised by the code."""
        return self.compile_internal(builder, compiled, sig, args)

    def compile_internal(self, builder, impl, sig, args, locals={}):
        """The result of a Python function, which is compiled for these types. What it raises is raised by the code."""
        status, value = self.call_python(builder, impl, sig, args)
        failed = builder.icmp_unsigned("!=", status, cgutils.intp_t(0))
        with builder.if_then(failed, likely=False):
            self.call_conv.return_status(builder, status)
        return value

    def call_python(self, builder, function, sig, args):
        """Calls a Python function that is compiled for these types: the status, which is 0 unless it raised, and its
        result."""
        from .._rumba import types as compiler
        from ..decorators import njit

        compiled = function if hasattr(function, "py_func") else njit(function)
        compiled.compile(tuple(sig.args))
        found = compiled.nopython_signatures[-1]
        kind = types.FunctionType(types.signature(found.return_type, *sig.args))
        self.kept.append(compiled)
        address = compiler.address(compiled, kind)
        given = [part for ty, arg in zip(sig.args, args) for part in self.unpacked(builder, ty, arg)]
        results = self.parts(found.return_type)
        status, parts = call_at(builder, address, given, results)
        value = self.packed(builder, found.return_type, iter(parts))
        return status, self.cast(builder, value, found.return_type, sig.return_type)


def _as_pointer(builder, value, wanted):
    """An address as one of another type; any other value as it is."""
    if value.type == wanted or not (cgutils.is_pointer(value.type) and cgutils.is_pointer(wanted)):
        return value
    return builder.bitcast(value, wanted)


def _filled_slice(builder, parts):
    """Start, stop and step of a slice, with numbers for what is left out: those that every length is cut to."""
    first, last = cgutils.intp_t(-1 << 63), cgutils.intp_t((1 << 63) - 1)

    def filled(part, otherwise):
        return builder.select(builder.icmp_signed("==", part, first), otherwise, part)

    start, stop, *step = parts
    step = filled(step[0], cgutils.intp_t(1)) if step else cgutils.intp_t(1)
    backward = builder.icmp_signed("<", step, cgutils.intp_t(0))
    return [filled(start, builder.select(backward, last, cgutils.intp_t(0))), filled(stop, builder.select(backward, first, last)), step]


def _strides(builder, shape, itemsize, layout):
    """The strides of contiguous items."""
    strides, stride = [], itemsize
    for length in reversed(shape) if layout == "C" else shape:
        strides.append(stride)
        stride = builder.mul(stride, length)
    return strides[::-1] if layout == "C" else strides


_MACHINE = {
    "i1": ir.IntType(1), "i8": ir.IntType(8), "i16": ir.IntType(16), "i32": ir.IntType(32), "i64": ir.IntType(64),
    "f32": ir.FloatType(), "f64": ir.DoubleType(), "ptr": cgutils.voidptr_t}
