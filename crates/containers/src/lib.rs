//! Lists, dicts and sets: typing and emission of what is done to them often; the rest is Python in the library, over the
//! operations of `raw`.
//!
//! A list is a block of memory whose head says where its items lie (`rt::list`). Whatever puts a value in takes a count of
//! its owners, and whatever takes it out gives that on.
//!
//! Absent: what a list's type is (`infer::containers`), Python's lists (`py`).

mod list;
mod list_items;
mod raw;
mod table;
mod table_hash;
mod table_items;
mod table_walk;
mod typed;
mod whole;

pub use list::new_list;
pub use table::{Shape, new_table};
pub use table_hash::{HashStep, hash_of_words, hash_steps};

use catalog::Catalog;

/// Adds what the compiler knows of lists, dicts and sets.
pub fn add(catalog: &mut Catalog) {
    for add in
        [list::add, list_items::add, raw::add, table_items::add, table_walk::add, typed::add, whole::add]
    {
        add(catalog);
    }
}
