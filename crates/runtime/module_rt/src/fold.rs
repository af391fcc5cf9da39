//! Puts the arguments of a call in the order of the parameters: keywords by name, defaults for what is missing.
//!
//! Absent: functions that collect arguments, which are not built.

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

/// The parameters of a function.
pub(crate) struct Params {
    /// What messages call the function.
    pub function: String,
    /// Names, in order.
    pub names: Vec<Py<PyString>>,
    /// How many take no keyword.
    pub positional_only: usize,
    /// How many can be given by position.
    pub positional: usize,
    /// What stands for those that are left out.
    pub defaults: Vec<Option<Py<PyAny>>>,
}

impl Params {
    /// A value for each parameter; TypeError as Python says it.
    ///
    /// # Safety
    /// The thread is attached to Python, and the arguments are those of the vectorcall protocol.
    pub unsafe fn fold<'py>(
        &self,
        py: Python<'py>,
        args: *const *mut ffi::PyObject,
        count: usize,
        kwnames: *mut ffi::PyObject,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        if count > self.positional {
            return Err(self.too_many(count));
        }
        // SAFETY: the vectorcall protocol guarantees this number of arguments.
        let argument = |index: usize| unsafe { Bound::from_borrowed_ptr(py, *args.add(index)) };
        let mut values: Vec<Option<Bound<'py, PyAny>>> = vec![None; self.names.len()];
        for (index, value) in values.iter_mut().enumerate().take(count) {
            *value = Some(argument(index));
        }
        // SAFETY: null or a tuple of strings, by the protocol.
        let keywords = unsafe { Bound::from_borrowed_ptr_or_opt(py, kwnames) };
        if let Some(keywords) = keywords {
            for (number, keyword) in keywords.cast::<PyTuple>()?.iter().enumerate() {
                let slot = &mut values[self.slot_of(py, &keyword)?];
                if slot.is_some() {
                    let message = format!("{}() got multiple values for argument '{keyword}'", self.function);
                    return Err(PyTypeError::new_err(message));
                }
                *slot = Some(argument(count + number));
            }
        }
        let given = values.into_iter().zip(&self.defaults);
        let found: Vec<Option<Bound<'py, PyAny>>> = given
            .map(|(value, default)| value.or_else(|| Some(default.as_ref()?.bind(py).clone())))
            .collect();
        if found.contains_none() {
            return Err(self.missing(py, &found));
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn slot_of(&self, py: Python<'_>, keyword: &Bound<'_, PyAny>) -> PyResult<usize> {
        for (index, name) in self.names.iter().enumerate().skip(self.positional_only) {
            if name.bind(py).is(keyword) || name.bind(py).as_any().eq(keyword)? {
                return Ok(index);
            }
        }
        let message = format!("{}() got an unexpected keyword argument '{keyword}'", self.function);
        Err(PyTypeError::new_err(message))
    }

    fn too_many(&self, given: usize) -> PyErr {
        let optional = self.defaults.iter().take(self.positional).flatten().count();
        let takes = match optional {
            0 => self.positional.to_string(),
            _ => format!("from {} to {}", self.positional - optional, self.positional),
        };
        let plural = if self.positional == 1 { "" } else { "s" };
        let was = if given == 1 { "was" } else { "were" };
        let name = &self.function;
        PyTypeError::new_err(format!(
            "{name}() takes {takes} positional argument{plural} but {given} {was} given"
        ))
    }

    fn missing(&self, py: Python<'_>, values: &[Option<Bound<'_, PyAny>>]) -> PyErr {
        let absent = |range: std::ops::Range<usize>| -> Vec<String> {
            let names = range.filter(|&index| values[index].is_none());
            names.map(|index| format!("'{}'", self.names[index].bind(py))).collect()
        };
        let (kind, names) = match absent(0..self.positional) {
            none if none.is_empty() => ("keyword-only", absent(self.positional..values.len())),
            names => ("positional", names),
        };
        let plural = if names.len() == 1 { "" } else { "s" };
        let listed = match &names[..] {
            [one] => one.clone(),
            [one, other] => format!("{one} and {other}"),
            [others @ .., last] => format!("{}, and {last}", others.join(", ")),
            [] => String::new(),
        };
        let (name, count) = (&self.function, names.len());
        PyTypeError::new_err(format!("{name}() missing {count} required {kind} argument{plural}: {listed}"))
    }
}

trait ContainsNone {
    fn contains_none(&self) -> bool;
}

impl<T> ContainsNone for Vec<Option<T>> {
    fn contains_none(&self) -> bool {
        self.iter().any(Option::is_none)
    }
}
