//! Boxing: machine words to the Python object of a result.

use super::dicts_sets::TableBoxing;
use super::identities::Identities;
use super::keepalive;
use super::lists::ListBoxing;
use super::mirrors;
use super::object_arrays::ObjectArrayBoxing;
use crate::raising::exception_record;
use crate::unit::Unit;
use crate::values::buffers::BufferBoxing;
use crate::values::dtypes::Items;
use crate::values::extension_types::ForeignStep;
use crate::values::generator::GeneratorBoxing;
use crate::values::ndarray::ArrayBoxing;
use crate::values::numpy_scalar::ItemBoxing;
use crate::values::objects;
use crate::values::slices;
use crate::values::str_object;
use crate::values::typed_container;
use entity::EntityRef;
use pyo3::{Python, ffi};
use std::ffi::CString;
use std::sync::Arc;
use types::Type;

/// How words become the result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Boxing {
    /// `None`: no word.
    None,
    /// `...`: no word.
    Ellipsis,
    /// `str` from its three words.
    Text,
    /// `int` from one word, signed.
    Int64,
    /// `int` from this many low bits of one word, signed: machine code has no signed types.
    NarrowInt(u8),
    /// `int` from one word, unsigned.
    UInt64,
    /// `float` from one word.
    Float64,
    /// `float` from the half in the low bits of one word.
    Float16,
    /// `float` from the low half of one word.
    Float32,
    /// `bool` from one word, zero or not.
    Bool,
    /// `complex` from two words.
    Complex128,
    /// `complex` from the low halves of two words.
    Complex64,
    /// `tuple` from the words of its elements, one after the other.
    Tuple(Box<[Boxing]>),
    /// `list` from the words of its items, one after the other.
    List(Box<[Boxing]>),
    /// An instance of this subclass of `tuple` (by its address, which the compiler keeps alive).
    NamedTuple(usize, Box<[Boxing]>),
    /// The member of this enumeration (by its address, which the compiler keeps alive) with a value.
    Member(usize, Box<Boxing>),
    /// `dict` with these keys from the words of its values, one after the other.
    Dict(Box<[CString]>, Box<[Boxing]>),
    /// `None` if the first word is 0, else the value of the others.
    Optional(Box<Boxing>),
    /// The compiled function that this weak reference (by its address, which the compiler keeps
    /// alive) leads to: no word.
    Function(usize),
    /// A compiled function made of an inner function and what it takes along.
    Closure(Box<ClosureBoxing>),
    /// A function value: the last of its three words is its Python object, or a weak reference to it.
    FunctionValue,
    /// A Generator of NumPy: the last of its two words keeps the object.
    Generator,
    /// An exception from its record.
    Exception,
    /// The class of an exception from its record.
    ExceptionClass,
    /// Any object, as itself.
    Object,
    /// An array.
    Array(ArrayBoxing),
    /// A scalar of NumPy that is no number.
    Item(ItemBoxing),
    /// A buffer other than an array.
    Buffer(BufferBoxing),
    /// An array of objects.
    ObjectArray(ObjectArrayBoxing),
    /// A list that changes.
    Items(ListBoxing),
    /// A dict or a set.
    Table(Box<TableBoxing>),
    /// An object of this class of `rumba.typed`, which holds the container of this type.
    Native(&'static str, Type),
    /// An object of this class (by its address, which the compiler keeps alive) for one of compiled code, of this type.
    Instance(usize, Type),
    /// An object of a plain class; this is the class of the copies (by its address, which the compiler keeps alive).
    Mirror(usize, Type),
    /// A generator.
    Resumed(Box<GeneratorBoxing>),
    /// A slice from two or three words.
    Slice(u8),
    /// This slice: no word.
    LiteralSlice([Option<i64>; 3]),
    /// The `numpy.dtype` of such items: no word.
    Dtype(Items),
    /// This small `int`: no word.
    Constant(u32),
    /// A string that is known to its type: no word.
    LiteralText(Box<str>),
    /// A value of a type that a library added.
    Foreign(ForeignStep),
    /// A result in which one container may have several places.
    Shared(Box<Boxing>),
    /// One of several functions: a word says which, then come the words of all.
    Choice(Box<[Boxing]>),
    /// An object of one of several classes: a word says which, and is followed by its word.
    Union(Box<[Boxing]>),
    /// A value of one of several types: a word says which, then come the words of all.
    TaggedUnion(Box<[Boxing]>),
}

impl Boxing {
    /// Words that the result takes.
    pub fn words(&self) -> usize {
        match self {
            Boxing::None
            | Boxing::Ellipsis
            | Boxing::Function(_)
            | Boxing::Constant(_)
            | Boxing::LiteralText(_)
            | Boxing::Dtype(_)
            | Boxing::LiteralSlice(_) => 0,
            Boxing::Slice(members) => usize::from(*members),
            Boxing::Complex128 | Boxing::Complex64 | Boxing::Generator | Boxing::Union(_) => 2,
            Boxing::FunctionValue | Boxing::Text => 3,
            Boxing::Tuple(elements)
            | Boxing::List(elements)
            | Boxing::NamedTuple(_, elements)
            | Boxing::Dict(_, elements) => elements.iter().map(Boxing::words).sum(),
            Boxing::Optional(inner) => 1 + inner.words(),
            Boxing::Member(_, value) | Boxing::Shared(value) => value.words(),
            Boxing::Array(array) => array.words(),
            Boxing::Buffer(buffer) => buffer.words(),
            Boxing::ObjectArray(array) => array.words(),
            Boxing::Item(item) => item.words(),
            Boxing::Foreign(step) => step.words(),
            Boxing::Closure(closure) => {
                closure.captured.iter().chain(&*closure.defaults).map(Boxing::words).sum()
            }
            Boxing::Choice(members) | Boxing::TaggedUnion(members) => {
                1 + members.iter().map(Boxing::words).sum::<usize>()
            }
            _ => 1,
        }
    }

    /// Tells generators which code the plan belongs to.
    pub fn bind(&self, unit: &Arc<dyn Unit>) {
        match self {
            Boxing::Resumed(generator) => generator.bind(unit),
            Boxing::Items(list) => list.item().bind(unit),
            Boxing::Optional(inner) | Boxing::Shared(inner) => inner.bind(unit),
            Boxing::Tuple(elements)
            | Boxing::List(elements)
            | Boxing::NamedTuple(_, elements)
            | Boxing::TaggedUnion(elements) => elements.iter().for_each(|element| element.bind(unit)),
            _ => {}
        }
    }

    /// The same for a value that lives on where it is: what is a copy of it may not be changed.
    pub fn read_only(self) -> Boxing {
        match self {
            Boxing::ObjectArray(array) => Boxing::ObjectArray(array.read_only()),
            other => other,
        }
    }

    /// The same for a value that is shown as it is now, before containers are written back to Python's.
    pub fn fresh(self) -> Boxing {
        let all = |elements: Box<[Boxing]>| elements.into_iter().map(Boxing::fresh).collect();
        match self {
            Boxing::Items(list) => Boxing::Items(list.fresh()),
            Boxing::Table(table) => Boxing::Table(Box::new(table.fresh())),
            Boxing::Tuple(elements) => Boxing::Tuple(all(elements)),
            Boxing::List(elements) => Boxing::List(all(elements)),
            Boxing::NamedTuple(class, elements) => Boxing::NamedTuple(class, all(elements)),
            Boxing::TaggedUnion(members) => Boxing::TaggedUnion(all(members)),
            Boxing::Optional(inner) => Boxing::Optional(Box::new(inner.fresh())),
            other => other,
        }
    }

    /// A new reference, or null with an exception set.
    ///
    /// # Safety
    /// The thread is attached to Python; `words` has what [`Self::words`] says.
    #[inline(always)]
    pub unsafe fn make(&self, words: *const u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise.
        unsafe {
            match self {
                Boxing::Int64 => ffi::PyLong_FromLongLong(*words as i64),
                Boxing::Float64 => ffi::PyFloat_FromDouble(f64::from_bits(*words)),
                _ => self.box_slow(words),
            }
        }
    }

    /// The same where what containers become is noted already.
    ///
    /// # Safety
    /// As for [`Self::make`].
    pub unsafe fn within(&self, words: *const u64) -> *mut ffi::PyObject {
        match self {
            // SAFETY: the caller's promise.
            Boxing::Shared(value) => unsafe { value.make(words) },
            // SAFETY: the same.
            _ => unsafe { self.make(words) },
        }
    }

    /// Gives up what the words of a value hold that is not made.
    unsafe fn discard(&self, words: *const u64) {
        // SAFETY: the caller is attached and passes as many words as [`Self::words`] says.
        unsafe {
            match self {
                Boxing::Array(array) => array.discard(words),
                Boxing::Item(item) => item.discard(words),
                Boxing::Foreign(step) => step.give_up(words),
                Boxing::Items(_)
                | Boxing::ObjectArray(_)
                | Boxing::Table(_)
                | Boxing::Native(..)
                | Boxing::Instance(..)
                | Boxing::Mirror(..)
                | Boxing::Exception
                | Boxing::ExceptionClass
                | Boxing::Object
                | Boxing::Resumed(_) => rt::decref(*words),
                Boxing::Text => str_object::discard(words),
                Boxing::Generator | Boxing::Union(_) => rt::decref(*words.add(1)),
                Boxing::Tuple(elements) | Boxing::List(elements) | Boxing::NamedTuple(_, elements) => {
                    discard_all(elements, words)
                }
                Boxing::Optional(inner) => inner.discard(words.add(1)),
                Boxing::TaggedUnion(members) => {
                    let (member, words) = chosen(members, words);
                    member.discard(words);
                }
                Boxing::Member(_, value) | Boxing::Shared(value) => value.discard(words),
                _ => {}
            }
        }
    }

    unsafe fn box_slow(&self, words: *const u64) -> *mut ffi::PyObject {
        // SAFETY: the caller is attached and passes as many words as [`Self::words`] says.
        unsafe {
            match self {
                Boxing::Int64 | Boxing::Float64 => self.make(words),
                Boxing::Array(array) => array.make(words),
                Boxing::Buffer(buffer) => buffer.make(words),
                Boxing::ObjectArray(array) => array.make(words),
                Boxing::Item(item) => item.make(words),
                Boxing::Foreign(step) => step.make(words),
                Boxing::Items(list) => list.make(*words),
                Boxing::Table(table) => table.make(*words),
                Boxing::Exception => exception_record::make(*words),
                Boxing::ExceptionClass => exception_record::make_class(*words),
                Boxing::Object => keepalive::take_object(*words),
                Boxing::Shared(value) => Identities::default().enter(|| value.make(words)),
                Boxing::Native(class, ty) => typed_container::make(class, *words, *ty),
                Boxing::Instance(class, ty) => objects::make(*class, *words, *ty),
                Boxing::Mirror(class, ty) => mirrors::make(*class, *words, *ty),
                Boxing::Resumed(generator) => generator.make(*words),
                Boxing::Slice(members) => slices::make(words, *members),
                Boxing::LiteralSlice(parts) => slices::make_literal(parts),
                Boxing::Dtype(items) => items.dtype(Python::assume_attached()).cast(),
                Boxing::None => new_reference(ffi::Py_None()),
                Boxing::Text => str_object::make(words),
                Boxing::Ellipsis => new_reference(ffi::Py_Ellipsis()),
                Boxing::NarrowInt(bits) => {
                    let unused = 64 - u32::from(*bits);
                    ffi::PyLong_FromLongLong(((*words << unused) as i64) >> unused)
                }
                Boxing::UInt64 => ffi::PyLong_FromUnsignedLongLong(*words),
                Boxing::Float16 => ffi::PyFloat_FromDouble(f64::from(abi::half_to_float(*words as u16))),
                Boxing::Float32 => ffi::PyFloat_FromDouble(f64::from(f32::from_bits(*words as u32))),
                Boxing::Bool => new_reference(if *words & 1 != 0 { ffi::Py_True() } else { ffi::Py_False() }),
                Boxing::Complex128 => {
                    ffi::PyComplex_FromDoubles(f64::from_bits(*words), f64::from_bits(*words.add(1)))
                }
                Boxing::Complex64 => {
                    let part = |word: u64| f64::from(f32::from_bits(word as u32));
                    ffi::PyComplex_FromDoubles(part(*words), part(*words.add(1)))
                }
                Boxing::Tuple(elements) => make_tuple(elements, words),
                Boxing::List(elements) => make_list(elements, words),
                Boxing::NamedTuple(class, elements) => make_named_tuple(*class, elements, words),
                Boxing::Member(class, value) => make_member(*class, value, words),
                Boxing::Dict(keys, values) => make_dict(keys, values, words),
                Boxing::Optional(_) if *words & 1 == 0 => new_reference(ffi::Py_None()),
                Boxing::Optional(inner) => inner.make(words.add(1)),
                Boxing::Function(reference) => make_function(*reference),
                Boxing::FunctionValue => make_function_value(*words.add(2) as *mut ffi::PyObject),
                Boxing::Generator => keepalive::take_object(*words.add(1)),
                Boxing::LiteralText(text) => {
                    ffi::PyUnicode_FromStringAndSize(text.as_ptr().cast(), text.len() as ffi::Py_ssize_t)
                }
                Boxing::Constant(number) => ffi::PyLong_FromLong((*number).into()),
                Boxing::Choice(members) | Boxing::TaggedUnion(members) => {
                    let (member, words) = chosen(members, words);
                    member.make(words)
                }
                Boxing::Union(members) => members[*words as usize].make(words.add(1)),
                Boxing::Closure(closure) => make_closure(closure, words),
            }
        }
    }
}

/// The member that a value is of, by the first of its words, and the words of that.
///
/// # Safety
/// There are as many words as [`Boxing::words`] says.
pub(super) unsafe fn chosen(members: &[Boxing], words: *const u64) -> (&Boxing, *const u64) {
    // SAFETY: the caller's promise.
    unsafe {
        let before = &members[..*words as usize];
        let skipped: usize = before.iter().map(Boxing::words).sum();
        (&members[before.len()], words.add(1 + skipped))
    }
}

/// What an inner function that is returned is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosureBoxing {
    /// What stands for its code, by its address: the compiler keeps it alive.
    pub template: usize,
    /// The variables that it takes along.
    pub captured: Box<[Boxing]>,
    /// Its defaults.
    pub defaults: Box<[Boxing]>,
    /// The numbers of the parameters that have them.
    pub optional: Box<[Boxing]>,
    /// Its type.
    pub ty: Type,
}

/// What a weak reference to a function leads to.
unsafe fn make_function(reference: usize) -> *mut ffi::PyObject {
    // SAFETY: the address is that of a weak reference, which the plan holds.
    unsafe {
        let function = ffi::PyObject_CallNoArgs(reference as *mut ffi::PyObject);
        if function == ffi::Py_None() {
            ffi::Py_DECREF(function);
            let message = c"the compiled function that is returned is gone: nothing refers to it any more";
            ffi::PyErr_SetString(ffi::PyExc_ReferenceError, message.as_ptr());
            return std::ptr::null_mut();
        }
        function
    }
}

/// The Python object of a function value.
unsafe fn make_function_value(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the object of a function value is null or alive.
    unsafe {
        if object.is_null() {
            let message = c"a function of C that came from C has no Python object";
            ffi::PyErr_SetString(ffi::PyExc_RuntimeError, message.as_ptr());
            return object;
        }
        if ffi::PyWeakref_Check(object) != 0 { make_function(object as usize) } else { new_reference(object) }
    }
}

/// Calls `rumba.boxing.closures.make(template, captured, defaults, numbers of the parameters with defaults, number of the type)`.
unsafe fn make_closure(closure: &ClosureBoxing, words: *const u64) -> *mut ffi::PyObject {
    // SAFETY: the template is held by the plan; the words are those of what is captured, the defaults and the
    // numbers, one after the other.
    unsafe {
        let captured_words: usize = closure.captured.iter().map(Boxing::words).sum();
        let captured = make_tuple(&closure.captured, words);
        let defaults = make_tuple(&closure.defaults, words.add(captured_words));
        let optional = make_tuple(&closure.optional, words);
        let number = ffi::PyLong_FromSize_t(closure.ty.index());
        let module = ffi::PyImport_ImportModule(c"rumba.boxing.closures".as_ptr());
        let mut made = std::ptr::null_mut();
        if [captured, defaults, optional, number, module].iter().all(|part| !part.is_null()) {
            let make = ffi::PyObject_GetAttrString(module, c"make".as_ptr());
            if !make.is_null() {
                let template = closure.template as *mut ffi::PyObject;
                let end = std::ptr::null_mut::<ffi::PyObject>();
                made = ffi::PyObject_CallFunctionObjArgs(
                    make, template, captured, defaults, optional, number, end,
                );
                ffi::Py_DECREF(make);
            }
        }
        ffi::Py_XDECREF(module);
        ffi::Py_XDECREF(captured);
        ffi::Py_XDECREF(defaults);
        ffi::Py_XDECREF(optional);
        ffi::Py_XDECREF(number);
        made
    }
}

/// Calls `class._make(elements)`, so that a subclass with a `__new__` of its own is respected.
unsafe fn make_named_tuple(class: usize, elements: &[Boxing], words: *const u64) -> *mut ffi::PyObject {
    // SAFETY: the class is held by the plan; the caller is attached and passes the words of all elements.
    unsafe {
        let tuple = make_tuple(elements, words);
        if tuple.is_null() {
            return tuple;
        }
        let make = ffi::PyObject_GetAttrString(class as *mut ffi::PyObject, c"_make".as_ptr());
        let value = if make.is_null() { make } else { ffi::PyObject_CallOneArg(make, tuple) };
        ffi::Py_XDECREF(make);
        ffi::Py_DECREF(tuple);
        value
    }
}

unsafe fn make_list(elements: &[Boxing], words: *const u64) -> *mut ffi::PyObject {
    // SAFETY: the caller is attached and passes the words of all elements.
    unsafe {
        let tuple = make_tuple(elements, words);
        let list = if tuple.is_null() { tuple } else { ffi::PySequence_List(tuple) };
        ffi::Py_XDECREF(tuple);
        list
    }
}

unsafe fn make_dict(keys: &[CString], values: &[Boxing], mut words: *const u64) -> *mut ffi::PyObject {
    // SAFETY: the caller is attached and passes the words of all elements.
    unsafe {
        let dict = ffi::PyDict_New();
        if dict.is_null() {
            return dict;
        }
        for (key, value) in keys.iter().zip(values) {
            let item = value.make(words);
            let failed = item.is_null() || ffi::PyDict_SetItemString(dict, key.as_ptr(), item) != 0;
            ffi::Py_XDECREF(item);
            if failed {
                ffi::Py_DECREF(dict);
                return std::ptr::null_mut();
            }
            words = words.add(value.words());
        }
        dict
    }
}

unsafe fn new_reference(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the caller passes a live object.
    unsafe { ffi::Py_INCREF(object) };
    object
}

unsafe fn make_tuple(elements: &[Boxing], mut words: *const u64) -> *mut ffi::PyObject {
    // SAFETY: the caller is attached and passes the words of all elements.
    unsafe {
        let tuple = ffi::PyTuple_New(elements.len() as ffi::Py_ssize_t);
        if tuple.is_null() {
            return tuple;
        }
        for (index, element) in elements.iter().enumerate() {
            let value = element.make(words);
            words = words.add(element.words());
            if value.is_null() {
                ffi::Py_DECREF(tuple);
                discard_all(&elements[index + 1..], words);
                return value;
            }
            ffi::PyTuple_SET_ITEM(tuple, index as ffi::Py_ssize_t, value);
        }
        tuple
    }
}

/// Gives up what the words of values hold that are not made.
unsafe fn discard_all(elements: &[Boxing], mut words: *const u64) {
    for element in elements {
        // SAFETY: the caller passes the words of all elements, which nobody else gives up.
        unsafe {
            element.discard(words);
            words = words.add(element.words());
        }
    }
}

/// The member of a class (by its address) that has the value in these words: a new reference, or null with an
/// exception set.
///
/// # Safety
/// As for [`Boxing::make`].
unsafe fn make_member(class: usize, value: &Boxing, words: *const u64) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise; the compiler keeps the class alive.
    unsafe {
        let value = value.make(words);
        if value.is_null() {
            return value;
        }
        let member = ffi::PyObject_CallOneArg(class as *mut ffi::PyObject, value);
        ffi::Py_DECREF(value);
        member
    }
}
