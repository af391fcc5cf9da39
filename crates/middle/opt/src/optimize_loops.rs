//! The passes over functions with loops, in order: a part of the pipeline that golden tests run, too.
//!
//! ```text
//! poll_blocks -> mem2reg -> fold_constants -> unroll_constant_loops -> loop_peeling -> hoist_bounds -> reduce_modulo -> outline_cold
//!     -> version_loops -> wraparound -> negative_index -> induction_variables -> check_ahead -> trip_counts
//!     -> correlated_branches -> zero_trip_guards -> dce
//! ```
//!
//! Absent: what runs before and after (`driver::pipeline`), how a pass is timed, verified and printed ([`RunPass`]).

use crate::{
    CompileWhen, check_ahead, compute_trip_counts, eliminate_dead_code, eliminate_redundant_iv,
    eliminate_wraparound, fold_constants, forward_through_polls, hoist_bounds, insert_zero_trip_guards,
    mem2reg, outline_cold, peel_loops, reduce_modulo, split_negative_index, thread_correlated_branches,
    unroll_constant_loops, version_loops,
};
use diag::Result;
use ir::{Function, RunPass};

/// Functions that were taken out of another one, by their symbols.
pub struct ColdFunctions {
    /// Cold code.
    pub cold: Vec<(String, Function)>,
    /// Loops with the checks that those in their place do without.
    pub checked: Vec<(String, Function)>,
}

/// Makes the loops of a function faster, whose symbol is `symbol`; nothing of one that has none.
///
/// # Errors
/// Those of the verifier, if `passes` asks it.
pub fn optimize_loops(
    func: &mut Function,
    symbol: &str,
    when: CompileWhen,
    passes: &dyn RunPass,
) -> Result<ColdFunctions> {
    let mut outlined = ColdFunctions { cold: Vec::new(), checked: Vec::new() };
    if !flow::Cfg::compute(func).has_cycle() {
        return Ok(outlined);
    }
    let mut run = |pass, body: &mut dyn FnMut(&mut Function)| {
        passes.change(pass, func, &mut |func| {
            body(func);
            Ok(())
        })
    };
    run("poll_blocks", &mut forward_through_polls)?;
    run("mem2reg", &mut mem2reg)?;
    run("fold_constants", &mut fold_constants)?;
    run("unroll_constant_loops", &mut unroll_constant_loops)?;
    run("loop_peeling", &mut peel_loops)?;
    run("hoist_bounds", &mut hoist_bounds)?;
    run("reduce_modulo", &mut reduce_modulo)?;
    run("outline_cold", &mut |func| outlined.cold = outline_cold(func, symbol, when))?;
    run("version_loops", &mut |func| outlined.checked = version_loops(func, symbol, when))?;
    run("wraparound", &mut eliminate_wraparound)?;
    run("negative_index", &mut split_negative_index)?;
    run("induction_variables", &mut eliminate_redundant_iv)?;
    run("check_ahead", &mut check_ahead)?;
    run("trip_counts", &mut compute_trip_counts)?;
    run("correlated_branches", &mut thread_correlated_branches)?;
    run("zero_trip_guards", &mut insert_zero_trip_guards)?;
    run("dce", &mut eliminate_dead_code)?;
    Ok(outlined)
}
