//! Blocks of counted memory as objects of Python: the `base` of arrays that compiled code made, and Numba's `MemInfo`.

use pyo3::exceptions::{PyBufferError, PyMemoryError, PyValueError};
use pyo3::ffi;
use pyo3::prelude::*;
use std::ffi::c_int;

/// A block of memory that compiled code counts. Its bytes are a buffer of Python, which can be written to.
#[pyclass(frozen, module = "rumba._rumba")]
pub struct MemInfo {
    owner: u64,
}

/// What an untouched byte of new memory is.
const UNTOUCHED: u8 = 0xcb;

impl MemInfo {
    /// The object that a reference to a block goes over to.
    pub(crate) fn of(owner: u64) -> MemInfo {
        MemInfo { owner }
    }
}

#[pymethods]
impl MemInfo {
    /// The object that a reference to a block at an address goes over to.
    #[new]
    fn new(address: u64) -> MemInfo {
        MemInfo { owner: address }
    }

    /// A new block of this many bytes. ValueError for a negative number, MemoryError if there is no memory.
    #[staticmethod]
    fn allocate(size: isize) -> PyResult<MemInfo> {
        let bytes = usize::try_from(size).map_err(|_| {
            PyValueError::new_err(format!("Cannot allocate a negative number of bytes: {size}."))
        })?;
        let owner = rt::allocate(bytes as u64, 0);
        if owner == 0 {
            return Err(PyMemoryError::new_err(format!("Requested allocation of {size} bytes failed.")));
        }
        // SAFETY: the block is new and has so many bytes.
        unsafe { std::ptr::write_bytes(rt::items_of(owner) as *mut u8, UNTOUCHED, bytes) };
        Ok(MemInfo { owner })
    }

    /// A block over memory at an address, about which nothing is known; it keeps an object alive.
    #[staticmethod]
    fn over(address: usize, object: Bound<'_, PyAny>) -> PyResult<MemInfo> {
        let info = object.into_ptr();
        // SAFETY: the destructor gives the reference back and looks at nothing else.
        let owner = unsafe { rt::adopt(address as *mut u8, 0, Some(give_up), info.cast()) };
        if owner == 0 {
            // SAFETY: the reference is ours, as nobody has taken it.
            unsafe { ffi::Py_DECREF(info) };
            return Err(PyMemoryError::new_err("no memory for a block"));
        }
        Ok(MemInfo { owner })
    }

    /// How many hold the block.
    #[getter]
    fn refcount(&self) -> usize {
        rt::holders(self.owner)
    }

    /// Bytes of the items, or of an object's fields.
    #[getter]
    fn size(&self) -> usize {
        rt::object::memory_of(self.owner).1
    }

    /// Address of the items, or of an object's fields.
    #[getter]
    fn data(&self) -> usize {
        rt::object::memory_of(self.owner).0
    }

    /// Counts one holder more.
    fn acquire(&self) {
        rt::incref(self.owner);
    }

    /// Counts one holder less: one that `acquire` has counted.
    fn release(&self) -> PyResult<()> {
        if rt::holders(self.owner) < 2 {
            return Err(PyValueError::new_err("nobody but this object holds the block"));
        }
        rt::decref(self.owner);
        Ok(())
    }

    unsafe fn __getbuffer__(slf: Bound<'_, Self>, view: *mut ffi::Py_buffer, flags: c_int) -> PyResult<()> {
        if view.is_null() {
            return Err(PyBufferError::new_err("there is no place for the buffer"));
        }
        let (data, size) = (slf.get().data(), slf.get().size());
        // SAFETY: Python passes a buffer to fill; the bytes live as long as the object, which the buffer holds.
        let status = unsafe {
            ffi::PyBuffer_FillInfo(view, slf.as_ptr(), data as *mut _, size as ffi::Py_ssize_t, 0, flags)
        };
        if status == 0 { Ok(()) } else { Err(PyErr::fetch(slf.py())) }
    }
}

impl Drop for MemInfo {
    fn drop(&mut self) {
        rt::decref(self.owner);
    }
}

/// Gives up the object that a block kept alive.
unsafe extern "C" fn give_up(_items: *mut u8, _size: usize, info: *mut ()) {
    // SAFETY: the block held a reference to the object; whoever gives the block up may be without the GIL.
    Python::attach(|_| unsafe { ffi::Py_DECREF(info.cast()) });
}
