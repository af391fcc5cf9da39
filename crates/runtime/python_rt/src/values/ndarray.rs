//! Boxing and unboxing of NumPy arrays, without copying.
//!
//! An argument is borrowed: its owner word is the address of the object with the lowest bit set, which compiled
//! code does not count, as the caller holds the object. So a result whose owner is such a word is that
//! object again, or a view on it; any other result holds a block of `rt::memory`.

use crate::data_model::DataModel;
use crate::plan::keepalive;
use crate::values::buffers;
use crate::values::dtypes::{self, Items};
use crate::values::mem_info::MemInfo;
use numpy::npyffi::{self, NpyTypes, PY_ARRAY_API, PyArrayObject, npy_intp};
use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use types::{ArrayType, Layout, TypeTable};

const C_CONTIGUOUS: i32 = 0x1;
const F_CONTIGUOUS: i32 = 0x2;
const ALIGNED: i32 = 0x100;
const WRITEABLE: i32 = 0x400;

/// Whether a value is an array of NumPy (or of a class derived from that): NumPy is not imported to find out.
pub fn is_array(value: &Bound<'_, PyAny>) -> bool {
    let mro = value.get_type().mro();
    mro.iter().any(|class| {
        class.cast_into::<pyo3::types::PyType>().is_ok_and(|class| {
            class.name().is_ok_and(|name| name == "ndarray")
                && class.module().is_ok_and(|module| module == "numpy")
        })
    })
}

#[inline]
fn fields(array: *mut ffi::PyObject) -> *const npyffi::objects::PyArrayObject_fields {
    // SAFETY: the address of a field, not read.
    unsafe { &raw const (*array.cast::<PyArrayObject>()).fields }
}

/// The type of an array; TypeError if compiled code has none for it.
pub fn type_of(types: &TypeTable, value: &Bound<'_, PyAny>) -> PyResult<ArrayType> {
    let refuse = |what: &str| {
        let class = value.get_type().name().map_or_else(|_| "ndarray".into(), |name| name.to_string());
        PyTypeError::new_err(format!("cannot determine the type of an array of class '{class}': {what}"))
    };
    if value.get_type().module().is_ok_and(|module| module.to_string().starts_with("numpy.ma")) {
        return Err(refuse("masked arrays are not supported in compiled code"));
    }
    // SAFETY: the value is an array of NumPy, alive and its thread attached.
    unsafe {
        let fields = &*fields(value.as_ptr());
        let descr = &(*fields.descr).fields;
        let native = matches!(descr.byteorder as u8, b'=' | b'|' | b'<');
        let dtype = match dtypes::number_type(descr.type_num).filter(|_| native) {
            Some(number) => number,
            None => dtypes::item_type(types, &value.getattr("dtype")?)
                .map_err(|error| refuse(&error.value(value.py()).to_string()))?,
        };
        let ndim = u8::try_from(fields.nd).map_err(|_| refuse("it has too many dimensions"))?;
        let layout = match fields.flags & (C_CONTIGUOUS | F_CONTIGUOUS) {
            0 => Layout::Any,
            F_CONTIGUOUS => Layout::F,
            _ => Layout::C,
        };
        let (mutable, aligned) = (fields.flags & WRITEABLE != 0, fields.flags & ALIGNED != 0);
        Ok(ArrayType { dtype, ndim, layout, mutable, aligned })
    }
}

/// Where the items of an array lie, its shape and, where the type asks for them, its strides.
pub fn data_and_lengths(value: &Bound<'_, PyAny>, array: ArrayType) -> (usize, Vec<i64>) {
    // SAFETY: the value is an array of NumPy, alive and its thread attached.
    unsafe {
        let fields = &*fields(value.as_ptr());
        let lengths =
            |from: *mut npy_intp| (0..usize::from(array.ndim)).map(move |axis| *from.add(axis) as i64);
        let mut found: Vec<i64> = lengths(fields.dimensions).collect();
        if array.has_strides() {
            found.extend(lengths(fields.strides));
        }
        (fields.data as usize, found)
    }
}

/// Whether the items of an array follow each other in Fortran's order; they may do so in C's order, too.
pub fn is_f_contiguous(value: &Bound<'_, PyAny>) -> bool {
    // SAFETY: it is read after the check that the value is an array of NumPy, alive and its thread attached.
    is_array(value) && unsafe { (*fields(value.as_ptr())).flags & F_CONTIGUOUS != 0 }
}

/// How an array becomes words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayStep {
    /// Address of its class.
    class: usize,
    ndim: i32,
    /// What the items must be.
    items: Items,
    /// What is looked at of its flags, and how that must be.
    mask: i32,
    flags: i32,
    /// Whether strides are wanted.
    strides: bool,
}

impl ArrayStep {
    /// The step for arrays like `value`, which is one of type `from`, as a parameter of type `to`.
    pub fn new(
        cx: &dyn DataModel,
        value: &Bound<'_, PyAny>,
        from: ArrayType,
        to: ArrayType,
    ) -> Option<ArrayStep> {
        // SAFETY: the value is an array of NumPy.
        let number = unsafe { (*(*fields(value.as_ptr())).descr).fields.type_num };
        let order = match (from.layout, to.layout) {
            // The array is contiguous in both orders.
            (Layout::C, Layout::F) => (F_CONTIGUOUS, F_CONTIGUOUS),
            (Layout::C, _) => (C_CONTIGUOUS, C_CONTIGUOUS),
            (Layout::F, _) => (C_CONTIGUOUS | F_CONTIGUOUS, F_CONTIGUOUS),
            (Layout::Any, _) => (C_CONTIGUOUS | F_CONTIGUOUS, 0),
        };
        let writeable = if from.mutable { WRITEABLE } else { 0 };
        // Code for items that are not aligned takes those that are, too.
        let aligned = if from.aligned { ALIGNED } else { 0 };
        Some(ArrayStep {
            class: value.get_type().as_ptr() as usize,
            ndim: from.ndim.into(),
            items: Items::like(cx, number, from.dtype)?,
            mask: order.0 | aligned | WRITEABLE,
            flags: order.1 | aligned | writeable,
            strides: to.has_strides(),
        })
    }

    /// Words that the step writes.
    #[inline]
    pub fn words(&self) -> usize {
        2 + self.ndim as usize * (1 + usize::from(self.strides))
    }

    /// Writes the words; nothing if the object is no such array.
    ///
    /// # Safety
    /// The thread is attached to Python, `object` is alive, `out` has room for [`Self::words`].
    #[inline]
    pub unsafe fn unbox(&self, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        // SAFETY: the caller's promise; an object of this class has the fields of an array.
        unsafe {
            if ffi::Py_TYPE(object) as usize != self.class {
                return None;
            }
            let fields = &*fields(object);
            if fields.nd != self.ndim
                || fields.flags & self.mask != self.flags
                || !self.items.are(fields.descr)
            {
                return None;
            }
            *out = object as u64 | 1;
            *out.add(1) = fields.data as u64;
            let ndim = self.ndim as usize;
            for axis in 0..ndim {
                *out.add(2 + axis) = *fields.dimensions.add(axis) as u64;
                if self.strides {
                    *out.add(2 + ndim + axis) = *fields.strides.add(axis) as u64;
                }
            }
            Some(self.words())
        }
    }
}

/// How words become an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayBoxing {
    /// What the items are, and their bytes.
    items: Items,
    item: i64,
    array: ArrayType,
}

/// The most dimensions that NumPy has.
const MAX_DIMENSIONS: usize = 64;

impl ArrayBoxing {
    /// How arrays of this type are made.
    pub fn new(cx: &dyn DataModel, array: ArrayType) -> Option<ArrayBoxing> {
        if usize::from(array.ndim) > MAX_DIMENSIONS {
            return None;
        }
        let item = cx.registries().types.item_size(array.dtype)?;
        Some(ArrayBoxing { items: Items::of_type(cx, array.dtype)?, item, array })
    }

    /// What is made.
    pub fn array(&self) -> ArrayType {
        self.array
    }

    /// Words of an array.
    pub fn words(&self) -> usize {
        let ndim = usize::from(self.array.ndim);
        2 + ndim * (1 + usize::from(self.array.has_strides()))
    }

    /// A new reference, or null with an exception set. What the words hold is taken over in any case.
    ///
    /// # Safety
    /// The thread is attached to Python; `words` has what [`Self::words`] says.
    pub unsafe fn make(&self, words: *const u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise; a borrowed array is alive as long as its owner word is held.
        unsafe {
            let (owner, data) = (*words, *words.add(1) as *mut u8);
            let ndim = usize::from(self.array.ndim);
            let (mut shape, mut strides) = self.extent(words);
            if owner & 1 != 0 {
                // The second bit: what was made of it is another array, though it be like it.
                let (base, is_other) = ((owner & !3) as *mut ffi::PyObject, owner & 2 != 0);
                let is_constant = self.is_read_only(base);
                if !is_other && !is_constant && self.is_same(base, data, &shape[..ndim], &strides[..ndim]) {
                    ffi::Py_INCREF(base);
                    return base;
                }
                let base = buffers::base(base);
                if base.is_null() {
                    return base;
                }
                let view = self.view(data, &mut shape, &mut strides, base);
                if !is_constant || view.is_null() {
                    return view;
                }
                // Whoever gets it may write to it: it is a copy of what the code knows.
                let py = Python::assume_attached();
                let copy = PY_ARRAY_API.PyArray_NewCopy(py, view.cast(), npyffi::NPY_ORDER::NPY_KEEPORDER);
                ffi::Py_DECREF(view);
                return copy;
            }
            if let Some(object) = keepalive::kept_object(owner)
                && self.is_same(object, data, &shape[..ndim], &strides[..ndim])
            {
                ffi::Py_INCREF(object);
                rt::decref(owner);
                return object;
            }
            if owner == 0 {
                // Nobody counts memory behind an address that C code or an extension gave.
                return self.view(data, &mut shape, &mut strides, std::ptr::null_mut());
            }
            let holder = holder(Python::assume_attached(), owner);
            if holder.is_null() {
                return holder;
            }
            self.view(data, &mut shape, &mut strides, holder)
        }
    }

    /// Whether an object is an array that must not be written, though this one may be: a constant of an extension.
    unsafe fn is_read_only(&self, object: *mut ffi::PyObject) -> bool {
        // SAFETY: the caller passes a live object on an attached thread.
        unsafe {
            self.array.mutable
                && npyffi::PyArray_Check(Python::assume_attached(), object) != 0
                && (*fields(object)).flags & WRITEABLE == 0
        }
    }

    /// Shape and strides.
    unsafe fn extent(&self, words: *const u64) -> ([npy_intp; MAX_DIMENSIONS], [npy_intp; MAX_DIMENSIONS]) {
        let ndim = usize::from(self.array.ndim);
        let (mut shape, mut strides) = ([0; MAX_DIMENSIONS], [0; MAX_DIMENSIONS]);
        // SAFETY: the caller says that the words are there.
        unsafe {
            for axis in 0..ndim {
                shape[axis] = *words.add(2 + axis) as npy_intp;
            }
            if self.array.has_strides() {
                for axis in 0..ndim {
                    strides[axis] = *words.add(2 + ndim + axis) as npy_intp;
                }
            } else {
                self.fill_strides(&shape[..ndim], &mut strides[..ndim]);
            }
        }
        (shape, strides)
    }

    /// Whether an object is the array that was borrowed, of which these are the words still.
    ///
    /// # Safety
    /// As for [`Self::make`]; the object is alive.
    pub(crate) unsafe fn shows(&self, object: *mut ffi::PyObject, words: *const u64) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let ndim = usize::from(self.array.ndim);
            let (shape, strides) = self.extent(words);
            keepalive::kept_object(*words) == Some(object)
                && self.is_same(object, *words.add(1) as *mut u8, &shape[..ndim], &strides[..ndim])
        }
    }

    fn fill_strides(&self, shape: &[npy_intp], strides: &mut [npy_intp]) {
        let mut stride = self.item as npy_intp;
        let ndim = shape.len();
        for number in 0..ndim {
            let axis = if self.array.layout == Layout::F { number } else { ndim - 1 - number };
            strides[axis] = stride;
            stride = stride.wrapping_mul(shape[axis]);
        }
    }

    /// Whether the array is the very one that was borrowed.
    unsafe fn is_same(
        &self,
        object: *mut ffi::PyObject,
        data: *mut u8,
        shape: &[npy_intp],
        strides: &[npy_intp],
    ) -> bool {
        // SAFETY: the caller passes a live object on an attached thread; an array has as many lengths and
        // strides as dimensions.
        unsafe {
            // A record may have been borrowed, of which this is a field.
            if npyffi::PyArray_Check(Python::assume_attached(), object) == 0 {
                return false;
            }
            let fields = &*fields(object);
            let same_items = self.items.are(fields.descr) || self.items.are_numbers(fields.descr);
            if fields.data.cast::<u8>() != data || fields.nd as usize != shape.len() || !same_items {
                return false;
            }
            (0..shape.len()).all(|axis| {
                let length = shape[axis];
                // Strides of dimensions of one place mean nothing.
                *fields.dimensions.add(axis) == length
                    && (length <= 1 || shape.contains(&0) || *fields.strides.add(axis) == strides[axis])
            })
        }
    }

    /// An array on memory that `base` keeps alive, whose reference is taken over; null if nothing does.
    unsafe fn view(
        &self,
        data: *mut u8,
        shape: &mut [npy_intp],
        strides: &mut [npy_intp],
        base: *mut ffi::PyObject,
    ) -> *mut ffi::PyObject {
        // SAFETY: the caller passes memory that `base` keeps alive, lengths and strides for each dimension,
        // and gives a reference away.
        unsafe {
            let py = Python::assume_attached();
            let class = npyffi::get_type_object(py, NpyTypes::PyArray_Type);
            let descr = self.items.dtype(py);
            let aligned = if self.array.aligned { ALIGNED } else { 0 };
            let flags = if self.array.mutable { WRITEABLE | aligned } else { aligned };
            let made = PY_ARRAY_API.PyArray_NewFromDescr(
                py,
                class,
                descr,
                self.array.ndim.into(),
                shape.as_mut_ptr(),
                strides.as_mut_ptr(),
                data.cast(),
                flags,
                std::ptr::null_mut(),
            );
            if made.is_null() {
                ffi::Py_XDECREF(base);
                return made;
            }
            if !self.array.aligned {
                // Not known to be so when it was compiled; it may be.
                PY_ARRAY_API.PyArray_UpdateFlags(py, made.cast(), ALIGNED);
            }
            if !base.is_null() && PY_ARRAY_API.PyArray_SetBaseObject(py, made.cast(), base) < 0 {
                ffi::Py_DECREF(made);
                return std::ptr::null_mut();
            }
            made
        }
    }

    /// Gives up what the words of a value hold that is not made.
    ///
    /// # Safety
    /// As for [`Self::make`].
    pub(crate) unsafe fn discard(&self, words: *const u64) {
        // SAFETY: the caller's promise; the first word is the owner, whose count is released.
        rt::decref(unsafe { *words });
    }
}

/// An object that holds a block; null with an exception set if there is no memory for it.
fn holder(py: Python<'_>, owner: u64) -> *mut ffi::PyObject {
    match Py::new(py, MemInfo::of(owner)) {
        Ok(made) => made.into_ptr(),
        Err(error) => {
            error.restore(py);
            std::ptr::null_mut()
        }
    }
}
