//! `rumba._rumba.explicit`: the ops of the Explicit phase, and the check of a function that an extension wrote of them.
//!
//! Absent: the builder (`rumba.codegen.explicit`).

use crate::diagnostics::to_exception;
use crate::session::session_state::Backend;
use ir::{Count, Effect, Op, Phase};
use pyo3::prelude::*;
use std::sync::Arc;

/// `rumba._rumba.explicit`.
#[pyclass(frozen, module = "rumba._rumba")]
pub(crate) struct ExplicitText {
    backend: Arc<Backend>,
}

impl ExplicitText {
    pub fn new(backend: Arc<Backend>) -> Self {
        ExplicitText { backend }
    }
}

/// A row of the table: name, kinds of immediates, how many operands (at least, and whether that is exact), how many results, and
/// whether it ends its block.
type Row = (&'static str, Vec<String>, usize, bool, usize, bool);

#[pymethods]
impl ExplicitText {
    /// The table of ops.
    #[staticmethod]
    fn ops() -> Vec<Row> {
        let least = |count: Count| match count {
            Count::Exactly(n) => (n, true),
            Count::AtLeast(n) => (n, false),
        };
        let row = |op: Op| {
            let info = op.info();
            let ((args, exact), (results, _)) = (least(info.args), least(info.results));
            let kinds = info.attrs.iter().map(|kind| format!("{kind:?}")).collect();
            (info.name, kinds, args, exact, results, info.effect == Effect::Terminator)
        };
        let ops = Op::ALL.iter().copied();
        ops.filter(|op| op.info().phases.contains(&Phase::Explicit)).map(row).collect()
    }

    /// Raises an exception unless a text is a function in the Explicit phase that keeps the rules.
    fn check(&self, py: Python<'_>, text: &str) -> PyResult<()> {
        driver::check_explicit(text, &self.backend.session().types).map_err(|error| to_exception(py, &error))
    }
}
