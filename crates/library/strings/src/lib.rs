//! Strings and bytes. One file per feature, with its typing and emission.
//!
//! [`catalog::string`] defines the representation of strings. Small operations are emitted inline, others are runtime
//! functions (`rt::strings`). Unicode tables and formatting are left to Python ([`call_python`]).

mod bytes;
mod call_python;
mod compare;
mod concat;
mod exception_objects;
mod hash;
mod index;
mod iterate;
mod layout;
mod parse_format;
mod search;
mod split_join;
mod struct_members;
mod transform;
mod write_chars;

use catalog::Catalog;

/// Adds what the compiler knows of strings.
pub fn add(catalog: &mut Catalog) {
    for add in [
        compare::add,
        index::add,
        iterate::add,
        concat::add,
        search::add,
        split_join::add,
        transform::add,
        parse_format::add,
        hash::add,
        struct_members::add,
        exception_objects::add,
        bytes::add,
        write_chars::add,
    ] {
        add(catalog);
    }
}
