//! Emission of refcounts.

use crate::{Emit, Operand, closure_cell, owners};
use ir::{IntCond, Native, Op, Value};
use types::Type;

impl Emit<'_> {
    /// The owners of an operand.
    pub fn owners(&self, operand: &Operand) -> Vec<Value> {
        owners(self.types, operand.ty).into_iter().map(|part| operand.parts[part]).collect()
    }

    /// One more holder of what the owner keeps alive.
    pub fn retain(&mut self, owner: Value) {
        self.b.count(Op::Incref, owner);
    }

    /// One holder less; the memory of the last one is freed.
    pub fn release(&mut self, owner: Value) {
        self.b.count(Op::Decref, owner);
    }

    /// Releases what the instruction being emitted made.
    pub fn release_results(&mut self, owner: Value) {
        self.refs.temporaries.retain(|&made| made != owner);
        self.release(owner);
    }

    /// On this way a value that was given holds nothing: its words are 0.
    pub fn holds_nothing(&mut self, value: &Operand) {
        for owner in self.owners(value) {
            self.b.count(Op::NullRef, owner);
        }
    }

    /// From here on the function holds the references of a value that memory held.
    pub fn take_refs(&mut self, value: &Operand) {
        for owner in self.owners(value) {
            self.b.count(Op::TakeRef, owner);
        }
    }

    /// From here on memory holds the references of a value that the function held.
    pub fn give_refs(&mut self, value: &Operand) {
        for owner in self.owners(value) {
            self.b.count(Op::GiveRef, owner);
        }
    }

    /// Whether an owner needs no counting: nothing, or held by the caller as long as this function runs.
    pub fn is_borrowed(&self, owner: Value) -> bool {
        match self.b.func.values[owner].def {
            ir::Def::Result(inst, _) => {
                let data = &self.b.func.insts[inst];
                let borrowed = || data.op == Op::Ior && self.b.known_int(data.args[1]) == Some(1);
                data.op == Op::Arg || borrowed() || self.b.known_int(owner) == Some(0)
            }
            ir::Def::Param(..) => false,
        }
    }

    /// Releases the values that the function holds where it is, on its way elsewhere.
    pub fn release_live(&mut self) {
        let refs = self.refs.clone();
        for &owner in refs.temporaries.iter().chain(&refs.live) {
            self.release(owner);
        }
    }

    /// A variable that a debugger reads holds the owner from here on, instead of the one before.
    pub fn hold_debug_variable(&mut self, (address, offset): (Value, i64), owner: Value) {
        self.retain(owner);
        self.release_debug_variable((address, offset));
        self.b.store(address, offset, owner);
        self.b.count(Op::GiveRef, owner);
    }

    fn release_debug_variable(&mut self, (address, offset): (Value, i64)) {
        let held = self.b.load(Native::I64, address, offset);
        self.b.count(Op::TakeRef, held);
        self.release(held);
    }

    /// Releases what the cells of the frame hold, and variables that a debugger reads.
    pub fn release_cells(&mut self) {
        for address in self.refs.shown.clone() {
            self.release_debug_variable(address);
        }
        for (address, content) in self.refs.cells.clone() {
            self.release_cell(address, content);
        }
    }

    /// Releases what a cell holds, if anything.
    pub fn release_cell(&mut self, address: Value, content: Type) {
        let bound = self.b.load(Native::I64, address, 0);
        let zero = self.b.iconst(Native::I64, 0);
        let filled = self.b.icmp(IntCond::Ne, bound, zero);
        let released = self.when(filled, |emit| {
            let value = closure_cell::load(emit, address, content, None);
            emit.take_refs(&value);
            for owner in emit.owners(&value) {
                emit.release(owner);
            }
            Ok(())
        });
        released.expect("releasing emits no rule that could refuse");
    }
}
