//! Eliminates refcount pairs: an incref that the next decref of the same owner undoes.
//!
//! ```text
//! incref %owner
//! decref %owner
//! ```
//!
//! ```text
//! incref %owner              as well where a decref of the same owner stands on each way
//! branch %c, block1, block2
//! block1: ... decref %owner
//! block2: ... decref %owner
//! ```
//!
//! Lowering increments where a value gets a second name, such as a result of the function, and decrements at the last
//! use of the first name.

use abi::Runtime;
use flow::Cfg;
use ir::{Block, Effect, Function, Inst, Op, Value};

/// Removes the ops that only say who holds a reference: what moves code does not keep them up.
pub fn drop_transfers(func: &mut Function) {
    let Function { insts, blocks, layout, .. } = func;
    for &block in layout.iter() {
        blocks[block].insts.retain(|&inst| !insts[inst].op.is_transfer());
    }
}

/// Removes pairs that stand in a block with nothing between that might free anything.
pub fn eliminate_refcount_pairs(func: &mut Function) {
    for block in func.layout.clone() {
        while let Some((retain, release)) = pair(func, block) {
            func.blocks[block].insts.retain(|&inst| inst != retain && inst != release);
        }
    }
    let counts = |inst: &Inst| func.insts[*inst].op == Op::Incref;
    if !func.layout.iter().any(|&block| func.blocks[block].insts.iter().any(counts)) {
        return;
    }
    let cfg = Cfg::compute(func);
    let tree = flow::compute_dominators(&cfg);
    for block in func.layout.clone() {
        let counts = |&inst: &Inst| func.insts[inst].op == Op::Incref;
        for retain in func.blocks[block].insts.iter().copied().filter(counts).collect::<Vec<Inst>>() {
            let releases = undone_everywhere(func, block, retain);
            // Whoever comes to one of them comes by the incref.
            let releases = releases.filter(|all| all.iter().all(|&(other, _)| tree.dominates(block, other)));
            let Some(releases) = releases else { continue };
            for (block, undone) in releases.into_iter().chain([(block, retain)]) {
                func.blocks[block].insts.retain(|&inst| inst != undone);
            }
        }
    }
}

/// How many blocks are looked at for one incref.
const FARTHEST: usize = 64;

/// The decrefs of the same owner that end each way from an incref, if nothing before them might free anything, and no way has two
/// of them.
fn undone_everywhere(func: &Function, home: Block, retain: Inst) -> Option<Vec<(Block, Inst)>> {
    let owner = func.insts[retain].args[0];
    let mut found: Vec<(Block, Inst)> = Vec::new();
    let mut seen = vec![home];
    let mut next = 0;
    while next < seen.len() {
        let block = seen[next];
        if let Some(release) = first_release(func, block, (next == 0).then_some(retain), owner)? {
            found.push((block, release));
        } else {
            let after = successors(func, block)?;
            // Back where the value is defined nothing is undone.
            if after.is_empty() || after.contains(&home) || seen.len() > FARTHEST {
                return None;
            }
            after.into_iter().for_each(|block| {
                if !seen.contains(&block) {
                    seen.push(block)
                }
            });
        }
        next += 1;
    }
    let once = found.iter().all(|&(block, _)| leads_to_none(func, home, block, &found));
    once.then_some(found)
}

/// The first decref of the owner in a block, after an instruction if one is given; none at all if something might free memory.
#[expect(clippy::option_option, reason = "a block without a decref is no failure")]
fn first_release(func: &Function, block: Block, behind: Option<Inst>, owner: Value) -> Option<Option<Inst>> {
    let data = &func.blocks[block];
    if data.handler.is_some() {
        return None;
    }
    let begin = behind.and_then(|inst| data.insts.iter().position(|&other| other == inst));
    let mut may_be_freed = false;
    for &inst in &data.insts[begin.map_or(0, |at| at + 1)..] {
        let data = &func.insts[inst];
        match data.op {
            Op::Decref if data.args[0] == owner => return Some(Some(inst)),
            // It may free what the owner keeps, which nobody may look at before the owner is released, too.
            Op::Decref => may_be_freed = true,
            _ if may_be_freed && data.op.info().effect != Effect::Pure => return None,
            // Of others it frees nothing.
            Op::Incref if data.args[0] != owner => {}
            // It holds a Python object.
            Op::CallExternal if func.callee(inst) == Some(Runtime::KeepAlive.symbol()) => {}
            _ if data.op.info().effect == Effect::Any && !is_store(data.op) => return None,
            _ => {}
        }
    }
    Some(None)
}

fn successors(func: &Function, block: Block) -> Option<Vec<Block>> {
    let last = *func.blocks[block].insts.last()?;
    Some(func.insts[last].targets.iter().map(|target| target.block).collect())
}

/// Whether no path from a block comes to another of these, unless the value is defined again.
fn leads_to_none(func: &Function, home: Block, from: Block, found: &[(Block, Inst)]) -> bool {
    let mut seen: Vec<Block> = Vec::new();
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        for after in successors(func, block).unwrap_or_default() {
            if found.iter().any(|&(other, _)| other == after && after != home) || seen.len() > 8 * FARTHEST {
                return false;
            }
            if after != home && !seen.contains(&after) {
                seen.push(after);
                open.push(after);
            }
        }
    }
    true
}

fn pair(func: &Function, block: Block) -> Option<(Inst, Inst)> {
    let mut open: Vec<(Value, Inst)> = Vec::new();
    for &inst in &func.blocks[block].insts {
        let data = &func.insts[inst];
        match data.op {
            Op::Incref => open.push((data.args[0], inst)),
            Op::Decref => {
                if let Some(&(_, retain)) = open.iter().rev().find(|(owner, _)| *owner == data.args[0]) {
                    return Some((retain, inst));
                }
                // Another name of the same memory may be what it returns.
                open.clear();
            }
            _ if data.op.info().effect == Effect::Any && !is_store(data.op) => open.clear(),
            _ => {}
        }
    }
    None
}

/// Writing to memory frees nothing.
fn is_store(op: Op) -> bool {
    matches!(op, Op::Store | Op::StoreUnaligned)
}
