//! Selects the passes and the code generator's effort by the content of the unit.
//!
//! The text of the Explicit phase is SSA already and small functions have little to optimize;
//! most of their time goes into starting LLVM's passes. `cargo run --release -p jit --example latency`
//! shows where it goes.

use crate::{Options, Unit, block_frequency};
use entity::{HashMap, PackedOption, SideTable};
use ir::{Effect, Op};
use llvm_sys::target_machine::LLVMCodeGenOptLevel;
use std::ffi::CStr;

/// A text for LLVM of function passes, given in parts, with passes over the module after.
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

/// Algebra. (`instcombine` aborts if it reaches no fixpoint, unless that is disabled.)
macro_rules! combine {
    () => {
        "instcombine<no-verify-fixpoint>,"
    };
}

/// Canonical loops with invariant code and invariant exits moved out. (The frame became values before: `opt::promote`.)
macro_rules! canonical {
    () => {
        concat!(
            "early-cse<memssa>,simplifycfg,",
            "loop-mssa(loop-simplifycfg,loop-rotate,licm,simple-loop-unswitch),",
            "simplifycfg<hoist-common-insts;sink-common-insts>,",
            combine!(),
            "loop(indvars,loop-deletion),gvn,",
        )
    };
}

/// For code without loops.
const CHEAP: &CStr = passes!("early-cse<memssa>,simplifycfg,", combine!(), "simplifycfg");

/// For loops over memory: vectors, then unrolling of what they leave.
macro_rules! memory {
    ($ahead:expr, $divisions:expr, $reloads:expr) => {
        passes!(
            $ahead,
            canonical!(),
            $divisions,
            "rumba-switches,loop-vectorize,rumba-rows,",
            $reloads,
            "rumba-remainders,",
            combine!(),
            "loop-mssa(licm),loop-unroll<O2>,early-cse,simplifycfg"
        )
    };
}

/// Of numbers that are known to be small, division is cheap, and without a sign it needs no correction. What loops ask of them shows where
/// they are tested at their heads, before they are rotated.
macro_rules! signs {
    () => {
        "correlated-propagation,"
    };
}

/// The rest shows after.
macro_rules! divisions {
    () => {
        concat!("correlated-propagation,", combine!())
    };
}

/// What a round stores and the next one loads is kept.
macro_rules! reloads {
    () => {
        "loop-load-elim,"
    };
}

const MEMORY: &CStr = memory!("", "", "");
const DIVISIONS: &CStr = memory!(signs!(), divisions!(), "");
const RELOADS: &CStr = memory!("", "", reloads!());
const DIVISIONS_AND_RELOADS: &CStr = memory!(signs!(), divisions!(), reloads!());

/// For loops that go through the bits of a number: some are one instruction, and some have few rounds.
const BITS: &CStr = passes!(
    canonical!(),
    "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),",
    divisions!(),
    "rumba-switches,loop-vectorize,rumba-remainders,rumba-rounds,",
    combine!(),
    "loop-mssa(licm),loop-unroll<O2>,early-cse,simplifycfg",
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

/// For loops of long functions: vectors, but one round at a time.
const LONG: &CStr = passes!(
    "sroa<modify-cfg>,",
    canonical!(),
    "rumba-switches,loop-vectorize,loop-load-elim,",
    combine!(),
    "loop-mssa(licm),early-cse,simplifycfg"
);

/// For long functions of many loops. What these passes ask of the loops before one goes through all of them where their ways out have been joined,
/// so blocks are joined behind.
const CROWDED: &CStr = passes!(
    "sroa<modify-cfg>,early-cse<memssa>,",
    "loop-mssa(loop-simplifycfg,loop-rotate,licm,simple-loop-unswitch),",
    "loop(indvars,loop-deletion),gvn,",
    "simplifycfg<hoist-common-insts;sink-common-insts>,",
    combine!(),
    "rumba-switches,loop-vectorize,",
    combine!(),
    "loop-mssa(licm),early-cse,simplifycfg"
);

/// For loops in huge functions, where vectors would double the time.
const HUGE: &CStr = passes!("sroa<modify-cfg>,", canonical!(), combine!(), "simplifycfg");

/// For units with functions that others wrote, which are to be inlined.
pub(crate) const FOREIGN: &CStr = c"default<O2>";

const EVERYTHING: &CStr = c"default<O3>";

/// Above this a unit counts as long.
const MANY_INSTRUCTIONS: usize = 1000;

/// Above this it counts as huge.
const TOO_MANY_INSTRUCTIONS: usize = 10_000;

/// With more loops a long function counts as crowded.
const MANY_LOOPS: usize = 64;

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
    /// Whether the code generator replaces products in loops by sums, also if none is begun often. That takes as long as all of its other passes,
    /// and the processor multiplies a counter by the size of an item when it reads the item.
    pub(crate) reduces: bool,
    /// Whether inner loops ask by themselves if what a round reads and writes overlaps. One question before a whole nest costs less, but rows of
    /// one array always lie within all that the nest goes through (`d[i, j] = d[i, k] + d[k, j]`).
    pub(crate) by_row: bool,
    /// Whether loops look for signals aside.
    pub(crate) polls: bool,
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
        let rare = vec![false; unit.functions.len()];
        Plan { passes, level, reduces: true, by_row: false, polls: polls(unit), rare }
    }

    fn by_content(unit: &Unit) -> Plan {
        use LLVMCodeGenOptLevel::*;
        let size: usize = unit.functions.iter().map(|member| member.func.len()).sum();
        let blocks: usize = unit.functions.iter().map(|member| member.func.layout.len()).sum();
        let loops = unit.functions.iter().any(|member| block_frequency::loops(member.func));
        let rare = block_frequency::run_rarely(unit);
        // At the highest level what two ways have in common at their end follows both, where it is short: a round ends with one jump less.
        let (passes, level) = match (loops, rare.iter().all(|&rare| rare)) {
            (true, _) if size > MANY_INSTRUCTIONS && is_crowded(unit) => {
                (Some(CROWDED), LLVMCodeGenLevelDefault)
            }
            (true, _) if size > TOO_MANY_INSTRUCTIONS => (Some(HUGE), LLVMCodeGenLevelDefault),
            (true, _) if size > MANY_INSTRUCTIONS => (Some(LONG), LLVMCodeGenLevelAggressive),
            (true, _) if unit.functions.iter().any(|member| calls_values(member.func)) => {
                (Some(CALLS), LLVMCodeGenLevelAggressive)
            }
            (true, _) if unit.functions.iter().any(|member| counts_bits(member.func)) => {
                (Some(BITS), LLVMCodeGenLevelAggressive)
            }
            (true, _) if touches_memory(unit) => (Some(of_memory(unit)), LLVMCodeGenLevelAggressive),
            (true, _) => (Some(COMPUTE), LLVMCodeGenLevelAggressive),
            (false, true) if blocks == 1 && size <= FEW_INSTRUCTIONS => (None, LLVMCodeGenLevelNone),
            (false, true) if size <= SOME_INSTRUCTIONS => (Some(CHEAP), LLVMCodeGenLevelNone),
            (false, _) => (Some(CHEAP), LLVMCodeGenLevelLess),
        };
        let reduces = unit.functions.iter().any(|member| scales_in_loops(member.func));
        let by_row = loops && unit.functions.iter().any(|member| reloads(member.func));
        Plan { passes, level, reduces, by_row, polls: polls(unit), rare }
    }
}

/// Whether some function has many loops.
fn is_crowded(unit: &Unit) -> bool {
    unit.functions.iter().any(|member| {
        let cfg = flow::Cfg::compute(member.func);
        flow::compute_loops(&cfg, &flow::compute_dominators(&cfg)).len() > MANY_LOOPS
    })
}

/// Whether some function looks for signals aside.
fn polls(unit: &Unit) -> bool {
    let blocks = unit.functions.iter().flat_map(|member| {
        let func = member.func;
        func.layout
            .iter()
            .flat_map(move |&block| func.blocks[block].insts.iter().map(move |&inst| &func.insts[inst]))
    });
    blocks.into_iter().any(|data| data.op == Op::PollAside)
}

/// Whether the function calls by address where that is not rare.
fn calls_values(func: &ir::Function) -> bool {
    let usual = func.layout.iter().filter(|&&block| !func.blocks[block].cold);
    usual.flat_map(|&block| &func.blocks[block].insts).any(|&inst| func.insts[inst].op == Op::CallIndirect)
}

/// The passes for loops over memory.
fn of_memory(unit: &Unit) -> &'static CStr {
    let divides = holds(unit, |op| matches!(op, Op::Sdiv | Op::Srem));
    let reloads = unit.functions.iter().any(|member| reloads(member.func));
    match (divides, reloads) {
        (false, false) => MEMORY,
        (true, false) => DIVISIONS,
        (false, true) => RELOADS,
        (true, true) => DIVISIONS_AND_RELOADS,
    }
}

/// Whether the function loads from what it stores to, or may, where that is not rare.
fn reloads(func: &ir::Function) -> bool {
    let usual: Vec<ir::Block> =
        func.layout.iter().copied().filter(|&block| !func.blocks[block].cold).collect();
    ir::reloads(func, &usual)
}

/// Whether some function has such an op.
fn holds(unit: &Unit, wanted: impl Fn(Op) -> bool) -> bool {
    unit.functions.iter().any(|member| {
        let func = member.func;
        func.layout
            .iter()
            .flat_map(|&block| &func.blocks[block].insts)
            .any(|&inst| wanted(func.insts[inst].op))
    })
}

/// Whether a loop continues with its variable shifted, or with bits taken from it, as loops do that count bits.
fn counts_bits(func: &ir::Function) -> bool {
    let is_shift =
        |inst: &ir::Inst| matches!(func.insts[*inst].op, Op::Sshr | Op::Ushr | Op::Ishl | Op::Iand);
    let mut shifts = func
        .layout
        .iter()
        .flat_map(|&block| &func.blocks[block].insts)
        .copied()
        .filter(|inst| is_shift(inst));
    shifts.any(|inst| {
        let data = &func.insts[inst];
        let ir::Def::Param(header, number) = func.values[data.args[0]].def else { return false };
        let mut edges = func.layout.iter().flat_map(|&block| func.edges(block));
        func.native(data.results[0]) != ir::Native::I1
            && edges.any(|call| {
                call.block == header && call.args.get(usize::from(number)) == data.results.first()
            })
    })
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
            let touches = matches!(data.op, Op::Load | Op::Store | Op::LoadUnaligned | Op::StoreUnaligned);
            touches && !in_frame(func, data.args[0])
        })
    })
}

/// Whether an innermost loop multiplies something that changes in it by something that is no constant, as the
/// address of an item does where the strides of an array are not known.
fn scales_in_loops(func: &ir::Function) -> bool {
    let cfg = flow::Cfg::compute(func);
    if !cfg.has_cycle() {
        return false;
    }
    let forest = flow::compute_loops(&cfg, &flow::compute_dominators(&cfg));
    let mut block_of: SideTable<ir::Inst, PackedOption<ir::Block>> = SideTable::new();
    for &block in &func.layout {
        func.blocks[block].insts.iter().for_each(|&inst| block_of[inst] = block.into());
    }
    let mut found = false;
    for id in forest.innermost_loops() {
        let mut changing =
            Changing { func, block_of: &block_of, forest: &forest, of: id, known: HashMap::default() };
        let insts = forest.body(id).iter().flat_map(|&block| &func.blocks[block].insts);
        found |= insts.map(|&inst| &func.insts[inst]).any(|data| {
            data.op == Op::Imul
                && !data.args.iter().any(|&arg| is_constant(func, arg))
                && data.args.iter().any(|&arg| changing.is(arg))
        });
    }
    found
}

fn is_constant(func: &ir::Function, value: ir::Value) -> bool {
    matches!(func.values[value].def, ir::Def::Result(inst, _) if func.insts[inst].op == Op::Iconst)
}

/// Which values change in a loop.
struct Changing<'a> {
    func: &'a ir::Function,
    block_of: &'a SideTable<ir::Inst, PackedOption<ir::Block>>,
    forest: &'a flow::LoopForest<ir::Block>,
    of: flow::LoopId,
    known: HashMap<ir::Value, bool>,
}

impl Changing<'_> {
    fn is(&mut self, value: ir::Value) -> bool {
        if let Some(&known) = self.known.get(&value) {
            return known;
        }
        let changes = match self.func.values[value].def {
            ir::Def::Param(block, _) => self.forest.contains(self.of, block),
            ir::Def::Result(inst, _) => {
                let data = &self.func.insts[inst];
                let inside =
                    self.block_of[inst].expand().is_some_and(|block| self.forest.contains(self.of, block));
                inside && (data.op.info().effect != Effect::Pure || data.args.iter().any(|&arg| self.is(arg)))
            }
        };
        self.known.insert(value, changes);
        changes
    }
}
