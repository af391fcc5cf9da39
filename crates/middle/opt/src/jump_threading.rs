//! Jump threading: a predecessor that enters a block with a constant that decides its branch jumps directly to the
//! successor.
//!
//! ```text
//! block1: jump block3(%zero)                       block1: jump block4
//! block2: jump block3(%one)                        block2: jump block5
//! block3(%state):                        becomes
//!     %c = icmp eq, %state, %zero
//!     branch %c, block4, block5
//! ```
//!
//! Absent: tests whose outcome is not known from constants alone ([`crate::thread_correlated_branches`]).

use crate::clone_blocks::CloneMap;
use crate::copy_by_constant::copy_by_constant;
use crate::redundant_params::remove_redundant_params;
use crate::spill_region::{spill, substitute};
use entity::HashMap;
use flow::Cfg;
use ir::{Attr, Block, BlockCall, Builder, Def, Function, Inst, IntCond, Native, Op, Value};

/// How many edges of a function are led elsewhere.
const MAX_EDGES: usize = 64;

/// How many instructions one way around has.
const MAX_COPIED: usize = 48;

/// Leads edges with constants to where they go in the end; whether there were any. Values that several blocks define then
/// lie in the frame.
pub fn thread_jumps(func: &mut Function) -> bool {
    let folded = remove_redundant_params(func);
    fold_branches(func);
    for count in 0..MAX_EDGES {
        let Some((edge, way)) = find(func) else {
            return copy_by_constant(func) || folded || count > 0;
        };
        take(func, edge, &way);
    }
    true
}

/// Branches on comparisons of constants become jumps.
fn fold_branches(func: &mut Function) {
    for block in func.layout.clone() {
        let Some(last) = func.terminator(block).filter(|&last| func.insts[last].op == Op::Branch) else {
            continue;
        };
        let condition = func.insts[last].args[0];
        let mut known = HashMap::default();
        if let Def::Result(inst, _) = func.values[condition].def {
            learn(func, inst, &mut known);
        }
        if let Some(truth) = known.get(&condition).copied().or_else(|| constant(func, condition)) {
            func.insts[last].jump_to(usize::from(truth & 1 == 0));
        }
    }
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
}

/// Where there is one way into a block, a value that is handed to it is the parameter. (What an inlined call that fails is to
/// release follows a parameter, so only some go.)
pub(crate) fn forward_params(func: &mut Function, is_wanted: &dyn Fn(&Function, Block, Value) -> bool) {
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
    let mut replaced: HashMap<Value, Value> = HashMap::default();
    for &block in cfg.reverse_postorder() {
        let [from] = cfg.predecessors(block)[..] else { continue };
        let Some(last) = func.terminator(from) else { continue };
        let mut ways =
            (0..func.insts[last].targets.len()).filter(|&at| func.insts[last].targets[at].block == block);
        let (Some(way), None) = (ways.next(), ways.next()) else { continue };
        let args = func.insts[last].targets[way].args.clone();
        let params = func.blocks[block].params.clone();
        let (mut handed, mut kept) = (Vec::new(), Vec::new());
        for (arg, param) in args.into_iter().zip(params) {
            let value = replaced.get(&arg).copied().unwrap_or(arg);
            if is_wanted(func, block, value) {
                replaced.insert(param, value);
            } else {
                func.values[param].def = Def::Param(block, kept.len() as u16);
                handed.push(arg);
                kept.push(param);
            }
        }
        func.insts[last].targets[way].args = handed.into_iter().collect();
        func.blocks[block].params = kept;
    }
    substitute(func, &replaced);
}

/// An edge: the terminator that it is of, and which target.
pub(crate) type Edge = (Inst, usize);

/// A way through blocks whose branches are known.
pub(crate) struct Way {
    pub(crate) blocks: Vec<Block>,
    /// Which target each is left by.
    pub(crate) targets: Vec<usize>,
}

fn find(func: &Function) -> Option<(Edge, Way)> {
    for &block in &func.layout {
        let Some(last) = func.terminator(block) else { continue };
        for (number, target) in func.insts[last].targets.iter().enumerate() {
            let constants = target.args.iter().any(|&arg| constant(func, arg).is_some());
            if constants && let Some(way) = follow(func, target) {
                return Some(((last, number), way));
            }
        }
    }
    None
}

/// Goes on from an edge as long as it is known where to.
fn follow(func: &Function, from: &BlockCall) -> Option<Way> {
    let mut known: HashMap<Value, i64> = HashMap::default();
    let (mut blocks, mut targets): (Vec<Block>, Vec<usize>) = (Vec::new(), Vec::new());
    let mut found = None;
    let mut copied = 0;
    let mut call = from.clone();
    loop {
        let block = call.block;
        if blocks.contains(&block) {
            return found;
        }
        blocks.push(block);
        for (&param, &arg) in func.blocks[block].params.iter().zip(&call.args) {
            if let Some(number) = known.get(&arg).copied().or_else(|| constant(func, arg)) {
                known.insert(param, number);
            }
        }
        for &inst in &func.blocks[block].insts {
            learn(func, inst, &mut known);
        }
        copied += func.blocks[block].insts.len();
        if copied > MAX_COPIED {
            return found;
        }
        let last = func.terminator(block)?;
        let data = &func.insts[last];
        let target = match data.op {
            Op::Jump => 0,
            Op::Branch => match known.get(&data.args[0]) {
                Some(&truth) => usize::from(truth & 1 == 0),
                None => return found,
            },
            _ => return found,
        };
        targets.push(target);
        if data.op == Op::Branch {
            found = Some(Way { blocks: blocks.clone(), targets: targets.clone() });
        }
        call = data.targets[target].clone();
    }
}

/// Notes the result of an instruction, if it is known.
fn learn(func: &Function, inst: Inst, known: &mut HashMap<Value, i64>) {
    let data = &func.insts[inst];
    let of = |value: Value| known.get(&value).copied().or_else(|| constant(func, value));
    let outcome = match (data.op, data.attrs.first()) {
        (Op::Icmp, Some(Attr::IntCond(cond))) => match (of(data.args[0]), of(data.args[1]), cond) {
            (Some(a), Some(b), IntCond::Eq) => Some(i64::from(a == b)),
            (Some(a), Some(b), IntCond::Ne) => Some(i64::from(a != b)),
            _ => None,
        },
        _ => None,
    };
    if let Some(outcome) = outcome {
        known.insert(data.results[0], outcome);
    }
}

/// The integer that a value is.
pub(crate) fn constant(func: &Function, value: Value) -> Option<i64> {
    let Def::Result(inst, _) = func.values[value].def else { return None };
    match (func.insts[inst].op, &func.insts[inst].attrs[..]) {
        (Op::Iconst, &[Attr::Native(native), Attr::Int(number)]) if native != Native::Ptr => Some(number),
        _ => None,
    }
}

/// Copies what stands on the way after the edge.
pub(crate) fn take(func: &mut Function, (edge, number): Edge, way: &Way) {
    // What the blocks define is had from two places then.
    spill(func, &way.blocks);
    let first = func.insts[edge].targets[number].clone();
    let mut map = CloneMap::default();
    let copy = map.add_block(func, first.block);
    let mut call = first;
    for (&block, &target) in way.blocks.iter().zip(&way.targets) {
        map.values.extend(func.blocks[block].params.iter().copied().zip(call.args));
        let insts = func.blocks[block].insts.clone();
        let Some((&last, body)) = insts.split_last() else { return };
        for &inst in body {
            map.inst(func, copy, inst);
        }
        call = map.args(&func.insts[last].targets[target]);
    }
    Builder::new(func, copy).jump(call.block, &call.args);
    func.insts[edge].targets[number] = BlockCall::new(copy, []);
}
