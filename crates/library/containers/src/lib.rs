//! Lists, dicts and sets: typing and emission of common operations; the rest is library Python over the intrinsics.
//!
//! A list is a block of memory whose header has the address of its items (`rt::list`). Inserting a value takes a reference to
//! its owners, and removing it transfers this reference.
//!
//! Absent: inference of element types (`infer::containers`), Python's lists (`python_rt`).

mod dict_iter;
mod dict_set_ops;
mod hash_table;
mod key_hash;
mod keys_by_methods;
mod list;
mod list_intrinsics;
mod list_items;
mod truth_identity;
mod typed_constructors;

pub use hash_table::{Shape, new_table};
pub use key_hash::hash_steps;
pub use list::new_list;

use catalog::Catalog;

/// Adds what the compiler knows of lists, dicts and sets.
pub fn add(catalog: &mut Catalog) {
    for add in [
        list::add,
        list_items::add,
        list_intrinsics::add,
        dict_set_ops::add,
        dict_iter::add,
        keys_by_methods::add,
        typed_constructors::add,
        truth_identity::add,
    ] {
        add(catalog);
    }
}
