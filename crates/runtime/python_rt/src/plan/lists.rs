//! Conversion of lists: Python's items to compiled code's, and back.
//!
//! Absent: when lists are copied in and written back (`conversions`), which object a list is (`identity`).

use super::layout::Layout;
use super::{Boxing, BoxingCx, Unbox, identity};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rt::list::ListHead;
use std::fmt;
use std::sync::Arc;
use types::Type;

/// A new reference to the item in a place of a container, or null with an exception set: what stood there before, if that
/// is the item still.
///
/// # Safety
/// The thread is attached to Python, `before` alive or null; `words` has room.
pub(super) unsafe fn make_item(
    boxing: &Boxing,
    layout: &Layout,
    place: *const u8,
    before: *mut ffi::PyObject,
    words: &mut [u64],
) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise; the place holds an item of this layout.
    unsafe {
        let words = if layout.is_word() {
            place.cast::<u64>()
        } else {
            layout.read(place, words.as_mut_ptr());
            words.as_ptr()
        };
        if !before.is_null() && boxing.shows(before, words) {
            ffi::Py_INCREF(before);
            return before;
        }
        layout.retain(words);
        boxing.make(words)
    }
}

/// How the items of a list become Python's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListBoxing {
    item: Box<Boxing>,
    layout: Layout,
    /// Whether it is a `collections.deque`.
    deque: bool,
    /// It is shown as it is now, also if it will be written back to a list of Python.
    fresh: bool,
    /// Holders that a list has of which only one place tells.
    alone: usize,
}

impl ListBoxing {
    /// How lists of items of this type are made.
    pub fn new(cx: &dyn BoxingCx, item: Type) -> Option<ListBoxing> {
        let layout = cx.layout(item)?;
        let boxing = if item == Type::UNDEFINED { Boxing::None } else { cx.boxing(item)? };
        let item = Box::new(boxing.nested());
        Some(ListBoxing { item, layout, deque: false, fresh: false, alone: 1 })
    }

    /// The same for a `collections.deque`.
    pub fn of_deque(self) -> ListBoxing {
        ListBoxing { deque: true, ..self }
    }

    /// The same for a list that is shown as it is now.
    pub fn fresh(self) -> ListBoxing {
        ListBoxing { item: Box::new(self.item.fresh()), fresh: true, ..self }
    }

    /// The same for a list in another container.
    pub(super) fn nested(self) -> ListBoxing {
        ListBoxing { alone: 2, ..self }
    }

    /// How the items become Python's.
    pub(super) fn item(&self) -> &Boxing {
        &self.item
    }

    /// What a list is a copy of; null of others.
    pub(super) unsafe fn origin(&self, word: u64) -> *mut ffi::PyObject {
        // SAFETY: the caller says that the word is that of a list.
        unsafe { (*ListHead::of(word)).origin.cast() }
    }

    /// A new reference, or null with an exception set; the word's count is released.
    ///
    /// # Safety
    /// The thread is attached to Python; the word is that of a list.
    pub unsafe fn make(&self, word: u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise; the word is the address of a list, whose items have the layout of
        // these.
        unsafe {
            let origin = self.origin(word);
            let made = if self.fresh {
                self.new_object(word)
            } else if origin.is_null() {
                let made = self.new_object(word);
                if !made.is_null() && rt::holders(word) > self.alone {
                    identity::note(word, &raw mut (*ListHead::of(word)).origin, made);
                }
                made
            } else {
                ffi::Py_INCREF(origin);
                origin
            };
            rt::decref(word);
            made
        }
    }

    /// A new list or deque of the items; null with an exception set.
    unsafe fn new_object(&self, word: u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise.
        let (items, bound) = unsafe { (self.items(word, std::ptr::null_mut()), (*ListHead::of(word)).bound) };
        if !self.deque || items.is_null() {
            return items;
        }
        // SAFETY: the thread is attached, the list new.
        let py = unsafe { Python::assume_attached() };
        let items = unsafe { Bound::from_owned_ptr(py, items) };
        let maxlen = (bound > 0).then(|| bound - 1);
        let class = py.import("collections").and_then(|module| module.getattr("deque"));
        match class.and_then(|class| class.call1((items, maxlen))) {
            Ok(deque) => deque.into_ptr(),
            Err(error) => {
                error.restore(py);
                std::ptr::null_mut()
            }
        }
    }

    /// A new Python list of the items, those of a list in place of what is still the same.
    pub(super) unsafe fn items(&self, word: u64, before: *mut ffi::PyObject) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise; the word is the address of a list, whose items have the layout of
        // these.
        unsafe {
            let head = ListHead::of(word);
            let list = ffi::PyList_New((*head).len as ffi::Py_ssize_t);
            if list.is_null() {
                return list;
            }
            let mut words = vec![0u64; self.layout.words().max(1)];
            for index in 0..(*head).len as ffi::Py_ssize_t {
                let place = (*head).items.add(index as usize * self.layout.size);
                // Making an item may run Python code, which may change that list.
                let known = if !before.is_null() && index < ffi::PyList_GET_SIZE(before) {
                    ffi::PyList_GET_ITEM(before, index)
                } else {
                    std::ptr::null_mut()
                };
                let item = make_item(&self.item, &self.layout, place, known, &mut words);
                if item.is_null() {
                    ffi::Py_DECREF(list);
                    return item;
                }
                ffi::PyList_SET_ITEM(list, index, item);
            }
            list
        }
    }

    /// Makes a Python list equal to the list; nothing changes if an item cannot be made.
    ///
    /// # Safety
    /// The thread is attached to Python, the object alive and a list; the word is that of a list.
    pub(super) unsafe fn write_back(
        &self,
        py: Python<'_>,
        word: u64,
        object: *mut ffi::PyObject,
    ) -> PyResult<()> {
        // SAFETY: the caller's promise; the word is the address of a list, whose items have the layout of
        // these.
        unsafe {
            let items = Bound::from_owned_ptr_or_err(py, self.items(word, object))?;
            if ffi::PyList_SetSlice(object, 0, ffi::PY_SSIZE_T_MAX, items.as_ptr()) != 0 {
                return Err(PyErr::fetch(py));
            }
        }
        Ok(())
    }
}

/// How the items of a Python list become those of compiled code's.
#[derive(Clone)]
pub struct ListStep {
    pub(super) cx: Arc<dyn BoxingCx>,
    pub(super) item: Box<Unbox>,
    /// The type of an item, and that of the list.
    pub(super) ty: Type,
    pub(super) whole: Type,
    pub(super) layout: Layout,
    pub(super) boxing: ListBoxing,
}

impl PartialEq for ListStep {
    fn eq(&self, other: &Self) -> bool {
        self.item == other.item && self.ty == other.ty
    }
}

impl Eq for ListStep {}

impl fmt::Debug for ListStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ListStep({:?})", self.ty)
    }
}

impl ListStep {
    /// For lists of items of this type, of which `value` is one.
    pub fn new(cx: &dyn BoxingCx, value: &Bound<'_, PyAny>, item: Type) -> Option<ListStep> {
        let list = value.cast_exact::<PyList>().ok()?;
        let types = &cx.registries().types;
        let layout = cx.layout(item)?;
        // The first item that shows what there is may lie deeper than the first.
        let shown = list.iter().find(|value| cx.value_type(value).is_ok_and(|ty| ty == item));
        let step = match &shown {
            Some(shown) => cx.unboxing(shown, item, item)?,
            None => Unbox::Skip,
        };
        let boxing = ListBoxing::new(cx, item)?;
        let whole = types.list(item);
        Some(ListStep { cx: cx.shared_cx(), item: Box::new(step), ty: item, whole, layout, boxing })
    }
}
