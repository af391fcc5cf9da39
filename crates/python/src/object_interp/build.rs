//! Containers: building, extending, unpacking.

use super::frame::{Frame, Many, One, Step};
use super::{call, raw};
use ir::InstData;
use pyo3::exceptions::{PyAttributeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyIterator, PyList, PySet};

/// A list being built.
pub(super) fn list<'a, 'py>(
    frame: &Frame<'_, 'py>,
    value: &'a Bound<'py, PyAny>,
) -> Step<&'a Bound<'py, PyList>> {
    value.cast::<PyList>().map_err(|_| frame.broken("what is extended is no list"))
}

/// A dict being built.
pub(super) fn dict<'a, 'py>(
    frame: &Frame<'_, 'py>,
    value: &'a Bound<'py, PyAny>,
) -> Step<&'a Bound<'py, PyDict>> {
    value.cast::<PyDict>().map_err(|_| frame.broken("what is extended is no dict"))
}

fn as_set<'a, 'py>(frame: &Frame<'_, 'py>, value: &'a Bound<'py, PyAny>) -> Step<&'a Bound<'py, PySet>> {
    value.cast::<PySet>().map_err(|_| frame.broken("what is extended is no set"))
}

/// `{a, b, ...}`
pub(super) fn set<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    let set = PySet::empty(frame.py)?;
    for item in frame.args_from(data, 0)? {
        set.add(item)?;
    }
    match frame.type_of(data.results[0]).is_some_and(|(types, ty)| types.is_frozenset(ty)) {
        true => Ok(PyFrozenSet::new(frame.py, set)?.into_any()),
        false => Ok(set.into_any()),
    }
}

/// `{key: value, ...}`, or `collections.Counter()`
pub(super) fn map<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    if frame.type_of(data.results[0]).is_some_and(|(types, ty)| types.is_counter(ty)) {
        return Ok(frame.py.import("collections")?.getattr("Counter")?.call0()?);
    }
    let dict = PyDict::new(frame.py);
    let items = frame.args_from(data, 0)?;
    for pair in items.chunks_exact(2) {
        dict.set_item(&pair[0], &pair[1])?;
    }
    Ok(dict.into_any())
}

/// `collections.defaultdict(factory)`
pub(super) fn default_dict<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    let class = frame.py.import("collections")?.getattr("defaultdict")?;
    Ok(class.call1((frame.arg(data, 0)?,))?)
}

/// `[*a]`: extends a list.
pub(super) fn list_extend<'py>(
    frame: &Frame<'_, 'py>,
    target: &Bound<'py, PyAny>,
    items: &Bound<'py, PyAny>,
) -> Step<()> {
    match list(frame, target)?.call_method1("extend", (items,)) {
        Err(error) if error.is_instance_of::<PyTypeError>(frame.py) && !raw::is_iterable(items) => {
            let kind = raw::type_name(items);
            Err(PyTypeError::new_err(format!("Value after * must be an iterable, not {kind}")).into())
        }
        outcome => Ok(outcome.map(drop)?),
    }
}

/// Adds to a set being built.
pub(super) fn set_add<'py>(
    frame: &Frame<'_, 'py>,
    target: &Bound<'py, PyAny>,
    item: &Bound<'py, PyAny>,
) -> Step<()> {
    Ok(as_set(frame, target)?.add(item)?)
}

/// `{*a}`: extends a set.
pub(super) fn set_update<'py>(
    frame: &Frame<'_, 'py>,
    target: &Bound<'py, PyAny>,
    items: &Bound<'py, PyAny>,
) -> Step<()> {
    Ok(as_set(frame, target)?.call_method1("update", (items,)).map(drop)?)
}

/// `{**a}`, or the keywords of a call, where a repeated key is an error.
pub(super) fn map_update<'py>(
    frame: &Frame<'_, 'py>,
    data: &InstData,
    target: &Bound<'py, PyAny>,
    other: &Bound<'py, PyAny>,
) -> Step<()> {
    let target = dict(frame, target)?;
    if frame.int(data)? != 0 {
        return call::merge_keywords(frame, data, target, other);
    }
    match raw::dict_update(target, other) {
        Err(error) if error.is_instance_of::<PyAttributeError>(frame.py) => {
            let kind = raw::type_name(other);
            Err(PyTypeError::new_err(format!("'{kind}' object is not a mapping")).into())
        }
        outcome => Ok(outcome?),
    }
}

fn iterate<'py>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyIterator>> {
    match value.try_iter() {
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) && !raw::is_iterable(value) => {
            let kind = raw::type_name(value);
            Err(PyTypeError::new_err(format!("cannot unpack non-iterable {kind} object")))
        }
        outcome => outcome,
    }
}

/// The next `count` items; `expected` is what the error speaks of.
fn take<'py>(
    iterator: &mut Bound<'py, PyIterator>,
    count: usize,
    expected: &str,
) -> PyResult<Vec<Option<Bound<'py, PyAny>>>> {
    let mut items = Vec::with_capacity(count);
    while items.len() < count {
        match iterator.next().transpose()? {
            Some(item) => items.push(Some(item)),
            None => {
                let got = items.len();
                return Err(too_few(expected, got));
            }
        }
    }
    Ok(items)
}

fn too_few(expected: &str, got: usize) -> PyErr {
    PyValueError::new_err(format!("not enough values to unpack (expected {expected}, got {got})"))
}

/// `a, b = value`
pub(super) fn unpack<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> Many<'py> {
    let count = data.results.len();
    let mut iterator = iterate(&frame.arg(data, 0)?)?;
    let items = take(&mut iterator, count, &count.to_string())?;
    if iterator.next().transpose()?.is_some() {
        let message = format!("too many values to unpack (expected {count})");
        return Err(PyValueError::new_err(message).into());
    }
    Ok(items)
}

/// `a, *b, c = value`
pub(super) fn unpack_ex<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> Many<'py> {
    let before = usize::try_from(frame.int(data)?).unwrap_or(0);
    let Some(after) = data.results.len().checked_sub(before + 1) else {
        return Err(frame.broken("`unpack_ex` with too few results"));
    };
    let expected = format!("at least {}", before + after);
    let mut iterator = iterate(&frame.arg(data, 0)?)?;
    let mut items = take(&mut iterator, before, &expected)?;
    let rest = iterator.collect::<PyResult<Vec<_>>>()?;
    let Some(split) = rest.len().checked_sub(after) else {
        return Err(too_few(&expected, before + rest.len()).into());
    };
    items.push(Some(PyList::new(frame.py, &rest[..split])?.into_any()));
    items.extend(rest[split..].iter().cloned().map(Some));
    Ok(items)
}
