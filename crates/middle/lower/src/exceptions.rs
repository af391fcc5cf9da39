//! Exception handlers: their entry, the blocks they protect, the exceptions they match.
//!
//! ```text
//! block2 handler block4(%r): ...        whatever fails in it jumps to block4 with %r and its status
//! block4(%r, %e): ...                   block4(r, status): e = call rumba_catch(context, status) ...
//! ```

use crate::Lowering;
use crate::constants::literal;
use crate::ops::{lower_empty, operands};
use abi::Runtime;
use catalog::{Operand, Protection};
use diag::{Diagnostic, Result};
use ir::{Attr, Block, Inst, Native, Value, ValueType};
use smallvec::SmallVec;
use types::{ManagerKind, Type, TypeData};

impl Lowering<'_> {
    /// Handlers get a status as their last parameter, in place of the exception.
    pub fn make_handlers(&mut self) -> Result<()> {
        for &block in &self.typed.layout {
            let Some(handler) = &self.typed.blocks[block].handler else { continue };
            if self.handlers[handler.block].is_some() || self.blocks[handler.block].is_none() {
                continue;
            }
            let start = self.block(handler.block)?;
            let func = &mut *self.emit.b.func;
            let record = func.blocks[start].params.last().copied();
            let status =
                record.ok_or_else(|| Diagnostic::internal("lowering", "a handler without an exception"))?;
            func.values[status].ty = ValueType::Native(Native::I64);
            self.handlers[handler.block] = Some(status);
        }
        Ok(())
    }

    /// At the begin of a handler: the exception as a value.
    pub fn enter_handler(&mut self, block: Block) {
        let (Some(status), Some(&exception)) = (self.handlers[block], self.typed.blocks[block].params.last())
        else {
            return;
        };
        let caught = self.emit.catch(status);
        // It is the handler's parameter that is counted.
        self.emit.refs.temporaries.retain(|&owner| owner != caught.value());
        self.define(exception, Operand { ty: self.typed.ty(exception), ..caught });
    }

    /// From here on exceptions go to the handler of a block.
    pub fn protect(&mut self, block: Block) -> Result<()> {
        self.handler = self.typed.blocks[block].handler.clone();
        self.emit.protection = None;
        if let Some(handler) = &self.handler {
            let args = operands(self, &handler.args)?;
            let args: SmallVec<_> = args.into_iter().flat_map(|arg| arg.parts).collect();
            let block = self.block(handler.block)?;
            self.emit.protection = Some(Protection { block, args, counted: Vec::new() });
        }
        Ok(())
    }
}

/// An attribute of an exception, which Python's object has.
pub(crate) fn lower_attribute(l: &mut Lowering<'_>, inst: Inst, of: &Operand) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (Some(&Attr::Symbol(name)), ty) = (data.attrs.first(), l.typed.ty(data.results[0])) else {
        return Err(Diagnostic::internal("lowering", "getattr without a name"));
    };
    if l.cx.types.get(ty) == TypeData::CaughtClass {
        l.define(data.results[0], Operand { ty, parts: of.parts.clone() });
        return Ok(());
    }
    let mut name = l.typed.symbols.get(name).clone();
    if name == "value" && matches!(l.cx.types.get(ty), TypeData::None | TypeData::Optional(_)) {
        let value = l.emit.stop_value(of, ty)?;
        l.define(data.results[0], value);
        return Ok(());
    }
    if l.cx.types.get(of.ty) == TypeData::CaughtClass {
        name = format!("__class__.{name}");
    }
    let value = match name == "args" {
        true => l.emit.caught_arguments(of, ty)?,
        false => l.emit.caught_attribute(of, &name, ty),
    };
    l.define(data.results[0], value);
    Ok(())
}

/// An exception whose class has to be one of those that its type names.
pub(crate) fn exact(l: &mut Lowering<'_>, of: &Operand) {
    let classes = catalog::caught_classes(l.cx.types, of.ty);
    l.emit.check_caught_class(of, &classes);
}

/// What CPython has instructions of its own for in handlers.
pub(crate) fn lower_handling(l: &mut Lowering<'_>, inst: Inst, what: &str) -> Result<()> {
    let data = &l.typed.insts[inst];
    if what == "handled_exception" {
        let handled = l.emit.handled_by_python();
        l.define(data.results[0], handled);
        return Ok(());
    }
    if what == "exact_exception" {
        let of = l.operand(data.args[0])?;
        exact(l, &of);
        l.define(data.results[0], of);
        return Ok(());
    }
    if what == "narrow_exception" {
        let parts = l.operand(data.args[0])?.parts;
        l.define(data.results[0], Operand { ty: l.typed.ty(data.results[0]), parts });
        return Ok(());
    }
    if matches!(what, "with_exit_method" | "with_enter") {
        let manager = l.operand(data.args[0])?;
        let ty = l.typed.ty(data.results[0]);
        let parts = if ty == Type::NONE { SmallVec::new() } else { manager.parts.clone() };
        l.define(data.results[0], Operand { ty, parts });
        return Ok(());
    }
    // What leaves the context, and the exception's class, precede the exception.
    let exception = l.operand(data.args[if what == "with_exit" { 2 } else { 0 }])?;
    if what == "chain_exception" {
        let handled = l.operand(data.args[1])?;
        l.emit.call_runtime(Runtime::CaughtContext, &[exception.value(), handled.value()]);
        return Ok(());
    }
    if literal(l, l.typed.ty(data.results[0])).is_some() {
        if what == "with_exit" {
            leave_chunk_size(l, data.args[0])?;
        }
        return lower_empty(l, inst);
    }
    let asked = l.typed.ty(data.args[usize::from(what != "with_exit")]);
    let classes = match l.cx.types.get(asked) {
        TypeData::Method(manager, _) => match l.cx.types.get(manager) {
            TypeData::Manager { of, .. } => catalog::exception_classes(l.cx.types, of),
            _ => None,
        },
        _ => catalog::exception_classes(l.cx.types, asked),
    };
    let classes = classes.ok_or_else(|| Diagnostic::internal("lowering", "a handler of what is no class"))?;
    let found = l.emit.is_caught(&exception, &classes);
    l.define(data.results[0], Operand::single(Type::BOOL, found));
    Ok(())
}

/// Where an exception leaves `parallel_chunksize`, the number before is back.
fn leave_chunk_size(l: &mut Lowering<'_>, exit: Value) -> Result<()> {
    if let TypeData::Method(manager, _) = l.cx.types.get(l.typed.ty(exit))
        && let TypeData::Manager { kind: ManagerKind::ChunkSize, .. } = l.cx.types.get(manager)
    {
        let before = l.operand(exit)?.value();
        l.emit.call_runtime(Runtime::SetChunkSize, &[before]);
    }
    Ok(())
}
