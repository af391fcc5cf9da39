//! Fields of compiled objects in Python: descriptors that read a field in place.
//!
//! A field is assigned by a compiled function, which converts as compiled code does.

use crate::session::session_state::Backend;
use crate::typing::compiled_classes;
use catalog::object_layout::{ObjectLayout, part_that_tells};
use ir::Native;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use python_rt::panic_guard;
use python_rt::plan::{self, Boxing};
use python_rt::values::objects;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;
use std::sync::{Arc, OnceLock};
use types::{Type, TypeData};

/// The Python object of a field.
#[repr(C)]
struct FieldObject {
    base: ffi::PyObject,
    field: *mut Field,
}

struct Field {
    backend: Arc<Backend>,
    instance: Py<PyAny>,
    name: String,
    setter: Py<PyAny>,
    /// Found out when the field is read first: a class may be defined before the types of its fields are.
    offsets: OnceLock<Offsets>,
}

/// The offset of a field, and how it is boxed as a Python object.
struct Offsets {
    ty: Type,
    /// The address of the class of the objects, which stays alive; 0 if there is none.
    class: usize,
    /// Machine type of each part, and its offset from the block's address.
    parts: Vec<(Native, i64)>,
    owners: Vec<usize>,
    /// The part that is 0 as long as nobody has set the field.
    tells: Option<usize>,
    boxing: Boxing,
}

static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();

/// A descriptor for a field of the objects of a type.
pub(crate) fn new<'py>(
    py: Python<'py>,
    backend: &Arc<Backend>,
    instance: &Bound<'py, PyAny>,
    name: &str,
    setter: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let class = CLASS.get_or_try_init(py, || make_class(py))?;
    let field = Field {
        backend: backend.clone(),
        instance: instance.clone().unbind(),
        name: name.to_owned(),
        setter: setter.clone().unbind(),
        offsets: OnceLock::new(),
    };
    // SAFETY: the fresh object is zeroed, and its only field is set before anybody sees it.
    unsafe {
        let object = Bound::from_owned_ptr_or_err(py, ffi::PyType_GenericAlloc(class.as_ptr().cast(), 0))?;
        (*object.as_ptr().cast::<FieldObject>()).field = Box::into_raw(Box::new(field));
        Ok(object)
    }
}

fn make_class(py: Python<'_>) -> PyResult<Py<PyType>> {
    let slot = |slot: c_int, pfunc: *mut c_void| ffi::PyType_Slot { slot, pfunc };
    let mut slots = [
        slot(ffi::Py_tp_dealloc, dealloc as *mut c_void),
        slot(ffi::Py_tp_descr_get, get as *mut c_void),
        slot(ffi::Py_tp_descr_set, set as *mut c_void),
        ffi::PyType_Slot::default(),
    ];
    let mut spec = ffi::PyType_Spec {
        name: c"rumba._rumba.Field".as_ptr(),
        basicsize: size_of::<FieldObject>() as c_int,
        itemsize: 0,
        flags: (ffi::Py_TPFLAGS_DEFAULT | ffi::Py_TPFLAGS_DISALLOW_INSTANTIATION) as u32,
        slots: slots.as_mut_ptr(),
    };
    // SAFETY: the spec describes `FieldObject`.
    let class = unsafe { Bound::from_owned_ptr_or_err(py, ffi::PyType_FromSpec(&mut spec))? };
    Ok(class.cast_into::<PyType>()?.unbind())
}

unsafe extern "C" fn dealloc(object: *mut ffi::PyObject) {
    // SAFETY: nobody refers to the object any more.
    unsafe {
        drop(Box::from_raw((*object.cast::<FieldObject>()).field));
        let class = ffi::Py_TYPE(object);
        ffi::PyObject_Free(object.cast());
        ffi::Py_DECREF(class.cast());
    }
}

impl Field {
    fn offsets(&self, py: Python<'_>) -> PyResult<&Offsets> {
        if let Some(known) = self.offsets.get() {
            return Ok(known);
        }
        let ty = self.backend.type_from_python(self.instance.bind(py))?;
        let types = &self.backend.session().types;
        let layout = ObjectLayout::of(types, ty);
        let Some(field) = layout.as_ref().and_then(|layout| layout.field(&self.name)) else {
            return Err(PyTypeError::new_err(format!("field '{}' cannot be stored", self.name)));
        };
        let boxing = plan::boxing(&*self.backend, field.ty).ok_or_else(|| {
            let name = types.name(field.ty);
            PyTypeError::new_err(format!("cannot convert native {name} to Python object"))
        })?;
        let first = abi::ITEMS + abi::FIELDS + field.offset;
        let class = match types.get(ty) {
            TypeData::Instance { object, .. } => compiled_classes::class_of(&self.backend, object),
            _ => None,
        };
        let offsets = Offsets {
            ty,
            class: class.unwrap_or_default(),
            parts: field.slot.parts.iter().map(|&(native, offset)| (native, first + offset)).collect(),
            owners: catalog::owners(types, field.ty).to_vec(),
            tells: part_that_tells(types, field.ty),
            boxing: boxing.read_only(),
        };
        Ok(self.offsets.get_or_init(|| offsets))
    }

    /// The value of the field of an object.
    fn read(&self, object: &Bound<'_, PyAny>) -> PyResult<*mut ffi::PyObject> {
        let py = object.py();
        let offsets = self.offsets(py)?;
        let Some(word) = objects::word_of(object, offsets.ty) else {
            let name = self.backend.session().types.name(offsets.ty);
            let class = object.get_type().name()?;
            let message = format!("field '{}' is for objects of {name}, not of '{class}'", self.name);
            return Err(PyTypeError::new_err(message));
        };
        // SAFETY: the object holds the block, whose fields lie there.
        let made = unsafe { offsets.make(word) };
        match made {
            Some(made) if made.is_null() => Err(PyErr::fetch(py)),
            Some(made) => Ok(made),
            None => {
                let message = format!("field '{}' is read before it is set", self.name);
                Err(PyAttributeError::new_err(message))
            }
        }
    }
}

impl Offsets {
    /// A new reference to the field's value, null with an exception set; nothing if it was never set.
    ///
    /// # Safety
    /// The thread is attached to Python; the word is that of an object that somebody holds.
    unsafe fn make(&self, word: u64) -> Option<*mut ffi::PyObject> {
        let mut words: smallvec::SmallVec<[u64; 8]> = smallvec::SmallVec::with_capacity(self.parts.len());
        // SAFETY: the parts lie in the block.
        unsafe {
            for &(native, offset) in &self.parts {
                let at = (word as usize + offset as usize) as *const u8;
                words.push(match native.size() {
                    1 => at.read().into(),
                    2 => at.cast::<u16>().read().into(),
                    4 => at.cast::<u32>().read().into(),
                    _ => at.cast::<u64>().read(),
                });
            }
            if self.tells.is_some_and(|part| words[part] == 0) {
                return None;
            }
            self.owners.iter().for_each(|&owner| rt::incref(words[owner]));
            Some(self.boxing.make(words.as_ptr()))
        }
    }
}

unsafe extern "C" fn get(
    itself: *mut ffi::PyObject,
    object: *mut ffi::PyObject,
    _class: *mut ffi::PyObject,
) -> *mut ffi::PyObject {
    // SAFETY: Python calls the slot with a live descriptor and a live object or null, under the GIL.
    unsafe {
        if object.is_null() || object == ffi::Py_None() {
            ffi::Py_INCREF(itself);
            return itself;
        }
        let field = &*(*itself.cast::<FieldObject>()).field;
        // What is usual needs no guard: none of these panics.
        if let Some(offsets) = field.offsets.get()
            && let Some(word) = objects::word_of_class(object, offsets.class, offsets.ty)
        {
            let at = (word as usize + offsets.parts[0].1 as usize) as *const u64;
            match offsets.boxing {
                Boxing::Int64 => return ffi::PyLong_FromLongLong(at.read().cast_signed()),
                Boxing::Float64 => return ffi::PyFloat_FromDouble(f64::from_bits(at.read())),
                _ => {}
            }
        }
        panic_guard::enter("a field", null_mut(), |py| field.read(&Bound::from_borrowed_ptr(py, object)))
    }
}

unsafe extern "C" fn set(
    itself: *mut ffi::PyObject,
    object: *mut ffi::PyObject,
    value: *mut ffi::PyObject,
) -> c_int {
    // SAFETY: Python calls the slot with a live descriptor, a live object, and a live value or null, under the GIL.
    unsafe {
        let field = &*(*itself.cast::<FieldObject>()).field;
        if value.is_null() {
            let message = c"fields of compiled classes cannot be deleted";
            ffi::PyErr_SetString(ffi::PyExc_AttributeError, message.as_ptr());
            return -1;
        }
        let args = [object, value];
        let done = ffi::PyObject_Vectorcall(field.setter.as_ptr(), args.as_ptr(), 2, null_mut());
        if done.is_null() {
            return -1;
        }
        ffi::Py_DECREF(done);
        0
    }
}
