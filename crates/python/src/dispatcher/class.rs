//! The type object: slots, members, garbage collection, and construction.

use super::function_values::{FunctionAddresses, Made};
use super::{DispatcherObject, Shape, State, call, methods};
use crate::object_mode;
use crate::session::compiler::Compiler;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType};
use pyo3::{ffi, intern};
use python_rt::panic_guard;
use python_rt::unit::Unit;
use std::ffi::{c_int, c_void};
use std::mem::offset_of;
use std::ptr::null_mut;
use std::sync::Arc;
use types::Type;

unsafe extern "C" {
    fn PyMethod_New(function: *mut ffi::PyObject, instance: *mut ffi::PyObject) -> *mut ffi::PyObject;
}

/// The Python class of dispatchers.
pub struct DispatcherClass {
    class: Py<PyType>,
}

/// A dispatcher whose type was checked.
pub struct DispatcherRef<'py> {
    object: Bound<'py, PyAny>,
}

impl<'py> DispatcherRef<'py> {
    /// The decorated Python function.
    pub fn function(&self) -> Bound<'py, PyAny> {
        // SAFETY: `function` is set for as long as anyone can hold the dispatcher.
        unsafe { Bound::from_borrowed_ptr(self.object.py(), (*self.raw()).function) }
    }

    /// The decorator's options.
    pub fn options(&self) -> PyResult<Bound<'py, PyDict>> {
        // SAFETY: as for `function`.
        unsafe { Ok(Bound::from_borrowed_ptr(self.object.py(), (*self.raw()).options).cast_into()?) }
    }

    /// What was compiled for it so far.
    pub fn units(&self) -> Vec<Arc<dyn Unit>> {
        // SAFETY: the type was checked and the GIL is held.
        unsafe { (*self.raw()).state() }.units.borrow().clone()
    }

    /// Adds a compiled function that a call of other types found or another function asked for.
    pub fn add_unit(&self, unit: Arc<dyn Unit>) {
        // SAFETY: as for `units`.
        unsafe { (*self.raw()).state() }.add_unit(unit);
    }

    /// How many parameters the compiled function has.
    pub(crate) fn parameters(&self) -> usize {
        // SAFETY: as for `units`.
        unsafe { (*self.raw()).shape.arity() }
    }

    /// Whether calls with other types compile.
    pub fn may_compile(&self) -> bool {
        // SAFETY: as for `units`.
        unsafe { (*self.raw()).state() }.may_compile.get()
    }

    /// Where it is called as a function value of this type, if it was one before.
    pub(crate) fn value(&self, ty: Type) -> Option<FunctionAddresses> {
        // SAFETY: as for `units`.
        let values = unsafe { (*self.raw()).state() }.values.borrow();
        values.iter().find(|made| made.ty == ty).map(|made| made.addresses)
    }

    /// Notes its addresses as a function value.
    pub(crate) fn add_value(&self, made: Made) {
        // SAFETY: as for `units`.
        unsafe { (*self.raw()).state() }.values.borrow_mut().push(made);
    }

    fn raw(&self) -> *mut DispatcherObject {
        self.object.as_ptr().cast()
    }
}

impl DispatcherClass {
    /// Makes the class; once per module.
    pub fn new(py: Python<'_>) -> PyResult<DispatcherClass> {
        let mut members = members();
        let mut getters = methods::getters();
        let mut methods = methods::methods();
        let mut slots = [
            slot(ffi::Py_tp_new, new as *mut c_void),
            slot(ffi::Py_tp_init, init as *mut c_void),
            slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
            slot(ffi::Py_tp_traverse, traverse as *mut c_void),
            slot(ffi::Py_tp_clear, clear as *mut c_void),
            slot(ffi::Py_tp_repr, methods::repr as *mut c_void),
            slot(ffi::Py_tp_call, ffi::PyVectorcall_Call as *mut c_void),
            slot(ffi::Py_tp_descr_get, bind as *mut c_void),
            slot(ffi::Py_tp_members, members.as_mut_ptr().cast()),
            // CPython keeps pointers to these two, not copies.
            slot(ffi::Py_tp_getset, Vec::leak(std::mem::take(&mut getters)).as_mut_ptr().cast()),
            slot(ffi::Py_tp_methods, Vec::leak(std::mem::take(&mut methods)).as_mut_ptr().cast()),
            ffi::PyType_Slot::default(),
        ];
        let mut spec = ffi::PyType_Spec {
            name: c"rumba._rumba.Dispatcher".as_ptr(),
            basicsize: size_of::<DispatcherObject>() as c_int,
            itemsize: 0,
            flags: (ffi::Py_TPFLAGS_DEFAULT
                | ffi::Py_TPFLAGS_HAVE_GC
                | ffi::Py_TPFLAGS_HAVE_VECTORCALL
                | ffi::Py_TPFLAGS_METHOD_DESCRIPTOR
                | ffi::Py_TPFLAGS_BASETYPE) as u32,
            slots: slots.as_mut_ptr(),
        };
        // SAFETY: the spec describes `DispatcherObject`; members are copied by CPython.
        let class = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&mut spec))? };
        Ok(DispatcherClass { class: class.cast_into::<PyType>()?.unbind() })
    }

    /// The class after the type object of a dispatcher.
    pub(crate) fn of_type(class: Bound<'_, PyType>) -> DispatcherClass {
        DispatcherClass { class: class.unbind() }
    }

    /// The type object.
    pub fn type_object<'py>(&self, py: Python<'py>) -> &Bound<'py, PyType> {
        self.class.bind(py)
    }

    /// The dispatcher behind a value, if it is one.
    pub fn downcast<'py>(&self, value: &Bound<'py, PyAny>) -> Option<DispatcherRef<'py>> {
        // SAFETY: both are alive; nothing of Python runs.
        let is_dispatcher = unsafe { ffi::PyObject_TypeCheck(value.as_ptr(), self.class.as_ptr().cast()) };
        (is_dispatcher != 0).then(|| DispatcherRef { object: value.clone() })
    }

    /// A dispatcher without specializations.
    pub fn instantiate<'py>(
        &self,
        function: &Bound<'py, PyAny>,
        options: &Bound<'py, PyDict>,
        compiler: Arc<dyn Compiler>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = function.py();
        let code = function.getattr(intern!(py, "__code__")).map_err(|_| {
            PyTypeError::new_err(format!("only a Python function can be compiled, not {function}"))
        })?;
        let shape = Shape::of_code(&code)?;
        let names = code.getattr(intern!(py, "co_varnames"))?.cast_into::<PyTuple>()?;
        let names = names.get_slice(0, shape.arity());
        let defaults = last_of(function.getattr(intern!(py, "__defaults__"))?, shape.positional)?;
        let keyword_defaults = function.getattr(intern!(py, "__kwdefaults__"))?;
        let attributes = attributes_like(function)?;
        let slot: ffi::vectorcallfunc = if object_mode::is_asked_for(options)? {
            object_mode::vectorcall
        } else if object_mode::is_fallback(options)? {
            call::with_fallback
        } else {
            call::vectorcall
        };
        // SAFETY: the fresh instance is zeroed; every field is set before Python code can see it.
        unsafe {
            let class = self.class.as_ptr().cast::<ffi::PyTypeObject>();
            let object = Bound::from_owned_ptr_or_err(py, ffi::PyType_GenericAlloc(class, 0))?;
            let raw = object.as_ptr().cast::<DispatcherObject>();
            (*raw).vectorcall = slot;
            (*raw).unwatched = slot;
            (*raw).shape = shape;
            (*raw).state = Box::into_raw(Box::new(State::new(compiler, shape.collects())));
            (*raw).function = function.clone().into_ptr();
            (*raw).options = options.clone().into_ptr();
            (*raw).names = names.into_ptr();
            (*raw).defaults = or_null(defaults);
            (*raw).keyword_defaults = or_null(keyword_defaults);
            (*raw).dict = attributes.into_ptr();
            Ok(object)
        }
    }
}

/// The last defaults, where a function was given more of them than it has parameters.
fn last_of(defaults: Bound<'_, PyAny>, parameters: usize) -> PyResult<Bound<'_, PyAny>> {
    match defaults.cast::<PyTuple>() {
        Ok(all) if all.len() > parameters => Ok(all.get_slice(all.len() - parameters, all.len()).into_any()),
        _ => Ok(defaults),
    }
}

fn or_null(object: Bound<'_, PyAny>) -> *mut ffi::PyObject {
    if object.is_none() { null_mut() } else { object.into_ptr() }
}

/// The attributes that make a dispatcher look like the function it wraps.
fn attributes_like<'py>(function: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = function.py();
    let attributes = match function.getattr(intern!(py, "__dict__")) {
        Ok(own) => own.cast::<PyDict>()?.copy()?,
        Err(_) => PyDict::new(py),
    };
    for name in [
        intern!(py, "__name__"),
        intern!(py, "__qualname__"),
        intern!(py, "__module__"),
        intern!(py, "__doc__"),
        intern!(py, "__defaults__"),
        intern!(py, "__kwdefaults__"),
        intern!(py, "__code__"),
        intern!(py, "__annotations__"),
    ] {
        attributes.set_item(name, function.getattr(name)?)?;
    }
    // Since Python 3.12.
    let type_params = intern!(py, "__type_params__");
    if let Some(params) = function.getattr_opt(type_params)? {
        attributes.set_item(type_params, params)?;
    }
    attributes.set_item(intern!(py, "__wrapped__"), function)?;
    Ok(attributes)
}

/// Makes a dispatcher from Python: of the class itself, or of the one that another target has derived from it.
unsafe extern "C" fn new(
    class: *mut ffi::PyTypeObject,
    args: *mut ffi::PyObject,
    names: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    panic_guard::enter("a dispatcher", null_mut(), |py| {
        // SAFETY: Python calls the slot with a class, a tuple, and a dict or null, under the GIL.
        let (class, args, names) = unsafe {
            let args = Bound::from_borrowed_ptr(py, args).cast_into::<PyTuple>()?;
            let names = Bound::from_borrowed_ptr_or_opt(py, names).map(|names| names.cast_into::<PyDict>());
            (Bound::from_borrowed_ptr(py, class.cast()), args, names.transpose()?)
        };
        let options = py.import(intern!(py, "rumba.compat.target_dispatchers"))?;
        let made = options.call_method1(intern!(py, "made"), (class, args, names))?;
        Ok(made.into_ptr())
    })
}

/// There is nothing left to do: classes that are derived call it.
unsafe extern "C" fn init(
    _object: *mut ffi::PyObject,
    _args: *mut ffi::PyObject,
    _names: *mut ffi::PyObject,
) -> c_int {
    0
}

fn slot(slot: c_int, pfunc: *mut c_void) -> ffi::PyType_Slot {
    ffi::PyType_Slot { slot, pfunc }
}

fn members() -> Vec<ffi::PyMemberDef> {
    let member = |name: &'static std::ffi::CStr, type_code, offset: usize| ffi::PyMemberDef {
        name: name.as_ptr(),
        type_code,
        offset: offset as ffi::Py_ssize_t,
        flags: ffi::Py_READONLY,
        doc: std::ptr::null(),
    };
    vec![
        member(c"__vectorcalloffset__", ffi::Py_T_PYSSIZET, offset_of!(DispatcherObject, vectorcall)),
        member(c"__dictoffset__", ffi::Py_T_PYSSIZET, offset_of!(DispatcherObject, dict)),
        member(c"__weaklistoffset__", ffi::Py_T_PYSSIZET, offset_of!(DispatcherObject, weak_references)),
        member(c"py_func", ffi::Py_T_OBJECT_EX, offset_of!(DispatcherObject, function)),
        member(c"targetoptions", ffi::Py_T_OBJECT_EX, offset_of!(DispatcherObject, options)),
        ffi::PyMemberDef::default(),
    ]
}

/// The fields that own a reference.
unsafe fn references(raw: *mut DispatcherObject) -> [*mut *mut ffi::PyObject; 8] {
    // SAFETY: the caller passes a dispatcher; only the addresses of its fields are taken.
    unsafe {
        [
            &raw mut (*raw).function,
            &raw mut (*raw).executed,
            &raw mut (*raw).watched,
            &raw mut (*raw).options,
            &raw mut (*raw).names,
            &raw mut (*raw).defaults,
            &raw mut (*raw).keyword_defaults,
            &raw mut (*raw).dict,
        ]
    }
}

unsafe extern "C" fn traverse(object: *mut ffi::PyObject, visit: ffi::visitproc, arg: *mut c_void) -> c_int {
    // SAFETY: the collector passes a live dispatcher, a function to call and its argument; fields are null or
    // objects.
    unsafe {
        let class = visit(ffi::Py_TYPE(object).cast(), arg);
        if class != 0 {
            return class;
        }
        for field in references(object.cast()) {
            if !(*field).is_null() {
                let status = visit(*field, arg);
                if status != 0 {
                    return status;
                }
            }
        }
        let state = (*object.cast::<DispatcherObject>()).state;
        if state.is_null() { 0 } else { (*state).visit_objects(&mut |held| visit(held, arg)) }
    }
}

/// Breaks cycles. The function and what a call needs stay readable until the end: a finalizer of
/// another object in the cycle may still call us, so only the attributes and the options go.
unsafe extern "C" fn clear(object: *mut ffi::PyObject) -> c_int {
    // SAFETY: the collector passes a live dispatcher under the GIL; what is replaced was owned by the field.
    unsafe {
        let raw = object.cast::<DispatcherObject>();
        let empty = ffi::PyDict_New();
        if empty.is_null() {
            ffi::PyErr_Clear();
        }
        let none = ffi::Py_None();
        replace(&raw mut (*raw).dict, null_mut());
        replace(&raw mut (*raw).defaults, null_mut());
        replace(&raw mut (*raw).keyword_defaults, null_mut());
        replace(&raw mut (*raw).options, empty);
        ffi::Py_INCREF(none);
        replace(&raw mut (*raw).function, none);
        replace(&raw mut (*raw).executed, null_mut());
        (*raw).vectorcall = (*raw).unwatched;
        replace(&raw mut (*raw).watched, null_mut());
        0
    }
}

/// Stores an owned reference and drops the old one, in this order.
pub(super) unsafe fn replace(field: *mut *mut ffi::PyObject, value: *mut ffi::PyObject) {
    // SAFETY: the caller passes a field that is null or owns its object, and gives a reference away. The
    // field holds the new object before code of the old one runs.
    unsafe {
        let old = std::mem::replace(&mut *field, value);
        ffi::Py_XDECREF(old);
    }
}

unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: nobody else refers to the object any more; each of its fields is given back once.
    unsafe {
        ffi::PyObject_GC_UnTrack(object.cast());
        let raw = object.cast::<DispatcherObject>();
        if !(*raw).weak_references.is_null() {
            ffi::PyObject_ClearWeakRefs(object);
        }
        if !(*raw).state.is_null() {
            (*raw).forget();
            drop(Box::from_raw(std::mem::replace(&mut (*raw).state, null_mut())));
        }
        for field in references(raw) {
            replace(field, null_mut());
        }
        let class = ffi::Py_TYPE(object);
        ffi::PyObject_GC_Del(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}

/// Makes methods: looked up on an instance, a dispatcher binds like a function.
unsafe extern "C" fn bind(
    object: *mut ffi::PyObject,
    instance: *mut ffi::PyObject,
    _class: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls the slot with a live dispatcher and an object or null, under the GIL.
    unsafe {
        if instance.is_null() || instance == ffi::Py_None() {
            ffi::Py_INCREF(object);
            return object;
        }
        PyMethod_New(object, instance)
    }
}
