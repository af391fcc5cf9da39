//! Words that were replaced by standard terms and must not come back, as file names and identifiers.

use super::source::{File, Finding, code_only, has_word};

/// A private word and the standard term for what it named.
const FILES: &[(&str, &str)] = &[
    ("advanced", "fancy_index"),
    ("arranging", "sort"),
    ("assembling", "array"),
    ("blame", "call_trace"),
    ("borders", "boxing"),
    ("convention", "calling_convention"),
    ("count_rounds", "trip_counts"),
    ("counting", "insert_refcounts"),
    ("demand", "remainder_zero_test"),
    ("diagonals", "twodim_base"),
    ("displays", "dict_literals"),
    ("editing", "insert_delete"),
    ("finding", "nonzero_where"),
    ("flats", "flatiter"),
    ("frequency", "block_frequency"),
    ("gathering", "take"),
    ("grids", "index_grids"),
    ("idle", "trivial_handlers"),
    ("joining", "concatenate"),
    ("late", "lazy_compile"),
    ("later", "unsupported_blocks"),
    ("lent_lists", "borrowed_lists"),
    ("likes", "_array_like"),
    ("limits", "finfo_iinfo"),
    ("mathematics", "vector_math"),
    ("middles", "quantile"),
    ("moving", "roll_repeat_tile"),
    ("one_counter", "induction_variable_elimination"),
    ("partly", "reduction_where"),
    ("peel_rounds", "loop_peeling"),
    ("pending", "unsupported"),
    ("picking", "_fancy"),
    ("piles", "array_builder"),
    ("pins", "keepalive"),
    ("places", "function_sources"),
    ("planes", "numpy_extensions"),
    ("promote", "mem2reg"),
    ("rare", "outline_cold"),
    ("refusal", "unbox_error"),
    ("refusals", "raise_if"),
    ("relations", "correlation"),
    ("rooms", "scratch"),
    ("searches", "hash_lookup_reuse"),
    ("second_rounds", "unroll_by_two"),
    ("set_aside", "exception_stash"),
    ("signals", "convolve_gradient"),
    ("spans", "ranges"),
    ("spare", "block_cache"),
    ("splitting", "split"),
    ("spreads", "variance"),
    ("standin", "implicit_conversion"),
    ("standins", "implicit_conversion"),
    ("stretching", "broadcast_stride_tricks"),
    ("sweep", "dce"),
    ("tally", "alloc_stats"),
    ("telling", "type_check"),
    ("together", "nditer"),
    ("twister", "mt19937"),
    ("walks", "flatiter"),
];

/// The same for identifiers of Rust.
const IDENTIFIERS: &[(&str, &str)] = &[
    ("AtOnce", "Eager"),
    ("Attached", "HostCx"),
    ("Engine", "Solver"),
    ("GONE", "TOMBSTONE"),
    ("Held", "RefScope"),
    ("LateFunctions", "LazyFunctions"),
    ("Lend", "Borrow"),
    ("Lenders", "KernelTable"),
    ("Lent", "Borrowed"),
    ("LentLists", "BorrowedLists"),
    ("Linear", "Affine"),
    ("MOST", "MAX_SIZE"),
    ("Opened", "CalleeIr"),
    ("Outlined", "CompileWhen"),
    ("Starred", "FixedList"),
    ("Typers", "UserTypeof"),
    ("Wants", "RequestedLiterals"),
    ("cache_place", "cache_path"),
    ("call_lent", "call_external_kernel"),
    ("copy_round", "copy_iteration"),
    ("count_once", "eliminate_redundant_iv"),
    ("count_rarely_from_end", "split_negative_index"),
    ("end_unless", "exit_iteration_unless"),
    ("fill_at_once", "fuse_array_comprehension"),
    ("form_tuples", "tuples_from_lists"),
    ("give_up_waiting", "force_open_containers"),
    ("grow_made", "grow_result"),
    ("hold_shown", "hold_debug_variable"),
    ("is_lent", "is_borrowed"),
    ("is_much", "exceeds_size"),
    ("late_symbol", "lazy_symbol"),
    ("leave_room", "set_used_size"),
    ("lent", "borrowed"),
    ("look_around", "load_entry_points"),
    ("make_rarer", "box_slow"),
    ("make_where_passed", "sink_passed_lists"),
    ("naturals", "nonnegative"),
    ("note_place", "note_call_site"),
    ("only_looks", "is_read_only_inst"),
    ("over_nothing", "over_empty"),
    ("pinned", "keepalive"),
    ("place", "index"),
    ("place_symbols", "source_symbols"),
    ("places", "indices"),
    ("prune_counts", "eliminate_refcount_pairs"),
    ("rarely_or_else", "if_else_unlikely"),
    ("release_round", "release_temporaries"),
    ("rounds", "iterations"),
    ("rumba_release", "rumba_decref"),
    ("rumba_retain", "rumba_incref"),
    ("set_aside", "stash_exception"),
    ("settle", "resolve"),
    ("settle_handlers", "finalize_handlers"),
    ("settle_layer", "check_threading_layer"),
    ("spell_constants", "expand_constant_literals"),
    ("spell_out", "expand_starred"),
    ("takes_open", "accept_open"),
    ("twins", "self_inline_bodies"),
    ("unbox_rarer", "unbox_slow"),
    ("unpin", "drop_object"),
    ("way_out", "hint_for"),
    ("when_rarely", "if_unlikely"),
    ("with_room", "with_stack"),
];

/// The same for identifiers of Python.
const PYTHON_IDENTIFIERS: &[(&str, &str)] = &[
    ("Border", "BoxContext"),
    ("Standin", "ImplicitConversion"),
    ("Stated", "TypedSignature"),
    ("adder_of", "make_axis_sum"),
    ("divider", "make_divide"),
    ("each_line", "map_lines"),
    ("heavy", "weighted"),
    ("keeper", "keepdims_of"),
    ("likes", "array_like"),
    ("liner", "lines_along"),
    ("placer", "sort_order"),
    ("putting", "with_out"),
    ("rower", "flatten_for"),
    ("stands_in", "is_fallback"),
    ("summer", "make_sum"),
];

/// Checks the names of source files and the identifiers in code.
pub fn check(files: &[File]) -> Vec<Finding> {
    let is_source = |file: &&File| file.path.starts_with("crates/") || file.path.starts_with("python/");
    files.iter().filter(is_source).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let mut found = Vec::new();
    let name = file.path.rsplit('/').next().unwrap_or_default();
    let stem = name.strip_suffix(".rs").or_else(|| name.strip_suffix(".py"));
    if let Some((old, new)) = FILES.iter().find(|(old, _)| stem == Some(old)) {
        found.push(
            file.error(
                1,
                format!("`{old}` is not the field's word, name the file for what it does (`{new}`)"),
            ),
        );
    }
    let (code, words) = if file.is_rust() {
        (code_only(&file.text), IDENTIFIERS)
    } else {
        (file.text.clone(), if stem.is_some() { PYTHON_IDENTIFIERS } else { &[] })
    };
    for (i, line) in code.lines().enumerate() {
        for (old, new) in words.iter().filter(|(old, _)| has_word(line, old)) {
            found.push(file.error(i + 1, format!("`{old}` was replaced by `{new}`")));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaced_words_are_found() {
        let text = "//! Twins.\nfn a(twins: u8) {}\n// twins\nfn b(twinset: u8) {}\n";
        let found = check(&[File::new("crates/driver/src/a.rs", text)]);
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [2]);
        assert_eq!(check(&[File::new("python/rumba/library/numpy/middles.py", "\"\"\"a\"\"\"\n")]).len(), 1);
        assert_eq!(check(&[File::new("python/rumba/library/numpy/quantile.py", "\"\"\"a\"\"\"\n")]).len(), 0);
        let text = "\"\"\"A.\"\"\"\nfrom ._axis import liner, lines_along\n";
        assert_eq!(check(&[File::new("python/rumba/library/numpy/a.py", text)]).len(), 1);
    }
}
