//! External functions that compiled code calls: BLAS and LAPACK from NumPy's wheels, and NumPy's sorting kernels. If
//! NumPy provides no kernel, compiled code uses the runtime's.

use crate::values::dtypes::number_type;
use numpy::npyffi::{NPY_TYPES, PY_ARRAY_API, PyArray_ArrFuncs, PyArray_Descr, is_numpy_2};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use std::ffi::{CString, c_void};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::OnceLock;
use types::TypeTable;

/// Where functions are found, from when NumPy is there.
#[derive(Default)]
pub struct KernelTable(OnceLock<Found>);

struct Found {
    /// NumPy's module of linear algebra, which BLAS and LAPACK are loaded with; 0 if it brings none whose integers have
    /// 64 bits.
    lapack: usize,
    /// NumPy's functions for each type of items, by its name.
    sorts: Vec<(String, Sorts)>,
}

#[derive(Clone, Copy)]
struct Sorts {
    sort: [usize; 3],
    argsort: [usize; 3],
}

impl KernelTable {
    /// Looks once, and with Python: afterwards functions are found without.
    pub fn look(&self, py: Python<'_>, types: &TypeTable) {
        if self.0.get().is_some() {
            return;
        }
        let modules = py.import("sys").and_then(|sys| sys.getattr("modules"));
        let module = |name: &str| modules.as_ref().ok()?.get_item(name).ok();
        if module("numpy").is_none() {
            return;
        }
        let path = module("numpy.linalg._umath_linalg").and_then(|module| module.getattr("__file__").ok());
        let lapack = path.and_then(|path| open(path.extract().ok()?)).unwrap_or(0);
        let _ = self.0.set(Found { lapack, sorts: sorts(py, types) });
    }

    /// The address of a function, if somebody has it. Of LAPACK there is always one: it does nothing where there is no
    /// LAPACK, and code that calls it asks `rumba_has_lapack` first.
    pub fn address(&self, name: &str) -> Option<usize> {
        if name.starts_with("Py") || name.starts_with("_Py") {
            return of_python(name);
        }
        let name = name.strip_prefix("rumba_")?;
        let found = self.0.get();
        if let Some(routine) = name.strip_prefix("lapack_") {
            let there = found.and_then(|found| symbol(found.lapack, routine));
            return Some(there.unwrap_or(nothing as *const () as usize));
        }
        if name == "has_lapack" {
            let there = found.is_some_and(|found| found.lapack != 0);
            return Some(if there { yes as *const () as usize } else { no as *const () as usize });
        }
        let (what, rest) = name.split_once('_')?;
        let (kind, item) = rest.split_once('_')?;
        let kind = ["quick", "heap", "stable"].iter().position(|&known| known == kind)?;
        let (_, sorts) = found?.sorts.iter().find(|(known, _)| known == item)?;
        let address = match what {
            "sort" => sorts.sort[kind],
            "argsort" => sorts.argsort[kind],
            _ => 0,
        };
        (address != 0).then_some(address)
    }
}

/// A library that is loaded already, if it knows LAPACK.
fn open(path: PathBuf) -> Option<usize> {
    let path = CString::new(path.into_os_string().into_vec()).ok()?;
    // SAFETY: a string that ends; nothing is loaded again.
    let handle = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) } as usize;
    symbol(handle, "dgesv").map(|_| handle)
}

/// A routine by its name in Fortran, with 64-bit integers.
/// A function or a Python object's own C interface, which code of libraries may ask for.
fn of_python(name: &str) -> Option<usize> {
    let name = CString::new(name).ok()?;
    // SAFETY: the string ends.
    let address = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) } as usize;
    (address != 0).then_some(address)
}

fn symbol(handle: usize, routine: &str) -> Option<usize> {
    if handle == 0 {
        return None;
    }
    let spellings = [format!("scipy_{routine}_64_"), format!("{routine}_64_"), format!("{routine}64_")];
    spellings.into_iter().find_map(|name| {
        let name = CString::new(name).ok()?;
        // SAFETY: the handle is never closed, and the string ends.
        let address = unsafe { libc::dlsym(handle as *mut c_void, name.as_ptr()) } as usize;
        (address != 0).then_some(address)
    })
}

/// How NumPy tells its functions of a type of items.
type FunctionsOf = unsafe extern "C" fn(*const PyArray_Descr) -> *const PyArray_ArrFuncs;

/// Slot 365 of NumPy's interface for C, since NumPy 2.
fn functions_of(py: Python<'_>) -> Option<FunctionsOf> {
    is_numpy_2(py).then_some(())?;
    let module = py.import("numpy._core._multiarray_umath").ok()?;
    let capsule = module.getattr("_ARRAY_API").ok()?.cast_into::<PyCapsule>().ok()?;
    // SAFETY: the capsule has no name and holds the table of addresses, which lives as long as NumPy.
    unsafe {
        let table = pyo3::ffi::PyCapsule_GetPointer(capsule.as_ptr(), std::ptr::null());
        let slot = (!table.is_null()).then(|| table.cast::<Option<FunctionsOf>>().add(365))?;
        *slot
    }
}

/// What NumPy sorts items of each type of numbers with.
fn sorts(py: Python<'_>, types: &TypeTable) -> Vec<(String, Sorts)> {
    let mut found: Vec<(String, Sorts)> = Vec::new();
    let Some(functions_of) = functions_of(py) else { return found };
    for number in 0..=NPY_TYPES::NPY_CDOUBLE as i32 {
        let Some(name) = number_type(number).map(|ty| types.name(ty)) else { continue };
        if found.iter().any(|(known, _)| *known == name) {
            continue;
        }
        // SAFETY: NumPy is imported and the number is one of its types; the description is given back.
        let sorts = unsafe {
            let descr = PY_ARRAY_API.PyArray_DescrFromType(py, number);
            if descr.is_null() {
                continue;
            }
            let functions = &*functions_of(descr);
            let sort = functions.sort.map(|function| function.map_or(0, |function| function as usize));
            let argsort = functions.argsort.map(|function| function.map_or(0, |function| function as usize));
            pyo3::ffi::Py_DECREF(descr.cast());
            Sorts { sort, argsort }
        };
        found.push((name, sorts));
    }
    found
}

extern "C" fn nothing() {}

extern "C" fn yes() -> u64 {
    1
}

extern "C" fn no() -> u64 {
    0
}
