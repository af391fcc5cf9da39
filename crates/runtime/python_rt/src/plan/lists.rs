//! Conversion of lists: Python's items to compiled code's, and back.
//!
//! Absent: when lists are copied in and written back (`conversions`), which object a list is (`identity`).

use super::layout::Layout;
use super::unbox::MemberStep;
use super::{Boxing, BoxingCx, Unbox, identities};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyList, PyType};
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
    address: *const u8,
    before: *mut ffi::PyObject,
    words: &mut [u64],
) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise; the place holds an item of this layout.
    unsafe {
        let words = if layout.is_word() {
            address.cast::<u64>()
        } else {
            layout.read(address, words.as_mut_ptr());
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

/// Gives a new list as many numbers as it has room for, each made of a word by code that the loop knows; null with an exception set.
unsafe fn fill(
    list: *mut ffi::PyObject,
    words: *const u64,
    make: impl Fn(u64) -> *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: the caller's list is new and has no items, and there is a word for each.
    unsafe {
        for index in 0..ffi::PyList_GET_SIZE(list) {
            let item = make(words.add(index as usize).read());
            if item.is_null() {
                ffi::Py_DECREF(list);
                return item;
            }
            ffi::PyList_SET_ITEM(list, index, item);
        }
        list
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
                    identities::note(word, &raw mut (*ListHead::of(word)).origin, made);
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
    pub(super) unsafe fn new_object(&self, word: u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise.
        let (items, bound) = unsafe { (self.items(word, std::ptr::null_mut()), (*ListHead::of(word)).bound) };
        if !self.deque || items.is_null() {
            return items;
        }
        // SAFETY: the thread is attached, the list new.
        let py = unsafe { Python::assume_attached() };
        let items = unsafe { Bound::from_owned_ptr(py, items) };
        let maxlen = (bound > 0).then(|| bound - 1);
        match deque(py).and_then(|class| class.call1((items, maxlen))) {
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
            if before.is_null() && self.layout.is_word() {
                let items = (*head).items.cast::<u64>();
                match *self.item {
                    Boxing::Int64 => {
                        return fill(list, items, |word| ffi::PyLong_FromLongLong(word.cast_signed()));
                    }
                    Boxing::Float64 => {
                        return fill(list, items, |word| ffi::PyFloat_FromDouble(f64::from_bits(word)));
                    }
                    _ => {}
                }
            }
            let mut words = vec![0u64; self.layout.words().max(1)];
            for index in 0..(*head).len as ffi::Py_ssize_t {
                let address = (*head).items.add(index as usize * self.layout.size);
                // Making an item may run Python code, which may change that list.
                let known = if !before.is_null() && index < ffi::PyList_GET_SIZE(before) {
                    ffi::PyList_GET_ITEM(before, index)
                } else {
                    std::ptr::null_mut()
                };
                let item = make_item(&self.item, &self.layout, address, known, &mut words);
                if item.is_null() {
                    ffi::Py_DECREF(list);
                    return item;
                }
                ffi::PyList_SET_ITEM(list, index, item);
            }
            list
        }
    }

    /// Makes a Python list or deque equal to the list; nothing changes if an item cannot be made.
    ///
    /// # Safety
    /// The thread is attached to Python, the object alive and a list or a deque; the word is that of a list.
    pub(super) unsafe fn write_back(
        &self,
        py: Python<'_>,
        word: u64,
        object: *mut ffi::PyObject,
    ) -> PyResult<()> {
        // SAFETY: the caller's promise; the word is the address of a list, whose items have the layout of
        // these.
        unsafe {
            if self.deque {
                let object = Bound::from_borrowed_ptr(py, object);
                let before = items_of(&object)?;
                let items = Bound::from_owned_ptr_or_err(py, self.items(word, before.as_ptr()))?;
                object.call_method0("clear")?;
                object.call_method1("extend", (items,))?;
                return Ok(());
            }
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
    /// For lists or deques of this type, of which `value` is one.
    pub fn new(cx: &dyn BoxingCx, value: &Bound<'_, PyAny>, whole: Type) -> Option<ListStep> {
        let types = &cx.registries().types;
        let item = types.list_item(whole)?;
        let boxing = ListBoxing::new(cx, item)?;
        let boxing = if types.is_deque(whole) { boxing.of_deque() } else { boxing };
        let list = boxing.read(value).ok()?;
        let layout = cx.layout(item)?;
        // The first item that shows what there is may lie deeper than the first.
        let step = step_of_items(cx, &mut list.iter(), item)?;
        Some(ListStep { cx: cx.shared_cx(), item: Box::new(step), ty: item, whole, layout, boxing })
    }

    /// Whether objects of a class may become this list.
    pub(super) fn is_of_class(&self, class: *mut ffi::PyTypeObject) -> bool {
        // SAFETY: the thread is attached where values are converted.
        let py = unsafe { Python::assume_attached() };
        match self.boxing.deque {
            true => deque(py).is_ok_and(|deque| class == deque.as_type_ptr()),
            false => class == &raw mut ffi::PyList_Type,
        }
    }
}

/// The step for the items of a container, by the first that shows all there is to know; [`Unbox::Skip`] if none does.
pub(super) fn step_of_items<'py>(
    cx: &dyn BoxingCx,
    items: &mut dyn Iterator<Item = Bound<'py, PyAny>>,
    ty: Type,
) -> Option<Unbox> {
    let types = &cx.registries().types;
    if let Some(members) = types.union_members(types.without_none(ty)) {
        return union_step(cx, items, ty, &members);
    }
    // One object of several classes, or None, shows as much as another.
    let is_object = cx.registries().types.classes(cx.registries().types.without_none(ty)).is_some();
    let mut converted = None;
    let shown = items.filter(|value| !is_object || !value.is_none()).find_map(|value| {
        let found = cx.value_type(&value).ok()?;
        let is_present = found == types.without_none(ty);
        if found == ty || is_present || is_object {
            return Some((value, found));
        }
        if ty.is_int() && found.is_int() {
            converted.get_or_insert((value, found));
        }
        None
    });
    let shown = shown.or(converted);
    match shown {
        Some((shown, found)) => cx.unboxing(&shown, found, ty),
        None => Some(Unbox::Skip),
    }
}

/// The step for the items of a container that are of one of several types, by the first item of each.
fn union_step<'py>(
    cx: &dyn BoxingCx,
    items: &mut dyn Iterator<Item = Bound<'py, PyAny>>,
    ty: Type,
    members: &[Type],
) -> Option<Unbox> {
    let types = &cx.registries().types;
    let mut steps: Vec<Option<Unbox>> = vec![None; members.len()];
    for item in items {
        if steps.iter().all(Option::is_some) {
            break;
        }
        let Some(found) = cx.value_type(&item).ok().filter(|&found| found != Type::NONE) else { continue };
        let at = types.member_for(members, found)?;
        if steps[at].is_none() {
            steps[at] = cx.unboxing(&item, found, members[at]);
        }
    }
    let union = MemberStep::union(cx, members, steps);
    Some(if types.without_none(ty) == ty { union } else { Unbox::Optional(Box::new(union)) })
}

impl ListBoxing {
    /// The items of a Python list, which is that list, or of a deque, as they are now.
    pub(super) fn read<'py>(&self, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        match self.deque {
            true if is_deque(object) => items_of(object),
            true => Err(PyTypeError::new_err("a value that is no deque")),
            false => Ok(object.cast_exact::<PyList>()?.clone()),
        }
    }

    /// One more than the `maxlen` of a deque; 0 of one without and of a list.
    pub(super) fn bound_of(&self, object: &Bound<'_, PyAny>) -> PyResult<i64> {
        match self.deque {
            true => Ok(object.getattr("maxlen")?.extract::<Option<i64>>()?.map_or(0, |maxlen| maxlen + 1)),
            false => Ok(0),
        }
    }
}

fn deque(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "collections", "deque")
}

/// Whether an object is a `collections.deque`.
pub(super) fn is_deque(value: &Bound<'_, PyAny>) -> bool {
    deque(value.py()).is_ok_and(|class| value.get_type().is(class))
}

/// The items of a deque or a set as they are now.
pub(super) fn items_of<'py>(of: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
    // SAFETY: the object is alive.
    let list = unsafe { Bound::from_owned_ptr_or_err(of.py(), ffi::PySequence_List(of.as_ptr()))? };
    Ok(list.cast_into::<PyList>()?)
}
