//! Lists across the border, and all Python containers of one call: a Python list is copied in when a call begins, and back if it
//! was changed.
//!
//! What a list from Python holds of other Python objects is kept alive by a *pin*, a block that holds them all.
//!
//! | Python | compiled code |
//! |---|---|
//! | the same list passed twice, or inside of two lists | one list |
//! | a list that is not changed | is not written back |
//! | a list that comes back | is the same object |

use super::tables::{TableBoxing, TableStep};
use super::{Boxing, Unbox};
use crate::backend::Backend;
use crate::foreign::ForeignStep;
use crate::typeof_value;
use catalog::slot::Slot;
use entity::HashMap;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use rt::list::ListHead;
use rt::table::TableHead;
use std::fmt;
use std::sync::Arc;
use types::Type;

/// How the words of a value lie in the memory of a container.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    size: usize,
    /// Offset and bytes of each word.
    parts: Box<[(usize, usize)]>,
    /// Which parts are owners.
    owners: Box<[usize]>,
    /// The same as words of memory: bit n for the one at byte 8 n.
    mask: u64,
}

impl Layout {
    pub(super) fn of(slot: &Slot) -> Layout {
        let parts: Box<[(usize, usize)]> =
            slot.parts.iter().map(|&(native, offset)| (offset as usize, native.size() as usize)).collect();
        let is_owner = |&part: &usize| {
            parts[part].0 % 8 == 0 && slot.owners >> (parts[part].0 / 8) & 1 != 0 && parts[part].1 == 8
        };
        let owners = (0..parts.len()).filter(is_owner).collect();
        Layout { size: slot.size as usize, parts, owners, mask: slot.owners }
    }

    /// Whether a value is one word, which is no owner.
    fn is_word(&self) -> bool {
        self.parts[..] == [(0, 8)] && self.mask == 0
    }

    /// Copies words into memory.
    pub(super) unsafe fn write(&self, to: *mut u8, words: *const u64) {
        for (index, &(offset, bytes)) in self.parts.iter().enumerate() {
            // SAFETY: the caller has room for an item, and so many words.
            unsafe { std::ptr::copy_nonoverlapping(words.add(index).cast::<u8>(), to.add(offset), bytes) };
        }
    }

    /// Copies words out of memory, the upper bytes zero, and counts their owners.
    pub(super) unsafe fn read(&self, from: *const u8, words: *mut u64) {
        for (index, &(offset, bytes)) in self.parts.iter().enumerate() {
            // SAFETY: as for `write`.
            unsafe {
                words.add(index).write(0);
                std::ptr::copy_nonoverlapping(from.add(offset), words.add(index).cast::<u8>(), bytes);
            }
        }
        for &owner in &self.owners {
            // SAFETY: the same.
            rt::retain(unsafe { *words.add(owner) });
        }
    }
}

impl Layout {
    /// Owners that Python lends are held by the pin, others counted once more.
    fn count(&self, words: &mut [u64], pin: &mut Pin<'_>) -> PyResult<()> {
        for &owner in &self.owners {
            match words[owner] {
                lent if lent & 1 != 0 => words[owner] = pin.hold()?,
                counted => rt::retain(counted),
            }
        }
        Ok(())
    }
}

/// How the items of a list become Python's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListBoxing {
    item: Box<Boxing>,
    layout: Layout,
    /// It is shown as it is now, also if it will be written back to a list of Python.
    fresh: bool,
}

impl ListBoxing {
    /// How lists of items of this type are made.
    pub fn new(backend: &Backend, item: Type) -> Option<ListBoxing> {
        let slot = Slot::of(&backend.session().types, item)?;
        let boxing =
            if item == Type::UNDEFINED { Boxing::None } else { typeof_value::boxing(backend, item)? };
        Some(ListBoxing { item: Box::new(boxing), layout: Layout::of(&slot), fresh: false })
    }

    /// The same for a list that is shown as it is now.
    pub fn fresh(self) -> ListBoxing {
        ListBoxing { item: Box::new(self.item.fresh()), fresh: true, ..self }
    }

    /// A new reference, or null with an exception set; the word's count is given up.
    ///
    /// # Safety
    /// The thread is attached to Python; the word is that of a list.
    pub(crate) unsafe fn make(&self, word: u64) -> *mut ffi::PyObject {
        unsafe {
            let origin = (*ListHead::of(word)).origin.cast::<ffi::PyObject>();
            let made = if origin.is_null() || self.fresh {
                self.items(word)
            } else {
                ffi::Py_INCREF(origin);
                origin
            };
            rt::release(word);
            made
        }
    }

    /// A new Python list of the items.
    unsafe fn items(&self, word: u64) -> *mut ffi::PyObject {
        unsafe {
            let head = ListHead::of(word);
            let list = ffi::PyList_New((*head).len as ffi::Py_ssize_t);
            if list.is_null() {
                return list;
            }
            let mut words = vec![0u64; self.layout.parts.len().max(1)];
            let is_word = self.layout.is_word();
            for index in 0..(*head).len {
                let place = (*head).items.add(index as usize * self.layout.size);
                let item = if is_word {
                    self.item.make(place.cast())
                } else {
                    self.layout.read(place, words.as_mut_ptr());
                    self.item.make(words.as_ptr())
                };
                if item.is_null() {
                    ffi::Py_DECREF(list);
                    return item;
                }
                ffi::PyList_SET_ITEM(list, index as ffi::Py_ssize_t, item);
            }
            list
        }
    }
}

/// How the items of a Python list become those of compiled code's.
#[derive(Clone)]
pub struct ListStep {
    backend: Arc<Backend>,
    item: Box<Unbox>,
    ty: Type,
    layout: Layout,
    boxing: ListBoxing,
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
    pub(crate) fn new(backend: &Backend, value: &Bound<'_, PyAny>, item: Type) -> Option<ListStep> {
        let list = value.cast_exact::<PyList>().ok()?;
        let types = &backend.session().types;
        let layout = Layout::of(&Slot::of(types, item)?);
        // The first item that shows what there is may lie deeper than the first.
        let shown =
            list.iter().find(|value| typeof_value::type_of(backend, value).is_ok_and(|ty| ty == item));
        let step = match &shown {
            Some(shown) => typeof_value::unboxing(backend, shown, item, item)?,
            None => Unbox::Skip,
        };
        let boxing = ListBoxing::new(backend, item)?;
        Some(ListStep { backend: backend.shared(), item: Box::new(step), ty: item, layout, boxing })
    }
}

/// Whether an argument is made of Python containers when a call begins.
pub(crate) fn needs_conversion(step: &Unbox) -> bool {
    match step {
        Unbox::List(_) | Unbox::Table(_) | Unbox::Foreign(_) => true,
        Unbox::Optional(inner) => needs_conversion(inner),
        Unbox::Tuple(steps) | Unbox::NamedTuple(_, steps) | Unbox::Keywords(steps) => {
            steps.iter().any(needs_conversion)
        }
        _ => false,
    }
}

/// The containers that one call has copies of.
#[derive(Default)]
pub(crate) struct Conversions {
    /// Containers that could be of another type than expected are refused.
    guess: bool,
    /// What is filled in is an item of a container.
    in_container: bool,
    by_object: HashMap<usize, usize>,
    copies: Vec<Converted>,
    /// Values of libraries' types, whose owners are given up when the call has ended.
    foreign: Vec<(ForeignStep, Vec<u64>)>,
    /// Values that are taken in around the call, as they have to be cleaned up behind it.
    around: Vec<Around>,
}

/// A value that is taken in around the call, which the caller keeps alive, and where its words belong.
struct Around {
    step: ForeignStep,
    object: *mut ffi::PyObject,
    out: *mut u64,
}

/// A container and what it is a copy of, which the caller keeps alive.
struct Converted {
    object: *mut ffi::PyObject,
    word: u64,
    boxing: CopyBoxing,
}

/// How a copy is written back.
enum CopyBoxing {
    List(ListBoxing),
    Table(TableBoxing),
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
    pub(crate) unsafe fn fill(
        &mut self,
        step: &Unbox,
        object: &Bound<'_, PyAny>,
        out: *mut u64,
    ) -> PyResult<()> {
        if !needs_conversion(step) {
            return Ok(());
        }
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
                Unbox::Table(step) => *out = self.in_container(|all| all.table(step, object))?,
                Unbox::Optional(_) if object.is_none() => {}
                Unbox::Optional(inner) => self.fill(inner, object, out.add(1))?,
                Unbox::Tuple(steps) | Unbox::NamedTuple(_, steps) => {
                    let mut next = out;
                    for (step, item) in steps.iter().zip(object.cast::<PyTuple>()?.iter()) {
                        self.fill(step, &item, next)?;
                        next = next.add(step.words());
                    }
                }
                Unbox::Keywords(steps) => {
                    let keywords = object.cast::<crate::keywords::Keywords>()?;
                    let mut next = out;
                    for (step, item) in steps.iter().zip(keywords.get().values(object.py()).iter()) {
                        self.fill(step, &item, next)?;
                        next = next.add(step.words());
                    }
                }
                _ => {}
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

    /// Runs a call when all of its arguments are there, and cleans up behind it.
    ///
    /// # Safety
    /// The thread is attached to Python; arguments and words are those of [`Self::fill`].
    pub(crate) unsafe fn run(&mut self, py: Python<'_>, call: &mut dyn FnMut()) -> PyResult<()> {
        let around = std::mem::take(&mut self.around);
        // SAFETY: the caller's promise.
        unsafe { enter(py, &around, &mut self.foreign, call) }
    }

    /// The list that is the copy of a Python list.
    unsafe fn list(&mut self, step: &ListStep, object: &Bound<'_, PyAny>) -> PyResult<u64> {
        let list = object.cast_exact::<PyList>()?;
        if let Some(&known) = self.by_object.get(&(object.as_ptr() as usize)) {
            return Ok(self.copies[known].word);
        }
        let count = list.len();
        if self.guess && count == 0 {
            return Err(PyTypeError::new_err("an empty list could be one of anything"));
        }
        let word = rt::list::rumba_list_new(step.layout.size as i64, step.layout.mask, count as i64);
        if word == 0 {
            return Err(PyMemoryError::new_err("cannot allocate list"));
        }
        self.by_object.insert(object.as_ptr() as usize, self.copies.len());
        let boxing = CopyBoxing::List(step.boxing.clone());
        self.copies.push(Converted { object: object.as_ptr(), word, boxing });
        // SAFETY: the list is new and has room for the items.
        unsafe {
            let head = ListHead::of(word);
            (*head).origin = object.as_ptr().cast();
            let mut pin = Pin { objects: vec![list.clone()], word: 0 };
            let mut words = vec![0u64; step.item.words().max(step.layout.parts.len()).max(1)];
            let read = self.numbers(step, list, head);
            for index in read..count {
                // Reading an item may run Python code, which may make the list shorter.
                let Ok(item) = list.get_item(index) else { break };
                let place = (*head).items.add(index * step.layout.size);
                let name = |found: &str, wanted: &str| {
                    format!(
                        "can't unbox heterogeneous list: item {index} is {found}, not {wanted}; a list of compiled code \
                         has items of one type: convert them, or pass a tuple"
                    )
                };
                self.item(&step.backend, &step.item, step.ty, &item, &name, &mut words)?;
                step.layout.count(&mut words, &mut pin)?;
                step.layout.write(place, words.as_ptr());
                (*head).len = index as i64 + 1;
                (*head).copied = (*head).len;
            }
        }
        Ok(word)
    }

    /// Reads numbers as long as they are of the exact class that the step is for: how many there were.
    unsafe fn numbers(&self, step: &ListStep, list: &Bound<'_, PyList>, head: *mut ListHead) -> usize {
        if !matches!(*step.item, Unbox::Int64 | Unbox::Float64) {
            return 0;
        }
        let count = list.len();
        // SAFETY: there is room for all items; no Python code runs in between.
        unsafe {
            let places = (*head).items.cast::<u64>();
            let read = (0..count).find(|&index| {
                let item = ffi::PyList_GET_ITEM(list.as_ptr(), index as ffi::Py_ssize_t);
                step.item.unbox(item, places.add(index)).is_none()
            });
            let read = read.unwrap_or(count);
            (*head).len = read as i64;
            (*head).copied = (*head).len;
            read
        }
    }

    /// The table that is the copy of a Python dict or set.
    unsafe fn table(&mut self, step: &TableStep, object: &Bound<'_, PyAny>) -> PyResult<u64> {
        if let Some(&known) = self.by_object.get(&(object.as_ptr() as usize)) {
            return Ok(self.copies[known].word);
        }
        let (keys, values) = step.items(object)?;
        if self.guess && keys.is_empty() {
            return Err(PyTypeError::new_err("an empty dict or set could be one of anything"));
        }
        let entries = &step.entries;
        let no_memory = || PyMemoryError::new_err("cannot allocate dict or set");
        let word = rt::table::rumba_table_new(entries.size, entries.owners, keys.len() as i64);
        if word == 0 {
            return Err(no_memory());
        }
        self.by_object.insert(object.as_ptr() as usize, self.copies.len());
        let boxing = CopyBoxing::Table(step.boxing.clone());
        self.copies.push(Converted { object: object.as_ptr(), word, boxing });
        // SAFETY: the table is new.
        unsafe {
            let head = TableHead::of(word);
            (*head).origin = object.as_ptr().cast();
            let mut pin =
                Pin { objects: std::iter::once(keys.clone()).chain(values.clone()).collect(), word: 0 };
            let room =
                |unbox: &Unbox, layout: &Layout| vec![0u64; unbox.words().max(layout.parts.len()).max(1)];
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
                self.item(&step.backend, &step.key, key_type, &key, &of_key, &mut key_words)?;
                if let Some(values) = &values {
                    let value = values.get_item(index)?;
                    self.item(&step.backend, &step.value, value_type, &value, &of_value, &mut value_words)?;
                }
                entries.key.count(&mut key_words, &mut pin)?;
                entries.value.count(&mut value_words, &mut pin)?;
                if !entries.add(head, &key_words, &value_words) {
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
        backend: &Backend,
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
        if self.guess {
            return Err(PyTypeError::new_err("a list of something else"));
        }
        // A scalar of NumPy among Python's numbers, an array of another kind...
        let types = &backend.session().types;
        let found = typeof_value::type_of(backend, item)?;
        let fits = found == ty || types.is_open(found) && types::unify(types, found, ty) == Some(ty);
        let own = fits.then(|| typeof_value::unboxing(backend, item, found, ty)).flatten();
        let Some(own) = own else {
            return Err(PyTypeError::new_err(mismatch(&types.name(found), &types.name(ty))));
        };
        let mut room = vec![0u64; own.words().max(words.len())];
        // SAFETY: there is room for the words of the step.
        unsafe {
            if own.unbox(item.as_ptr(), room.as_mut_ptr()).is_none() {
                return Err(own
                    .refusal(item)
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
    pub(crate) unsafe fn finish(self, py: Python<'_>) -> PyResult<()> {
        let mut outcome = Ok(());
        // SAFETY: the copies live until they are released below.
        unsafe {
            for copy in &self.copies {
                if copy.is_changed() {
                    let written = copy.write_back(py);
                    outcome = outcome.and(written);
                }
            }
            for copy in &self.copies {
                copy.forget_origin();
                rt::release(copy.word);
            }
            for (step, words) in &self.foreign {
                step.give_up(words.as_ptr());
            }
        }
        outcome
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
                CopyBoxing::List(_) => (*ListHead::of(self.word)).is_changed(),
                CopyBoxing::Table(_) => (*TableHead::of(self.word)).changed != 0,
            }
        }
    }

    unsafe fn forget_origin(&self) {
        // SAFETY: the same.
        unsafe {
            match self.boxing {
                CopyBoxing::List(_) => (*ListHead::of(self.word)).origin = std::ptr::null_mut(),
                CopyBoxing::Table(_) => (*TableHead::of(self.word)).origin = std::ptr::null_mut(),
            }
        }
    }

    unsafe fn write_back(&self, py: Python<'_>) -> PyResult<()> {
        unsafe {
            let boxing = match &self.boxing {
                CopyBoxing::List(boxing) => boxing,
                CopyBoxing::Table(boxing) => return boxing.write_back(py, self.word, self.object),
            };
            let items = Bound::from_owned_ptr_or_err(py, boxing.items(self.word))?;
            let all = ffi::PY_SSIZE_T_MAX;
            if ffi::PyList_SetSlice(self.object, 0, all, items.as_ptr()) != 0 {
                return Err(PyErr::fetch(py));
            }
        }
        Ok(())
    }
}

/// What keeps the items of a container alive that compiled code sees by address.
struct Pin<'py> {
    objects: Vec<Bound<'py, PyList>>,
    word: u64,
}

impl Pin<'_> {
    /// The word of the pin, counted once more.
    fn hold(&mut self) -> PyResult<u64> {
        if self.word == 0 {
            let all: Vec<_> = self.objects.iter().map(|list| list.to_tuple()).collect();
            let py = self.objects[0].py();
            self.word = pinned(PyTuple::new(py, all)?.into_any())?;
        }
        rt::retain(self.word);
        Ok(self.word)
    }
}

impl Drop for Pin<'_> {
    /// The items hold it from now on, also those that came before one that cannot be read.
    fn drop(&mut self) {
        rt::release(self.word);
    }
}

/// The owner word of a block that holds a Python object.
fn pinned(object: Bound<'_, PyAny>) -> PyResult<u64> {
    pinned_with(object, 0)
}

/// The same, with so many bytes of items: of an object, none say that it is the very value.
fn pinned_with(object: Bound<'_, PyAny>, bytes: u64) -> PyResult<u64> {
    let object = object.into_ptr();
    // SAFETY: the block has a reference of its own, which it gives up when it is freed.
    let word = unsafe { rt::allocate_with(bytes, unpin, object.cast()) };
    if word == 0 {
        // SAFETY: the reference was made above.
        unsafe { ffi::Py_DECREF(object) };
        return Err(PyMemoryError::new_err("no memory to hold an object"));
    }
    Ok(word)
}

/// The Python object that a block holds, if that is the value itself and nothing that was made of it.
pub(crate) fn pinned_object(owner: u64) -> Option<*mut ffi::PyObject> {
    let object = rt::known_to(owner, unpin)?;
    (rt::size_of(owner) == 0).then_some(object.cast())
}

unsafe extern "C" fn unpin(_items: *mut u8, _size: usize, object: *mut ()) {
    // SAFETY: the block had a reference. Python may have ended before a thread of C releases a block.
    unsafe {
        if ffi::Py_IsInitialized() != 0 {
            let state = ffi::PyGILState_Ensure();
            ffi::Py_DECREF(object.cast());
            ffi::PyGILState_Release(state);
        }
    }
}

/// A block that holds the Python object which an owner word says is lent; 0 if there is no memory for it.
///
/// # Safety
/// The object is alive.
pub(crate) unsafe extern "C" fn pin(owner: u64) -> u64 {
    const FLAGS: u64 = 0b111;
    const IS_OTHER: u64 = 0b10;
    // SAFETY: the caller's promise; the thread may have let go of Python.
    unsafe {
        let state = ffi::PyGILState_Ensure();
        let object =
            Bound::from_borrowed_ptr(Python::assume_attached(), (owner & !FLAGS) as *mut ffi::PyObject);
        let word = pinned_with(object, owner & IS_OTHER).unwrap_or(0);
        ffi::PyGILState_Release(state);
        word
    }
}
