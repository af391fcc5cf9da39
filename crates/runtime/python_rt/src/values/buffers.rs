//! Boxing and unboxing of `bytes`, `bytearray`, `memoryview` and `array.array`, without copying.
//!
//! As with arrays, the owner word of an argument is the address of the object, which the caller holds. That
//! alone does not keep the memory where it is: a `bytearray` may be resized, a `memoryview` released, by what runs
//! meanwhile. So a call holds an export of each such argument ([`hold`]), which Python refuses to invalidate.

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyMemoryView};
use std::ffi::CStr;
use std::mem::MaybeUninit;
use types::{ArrayType, BufferKind, Layout, Type, TypeData, TypeTable};

use crate::plan::keepalive;
use crate::values::ndarray::ArrayBoxing;

/// The kind of buffer that a value is, if it is one.
fn kind_of(value: &Bound<'_, PyAny>) -> Option<BufferKind> {
    if value.is_exact_instance_of::<PyBytes>() {
        Some(BufferKind::Bytes)
    } else if value.is_exact_instance_of::<PyByteArray>() {
        Some(BufferKind::ByteArray)
    } else if value.is_exact_instance_of::<PyMemoryView>() {
        Some(BufferKind::MemoryView)
    } else {
        let class = value.get_type();
        let is_array = class.name().is_ok_and(|name| name == "array")
            && class.module().is_ok_and(|module| module == "array");
        is_array.then_some(BufferKind::PyArray)
    }
}

/// The item type that a format of the `struct` module means, if compiled code has one of its size.
fn item_type(format: &CStr, size: isize) -> Option<Type> {
    let format = format.to_str().ok()?.trim_start_matches(['@', '=', '<']);
    let signed = match format {
        "?" => return (size == 1).then_some(Type::BOOL),
        "f" | "d" => return Some(if size == 4 { Type::FLOAT32 } else { Type::FLOAT64 }),
        "Zf" | "Zd" => return Some(if size == 8 { Type::COMPLEX64 } else { Type::COMPLEX128 }),
        "b" | "h" | "i" | "l" | "q" | "n" => true,
        "B" | "H" | "I" | "L" | "Q" | "N" => false,
        _ => return None,
    };
    matches!(size, 1 | 2 | 4 | 8).then(|| Type::int(8 * size as u8, signed))
}

/// A view on a buffer's memory, given back when it is dropped: by a thread that is attached.
pub struct Export(Box<ffi::Py_buffer>);

impl Export {
    /// The view; none, with no exception set, if the object gives none.
    ///
    /// # Safety
    /// The thread is attached to Python and the object alive.
    pub unsafe fn of(object: *mut ffi::PyObject) -> Option<Export> {
        let mut view = Box::new(MaybeUninit::<ffi::Py_buffer>::uninit());
        // SAFETY: the caller says that the thread is attached and the object alive.
        unsafe {
            if ffi::PyObject_GetBuffer(object, view.as_mut_ptr(), ffi::PyBUF_FULL_RO) != 0 {
                ffi::PyErr_Clear();
                return None;
            }
            Some(Export(Box::from_raw(Box::into_raw(view).cast())))
        }
    }

    /// What compiled code knows of it; none if it has no type for it.
    fn items(&self) -> Option<ArrayType> {
        let view = &*self.0;
        // SAFETY: the format of an exported buffer is a C string that lives as long as the export.
        let format = if view.format.is_null() { c"B" } else { unsafe { CStr::from_ptr(view.format) } };
        let dtype = item_type(format, view.itemsize)?;
        if !view.suboffsets.is_null() {
            return None;
        }
        // SAFETY: the view is that of a live export.
        let ordered = |order: u8| unsafe { ffi::PyBuffer_IsContiguous(view, order as _) != 0 };
        let layout = match (ordered(b'C'), ordered(b'F')) {
            (true, _) => Layout::C,
            (false, true) => Layout::F,
            _ => Layout::Any,
        };
        let ndim = u8::try_from(view.ndim).ok()?;
        Some(ArrayType { dtype, ndim, layout, mutable: view.readonly == 0, aligned: true })
    }

    /// Whether the address of every item is a multiple of its size.
    fn is_aligned(&self, alignment: i64) -> bool {
        let view = &*self.0;
        // Where there is no item, Python puts the memory anywhere.
        if view.len == 0 {
            return true;
        }
        let fits = |offset: isize| offset as i64 % alignment.max(1) == 0;
        let axes = if view.strides.is_null() { 0 } else { view.ndim as usize };
        // SAFETY: strides that are not null are as many as dimensions.
        fits(view.buf as isize) && (0..axes).all(|axis| fits(unsafe { *view.strides.add(axis) }))
    }
}

impl Drop for Export {
    fn drop(&mut self) {
        // SAFETY: it was got, and is given back once.
        unsafe { ffi::PyBuffer_Release(&mut *self.0) };
    }
}

/// The type of a value that is a buffer; TypeError if compiled code has none for its items.
pub fn type_of(types: &TypeTable, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    let Some(kind) = kind_of(value) else { return Ok(None) };
    // SAFETY: a bound value is alive and its thread attached.
    let export = unsafe { Export::of(value.as_ptr()) };
    let items = export.as_ref().and_then(|export| {
        let items = export.items()?;
        export.is_aligned(types.item_alignment(items.dtype)).then_some(items)
    });
    let Some(items) = items else {
        let message = format!(
            "cannot determine the type of a value of class '{}': its items are none that compiled code knows, or not aligned",
            value.get_type().name()?
        );
        return Err(PyTypeError::new_err(message));
    };
    Ok(Some(types.intern(TypeData::Buffer(kind, items))))
}

/// How a buffer becomes words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferStep {
    /// Address of its class.
    class: usize,
    kind: BufferKind,
    items: ArrayType,
    alignment: i64,
    /// Whether strides are wanted.
    strides: bool,
}

impl BufferStep {
    /// Whether it takes memory that may move unless it is held.
    pub fn needs_hold(&self) -> bool {
        self.kind != BufferKind::Bytes
    }

    /// The step for buffers like `value`, which is one of items `from`, as a parameter with items `to`.
    pub fn new(
        types: &TypeTable,
        value: &Bound<'_, PyAny>,
        from: ArrayType,
        to: ArrayType,
    ) -> Option<BufferStep> {
        let alignment = types.item_alignment(from.dtype);
        let class = value.get_type().as_ptr() as usize;
        Some(BufferStep { class, kind: kind_of(value)?, items: from, alignment, strides: to.has_strides() })
    }

    /// Words that the step writes.
    pub fn words(&self) -> usize {
        2 + usize::from(self.items.ndim) * (1 + usize::from(self.strides))
    }

    /// Writes the words; nothing if the object is no such buffer.
    ///
    /// # Safety
    /// The thread is attached to Python, `object` is alive, `out` has room for [`Self::words`].
    pub unsafe fn unbox(&self, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        // SAFETY: the caller's promise; the object is of the class whose exports have these fields.
        unsafe {
            if ffi::Py_TYPE(object) as usize != self.class {
                return None;
            }
            let export = Export::of(object)?;
            if export.items()? != self.items || !export.is_aligned(self.alignment) {
                return None;
            }
            let view = &*export.0;
            *out = object as u64 | 1;
            *out.add(1) = view.buf as u64;
            let ndim = usize::from(self.items.ndim);
            for axis in 0..ndim {
                *out.add(2 + axis) = *view.shape.add(axis) as u64;
                if self.strides {
                    *out.add(2 + ndim + axis) = *view.strides.add(axis) as u64;
                }
            }
            Some(self.words())
        }
    }
}

/// How words become a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferBoxing {
    kind: BufferKind,
    items: ArrayBoxing,
}

impl BufferBoxing {
    /// How buffers of this kind with items as an array's are made.
    pub fn new(kind: BufferKind, items: ArrayBoxing) -> BufferBoxing {
        BufferBoxing { kind, items }
    }

    /// Words of a buffer.
    pub fn words(&self) -> usize {
        self.items.words()
    }

    /// A new reference, or null with an exception set: the object that was borrowed, or one for a part of it.
    ///
    /// # Safety
    /// The thread is attached to Python; `words` has what [`Self::words`] says.
    pub unsafe fn make(&self, words: *const u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise; a borrowed object is alive as long as its owner word is held.
        unsafe {
            if let Some(object) = self.known(words).filter(|&object| self.is_same(object, words)) {
                ffi::Py_INCREF(object);
                rt::decref(*words);
                return object;
            }
            let items = self.items.array();
            if self.kind == BufferKind::Bytes && items.ndim == 1 && !items.has_strides() {
                let (data, length) = (*words.add(1) as *const std::ffi::c_char, *words.add(2));
                let made = ffi::PyBytes_FromStringAndSize(data, length as ffi::Py_ssize_t);
                rt::decref(*words);
                return made;
            }
            let array = self.items.make(words);
            if array.is_null() {
                return array;
            }
            let made = match self.kind {
                BufferKind::MemoryView => ffi::PyMemoryView_FromObject(array),
                BufferKind::ByteArray => ffi::PyByteArray_FromObject(array),
                // Arrays of objects are made elsewhere (`object_arrays`).
                BufferKind::Bytes | BufferKind::PyArray | BufferKind::ObjectArray => {
                    ffi::PyBytes_FromObject(array)
                }
            };
            ffi::Py_DECREF(array);
            made
        }
    }

    /// Whether an object is what was borrowed, of which these are the words still.
    ///
    /// # Safety
    /// As for [`Self::make`]; the object is alive.
    pub(crate) unsafe fn shows(&self, object: *mut ffi::PyObject, words: *const u64) -> bool {
        // SAFETY: the caller's promise.
        unsafe { self.known(words) == Some(object) && self.is_same(object, words) }
    }

    /// The object that was borrowed, in whose memory the items lie.
    unsafe fn known(&self, words: *const u64) -> Option<*mut ffi::PyObject> {
        // SAFETY: an owner word is the address of a borrowed object with its lowest bit set, or of a block of
        // memory.
        unsafe {
            let owner = *words;
            if owner & 1 != 0 {
                return Some((owner & !1) as *mut ffi::PyObject);
            }
            let held = keepalive::kept_object(owner)?;
            if self.kind == BufferKind::Bytes || ffi::PyMemoryView_Check(held) == 0 {
                return Some(held);
            }
            // See [`base`].
            let view = Bound::from_borrowed_ptr(Python::assume_attached(), held);
            let object = view.getattr(intern!(view.py(), "obj")).ok()?;
            (kind_of(&object) == Some(self.kind)).then_some(object.as_ptr())
        }
    }

    /// Whether the words are those of the whole object.
    unsafe fn is_same(&self, object: *mut ffi::PyObject, words: *const u64) -> bool {
        // SAFETY: the caller passes a live object and as many words as [`Self::words`] says.
        unsafe {
            let Some(export) = Export::of(object) else { return false };
            let view = &*export.0;
            let items = self.items.array();
            let ndim = usize::from(items.ndim);
            if view.buf as u64 != *words.add(1)
                || view.ndim as usize != ndim
                || export.items().map(|found| found.dtype) != Some(items.dtype)
            {
                return false;
            }
            (0..ndim).all(|axis| {
                let length = *view.shape.add(axis) as u64;
                let strided = items.has_strides();
                length == *words.add(2 + axis)
                    && (!strided || *view.strides.add(axis) as u64 == *words.add(2 + ndim + axis))
            })
        }
    }
}

/// What keeps the memory of a borrowed object alive and in its place, as the base of an array: a new reference, or
/// null with an exception set. The object itself where that is enough.
///
/// # Safety
/// The thread is attached to Python and the object alive.
pub unsafe fn base(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    // SAFETY: the caller's promise.
    unsafe {
        let value = Bound::from_borrowed_ptr(Python::assume_attached(), object);
        if kind_of(&value).is_some_and(|kind| kind != BufferKind::Bytes) {
            return ffi::PyMemoryView_FromObject(object);
        }
        ffi::Py_INCREF(object);
        object
    }
}
