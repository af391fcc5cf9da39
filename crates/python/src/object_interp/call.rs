//! Calls, inner functions, and builtin functions that inspect their caller.

use super::frame::{Frame, One, Step};
use super::names;
use super::raw;
use ir::{Attr, FunctionAttribute, InstData, Op};
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyCode, PyDict, PyFunction, PyTuple};
use python_rt::values::object_protocol;
use types::{Type, TypeData, TypeTable};

/// `callee(args..., keyword=...)`
pub(super) fn call<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    let callee = frame.arg(data, 0)?;
    // In the Typed phase a closure is its own first argument. Here it is a function that has its cells.
    let ty = |at: usize| data.args.get(at).and_then(|&arg| frame.type_of(arg));
    let function = |at: usize| match ty(at).map(|(types, ty)| types.get(ty)) {
        Some(TypeData::Closure { function, .. }) => Some(function),
        _ => None,
    };
    let takes_itself = function(0).is_some() && function(0) == function(1);
    let mut args = frame.args_from(data, if takes_itself { 2 } else { 1 })?;
    // Inference leaves out `iter(items)` where a generator expression is made. CPython relies on it.
    if frame.types.is_some()
        && let Some(items) = args.first_mut()
        && is_generator_expression(&callee)?
    {
        *items = items.try_iter()?.into_any();
    }
    let names = keyword_names(frame, data)?;
    let Some(positional) = args.len().checked_sub(names.len()) else {
        return Err(frame.broken("a call with more keywords than arguments"));
    };
    if names.is_empty()
        && let Some(result) = frame_builtin(frame, &callee, &args)?
    {
        return Ok(result);
    }
    let keywords = PyDict::new(frame.py);
    for (name, value) in names.iter().zip(args.split_off(positional)) {
        keywords.set_item(name, value)?;
    }
    let keywords = (!names.is_empty()).then_some(&keywords);
    Ok(callee.call(PyTuple::new(frame.py, args)?, keywords)?)
}

/// Whether a function is the body of a generator expression or a comprehension, whose only parameter is the iterator.
fn is_generator_expression(callee: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(function) = callee.cast::<PyFunction>() else { return Ok(false) };
    let code = function.getattr("__code__")?;
    Ok(code.getattr("co_argcount")?.eq(1)? && code.getattr("co_varnames")?.get_item(0)?.eq(".0")?)
}

/// What a function has taken along: its cells, then the defaults of the parameters that its type names. Of one of several functions it
/// is the function itself.
pub(super) fn capture<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    let function = frame.arg(data, 0)?;
    let index = usize::try_from(frame.int(data)?).unwrap_or(usize::MAX);
    match frame.type_of(data.args[0]).map(|(types, ty)| types.get(ty)) {
        Some(TypeData::Choice(_)) => Ok(function),
        Some(TypeData::Closure { captures, optional, .. }) => {
            let function = function.getattr_opt("py_func")?.unwrap_or(function);
            match optional.get(index.wrapping_sub(captures.len())) {
                Some(&parameter) => default_of(&function, parameter),
                None => Ok(function.getattr("__closure__")?.get_item(index)?),
            }
        }
        _ => Err(frame.broken("a part of what is no function")),
    }
}

/// The default of a parameter, by its number.
fn default_of<'py>(function: &Bound<'py, PyAny>, parameter: u32) -> One<'py> {
    let code = function.getattr("__code__")?;
    let count: u32 = code.getattr("co_argcount")?.extract()?;
    if parameter >= count {
        let name = code.getattr("co_varnames")?.get_item(parameter)?;
        return Ok(function.getattr("__kwdefaults__")?.get_item(name)?);
    }
    // Those of positional parameters belong to the last ones.
    Ok(function.getattr("__defaults__")?.get_item(i64::from(parameter) - i64::from(count))?)
}

/// Names of the last arguments of a call. In the Typed phase those of a new exception are in its type.
fn keyword_names(frame: &Frame<'_, '_>, data: &InstData) -> Step<Vec<String>> {
    let Some(Attr::Symbols(names)) = data.attrs.first() else {
        return Err(frame.broken("the keywords of a call are missing"));
    };
    let is_class = |(types, ty): (&TypeTable, Type)| matches!(types.get(ty), TypeData::ExceptionClass(_));
    if let Some((types, result)) = data.results.first().and_then(|&result| frame.type_of(result))
        && frame.type_of(data.args[0]).is_some_and(is_class)
    {
        let made = match types.get(result) {
            TypeData::Caught(instances) if instances.len() == 1 => types.get(instances[0]),
            other => other,
        };
        if let TypeData::Exception { names, .. } = made {
            return Ok(names.iter().map(|name| name.to_string()).collect());
        }
    }
    Ok(names.iter().map(|&name| frame.func.symbols.get(name).to_string()).collect())
}

/// `callee(*args)` and `callee(*args, **kwargs)`
pub(super) fn call_ex<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    let (callee, args) = (frame.arg(data, 0)?, frame.arg(data, 1)?);
    let keywords = data.args.get(2).map(|&value| frame.get(value)).transpose()?;
    Ok(object_protocol::call_starred(&callee, &args, keywords.as_ref())?)
}

/// `map_update` with flag 1: the keywords of a call.
pub(super) fn merge_keywords<'py>(
    frame: &Frame<'_, 'py>,
    data: &InstData,
    target: &Bound<'py, PyDict>,
    other: &Bound<'py, PyAny>,
) -> Step<()> {
    let fresh = PyDict::new(frame.py);
    match object_protocol::merge(&fresh, other) {
        Err(error) if error.is_instance_of::<PyAttributeError>(frame.py) => {
            return Err(match callee_of(frame, data) {
                Some(callee) => object_protocol::no_mapping(&callee, other)?,
                None => error,
            }
            .into());
        }
        outcome => outcome?,
    }
    for (key, value) in fresh {
        if target.contains(&key)? {
            let callee =
                callee_of(frame, data).map(|callee| object_protocol::describe(&callee)).transpose()?;
            let callee = callee.map(|callee| callee + " ").unwrap_or_default();
            let message = format!("{callee}got multiple values for keyword argument '{key}'");
            return Err(PyTypeError::new_err(message).into());
        }
        target.set_item(key, value)?;
    }
    Ok(())
}

/// What the dict of keywords that is being built is meant for.
fn callee_of<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> Option<Bound<'py, PyAny>> {
    let calls = frame.func.insts.values().filter(|inst| inst.op == Op::CallEx);
    let mut calls = calls.filter(|inst| inst.args.get(2) == data.args.first());
    calls.next().and_then(|inst| frame.arg(inst, 0).ok())
}

/// `make_function` with its attributes as operands.
pub(super) fn make_function_with<'py>(
    frame: &Frame<'_, 'py>,
    data: &InstData,
    code: &Bound<'py, PyAny>,
) -> One<'py> {
    let flags = frame.int(data)?;
    let mut function = make_function(frame, code)?;
    let attributes = FunctionAttribute::ALL.into_iter().filter(|attribute| flags & attribute.number() != 0);
    for (attribute, value) in attributes.zip(frame.args_from(data, 0)?) {
        function = set_attribute(frame, attribute.number(), value, function)?;
    }
    Ok(function)
}

/// `python "make_function"`
pub(super) fn make_function<'py>(frame: &Frame<'_, 'py>, code: &Bound<'py, PyAny>) -> One<'py> {
    match code.cast::<PyCode>() {
        Ok(code) => Ok(raw::new_function(code, &frame.scope.globals)?),
        Err(_) => Err(frame.broken("a function is made of something else than code")),
    }
}

/// `python "function_attribute"`
pub(super) fn set_attribute<'py>(
    frame: &Frame<'_, 'py>,
    number: i64,
    value: Bound<'py, PyAny>,
    function: Bound<'py, PyAny>,
) -> One<'py> {
    let Some(attribute) = FunctionAttribute::from_number(number) else {
        return Err(frame.broken("an unknown attribute of a function"));
    };
    match (attribute, value.cast::<PyTuple>()) {
        (FunctionAttribute::Defaults, _) => function.setattr("__defaults__", value)?,
        (FunctionAttribute::KeywordDefaults, _) => function.setattr("__kwdefaults__", value)?,
        (FunctionAttribute::Annotations, Ok(pairs)) => {
            let annotations = PyDict::new(frame.py);
            for pair in pairs.iter().collect::<Vec<_>>().chunks_exact(2) {
                annotations.set_item(&pair[0], &pair[1])?;
            }
            function.setattr("__annotations__", annotations)?;
        }
        (FunctionAttribute::Annotations, Err(_)) => function.setattr("__annotations__", value)?,
        (FunctionAttribute::Closure, Ok(cells)) => raw::set_closure(&function, cells)?,
        (FunctionAttribute::Closure, Err(_)) => return Err(frame.broken("a closure that is no tuple")),
    }
    Ok(function)
}

/// Built-in functions that look at the frame of their caller, where they can be answered.
fn frame_builtin<'py>(
    frame: &Frame<'_, 'py>,
    callee: &Bound<'py, PyAny>,
    args: &[Bound<'py, PyAny>],
) -> Step<Option<Bound<'py, PyAny>>> {
    let is = |name: &str| frame.scope.builtin(name).is_ok_and(|builtin| builtin.is(callee));
    let namespace = &frame.scope.namespace;
    match (args.len(), namespace) {
        (0, _) if is("super") => names::bare_super(frame, callee).map(Some),
        (0, _) if is("globals") => Ok(Some(frame.scope.globals.clone().into_any())),
        (0, Some(namespace)) if is("locals") || is("vars") => Ok(Some(namespace.clone())),
        (1, Some(namespace)) if is("eval") || is("exec") => {
            Ok(Some(callee.call1((&args[0], &frame.scope.globals, namespace))?))
        }
        (0, _) if is("locals") || is("vars") || is("dir") => {
            Err(frame.refused("a function that asks for the names of its caller"))
        }
        (1, None) if is("eval") || is("exec") => {
            Err(frame.refused("a function that asks for the names of its caller"))
        }
        _ => Ok(None),
    }
}
