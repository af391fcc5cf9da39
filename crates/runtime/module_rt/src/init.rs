//! The import of a module: creates Python's module object from the table that the build wrote.

use crate::context::Context;
use crate::description::{self, Description};
use crate::fold::Params;
use crate::function::{Code, Function, Overload, call};
use crate::links;
use pyo3::exceptions::PyImportError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use pyo3::{ffi, intern};
use python_rt::callbacks::{RuntimeContext, interrupts, parallel_for};
use python_rt::panic_guard;
use python_rt::values::ufuncs::UFunc;
use std::cell::{Cell, RefCell};
use std::ffi::{CString, c_int, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, OnceLock};
use types::Type;

/// What the assembler lays out in a module.
#[repr(C)]
pub struct Table {
    /// The bytes of a [`Description`], and how many there are.
    pub description: *const u8,
    /// How many these are.
    pub size: usize,
    /// What Python enters by, in the order of functions and overloads.
    pub thunks: *const abi::Thunk,
    /// Room for the addresses of the links.
    pub links: *mut usize,
    /// Room for the context.
    pub context: *mut RuntimeContext,
    /// Where the bytes of arrays begin, in their order.
    pub arrays: *const *mut u8,
    /// Room for the objects of these.
    pub objects: *mut *mut ffi::PyObject,
    /// The loops of ufuncs, in their order.
    pub loops: *const usize,
}

/// The table of this module. The runtime is linked into each module again.
static TABLE: AtomicPtr<Table> = AtomicPtr::new(null_mut());

/// What the machine code of this module refers to.
static CONTEXT: OnceLock<Arc<Context>> = OnceLock::new();

/// What `PyInit_<name>` returns.
///
/// # Safety
/// The table is that of the module, and Python calls.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rumba_module_init(table: *mut Table) -> *mut ffi::PyObject {
    rt::configure_allocator();
    TABLE.store(table, Ordering::Relaxed);
    let slots = vec![
        ffi::PyModuleDef_Slot { slot: ffi::Py_mod_exec, value: execute as *mut c_void },
        #[cfg(Py_3_12)]
        ffi::PyModuleDef_Slot {
            slot: ffi::Py_mod_multiple_interpreters,
            value: ffi::Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED,
        },
        ffi::PyModuleDef_Slot::default(),
    ];
    let definition = ffi::PyModuleDef {
        m_base: ffi::PyModuleDef_HEAD_INIT,
        m_name: c"rumba module".as_ptr(),
        m_doc: std::ptr::null(),
        m_size: 0,
        m_methods: null_mut(),
        m_slots: Vec::leak(slots).as_mut_ptr(),
        m_traverse: None,
        m_clear: None,
        m_free: None,
    };
    // SAFETY: the definition lives as long as the process.
    unsafe { ffi::PyModuleDef_Init(Box::leak(Box::new(definition))) }
}

unsafe extern "C" fn execute(module: *mut ffi::PyObject) -> c_int {
    panic_guard::enter("an import", -1, |py| {
        // SAFETY: the thread is attached.
        if unsafe { ffi::PyInterpreterState_Get() != ffi::PyInterpreterState_Main() } {
            return Err(PyImportError::new_err("the module does not support loading in subinterpreters"));
        }
        // SAFETY: Python passes the module; the table was written by the build.
        unsafe { fill(&Bound::from_borrowed_ptr(py, module).cast_into()?, &*TABLE.load(Ordering::Relaxed))? };
        Ok(0)
    })
}

/// # Safety
/// The table is that of the module.
unsafe fn fill(module: &Bound<'_, PyModule>, table: &Table) -> PyResult<()> {
    let py = module.py();
    // SAFETY: the caller's promise.
    let bytes = unsafe { std::slice::from_raw_parts(table.description, table.size) };
    let description = Description::read(bytes).ok_or_else(|| damaged("its description"))?;
    let cx = match CONTEXT.get() {
        Some(cx) => cx.clone(),
        // SAFETY: the caller's promise.
        None => unsafe { prepare(py, table, &description)? },
    };
    let mut thunks = table.thunks;
    for function in &description.functions {
        // SAFETY: there is a thunk for each overload.
        let made = unsafe { make_function(py, function, &cx, &mut thunks)? };
        module.add(function.name.as_str(), as_object(module, function, made)?)?;
    }
    let mut loops = table.loops;
    for ufunc in &description.ufuncs {
        // SAFETY: this many loops follow.
        let made = unsafe { make_ufunc(py, ufunc, &mut loops)? };
        module.add(ufunc.name.as_str(), made)?;
    }
    Ok(())
}

/// What machine code refers to, once: a module may be imported again while its functions run.
///
/// # Safety
/// The table is that of the module.
unsafe fn prepare(py: Python<'_>, table: &Table, description: &Description) -> PyResult<Arc<Context>> {
    let cx = Context::new(&description.types).ok_or_else(|| damaged("a type"))?;
    rt::fork_gate::watch();
    interrupts::enable(py)?;
    // SAFETY: the build left as much room.
    unsafe { links::fill(py, &cx, &description.links, (table.context, table.links))? };
    if description.links.iter().any(|link| link.starts_with("rumba_parallel")) {
        parallel_for::init_thread_count_with(count_threads(py)?);
    }
    for (index, array) in description.arrays.iter().enumerate() {
        // SAFETY: there are bytes and room for each array.
        unsafe { *table.objects.add(index) = make_array(py, array, *table.arrays.add(index))?.into_ptr() };
    }
    Ok(CONTEXT.get_or_init(|| cx).clone())
}

/// How many threads parallel loops have: what the environment says, or as many as there are processors.
fn count_threads(py: Python<'_>) -> PyResult<usize> {
    let environment = py.import("os")?.getattr("environ")?;
    let count = environment.call_method1("get", ("NUMBA_NUM_THREADS",))?.extract::<Option<String>>()?;
    let count = count.and_then(|count| count.trim().parse().ok()).filter(|&count: &usize| count > 0);
    Ok(count.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)))
}

fn damaged(what: &str) -> PyErr {
    PyImportError::new_err(format!("the module is damaged: {what} cannot be read; build it again"))
}

/// # Safety
/// There is a thunk for each overload.
unsafe fn make_function(
    py: Python<'_>,
    from: &description::Function,
    cx: &Arc<Context>,
    thunks: &mut *const abi::Thunk,
) -> PyResult<Function> {
    let read = |name: &String| cx.types().parse(name).ok_or_else(|| damaged(name));
    let mut overloads = Vec::new();
    for overload in &from.overloads {
        let params = overload.params.iter().map(read).collect::<PyResult<Vec<Type>>>()?;
        // SAFETY: the caller's promise.
        let thunk = unsafe {
            let thunk = **thunks;
            *thunks = thunks.add(1);
            thunk
        };
        let (result, release_gil) = (read(&overload.result)?, overload.release_gil);
        overloads.push(Overload { params, result, thunk, release_gil });
    }
    let mut defaults: Vec<Option<Py<PyAny>>> = from.params.iter().map(|_| None).collect();
    if !from.optional.is_empty() {
        let values =
            py.import("marshal")?.call_method1("loads", (&from.defaults[..],))?.cast_into::<PyTuple>()?;
        for (&index, value) in from.optional.iter().zip(values.iter()) {
            defaults[index as usize] = Some(value.unbind());
        }
    }
    Ok(Function {
        params: Params {
            function: from.name.clone(),
            names: from.params.iter().map(|name| PyString::intern(py, name).unbind()).collect(),
            positional_only: from.positional_only as usize,
            positional: from.positional as usize,
            defaults,
        },
        overloads,
        cx: cx.clone(),
        last: Cell::new(null_mut()),
        entries: RefCell::default(),
        unit: Arc::new(Code),
    })
}

/// The object of an array whose bytes lie in the module. It stays as long as the process.
///
/// # Safety
/// So many bytes are there.
unsafe fn make_array<'py>(
    py: Python<'py>,
    from: &description::Array,
    bytes: *mut u8,
) -> PyResult<Bound<'py, PyAny>> {
    // SAFETY: the caller's promise.
    let memory = unsafe {
        let size = from.size as ffi::Py_ssize_t;
        let made = ffi::PyMemoryView_FromMemory(bytes.cast(), size, ffi::PyBUF_READ);
        Bound::from_owned_ptr_or_err(py, made)?
    };
    let numpy = py.import("numpy")?;
    let dtype = numpy.call_method1("dtype", (&from.dtype,))?;
    let (shape, strides) = (PyTuple::new(py, &from.shape)?, PyTuple::new(py, &from.strides)?);
    numpy.call_method1("ndarray", (shape, dtype, memory, from.first, strides))
}

/// # Safety
/// As many loops follow as it has.
unsafe fn make_ufunc<'py>(
    py: Python<'py>,
    from: &description::UFunc,
    loops: &mut *const usize,
) -> PyResult<Bound<'py, PyAny>> {
    let count = from.loops as usize;
    // SAFETY: the caller's promise.
    unsafe {
        let own = std::slice::from_raw_parts(*loops, count).to_vec();
        *loops = loops.add(count);
        let made = UFunc {
            name: &from.name,
            doc: &from.doc,
            inputs: from.inputs,
            outputs: from.outputs,
            identity: from.identity,
            layout: &from.layout,
            changed: &from.changed,
            kinds: &from.kinds,
            loops: own,
        };
        made.make(py)
    }
}

/// A builtin function of Python that leads to one of a module. Both live as long as the process.
fn as_object<'py>(
    module: &Bound<'py, PyModule>,
    from: &description::Function,
    function: Function,
) -> PyResult<Bound<'py, PyAny>> {
    let py = module.py();
    let text = |text: &str| -> PyResult<_> { Ok(CString::new(text)?.into_raw().cast_const()) };
    let definition = ffi::PyMethodDef {
        ml_name: text(&from.name)?,
        ml_meth: ffi::PyMethodDefPointer { PyCFunctionFastWithKeywords: call },
        ml_flags: ffi::METH_FASTCALL | ffi::METH_KEYWORDS,
        ml_doc: text(&from.doc)?,
    };
    let name = module.getattr(intern!(py, "__name__"))?;
    // SAFETY: what the capsule points to and the definition are never freed.
    unsafe {
        let pointer = Box::into_raw(Box::new(function)).cast::<c_void>();
        let capsule = Bound::from_owned_ptr_or_err(py, ffi::PyCapsule_New(pointer, std::ptr::null(), None))?;
        let definition = Box::leak(Box::new(definition));
        Bound::from_owned_ptr_or_err(py, ffi::PyCFunction_NewEx(definition, capsule.as_ptr(), name.as_ptr()))
    }
}
