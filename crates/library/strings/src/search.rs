//! Substring search: `find`, `rfind`, `index`, `rindex`, `count`, `in`, `startswith`, `endswith`, `partition`.

use crate::layout::{Parts, is_text, make, resolution, truth};
use abi::ExceptionClass::ValueError;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Key, LEFT_OUT, Operand, Resolution, Rule, slice_part};
use diag::Result;
use ir::{CompareOp, IntCond, Native, Op, Value};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add(Key::Compare(CompareOp::In), Rule::Generic(contains));
    macro_rules! searches {
        ($($name:literal $result:ident $emit:expr;)*) => {
            $(catalog.add_generic(concat!("method.", $name), |types, args| {
                searched(types, args, Type::$result, $emit)
            });)*
        };
    }
    searches! {
        "find" INT64 |emit, args| search(emit, args, Runtime::TextFind);
        "rfind" INT64 |emit, args| search(emit, args, Runtime::TextRfind);
        "count" INT64 |emit, args| search(emit, args, Runtime::TextCount);
        "index" INT64 |emit, args| index(emit, args, Runtime::TextFind);
        "rindex" INT64 |emit, args| index(emit, args, Runtime::TextRfind);
        "startswith" BOOL |emit, args| edge(emit, args, false);
        "endswith" BOOL |emit, args| edge(emit, args, true);
    }
    catalog.add_generic("method.startswith", |types, args| {
        any_edge(types, args, |e, a| edge_of_any(e, a, false))
    });
    catalog
        .add_generic("method.endswith", |types, args| any_edge(types, args, |e, a| edge_of_any(e, a, true)));
    catalog.add_generic("method.partition", |types, args| parted(types, args, |e, a| partition(e, a, false)));
    catalog.add_generic("method.rpartition", |types, args| parted(types, args, |e, a| partition(e, a, true)));
}

fn contains(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [part, text] = *args else { return None };
    let fits = is_text(types, part) && is_text(types, text);
    if fits { resolution(Type::BOOL, &[Type::STR; 2], is_in) } else { None }
}

fn is_in(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let all = [args[1].clone(), args[0].clone()];
    let found = search(emit, &all, Runtime::TextFind)?.value();
    let zero = emit.b.iconst(Native::I64, 0);
    Ok(truth(emit.b.icmp(IntCond::Sge, found, zero)))
}

/// Whether a type is that of a bound: an integer, None, or one of both.
pub(crate) fn is_bound(types: &TypeTable, ty: Type) -> bool {
    let plain = types.unliteral(ty);
    let optional = matches!(types.get(plain), TypeData::Optional(inner) if inner.is_int());
    plain.is_int() || plain == Type::BOOL || plain == Type::NONE || optional
}

/// A string, another, and bounds that may be left out.
fn searched(types: &TypeTable, args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    let [text, part, bounds @ ..] = args else { return None };
    let fits = is_text(types, *text)
        && is_text(types, *part)
        && bounds.len() <= 2
        && bounds.iter().all(|&ty| is_bound(types, ty));
    let params: Vec<Type> = [Type::STR; 2].into_iter().chain(bounds.iter().copied()).collect();
    if fits { resolution(result, &params, emit) } else { None }
}

fn bounds(emit: &mut Emit<'_>, args: &[Operand]) -> Result<[Value; 2]> {
    let mut found = [emit.b.iconst(Native::I64, LEFT_OUT); 2];
    for (position, arg) in found.iter_mut().zip(args) {
        *position = slice_part(emit, arg)?;
    }
    Ok(found)
}

fn search(emit: &mut Emit<'_>, args: &[Operand], function: Runtime) -> Result<Operand> {
    search_parts(emit, Parts::of(&args[0]), Parts::of(&args[1]), &args[2..], function)
}

/// Emits a search for the second string in the first, between bounds.
pub(crate) type Search = fn(&mut Emit<'_>, Parts, Parts, &[Operand]) -> Result<Operand>;

pub(crate) fn search_parts(
    emit: &mut Emit<'_>,
    text: Parts,
    part: Parts,
    limits: &[Operand],
    function: Runtime,
) -> Result<Operand> {
    let [start, end] = bounds(emit, limits)?;
    let all = [text.data, text.meta, part.data, part.meta, start, end];
    Ok(Operand::single(Type::INT64, emit.call_runtime(function, &all)[0]))
}

fn index(emit: &mut Emit<'_>, args: &[Operand], function: Runtime) -> Result<Operand> {
    let found = search(emit, args, function)?;
    let zero = emit.b.iconst(Native::I64, 0);
    let absent = emit.b.icmp(IntCond::Slt, found.value(), zero);
    emit.raise_if(absent, ValueError, "substring not found");
    Ok(found)
}

fn edge(emit: &mut Emit<'_>, args: &[Operand], at_end: bool) -> Result<Operand> {
    edge_parts(emit, Parts::of(&args[0]), Parts::of(&args[1]), &args[2..], at_end)
}

pub(crate) fn edge_parts(
    emit: &mut Emit<'_>,
    text: Parts,
    part: Parts,
    limits: &[Operand],
    at_end: bool,
) -> Result<Operand> {
    let [start, end] = bounds(emit, limits)?;
    let at_end = emit.b.iconst(Native::I64, at_end.into());
    let all = [text.data, text.meta, part.data, part.meta, start, end, at_end];
    Ok(truth(emit.call_runtime(Runtime::TextEdge, &all)[0]))
}

/// The same with a tuple of strings, of which any will do.
fn any_edge(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [text, parts, bounds @ ..] = args else { return None };
    let elements = types.elements(*parts)?;
    let fits = is_text(types, *text)
        && elements.iter().all(|&element| is_text(types, element))
        && bounds.len() <= 2
        && bounds.iter().all(|&ty| is_bound(types, ty));
    let tuple = types.tuple(&vec![Type::STR; elements.len()]);
    let params: Vec<Type> = [Type::STR, tuple].into_iter().chain(bounds.iter().copied()).collect();
    if fits { resolution(Type::BOOL, &params, emit) } else { None }
}

fn edge_of_any(emit: &mut Emit<'_>, args: &[Operand], at_end: bool) -> Result<Operand> {
    let mut any = emit.b.bool(false);
    for part in args[1].parts.chunks(3) {
        let part = Operand::new(Type::STR, part.iter().copied());
        let all: Vec<Operand> =
            [args[0].clone(), part].into_iter().chain(args[2..].iter().cloned()).collect();
        let here = edge(emit, &all, at_end)?.value();
        any = emit.b.like_first(Op::Ior, &[any, here]);
    }
    Ok(truth(any))
}

fn parted(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [text, part] = *args else { return None };
    let fits = is_text(types, text) && is_text(types, part);
    if fits { resolution(types.tuple(&[Type::STR; 3]), &[Type::STR; 2], emit) } else { None }
}

/// What stands before a separator, this, and what stands after it.
fn partition(emit: &mut Emit<'_>, args: &[Operand], from_end: bool) -> Result<Operand> {
    let (text, part) = (Parts::of(&args[0]), Parts::of(&args[1]));
    let (zero, length) = (emit.b.iconst(Native::I64, 0), text.length(emit));
    let cut = part.length(emit);
    let empty = emit.b.icmp(IntCond::Eq, cut, zero);
    emit.raise_if(empty, ValueError, "empty separator");
    let function = if from_end { Runtime::TextRfind } else { Runtime::TextFind };
    let found = search(emit, args, function)?.value();
    let absent = emit.b.icmp(IntCond::Slt, found, zero);
    // Where there is none, everything stands before it, or after the last one.
    let behind = emit.b.like_first(Op::Iadd, &[found, cut]);
    let nowhere = if from_end { zero } else { length };
    let end = emit.b.select(absent, nowhere, found);
    let start = emit.b.select(absent, nowhere, behind);
    let mut parts = Vec::new();
    for [from, to] in [[zero, end], [end, start], [start, length]] {
        let one = emit.b.iconst(Native::I64, 1);
        let [owner, data, meta] = text.all();
        parts.extend(make(emit, Runtime::TextSlice, &[owner, data, meta, from, to, one]).parts);
    }
    Ok(Operand::new(emit.types.tuple(&[Type::STR; 3]), parts))
}
