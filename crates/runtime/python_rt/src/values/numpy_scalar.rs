//! Boxing and unboxing of NumPy scalars that are not numbers: records, datetimes and timedeltas, fixed-width strings.
//!
//! A record that is an argument is borrowed as arrays are, so that what is written to it is seen by the caller; one
//! that is returned is a copy, as Numba makes it.

use crate::data_model::DataModel;
use crate::object_registry::ObjectRegistry;
use crate::plan::keepalive;
use crate::values::dtypes::{self, Items};
use numpy::npyffi::{self, NpyTypes, PY_ARRAY_API, PyArray_Descr, PyArrayObject};
use pyo3::ffi;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyType;
use types::{Type, TypeData, TypeTable};

/// The flag of memory that is written.
const WRITEABLE: i32 = 0x400;

/// `numpy.void`.
#[repr(C)]
struct VoidScalar {
    head: ffi::PyVarObject,
    data: *mut u8,
    dtype: *mut PyArray_Descr,
    flags: i32,
    base: *mut ffi::PyObject,
}

/// `numpy.datetime64` and `numpy.timedelta64`.
#[repr(C)]
struct TimeScalar {
    head: ffi::PyObject,
    value: i64,
    unit: i32,
    multiple: i32,
}

/// Which scalar a class of NumPy is for.
fn scalar_class(class: &Bound<'_, PyType>) -> Option<&'static str> {
    let of_numpy = |class: &Bound<'_, PyType>| {
        let module = class.module().ok()?;
        let name = class.name().ok()?;
        let found = ["void", "datetime64", "timedelta64", "bytes_", "str_"];
        let found = found.into_iter().find(|known| name == *known);
        found.filter(|_| module == "numpy")
    };
    let mro = class.mro();
    mro.iter().find_map(|class| of_numpy(&class.cast_into::<PyType>().ok()?))
}

/// Whether a value is a scalar of NumPy that is no number.
pub fn is_item(value: &Bound<'_, PyAny>) -> bool {
    scalar_class(&value.get_type()).is_some()
}

/// The type of a scalar of NumPy that is no number; nothing for what is none.
pub fn type_of(known: &ObjectRegistry, value: &Bound<'_, PyAny>) -> PyResult<Option<Type>> {
    let Some(kind) = scalar_class(&value.get_type()) else { return Ok(None) };
    let types = &known.types;
    let found = dtypes::item_type(types, &value.getattr(intern!(value.py(), "dtype"))?)?;
    if kind != "void" {
        return Ok(Some(found));
    }
    // SAFETY: the class says what the object is.
    let flags = unsafe { (*value.as_ptr().cast::<VoidScalar>()).flags };
    Ok(Some(types.seen_in(found, flags & WRITEABLE != 0)))
}

/// Address of the memory of a record.
pub fn address_of(value: &Bound<'_, PyAny>) -> Option<usize> {
    let is_record = scalar_class(&value.get_type()) == Some("void");
    // SAFETY: the class says what the object is.
    is_record.then(|| unsafe { (*value.as_ptr().cast::<VoidScalar>()).data as usize })
}

/// The number of a datetime or timedelta.
pub fn count_of(value: &Bound<'_, PyAny>) -> Option<i64> {
    let is_time = matches!(scalar_class(&value.get_type()), Some("datetime64" | "timedelta64"));
    // SAFETY: the class says what the object is.
    is_time.then(|| unsafe { (*value.as_ptr().cast::<TimeScalar>()).value })
}

/// How such a scalar becomes words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemStep {
    /// A record of this class with these items: its owner and its address.
    Record(usize, Items, i32),
    /// A datetime or timedelta of this class, in this unit.
    Time(usize, i32),
    /// Text of this class, of this many characters: NumPy's or Python's, bytes or, if `wide` is set, Unicode.
    Text {
        /// Address of the class.
        class: usize,
        /// How many characters are taken; text that is longer is cut off, what is missing is zero.
        count: u32,
        /// Whether the value itself must have this length.
        exact: bool,
        /// Whether characters take four bytes.
        wide: bool,
    },
}

impl ItemStep {
    /// The step for values like `value`, which is one of type `from`, as a parameter of type `to`.
    pub fn new(cx: &dyn DataModel, value: &Bound<'_, PyAny>, from: Type, to: Type) -> Option<ItemStep> {
        let types = &cx.registries().types;
        let class = value.get_type().as_ptr() as usize;
        if let TypeData::CharSeq { count, wide } = types.get(to)
            && from != to
            && is_text(types, from, wide)
        {
            return Some(ItemStep::Text { class, count, exact: false, wide });
        }
        types::convert(types, from, to)?;
        Some(match types.get(from) {
            TypeData::Record(record) => {
                let items = Items::of_type(cx, types.seen_in(from, true))?;
                ItemStep::Record(class, items, if record.mutable { WRITEABLE } else { 0 })
            }
            TypeData::Datetime { unit, .. } if from == to => {
                // NumPy leaves a number out.
                let unit = unit as i32 + i32::from(unit as i32 >= 3);
                ItemStep::Time(class, unit)
            }
            TypeData::CharSeq { count, wide } if from == to => {
                ItemStep::Text { class, count, exact: true, wide }
            }
            _ => return None,
        })
    }

    /// Whether the step refuses every value of another type than it was made for.
    pub fn is_guard(&self) -> bool {
        !matches!(self, ItemStep::Text { exact: false, .. })
    }

    /// Words that the step writes.
    pub fn words(&self) -> usize {
        match *self {
            ItemStep::Record(..) => 2,
            ItemStep::Time(..) => 1,
            ItemStep::Text { count, wide, .. } => text_words(count, wide),
        }
    }

    /// Writes the words; nothing if the object is no such scalar.
    ///
    /// # Safety
    /// The thread is attached to Python, `object` is alive, `out` has room for [`Self::words`].
    pub unsafe fn unbox(&self, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        // SAFETY: the caller's promise; the class says which fields the object has.
        unsafe {
            let is = |class: usize| ffi::Py_TYPE(object) as usize == class;
            match *self {
                ItemStep::Record(class, items, writeable) if is(class) => {
                    let scalar = &*object.cast::<VoidScalar>();
                    if scalar.flags & WRITEABLE != writeable || !items.are(scalar.dtype) {
                        return None;
                    }
                    *out = object as u64 | 1;
                    *out.add(1) = scalar.data as u64;
                }
                ItemStep::Time(class, unit) if is(class) => {
                    let scalar = &*object.cast::<TimeScalar>();
                    if scalar.unit != unit || scalar.multiple != 1 {
                        return None;
                    }
                    *out = scalar.value.cast_unsigned();
                }
                ItemStep::Text { class, count, exact, wide } if is(class) => {
                    out.write_bytes(0, self.words());
                    let length = if wide {
                        write_unicode(object, count, out)
                    } else if ffi::PyUnicode_Check(object) != 0 {
                        write_ascii(object, count, out)?
                    } else {
                        write_bytes(object, count, out)
                    };
                    if exact && length != count as usize {
                        return None;
                    }
                }
                _ => return None,
            }
            Some(self.words())
        }
    }
}

fn text_words(count: u32, wide: bool) -> usize {
    (count as usize * if wide { 4 } else { 1 }).div_ceil(8)
}

/// Copies the first bytes of `bytes`; how many it has.
unsafe fn write_bytes(object: *mut ffi::PyObject, count: u32, out: *mut u64) -> usize {
    // SAFETY: the caller passes `bytes` and room for `count` bytes.
    unsafe {
        let length = ffi::PyBytes_Size(object) as usize;
        let first = ffi::PyBytes_AsString(object).cast::<u8>();
        out.cast::<u8>().copy_from(first, length.min(count as usize));
        length
    }
}

/// Copies the first characters of `str`; how many it has.
unsafe fn write_unicode(object: *mut ffi::PyObject, count: u32, out: *mut u64) -> usize {
    // SAFETY: the caller passes a `str` and room for `count` characters.
    unsafe {
        let length = ffi::PyUnicode_GetLength(object) as usize;
        for at in 0..length.min(count as usize) {
            *out.cast::<u32>().add(at) = ffi::PyUnicode_ReadChar(object, at as ffi::Py_ssize_t);
        }
        length
    }
}

/// Copies the first characters of `str` as bytes; how many it has, or nothing if one of them is not ASCII.
unsafe fn write_ascii(object: *mut ffi::PyObject, count: u32, out: *mut u64) -> Option<usize> {
    // SAFETY: the caller passes a `str` and room for `count` bytes.
    unsafe {
        let length = ffi::PyUnicode_GetLength(object) as usize;
        for at in 0..length {
            let character = ffi::PyUnicode_ReadChar(object, at as ffi::Py_ssize_t);
            let byte = u8::try_from(character).ok().filter(u8::is_ascii)?;
            if at < count as usize {
                *out.cast::<u8>().add(at) = byte;
            }
        }
        Some(length)
    }
}

/// Whether values of a type are text that a string of fixed width, wide or of bytes, can be made from, as NumPy makes it.
pub fn is_text(types: &TypeTable, ty: Type, wide: bool) -> bool {
    ty == Type::STR || matches!(types.get(ty), TypeData::CharSeq { wide: given, .. } if given == wide)
}

/// How words become such a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ItemBoxing {
    /// A record with these items, copied.
    Record(Items),
    /// A datetime or timedelta.
    Time(Items),
    /// `bytes` or `str` from a number of characters, without trailing nulls.
    Text(u32, bool),
}

impl ItemBoxing {
    /// How values of this type are made.
    pub fn new(cx: &dyn DataModel, ty: Type) -> Option<ItemBoxing> {
        let types = &cx.registries().types;
        Some(match types.get(ty) {
            TypeData::Record(_) => ItemBoxing::Record(Items::of_scalar(cx, types.seen_in(ty, true))?),
            TypeData::Datetime { .. } => ItemBoxing::Time(Items::of_type(cx, ty)?),
            TypeData::CharSeq { count, wide } => ItemBoxing::Text(count, wide),
            _ => return None,
        })
    }

    /// Words of a value.
    pub fn words(&self) -> usize {
        match *self {
            ItemBoxing::Record(_) => 2,
            ItemBoxing::Time(_) => 1,
            ItemBoxing::Text(count, wide) => text_words(count, wide),
        }
    }

    /// A new reference, or null with an exception set. What the words hold is taken over in any case.
    ///
    /// # Safety
    /// The thread is attached to Python; `words` has what [`Self::words`] says.
    pub unsafe fn make(&self, words: *const u64) -> *mut ffi::PyObject {
        // SAFETY: the caller's promise; the first word of a record is its owner, the second the address of
        // its bytes.
        unsafe {
            match *self {
                ItemBoxing::Record(items) => {
                    let made = record(items, *words.add(1) as *const u8);
                    self.discard(words);
                    made
                }
                ItemBoxing::Time(items) => scalar(items, words.cast()),
                ItemBoxing::Text(count, false) => {
                    let text = std::slice::from_raw_parts(words.cast::<u8>(), count as usize);
                    let length = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                    ffi::PyBytes_FromStringAndSize(text.as_ptr().cast(), length as ffi::Py_ssize_t)
                }
                ItemBoxing::Text(count, true) => {
                    let text = std::slice::from_raw_parts(words.cast::<u32>(), count as usize);
                    let length = text.iter().rposition(|&c| c != 0).map_or(0, |last| last + 1);
                    const FOUR_BYTES_EACH: i32 = 4;
                    let first = text.as_ptr().cast();
                    ffi::PyUnicode_FromKindAndData(FOUR_BYTES_EACH, first, length as ffi::Py_ssize_t)
                }
            }
        }
    }

    /// Whether an object is the record that was borrowed.
    ///
    /// # Safety
    /// As for [`Self::make`]; the object is alive.
    pub(crate) unsafe fn shows(&self, object: *mut ffi::PyObject, words: *const u64) -> bool {
        // SAFETY: the caller's promise.
        unsafe {
            let value = Bound::from_borrowed_ptr(Python::assume_attached(), object);
            match *self {
                ItemBoxing::Record(_) => {
                    keepalive::kept_object(*words) == Some(object)
                        && address_of(&value) == Some(*words.add(1) as usize)
                }
                _ => false,
            }
        }
    }

    /// Gives up what the words of a value hold that is not made.
    ///
    /// # Safety
    /// As for [`Self::make`].
    pub(crate) unsafe fn discard(&self, words: *const u64) {
        if let ItemBoxing::Record(_) = self {
            // SAFETY: the caller's promise; the first word is the owner, whose count is released.
            rt::decref(unsafe { *words });
        }
    }
}

/// A record with a copy of the memory. It is in an array of its own: NumPy writes fields of no other.
unsafe fn record(items: Items, data: *const u8) -> *mut ffi::PyObject {
    // SAFETY: the caller is attached and passes as many bytes as the dtype has.
    unsafe {
        let py = Python::assume_attached();
        let (dtype, class) = (items.dtype(py), npyffi::get_type_object(py, NpyTypes::PyArray_Type));
        ffi::Py_INCREF(dtype.cast());
        let (nothing, none) = (std::ptr::null_mut(), std::ptr::null_mut());
        let room = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            class,
            dtype,
            0,
            nothing,
            nothing,
            std::ptr::null_mut(),
            0,
            none,
        );
        let mut made = room;
        if !room.is_null() {
            let target = (*room.cast::<PyArrayObject>()).fields.data.cast::<u8>();
            target.copy_from(data, npyffi::PyDataType_ELSIZE(py, dtype) as usize);
            made = PY_ARRAY_API.PyArray_Scalar(py, target.cast(), dtype, room);
            ffi::Py_DECREF(room);
        }
        ffi::Py_DECREF(dtype.cast());
        made
    }
}

/// A scalar of NumPy with a copy of the memory.
unsafe fn scalar(items: Items, data: *const u8) -> *mut ffi::PyObject {
    // SAFETY: the caller is attached and passes as many bytes as the dtype has.
    unsafe {
        let py = Python::assume_attached();
        let dtype = items.dtype(py);
        let made = PY_ARRAY_API.PyArray_Scalar(py, data.cast_mut().cast(), dtype, std::ptr::null_mut());
        ffi::Py_DECREF(dtype.cast());
        made
    }
}
