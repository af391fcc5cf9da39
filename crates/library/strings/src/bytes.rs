//! Bytes: comparison, search, concatenation, hash, `decode` and `encode`.
//!
//! Bytes are represented like arrays (`arrays::buffers` has their items, slices and loops). A constant is a fixed-width
//! string until another representation is needed. The runtime treats bytes as strings of one byte per character.

use crate::call_python::{Answer, ask, or_ask};
use crate::compare::{equal_parts, order_parts};
use crate::concat::concatenate_parts;
use crate::layout::{Parts, is_text, make, resolution, truth, try_make};
use crate::search;
use abi::ExceptionClass::ValueError;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{BinaryOp, CompareOp, IntCond, Native, Op, UnaryOp};
use types::{LiteralValue, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    add_comparisons(catalog);
    add_searches(catalog);
    add_asked(catalog);
    catalog.add(
        Key::Binary(BinaryOp::Add),
        Rule::Generic(|types, args| both(types, args, types.bytes(), concatenate)),
    );
    catalog
        .add_generic("builtins.hash", |types, args| {
            let [ty] = *args else { return None };
            let emit: EmitFn = |emit, args| {
                let text = as_text(emit, &args[0])?;
                Ok(Operand::single(Type::INT64, emit.call_runtime(Runtime::HashText, &text.all())[0]))
            };
            if is_bytes(types, ty) { resolution(Type::INT64, &[plain(types, ty)], emit) } else { None }
        })
        .reads();
    catalog.add(Key::Unary(UnaryOp::Not), Rule::Generic(|types, args| filled(types, args, IntCond::Eq)));
    for key in [Key::Unary(UnaryOp::Bool), Key::Construct(Type::BOOL)] {
        catalog.add(key, Rule::Generic(|types, args| filled(types, args, IntCond::Ne)));
    }
    catalog.add_generic("method.decode", resolve_decode);
    catalog.add_generic("method.encode", resolve_encode);
    catalog.name_parameters("method.decode", &["encoding", "errors"]);
    catalog.name_parameters("method.encode", &["encoding", "errors"]);
    // Of a constant: what it is as bytes.
    catalog.add(
        Key::Getiter,
        Rule::Nested(|catalog, types, args| of_constant(catalog, types, &Key::Getiter, args)),
    );
    catalog.add(
        Key::Getitem,
        Rule::Nested(|catalog, types, args| of_constant(catalog, types, &Key::Getitem, args)),
    );
}

/// Whether a type is that of bytes, constant or not.
fn is_bytes(types: &TypeTable, ty: Type) -> bool {
    types.is_bytes(ty) || matches!(types.get(ty), TypeData::CharSeq { wide: false, .. })
}

/// The type that bytes are converted to: views with gaps between items stay what they are.
fn plain(types: &TypeTable, ty: Type) -> Type {
    if types.is_bytes(ty) { ty } else { types.bytes() }
}

/// What a question about a constant means for bytes.
fn of_constant(catalog: &Catalog, types: &TypeTable, key: &Key, args: &[Type]) -> Option<Resolution> {
    let (&of, rest) = args.split_first()?;
    if !matches!(types.get(of), TypeData::CharSeq { wide: false, .. }) {
        return None;
    }
    let args: Vec<Type> = [types.bytes()].into_iter().chain(rest.iter().copied()).collect();
    catalog.resolve(types, key, &args)
}

/// The bytes as a string of one byte per character.
fn as_text(emit: &mut Emit<'_>, bytes: &Operand) -> Result<Parts> {
    let two = emit.b.iconst(Native::I64, 2);
    let meta = emit.b.like_first(Op::Ishl, &[bytes.parts[2], two]);
    let text = Parts { owner: bytes.parts[0], data: bytes.parts[1], meta };
    match bytes.parts.get(3) {
        // There may be gaps between the items.
        Some(&stride) => Ok(Parts::of(&make(emit, Runtime::TextGather, &[text.data, text.meta, stride]))),
        None => Ok(text),
    }
}

/// A string of one byte per character as bytes.
fn as_bytes(emit: &mut Emit<'_>, text: &Operand) -> Operand {
    let text = Parts::of(text);
    let length = text.length(emit);
    Operand::new(emit.types.bytes(), [text.owner, text.data, length])
}

fn both(types: &TypeTable, args: &[Type], result: Type, emit: EmitFn) -> Option<Resolution> {
    let [a, b] = *args else { return None };
    // Two constants of a fixed width are compared as such.
    let fits = is_bytes(types, a)
        && is_bytes(types, b)
        && (types.is_bytes(a) || types.is_bytes(b) || result != Type::BOOL);
    if fits { resolution(result, &[plain(types, a), plain(types, b)], emit) } else { None }
}

fn add_comparisons(catalog: &mut Catalog) {
    use CompareOp::{Eq, Ge, Gt, Le, Lt, Ne};
    let eq: fn(&TypeTable, &[Type]) -> Option<Resolution> = |types, args| {
        both(types, args, Type::BOOL, |emit, args| {
            let (a, b) = (as_text(emit, &args[0])?, as_text(emit, &args[1])?);
            Ok(truth(equal_parts(emit, a, b)?))
        })
    };
    let ne: fn(&TypeTable, &[Type]) -> Option<Resolution> = |types, args| {
        both(types, args, Type::BOOL, |emit, args| {
            let (a, b) = (as_text(emit, &args[0])?, as_text(emit, &args[1])?);
            let equal = equal_parts(emit, a, b)?;
            let one = emit.b.bool(true);
            Ok(truth(emit.b.like_first(Op::Ixor, &[equal, one])))
        })
    };
    catalog.add(Key::Compare(Eq), Rule::Generic(eq));
    catalog.add(Key::Compare(Ne), Rule::Generic(ne));
    macro_rules! orders {
        ($($op:ident $condition:ident)*) => {
            $(catalog.add(Key::Compare($op), Rule::Generic(|types, args| {
                both(types, args, Type::BOOL, |emit, args| {
                    let (a, b) = (as_text(emit, &args[0])?, as_text(emit, &args[1])?);
                    Ok(truth(order_parts(emit, a, b, IntCond::$condition)))
                })
            }));)*
        };
    }
    orders! { Lt Slt Le Sle Gt Sgt Ge Sge }
}

fn filled(types: &TypeTable, args: &[Type], condition: IntCond) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let emit: EmitFn = match condition {
        IntCond::Eq => |emit, args| {
            let zero = emit.b.iconst(Native::I64, 0);
            Ok(truth(emit.b.icmp(IntCond::Eq, args[0].parts[2], zero)))
        },
        _ => |emit, args| {
            let zero = emit.b.iconst(Native::I64, 0);
            Ok(truth(emit.b.icmp(IntCond::Ne, args[0].parts[2], zero)))
        },
    };
    let is_filled = types.is_bytes(ty) || ty == types.bytearray();
    is_filled.then(|| Resolution { result: Type::BOOL, params: vec![ty], emit })
}

fn concatenate(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (a, b) = (as_text(emit, &args[0])?, as_text(emit, &args[1])?);
    let made = concatenate_parts(emit, a, b);
    Ok(as_bytes(emit, &made))
}

fn add_searches(catalog: &mut Catalog) {
    macro_rules! searches {
        ($($name:literal $result:ident $emit:expr;)*) => {
            $(catalog.add_generic(concat!("method.", $name), |types, args| {
                let [bytes, part, bounds @ ..] = args else { return None };
                let fits = is_bytes(types, *bytes)
                    && is_bytes(types, *part)
                    && bounds.len() <= 2
                    && bounds.iter().all(|&ty| search::is_bound(types, ty));
                let params = [plain(types, *bytes), plain(types, *part)].into_iter().chain(bounds.iter().copied());
                let params: Vec<Type> = params.collect();
                let emit: EmitFn = |emit, args| {
                    let (bytes, part) = (as_text(emit, &args[0])?, as_text(emit, &args[1])?);
                    let emit_search: search::Search = $emit;
                    emit_search(emit, bytes, part, &args[2..])
                };
                if fits { resolution(Type::$result, &params, emit) } else { None }
            });)*
        };
    }
    searches! {
        "find" INT64 |emit, all, part, bounds| search::search_parts(emit, all, part, bounds, Runtime::TextFind);
        "rfind" INT64 |emit, all, part, bounds| search::search_parts(emit, all, part, bounds, Runtime::TextRfind);
        "count" INT64 |emit, all, part, bounds| search::search_parts(emit, all, part, bounds, Runtime::TextCount);
        "index" INT64 |emit, all, part, bounds| index(emit, all, part, bounds, Runtime::TextFind);
        "rindex" INT64 |emit, all, part, bounds| index(emit, all, part, bounds, Runtime::TextRfind);
        "startswith" BOOL |emit, all, part, bounds| search::edge_parts(emit, all, part, bounds, false);
        "endswith" BOOL |emit, all, part, bounds| search::edge_parts(emit, all, part, bounds, true);
    }
    catalog.add(
        Key::Compare(CompareOp::In),
        Rule::Generic(|types, args| {
            let [part, bytes] = *args else { return None };
            let fits = is_bytes(types, part) && is_bytes(types, bytes);
            let emit: EmitFn = |emit, args| {
                let (part, bytes) = (as_text(emit, &args[0])?, as_text(emit, &args[1])?);
                let found = search::search_parts(emit, bytes, part, &[], Runtime::TextFind)?.value();
                let zero = emit.b.iconst(Native::I64, 0);
                Ok(truth(emit.b.icmp(IntCond::Sge, found, zero)))
            };
            if fits { resolution(Type::BOOL, &[plain(types, part), plain(types, bytes)], emit) } else { None }
        }),
    );
}

fn index(
    emit: &mut Emit<'_>,
    all: Parts,
    part: Parts,
    bounds: &[Operand],
    function: Runtime,
) -> Result<Operand> {
    let found = search::search_parts(emit, all, part, bounds, function)?;
    let zero = emit.b.iconst(Native::I64, 0);
    let absent = emit.b.icmp(IntCond::Slt, found.value(), zero);
    emit.raise_if(absent, ValueError, "subsection not found");
    Ok(found)
}

/// What Python does with bytes that are seldom: methods that give bytes, or a boolean.
fn add_asked(catalog: &mut Catalog) {
    macro_rules! asked {
        ($answer:ident $result:expr; $($name:literal)*) => {
            $(catalog.add_generic(concat!("method.", $name), |types, args| {
                let (&bytes, rest) = args.split_first()?;
                let emit: EmitFn = |emit, args| {
                    let made = ask(emit, concat!(".", $name), args, Answer::$answer)?;
                    Ok(if Answer::$answer == Answer::Bytes { as_bytes(emit, &made) } else { made })
                };
                let convertible = |&ty: &Type| {
                    ty == types.bytes() || matches!(types.get(ty), TypeData::CharSeq { wide: false, .. })
                };
                let fits = convertible(&bytes)
                    && rest.len() <= 3
                    && rest.iter().all(|ty| convertible(ty) || types.unliteral(*ty).is_int());
                let param = |ty: &Type| if convertible(ty) { types.bytes() } else { *ty };
                let params: Vec<Type> = args.iter().map(param).collect();
                if fits { resolution($result(types), &params, emit) } else { None }
            });)*
        };
    }
    asked! {
        Bytes TypeTable::bytes;
        "upper" "lower" "title" "capitalize" "swapcase" "strip" "lstrip" "rstrip" "zfill" "ljust" "rjust" "center"
        "expandtabs" "replace" "removeprefix" "removesuffix"
    }
    asked! {
        Truth |_: &TypeTable| Type::BOOL;
        "isalnum" "isalpha" "isascii" "isdigit" "islower" "isspace" "istitle" "isupper"
    }
    catalog.add(
        Key::Binary(BinaryOp::Mul),
        Rule::Generic(|types, args| {
            let [a, b] = *args else { return None };
            let is_count = |ty| types.unliteral(ty).is_int() || types.unliteral(ty) == Type::BOOL;
            if is_bytes(types, a) && is_count(b) {
                let params = [plain(types, a), Type::INT64];
                resolution(types.bytes(), &params, |emit, args| repeat(emit, &args[0], &args[1]))
            } else if is_count(a) && is_bytes(types, b) {
                let params = [Type::INT64, plain(types, b)];
                resolution(types.bytes(), &params, |emit, args| repeat(emit, &args[1], &args[0]))
            } else {
                None
            }
        }),
    );
}

fn repeat(emit: &mut Emit<'_>, bytes: &Operand, count: &Operand) -> Result<Operand> {
    let [owner, data, meta] = as_text(emit, bytes)?.all();
    let made = make(emit, Runtime::TextRepeat, &[owner, data, meta, count.value()]);
    Ok(as_bytes(emit, &made))
}

/// Whether an encoding that is left out, or one of these names, leaves ASCII's characters as they are.
fn keeps_ascii(types: &TypeTable, rest: &[Type]) -> bool {
    match rest.first() {
        None | Some(&Type::NONE) => true,
        Some(&encoding) => match types.literal(encoding) {
            Some(LiteralValue::Str(name)) => {
                ["ascii", "utf-8", "utf8", "latin-1", "latin1"].contains(&name.to_ascii_lowercase().as_str())
            }
            _ => false,
        },
    }
}

fn arguments(types: &TypeTable, rest: &[Type]) -> bool {
    rest.len() <= 2 && rest.iter().all(|&ty| is_text(types, ty))
}

fn resolve_decode(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&bytes, rest) = args.split_first()?;
    let emit: EmitFn = |emit, args| {
        let text = as_text(emit, &args[0])?;
        let all: Vec<Operand> = [as_bytes(emit, &Operand::new(Type::STR, text.all()))]
            .into_iter()
            .chain(args[1..].iter().cloned())
            .collect();
        let rest: Vec<Type> = args[1..].iter().map(|arg| arg.ty).collect();
        if !keeps_ascii(emit.types, &rest) {
            return ask(emit, ".decode", &all, Answer::Text);
        }
        let (code, made) = try_make(emit, Runtime::TextAscii, &text.all());
        or_ask(emit, code, made, ".decode", &all, Answer::Text)
    };
    let params: Vec<Type> = [plain(types, bytes)].into_iter().chain(rest.iter().copied()).collect();
    let fits = is_bytes(types, bytes) && arguments(types, rest);
    if fits { resolution(Type::STR, &params, emit) } else { None }
}

fn resolve_encode(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&text, rest) = args.split_first()?;
    let emit: EmitFn = |emit, args| {
        let rest: Vec<Type> = args[1..].iter().map(|arg| arg.ty).collect();
        let made = if keeps_ascii(emit.types, &rest) {
            let (code, made) = try_make(emit, Runtime::TextAscii, &Parts::of(&args[0]).all());
            or_ask(emit, code, made, ".encode", args, Answer::Bytes)?
        } else {
            ask(emit, ".encode", args, Answer::Bytes)?
        };
        Ok(as_bytes(emit, &made))
    };
    let params: Vec<Type> = [Type::STR].into_iter().chain(rest.iter().copied()).collect();
    let fits = is_text(types, text) && arguments(types, rest);
    if fits { resolution(types.bytes(), &params, emit) } else { None }
}
