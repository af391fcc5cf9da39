//! Calls with keyword arguments or omitted defaults that have the same form as the previous call: without allocation or
//! search.

use super::DispatcherObject;
use pyo3::ffi;
use python_rt::entry::{Entry, STACK_WORDS, run};
use python_rt::plan::Unbox;
use std::ptr::null_mut;

/// Serves a call by the entry that served the last one with keywords or defaults; nothing if it does not fit, or is no such call.
///
/// # Safety
/// The arguments are those of the vectorcall protocol, and the dispatcher is alive.
pub(super) unsafe fn call(
    dispatcher: *mut DispatcherObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    kwnames: *mut ffi::PyObject,
) -> Option<*mut ffi::PyObject> {
    // SAFETY: the entry is null or alive as long as the table of the dispatcher, and no Python code runs before it is held. Its words
    // fit the room on the stack.
    unsafe {
        let entry = (*dispatcher).named;
        if entry.is_null() {
            return None;
        }
        let parameters = (&(*entry).arguments).len();
        if kwnames.is_null() && count == parameters {
            return None;
        }
        let mut objects = [null_mut(); STACK_WORDS];
        let objects = objects.get_mut(..parameters)?;
        take_given(dispatcher, objects, args, count, kwnames)?;
        for (index, (object, key)) in objects.iter_mut().zip(&(*entry).fingerprints).enumerate() {
            if object.is_null() != key.is_omitted() {
                return None;
            }
            if object.is_null() {
                let is_compiled_in = (&(*entry).arguments)[index] == Unbox::Skip;
                *object = default(dispatcher, index, is_compiled_in)?;
            }
        }
        serve(entry, objects)
    }
}

unsafe fn serve(entry: *mut Entry, objects: &[*mut ffi::PyObject]) -> Option<*mut ffi::PyObject> {
    let mut words = [0u64; STACK_WORDS];
    // SAFETY: the caller passes a live entry whose words fit, and as many live arguments as it has.
    unsafe {
        run::unbox_all(entry, objects.as_ptr(), words.as_mut_ptr()).then(|| run::run(entry, words.as_ptr()))
    }
}

/// Puts what is given into the slots of the parameters.
unsafe fn take_given(
    dispatcher: *mut DispatcherObject,
    slots: &mut [*mut ffi::PyObject],
    args: *const *mut ffi::PyObject,
    count: usize,
    kwnames: *mut ffi::PyObject,
) -> Option<()> {
    // SAFETY: the protocol says that so many arguments are there, those with names last; a live dispatcher has a name for each parameter.
    unsafe {
        let shape = &(*dispatcher).shape;
        if count > shape.positional || (*dispatcher).names.is_null() {
            return None;
        }
        for (index, slot) in slots.get_mut(..count)?.iter_mut().enumerate() {
            *slot = *args.add(index);
        }
        let given = if kwnames.is_null() { 0 } else { ffi::PyTuple_GET_SIZE(kwnames) };
        for at in 0..given {
            let keyword = ffi::PyTuple_GET_ITEM(kwnames, at);
            let mut named = shape.positional_only..slots.len();
            // Names in programs are interned.
            let index =
                named.find(|&index| ffi::PyTuple_GET_ITEM((*dispatcher).names, index as isize) == keyword)?;
            if !slots[index].is_null() {
                return None;
            }
            slots[index] = *args.add(count + at as usize);
        }
        Some(())
    }
}

/// What a parameter is without an argument, borrowed. The dict of keyword-only parameters may change, so what is compiled in is looked up again.
unsafe fn default(
    dispatcher: *mut DispatcherObject,
    index: usize,
    is_compiled_in: bool,
) -> Option<*mut ffi::PyObject> {
    // SAFETY: both fields are null or a tuple and a dict that the live dispatcher owns.
    unsafe {
        let positional = (*dispatcher).shape.positional;
        if index >= positional {
            let defaults = (*dispatcher).keyword_defaults;
            if defaults.is_null() || is_compiled_in {
                return None;
            }
            let name = ffi::PyTuple_GET_ITEM((*dispatcher).names, index as isize);
            let value = ffi::PyDict_GetItem(defaults, name);
            return (!value.is_null()).then_some(value);
        }
        let defaults = (*dispatcher).defaults;
        if defaults.is_null() {
            return None;
        }
        let behind = positional - index;
        let at = (ffi::PyTuple_GET_SIZE(defaults) as usize).checked_sub(behind)?;
        Some(ffi::PyTuple_GET_ITEM(defaults, at as isize))
    }
}
