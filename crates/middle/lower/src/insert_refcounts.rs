//! Inserts refcount operations at the last uses that [`crate::ownership`] computes.

use crate::Lowering;
use catalog::Operand;
use diag::Result;
use entity::EntityRef;
use ir::{Block, BlockCall, Inst, Op, Value};

impl Lowering<'_> {
    /// Before an instruction: what must be released if it fails.
    pub fn hold(&mut self, inst: Inst) -> Result<()> {
        if !self.ownership.any {
            return Ok(());
        }
        let mut live = self.ownership.live(inst).to_vec();
        if let Some(handler) = &self.handler {
            let counted = self.keep_for_handler(&handler.clone(), &mut live)?;
            if let Some(protection) = &mut self.emit.protection {
                protection.counted = counted;
            }
        }
        // As CPython does: the stack from its top, then the variables. Generators end in this order.
        let order = |&value: &Value| match self.typed.values[value].name.expand() {
            None => (false, usize::MAX - value.index()),
            Some(_) => (true, value.index()),
        };
        live.sort_by_key(order);
        self.emit.refs.live = live.iter().flat_map(|&value| self.owned[value].iter().copied()).collect();
        Ok(())
    }

    /// Takes from values those that a handler has a use for. Gives the owners that are counted for it beside.
    fn keep_for_handler(&self, handler: &BlockCall, live: &mut Vec<Value>) -> Result<Vec<Value>> {
        let mut handed: Vec<Value> = handler.args.to_vec();
        let mut rest = Vec::new();
        for value in live.drain(..) {
            if self.ownership.lives_into(handler.block, value) {
                continue;
            }
            match handed.iter().position(|&arg| arg == value) {
                // Its own count goes along.
                Some(at) if self.counts_all(value)? => drop(handed.remove(at)),
                _ => rest.push(value),
            }
        }
        *live = rest;
        let mut counted = Vec::new();
        for value in handed {
            counted.extend(self.emit.owners(&self.operand(value)?));
        }
        Ok(counted)
    }

    /// What the function has counted where an instruction begins.
    pub fn counted_at(&self, inst: Inst) -> Vec<Value> {
        let live = self.ownership.live(inst).iter();
        live.flat_map(|&value| self.owned[value].iter().copied()).collect()
    }

    /// After an instruction: its results are counted, what it used last is released.
    pub fn insert_after(&mut self, inst: Inst) -> Result<()> {
        if !self.ownership.any && self.emit.refs.temporaries.is_empty() {
            return Ok(());
        }
        for &result in &self.typed.insts[inst].results {
            if !self.ownership.counts(result) {
                continue;
            }
            let operand = self.operand(result)?;
            self.own(result, &operand);
        }
        // What the instruction made beside its results.
        for owner in std::mem::take(&mut self.emit.refs.temporaries) {
            self.emit.release(owner);
        }
        self.release_dying(inst, &[]);
        Ok(())
    }

    /// Releases what an instruction used last, or made for nobody; `undefined` are results that this way has not got.
    pub fn release_dying(&mut self, inst: Inst, undefined: &[Value]) {
        let dying = self.ownership.dying(inst).to_vec();
        for value in dying.into_iter().filter(|value| !undefined.contains(value)) {
            self.release_value(value);
        }
    }

    /// The value has a count of its own from here on: the one that was made with it, or another.
    fn own(&mut self, value: Value, operand: &Operand) {
        for owner in self.emit.owners(operand) {
            let fresh = &mut self.emit.refs.temporaries;
            if let Some(at) = fresh.iter().position(|&made| made == owner) {
                fresh.remove(at);
            } else if self.emit.is_borrowed(owner) {
                continue;
            } else {
                self.emit.retain(owner);
            }
            self.owned[value].push(owner);
        }
    }

    fn release_value(&mut self, value: Value) {
        for owner in self.owned[value].clone() {
            self.emit.release(owner);
        }
    }

    /// At the begin of a block: its parameters have been counted by whoever came here.
    pub fn take_over(&mut self, block: Block) -> Result<()> {
        if !self.ownership.any {
            return Ok(());
        }
        let params = self.typed.blocks[block].params.clone();
        for &param in &params {
            let operand = self.operand(param)?;
            self.owned[param] = self.emit.owners(&operand).into_iter().collect();
        }
        let unused = self.ownership.unused(block).to_vec();
        for param in unused {
            self.release_value(param);
        }
        Ok(())
    }

    /// The way to another block: values that it is handed are counted for it, others that it has no use
    /// for are released. `undefined` are those that this way has not got.
    pub fn edge(&mut self, from: Inst, call: &BlockCall, undefined: &[Value]) -> Result<()> {
        if !self.ownership.any {
            return Ok(());
        }
        let mut handed: Vec<Value> = call.args.to_vec();
        let live = self.ownership.live(from).to_vec();
        for value in live.into_iter().filter(|value| !undefined.contains(value)) {
            if self.ownership.lives_into(call.block, value) {
                continue;
            }
            match handed.iter().position(|&arg| arg == value) {
                // Its own count goes along.
                Some(at) if self.counts_all(value)? => drop(handed.remove(at)),
                _ => self.release_after(value, &mut handed)?,
            }
        }
        for value in handed {
            let operand = self.operand(value)?;
            for owner in self.emit.owners(&operand) {
                self.emit.retain(owner);
            }
        }
        Ok(())
    }

    /// Whether every owner of the value is counted.
    fn counts_all(&self, value: Value) -> Result<bool> {
        Ok(self.emit.owners(&self.operand(value)?) == self.owned[value].as_slice())
    }

    /// Releases a value after the counting of what is passed on, which it may keep alive.
    fn release_after(&mut self, value: Value, handed: &mut Vec<Value>) -> Result<()> {
        for other in std::mem::take(handed) {
            let operand = self.operand(other)?;
            for owner in self.emit.owners(&operand) {
                self.emit.retain(owner);
            }
        }
        self.release_value(value);
        Ok(())
    }

    /// Whether a way to another block counts anything.
    pub fn edge_counts(&self, from: Inst, call: &BlockCall) -> Result<bool> {
        if !self.ownership.any {
            return Ok(false);
        }
        for &arg in &call.args {
            if !self.emit.owners(&self.operand(arg)?).is_empty() {
                return Ok(true);
            }
        }
        let live = self.ownership.live(from).iter();
        Ok(live.copied().any(|value| !self.ownership.lives_into(call.block, value)))
    }

    /// Leaves the function with a value, which the caller holds from then on.
    pub fn leave(&mut self, inst: Inst, value: Value, result: &Operand) {
        let holds = !self.emit.refs.cells.is_empty() || !self.emit.refs.shown.is_empty();
        if self.ownership.any || holds {
            let mut own: Vec<Value> = self.emit.refs.temporaries.drain(..).collect();
            let live = self.ownership.live(inst).to_vec();
            let mut others = Vec::new();
            for each in live {
                let list = if each == value { &mut own } else { &mut others };
                list.extend(self.owned[each].iter().copied());
            }
            for owner in self.emit.owners(result) {
                match own.iter().position(|&counted| counted == owner) {
                    Some(at) => drop(own.remove(at)),
                    None => self.emit.retain(owner),
                }
            }
            for owner in own.into_iter().chain(others) {
                self.emit.release(owner);
            }
            self.emit.release_cells();
        } else {
            for owner in self.emit.owners(result) {
                self.emit.retain(owner);
            }
        }
        self.emit.b.terminate(Op::Return, &result.parts);
    }
}
