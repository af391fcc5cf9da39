//! Arrays: attributes, indexing, iteration, creation, a file per feature, typing and emission side by side.
//!
//! Emission may allocate (`memory`): what it makes is noted in `Emit::held`, so that it is released
//! where nobody takes it, on every way out of the function.

mod advanced;
mod array_builder;
mod array_builder_1d;
mod assign;
mod attributes;
mod buffers;
mod chars;
mod convert;
mod create;
mod displays;
mod dtypes;
mod expressions;
mod flags;
mod foreign;
mod gather;
mod identity;
mod index;
mod iterate;
mod loops;
mod masks;
mod memory;
mod records;
mod refusals;
mod scalars;
mod slice_values;
mod slices;
mod take;
mod together;
mod truth;
mod tuples;
mod views;
mod walks;

use catalog::Catalog;
pub use expressions::form_expressions;

/// Adds what the compiler knows of arrays.
pub fn add(catalog: &mut Catalog) {
    for add in [
        attributes::add,
        index::add,
        assign::add,
        gather::add,
        identity::add,
        expressions::add,
        iterate::add,
        create::add,
        scalars::add,
        slice_values::add,
        take::add,
        buffers::add,
        records::add,
        chars::add,
        convert::add,
        displays::add,
        dtypes::add,
        flags::add,
        foreign::add,
        refusals::add,
        together::add,
        truth::add,
        array_builder::add,
        array_builder_1d::add,
        views::add,
        walks::add,
    ] {
        add(catalog);
    }
}
