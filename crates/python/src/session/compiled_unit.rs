//! A compiled function as the dispatcher holds it.

use crate::diagnostics::to_exception;
use crate::session::session_state::Backend;
use driver::{CacheOutcome, Compiled};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use python_rt::unit::Unit;
use python_rt::without_gil::without_gil;
use std::any::Any;
use std::ffi::c_int;
use std::sync::Arc;
use types::Handle;

/// A loop, as `rumba.parallel.loop_diagnostics` takes it.
type LoopRow<'a> = (bool, &'a str, &'a str, u32, u32, Option<&'a str>, &'a [u32]);

/// A compiled function, and the compiler that can tell more of it.
pub(crate) struct CompiledUnit {
    backend: Arc<Backend>,
    pub compiled: Arc<Compiled>,
    /// Python objects that the code has addresses of.
    keepalive: Vec<Py<PyAny>>,
}

/// The last holder may let go of it where Python does not know that the thread is attached.
impl Drop for CompiledUnit {
    fn drop(&mut self) {
        if !self.keepalive.is_empty() {
            let keepalive = std::mem::take(&mut self.keepalive);
            Python::try_attach(|_| drop(keepalive));
        }
    }
}

impl CompiledUnit {
    pub fn new(backend: Arc<Backend>, compiled: Arc<Compiled>, keepalive: Vec<Py<PyAny>>) -> Self {
        CompiledUnit { backend, compiled, keepalive }
    }

    /// Where compiled code calls the function as a value, and C if it has its types. Valid while the unit lives.
    pub fn entry_addresses(&self, py: Python<'_>) -> PyResult<(usize, Option<usize>)> {
        rt::share_counts();
        let session = self.backend.session();
        let addresses = |made: &driver::Entries| (made.native, made.c.as_ref().ok().copied());
        if let Some(made) = self.compiled.known_entries() {
            return Ok(addresses(made));
        }
        let made = without_gil(py, || session.entries(&self.compiled).map(addresses));
        made.map_err(|diagnostic| to_exception(py, &diagnostic))
    }

    /// Loops of a function that is compiled for several threads: whether over `prange`, function, file, line, column, why serial.
    pub fn parallel_loops(&self) -> Option<Vec<LoopRow<'_>>> {
        let loops = self.compiled.lowered.parallel.as_ref()?.iter().map(|of| {
            let (line, column) = (of.span.line, of.span.column);
            (of.is_prange, &*of.function, &*of.file, line, column, of.reason.as_deref(), &*of.races)
        });
        Some(loops.collect())
    }

    /// Operations on arrays whose results others use: line and column of the other, of the operation, why they are two loops.
    pub fn fusions(&self) -> Vec<(u32, u32, u32, u32, Option<&str>)> {
        let fusions = self.compiled.lowered.fusions.iter();
        fusions
            .map(|of| {
                let (user, operand) = (of.user, of.operand);
                (user.line, user.column, operand.line, operand.column, of.reason.as_deref())
            })
            .collect()
    }

    /// The unit that the dispatcher's view refers to.
    pub fn of(unit: &Arc<dyn Unit>) -> Option<Arc<CompiledUnit>> {
        let any: Arc<dyn Any + Send + Sync> = unit.clone();
        any.downcast().ok()
    }
}

impl Unit for CompiledUnit {
    fn signature(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let signature = &self.compiled.signature;
        Ok(self.backend.signature_to_python(py, &signature.params, signature.result)?.unbind())
    }

    fn metadata(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let times = PyDict::new(py);
        for (pass, time) in &self.compiled.timings {
            let before: f64 = times.get_item(pass)?.map_or(Ok(0.0), |value| value.extract())?;
            times.set_item(pass, before + time.as_secs_f64())?;
        }
        let metadata = PyDict::new(py);
        metadata.set_item("pass_times", times)?;
        let of_entries = || self.compiled.known_entries()?.cache_outcome;
        let outcome = self.compiled.cache_outcome.or_else(of_entries).map(|outcome| match outcome {
            CacheOutcome::Hit => "hit",
            CacheOutcome::Miss => "miss",
        });
        metadata.set_item("cache", outcome)?;
        metadata.set_item("symbol", &*self.compiled.lowered.members[0].symbol)?;
        if let Some(loops) = self.parallel_loops() {
            metadata.set_item("parallel_loops", loops)?;
            metadata.set_item("fusions", self.fusions())?;
        }
        Ok(metadata.into_any().unbind())
    }

    fn argument_bounds(&self) -> Option<(&[usize], u64)> {
        self.compiled.argument_bounds()
    }

    fn long_thunk(&self) -> Option<abi::Thunk> {
        self.backend.session().long_thunk(&self.compiled)
    }

    fn inspect(&self, stage: &str) -> Option<String> {
        // Only the texts after these need LLVM.
        match stage {
            "types" => return Some(self.compiled.typed_text(&self.backend.session().types)),
            "explicit" => return Some(self.compiled.explicit_text(&self.backend.session().types)),
            "callback" => return self.backend.session().entries_text(&self.compiled).ok().flatten(),
            _ => {}
        }
        let session = self.backend.session();
        let inspection = match stage {
            "lines" => session.inspect_lines(&self.compiled),
            _ => session.inspect(&self.compiled),
        };
        let inspection = match inspection {
            Ok(inspection) => inspection,
            Err(diagnostic) => {
                return Some(Python::attach(|py| to_exception(py, &diagnostic).to_string()));
            }
        };
        match stage {
            "llvm" => inspection.texts.llvm,
            "optimized" => inspection.texts.optimized,
            "asm" => inspection.texts.assembly,
            // All of them, after each other, and the number of the class in records of checks of indices.
            "lines" => {
                let texts = inspection.texts;
                let all = [texts.llvm, texts.optimized, texts.assembly].map(Option::unwrap_or_default);
                let checks = (abi::ExceptionClass::IndexError as u32).to_string();
                Some(
                    all.into_iter()
                        .chain([texts.remarks.join("\n"), checks])
                        .collect::<Vec<_>>()
                        .join("\x1e"),
                )
            }
            _ => None,
        }
    }

    fn callback(&self, py: Python<'_>) -> PyResult<(usize, String)> {
        // C may call it without Python's lock.
        rt::share_counts();
        let session = self.backend.session();
        let made = without_gil(py, || {
            let entries = session.entries(&self.compiled)?;
            Ok((entries.c.clone()?, entries.symbol.clone()))
        });
        made.map_err(|diagnostic: Box<diag::Diagnostic>| to_exception(py, &diagnostic))
    }

    fn visit_objects(&self, visit: &mut dyn FnMut(*mut ffi::PyObject) -> c_int) -> c_int {
        self.keepalive.iter().map(|object| visit(object.as_ptr())).find(|&stop| stop != 0).unwrap_or_default()
    }

    fn exception_class(&self, py: Python<'_>, number: u32) -> Option<Py<PyAny>> {
        self.backend.class(py, Handle(number))
    }
}
