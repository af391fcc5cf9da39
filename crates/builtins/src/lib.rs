//! The features of compiled code: one file each, typing and emission side by side.
//!
//! [`catalog`] puts them together. Absent: everything that can be written in Python (it belongs to
//! the library), containers and arrays.

mod bits;
mod compare;
mod complex;
mod constructors;
mod division;
mod emit_util;
mod instance;
mod logic;
mod math;
mod minmax;
mod numbers;
mod parameters;
mod power;
mod ranges;
mod reveal;
mod sequences;

use catalog::Catalog;

/// Everything the compiler knows of by itself.
pub fn catalog() -> Catalog {
    let mut catalog = Catalog::default();
    for add in [
        numbers::add,
        division::add,
        power::add,
        bits::add,
        compare::add,
        complex::add,
        logic::add,
        instance::add,
        constructors::add,
        minmax::add,
        ranges::add,
        reveal::add,
        sequences::add,
        math::add,
        parameters::add,
    ] {
        add(&mut catalog);
    }
    catalog
}
