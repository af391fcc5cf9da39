//! Truth of lists, dicts and sets, and identity of these, of generators, and of values of extension types.

use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, generator};
use diag::Result;
use ir::{CompareOp, IntCond, Native, Op, Value};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.id", resolve_id).reads();
    let (is, is_not) = (Key::Compare(CompareOp::Is), Key::Compare(CompareOp::IsNot));
    catalog.add(is, Rule::Generic(|types, args| identity_of_extensions(types, args, true)));
    catalog.add(is_not, Rule::Generic(|types, args| identity_of_extensions(types, args, false)));
    catalog.add(
        Key::Compare(CompareOp::Is),
        Rule::Generic(|types, args| {
            identity(
                types,
                args,
                |emit, args| same_block(emit, args, IntCond::Eq),
                |emit, _| constant(emit, false),
            )
        }),
    );
    catalog.add(
        Key::Compare(CompareOp::IsNot),
        Rule::Generic(|types, args| {
            identity(
                types,
                args,
                |emit, args| same_block(emit, args, IntCond::Ne),
                |emit, _| constant(emit, true),
            )
        }),
    );
}

/// Values of an extension type are parts that compiled code copies: they are the same if all of these are.
fn identity_of_extensions(types: &TypeTable, args: &[Type], same: bool) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let is_extension = |ty| matches!(types.get(ty), TypeData::Foreign { .. });
    if !is_extension(a) || !is_extension(b) {
        return None;
    }
    let emit: EmitFn = match (a == b, same) {
        (true, true) => |emit, args| same_parts(emit, args, true),
        (true, false) => |emit, args| same_parts(emit, args, false),
        (false, true) => |emit, _| constant(emit, false),
        (false, false) => |emit, _| constant(emit, true),
    };
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

fn same_parts(emit: &mut Emit<'_>, args: &[Operand], wanted: bool) -> Result<Operand> {
    let mut same = emit.b.bool(true);
    for (&a, &b) in args[0].parts.iter().zip(&args[1].parts) {
        let (a, b) = (bits(emit, a), bits(emit, b));
        let equal = emit.b.icmp(IntCond::Eq, a, b);
        same = emit.b.like_first(Op::Iand, &[same, equal]);
    }
    let unwanted = emit.b.bool(!wanted);
    Ok(Operand::single(Type::BOOL, emit.b.like_first(Op::Ixor, &[same, unwanted])))
}

/// A part as an integer: NaN is itself, and zeros of both signs differ.
fn bits(emit: &mut Emit<'_>, part: Value) -> Value {
    match emit.b.func.native(part) {
        Native::F64 => emit.b.convert(Op::Bitcast, part, Native::I64),
        Native::F32 => emit.b.convert(Op::Bitcast, part, Native::I32),
        _ => part,
    }
}

/// What tells a container or a generator from all others that exist. Numbers and texts have no identity in compiled code.
fn resolve_id(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let emit: EmitFn = |_, args| Ok(Operand::single(Type::INT64, args[0].value()));
    is_block(types, ty).then(|| Resolution { result: Type::INT64, params: args.to_vec(), emit })
}

fn is_block(types: &TypeTable, ty: Type) -> bool {
    types.contents(ty).is_some() || generator::parts_of(types, ty).is_some()
}

/// Containers of different types are different objects.
fn identity(types: &TypeTable, args: &[Type], of_one_type: EmitFn, of_two: EmitFn) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let emit = if a == b { of_one_type } else { of_two };
    (is_block(types, a) && is_block(types, b)).then(|| Resolution {
        result: Type::BOOL,
        params: args.to_vec(),
        emit,
    })
}

fn constant(emit: &mut Emit<'_>, value: bool) -> Result<Operand> {
    Ok(Operand::single(Type::BOOL, emit.b.bool(value)))
}

fn same_block(emit: &mut Emit<'_>, args: &[Operand], condition: IntCond) -> Result<Operand> {
    Ok(Operand::single(Type::BOOL, emit.b.icmp(condition, args[0].value(), args[1].value())))
}

/// Whether a length is 0, or is not.
pub(crate) fn compare_with_zero(emit: &mut Emit<'_>, length: Value, condition: IntCond) -> Operand {
    let zero = emit.b.iconst(Native::I64, 0);
    Operand::single(Type::BOOL, emit.b.icmp(condition, length, zero))
}
