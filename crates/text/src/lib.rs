//! Strings and bytes: a file per feature, typing and emission side by side.
//!
//! What a string is in machine values says [`catalog::string`]. Small operations are emitted in place, others are functions
//! of the runtime (`rt::strings`); what Python's Unicode tables and formats decide, Python is asked ([`ask`]).

mod add;
mod ask;
mod bytes;
mod compare;
mod edit;
mod hash;
mod index;
mod iterate;
mod lists;
mod numbers;
mod parts;
mod search;

use catalog::Catalog;

/// Adds what the compiler knows of strings.
pub fn add(catalog: &mut Catalog) {
    for add in [
        compare::add,
        index::add,
        iterate::add,
        add::add,
        search::add,
        lists::add,
        edit::add,
        numbers::add,
        hash::add,
        bytes::add,
    ] {
        add(catalog);
    }
}
