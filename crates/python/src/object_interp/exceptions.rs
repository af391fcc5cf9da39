//! Raising, handling, `with`, exception groups.

use super::frame::{Frame, Many, One, Step, Stop};
use super::raw;
use diag::Span;
use entity::HashSet;
use ir::InstData;
use pyo3::exceptions::{PyBaseException, PyBaseExceptionGroup, PyRuntimeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple, PyType};
use python_rt::raising::raise::add_location;
use python_rt::raising::site_objects::Location;
use python_rt::values::object_protocol;

/// An error as it leaves the instruction that raised it: its class instantiated, the handled
/// exception as its context, an entry in its traceback.
pub(super) fn complete(frame: &Frame<'_, '_>, data: &InstData, error: PyErr) -> PyErr {
    let name = frame.scope.code.getattr("co_name").and_then(|name| name.extract::<String>());
    let name = name.unwrap_or_else(|_| frame.func.name.clone());
    let first_line = frame.func.first_line;
    let span = if data.span.is_known() { data.span } else { Span::line(first_line) };
    let Span { line, end_line, column, end_column } = span;
    let file = &frame.func.file;
    let location = Location { function: &name, file, first_line, line, end_line, column, end_column };
    add_location(&error, &location, &frame.scope.globals);
    error
}

/// `raise`, `raise a`, `raise a from b`: what it stops with.
pub(super) fn raise(frame: &Frame<'_, '_>, data: &InstData) -> Step<Stop> {
    if data.args.is_empty() {
        return Ok(match raw::handled_exception(frame.py) {
            Some(exception) => Stop::PassedOn(PyErr::from_value(exception)),
            None => PyRuntimeError::new_err("No active exception to reraise").into(),
        });
    }
    let exception = instance(frame.arg(data, 0)?, "exceptions must derive from BaseException")?;
    if let Some(&cause) = data.args.get(1) {
        let cause = frame.get(cause)?;
        if cause.is_none() {
            exception.setattr("__cause__", cause)?;
        } else {
            let message = "exception causes must derive from BaseException";
            exception.setattr("__cause__", instance(cause, message)?)?;
        }
    }
    Ok(raw::raised(&exception).into())
}

/// An exception, made if its class is given.
fn instance<'py>(value: Bound<'py, PyAny>, otherwise: &'static str) -> Step<Bound<'py, PyBaseException>> {
    let class = value.cast::<PyType>();
    let value = match class {
        Ok(class) if class.is_subclass_of::<PyBaseException>()? => {
            let made = class.call0()?;
            if !made.is_instance_of::<PyBaseException>() {
                let message = format!(
                    "calling {} should have returned an instance of BaseException, not {}",
                    class.repr()?,
                    made.get_type().repr()?
                );
                return Err(PyTypeError::new_err(message).into());
            }
            made
        }
        _ => value,
    };
    value.cast_into::<PyBaseException>().map_err(|_| PyTypeError::new_err(otherwise).into())
}

/// `python "push_exception"`: what was handled before. An exception that an inner handler passed on is handled already where no
/// `pop_exception` stands on the way: then it is what was handled before that handler.
pub(super) fn push<'py>(frame: &Frame<'_, 'py>, exception: &Bound<'py, PyAny>) -> Bound<'py, PyAny> {
    let mut pushed = frame.pushed.borrow_mut();
    let handled = raw::handled_exception(frame.py);
    let is_passed_on = handled.as_ref().is_some_and(|handled| handled.is(exception));
    let inner = pushed.iter().rfind(|(known, _)| is_passed_on && known.is(exception));
    let previous = match inner {
        Some((_, before)) => before.clone(),
        None => handled.unwrap_or_else(|| frame.none()),
    };
    raw::set_handled_exception(Some(exception));
    pushed.push((exception.clone(), previous.clone()));
    previous
}

/// `python "pop_exception"`: this is handled from here on.
pub(super) fn pop<'py>(frame: &Frame<'_, 'py>, before: &Bound<'py, PyAny>) {
    let mut pushed = frame.pushed.borrow_mut();
    if let Some(index) = pushed.iter().rposition(|(_, known)| known.is(before)) {
        pushed.truncate(index);
    }
    raw::set_handled_exception(Some(before));
}

/// `python "handled_exception"`: what `raise` without an operand raises where no handler of the function is around it.
pub(super) fn handled<'py>(frame: &Frame<'_, 'py>) -> One<'py> {
    let none = || PyRuntimeError::new_err("No active exception to reraise").into_value(frame.py).into_any();
    Ok(raw::handled_exception(frame.py).unwrap_or_else(|| none().into_bound(frame.py)))
}

/// `python "exception_matches"`
pub(super) fn matches<'py>(
    frame: &Frame<'_, 'py>,
    exception: Bound<'py, PyAny>,
    class: &Bound<'py, PyAny>,
) -> One<'py> {
    check_classes(class, |class| {
        let message = "catching classes that do not inherit from BaseException is not allowed";
        let fits =
            class.cast::<PyType>().is_ok_and(|c| c.is_subclass_of::<PyBaseException>().unwrap_or(false));
        if fits { Ok(()) } else { Err(PyTypeError::new_err(message)) }
    })?;
    Ok(frame.truth(PyErr::from_value(exception).matches(frame.py, class)?))
}

fn check_classes<'py>(
    classes: &Bound<'py, PyAny>,
    check: impl Fn(&Bound<'py, PyAny>) -> PyResult<()>,
) -> PyResult<()> {
    match classes.cast::<PyTuple>() {
        Ok(tuple) => tuple.iter().try_for_each(|class| check(&class)),
        Err(_) => check(classes),
    }
}

/// `python "with_exit_method"`: the bound `__exit__` of what can be entered, too.
pub(super) fn with_exit_method<'py>(manager: &Bound<'py, PyAny>) -> One<'py> {
    enter_of(manager)?;
    special(manager, "__exit__")?.ok_or_else(|| no_manager(manager, " (missed __exit__ method)"))
}

/// `python "with_enter"`: what `__enter__` gives.
pub(super) fn with_enter<'py>(manager: &Bound<'py, PyAny>) -> One<'py> {
    Ok(enter_of(manager)?.call0()?)
}

fn enter_of<'py>(manager: &Bound<'py, PyAny>) -> One<'py> {
    special(manager, "__enter__")?.ok_or_else(|| no_manager(manager, ""))
}

fn no_manager(value: &Bound<'_, PyAny>, suffix: &str) -> Stop {
    let kind = object_protocol::type_name(value);
    let message = format!("'{kind}' object does not support the context manager protocol{suffix}");
    Stop::from(PyTypeError::new_err(message))
}

/// A method as the interpreter looks it up: in the type, never in the object.
fn special<'py>(object: &Bound<'py, PyAny>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
    let class = object.get_type();
    for base in class.mro() {
        let names = base.getattr("__dict__")?;
        if !names.contains(name)? {
            continue;
        }
        let found = names.get_item(name)?;
        return match found.get_type().getattr("__get__") {
            Ok(getter) => getter.call1((found, object, class)).map(Some),
            Err(_) => Ok(Some(found)),
        };
    }
    Ok(None)
}

/// `python "exception_group_match"`: what is left of a group, and the part that matches or None.
pub(super) fn group_match<'py>(
    frame: &Frame<'_, 'py>,
    exception: &Bound<'py, PyAny>,
    class: &Bound<'py, PyAny>,
) -> Many<'py> {
    check_classes(class, |class| {
        let class = class.cast::<PyType>().ok();
        if !class.is_some_and(|class| class.is_subclass_of::<PyBaseException>().unwrap_or(false)) {
            let message = "catching classes that do not inherit from BaseException is not allowed";
            return Err(PyTypeError::new_err(message));
        }
        if class.is_some_and(|class| class.is_subclass_of::<PyBaseExceptionGroup>().unwrap_or(false)) {
            let message = "catching ExceptionGroup with except* is not allowed. Use except instead.";
            return Err(PyTypeError::new_err(message));
        }
        Ok(())
    })?;
    let (matched, rest) = split(frame, exception, class)?;
    if !matched.is_none() {
        raw::set_handled_exception(Some(&matched));
    }
    Ok(vec![Some(rest), Some(matched)])
}

fn split<'py>(
    frame: &Frame<'_, 'py>,
    exception: &Bound<'py, PyAny>,
    class: &Bound<'py, PyAny>,
) -> Step<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    if exception.is_none() {
        return Ok((frame.none(), frame.none()));
    }
    let is_group = exception.is_instance_of::<PyBaseExceptionGroup>();
    if PyErr::from_value(exception.clone()).matches(frame.py, class)? {
        let matched = if is_group { exception.clone() } else { group(frame, vec![exception.clone()])? };
        return Ok((matched, frame.none()));
    }
    if is_group {
        return Ok(exception.call_method1("split", (class,))?.extract()?);
    }
    Ok((frame.none(), exception.clone()))
}

fn group<'py>(frame: &Frame<'_, 'py>, members: Vec<Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyAny>> {
    frame.py.get_type::<PyBaseExceptionGroup>().call1(("", members))
}

/// `python "prepare_reraise_star"`: what an `except*` statement raises in the end, or None.
pub(super) fn prepare_reraise<'py>(
    frame: &Frame<'_, 'py>,
    original: &Bound<'py, PyAny>,
    results: &Bound<'py, PyAny>,
) -> One<'py> {
    let Ok(results) = results.cast::<PyList>() else {
        return Err(frame.broken("the outcomes of `except*` are no list"));
    };
    if !original.is_instance_of::<PyBaseExceptionGroup>() {
        return Ok(results.iter().next().unwrap_or_else(|| frame.none()));
    }
    let (mut raised, mut passed_on) = (Vec::new(), Vec::new());
    for exception in results.iter().filter(|exception| !exception.is_none()) {
        let same = same_origin(&exception, original)?;
        if same { passed_on.push(exception) } else { raised.push(exception) }
    }
    let rest = project(frame, original, &passed_on)?;
    if !rest.is_none() {
        raised.push(rest);
    }
    match raised.len() {
        0 => Ok(frame.none()),
        1 => Ok(raised.swap_remove(0)),
        _ => Ok(group(frame, raised)?),
    }
}

/// Whether one is a part of the other that nobody raised again.
fn same_origin(one: &Bound<'_, PyAny>, other: &Bound<'_, PyAny>) -> PyResult<bool> {
    if !one.is_instance_of::<PyBaseExceptionGroup>() {
        return Ok(false);
    }
    let member =
        |of: &Bound<'_, PyAny>, name: &str| of.getattr_opt(name).map(|found| found.map(Bound::unbind));
    for name in ["__notes__", "__traceback__", "__cause__", "__context__"] {
        let same = match (member(one, name)?, member(other, name)?) {
            (Some(one), Some(other)) => one.is(&other),
            (one, other) => one.is_none() && other.is_none(),
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The part of a group whose leaves are those of `keep`, in the group's own nesting; or None.
fn project<'py>(
    frame: &Frame<'_, 'py>,
    group: &Bound<'py, PyAny>,
    keep: &[Bound<'py, PyAny>],
) -> PyResult<Bound<'py, PyAny>> {
    let mut leaves = HashSet::default();
    let mut open: Vec<_> = keep.to_vec();
    while let Some(exception) = open.pop() {
        if exception.is_instance_of::<PyBaseExceptionGroup>() {
            open.extend(members(&exception)?);
        } else {
            leaves.insert(exception.as_ptr() as usize);
        }
    }
    Ok(subset(group, &leaves)?.unwrap_or_else(|| frame.none()))
}

fn members<'py>(group: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    group.getattr("exceptions")?.extract()
}

/// The same for a set of addresses of leaves.
fn subset<'py>(group: &Bound<'py, PyAny>, leaves: &HashSet<usize>) -> PyResult<Option<Bound<'py, PyAny>>> {
    let mut kept = Vec::new();
    for member in members(group)? {
        if member.is_instance_of::<PyBaseExceptionGroup>() {
            kept.extend(subset(&member, leaves)?);
        } else if leaves.contains(&(member.as_ptr() as usize)) {
            kept.push(member);
        }
    }
    if kept.is_empty() {
        return Ok(None);
    }
    let part = group.call_method1("derive", (kept,))?;
    for name in ["__traceback__", "__context__", "__cause__"] {
        part.setattr(name, group.getattr(name)?)?;
    }
    if let Some(notes) = group.getattr_opt("__notes__")? {
        part.setattr("__notes__", notes.try_iter()?.collect::<PyResult<Vec<_>>>()?)?;
    }
    Ok(Some(part))
}
