//! Arrays: attributes, indexing, iteration, creation. One file per feature, with its typing and emission.
//!
//! Emission may allocate (`alloc`): new arrays are recorded in `Emit::held`, so that they are released
//! on every exit path of the function unless something takes them over.

mod alloc;
mod array_builder;
mod array_builder_1d;
mod array_literal;
mod astype;
mod atomic;
mod attributes;
mod basic_index;
mod boolean_mask;
mod buffers;
mod charseq;
mod creation;
mod dtypes;
mod elementwise;
mod external_kernels;
mod fancy_getitem;
mod fancy_index;
mod flags_ctypes;
mod flatiter;
mod from_tuple;
mod getitem;
mod is_same;
mod iter;
mod loop_nest;
mod nditer;
mod object_arrays;
mod raise_if;
mod records;
mod scalars;
mod setitem;
mod slice_object;
mod stencil_offsets;
mod stencil_point;
mod take;
mod truth;
mod ufunc_loops;
mod views;

use catalog::Catalog;
pub use elementwise::{Pair, fuse_elementwise};
pub use stencil_offsets::{Offsets, stencil_offsets};

/// Adds what the compiler knows of arrays.
pub fn add(catalog: &mut Catalog) {
    for add in [
        attributes::add,
        getitem::add,
        setitem::add,
        fancy_getitem::add,
        boolean_mask::add,
        is_same::add,
        elementwise::add,
        iter::add,
        creation::add,
        scalars::add,
        slice_object::add,
        stencil_point::add,
        take::add,
        buffers::add,
        records::add,
        charseq::add,
        astype::add,
        array_literal::add,
        dtypes::add,
        flags_ctypes::add,
        external_kernels::add,
        ufunc_loops::add,
        raise_if::add,
        nditer::add,
        object_arrays::add,
        truth::add,
        array_builder::add,
        array_builder_1d::add,
        views::add,
        atomic::add,
        flatiter::add,
    ] {
        add(catalog);
    }
}
