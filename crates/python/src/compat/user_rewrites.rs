//! Converts functions for users' rewrites and back: plain tuples in Numba's form, which `rumba.rewriting` wraps.
//!
//! Absent: how that shape is made (`numba_ir`), and what rewrites do.

use crate::compat::custom_pipeline;
use crate::diagnostics::to_exception;
use crate::host::snapshot;
use crate::object_interp::constant_object;
use crate::session::session_state::Backend;
use bytecode::Constant;
use diag::Span;
use driver::{BlockId, IrBlock, Kind, NumbaIr, Stmt, VarData, VarId};
use entity::EntityRef;
use ir::{Attr, AttrKind, BinaryOp, CompareOp, Const, ConstData, Function, Op, UnaryOp, ValueType};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PyTuple};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use types::Type;

/// `rumba._rumba.rewriting`.
#[pyclass(frozen, module = "rumba._rumba")]
pub(crate) struct Rewriting {
    backend: Arc<Backend>,
}

impl Rewriting {
    pub fn new(backend: Arc<Backend>) -> Self {
        Rewriting { backend }
    }
}

#[pymethods]
impl Rewriting {
    /// Says whether rewrites of users are registered: compilations offer them nothing otherwise.
    fn enable(&self, enabled: bool) {
        self.backend.rewriting.store(enabled, Ordering::Relaxed);
    }

    /// A Python function before its types are known; `options` are those of a decorator.
    #[pyo3(signature = (function, options=None))]
    fn untyped<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        options: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let code = snapshot::of_function(function)?;
        let declared = match options {
            Some(options) => crate::host::options::locals(&self.backend, options)?,
            None => Vec::new(),
        };
        let func = driver::untyped(&code, &declared).map_err(|error| to_exception(function.py(), &error))?;
        encode(&self.backend, function, &func)
    }

    /// The types that the variables of statements have for these types of arguments, what is known of the branches
    /// at the ends of its blocks (the number of the block that is always chosen), and the type of the result.
    fn infer<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        asked: custom_pipeline::Asked<'py>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        custom_pipeline::infer(&self.backend, function, &asked)
    }

    /// The text of the function that statements are; an exception if they are not a function.
    fn text(&self, function: &Bound<'_, PyAny>, sketch: &Bound<'_, PyAny>) -> PyResult<String> {
        let code = snapshot::of_function(function)?;
        let shell = Function::new(&code.qualname, &code.filename, code.first_line, ir::Phase::Untyped);
        let func = self.read(function, shell, sketch)?;
        Ok(ir::Printer::new(&func, &self.backend.session().types).to_string())
    }

    /// The text of the Untyped form of a Python function.
    fn original(&self, function: &Bound<'_, PyAny>) -> PyResult<String> {
        let code = snapshot::of_function(function)?;
        let func = driver::untyped(&code, &[]).map_err(|error| to_exception(function.py(), &error))?;
        Ok(ir::Printer::new(&func, &self.backend.session().types).to_string())
    }
}

impl Rewriting {
    fn read(
        &self,
        function: &Bound<'_, PyAny>,
        shell: Function,
        sketch: &Bound<'_, PyAny>,
    ) -> PyResult<Function> {
        let func = decode(&self.backend, function, shell, sketch)?;
        ir::verify(&func).map_err(|error| PyValueError::new_err(error.message.clone()))?;
        Ok(func)
    }
}

/// A function in the shape that Numba's users know, as tuples: its name, file, line, parameters, blocks and variables, and
/// those that the compiler's entry block makes where that is no block here.
pub(crate) fn encode<'py>(
    backend: &Backend,
    function: &Bound<'py, PyAny>,
    func: &Function,
) -> PyResult<Bound<'py, PyTuple>> {
    let py = function.py();
    let view = driver::numba_view(func);
    let numbers = |vars: &[VarId]| vars.iter().map(|var| var.as_u32()).collect::<Vec<u32>>();
    let step = |step: &Stmt| {
        let attrs = step.attrs.iter().map(|attr| attribute(backend, function, func, attr));
        let attrs = PyTuple::new(py, attrs.collect::<PyResult<Vec<_>>>()?)?;
        let targets: Vec<u32> = step.targets.iter().map(|target| target.as_u32()).collect();
        let name = step.op.map(|op| op.info().name);
        (name, attrs, numbers(&step.args), numbers(&step.results), targets, span_parts(step.span))
            .into_pyobject(py)
    };
    let steps = |all: &[Stmt]| all.iter().map(step).collect::<PyResult<Vec<_>>>();
    let blocks = PyList::empty(py);
    for block in view.blocks.values() {
        let handler = match &block.handler {
            Some((copies, to)) => Some((steps(copies)?, to.as_u32())),
            None => None,
        };
        let exception = block.exception.map(|var| var.as_u32());
        let key = (block.label, block.offset, block.is_edge);
        let begin = (numbers(&block.joins), exception, steps(&block.heads)?, handler);
        blocks.append((key, begin, steps(&block.steps)?))?;
    }
    let vars = PyList::empty(py);
    for var in view.vars.values() {
        let ty = match var.value.map(|value| func.values[value].ty) {
            Some(ValueType::Typed(ty)) if ty != Type::UNDEFINED => backend.type_to_python(py, ty).ok(),
            _ => None,
        };
        let source = var.source.as_ref().map(|(name, version)| (name.as_str(), *version));
        vars.append((var.text.as_str(), source, ty, var.span.map(span_parts)))?;
    }
    let params: Vec<&str> = func.params.iter().map(|&name| func.symbols.get(name).as_str()).collect();
    let of_entry = view.of_entry.as_deref().map(numbers);
    (func.name.as_str(), func.file.as_str(), func.first_line, params, blocks, vars, of_entry)
        .into_pyobject(py)
}

fn span_parts(span: Span) -> (u32, u32, u32, u32) {
    (span.line, span.end_line, span.column, span.end_column)
}

fn attribute<'py>(
    backend: &Backend,
    function: &Bound<'py, PyAny>,
    func: &Function,
    attr: &Attr,
) -> PyResult<Bound<'py, PyAny>> {
    let py = function.py();
    let word = |text: &str| Ok(text.into_pyobject(py)?.into_any());
    match attr {
        Attr::Int(number) => Ok(number.into_pyobject(py)?.into_any()),
        Attr::Symbol(name) => word(func.symbols.get(*name)),
        Attr::Symbols(names) => {
            let names: Vec<&str> = names.iter().map(|&name| func.symbols.get(name).as_str()).collect();
            Ok(PyTuple::new(py, names)?.into_any())
        }
        Attr::Const(id) => {
            let code = function.getattr("__code__")?;
            let made = constant_object(func, &code, *id)?;
            // The code's own set has its items in the order that the compiler knows.
            if matches!(func.consts.get(*id), ConstData::FrozenSet(_)) {
                for known in code.getattr("co_consts")?.try_iter()? {
                    let known = known?;
                    if known.is_instance_of::<PyFrozenSet>() && known.eq(&made)? {
                        return Ok(known);
                    }
                }
            }
            Ok(made)
        }
        Attr::Type(ty) => backend.type_to_python(py, *ty),
        Attr::Binary(op) => word(op.text()),
        Attr::Unary(op) => word(op.text()),
        Attr::Compare(op) => word(op.text()),
        _ => Err(PyTypeError::new_err("an instruction of a later phase")),
    }
}

/// What statements over variables are as a function; `shell` has its name.
pub(crate) fn decode(
    backend: &Backend,
    function: &Bound<'_, PyAny>,
    shell: Function,
    sketch: &Bound<'_, PyAny>,
) -> PyResult<Function> {
    let (shell, made) = read_sketch(backend, function, shell, sketch)?;
    driver::rebuild(shell, &made).map_err(no_function)
}

/// Why statements are no function.
pub(crate) fn no_function(error: Box<diag::Diagnostic>) -> PyErr {
    let hint = error.hint.as_deref().unwrap_or_default();
    PyValueError::new_err(format!("{}. {hint}", error.message))
}

/// Statements over variables, and the function with the names and constants that they refer to.
pub(crate) fn read_sketch(
    backend: &Backend,
    function: &Bound<'_, PyAny>,
    mut shell: Function,
    sketch: &Bound<'_, PyAny>,
) -> PyResult<(Function, NumbaIr)> {
    type Block<'py> = (u32, u8, Vec<u32>, Option<u32>, Option<u32>, Vec<Bound<'py, PyAny>>);
    let (params, names, blocks): (Vec<String>, Vec<(String, Option<(String, u32)>)>, Vec<Block<'_>>) =
        sketch.extract()?;
    shell.params = params.iter().map(|name| shell.symbols.intern_str(name)).collect();
    let mut made = NumbaIr::default();
    for (text, source) in names {
        made.names.push(VarData { text, source });
    }
    let node = |number: u32| BlockId::from_u32(number);
    let (parts, all) = (blocks.len(), made.names.len());
    for (label, kind, joins, handler, exception, steps) in blocks {
        let kind = [Kind::Plain, Kind::Head, Kind::Edge].get(usize::from(kind)).copied().unwrap_or_default();
        let steps = steps.iter().map(|item| step(backend, function, &mut shell, item));
        let steps = steps.collect::<PyResult<Vec<_>>>()?;
        let joins = joins.into_iter().map(VarId::from_u32).collect();
        let exception = exception.map(VarId::from_u32);
        made.parts.push(IrBlock { label, kind, joins, handler: handler.map(node), exception, steps });
    }
    let in_range = made.parts.values().all(|part| {
        let steps = || part.steps.iter();
        let mut targets = steps().flat_map(|step| &step.targets).chain(&part.handler);
        let mut used = steps().flat_map(|step| step.args.iter().chain(&step.results)).chain(&part.exception);
        targets.all(|node| node.index() < parts) && used.all(|name| name.index() < all)
    });
    if parts == 0 || !in_range {
        return Err(PyValueError::new_err("a statement refers to a block that does not exist"));
    }
    Ok((shell, made))
}

fn step(
    backend: &Backend,
    function: &Bound<'_, PyAny>,
    shell: &mut Function,
    item: &Bound<'_, PyAny>,
) -> PyResult<Stmt> {
    type Fields<'py> =
        (Option<String>, Bound<'py, PyTuple>, Vec<u32>, Vec<u32>, Vec<u32>, Option<(u32, u32, u32, u32)>);
    let (op, attrs, args, results, targets, span): Fields<'_> = item.extract()?;
    let op = match op {
        Some(name) => Some(
            Op::from_name(&name)
                .ok_or_else(|| PyValueError::new_err(format!("`{name}` is no operation of the compiler")))?,
        ),
        None => None,
    };
    let kinds = op.map_or(&[][..], |op| op.info().attrs);
    if kinds.len() != attrs.len() {
        return Err(PyValueError::new_err("an instruction with another number of attributes than it has"));
    }
    let attrs =
        kinds.iter().zip(attrs.iter()).map(|(&kind, value)| read(backend, function, shell, kind, &value));
    let (line, end_line, column, end_column) = span.unwrap_or((0, 0, Span::NO_COLUMN, Span::NO_COLUMN));
    Ok(Stmt {
        op,
        attrs: attrs.collect::<PyResult<SmallVec<_>>>()?,
        args: args.into_iter().map(VarId::from_u32).collect(),
        results: results.into_iter().map(VarId::from_u32).collect(),
        targets: targets.into_iter().map(BlockId::from_u32).collect(),
        span: Span { line, end_line, column, end_column },
    })
}

fn read(
    backend: &Backend,
    function: &Bound<'_, PyAny>,
    shell: &mut Function,
    kind: AttrKind,
    value: &Bound<'_, PyAny>,
) -> PyResult<Attr> {
    let text = || value.extract::<String>();
    let unknown = || PyValueError::new_err(format!("{value} is no operator"));
    Ok(match kind {
        AttrKind::Int => Attr::Int(value.extract()?),
        AttrKind::Symbol => Attr::Symbol(shell.symbols.intern_str(&text()?)),
        AttrKind::Symbols => {
            let names: Vec<String> = value.extract()?;
            Attr::Symbols(names.iter().map(|name| shell.symbols.intern_str(name)).collect())
        }
        AttrKind::Const => {
            let codes = function.getattr("__code__")?.getattr("co_consts")?;
            let index = codes.try_iter()?.position(|known| known.is_ok_and(|known| known.is(value)));
            Attr::Const(intern(shell, &snapshot::constant(value)?, index)?)
        }
        AttrKind::Type => Attr::Type(backend.type_from_python(value)?),
        AttrKind::Binary => Attr::Binary(BinaryOp::from_text(&text()?).ok_or_else(unknown)?),
        AttrKind::Unary => Attr::Unary(UnaryOp::from_text(&text()?).ok_or_else(unknown)?),
        AttrKind::Compare => Attr::Compare(CompareOp::from_text(&text()?).ok_or_else(unknown)?),
        _ => return Err(unknown()),
    })
}

/// A constant in the function's table; `index` is where the code object has it.
fn intern(shell: &mut Function, constant: &Constant, index: Option<usize>) -> PyResult<Const> {
    if is_made_by_code(constant) {
        return Err(PyValueError::new_err("a constant that code of its own makes"));
    }
    let known = frontend::intern_constant(shell, constant, index);
    known.ok_or_else(|| PyValueError::new_err("a code object of another function"))
}

/// Whether loading a constant takes instructions of its own.
fn is_made_by_code(constant: &Constant) -> bool {
    match constant {
        Constant::SurrogateStr(_) | Constant::Slice(_) => true,
        Constant::Tuple(items) | Constant::FrozenSet(items) => items.iter().any(is_made_by_code),
        _ => false,
    }
}

/// What goes with a function that is offered to rewrites.
pub(crate) struct Offer<'a, 'py> {
    /// The compiled function that it is the function of.
    pub dispatcher: Option<Bound<'py, PyAny>>,
    /// The type that it returns, once types are known.
    pub result: Option<Bound<'py, PyAny>>,
    /// What rewrites put into functions of this compilation.
    pub globals: &'a Bound<'py, PyDict>,
    /// Whether what is done is printed.
    pub shown: bool,
}

/// What users' rewrites make of a function; none if they change nothing.
pub(crate) fn rewrite<'py>(
    backend: &Backend,
    function: &Bound<'py, PyAny>,
    func: &Function,
    offer: Offer<'_, 'py>,
) -> PyResult<Option<Function>> {
    let raw = encode(backend, function, func)?;
    let run = function.py().import("rumba.rewriting.run")?;
    let Offer { dispatcher, result, globals, shown } = offer;
    let made = run.call_method1("rewrite", (function, dispatcher, raw, result, globals, shown))?;
    if made.is_none() {
        return Ok(None);
    }
    let (sketch, keeps_operations): (Bound<'py, PyAny>, bool) = made.extract()?;
    let shell = Function::new(&func.name, &func.file, func.first_line, ir::Phase::Untyped);
    let made = decode(backend, function, shell, &sketch)?;
    Ok(Some(Function { keeps_operations, ..made }))
}
