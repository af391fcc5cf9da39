//! The data of types.

use crate::BufferKind;
use crate::{ArrayType, Facet, RecordType, TimeUnit};
use entity::{EntityRef, HashMap};
use std::sync::Arc;

entity::id!(
    /// An interned type.
    pub struct Type = "type"
);

/// A Python object (a dispatcher, a class) that the compiler knows only by number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Handle(pub u32);

/// Names of a named tuple's fields.
pub type FieldNames = Arc<[String]>;

/// Added to the handle of a user-defined exception class.
pub const USER_EXCEPTION: u32 = 1 << 31;

/// The class of a set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SetKind {
    /// A `set`.
    Plain,
    /// A `typed.Set`, which Python code holds without a copy.
    Typed,
    /// A `frozenset`, which never changes.
    Frozen,
}

/// The kind of an enum member.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum EnumKind {
    /// A plain member, which is equal only to itself.
    Plain,
    /// An integer (`enum.IntEnum`), accepted wherever its value is.
    Integer,
    /// A member that is also of another class, or a flag: its operations as such are left to Python.
    Mixed,
}

/// A value that is part of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum LiteralValue {
    /// An integer that fits 64 bits, signed.
    Int(i64),
    /// A boolean.
    Bool(bool),
    /// A string.
    Str(Arc<str>),
}

/// A member of a class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Member {
    /// A method: its first argument is the object.
    Method(Handle),
    /// A static method.
    Static(Handle),
    /// A class method: its first argument is the class.
    OfClass(Handle),
    /// A property: getter and setter.
    Property(Option<Handle>, Option<Handle>),
}

/// A class of objects.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Class {
    /// Its fields, in order.
    pub fields: Vec<(Arc<str>, Type)>,
    /// Its members.
    pub members: HashMap<Arc<str>, Member>,
    /// The function that constructs an object.
    pub constructor: Option<Handle>,
    /// The Python class, which has the class attributes.
    pub object: Option<Handle>,
    /// The Python classes that its objects are instances of, itself first.
    pub ancestors: Vec<Handle>,
    /// Whether all fields of an object are set when it is made, as compiled classes make them.
    pub sets_all_fields: bool,
    /// The fields that never change and say alone which objects are equal, as those of frozen dataclasses do.
    pub identifying: Option<Vec<Arc<str>>>,
}

/// The context managers that compiled code knows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ManagerKind {
    /// `contextlib.nullcontext`, with its value.
    Null,
    /// `contextlib.suppress`, with a tuple of classes.
    Suppress,
    /// `parallel_chunksize`, with the previous chunk size.
    ChunkSize,
}

/// The data of a type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TypeData {
    /// The type of a name that has no value on this path; unifies with everything.
    Undefined,
    /// `None`.
    None,
    /// `...`.
    Ellipsis,
    /// Boolean.
    Bool,
    /// Integer of fixed width, wrapping.
    Int {
        /// 8, 16, 32 or 64.
        bits: u8,
        /// Two's complement.
        signed: bool,
    },
    /// IEEE 754 binary number of 32 or 64 bits.
    Float {
        /// 32 or 64.
        bits: u8,
    },
    /// Pair of floats, 64 or 128 bits in all.
    Complex {
        /// 64 or 128.
        bits: u8,
    },
    /// Unicode string.
    Str,
    /// A value known at compile time; it still has a machine value.
    Literal(LiteralValue),
    /// A value of the inner type or `None`.
    Optional(Type),
    /// Tuple of these element types.
    Tuple(Arc<[Type]>),
    /// Named tuple: class name, field names, field types, and the class to build in Python.
    NamedTuple {
        /// Name of the class.
        name: Arc<str>,
        /// Names of the fields.
        fields: FieldNames,
        /// Types of the fields.
        types: Arc<[Type]>,
        /// The class.
        class: Handle,
    },
    /// A dict whose keys are known at compile time: `**kwargs`, a dict literal with literal keys. It is immutable.
    StaticDict {
        /// The keys, in their order.
        names: FieldNames,
        /// Types of the values.
        types: Arc<[Type]>,
    },
    /// A member of a Python enum, represented by its value.
    Enum {
        /// Name of the class.
        name: Arc<str>,
        /// The class.
        class: Handle,
        /// Type of the value.
        value: Type,
        /// What it is besides.
        kind: EnumKind,
    },
    /// The list that a starred target makes from elements of a tuple: with the length of this tuple, and immutable.
    FixedList(Type),
    /// The class of a named tuple, to be called.
    NamedTupleClass {
        /// Name of the class.
        name: Arc<str>,
        /// Names of the fields.
        fields: FieldNames,
        /// The class.
        class: Handle,
    },
    /// `range` over an integer type.
    Range(Type),
    /// Iterator over a value of this type.
    Iterator(Type),
    /// `slice` without (2) or with (3) a step.
    Slice {
        /// 2 or 3.
        members: u8,
    },
    /// `slice` whose parts are known at compile time; None means omitted.
    LiteralSlice {
        /// Where it begins.
        start: Option<i64>,
        /// Where it ends.
        stop: Option<i64>,
        /// How far apart the items are.
        step: Option<i64>,
    },
    /// `enumerate` of an iterator of this type.
    Enumerate(Type),
    /// `zip` of iterators of these types.
    Zip(Arc<[Type]>),
    /// A function of the catalog by its dotted name, such as `builtins.abs` or `math.sqrt`.
    Function(Arc<str>),
    /// A type used as a value, such as `int` or `np.float32`.
    Class(Type),
    /// A module by its dotted name.
    Module(Arc<str>),
    /// An exception class by its index in the list of runtime exception classes, or a user-defined class by its handle
    /// with [`USER_EXCEPTION`] added.
    ExceptionClass(u32),
    /// One of several exception classes, known at run time, in the order of their numbers.
    ExceptionClassChoice(Arc<[u32]>),
    /// An instance of an exception class that is raised immediately.
    Exception {
        /// As in [`TypeData::ExceptionClass`].
        class: u32,
        /// Types of what it is made of.
        args: Arc<[Type]>,
        /// The names of the last ones, which are given by name.
        names: FieldNames,
    },
    /// An exception as a value of any class; lists the possible instances as far as they are known, in order.
    Caught(Arc<[Type]>),
    /// The class of a caught exception. Its value is the exception.
    CaughtClass,
    /// The traceback of an exception, as Python has it.
    CaughtTraceback,
    /// Any Python object, which compiled code can only store and pass on.
    PyObject,
    /// A context manager.
    Manager {
        /// Which one.
        kind: ManagerKind,
        /// What it is of.
        of: Type,
    },
    /// A bound method, with its value.
    Method(Type, Arc<str>),
    /// A compiled function as a value.
    Dispatcher(Handle),
    /// A function made inside another, with the variables that it shares with that one.
    Closure {
        /// Its code, as a compiled function whose first parameter is the closure itself.
        function: Handle,
        /// What its free variables are: cells, or values that no longer change.
        captures: Arc<[Type]>,
        /// Types of the defaults that it was made with.
        defaults: Arc<[Type]>,
        /// The numbers of the parameters that have them.
        optional: Arc<[u32]>,
    },
    /// One of several functions, known at run time: dispatchers and closures, in the order of their types.
    Choice(Arc<[Type]>),
    /// An object of one of several classes, known at run time, in the order of [`crate::TypeTable::union_of`].
    Union(Arc<[Type]>),
    /// A value of one of a few unrelated types, known at run time, in the order of [`crate::TypeTable::tagged_union`].
    TaggedUnion(Arc<[Type]>),
    /// `map` of a function over iterators of these types.
    Map {
        /// The function.
        function: Type,
        /// The iterators.
        iterators: Arc<[Type]>,
        /// What the function gives.
        item: Type,
    },
    /// `filter` of an iterator by a function, or by the items themselves where it is None.
    Filter {
        /// The function.
        function: Type,
        /// The iterator.
        iterator: Type,
    },
    /// A generator expression as an iterator: values that a function computes from an iterator's items.
    GeneratorExpr {
        /// The function: it gives the value in a tuple, or None for an item that is passed over.
        function: Type,
        /// The iterator.
        iterator: Type,
        /// The type of the values.
        item: Type,
    },
    /// A generator object: a frame in a block of memory, with the address of its code.
    GeneratorObject {
        /// Type of what it yields.
        item: Type,
        /// Type of what it returns.
        result: Type,
        /// Type of what may be sent to it: None where it asks for nothing, undefined as long as nobody knows.
        sent: Type,
        /// Whether it refers to the frame of the function that called: it may not outlive that one.
        bound: bool,
    },
    /// A scratch array with the items of a tuple of this type, whose elements have one type; only in the library.
    Scratch(Type),
    /// A function with these parameters and this result, identified at run time by its address.
    FunctionValue {
        /// Types of its parameters.
        params: Arc<[Type]>,
        /// Type of its result.
        result: Type,
    },
    /// A function that Python runs, with a declared result; a value is the address of the Python object.
    PythonFunction {
        /// What it is called where its type is printed.
        name: Arc<str>,
        /// Types of its parameters; without, it takes whatever Python can be given.
        params: Option<Arc<[Type]>>,
        /// Type of its result.
        result: Type,
        /// For messages: what the elements of the result are, which is a tuple then.
        outgoing: Arc<[String]>,
    },
    /// A C pointer to values of this type, or a `void` pointer.
    Pointer(Option<Type>),
    /// A variable that several functions share, by its number in the compilation.
    Cell(u32),
    /// Such a variable for values of this type, in a block of its own: a function that changes it outlives the frame that made it.
    HeapCell(Type),
    /// A machine code function that an extension wrote, or an instance of Rumba's own library.
    Native {
        /// Its symbol.
        symbol: Arc<str>,
        /// Types of its parameters.
        params: Arc<[Type]>,
        /// Type of its result.
        result: Type,
        /// Whether it returns a status.
        can_fail: bool,
    },
    /// A value without content, whose type is a Python object: an extension type, a class of types.
    Opaque {
        /// Name of the type.
        name: Arc<str>,
        /// The Python object.
        object: Handle,
    },
    /// An extension type whose values are represented like those of another type.
    Foreign {
        /// Name of the type.
        name: Arc<str>,
        /// The Python object that stands for the type.
        object: Handle,
        /// The type whose parts its values have.
        held: Type,
    },
    /// An object of a class: a reference-counted block of memory with fields, described by
    /// [`TypeTable::class`](crate::TypeTable::class).
    Instance {
        /// Name of the type.
        name: Arc<str>,
        /// The Python object that stands for the type.
        object: Handle,
    },
    /// A Python object without content, of which only class attributes can be accessed; or a class.
    Object {
        /// What it is called where its type is printed.
        name: Arc<str>,
        /// The Python object.
        object: Handle,
    },
    /// An omitted argument with a default of this type.
    Omitted(Type),
    /// A mutable list with items of one type; undefined if it is not known yet.
    List {
        /// Type of its items.
        item: Type,
        /// Whether it is a `typed.List`, which Python code holds without a copy.
        typed: bool,
    },
    /// A `collections.deque`, which is held as a list.
    Deque {
        /// Type of its items.
        item: Type,
    },
    /// A mutable dict.
    Dict {
        /// Type of its keys.
        key: Type,
        /// Type of its values.
        value: Type,
        /// What makes the value of a key that is looked up and missing: the factory of a `defaultdict`, the method
        /// `__missing__` of a `Counter`, or None in a `dict`, which raises KeyError.
        missing: Type,
    },
    /// A set.
    Set {
        /// Type of its items.
        item: Type,
        /// Its class.
        kind: SetKind,
    },
    /// A NumPy array.
    Array(ArrayType),
    /// An array that is being filled by a comprehension.
    ArrayBuilder {
        /// The array's type.
        array: Type,
        /// Whether its length shows at its end.
        growable: bool,
    },
    /// Another Python object with memory, and the type of its items.
    Buffer(BufferKind, ArrayType),
    /// A record: an element with named fields, in an array's memory or in its own.
    Record(Arc<RecordType>),
    /// A datetime (`datetime64`), counted in a unit from the begin of 1970, or a timedelta (`timedelta64`).
    Datetime {
        /// What is counted.
        unit: TimeUnit,
        /// Whether it is a span.
        span: bool,
    },
    /// Fixed-width string, filled up with nulls: the item of an array of `S` or `U`.
    CharSeq {
        /// How many characters.
        count: u32,
        /// Whether characters are Unicode's, of four bytes each, or bytes.
        wide: bool,
    },
    /// A `numpy.random.Generator`.
    NumpyGenerator,
    /// Another view of arrays, or, for indices, of a shape.
    Facet {
        /// In which.
        facet: Facet,
        /// The type of what is seen: an array, or a tuple.
        of: Type,
    },
}

macro_rules! fixed {
    ($($(#[$meta:meta])* $name:ident = $index:literal $data:expr;)*) => {
        impl Type {
            $($(#[$meta])* pub const $name: Type = Type($index);)*
        }
        pub(crate) const FIXED: &[TypeData] = &[$($data),*];
    };
}

fixed! {
    /// Type of a name without a value on this path.
    UNDEFINED = 0 TypeData::Undefined;
    /// `None`.
    NONE = 1 TypeData::None;
    /// Boolean.
    BOOL = 2 TypeData::Bool;
    /// 8-bit integer.
    INT8 = 3 TypeData::Int { bits: 8, signed: true };
    /// 16-bit integer.
    INT16 = 4 TypeData::Int { bits: 16, signed: true };
    /// 32-bit integer.
    INT32 = 5 TypeData::Int { bits: 32, signed: true };
    /// 64-bit integer, the type of a Python `int`.
    INT64 = 6 TypeData::Int { bits: 64, signed: true };
    /// 8-bit unsigned integer.
    UINT8 = 7 TypeData::Int { bits: 8, signed: false };
    /// 16-bit unsigned integer.
    UINT16 = 8 TypeData::Int { bits: 16, signed: false };
    /// 32-bit unsigned integer.
    UINT32 = 9 TypeData::Int { bits: 32, signed: false };
    /// 64-bit unsigned integer.
    UINT64 = 10 TypeData::Int { bits: 64, signed: false };
    /// Single precision.
    FLOAT32 = 11 TypeData::Float { bits: 32 };
    /// Double precision, the type of a Python `float`.
    FLOAT64 = 12 TypeData::Float { bits: 64 };
    /// Two single precision numbers.
    COMPLEX64 = 13 TypeData::Complex { bits: 64 };
    /// Two double precision numbers, the type of a Python `complex`.
    COMPLEX128 = 14 TypeData::Complex { bits: 128 };
    /// Unicode string.
    STR = 15 TypeData::Str;
    /// `...`.
    ELLIPSIS = 16 TypeData::Ellipsis;
    /// Any Python object.
    PYOBJECT = 17 TypeData::PyObject;
    /// Half precision, which is computed with in single precision and rounded after each operation.
    FLOAT16 = 18 TypeData::Float { bits: 16 };
}

impl Type {
    /// The type that has this number in every table.
    pub fn fixed(number: usize) -> Option<Type> {
        (number < FIXED.len()).then(|| Type::new(number))
    }

    /// The integer type of this width and sign.
    pub fn int(bits: u8, signed: bool) -> Type {
        let base = if signed { Type::INT8 } else { Type::UINT8 };
        Type(base.0 + bits.trailing_zeros() - 3)
    }

    /// The float type of the parts of a complex type.
    pub fn complex_part(self) -> Type {
        if self == Type::COMPLEX64 { Type::FLOAT32 } else { Type::FLOAT64 }
    }

    /// Width and sign if this is an integer type (`bool` is none).
    pub fn as_int(self) -> Option<(u8, bool)> {
        match FIXED.get(self.index()) {
            Some(&TypeData::Int { bits, signed }) => Some((bits, signed)),
            _ => None,
        }
    }

    /// Whether this is an integer type (`bool` is none).
    pub fn is_int(self) -> bool {
        self.as_int().is_some()
    }

    /// Whether this is a float type.
    pub fn is_float(self) -> bool {
        matches!(self, Type::FLOAT16 | Type::FLOAT32 | Type::FLOAT64)
    }

    /// Whether items of this type can be changed atomically.
    pub fn is_atomic(self) -> bool {
        self.is_int() || matches!(self, Type::FLOAT32 | Type::FLOAT64)
    }

    /// Whether this is a complex type.
    pub fn is_complex(self) -> bool {
        self == Type::COMPLEX64 || self == Type::COMPLEX128
    }

    /// Whether this is an integer, float or complex type.
    pub fn is_number(self) -> bool {
        self.is_int() || self.is_float() || self.is_complex()
    }
}
