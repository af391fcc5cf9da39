//! Names: globals, closure variables, the namespace of a class body or module.

use super::frame::{Frame, One, Step, Stop};
use super::scope::lookup;
use ir::{Attr, Def, InstData, Op, Value};
use pyo3::exceptions::{PyKeyError, PyNameError, PyUnboundLocalError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use types::TypeData;

/// The error for a name that nothing binds.
pub(super) fn undefined(py: Python<'_>, name: &str) -> PyErr {
    name_error(py, name, format!("name '{name}' is not defined"))
}

fn name_error(py: Python<'_>, name: &str, message: String) -> PyErr {
    let error = PyNameError::new_err(message);
    match error.value(py).setattr("name", name) {
        Ok(()) => error,
        Err(other) => other,
    }
}

fn unbound_local(name: &str) -> Stop {
    let message = format!("cannot access local variable '{name}' where it is not associated with a value");
    PyUnboundLocalError::new_err(message).into()
}

/// A global or built-in name.
pub(super) fn global<'py>(frame: &Frame<'_, 'py>, name: &str) -> One<'py> {
    Ok(frame.scope.global(name)?.ok_or_else(|| undefined(frame.py, name))?)
}

/// The same. In the Typed phase the type may say which function it is: the compiler itself names some.
pub(super) fn typed_global<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    let name = frame.symbol(data)?;
    let typed = data.results.first().and_then(|&result| frame.type_of(result));
    let Some((types, ty)) = typed else { return global(frame, name) };
    match compiled(frame, types.get(ty), name)? {
        Some(function) => Ok(function),
        None => global(frame, name),
    }
}

/// What stands for a function that is named by its type, if it does: compiled ones, and those that the compiler names.
fn compiled<'py>(frame: &Frame<'_, 'py>, ty: TypeData, name: &str) -> Step<Option<Bound<'py, PyAny>>> {
    let helper = |function: &str| frame.py.import("rumba.stages.implementations")?.getattr(function);
    let found = match ty {
        TypeData::Dispatcher(handle) => match (frame.dispatchers)(frame.py, handle) {
            Some(dispatcher) => helper("callee")?.call1((dispatcher, name))?,
            None => return Ok(None),
        },
        TypeData::Native { symbol, .. } if symbol.starts_with("library.") => {
            helper("original")?.call1((name.trim_start_matches("library."),))?
        }
        TypeData::Function(name) => helper("nameless")?.call1((&*name,))?,
        _ => return Ok(None),
    };
    Ok((!found.is_none()).then_some(found))
}

/// The value of a local if it is bound.
pub(super) fn check_bound<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    if frame.arg(data, 1)?.is_truthy()? {
        return frame.arg(data, 0);
    }
    Err(unbound_local(frame.symbol(data)?))
}

/// A closure variable: its cell, or what it holds.
pub(super) fn free<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    let index = usize::try_from(frame.int(data)?).ok();
    let Some(cell) = index.and_then(|index| frame.scope.closure.get(index)) else {
        return Err(frame.broken("a closure variable without a cell"));
    };
    if data.op == Op::FreeCell {
        return Ok(cell.clone());
    }
    if let Some((types, ty)) = data.results.first().and_then(|&result| frame.type_of(result))
        && let dispatcher @ TypeData::Dispatcher(_) = types.get(ty)
        && let Some(function) = compiled(frame, dispatcher, frame.symbol(data)?)?
    {
        return Ok(function);
    }
    match content(cell)? {
        Some(value) => Ok(value),
        None => Err(empty_free(frame, frame.symbol(data)?)),
    }
}

fn content<'py>(cell: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyAny>>> {
    match cell.getattr("cell_contents") {
        Err(error) if error.is_instance_of::<PyValueError>(cell.py()) => Ok(None),
        outcome => outcome.map(Some),
    }
}

fn empty_free(frame: &Frame<'_, '_>, name: &str) -> Stop {
    let message = format!(
        "cannot access free variable '{name}' where it is not associated with a value in enclosing scope"
    );
    name_error(frame.py, name, message).into()
}

fn empty_cell(frame: &Frame<'_, '_>, value: Value, name: &str) -> Step<Stop> {
    let made_here = match frame.func.values[value].def {
        Def::Result(inst, _) => frame.func.insts[inst].op != Op::FreeCell,
        Def::Param(..) => frame.scope.free_index(name)?.is_none(),
    };
    Ok(if made_here { unbound_local(name) } else { empty_free(frame, name) })
}

/// What a cell holds.
pub(super) fn load_cell<'py>(frame: &Frame<'_, 'py>, data: &InstData, cell: &Bound<'py, PyAny>) -> One<'py> {
    let name = frame.symbol(data)?;
    match (content(cell)?, data.attrs.get(1)) {
        (Some(value), _) => Ok(value),
        (None, Some(Attr::Int(1))) => Err(empty_free(frame, name)),
        (None, _) => Err(unbound_local(name)),
    }
}

/// The variable that a cell belongs to.
fn cell_name<'a>(frame: &Frame<'a, '_>, cell: Value) -> Step<&'a str> {
    if let Def::Result(inst, _) = frame.func.values[cell].def
        && let Some(Attr::Symbol(name)) =
            frame.func.insts[inst].attrs.iter().find(|attr| matches!(attr, Attr::Symbol(_)))
    {
        return Ok(frame.func.symbols.get(*name));
    }
    frame.func.value_name(cell).ok_or_else(|| frame.broken("a cell without a name"))
}

/// `python "delete_cell"`
pub(super) fn delete_cell(frame: &Frame<'_, '_>, data: &InstData) -> Step<()> {
    let cell = frame.arg(data, 0)?;
    // That of a handler may have ended before.
    let is_checked = data.attrs.get(1) == Some(&Attr::Int(0));
    if is_checked && content(&cell)?.is_none() {
        return Err(empty_cell(frame, data.args[0], cell_name(frame, data.args[0])?)?);
    }
    Ok(cell.delattr("cell_contents")?)
}

/// The namespace of a class body or module.
pub(super) fn namespace<'py>(frame: &Frame<'_, 'py>) -> One<'py> {
    frame.scope.namespace.clone().ok_or_else(|| frame.broken("a function has no namespace"))
}

/// `python "load_name"`
pub(super) fn load_name<'py>(frame: &Frame<'_, 'py>, name: &str) -> One<'py> {
    load_from(frame, &namespace(frame)?, name)
}

/// `python "load_from_dict_or_globals"`
pub(super) fn load_from<'py>(frame: &Frame<'_, 'py>, mapping: &Bound<'py, PyAny>, name: &str) -> One<'py> {
    match lookup(mapping, name)? {
        Some(value) => Ok(value),
        None => global(frame, name),
    }
}

/// `python "load_from_dict_or_deref"`
pub(super) fn load_from_or_cell<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    let (mapping, cell) = (frame.arg(data, 0)?, frame.arg(data, 1)?);
    let name = cell_name(frame, data.args[1])?;
    match lookup(&mapping, name)? {
        Some(value) => Ok(value),
        None => content(&cell)?.map_or_else(|| Err(empty_cell(frame, data.args[1], name)?), Ok),
    }
}

/// `python "delete_name"` and `python "delete_global"`
pub(super) fn delete(frame: &Frame<'_, '_>, mapping: &Bound<'_, PyAny>, name: &str) -> Step<()> {
    match mapping.del_item(name) {
        Err(error) if error.is_instance_of::<PyKeyError>(frame.py) => Err(undefined(frame.py, name).into()),
        outcome => Ok(outcome?),
    }
}

/// `python "setup_annotations"`
pub(super) fn setup_annotations(frame: &Frame<'_, '_>) -> Step<()> {
    let namespace = namespace(frame)?;
    if lookup(&namespace, "__annotations__")?.is_none() {
        namespace.set_item("__annotations__", PyDict::new(frame.py))?;
    }
    Ok(())
}

/// `python "super_attribute"`: class, object and attribute, with the `super` the program sees.
pub(super) fn super_attribute<'py>(frame: &Frame<'_, 'py>, data: &InstData, name: &str) -> One<'py> {
    let callee = frame.arg(data, 0)?;
    if !callee.is(&frame.scope.builtin("super")?) {
        return Err(frame.refused("a call of a `super` that is not Python's own"));
    }
    let (class, object) = (frame.arg(data, 1)?, frame.arg(data, 2)?);
    Ok(callee.call1((class, object))?.getattr(name)?)
}

/// `super()` without arguments, called as any function.
pub(super) fn bare_super<'py>(frame: &Frame<'_, 'py>, callee: &Bound<'py, PyAny>) -> One<'py> {
    let cell = frame.scope.free_index("__class__")?.and_then(|index| frame.scope.closure.get(index));
    let (Some(cell), Some(object)) = (cell, frame.args.first()) else {
        return Err(frame.refused("`super()` outside of a method"));
    };
    match content(cell)? {
        Some(class) => Ok(callee.call1((class, object))?),
        None => Err(frame.refused("`super()` before its class exists")),
    }
}
