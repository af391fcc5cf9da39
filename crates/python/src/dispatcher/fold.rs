//! Folds the arguments of a call: keywords by name, defaults for missing arguments, surplus arguments in one tuple.

use super::DispatcherObject;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use pyo3::{ffi, intern};
use python_rt::values::kwargs::Keywords;

/// The parameters of a function, counted.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shape {
    /// Parameters that take no keyword.
    pub(crate) positional_only: usize,
    /// Parameters that can be given by position, the former included.
    pub(crate) positional: usize,
    /// Parameters after `*`.
    pub(crate) keyword_only: usize,
    /// There is a `*args`, the last parameter.
    pub(crate) star: bool,
    /// There is a `**kwargs`, after all others.
    pub(crate) star_star: bool,
}

impl Shape {
    const VARARGS: u32 = 0x04;
    const VARKEYWORDS: u32 = 0x08;

    /// Reads a code object.
    pub(crate) fn of_code(code: &Bound<'_, PyAny>) -> PyResult<Shape> {
        let py = code.py();
        let flags: u32 = code.getattr(intern!(py, "co_flags"))?.extract()?;
        Ok(Shape {
            positional_only: code.getattr(intern!(py, "co_posonlyargcount"))?.extract()?,
            positional: code.getattr(intern!(py, "co_argcount"))?.extract()?,
            keyword_only: code.getattr(intern!(py, "co_kwonlyargcount"))?.extract()?,
            star: flags & Self::VARARGS != 0,
            star_star: flags & Self::VARKEYWORDS != 0,
        })
    }

    /// Parameters with a name of their own.
    pub(crate) fn named(&self) -> usize {
        self.positional + self.keyword_only
    }

    /// All parameters of the compiled function.
    pub(crate) fn arity(&self) -> usize {
        self.named() + usize::from(self.star) + usize::from(self.star_star)
    }

    /// Whether a parameter collects arguments, so that arguments and parameters may differ in number.
    pub(crate) fn collects(&self) -> bool {
        self.star || self.star_star
    }
}

/// A value per parameter, and whether it stands in for one left out.
pub(crate) struct Folded<'py> {
    pub(crate) values: Vec<Bound<'py, PyAny>>,
    pub(crate) omitted: Vec<bool>,
}

/// Keyword arguments for which no parameter has a name.
#[derive(Default)]
struct Surplus<'py> {
    names: Vec<Bound<'py, PyAny>>,
    values: Vec<Bound<'py, PyAny>>,
}

struct Folder<'a, 'py> {
    py: Python<'py>,
    shape: Shape,
    names: Bound<'py, PyTuple>,
    given: &'a [Bound<'py, PyAny>],
    slots: Vec<Option<Bound<'py, PyAny>>>,
    /// Values in the call, by position and by name.
    total: usize,
    /// What is wrong with a keyword, said unless something more basic is wrong.
    conflict: Option<PyErr>,
}

/// Folds the arguments of a call to `dispatcher`.
///
/// # Safety
/// The arguments are those of the vectorcall protocol.
pub(crate) unsafe fn fold<'py>(
    py: Python<'py>,
    dispatcher: *mut DispatcherObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    kwnames: *mut ffi::PyObject,
) -> PyResult<Folded<'py>> {
    // SAFETY: the arguments are those of the vectorcall protocol; the dispatcher owns its function.
    unsafe {
        bind(py, dispatcher, args, count, kwnames).map_err(|error| {
            let function = Bound::from_borrowed_ptr(py, (*dispatcher).function);
            let given = |range: std::ops::Range<usize>| {
                PyTuple::new(py, range.map(|index| Bound::from_borrowed_ptr(py, *args.add(index))))
            };
            let names = Bound::from_borrowed_ptr_or_opt(py, kwnames);
            let total = count + names.as_ref().map_or(0, |names| names.len().unwrap_or(0));
            let told = given(0..count).and_then(|by_position| {
                let by_name = given(count..total)?;
                py.import(intern!(py, "rumba.dispatch.argument_errors"))?.call_method1(
                    intern!(py, "explain"),
                    (function, by_position, names, by_name, error.value(py)),
                )
            });
            told.map_or(error, PyErr::from_value)
        })
    }
}

/// The same, with errors that name no parameters.
///
/// # Safety
/// The arguments are those of the vectorcall protocol.
unsafe fn bind<'py>(
    py: Python<'py>,
    dispatcher: *mut DispatcherObject,
    args: *const *mut ffi::PyObject,
    count: usize,
    kwnames: *mut ffi::PyObject,
) -> PyResult<Folded<'py>> {
    // SAFETY: `kwnames` is null or a tuple of the vectorcall protocol; the fields of a live dispatcher are
    // objects that it owns.
    let (keywords, names, shape) = unsafe {
        let keywords = Bound::from_borrowed_ptr_or_opt(py, kwnames);
        let names = Bound::from_borrowed_ptr(py, (*dispatcher).names);
        (keywords, names.cast_into::<PyTuple>()?, (*dispatcher).shape)
    };
    let keywords = keywords.map(|object| object.cast_into::<PyTuple>()).transpose()?;
    let total = count + keywords.as_ref().map_or(0, |names| names.len());
    // SAFETY: the vectorcall protocol guarantees this number of arguments.
    let given: Vec<Bound<'py, PyAny>> =
        unsafe { (0..total).map(|index| Bound::from_borrowed_ptr(py, *args.add(index))).collect() };
    if !shape.collects() && total > shape.named() {
        let message = format!("too many arguments: expected {}, got {total}", shape.named());
        return Err(PyTypeError::new_err(message));
    }
    let mut folder = Folder {
        py,
        shape,
        names,
        given: &given[..count],
        slots: vec![None; shape.arity()],
        total,
        conflict: None,
    };
    folder.take_positional()?;
    let mut surplus = Surplus::default();
    if let Some(keywords) = keywords {
        folder.take_keywords(&keywords, &given[count..], &mut surplus)?;
    }
    if shape.star_star {
        let last = shape.arity() - 1;
        let keywords = Keywords::new(py, &surplus.names, &surplus.values)?;
        folder.slots[last] = Some(keywords.into_any());
    }
    // SAFETY: both fields are null or objects that the live dispatcher owns.
    let (defaults, keyword_defaults) = unsafe {
        (
            Bound::from_borrowed_ptr_or_opt(py, (*dispatcher).defaults),
            Bound::from_borrowed_ptr_or_opt(py, (*dispatcher).keyword_defaults),
        )
    };
    folder.fill(defaults.as_ref(), keyword_defaults.as_ref())
}

impl<'py> Folder<'_, 'py> {
    fn take_positional(&mut self) -> PyResult<()> {
        let direct = self.given.len().min(self.shape.positional);
        let (direct, surplus) = self.given.split_at(direct);
        for (slot, value) in self.slots.iter_mut().zip(direct) {
            *slot = Some(value.clone());
        }
        if self.shape.star {
            let last = self.shape.named();
            self.slots[last] = Some(PyTuple::new(self.py, surplus)?.into_any());
        } else if !surplus.is_empty() {
            return Err(PyTypeError::new_err(format!(
                "too many arguments: expected {} by position, got {}",
                self.shape.positional,
                self.given.len()
            )));
        }
        Ok(())
    }

    fn take_keywords(
        &mut self,
        keywords: &Bound<'py, PyTuple>,
        values: &[Bound<'py, PyAny>],
        surplus: &mut Surplus<'py>,
    ) -> PyResult<()> {
        for (keyword, value) in keywords.iter().zip(values) {
            let Some(index) = self.parameter(&keyword)? else {
                if self.shape.star_star {
                    surplus.names.push(keyword);
                    surplus.values.push(value.clone());
                    continue;
                }
                return Err(PyTypeError::new_err(format!("some keyword arguments unexpected: '{keyword}'")));
            };
            if self.slots[index].is_some() {
                let message =
                    format!("some keyword arguments unexpected: '{keyword}' is given by position too");
                self.conflict = Some(PyTypeError::new_err(message));
                continue;
            }
            self.slots[index] = Some(value.clone());
        }
        Ok(())
    }

    fn parameter(&self, keyword: &Bound<'py, PyAny>) -> PyResult<Option<usize>> {
        for index in self.shape.positional_only..self.shape.named() {
            let name = self.names.get_item(index)?;
            if name.is(keyword) || name.eq(keyword)? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    fn fill(
        mut self,
        defaults: Option<&Bound<'py, PyAny>>,
        keyword_defaults: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Folded<'py>> {
        let omitted: Vec<bool> = self.slots.iter().map(Option::is_none).collect();
        let defaults = defaults.map(|object| object.cast::<PyTuple>()).transpose()?;
        let keyword_defaults = keyword_defaults.map(|object| object.cast::<PyDict>()).transpose()?;
        let first = self.shape.positional - defaults.map_or(0, |all| all.len());
        for index in 0..self.slots.len() {
            if self.slots[index].is_some() {
                continue;
            }
            self.slots[index] = if index >= self.shape.positional {
                let name = self.names.get_item(index)?;
                keyword_defaults.map(|all| all.get_item(name)).transpose()?.flatten()
            } else if index >= first {
                defaults.map(|all| all.get_item(index - first)).transpose()?
            } else {
                None
            };
            if self.slots[index].is_none() {
                return Err(self.missing(index, first)?);
            }
        }
        match self.conflict {
            Some(error) => Err(error),
            None => Ok(Folded { values: self.slots.into_iter().flatten().collect(), omitted }),
        }
    }

    fn missing(&self, index: usize, required: usize) -> PyResult<PyErr> {
        if self.total < required {
            let least = if required < self.shape.named() { "at least " } else { "" };
            return Ok(PyTypeError::new_err(format!(
                "not enough arguments: expected {least}{required}, got {}",
                self.total
            )));
        }
        let name = self.names.get_item(index)?;
        let name = name.cast::<PyString>()?;
        Ok(PyTypeError::new_err(format!("missing argument '{name}'")))
    }
}
