//! Which handle stands for which compiled function.

use crate::dispatcher::DispatcherClass;
use pyo3::prelude::*;
use pyo3::types::{PyWeakrefMethods, PyWeakrefReference};
use std::collections::HashMap;
use types::Handle;

/// Compiled functions by handle, and handles by the addresses of what they stand for.
///
/// Objects die and others take their addresses, so what an address leads to is compared with the object.
#[derive(Default)]
pub(crate) struct FunctionTable {
    references: Vec<Py<PyWeakrefReference>>,
    of_dispatcher: HashMap<usize, Handle>,
    of_function: HashMap<usize, Vec<Handle>>,
}

impl FunctionTable {
    /// A compiled function that is still alive.
    pub(crate) fn get<'py>(&self, py: Python<'py>, handle: Handle) -> Option<Bound<'py, PyAny>> {
        self.references.get(handle.0 as usize)?.bind(py).upgrade()
    }

    /// The weak reference to a compiled function, which is kept for good.
    pub(crate) fn reference(&self, handle: Handle) -> Option<&Py<PyWeakrefReference>> {
        self.references.get(handle.0 as usize)
    }

    /// The handle of a dispatcher that has one.
    pub(crate) fn handle_of(&self, dispatcher: &Bound<'_, PyAny>) -> Option<Handle> {
        let handle = *self.of_dispatcher.get(&(dispatcher.as_ptr() as usize))?;
        self.get(dispatcher.py(), handle)?.is(dispatcher).then_some(handle)
    }

    /// The oldest dispatcher of a Python function that has a handle.
    pub(crate) fn dispatcher_of<'py>(
        &self,
        class: &DispatcherClass,
        function: &Bound<'py, PyAny>,
    ) -> Option<Bound<'py, PyAny>> {
        let handles = self.of_function.get(&(function.as_ptr() as usize))?;
        let mut alive = handles.iter().filter_map(|&handle| self.get(function.py(), handle));
        alive.find(|known| class.downcast(known).is_some_and(|found| found.function().is(function)))
    }

    /// Gives a handle to a dispatcher that has none.
    pub(crate) fn add(
        &mut self,
        dispatcher: &Bound<'_, PyAny>,
        function: &Bound<'_, PyAny>,
        reference: Py<PyWeakrefReference>,
    ) -> Handle {
        let handle = Handle(self.references.len() as u32);
        self.references.push(reference);
        self.of_dispatcher.insert(dispatcher.as_ptr() as usize, handle);
        let references = &self.references;
        let handles = self.of_function.entry(function.as_ptr() as usize).or_default();
        handles.retain(|known| references[known.0 as usize].bind(function.py()).upgrade().is_some());
        handles.push(handle);
        handle
    }
}
