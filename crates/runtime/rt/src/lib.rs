//! Runtime functions: C functions that compiled code calls by symbol.
//!
//! Absent: the compiler and Python. [`symbols`] lists their addresses for the linker. The reference interpreter
//! calls the same functions through [`word_function`] and [`float_slice_function`].

mod alloc_stats;
mod block_cache;
mod breakpoint;
mod calendar;
mod clock;
mod cmath;
mod division;
mod exception_args;
mod exception_stash;
pub mod fork_gate;
mod fsum;
mod gamma;
mod hash;
pub mod hash_table;
mod int_math;
mod interrupts;
pub mod key_hash;
mod libm;
pub mod list;
mod nditer_axes;
mod nrt;
pub mod object;
pub mod random;
mod refcount;
mod rounding;
mod small_blocks;
mod sort;
mod stack;
pub mod strings;
mod thread_state;
mod timsort;
mod trace;
mod word_abi;

use abi::{Runtime, linked};
pub use alloc_stats::allocation_counts;
pub use exception_args::{PAYLOAD_WORDS, copy_payload, payload, set_payload};
pub use hash::START as HASH_START;
pub use interrupts::{
    begin_cancelling, can_poll_out_of_line, enable_interrupts, end_cancelling, initial_thread,
    is_main_thread, rearm,
};
pub use nrt::c_helpers;
pub use refcount::{
    COUNTED, Destructor, ITEMS, adopt, allocate_unwritten, allocate_with, count_objects_with,
    count_under_gil, holders, is_shared, items_of, known_to, replace_destructor, rumba_allocate as allocate,
    rumba_decref as decref, rumba_incref as incref, share_counts, size_of,
};
pub use small_blocks::configure_allocator;
pub use stack::with_stack;
pub use trace::{rumba_through as through, take_trace};
pub use word_abi::WordFn;

/// A runtime function: its symbol and address.
pub type Symbol = abi::Linked;

/// The symbol of what compiled code reads to know whether to look for signals.
const INTERRUPTS: &str = "rumba_interrupts";

/// Every runtime function, and what else compiled code refers to.
pub fn symbols() -> Vec<Symbol> {
    let others = [
        linked!(Runtime::Fsum => fsum::rumba_fsum, _ _),
        linked!(Runtime::Norm => fsum::rumba_norm, _ _),
        linked!(Runtime::Payload => exception_args::rumba_payload, ),
        linked!(Runtime::Through => trace::rumba_through, _ _),
        linked!(Runtime::StashException => exception_stash::rumba_stash_exception, ),
        linked!(Runtime::UnstashException => exception_stash::rumba_unstash_exception, ),
        linked!(Runtime::Allocate => refcount::rumba_allocate, _ _),
        linked!(Runtime::AllocateFrame => refcount::rumba_allocate_frame, _ _),
        linked!(Runtime::Incref => refcount::rumba_incref, _),
        linked!(Runtime::Move => refcount::rumba_move, _ _ _),
        linked!(Runtime::Decref => refcount::rumba_decref, _),
        linked!(Runtime::ListNew => list::rumba_list_new, _ _ _),
        linked!(Runtime::ListOfZeros => list::rumba_list_of_zeros, _ _ _),
        linked!(Runtime::ListGrow => list::rumba_list_grow, _ _),
        linked!(Runtime::ListGap => list::rumba_list_gap, _ _ _),
        linked!(Runtime::ListClose => list::rumba_list_close, _ _ _),
        linked!(Runtime::ListSort => list::rumba_list_sort, _ _),
        linked!(Runtime::ListArrange => list::rumba_list_arrange, _ _ _),
        linked!(Runtime::ListClear => list::rumba_list_clear, _),
        linked!(Runtime::TableText => hash_table::rumba_table_text, _ _),
        linked!(Runtime::TableFindText => hash_table::rumba_table_find_text, _ _ _),
        linked!(Runtime::TableFindHash => hash_table::rumba_table_find_hash, _ _ _),
        linked!(Runtime::TableNew => hash_table::rumba_table_new, _ _ _),
        linked!(Runtime::TableAdd => hash_table::rumba_table_add, _ _),
        linked!(Runtime::TableRemove => hash_table::rumba_table_remove, _ _),
        linked!(Runtime::TableClear => hash_table::rumba_table_clear, _),
        linked!(Runtime::TableNext => hash_table::rumba_table_next, _ _),
        linked!(Runtime::TableCopy => hash_table::rumba_table_copy, _ _),
        linked!(Runtime::SortAxes => nditer_axes::rumba_sort_axes, _ _ _),
        linked!(Runtime::ObjectNew => object::rumba_object_new, _ _),
        linked!(Runtime::StackLimit => stack::rumba_stack_limit, ),
        linked!(Runtime::StackWord => stack::rumba_stack_word, ),
        linked!(Runtime::StackExhausted => stack::rumba_stack_exhausted, _),
        ("rumba_poll_out_of_line", interrupts::poll_out_of_line()),
        (INTERRUPTS, &raw const interrupts::INTERRUPTS as usize),
    ];
    let table = table().map(|(_, linked, _)| linked());
    let poll_due = interrupts::low_byte().map(|byte| ("rumba_poll_due", byte.as_ptr() as usize));
    table
        .chain(others)
        .chain(poll_due)
        .chain(nrt::symbols())
        .chain(strings::symbols())
        .chain(sort::symbols())
        .chain(random::symbols())
        .collect()
}

/// Functions whose parameters and results are words.
fn table() -> impl Iterator<Item = &'static word_abi::Row> {
    let lists = [
        calendar::TABLE,
        clock::TABLE,
        division::TABLE,
        gamma::TABLE,
        hash::TABLE,
        int_math::TABLE,
        rounding::TABLE,
        fsum::TABLE,
    ];
    lists.into_iter().flatten().chain(cmath::table())
}

/// A runtime function as one of words.
pub fn word_function(symbol: &str) -> Option<WordFn> {
    table().find(|(function, ..)| function.symbol() == symbol).map(|&(.., call)| call)
}

/// A function of floats and its results as words.
pub type FloatSliceFn = fn(&[f64]) -> [u64; 2];

/// A runtime function of the address and number of floats, as one of these floats.
pub fn float_slice_function(symbol: &str) -> Option<FloatSliceFn> {
    match symbol {
        "rumba_fsum" => Some(|values| {
            let (sum, code) = fsum::fsum(values);
            [sum.to_bits(), code.cast_unsigned()]
        }),
        "rumba_norm" => Some(|values| [fsum::norm(values).to_bits(), 0]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use abi::Runtime;

    /// What `py`, `driver` and `parallel` implement.
    const ELSEWHERE: &[Runtime] = &[
        Runtime::KeepAlive,
        Runtime::Poll,
        Runtime::Late,
        Runtime::Print,
        Runtime::Ask,
        Runtime::CallPython,
        Runtime::ObjectBox,
        Runtime::ObjectUnbox,
        Runtime::ObjectText,
        Runtime::ObjectSingle,
        Runtime::ObjectNamed,
        Runtime::ObjectOperator,
        Runtime::ObjectTest,
        Runtime::ObjectGetattr,
        Runtime::ObjectSetattr,
        Runtime::ObjectSetitem,
        Runtime::ObjectNext,
        Runtime::ObjectCall,
        Runtime::ObjectCallEx,
        Runtime::ObjectUnpack,
        Runtime::ObjectBuild,
        Runtime::Ignored,
        Runtime::FunctionAddress,
        Runtime::UfuncLoop,
        Runtime::RunUfuncLoop,
        Runtime::HashText,
        Runtime::HashNone,
        Runtime::HasLapack,
        Runtime::Catch,
        Runtime::Handled,
        Runtime::Made,
        Runtime::Boxed,
        Runtime::CaughtIs,
        Runtime::StatusIs,
        Runtime::Forget,
        Runtime::CaughtExactly,
        Runtime::CaughtSame,
        Runtime::CaughtGet,
        Runtime::CaughtStatus,
        Runtime::CaughtContext,
        Runtime::CaughtCause,
        Runtime::StopToError,
        Runtime::CaughtWords,
        Runtime::ParallelFor,
        Runtime::ParallelChunks,
        Runtime::ThreadCount,
        Runtime::GetNumThreads,
        Runtime::SetNumThreads,
        Runtime::GetThreadId,
        Runtime::GetChunkSize,
        Runtime::SetChunkSize,
    ];

    #[test]
    fn every_row_has_a_function_and_every_function_a_row() {
        let here: Vec<&str> = super::symbols().into_iter().map(|(name, _)| name).collect();
        for &row in Runtime::ALL {
            assert_ne!(here.contains(&row.symbol()), ELSEWHERE.contains(&row), "{}", row.symbol());
        }
        // (Sorting has the names and signatures of what NumPy lends.)
        let is_sort = |name: &str| name.starts_with("rumba_sort_") || name.starts_with("rumba_argsort_");
        for name in here.into_iter().filter(|name| name.starts_with("rumba_") && !is_sort(name)) {
            assert!(
                [super::INTERRUPTS, "rumba_latin", "rumba_poll_due", "rumba_poll_out_of_line"]
                    .contains(&name)
                    || Runtime::from_symbol(name).is_some(),
                "{name}"
            );
        }
    }

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
