//! Conversion of dicts and sets: copied in when a call begins, and written back if they changed, like lists (`lists`).
//!
//! A dict created in compiled code is returned as a typed container (`values::typed_container`), a set, a `Counter`, an
//! `OrderedDict` and a `defaultdict` as Python's.

use super::layout::{Entries, KEY_AT};
use super::lists::{items_of, make_item, step_of_items};
use super::table_class::{self, Factory, TableClass};
use super::unbox::native_word;
use super::{Boxing, BoxingCx, Unbox, identities};
use crate::values::typed_container;
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use rt::hash_table::TableHead;
use std::fmt;
use std::sync::Arc;
use types::{Type, TypeData};

/// How dicts or sets become Python's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableBoxing {
    ty: Type,
    /// Of a `dict`: the class whose objects hold one that was made in compiled code.
    class: Option<&'static str>,
    python: TableClass,
    /// How a `defaultdict`'s factory is made that is a compiled function.
    factory: Option<Box<Boxing>>,
    key: Box<Boxing>,
    value: Box<Boxing>,
    entries: Entries,
    /// It is shown as it is now, also if it will be written back to a dict or set of Python.
    fresh: bool,
    /// Holders that a table has of which only one place tells.
    alone: usize,
}

impl TableBoxing {
    /// The same for a table that is shown as it is now.
    pub fn fresh(self) -> TableBoxing {
        let (key, value) = (Box::new(self.key.fresh()), Box::new(self.value.fresh()));
        TableBoxing { key, value, fresh: true, ..self }
    }

    /// The same for a table in another container.
    pub(super) fn nested(self) -> TableBoxing {
        TableBoxing { alone: 2, ..self }
    }

    /// Whether these are frozen sets, which nobody changes.
    pub(super) fn is_frozen(&self) -> bool {
        self.python == TableClass::FrozenSet
    }

    /// How many places of it are containers that become new objects (`identity`).
    pub(super) fn slots(&self) -> usize {
        1 + 2 * (self.key.slots() + self.value.slots())
    }

    /// What a table is a copy of; null of others.
    pub(super) unsafe fn origin(&self, word: u64) -> *mut ffi::PyObject {
        // SAFETY: the caller says that the word is that of a table.
        unsafe { (*TableHead::of(word)).origin.cast() }
    }

    /// Whether an object is this table: what it is a copy of, or what holds it.
    pub(super) unsafe fn is_object(&self, word: u64, object: *mut ffi::PyObject) -> bool {
        // SAFETY: the same; the object is alive.
        unsafe {
            self.origin(word) == object || self.class.is_some() && native_word(object, self.ty) == Some(word)
        }
    }

    /// How values of this type are made.
    pub fn new(cx: &dyn BoxingCx, ty: Type) -> Option<TableBoxing> {
        let boxing = |part: Type| match part {
            Type::UNDEFINED => Some(Boxing::None),
            _ => cx.boxing(part),
        };
        let (key, value) = match cx.registries().types.get(ty) {
            TypeData::Dict { key, value, .. } => (boxing(key)?, boxing(value)?),
            TypeData::Set { item, .. } => (boxing(item)?, Boxing::None),
            _ => return None,
        };
        let entries = cx.entries(ty)?;
        let class = typed_container::class_of(cx.registries(), ty);
        let types = &cx.registries().types;
        let python = TableClass::of(types, ty)?;
        let factory = match (&python, types.missing(ty)) {
            (TableClass::DefaultDict(Factory::Compiled), Some(factory)) => {
                Some(Box::new(cx.boxing(factory)?))
            }
            _ => None,
        };
        let (key, value) = (Box::new(key.nested()), Box::new(value.nested()));
        Some(TableBoxing { ty, class, python, factory, key, value, entries, fresh: false, alone: 1 })
    }

    /// A new reference, or null with an exception set; the word's count is released.
    ///
    /// # Safety
    /// The thread is attached to Python; the word is that of such a table.
    pub unsafe fn make(&self, word: u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise; the word is the address of a table, whose entries have these layouts.
        unsafe {
            let origin = self.origin(word);
            if !self.fresh && !origin.is_null() {
                ffi::Py_INCREF(origin);
                rt::decref(word);
                return origin;
            }
            rt::incref(word);
            let made = match self.class {
                Some(class) if !self.fresh => typed_container::make(class, word, self.ty),
                _ => {
                    let made = self.items(word, std::ptr::null_mut());
                    rt::decref(word);
                    made
                }
            };
            let others = rt::holders(word) - usize::from(self.class.is_some() && !self.fresh);
            if !self.fresh && !made.is_null() && others > self.alone {
                identities::note(word, &raw mut (*TableHead::of(word)).origin, made);
            }
            rt::decref(word);
            made
        }
    }

    /// A new dict or set of Python with the items, those of a dict or set in place of what is still the same.
    unsafe fn items(&self, word: u64, before: *mut ffi::PyObject) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise; the word is the address of a table, whose entries have these layouts.
        unsafe {
            let made = match self.new_object(Python::assume_attached()) {
                Ok(made) => made.into_ptr(),
                Err(error) => {
                    error.restore(Python::assume_attached());
                    return std::ptr::null_mut();
                }
            };
            let mut known = match PythonEntries::of(before) {
                Ok(known) => known,
                Err(error) => {
                    ffi::Py_XDECREF(made);
                    error.restore(Python::assume_attached());
                    return std::ptr::null_mut();
                }
            };
            let head = TableHead::of(word);
            let mut words = vec![0u64; self.key.words().max(self.value.words()).max(1)];
            for entry in (*head).live() {
                if !self.put(made, entry, &mut known, &mut words) {
                    ffi::Py_DECREF(made);
                    return std::ptr::null_mut();
                }
            }
            match self.python {
                TableClass::FrozenSet => {
                    let frozen = ffi::PyFrozenSet_New(made);
                    ffi::Py_DECREF(made);
                    frozen
                }
                _ => made,
            }
        }
    }

    /// A new object of Python's without items.
    fn new_object<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.python.new_object(py, || match &self.factory {
            // SAFETY: the thread is attached; a function without captured variables has no words.
            Some(factory) => unsafe { Bound::from_owned_ptr_or_err(py, factory.make(std::ptr::null())) },
            None => Ok(py.None().into_bound(py)),
        })
    }

    /// Puts an entry into Python's container; whether that worked.
    unsafe fn put(
        &self,
        into: *mut ffi::PyObject,
        entry: *mut u8,
        known: &mut PythonEntries<'_>,
        words: &mut [u64],
    ) -> bool {
        // SAFETY: the caller passes an entry of the table and room for the words of its key and value.
        unsafe {
            self.entries.key.read(entry.add(KEY_AT), words.as_mut_ptr());
            let [old_key, old_value] = known.find(|object| self.key.shows(object, words.as_ptr()));
            let key = make_item(&self.key, &self.entries.key, entry.add(KEY_AT), old_key, words);
            if key.is_null() {
                return false;
            }
            if self.python.is_set() {
                let outcome = ffi::PySet_Add(into, key);
                ffi::Py_DECREF(key);
                return outcome == 0;
            }
            let value_address = entry.add(self.entries.value_at);
            let value = make_item(&self.value, &self.entries.value, value_address, old_value, words);
            let outcome = match &self.python {
                _ if value.is_null() => -1,
                TableClass::OrderedDict => ffi::PyObject_SetItem(into, key, value),
                _ => ffi::PyDict_SetItem(into, key, value),
            };
            ffi::Py_DECREF(key);
            ffi::Py_XDECREF(value);
            outcome == 0
        }
    }

    /// Makes a Python dict or set equal to the table; nothing changes if an item cannot be made.
    ///
    /// # Safety
    /// The thread is attached to Python, the object alive and of the right class.
    pub(crate) unsafe fn write_back(
        &self,
        py: Python<'_>,
        word: u64,
        object: *mut ffi::PyObject,
    ) -> PyResult<()> {
        // SAFETY: the caller's promise; the word is the address of a table, whose entries have these layouts.
        unsafe {
            let items = Bound::from_owned_ptr_or_err(py, self.items(word, object))?;
            let outcome = if !self.python.is_set() && self.python != TableClass::OrderedDict {
                ffi::PyDict_Clear(object);
                ffi::PyDict_Update(object, items.as_ptr())
            } else {
                let object = Bound::from_borrowed_ptr(py, object);
                object.call_method0("clear")?;
                object.call_method1("update", (items,))?;
                0
            };
            if outcome != 0 {
                return Err(PyErr::fetch(py));
            }
        }
        Ok(())
    }
}

/// What a dict or set of Python holds that is to be made again. Entries of a table that were copied in come in that order, and those
/// that were added after them.
struct PythonEntries<'py> {
    keys: Option<Bound<'py, PyList>>,
    values: Option<Bound<'py, PyList>>,
    next: usize,
}

impl PythonEntries<'_> {
    /// Of an object that is null or a dict or a set.
    unsafe fn of<'py>(object: *mut ffi::PyObject) -> PyResult<PythonEntries<'py>> {
        if object.is_null() {
            return Ok(PythonEntries { keys: None, values: None, next: 0 });
        }
        // SAFETY: the caller says that it is alive and the thread attached.
        let object = unsafe { Bound::from_borrowed_ptr(Python::assume_attached(), object) };
        let (keys, values) = match object.cast::<PyDict>() {
            Ok(dict) => {
                let (keys, values) = table_class::keys_and_values(dict)?;
                (keys, Some(values))
            }
            Err(_) => (items_of(&object)?, None),
        };
        Ok(PythonEntries { keys: Some(keys), values, next: 0 })
    }

    /// The next key that is the one asked for and what was there under it, or nulls.
    unsafe fn find(&mut self, is_key: impl Fn(*mut ffi::PyObject) -> bool) -> [*mut ffi::PyObject; 2] {
        let nothing = [std::ptr::null_mut(); 2];
        let Some(keys) = &self.keys else { return nothing };
        let at = |list: &Bound<'_, PyList>, index: usize| {
            // SAFETY: the lists are nobody else's, and as long as they were.
            unsafe { ffi::PyList_GET_ITEM(list.as_ptr(), index as ffi::Py_ssize_t) }
        };
        let found = (self.next..keys.len()).find(|&index| is_key(at(keys, index)));
        self.next = found.map_or(keys.len(), |index| index + 1);
        found.map_or(nothing, |index| {
            [at(keys, index), self.values.as_ref().map_or(std::ptr::null_mut(), |values| at(values, index))]
        })
    }
}

/// How Python's dicts or sets become compiled code's.
#[derive(Clone)]
pub struct TableStep {
    pub(super) cx: Arc<dyn BoxingCx>,
    pub(super) key: Box<Unbox>,
    pub(super) value: Box<Unbox>,
    /// Types of keys and values.
    pub(super) types: [Type; 2],
    pub(super) ty: Type,
    pub(crate) is_dict: bool,
    pub(super) entries: Entries,
    pub(super) boxing: TableBoxing,
}

impl PartialEq for TableStep {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key && self.value == other.value && self.ty == other.ty
    }
}

impl Eq for TableStep {}

impl fmt::Debug for TableStep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "TableStep({:?})", self.ty)
    }
}

impl TableStep {
    /// For dicts or sets of this type, of which `value` is one.
    pub fn new(cx: &dyn BoxingCx, value: &Bound<'_, PyAny>, ty: Type) -> Option<TableStep> {
        let types = &cx.registries().types;
        let step = |mut items: Box<dyn Iterator<Item = Bound<'_, PyAny>> + '_>, part: Type| {
            step_of_items(cx, &mut items, part)
        };
        let (key, value, parts) = match types.get(ty) {
            TypeData::Dict { key, value: held, .. } => {
                let dict = value.cast::<PyDict>().ok()?;
                let (keys, values) = table_class::keys_and_values(dict).ok()?;
                (step(Box::new(keys.iter()), key)?, step(Box::new(values.iter()), held)?, [key, held])
            }
            TypeData::Set { item, .. } => {
                let items = table_class::is_set(value).then(|| items_of(value).ok()).flatten()?;
                (step(Box::new(items.iter()), item)?, Unbox::None, [item, Type::NONE])
            }
            _ => return None,
        };
        Some(TableStep {
            cx: cx.shared_cx(),
            key: Box::new(key),
            value: Box::new(value),
            types: parts,
            ty,
            is_dict: matches!(types.get(ty), TypeData::Dict { .. }),
            entries: cx.entries(ty)?,
            boxing: TableBoxing::new(cx, ty)?,
        })
    }

    /// Whether objects of a class may become this table.
    pub(super) fn is_of_class(&self, class: *mut ffi::PyTypeObject) -> bool {
        self.boxing.python.is(class)
    }

    /// The keys and values of a Python dict, or the items of a set, as they are now.
    pub fn items<'py>(
        &self,
        object: &Bound<'py, PyAny>,
    ) -> PyResult<(Bound<'py, PyList>, Option<Bound<'py, PyList>>)> {
        Ok(match self.is_dict {
            true => {
                let dict = object.cast::<PyDict>()?;
                let types = &self.cx.registries().types;
                let given = table_class::empty(types, dict, |factory| self.cx.value_type(factory))?;
                if types.with_contents(self.ty, &[Type::UNDEFINED; 2]) != Some(given) {
                    return Err(PyTypeError::new_err("a dict of another class"));
                }
                let (keys, values) = table_class::keys_and_values(dict)?;
                (keys, Some(values))
            }
            false if self.boxing.python.is(object.get_type_ptr()) => (items_of(object)?, None),
            false => return Err(PyTypeError::new_err("a set of another class")),
        })
    }
}
