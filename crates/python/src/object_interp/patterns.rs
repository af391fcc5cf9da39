//! Operations of `match`.

use super::frame::{Frame, One, Step};
use ir::InstData;
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PySet, PyString, PyTuple, PyType};
use python_rt::values::object_protocol;

/// Bits of `type.__flags__`.
const SEQUENCE: u64 = 1 << 5;
const MAPPING: u64 = 1 << 6;
/// Built-in types whose only positional pattern is the subject itself.
const MATCH_SELF: u64 = 1 << 22;

fn has_flag(class: &Bound<'_, PyType>, flag: u64) -> PyResult<bool> {
    Ok(class.getattr("__flags__")?.extract::<u64>()? & flag != 0)
}

/// `python "match_sequence"`
pub(super) fn is_sequence<'py>(frame: &Frame<'_, 'py>, subject: &Bound<'py, PyAny>) -> One<'py> {
    Ok(frame.truth(has_flag(&subject.get_type(), SEQUENCE)?))
}

/// `python "match_mapping"`
pub(super) fn is_mapping<'py>(frame: &Frame<'_, 'py>, subject: &Bound<'py, PyAny>) -> One<'py> {
    Ok(frame.truth(has_flag(&subject.get_type(), MAPPING)?))
}

/// `python "match_keys"`: the values of all keys, or None.
pub(super) fn keys<'py>(
    frame: &Frame<'_, 'py>,
    subject: &Bound<'py, PyAny>,
    keys: &Bound<'py, PyAny>,
) -> One<'py> {
    let Ok(keys) = keys.cast::<PyTuple>() else {
        return Err(frame.broken("the keys of a pattern are no tuple"));
    };
    let seen = PySet::empty(frame.py)?;
    let missing = frame.py.get_type::<pyo3::types::PyAny>().call0()?;
    let mut values = Vec::with_capacity(keys.len());
    let get = subject.getattr("get")?;
    for key in keys {
        if seen.contains(&key)? {
            let message = format!("mapping pattern checks duplicate key ({})", key.repr()?);
            return Err(PyValueError::new_err(message).into());
        }
        seen.add(&key)?;
        let value = get.call1((key, &missing))?;
        if value.is(&missing) {
            return Ok(frame.none());
        }
        values.push(value);
    }
    Ok(PyTuple::new(frame.py, values)?.into_any())
}

/// `python "match_class"`: the attributes that the patterns look at, or None.
pub(super) fn class<'py>(frame: &Frame<'_, 'py>, data: &InstData, positional: usize) -> One<'py> {
    let (subject, class) = (frame.arg(data, 0)?, frame.arg(data, 1)?);
    let names: Vec<Bound<'py, PyAny>> = frame.arg(data, 2)?.extract()?;
    let Ok(class) = class.cast::<PyType>() else {
        let what = if frame.py.version_info() >= (3, 12) { "class" } else { "type" };
        return Err(PyTypeError::new_err(format!("called match pattern must be a {what}")).into());
    };
    if !subject.is_instance(class)? {
        return Ok(frame.none());
    }
    let mut found =
        Found { subject, class: class.clone(), seen: PySet::empty(frame.py)?, values: Vec::new() };
    let whole =
        if positional > 0 && !found.positional(positional)? { return Ok(frame.none()) } else { names };
    for name in whole {
        if !found.attribute(&name)? {
            return Ok(frame.none());
        }
    }
    Ok(PyTuple::new(frame.py, found.values)?.into_any())
}

struct Found<'py> {
    subject: Bound<'py, PyAny>,
    class: Bound<'py, PyType>,
    seen: Bound<'py, PySet>,
    values: Vec<Bound<'py, PyAny>>,
}

impl<'py> Found<'py> {
    /// Positional patterns; whether the subject has what they look at.
    fn positional(&mut self, count: usize) -> Step<bool> {
        let class = self.class.name()?;
        let (names, whole) = match self.class.getattr_opt("__match_args__")? {
            Some(names) => match names.cast_into::<PyTuple>() {
                Ok(names) => (names, false),
                Err(error) => {
                    let kind = object_protocol::type_name(&error.into_inner());
                    let message = format!("{class}.__match_args__ must be a tuple (got {kind})");
                    return Err(PyTypeError::new_err(message).into());
                }
            },
            None => (PyTuple::empty(self.class.py()), has_flag(&self.class, MATCH_SELF)?),
        };
        let allowed = if whole { 1 } else { names.len() };
        if count > allowed {
            let plural = if allowed == 1 { "" } else { "s" };
            let message =
                format!("{class}() accepts {allowed} positional sub-pattern{plural} ({count} given)");
            return Err(PyTypeError::new_err(message).into());
        }
        if whole {
            self.values.push(self.subject.clone());
            return Ok(true);
        }
        for name in names.iter().take(count) {
            if !name.is_instance_of::<PyString>() {
                let kind = object_protocol::type_name(&name);
                let message = format!("__match_args__ elements must be strings (got {kind})");
                return Err(PyTypeError::new_err(message).into());
            }
            if !self.attribute(&name)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// One attribute; whether the subject has it.
    fn attribute(&mut self, name: &Bound<'py, PyAny>) -> Step<bool> {
        if self.seen.contains(name)? {
            let class = self.class.name()?;
            let message = format!("{class}() got multiple sub-patterns for attribute {}", name.repr()?);
            return Err(PyTypeError::new_err(message).into());
        }
        self.seen.add(name)?;
        match self.subject.getattr(name.cast::<PyString>().map_err(PyErr::from)?) {
            Ok(value) => self.values.push(value),
            Err(error) if error.is_instance_of::<PyAttributeError>(name.py()) => return Ok(false),
            Err(error) => return Err(error.into()),
        }
        Ok(true)
    }
}
