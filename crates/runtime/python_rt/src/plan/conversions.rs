//! All Python containers of one call: each is copied in when the call begins, and copied back if it was changed.
//!
//! Keepalive blocks hold references to other Python objects in a container (`keepalive`).
//!
//! | Python | compiled code |
//! |---|---|
//! | the same list passed twice, or inside two lists | one list |
//! | a list that is not changed | is not written back |
//! | a list that comes back | is the same object |
//! | an item that is not changed | is the same object |
//!
//! A container and what it is a copy of are held until the call has ended: compiled code may have taken it out of the last
//! place that held it.

use super::dicts_sets::{TableBoxing, TableStep};
use super::identities::Identities;
use super::keepalive::Keepalive;
use super::lists::{ListBoxing, ListStep};
use super::mirrors::Mirrors;
use super::object_arrays::{self, ObjectArrayBoxing, ObjectArrayStep};
use super::unbox::{MemberStep, parts_of};
use super::{BoxingCx, Unbox};
use crate::raising::exception_record::record_around;
use crate::values::extension_types::ForeignStep;
use entity::HashMap;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rt::hash_table::TableHead;
use rt::list::{CHANGED, ListHead};
use std::rc::Rc;
use types::{Type, unify};

/// Whether an argument is made of Python containers when a call begins.
pub fn needs_conversion(step: &Unbox) -> bool {
    match step {
        Unbox::ObjectArray(_) => true,
        Unbox::List(_) | Unbox::Table(_) | Unbox::Foreign(_) | Unbox::Exception(_) | Unbox::Mirror(_) => true,
        Unbox::Optional(inner) => needs_conversion(inner),
        Unbox::Union(members) => members.iter().any(needs_conversion),
        Unbox::TaggedUnion(members) => {
            members.iter().any(|member| member.step.as_ref().is_some_and(needs_conversion))
        }
        _ => step.steps_of_parts().is_some_and(|steps| steps.iter().any(needs_conversion)),
    }
}

/// The containers that one call has copies of.
#[derive(Default)]
pub struct Conversions {
    /// Containers that could be of another type than expected are refused.
    guess: bool,
    /// Python code that reads an item has raised: nothing else is tried.
    raised: bool,
    /// What is filled in is an item of a container.
    in_container: bool,
    by_object: HashMap<usize, usize>,
    copies: Vec<Converted>,
    /// Values of extension types, whose owners are released when the call has ended.
    foreign: Vec<(ForeignStep, Vec<u64>)>,
    /// Records of exceptions, as owner words.
    exceptions: Vec<u64>,
    /// Values that are taken in around the call, as they have to be cleaned up after it.
    around: Vec<Around>,
    /// Objects of plain classes.
    mirrors: Mirrors,
    /// What containers become that the call made.
    identities: Rc<Identities>,
}

/// A value that is taken in around the call, which the caller keeps alive, and where its words belong.
struct Around {
    step: ForeignStep,
    object: *mut ffi::PyObject,
    out: *mut u64,
}

/// A container and what it is a copy of.
struct Converted {
    object: Py<PyAny>,
    word: u64,
    ty: Type,
    boxing: CopyBoxing,
}

/// How a copy is written back.
enum CopyBoxing {
    List(ListBoxing),
    Table(TableBoxing),
    ObjectArray(ObjectArrayBoxing),
}

impl Conversions {
    /// For one call. With `guess`, nobody has looked at the types of the arguments.
    pub fn new(guess: bool) -> Conversions {
        Conversions { guess, ..Conversions::default() }
    }

    /// Fills in the words of the containers in an argument, for which the step left room.
    ///
    /// # Safety
    /// The thread is attached to Python, the object alive; the step has written its words.
    pub unsafe fn fill(&mut self, step: &Unbox, object: &Bound<'_, PyAny>, out: *mut u64) -> PyResult<()> {
        if !needs_conversion(step) {
            return Ok(());
        }
        // SAFETY: the caller's promise; parts of a tuple live as long as the tuple.
        unsafe {
            match step {
                Unbox::Foreign(step) if !self.in_container && step.cleans(object.py())? => {
                    self.around.push(Around { step: step.clone(), object: object.as_ptr(), out });
                }
                Unbox::Foreign(step) => {
                    step.take(object, out)?;
                    self.foreign.push((step.clone(), step.words_at(out)));
                }
                Unbox::List(step) => *out = self.in_container(|all| all.list(step, object))?,
                Unbox::ObjectArray(step) => {
                    let word = self.in_container(|all| all.object_array(step, object))?;
                    let shape: Vec<u64> = object.getattr("shape")?.extract()?;
                    let words = [word, (*ListHead::of(word)).items as u64].into_iter().chain(shape);
                    words.enumerate().for_each(|(at, word)| *out.add(at) = word);
                }
                Unbox::Table(step) => *out = self.in_container(|all| all.table(step, object))?,
                Unbox::Mirror(step) => *out = self.mirrors.take_in(step, object)?,
                Unbox::Exception(_) if self.in_container => {
                    return Err(PyTypeError::new_err("exceptions are not taken out of Python's containers"));
                }
                Unbox::Exception(step) => {
                    let word = record_around(step.cx.registries(), object.clone());
                    self.exceptions.push(word);
                    *out = word;
                }
                Unbox::Union(members) => self.fill(&members[*out as usize], object, out.add(1))?,
                Unbox::TaggedUnion(members) => {
                    if let Some((step, out)) = MemberStep::chosen(members, out) {
                        self.fill(step, object, out)?;
                    }
                }
                Unbox::Optional(_) if object.is_none() => {}
                Unbox::Optional(inner) => self.fill(inner, object, out.add(1))?,
                _ => {
                    let parts = step.steps_of_parts().zip(parts_of(object));
                    let mut next = out;
                    for (step, item) in parts.iter().flat_map(|(steps, parts)| steps.iter().zip(parts)) {
                        self.fill(step, &item, next)?;
                        next = next.add(step.words());
                    }
                }
            }
        }
        Ok(())
    }

    /// Fills in items of a container.
    fn in_container(&mut self, fill: impl FnOnce(&mut Self) -> PyResult<u64>) -> PyResult<u64> {
        let around = std::mem::replace(&mut self.in_container, true);
        let word = fill(self);
        self.in_container = around;
        word
    }

    /// Runs a call when all of its arguments are there, and cleans up after it.
    ///
    /// # Safety
    /// The thread is attached to Python; arguments and words are those of [`Self::fill`].
    pub unsafe fn run(&mut self, py: Python<'_>, call: &mut dyn FnMut()) -> PyResult<()> {
        let around = std::mem::take(&mut self.around);
        // SAFETY: the caller's promise.
        unsafe { enter(py, &around, &mut self.foreign, call) }
    }

    /// Whether a call may be tried in another way after what kept this one from being made.
    pub fn may_try_again(&self) -> bool {
        self.guess && !self.raised
    }

    /// What the result is made in: a container of it may be in an argument, too.
    pub fn identities(&self) -> Rc<Identities> {
        self.identities.clone()
    }

    fn add(&mut self, object: &Bound<'_, PyAny>, word: u64, ty: Type, boxing: CopyBoxing) {
        self.by_object.insert(object.as_ptr() as usize, self.copies.len());
        self.copies.push(Converted { object: object.clone().unbind(), word, ty, boxing });
    }

    /// The word of the copy of a container, if there is one. An empty container that another argument told less of becomes one
    /// of the type that this one says, with entries of this layout; of two types that differ nothing can be made.
    fn known(
        &mut self,
        cx: &dyn BoxingCx,
        object: &Bound<'_, PyAny>,
        ty: Type,
        layout: (i64, u64),
        boxing: &dyn Fn() -> CopyBoxing,
    ) -> PyResult<Option<u64>> {
        let Some(&known) = self.by_object.get(&(object.as_ptr() as usize)) else { return Ok(None) };
        let copy = &mut self.copies[known];
        if copy.ty == ty {
            return Ok(Some(copy.word));
        }
        let types = &cx.registries().types;
        let holds = |open: Type, other: Type| types.is_open(open) && unify(types, open, other) == Some(other);
        // SAFETY: the copy is an empty container that this call made and nobody else knows.
        if holds(copy.ty, ty) && !self.guess && unsafe { copy.set_layout(layout) } {
            (copy.ty, copy.boxing) = (ty, boxing());
        } else if !holds(ty, copy.ty) {
            let (one, other) = (types.name(copy.ty), types.name(ty));
            let message = format!("one object is passed in two places, as {one} and as {other}");
            return Err(PyTypeError::new_err(message));
        }
        Ok(Some(copy.word))
    }

    /// The list that is the copy of a Python list.
    unsafe fn list(&mut self, step: &ListStep, object: &Bound<'_, PyAny>) -> PyResult<u64> {
        let list = &step.boxing.read(object)?;
        let boxing = || CopyBoxing::List(step.boxing.clone());
        let layout = (step.layout.size as i64, step.layout.mask);
        if let Some(known) = self.known(&*step.cx, object, step.whole, layout, &boxing)? {
            return Ok(known);
        }
        let count = list.len();
        if self.guess && count == 0 {
            return Err(PyTypeError::new_err("an empty list could be one of anything"));
        }
        let word = rt::list::rumba_list_new(layout.0, layout.1, count as i64);
        if word == 0 {
            return Err(PyMemoryError::new_err("cannot allocate list"));
        }
        self.add(object, word, step.whole, boxing());
        // SAFETY: the list is new and has room for the items.
        unsafe {
            let head = ListHead::of(word);
            (*head).origin = object.as_ptr().cast();
            (*head).bound = step.boxing.bound_of(object)?;
            let mut keepalive = Keepalive::new(vec![list.clone()]);
            let mut words = vec![0u64; step.item.words().max(step.layout.words()).max(1)];
            let read = self.numbers(step, list, head);
            for index in read..count {
                // Reading an item may run Python code, which may make the list shorter.
                let Ok(item) = list.get_item(index) else { break };
                let address = (*head).items.add(index * step.layout.size);
                let name = |found: &str, wanted: &str| {
                    format!(
                        "can't unbox heterogeneous list: item {index} is {found}, not {wanted}; a list of compiled code \
                         has items of one type: convert them, or pass a tuple"
                    )
                };
                self.item(&*step.cx, &step.item, step.ty, &item, &name, &mut words)?;
                step.layout.count(&mut words, &mut keepalive)?;
                step.layout.write(address, words.as_ptr());
                (*head).len = index as i64 + 1;
                (*head).copied = (*head).len;
            }
        }
        Ok(word)
    }

    /// The list that holds the items of an array of objects.
    unsafe fn object_array(&mut self, step: &ObjectArrayStep, object: &Bound<'_, PyAny>) -> PyResult<u64> {
        let boxing = || CopyBoxing::ObjectArray(step.boxing.clone());
        let layout = (step.layout.size as i64, step.layout.mask);
        if let Some(known) = self.known(&*step.cx, object, step.whole, layout, &boxing)? {
            return Ok(known);
        }
        let items = object_arrays::items_of(object)?;
        let word = rt::list::rumba_list_of_zeros(layout.0, layout.1, items.len() as i64);
        if word == 0 {
            return Err(PyMemoryError::new_err("cannot allocate array"));
        }
        self.add(object, word, step.whole, boxing());
        // SAFETY: the list is new and has room for the items.
        unsafe { self.objects(step, object, &items, word)? };
        Ok(word)
    }

    /// Fills the list that holds the items of an array.
    unsafe fn objects(
        &mut self,
        step: &ObjectArrayStep,
        object: &Bound<'_, PyAny>,
        items: &Bound<'_, PyList>,
        word: u64,
    ) -> PyResult<()> {
        // SAFETY: the caller's list has as many items as Python's.
        unsafe {
            let head = ListHead::of(word);
            (*head).origin = object.as_ptr().cast();
            // Where an item is refused, nothing is written back.
            (*head).copied = (*head).len;
            let mut keepalive = Keepalive::new(vec![items.clone()]);
            let mut words = vec![0u64; step.item.words().max(step.layout.words()).max(1)];
            for (index, item) in items.iter().enumerate() {
                let name = |found: &str, wanted: &str| {
                    format!("can't unbox an array of objects: item {index} is {found}, not {wanted}")
                };
                self.item(&*step.cx, &step.item, step.items.dtype, &item, &name, &mut words)?;
                step.layout.count(&mut words, &mut keepalive)?;
                step.layout.write((*head).items.add(index * step.layout.size), words.as_ptr());
            }
            // Nothing notes which items are assigned.
            if step.items.mutable {
                (*head).copied = CHANGED;
            }
        }
        Ok(())
    }

    /// Reads numbers as long as they are of the exact class that the step is for: how many there were.
    unsafe fn numbers(&self, step: &ListStep, list: &Bound<'_, PyList>, head: *mut ListHead) -> usize {
        if !matches!(*step.item, Unbox::Int64 | Unbox::Float64) {
            return 0;
        }
        let count = list.len();
        // SAFETY: there is room for all items; no Python code runs in between.
        unsafe {
            let words = (*head).items.cast::<u64>();
            let read = (0..count).find(|&index| {
                let item = ffi::PyList_GET_ITEM(list.as_ptr(), index as ffi::Py_ssize_t);
                step.item.unbox(item, words.add(index)).is_none()
            });
            let read = read.unwrap_or(count);
            (*head).len = read as i64;
            (*head).copied = (*head).len;
            read
        }
    }

    /// The table that is the copy of a Python dict or set.
    unsafe fn table(&mut self, step: &TableStep, object: &Bound<'_, PyAny>) -> PyResult<u64> {
        let entries = &step.entries;
        let boxing = || CopyBoxing::Table(step.boxing.clone());
        let layout = (entries.size, entries.owners);
        if let Some(known) = self.known(&*step.cx, object, step.ty, layout, &boxing)? {
            return Ok(known);
        }
        let (keys, values) = step.items(object)?;
        if self.guess && keys.is_empty() {
            return Err(PyTypeError::new_err("an empty dict or set could be one of anything"));
        }
        let no_memory = || PyMemoryError::new_err("cannot allocate dict or set");
        let word = rt::hash_table::rumba_table_new(layout.0, layout.1, keys.len() as i64);
        if word == 0 {
            return Err(no_memory());
        }
        self.add(object, word, step.ty, boxing());
        // SAFETY: the table is new.
        unsafe {
            let head = TableHead::of(word);
            (*head).origin = object.as_ptr().cast();
            let mut keepalive = Keepalive::new(std::iter::once(keys.clone()).chain(values.clone()).collect());
            let room = |unbox: &Unbox, layout: &super::layout::Layout| {
                vec![0u64; unbox.words().max(layout.words()).max(1)]
            };
            let (mut key_words, mut value_words) =
                (room(&step.key, &entries.key), room(&step.value, &entries.value));
            for (index, key) in keys.iter().enumerate() {
                let name = |what: &str, found: &str, wanted: &str| {
                    let shown = key.repr().map(|text| text.to_string()).unwrap_or_default();
                    format!(
                        "can't unbox heterogeneous {what} {shown} is {found}, not {wanted}; what a container of compiled \
                         code holds has one type: convert it, or pass what differs as a named tuple or as arguments"
                    )
                };
                let of_key = |found: &str, wanted: &str| {
                    name(if step.is_dict { "dict: key" } else { "set: item" }, found, wanted)
                };
                let of_value = |found: &str, wanted: &str| name("dict: the value of key", found, wanted);
                let [key_type, value_type] = step.types;
                self.item(&*step.cx, &step.key, key_type, &key, &of_key, &mut key_words)?;
                if let Some(values) = &values {
                    let value = values.get_item(index)?;
                    self.item(&*step.cx, &step.value, value_type, &value, &of_value, &mut value_words)?;
                }
                let hash = entries.hash_of(&key, &key_words)?;
                entries.key.count(&mut key_words, &mut keepalive)?;
                entries.value.count(&mut value_words, &mut keepalive)?;
                if !entries.add(head, hash, &key_words, &value_words) {
                    return Err(no_memory());
                }
                // This is no change to what it is a copy of: not even where a later item is refused.
                (*head).changed = 0;
            }
        }
        Ok(word)
    }

    /// The words of an item; TypeError if it has another type.
    unsafe fn item(
        &mut self,
        cx: &dyn BoxingCx,
        step: &Unbox,
        ty: Type,
        item: &Bound<'_, PyAny>,
        mismatch: &dyn Fn(&str, &str) -> String,
        words: &mut [u64],
    ) -> PyResult<()> {
        // SAFETY: there is room for the words of the step.
        unsafe {
            let is_checked = *step != Unbox::Skip && !matches!(step, Unbox::Foreign(_));
            if is_checked && step.unbox(item.as_ptr(), words.as_mut_ptr()).is_some() {
                return self.fill(step, item, words.as_mut_ptr());
            }
        }
        if let Some(raised) = PyErr::take(item.py()) {
            self.raised = true;
            return Err(raised);
        }
        if self.guess {
            return Err(PyTypeError::new_err("a list of something else"));
        }
        // A scalar of NumPy among Python's numbers, an array of another kind...
        let types = &cx.registries().types;
        let found = cx.value_type(item)?;
        let is_one_of_several = types.union_members(types.without_none(ty)).is_some();
        let may_differ =
            types.is_open(found) || is_one_of_several || types.classes(types.without_none(ty)).is_some();
        let fits = found == ty || may_differ && types::unify(types, found, ty) == Some(ty);
        let own = fits.then(|| cx.unboxing(item, found, ty)).flatten();
        let Some(own) = own else {
            return Err(PyTypeError::new_err(mismatch(&types.name(found), &types.name(ty))));
        };
        let mut room = vec![0u64; own.words().max(words.len())];
        // SAFETY: there is room for the words of the step.
        unsafe {
            if own.unbox(item.as_ptr(), room.as_mut_ptr()).is_none() {
                return Err(PyErr::take(item.py())
                    .or_else(|| own.refusal(item))
                    .unwrap_or_else(|| PyTypeError::new_err("an item of a container cannot be read")));
            }
            self.fill(&own, item, room.as_mut_ptr())?;
        }
        let count = words.len();
        words.copy_from_slice(&room[..count]);
        Ok(())
    }

    /// Writes back what was changed, and gives the copies up. An exception that is set stays.
    ///
    /// # Safety
    /// The thread is attached to Python; compiled code that uses the copies has ended.
    pub unsafe fn finish(self, py: Python<'_>) -> PyResult<()> {
        let mut outcome = Ok(());
        // SAFETY: the copies live until they are released below.
        unsafe {
            self.identities.enter(|| {
                for copy in &self.copies {
                    if copy.is_changed() {
                        let written = copy.write_back(py);
                        outcome = std::mem::replace(&mut outcome, Ok(())).and(written);
                    }
                }
            });
            for copy in &self.copies {
                copy.forget_origin();
                rt::decref(copy.word);
            }
            for (step, words) in &self.foreign {
                step.give_up(words.as_ptr());
            }
            for &record in &self.exceptions {
                rt::decref(record);
            }
        }
        let written = self.mirrors.finish(py);
        outcome.and(written)
    }
}

/// Takes values in one after the other, each of them around the next.
unsafe fn enter(
    py: Python<'_>,
    around: &[Around],
    taken: &mut Vec<(ForeignStep, Vec<u64>)>,
    call: &mut dyn FnMut(),
) -> PyResult<()> {
    let Some((first, rest)) = around.split_first() else {
        call();
        return Ok(());
    };
    let mut outcome = Ok(());
    // SAFETY: the caller keeps the object alive, and there is room for its words.
    let cleaned = unsafe {
        let object = Bound::from_borrowed_ptr(py, first.object);
        first.step.take_around(&object, first.out, &mut || {
            taken.push((first.step.clone(), first.step.words_at(first.out)));
            outcome = enter(py, rest, taken, call);
        })
    };
    outcome.and(cleaned)
}

impl Converted {
    unsafe fn is_changed(&self) -> bool {
        // SAFETY: the container lives.
        unsafe {
            match self.boxing {
                CopyBoxing::List(_) | CopyBoxing::ObjectArray(_) => (*ListHead::of(self.word)).is_changed(),
                CopyBoxing::Table(_) => (*TableHead::of(self.word)).changed != 0,
            }
        }
    }

    unsafe fn forget_origin(&self) {
        // SAFETY: the same.
        unsafe {
            match self.boxing {
                CopyBoxing::List(_) | CopyBoxing::ObjectArray(_) => {
                    (*ListHead::of(self.word)).origin = std::ptr::null_mut();
                }
                CopyBoxing::Table(_) => (*TableHead::of(self.word)).origin = std::ptr::null_mut(),
            }
        }
    }

    /// Makes the copy of an empty container one of other items. Whether it is empty.
    unsafe fn set_layout(&self, (size, owners): (i64, u64)) -> bool {
        // SAFETY: the container lives; without items it has no memory for any.
        unsafe {
            match self.boxing {
                CopyBoxing::List(_) | CopyBoxing::ObjectArray(_) => {
                    let head = &mut *ListHead::of(self.word);
                    let is_empty = head.capacity == 0;
                    if is_empty {
                        (head.item_size, head.owners) = (size, owners);
                    }
                    is_empty
                }
                CopyBoxing::Table(_) => {
                    let head = &mut *TableHead::of(self.word);
                    let is_empty = head.capacity == 0;
                    if is_empty {
                        (head.entry_size, head.owners) = (size, owners);
                    }
                    is_empty
                }
            }
        }
    }

    unsafe fn write_back(&self, py: Python<'_>) -> PyResult<()> {
        // SAFETY: both are alive.
        unsafe {
            match &self.boxing {
                CopyBoxing::List(boxing) => boxing.write_back(py, self.word, self.object.as_ptr()),
                CopyBoxing::Table(boxing) => boxing.write_back(py, self.word, self.object.as_ptr()),
                CopyBoxing::ObjectArray(boxing) => boxing.write_back(self.word, self.object.bind(py)),
            }
        }
    }
}
