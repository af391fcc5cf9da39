//! The machine code that boxes and unboxes values of extension types.
//!
//! Absent: how the code is run (`extension_types`).

use crate::diagnostics::to_exception;
use crate::session::session_state::Backend;
use pyo3::intern;
use pyo3::prelude::*;
use python_rt::values::extension_types::{BoxingCache, ForeignBoxing, Way};
use python_rt::without_gil::without_gil;
use std::sync::{Arc, PoisonError};
use types::Type;

impl Backend {
    /// The code that takes in or hands out values of an extension type.
    pub(crate) fn border(&self, py: Python<'_>, ty: Type, way: Way) -> PyResult<Arc<ForeignBoxing>> {
        let name = if way == Way::In { "unboxing" } else { "boxing" };
        let asked = py.import(intern!(py, "rumba.codegen.border_code"))?;
        let answer = asked.call_method1(name, (self.type_to_python(py, ty)?,))?;
        let (symbol, text, cleans): (String, String, bool) = answer.extract()?;
        let known = |borders: &BoxingCache| {
            let known = borders.0.lock().unwrap_or_else(PoisonError::into_inner);
            known.get(&symbol).cloned()
        };
        if let Some(code) = known(&self.borders) {
            return Ok(code);
        }
        let session = self.session();
        let made = without_gil(py, || session.foreign_code(&symbol, &text));
        let code = made.map_err(|diagnostic| to_exception(py, &diagnostic))?;
        let made = Arc::new(ForeignBoxing { address: code.address, code: Box::new(code), cleans });
        let mut known = self.borders.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(symbol, made.clone());
        Ok(made)
    }
}
