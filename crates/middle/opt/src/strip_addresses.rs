//! The memory that a strip of iterations reads and writes: addresses that are linear in the induction variable, and
//! whether two of them overlap.

use crate::range_analysis::{Nest, number_of};
use entity::{HashMap, HashSet};
use ir::{Attr, Block, Builder, Def, Function, Inst, IntCond, Native, Op, Value};

/// So many pairs of accesses are compared for a strip.
pub(crate) const MAX_PAIRS: usize = 12;

/// How deep addresses are looked into.
const DEPTH: u32 = 16;

/// An access to memory.
#[derive(Clone, Copy)]
pub(crate) struct Access {
    /// Where it stands.
    block: Block,
    at: usize,
    pub address: Value,
    pub offset: i64,
    pub size: i64,
}

impl Access {
    pub(crate) fn of(func: &Function, block: Block, at: usize, inst: Inst) -> Option<Access> {
        let data = &func.insts[inst];
        let &Attr::Int(offset) = data.attrs.last()? else { return None };
        let moved = match data.op {
            Op::Load | Op::LoadUnaligned => *data.results.first()?,
            _ => *data.args.get(1)?,
        };
        let size = i64::from(func.native(moved).bits()).max(8) / 8;
        Some(Access { block, at, address: data.args[0], offset, size })
    }

    /// Whether a store writes what this access has read before in the same iteration, and no iteration reads what another one writes.
    pub(crate) fn is_replaced_by(&self, store: &Access, nest: &Nest<'_>, counter: Value) -> bool {
        let first = match self.block == store.block {
            true => self.at < store.at,
            false => nest.loops.tree.dominates(self.block, store.block),
        };
        let same = self.offset == store.offset && self.size == store.size;
        let stride = || stride(nest, counter, self.address, DEPTH);
        first
            && same
            && is_same(nest.func(), self.address, store.address, DEPTH)
            && is_even(nest, counter, self.address, DEPTH)
            && stride().is_some_and(|stride| stride.unsigned_abs() >= self.size.unsigned_abs())
    }
}

/// Two accesses that must not meet.
#[derive(Clone, Copy)]
pub(crate) struct Apart {
    read: Access,
    written: Access,
    counter: Value,
}

impl Apart {
    /// Nothing if it cannot be told where they are.
    pub(crate) fn find(nest: &Nest<'_>, counter: Value, read: Access, written: Access) -> Option<Apart> {
        let even = |access: &Access| is_even(nest, counter, access.address, DEPTH);
        (even(&read) && even(&written)).then_some(Apart { read, written, counter })
    }

    pub(crate) fn is_same(&self, other: &Apart, func: &Function) -> bool {
        let same = |a: &Access, b: &Access| {
            a.offset == b.offset && a.size == b.size && is_same(func, a.address, b.address, DEPTH)
        };
        same(&self.read, &other.read) && same(&self.written, &other.written)
    }

    /// Whether they do not meet while the counter goes from one value to another, both included. What the loop computes is in `inside`.
    pub(crate) fn emit(
        &self,
        builder: &mut Builder<'_>,
        (from, to): (Value, Value),
        inside: &HashSet<Value>,
    ) -> Value {
        let [read, written] = [self.read, self.written].map(|access| {
            let [one, other] = [from, to].map(|value| {
                let mut known = HashMap::from_iter([(self.counter, value)]);
                copy(builder, access.address, inside, &mut known)
            });
            let grows = builder.icmp(IntCond::Ult, one, other);
            let low = builder.select(grows, one, other);
            let high = builder.select(grows, other, one);
            let offset = builder.iconst(Native::I64, access.offset);
            let behind = builder.iconst(Native::I64, access.offset + access.size);
            [builder.like_first(Op::PtrAdd, &[low, offset]), builder.like_first(Op::PtrAdd, &[high, behind])]
        });
        let before = builder.icmp(IntCond::Ule, read[1], written[0]);
        let behind = builder.icmp(IntCond::Ule, written[1], read[0]);
        builder.like_first(Op::Ior, &[before, behind])
    }
}

/// Computes before the loop what it computes of values that are known.
fn copy(
    builder: &mut Builder<'_>,
    value: Value,
    inside: &HashSet<Value>,
    known: &mut HashMap<Value, Value>,
) -> Value {
    if let Some(&made) = known.get(&value) {
        return made;
    }
    let Def::Result(inst, _) = builder.func.values[value].def else { return value };
    if !inside.contains(&value) {
        return value;
    }
    let data = builder.func.insts[inst].clone();
    let args: Vec<Value> = data.args.iter().map(|&arg| copy(builder, arg, inside, known)).collect();
    let ty = builder.func.values[value].ty;
    let made = builder.inst(data.op, data.attrs.iter().cloned(), &args, &[ty]);
    let made = builder.func.insts[made].results[0];
    known.insert(value, made);
    made
}

/// Whether an address changes by the same amount in each iteration, or not at all.
fn is_even(nest: &Nest<'_>, counter: Value, value: Value, depth: u32) -> bool {
    if value == counter || nest.is_invariant(value) || number_of(nest.func(), value).is_some() {
        return true;
    }
    let Def::Result(inst, _) = nest.func().values[value].def else { return false };
    let data = &nest.func().insts[inst];
    let fixed = |value: Value| nest.is_invariant(value) || number_of(nest.func(), value).is_some();
    let even = |value: Value| depth > 0 && is_even(nest, counter, value, depth - 1);
    match data.op {
        Op::Iadd | Op::Isub | Op::PtrAdd => data.args.iter().all(|&arg| even(arg)),
        Op::Imul => fixed(data.args[0]) && even(data.args[1]) || fixed(data.args[1]) && even(data.args[0]),
        _ => false,
    }
}

/// By how much an address changes when the counter grows by one, if that is a number.
fn stride(nest: &Nest<'_>, counter: Value, value: Value, depth: u32) -> Option<i64> {
    if value == counter {
        return Some(1);
    }
    if nest.is_invariant(value) || number_of(nest.func(), value).is_some() {
        return Some(0);
    }
    let Def::Result(inst, _) = nest.func().values[value].def else { return None };
    let data = &nest.func().insts[inst];
    let of = |value: Value| stride(nest, counter, value, depth.checked_sub(1)?);
    match data.op {
        Op::Iadd | Op::PtrAdd => of(data.args[0])?.checked_add(of(data.args[1])?),
        Op::Isub => of(data.args[0])?.checked_sub(of(data.args[1])?),
        Op::Imul => {
            let (a, b) = (data.args[0], data.args[1]);
            match (number_of(nest.func(), a), number_of(nest.func(), b)) {
                (Some(number), _) => of(b)?.checked_mul(number),
                (_, Some(number)) => of(a)?.checked_mul(number),
                _ => (of(a)? == 0 && of(b)? == 0).then_some(0),
            }
        }
        _ => None,
    }
}

/// Whether two values are computed alike.
fn is_same(func: &Function, a: Value, b: Value, depth: u32) -> bool {
    if a == b {
        return true;
    }
    let (Def::Result(first, _), Def::Result(second, _)) = (func.values[a].def, func.values[b].def) else {
        return false;
    };
    let (first, second) = (&func.insts[first], &func.insts[second]);
    let computes = matches!(first.op, Op::Iadd | Op::Isub | Op::Imul | Op::PtrAdd | Op::Iconst);
    computes
        && depth > 0
        && first.op == second.op
        && first.attrs == second.attrs
        && first.args.len() == second.args.len()
        && first.args.iter().zip(&second.args).all(|(&a, &b)| is_same(func, a, b, depth - 1))
}
