//! The features of compiled code: one file each, with its typing and emission.
//!
//! [`catalog`] collects them. Absent: everything that can be written in Python (see the library),
//! containers and arrays.

mod arithmetic;
mod bitwise;
mod builtin_signatures;
mod cmath;
mod compare;
mod compensated_sum;
mod complex;
mod constant_power;
mod context_managers;
mod datetime;
mod datetime_compare;
mod division;
mod emit_helpers;
mod enums;
mod equality;
mod exceptions;
mod fixed_list;
mod generators;
mod hash;
mod introspection;
mod isinstance;
mod iterators;
mod map_filter;
mod math;
mod math_integer;
mod minmax;
mod number_constructors;
mod number_methods;
mod objects;
mod operators;
mod pointers;
mod power;
mod print;
mod python_objects;
mod range;
mod range_sequence;
mod reveal_type;
mod rng;
mod rounding;
mod scalar_ufuncs;
mod scalar_ufuncs_arithmetic;
mod scalar_ufuncs_complex;
mod scratch;
mod static_dict;
mod sum_any_all;
mod threads;
mod truthiness;
mod tuples;

use catalog::Catalog;

/// The features in the order in which their rules are asked.
const FEATURES: &[fn(&mut Catalog)] = &[
    // First: an Optional is opened before its content is compared.
    equality::add,
    objects::add,
    enums::add,
    exceptions::add,
    arithmetic::add,
    division::add,
    power::add,
    bitwise::add,
    compare::add,
    complex::add,
    truthiness::add,
    python_objects::add,
    isinstance::add,
    context_managers::add,
    number_constructors::add,
    minmax::add,
    print::add,
    range::add,
    reveal_type::add,
    range_sequence::add,
    tuples::add,
    scratch::add,
    rng::add,
    threads::add,
    pointers::add,
    fixed_list::add,
    datetime::add,
    datetime_compare::add,
    iterators::add,
    map_filter::add,
    generators::add,
    static_dict::add,
    sum_any_all::add,
    hash::add,
    rounding::add,
    number_methods::add,
    introspection::add,
    cmath::add,
    math_integer::add,
    scalar_ufuncs::add,
    scalar_ufuncs_arithmetic::add,
    scalar_ufuncs_complex::add,
    operators::add,
    math::add,
    builtin_signatures::add,
];

/// Everything the compiler knows of by itself; exceptions carry the messages of this Python 3.
pub fn catalog(python_minor: u8) -> Catalog {
    let mut catalog = Catalog::default();
    catalog.python_minor = python_minor;
    for add in FEATURES {
        add(&mut catalog);
    }
    catalog
}
