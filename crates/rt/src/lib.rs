//! What compiled code calls: functions of the C calling convention, by symbol.
//!
//! Absent: the compiler and Python. [`symbols`] is the one list; whoever links compiled code binds
//! these addresses. The reference interpreter calls the same functions by [`word_function`] and
//! [`float_slice_function`].

mod axes;
mod cmath;
mod dates;
mod division;
mod gamma;
mod hash;
mod integers;
mod libm;
pub mod list;
mod memory;
mod nrt;
mod order;
mod payload;
pub mod random;
mod rounding;
mod spare;
mod stack;
mod sums;
pub mod table;
mod tally;
pub mod text;
mod words;

pub use hash::START as HASH_START;
pub use memory::{
    Destructor, ITEMS, allocate_with, holders, items_of, known_to, rumba_release as release,
    rumba_retain as retain, size_of,
};
pub use payload::{PAYLOAD_WORDS, payload};
pub use stack::with_room;
pub use tally::allocation_counts;
pub use words::WordFn;

/// A runtime function: its symbol and address.
pub type Symbol = (&'static str, usize);

/// Every runtime function.
pub fn symbols() -> Vec<Symbol> {
    let others = [
        ("rumba_fsum", sums::rumba_fsum as *const () as usize),
        ("rumba_norm", sums::rumba_norm as *const () as usize),
        ("rumba_payload", payload::rumba_payload as *const () as usize),
        ("rumba_allocate", memory::rumba_allocate as *const () as usize),
        ("rumba_retain", memory::rumba_retain as *const () as usize),
        ("rumba_move", memory::rumba_move as *const () as usize),
        ("rumba_release", memory::rumba_release as *const () as usize),
        ("rumba_list_new", list::rumba_list_new as *const () as usize),
        ("rumba_list_grow", list::rumba_list_grow as *const () as usize),
        ("rumba_list_gap", list::rumba_list_gap as *const () as usize),
        ("rumba_list_close", list::rumba_list_close as *const () as usize),
        ("rumba_list_sort", list::rumba_list_sort as *const () as usize),
        ("rumba_list_clear", list::rumba_list_clear as *const () as usize),
        ("rumba_table_text", table::rumba_table_text as *const () as usize),
        ("rumba_table_find_text", table::rumba_table_find_text as *const () as usize),
        ("rumba_table_new", table::rumba_table_new as *const () as usize),
        ("rumba_table_add", table::rumba_table_add as *const () as usize),
        ("rumba_table_remove", table::rumba_table_remove as *const () as usize),
        ("rumba_table_clear", table::rumba_table_clear as *const () as usize),
        ("rumba_table_next", table::rumba_table_next as *const () as usize),
        ("rumba_table_copy", table::rumba_table_copy as *const () as usize),
        ("rumba_sort_axes", axes::rumba_sort_axes as *const () as usize),
        ("rumba_stack_limit", stack::rumba_stack_limit as *const () as usize),
    ];
    let table = table().map(|&(name, address, _)| (name, address()));
    table
        .chain(others)
        .chain(nrt::symbols())
        .chain(text::symbols())
        .chain(order::symbols())
        .chain(random::symbols())
        .collect()
}

/// Functions whose parameters and results are words.
fn table() -> impl Iterator<Item = &'static (&'static str, fn() -> usize, WordFn)> {
    let lists = [
        dates::TABLE,
        division::TABLE,
        gamma::TABLE,
        hash::TABLE,
        integers::TABLE,
        rounding::TABLE,
        sums::TABLE,
    ];
    lists.into_iter().flatten().chain(cmath::table())
}

/// A runtime function as one of words.
pub fn word_function(symbol: &str) -> Option<WordFn> {
    table().find(|(name, ..)| *name == symbol).map(|&(.., call)| call)
}

/// A function of floats and its results as words.
pub type FloatSliceFn = fn(&[f64]) -> [u64; 2];

/// A runtime function of the address and number of floats, as one of these floats.
pub fn float_slice_function(symbol: &str) -> Option<FloatSliceFn> {
    match symbol {
        "rumba_fsum" => Some(|values| {
            let (sum, code) = sums::fsum(values);
            [sum.to_bits(), code.cast_unsigned()]
        }),
        "rumba_norm" => Some(|values| [sums::norm(values).to_bits(), 0]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn symbols_are_different_and_lead_to_functions() {
        let mut names: Vec<&str> = super::symbols().into_iter().map(|(name, _)| name).collect();
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
        let gcd = super::word_function("rumba_gcd").unwrap();
        assert_eq!(gcd(&[12, 18])[0], 6);
    }
}
