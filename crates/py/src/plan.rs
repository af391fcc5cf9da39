//! Precomputed plans that turn Python values into words and words into Python values.
//!
//! A compiled function has no wrapper of its own: the dispatcher follows its plan. Layout of the
//! words: [`abi::Thunk`].

use crate::long;
use pyo3::ffi;

/// How one argument becomes words. A step checks what it reads, so that a plan doubles as the test
/// whether its specialization serves a call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Unbox {
    /// An `int` in the range of `int64`: one word.
    Int64,
    /// An `int` in `2**63..2**64`: one word.
    UInt64,
    /// A `float`: one word.
    Float64,
    /// A `bool`: one word, 0 or 1.
    Bool,
    /// A `complex`: two words, real and imaginary.
    Complex128,
    /// `None`: no word.
    None,
    /// `...`: no word.
    Ellipsis,
    /// A `float` or an `int` rounded to single precision: the low half of one word.
    Float32,
    /// A `float`, `int` or `bool` as `float64`: one word.
    ToFloat64,
    /// A `complex`, `float` or `int`: two words.
    ToComplex128,
    /// A `complex`, `float` or `int` rounded to two singles: two words.
    ToComplex64,
    /// A `bool` or an `int` in the range of `int64`: one word. Narrower integers read its low bits.
    ToInt64,
    /// A `bool` or an `int` in the range of `uint64`: one word. Narrower integers read its low bits.
    ToUInt64,
    /// The content of a NumPy scalar of exactly this class.
    Scalar(ScalarClass),
    /// `None` or a value: a word that says whether there is one, and the words of the value.
    Optional(Box<Unbox>),
    /// A `tuple` of as many elements: their words.
    Tuple(Box<[Unbox]>),
    /// An instance of exactly this subclass of `tuple` (by its address): the elements' words.
    NamedTuple(usize, Box<[Unbox]>),
    /// A number of any class, Python's or NumPy's, made a Python number of the step's kind first.
    Converted(Box<Unbox>),
    /// Anything: no word (an omitted argument whose value is compiled in).
    Skip,
}

impl Unbox {
    /// Words that the step writes.
    pub fn words(&self) -> usize {
        match self {
            Unbox::None | Unbox::Ellipsis | Unbox::Skip => 0,
            Unbox::Complex128 | Unbox::ToComplex128 | Unbox::ToComplex64 => 2,
            Unbox::Scalar(scalar) => scalar.content.words(),
            Unbox::Optional(inner) => 1 + inner.words(),
            Unbox::Converted(step) => step.words(),
            Unbox::Tuple(elements) | Unbox::NamedTuple(_, elements) => {
                elements.iter().map(Unbox::words).sum()
            }
            _ => 1,
        }
    }

    /// Whether the step refuses every value of another type than it was made for. A step that
    /// converts does not: which specialization serves a value of another type is for dispatch to say.
    pub(crate) fn is_guard(&self) -> bool {
        match self {
            Unbox::Int64 | Unbox::UInt64 | Unbox::Float64 | Unbox::Bool | Unbox::Complex128 => true,
            Unbox::None | Unbox::Ellipsis | Unbox::Scalar(_) => true,
            Unbox::Tuple(elements) | Unbox::NamedTuple(_, elements) => elements.iter().all(Unbox::is_guard),
            _ => false,
        }
    }

    /// Writes the words of `object` from `out` on and says how many; `None` when the value does not
    /// fit the step (or an exception, which is then cleared, kept it from being read).
    ///
    /// # Safety
    /// The thread is attached to Python, `object` is alive, `out` has room for [`Self::words`].
    #[inline(always)]
    pub(crate) unsafe fn unbox(&self, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        unsafe {
            let kind = ffi::Py_TYPE(object);
            match self {
                Unbox::Int64 => {
                    if kind != &raw mut ffi::PyLong_Type {
                        return None;
                    }
                    *out = long::to_i64(object)? as u64;
                    Some(1)
                }
                Unbox::Float64 => {
                    if kind != &raw mut ffi::PyFloat_Type {
                        return None;
                    }
                    *out = (*object.cast::<ffi::PyFloatObject>()).ob_fval.to_bits();
                    Some(1)
                }
                _ => self.unbox_rarer(object, out),
            }
        }
    }

    unsafe fn unbox_rarer(&self, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
        unsafe {
            let kind = ffi::Py_TYPE(object);
            let is_bool = kind == &raw mut ffi::PyBool_Type;
            match self {
                Unbox::Int64 | Unbox::Float64 => return self.unbox(object, out),
                Unbox::Bool if is_bool => *out = u64::from(object == ffi::Py_True()),
                Unbox::UInt64 if kind == &raw mut ffi::PyLong_Type => {
                    *out = long::to_u64(object).filter(|&value| value > i64::MAX as u64)?;
                }
                Unbox::Complex128 if kind == &raw mut ffi::PyComplex_Type => write_complex(object, out),
                Unbox::None if object == ffi::Py_None() => {}
                Unbox::Ellipsis if object == ffi::Py_Ellipsis() => {}
                Unbox::ToInt64 if is_bool => *out = u64::from(object == ffi::Py_True()),
                Unbox::ToInt64 => return Unbox::Int64.unbox(object, out),
                Unbox::ToFloat64 => *out = to_f64(object)?.to_bits(),
                Unbox::Float32 => *out = u64::from((to_f64(object)? as f32).to_bits()),
                Unbox::ToComplex128 if kind == &raw mut ffi::PyComplex_Type => write_complex(object, out),
                Unbox::ToComplex128 => {
                    *out = to_f64(object)?.to_bits();
                    *out.add(1) = 0f64.to_bits();
                }
                Unbox::ToComplex64 => {
                    let part = |bits: u64| u64::from((f64::from_bits(bits) as f32).to_bits());
                    Unbox::ToComplex128.unbox_rarer(object, out)?;
                    *out = part(*out);
                    *out.add(1) = part(*out.add(1));
                }
                Unbox::ToUInt64 if is_bool || kind == &raw mut ffi::PyLong_Type => {
                    *out = long::to_u64(object)?;
                }
                Unbox::Scalar(scalar) if kind as usize == scalar.class => scalar.content.read(object, out),
                Unbox::Optional(inner) => return unbox_optional(inner, object, out),
                Unbox::Tuple(elements) if kind == &raw mut ffi::PyTuple_Type => {
                    return unbox_elements(elements, object, out);
                }
                Unbox::NamedTuple(class, elements) if kind as usize == *class => {
                    return unbox_elements(elements, object, out);
                }
                Unbox::Converted(step) => return unbox_converted(step, object, out),
                Unbox::Skip => {}
                _ => return None,
            }
            Some(self.words())
        }
    }
}

/// Converts as `int()`, `float()`, `complex()` or `bool()` would, so that fractions are cut off.
unsafe fn unbox_converted(step: &Unbox, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    unsafe {
        let number = match step {
            Unbox::ToInt64 | Unbox::ToUInt64 => ffi::PyNumber_Long(object),
            Unbox::ToFloat64 | Unbox::Float32 => ffi::PyNumber_Float(object),
            Unbox::Bool => ffi::PyBool_FromLong(ffi::PyObject_IsTrue(object).into()),
            _ => {
                let value = ffi::PyComplex_AsCComplex(object);
                ffi::PyComplex_FromDoubles(value.real, value.imag)
            }
        };
        if number.is_null() || !ffi::PyErr_Occurred().is_null() {
            ffi::PyErr_Clear();
            ffi::Py_XDECREF(number);
            return None;
        }
        let written = step.unbox(number, out);
        ffi::Py_DECREF(number);
        written
    }
}

unsafe fn unbox_optional(inner: &Unbox, object: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    unsafe {
        let absent = object == ffi::Py_None();
        *out = u64::from(!absent);
        if absent {
            out.add(1).write_bytes(0, inner.words());
            Some(1 + inner.words())
        } else {
            Some(1 + inner.unbox(object, out.add(1))?)
        }
    }
}

unsafe fn unbox_elements(elements: &[Unbox], tuple: *mut ffi::PyObject, out: *mut u64) -> Option<usize> {
    unsafe {
        if ffi::PyTuple_GET_SIZE(tuple) as usize != elements.len() {
            return None;
        }
        let mut written = 0;
        for (index, element) in elements.iter().enumerate() {
            let item = ffi::PyTuple_GET_ITEM(tuple, index as ffi::Py_ssize_t);
            written += element.unbox(item, out.add(written))?;
        }
        Some(written)
    }
}

/// What a NumPy scalar of a class holds behind its object header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScalarClass {
    /// Address of the class.
    pub class: usize,
    /// Layout of the value.
    pub content: ScalarContent,
}

/// The value of a NumPy scalar in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum ScalarContent {
    Bool,
    Int8,
    Int16,
    Int32,
    Int64,
    UInt8,
    UInt16,
    UInt32,
    UInt64,
    Float32,
    Float64,
    Complex64,
    Complex128,
}

impl ScalarContent {
    fn words(self) -> usize {
        if matches!(self, ScalarContent::Complex64 | ScalarContent::Complex128) { 2 } else { 1 }
    }

    /// Copies the value, which NumPy keeps right behind the object header, into words.
    unsafe fn read(self, object: *mut ffi::PyObject, out: *mut u64) {
        unsafe {
            let value = object.add(1);
            *out = match self {
                ScalarContent::Bool => u64::from(*value.cast::<u8>() != 0),
                ScalarContent::Int8 => i64::from(*value.cast::<i8>()) as u64,
                ScalarContent::Int16 => i64::from(*value.cast::<i16>()) as u64,
                ScalarContent::Int32 => i64::from(*value.cast::<i32>()) as u64,
                ScalarContent::UInt8 => u64::from(*value.cast::<u8>()),
                ScalarContent::UInt16 => u64::from(*value.cast::<u16>()),
                ScalarContent::UInt32 | ScalarContent::Float32 => u64::from(*value.cast::<u32>()),
                ScalarContent::Int64 | ScalarContent::UInt64 | ScalarContent::Float64 => *value.cast::<u64>(),
                ScalarContent::Complex64 => {
                    *out.add(1) = u64::from(*value.cast::<u32>().add(1));
                    u64::from(*value.cast::<u32>())
                }
                ScalarContent::Complex128 => {
                    *out.add(1) = *value.cast::<u64>().add(1);
                    *value.cast::<u64>()
                }
            };
        }
    }
}

unsafe fn write_complex(object: *mut ffi::PyObject, out: *mut u64) {
    unsafe {
        let value = (*object.cast::<ffi::PyComplexObject>()).cval;
        *out = value.real.to_bits();
        *out.add(1) = value.imag.to_bits();
    }
}

/// The value of a `float`, `int` or `bool`.
unsafe fn to_f64(object: *mut ffi::PyObject) -> Option<f64> {
    unsafe {
        let kind = ffi::Py_TYPE(object);
        if kind == &raw mut ffi::PyFloat_Type {
            return Some((*object.cast::<ffi::PyFloatObject>()).ob_fval);
        }
        if kind != &raw mut ffi::PyLong_Type && kind != &raw mut ffi::PyBool_Type {
            return None;
        }
        let value = ffi::PyLong_AsDouble(object);
        if value == -1.0 && !ffi::PyErr_Occurred().is_null() {
            ffi::PyErr_Clear();
            return None;
        }
        Some(value)
    }
}

/// How words become the result.
#[derive(Clone, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Boxing {
    /// `None`: no word.
    None,
    /// `...`: no word.
    Ellipsis,
    /// `int` from one word, signed.
    Int64,
    /// `int` from so many low bits of one word, signed: the code does not know signs.
    NarrowInt(u8),
    /// `int` from one word, unsigned.
    UInt64,
    /// `float` from one word.
    Float64,
    /// `float` from the low half of one word.
    Float32,
    /// `bool` from one word, zero or not.
    Bool,
    /// `complex` from two words.
    Complex128,
    /// `complex` from the low halves of two words.
    Complex64,
    /// `tuple` from the words of its elements, one after the other.
    Tuple(Box<[Boxing]>),
    /// An instance of this subclass of `tuple` (by its address, which the compiler keeps alive).
    NamedTuple(usize, Box<[Boxing]>),
    /// `None` if the first word is 0, else the value of the others.
    Optional(Box<Boxing>),
    /// The compiled function that this weak reference (by its address, which the compiler keeps
    /// alive) leads to: no word.
    Function(usize),
    /// A compiled function made of what stands for the code of an inner function (by its address,
    /// which the compiler keeps alive), of the variables that it takes along, of its
    /// defaults, and of the numbers of the parameters that have them.
    Closure(usize, Box<[Boxing]>, Box<[Boxing]>, Box<[Boxing]>),
    /// This small `int`: no word.
    Constant(u32),
    /// One of several functions: a word says which, then come the words of all.
    Choice(Box<[Boxing]>),
}

impl Boxing {
    /// Words that the result takes.
    pub fn words(&self) -> usize {
        match self {
            Boxing::None | Boxing::Ellipsis | Boxing::Function(_) | Boxing::Constant(_) => 0,
            Boxing::Complex128 | Boxing::Complex64 => 2,
            Boxing::Tuple(elements) | Boxing::NamedTuple(_, elements) => {
                elements.iter().map(Boxing::words).sum()
            }
            Boxing::Optional(inner) => 1 + inner.words(),
            Boxing::Closure(_, captured, defaults, _) => {
                captured.iter().chain(defaults.iter()).map(Boxing::words).sum()
            }
            Boxing::Choice(members) => 1 + members.iter().map(Boxing::words).sum::<usize>(),
            _ => 1,
        }
    }

    /// A new reference, or null with an exception set.
    ///
    /// # Safety
    /// The thread is attached to Python; `words` has what [`Self::words`] says.
    #[inline(always)]
    pub(crate) unsafe fn make(&self, words: *const u64) -> *mut ffi::PyObject {
        unsafe {
            match self {
                Boxing::Int64 => ffi::PyLong_FromLongLong(*words as i64),
                Boxing::Float64 => ffi::PyFloat_FromDouble(f64::from_bits(*words)),
                _ => self.make_rarer(words),
            }
        }
    }

    unsafe fn make_rarer(&self, words: *const u64) -> *mut ffi::PyObject {
        unsafe {
            match self {
                Boxing::Int64 | Boxing::Float64 => self.make(words),
                Boxing::None => new_reference(ffi::Py_None()),
                Boxing::Ellipsis => new_reference(ffi::Py_Ellipsis()),
                Boxing::NarrowInt(bits) => {
                    let unused = 64 - u32::from(*bits);
                    ffi::PyLong_FromLongLong(((*words << unused) as i64) >> unused)
                }
                Boxing::UInt64 => ffi::PyLong_FromUnsignedLongLong(*words),
                Boxing::Float32 => ffi::PyFloat_FromDouble(f64::from(f32::from_bits(*words as u32))),
                Boxing::Bool => new_reference(if *words & 1 != 0 { ffi::Py_True() } else { ffi::Py_False() }),
                Boxing::Complex128 => {
                    ffi::PyComplex_FromDoubles(f64::from_bits(*words), f64::from_bits(*words.add(1)))
                }
                Boxing::Complex64 => {
                    let part = |word: u64| f64::from(f32::from_bits(word as u32));
                    ffi::PyComplex_FromDoubles(part(*words), part(*words.add(1)))
                }
                Boxing::Tuple(elements) => make_tuple(elements, words),
                Boxing::NamedTuple(class, elements) => make_named_tuple(*class, elements, words),
                Boxing::Optional(_) if *words & 1 == 0 => new_reference(ffi::Py_None()),
                Boxing::Optional(inner) => inner.make(words.add(1)),
                Boxing::Function(reference) => make_function(*reference),
                Boxing::Constant(number) => ffi::PyLong_FromLong((*number).into()),
                Boxing::Choice(members) => {
                    let before = &members[..*words as usize];
                    let skipped: usize = before.iter().map(Boxing::words).sum();
                    members[before.len()].make(words.add(1 + skipped))
                }
                Boxing::Closure(template, captured, defaults, optional) => {
                    make_closure(*template, captured, defaults, optional, words)
                }
            }
        }
    }
}

/// What a weak reference to a function leads to.
unsafe fn make_function(reference: usize) -> *mut ffi::PyObject {
    unsafe {
        let function = ffi::PyObject_CallNoArgs(reference as *mut ffi::PyObject);
        if function == ffi::Py_None() {
            ffi::Py_DECREF(function);
            let message = c"the compiled function that is returned is gone: nothing refers to it any more";
            ffi::PyErr_SetString(ffi::PyExc_ReferenceError, message.as_ptr());
            return std::ptr::null_mut();
        }
        function
    }
}

/// Calls `rumba.closures.make(template, captured, defaults, numbers of the parameters with defaults)`.
unsafe fn make_closure(
    template: usize,
    captured: &[Boxing],
    defaults: &[Boxing],
    optional: &[Boxing],
    words: *const u64,
) -> *mut ffi::PyObject {
    unsafe {
        let captured_words: usize = captured.iter().map(Boxing::words).sum();
        let captured = make_tuple(captured, words);
        let defaults = make_tuple(defaults, words.add(captured_words));
        let optional = make_tuple(optional, words);
        let module = ffi::PyImport_ImportModule(c"rumba.closures".as_ptr());
        let mut made = std::ptr::null_mut();
        if !captured.is_null() && !defaults.is_null() && !optional.is_null() && !module.is_null() {
            let make = ffi::PyObject_GetAttrString(module, c"make".as_ptr());
            if !make.is_null() {
                let template = template as *mut ffi::PyObject;
                let end = std::ptr::null_mut::<ffi::PyObject>();
                made = ffi::PyObject_CallFunctionObjArgs(make, template, captured, defaults, optional, end);
                ffi::Py_DECREF(make);
            }
        }
        ffi::Py_XDECREF(module);
        ffi::Py_XDECREF(captured);
        ffi::Py_XDECREF(defaults);
        ffi::Py_XDECREF(optional);
        made
    }
}

/// Calls `class._make(elements)`, so that a subclass with a `__new__` of its own is respected.
unsafe fn make_named_tuple(class: usize, elements: &[Boxing], words: *const u64) -> *mut ffi::PyObject {
    unsafe {
        let tuple = make_tuple(elements, words);
        if tuple.is_null() {
            return tuple;
        }
        let make = ffi::PyObject_GetAttrString(class as *mut ffi::PyObject, c"_make".as_ptr());
        let value = if make.is_null() { make } else { ffi::PyObject_CallOneArg(make, tuple) };
        ffi::Py_XDECREF(make);
        ffi::Py_DECREF(tuple);
        value
    }
}

unsafe fn new_reference(object: *mut ffi::PyObject) -> *mut ffi::PyObject {
    unsafe { ffi::Py_INCREF(object) };
    object
}

unsafe fn make_tuple(elements: &[Boxing], mut words: *const u64) -> *mut ffi::PyObject {
    unsafe {
        let tuple = ffi::PyTuple_New(elements.len() as ffi::Py_ssize_t);
        if tuple.is_null() {
            return tuple;
        }
        for (index, element) in elements.iter().enumerate() {
            let value = element.make(words);
            if value.is_null() {
                ffi::Py_DECREF(tuple);
                return value;
            }
            ffi::PyTuple_SET_ITEM(tuple, index as ffi::Py_ssize_t, value);
            words = words.add(element.words());
        }
        tuple
    }
}
