//! Passes from Explicit to Explicit: inlining, devirtualization, mem2reg, loop optimizations, bounds check elimination.
//!
//! LLVM could inline, too. Here a callee's failure becomes the caller's own, so that no status is
//! materialized, merged and tested again, and LLVM optimizes one function instead of several.
//!
//! Absent: the functions of a group and the inlining policy (`driver` knows their sizes, see [`Policy`]),
//! everything about types.

mod affine;
mod argument_bounds;
mod bit_loops;
mod bounds_checks;
mod branch_conditions;
mod caught_records;
mod check_ahead;
mod clone_blocks;
mod closed_form;
mod constant_folding;
mod convert_stops;
mod copy_by_constant;
mod correlated_branches;
mod counted_loops;
mod dce;
mod devirtualize;
mod fold_constants;
mod hoist_bounds;
mod induction_variable_elimination;
mod induction_variables;
mod inline;
mod inline_generators;
mod jump_threading;
mod layered_intervals;
mod long_loops;
mod loop_copies;
mod loop_peeling;
mod loop_strips;
mod loop_versioning;
mod mem2reg;
mod negative_index;
mod new_objects;
mod optimize_loops;
mod outline;
mod outline_cold;
mod place_polls;
mod poll_blocks;
mod prune_refcounts;
mod range_analysis;
mod reduce_modulo;
mod redundant_params;
mod spill_region;
mod split_generators;
mod strip_addresses;
mod strip_copies;
mod trip_counts;
mod unroll_by_two;
mod unroll_constant_loops;
mod wraparound;
mod zero_trip_guards;

pub use argument_bounds::ArgumentBounds;
pub use caught_records::eliminate_caught_records;
pub use check_ahead::check_ahead;
pub use convert_stops::convert_stops;
pub use correlated_branches::thread_correlated_branches;
pub use dce::eliminate_dead_code;
pub use devirtualize::devirtualize_calls;
pub use fold_constants::fold_constants;
pub use hoist_bounds::hoist_bounds;
pub use induction_variable_elimination::eliminate_redundant_iv;
pub use inline::{Policy, calls_of, functions_named_in, inline};
pub use inline_generators::inline_generators;
pub use jump_threading::thread_jumps;
pub use loop_peeling::peel_loops;
pub use loop_versioning::version_loops;
pub use mem2reg::mem2reg;
pub use negative_index::split_negative_index;
pub use new_objects::forward_new_objects;
pub use optimize_loops::{ColdFunctions, optimize_loops};
pub use outline::{CompileWhen, lazy_symbol};
pub use outline_cold::outline_cold;
pub use place_polls::{argument_bounds, bounded_cost, place_polls, remove_polls};
pub use poll_blocks::forward_through_polls;
pub use prune_refcounts::{drop_transfers, eliminate_refcount_pairs};
pub use reduce_modulo::reduce_modulo;
pub use split_generators::{Frame, holds_nothing, split_generator};
pub use trip_counts::compute_trip_counts;
pub use unroll_constant_loops::unroll_constant_loops;
pub use wraparound::eliminate_wraparound;
pub use zero_trip_guards::insert_zero_trip_guards;
