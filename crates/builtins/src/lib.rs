//! The features of compiled code: one file each, typing and emission side by side.
//!
//! [`catalog`] puts them together. Absent: everything that can be written in Python (it belongs to
//! the library), containers and arrays.

mod bits;
mod cmath;
mod compare;
mod complex;
mod constructors;
mod division;
mod emit_util;
mod enums;
mod equality;
mod hashing;
mod instance;
mod iteration;
mod keywords;
mod kinds;
mod logic;
mod mapping;
mod math;
mod math_many;
mod members;
mod minmax;
mod numbers;
mod operators;
mod parameters;
mod pointers;
mod power;
mod printing;
mod randomness;
mod range_items;
mod ranges;
mod reductions;
mod reveal;
mod rooms;
mod rounding;
mod starred;
mod sums;
mod times;
mod times_order;
mod tuples;
mod ufuncs;
mod ufuncs_arithmetic;
mod ufuncs_complex;

use catalog::Catalog;

/// Everything the compiler knows of by itself; exceptions carry the messages of this Python 3.
pub fn catalog(python_minor: u8) -> Catalog {
    let mut catalog = Catalog::default();
    catalog.python_minor = python_minor;
    for add in [
        // First: an Optional is opened before its content is compared.
        equality::add,
        enums::add,
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
        printing::add,
        ranges::add,
        reveal::add,
        range_items::add,
        tuples::add,
        rooms::add,
        randomness::add,
        pointers::add,
        starred::add,
        times::add,
        times_order::add,
        iteration::add,
        mapping::add,
        keywords::add,
        reductions::add,
        hashing::add,
        rounding::add,
        members::add,
        kinds::add,
        cmath::add,
        math_many::add,
        ufuncs::add,
        ufuncs_arithmetic::add,
        ufuncs_complex::add,
        operators::add,
        math::add,
        parameters::add,
    ] {
        add(&mut catalog);
    }
    catalog
}
