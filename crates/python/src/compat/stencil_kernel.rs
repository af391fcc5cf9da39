//! Inspects a stencil's kernel before the loop around it is written: its result type and extent.

use crate::diagnostics::to_exception;
use crate::host::PyHost;
use crate::host::compilation_cx::CompilationCx;
use crate::host::snapshot;
use crate::session::session_state::Backend;
use driver::{Options, Request, WantedLiterals};
use pyo3::prelude::*;
use python_rt::panic_guard;
use std::rc::Rc;
use std::sync::Arc;
use types::{Type, TypeData, TypeTable};

/// `rumba._rumba.stencils`.
#[pyclass(frozen, module = "rumba._rumba")]
pub(crate) struct StencilKernels {
    backend: Arc<Backend>,
}

/// Whether values of a type refer to variables of the function that is compiled around.
fn shares_variables(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Cell(_) => true,
        TypeData::Closure { captures, defaults, .. } => {
            captures.iter().chain(defaults.iter()).any(|&part| shares_variables(types, part))
        }
        TypeData::Choice(members) => members.iter().any(|&member| shares_variables(types, member)),
        _ => {
            types.components(ty).is_some_and(|parts| parts.iter().any(|&part| shares_variables(types, part)))
        }
    }
}

/// The least and the greatest offset in each dimension, by index; None where it is not known.
type Offsets = Vec<Vec<Option<(i64, i64)>>>;

impl StencilKernels {
    pub fn new(backend: Arc<Backend>) -> Self {
        StencilKernels { backend }
    }
}

#[pymethods]
impl StencilKernels {
    /// The type of the result of a plain function for arguments of these types, and the offsets of all stencil points in it and in
    /// what it calls. No code is made.
    fn inspect<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        args: Vec<Bound<'py, PyAny>>,
    ) -> PyResult<(Bound<'py, PyAny>, Offsets)> {
        let (py, backend) = (function.py(), &self.backend);
        let args = args.iter().map(|ty| backend.type_from_python(ty)).collect::<PyResult<Vec<_>>>()?;
        if args.iter().any(|&ty| shares_variables(&backend.session().types, ty)) {
            let message = "a stencil takes no functions that share variables with the one around them";
            return Err(panic_guard::exception(py, "UnsupportedError", message.into())?);
        }
        let chain = Rc::new(CompilationCx::default());
        let host = Rc::new(PyHost::new(backend.clone(), function, chain.clone()));
        let code = snapshot::of_function(function)?;
        let request = Request {
            code: &code,
            args: &args,
            result: None,
            own: None,
            options: Options::default(),
            host,
            wanted: WantedLiterals::default(),
            func: None,
        };
        let front = backend.session().compile_to_typed(request);
        if let (Err(_), Some(error)) = (&front, chain.raised.take()) {
            return Err(error);
        }
        let front = front.map_err(|diagnostic| to_exception(py, &diagnostic))?;
        let offsets = front.stencil_offsets(&backend.session().types);
        Ok((backend.type_to_python(py, front.result())?, offsets))
    }
}
