//! Conversion of NumPy's arrays of objects: copied in when a call begins and written back after it, like lists.
//!
//! An array of compiled code is a list that holds the objects, and strides over its items. `rumba.boxing.object_arrays` deals with
//! NumPy's.

use super::layout::Layout;
use super::lists::{make_item, step_of_items};
use super::{Boxing, BoxingCx, Unbox};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use rt::list::ListHead;
use std::fmt;
use std::sync::Arc;
use types::{ArrayType, Type};

fn module(py: Python<'_>) -> PyResult<Bound<'_, PyModule>> {
    PyModule::import(py, "rumba.boxing.object_arrays")
}

/// The items of an array in the order of its rows.
pub(super) fn items_of<'py>(array: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    Ok(module(array.py())?.call_method1("items", (array,))?.cast_into::<PyList>()?)
}

/// How arrays of objects become NumPy's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectArrayBoxing {
    item: Box<Boxing>,
    layout: Layout,
    items: ArrayType,
    /// What is made may be written: assignments to a copy of what lives on would be lost.
    writeable: bool,
}

impl ObjectArrayBoxing {
    /// For arrays of this type.
    pub fn new(cx: &dyn BoxingCx, items: ArrayType) -> Option<ObjectArrayBoxing> {
        let layout = cx.layout(items.dtype)?;
        let boxing = if items.dtype == Type::UNDEFINED { Boxing::None } else { cx.boxing(items.dtype)? };
        Some(ObjectArrayBoxing { item: Box::new(boxing.nested()), layout, items, writeable: true })
    }

    /// The same where what is made may not be written.
    pub fn read_only(self) -> ObjectArrayBoxing {
        ObjectArrayBoxing { writeable: false, ..self }
    }

    /// How many words an array has.
    pub fn words(&self) -> usize {
        let ndim = usize::from(self.items.ndim);
        2 + ndim + if self.items.has_strides() { ndim } else { 0 }
    }

    /// The lengths of the dimensions, and the strides in bytes.
    unsafe fn geometry(&self, words: *const u64) -> (Vec<i64>, Vec<i64>) {
        let ndim = usize::from(self.items.ndim);
        // SAFETY: the caller passes as many words as [`Self::words`] says.
        let word = |at: usize| unsafe { (*words.add(at)).cast_signed() };
        let shape: Vec<i64> = (2..2 + ndim).map(word).collect();
        let strides = match self.items.has_strides() {
            true => (2 + ndim..2 + 2 * ndim).map(word).collect(),
            false => {
                let mut strides = vec![self.layout.size as i64; ndim];
                for at in (1..ndim).rev() {
                    strides[at - 1] = strides[at] * shape[at];
                }
                strides
            }
        };
        (shape, strides)
    }

    /// A new Python list of the items, those of a list in place of what is the same still; null with an exception set.
    unsafe fn list(&self, words: *const u64, before: Option<&Bound<'_, PyList>>) -> *mut ffi::PyObject {
        // SAFETY: the words are those of an array, whose items have this layout.
        unsafe {
            let (shape, strides) = self.geometry(words);
            let count: i64 = shape.iter().product();
            let list = ffi::PyList_New(count as ffi::Py_ssize_t);
            if list.is_null() {
                return list;
            }
            let data = *words.add(1) as *const u8;
            let mut room = vec![0u64; self.layout.words().max(1)];
            let mut at = vec![0i64; shape.len()];
            for number in 0..count {
                let offset: i64 = at.iter().zip(&strides).map(|(at, stride)| at * stride).sum();
                let known = before
                    .filter(|list| (number as usize) < list.len())
                    .map_or(std::ptr::null_mut(), |list| {
                        ffi::PyList_GET_ITEM(list.as_ptr(), number as ffi::Py_ssize_t)
                    });
                let address = data.offset(offset as isize);
                let item = make_item(&self.item, &self.layout, address, known, &mut room);
                if item.is_null() {
                    ffi::Py_DECREF(list);
                    return item;
                }
                ffi::PyList_SET_ITEM(list, number as ffi::Py_ssize_t, item);
                for axis in (0..shape.len()).rev() {
                    at[axis] += 1;
                    if at[axis] < shape[axis] {
                        break;
                    }
                    at[axis] = 0;
                }
            }
            list
        }
    }

    /// Whether the words are those of all items of what is a copy of an array of Python: that array.
    unsafe fn origin(&self, words: *const u64) -> *mut ffi::PyObject {
        // SAFETY: the owner of the words is the list that holds the items.
        unsafe {
            let head = &*ListHead::of(*words);
            let (shape, strides) = self.geometry(words);
            let whole = head.items as u64 == *words.add(1) && shape.iter().product::<i64>() == head.len;
            let object: *mut ffi::PyObject = head.origin.cast();
            if object.is_null() || !whole {
                return std::ptr::null_mut();
            }
            let array = Bound::from_borrowed_ptr(Python::assume_attached(), object);
            let dense = ObjectArrayBoxing { items: self.items.with_layout(types::Layout::C), ..self.clone() };
            let is_same = array.getattr("shape").and_then(|own| own.eq(PyTuple::new(array.py(), &shape)?));
            match is_same {
                Ok(true) if dense.geometry(words).1 == strides => object,
                Ok(_) => std::ptr::null_mut(),
                Err(_) => {
                    ffi::PyErr_Clear();
                    std::ptr::null_mut()
                }
            }
        }
    }

    /// A new reference, or null with an exception set; the count of the owner is released.
    ///
    /// # Safety
    /// The thread is attached to Python; the words are those of such an array.
    pub unsafe fn make(&self, words: *const u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise.
        unsafe {
            let origin = self.origin(words);
            if !origin.is_null() {
                ffi::Py_INCREF(origin);
                rt::decref(*words);
                return origin;
            }
            let py = Python::assume_attached();
            let list = self.list(words, None);
            let made = Bound::from_owned_ptr_or_err(py, list).and_then(|list| {
                let shape = PyTuple::new(py, self.geometry(words).0)?;
                module(py)?.call_method1("array", (shape, list, self.writeable))
            });
            rt::decref(*words);
            match made {
                Ok(made) => made.into_ptr(),
                Err(error) => {
                    error.restore(py);
                    std::ptr::null_mut()
                }
            }
        }
    }

    /// Puts what changed into an array of Python.
    ///
    /// # Safety
    /// The thread is attached to Python; the word is that of the list which the array was copied to.
    pub(super) unsafe fn write_back(&self, word: u64, array: &Bound<'_, PyAny>) -> PyResult<()> {
        let before = items_of(array)?;
        // SAFETY: the caller's promise.
        let list = unsafe {
            let head = &*ListHead::of(word);
            let flat = ArrayType { ndim: 1, layout: types::Layout::C, ..self.items };
            let flat = ObjectArrayBoxing { items: flat.with_layout(types::Layout::C), ..self.clone() };
            let words = [word, head.items as u64, head.len.cast_unsigned()];
            Bound::from_owned_ptr_or_err(array.py(), flat.list(words.as_ptr(), Some(&before)))?
        };
        module(array.py())?.call_method1("write_back", (array, before, list))?;
        Ok(())
    }
}

/// How NumPy's arrays of objects become those of compiled code.
#[derive(Clone)]
pub struct ObjectArrayStep {
    pub(super) cx: Arc<dyn BoxingCx>,
    pub(super) item: Box<Unbox>,
    pub(super) items: ArrayType,
    pub(super) whole: Type,
    pub(super) layout: Layout,
    pub(super) boxing: ObjectArrayBoxing,
}

impl PartialEq for ObjectArrayStep {
    fn eq(&self, other: &Self) -> bool {
        self.item == other.item && self.whole == other.whole
    }
}

impl Eq for ObjectArrayStep {}

impl fmt::Debug for ObjectArrayStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ObjectArrayStep({:?})", self.whole)
    }
}

impl ObjectArrayStep {
    /// For arrays of this type, of which `value` is one.
    pub fn new(cx: &dyn BoxingCx, value: &Bound<'_, PyAny>, whole: Type) -> Option<ObjectArrayStep> {
        let items = cx.registries().types.items_of_object_array(whole)?;
        let list = items_of(value).ok()?;
        let step = step_of_items(cx, &mut list.iter(), items.dtype)?;
        Some(ObjectArrayStep {
            cx: cx.shared_cx(),
            item: Box::new(step),
            items,
            whole,
            layout: cx.layout(items.dtype)?,
            boxing: ObjectArrayBoxing::new(cx, items)?,
        })
    }

    /// How many words an array has: as it is copied, no strides are needed.
    pub fn words(&self) -> usize {
        2 + usize::from(self.items.ndim)
    }

    /// Whether an object may become such an array.
    pub(super) fn takes(&self, object: &Bound<'_, PyAny>) -> bool {
        let is_such = || {
            let ndim: usize = object.getattr("ndim")?.extract()?;
            let dtype = object.getattr("dtype")?.getattr("kind")?;
            Ok::<bool, PyErr>(ndim == usize::from(self.items.ndim) && dtype.eq("O")?)
        };
        crate::values::ndarray::is_array(object) && is_such().unwrap_or(false)
    }
}
