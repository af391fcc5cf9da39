//! `with` blocks that Python runs: the variables that their bodies read and assign, their exits, and the call that
//! replaces them.
//!
//! ```text
//! BeforeWith            LoadGlobal $python.7
//! PopTop                LoadFast x
//! ...body...      ->    Call 1
//! LoadConst None *3     StoreFast y
//! Call 2; PopTop        Jump next
//! next
//! ```
//!
//! Absent: which blocks these are, and the function that is called (`python::host::python_blocks`).

use crate::context_managers::with_statements;
use crate::{Regions, stack_shape};
use bytecode::{CodeSnapshot, Constant, Decoded, Instruction, LocalId, LocalKind, Op, PythonBlockCall};
use diag::{Diagnostic, Result, Span, codes};
use entity::EntityRef;

/// The body of a `with` statement.
#[derive(Clone, Debug)]
pub struct Body {
    /// Byte offset of the instruction that enters it.
    pub at: u32,
    /// Byte offset of the first instruction of the body, which drops what entering gave.
    pub first: u32,
    /// Byte offset of what handles the exceptions of the body.
    pub handler: u32,
    /// Stack depth at the exception handler: the entries on the stack while the body runs.
    pub depth: u32,
    /// Byte offset of the instructions that leave it; nothing if it is never left at its end.
    pub exit: Option<u32>,
    /// Slots that it reads and that others than itself may have assigned; with those of the outgoing variables.
    pub reads: Vec<LocalId>,
    /// Variables of outer functions that it uses.
    pub free: Vec<LocalId>,
    /// Whether it assigns to one of those.
    pub changes_free: bool,
    /// Slots that it assigns.
    pub assigns: Vec<LocalId>,
    /// Slots that it assigns and that are read after it.
    pub read_behind: Vec<LocalId>,
    /// Index of the instruction after it.
    next: Option<usize>,
}

/// What keeps a body from being a function.
fn refuse(span: Span, what: &str, label: &str, hint: &str) -> Box<Diagnostic> {
    Diagnostic::new(codes::PYTHON_BLOCK, what).label(span, label).hint(hint)
}

/// Slots as a set.
#[derive(Clone, PartialEq, Eq)]
struct Slots(Vec<u64>);

impl Slots {
    fn new(count: usize) -> Slots {
        Slots(vec![0; count.div_ceil(64)])
    }

    fn has(&self, local: LocalId) -> bool {
        self.0[local.index() / 64] >> (local.index() % 64) & 1 == 1
    }

    fn put(&mut self, local: LocalId, there: bool) {
        let bit = 1 << (local.index() % 64);
        let word = &mut self.0[local.index() / 64];
        *word = if there { *word | bit } else { *word & !bit };
    }

    fn add(&mut self, other: &Slots) -> bool {
        let before = self.clone();
        self.0.iter_mut().zip(&other.0).for_each(|(word, more)| *word |= more);
        *self != before
    }
}

/// The bodies of the `with` statements of one function.
pub struct Bodies<'a> {
    code: &'a CodeSnapshot,
    decoded: &'a Decoded,
    /// By instruction: it stores what belongs to a comprehension alone.
    own: Vec<bool>,
}

impl<'a> Bodies<'a> {
    /// Reads the function.
    pub fn new(code: &'a CodeSnapshot, decoded: &'a Decoded) -> Result<Self> {
        let regions = Regions::compute(decoded)?;
        let restores = stack_shape::compute(code, decoded, &regions)?.restores;
        let mut own = restores;
        // The code between saving a variable and restoring it belongs to the comprehension.
        for at in 0..own.len() {
            let Op::LoadFastAndClear(saved) = decoded.instructions[at].op else { continue };
            let stores = |index: usize| decoded.instructions[index].op == Op::StoreFast(saved);
            if let Some(end) = (at..own.len()).find(|&index| own[index] && stores(index)) {
                (at..end).filter(|&index| stores(index)).for_each(|index| own[index] = true);
            }
        }
        Ok(Bodies { code, decoded, own })
    }

    /// The body that the instruction of this index enters; `outgoing` are the names that it is to assign.
    pub fn body(&self, at: usize, outgoing: &[String]) -> Result<Body> {
        let all = &self.decoded.instructions;
        let enter = all[at];
        let damaged = || Diagnostic::internal("the front end", "a `with` statement of an unknown form");
        let first = (at + 1..all.len()).find(|&index| all[index].op != Op::Nop).ok_or_else(damaged)?;
        if all[first].op != Op::PopTop {
            let hint = "Leave out `as` and its name: the block gives nothing.";
            return Err(refuse(enter.span, "`with objmode(...) as` is not supported", "here", hint));
        }
        let range = self.decoded.handler_of(all[first].offset).ok_or_else(damaged)?;
        let (handler, depth) = (range.target, range.depth);
        let (inside, exits) = self.extent(first, handler, depth);
        if let Some(yields) = (0..all.len()).find(|&index| inside[index] && suspends(all[index].op)) {
            let hint = "Let the block assign to a variable, and `yield` that behind it.";
            let what = "`yield` inside of an `objmode` block is not supported";
            return Err(refuse(all[yields].span, what, "here", hint));
        }
        let left = self.exit(enter.span, &exits)?;
        let local = |name: &String| {
            let found = self
                .code
                .locals
                .iter()
                .position(|local| local.name == *name && local.kind != LocalKind::Free);
            found.map(LocalId::new)
        };
        let declared: Vec<LocalId> = outgoing.iter().filter_map(local).collect();
        let assigns = self.stored(|index| inside[index]);
        let elsewhere = self.stored(|index| !inside[index]);
        let parameters = self.code.parameter_count() as usize;
        let live = self.live(&inside, &declared);
        let slots = || (0..self.code.locals.len()).map(LocalId::new);
        let is_free = |local: LocalId| self.code.locals[local.index()].kind == LocalKind::Free;
        let reads = slots().filter(|&local| {
            let assigned = local.index() < parameters || elsewhere.has(local);
            !is_free(local) && assigned && live[first].has(local)
        });
        let used = |local: LocalId| {
            (0..all.len()).any(|index| inside[index] && touches(all[index].op) == Some(local))
        };
        let behind = left.map(|(_, next)| &live[next]);
        Ok(Body {
            at: enter.offset,
            first: all[first].offset,
            handler,
            depth,
            exit: left.map(|(exit, _)| all[exit].offset),
            reads: reads.collect(),
            free: slots().filter(|&local| is_free(local) && used(local)).collect(),
            changes_free: slots().any(|local| is_free(local) && assigns.has(local)),
            assigns: slots().filter(|&local| !is_free(local) && assigns.has(local)).collect(),
            read_behind: slots()
                .filter(|&local| {
                    !is_free(local) && assigns.has(local) && behind.is_some_and(|live| live.has(local))
                })
                .collect(),
            next: left.map(|(_, next)| next),
        })
    }

    /// By instruction: whether it belongs to the body. Then the first instructions after it.
    fn extent(&self, first: usize, handler: u32, depth: u32) -> (Vec<bool>, Vec<usize>) {
        let all = &self.decoded.instructions;
        let (mut inside, mut seen) = (vec![false; all.len()], vec![false; all.len()]);
        let (mut exits, mut open) = (Vec::new(), vec![first]);
        while let Some(index) = open.pop() {
            if std::mem::replace(&mut seen[index], true) {
                continue;
            }
            let range = |index: usize| {
                let range = self.decoded.handler_of(all[index].offset);
                range.filter(|range| range.depth >= depth)
            };
            let Some(range) = range(index) else {
                // What does nothing but continue, here or there, needs no handler.
                let (passed, ways) = self.ways(index);
                match ways.iter().all(|&there| range(there).is_some()) {
                    true => {
                        passed.into_iter().for_each(|index| inside[index] = true);
                        open.extend(ways);
                    }
                    false if ways.len() > 1 => exits.push(index),
                    false => exits.extend(ways),
                }
                continue;
            };
            inside[index] = true;
            let handled = (range.target != handler).then_some(range.target);
            let targets = all[index].op.target().into_iter().chain(handled);
            open.extend(targets.filter_map(|offset| self.decoded.index_at(offset)));
            if all[index].op.falls_through() && index + 1 < all.len() {
                open.push(index + 1);
            }
        }
        exits.sort_unstable();
        exits.dedup();
        (inside, exits)
    }

    /// The first instruction of those that leave a body, and the one after them; an error if there are several ways out.
    fn exit(&self, with: Span, exits: &[usize]) -> Result<Option<(usize, usize)>> {
        let mut found: Option<(usize, usize)> = None;
        for &start in exits {
            let Some(next) = self.behind_exit(start) else {
                return Err(self.leaves(with, self.decoded.instructions[start].span, "`return`"));
            };
            match found {
                None => found = Some((start, next)),
                Some((known, _)) if known == start => {}
                Some((_, other)) => {
                    let early = if self.kind_of(other) == NORMAL { next } else { other };
                    let span = self.decoded.instructions[early].span;
                    return Err(self.leaves(with, span, self.kind_of(early)));
                }
            }
        }
        Ok(found)
    }

    fn leaves(&self, with: Span, span: Span, what: &str) -> Box<Diagnostic> {
        let what = if what == NORMAL { "`break` or `return`" } else { what };
        let message = format!("{what} leaves an `objmode` block, which is only supported at its end");
        let hint = "Assign to a declared variable in the block, and test it behind the block.";
        let refused = refuse(with, &message, "this block", hint);
        if span.line == with.line { refused } else { refused.label(span, "it goes on here") }
    }

    /// What an exit leads to, in words.
    fn kind_of(&self, next: usize) -> &'static str {
        let at = self.skip(next);
        match self.decoded.instructions[at].op {
            Op::Return => "`return`",
            Op::LoadConst(_)
                if self.decoded.instructions.get(at + 1).is_some_and(|next| next.op == Op::Return) =>
            {
                "`return`"
            }
            Op::Jump(target) if target <= self.decoded.instructions[at].offset => "`continue`",
            Op::PopTop => "`break`",
            _ => NORMAL,
        }
    }

    fn skip(&self, mut index: usize) -> usize {
        while self.decoded.instructions[index].op == Op::Nop && index + 1 < self.decoded.instructions.len() {
            index += 1;
        }
        index
    }

    /// Where control is after instructions that only continue, and these.
    fn follow(&self, mut index: usize) -> (Vec<usize>, usize) {
        let mut passed = Vec::new();
        while !passed.contains(&index) {
            let next = match self.decoded.instructions[index].op {
                Op::Nop if index + 1 < self.decoded.instructions.len() => Some(index + 1),
                Op::Jump(target) => self.decoded.index_at(target),
                _ => None,
            };
            let Some(next) = next else { break };
            passed.push(index);
            index = next;
        }
        (passed, index)
    }

    /// Where control goes from an instruction that continues at one place, or at one of two, and the instructions on the way.
    fn ways(&self, index: usize) -> (Vec<usize>, Vec<usize>) {
        let op = self.decoded.instructions[index].op;
        let other = op.target().and_then(|target| self.decoded.index_at(target));
        match other.filter(|_| op.falls_through() && index + 1 < self.decoded.instructions.len()) {
            None => {
                let (passed, there) = self.follow(index);
                (passed, vec![there])
            }
            Some(other) => {
                let (mut passed, next) = self.follow(index + 1);
                let (more, there) = self.follow(other);
                passed.push(index);
                passed.extend(more);
                (passed, vec![next, there])
            }
        }
    }

    /// The instruction after those that leave a block at its end: the call of its manager's `__exit__`.
    fn behind_exit(&self, start: usize) -> Option<usize> {
        let mut ops =
            (start..).zip(self.decoded.instructions.get(start..)?).filter(|(_, next)| next.op != Op::Nop);
        for _ in 0..3 {
            let Op::LoadConst(id) = ops.next()?.1.op else { return None };
            if self.code.constants[id.index()] != Constant::None {
                return None;
            }
        }
        let leaves = matches!(ops.next()?.1.op, Op::Call { argc: 2, .. }) && ops.next()?.1.op == Op::PopTop;
        ops.next().filter(|_| leaves).map(|(next, _)| next)
    }

    /// The slots that chosen instructions store to.
    fn stored(&self, chosen: impl Fn(usize) -> bool) -> Slots {
        let mut slots = Slots::new(self.code.locals.len());
        for (index, instruction) in self.decoded.instructions.iter().enumerate() {
            let (Op::StoreFast(local)
            | Op::StoreDeref(local)
            | Op::DeleteFast(local)
            | Op::DeleteDeref(local)) = instruction.op
            else {
                continue;
            };
            if chosen(index) && !self.own[index] {
                slots.put(local, true);
            }
        }
        slots
    }

    /// By instruction: the slots whose values are read from there on. Where the body ends, these are the declared ones.
    fn live(&self, inside: &[bool], declared: &[LocalId]) -> Vec<Slots> {
        let all = &self.decoded.instructions;
        let mut live = vec![Slots::new(self.code.locals.len()); all.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for index in (0..all.len()).rev() {
                let op = all[index].op;
                let mut now = Slots::new(self.code.locals.len());
                let targets = op.target().and_then(|offset| self.decoded.index_at(offset));
                let falls = (op.falls_through() && index + 1 < all.len()).then_some(index + 1);
                for successor in targets.into_iter().chain(falls) {
                    if inside[index] && !inside[successor] {
                        declared.iter().for_each(|&local| now.put(local, true));
                    } else {
                        now.add(&live[successor]);
                    }
                }
                match op {
                    Op::StoreFast(local) | Op::StoreDeref(local) if !self.own[index] => now.put(local, false),
                    Op::LoadFast(local)
                    | Op::LoadDeref(local)
                    | Op::LoadClosure(local)
                    | Op::DeleteFast(local) => {
                        now.put(local, true);
                    }
                    _ => {}
                }
                let handler = self.decoded.handler_of(all[index].offset);
                let handler = handler.and_then(|range| self.decoded.index_at(range.target));
                if let Some(handler) = handler.filter(|&handler| !inside[index] || inside[handler]) {
                    let there = live[handler].clone();
                    now.add(&there);
                }
                changed |= live[index].add(&now);
            }
        }
        live
    }
}

/// A way out that is the end of a block.
const NORMAL: &str = "the end";

fn suspends(op: Op) -> bool {
    matches!(op, Op::Yield | Op::Send { .. } | Op::GetYieldFromIter | Op::GetAwaitable(_) | Op::GetAnext)
}

/// The slot that an instruction is about.
fn touches(op: Op) -> Option<LocalId> {
    match op {
        Op::LoadDeref(local)
        | Op::StoreDeref(local)
        | Op::DeleteDeref(local)
        | Op::LoadClosure(local)
        | Op::LoadFromDictOrDeref(local) => Some(local),
        _ => None,
    }
}

/// The instructions of a function with calls in place of the blocks that Python runs.
pub fn replace_python_blocks(code: &CodeSnapshot, decoded: Decoded) -> Result<Decoded> {
    let mut decoded = decoded;
    for block in &code.python_blocks {
        // A block within another one is gone with it.
        let statement = with_statements(code, &decoded)
            .into_iter()
            .find(|statement| decoded.instructions[statement.at].offset == block.at);
        let Some(statement) = statement else { continue };
        let call = block.call.as_ref().map_err(Clone::clone)?;
        let body = Bodies::new(code, &decoded)?.body(statement.at, &[])?;
        let mut instructions = decoded.instructions[..statement.first].to_vec();
        instructions.extend(call_of(code, &decoded, (statement.first, statement.at), call, body.next));
        instructions.extend_from_slice(&decoded.instructions[statement.at + 1..]);
        decoded = drop_unreachable(&decoded.with_instructions(instructions));
    }
    Ok(decoded)
}

/// The call, at the place of the expression of the context manager.
fn call_of(
    code: &CodeSnapshot,
    decoded: &Decoded,
    (first, at): (usize, usize),
    call: &PythonBlockCall,
    next: Option<usize>,
) -> Vec<Instruction> {
    let load = |&local: &LocalId| match code.locals[local.index()].kind {
        LocalKind::Local => Op::LoadFast(local),
        _ => Op::LoadDeref(local),
    };
    let store = |&local: &LocalId| match code.locals[local.index()].kind {
        LocalKind::Local => Op::StoreFast(local),
        _ => Op::StoreDeref(local),
    };
    let mut ops = vec![Op::PushNull, Op::LoadGlobal(call.function)];
    ops.extend(call.passed.iter().map(load));
    ops.push(Op::Call { argc: call.passed.len() as u32, keywords: None });
    match (next, call.outgoing.len()) {
        // It always ends with an exception.
        (None, _) => ops.extend([Op::PopTop, Op::LoadAssertionError, Op::Raise(1)]),
        (Some(next), 0) => ops.extend([Op::PopTop, Op::Jump(decoded.instructions[next].offset)]),
        (Some(next), count) => {
            // One value comes as itself.
            if count > 1 {
                ops.push(Op::UnpackSequence(count as u32));
            }
            ops.extend(call.outgoing.iter().map(store));
            ops.push(Op::Jump(decoded.instructions[next].offset));
        }
    }
    let begin = decoded.instructions[first];
    let enter = decoded.instructions[at];
    // Jumps to the statement go to the first of these; exceptions of the call are handled where those of entering were.
    let number_first = |(number, op): (usize, Op)| match number {
        0 => Instruction { op, span: enter.span, ..begin },
        _ => Instruction { op, ..enter },
    };
    ops.into_iter().enumerate().map(number_first).collect()
}

/// The code without instructions that nothing leads to.
fn drop_unreachable(decoded: &Decoded) -> Decoded {
    let all = &decoded.instructions;
    let mut reached = vec![false; all.len()];
    let mut open = vec![0];
    while let Some(index) = open.pop() {
        if std::mem::replace(&mut reached[index], true) {
            continue;
        }
        let op = all[index].op;
        let handler = decoded.handler_of(all[index].offset).map(|range| range.target);
        let targets = op.target().into_iter().chain(handler);
        open.extend(targets.filter_map(|offset| decoded.index_at(offset)));
        if op.falls_through() && index + 1 < all.len() {
            open.push(index + 1);
        }
    }
    let kept = (0..all.len()).filter(|&index| reached[index]).map(|index| all[index]).collect();
    decoded.with_instructions(kept)
}
