//! Lists and dicts of compiled code that are passed to a Python function, which may modify them.
//!
//! A list becomes Python's for the call: the one that it is a copy of, or a new one. After the call its items are read again. A dict
//! is held by an object of `rumba.typed`.

use super::conversions::Conversions;
use super::lists::ListBoxing;
use super::{Boxing, BoxingCx, Unbox};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rt::list::ListHead;
use std::mem::swap;
use types::Type;

/// The lists that one call is passed.
#[derive(Default)]
pub(crate) struct BorrowedLists<'py>(Vec<BorrowedList<'py>>);

/// A list, of which one count is held, and the object that stands for it.
struct BorrowedList<'py> {
    word: u64,
    ty: Type,
    object: Bound<'py, PyAny>,
}

impl<'py> BorrowedLists<'py> {
    /// The object of an argument, whose words are used up.
    ///
    /// # Safety
    /// The words are those of a value of this type, which is boxed so.
    pub unsafe fn object(
        &mut self,
        py: Python<'py>,
        boxing: &Boxing,
        ty: Type,
        words: *const u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        // SAFETY: the caller's promise.
        unsafe {
            match boxing {
                Boxing::Items(list) => self.lend(py, list, ty, *words),
                Boxing::Table(table) if !table.origin(*words).is_null() && !table.is_frozen() => {
                    rt::decref(*words);
                    let what = "a dict or set of Python's that compiled code has a copy of cannot be passed back to Python code: \
                                pass a container of rumba.typed";
                    Err(PyTypeError::new_err(what))
                }
                _ => Bound::from_owned_ptr_or_err(py, boxing.make(words)),
            }
        }
    }

    unsafe fn lend(
        &mut self,
        py: Python<'py>,
        boxing: &ListBoxing,
        ty: Type,
        word: u64,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(known) = self.0.iter().find(|list| list.word == word) {
            rt::decref(word);
            return Ok(known.object.clone());
        }
        // SAFETY: the caller's promise.
        let made = unsafe {
            let origin = boxing.origin(word);
            if origin.is_null() {
                Bound::from_owned_ptr_or_err(py, boxing.new_object(word))
            } else {
                boxing.write_back(py, word, origin).map(|()| Bound::from_borrowed_ptr(py, origin))
            }
        };
        match made {
            Ok(object) => {
                self.0.push(BorrowedList { word, ty, object: object.clone() });
                Ok(object)
            }
            Err(error) => {
                rt::decref(word);
                Err(error)
            }
        }
    }

    /// Reads what the lists hold after the call.
    pub(crate) fn take_back(self, cx: &dyn BoxingCx) -> PyResult<()> {
        let mut outcome = Ok(());
        for list in self.0 {
            // SAFETY: the list is held until it is read.
            let read = unsafe { list.read(cx) };
            outcome = std::mem::replace(&mut outcome, Ok(())).and(read);
            rt::decref(list.word);
        }
        outcome
    }
}

impl BorrowedList<'_> {
    unsafe fn read(&self, cx: &dyn BoxingCx) -> PyResult<()> {
        let types = &cx.registries().types;
        let found = cx.value_type(&self.object)?;
        let step = cx.unboxing(&self.object, found, self.ty).filter(|step| matches!(step, Unbox::List(_)));
        let step = step.ok_or_else(|| {
            let (found, was) = (types.name(found), types.name(self.ty));
            PyTypeError::new_err(format!("Python code made {found} of a list that is {was} in compiled code"))
        })?;
        let mut conversions = Conversions::new(false);
        let mut word = 0;
        // SAFETY: there is room for the one word of a list; both lists are alive, and of one type.
        unsafe {
            let filled = conversions.fill(&step, &self.object, &mut word);
            if filled.is_ok() {
                let (kept, read) = (&mut *ListHead::of(self.word), &mut *ListHead::of(word));
                swap(&mut kept.len, &mut read.len);
                swap(&mut kept.items, &mut read.items);
                swap(&mut kept.capacity, &mut read.capacity);
                swap(&mut kept.front, &mut read.front);
                read.copied = read.len;
                if !kept.origin.is_null() {
                    kept.copied = kept.len;
                }
            }
            let finished = conversions.finish(self.object.py());
            filled.and(finished)
        }
    }
}
