//! Sorting of memory, if NumPy's own kernels are not available: the same signatures and the same order (NaN last;
//! complex numbers by real part first).

use std::cmp::Ordering;
use std::ffi::c_void;

/// What can be sorted.
trait Item: Copy {
    fn order(&self, other: &Self) -> Ordering;
}

macro_rules! integers {
    ($($ty:ty)*) => { $(impl Item for $ty {
        fn order(&self, other: &Self) -> Ordering {
            self.cmp(other)
        }
    })* };
}

macro_rules! floats {
    ($($ty:ty)*) => { $(impl Item for $ty {
        fn order(&self, other: &Self) -> Ordering {
            self.partial_cmp(other).unwrap_or_else(|| self.is_nan().cmp(&other.is_nan()))
        }
    })* };
}

integers!(i8 u8 i16 u16 i32 u32 i64 u64);
floats!(f32 f64);

/// Half precision, by its bits.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(crate) struct Half(u16);

impl Half {
    fn value(self) -> f32 {
        abi::half_to_float(self.0)
    }
}

impl PartialEq for Half {
    fn eq(&self, other: &Self) -> bool {
        self.value() == other.value()
    }
}

impl PartialOrd for Half {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.value().partial_cmp(&other.value())
    }
}

impl Item for Half {
    fn order(&self, other: &Self) -> Ordering {
        self.value().order(&other.value())
    }
}

/// A complex number in its memory layout.
#[derive(Clone, Copy)]
#[repr(C)]
struct Complex<T>([T; 2]);

impl<T: Item + PartialEq> Item for Complex<T> {
    #[expect(clippy::eq_op, reason = "NaN is what differs from itself")]
    fn order(&self, other: &Self) -> Ordering {
        let ([a, b], [c, d]) = (self.0, other.0);
        // Numbers without NaN, then those whose imaginary part alone is NaN, whose real part is, and both.
        let kind = |re: T, im: T| (re != re, im != im);
        kind(a, b).cmp(&kind(c, d)).then_with(|| a.order(&c)).then_with(|| b.order(&d))
    }
}

/// NumPy's functions to sort: address of the items, their number, and an array that numbers do not need.
type Sort = unsafe extern "C" fn(*mut c_void, isize, *mut c_void) -> i32;
/// The same for indices: address of the items, address of the indices, number, array.
type Argsort = unsafe extern "C" fn(*mut c_void, *mut isize, isize, *mut c_void) -> i32;

/// # Safety
/// There are `count` items at the address.
unsafe extern "C" fn sort<T: Item, const STABLE: bool>(
    items: *mut c_void,
    count: isize,
    _: *mut c_void,
) -> i32 {
    if count > 1 {
        // SAFETY: the caller's promise; there are two items or more, so the address is one of memory.
        let items = unsafe { std::slice::from_raw_parts_mut(items.cast::<T>(), count as usize) };
        if STABLE {
            items.sort_by(T::order);
        } else {
            items.sort_unstable_by(T::order);
        }
    }
    0
}

/// # Safety
/// There are `count` items and indices at the addresses, and the indices are those of the items.
unsafe extern "C" fn argsort<T: Item, const STABLE: bool>(
    items: *mut c_void,
    indices: *mut isize,
    count: isize,
    _: *mut c_void,
) -> i32 {
    if count > 1 {
        // SAFETY: the caller's promise; there are two items or more, so the addresses are of memory.
        let (items, indices) = unsafe {
            let items = std::slice::from_raw_parts(items.cast::<T>(), count as usize);
            (items, std::slice::from_raw_parts_mut(indices, count as usize))
        };
        let order = |a: &isize, b: &isize| items[*a as usize].order(&items[*b as usize]);
        if STABLE {
            indices.sort_by(order);
        } else {
            indices.sort_unstable_by(order);
        }
    }
    0
}

/// Every function, by the name of the type of the items.
pub(crate) fn symbols() -> Vec<crate::Symbol> {
    macro_rules! rows {
        ($($name:literal: $ty:ty,)*) => { vec![$(
            (concat!("rumba_sort_quick_", $name), sort::<$ty, false> as Sort as usize),
            (concat!("rumba_sort_stable_", $name), sort::<$ty, true> as Sort as usize),
            (concat!("rumba_argsort_quick_", $name), argsort::<$ty, false> as Argsort as usize),
            (concat!("rumba_argsort_stable_", $name), argsort::<$ty, true> as Argsort as usize),
        )*] };
    }
    rows! {
        "bool": u8,
        "int8": i8,
        "uint8": u8,
        "int16": i16,
        "uint16": u16,
        "int32": i32,
        "uint32": u32,
        "int64": i64,
        "uint64": u64,
        "float16": Half,
        "float32": f32,
        "float64": f64,
        "complex64": Complex<f32>,
        "complex128": Complex<f64>,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_sorted_with_nan_last() {
        let mut items = [3.0, f64::NAN, -1.0, f64::INFINITY, f64::NEG_INFINITY, 0.0];
        // SAFETY: six items.
        unsafe { sort::<f64, false>(items.as_mut_ptr().cast(), 6, std::ptr::null_mut()) };
        assert_eq!(items[..5], [f64::NEG_INFINITY, -1.0, 0.0, 3.0, f64::INFINITY]);
        assert!(items[5].is_nan());
    }

    #[test]
    fn places_of_equal_items_keep_their_order() {
        let (mut items, mut indices) = ([2_i8, 1, 2, 1], [0, 1, 2, 3]);
        // SAFETY: four items and indices.
        unsafe {
            argsort::<i8, true>(items.as_mut_ptr().cast(), indices.as_mut_ptr(), 4, std::ptr::null_mut())
        };
        assert_eq!(indices, [1, 3, 0, 2]);
    }

    #[test]
    fn complex_numbers_go_by_their_real_parts() {
        let nan = f64::NAN;
        let mut items = [[nan, 0.0], [1.0, nan], [1.0, 2.0], [nan, nan], [1.0, 1.0], [0.0, 9.0]].map(Complex);
        // SAFETY: six items.
        unsafe { sort::<Complex<f64>, true>(items.as_mut_ptr().cast(), 6, std::ptr::null_mut()) };
        let text = items.map(|Complex([re, im])| format!("{re}{im:+}"));
        assert_eq!(text, ["0+9", "1+1", "1+2", "1NaN", "NaN+0", "NaNNaN"]);
    }
}
