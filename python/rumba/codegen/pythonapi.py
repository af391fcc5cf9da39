"""Calls of Python's C API, for code generators of extensions (`c.pyapi`, `context.get_python_api`).

Absent: when code may call them: it holds Python's lock where it takes a value in or hands it out, and has to
take it elsewhere (`gil_ensure`).
"""
import contextlib
import functools

from llvmlite import ir

from . import cgutils
from .. import errors
from ..extending.typeof_box import NativeValue

_OBJECT, _WORD, _INT, _NOTHING = cgutils.voidptr_t, cgutils.intp_t, cgutils.int32_t, ir.VoidType()
_DOUBLE = ir.DoubleType()

# Objects that code knows by address. Nobody tells when such code is gone.
_kept = {}

_PRINT = functools.partial(print, end="")

# Name here -> function of Python, what it returns, kinds of its arguments: o object, w word, i int, d double, s text.
_PLAIN = {
    "incref": ("Py_IncRef", _NOTHING, "o"),
    "decref": ("Py_DecRef", _NOTHING, "o"),
    "object_getattr": ("PyObject_GetAttr", _OBJECT, "oo"),
    "object_getattr_string": ("PyObject_GetAttrString", _OBJECT, "os"),
    "object_setattr": ("PyObject_SetAttr", _INT, "ooo"),
    "object_setattr_string": ("PyObject_SetAttrString", _INT, "oso"),
    "object_delattr_string": ("PyObject_DelAttrString", _INT, "os"),
    "object_getitem": ("PyObject_GetItem", _OBJECT, "oo"),
    "object_setitem": ("PyObject_SetItem", _INT, "ooo"),
    "object_istrue": ("PyObject_IsTrue", _INT, "o"),
    "object_not": ("PyObject_Not", _INT, "o"),
    "object_str": ("PyObject_Str", _OBJECT, "o"),
    "object_repr": ("PyObject_Repr", _OBJECT, "o"),
    "object_hash": ("PyObject_Hash", _WORD, "o"),
    "object_delattr": ("PyObject_DelAttr", _INT, "oo"),
    "object_delitem": ("PyObject_DelItem", _INT, "oo"),
    "object_getiter": ("PyObject_GetIter", _OBJECT, "o"),
    "iter_next": ("PyIter_Next", _OBJECT, "o"),
    "object_type": ("PyObject_Type", _OBJECT, "o"),
    "object_isinstance": ("PyObject_IsInstance", _INT, "oo"),
    "number_long": ("PyNumber_Long", _OBJECT, "o"),
    "number_float": ("PyNumber_Float", _OBJECT, "o"),
    "number_negative": ("PyNumber_Negative", _OBJECT, "o"),
    "number_positive": ("PyNumber_Positive", _OBJECT, "o"),
    "number_invert": ("PyNumber_Invert", _OBJECT, "o"),
    "float_as_double": ("PyFloat_AsDouble", _DOUBLE, "o"),
    "float_from_double": ("PyFloat_FromDouble", _OBJECT, "d"),
    "long_as_longlong": ("PyLong_AsLongLong", _WORD, "o"),
    "long_as_ulonglong": ("PyLong_AsUnsignedLongLong", _WORD, "o"),
    "long_as_voidptr": ("PyLong_AsVoidPtr", _OBJECT, "o"),
    "long_from_longlong": ("PyLong_FromLongLong", _OBJECT, "w"),
    "long_from_ulonglong": ("PyLong_FromUnsignedLongLong", _OBJECT, "w"),
    "long_from_long": ("PyLong_FromLong", _OBJECT, "w"),
    "long_from_ulong": ("PyLong_FromUnsignedLong", _OBJECT, "w"),
    "long_from_ssize_t": ("PyLong_FromSsize_t", _OBJECT, "w"),
    "long_from_voidptr": ("PyLong_FromVoidPtr", _OBJECT, "o"),
    "bool_from_long": ("PyBool_FromLong", _OBJECT, "w"),
    "complex_from_doubles": ("PyComplex_FromDoubles", _OBJECT, "dd"),
    "complex_real_as_double": ("PyComplex_RealAsDouble", _DOUBLE, "o"),
    "complex_imag_as_double": ("PyComplex_ImagAsDouble", _DOUBLE, "o"),
    "string_from_string": ("PyUnicode_FromString", _OBJECT, "s"),
    "string_from_string_and_size": ("PyUnicode_FromStringAndSize", _OBJECT, "sw"),
    "bytes_from_string_and_size": ("PyBytes_FromStringAndSize", _OBJECT, "sw"),
    "bytes_as_string": ("PyBytes_AsString", _OBJECT, "o"),
    "string_as_string": ("PyUnicode_AsUTF8", _OBJECT, "o"),
    "string_from_kind_and_data": ("PyUnicode_FromKindAndData", _OBJECT, "isw"),
    "tuple_new": ("PyTuple_New", _OBJECT, "w"),
    "tuple_size": ("PyTuple_Size", _WORD, "o"),
    "tuple_getitem": ("PyTuple_GetItem", _OBJECT, "ow"),
    "tuple_setitem": ("PyTuple_SetItem", _INT, "owo"),
    "list_new": ("PyList_New", _OBJECT, "w"),
    "list_size": ("PyList_Size", _WORD, "o"),
    "list_append": ("PyList_Append", _INT, "oo"),
    "list_getitem": ("PyList_GetItem", _OBJECT, "ow"),
    "list_setitem": ("PyList_SetItem", _INT, "owo"),
    "list_setslice": ("PyList_SetSlice", _INT, "owwo"),
    "set_add": ("PySet_Add", _INT, "oo"),
    "set_clear": ("PySet_Clear", _INT, "o"),
    "set_size": ("PySet_Size", _WORD, "o"),
    "set_update": ("_PySet_Update", _INT, "oo"),
    "dict_getitem": ("PyDict_GetItem", _OBJECT, "oo"),
    "dict_new": ("PyDict_New", _OBJECT, ""),
    "dict_setitem": ("PyDict_SetItem", _INT, "ooo"),
    "dict_getitem_string": ("PyDict_GetItemString", _OBJECT, "os"),
    "dict_setitem_string": ("PyDict_SetItemString", _INT, "oso"),
    "import_module": ("PyImport_ImportModule", _OBJECT, "s"),
    "err_occurred": ("PyErr_Occurred", _OBJECT, ""),
    "err_write_unraisable": ("PyErr_WriteUnraisable", _NOTHING, "o"),
    "err_clear": ("PyErr_Clear", _NOTHING, ""),
    "err_set_object": ("PyErr_SetObject", _NOTHING, "oo"),
    "sequence_concat": ("PySequence_Concat", _OBJECT, "oo"),
    "sequence_getslice": ("PySequence_GetSlice", _OBJECT, "oww"),
    "sequence_tuple": ("PySequence_Tuple", _OBJECT, "o"),
    "sequence_size": ("PySequence_Size", _WORD, "o"),
    "sequence_getitem": ("PySequence_GetItem", _OBJECT, "ow"),
    "gil_ensure": ("PyGILState_Ensure", _INT, ""),
    "gil_release": ("PyGILState_Release", _NOTHING, "i"),
    "save_thread": ("PyEval_SaveThread", _OBJECT, ""),
    "restore_thread": ("PyEval_RestoreThread", _NOTHING, "o"),
}
# Operators of two numbers, which may also be in place.
_NUMBERS = {
    "number_add": "Add", "number_subtract": "Subtract", "number_multiply": "Multiply", "number_truedivide": "TrueDivide",
    "number_floordivide": "FloorDivide", "number_remainder": "Remainder", "number_lshift": "Lshift", "number_rshift": "Rshift",
    "number_and": "And", "number_or": "Or", "number_xor": "Xor", "number_matrix_multiply": "MatrixMultiply"}
# Comparisons by the number that Python gives them.
_COMPARED = {"<": 0, "<=": 1, "==": 2, "!=": 3, ">": 4, ">=": 5}
_KINDS = {"o": _OBJECT, "w": _WORD, "i": _INT, "d": _DOUBLE}


class PythonAPI:
    """Writes calls of Python's functions with a builder. What is not here is refused by its name."""

    pyobj, voidptr, py_ssize_t, longlong, double = _OBJECT, _OBJECT, _WORD, _WORD, _DOUBLE
    cstring, py_hash_t, long, ulong = _OBJECT, _WORD, _WORD, _WORD

    def __init__(self, context, builder):
        self.context, self.builder, self.module = context, builder, builder.module

    def __getattr__(self, name):
        if name in _NUMBERS:
            return functools.partial(self._number, _NUMBERS[name])
        known = _PLAIN.get(name)
        if known is None:
            raise errors.UnsupportedError(f"a code generator uses `pyapi.{name}`, which is not there (yet)")
        symbol, returned, kinds = known

        def function(*args):
            given = [self._argument(kind, arg) for kind, arg in zip(kinds, args, strict=True)]
            return cgutils.call(self.builder, symbol, returned, given)

        return function

    def _argument(self, kind, arg):
        """An argument as a function of C takes it: names may be given as text, numbers as Python's."""
        if kind == "s":
            return cgutils.global_string(self.module, arg) if isinstance(arg, str) else self.builder.bitcast(arg, _OBJECT)
        wanted = _KINDS[kind]
        if isinstance(arg, (int, float)):
            return wanted(arg)
        if arg.type == wanted:
            return arg
        if isinstance(wanted, ir.PointerType):
            return self.builder.bitcast(arg, wanted)
        if isinstance(wanted, ir.DoubleType):
            return self.builder.fpext(arg, wanted)
        return (self.builder.sext if arg.type.width > 1 else self.builder.zext)(arg, wanted)

    # Numbers and comparisons.

    def _number(self, operator, lhs, rhs, inplace=False):
        """The result of an operator."""
        symbol = f"PyNumber_InPlace{operator}" if inplace else f"PyNumber_{operator}"
        return cgutils.call(self.builder, symbol, _OBJECT, [lhs, rhs])

    def number_power(self, lhs, rhs, inplace=False):
        """`lhs ** rhs`."""
        symbol = "PyNumber_InPlacePower" if inplace else "PyNumber_Power"
        return cgutils.call(self.builder, symbol, _OBJECT, [lhs, rhs, self.borrow_none()])

    def object_richcompare(self, lhs, rhs, opstr):
        """The result of a comparison: `<`, `==`, `in`, `is not` and so on."""
        if opstr in _COMPARED:
            given = [lhs, rhs, _INT(_COMPARED[opstr])]
            return cgutils.call(self.builder, "PyObject_RichCompare", _OBJECT, given)
        builder, negated = self.builder, "not" in opstr
        if opstr in ("is", "is not"):
            found = builder.icmp_unsigned("!=" if negated else "==", lhs, rhs)
            return self.bool_from_long(builder.zext(found, _WORD))
        if opstr not in ("in", "not in"):
            raise NotImplementedError(f"Unknown operator {opstr!r}")
        found = cgutils.call(builder, "PySequence_Contains", _INT, [rhs, lhs])
        place = cgutils.alloca_once_value(builder, self.get_null_object())
        with builder.if_then(builder.icmp_signed(">=", found, _INT(0))):
            known = builder.xor(found, _INT(1)) if negated else found
            builder.store(self.bool_from_long(builder.sext(known, _WORD)), place)
        return builder.load(place)

    # Objects.

    def call(self, callee, args=None, kws=None):
        """The result of a call with a tuple of arguments and a dict of those by name; either may be left out."""
        given = self.tuple_new(0) if args is None else args
        named = self.get_null_object() if kws is None else kws
        made = cgutils.call(self.builder, "PyObject_Call", _OBJECT, [callee, given, named])
        if args is None:
            self.decref(given)
        return made

    @contextlib.contextmanager
    def if_object_ok(self, obj):
        """What is written within runs if there is an object."""
        with self.builder.if_then(cgutils.is_not_null(self.builder, obj), likely=True):
            yield

    def bytes_as_string_and_size(self, obj, p_buffer, p_length):
        """Stores the address and the length of bytes: whether that worked."""
        given = [obj, self.builder.bitcast(p_buffer, _OBJECT), self.builder.bitcast(p_length, _OBJECT)]
        status = cgutils.call(self.builder, "PyBytes_AsStringAndSize", _INT, given)
        return self.builder.icmp_signed("!=", status, _INT(-1))

    def set_new(self, iterable=None):
        """A new set, of what can be iterated over."""
        given = self.get_null_object() if iterable is None else iterable
        return cgutils.call(self.builder, "PySet_New", _OBJECT, [given])

    def list_pack(self, items):
        """A new list of objects."""
        made = self.list_new(len(items))
        with self.if_object_ok(made):
            for at, item in enumerate(items):
                self.incref(item)
                self.list_setitem(made, at, item)
        return made

    def known_object(self, value):
        """A borrowed reference to an object of this process, which stays alive."""
        _kept[id(value)] = value
        return self.builder.inttoptr(_WORD(id(value)), _OBJECT)

    def serialize_object(self, value):
        """What `unserialize` gives back when the code runs: the object itself."""
        return value

    def unserialize(self, value):
        """A new reference to an object of this process."""
        made = self.known_object(value)
        self.incref(made)
        return made

    def number_as_ssize_t(self, value):
        """An integer as a word; OverflowError if it does not fit."""
        given = [self._argument("o", value), self.known_object(OverflowError)]
        return cgutils.call(self.builder, "PyNumber_AsSsize_t", _WORD, given)

    def dict_pack(self, keyvalues):
        """A new dict of pairs of a name and an object, None where it could not be made."""
        made = self.dict_new()
        with self.builder.if_then(self.builder.not_(self.is_null(made))):
            for name, value in keyvalues:
                self.dict_setitem_string(made, name, value)
        return made

    def get_null_object(self):
        """No object."""
        return _OBJECT(None)

    def borrow_none(self):
        """`None`, without a new reference."""
        return self.known_object(None)

    def make_none(self):
        """A new reference to `None`."""
        return self.unserialize(None)

    def is_null(self, obj):
        """Whether there is no object."""
        return cgutils.is_null(self.builder, obj)

    def bool_from_bool(self, bit):
        """`True` or `False`."""
        return self.bool_from_long(self.builder.zext(bit, _WORD))

    def long_from_signed_int(self, value):
        """An `int` of a signed integer of any width."""
        return self.long_from_longlong(value)

    def long_from_unsigned_int(self, value):
        """An `int` of an unsigned integer of any width."""
        return self.long_from_ulonglong(self.builder.zext(value, _WORD) if value.type.width < 64 else value)

    def call_function_objargs(self, callee, objargs):
        """The result of a call with these arguments."""
        arguments = self.tuple_pack(objargs)
        made = self.call(callee, arguments, self.get_null_object())
        self.decref(arguments)
        return made

    def call_method(self, callee, method, objargs=()):
        """The result of a call of a method."""
        function = self.object_getattr_string(callee, method)
        place = cgutils.alloca_once_value(self.builder, self.get_null_object())
        with self.builder.if_then(cgutils.is_not_null(self.builder, function)):
            self.builder.store(self.call_function_objargs(function, objargs), place)
            self.decref(function)
        return self.builder.load(place)

    def tuple_pack(self, items):
        """A new tuple of objects."""
        made = self.tuple_new(len(items))
        for at, item in enumerate(items):
            self.incref(item)
            self.tuple_setitem(made, at, item)
        return made

    def print_object(self, obj):
        """Prints an object as `print` does, and no end of line."""
        made = self.call_function_objargs(self.known_object(_PRINT), [obj])
        with self.builder.if_then(cgutils.is_not_null(self.builder, made)):
            self.decref(made)

    # Exceptions.

    def err_set_string(self, exctype, msg):
        """Sets an exception: of a class, or of the class of Python's with this name."""
        symbol = exctype if isinstance(exctype, str) else None
        if symbol is not None:
            known = cgutils.voidptr_t
            found = self.module.globals.get(symbol) or ir.GlobalVariable(self.module, known, symbol)
            kind = self.builder.load(found)
        else:
            kind = self.known_object(exctype) if isinstance(exctype, type) else exctype
        text = cgutils.global_string(self.module, msg) if isinstance(msg, str) else msg
        cgutils.call(self.builder, "PyErr_SetString", _NOTHING, [kind, text])

    def err_set_none(self, exctype):
        """Sets an exception without arguments."""
        cgutils.call(self.builder, "PyErr_SetNone", _NOTHING, [self.known_object(exctype) if isinstance(exctype, type) else exctype])

    def set_exception(self, exception):
        """Sets an exception that is there already. Each time it is raised, it is a new one."""
        kind, arguments = self.known_object(type(exception)), self.known_object(exception.args)
        cgutils.call(self.builder, "PyErr_SetObject", _NOTHING, [kind, arguments])

    def c_api_error(self):
        """Whether an exception is set."""
        return cgutils.is_not_null(self.builder, self.err_occurred())

    # Values of compiled code.

    def from_native_value(self, ty, value, env_manager=None):
        """A new reference to the object of a value, whose memory is given up."""
        from .._rumba import types as compiler

        builder = self.builder
        parts = self.context.unpacked(builder, ty, value)
        room = cgutils.alloca_once(builder, ir.ArrayType(_WORD, max(1, len(parts))))
        for at, part in enumerate(parts):
            builder.store(cgutils.to_word(builder, part), cgutils.gep(builder, room, 0, at))
        args = [_backend(self.module), _WORD(compiler.number(ty)), builder.bitcast(room, _OBJECT)]
        return cgutils.call(builder, "rumba_box", _OBJECT, args)

    def nrt_adapt_ndarray_to_python(self, ty, value, dtype):
        """A new reference to the object of an array, or of a value of a type derived from those; the value is kept."""
        from ..extending import array_subclasses
        from .boxing import BoxContext

        self.context.nrt.incref(self.builder, ty, value)
        return array_subclasses.to_object(ty, value, BoxContext(self.builder, self.context, self))

    def to_native_value(self, ty, obj):
        """The value of an object."""
        from . import boxing
        from .._rumba import types as compiler

        builder = self.builder
        inside = boxing.unboxed(ty, obj, boxing.BoxContext(builder, self.context, self))
        if inside is not None:
            return inside
        kinds = self.context.parts(ty)
        room = cgutils.alloca_once(builder, ir.ArrayType(_WORD, max(1, len(kinds))), zfill=True)
        args = [_backend(self.module), _WORD(compiler.number(ty)), obj, builder.bitcast(room, _OBJECT)]
        status = cgutils.call(builder, "rumba_unbox", _WORD, args)
        parts = [cgutils.from_word(builder, builder.load(cgutils.gep(builder, room, 0, at)), kind)
                 for at, kind in enumerate(kinds)]
        value = self.context.packed(builder, ty, iter(parts))
        return NativeValue(value, is_error=cgutils.is_not_null(builder, status))

    def to_native_argument(self, ty, obj):
        """The value of an object."""
        return self.to_native_value(ty, obj)

    def call_jit_code(self, func, sig, args):
        """Calls a Python function that is compiled for these types: whether it raised, and its result."""
        status, value = self.context.call_python(self.builder, func, sig, args)
        failed = cgutils.is_not_null(self.builder, status)
        with self.builder.if_then(failed, likely=False):
            args = [_backend(self.module), status]
            cgutils.call(self.builder, "rumba_set_exception", _NOTHING, args)
        return failed, value


def _backend(module):
    """The address of the compiler."""
    known = module.globals.get("rumba_context")
    if known is None:
        known = ir.GlobalVariable(module, cgutils.int8_t, "rumba_context")
    return known
