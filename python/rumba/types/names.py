"""The instances users write in signatures: `int64`, `f8`, `void`, `intp` and the rest."""
from .base import Dummy, Number, Opaque, Phantom, Undefined, UndefVar
from .iterators import RangeIteratorType, RangeType
from .misc import (
    EllipsisType, NoneType, NumPyRandomBitGeneratorType, NumPyRandomGeneratorType, PyObject, RawPointer, SliceType, UnicodeType)
from .scalars import Boolean, Complex, Float, Integer

none = void = NoneType("none")
Any = Phantom("any")
ellipsis = EllipsisType("...")
undefined = Undefined("undefined")
unknown = Dummy("unknown")
_undef_var = UndefVar("_undef_var")
pyobject = PyObject("pyobject")
pyfunc_type = Opaque("pyfunc")
code_type = Opaque("code")
ffi = Opaque("ffi")
ffi_forced_object = Opaque("ffi_forced_object")
voidptr = RawPointer("void*")
unicode_type = string = UnicodeType("unicode_type")
npy_bitgen = NumPyRandomBitGeneratorType("NumPyRandomBitGeneratorType")
npy_rng = NumPyRandomGeneratorType("NumPyRandomGeneratorType")
slice2_type = SliceType("slice<a:b>", 2)
slice3_type = SliceType("slice<a:b:c>", 3)

bool = bool_ = boolean = b1 = Boolean("bool")

int8 = i1 = char = Integer("int8")
int16 = i2 = short = Integer("int16")
int32 = i4 = intc = Integer("int32")
int64 = i8 = Integer("int64")
uint8 = u1 = byte = uchar = Integer("uint8")
uint16 = u2 = ushort = Integer("uint16")
uint32 = u4 = uintc = Integer("uint32")
uint64 = u8 = Integer("uint64")
# The machines that are compiled for have 64-bit words.
intp = int_ = long_ = longlong = ssize_t = int64
uintp = uint = ulong = ulonglong = size_t = uint64

float16 = f2 = Float("float16")
float32 = f4 = Float("float32")
float64 = f8 = double = float_ = Float("float64")
complex64 = c8 = Complex("complex64", float32)
complex128 = c16 = Complex("complex128", float64)

range_state32_type, range_iter32_type = RangeType(int32), RangeIteratorType(int32)
range_state64_type, range_iter64_type = RangeType(int64), RangeIteratorType(int64)
unsigned_range_state64_type, unsigned_range_iter64_type = RangeType(uint64), RangeIteratorType(uint64)

signed_domain = frozenset([int8, int16, int32, int64])
unsigned_domain = frozenset([uint8, uint16, uint32, uint64])
integer_domain = signed_domain | unsigned_domain
real_domain = frozenset([float32, float64])
complex_domain = frozenset([complex64, complex128])
number_domain = real_domain | integer_domain | complex_domain

py_bool, py_int, py_float, py_complex = bool, int64, float64, complex128
c_bool, c_intp, c_uintp, np_bool_ = bool, intp, uintp, bool
for _type in sorted(number_domain | {float16}, key=str):
    globals()[f"np_{_type.name}"] = _type
    if not isinstance(_type, Complex):
        globals()[f"c_{_type.name}"] = _type
np_intp, np_uintp, np_double = intp, uintp, double
del _type

__all__ = [name for name in globals() if not name.startswith("__") and isinstance(
    globals()[name], (Dummy, Number, Boolean, SliceType, UnicodeType, RangeType, RangeIteratorType, NumPyRandomGeneratorType, NumPyRandomBitGeneratorType,
                    frozenset))]
