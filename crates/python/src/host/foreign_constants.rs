//! Values of extension types and frozen sets as constants of compiled code.

use crate::diagnostics::to_exception;
use crate::session::session_state::Backend;
use driver::ForeignCode;
use pyo3::intern;
use pyo3::prelude::*;
use python_rt::callbacks::unbox_value;
use python_rt::data_model::DataModel;
use python_rt::values::extension_types::{ForeignStep, Way};
use python_rt::without_gil::without_gil;
use types::Type;

/// A value that is a constant of compiled code: what it holds lives as long as this.
#[pyclass(frozen, module = "rumba._rumba")]
pub(crate) struct Frozen {
    words: Vec<u64>,
    /// Which words are owners.
    owners: Vec<usize>,
    /// Code that wrote the constant, in whose memory it may lie, and what this knows by address.
    _code: Option<(ForeignCode, Py<PyAny>)>,
}

impl Drop for Frozen {
    fn drop(&mut self) {
        for &owner in &self.owners {
            rt::decref(self.words[owner]);
        }
    }
}

impl Frozen {
    /// A value as it is now: as the function says it that `lower_constant` registered, else as an argument.
    pub(crate) fn new(backend: &Backend, value: &Bound<'_, PyAny>, ty: Type) -> PyResult<Frozen> {
        let layout = backend.words(ty);
        let owners = layout.owners.to_vec();
        if backend.session().types.contents(ty).is_some() {
            let mut words = vec![0u64; layout.count];
            // SAFETY: there is room for the words.
            unsafe { unbox_value::take_copy(backend, value, ty, words.as_mut_ptr())? };
            return Ok(Frozen { words, owners, _code: None });
        }
        let py = value.py();
        let step = ForeignStep::new(backend, ty, Way::In);
        let mut words = vec![0u64; step.words()];
        let written = py
            .import(intern!(py, "rumba.codegen.border_code"))?
            .call_method1(intern!(py, "constant"), (backend.type_to_python(py, ty)?, value))?;
        let code = if written.is_none() {
            // SAFETY: there is room for the words.
            unsafe { step.take(value, words.as_mut_ptr())? };
            None
        } else {
            let (symbol, text, kept): (String, String, Py<PyAny>) = written.extract()?;
            let session = backend.session();
            let made = without_gil(py, || session.foreign_code(&symbol, &text));
            let code = made.map_err(|diagnostic| to_exception(py, &diagnostic))?;
            // SAFETY: the code was written for this.
            unsafe {
                let function: unsafe extern "C" fn(*mut u64) = std::mem::transmute(code.address);
                function(words.as_mut_ptr());
            }
            Some((code, kept))
        };
        Ok(Frozen { words, owners, _code: code })
    }

    /// The words of the value.
    pub(crate) fn words(&self) -> Vec<i64> {
        self.words.iter().map(|word| word.cast_signed()).collect()
    }
}
