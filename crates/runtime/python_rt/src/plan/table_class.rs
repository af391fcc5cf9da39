//! The Python classes of dicts and sets: `dict`, `set`, `frozenset`, `collections.Counter`, `collections.OrderedDict` and `collections.defaultdict`.

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet, PyType};
use types::{SetKind, Type, TypeData, TypeTable};

/// The class of the objects that a table becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum TableClass {
    Set,
    FrozenSet,
    Dict,
    Counter,
    OrderedDict,
    DefaultDict(Factory),
}

/// What makes the values of a `defaultdict`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Factory {
    /// A class, by the names of its module and of itself.
    Class(String, String),
    /// A compiled function.
    Compiled,
}

impl TableClass {
    /// That of dicts or sets of a type.
    pub(super) fn of(types: &TypeTable, ty: Type) -> Option<TableClass> {
        Some(match types.get(ty) {
            TypeData::Set { kind: SetKind::Frozen, .. } => TableClass::FrozenSet,
            TypeData::Set { .. } => TableClass::Set,
            _ if types.is_counter(ty) => TableClass::Counter,
            _ if types.is_ordered_dict(ty) => TableClass::OrderedDict,
            TypeData::Dict { missing: Type::NONE, .. } => TableClass::Dict,
            TypeData::Dict { missing, .. } => TableClass::DefaultDict(match types.get(missing) {
                TypeData::Function(name) => {
                    let (module, name) = name.rsplit_once('.')?;
                    Factory::Class(module.to_owned(), name.to_owned())
                }
                _ => Factory::Compiled,
            }),
            _ => return None,
        })
    }

    /// Whether it is this class.
    pub(super) fn is(&self, class: *mut ffi::PyTypeObject) -> bool {
        // SAFETY: the thread is attached where values are converted.
        let py = unsafe { Python::assume_attached() };
        let address = |found: PyResult<&Bound<'_, PyType>>| {
            found.map_or(std::ptr::null_mut(), |found| found.as_type_ptr())
        };
        class
            == match self {
                TableClass::Set => &raw mut ffi::PySet_Type,
                TableClass::FrozenSet => &raw mut ffi::PyFrozenSet_Type,
                TableClass::Dict => &raw mut ffi::PyDict_Type,
                TableClass::Counter => address(counter(py)),
                TableClass::OrderedDict => address(ordered_dict(py)),
                TableClass::DefaultDict(_) => address(default_dict(py)),
            }
    }

    /// Whether the objects are sets.
    pub(super) fn is_set(&self) -> bool {
        matches!(self, TableClass::Set | TableClass::FrozenSet)
    }

    /// A new object of the class without items, which is a set for a frozen one; `compiled` makes a factory that is a compiled function.
    pub(super) fn new_object<'py>(
        &self,
        py: Python<'py>,
        compiled: impl FnOnce() -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            // A frozen set is made of it.
            TableClass::Set | TableClass::FrozenSet => Ok(PySet::empty(py)?.into_any()),
            TableClass::Dict => Ok(PyDict::new(py).into_any()),
            TableClass::Counter => counter(py)?.call0(),
            TableClass::OrderedDict => ordered_dict(py)?.call0(),
            TableClass::DefaultDict(factory) => {
                let factory = match factory {
                    Factory::Class(module, name) => py.import(module.as_str())?.getattr(name.as_str())?,
                    Factory::Compiled => compiled()?,
                };
                default_dict(py)?.call1((factory,))
            }
        }
    }
}

fn counter(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "collections", "Counter")
}

fn ordered_dict(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "collections", "OrderedDict")
}

fn default_dict(py: Python<'_>) -> PyResult<&Bound<'_, PyType>> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    CLASS.import(py, "collections", "defaultdict")
}

/// The keys and values of a dict as they are now. An `OrderedDict` has an order of its own, which only its methods tell.
pub(super) fn keys_and_values<'py>(
    dict: &Bound<'py, PyDict>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
    if dict.is_exact_instance_of::<PyDict>() || !dict.get_type().is(ordered_dict(dict.py())?) {
        return Ok((dict.keys(), dict.values()));
    }
    let listed = |name: &str| -> PyResult<Bound<'py, PyList>> {
        let view = dict.call_method0(name)?;
        Ok(dict.py().get_type::<PyList>().call1((view,))?.cast_into::<PyList>()?)
    };
    Ok((listed("keys")?, listed("values")?))
}

/// Whether an object is a set or a frozen set.
pub(super) fn is_set(value: &Bound<'_, PyAny>) -> bool {
    value.is_exact_instance_of::<PySet>() || value.is_exact_instance_of::<PyFrozenSet>()
}

/// Whether an object is a dict or a set of a class that compiled code knows.
pub(super) fn is_table(value: &Bound<'_, PyAny>) -> bool {
    if value.is_exact_instance_of::<PyDict>() || is_set(value) {
        return true;
    }
    let py = value.py();
    let is = |class: PyResult<&Bound<'_, PyType>>| class.is_ok_and(|class| value.get_type().is(class));
    value.is_instance_of::<PyDict>() && (is(counter(py)) || is(default_dict(py)) || is(ordered_dict(py)))
}

/// The type of a dict of a class that compiled code knows, without its items; `value_type` tells that of a factory.
pub(super) fn empty(
    types: &TypeTable,
    dict: &Bound<'_, PyDict>,
    value_type: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Type>,
) -> PyResult<Type> {
    let py = dict.py();
    let (key, value) = (Type::UNDEFINED, Type::UNDEFINED);
    if dict.is_exact_instance_of::<PyDict>() {
        return Ok(types.dict(key, value));
    }
    let class = dict.get_type();
    if class.is(counter(py)?) {
        return Ok(types.counter(key, value));
    }
    if class.is(ordered_dict(py)?) {
        return Ok(types.ordered_dict(key, value));
    }
    if !class.is(default_dict(py)?) {
        return Err(PyTypeError::new_err(format!("a {} cannot be passed to compiled code", class.name()?)));
    }
    let factory = dict.getattr("default_factory")?;
    let missing = match known_class(types, &factory)? {
        Some(known) => Ok(known),
        None => match value_type(&factory) {
            Ok(known) if matches!(types.get(known), TypeData::Dispatcher(_)) => Ok(known),
            _ => Err(PyTypeError::new_err(format!(
                "a defaultdict with the factory {} cannot be passed to compiled code: use a class like int or list, or a \
                 compiled function",
                factory.repr()?
            ))),
        },
    };
    Ok(types.intern(TypeData::Dict { key, value, missing: missing? }))
}

/// The type of a class whose call without arguments makes a value that compiled code knows.
fn known_class(types: &TypeTable, factory: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    let Ok(class) = factory.cast::<PyType>() else { return Ok(None) };
    let name = class.name()?;
    let builtins = ["bool", "complex", "dict", "float", "int", "list", "set", "str", "tuple"];
    let module = class.module()?;
    let is_known = match module.to_str()? {
        "builtins" => builtins.contains(&name.to_str()?),
        "collections" => matches!(name.to_str()?, "Counter" | "OrderedDict"),
        _ => false,
    };
    Ok(is_known.then(|| types.intern(TypeData::Function(format!("{module}.{name}").into()))))
}
