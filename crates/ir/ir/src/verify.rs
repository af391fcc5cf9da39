//! The verifier: the invariants of a function in its phase. A violation is always a bug in Rumba.

use crate::{Attr, Block, BlockCall, Def, Function, Inst, Native, Op, Phase, Value, ValueType};
use diag::{Diagnostic, Result};
use entity::{EntityRef, SideTable};

/// Checks every invariant of the function's phase; the error names the block and instruction.
pub fn verify(func: &Function) -> Result<()> {
    let verifier = Verifier { func, cfg: flow::Cfg::compute(func), positions: SideTable::new() };
    verifier.run()
}

struct Verifier<'a> {
    func: &'a Function,
    cfg: flow::Cfg<Block>,
    /// Where each placed instruction stands: its block and the position in it.
    positions: SideTable<Inst, Option<(Block, u32)>>,
}

impl Verifier<'_> {
    fn fail<T>(&self, location: impl std::fmt::Display, what: impl std::fmt::Display) -> Result<T> {
        let who = format!("the verifier of the {} phase", self.func.phase.text());
        Err(Diagnostic::internal(&who, format!("{} of `{}`: {what}", location, self.func.name)))
    }

    fn run(mut self) -> Result<()> {
        let mut placed: SideTable<Block, bool> = SideTable::new();
        for &block in &self.func.layout {
            if std::mem::replace(&mut placed[block], true) {
                return self.fail(block, "stands twice in the layout");
            }
            for (position, &inst) in self.func.blocks[block].insts.iter().enumerate() {
                self.positions[inst] = Some((block, position as u32));
            }
        }
        if !placed[self.func.entry] {
            return self.fail(self.func.entry, "is the entry and does not stand in the layout");
        }
        let dominators = flow::compute_dominators(&self.cfg);
        for &block in &self.func.layout {
            self.block(block, &placed)?;
            for (position, &inst) in self.func.blocks[block].insts.iter().enumerate() {
                self.inst(inst)?;
                for &arg in &self.func.insts[inst].args {
                    self.dominates(&dominators, arg, block, position as u32)?;
                }
            }
            let end = self.func.blocks[block].insts.len() as u32;
            if let Some(handler) = &self.func.blocks[block].handler {
                for &arg in &handler.args {
                    self.dominates(&dominators, arg, block, 0)?;
                }
            }
            let targets =
                self.func.terminator(block).map(|t| &self.func.insts[t].targets[..]).unwrap_or_default();
            for arg in targets.iter().flat_map(|call| &call.args) {
                self.dominates(&dominators, *arg, block, end)?;
            }
        }
        Ok(())
    }

    fn block(&self, block: Block, placed: &SideTable<Block, bool>) -> Result<()> {
        let data = &self.func.blocks[block];
        let Some((&last, body)) = data.insts.split_last() else { return self.fail(block, "is empty") };
        if !self.func.insts[last].op.is_terminator() {
            return self.fail(block, "does not end in a terminator");
        }
        if body.iter().any(|&inst| self.func.insts[inst].op.is_terminator()) {
            return self.fail(block, "has a terminator before its end");
        }
        for (index, &param) in data.params.iter().enumerate() {
            if self.func.values[param].def != Def::Param(block, index as u16) {
                return self.fail(block, format!("parameter {index} does not know its index"));
            }
            self.value_type(block, param)?;
        }
        if let Some(handler) = &data.handler {
            if self.func.phase == Phase::Explicit {
                return self.fail(block, "has an exception edge");
            }
            self.call(block, handler, placed, 1)?;
        }
        for target in &self.func.insts[last].targets {
            self.call(block, target, placed, 0)?;
        }
        if block == self.func.entry && (!data.params.is_empty() || !self.cfg.predecessors(block).is_empty()) {
            return self.fail(block, "is the entry and has parameters or predecessors");
        }
        Ok(())
    }

    /// Checks an edge; `implicit` parameters at the end are filled in by the edge itself.
    fn call(
        &self,
        from: Block,
        call: &BlockCall,
        placed: &SideTable<Block, bool>,
        implicit: usize,
    ) -> Result<()> {
        if self.func.blocks.get(call.block).is_none() || !placed[call.block] {
            return self.fail(from, format!("goes to {}, which does not exist", call.block));
        }
        let params = &self.func.blocks[call.block].params;
        if params.len() != call.args.len() + implicit {
            let counts = format!("{} values for {} parameters", call.args.len(), params.len());
            return self.fail(from, format!("gives {} {counts}", call.block));
        }
        for (&param, &arg) in params.iter().zip(&call.args) {
            if self.func.values[param].ty != self.func.values[arg].ty {
                return self
                    .fail(from, format!("gives {} a value of another type than its parameter", call.block));
            }
        }
        Ok(())
    }

    fn value_type(&self, location: impl std::fmt::Display, value: Value) -> Result<()> {
        let fits = matches!(
            (self.func.phase, self.func.values[value].ty),
            (Phase::Untyped, ValueType::Untyped)
                | (Phase::Typed, ValueType::Typed(_))
                | (Phase::Explicit, ValueType::Native(_))
        );
        if fits { Ok(()) } else { self.fail(location, format!("{value} has no type of this phase")) }
    }

    fn inst(&self, inst: Inst) -> Result<()> {
        let data = &self.func.insts[inst];
        let info = data.op.info();
        let location = format!("`{}` at {}", info.name, data.span);
        if !info.phases.contains(&self.func.phase) {
            return self.fail(location, "does not belong to this phase");
        }
        if !info.args.admits(data.args.len()) {
            return self.fail(location, format!("takes {:?} operands, has {}", info.args, data.args.len()));
        }
        if !info.results.admits(data.results.len()) {
            return self
                .fail(location, format!("gives {:?} results, has {}", info.results, data.results.len()));
        }
        if !info.targets.admits(data.targets.len()) {
            return self.fail(location, format!("has {} successors", data.targets.len()));
        }
        if !info.attrs.iter().copied().eq(data.attrs.iter().map(Attr::kind)) {
            return self
                .fail(location, format!("has immediate operands {:?}, wants {:?}", data.attrs, info.attrs));
        }
        for (index, &result) in data.results.iter().enumerate() {
            if self.func.values[result].def != Def::Result(inst, index as u16) {
                return self.fail(location, format!("result {index} does not know its index"));
            }
            self.value_type(&location, result)?;
        }
        for &arg in &data.args {
            self.value_type(&location, arg)?;
        }
        if self.func.phase == Phase::Explicit && !self.native_types_fit(inst) {
            return self.fail(location, "has operands or results of the wrong machine types");
        }
        Ok(())
    }

    /// Whether a use of `value` at `position` of `block` is after its definition on every path.
    fn dominates(
        &self,
        dominators: &flow::DominatorTree<Block>,
        value: Value,
        block: Block,
        position: u32,
    ) -> Result<()> {
        let (home, behind) = match self.func.values[value].def {
            Def::Param(home, index) => {
                let known = self.func.blocks[home].params.get(usize::from(index)) == Some(&value);
                (Some(home).filter(|_| known), true)
            }
            Def::Result(inst, _) => match self.positions[inst] {
                Some((home, at)) => (Some(home), home != block || at < position),
                None => (None, false),
            },
        };
        match home {
            Some(home) if behind && (home == block || dominators.dominates(home, block)) => Ok(()),
            // In unreachable code every use is as good as another.
            Some(_) if !self.cfg.is_reachable(block) => Ok(()),
            _ => self.fail(block, format!("uses {value} where it is not defined")),
        }
    }

    fn native_types_fit(&self, inst: Inst) -> bool {
        let data = &self.func.insts[inst];
        let arg = |i: usize| self.func.native(data.args[i]);
        let result = |i: usize| self.func.native(data.results[i]);
        let named = || match data.attrs.first() {
            Some(&Attr::Native(native)) => native,
            _ => Native::Ptr,
        };
        match data.op {
            Op::Arg | Op::Jump | Op::Unreachable => true,
            Op::Return => {
                data.args.len() == self.func.results.len()
                    && data.args.iter().zip(&self.func.results).all(|(&v, &ty)| self.func.native(v) == ty)
            }
            Op::Branch => arg(0) == Native::I1,
            Op::Fail => self.func.can_fail && arg(0) == Native::I64,
            Op::Iconst => result(0) == named() && !named().is_float(),
            Op::Fconst => result(0) == named() && named().is_float(),
            Op::Iadd
            | Op::Isub
            | Op::Imul
            | Op::Sdiv
            | Op::Udiv
            | Op::Srem
            | Op::Urem
            | Op::Iand
            | Op::Ior
            | Op::Ixor
            | Op::Ishl
            | Op::Sshr
            | Op::Ushr
            | Op::Umulhi => arg(0).is_int() && arg(0) == arg(1) && result(0) == arg(0),
            Op::Clz | Op::Ctz | Op::Popcount => arg(0).is_int() && result(0) == arg(0),
            Op::SaddOverflow | Op::SmulOverflow => {
                arg(0).is_int() && arg(0) == arg(1) && result(0) == arg(0) && result(1) == Native::I1
            }
            Op::Icmp => !arg(0).is_float() && arg(0) == arg(1) && result(0) == Native::I1,
            Op::Fcmp => arg(0).is_float() && arg(0) == arg(1) && result(0) == Native::I1,
            Op::Fadd | Op::Fsub | Op::Fmul | Op::Fdiv | Op::Frem | Op::Copysign => {
                arg(0).is_float() && arg(0) == arg(1) && result(0) == arg(0)
            }
            Op::Fma => arg(0).is_float() && arg(0) == arg(1) && arg(1) == arg(2) && result(0) == arg(0),
            Op::Fneg | Op::Fabs | Op::Fsqrt | Op::Ffloor | Op::Fceil | Op::Ftrunc | Op::Frint => {
                arg(0).is_float() && result(0) == arg(0)
            }
            Op::Select => arg(0) == Native::I1 && arg(1) == arg(2) && result(0) == arg(1),
            Op::Sext | Op::Zext => {
                result(0) == named() && arg(0).is_int() && named().is_int() && arg(0) < named()
            }
            Op::Trunc => result(0) == named() && arg(0).is_int() && named().is_int() && arg(0) > named(),
            Op::SintToFloat | Op::UintToFloat => {
                result(0) == named() && arg(0).is_int() && named().is_float()
            }
            Op::FloatToSint | Op::FloatToUint => {
                result(0) == named() && arg(0).is_float() && named().is_int()
            }
            Op::FloatToSintOrMin => {
                result(0) == named() && arg(0).is_float() && matches!(named(), Native::I32 | Native::I64)
            }
            Op::Fpext => arg(0) == Native::F32 && result(0) == Native::F64 && named() == Native::F64,
            Op::Fptrunc => arg(0) == Native::F64 && result(0) == Native::F32 && named() == Native::F32,
            Op::HalfToFloat => arg(0) == Native::I16 && result(0) == Native::F32 && named() == Native::F32,
            Op::FloatToHalf => arg(0) == Native::F32 && result(0) == Native::I16 && named() == Native::I16,
            Op::Bitcast => result(0) == named() && arg(0).bits() == named().bits(),
            Op::StackSlot => result(0) == Native::Ptr,
            Op::DeclareVariable => arg(0) == Native::Ptr,
            Op::PtrAdd => arg(0) == Native::Ptr && arg(1) == Native::I64 && result(0) == Native::Ptr,
            Op::Load | Op::LoadUnaligned | Op::LoadVolatile => arg(0) == Native::Ptr && result(0) == named(),
            Op::Store | Op::StoreUnaligned => arg(0) == Native::Ptr,
            Op::AtomicAdd | Op::AtomicExchange | Op::AtomicCas => {
                let (is_word, like) = (arg(1).is_int() && arg(1).bits() >= 8, arg(data.args.len() - 1));
                arg(0) == Native::Ptr && is_word && like == arg(1) && result(0) == arg(1)
            }
            Op::Alloc => arg(0) == Native::I64 && arg(1) == Native::I64 && result(0) == Native::Ptr,
            Op::Incref | Op::Decref | Op::TakeRef | Op::GiveRef | Op::NullRef => arg(0) == Native::I64,
            Op::Suspend => result(0) == Native::I64,
            Op::Poll => data.results.len() == 1 && result(0) == Native::I1,
            Op::PollAside => self.known_site(inst),
            Op::PollFlag => result(0) == Native::Ptr,
            Op::SiteStatus => result(0) == Native::I64 && self.known_site(inst),
            Op::CallExternal => self.external_fits(inst, &data.args),
            Op::CallIndirect => arg(0) == Native::Ptr && self.external_fits(inst, &data.args[1..]),
            Op::AddressOf => result(0) == Native::Ptr && self.known_external(inst),
            _ => false,
        }
    }

    fn known_site(&self, inst: Inst) -> bool {
        matches!(self.func.insts[inst].attrs[0], Attr::Site(site) if self.func.sites.get(site).is_some())
    }

    fn known_external(&self, inst: Inst) -> bool {
        matches!(self.func.insts[inst].attrs[0], Attr::External(id) if id.index() < self.func.externals.len())
    }

    fn external_fits(&self, inst: Inst, args: &[Value]) -> bool {
        let data = &self.func.insts[inst];
        let Attr::External(id) = data.attrs[0] else { return false };
        if !self.known_external(inst) {
            return false;
        }
        let external = self.func.externals.get(id);
        let same = |values: &[Value], natives: &[Native]| {
            values.len() == natives.len()
                && values.iter().zip(natives).all(|(&v, &n)| self.func.native(v) == n)
        };
        let named = data.op == Op::CallExternal;
        external.name.is_empty() != named
            && same(args, &external.params)
            && same(&data.results, &external.results)
    }
}
