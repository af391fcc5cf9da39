//! Containers: building, extending, unpacking.

use super::call;
use super::frame::{Frame, Many, One, Step};
use ir::InstData;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet};
use python_rt::values::object_protocol;

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

/// `{key: value, ...}`, `collections.Counter()` or `collections.OrderedDict()`
pub(super) fn map<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> One<'py> {
    let class = frame.type_of(data.results[0]).and_then(|(types, ty)| match ty {
        _ if types.is_counter(ty) => Some("Counter"),
        _ if types.is_ordered_dict(ty) => Some("OrderedDict"),
        _ => None,
    });
    if let Some(class) = class {
        return Ok(frame.py.import("collections")?.getattr(class)?.call0()?);
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
    Ok(object_protocol::extend_list(list(frame, target)?, items)?)
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
    Ok(object_protocol::update_dict(target, other)?)
}

/// `a, b = value`
pub(super) fn unpack<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> Many<'py> {
    let items = object_protocol::unpack(&frame.arg(data, 0)?, data.results.len(), None)?;
    Ok(items.into_iter().map(Some).collect())
}

/// `a, *b, c = value`
pub(super) fn unpack_ex<'py>(frame: &Frame<'_, 'py>, data: &InstData) -> Many<'py> {
    let before = usize::try_from(frame.int(data)?).unwrap_or(0);
    if before >= data.results.len() {
        return Err(frame.broken("`unpack_ex` with too few results"));
    }
    let items = object_protocol::unpack(&frame.arg(data, 0)?, data.results.len(), Some(before))?;
    Ok(items.into_iter().map(Some).collect())
}
