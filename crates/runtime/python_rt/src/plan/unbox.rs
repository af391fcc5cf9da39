//! Unboxing: Python arguments to machine words.

use super::dicts_sets::TableStep;
use super::lists::ListStep;
use super::mirrors::MirrorStep;
use super::object_arrays::ObjectArrayStep;
use super::{BoxingCx, ScalarClass};
use crate::values::buffers::BufferStep;
use crate::values::closure_object::{self, ClosureObject};
use crate::values::extension_types::ForeignStep;
use crate::values::generator;
use crate::values::int_object;
use crate::values::kwargs::Keywords;
use crate::values::ndarray::ArrayStep;
use crate::values::numpy_scalar::ItemStep;
use crate::values::objects;
use crate::values::rng;
use crate::values::slices;
use crate::values::str_object;
use crate::values::typed_container;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::fmt;
use std::sync::Arc;
use types::Type;

/// How one argument becomes words. A step checks what it reads, so that a plan doubles as the test
/// whether its specialization serves a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Unbox {
    /// An `int` in the range of `int64`: one word.
    Int64,
    /// An `int` in `2**63..2**64`: one word.
    UInt64,
    /// A `float`: one word.
    Float64,
    /// A `bool`: one word, 0 or 1.
    Bool,
    /// A `complex`: two words, real and imaginary.
    Complex128,
    /// `None`: no word.
    None,
    /// `...`: no word.
    Ellipsis,
    /// Any object, as itself: the word that says that it is borrowed.
    Object,
    /// A `str`: its three words.
    Text,
    /// A `float` or an `int` rounded to half precision: the low bits of one word.
    Float16,
    /// A `float` or an `int` rounded to single precision: the low half of one word.
    Float32,
    /// A `float`, `int` or `bool` as `float64`: one word.
    ToFloat64,
    /// A `complex`, `float` or `int`: two words.
    ToComplex128,
    /// A `complex`, `float` or `int` rounded to two singles: two words.
    ToComplex64,
    /// A `bool` or an `int` in the range of `int64`: one word. Narrower integers read its low bits.
    ToInt64,
    /// A `bool` or an `int` in the range of `uint64`: one word. Narrower integers read its low bits.
    ToUInt64,
    /// The content of a NumPy scalar of exactly this class.
    Scalar(ScalarClass),
    /// No value at all, instead of one of this many words.
    Absent(usize),
    /// `None` or a value: a word that says whether there is one, and the words of the value.
    Optional(Box<Unbox>),
    /// A `tuple` of as many elements: their words.
    Tuple(Box<[Unbox]>),
    /// An instance of exactly this subclass of `tuple` (by its address): the elements' words.
    NamedTuple(usize, Box<[Unbox]>),
    /// A member of exactly this enumeration (by its address): the words of its value.
    Member(usize, Box<Unbox>),
    /// A function of this type that compiled code returned: the words of what it takes along.
    Closure(Type, Box<[Unbox]>),
    /// The values of keyword arguments, whose names the key that led here has compared.
    Keywords(Box<[Unbox]>),
    /// A number of any class, Python's or NumPy's, made a Python number of the step's kind first.
    Converted(Box<Unbox>),
    /// A function value: its three addresses.
    Function(FunctionStep),
    /// An array of NumPy: its owner, the address of its items, its shape and, where wanted, its strides.
    Array(ArrayStep),
    /// A scalar of NumPy that is no number.
    Item(ItemStep),
    /// A buffer other than an array: the words of an array.
    Buffer(BufferStep),
    /// An array of objects, which is copied.
    ObjectArray(ObjectArrayStep),
    /// A list: a word, which is filled in when all arguments have been looked at.
    List(ListStep),
    /// A dict or a set: a word, which is filled in later, as that of a list.
    Table(Box<TableStep>),
    /// A container, a generator or an object of compiled code, of this type: its word.
    Native(Type),
    /// An object of exactly this class (by its address), of this type: its word.
    Instance(usize, Type),
    /// An object of a plain class: a word, which is filled in later, as that of a list.
    Mirror(MirrorStep),
    /// An object of one of several classes: which of these steps takes it, and its word.
    Union(Box<[Unbox]>),
    /// A value of one of several types: the number of the first member that takes it, and the words of all.
    TaggedUnion(Box<[MemberStep]>),
    /// A slice with a number of members, as one with another number of members.
    Slice(u8, u8),
    /// A Generator of NumPy, of this class (by its address): its bit generator and itself.
    Generator(usize),
    /// A value of a type that a library added: words that are filled in when all arguments have been looked at.
    Foreign(ForeignStep),
    /// An exception: a word, which is filled in later, as that of a list.
    Exception(RecordStep),
    /// Anything: no word (an omitted argument whose value is compiled in).
    Skip,
}

/// What makes words of a function value.
#[derive(Clone)]
pub struct FunctionStep {
    /// Knows the addresses of functions.
    pub cx: Arc<dyn BoxingCx>,
    /// The type of the function value.
    pub ty: Type,
}

impl FunctionStep {
    /// The addresses, or why there are none.
    pub fn addresses(&self, value: &Bound<'_, PyAny>) -> PyResult<[usize; 3]> {
        self.cx.function_addresses(value, self.ty)
    }

    unsafe fn unbox(&self, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        Python::attach(|py| {
            // SAFETY: the caller's promise.
            let value = unsafe { Bound::from_borrowed_ptr(py, object) };
            let addresses = self.addresses(&value).ok()?;
            for (index, address) in addresses.into_iter().enumerate() {
                // SAFETY: the same.
                unsafe { *out.add(index) = address as u64 };
            }
            Some(addresses.len())
        })
    }
}

impl PartialEq for FunctionStep {
    fn eq(&self, other: &Self) -> bool {
        self.ty == other.ty
    }
}

impl Eq for FunctionStep {}

impl fmt::Debug for FunctionStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FunctionStep({:?})", self.ty)
    }
}

/// What makes records of exceptions.
#[derive(Clone)]
pub struct RecordStep {
    /// Knows the classes of exceptions.
    pub cx: Arc<dyn BoxingCx>,
}

impl PartialEq for RecordStep {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for RecordStep {}

impl fmt::Debug for RecordStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RecordStep")
    }
}

/// A member of a tagged union.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberStep {
    /// What takes values of this member, if it is known what they look like.
    pub step: Option<Unbox>,
    /// How many words they take.
    pub words: usize,
}

impl MemberStep {
    /// The step for a value of one of several types, with the steps of its members.
    pub(super) fn union(cx: &dyn BoxingCx, members: &[Type], steps: Vec<Option<Unbox>>) -> Unbox {
        let all = members.iter().zip(steps);
        Unbox::TaggedUnion(all.map(|(&ty, step)| MemberStep { step, words: cx.words(ty).count }).collect())
    }

    /// The step of the member that a value is of, and the first of its words.
    ///
    /// # Safety
    /// `words` has what [`Unbox::words`] says of the union.
    pub(super) unsafe fn chosen(members: &[MemberStep], words: *mut u64) -> Option<(&Unbox, *mut u64)> {
        // SAFETY: the caller's promise.
        unsafe {
            let before = &members[..*words as usize];
            let skipped: usize = before.iter().map(|member| member.words).sum();
            Some((members[before.len()].step.as_ref()?, words.add(1 + skipped)))
        }
    }

    /// Writes the number of the first member that takes a value, and its words; zeros for those of the others.
    unsafe fn unbox(members: &[MemberStep], object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        let all: usize = members.iter().map(|member| member.words).sum();
        // SAFETY: the caller of `Unbox::unbox` gives as many words as all members take.
        unsafe {
            (0..=all).for_each(|word| *out.add(word) = 0);
            let mut at = 1;
            for (number, member) in members.iter().enumerate() {
                let taken = member.step.as_ref().and_then(|step| step.unbox_slow(object, out.add(at)));
                if taken.is_some() {
                    *out = number as u64;
                    return Some(1 + all);
                }
                if !ffi::PyErr_Occurred().is_null() {
                    return None;
                }
                (at..at + member.words).for_each(|word| *out.add(word) = 0);
                at += member.words;
            }
        }
        None
    }
}

impl Unbox {
    /// Words that the step writes.
    pub fn words(&self) -> usize {
        match self {
            Unbox::None | Unbox::Ellipsis | Unbox::Skip => 0,
            Unbox::Complex128
            | Unbox::ToComplex128
            | Unbox::ToComplex64
            | Unbox::Generator(_)
            | Unbox::Union(_) => 2,
            Unbox::Function(_) | Unbox::Text => 3,
            Unbox::Scalar(scalar) => scalar.content.words(),
            Unbox::Array(step) => step.words(),
            Unbox::Item(step) => step.words(),
            Unbox::Foreign(step) => step.words(),
            Unbox::Buffer(step) => step.words(),
            Unbox::ObjectArray(step) => step.words(),
            Unbox::Slice(_, members) => usize::from(*members),
            Unbox::Absent(words) => *words,
            Unbox::Optional(inner) => 1 + inner.words(),
            Unbox::TaggedUnion(members) => 1 + members.iter().map(|member| member.words).sum::<usize>(),
            Unbox::Converted(step) | Unbox::Member(_, step) => step.words(),
            Unbox::Tuple(elements)
            | Unbox::NamedTuple(_, elements)
            | Unbox::Keywords(elements)
            | Unbox::Closure(_, elements) => elements.iter().map(Unbox::words).sum(),
            _ => 1,
        }
    }

    /// The steps for the parts of a value that is made of others, which [`parts_of`] gives.
    pub fn steps_of_parts(&self) -> Option<&[Unbox]> {
        match self {
            Unbox::Tuple(steps)
            | Unbox::NamedTuple(_, steps)
            | Unbox::Keywords(steps)
            | Unbox::Closure(_, steps) => Some(steps),
            _ => None,
        }
    }

    /// Whether the step refuses every value of another type than it was made for. A step that
    /// converts does not: which specialization serves a value of another type is for dispatch to say.
    pub fn is_guard(&self) -> bool {
        match self {
            Unbox::Int64 | Unbox::UInt64 | Unbox::Float64 | Unbox::Bool | Unbox::Complex128 => true,
            Unbox::None
            | Unbox::Ellipsis
            | Unbox::Object
            | Unbox::Text
            | Unbox::Scalar(_)
            | Unbox::Array(_)
            | Unbox::Slice(..) => true,
            // Its items are looked at when they are read.
            Unbox::List(_)
            | Unbox::ObjectArray(_)
            | Unbox::Table(_)
            | Unbox::Native(_)
            | Unbox::Generator(_)
            | Unbox::Instance(..)
            | Unbox::Mirror(_)
            | Unbox::Union(_) => true,
            Unbox::Item(step) => step.is_guard(),
            Unbox::Member(_, step) => step.is_guard(),
            // The type is compared, and what is taken along never changes.
            Unbox::Closure(..) => true,
            Unbox::Tuple(elements) | Unbox::NamedTuple(_, elements) => elements.iter().all(Unbox::is_guard),
            _ => false,
        }
    }

    /// Whether reading a value may run Python code, which may make a dispatcher forget the entry.
    pub fn runs_python(&self) -> bool {
        match self {
            Unbox::Slice(..) | Unbox::Member(..) => true,
            Unbox::Optional(inner) => inner.runs_python(),
            Unbox::TaggedUnion(members) => {
                members.iter().any(|member| member.step.as_ref().is_some_and(Unbox::runs_python))
            }
            _ => self.steps_of_parts().is_some_and(|steps| steps.iter().any(Unbox::runs_python)),
        }
    }

    /// Writes the words of `object` from `out` on and says how many; `None` when the value does not
    /// fit the step, or with an exception set when Python code that reads it raised.
    ///
    /// # Safety
    /// The thread is attached to Python, `object` is alive, `out` has room for [`Self::words`].
    #[inline(always)]
    pub unsafe fn unbox(&self, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        // SAFETY: the caller's promise; each type is looked at before its fields are.
        unsafe {
            let kind = ffi::Py_TYPE(object);
            match self {
                Unbox::Int64 => {
                    if kind != &raw mut ffi::PyLong_Type {
                        return None;
                    }
                    *out = int_object::to_i64(object)? as u64;
                    Some(1)
                }
                Unbox::Float64 => {
                    if kind != &raw mut ffi::PyFloat_Type {
                        return None;
                    }
                    *out = (*object.cast::<ffi::PyFloatObject>()).ob_fval.to_bits();
                    Some(1)
                }
                Unbox::Array(step) => step.unbox(object, out),
                _ => self.unbox_slow(object, out),
            }
        }
    }

    unsafe fn unbox_slow(&self, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        // SAFETY: the caller's promise; each type is looked at before its fields are.
        unsafe {
            let kind = ffi::Py_TYPE(object);
            let is_bool = kind == &raw mut ffi::PyBool_Type;
            match self {
                Unbox::Int64 | Unbox::Float64 | Unbox::Array(_) => return self.unbox(object, out),
                Unbox::Bool if is_bool => *out = u64::from(object == ffi::Py_True()),
                Unbox::UInt64 if kind == &raw mut ffi::PyLong_Type => {
                    *out = int_object::to_u64(object).filter(|&value| value > i64::MAX as u64)?;
                }
                Unbox::Complex128 if kind == &raw mut ffi::PyComplex_Type => write_complex(object, out),
                Unbox::None if object == ffi::Py_None() => {}
                Unbox::Ellipsis if object == ffi::Py_Ellipsis() => {}
                Unbox::Text => return str_object::unbox(object, out),
                Unbox::ToInt64 if is_bool => *out = u64::from(object == ffi::Py_True()),
                Unbox::ToInt64 => return Unbox::Int64.unbox(object, out),
                Unbox::ToFloat64 => *out = to_f64(object)?.to_bits(),
                Unbox::Float16 => *out = u64::from(abi::double_to_half(to_f64(object)?)),
                Unbox::Float32 => *out = u64::from((to_f64(object)? as f32).to_bits()),
                Unbox::ToComplex128 if kind == &raw mut ffi::PyComplex_Type => write_complex(object, out),
                Unbox::ToComplex128 => {
                    *out = to_f64(object)?.to_bits();
                    *out.add(1) = 0f64.to_bits();
                }
                Unbox::ToComplex64 => {
                    let part = |bits: u64| u64::from((f64::from_bits(bits) as f32).to_bits());
                    Unbox::ToComplex128.unbox_slow(object, out)?;
                    *out = part(*out);
                    *out.add(1) = part(*out.add(1));
                }
                Unbox::ToUInt64 if is_bool || kind == &raw mut ffi::PyLong_Type => {
                    *out = int_object::to_u64(object)?;
                }
                Unbox::Scalar(scalar) if kind as usize == scalar.class => scalar.content.read(object, out),
                Unbox::Optional(inner) => return unbox_optional(inner, object, out),
                Unbox::Tuple(elements) if kind == &raw mut ffi::PyTuple_Type => {
                    return unbox_elements(elements, object, out);
                }
                Unbox::NamedTuple(class, elements) if kind as usize == *class => {
                    return unbox_elements(elements, object, out);
                }
                Unbox::Member(class, step) if kind as usize == *class => {
                    return unbox_member(step, object, out);
                }
                Unbox::Keywords(elements) => return unbox_keywords(elements, object, out),
                Unbox::Closure(ty, elements) => return unbox_closure(*ty, elements, object, out),
                Unbox::Converted(step) => return unbox_converted(step, object, out),
                Unbox::Function(step) => return step.unbox(object, out),
                Unbox::Item(step) => return step.unbox(object, out),
                Unbox::Buffer(step) => return step.unbox(object, out),
                Unbox::Mirror(step) if kind as usize == step.class => *out = 0,
                Unbox::Union(members) => {
                    let takes = |step: &Unbox| step.unbox_slow(object, out.add(1)).is_some();
                    *out = members.iter().position(takes)? as u64;
                }
                Unbox::TaggedUnion(members) => return MemberStep::unbox(members, object, out),
                Unbox::List(step) if step.is_of_class(kind) => *out = 0,
                Unbox::ObjectArray(step) => {
                    let array = Bound::from_borrowed_ptr(Python::assume_attached(), object);
                    (0..step.words()).for_each(|word| *out.add(word) = 0);
                    return step.takes(&array).then_some(step.words());
                }
                Unbox::Exception(_) if ffi::PyExceptionInstance_Check(object) != 0 => *out = 0,
                Unbox::Table(step) => {
                    if !step.is_of_class(kind) {
                        return None;
                    }
                    *out = 0;
                }
                Unbox::Native(ty) => *out = native_word(object, *ty)?,
                Unbox::Instance(class, ty) => *out = objects::word_of_class(object, *class, *ty)?,
                Unbox::Slice(given, wanted) => return slices::unbox(object, *given, *wanted, out),
                Unbox::Generator(class) if kind as usize == *class => return rng::unbox(object, out),
                // Who calls has compared the type.
                Unbox::Foreign(step) => out.write_bytes(0, step.words()),
                Unbox::Object => *out = object as u64 | 1,
                Unbox::Skip => {}
                _ => return None,
            }
            Some(self.words())
        }
    }
}

/// Converts as `int()`, `float()`, `complex()` or `bool()` would, so that fractions are cut off.
unsafe fn unbox_converted(step: &Unbox, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    // SAFETY: the caller is attached and passes a live object and room for the words.
    unsafe {
        let number = match step {
            Unbox::ToInt64 | Unbox::ToUInt64 => ffi::PyNumber_Long(object),
            Unbox::ToFloat64 | Unbox::Float32 | Unbox::Float16 => ffi::PyNumber_Float(object),
            Unbox::Bool => ffi::PyBool_FromLong(ffi::PyObject_IsTrue(object).into()),
            _ => {
                let value = ffi::PyComplex_AsCComplex(object);
                ffi::PyComplex_FromDoubles(value.real, value.imag)
            }
        };
        if number.is_null() || !ffi::PyErr_Occurred().is_null() {
            ffi::Py_XDECREF(number);
            return None;
        }
        let written = step.unbox(number, out);
        ffi::Py_DECREF(number);
        written
    }
}

unsafe fn unbox_optional(inner: &Unbox, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    // SAFETY: the caller is attached and passes a live object and room for the words.
    unsafe {
        let absent = object == ffi::Py_None();
        *out = u64::from(!absent);
        if absent {
            out.add(1).write_bytes(0, inner.words());
            Some(1 + inner.words())
        } else {
            Some(1 + inner.unbox(object, out.add(1))?)
        }
    }
}

unsafe fn unbox_keywords(elements: &[Unbox], object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    // SAFETY: the caller says that the thread is attached and the object alive.
    unsafe {
        let object = Bound::from_borrowed_ptr(Python::assume_attached(), object);
        let keywords = object.cast::<Keywords>().ok()?;
        unbox_elements(elements, keywords.get().values(object.py()).as_ptr(), out)
    }
}

unsafe fn unbox_closure(
    ty: Type,
    elements: &[Unbox],
    object: *mut ffi::PyObject,
    out: *mut u64,
) -> Option<usize> {
    // SAFETY: the caller says that the thread is attached and the object alive.
    unsafe {
        let object = Bound::from_borrowed_ptr(Python::assume_attached(), object);
        let closure = object.cast::<ClosureObject>().ok()?.get();
        if closure_object::type_of(&object) != Some(ty) {
            return None;
        }
        unbox_elements(elements, closure.parts(object.py()).as_ptr(), out)
    }
}

/// The parts of a value that is made of others: the elements of a tuple, the values of keyword arguments, what a function takes
/// along.
pub fn parts_of<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyTuple>> {
    if let Ok(tuple) = value.cast::<PyTuple>() {
        Some(tuple.clone())
    } else if let Ok(keywords) = value.cast::<Keywords>() {
        Some(keywords.get().values(value.py()).clone())
    } else {
        value.cast::<ClosureObject>().ok().map(|closure| closure.get().parts(value.py()).clone())
    }
}

unsafe fn unbox_elements(elements: &[Unbox], tuple: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    // SAFETY: the caller passes a live tuple and room for the words of all elements.
    unsafe {
        if ffi::PyTuple_GET_SIZE(tuple) as usize != elements.len() {
            return None;
        }
        let mut written = 0;
        for (index, element) in elements.iter().enumerate() {
            let item = ffi::PyTuple_GET_ITEM(tuple, index as ffi::Py_ssize_t);
            written += element.unbox(item, out.add(written))?;
        }
        Some(written)
    }
}

unsafe fn write_complex(object: *mut ffi::PyObject, out: *mut u64) {
    // SAFETY: the caller passes a `complex` and room for two words.
    unsafe {
        let value = (*object.cast::<ffi::PyComplexObject>()).cval;
        *out = value.real.to_bits();
        *out.add(1) = value.imag.to_bits();
    }
}

/// The value of a `float`, `int` or `bool`.
unsafe fn to_f64(object: *mut ffi::PyObject) -> Option<f64> {
    // SAFETY: the caller passes a live object; each type is looked at before its fields are.
    unsafe {
        let kind = ffi::Py_TYPE(object);
        if kind == &raw mut ffi::PyFloat_Type {
            return Some((*object.cast::<ffi::PyFloatObject>()).ob_fval);
        }
        if kind != &raw mut ffi::PyLong_Type && kind != &raw mut ffi::PyBool_Type {
            return None;
        }
        let value = ffi::PyLong_AsDouble(object);
        if value == -1.0 && !ffi::PyErr_Occurred().is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        Some(value)
    }
}

/// Writes the words of a member's value, which the member keeps alive.
///
/// # Safety
/// As for [`Unbox::unbox`].
unsafe fn unbox_member(step: &Unbox, member: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    Python::attach(|py| {
        // SAFETY: the caller's promise.
        unsafe {
            let member = Bound::from_borrowed_ptr(py, member);
            let value = member.getattr(intern!(py, "_value_"));
            step.unbox(value.map_err(|error| error.restore(py)).ok()?.as_ptr(), out)
        }
    })
}

/// The word of an object, if it is a container, generator or object of this type.
///
/// # Safety
/// The thread is attached to Python and the object alive.
pub(super) unsafe fn native_word(object: *mut ffi::PyObject, ty: Type) -> Option<u64> {
    // SAFETY: the caller's promise.
    let object = unsafe { Bound::from_borrowed_ptr(Python::assume_attached(), object) };
    objects::word_of(&object, ty)
        .or_else(|| typed_container::word_of(&object, ty))
        .or_else(|| generator::word_of(&object, ty))
}
