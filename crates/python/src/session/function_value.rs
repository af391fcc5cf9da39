//! Boxing and unboxing of function values: which Python objects are one, and their addresses.
//!
//! A callback of `rumba.c_interop.callbacks`, an object with the wrapper-address protocol and a function of `ctypes` are function
//! values by themselves; a compiled function becomes one where a signature asks for it.
//!
//! Absent: what these objects are (`rumba.c_interop.callbacks`).

use crate::dispatcher::{DispatcherRef, FunctionAddresses, Made, UnitView};
use crate::session::compiled_unit::CompiledUnit;
use crate::session::compiler::Target;
use crate::session::session_state::Backend;
use driver::{EntryKind, WantedLiterals};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use python_rt::callbacks::symbols::c_address;
use std::sync::Arc;
use types::{Handle, Signature, Type, TypeData};

/// `rumba.c_interop.callbacks`, if there can be any function values.
fn callbacks(py: Python<'_>) -> PyResult<Option<Bound<'_, PyAny>>> {
    let modules = py.import(intern!(py, "sys"))?.getattr(intern!(py, "modules"))?.cast_into::<PyDict>()?;
    let possible = modules.contains(intern!(py, "rumba.types.functions"))?
        || modules.contains(intern!(py, "_ctypes"))?
        || modules.contains(intern!(py, "_cffi_backend"))?;
    Ok(if possible { Some(py.import(intern!(py, "rumba.c_interop.callbacks"))?.into_any()) } else { None })
}

/// The unit of a callback; nothing for any other value.
fn unit_of(backend: &Backend, value: &Bound<'_, PyAny>) -> Option<Arc<CompiledUnit>> {
    let py = value.py();
    let class = match backend.callback_class.get() {
        Some(&class) => class,
        None => {
            let modules = py.import(intern!(py, "sys")).ok()?.getattr(intern!(py, "modules")).ok()?;
            let module = modules.get_item(intern!(py, "rumba.c_interop.callbacks")).ok()?;
            let class = module.getattr(intern!(py, "CFunc")).ok()?;
            *backend.callback_class.get_or_init(|| class.into_ptr() as usize)
        }
    };
    if value.get_type().as_ptr() as usize != class {
        return None;
    }
    let view = value.getattr(intern!(py, "_unit")).ok()?.cast_into::<UnitView>().ok()?;
    CompiledUnit::of(view.get().unit())
}

/// The type of a function value that is no compiled function.
pub(crate) fn type_of(backend: &Backend, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    let py = value.py();
    if let Some(unit) = unit_of(backend, value) {
        let signature = &unit.compiled.signature;
        return Ok(Some(backend.session().types.function_value(&signature.params, signature.result)));
    }
    let Some(callbacks) = callbacks(py)? else { return Ok(None) };
    let ty = callbacks.call_method1(intern!(py, "function_type"), (value,))?;
    if ty.is_none() { Ok(None) } else { backend.type_from_python(&ty).map(Some) }
}

/// What to call in Python's stead, of a C function that takes or gives Python objects.
pub(crate) fn through_python<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let callbacks = callbacks(value.py()).ok()??;
    let parts = callbacks.call_method1(intern!(value.py(), "through_python"), (value,)).ok()?;
    (!parts.is_none()).then_some(parts)
}

/// The one type of the elements of a tuple of functions, where one of them tells its signature: of all that
/// have one it must be the same.
pub(crate) fn common_type(
    backend: &Backend,
    items: &[Bound<'_, PyAny>],
    types: &[Type],
) -> PyResult<Option<Type>> {
    let table = &backend.session().types;
    let mut common = None;
    for (item, &ty) in items.iter().zip(types) {
        let own = match table.get(ty) {
            TypeData::FunctionValue { .. } => Some(ty),
            TypeData::Dispatcher(_) => backend.only_signature(item)?,
            _ => return Ok(None),
        };
        match (own, common) {
            (Some(own), Some(common)) if own != common => return Ok(None),
            (Some(own), _) => common = Some(own),
            (None, _) => {}
        }
    }
    Ok(common)
}

/// Whether a builtin function is one of a library that cffi compiled, which has no name that others know.
pub(crate) fn is_of_cffi(value: &Bound<'_, PyAny>) -> bool {
    let py = value.py();
    let owner = value.getattr(intern!(py, "__self__"));
    let module = owner.and_then(|owner| owner.get_type().module());
    module.is_ok_and(|module| module.to_str().is_ok_and(|module| module == "_cffi_backend"))
}

/// The addresses of a function value: for compiled code, for C, of the Python object.
pub(crate) fn addresses(backend: &Backend, value: &Bound<'_, PyAny>, ty: Type) -> PyResult<[usize; 3]> {
    let object = value.as_ptr() as usize;
    if let Some(dispatcher) = backend.dispatcher(value) {
        let FunctionAddresses { native, c, can_fail } =
            backend.value_of_dispatcher(value, &dispatcher, ty)?;
        // What cannot fail is called by the rules of C: it needs no status beside its result.
        return Ok([if can_fail || c == 0 { native } else { 0 }, c, object]);
    }
    if let Some(unit) = unit_of(backend, value) {
        let (native, c) = unit.entry_addresses(value.py())?;
        let types = &backend.session().types;
        // An array is a pointer in C, which would not say what its shape is.
        let takes_arrays = unit.compiled.signature.params.iter().any(|&ty| types.array(ty).is_some());
        match c {
            Some(address) if !takes_arrays => return Ok([0, address, object]),
            _ => return Ok([native, c.unwrap_or(0), object]),
        }
    }
    Ok([0, c_address(value)?, object])
}

/// Where code that takes a status calls a compiled function as a value of type `ty`.
pub(crate) fn native_address(backend: &Backend, value: &Bound<'_, PyAny>, ty: Type) -> PyResult<usize> {
    let dispatcher = backend.dispatcher(value);
    let dispatcher = dispatcher.ok_or_else(|| PyTypeError::new_err("expected a compiled function"))?;
    Ok(backend.value_of_dispatcher(value, &dispatcher, ty)?.native)
}

impl Backend {
    /// The signatures of a compiled function that compiles no more. A function with `inline="always"` has none: its code becomes part of its
    /// callers, and takes the types that they pass.
    pub(crate) fn fixed_signatures(&self, py: Python<'_>, handle: Handle) -> Option<Vec<Signature>> {
        let found = self.dispatcher(&self.function_of(py, handle)?)?;
        if found.may_compile() || self.is_always_inlined(py, handle) {
            return None;
        }
        let units = found.units();
        // While it is made again (unpickled) it may be called before its signatures are compiled.
        if units.is_empty() {
            return None;
        }
        Some(units.iter().filter_map(CompiledUnit::of).map(|unit| unit.compiled.signature.clone()).collect())
    }

    /// The type of a compiled function as a value, if it has one signature and will have no other.
    fn only_signature(&self, dispatcher: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
        let Some(found) = self.dispatcher(dispatcher) else { return Ok(None) };
        if found.may_compile() {
            return Ok(None);
        }
        let units = found.units();
        let [unit] = &units[..] else { return Ok(None) };
        Ok(CompiledUnit::of(unit).map(|unit| {
            let signature = &unit.compiled.signature;
            self.session().types.function_value(&signature.params, signature.result)
        }))
    }

    /// Where compiled code and C call a compiled function as a value of type `ty`. The code lives as long as the
    /// dispatcher.
    fn value_of_dispatcher(
        &self,
        object: &Bound<'_, PyAny>,
        dispatcher: &DispatcherRef<'_>,
        ty: Type,
    ) -> PyResult<FunctionAddresses> {
        if let Some(known) = dispatcher.value(ty) {
            return Ok(known);
        }
        let py = object.py();
        let TypeData::FunctionValue { params, result } = self.session().types.get(ty) else {
            return Err(PyTypeError::new_err("a function as a value of another type"));
        };
        let count = dispatcher.parameters();
        if count != params.len() {
            let (name, wanted) = (dispatcher.function(), self.session().types.name(ty));
            let given = params.len();
            let message = format!("{name} takes {count} arguments and is called as {wanted}, with {given}");
            return Err(PyTypeError::new_err(message));
        }
        let target = Target {
            dispatcher: object.clone(),
            function: dispatcher.function(),
            options: dispatcher.options()?,
            units: dispatcher.units(),
        };
        let unit = match self.existing(&target, &params) {
            Some(unit) => unit,
            None if dispatcher.may_compile() => {
                let wanted = WantedLiterals::default();
                let unit = self.compile_types(&target, &params, Some(result), wanted, EntryKind::Python)?;
                dispatcher.add_unit(unit.clone());
                unit
            }
            None => {
                let (name, wanted) = (&target.function, self.session().types.name(ty));
                let message = format!("{name} has no compiled function for {wanted}, and compiles no more");
                return Err(PyTypeError::new_err(message));
            }
        };
        let found = unit.compiled.signature.result;
        if found != result {
            let types = &self.session().types;
            let (found, wanted) = (types.name(found), types.name(result));
            let message = format!(
                "mismatch of return type: {} gives {found}, {} gives {wanted}",
                target.function,
                types.name(ty)
            );
            return Err(PyTypeError::new_err(message));
        }
        let (native, c) = unit.entry_addresses(py)?;
        let can_fail = unit.compiled.lowered.members[0].func.can_fail;
        let addresses = FunctionAddresses { native, c: c.unwrap_or(0), can_fail };
        dispatcher.add_value(Made { ty, addresses, unit });
        Ok(addresses)
    }
}
