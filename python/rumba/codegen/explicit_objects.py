"""Boxing and unboxing of extension types in Rumba's own form: objects of Python, for code of the Explicit phase.

    @unbox(IntervalType)
    @explicit
    def unbox_interval(b, ty, obj):
        return b.attribute(obj, "low", types.float64), b.attribute(obj, "high", types.float64)

    @box(IntervalType)
    @explicit
    def box_interval(b, ty, interval):
        return b.construct(Interval, (interval.low, types.float64), (interval.high, types.float64))

Every method releases the objects that it makes on the way, and leaves the code where Python raises.
"""
import itertools

from .. import errors, types
from ..extending import typeof_box
from ..extending.code_forms import is_explicit
from ..types import unliteral
from .explicit import Builder, flatten, machine_types, pack

_numbers = itertools.count()


class ObjectBuilder(Builder):
    """A builder of code that handles objects of Python, whose addresses are of the machine type `ptr`."""

    def __init__(self, symbol, params, result, failure):
        super().__init__(symbol, params, [result])
        self._failure = failure
        # Objects that are released where the code fails.
        self._made = []

    def object(self, value):
        """An object as a constant; nobody has to release it."""
        return self.address(id(value), keep=value)

    def fail(self):
        """Ends the block: the exception that is set in Python is raised."""
        self.release(*self._made)
        self.return_(self.iconst(*self._failure))

    def fail_if(self, condition, *objects):
        """Leaves the code if the condition is true, and releases objects before."""
        with self.if_then(condition):
            self.release(*objects)
            self.fail()

    def release(self, *objects):
        """Gives references to objects up."""
        for one in objects:
            self.call("Py_DecRef", None, one)

    def is_null(self, pointer):
        """Whether a pointer is null."""
        return self.icmp("eq", pointer, self.iconst("ptr", 0))

    # Values out of objects.

    def attribute(self, obj, name, ty):
        """The value of a type that an attribute of an object holds."""
        import sys

        found = self.call("PyObject_GetAttr", "ptr", obj, self.object(sys.intern(name)))
        return self._taken(found, ty)

    def item(self, obj, index, ty):
        """The value of a type that an item of a sequence holds."""
        found = self.call("PySequence_GetItem", "ptr", obj, self.iconst("i64", index))
        return self._taken(found, ty)

    def _taken(self, found, ty):
        self.fail_if(self.is_null(found))
        return self.unboxed(found, ty, found)

    def unboxed(self, obj, ty, *owned):
        """The value of a type that an object holds. Objects in `owned` are released behind it."""
        ty = unliteral(ty)
        if isinstance(ty, types.Float):
            found, failed = self._number(obj, "PyFloat_AsDouble", "f64", lambda: ("fcmp", "oeq", self.fconst("f64", -1.0)))
            value = self.fptrunc("f32", found) if ty.bitwidth == 32 else found
        elif isinstance(ty, types.Boolean):
            found = self.call("PyObject_IsTrue", "i32", obj)
            failed = self.icmp("slt", found, self.iconst("i32", 0))
            value = self.icmp("ne", found, self.iconst("i32", 0))
        elif isinstance(ty, types.Integer):
            reads = "PyLong_AsLongLong" if ty.signed else "PyLong_AsUnsignedLongLong"
            found, failed = self._number(obj, reads, "i64", lambda: ("icmp", "eq", self.iconst("i64", -1)))
            value = self.trunc(f"i{ty.bitwidth}", found) if ty.bitwidth < 64 else found
        else:
            value, failed = self._of_type(typeof_box.unboxer(ty), ty, obj), None
        if failed is not None:
            self.fail_if(failed, *owned)
        self.release(*owned)
        return value

    def _number(self, obj, function, native, least):
        """A number, and whether Python raised: only then, and where that is the number, it is -1."""
        found = self.call(function, native, obj)
        op, condition, least = least()
        after = self.block("i1")
        looks = self.block()
        self.branch(self.op(op, condition, found, least), looks, (after, self.iconst("i1", 0)))
        self.switch_to(looks)
        raised = self.call("PyErr_Occurred", "ptr")
        self.jump(after, self.icmp("ne", raised, self.iconst("ptr", 0)))
        self.switch_to(after)
        return found, after.params[0]

    # Objects of values.

    def boxed(self, value, ty):
        """A new reference to an object that holds a value of a type."""
        ty = unliteral(ty)
        if isinstance(ty, types.Float):
            wide = self.fpext("f64", value) if ty.bitwidth == 32 else value
            made = self.call("PyFloat_FromDouble", "ptr", wide)
        elif isinstance(ty, types.Boolean):
            made = self.call("PyBool_FromLong", "ptr", self.zext("i64", value))
        elif isinstance(ty, types.Integer):
            widen = self.sext if ty.signed else self.zext
            wide = widen("i64", value) if ty.bitwidth < 64 else value
            made = self.call("PyLong_FromLongLong" if ty.signed else "PyLong_FromUnsignedLongLong", "ptr", wide)
        else:
            made = self._of_type(typeof_box.boxer(ty), ty, value)
        self.fail_if(self.is_null(made))
        return made

    def _of_type(self, written, ty, given):
        if written is None or not is_explicit(written):
            raise errors.UnsupportedError(
                f"a value of type {ty} goes between Python and code of the Explicit phase: numbers do, and types that are boxed so")
        return written(self, ty, given)

    def construct(self, function, *arguments):
        """A new reference to what a callable returns for arguments, each a tuple of a value and its type."""
        slot = self.stack_slot(8 * max(len(arguments), 1))
        first = len(self._made)
        for index, (value, ty) in enumerate(arguments):
            self._made.append(self.boxed(value, ty))
            self.store(8 * index, slot, self._made[-1])
        made, self._made[first:] = self._made[first:], []
        null = self.iconst("ptr", 0)
        result = self.call(
            "PyObject_Vectorcall", "ptr", self.object(function), slot, self.iconst("i64", len(arguments)), null)
        self.release(*made)
        self.fail_if(self.is_null(result))
        return result


def unboxing(ty, function):
    """Symbol and text of `i64 unbox(object, words, resume, context)`, which is not 0 with an exception set; whether something has to be
    cleaned up, and what the code knows by address."""
    symbol = f"unbox.explicit.{next(_numbers)}"
    b = ObjectBuilder(symbol, ["ptr"] * 4, "i64", ("i64", 1))
    obj, words = b.args[:2]
    for at, part in enumerate(flatten(function(b, ty, obj))):
        b.store(8 * at, words, _as_word(b, part))
    b.return_(b.iconst("i64", 0))
    return symbol, b.text(), False, b.kept


def boxing(ty, function):
    """Symbol and text of `object box(words)`, which is null with an exception set; the rest as for `unboxing`."""
    symbol = f"box.explicit.{next(_numbers)}"
    b = ObjectBuilder(symbol, ["ptr"], "ptr", ("ptr", 0))
    parts = [_of_word(b, b.load("i64", 8 * at, b.args[0]), native) for at, native in enumerate(machine_types(ty))]
    b.return_(function(b, ty, pack(ty, iter(parts))))
    return symbol, b.text(), False, b.kept


def constant(ty, value, function):
    """Symbol and text of `void constant(words)`, and what it knows by address."""
    symbol = f"constant.explicit.{next(_numbers)}"
    b = Builder(symbol, ["ptr"], [])
    for at, part in enumerate(flatten(function(b, ty, value))):
        b.store(8 * at, b.args[0], _as_word(b, part))
    b.return_()
    return symbol, b.text(), b.kept


def _as_word(b, part):
    if part.type in ("f64", "ptr"):
        return b.bitcast("i64", part)
    if part.type == "f32":
        return b.zext("i64", b.bitcast("i32", part))
    return part if part.type == "i64" else b.zext("i64", part)


def _of_word(b, word, native):
    if native in ("f64", "ptr"):
        return b.bitcast(native, word)
    if native == "f32":
        return b.bitcast("f32", b.trunc("i32", word))
    return word if native == "i64" else b.trunc(native, word)
