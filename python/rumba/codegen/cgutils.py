"""Helpers for code generators of extensions (`numba.core.cgutils`): structs, memory, branches and loops with
llvmlite.

Absent: what depends on the types of the compiler (`rumba.codegen.target_context`).
"""
import contextlib
import functools

from llvmlite import ir

bool_t, int8_t, int32_t, intp_t = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64)
voidptr_t = int8_t.as_pointer()
true_bit, false_bit, true_byte, false_byte = bool_t(1), bool_t(0), int8_t(1), int8_t(0)


# Calls and words.

def call(builder, symbol, returned, args):
    """A call of a function of C by its symbol."""
    kind = ir.FunctionType(returned, [arg.type for arg in args])
    return builder.call(get_or_insert_function(builder.module, kind, symbol), args)


def get_or_insert_function(module, fnty, name):
    """The function of a module with this name, declared where it is not there."""
    found = module.globals.get(name)
    return ir.Function(module, fnty, name) if found is None else found


def global_string(module, text):
    """The address of a text of C in a module."""
    content = text.encode() + b"\0"
    kind = ir.ArrayType(int8_t, len(content))
    made = add_global_variable(module, kind, "text")
    made.linkage, made.global_constant, made.initializer = "internal", True, ir.Constant(kind, bytearray(content))
    return made.bitcast(voidptr_t)


def add_global_variable(module, ty, name, addrspace=0):
    """Adds a global variable to a module, under a name that begins with `name`."""
    return ir.GlobalVariable(module, ty, module.get_unique_name(name), addrspace)


def normalize_ir_text(text):
    """A text as LLVM takes it: the bytes of UTF-8, each as one character."""
    return text.encode().decode("latin1")


def to_word(builder, part):
    """A part of a value as 64 bits, the upper ones zero."""
    kind = part.type
    if isinstance(kind, ir.PointerType):
        return builder.ptrtoint(part, intp_t)
    if isinstance(kind, ir.DoubleType):
        return builder.bitcast(part, intp_t)
    if isinstance(kind, ir.FloatType):
        return builder.zext(builder.bitcast(part, int32_t), intp_t)
    return part if kind.width == 64 else builder.zext(part, intp_t)


def from_word(builder, word, kind):
    """A part of a value out of 64 bits."""
    if isinstance(kind, ir.PointerType):
        return builder.inttoptr(word, kind)
    if isinstance(kind, ir.DoubleType):
        return builder.bitcast(word, kind)
    if isinstance(kind, ir.FloatType):
        return builder.bitcast(builder.trunc(word, int32_t), kind)
    return word if kind.width == 64 else builder.trunc(word, kind)


# A record of `abi::RaiseSite` that says: the exception is set in Python.
_SITE = ir.ArrayType(int32_t, 18)


def pending_status(builder):
    """The status of code that left an exception set in Python."""
    site = builder.module.globals.get("rumba.compat.unsupported")
    if site is None:
        site = ir.GlobalVariable(builder.module, _SITE, "rumba.compat.unsupported")
        site.linkage, site.global_constant = "internal", True
        site.align = 8
        site.initializer = ir.Constant(_SITE, [0, 0, 0, 1] + [0] * 14)
    return builder.ptrtoint(site, intp_t)


# Memory.

def alloca_once(builder, ty, size=None, name="", zfill=False):
    """Memory of the frame for a value of a type, taken where the function begins."""
    if isinstance(size, int):
        size = intp_t(size)
    with builder.goto_entry_block():
        place = builder.alloca(ty, size=size, name=name)
        if not zfill:
            return place
    builder.store(ir.Constant(ty, None), place)
    return place


def alloca_once_value(builder, value, name="", zfill=False):
    """Memory of the frame that holds a value."""
    place = alloca_once(builder, value.type, name=name, zfill=zfill)
    builder.store(value, place)
    return place


def gep(builder, place, *indices, inbounds=False, name=""):
    """The address of an element or a field of the value at an address."""
    indices = [int32_t(index) if isinstance(index, int) else index for index in indices]
    return builder.gep(place, indices, inbounds=inbounds, name=name)


def gep_inbounds(builder, place, *indices, name=""):
    """The address of an element or a field of the value at an address; it must be inside the value."""
    return gep(builder, place, *indices, inbounds=True, name=name)


def pointer_add(builder, place, offset, return_type=None):
    """An address plus an offset in bytes."""
    moved = builder.gep(builder.bitcast(place, voidptr_t), [offset if hasattr(offset, "type") else intp_t(offset)])
    return builder.bitcast(moved, return_type or place.type)


def memset(builder, place, size, value):
    """Fills memory with a byte."""
    value = value if hasattr(value, "type") else int8_t(value)
    name = "llvm.memset.p0.i64"
    kind = ir.FunctionType(ir.VoidType(), [voidptr_t, int8_t, intp_t, bool_t])
    function = get_or_insert_function(builder.module, kind, name)
    builder.call(function, [builder.bitcast(place, voidptr_t), value, size, false_bit])


def memcpy(builder, target, source, count):
    """Copies `count` items of the type that `target` points to."""
    raw_memcpy(builder, target, source, count, intp_t(size_of(target.type.pointee)))


def raw_memcpy(builder, target, source, count, itemsize, align=1):
    """Copies memory that does not overlap."""
    _move(builder, "memcpy", target, source, count, itemsize)


def raw_memmove(builder, target, source, count, itemsize, align=1):
    """Copies memory that may overlap."""
    _move(builder, "memmove", target, source, count, itemsize)


def _move(builder, what, target, source, count, itemsize):
    itemsize = itemsize if hasattr(itemsize, "type") else intp_t(itemsize)
    size = builder.mul(builder.zext(count, intp_t) if count.type != intp_t else count, itemsize)
    kind = ir.FunctionType(ir.VoidType(), [voidptr_t, voidptr_t, intp_t, bool_t])
    function = get_or_insert_function(builder.module, kind, f"llvm.{what}.p0.p0.i64")
    args = [builder.bitcast(target, voidptr_t), builder.bitcast(source, voidptr_t), size, false_bit]
    builder.call(function, args)


def size_of(ty):
    """Bytes of a type in memory, as C lays it out."""
    return _layout(ty)[0]


def sizeof(builder, pointer_type):
    """Bytes of what an address of this type leads to, as a value."""
    return intp_t(size_of(pointer_type.pointee))


def _layout(ty):
    """Size and alignment."""
    if isinstance(ty, ir.IntType):
        size = max(1, ty.width // 8)
        return size, size
    if isinstance(ty, (ir.FloatType, ir.DoubleType)):
        size = 4 if isinstance(ty, ir.FloatType) else 8
        return size, size
    if isinstance(ty, ir.ArrayType):
        size, align = _layout(ty.element)
        return size * ty.count, align
    if isinstance(ty, ir.PointerType):
        return 8, 8
    size, align = 0, 1
    for element in ty.elements:
        own, own_align = _layout(element)
        size = -(-size // own_align) * own_align + own
        align = max(align, own_align)
    return -(-size // align) * align, align


# Values.

def get_null_value(ty):
    """The value of a type whose bits are zero."""
    return ir.Constant(ty, None)


def is_null(builder, value):
    """Whether an address or number is zero."""
    return builder.icmp_unsigned("==", value, get_null_value(value.type))


def is_not_null(builder, value):
    """Whether an address or number is not zero."""
    return builder.icmp_unsigned("!=", value, get_null_value(value.type))


def is_true(builder, value):
    """Whether a number is not zero."""
    return is_not_null(builder, value)


def as_bool_bit(builder, value):
    """Whether a number is not zero, as one bit."""
    return is_not_null(builder, value)


def as_bool_byte(builder, value):
    """A bit as a byte."""
    return builder.zext(value, int8_t)


def is_pointer(ltyp):
    """Whether a type of llvmlite is that of addresses."""
    return isinstance(ltyp, ir.PointerType)


def pack_array(builder, values, ty=None):
    """An array of values of one type."""
    return pack_struct(builder, values, ir.ArrayType(ty or values[0].type, len(values)))


def pack_struct(builder, values, kind=None):
    """A struct of values."""
    # A type of no elements is false.
    kind = ir.LiteralStructType([value.type for value in values]) if kind is None else kind
    whole = ir.Constant(kind, ir.Undefined)
    for at, value in enumerate(values):
        whole = builder.insert_value(whole, value, at)
    return whole


def unpack_tuple(builder, value, count=None):
    """The members of an aggregate."""
    if count is None:
        count = len(value.type.elements)
    return [builder.extract_value(value, at) for at in range(count)]


def increment_index(builder, value):
    """A number plus one."""
    return builder.add(value, value.type(1))


# Branches and loops.

@contextlib.contextmanager
def if_unlikely(builder, condition):
    """What stands inside runs where the condition is true, which it hardly ever is."""
    with builder.if_then(condition, likely=False):
        yield


@contextlib.contextmanager
def if_likely(builder, condition):
    """What stands inside runs where the condition is true, which it mostly is."""
    with builder.if_then(condition, likely=True):
        yield


@contextlib.contextmanager
def if_zero(builder, value, likely=False):
    """What stands inside runs where a number is zero."""
    with builder.if_then(is_null(builder, value), likely=likely):
        yield


@contextlib.contextmanager
def early_exit_if(builder, stack, condition):
    """What stands inside runs where the condition is true; all that follows, until the stack is closed, runs where it is
    not."""
    then, otherwise = stack.enter_context(builder.if_else(condition, likely=False))
    with then:
        yield
    stack.enter_context(otherwise)


def early_exit_if_null(builder, stack, obj):
    """The same where an address is null."""
    return early_exit_if(builder, stack, is_null(builder, obj))


class Loop:
    """A loop under way: its counter, and how to leave it."""

    def __init__(self, index, do_break):
        self.index, self.do_break = index, do_break


@contextlib.contextmanager
def for_range(builder, count, start=None, intp=None):
    """Emits a loop of `count` iterations around the code in the `with` block."""
    kind = count.type if intp is None else intp
    start = kind(0) if start is None else start
    with for_range_slice(builder, start, builder.add(start, count), kind(1), kind, counted=True) as loop:
        yield loop


@contextlib.contextmanager
def for_range_slice(builder, start, stop, step, intp=None, inc=True, counted=False):
    """What stands inside runs for a counter from `start` to `stop`, which it does not reach; it falls where `inc` is
    false."""
    head, body, behind = (builder.append_basic_block(name) for name in ("for.head", "for.body", "for.behind"))
    before = builder.block
    builder.branch(head)
    with builder.goto_block(head):
        index = builder.phi(start.type)
        index.add_incoming(start, before)
    builder.position_at_end(head)
    more = builder.icmp_signed("<" if inc else ">", index, stop)
    builder.cbranch(more, body, behind)
    builder.position_at_end(body)
    yield Loop(index, lambda: builder.branch(behind)) if counted else (index, None)
    index.add_incoming(builder.add(index, step), builder.block)
    builder.branch(head)
    builder.position_at_end(behind)


@contextlib.contextmanager
def loop_nest(builder, shape, intp, order="C"):
    """What stands inside runs for all indices of a shape, the last one fastest, or with order "F" the first one."""
    with contextlib.ExitStack() as stack:
        axes = range(len(shape))
        indices = [None] * len(shape)
        for axis in axes if order == "C" else reversed(axes):
            indices[axis] = stack.enter_context(for_range(builder, shape[axis], intp=intp)).index
        yield indices


# Structs.

def create_struct_proxy(fe_type, kind="value"):
    """The class of structs that show the members of values of a type by name."""
    return functools.partial(Struct, fe_type)


class Struct:
    """The members of a value in memory: `struct.name` is the member, and can be assigned.

    Made of a value, of the address of one, or with members that are zero.
    """

    def __init__(self, fe_type, context, builder, value=None, ref=None, **members):
        names = context.fields(fe_type)
        kind = context.get_value_type(fe_type)
        if ref is not None:
            place = ref
        elif value is not None:
            place = alloca_once_value(builder, value)
        else:
            place = alloca_once(builder, kind, zfill=True)
        self.__dict__.update(
            _fe_type=fe_type, _context=context, _builder=builder, _names=names, _place=place, _kind=kind)
        for name, member in members.items():
            setattr(self, name, member)

    def _get_ptr_by_name(self, name):
        if name not in self._names:
            raise AttributeError(f"{self._fe_type} has no member '{name}', only {', '.join(self._names)}")
        return gep_inbounds(self._builder, self._place, 0, self._names.index(name))

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return self._builder.load(self._get_ptr_by_name(name))

    def __setattr__(self, name, value):
        place = self._get_ptr_by_name(name)
        wanted = place.type.pointee
        if value.type != wanted:
            if not (is_pointer(value.type) and is_pointer(wanted)):
                raise TypeError(f"Invalid store of {value.type} to {wanted} in the member '{name}' of {self._fe_type}")
            value = self._builder.bitcast(value, wanted)
        self._builder.store(value, place)

    def __getitem__(self, index):
        return getattr(self, self._names[index])

    def __setitem__(self, index, value):
        setattr(self, self._names[index], value)

    def __len__(self):
        return len(self._names)

    @property
    def _datamodel(self):
        from ..extending import typeof_box

        return typeof_box.model(self._fe_type)

    def _getpointer(self):
        return self._place

    def _getvalue(self):
        return self._builder.load(self._place)

    def _setvalue(self, value):
        self._builder.store(value, self._place)


class Structure:
    """A struct in memory whose members a subclass names in `_fields`, pairs of a name and a type: `struct.name` is the member,
    and can be assigned. Made of the address of one, of a value, or with members that are zero."""

    def __init__(self, context, builder, value=None, ref=None, cast_ref=False):
        kind = ir.LiteralStructType([context.get_data_type(ty) for _, ty in self._fields])
        if ref is None:
            place = alloca_once(builder, kind, zfill=True)
            if value is not None:
                builder.store(value, place)
        else:
            if ref.type.pointee != kind and not cast_ref:
                raise TypeError(f"mismatching pointer type: got {ref.type}, expected {kind.as_pointer()}")
            place = builder.bitcast(ref, kind.as_pointer()) if cast_ref else ref
        self.__dict__.update(
            _type=kind, _context=context, _builder=builder, _place=place, _names=[name for name, _ in self._fields])

    def _get_ptr_by_name(self, name):
        return gep_inbounds(self._builder, self._place, 0, self._index(name))

    def __getattr__(self, name):
        if name.startswith("__") or name in ("_names", "_fields"):
            raise AttributeError(name)
        return self[self._index(name)]

    def __setattr__(self, name, value):
        self[self._index(name)] = value

    def _index(self, name):
        if name not in self._names:
            raise AttributeError(f"{type(self).__name__} has no member '{name}', only {', '.join(self._names)}")
        return self._names.index(name)

    def __getitem__(self, index):
        return self._builder.load(self._get_ptr_by_name(self._names[index]))

    def __setitem__(self, index, value):
        place = self._get_ptr_by_name(self._names[index])
        if value.type != place.type.pointee:
            raise TypeError(f"Invalid store of {value.type} to {place.type.pointee} in the member '{self._names[index]}'")
        self._builder.store(value, place)

    def __len__(self):
        return len(self._names)

    def _getpointer(self):
        return self._place

    def _getvalue(self):
        return self._builder.load(self._place)
