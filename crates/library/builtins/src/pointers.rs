//! C pointers: reading and writing. Nothing is checked, as in C.

use crate::emit_helpers::unexpected;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{CompareOp, IntCond, Native, Op, Value};
use types::{Type, TypeData, TypeTable, convert};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Getitem, Rule::Generic(resolve_read));
    catalog.add(Key::Setitem, Rule::Generic(resolve_write));
    let (is, is_not) = (Key::Compare(CompareOp::Is), Key::Compare(CompareOp::IsNot));
    catalog
        .add(is, Rule::Generic(|types, args| identity(types, args, |e, a| same_address(e, a, IntCond::Eq))));
    catalog.add(
        is_not,
        Rule::Generic(|types, args| identity(types, args, |e, a| same_address(e, a, IntCond::Ne))),
    );
}

/// Pointers are the same if they are one address.
fn identity(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let are_pointers = args.iter().all(|&ty| matches!(types.get(ty), TypeData::Pointer(_)));
    are_pointers.then(|| Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

fn same_address(emit: &mut Emit<'_>, args: &[Operand], cond: IntCond) -> Result<Operand> {
    let [a, b] =
        [&args[0], &args[1]].map(|pointer| emit.b.convert(Op::Bitcast, pointer.value(), Native::I64));
    let same = emit.b.icmp(cond, a, b);
    Ok(Operand::single(Type::BOOL, same))
}

/// What a pointer points to, if values of that type lie in memory as C has them.
fn content(types: &TypeTable, pointer: Type) -> Option<Type> {
    let TypeData::Pointer(Some(content)) = types.get(pointer) else { return None };
    let lies =
        content == Type::BOOL || content.is_number() || matches!(types.get(content), TypeData::Pointer(_));
    lies.then_some(content)
}

fn is_index(types: &TypeTable, index: Type) -> bool {
    types.unliteral(index).is_int()
}

fn resolve_read(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [pointer, index] = *args else { return None };
    let result = content(types, pointer).filter(|_| is_index(types, index))?;
    Some(Resolution { result, params: vec![pointer, Type::INT64], emit: read })
}

fn resolve_write(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [pointer, index, value] = *args else { return None };
    let content = content(types, pointer).filter(|_| is_index(types, index))?;
    convert(types, value, content)?;
    Some(Resolution { result: Type::NONE, params: vec![pointer, Type::INT64, content], emit: write })
}

/// The address of item number `index`, and the machine types of an item.
fn pointee(emit: &mut Emit<'_>, pointer: &Operand, index: &Operand) -> Result<(Type, Value, Vec<Native>)> {
    let content = content(emit.types, pointer.ty).ok_or_else(|| unexpected("no pointer"))?;
    let parts = emit.machine_types(content).to_vec();
    let size: u32 = parts.iter().map(|native| native.size()).sum();
    let size = emit.b.iconst(Native::I64, size.into());
    let bytes = emit.b.like_first(Op::Imul, &[index.value(), size]);
    let address = emit.b.native(Op::PtrAdd, [], &[pointer.value(), bytes], Native::Ptr);
    Ok((content, address, parts))
}

fn read(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (content, address, natives) = pointee(emit, &args[0], &args[1])?;
    let mut offset = 0;
    let mut parts = Vec::new();
    for native in natives {
        parts.push(emit.b.load(native, address, offset));
        offset += i64::from(native.size());
    }
    Ok(Operand::new(content, parts))
}

fn write(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (_, address, natives) = pointee(emit, &args[0], &args[1])?;
    let mut offset = 0;
    for (native, &part) in natives.into_iter().zip(&args[2].parts) {
        emit.b.store(address, offset, part);
        offset += i64::from(native.size());
    }
    Ok(Operand::new(Type::NONE, []))
}
