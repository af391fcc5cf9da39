//! Methods of dispatchers for Python code, apart from the call.

use super::view::UnitView;
use super::{DispatcherClass, DispatcherObject, State, call, watched};
use crate::session::compiler::{CompileFor, Target};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyList, PyString};
use python_rt::panic_guard;
use python_rt::unit::Unit;
use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;
use std::sync::Arc;

/// `CPUDispatcher(<function f at 0x...>)`: users of Numba match this text.
pub(super) unsafe extern "C" fn repr(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    panic_guard::enter("repr", null_mut(), |py| {
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        let function = unsafe { Bound::from_borrowed_ptr(py, (*raw(object)).function) };
        Ok(PyString::new(py, &format!("CPUDispatcher({})", function.repr()?)).into_ptr())
    })
}

/// Methods and properties that Python code implements, in `rumba.dispatch.dispatcher.Methods`: they are asked
/// for rarely and touch much of Python.
const IN_PYTHON: &[&CStr] = &[
    c"_repr_html_",
    c"__reduce__",
    c"_as_called",
    c"_cache",
    c"_cache_hits",
    c"_cache_misses",
    c"_can_compile",
    c"_compile_for_args",
    c"_compiler",
    c"_explain_ambiguous",
    c"_explain_matching_error",
    c"_numba_type_",
    c"_search_new_conversions",
    c"add_overload",
    c"compile",
    c"disable_compile",
    c"doc",
    c"dump",
    c"explain",
    c"enable_caching",
    c"func_code",
    c"get_annotation_info",
    c"get_call_template",
    c"get_compile_result",
    c"get_function_type",
    c"get_metadata",
    c"get_overload",
    c"inspect_asm",
    c"inspect_cfg",
    c"inspect_disasm_cfg",
    c"inspect_llvm",
    c"inspect_types",
    c"is_compiling",
    c"locals",
    c"nopython_signatures",
    c"overloads",
    c"parallel_diagnostics",
    c"recompile",
    c"signatures",
    c"stats",
    c"targetctx",
    c"targetdescr",
    c"typeof_pyval",
    c"typingctx",
];

pub(super) fn methods() -> Vec<ffi::PyMethodDef> {
    let method = |name: &'static CStr, meth, flags: c_int, doc: &'static CStr| ffi::PyMethodDef {
        ml_name: name.as_ptr(),
        ml_meth: ffi::PyMethodDefPointer { PyCFunction: meth },
        ml_flags: flags,
        ml_doc: doc.as_ptr(),
    };
    vec![
        method(c"__copy__", itself, ffi::METH_NOARGS, c"The dispatcher itself."),
        method(c"__deepcopy__", itself, ffi::METH_O, c"The dispatcher itself."),
        ffi::PyMethodDef {
            ml_name: c"_call_tentatively".as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunctionFast: call::tentative },
            ml_flags: ffi::METH_FASTCALL,
            ml_doc: c"Call; None where the function does not compile for the arguments.".as_ptr(),
        },
        ffi::PyMethodDef {
            ml_name: c"_call_unwatched".as_ptr(),
            ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: watched::call_unwatched },
            ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
            ml_doc: c"The call itself, which profilers do not see.".as_ptr(),
        },
        method(c"_units", units, ffi::METH_NOARGS, c"The units, oldest first."),
        method(c"_unit_compile", compile, ffi::METH_O, c"Compile for a signature; the unit."),
        method(c"_unit_callback", callback, ffi::METH_O, c"Compile for C for a signature; the unit."),
        method(c"_unit_alone", alone, ffi::METH_O, c"A dispatcher with one of the units alone."),
        method(c"_units_renew", renew, ffi::METH_O, c"Compile for these signatures anew; forget all else."),
        method(c"_units_forget", forget, ffi::METH_NOARGS, c"Forget every unit."),
        method(c"_units_freeze", freeze, ffi::METH_O, c"Whether calls are served by the units there are."),
        method(c"_units_frozen", frozen, ffi::METH_NOARGS, c"What was told to _units_freeze last."),
        ffi::PyMethodDef::zeroed(),
    ]
}

pub(super) fn getters() -> Vec<ffi::PyGetSetDef> {
    let end = ffi::PyGetSetDef::default();
    let mut getters = vec![ffi::PyGetSetDef {
        name: c"__dict__".as_ptr(),
        get: Some(ffi::PyObject_GenericGetDict),
        set: Some(ffi::PyObject_GenericSetDict),
        ..end
    }];
    getters.push(ffi::PyGetSetDef {
        name: c"_enable_sysmon".as_ptr(),
        get: Some(watched::get),
        set: Some(watched::set),
        doc: c"Whether profilers see calls as those of a Python function.".as_ptr(),
        ..end
    });
    getters.extend(IN_PYTHON.iter().map(|name| ffi::PyGetSetDef {
        name: name.as_ptr(),
        get: Some(in_python),
        closure: name.as_ptr().cast_mut().cast(),
        ..end
    }));
    getters.push(end);
    getters
}

/// The attribute that `rumba.dispatch.dispatcher.Methods` defines under the name in `closure`, bound.
unsafe extern "C" fn in_python(object: *mut ffi::PyObject, closure: *mut c_void) -> *mut ffi::PyObject {
    panic_guard::enter("an attribute", null_mut(), |py| {
        // SAFETY: `getters` put the name there.
        let name = unsafe { CStr::from_ptr(closure.cast()) }.to_string_lossy();
        let methods = py.import("rumba.dispatch.dispatcher")?.getattr("Methods")?;
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        let object = unsafe { Bound::from_borrowed_ptr(py, object) };
        let found = methods.getattr("__dict__")?.get_item(&*name)?;
        Ok(found.call_method1("__get__", (object,))?.into_ptr())
    })
}

fn raw(object: *mut ffi::PyObject) -> *mut DispatcherObject {
    object.cast()
}

fn none(py: Python<'_>) -> *mut ffi::PyObject {
    py.None().into_ptr()
}

/// Copying a function gives the function.
unsafe extern "C" fn itself(object: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
    unsafe { ffi::Py_NewRef(object) }
}

unsafe extern "C" fn units(object: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    panic_guard::enter("units", null_mut(), |py| {
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        let units = unsafe { (*raw(object)).target(py)? }.units;
        let views: Vec<_> = units.into_iter().map(|unit| UnitView::new(py, unit)).collect::<PyResult<_>>()?;
        Ok(PyList::new(py, views)?.into_ptr())
    })
}

unsafe extern "C" fn compile(
    object: *mut ffi::PyObject,
    signature: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    compile_by(object, signature, |state, target, signature| {
        state.announced(target, CompileFor::Signature(signature), || {
            let unit = state.compiler.compile_signature(target, signature)?;
            state.add_unit(unit.clone());
            Ok(unit)
        })
    })
}

unsafe extern "C" fn callback(
    object: *mut ffi::PyObject,
    signature: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    compile_by(object, signature, |state, target, signature| {
        state.compiler.compile_callback(target, signature)
    })
}

/// What code for a signature is for Python.
fn compile_by(
    object: *mut ffi::PyObject,
    signature: *mut ffi::PyObject,
    make: impl for<'py> FnOnce(&State, &Target<'py>, &Bound<'py, PyAny>) -> PyResult<Arc<dyn Unit>>,
) -> *mut ffi::PyObject {
    panic_guard::enter("compile", null_mut(), |py| {
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        let (target, state) = unsafe { ((*raw(object)).target(py)?, (*raw(object)).state()) };
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        let signature = unsafe { Bound::from_borrowed_ptr(py, signature) };
        Ok(UnitView::new(py, make(state, &target, &signature)?)?.into_ptr())
    })
}

unsafe extern "C" fn freeze(object: *mut ffi::PyObject, flag: *mut ffi::PyObject) -> *mut ffi::PyObject {
    panic_guard::enter("disable_compile", null_mut(), |py| {
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        let flag = unsafe { Bound::from_borrowed_ptr(py, flag) }.is_truthy()?;
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        unsafe { (*raw(object)).state() }.may_compile.set(!flag);
        Ok(none(py))
    })
}

unsafe extern "C" fn frozen(object: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    panic_guard::enter("disable_compile", null_mut(), |py| {
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        let frozen = !unsafe { (*raw(object)).state() }.may_compile.get();
        Ok(PyBool::new(py, frozen).to_owned().into_any().into_ptr())
    })
}

unsafe extern "C" fn forget(object: *mut ffi::PyObject, _: *mut ffi::PyObject) -> *mut ffi::PyObject {
    panic_guard::enter("recompile", null_mut(), |py| {
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        unsafe { (*raw(object)).forget() };
        Ok(none(py))
    })
}

unsafe extern "C" fn alone(object: *mut ffi::PyObject, unit: *mut ffi::PyObject) -> *mut ffi::PyObject {
    panic_guard::enter("an entry point", null_mut(), |py| {
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        let unit = unsafe { Bound::from_borrowed_ptr(py, unit) }.cast_into::<UnitView>()?;
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        let (target, state) = unsafe { ((*raw(object)).target(py)?, (*raw(object)).state()) };
        // SAFETY: every object has a type, which lives as long as the object.
        let class = unsafe { Bound::from_borrowed_ptr(py, ffi::Py_TYPE(object).cast()) };
        let class = DispatcherClass::of_type(class.cast_into()?);
        let made = class.instantiate(&target.function, &target.options, state.compiler.clone())?;
        // SAFETY: `instantiate` gives a dispatcher that is fully made.
        let made_state = unsafe { (*raw(made.as_ptr())).state() };
        made_state.add_unit(unit.get().unit.clone());
        made_state.may_compile.set(false);
        Ok(made.into_ptr())
    })
}

/// Calls are served by the old units until all are compiled; an error changes nothing.
unsafe extern "C" fn renew(object: *mut ffi::PyObject, signatures: *mut ffi::PyObject) -> *mut ffi::PyObject {
    panic_guard::enter("recompile", null_mut(), |py| {
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        let (mut target, state) = unsafe { ((*raw(object)).target(py)?, (*raw(object)).state()) };
        target.units.clear();
        let mut made = Vec::new();
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        for signature in unsafe { Bound::from_borrowed_ptr(py, signatures) }.try_iter()? {
            made.push(state.compiler.compile_signature(&target, &signature?)?);
        }
        // SAFETY: Python calls this with a live dispatcher and live arguments, under the GIL.
        unsafe { (*raw(object)).forget() };
        for unit in made {
            state.add_unit(unit);
        }
        Ok(none(py))
    })
}
