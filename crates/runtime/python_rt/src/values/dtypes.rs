//! NumPy dtypes: the types that they correspond to, and the dtype of a type.

use crate::data_model::DataModel;
use numpy::npyffi::{NPY_TYPES, PY_ARRAY_API, PyArray_Descr, PyDataType_FLAGS};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::sync::{Arc, PoisonError};
use types::{RecordField, RecordType, TimeUnit, Type, TypeData, TypeTable};

/// The most bytes of text that is passed around in registers.
const WIDEST_TEXT: i64 = 1024;

/// NumPy's number for half precision, the last of those for number types.
const HALF: i32 = 23;

/// The number type of NumPy's number for it.
pub fn number_type(number: i32) -> Option<Type> {
    Some(match number {
        0 => Type::BOOL,
        1 => Type::INT8,
        2 => Type::UINT8,
        3 => Type::INT16,
        4 => Type::UINT16,
        5 => Type::INT32,
        6 => Type::UINT32,
        7 | 9 => Type::INT64,
        8 | 10 => Type::UINT64,
        11 => Type::FLOAT32,
        12 => Type::FLOAT64,
        14 => Type::COMPLEX64,
        15 => Type::COMPLEX128,
        HALF => Type::FLOAT16,
        _ => return None,
    })
}

/// Whether a value is an object of `numpy.dtype`.
pub fn is_dtype(value: &Bound<'_, PyAny>) -> bool {
    let module = value.get_type().module();
    !value.is_instance_of::<pyo3::types::PyType>()
        && module.is_ok_and(|module| module.to_string().starts_with("numpy"))
        && value.hasattr(intern!(value.py(), "isnative")).unwrap_or(false)
}

/// The type of the items of a dtype; where compiled code has none, TypeError says why.
pub fn item_type(types: &TypeTable, dtype: &Bound<'_, PyAny>) -> PyResult<Type> {
    let py = dtype.py();
    let refuse = |why: &str| Err(PyTypeError::new_err(why.to_owned()));
    let number: i32 = dtype.getattr(intern!(py, "num"))?.extract()?;
    let native: bool = dtype.getattr(intern!(py, "isnative"))?.extract()?;
    if !native {
        return refuse(
            "its items have the other byte order; convert it with a.astype(a.dtype.newbyteorder('='))",
        );
    }
    if let Some(ty) = number_type(number) {
        return Ok(ty);
    }
    let size: i64 = dtype.getattr(intern!(py, "itemsize"))?.extract()?;
    let data = match NPY_TYPES_OF_ITEMS.iter().find(|(known, _)| *known == number) {
        Some((_, Kind::Time { span })) => TypeData::Datetime { unit: time_unit(dtype)?, span: *span },
        Some((_, Kind::Text { wide })) if (0..=WIDEST_TEXT).contains(&size) => {
            TypeData::CharSeq { count: size as u32 / if *wide { 4 } else { 1 }, wide: *wide }
        }
        Some((_, Kind::Text { .. })) => {
            return refuse(&format!(
                "text of {size} bytes: compiled code takes at most {WIDEST_TEXT} bytes of fixed width"
            ));
        }
        Some((_, Kind::Record)) if !dtype.getattr(intern!(py, "fields"))?.is_none() => {
            TypeData::Record(Arc::new(record_type(types, dtype, size)?))
        }
        _ => return refuse(&format!("items of dtype {dtype} are not supported in compiled code yet")),
    };
    Ok(types.intern(data))
}

enum Kind {
    Time { span: bool },
    Text { wide: bool },
    Record,
}

const NPY_TYPES_OF_ITEMS: &[(i32, Kind)] = &[
    (NPY_TYPES::NPY_STRING as i32, Kind::Text { wide: false }),
    (NPY_TYPES::NPY_UNICODE as i32, Kind::Text { wide: true }),
    (NPY_TYPES::NPY_VOID as i32, Kind::Record),
    (NPY_TYPES::NPY_DATETIME as i32, Kind::Time { span: false }),
    (NPY_TYPES::NPY_TIMEDELTA as i32, Kind::Time { span: true }),
];

fn time_unit(dtype: &Bound<'_, PyAny>) -> PyResult<TimeUnit> {
    let py = dtype.py();
    let data = py.import(intern!(py, "numpy"))?.call_method1(intern!(py, "datetime_data"), (dtype,))?;
    let (name, count): (String, i64) = data.extract()?;
    let name = if name == "generic" { "" } else { &name };
    let known = TimeUnit::from_name(name).filter(|_| count == 1);
    known.ok_or_else(|| {
        PyTypeError::new_err(format!("{dtype} counts in multiples of a unit, which compiled code does not"))
    })
}

fn record_type(types: &TypeTable, dtype: &Bound<'_, PyAny>, size: i64) -> PyResult<RecordType> {
    let py = dtype.py();
    let mut fields = Vec::new();
    for item in dtype.getattr(intern!(py, "fields"))?.call_method0(intern!(py, "items"))?.try_iter()? {
        let (name, parts): (Bound<'_, PyAny>, Bound<'_, PyTuple>) = item?.extract()?;
        let title = parts.get_item(2).ok().and_then(|title| title.extract::<String>().ok());
        let (base, shape) = of_field(&parts.get_item(0)?)?;
        fields.push(RecordField {
            name: name.str()?.to_str()?.into(),
            ty: item_type(types, &base)?,
            shape: shape.into(),
            offset: parts.get_item(1)?.extract()?,
            title: title.map(Into::into),
        });
    }
    let aligned = dtype.getattr(intern!(py, "isalignedstruct"))?.extract()?;
    Ok(RecordType { fields: fields.into(), size, aligned, mutable: true })
}

/// The dtype of a field's items, and the lengths of the array that the field is.
fn of_field<'py>(dtype: &Bound<'py, PyAny>) -> PyResult<(Bound<'py, PyAny>, Vec<i64>)> {
    let py = dtype.py();
    let (mut dtype, mut shape) = (dtype.clone(), Vec::new());
    // An array of arrays is one array of more dimensions.
    loop {
        let nested = dtype.getattr(intern!(py, "subdtype"))?;
        if nested.is_none() {
            return Ok((dtype, shape));
        }
        let (base, lengths): (Bound<'py, PyAny>, Vec<i64>) = nested.extract()?;
        shape.extend(lengths);
        dtype = base;
    }
}

/// What NumPy knows of the items of an array, as its own objects have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Items {
    /// NumPy's number for the kind of items.
    number: i32,
    /// Address of the dtype where the number does not say all; it stays alive.
    dtype: usize,
}

/// The flag of dtypes that are laid out as C does.
const ALIGNED_STRUCT: u64 = 0x80;

impl Items {
    /// What makes an item of this type: a dtype that stays alive.
    pub fn of_type(cx: &dyn DataModel, ty: Type) -> Option<Items> {
        if let Some(number) = (0..=HALF).find(|&number| number_type(number) == Some(ty)) {
            return Some(Items { number, dtype: 0 });
        }
        Items::of_dtype(cx, ty, false)
    }

    /// What makes a scalar of this type: records as scalars have their fields as attributes.
    pub(crate) fn of_scalar(cx: &dyn DataModel, ty: Type) -> Option<Items> {
        Items::of_dtype(cx, ty, true)
    }

    fn of_dtype(cx: &dyn DataModel, ty: Type, scalar: bool) -> Option<Items> {
        cx.registries().types.item_size(ty)?;
        Python::attach(|py| {
            let dtype = dtype(cx, py, ty, scalar).ok()?;
            let number = dtype.getattr(intern!(py, "num")).ok()?.extract().ok()?;
            Some(Items { number, dtype: dtype.as_ptr() as usize })
        })
    }

    /// What arrays have that are like one with this dtype and type.
    pub fn like(cx: &dyn DataModel, number: i32, ty: Type) -> Option<Items> {
        if number_type(number).is_some() {
            return Some(Items { number, dtype: 0 });
        }
        Items::of_type(cx, ty)
    }

    /// Bytes of an item are asked of the type; this is the dtype, as a new reference.
    ///
    /// # Safety
    /// The thread is attached to Python.
    pub unsafe fn dtype(&self, py: Python<'_>) -> *mut PyArray_Descr {
        // SAFETY: the caller's promise; a dtype that is kept as an address is held by the backend.
        unsafe {
            if self.dtype == 0 {
                return PY_ARRAY_API.PyArray_DescrFromType(py, self.number);
            }
            let dtype = self.dtype as *mut pyo3::ffi::PyObject;
            pyo3::ffi::Py_INCREF(dtype);
            dtype.cast()
        }
    }

    /// Whether a dtype means the same items.
    ///
    /// # Safety
    /// The thread is attached to Python; the dtype is alive.
    #[inline]
    pub unsafe fn are(&self, dtype: *mut PyArray_Descr) -> bool {
        // SAFETY: the caller's promise: both dtypes are alive.
        unsafe {
            let number = (*dtype).fields.type_num;
            if self.dtype == 0 {
                // C's `long` and `long long` may be one type of ours, and are two of NumPy's.
                let same = number == self.number || self.are_numbers(dtype);
                return same && (*dtype).fields.byteorder as u8 != b'>';
            }
            dtype as usize == self.dtype || number == self.number && self.are_equal(dtype)
        }
    }

    unsafe fn are_equal(&self, dtype: *mut PyArray_Descr) -> bool {
        // SAFETY: the caller's promise: both dtypes are alive.
        unsafe {
            let py = Python::assume_attached();
            let own = self.dtype as *mut PyArray_Descr;
            let in_c = |dtype| PyDataType_FLAGS(py, dtype) & ALIGNED_STRUCT;
            PY_ARRAY_API.PyArray_EquivTypes(py, own, dtype) != 0 && in_c(own) == in_c(dtype)
        }
    }

    /// Whether a dtype means numbers of this type, maybe by another number.
    ///
    /// # Safety
    /// As for [`Self::are`].
    pub(crate) unsafe fn are_numbers(&self, dtype: *mut PyArray_Descr) -> bool {
        // SAFETY: the caller's promise: the dtype is alive.
        let (own, other) = unsafe { (number_type(self.number), number_type((*dtype).fields.type_num)) };
        own.is_some() && own == other
    }
}

/// The dtype of items of a type, or of scalars.
fn dtype<'py>(cx: &dyn DataModel, py: Python<'py>, ty: Type, scalar: bool) -> PyResult<Bound<'py, PyAny>> {
    let registry = cx.registries();
    let known = registry.dtypes.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.get(&(ty, scalar)) {
        return Ok(found.bind(py).clone());
    }
    // Making it runs Python code, which may come back here.
    drop(known);
    let object = cx.type_object(py, ty)?;
    let mut made = py.import("rumba.types.typeof")?.call_method1("as_dtype", (object,))?;
    if scalar && registry.types.record(ty).is_some() {
        let numpy = py.import("numpy")?;
        made = numpy.call_method1("dtype", ((numpy.getattr("record")?, made),))?;
    }
    let mut known = registry.dtypes.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(known.entry((ty, scalar)).or_insert_with(|| made.unbind()).bind(py).clone())
}
