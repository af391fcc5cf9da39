//! Compilations that a user-defined pipeline drives (`rumba.numba_pipeline`): Python runs it and calls back for types
//! and machine code.
//!
//! Absent: what passes are, and the shape in which they see functions.

use crate::compat::stage_passes;
use crate::compat::user_rewrites::{no_function, read_sketch};
use crate::diagnostics::to_exception;
use crate::dispatcher::UnitView;
use crate::host::PyHost;
use crate::host::compilation_cx::CompilationCx;
use crate::host::options;
use crate::host::snapshot;
use crate::session::compiled_unit::CompiledUnit;
use crate::session::compiler::Target;
use crate::session::session_state::Backend;
use driver::{EntryKind, NumbaIr, Request, SsaMap, WantedLiterals};
use ir::{Function, Op, Phase, ValueType};
use pyo3::exceptions::PyValueError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict, PyTuple};
use python_rt::panic_guard;
use python_rt::unit::Unit;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::{Arc, Mutex, PoisonError};
use types::Type;

/// What a function is compiled for.
pub(crate) struct Job<'a> {
    /// Types of its parameters.
    pub args: &'a [Type],
    /// The declared type of the result.
    pub result: Option<Type>,
    /// Filled where the values of these parameters must be known.
    pub wanted: WantedLiterals,
    /// Who enters it.
    pub purpose: EntryKind,
}

/// What passes of a pipeline made of a function.
pub(crate) struct Made {
    /// The function.
    pub func: Function,
    /// What they put into it, by names that begin with `$`.
    pub values: Py<PyDict>,
}

/// The pipeline that the decorator's options name.
pub(crate) fn class_of<'py>(options: &Bound<'py, PyDict>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let class = options.get_item(intern!(options.py(), "pipeline_class"))?;
    Ok(class.filter(|class| !class.is_none()))
}

/// What came of a compilation.
#[derive(Default)]
struct Outcome {
    unit: Option<Arc<CompiledUnit>>,
    wanted: BTreeSet<usize>,
}

/// A compilation that Python calls back for.
struct Pending {
    backend: Arc<Backend>,
    dispatcher: Py<PyAny>,
    function: Py<PyAny>,
    options: Py<PyDict>,
    units: Vec<Arc<dyn Unit>>,
    args: Vec<Type>,
    purpose: EntryKind,
    outcome: Arc<Mutex<Outcome>>,
}

impl Pending {
    /// `(statements, values, result)`: compiles what the passes made.
    fn compile(&self, given: &Bound<'_, PyTuple>) -> PyResult<Py<PyAny>> {
        let py = given.py();
        let (sketch, values, result): (Bound<'_, PyAny>, Bound<'_, PyDict>, Bound<'_, PyAny>) =
            given.extract()?;
        let target = Target {
            dispatcher: self.dispatcher.bind(py).clone(),
            function: self.function.bind(py).clone(),
            options: self.options.bind(py).clone(),
            units: self.units.clone(),
        };
        let (func, _) = function_of(&self.backend, &target.function, &sketch)?;
        let wanted = WantedLiterals::default();
        let result = optional_type(&self.backend, &result)?;
        let job = Job { args: &self.args, result, wanted: wanted.clone(), purpose: self.purpose };
        let made = Made { func, values: values.unbind() };
        let unit = self.backend.compile_function(&target, job, Some(made));
        let mut outcome = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        outcome.wanted.extend(wanted.borrow().iter());
        let unit = unit?;
        outcome.unit = Some(unit.clone());
        drop(outcome);
        Ok(UnitView::new(py, unit)?.into_any().unbind())
    }
}

/// Compiles a function by its pipeline.
pub(crate) fn compile(
    backend: &Arc<Backend>,
    target: &Target<'_>,
    job: Job<'_>,
) -> PyResult<Arc<CompiledUnit>> {
    let py = target.function.py();
    let outcome: Arc<Mutex<Outcome>> = Arc::default();
    let pending = Pending {
        backend: backend.clone(),
        dispatcher: target.dispatcher.clone().unbind(),
        function: target.function.clone().unbind(),
        options: target.options.clone().unbind(),
        units: target.units.clone(),
        args: job.args.to_vec(),
        purpose: job.purpose,
        outcome: outcome.clone(),
    };
    let compile = PyCFunction::new_closure(py, None, None, move |given, _| pending.compile(given))?;
    let types = types_to_python(backend, py, job.args)?;
    let result = job.result.map(|ty| backend.type_to_python(py, ty)).transpose()?;
    let asked = (&target.dispatcher, &target.function, types, result, compile);
    let ran = py.import(intern!(py, "rumba.numba_pipeline"))?.call_method1("compile", asked);
    let outcome = std::mem::take(&mut *outcome.lock().unwrap_or_else(PoisonError::into_inner));
    job.wanted.borrow_mut().extend(outcome.wanted);
    if let Err(error) = &ran
        && let Ok(wanted) = error.value(py).getattr(intern!(py, "_rumba_wanted"))
    {
        job.wanted.borrow_mut().extend(wanted.extract::<Vec<usize>>()?);
    }
    ran?;
    match outcome.unit {
        Some(unit) => Ok(unit),
        None => {
            let message = format!(
                "the pipeline of {} made no machine code: its passes end with NativeLowering, and what overrides \
                 compile_extra() calls the one of CompilerBase",
                target.function
            );
            Err(panic_guard::exception(py, "CompilerError", message)?)
        }
    }
}

/// What the pipeline of a called function makes of it for types of arguments; none where it is at work on them.
pub(crate) fn opened(
    backend: &Arc<Backend>,
    dispatcher: &Bound<'_, PyAny>,
    params: &[Type],
    values: &Bound<'_, PyDict>,
) -> PyResult<Option<Function>> {
    let py = dispatcher.py();
    let types = types_to_python(backend, py, params)?;
    let made = py
        .import(intern!(py, "rumba.numba_pipeline"))?
        .call_method1("opened", (dispatcher, types, values))?;
    if made.is_none() {
        return Ok(None);
    }
    Ok(Some(function_of(backend, &dispatcher.getattr(intern!(py, "py_func"))?, &made)?.0))
}

fn types_to_python<'py>(backend: &Backend, py: Python<'py>, types: &[Type]) -> PyResult<Bound<'py, PyTuple>> {
    let types = types.iter().map(|&ty| backend.type_to_python(py, ty)).collect::<PyResult<Vec<_>>>()?;
    PyTuple::new(py, types)
}

fn optional_type(backend: &Backend, ty: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    if ty.is_none() { Ok(None) } else { backend.type_from_python(ty).map(Some) }
}

/// The function built from statements, and what each of them was converted to.
fn function_of(
    backend: &Backend,
    function: &Bound<'_, PyAny>,
    sketch: &Bound<'_, PyAny>,
) -> PyResult<(Function, (NumbaIr, SsaMap))> {
    let code = snapshot::of_function(function)?;
    let shell = Function::new(&code.qualname, &code.filename, code.first_line, Phase::Untyped);
    let (shell, sketch) = read_sketch(backend, function, shell, sketch)?;
    let (func, trace) = driver::rebuild_traced(shell, &sketch).map_err(no_function)?;
    ir::verify(&func).map_err(|error| PyValueError::new_err(error.message.clone()))?;
    Ok((func, (sketch, trace)))
}

/// What is asked about types: the dispatcher or None, types of arguments, the type of the result or None, statements,
/// and what they refer to.
pub(crate) type Asked<'py> =
    (Bound<'py, PyAny>, Vec<Bound<'py, PyAny>>, Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyDict>);

/// See `Rewriting::infer`.
pub(crate) fn infer<'py>(
    backend: &Arc<Backend>,
    function: &Bound<'py, PyAny>,
    asked: &Asked<'py>,
) -> PyResult<Bound<'py, PyTuple>> {
    let (dispatcher, args, result, sketch, values) = asked;
    let py = function.py();
    backend.load_entry_points(py)?;
    let (func, (sketch, trace)) = function_of(backend, function, sketch)?;
    let own = backend.handle_of(dispatcher);
    let options =
        own.map_or_else(|| Ok(driver::Options::default()), |own| options::of_function(backend, py, own))?;
    let chain = Rc::new(CompilationCx {
        globals: RefCell::new(Some(values.clone().unbind())),
        passes: stage_passes::runner(backend),
        ..CompilationCx::default()
    });
    let host = Rc::new(PyHost::new(backend.clone(), function, chain.clone()).of(own));
    let args = args.iter().map(|ty| backend.type_from_python(ty)).collect::<PyResult<Vec<_>>>()?;
    let wanted = WantedLiterals::default();
    let request = Request {
        code: &*snapshot::of_function(function)?,
        args: &args,
        result: optional_type(backend, result)?,
        own,
        options,
        host,
        wanted: wanted.clone(),
        func: Some(func),
    };
    let found = backend.session().source(request);
    if let (Err(_), Some(error)) = (&found, chain.raised.take()) {
        return Err(error);
    }
    let (source, result) = found.map_err(|diagnostic| {
        let error = to_exception(py, &diagnostic);
        let wanted: Vec<usize> = wanted.borrow().iter().copied().collect();
        // An exception that takes no attribute tells nothing of it.
        let _ = error.value(py).setattr(intern!(py, "_rumba_wanted"), wanted);
        error
    })?;
    // A type that Python has no form for stays unknown.
    let types_of = |held: &[ir::Value]| -> Vec<Bound<'py, PyAny>> {
        let known = held.iter().filter_map(|&value| match source.values[value].ty {
            ValueType::Typed(ty) if ty != Type::UNDEFINED => Some(ty),
            _ => None,
        });
        let known = known.collect::<BTreeSet<Type>>().into_iter();
        known.filter_map(|ty| backend.type_to_python(py, ty).ok()).collect()
    };
    let held: Vec<_> = sketch.names.keys().map(|name| types_of(&trace.values[name])).collect();
    let chosen: Vec<Option<u32>> =
        sketch.parts.keys().map(|node| chosen(&source, &sketch, &trace, node)).collect();
    (held, chosen, backend.type_to_python(py, result).ok()).into_pyobject(py)
}

/// Where a branch always leads to.
fn chosen(source: &Function, sketch: &NumbaIr, trace: &SsaMap, node: driver::BlockId) -> Option<u32> {
    let last = sketch.parts[node].steps.last()?;
    let block = trace.blocks[node].filter(|block| source.layout.contains(block))?;
    let end = &source.insts[source.terminator(block)?];
    if last.op != Some(Op::Branch) || end.op != Op::Jump {
        return None;
    }
    let found = last.targets.iter().find(|&&target| trace.blocks[target] == Some(end.targets[0].block));
    found.map(|&target| target.as_u32())
}
