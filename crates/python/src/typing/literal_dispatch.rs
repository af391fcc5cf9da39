//! Calls of functions that request argument values at compile time (`literally`).
//!
//! Such a function has a unit for each value; which one serves is looked up again at every call.

use crate::compat::custom_pipeline;
use crate::session::compiled_unit::CompiledUnit;
use crate::session::compiler::{Argument, Target};
use crate::session::session_state::Backend;
use driver::{EntryKind, WantedLiterals};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyInt, PySlice, PyString};
use python_rt::panic_guard;
use python_rt::values::kwargs::Keywords;
use python_rt::values::slices;
use std::collections::BTreeSet;
use std::sync::Arc;
use types::{Type, TypeData, TypeTable};

/// The unit for a call, compiled if there is none, and whether it is for these values alone.
pub(crate) fn compile(
    backend: &Backend,
    target: &Target<'_>,
    arguments: &[Argument<'_>],
    args: &[Type],
) -> PyResult<(Arc<CompiledUnit>, bool)> {
    // Passes of a pipeline see the parameters as they are.
    if custom_pipeline::class_of(&target.options)?.is_none()
        && let Some(with_defaults) = with_defaults(backend, arguments, args)
        && let Ok(found) = compile_known(backend, target, arguments, &with_defaults)
    {
        return Ok(found);
    }
    compile_known(backend, target, arguments, args)
}

/// The types in which a parameter that is left to its default knows the value; nothing where no such value is known.
fn with_defaults(backend: &Backend, arguments: &[Argument<'_>], args: &[Type]) -> Option<Vec<Type>> {
    let table = &backend.session().types;
    let known = |argument: &Argument<'_>, ty: Type| {
        let is_number = argument.fingerprint.is_omitted() && matches!(ty, Type::INT64 | Type::BOOL);
        let literal = is_number.then(|| with_literal(table, &argument.value, ty).ok().flatten()).flatten();
        literal.map_or(ty, |literal| table.intern(TypeData::Omitted(literal)))
    };
    let types: Vec<Type> = arguments.iter().zip(args).map(|(argument, &ty)| known(argument, ty)).collect();
    (types != args).then_some(types)
}

fn compile_known(
    backend: &Backend,
    target: &Target<'_>,
    arguments: &[Argument<'_>],
    args: &[Type],
) -> PyResult<(Arc<CompiledUnit>, bool)> {
    let key = backend.handle_of(&target.dispatcher).map(|handle| (handle, args.to_vec()));
    let mut known = key.as_ref().map(|key| backend.wants.of(key)).unwrap_or_default();
    loop {
        let types = with_literals(backend, arguments, args, &known)?;
        if let Some(unit) = backend.existing(target, &types) {
            return Ok((unit, !known.is_empty()));
        }
        let wanted = WantedLiterals::default();
        match backend.compile_types(target, &types, None, wanted.clone(), EntryKind::Python) {
            Ok(unit) => {
                if let Some(key) = key.filter(|_| !known.is_empty()) {
                    backend.wants.note(key, known.clone());
                }
                return Ok((unit, !known.is_empty()));
            }
            Err(error) if wanted.borrow().is_empty() => return Err(error),
            Err(_) => {
                let before = known.len();
                known.extend(wanted.borrow().iter());
                if known.len() == before {
                    let message = "Repeated literal typing request: the function asks again for a value that it was given";
                    return Err(panic_guard::exception(
                        target.function.py(),
                        "CompilerError",
                        message.to_owned(),
                    )?);
                }
            }
        }
    }
}

/// The unit of a signature that names the values that arguments have, if there is one.
pub(crate) fn unit_of_values(
    backend: &Backend,
    target: &Target<'_>,
    arguments: &[Argument<'_>],
    args: &[Type],
) -> PyResult<Option<Arc<CompiledUnit>>> {
    let table = &backend.session().types;
    for unit in target.units.iter().filter_map(CompiledUnit::of) {
        let params = &unit.compiled.signature.params;
        if params.len() != args.len() || !params.iter().any(|&ty| table.literal(ty).is_some()) {
            continue;
        }
        let mut fits = true;
        for ((&param, argument), &arg) in params.iter().zip(arguments).zip(args) {
            fits &= param == arg
                || table.literal(param).is_some()
                    && with_literal(table, &argument.value, arg)? == Some(param);
        }
        if fits {
            return Ok(Some(unit));
        }
    }
    Ok(None)
}

/// The types with the values of these arguments.
fn with_literals(
    backend: &Backend,
    arguments: &[Argument<'_>],
    args: &[Type],
    wanted: &BTreeSet<usize>,
) -> PyResult<Vec<Type>> {
    let table = &backend.session().types;
    let mut types = args.to_vec();
    for &index in wanted {
        let value = &arguments[index].value;
        types[index] = with_literal(table, value, args[index])?.ok_or_else(|| no_literal(value, index))?;
    }
    Ok(types)
}

/// The type that knows the value; of keyword arguments, the values of those that can be known.
fn with_literal(table: &TypeTable, value: &Bound<'_, PyAny>, ty: Type) -> PyResult<Option<Type>> {
    if let (Ok(keywords), Some((names, types))) = (value.cast::<Keywords>(), table.keywords(ty)) {
        let values = keywords.get().values(value.py()).iter().zip(types.iter());
        let known = |(value, &ty)| Ok(with_literal(table, &value, ty)?.unwrap_or(ty));
        let types: PyResult<Arc<[Type]>> = values.map(known).collect();
        return Ok(Some(table.intern(TypeData::StaticDict { names, types: types? })));
    }
    Ok(if let Ok(truth) = value.cast_exact::<PyBool>() {
        Some(table.literal_bool(truth.is_true()))
    } else if let (Ok(number), Type::INT64) = (value.cast_exact::<PyInt>(), ty) {
        Some(table.literal_int(number.extract()?))
    } else if let Ok(text) = value.cast_exact::<PyString>() {
        Some(table.literal_str(text.to_str()?))
    } else if let Ok(slice) = value.cast::<PySlice>() {
        Some(slices::literal_type(table, slice)?.ok_or_else(|| too_large(slice))?)
    } else {
        None
    })
}

fn too_large(slice: &Bound<'_, PySlice>) -> PyErr {
    PyValueError::new_err(format!("Int value is too large: {slice} has a part beyond 64 bits"))
}

fn no_literal(value: &Bound<'_, PyAny>, index: usize) -> PyErr {
    let class = value.get_type();
    let message = format!(
        "Cannot request literal type. The function wants to know the value of argument {index} when it compiles, and \
         {class} has no literal type"
    );
    panic_guard::exception(value.py(), "LiteralTypingError", message).unwrap_or_else(|error| error)
}
