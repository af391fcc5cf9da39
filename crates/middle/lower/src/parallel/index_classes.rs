//! Indices of array items in a parallel loop: whether two iterations may have the same one.
//!
//! That is judged by the index alone. What is computed from the loop's own index by `+`, `-` and `*` is taken for an
//! item of the iteration's own, as in `a[i] += x` and `a[i * n + j] += x`. What is the same in each iteration, read from memory, or
//! computed by `//` or `%` may be the same item in two iterations.

use entity::HashSet;
use ir::{Attr, BinaryOp, Block, Def, Function, Op, UnaryOp, Value};
use types::{TypeData, TypeTable};

/// What is known of an index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Index {
    /// It is the same in each iteration.
    Same,
    /// It is one of the iteration's own.
    Own,
    /// It is read or computed from what may be the same in two iterations.
    Data,
    /// Nothing.
    Unknown,
}

/// The indices of a loop.
pub(super) struct Indices<'a> {
    pub func: &'a Function,
    pub types: &'a TypeTable,
    pub header: Block,
    /// What the loop defines.
    pub own: &'a HashSet<Value>,
}

impl Indices<'_> {
    /// Whether two iterations may have the same index.
    pub fn may_meet(&self, index: Value) -> bool {
        matches!(self.classify(index), Index::Same | Index::Data)
    }

    pub fn classify(&self, value: Value) -> Index {
        if !self.own.contains(&value) {
            return Index::Same;
        }
        let Def::Result(inst, _) = self.func.values[value].def else { return Index::Unknown };
        let data = &self.func.insts[inst];
        let each = || data.args.iter().map(|&arg| self.classify(arg));
        match (data.op, data.attrs.first()) {
            (Op::Const | Op::Global | Op::Freevar, _) => Index::Same,
            (Op::Iternext, _) if self.func.blocks[self.header].insts[0] == inst => Index::Own,
            (Op::Iternext, _) => self.classify_range(data.args[0]),
            (Op::Promote | Op::Cast, _) => {
                match self.types.unliteral(self.func.ty(data.args[0])).is_float() {
                    true => Index::Data,
                    false => self.classify(data.args[0]),
                }
            }
            (Op::Unary, Some(Attr::Unary(UnaryOp::Neg | UnaryOp::Pos))) => self.classify(data.args[0]),
            (Op::Binary | Op::Inplace, Some(Attr::Binary(BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul))) => {
                first_of(each(), &[Index::Unknown, Index::Data, Index::Own])
            }
            (Op::BuildTuple, _) => first_of(each(), &[Index::Own, Index::Unknown, Index::Data]),
            _ => match first_of(each(), &[Index::Unknown, Index::Data, Index::Own]) {
                Index::Own => Index::Data,
                other => other,
            },
        }
    }

    /// The index of an inner loop: the iteration's own if its range is.
    fn classify_range(&self, iterator: Value) -> Index {
        let made = |value: Value, op: Op| match self.func.values[value].def {
            Def::Result(inst, _) if self.func.insts[inst].op == op => Some(&self.func.insts[inst]),
            _ => None,
        };
        let range = made(iterator, Op::Getiter).map(|getiter| getiter.args[0]);
        let call = range.filter(|&of| matches!(self.types.get(self.func.ty(of)), TypeData::Range(_)));
        match call.and_then(|of| made(of, Op::Call)) {
            Some(call) => {
                let same = call.args[1..].iter().all(|&arg| self.classify(arg) == Index::Same);
                if same { Index::Same } else { Index::Own }
            }
            None => Index::Unknown,
        }
    }
}

/// The first of these kinds that is among those given.
fn first_of(given: impl Iterator<Item = Index>, kinds: &[Index]) -> Index {
    let given: Vec<Index> = given.collect();
    kinds.iter().copied().find(|kind| given.contains(kind)).unwrap_or(Index::Same)
}
