//! Exceptions as values: their classes and their identity.
//!
//! Absent: attributes, whose types depend on what was raised (`infer`, `lower`), and what Python objects decide (`strings`).

use crate::emit_helpers::single;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{CompareOp, Native, Op};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("builtins.type", resolve_type);
    let is: Rule = Rule::Generic(|types, args| resolve_same(types, args, true, is_same));
    let is_not: Rule = Rule::Generic(|types, args| resolve_same(types, args, true, is_other));
    catalog.add(Key::Compare(CompareOp::Is), is);
    catalog.add(Key::Compare(CompareOp::IsNot), is_not);
    let equal: Rule = Rule::Generic(|types, args| resolve_same(types, args, false, is_same));
    let differ: Rule = Rule::Generic(|types, args| resolve_same(types, args, false, is_other));
    catalog.add(Key::Compare(CompareOp::Eq), equal);
    catalog.add(Key::Compare(CompareOp::Ne), differ);
}

fn is_caught(types: &TypeTable, ty: Type) -> bool {
    matches!(types.get(ty), TypeData::Caught(_))
}

/// Its class is what the exception has: the same word.
fn resolve_type(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [exception] = *args else { return None };
    let result = types.intern(TypeData::CaughtClass);
    is_caught(types, exception).then(|| Resolution {
        result,
        params: vec![exception],
        emit: |emit, args| {
            let class = emit.types.intern(TypeData::CaughtClass);
            Ok(Operand { ty: class, parts: args[0].parts.clone() })
        },
    })
}

/// Two exceptions (equality of them is what their classes say), or the class of one and another class.
fn resolve_same(types: &TypeTable, args: &[Type], identity: bool, emit: EmitFn) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    let fits = match (types.get(a), types.get(b)) {
        (TypeData::Caught(_), TypeData::Caught(_)) => identity,
        (TypeData::CaughtClass, TypeData::CaughtClass) => true,
        (TypeData::CaughtClass, TypeData::ExceptionClass(_)) => true,
        (TypeData::ExceptionClass(_), TypeData::CaughtClass) => true,
        _ => false,
    };
    fits.then(|| Resolution { result: Type::BOOL, params: vec![a, b], emit })
}

fn is_same(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let exactly = |emit: &mut Emit<'_>, of: &Operand, class: u32| {
        let class = emit.b.iconst(Native::I64, i64::from(class));
        emit.call_runtime(Runtime::CaughtExactly, &[of.value(), class])[0]
    };
    let same = match (emit.types.get(args[0].ty), emit.types.get(args[1].ty)) {
        (_, TypeData::ExceptionClass(class)) => exactly(emit, &args[0], class),
        (TypeData::ExceptionClass(class), _) => exactly(emit, &args[1], class),
        (of, _) => {
            let classes = emit.b.iconst(Native::I64, i64::from(of == TypeData::CaughtClass));
            emit.call_runtime(Runtime::CaughtSame, &[args[0].value(), args[1].value(), classes])[0]
        }
    };
    single(Type::BOOL, same)
}

fn is_other(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let same = is_same(emit, args)?.value();
    let one = emit.b.bool(true);
    let other = emit.b.like_first(Op::Ixor, &[same, one]);
    single(Type::BOOL, other)
}
