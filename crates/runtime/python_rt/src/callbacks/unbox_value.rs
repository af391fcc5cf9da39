//! Boxing and unboxing of values of any type, for compiled code and for code of extension types.
//!
//! Absent: arguments and results of calls, which have plans (`plan`).

use crate::callbacks::RuntimeContext;
use crate::panic_guard;
use crate::plan::conversions::Conversions;
use crate::plan::{BoxingCx, Unbox, conversions, keepalive};
use crate::raising::raise;
use crate::values::extension_types::raised;
use crate::values::ndarray;
use abi::RaiseSite;
use entity::EntityRef;
use pyo3::exceptions::{PyMemoryError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::ffi::c_void;
use types::{Handle, LiteralValue, Type, TypeData, TypeTable};

/// The words of a value of any type, whose owners belong to the caller.
///
/// # Safety
/// There is room for the words.
pub unsafe fn take(cx: &dyn BoxingCx, value: &Bound<'_, PyAny>, ty: Type, out: *mut u64) -> PyResult<()> {
    // SAFETY: the caller has room for the words.
    unsafe { take_by(cx, value, ty, out).map(|_| ()) }
}

/// The same, with the step that did it where that looks at all there is to look at.
pub(crate) unsafe fn take_by(
    cx: &dyn BoxingCx,
    value: &Bound<'_, PyAny>,
    ty: Type,
    out: *mut u64,
) -> PyResult<Option<Unbox>> {
    let types = &cx.registries().types;
    if ty == Type::PYOBJECT {
        // SAFETY: the caller has room for the word.
        unsafe {
            ffi::Py_INCREF(value.as_ptr());
            *out = keepalive::own_object(value.as_ptr());
        }
        return Ok(None);
    }
    // What Python's own numbers are, needs no question.
    let usual = match ty {
        Type::FLOAT64 => Some(Unbox::Float64),
        Type::INT64 => Some(Unbox::Int64),
        Type::NONE => Some(Unbox::None),
        _ => None,
    };
    // SAFETY: the caller has room for the words.
    if usual.as_ref().is_some_and(|step| unsafe { step.unbox(value.as_ptr(), out) }.is_some()) {
        return Ok(usual);
    }
    if let TypeData::Literal(LiteralValue::Str(text)) = types.get(ty) {
        let same = value.extract::<&str>().is_ok_and(|given| *given == *text);
        let message = || format!("{} is expected, not {value:?}", types.name(ty));
        return if same { Ok(None) } else { Err(PyTypeError::new_err(message())) };
    }
    if let TypeData::Tuple(items) = types.get(ty)
        && items.iter().any(|&item| is_declared_by_item(types, item))
        && let Ok(tuple) = value.cast::<PyTuple>()
        && tuple.len() == items.len()
    {
        // SAFETY: the caller has room for the words.
        return unsafe { take_items(cx, tuple, &items, out) }.map(|()| None);
    }
    let step = step_of(cx, value, ty)?;
    // SAFETY: the caller has room for the words.
    unsafe {
        if let Unbox::Foreign(step) = &step {
            step.take(value, out)?;
            return Ok(None);
        }
        if conversions::needs_conversion(&step) {
            let message = format!("{} inside of a value of a library's type", types.name(ty));
            return Err(panic_guard::exception(value.py(), "UnsupportedError", message)?);
        }
        if step.unbox(value.as_ptr(), out).is_none() {
            let message = format!("can't unbox a value as {}", types.name(ty));
            let raised = PyErr::take(value.py()).or_else(|| step.refusal(value));
            return Err(raised.unwrap_or_else(|| PyTypeError::new_err(message)));
        }
        hold_owners(&cx.words(ty).owners, out)?;
    }
    Ok(Some(step).filter(Unbox::is_guard))
}

/// Whether the items of a tuple of this one are taken in one by one: the type of an extension's value, and that a string is a constant,
/// are as they are declared.
fn is_declared_by_item(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Foreign { .. } | TypeData::Literal(LiteralValue::Str(_)) => true,
        TypeData::Tuple(items) => items.iter().any(|&item| is_declared_by_item(types, item)),
        _ => false,
    }
}

/// The words of the items of a tuple, one behind the other. Where one cannot be taken in, the ones before it are released.
unsafe fn take_items(
    cx: &dyn BoxingCx,
    tuple: &Bound<'_, PyTuple>,
    types: &[Type],
    out: *mut u64,
) -> PyResult<()> {
    let mut at = 0;
    let mut held = Vec::new();
    for (item, &ty) in tuple.iter().zip(types) {
        let words = cx.words(ty);
        // SAFETY: the caller has room for the words of all items.
        unsafe {
            if let Err(error) = take(cx, &item, ty, out.add(at)) {
                held.into_iter().for_each(|owner| rt::decref(owner));
                return Err(error);
            }
            held.extend(words.owners.iter().map(|&owner| *out.add(at + owner)));
        }
        at += words.count;
    }
    Ok(())
}

/// How a value becomes one of a type.
fn step_of(cx: &dyn BoxingCx, value: &Bound<'_, PyAny>, ty: Type) -> PyResult<Unbox> {
    let types = &cx.registries().types;
    let found = match (types.get(ty), cx.value_type(value)?) {
        // A subclass of arrays may have a type of its own, and is an array.
        (TypeData::Array(_), found) if types.array(found).is_none() && ndarray::is_array(value) => {
            types.intern(TypeData::Array(ndarray::type_of(types, value)?))
        }
        (_, found) => found,
    };
    // A step for an array looks at nothing but what its type leaves open.
    let plain = types.unliteral(found);
    let fits = ty.is_number() || ty == Type::BOOL || types::convert(types, plain, ty).is_some();
    let step = if fits {
        cx.unboxing(value, found, ty)
    } else if is_of_same_class(cx, value.py(), [found, ty]) {
        // What differs are members: the code of the declared type takes in each as it is declared.
        cx.unboxing(value, ty, ty)
    } else {
        None
    };
    step.ok_or_else(|| {
        let (found, wanted) = (types.name(found), types.name(ty));
        PyTypeError::new_err(format!("can't unbox a value of type {found} as {wanted}"))
    })
}

/// Whether two types are those of one class of an extension.
fn is_of_same_class(cx: &dyn BoxingCx, py: Python<'_>, types: [Type; 2]) -> bool {
    let are_foreign =
        types.iter().all(|&ty| matches!(cx.registries().types.get(ty), TypeData::Foreign { .. }));
    are_foreign && cx.are_of_one_class(py, types)
}

/// The same as [`take`], but lists, dicts and sets are copied: what is done with them stays in compiled code.
///
/// # Safety
/// There is room for the words.
pub unsafe fn take_copy(
    cx: &dyn BoxingCx,
    value: &Bound<'_, PyAny>,
    ty: Type,
    out: *mut u64,
) -> PyResult<()> {
    let holds_containers = cx.registries().types.holds_container(ty);
    // SAFETY: the caller has room for the words.
    unsafe {
        if !holds_containers {
            return take(cx, value, ty, out);
        }
        let step = step_of(cx, value, ty)?;
        if step.unbox(value.as_ptr(), out).is_none() {
            let raised = PyErr::take(value.py()).or_else(|| step.refusal(value));
            return Err(raised.unwrap_or_else(|| PyTypeError::new_err("a value of another type")));
        }
        let mut copies = Conversions::new(false);
        let filled = copies.fill(&step, value, out).and_then(|()| hold_owners(&cx.words(ty).owners, out));
        let finished = copies.finish(value.py());
        filled.and(finished)
    }
}

/// What words of a value that was taken in hold, the caller holds from now on: what is borrowed, too.
///
/// # Safety
/// There are this many words, of which these are owners.
pub(crate) unsafe fn hold_owners(owners: &[usize], words: *mut u64) -> PyResult<()> {
    for &owner in owners {
        // SAFETY: the caller's promise.
        unsafe {
            let slot = words.add(owner);
            match *slot {
                counted if counted & rt::COUNTED == rt::COUNTED => rt::incref(counted),
                borrowed if borrowed & 1 != 0 => {
                    *slot = keepalive::keep_alive(borrowed);
                    if *slot == 0 {
                        return Err(PyMemoryError::new_err("no memory to hold an object"));
                    }
                }
                counted => rt::incref(counted),
            }
        }
    }
    Ok(())
}

/// A new reference to the Python object of a value, whose owners are released; null with an exception set.
///
/// # Safety
/// `context` is the context of the code that calls this, the thread is attached to Python, the words are those of a value
/// of the type with this number.
pub(crate) unsafe extern "C" fn box_value(
    context: *const c_void,
    ty: u64,
    words: *const u64,
) -> *mut ffi::PyObject {
    panic_guard::enter("boxing", std::ptr::null_mut(), |py| {
        // SAFETY: the caller's promise.
        let cx = unsafe { RuntimeContext::at(context).cx() };
        let ty = Type::new(ty as usize);
        let boxing = cx.boxing(ty).ok_or_else(|| {
            let name = cx.registries().types.name(ty);
            PyTypeError::new_err(format!("cannot convert native {name} to Python object"))
        })?;
        // SAFETY: the same.
        let made = unsafe { boxing.make(words) };
        if made.is_null() { Err(raised(py, "a boxing function")) } else { Ok(made) }
    })
}

/// Writes the words of a value, whose owners belong to the caller; not 0 with an exception set if it is of another type.
///
/// # Safety
/// As for [`box_value`]; the object is alive and there is room for the words.
pub unsafe extern "C" fn unbox_value(
    context: *const c_void,
    ty: u64,
    object: *mut ffi::PyObject,
    out: *mut u64,
) -> i64 {
    panic_guard::enter("unboxing", 1, |py| {
        // SAFETY: the caller's promise. A library may pass on what failed before.
        unsafe {
            if object.is_null() {
                return Err(raised(py, "an unboxing function"));
            }
            let cx = RuntimeContext::at(context).cx();
            take(cx, &Bound::from_borrowed_ptr(py, object), Type::new(ty as usize), out)?;
        }
        Ok(0)
    })
}

/// Sets the exception that a function of compiled code returned.
///
/// # Safety
/// As for [`box_value`]; the status is not 0.
pub unsafe extern "C" fn set_exception(context: *const c_void, status: *const RaiseSite) {
    panic_guard::enter("an exception of compiled code", (), |py| {
        // SAFETY: the caller's promise.
        let error = unsafe {
            let cx = RuntimeContext::at(context).cx();
            if (*status).flags & RaiseSite::PENDING_IN_PYTHON != 0 {
                return Err(raised(py, "compiled code"));
            }
            raise::exception_of(py, &*status, &|number| cx.registries().class(py, Handle(number)))
        };
        Err(error)
    });
}
