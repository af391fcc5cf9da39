//! NumPy ufuncs over loops of machine code that lives as long as the process.

use numpy::npyffi::{PY_UFUNC_API, PyUFuncGenericFunction, PyUFuncObject};
use pyo3::prelude::*;
use std::ffi::{CString, c_char, c_int};
use std::ptr::null_mut;

/// NPY_ITER_READWRITE | NPY_ITER_ALIGNED | NPY_ITER_UPDATEIFCOPY: where an operand is converted, its items go into the copy
/// first, and come back.
const READ_AND_WRITTEN: u32 = 0x0001_0000 | 0x0010_0000 | 0x0080_0000;

/// NPY_ITER_ALLOCATE | NPY_ITER_NO_SUBTYPE | NPY_ITER_NO_BROADCAST: what NumPy has for results.
const RESULT: u32 = 0x0100_0000 | 0x0200_0000 | 0x0800_0000;

/// What a ufunc is made of.
pub struct UFunc<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its documentation.
    pub doc: &'a str,
    /// How many operands are read.
    pub inputs: u32,
    /// How many are results.
    pub outputs: u32,
    /// What a reduction begins with, by NumPy's number.
    pub identity: i32,
    /// The layout of rows; empty for a function of items.
    pub layout: &'a str,
    /// Operands that are read and written.
    pub changed: &'a [u32],
    /// NumPy's numbers of the types of all operands, loop by loop.
    pub kinds: &'a [u8],
    /// Addresses of the loops.
    pub loops: Vec<usize>,
}

impl UFunc<'_> {
    /// The object. What it points to is never freed.
    ///
    /// # Safety
    /// The addresses are those of loops for operands of these types.
    pub unsafe fn make<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        // NumPy runs loops without Python's lock.
        rt::share_counts();
        let text = |text: &str| -> PyResult<_> { Ok(CString::new(text)?.into_raw().cast_const()) };
        // SAFETY: a loop has the signature of NumPy; an address is no null.
        let function =
            |&address: &usize| unsafe { std::mem::transmute::<usize, PyUFuncGenericFunction>(address) };
        let functions: Vec<PyUFuncGenericFunction> = self.loops.iter().map(function).collect();
        let data = Vec::leak(vec![null_mut(); functions.len()]).as_mut_ptr();
        let count = functions.len() as c_int;
        let functions = Vec::leak(functions).as_mut_ptr();
        let kinds = Vec::leak(self.kinds.to_vec()).as_mut_ptr().cast::<c_char>();
        let (inputs, outputs) = (self.inputs as c_int, self.outputs as c_int);
        let (name, doc, layout) = (text(self.name)?, text(self.doc)?, text(self.layout)?);
        // SAFETY: all that the ufunc points to stays where it is.
        unsafe {
            let made = if self.layout.is_empty() {
                PY_UFUNC_API.PyUFunc_FromFuncAndData(
                    py,
                    functions,
                    data,
                    kinds,
                    count,
                    inputs,
                    outputs,
                    self.identity,
                    name,
                    doc,
                    0,
                )
            } else {
                PY_UFUNC_API.PyUFunc_FromFuncAndDataAndSignature(
                    py,
                    functions,
                    data,
                    kinds,
                    count,
                    inputs,
                    outputs,
                    self.identity,
                    name,
                    doc,
                    0,
                    layout,
                )
            };
            let made = Bound::from_owned_ptr_or_err(py, made)?;
            let flags = (*made.as_ptr().cast::<PyUFuncObject>()).fields.op_flags;
            for &at in self.changed {
                *flags.add(at as usize) = READ_AND_WRITTEN | if at >= self.inputs { RESULT } else { 0 };
            }
            Ok(made)
        }
    }
}
