//! Which passes run and how hard the code generator tries, chosen by what the unit holds.
//!
//! The text of the Explicit phase is SSA already and small functions have little to optimise;
//! most of their time goes into starting LLVM's passes. `cargo run --release -p jit --example latency`
//! shows where it goes.

use crate::{Options, Unit, frequency};
use ir::Op;
use llvm_sys::target_machine::LLVMCodeGenOptLevel;
use std::ffi::CStr;

/// A text for LLVM of function passes, given in parts, with passes over the module behind.
macro_rules! passes {
    ($($part:expr),* $(,)?) => {
        passes!($($part),*; "")
    };
    ($($part:expr),* $(,)?; $behind:literal) => {
        match CStr::from_bytes_with_nul(concat!("function(", $($part),*, ")", $behind, "\0").as_bytes()) {
            Ok(text) => text,
            Err(_) => unreachable!(),
        }
    };
}

/// Algebra. (`instcombine` ends the process where it finds no fixpoint, unless it is told not to.)
macro_rules! combine {
    () => {
        "instcombine<no-verify-fixpoint>,"
    };
}

/// Canonical loops with invariant code moved out.
macro_rules! canonical {
    () => {
        concat!(
            "sroa<modify-cfg>,early-cse<memssa>,simplifycfg,",
            combine!(),
            "loop-mssa(loop-simplifycfg,loop-rotate,licm),simplifycfg,",
            combine!(),
            "loop(indvars,loop-deletion),gvn,",
        )
    };
}

/// For code without loops.
const CHEAP: &CStr = passes!("early-cse<memssa>,simplifycfg,", combine!(), "simplifycfg");

/// For loops over memory: vectors and unrolling.
const MEMORY: &CStr = passes!(
    canonical!(),
    "loop-vectorize,",
    combine!(),
    "slp-vectorizer,loop-mssa(licm),loop-unroll<O2>,",
    combine!(),
    "simplifycfg",
);

/// For loops that touch no memory. They wait for their own results: unrolling them takes half of
/// the time and gains nothing, unless the loop disappears by it.
const COMPUTE: &CStr = passes!(
    canonical!(),
    "loop-vectorize,",
    combine!(),
    "loop(loop-unroll-full),sroa<modify-cfg>,",
    combine!(),
    "simplifycfg"
);

/// The same for loops that call function values: which way they are called is decided once, before the loop.
const CALLS: &CStr = passes!(
    canonical!(),
    "loop-mssa(simple-loop-unswitch<nontrivial>),simplifycfg,",
    combine!(),
    "loop(loop-unroll-full),sroa<modify-cfg>,",
    combine!(),
    "simplifycfg";
    // Functions that were called by their address and went into their callers.
    ",globaldce"
);

/// For loops in huge functions, where vectors and unrolling would double the time.
const LONG: &CStr = passes!(canonical!(), combine!(), "simplifycfg");

/// For units with functions that others wrote, which are to be inlined.
const FOREIGN: &CStr = c"default<O2>";

const EVERYTHING: &CStr = c"default<O3>";

/// Above this a unit counts as huge.
const MANY_INSTRUCTIONS: usize = 1000;

/// Up to this the fast code generator, which keeps values in the frame, loses nothing that counts.
const SOME_INSTRUCTIONS: usize = 200;

/// Up to this a single block is not worth starting the passes for.
const FEW_INSTRUCTIONS: usize = 32;

/// The passes and the level of the code generator.
pub(crate) struct Plan {
    /// LLVM's text of the pipeline; none runs no pass.
    pub(crate) passes: Option<&'static CStr>,
    /// The code generator's level.
    pub(crate) level: LLVMCodeGenOptLevel,
    /// The functions for which the fast code generator will do at any level.
    pub(crate) rare: Vec<bool>,
}

impl Plan {
    /// Chooses for a unit.
    pub(crate) fn choose(unit: &Unit, options: &Options) -> Plan {
        use LLVMCodeGenOptLevel::*;
        let (passes, level) = match options.opt_level {
            0 => (None, LLVMCodeGenLevelNone),
            1 => (Some(CHEAP), LLVMCodeGenLevelLess),
            2 if !unit.texts.is_empty() => (Some(FOREIGN), LLVMCodeGenLevelDefault),
            2 => return Plan::by_content(unit),
            _ => (Some(EVERYTHING), LLVMCodeGenLevelAggressive),
        };
        Plan { passes, level, rare: vec![false; unit.functions.len()] }
    }

    fn by_content(unit: &Unit) -> Plan {
        use LLVMCodeGenOptLevel::*;
        let size: usize = unit.functions.iter().map(|member| member.func.len()).sum();
        let blocks: usize = unit.functions.iter().map(|member| member.func.layout.len()).sum();
        let loops = unit.functions.iter().any(|member| frequency::loops(member.func));
        let rare = frequency::run_rarely(unit);
        let (passes, level) = match (loops, rare.iter().all(|&rare| rare)) {
            (true, _) if size > MANY_INSTRUCTIONS => (Some(LONG), LLVMCodeGenLevelDefault),
            (true, _) if unit.functions.iter().any(|member| member.func.calls_by_address()) => {
                (Some(CALLS), LLVMCodeGenLevelDefault)
            }
            (true, _) if touches_memory(unit) => (Some(MEMORY), LLVMCodeGenLevelDefault),
            (true, _) => (Some(COMPUTE), LLVMCodeGenLevelDefault),
            (false, true) if blocks == 1 && size <= FEW_INSTRUCTIONS => (None, LLVMCodeGenLevelNone),
            (false, true) if size <= SOME_INSTRUCTIONS => (Some(CHEAP), LLVMCodeGenLevelNone),
            (false, _) => (Some(CHEAP), LLVMCodeGenLevelLess),
        };
        Plan { passes, level, rare }
    }
}

/// Whether some function reads or writes memory other than its own frame, which becomes registers.
fn touches_memory(unit: &Unit) -> bool {
    fn in_frame(func: &ir::Function, pointer: ir::Value) -> bool {
        match func.values[pointer].def {
            ir::Def::Result(inst, _) => match func.insts[inst].op {
                Op::StackSlot => true,
                Op::PtrAdd => in_frame(func, func.insts[inst].args[0]),
                _ => false,
            },
            ir::Def::Param(..) => false,
        }
    }
    unit.functions.iter().any(|member| {
        let func = member.func;
        let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
        insts.any(|&inst| {
            let data = &func.insts[inst];
            let touches =
                matches!(data.op, Op::Load | Op::Store | Op::LoadUnaligned | Op::StoreUnaligned);
            touches && !in_frame(func, data.args[0])
        })
    })
}
