//! Binds the arguments of a call to parameters.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

const VARARGS: u32 = 0x04;
const VARKEYWORDS: u32 = 0x08;

/// A value per parameter: positional, keyword-only, `*args`, `**kwargs`. None if the call does not
/// fit the function.
pub(super) fn bind<'py>(
    function: &Bound<'py, PyAny>,
    args: &Bound<'py, PyTuple>,
    kwargs: Option<&Bound<'py, PyDict>>,
) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let py = function.py();
    let code = function.getattr("__code__")?;
    let number = |name: &str| code.getattr(name)?.extract::<usize>();
    let flags: u32 = code.getattr("co_flags")?.extract()?;
    let (positional_only, positional) = (number("co_posonlyargcount")?, number("co_argcount")?);
    let named = positional + number("co_kwonlyargcount")?;
    let names: Vec<String> = code.getattr("co_varnames")?.extract()?;
    let mut slots: Vec<Option<Bound<'py, PyAny>>> = vec![None; named];
    for (slot, value) in slots[..positional].iter_mut().zip(args) {
        *slot = Some(value);
    }
    let surplus = args.get_slice(positional.min(args.len()), args.len());
    if !surplus.is_empty() && flags & VARARGS == 0 {
        return Ok(None);
    }
    let others = PyDict::new(py);
    for (keyword, value) in kwargs.into_iter().flatten() {
        let text: String = keyword.extract()?;
        match names[positional_only..named].iter().position(|name| *name == text) {
            Some(index) if slots[positional_only + index].is_some() => return Ok(None),
            Some(index) => slots[positional_only + index] = Some(value),
            None if flags & VARKEYWORDS == 0 => return Ok(None),
            None => others.set_item(keyword, value)?,
        }
    }
    fill_defaults(function, &names, positional, &mut slots)?;
    let mut values: Vec<_> = match slots.into_iter().collect::<Option<_>>() {
        Some(values) => values,
        None => return Ok(None),
    };
    if flags & VARARGS != 0 {
        values.push(surplus.into_any());
    }
    if flags & VARKEYWORDS != 0 {
        values.push(others.into_any());
    }
    Ok(Some(values))
}

fn fill_defaults<'py>(
    function: &Bound<'py, PyAny>,
    names: &[String],
    positional: usize,
    slots: &mut [Option<Bound<'py, PyAny>>],
) -> PyResult<()> {
    let defaults = function.getattr("__defaults__")?;
    let defaults: Vec<Bound<'py, PyAny>> =
        if defaults.is_none() { Vec::new() } else { defaults.extract()? };
    for (slot, value) in slots[..positional].iter_mut().rev().zip(defaults.into_iter().rev()) {
        slot.get_or_insert(value);
    }
    let defaults = function.getattr("__kwdefaults__")?;
    if let Ok(defaults) = defaults.cast::<PyDict>() {
        for (slot, name) in slots[positional..].iter_mut().zip(&names[positional..]) {
            if slot.is_none() {
                *slot = defaults.get_item(name)?;
            }
        }
    }
    Ok(())
}
