//! Strings and bytes. One file per feature, with its typing and emission.
//!
//! What a string is in machine values says [`catalog::string`]. Small operations are emitted in place, others are functions
//! of the runtime (`rt::strings`); what Python's Unicode tables and formats decide, Python is asked ([`call_python`]).

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
mod transform;

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
        exception_objects::add,
        bytes::add,
    ] {
        add(catalog);
    }
}
