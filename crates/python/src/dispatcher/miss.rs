//! The slow path: folds arguments, finds the entry for their fingerprints, compiles it if there is none, and calls it.
//! A *tentative* call returns None if this fails before any code of the function has run.

use super::{DispatcherObject, State, fold, named};
use crate::diagnostics::arguments;
use crate::session::compiler::{Argument, CompileFor, Target};
use pyo3::exceptions::{PyException, PyOverflowError};
use pyo3::ffi;
use pyo3::prelude::*;
use python_rt::entry::{Entry, Fingerprint, Quick, STACK_WORDS, Specialization, quick, run};
use python_rt::panic_guard;
use python_rt::plan::Unbox;
use python_rt::values::kwargs::Keywords;
use smallvec::SmallVec;
use std::cell::{Cell, RefCell};

/// A function that never compiled is not tried again after this many tentative calls with arguments that have no type.
const MAX_UNTYPED: u32 = 64;

/// What is asked and known of one call.
#[derive(Default)]
pub(super) struct Attempt {
    /// Gives None instead of an error of typing.
    tentative: bool,
    /// Whether the function may do with objects what it cannot do otherwise.
    objects: bool,
    /// Whether code of the function began to run.
    entered: Cell<bool>,
    /// Why the function was not compiled.
    refusal: RefCell<Option<PyErr>>,
}

/// A call that gives nothing where the arguments have no types, or the function does not compile for these; then the reason, where
/// it is a new one.
///
/// # Safety
/// The arguments are those of the vectorcall protocol.
#[cold]
#[inline(never)]
pub(super) unsafe fn call_tentatively(
    dispatcher: *mut DispatcherObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    kwnames: *mut ffi::PyObject,
    objects: bool,
) -> Result<*mut ffi::PyObject, Option<PyErr>> {
    let attempt = Attempt { tentative: true, objects, ..Attempt::default() };
    // SAFETY: the arguments are passed on as the protocol gave them, under the GIL.
    unsafe {
        let state = (*dispatcher).state();
        let never_compiled = || state.units.borrow().is_empty();
        if state.untyped.get() >= MAX_UNTYPED && ffi::PyErr_Occurred().is_null() && never_compiled() {
            return Err(None);
        }
        let value = call(dispatcher, args, count, kwnames, &attempt);
        if !value.is_null() || attempt.entered.get() {
            return Ok(value);
        }
        if ffi::PyErr_Occurred().is_null() {
            state.untyped.set(state.untyped.get().saturating_add(1));
            return Err(attempt.refusal.take());
        }
        let error = Python::attach(PyErr::fetch);
        let is_of_typing = Python::attach(|py| is_of_typing(py, &error));
        if !is_of_typing {
            Python::attach(|py| error.restore(py));
            return Ok(std::ptr::null_mut());
        }
        state.untyped.set(state.untyped.get().saturating_add(1));
        Err(Some(error))
    }
}

/// Whether an error says that a function cannot be compiled for its arguments: none of the process, and none of ours.
fn is_of_typing(py: Python<'_>, error: &PyErr) -> bool {
    let internal = error.get_type(py).name().is_ok_and(|name| name == "InternalError");
    error.is_instance_of::<PyException>(py) && !internal
}

/// Serves a call that the entry used last does not.
///
/// # Safety
/// The arguments are those of the vectorcall protocol.
#[cold]
#[inline(never)]
pub(super) unsafe fn call(
    dispatcher: *mut DispatcherObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    kwnames: *mut ffi::PyObject,
    attempt: &Attempt,
) -> *mut ffi::PyObject {
    // SAFETY: the arguments are passed on as the vectorcall protocol gave them.
    unsafe {
        // Reading an argument ran Python code.
        if !ffi::PyErr_Occurred().is_null() {
            return std::ptr::null_mut();
        }
        if let Some(value) = named::call(dispatcher, args, count, kwnames) {
            return value;
        }
        if kwnames.is_null()
            && let Some(entry) = find_quickly(dispatcher, args, count)
            && (*entry).known_arity == count
        {
            if (*entry).fast_arity == count {
                (*dispatcher).last = entry;
            }
            if let Some(value) = run_attached_small(entry, args, attempt) {
                return value;
            }
        }
        let last = (*dispatcher).last;
        if kwnames.is_null()
            && !last.is_null()
            && (*last).held_arity == count
            && let Some(value) = run_attached_small(last, args, attempt)
        {
            return value;
        }
        if kwnames.is_null() && !last.is_null() && (*last).converting_arity == count {
            let value = panic_guard::enter("a call", std::ptr::null_mut(), |py| {
                Ok(run_like_last(py, last, (args, count), attempt)?.unwrap_or(std::ptr::null_mut()))
            });
            if !value.is_null() || !ffi::PyErr_Occurred().is_null() {
                return value;
            }
        }
        panic_guard::enter("a call", std::ptr::null_mut(), |py| {
            call_folded(py, dispatcher, (args, count, kwnames), attempt)
        })
    }
}

/// Calls an entry whose words fit the stack: nothing if an argument is not what its plan expects.
unsafe fn run_attached_small(
    entry: *mut Entry,
    args: *const *mut ffi::PyObject,
    attempt: &Attempt,
) -> Option<*mut ffi::PyObject> {
    let mut words = [0u64; STACK_WORDS];
    // SAFETY: the caller passes a live entry whose words fit, and as many live arguments as it has; a use is
    // taken meanwhile.
    unsafe {
        // Reading the arguments may run Python code, which may make the dispatcher forget the entry.
        Entry::hold(entry);
        let value = if run::unbox_all(entry, args, words.as_mut_ptr()) {
            attempt.entered.set(true);
            Some(run::run(entry, words.as_ptr()))
        } else {
            (!ffi::PyErr_Occurred().is_null()).then_some(std::ptr::null_mut())
        };
        Entry::release(entry);
        value
    }
}

/// The entry for positional arguments of types known by heart.
unsafe fn find_quickly(
    dispatcher: *mut DispatcherObject,
    args: *const *mut ffi::PyObject,
    count: usize,
) -> Option<*mut Entry> {
    let mut key = [Fingerprint::NONE; STACK_WORDS];
    let key = key.get_mut(..count)?;
    for (index, slot) in key.iter_mut().enumerate() {
        // SAFETY: there are as many arguments as the key has places.
        match unsafe { quick(*args.add(index)) } {
            Quick::Known(fingerprint) => *slot = fingerprint,
            _ => return None,
        }
    }
    // SAFETY: the caller passes a live dispatcher and holds the GIL.
    unsafe { (*dispatcher).state() }.find(key)
}

unsafe fn call_folded(
    py: Python<'_>,
    dispatcher: *mut DispatcherObject,
    (args, count, kwnames): (*const *mut ffi::PyObject, usize, *mut ffi::PyObject),
    attempt: &Attempt,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the arguments are passed on as the vectorcall protocol gave them.
    let folded = unsafe { fold::fold(py, dispatcher, args, count, kwnames)? };
    // SAFETY: the caller passes a live dispatcher and holds the GIL.
    let state = unsafe { (*dispatcher).state() };
    let mut arguments = Vec::with_capacity(folded.values.len());
    for (value, omitted) in folded.values.into_iter().zip(folded.omitted) {
        // SAFETY: the caller passes a live dispatcher and holds the GIL.
        let fingerprint = unsafe { fingerprint_or_object(dispatcher, &value, attempt) };
        if attempt.tentative && fingerprint.is_err() {
            return fingerprint.map(|_| std::ptr::null_mut());
        }
        let fingerprint = fingerprint
            // SAFETY: the caller passes a live dispatcher and holds the GIL.
            .map_err(|error| unsafe { untyped_argument(py, dispatcher, arguments.len(), &value, error) })?;
        let fingerprint = if omitted { fingerprint.omitted() } else { fingerprint };
        arguments.push(Argument { fingerprint, value });
    }
    let key: Vec<Fingerprint> = arguments.iter().map(|argument| argument.fingerprint).collect();
    let entry = match state.find(&key) {
        Some(entry) => entry,
        None if attempt.tentative && state.refused.borrow().iter().any(|refused| **refused == *key) => {
            return Ok(std::ptr::null_mut());
        }
        None => {
            // SAFETY: the caller passes a live dispatcher and holds the GIL.
            let target = unsafe { (*dispatcher).target(py)? };
            let made = state.announced(&target, CompileFor::Arguments(&arguments), || {
                let made = compile(state, &target, &arguments, attempt)?;
                if state.find(&key).is_none() {
                    state.add_unit(made.unit.clone());
                }
                Ok(made)
            });
            let made = match made {
                Err(error) if attempt.tentative && is_of_typing(py, &error) => {
                    attempt.refusal.replace(Some(error));
                    state.refused.borrow_mut().push(key.into_boxed_slice());
                    return Ok(std::ptr::null_mut());
                }
                made => made?,
            };
            if made.arguments.len() != key.len() {
                return Err(panic_guard::internal_error(
                    py,
                    "a call",
                    "plan and parameters differ in number",
                ));
            }
            if made.by_value {
                let entry = state.publish(made, key.into_boxed_slice());
                // SAFETY: the entry was just published, and is held by its first use.
                let result = unsafe { call_entry(py, entry, &arguments, attempt) };
                // SAFETY: the use that publishing took is given back once.
                unsafe { Entry::release(entry) };
                return result;
            }
            state.publish(made, key.into_boxed_slice())
        }
    };
    // SAFETY: the table of the dispatcher keeps the entry alive.
    let takes_objects = unsafe { &(*entry).arguments }.contains(&Unbox::Object);
    // SAFETY: as above.
    let arities = unsafe { [(*entry).fast_arity, (*entry).held_arity, (*entry).converting_arity] };
    // An entry that takes any object would serve calls for which there is a better one.
    if arities.contains(&arguments.len())
        && !(takes_objects && (state.may_compile.get() || state.units.borrow().len() > 1))
    {
        // SAFETY: the table of the dispatcher keeps the entry alive for as long as this field.
        unsafe { (*dispatcher).last = entry };
    }
    // SAFETY: as above.
    if unsafe { (*entry).serves_named } && (!kwnames.is_null() || count < arguments.len()) {
        // SAFETY: as above.
        unsafe { (*dispatcher).named = entry };
    }
    // SAFETY: as above; `call_entry` takes a use of its own.
    unsafe { call_entry(py, entry, &arguments, attempt) }
}

/// Compiles for arguments; if that fails and may be done with objects, for their containers as objects.
fn compile(
    state: &State,
    target: &Target<'_>,
    arguments: &[Argument<'_>],
    attempt: &Attempt,
) -> PyResult<Specialization> {
    let may_compile = state.may_compile.get();
    let made = state.compiler.compile(target, arguments, may_compile);
    match made {
        Err(error) if attempt.objects && is_of_typing(target.function.py(), &error) => {
            let Some(objects) = state.compiler.with_containers_as_objects(arguments) else {
                return Err(error);
            };
            state.compiler.compile(target, &objects, may_compile).map_err(|_| error)
        }
        made => made,
    }
}

/// The key of an argument, which is that of any object where it has no type and that is allowed.
unsafe fn fingerprint_or_object(
    dispatcher: *mut DispatcherObject,
    value: &Bound<'_, PyAny>,
    attempt: &Attempt,
) -> PyResult<Fingerprint> {
    // SAFETY: the caller passes a live dispatcher and holds the GIL.
    let state = unsafe { (*dispatcher).state() };
    let object = if attempt.objects { state.compiler.object_fingerprint() } else { None };
    if let Some(object) = object.filter(|_| state.is_untyped(value)) {
        return Ok(object);
    }
    // SAFETY: as above.
    unsafe { fingerprint(dispatcher, value) }.or_else(|error| {
        let object = object.ok_or(error)?;
        state.note_untyped(value);
        Ok(object)
    })
}

unsafe fn fingerprint(dispatcher: *mut DispatcherObject, value: &Bound<'_, PyAny>) -> PyResult<Fingerprint> {
    // SAFETY: a bound object is alive.
    match unsafe { quick(value.as_ptr()) } {
        Quick::Known(fingerprint) => Ok(fingerprint),
        // Fixed signatures may ask for a float, which holds it.
        // SAFETY: the caller passes a live dispatcher and holds the GIL.
        Quick::TooBig if !unsafe { (*dispatcher).state() }.may_compile.get() => {
            Ok(if value.lt(0)? { Fingerprint::INT64 } else { Fingerprint::UINT64 })
        }
        Quick::TooBig => Err(PyOverflowError::new_err("int too big to convert")),
        // SAFETY: the caller passes a live dispatcher and holds the GIL.
        Quick::Slow => {
            // SAFETY: the caller passes a live dispatcher and holds the GIL.
            let state = unsafe { (*dispatcher).state() };
            let found = state.compiler.fingerprint(value);
            let object = || state.compiler.fingerprint_of_object(&state.units.borrow());
            match (found, state.may_compile.get()) {
                (Err(error), false) => object().ok_or(error),
                (found, _) => found,
            }
        }
    }
}

/// The error of an argument without a type, with the name of its parameter.
unsafe fn untyped_argument(
    py: Python<'_>,
    dispatcher: *mut DispatcherObject,
    index: usize,
    value: &Bound<'_, PyAny>,
    error: PyErr,
) -> PyErr {
    // SAFETY: the caller passes a live dispatcher and holds the GIL.
    let (function, names) = unsafe {
        let function = Bound::from_borrowed_ptr(py, (*dispatcher).function);
        (function, Bound::from_borrowed_ptr(py, (*dispatcher).names))
    };
    // SAFETY: the caller passes a live dispatcher and holds the GIL.
    if !unsafe { (*dispatcher).state() }.may_compile.get() {
        return arguments::no_definition(&function, value, error);
    }
    if let Ok(keywords) = value.cast::<Keywords>()
        && let Ok(given) = keywords.get().names(py)
    {
        let items = given.iter().zip(keywords.get().values(py));
        let mut untyped = items.filter_map(|(name, item)| {
            // SAFETY: the caller passes a live dispatcher and holds the GIL.
            let error = unsafe { fingerprint(dispatcher, &item) }.err()?;
            Some((name, item, error))
        });
        if let Some((name, item, error)) = untyped.next() {
            return arguments::argument_type(&function, name, &item, error);
        }
    }
    let name = names.get_item(index).map_or_else(|_| index.to_string(), |name| name.to_string());
    arguments::argument_type(&function, &name, value, error)
}

/// Calls an entry of any size.
///
/// Reading the arguments may run Python code, which may make the dispatcher forget the entry.
unsafe fn call_entry(
    py: Python<'_>,
    entry: *mut Entry,
    arguments: &[Argument<'_>],
    attempt: &Attempt,
) -> PyResult<*mut ffi::PyObject> {
    // SAFETY: the caller passes a live entry; the use that is taken is given back once.
    unsafe {
        Entry::hold(entry);
        let values: SmallVec<[Bound<'_, PyAny>; 4]> =
            arguments.iter().map(|argument| argument.value.clone()).collect();
        let result = run::run_attached(py, entry, &values, &attempt.entered);
        Entry::release(entry);
        result
    }
}

/// A call with containers of the types of the call before. Nothing if they are of others.
unsafe fn run_like_last(
    py: Python<'_>,
    entry: *mut Entry,
    (args, count): (*const *mut ffi::PyObject, usize),
    attempt: &Attempt,
) -> PyResult<Option<*mut ffi::PyObject>> {
    // SAFETY: the caller holds the entry, whose words fit the room on the stack, and passes live arguments.
    unsafe {
        let (mut words, mut result) = ([0u64; STACK_WORDS], [0u64; STACK_WORDS]);
        if !run::unbox_all(entry, args, words.as_mut_ptr()) {
            return PyErr::take(py).map_or(Ok(None), Err);
        }
        let arguments: SmallVec<[Bound<'_, PyAny>; 4]> =
            (0..count).map(|index| Bound::from_borrowed_ptr(py, *args.add(index))).collect();
        Entry::hold(entry);
        let outcome =
            run::run_converted(py, entry, &arguments, (&mut words, &mut result), (true, &attempt.entered));
        Entry::release(entry);
        outcome
    }
}
