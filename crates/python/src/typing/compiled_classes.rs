//! Compiled classes and structrefs as the compiler knows them: their types, queried once from Python.
//!
//! Absent: how a class is compiled (`rumba.classes.jitclass`), its objects (`objects`).

use crate::session::registries::Registries;
use crate::session::session_state::Backend;
use ::types::{Class, Handle, Member, Type, TypeData};
use catalog::GlobalValue;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyModule, PyType};
use python_rt::values::objects::Instance;

/// The type of the instances of a value that is a compiled class.
pub(crate) fn instance_type<'py>(value: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
    let py = value.py();
    let class = value.cast::<PyType>().ok()?;
    if !class.is_subclass_of::<Instance>().ok()? {
        return None;
    }
    class.getattr(intern!(py, "class_type")).ok()?.getattr(intern!(py, "instance_type")).ok()
}

/// The address of the class whose objects stand for those of a type; nothing if there is none.
pub(crate) fn class_of(known: &Registries, ty: Handle) -> Option<usize> {
    Python::attach(|py| {
        let shown = known.opaque_object(py, ty)?.into_bound(py);
        let class = shown.getattr(intern!(py, "_object_class")).ok()?;
        let class = class.cast::<PyType>().ok()?;
        let fits = class.is_subclass_of::<Instance>().ok()?;
        fits.then(|| {
            known.handle_of_class(class);
            class.as_ptr() as usize
        })
    })
}

/// What stands for a plain class in Python, of whose objects those of a type are copies.
pub(crate) fn plain_class(known: &Registries, object: Handle) -> Option<Py<PyAny>> {
    Python::attach(|py| {
        let kind = known.opaque_object(py, object)?.into_bound(py).getattr("class_type").ok()?;
        kind.hasattr("take_in").ok()?.then(|| kind.unbind())
    })
}

/// The type of an object of a plain class whose fields compiled code knows.
pub(crate) fn type_of_plain(backend: &Backend, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    if !may_be_plain(&value.get_type())? {
        return Ok(None);
    }
    let module = PyModule::import(value.py(), "rumba.classes.plain_classes")?;
    let ty = module.call_method1("typeof", (value,))?;
    if ty.is_none() { Ok(None) } else { backend.type_from_python(&ty).map(Some) }
}

/// A plain class that compiled code makes objects of, or why it makes none.
pub(crate) fn classify_plain(backend: &Backend, class: &Bound<'_, PyType>) -> Option<GlobalValue> {
    if !may_be_plain(class).ok()? {
        return None;
    }
    let module = PyModule::import(class.py(), "rumba.classes.plain_classes").ok()?;
    match module.call_method1("instance_type", (class,)) {
        Ok(ty) if ty.is_none() => None,
        Ok(ty) => backend.type_from_python(&ty).ok().map(GlobalValue::Class),
        Err(error) => Some(GlobalValue::Missing(error.value(class.py()).to_string())),
    }
}

/// Whether a class is a dataclass, or says what its objects hold.
fn may_be_plain(class: &Bound<'_, PyType>) -> PyResult<bool> {
    Ok(class.hasattr(intern!(class.py(), "__dataclass_fields__"))?
        || class.hasattr(intern!(class.py(), "__slots__"))?)
}

impl Backend {
    /// The type of the objects of a class, of which Python says once what they have.
    pub(crate) fn instance_type(&self, object: &Bound<'_, PyAny>, name: &str) -> PyResult<Type> {
        let table = &self.session().types;
        let ty = table.intern(TypeData::Instance { name: name.into(), object: self.opaque_handle(object) });
        if table.class(ty).is_some() || !self.begin_class(ty) {
            return Ok(ty);
        }
        let class = self.read_class(object);
        self.end_class(ty);
        table.define_class(ty, class?);
        Ok(ty)
    }

    /// What `_class()` of a type gives: `{"fields": ((name, type), ...), "members": ((name, kind, function or None, ...), ...),
    /// "constructor": function or None, "constants": object or None, "ancestors": classes,
    /// "identifying": names or None, "sets_all_fields": bool}`.
    pub(crate) fn read_class(&self, object: &Bound<'_, PyAny>) -> PyResult<Class> {
        let told = object.call_method0("_class")?.cast_into::<PyDict>()?;
        let told = |name: &str| -> PyResult<Option<Bound<'_, PyAny>>> {
            Ok(told.get_item(name)?.filter(|value| !value.is_none()))
        };
        let mut class = Class::default();
        for field in told("fields")?.iter().flat_map(|fields| fields.try_iter()).flatten() {
            let (name, ty): (String, Bound<'_, PyAny>) = field?.extract()?;
            class.fields.push((name.into(), self.type_from_python(&ty)?));
        }
        let function = |value: &Bound<'_, PyAny>| -> PyResult<Option<Handle>> {
            let unknown = || PyTypeError::new_err(format!("{value} is no compiled function"));
            if value.is_none() { Ok(None) } else { self.handle_of(value).ok_or_else(unknown).map(Some) }
        };
        for member in told("members")?.iter().flat_map(|members| members.try_iter()).flatten() {
            let (name, kind, first, second): (String, String, Bound<'_, PyAny>, Bound<'_, PyAny>) =
                member?.extract()?;
            let member = match (kind.as_str(), function(&first)?) {
                ("method", Some(function)) => Member::Method(function),
                ("static", Some(function)) => Member::Static(function),
                ("class", Some(function)) => Member::OfClass(function),
                (_, getter) => Member::Property(getter, function(&second)?),
            };
            class.members.insert(name.into(), member);
        }
        class.constructor = told("constructor")?.map(|value| function(&value)).transpose()?.flatten();
        class.object = told("constants")?.map(|constants| self.opaque_handle(&constants));
        class.sets_all_fields = match told("sets_all_fields")? {
            Some(sets_all) => sets_all.extract()?,
            None => false,
        };
        class.identifying = match told("identifying")? {
            Some(names) => Some(names.extract::<Vec<String>>()?.into_iter().map(Into::into).collect()),
            None => None,
        };
        for ancestor in told("ancestors")?.iter().flat_map(|classes| classes.try_iter()).flatten() {
            class.ancestors.push(self.opaque_handle(&ancestor?));
        }
        Ok(class)
    }
}
