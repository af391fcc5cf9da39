//! Operations on Python objects for compiled code, which holds an object by its owner word.
//!
//! Absent: which operations these are (`catalog::object_ops`), values as objects and back (`object_values`).

use crate::callbacks::object_values::name_object;
use crate::plan::keepalive::{object_of, own_object};
use crate::python_state::attached;
use crate::values::int_object;
use abi::objects::{Display, Operator, Test};
use pyo3::ffi::{self, PyObject};
use smallvec::SmallVec;
use std::cmp::Ordering;
use std::ptr::null_mut;

const DONE: u64 = 0;

/// An iterator has ended.
const ENDED: u64 = 1;

/// The exception is set in Python.
const RAISED: u64 = 2;

/// # Safety
/// The words are of objects that live, here and below.
pub(super) unsafe extern "C" fn operator(operator: u64, left: u64, right: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || match Operator::from_index(operator) {
            Some(operator) => {
                let (a, b) = (object_of(left), object_of(right));
                own_object(of_numbers(operator, a, b).unwrap_or_else(|| apply(operator, a, b)))
            }
            None => damaged(0),
        })
    }
}

/// Sets the exception for what no compiler of ours emits.
unsafe fn damaged<T>(failure: T) -> T {
    // SAFETY: the thread is attached.
    unsafe { ffi::PyErr_SetString(ffi::PyExc_SystemError, c"a damaged operation on an object".as_ptr()) };
    failure
}

/// The same of two floats, or of two integers that are not large: most numbers are.
#[inline]
unsafe fn of_numbers(operator: Operator, a: *mut PyObject, b: *mut PyObject) -> Option<*mut PyObject> {
    if b.is_null() {
        return None;
    }
    // SAFETY: the objects live, and what they are is asked first.
    unsafe {
        if ffi::PyFloat_CheckExact(a) != 0 && ffi::PyFloat_CheckExact(b) != 0 {
            let (x, y) = (ffi::PyFloat_AS_DOUBLE(a), ffi::PyFloat_AS_DOUBLE(b));
            let value = match operator {
                Operator::Add | Operator::InplaceAdd => x + y,
                Operator::Sub | Operator::InplaceSub => x - y,
                Operator::Mul | Operator::InplaceMul => x * y,
                Operator::TrueDiv | Operator::InplaceTrueDiv if y != 0.0 => x / y,
                _ => return compared(operator, x.partial_cmp(&y)),
            };
            return Some(ffi::PyFloat_FromDouble(value));
        }
        if ffi::PyLong_CheckExact(a) == 0 || ffi::PyLong_CheckExact(b) == 0 {
            return None;
        }
        let (x, y) = (int_object::to_i64(a)?, int_object::to_i64(b)?);
        let value = match operator {
            Operator::Add | Operator::InplaceAdd => x.checked_add(y)?,
            Operator::Sub | Operator::InplaceSub => x.checked_sub(y)?,
            Operator::Mul | Operator::InplaceMul => x.checked_mul(y)?,
            Operator::And | Operator::InplaceAnd => x & y,
            Operator::Or | Operator::InplaceOr => x | y,
            Operator::Xor | Operator::InplaceXor => x ^ y,
            _ => return compared(operator, Some(x.cmp(&y))),
        };
        Some(ffi::PyLong_FromLongLong(value))
    }
}

/// The outcome of a comparison of numbers, which have no order if one is a NaN.
unsafe fn compared(operator: Operator, order: Option<Ordering>) -> Option<*mut PyObject> {
    let truth = match operator {
        Operator::Lt => order == Some(Ordering::Less),
        Operator::Le => matches!(order, Some(Ordering::Less | Ordering::Equal)),
        Operator::Eq => order == Some(Ordering::Equal),
        Operator::Ne => order != Some(Ordering::Equal),
        Operator::Gt => order == Some(Ordering::Greater),
        Operator::Ge => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
        _ => return None,
    };
    // SAFETY: the thread is attached.
    unsafe {
        let object = if truth { ffi::Py_True() } else { ffi::Py_False() };
        ffi::Py_INCREF(object);
        Some(object)
    }
}

unsafe fn apply(operator: Operator, a: *mut PyObject, b: *mut PyObject) -> *mut PyObject {
    // SAFETY: the objects live; the second is null where there is one.
    unsafe {
        match operator {
            Operator::Add => ffi::PyNumber_Add(a, b),
            Operator::Sub => ffi::PyNumber_Subtract(a, b),
            Operator::Mul => ffi::PyNumber_Multiply(a, b),
            Operator::TrueDiv => ffi::PyNumber_TrueDivide(a, b),
            Operator::FloorDiv => ffi::PyNumber_FloorDivide(a, b),
            Operator::Mod => ffi::PyNumber_Remainder(a, b),
            Operator::Pow => ffi::PyNumber_Power(a, b, ffi::Py_None()),
            Operator::Shl => ffi::PyNumber_Lshift(a, b),
            Operator::Shr => ffi::PyNumber_Rshift(a, b),
            Operator::And => ffi::PyNumber_And(a, b),
            Operator::Or => ffi::PyNumber_Or(a, b),
            Operator::Xor => ffi::PyNumber_Xor(a, b),
            Operator::MatMul => ffi::PyNumber_MatrixMultiply(a, b),
            Operator::InplaceAdd => ffi::PyNumber_InPlaceAdd(a, b),
            Operator::InplaceSub => ffi::PyNumber_InPlaceSubtract(a, b),
            Operator::InplaceMul => ffi::PyNumber_InPlaceMultiply(a, b),
            Operator::InplaceTrueDiv => ffi::PyNumber_InPlaceTrueDivide(a, b),
            Operator::InplaceFloorDiv => ffi::PyNumber_InPlaceFloorDivide(a, b),
            Operator::InplaceMod => ffi::PyNumber_InPlaceRemainder(a, b),
            Operator::InplacePow => ffi::PyNumber_InPlacePower(a, b, ffi::Py_None()),
            Operator::InplaceShl => ffi::PyNumber_InPlaceLshift(a, b),
            Operator::InplaceShr => ffi::PyNumber_InPlaceRshift(a, b),
            Operator::InplaceAnd => ffi::PyNumber_InPlaceAnd(a, b),
            Operator::InplaceOr => ffi::PyNumber_InPlaceOr(a, b),
            Operator::InplaceXor => ffi::PyNumber_InPlaceXor(a, b),
            Operator::InplaceMatMul => ffi::PyNumber_InPlaceMatrixMultiply(a, b),
            Operator::Neg => ffi::PyNumber_Negative(a),
            Operator::Pos => ffi::PyNumber_Positive(a),
            Operator::Invert => ffi::PyNumber_Invert(a),
            Operator::Lt => ffi::PyObject_RichCompare(a, b, ffi::Py_LT),
            Operator::Le => ffi::PyObject_RichCompare(a, b, ffi::Py_LE),
            Operator::Eq => ffi::PyObject_RichCompare(a, b, ffi::Py_EQ),
            Operator::Ne => ffi::PyObject_RichCompare(a, b, ffi::Py_NE),
            Operator::Gt => ffi::PyObject_RichCompare(a, b, ffi::Py_GT),
            Operator::Ge => ffi::PyObject_RichCompare(a, b, ffi::Py_GE),
            Operator::Getitem => ffi::PyObject_GetItem(a, b),
            Operator::Iter => ffi::PyObject_GetIter(a),
            Operator::Format => ffi::PyObject_Format(a, b),
            Operator::Str => ffi::PyObject_Str(a),
            Operator::Repr => ffi::PyObject_Repr(a),
            Operator::Ascii => ffi::PyObject_ASCII(a),
        }
    }
}

/// # Safety
/// As for [`operator`].
pub(super) unsafe extern "C" fn test(test: u64, left: u64, right: u64) -> i64 {
    let negated = |truth: i64| if truth < 0 { truth } else { 1 - truth };
    // SAFETY: the caller's promise.
    unsafe {
        attached(-1, || {
            let (a, b) = (object_of(left), object_of(right));
            match Test::from_index(test) {
                Some(Test::Truth) if a == ffi::Py_True() => 1,
                Some(Test::Truth) => ffi::PyObject_IsTrue(a).into(),
                Some(Test::Not) => ffi::PyObject_Not(a).into(),
                Some(Test::Is) => i64::from(a == b),
                Some(Test::IsNot) => i64::from(a != b),
                Some(Test::In) => ffi::PySequence_Contains(b, a).into(),
                Some(Test::NotIn) => negated(ffi::PySequence_Contains(b, a).into()),
                Some(Test::Extended) => extend(a, b),
                Some(Test::Updated) => update(a, b),
                None => damaged(-1),
            }
        })
    }
}

/// Puts the items of an iterable into a list, as `[*iterable]` does.
unsafe fn extend(list: *mut PyObject, iterable: *mut PyObject) -> i64 {
    // SAFETY: the objects live, the thread is attached.
    unsafe {
        if (*ffi::Py_TYPE(iterable)).tp_iter.is_none() && ffi::PySequence_Check(iterable) == 0 {
            let format = c"Value after * must be an iterable, not %.200s".as_ptr();
            ffi::PyErr_Format(ffi::PyExc_TypeError, format, (*ffi::Py_TYPE(iterable)).tp_name);
            return -1;
        }
        let end = ffi::PyList_GET_SIZE(list);
        match ffi::PyList_SetSlice(list, end, end, iterable) {
            0 => 1,
            _ => -1,
        }
    }
}

/// Puts the items of a mapping into a dict, as `{**mapping}` does.
unsafe fn update(dict: *mut PyObject, mapping: *mut PyObject) -> i64 {
    // SAFETY: the objects live, the thread is attached.
    unsafe {
        if ffi::PyDict_Update(dict, mapping) == 0 {
            return 1;
        }
        if ffi::PyErr_ExceptionMatches(ffi::PyExc_AttributeError) != 0 {
            let format = c"'%.200s' object is not a mapping".as_ptr();
            ffi::PyErr_Format(ffi::PyExc_TypeError, format, (*ffi::Py_TYPE(mapping)).tp_name);
        }
        -1
    }
}

/// # Safety
/// As for [`operator`]; the text is in UTF-8.
pub(super) unsafe extern "C" fn getattr(object: u64, name: *const u8, length: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || {
            let name = name_object(name, length);
            if name.is_null() {
                return 0;
            }
            own_object(ffi::PyObject_GetAttr(object_of(object), name))
        })
    }
}

/// # Safety
/// As for [`getattr`].
pub(super) unsafe extern "C" fn setattr(object: u64, name: *const u8, length: u64, value: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(RAISED, || {
            let name = name_object(name, length);
            if name.is_null() {
                return RAISED;
            }
            outcome(ffi::PyObject_SetAttr(object_of(object), name, object_of(value)))
        })
    }
}

fn outcome(done: i32) -> u64 {
    if done < 0 { RAISED } else { DONE }
}

/// # Safety
/// As for [`operator`].
pub(super) unsafe extern "C" fn setitem(object: u64, key: u64, value: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(RAISED, || {
            let (object, key) = (object_of(object), object_of(key));
            outcome(match value {
                0 => ffi::PyObject_DelItem(object, key),
                _ => ffi::PyObject_SetItem(object, key, object_of(value)),
            })
        })
    }
}

/// # Safety
/// As for [`operator`]; there is room for a word.
pub(super) unsafe extern "C" fn next(iterator: u64, out: *mut u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(RAISED, || {
            let iterator = object_of(iterator);
            let Some(advance) = (*ffi::Py_TYPE(iterator)).tp_iternext else { return damaged(RAISED) };
            let item = advance(iterator);
            if !item.is_null() {
                *out = own_object(item);
                return if *out == 0 { RAISED } else { DONE };
            }
            if ffi::PyErr_Occurred().is_null() {
                return ENDED;
            }
            if ffi::PyErr_ExceptionMatches(ffi::PyExc_StopIteration) == 0 {
                return RAISED;
            }
            ffi::PyErr_Clear();
            ENDED
        })
    }
}

/// The objects of so many words, borrowed.
unsafe fn objects_of(words: *const u64, count: u64) -> SmallVec<[*mut PyObject; 8]> {
    // SAFETY: the caller says that there are as many.
    unsafe { (0..count as usize).map(|at| object_of(*words.add(at))).collect() }
}

/// # Safety
/// As for [`operator`]; there are as many words, and the names are in UTF-8.
pub(super) unsafe extern "C" fn call(
    callee: u64,
    words: *const u64,
    count: u64,
    names: *const u8,
    length: u64,
) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || {
            let args = objects_of(words, count);
            let text = std::slice::from_raw_parts(names, length as usize);
            let named = if length == 0 { 0 } else { 1 + text.iter().filter(|&&byte| byte == b',').count() };
            let keywords = if named == 0 { null_mut() } else { keyword_names(text, named) };
            if named > 0 && keywords.is_null() {
                return 0;
            }
            let result =
                ffi::PyObject_Vectorcall(object_of(callee), args.as_ptr(), args.len() - named, keywords);
            ffi::Py_XDECREF(keywords);
            own_object(result)
        })
    }
}

/// The tuple of names that a call passes with its arguments.
unsafe fn keyword_names(text: &[u8], count: usize) -> *mut PyObject {
    // SAFETY: the thread is attached.
    unsafe {
        let tuple = ffi::PyTuple_New(count as ffi::Py_ssize_t);
        if tuple.is_null() {
            return tuple;
        }
        for (at, name) in text.split(|&byte| byte == b',').enumerate() {
            let name = name_object(name.as_ptr(), name.len() as u64);
            if name.is_null() {
                ffi::Py_DECREF(tuple);
                return name;
            }
            ffi::Py_INCREF(name);
            ffi::PyTuple_SET_ITEM(tuple, at as ffi::Py_ssize_t, name);
        }
        tuple
    }
}

/// # Safety
/// As for [`operator`].
pub(super) unsafe extern "C" fn call_ex(callee: u64, args: u64, keywords: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || {
            let args = ffi::PySequence_Tuple(object_of(args));
            if args.is_null() {
                return 0;
            }
            let named = if keywords == 0 { null_mut() } else { object_of(keywords) };
            let result = match named.is_null() || ffi::PyDict_CheckExact(named) != 0 {
                true => ffi::PyObject_Call(object_of(callee), args, named),
                false => call_with_mapping(object_of(callee), args, named),
            };
            ffi::Py_DECREF(args);
            own_object(result)
        })
    }
}

/// A call with the named arguments of any mapping.
unsafe fn call_with_mapping(
    callee: *mut PyObject,
    args: *mut PyObject,
    named: *mut PyObject,
) -> *mut PyObject {
    // SAFETY: the objects live, the thread is attached.
    unsafe {
        let copy = ffi::PyDict_New();
        let filled = !copy.is_null() && ffi::PyDict_Update(copy, named) == 0;
        let result = if filled { ffi::PyObject_Call(callee, args, copy) } else { null_mut() };
        ffi::Py_XDECREF(copy);
        result
    }
}

/// # Safety
/// As for [`operator`]; there is room for as many words.
pub(super) unsafe extern "C" fn unpack(iterable: u64, count: u64, star: i64, out: *mut u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(RAISED, || {
            let star = usize::try_from(star).ok();
            let Some(items) = unpacked(object_of(iterable), count as usize, star) else { return RAISED };
            for (at, &item) in items.iter().enumerate() {
                let word = own_object(item);
                if word == 0 {
                    (0..at).for_each(|done| rt::decref(*out.add(done)));
                    items[at + 1..].iter().for_each(|&left| ffi::Py_DECREF(left));
                    return RAISED;
                }
                *out.add(at) = word;
            }
            DONE
        })
    }
}

type Objects = SmallVec<[*mut PyObject; 8]>;

/// New references to exactly so many items, or with a list of all between the others; nothing with an exception set if there are
/// too few or too many, as CPython says it.
unsafe fn unpacked(object: *mut PyObject, count: usize, star: Option<usize>) -> Option<Objects> {
    // SAFETY: the object lives, the thread is attached.
    unsafe {
        let iterator = ffi::PyObject_GetIter(object);
        if iterator.is_null() {
            refuse_to_unpack(object);
            return None;
        }
        let mut items = Objects::new();
        let outcome = take_items(iterator, &mut items, count, star);
        ffi::Py_DECREF(iterator);
        if outcome.is_none() {
            items.iter().for_each(|&item| ffi::Py_DECREF(item));
            return None;
        }
        Some(items)
    }
}

unsafe fn take_items(
    iterator: *mut PyObject,
    items: &mut Objects,
    count: usize,
    star: Option<usize>,
) -> Option<()> {
    let before = star.unwrap_or(count);
    // SAFETY: the iterator lives, the thread is attached.
    unsafe {
        while items.len() < before {
            let item = ffi::PyIter_Next(iterator);
            if item.is_null() {
                return too_few(items.len(), count, star);
            }
            items.push(item);
        }
        if star.is_none() {
            let more = ffi::PyIter_Next(iterator);
            if more.is_null() {
                return ffi::PyErr_Occurred().is_null().then_some(());
            }
            ffi::Py_DECREF(more);
            let format = c"too many values to unpack (expected %zd)".as_ptr();
            ffi::PyErr_Format(ffi::PyExc_ValueError, format, count);
            return None;
        }
        let rest = ffi::PySequence_List(iterator);
        if rest.is_null() {
            return None;
        }
        items.push(rest);
        let (left, after) = (ffi::PyList_GET_SIZE(rest) as usize, count - before - 1);
        if left < after {
            return too_few(before + left, count, star);
        }
        for at in left - after..left {
            let item = ffi::PyList_GET_ITEM(rest, at as ffi::Py_ssize_t);
            ffi::Py_INCREF(item);
            items.push(item);
        }
        let end = (left - after) as ffi::Py_ssize_t;
        (ffi::PyList_SetSlice(rest, end, left as ffi::Py_ssize_t, null_mut()) == 0).then_some(())
    }
}

unsafe fn too_few(found: usize, count: usize, star: Option<usize>) -> Option<()> {
    // SAFETY: the thread is attached.
    unsafe {
        if ffi::PyErr_Occurred().is_null() {
            let (format, wanted) = match star {
                Some(_) => (c"not enough values to unpack (expected at least %zd, got %zd)", count - 1),
                None => (c"not enough values to unpack (expected %zd, got %zd)", count),
            };
            ffi::PyErr_Format(ffi::PyExc_ValueError, format.as_ptr(), wanted, found);
        }
    }
    None
}

/// Says of what is no iterable that it cannot be unpacked.
unsafe fn refuse_to_unpack(object: *mut PyObject) {
    // SAFETY: the object lives, the thread is attached.
    unsafe {
        if ffi::PyErr_ExceptionMatches(ffi::PyExc_TypeError) != 0
            && (*ffi::Py_TYPE(object)).tp_iter.is_none()
            && ffi::PySequence_Check(object) == 0
        {
            let format = c"cannot unpack non-iterable %.200s object".as_ptr();
            ffi::PyErr_Format(ffi::PyExc_TypeError, format, (*ffi::Py_TYPE(object)).tp_name);
        }
    }
}

/// # Safety
/// As for [`operator`]; there are as many words.
pub(super) unsafe extern "C" fn build(display: u64, words: *const u64, count: u64) -> u64 {
    // SAFETY: the caller's promise.
    unsafe {
        attached(0, || {
            let items = objects_of(words, count);
            match Display::from_index(display) {
                Some(display) => own_object(make(display, &items)),
                None => damaged(0),
            }
        })
    }
}

unsafe fn make(display: Display, items: &[*mut PyObject]) -> *mut PyObject {
    let count = items.len() as ffi::Py_ssize_t;
    let part = |at: usize| items.get(at).copied().unwrap_or(null_mut());
    // SAFETY: the objects live; the thread is attached.
    unsafe {
        let made = match display {
            Display::Tuple => ffi::PyTuple_New(count),
            Display::List => ffi::PyList_New(count),
            Display::Set => ffi::PySet_New(null_mut()),
            Display::Dict => ffi::PyDict_New(),
            Display::Slice => return ffi::PySlice_New(part(0), part(1), part(2)),
        };
        if made.is_null() {
            return made;
        }
        let filled = match display {
            Display::Set => items.iter().all(|&item| ffi::PySet_Add(made, item) == 0),
            Display::Dict => {
                items.chunks_exact(2).all(|pair| ffi::PyDict_SetItem(made, pair[0], pair[1]) == 0)
            }
            _ => {
                for (at, &item) in items.iter().enumerate() {
                    ffi::Py_INCREF(item);
                    match display {
                        Display::Tuple => ffi::PyTuple_SET_ITEM(made, at as ffi::Py_ssize_t, item),
                        _ => ffi::PyList_SET_ITEM(made, at as ffi::Py_ssize_t, item),
                    }
                }
                true
            }
        };
        if !filled {
            ffi::Py_DECREF(made);
            return null_mut();
        }
        made
    }
}
