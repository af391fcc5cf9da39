//! Compiles functions for modules built ahead of time, for `rumba.ahead`.

use crate::compat::custom_pipeline::Job;
use crate::diagnostics::to_exception;
use crate::session::compiler::Target;
use crate::session::session_state::Backend;
use diag::{Diagnostic, codes};
use driver::{Cpu, EntryKind, ModuleArray, ModuleMember, ModuleUnit, WantedLiterals};
use module_rt::description::{Array, Description, Function, Overload, UFunc};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use python_rt::without_gil::without_gil;
use std::sync::Arc;
use types::{SetKind, Type, TypeData};

/// What `rumba._rumba.ahead` is.
#[pyclass(frozen, module = "rumba._rumba")]
pub struct ModuleBuilder {
    backend: Arc<Backend>,
}

/// A function for types of arguments.
#[pyclass(frozen, get_all, module = "rumba._rumba")]
pub struct BuiltFunction {
    /// The object file.
    object: Py<PyBytes>,
    /// The symbol that Python, or C, enters by.
    entry: String,
    /// Arrays that are a part of it.
    arrays: Vec<Py<BuiltArray>>,
    /// Symbols that it refers to.
    wanted: Vec<String>,
    /// Types that it knows by a number, with their names.
    types: Vec<(u32, String)>,
    /// Names of the types of its parameters.
    params: Vec<String>,
    /// Name of the type of its result.
    result: String,
    /// Whether it runs without the GIL.
    release_gil: bool,
}

/// An array that is a part of a module.
#[pyclass(frozen, get_all, module = "rumba._rumba")]
pub struct BuiltArray {
    /// The symbols of its first item, and of a function that gives its object.
    symbols: [String; 2],
    /// Its bytes.
    bytes: Py<PyBytes>,
    /// The offset of the first item in these.
    first: u32,
    dtype: String,
    shape: Vec<i64>,
    strides: Vec<i64>,
}

/// A ufunc: name, documentation, operands that are read, results, identity, layout, operands that change, kinds of operands,
/// number of loops.
type UFuncRow = (String, String, u32, u32, i32, String, Vec<u32>, Vec<u8>, u32);

/// A function of a module: name, documentation, parameters, how many are given by position alone, and at all,
/// numbers of those with defaults, these, and its overloads.
type FunctionRow<'py> =
    (String, String, Vec<String>, u32, u32, Vec<u32>, Vec<u8>, Vec<Bound<'py, BuiltFunction>>);

impl ModuleBuilder {
    /// The builder over a compiler.
    pub fn new(backend: Arc<Backend>) -> ModuleBuilder {
        ModuleBuilder { backend }
    }
}

#[pymethods]
impl ModuleBuilder {
    /// Bytes of room that a module has for its context.
    #[classattr]
    const CONTEXT_BYTES: usize = module_rt::CONTEXT_BYTES;

    /// Compiles a dispatcher for a signature: number `number` of its module, for a processor (`None`: this one),
    /// and for Python or for C to call.
    #[pyo3(signature = (dispatcher, signature, number, cpu, for_c=false))]
    fn compile(
        &self,
        dispatcher: &Bound<'_, PyAny>,
        signature: &Bound<'_, PyAny>,
        number: u64,
        cpu: Option<String>,
        for_c: bool,
    ) -> PyResult<BuiltFunction> {
        let cpu = cpu.map_or(Cpu::Host, |name| Cpu::Named(name, String::new()));
        let purpose = if for_c { EntryKind::Callback } else { EntryKind::Python };
        rt::with_stack(|| self.compile_function(dispatcher, signature, ModuleMember { number, purpose, cpu }))
    }

    /// Names that the linker finds by itself: in the runtime, in the C library, in Python.
    fn is_linked(&self, name: &str) -> bool {
        let is_python = name.starts_with("Py") || name.starts_with("_Py");
        is_python || module_rt::is_data(name) || driver::libc_names().any(|known| known == name)
    }

    /// What a module says of itself.
    fn describe(
        &self,
        name: String,
        links: Vec<String>,
        arrays: Vec<Bound<'_, BuiltArray>>,
        functions: Vec<FunctionRow<'_>>,
        loops: Vec<Bound<'_, BuiltFunction>>,
        ufuncs: Vec<UFuncRow>,
    ) -> Vec<u8> {
        let arrays = arrays.iter().map(|array| {
            let BuiltArray { bytes, first, dtype, shape, strides, .. } = array.get();
            let size = bytes.bind(array.py()).as_bytes().len() as u32;
            let (dtype, shape, strides) = (dtype.clone(), shape.clone(), strides.clone());
            Array { dtype, shape, strides, size, first: *first }
        });
        let arrays = arrays.collect();
        let ufuncs = ufuncs.into_iter().map(|row| {
            let (name, doc, inputs, outputs, identity, layout, changed, kinds, loops) = row;
            UFunc { name, doc, inputs, outputs, identity, layout, changed, kinds, loops }
        });
        let ufuncs = ufuncs.collect();
        let mut types: Vec<(u32, String)> = Vec::new();
        let units = functions.iter().flat_map(|row| &row.7).chain(&loops).flat_map(|unit| &unit.get().types);
        units.for_each(|ty| {
            if !types.contains(ty) {
                types.push(ty.clone())
            }
        });
        let functions = functions.into_iter().map(|row| {
            let (name, doc, params, positional_only, positional, optional, defaults, overloads) = row;
            let overloads = overloads.iter().map(|overload| {
                let overload = overload.get();
                let (params, result) = (overload.params.clone(), overload.result.clone());
                Overload { params, result, release_gil: overload.release_gil }
            });
            let overloads = overloads.collect();
            Function { name, doc, params, positional_only, positional, optional, defaults, overloads }
        });
        let functions = functions.collect();
        Description { name, types, links, arrays, functions, ufuncs }.write()
    }
}

impl ModuleBuilder {
    fn compile_function(
        &self,
        dispatcher: &Bound<'_, PyAny>,
        signature: &Bound<'_, PyAny>,
        member: ModuleMember,
    ) -> PyResult<BuiltFunction> {
        let purpose = member.purpose;
        let (backend, py) = (&self.backend, dispatcher.py());
        let found = backend.dispatcher(dispatcher);
        let found = found.ok_or_else(|| PyTypeError::new_err("expected a compiled function"))?;
        let (function, options) = (found.function(), found.options()?);
        let target =
            Target { dispatcher: dispatcher.clone(), function, options: options.clone(), units: Vec::new() };
        let (args, result) = backend.read_signature(&target, signature)?;
        let job = Job { args: &args, result, wanted: WantedLiterals::default(), purpose };
        let (front, _) = backend.front(&target, job, None)?;
        let front = front.map_err(|diagnostic| to_exception(py, &diagnostic))?;
        let session = backend.session();
        let made = without_gil(py, || session.compile_for_module(front, member));
        let made: ModuleUnit = made.map_err(|diagnostic| to_exception(py, &diagnostic))?;
        let types = &session.types;
        let crossing = made.signature.params.iter().chain([&made.signature.result]);
        for &ty in crossing.filter(|_| purpose == EntryKind::Python) {
            if !crosses(backend, ty) {
                let message = format!(
                    "a value of type {} cannot be passed to a module or returned by it",
                    types.name(ty)
                );
                let diagnostic = Diagnostic::new(codes::NOT_BOXED, message)
                    .hint("Modules take and return numbers, strings, None, arrays of numbers, and tuples, lists, dicts and sets of them.");
                return Err(to_exception(py, &diagnostic));
            }
        }
        Ok(BuiltFunction {
            object: PyBytes::new(py, &made.object).unbind(),
            entry: made.entry,
            arrays: made.arrays.into_iter().map(|array| built_array(py, array)).collect::<PyResult<_>>()?,
            wanted: made.wanted,
            types: made.types,
            params: made.signature.params.iter().map(|&ty| types.name(types.unliteral(ty))).collect(),
            result: types.name(types.unliteral(made.signature.result)),
            release_gil: crate::host::options::release_gil(&options)?,
        })
    }
}

fn built_array(py: Python<'_>, array: ModuleArray) -> PyResult<Py<BuiltArray>> {
    let ModuleArray { symbols, dtype, shape, strides, bytes, first } = array;
    let bytes = PyBytes::new(py, &bytes).unbind();
    Py::new(py, BuiltArray { symbols, bytes, first: first as u32, dtype, shape, strides })
}

/// Whether a module takes and returns values of a type.
fn crosses(backend: &Backend, ty: Type) -> bool {
    let types = &backend.session().types;
    let all = |parts: &[Type]| parts.iter().all(|&part| crosses(backend, part));
    match types.get(types.unliteral(ty)) {
        TypeData::None
        | TypeData::Ellipsis
        | TypeData::Bool
        | TypeData::Int { .. }
        | TypeData::Float { .. }
        | TypeData::Complex { .. }
        | TypeData::Str
        | TypeData::Slice { .. } => true,
        TypeData::Array(array) => array.dtype.is_number() || array.dtype == Type::BOOL,
        TypeData::Buffer(_, array) => array.dtype.is_number() || array.dtype == Type::BOOL,
        TypeData::Optional(inner) => crosses(backend, inner),
        TypeData::Tuple(parts) => all(&parts),
        TypeData::List { item, typed: false } => all(&[item]),
        TypeData::Set { item, kind } => kind != SetKind::Typed && all(&[item]),
        _ => false,
    }
}
