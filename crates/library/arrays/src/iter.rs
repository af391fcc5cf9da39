//! `for item in a`, `len(a)`.
//!
//! An iterator keeps the next index and the array.

use crate::getitem::select;
use catalog::array::ArrayParts;
use catalog::{Catalog, Emit, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{IntCond, Native, Op};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getiter, Rule::Generic(resolve_iterator));
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
    catalog.add_generic("builtins.len", resolve_length).reads();
}

/// The type of the items of an array: of numbers, or of arrays with a dimension less.
fn item_type(types: &TypeTable, array: Type) -> Option<Type> {
    let (whole, array) = (array, types.buffer(array).filter(|array| array.ndim > 0)?);
    let basic = crate::basic_index::BasicIndex::of(types, array, Type::INT64)?;
    if basic.is_item { Some(types.item_type(&array)) } else { types.view_of(whole, basic.view) }
}

fn resolve_iterator(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array] = *args else { return None };
    item_type(types, array)?;
    let result = types.intern(TypeData::Iterator(array));
    let emit: catalog::EmitFn = |emit, args| {
        let [slot, owner] = emit.iterator_state(8);
        let zero = emit.b.iconst(Native::I64, 0);
        emit.b.store(slot, 0, zero);
        let ty = emit.types.intern(TypeData::Iterator(args[0].ty));
        Ok(Operand::new(ty, [slot, owner].into_iter().chain(args[0].parts.iter().copied())))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn resolve_next(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [iterator] = *args else { return None };
    let TypeData::Iterator(array) = types.get(iterator) else { return None };
    Some(Resolution { result: item_type(types, array)?, params: args.to_vec(), emit: next_item })
}

fn next_item(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let TypeData::Iterator(array) = emit.types.get(args[0].ty) else {
        return Err(diag::Diagnostic::internal("emission", "next of what is no iterator"));
    };
    let slot = args[0].parts[0];
    let array = Operand::new(array, args[0].parts[2..].iter().copied());
    let length = ArrayParts::open(emit, &array)?.shape[0];
    let at = emit.b.load(Native::I64, slot, 0);
    let valid = emit.b.icmp(IntCond::Ult, at, length);
    emit.exit_iteration_unless(valid)?;
    let one = emit.b.iconst(Native::I64, 1);
    let following = emit.b.like_first(Op::Iadd, &[at, one]);
    emit.b.store(slot, 0, following);
    // Unsigned: it is never counted from the end.
    select(emit, &array, &Operand::single(Type::UINT64, at), false)
}

fn resolve_length(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array] = *args else { return None };
    types.buffer(array).filter(|array| array.ndim > 0)?;
    let emit: catalog::EmitFn = |emit, args| {
        let parts = ArrayParts::open(emit, &args[0])?;
        Ok(Operand::single(Type::INT64, parts.shape[0]))
    };
    Some(Resolution { result: Type::INT64, params: args.to_vec(), emit })
}
