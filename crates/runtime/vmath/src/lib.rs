//! Mathematical functions with bit-identical scalar and vector forms.
//!
//! Each is one sequence of operations over [`Lanes`], which round in the same way for any number of lanes and on any
//! processor. If the fast sequence is not accurate enough (subnormal numbers, huge angles),
//! single lanes are recomputed by a slow one, which all forms share. Results are within one unit in the last place.
//!
//! Absent: the callers. Machine code uses the symbols of [`functions`], the vectorizer their
//! [`Vector`] forms, the interpreter [`call`] and [`call_single`].

mod cbrt_hypot;
mod double_double;
mod entries;
mod erf;
mod exp;
mod inverse_trig;
mod log;
mod pow;
mod simd;
mod trig;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use entries::{Function, Vector};
pub use simd::Lanes;
use std::sync::LazyLock;

/// All functions, in the forms for the host processor.
pub fn functions() -> &'static [Function] {
    static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| entries::all(entries::level()));
    &FUNCTIONS
}

/// The function that C calls so.
pub fn function(name: &str) -> Option<&'static Function> {
    functions().iter().find(|function| function.name == name)
}

/// The bytes of the widest registers for which this processor runs forms with several lanes; 0 if none.
pub fn widest() -> usize {
    entries::level().bytes()
}

/// The address for a linker: of C's name, of Rumba's own symbol, of a form with several lanes that runs here.
pub fn address(symbol: &str) -> Option<usize> {
    let Some(own) = symbol.strip_prefix("rumba_") else {
        return function(symbol).map(|function| function.address);
    };
    let function = function(own.split('_').next()?)?;
    if function.symbol == symbol {
        return Some(function.address);
    }
    let widest = widest();
    let form = function.vectors.iter().find(|vector| vector.symbol == symbol && vector.bytes <= widest);
    form.map(|vector| vector.address)
}

/// Calls a function of doubles by C's name.
pub fn call(name: &str, args: &[f64]) -> Option<f64> {
    let function = function(name).filter(|function| !function.single && function.arity == args.len())?;
    // SAFETY: the address is that of a function with these arguments, which runs on this processor.
    unsafe {
        Some(match *args {
            [x] => std::mem::transmute::<usize, extern "C" fn(f64) -> f64>(function.address)(x),
            [x, y] => std::mem::transmute::<usize, extern "C" fn(f64, f64) -> f64>(function.address)(x, y),
            _ => return None,
        })
    }
}

/// Calls a function of singles by C's name.
pub fn call_single(name: &str, args: &[f32]) -> Option<f32> {
    let function = function(name).filter(|function| function.single && function.arity == args.len())?;
    // SAFETY: as in `call`.
    unsafe {
        Some(match *args {
            [x] => std::mem::transmute::<usize, extern "C" fn(f32) -> f32>(function.address)(x),
            [x, y] => std::mem::transmute::<usize, extern "C" fn(f32, f32) -> f32>(function.address)(x, y),
            _ => return None,
        })
    }
}
