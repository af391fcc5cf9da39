//! Reads of the fields of a new object: what was written before, or zero, so that nothing is released when they are first written.
//!
//! ```text
//! %node = call_external rumba_object_new, %words, %owners      %node = call_external rumba_object_new, %words, %owners
//! %field = ptr_add %node, 88                                   %field = ptr_add %node, 88
//! %old = load i64, 0, %field                         becomes   %old = iconst i64, 0
//! store 0, %field, %value                                      store 0, %field, %value
//! decref %old
//! ```
//!
//! This holds as long as nothing else knows the object: it is in no memory, no call was given it, and no block can be entered with
//! another one in its place. That its owner word is even, as those of all blocks are, always holds.

use crate::fold_constants::fold_constants;
use crate::jump_threading::constant;
use crate::redundant_params::remove_redundant_params;
use crate::spill_region::substitute;
use abi::Runtime;
use entity::HashMap;
use flow::Cfg;
use ir::{Attr, Block, Def, Function, Inst, Native, Op, Value};
use std::ops::Range;

/// How many blocks are looked at for one object.
const FARTHEST: usize = 32;

/// Bytes of the widest native type: an access is taken to be of so many.
const WIDEST: i64 = 8;

/// How often what one round finds decides branches for another.
const ROUNDS: usize = 3;

/// Replaces such reads, in functions that make objects.
pub fn forward_new_objects(func: &mut Function) {
    for _ in 0..ROUNDS {
        let objects = new_objects(func);
        if objects.is_empty() {
            return;
        }
        fold_constants(func);
        remove_redundant_params(func);
        let mut found = Found { zeros: even_owners(func), same: HashMap::default() };
        let cfg = Cfg::compute(func);
        for (block, inst) in new_objects(func) {
            if cfg.is_reachable(block) {
                find_known_reads(func, &cfg, block, inst, &mut found);
            }
        }
        if found.zeros.is_empty() && found.same.is_empty() {
            break;
        }
        found.zeros.into_iter().for_each(|inst| make_zero(func, inst));
        substitute(func, &found.same);
    }
    remove_counts_of_nothing(func);
}

/// The calls that make objects.
fn new_objects(func: &Function) -> Vec<(Block, Inst)> {
    let all =
        func.layout.iter().flat_map(|&block| func.blocks[block].insts.iter().map(move |&inst| (block, inst)));
    all.filter(|&(_, inst)| makes_object(func, inst)).collect()
}

fn makes_object(func: &Function, inst: Inst) -> bool {
    func.callee(inst) == Some(Runtime::ObjectNew.symbol())
}

/// The tests of new objects for owner words that are odd.
fn even_owners(func: &Function) -> Vec<Inst> {
    let all = func.layout.iter().flat_map(|&block| &func.blocks[block].insts).copied();
    all.filter(|&inst| match (func.insts[inst].op, &func.insts[inst].args[..]) {
        (Op::Iand, &[owner, one]) => match func.values[owner].def {
            Def::Result(from, 0) => makes_object(func, from) && constant(func, one) == Some(1),
            _ => false,
        },
        _ => false,
    })
    .collect()
}

/// What is to be replaced.
struct Found {
    /// Instructions whose result is zero.
    zeros: Vec<Inst>,
    /// Results of loads, and what was stored.
    same: HashMap<Value, Value>,
}

/// What is known of an object on the way from where it is made.
#[derive(Clone, Default)]
struct Known {
    /// Its address and those within it.
    offsets: HashMap<Value, i64>,
    /// Where something was written, and what, in order.
    written: Vec<(i64, Value)>,
}

/// Collects the loads of an object's fields while it is known to nobody else.
fn find_known_reads(func: &Function, cfg: &Cfg<Block>, block: Block, made: Inst, found: &mut Found) {
    let Some(words) = constant(func, func.insts[made].args[0]) else { return };
    let first = abi::ITEMS + abi::FIELDS;
    let fields = first..first + 8 * words;
    let mut known = Known::default();
    known.offsets.insert(func.insts[made].results[0], 0);
    let behind = func.blocks[block].insts.iter().position(|&inst| inst == made).map_or(0, |at| at + 1);
    let mut open = vec![(block, behind, known)];
    let mut seen = 0;
    while let Some((block, from, mut known)) = open.pop() {
        seen += 1;
        if seen > FARTHEST || func.blocks[block].handler.is_some() {
            return;
        }
        let insts = &func.blocks[block].insts[from..];
        if !insts.iter().all(|&inst| known.follow(func, inst, &fields, found)) {
            continue;
        }
        let Some(last) = insts.last() else { continue };
        for target in &func.insts[*last].targets {
            if cfg.reachable_predecessors(target.block).count() == 1 {
                open.push((target.block, 0, known.clone()));
            }
        }
    }
}

impl Known {
    /// Goes over an instruction; whether the object is still known to nobody else.
    fn follow(&mut self, func: &Function, inst: Inst, fields: &Range<i64>, found: &mut Found) -> bool {
        let data = &func.insts[inst];
        if !data.uses().any(|value| self.offsets.contains_key(&value)) {
            return true;
        }
        let base = data.args.first().and_then(|base| self.offsets.get(base)).copied();
        match (data.op, base, &data.attrs[..]) {
            (Op::Bitcast, Some(at), _) => drop(self.offsets.insert(data.results[0], at)),
            (Op::PtrAdd, Some(at), _) => match constant(func, data.args[1]) {
                Some(by) => drop(self.offsets.insert(data.results[0], at + by)),
                None => return false,
            },
            (Op::Load, Some(at), &[Attr::Native(native), Attr::Int(offset)]) => {
                let at = at + offset;
                let overlaps = |&&(other, _): &&(i64, Value)| at < other + WIDEST && other < at + WIDEST;
                match self.written.iter().rev().find(overlaps) {
                    Some(&(other, value)) if other == at && func.native(value) == native => {
                        found.same.insert(data.results[0], value);
                    }
                    None if is_integer(native) && fields.start <= at && at + WIDEST <= fields.end => {
                        found.zeros.push(inst)
                    }
                    _ => {}
                }
            }
            (Op::Store, Some(at), &[Attr::Int(offset)]) if !self.offsets.contains_key(&data.args[1]) => {
                self.written.push((at + offset, data.args[1]));
            }
            (Op::Iand | Op::Icmp | Op::Incref | Op::Decref, ..) => {}
            _ => return false,
        }
        true
    }
}

fn is_integer(native: Native) -> bool {
    matches!(native, Native::I1 | Native::I8 | Native::I16 | Native::I32 | Native::I64)
}

/// Makes an instruction with one integer as its result the constant 0.
fn make_zero(func: &mut Function, inst: Inst) {
    let data = &mut func.insts[inst];
    let native = match data.attrs.first() {
        Some(&Attr::Native(native)) => native,
        _ => Native::I64,
    };
    data.op = Op::Iconst;
    data.attrs = [Attr::Native(native), Attr::Int(0)].into_iter().collect();
    data.args.clear();
}

/// Holding or releasing nothing does nothing.
fn remove_counts_of_nothing(func: &mut Function) {
    for block in func.layout.clone() {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        let counts_nothing = |inst: &Inst| {
            let data = &func.insts[*inst];
            matches!(data.op, Op::Incref | Op::Decref) && constant(func, data.args[0]) == Some(0)
        };
        let kept = insts.into_iter().filter(|inst| !counts_nothing(inst)).collect();
        func.blocks[block].insts = kept;
    }
}
