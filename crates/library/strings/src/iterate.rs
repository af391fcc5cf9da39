//! Iteration over the characters of a string.

use crate::layout::{Parts, char_at, is_text, make, of_char, resolution};
use abi::Runtime;
use catalog::{Catalog, Emit, Key, LEFT_OUT, Operand, Resolution, Rule};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getiter, Rule::Generic(resolve_iter));
    catalog.add_generic("builtins.reversed", |types, args| {
        let found = resolve_iter(types, args)?;
        Some(Resolution { emit: iterate_backwards, ..found })
    });
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
}

fn resolve_iter(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [text] = *args else { return None };
    let result = types.intern(TypeData::Iterator(Type::STR));
    if is_text(types, text) { resolution(result, &[Type::STR], iterate) } else { None }
}

/// The place of the next character, and the string.
fn iterate(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let [slot, owner] = emit.iterator_state(8);
    let zero = emit.b.iconst(Native::I64, 0);
    emit.b.store(slot, 0, zero);
    let ty = emit.types.intern(TypeData::Iterator(Type::STR));
    Ok(Operand::new(ty, [slot, owner].into_iter().chain(args[0].parts.iter().copied())))
}

/// Over a string of the same characters in the other order.
fn iterate_backwards(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let left_out = emit.b.iconst(Native::I64, LEFT_OUT);
    let step = emit.b.iconst(Native::I64, -1);
    let [owner, data, meta] = Parts::of(&args[0]).all();
    let backwards = make(emit, Runtime::TextSlice, &[owner, data, meta, left_out, left_out, step]);
    iterate(emit, &[backwards])
}

fn resolve_next(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [iterator] = *args else { return None };
    let is_ours = matches!(types.get(iterator), TypeData::Iterator(Type::STR));
    if is_ours { resolution(Type::STR, &[iterator], next) } else { None }
}

fn next(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let [slot, _owner, text @ ..] = &args[0].parts[..] else {
        return Err(Diagnostic::internal("emission", "an iterator without a position"));
    };
    let text = Parts::of(&Operand::new(Type::STR, text.iter().copied()));
    let at = emit.b.load(Native::I64, *slot, 0);
    let length = text.length(emit);
    let valid = emit.b.icmp(IntCond::Ult, at, length);
    emit.exit_iteration_unless(valid)?;
    let number = char_at(emit, text, at)?;
    let one = emit.b.iconst(Native::I64, 1);
    let following = emit.b.like_first(Op::Iadd, &[at, one]);
    emit.b.store(*slot, 0, following);
    of_char(emit, number)
}
