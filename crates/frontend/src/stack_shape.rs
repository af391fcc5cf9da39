//! Depth and kinds of the stack at the start of each block, and the stack effect of instructions.

use crate::basic_blocks::{Handler, Region, Regions};
use bytecode::{CodeSnapshot, Decoded, Op};
use diag::{Diagnostic, Result, codes};
use entity::{EntityRef, SideTable};

/// What an element of the stack is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A value.
    Value,
    /// The marker that `PushNull` pushes.
    Null,
    /// What a variable held before an inlined comprehension: perhaps nothing.
    Saved,
}

/// The stack where each reachable block begins.
pub(crate) struct Shapes {
    entry: SideTable<Region, Option<Vec<Kind>>>,
    /// Deepest stack at the boundary of two blocks.
    pub depth: usize,
    /// By instruction: it is a `StoreFast` that puts back what a comprehension had saved.
    pub restores: Vec<bool>,
}

impl Shapes {
    /// The stack at the beginning of a block; `None` if nothing reaches it.
    pub fn at(&self, region: Region) -> Option<&[Kind]> {
        self.entry[region].as_deref()
    }
}

fn malformed(decoded: &Decoded, index: usize, what: &str) -> Box<Diagnostic> {
    let offset = decoded.instructions.get(index).map_or(0, |instruction| instruction.offset);
    Diagnostic::new(codes::MALFORMED_BYTECODE, format!("malformed bytecode at offset {offset}: {what}"))
}

/// Follows the stack through all reachable blocks.
pub(crate) fn compute(code: &CodeSnapshot, decoded: &Decoded, regions: &Regions) -> Result<Shapes> {
    let mut shapes =
        Shapes { entry: SideTable::new(), depth: 0, restores: vec![false; decoded.instructions.len()] };
    let entry = Region::new(0);
    shapes.entry[entry] = Some(Vec::new());
    let mut pending = vec![entry];
    while let Some(region) = pending.pop() {
        let data = &regions.blocks[region];
        let mut stack = shapes.entry[region].clone().unwrap_or_default();
        let start = stack.clone();
        for index in data.first..data.last {
            let op = decoded.instructions[index].op;
            if matches!(op, Op::StoreFast(_)) && stack.last() == Some(&Kind::Saved) {
                shapes.restores[index] = true;
            }
            if stack.len() > code.stack_size as usize + 2 {
                return Err(malformed(decoded, index, "the stack is deeper than the code object says"));
            }
            step(op, &mut stack, new_kinds(op))
                .ok_or_else(|| malformed(decoded, index, "the stack is too low"))?;
        }
        follow_edges(decoded, regions, &mut shapes, &mut pending, region, stack)?;
        if let Some(handler) = data.handler {
            follow_handler(decoded, regions, &mut shapes, &mut pending, region, handler, start)?;
        }
    }
    Ok(shapes)
}

/// Takes the stack from the end of a block to its successors.
fn follow_edges(
    decoded: &Decoded,
    regions: &Regions,
    shapes: &mut Shapes,
    pending: &mut Vec<Region>,
    region: Region,
    stack: Vec<Kind>,
) -> Result<()> {
    let data = &regions.blocks[region];
    let too_low = || malformed(decoded, data.first, "the stack is too low");
    let ending = data.last.checked_sub(1).map(|last| decoded.instructions[last].op);
    for (number, &successor) in data.successors.iter().enumerate() {
        if regions.handled(successor).is_some() {
            return Err(malformed(decoded, data.first, "control runs into a handler of exceptions"));
        }
        let jumps = number + 1 == data.successors.len() && is_jump(regions, region, ending);
        let mut out = stack.clone();
        if regions.is_send_exit(region) {
            send_exit(&mut out).ok_or_else(too_low)?;
        } else if jumps {
            jump_step(ending, &mut out).ok_or_else(too_low)?;
        } else {
            fall_step(ending, &mut out);
        }
        flow_to(decoded, shapes, pending, data.first, successor, out)?;
    }
    Ok(())
}

/// Takes the stack from the start of a protected block to its handler.
fn follow_handler(
    decoded: &Decoded,
    regions: &Regions,
    shapes: &mut Shapes,
    pending: &mut Vec<Region>,
    region: Region,
    handler: Handler,
    mut stack: Vec<Kind>,
) -> Result<()> {
    let first = regions.blocks[region].first;
    let same = |other: Handler| (other.depth, other.push_lasti) == (handler.depth, handler.push_lasti);
    if !regions.handled(handler.region).is_some_and(same) {
        return Err(malformed(decoded, first, "two ways into a handler leave different stacks"));
    }
    if (handler.depth as usize) > stack.len() {
        return Err(malformed(decoded, first, "the handler keeps more than the stack holds"));
    }
    stack.truncate(handler.depth as usize);
    stack.extend(vec![Kind::Value; 1 + usize::from(handler.push_lasti)]);
    flow_to(decoded, shapes, pending, first, handler.region, stack)
}

fn is_jump(regions: &Regions, region: Region, ending: Option<Op>) -> bool {
    !regions.is_send_exit(region) && ending.is_some_and(|op| op.target().is_some())
}

fn flow_to(
    decoded: &Decoded,
    shapes: &mut Shapes,
    pending: &mut Vec<Region>,
    from: usize,
    to: Region,
    stack: Vec<Kind>,
) -> Result<()> {
    shapes.depth = shapes.depth.max(stack.len());
    match &shapes.entry[to] {
        None => {
            shapes.entry[to] = Some(stack);
            pending.push(to);
            Ok(())
        }
        Some(known) if *known == stack => Ok(()),
        Some(_) => Err(malformed(decoded, from, "two paths to one instruction leave different stacks")),
    }
}

/// What the elements are that an instruction pushes, bottom to top.
fn new_kinds(op: Op) -> impl FnMut(usize) -> Kind {
    move |number| match op {
        Op::PushNull => Kind::Null,
        Op::LoadMethod(_) | Op::LoadSuperAttr { method: true, .. } if number == 1 => Kind::Null,
        Op::LoadFastAndClear(_) => Kind::Saved,
        _ => Kind::Value,
    }
}

/// How many of the elements that an op looks at stay where they are.
fn kept(op: Op) -> u32 {
    match op {
        Op::Copy(n)
        | Op::ListAppend(n)
        | Op::SetAdd(n)
        | Op::MapAdd(n)
        | Op::ListExtend(n)
        | Op::SetUpdate(n)
        | Op::DictUpdate(n)
        | Op::DictMerge(n) => n,
        Op::ForIter { .. }
        | Op::ImportFrom(_)
        | Op::GetLen
        | Op::MatchMapping
        | Op::MatchSequence
        | Op::CheckExcMatch
        | Op::Send { .. }
        | Op::GetAnext => 1,
        Op::MatchKeys => 2,
        Op::WithExceptStart => 4,
        Op::Reraise { lasti } => lasti,
        _ => 0,
    }
}

/// Moves the stack as `op` does on its way to the next instruction (a conditional jump leaves
/// what it tests to [`fall_step`] and [`jump_step`]). `new(n)` makes the n-th pushed element.
pub(crate) fn step<T: Clone>(op: Op, stack: &mut Vec<T>, mut new: impl FnMut(usize) -> T) -> Option<()> {
    let effect = op.effect();
    let depth = stack.len();
    if (effect.pops as usize) > depth {
        return None;
    }
    match op {
        Op::Swap(n) => {
            let other = depth.checked_sub(n as usize).filter(|&other| other < depth)?;
            stack.swap(depth - 1, other);
            return Some(());
        }
        Op::Copy(n) => {
            stack.push(stack.get(depth.checked_sub(n as usize)?)?.clone());
            return Some(());
        }
        Op::JumpIfTrueOrPop(_) | Op::JumpIfFalseOrPop(_) => return Some(()),
        _ => {}
    }
    let kept = kept(op).min(effect.pops) as usize;
    stack.truncate(depth - effect.pops as usize + kept);
    for number in 0..(effect.pushes as usize).saturating_sub(kept) {
        stack.push(new(number));
    }
    Some(())
}

/// The rest of a conditional jump's effect where it does not jump.
pub(crate) fn fall_step<T>(ending: Option<Op>, stack: &mut Vec<T>) {
    if matches!(ending, Some(Op::JumpIfTrueOrPop(_) | Op::JumpIfFalseOrPop(_))) {
        stack.pop();
    }
}

/// The rest of a conditional jump's effect where it jumps: a finished iterator goes.
pub(crate) fn jump_step<T>(ending: Option<Op>, stack: &mut Vec<T>) -> Option<()> {
    if matches!(ending, Some(Op::ForIter { .. })) {
        stack.pop()?;
        stack.pop()?;
    }
    Some(())
}

/// What the empty block after a `Send` does: the receiver goes, what it returned stays.
pub(crate) fn send_exit<T>(stack: &mut Vec<T>) -> Option<()> {
    let returned = stack.pop()?;
    *stack.last_mut()? = returned;
    Some(())
}
