//! Loads and stores of local variables and cells.
//!
//! Absent: which value a slot holds (`rename`).

use crate::ssa_rename::Renamer;
use crate::translate::{Ended, Slot, Step, pop, push, push_op, python, too_low};
use bytecode::LocalId;
use entity::EntityRef;
use ir::{Attr, Value};

pub(crate) fn load_fast(r: &mut Renamer<'_>, local: LocalId) -> Step {
    let value = checked_local(r, local);
    push(r, Slot::value(value))
}

/// The slot's value, after a check where it may be unbound.
fn checked_local(r: &mut Renamer<'_>, local: LocalId) -> Value {
    let value = r.local(local);
    if !r.is_tracked(local) || r.bound(local) == r.truth(true) {
        return value;
    }
    let name = r.b.symbol(&r.code.locals[local.index()].name);
    let bound = r.bound(local);
    r.b.untyped(ir::Op::CheckBound, [Attr::Symbol(name)], &[value, bound])
}

pub(crate) fn load_fast_and_clear(r: &mut Renamer<'_>, local: LocalId) -> Step {
    let bound = if r.is_tracked(local) { r.bound(local) } else { r.truth(true) };
    r.stack.push(Slot { value: Some(r.local(local)), bound: Some(bound) });
    r.set_local(local, r.undefined);
    r.set_bound(local, false);
    Ok(Ended::No)
}

pub(crate) fn store_fast(r: &mut Renamer<'_>, local: LocalId, restores: bool) -> Step {
    let slot = r.stack.pop().ok_or_else(too_low)?;
    let value = slot.value.ok_or_else(too_low)?;
    let value = if restores { value } else { r.as_declared(local, value) };
    r.set_local(local, value);
    match slot.bound.filter(|_| restores) {
        Some(bound) => r.set_bound_value(local, bound),
        None => r.set_bound(local, true),
    }
    Ok(Ended::No)
}

pub(crate) fn delete_fast(r: &mut Renamer<'_>, local: LocalId) -> Step {
    checked_local(r, local);
    r.set_local(local, r.undefined);
    r.set_bound(local, false);
    Ok(Ended::No)
}

pub(crate) fn make_cell(r: &mut Renamer<'_>, local: LocalId) -> Step {
    let name = r.b.symbol(&r.code.locals[local.index()].name);
    let content = r.local(local);
    let cell = if content == r.undefined {
        r.b.untyped(ir::Op::EmptyCell, [Attr::Symbol(name), Attr::Type(types::Type::UNDEFINED)], &[])
    } else {
        r.b.untyped(ir::Op::MakeCell, [Attr::Symbol(name)], &[content])
    };
    r.set_local(local, cell);
    r.set_bound(local, true);
    Ok(Ended::No)
}

pub(crate) fn load_deref(r: &mut Renamer<'_>, local: LocalId) -> Step {
    let name = r.b.symbol(&r.code.locals[local.index()].name);
    if r.read_only_free[local.index()] {
        let first =
            r.code.locals.iter().position(|l| l.kind == bytecode::LocalKind::Free).unwrap_or_default();
        let index = (local.index() - first) as i64;
        return push_op(r, ir::Op::Freevar, [Attr::Int(index), Attr::Symbol(name)], &[]);
    }
    let cell = r.local(local);
    let free = r.code.locals[local.index()].kind == bytecode::LocalKind::Free;
    push_op(r, ir::Op::LoadCell, [Attr::Symbol(name), Attr::Int(free.into())], &[cell])
}

pub(crate) fn store_deref(r: &mut Renamer<'_>, local: LocalId) -> Step {
    let name = r.b.symbol(&r.code.locals[local.index()].name);
    let value = pop(r)?;
    let cell = r.local(local);
    r.b.inst(ir::Op::StoreCell, [Attr::Symbol(name)], &[cell, value], &[]);
    Ok(Ended::No)
}

pub(crate) fn delete_deref(r: &mut Renamer<'_>, local: LocalId) -> Step {
    let cell = r.local(local);
    // At the end of a handler the name gets None first, so that it is bound: then what it held goes whether it is or not.
    let ends_handler = stores_none(r, cell);
    if ends_handler {
        r.b.func.blocks[r.b.block].insts.pop();
    }
    python(r, "delete_cell", ends_handler.into(), &[cell], 0);
    Ok(Ended::No)
}

/// Whether the last instruction puts None into a cell.
fn stores_none(r: &Renamer<'_>, cell: Value) -> bool {
    let func = &*r.b.func;
    let Some(&last) = func.blocks[r.b.block].insts.last() else { return false };
    let data = &func.insts[last];
    let (ir::Op::StoreCell, &[to, value]) = (data.op, &data.args[..]) else { return false };
    let ir::Def::Result(made, _) = func.values[value].def else { return false };
    let constant = match func.insts[made].attrs.first() {
        Some(&Attr::Const(id)) if func.insts[made].op == ir::Op::Const => Some(func.consts.get(id)),
        _ => None,
    };
    to == cell && constant == Some(&ir::ConstData::None)
}
