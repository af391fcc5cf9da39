//! Values to strings and back: `str`, `repr`, `format`, `%`, `.format`, `int(text)`, `float(text)`.
//!
//! The runtime formats integers and floats without a format specification; Python formats everything else.

use crate::call_python::{Answer, ask};
use crate::layout::{Parts, is_text, make, resolution};
use abi::Runtime;
use catalog::exception_args::is_describable;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast, string};
use diag::Result;
use ir::{BinaryOp, IntCond, Native, Op};
use types::{LiteralValue, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog
        .add_generic("builtins.str", |types, args| match args {
            [] => resolution(Type::STR, &[], |emit, _| Ok(string::constant(emit, ""))),
            [ty] => written(types, *ty, |emit, args| write(emit, args, "str")),
            _ => None,
        })
        .reads();
    catalog
        .add_generic("builtins.repr", |types, args| match args {
            [ty] => written(types, *ty, |emit, args| write(emit, args, "repr")),
            _ => None,
        })
        .reads();
    catalog
        .add_generic("builtins.ascii", |types, args| match args {
            [ty] => written(types, *ty, |emit, args| ask(emit, "ascii", args, Answer::Text)),
            _ => None,
        })
        .reads();
    catalog.add_generic("builtins.format", resolve_format).reads();
    catalog.add(Key::Binary(BinaryOp::Mod), Rule::Generic(resolve_percent));
    catalog.add_generic("method.format", |types, args| {
        let values = args.strip_suffix(&[Type::ELLIPSIS]).unwrap_or(args);
        let fits = is_text(types, *args.first()?) && values.iter().all(|&ty| is_describable(types, ty));
        fits.then(|| Resolution { result: Type::STR, params: args.to_vec(), emit: fill_in })
    });
    catalog.state(&[
        ("builtins.str", "shows_in_tuples"),
        ("builtins.repr", "shows"),
        ("builtins.ascii", "shows"),
        ("builtins.format", "shows_in_tuples"),
        ("method.format", "shows"),
        ("builtins.str.join", "exhausts=iterable@1"),
    ]);
    catalog.add_generic("builtins.int", resolve_int).reads();
    for key in [Key::Construct(Type::COMPLEX128), Key::Function("builtins.complex".into())] {
        catalog.add(
            key,
            Rule::Generic(|types, args| match args {
                [ty] if is_text(types, *ty) => resolution(Type::COMPLEX128, &[Type::STR], |emit, args| {
                    ask(emit, "complex", args, Answer::Complex)
                }),
                _ => None,
            }),
        );
    }
    catalog
        .add_generic("builtins.float", |types, args| match args {
            [ty] if is_text(types, *ty) => resolution(Type::FLOAT64, &[Type::STR], to_float),
            _ => None,
        })
        .reads();
}

/// A value that Python can be given; constants stay constants.
fn written(types: &TypeTable, ty: Type, emit: EmitFn) -> Option<Resolution> {
    is_describable(types, ty).then(|| Resolution { result: Type::STR, params: vec![ty], emit })
}

/// `str(x)` or `repr(x)`.
fn write(emit: &mut Emit<'_>, args: &[Operand], function: &str) -> Result<Operand> {
    let plain = emit.types.unliteral(args[0].ty);
    let value = &args[0];
    match plain {
        Type::STR if function == "str" => cast(emit, value, Type::STR),
        Type::BOOL => {
            let (yes, no) = (string::constant(emit, "True"), string::constant(emit, "False"));
            let pairs = yes.parts.iter().zip(&no.parts);
            let parts: Vec<_> = pairs.map(|(&a, &b)| emit.b.select(value.value(), a, b)).collect();
            let owner = emit.b.iconst(Native::I64, 0);
            Ok(Operand::new(Type::STR, [owner, parts[1], parts[2]]))
        }
        Type::FLOAT64 => Ok(make(emit, Runtime::TextOfFloat, &[value.value()])),
        _ if let Some((_, signed)) = plain.as_int() => {
            let wide = cast(emit, value, Type::int(64, signed))?.value();
            let signed = emit.b.iconst(Native::I64, signed.into());
            Ok(make(emit, Runtime::TextOfInt, &[wide, signed]))
        }
        _ => ask(emit, function, args, Answer::Text),
    }
}

/// `text.format(...)`. If the last argument is `...`, the one before says the names of those before it.
fn fill_in(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let [values @ .., names, mark] = args else { return ask(emit, ".format", args, Answer::Text) };
    match emit.types.literal(names.ty) {
        Some(LiteralValue::Str(names)) if mark.ty == Type::ELLIPSIS => {
            ask(emit, &format!(".format*{names}"), values, Answer::Text)
        }
        _ => ask(emit, ".format", args, Answer::Text),
    }
}

fn resolve_format(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&value, spec) = args.split_first()?;
    let is_plain = match spec {
        [] => true,
        [spec] => matches!(types.literal(*spec), Some(LiteralValue::Str(text)) if text.is_empty()),
        _ => false,
    };
    let fits = is_describable(types, value) && spec.len() <= 1 && spec.iter().all(|&ty| is_text(types, ty));
    let emit: EmitFn = match is_plain {
        true => |emit, args| write(emit, &args[..1], "str"),
        false => |emit, args| ask(emit, "format", args, Answer::Text),
    };
    let mut params = args.to_vec();
    // NumPy's floats and complex numbers are formatted as Python's, whose digits are those of 64 bits.
    params[0] = match types.unliteral(value) {
        Type::FLOAT16 | Type::FLOAT32 => Type::FLOAT64,
        Type::COMPLEX64 => Type::COMPLEX128,
        _ => value,
    };
    fits.then(|| Resolution { result: Type::STR, params, emit })
}

/// `text % values`.
fn resolve_percent(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [format, values] = *args else { return None };
    let fits = is_text(types, format) && is_describable(types, values);
    let emit: EmitFn = |emit, args| ask(emit, "operator.mod", args, Answer::Text);
    fits.then(|| Resolution { result: Type::STR, params: args.to_vec(), emit })
}

fn resolve_int(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    match *args {
        [ty] if is_text(types, ty) => resolution(Type::INT64, &[Type::STR], to_int),
        [ty, base] if is_text(types, ty) && types.unliteral(base).is_int() => {
            resolution(Type::INT64, &[Type::STR, Type::INT64], |emit, args| {
                ask(emit, "int", args, Answer::Int)
            })
        }
        _ => None,
    }
}

fn to_int(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    known_or_asked(emit, args, Runtime::TextToInt, "int", Answer::Int)
}

fn to_float(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let found = known_or_asked(emit, args, Runtime::TextToFloat, "float", Answer::Int)?;
    Ok(Operand::single(Type::FLOAT64, emit.b.convert(Op::Bitcast, found.value(), Native::F64)))
}

/// What the runtime reads, as a word, or what Python does where it does not know.
fn known_or_asked(
    emit: &mut Emit<'_>,
    args: &[Operand],
    function: Runtime,
    python: &str,
    answer: Answer,
) -> Result<Operand> {
    let text = Parts::of(&args[0]);
    let found = emit.call_runtime(function, &[text.data, text.meta]);
    let zero = emit.b.iconst(Native::I64, 0);
    let known = emit.b.icmp(IntCond::Eq, found[1], zero);
    let word = emit.if_else(
        known,
        |_| Ok([found[0]].into_iter().collect()),
        |emit| {
            if python == "float" {
                let number = ask(emit, python, args, Answer::Float)?.value();
                return Ok([emit.b.convert(Op::Bitcast, number, Native::I64)].into_iter().collect());
            }
            Ok(ask(emit, python, args, answer)?.parts)
        },
    )?;
    Ok(Operand::single(Type::INT64, word[0]))
}
