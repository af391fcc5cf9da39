//! Cells and closures: a cell is a slot in the frame of the function that creates it, or an object that outlives the frame.

use crate::Lowering;
use crate::ops::by_parts;
use abi::ExceptionClass;
use catalog::{Operand, cast, closure_cell};
use diag::{Diagnostic, Result};
use ir::{Attr, FunctionAttribute, Inst};
use types::{Type, TypeData};

pub(crate) fn lower_new_cell(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (content, value) = match (data.args.first(), data.attrs.get(1)) {
        (Some(&value), _) => {
            let value = l.operand(value)?;
            (value.ty, Some(value))
        }
        (None, Some(&Attr::Type(content))) => (content, None),
        _ => return Err(Diagnostic::internal("lowering", "a cell for values of no type")),
    };
    let ty = l.typed.ty(data.results[0]);
    let known = match l.cx.types.get(ty) {
        TypeData::Cell(number) => l.cx.cells.get(number as usize).copied(),
        _ => None,
    };
    let on_heap = known.filter(|&known| matches!(l.cx.types.get(known), TypeData::HeapCell(_)));
    let address = match on_heap {
        Some(block) => closure_cell::create_on_heap(&mut l.emit, block, content, value.as_ref()),
        None => closure_cell::create(&mut l.emit, content, value.as_ref()),
    };
    l.define(data.results[0], Operand::single(ty, address));
    Ok(())
}

pub(crate) fn lower_load_cell(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let from = l.operand(data.args[0])?;
    let Some(address) = closure_cell::address(&mut l.emit, &from) else {
        // A value that a closure took along.
        l.define(data.results[0], from);
        return Ok(());
    };
    let [Attr::Symbol(name), Attr::Int(free)] = data.attrs[..] else {
        return Err(Diagnostic::internal("lowering", "a cell without a name"));
    };
    let name = l.typed.symbols.get(name);
    let (class, message) = if free == 1 {
        let rest = "where it is not associated with a value in enclosing scope";
        (ExceptionClass::NameError, format!("cannot access free variable '{name}' {rest}"))
    } else {
        let rest = "where it is not associated with a value";
        (ExceptionClass::UnboundLocalError, format!("cannot access local variable '{name}' {rest}"))
    };
    let content = l.typed.ty(data.results[0]);
    let operand = closure_cell::load(&mut l.emit, address, content, Some((class, &message)));
    l.define(data.results[0], operand);
    Ok(())
}

pub(crate) fn lower_store_cell(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let (cell, value) = (l.operand(data.args[0])?, l.operand(data.args[1])?);
    let Some(address) = closure_cell::address(&mut l.emit, &cell) else {
        return Err(Diagnostic::internal("lowering", "a new value for what is no variable"));
    };
    if !l.emit.owners(&value).is_empty() {
        l.emit.release_cell(address, value.ty);
    }
    closure_cell::store(&mut l.emit, address, &value);
    Ok(())
}

/// Ends a variable. That of a handler may have ended before.
pub(crate) fn lower_delete_cell(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let ir::Def::Result(made, _) = l.typed.values[data.args[0]].def else {
        return Err(Diagnostic::internal("lowering", "a cell that nobody made"));
    };
    let made = &l.typed.insts[made];
    let content = match (made.args.first(), made.attrs.get(1)) {
        (Some(&value), _) => l.typed.ty(value),
        (None, Some(&Attr::Type(content))) => content,
        _ => return Err(Diagnostic::internal("lowering", "a cell for values of no type")),
    };
    let address = l.operand(data.args[0])?.value();
    if data.attrs.get(1) == Some(&Attr::Int(0)) {
        let name = match made.attrs.first() {
            Some(&Attr::Symbol(name)) => l.typed.symbols.get(name).clone(),
            _ => String::new(),
        };
        let message =
            format!("cannot access local variable '{name}' where it is not associated with a value");
        closure_cell::load(
            &mut l.emit,
            address,
            content,
            Some((ExceptionClass::UnboundLocalError, &message)),
        );
    }
    closure_cell::unbind(&mut l.emit, address, content);
    Ok(())
}

/// Part n of a closure: what it captured, then its defaults. Of a choice: function n.
pub(crate) fn lower_capture(l: &mut Lowering<'_>, inst: Inst) -> Result<()> {
    let data = &l.typed.insts[inst];
    let mut from = l.operand(data.args[0])?;
    let Some(&Attr::Int(index)) = data.attrs.first() else {
        return Err(Diagnostic::internal("lowering", "a capture without a number"));
    };
    let parts: Vec<Type> = match l.cx.types.get(from.ty) {
        TypeData::Closure { captures, defaults, .. } => {
            captures.iter().chain(defaults.iter()).copied().collect()
        }
        TypeData::Choice(members) => {
            // Its first part is the number of the function that it is.
            from.parts.remove(0);
            members.to_vec()
        }
        _ => return Err(Diagnostic::internal("lowering", "a capture of what is no closure")),
    };
    let operand = by_parts(l, &from, &parts, index as usize);
    l.define(data.results[0], operand);
    Ok(())
}

/// A function out of its code has no parts yet; its cells, then its defaults become them.
pub(crate) fn lower_function(l: &mut Lowering<'_>, inst: Inst, name: &str) -> Result<()> {
    let data = &l.typed.insts[inst];
    let ty = l.typed.ty(data.results[0]);
    if name == "make_function" {
        l.define(data.results[0], Operand::new(ty, []));
        return Ok(());
    }
    let (given, function) = (l.operand(data.args[0])?, l.operand(data.args[1])?);
    let TypeData::Closure { defaults, .. } = l.cx.types.get(ty) else {
        return Err(Diagnostic::internal("lowering", "a function without a closure's type"));
    };
    let mut parts = function.parts;
    match l.typed.function_attribute(inst) {
        Some(FunctionAttribute::Closure) => parts.extend(given.parts),
        Some(FunctionAttribute::Defaults | FunctionAttribute::KeywordDefaults) => {
            let count = l.cx.types.components(given.ty).map_or(0, |items| items.len());
            let wanted = l.cx.types.tuple(&defaults[defaults.len() - count..]);
            parts.extend(cast(&mut l.emit, &given, wanted)?.parts);
        }
        _ => {}
    }
    l.define(data.results[0], Operand { ty, parts });
    Ok(())
}
