"""Numbers and booleans, and literal types."""
import operator

from .. import upcalls
from .base import Dummy, Hashable, Number, Type


def _numpy_scalar(name, value):
    import numpy

    return getattr(numpy, name)(value)


class Boolean(Hashable):
    """Truth value."""

    def _parts(self):
        return "fixed", "bool"

    def cast_python_value(self, value):
        return bool(value)


class _Ordered:
    """Types of one kind compare by their width."""

    def _compare(self, other, compare):
        return compare(self.bitwidth, other.bitwidth) if self._is_comparable(other) else NotImplemented

    def __lt__(self, other):
        return self._compare(other, operator.lt)

    def __le__(self, other):
        return self._compare(other, operator.le)

    def __gt__(self, other):
        return self._compare(other, operator.gt)

    def __ge__(self, other):
        return self._compare(other, operator.ge)


class Integer(_Ordered, Number):
    """Integer of fixed width."""

    def __init__(self, name, bitwidth=None, signed=None):
        super().__init__(name)
        self.bitwidth = int(name[name.index("int") + 3:]) if bitwidth is None else bitwidth
        self.signed = not name.startswith("u") if signed is None else signed

    @classmethod
    def from_bitwidth(cls, bitwidth, signed=True):
        """The integer type of a width and sign."""
        return cls(("int" if signed else "uint") + str(bitwidth))

    @property
    def minval(self):
        """The least value."""
        return -(1 << (self.bitwidth - 1)) if self.signed else 0

    @property
    def maxval(self):
        """The greatest value."""
        return (1 << (self.bitwidth - self.signed)) - 1

    def cast_python_value(self, value):
        return _numpy_scalar(self.name, value)

    def _is_comparable(self, other):
        return isinstance(other, Integer) and self.signed == other.signed

    def _parts(self):
        return "fixed", self.name


class Float(_Ordered, Number):
    """Floating-point number."""

    def __init__(self, name):
        super().__init__(name)
        self.bitwidth = int(name[name.index("float") + 5:])

    def cast_python_value(self, value):
        return _numpy_scalar(self.name, value)

    def _is_comparable(self, other):
        return isinstance(other, Float)

    def _parts(self):
        return "fixed", self.name


class Complex(_Ordered, Number):
    """Complex number; `underlying_float` is the type of its parts."""

    def __init__(self, name, underlying_float):
        super().__init__(name)
        self.underlying_float = underlying_float
        self.bitwidth = int(name[name.index("complex") + 7:])

    def cast_python_value(self, value):
        return _numpy_scalar(self.name, value)

    def _is_comparable(self, other):
        return isinstance(other, Complex)

    def _parts(self):
        return "fixed", self.name


class Literal(Type):
    """A type with one value, known when the function compiles."""

    # Python class of the value -> class of the literal type.
    ctor_map = {}

    def __init__(self, value):
        if type(self) is Literal:
            raise TypeError("a literal type is made by types.literal")
        self._literal_init(value)
        super().__init__(f"Literal[{type(value).__name__}]({value})")

    def _literal_init(self, value):
        self._literal_value = value

    @property
    def literal_value(self):
        """The value."""
        return self._literal_value

    @property
    def literal_type(self):
        """The type without the knowledge of the value."""
        return upcalls.typeof(self._literal_value)

    def _parts(self):
        return "literal", self._literal_value


class IntegerLiteral(Literal, Integer):
    """An integer that is known."""

    def __init__(self, value):
        self._literal_init(value)
        base = self.literal_type
        Integer.__init__(self, f"Literal[int]({value})", base.bitwidth, base.signed)


class BooleanLiteral(Literal, Boolean):
    """A truth value that is known."""

    def __init__(self, value):
        self._literal_init(value)
        Boolean.__init__(self, f"Literal[bool]({value})")


class StringLiteral(Literal, Dummy):
    """A string that is known."""


Literal.ctor_map.update({int: IntegerLiteral, bool: BooleanLiteral, str: StringLiteral})


def literal(value):
    """The literal type of a value; LiteralTypingError if values of its class have none."""
    from ..errors import LiteralTypingError
    from .misc import SliceLiteral

    if isinstance(value, Literal):
        raise LiteralTypingError(f"{value} is a literal type already")
    make = SliceLiteral if type(value) is slice else Literal.ctor_map.get(type(value))
    if make is None:
        raise LiteralTypingError(f"values of class {type(value).__name__} have no literal type")
    try:
        return make(value)
    except ValueError as error:
        raise LiteralTypingError(str(error)) from error


def maybe_literal(value):
    """The literal type of a value, or None."""
    from ..errors import LiteralTypingError

    try:
        return literal(value)
    except LiteralTypingError:
        return None


def unliteral(ty):
    """The type without the knowledge of its value; any other type is itself."""
    if hasattr(ty, "__unliteral__"):
        return ty.__unliteral__()
    return getattr(ty, "literal_type", ty)


class EnumMember(Type):
    """A member of a Python enumeration; `dtype` is the type of the values."""

    basename = "Enum"

    def __init__(self, cls, dtype):
        self.instance_class, self.dtype = cls, dtype
        super().__init__(f"{self.basename}<{dtype}>({cls.__name__})")

    @property
    def key(self):
        return self.instance_class, self.dtype

    def _parts(self):
        return ("enum", self.instance_class, self.dtype)

    @property
    def class_type(self):
        """The type of the enumeration itself."""
        return self.class_type_class(self.instance_class, self.dtype)


class EnumClass(Dummy):
    """A Python enumeration."""

    basename = "Enum class"

    def __init__(self, cls, dtype):
        self.instance_class, self.dtype = cls, dtype
        super().__init__(f"{self.basename}<{dtype}>({cls.__name__})")

    @property
    def key(self):
        return self.instance_class, self.dtype

    @property
    def member_type(self):
        """The type of its members."""
        return EnumMember(self.instance_class, self.dtype)


class IntEnumMember(EnumMember):
    """A member of an enumeration of integers."""

    basename = "IntEnum"


class IntEnumClass(EnumClass):
    """An enumeration of integers."""

    basename = "IntEnum class"

    @property
    def member_type(self):
        return IntEnumMember(self.instance_class, self.dtype)


EnumMember.class_type_class = EnumClass
IntEnumMember.class_type_class = IntEnumClass


class _Datetime(Type):
    """A point or a span of time, counted in `unit`."""

    type_name = None

    def __init__(self, unit):
        self.unit = unit
        super().__init__(f"{self.type_name}[{unit}]")

    @property
    def key(self):
        return self.unit

    def cast_python_value(self, value):
        import numpy

        made = getattr(numpy, self.type_name)
        return made(value, self.unit) if self.unit else made(value)

    def _parts(self):
        return "time", self.unit, self.type_name == "timedelta64"


class NPDatetime(_Datetime):
    """`numpy.datetime64`."""

    type_name = "datetime64"


class NPTimedelta(_Datetime):
    """`numpy.timedelta64`."""

    type_name = "timedelta64"


def bit_length(value):
    """Bits that an integer of fixed width needs for a value."""
    value = int(value)
    return (value if value >= 0 else ~value).bit_length()
