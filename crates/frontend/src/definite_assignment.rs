//! Definite assignment: local variables that may be unbound where they are read, by a forward analysis over bit sets.
//!
//! Absent: what is done about them (`variables` follows a bit for each, `translate` checks it).

use crate::basic_blocks::{Region, Regions};
use crate::stack_shape::Shapes;
use bytecode::{CodeSnapshot, Decoded, LocalId, LocalKind, Op};
use entity::EntityRef;
use flow::Cfg;

/// The slots that are assigned on every path to one place, a bit for each.
#[derive(Clone, PartialEq, Eq)]
struct Assigned(Vec<u64>);

impl Assigned {
    fn contains(&self, local: LocalId) -> bool {
        self.0[local.index() / 64] >> (local.index() % 64) & 1 == 1
    }

    fn put(&mut self, local: LocalId, assigned: bool) {
        let bit = 1 << (local.index() % 64);
        let word = &mut self.0[local.index() / 64];
        *word = if assigned { *word | bit } else { *word & !bit };
    }

    /// Removes what `other` has not; whether anything went.
    fn meet(&mut self, other: &Assigned) -> bool {
        let mut gone = 0;
        for (word, also) in self.0.iter_mut().zip(&other.0) {
            gone |= *word & !also;
            *word &= also;
        }
        gone != 0
    }

    fn step(&mut self, op: Op, restores: bool) {
        match op {
            Op::StoreFast(local) => self.put(local, !restores),
            Op::MakeCell(local) => self.put(local, true),
            Op::DeleteFast(local) | Op::LoadFastAndClear(local) => self.put(local, false),
            _ => {}
        }
    }
}

/// By slot: whether it is read where some path has not assigned it.
pub(crate) fn find_maybe_unbound(
    code: &CodeSnapshot,
    decoded: &Decoded,
    regions: &Regions,
    shapes: &Shapes,
    cfg: &Cfg<Region>,
) -> Vec<bool> {
    let locals = code.locals.len();
    let assigned = solve(code, decoded, regions, shapes, cfg);
    let mut unbound = vec![false; locals];
    for &region in cfg.reverse_postorder() {
        let data = &regions.blocks[region];
        let mut state = assigned[region.index()].clone();
        for index in data.first..data.last {
            let op = decoded.instructions[index].op;
            if let Op::LoadFast(local) | Op::DeleteFast(local) | Op::LoadFastAndClear(local) = op {
                unbound[local.index()] |= !state.contains(local);
            }
            state.step(op, shapes.restores[index]);
        }
    }
    unbound
}

/// What is assigned where each block begins: starts from "everything" and removes until nothing
/// changes.
fn solve(
    code: &CodeSnapshot,
    decoded: &Decoded,
    regions: &Regions,
    shapes: &Shapes,
    cfg: &Cfg<Region>,
) -> Vec<Assigned> {
    let locals = code.locals.len();
    let all = Assigned(vec![u64::MAX; locals.div_ceil(64)]);
    let mut entry = Assigned(vec![0; locals.div_ceil(64)]);
    let parameters = (code.parameter_count() as usize).min(locals);
    for (index, local) in code.locals.iter().enumerate() {
        entry.put(LocalId::new(index), index < parameters || local.kind == LocalKind::Free);
    }
    let mut assigned = vec![all; regions.blocks.len()];
    assigned[0] = entry;
    let mut changed = true;
    while changed {
        changed = false;
        for &region in cfg.reverse_postorder() {
            let data = &regions.blocks[region];
            let mut state = assigned[region.index()].clone();
            if let Some(handler) = data.handler {
                changed |= assigned[handler.region.index()].meet(&state);
            }
            for index in data.first..data.last {
                state.step(decoded.instructions[index].op, shapes.restores[index]);
            }
            for successor in &data.successors {
                changed |= assigned[successor.index()].meet(&state);
            }
        }
    }
    assigned
}
