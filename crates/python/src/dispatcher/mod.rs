//! The dispatcher: the Python object for a compiled function, which `@njit` returns.
//!
//! Here: its layout and the table of specializations. [`call`] has the hot path, [`miss`] the slow
//! one, [`named`] calls with keywords and defaults like the one before, [`fold`] the order of arguments, [`class`] the type with its garbage collection, [`methods`]
//! what users call on it, [`view`] a compiled function that they look at, [`watched`] calls that profilers see.

mod call;
mod class;
mod fold;
mod function_values;
mod methods;
mod miss;
mod named;
mod view;
mod watched;

pub use class::{DispatcherClass, DispatcherRef};
pub(crate) use function_values::{FunctionAddresses, Made};
pub(crate) use view::UnitView;

use crate::object_mode;
use crate::session::compiler::{CompileFor, Compiler, Target};
use crate::session::object_unit::object_unit;
use fold::Shape;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyTuple, PyTypeMethods};
use python_rt::entry::{Entry, Fingerprint, Specialization};
use python_rt::unit::Unit;
use std::cell::{Cell, RefCell};
use std::ffi::c_int;
use std::sync::Arc;

/// The instance as CPython sees it. References are owned; null until set, and after `tp_clear`.
#[repr(C)]
pub(crate) struct DispatcherObject {
    ob_base: ffi::PyObject,
    vectorcall: ffi::vectorcallfunc,
    /// What it is where nobody watches calls.
    unwatched: ffi::vectorcallfunc,
    /// The entry that served last and can be called by the hot path, or null. Borrowed from the table.
    last: *mut Entry,
    /// The entry that served the last call with keywords or defaults and serves others like it, or null. Borrowed from the table.
    named: *mut Entry,
    shape: Shape,
    /// Made by `Box::into_raw`; null only while the instance is being made.
    state: *mut State,
    function: *mut ffi::PyObject,
    /// In object mode: the function that runs, in which calls stand for its lifted loops; or null.
    executed: *mut ffi::PyObject,
    options: *mut ffi::PyObject,
    /// Where calls are watched: the Python function that stands for them; or null.
    watched: *mut ffi::PyObject,
    /// Names of the parameters, in order.
    names: *mut ffi::PyObject,
    /// Defaults of the last positional parameters, or null.
    defaults: *mut ffi::PyObject,
    /// Defaults of keyword-only parameters, or null.
    keyword_defaults: *mut ffi::PyObject,
    dict: *mut ffi::PyObject,
    weak_references: *mut ffi::PyObject,
}

/// The part of a dispatcher that holds no Python object.
pub(crate) struct State {
    pub(crate) compiler: Arc<dyn Compiler>,
    /// Cleared once explicit signatures are compiled.
    pub(crate) may_compile: Cell<bool>,
    /// Whether a parameter collects arguments.
    collects: bool,
    entries: RefCell<Vec<*mut Entry>>,
    units: RefCell<Vec<Arc<dyn Unit>>>,
    /// What it is as a value of the types that were asked for.
    values: RefCell<Vec<Made>>,
    /// Units whose addresses others may hold: they live as long as the dispatcher.
    keepalive: RefCell<Vec<Arc<dyn Unit>>>,
    /// Argument types for which it did not compile in tentative calls.
    refused: RefCell<Vec<Box<[Fingerprint]>>>,
    /// Tentative calls that failed before any code ran.
    untyped: Cell<u32>,
    /// Addresses of classes of arguments that have no type, where these are objects. Of a class that is made where one was freed,
    /// arguments are objects as well, which is slower at worst.
    untyped_classes: RefCell<Vec<usize>>,
}

/// How many classes of arguments without a type are known by heart.
const UNTYPED_CLASSES: usize = 16;

impl State {
    /// Whether an argument is of a class whose objects were found to have no type.
    fn is_untyped(&self, value: &Bound<'_, PyAny>) -> bool {
        self.untyped_classes.borrow().contains(&(value.get_type_ptr() as usize))
    }

    /// Notes that a class written in Python has no type. (Whether a container has one depends on its items.)
    fn note_untyped(&self, value: &Bound<'_, PyAny>) {
        let (class, mut known) = (value.get_type(), self.untyped_classes.borrow_mut());
        // SAFETY: the class is alive.
        let flags = unsafe { ffi::PyType_GetFlags(class.as_type_ptr()) };
        let containers = ffi::Py_TPFLAGS_LIST_SUBCLASS
            | ffi::Py_TPFLAGS_DICT_SUBCLASS
            | ffi::Py_TPFLAGS_TUPLE_SUBCLASS
            | ffi::Py_TPFLAGS_LONG_SUBCLASS;
        if flags & ffi::Py_TPFLAGS_HEAPTYPE != 0 && flags & containers == 0 && known.len() < UNTYPED_CLASSES {
            known.push(class.as_ptr() as usize);
        }
    }
}

impl DispatcherObject {
    /// The Rust half.
    ///
    /// # Safety
    /// The instance is fully made and the GIL is held.
    unsafe fn state<'a>(&self) -> &'a State {
        // SAFETY: the state of an instance that is fully made is freed with it; the GIL keeps others out.
        unsafe { &*self.state }
    }

    /// What a compiler is reported.
    ///
    /// # Safety
    /// As for [`Self::state`].
    unsafe fn target<'py>(&mut self, py: Python<'py>) -> PyResult<Target<'py>> {
        // SAFETY: the fields of a live dispatcher are objects that it owns.
        unsafe {
            let units = self.state().units.borrow().clone();
            Ok(Target {
                dispatcher: Bound::from_borrowed_ptr(py, (&raw mut *self).cast()),
                function: Bound::from_borrowed_ptr(py, self.function),
                options: Bound::from_borrowed_ptr(py, self.options).cast_into()?,
                units,
            })
        }
    }

    /// Forgets every specialization. Calls under way keep theirs.
    ///
    /// # Safety
    /// As for [`Self::state`].
    unsafe fn forget(&mut self) {
        self.last = std::ptr::null_mut();
        self.named = std::ptr::null_mut();
        // SAFETY: the caller passes a live dispatcher and holds the GIL.
        let state = unsafe { self.state() };
        let entries = state.entries.take();
        let units = state.units.take();
        state.refused.take();
        state.untyped.set(0);
        state.keepalive.borrow_mut().extend(state.values.take().into_iter().map(|made| made.unit));
        for entry in entries {
            // SAFETY: the dispatcher's own reference to the entry, taken out of the table, is given back
            // once.
            unsafe { Entry::release(entry) };
        }
        drop(units);
    }
}

impl State {
    fn new(compiler: Arc<dyn Compiler>, collects: bool) -> State {
        State {
            compiler,
            collects,
            may_compile: Cell::new(true),
            entries: RefCell::default(),
            units: RefCell::default(),
            values: RefCell::default(),
            keepalive: RefCell::default(),
            refused: RefCell::default(),
            untyped: Cell::new(0),
            untyped_classes: RefCell::default(),
        }
    }

    /// Tells the collector of objects that units hold which nobody but the dispatcher has: a block of Python code may refer to
    /// the function that it lies in.
    fn visit_objects(&self, visit: &mut dyn FnMut(*mut ffi::PyObject) -> c_int) -> c_int {
        let (Ok(units), Ok(entries)) = (self.units.try_borrow(), self.entries.try_borrow()) else { return 0 };
        let (Ok(values), Ok(keepalive)) = (self.values.try_borrow(), self.keepalive.try_borrow()) else {
            return 0;
        };
        for unit in units.iter() {
            // SAFETY: the table holds a use of each of its entries.
            let of_entries = entries.iter().map(|&entry| unsafe { &(*entry).unit });
            let holders = of_entries.chain(values.iter().map(|made| &made.unit)).chain(keepalive.iter());
            let own = 1 + holders.filter(|held| Arc::ptr_eq(held, unit)).count();
            let stop = if Arc::strong_count(unit) == own { unit.visit_objects(visit) } else { 0 };
            if stop != 0 {
                return stop;
            }
        }
        0
    }

    fn find(&self, key: &[Fingerprint]) -> Option<*mut Entry> {
        // SAFETY: the table holds a use of each of its entries.
        self.entries.borrow().iter().copied().find(|&entry| unsafe { &*(*entry).fingerprints == key })
    }

    /// Adds an entry, unless another thread or a nested call was faster. One that knows values of arguments
    /// is not added: its only use is the caller's.
    fn publish(&self, made: Specialization, key: Box<[Fingerprint]>) -> *mut Entry {
        if let Some(entry) = self.find(&key) {
            return entry;
        }
        self.add_unit(made.unit.clone());
        if made.by_value {
            return Entry::new(made, key, self.collects);
        }
        let entry = Entry::new(made, key, self.collects);
        self.entries.borrow_mut().push(entry);
        entry
    }

    /// Makes a unit, and leaves it with the dispatcher, between the calls of who listens to compilations.
    fn announced<'py, T>(
        &self,
        target: &Target<'py>,
        request: CompileFor<'_, 'py>,
        make: impl FnOnce() -> PyResult<T>,
    ) -> PyResult<T> {
        let ended = self.compiler.announce(target, request)?;
        let made = make();
        if let Some(ended) = ended {
            let error = made.as_ref().err().map(|error| error.value(ended.py()));
            let told = ended.call1((error,));
            if made.is_ok() {
                told?;
            }
        }
        made
    }

    /// Adds a unit unless it is there.
    fn add_unit(&self, unit: Arc<dyn Unit>) {
        let mut units = self.units.borrow_mut();
        if !units.iter().any(|known| Arc::ptr_eq(known, &unit)) {
            units.push(unit);
        }
    }
}

/// Refuses arguments that do not fit the parameters.
///
/// # Safety
/// The arguments are those of the vectorcall protocol.
pub(crate) unsafe fn check_arguments(
    py: Python<'_>,
    dispatcher: *mut DispatcherObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    kwnames: *mut ffi::PyObject,
) -> PyResult<()> {
    // SAFETY: the arguments are passed on as the vectorcall protocol gave them.
    unsafe { fold::fold(py, dispatcher, args, count, kwnames) }.map(|_| ())
}

/// In object mode: the function that runs, borrowed; `lift` makes it. The first call adds a unit.
///
/// # Safety
/// The dispatcher is alive.
pub(crate) unsafe fn executed(
    py: Python<'_>,
    dispatcher: *mut DispatcherObject,
    lift: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Py<PyAny>>,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the caller passes a live dispatcher and holds the GIL.
    unsafe {
        if (*dispatcher).executed.is_null() {
            let state = (*dispatcher).state();
            let target = (*dispatcher).target(py)?;
            if object_mode::is_fallback(&target.options)? || state.units.borrow().is_empty() {
                state.add_unit(object_unit(&target, PyTuple::empty(py).as_any())?);
            }
            let made = lift(&target.dispatcher)?;
            if (*dispatcher).executed.is_null() {
                (*dispatcher).executed = made.into_ptr();
            }
        }
        Ok((*dispatcher).executed)
    }
}
