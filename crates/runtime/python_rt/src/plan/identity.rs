//! Object identity of results: one object per container, and the caller's object where nothing changed.
//!
//! | compiled code | Python |
//! |---|---|
//! | a container that several places refer to | one object |
//! | an item that is what it was when its container was copied in | the object that it was |
//! | a list, dict or set that was copied in | what it is a copy of (`ListHead::origin`) |
//!
//! Absent: what is copied, and when it is written back (`conversions`).

use super::boxing::chosen;
use super::scalars::scalar_content;
use super::unbox::native_word;
use super::{Boxing, mirrors};
use crate::values::int_object;
use crate::values::str_object;
use pyo3::ffi;

impl Boxing {
    /// How many places of a value are containers that become new objects, as far as that is known; two stand for many.
    pub(super) fn slots(&self) -> usize {
        let all = |elements: &[Boxing]| elements.iter().map(Boxing::slots).sum();
        match self {
            Boxing::Items(list) => 1 + 2 * list.item().slots(),
            Boxing::Table(table) => table.slots(),
            Boxing::Tuple(elements)
            | Boxing::List(elements)
            | Boxing::NamedTuple(_, elements)
            | Boxing::TaggedUnion(elements) => all(elements),
            Boxing::Dict(_, values) => all(values),
            Boxing::Optional(inner) => inner.slots(),
            _ => 0,
        }
    }

    /// The same for a result of a call: one container that it refers to twice becomes one object.
    pub fn as_result(self) -> Boxing {
        if self.slots() > 1 { Boxing::Shared(Box::new(self)) } else { self }
    }

    /// The same inside a container, which holds what is made once itself.
    pub(super) fn nested(self) -> Boxing {
        let all = |elements: Box<[Boxing]>| elements.into_iter().map(Boxing::nested).collect();
        match self {
            Boxing::Items(list) => Boxing::Items(list.nested()),
            Boxing::Table(table) => Boxing::Table(Box::new(table.nested())),
            Boxing::Tuple(elements) => Boxing::Tuple(all(elements)),
            Boxing::List(elements) => Boxing::List(all(elements)),
            Boxing::NamedTuple(class, elements) => Boxing::NamedTuple(class, all(elements)),
            Boxing::TaggedUnion(members) => Boxing::TaggedUnion(all(members)),
            Boxing::Optional(inner) => Boxing::Optional(Box::new(inner.nested())),
            other => other,
        }
    }

    /// Whether an object is what the words would become, so that it stays where it is. Runs no Python code.
    ///
    /// # Safety
    /// The thread is attached to Python, the object alive; `words` has what [`Self::words`] says.
    pub(super) unsafe fn shows(&self, object: *mut ffi::PyObject, words: *const u64) -> bool {
        // SAFETY: the caller's promise; each type is looked at before its fields are.
        unsafe {
            let kind = ffi::Py_TYPE(object);
            match self {
                Boxing::None => object == ffi::Py_None(),
                Boxing::Bool if kind == &raw mut ffi::PyBool_Type => {
                    (object == ffi::Py_True()) == (*words & 1 != 0)
                }
                Boxing::Int64 if kind == &raw mut ffi::PyLong_Type => {
                    int_object::to_i64(object) == Some(*words as i64)
                }
                Boxing::Float64 if kind == &raw mut ffi::PyFloat_Type => {
                    (*object.cast::<ffi::PyFloatObject>()).ob_fval.to_bits() == *words
                }
                Boxing::Text if kind == &raw mut ffi::PyUnicode_Type => str_object::is_same(object, words),
                Boxing::Bool
                | Boxing::Int64
                | Boxing::NarrowInt(_)
                | Boxing::UInt64
                | Boxing::Float16
                | Boxing::Float32
                | Boxing::Float64
                | Boxing::Complex64
                | Boxing::Complex128 => shows_scalar(object, words),
                Boxing::Items(list) => list.origin(*words) == object,
                Boxing::Table(table) => table.is_object(*words, object),
                Boxing::Native(_, ty) | Boxing::Instance(_, ty) => native_word(object, *ty) == Some(*words),
                Boxing::Mirror(..) => mirrors::shows(object, *words),
                Boxing::Union(members) => members[*words as usize].shows(object, words.add(1)),
                Boxing::TaggedUnion(members) => {
                    let (member, words) = chosen(members, words);
                    member.shows(object, words)
                }
                Boxing::Array(array) => array.shows(object, words),
                Boxing::Buffer(buffer) => buffer.shows(object, words),
                Boxing::Item(item) => item.shows(object, words),
                Boxing::Optional(_) if *words & 1 == 0 => object == ffi::Py_None(),
                Boxing::Optional(inner) => inner.shows(object, words.add(1)),
                Boxing::Tuple(elements) if kind == &raw mut ffi::PyTuple_Type => {
                    all_show(elements, object, words)
                }
                Boxing::NamedTuple(class, elements) if kind as usize == *class => {
                    all_show(elements, object, words)
                }
                _ => false,
            }
        }
    }
}

/// Whether a scalar of NumPy has this content.
unsafe fn shows_scalar(object: *mut ffi::PyObject, words: *const u64) -> bool {
    // SAFETY: the caller passes a live object; a scalar has at most two words.
    unsafe {
        let Some(content) = scalar_content(object) else { return false };
        let mut found = [0u64; 2];
        content.read(object, found.as_mut_ptr());
        let mask = u64::MAX >> (64 - content.bits());
        (0..content.words()).all(|part| (found[part] ^ *words.add(part)) & mask == 0)
    }
}

unsafe fn all_show(elements: &[Boxing], tuple: *mut ffi::PyObject, mut words: *const u64) -> bool {
    // SAFETY: the caller passes a live tuple and the words of all elements.
    unsafe {
        let is_as_long = ffi::PyTuple_GET_SIZE(tuple) as usize == elements.len();
        is_as_long
            && elements.iter().enumerate().all(|(index, element)| {
                let shown = element.shows(ffi::PyTuple_GET_ITEM(tuple, index as ffi::Py_ssize_t), words);
                words = words.add(element.words());
                shown
            })
    }
}
