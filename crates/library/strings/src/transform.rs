//! Transformations of strings: `strip`, `replace`, `upper`, `center` and so on; predicates on characters.

use crate::call_python::{Answer, ask, or_ask};
use crate::layout::{Parts, check_memory, is_text, make, resolution, try_make};
use abi::ExceptionClass::TypeError;
use abi::Runtime;
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution};
use diag::Result;
use ir::{IntCond, Native};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    add_cutting(catalog);
    add_filling(catalog);
    add_cases(catalog);
    add_questions(catalog);
    catalog.add_generic("method.replace", resolve_replace);
    catalog.add_generic("method.expandtabs", |types, args| {
        let fits = args.len() <= 2 && args[1..].iter().all(|&ty| is_integer(types, ty));
        of_text(types, args, Type::INT64, fits, |emit, args| ask(emit, ".expandtabs", args, Answer::Text))
    });
    catalog.name_parameters("method.expandtabs", &["tabsize"]);
}

fn is_integer(types: &TypeTable, ty: Type) -> bool {
    let plain = types.unliteral(ty);
    plain.is_int() || plain == Type::BOOL
}

/// A method of a string that gives one, with further parameters of one type.
fn of_text(types: &TypeTable, args: &[Type], rest: Type, fits: bool, emit: EmitFn) -> Option<Resolution> {
    let (&text, others) = args.split_first()?;
    let params: Vec<Type> = [Type::STR].into_iter().chain(others.iter().map(|_| rest)).collect();
    if fits && is_text(types, text) { resolution(Type::STR, &params, emit) } else { None }
}

fn add_cutting(catalog: &mut Catalog) {
    macro_rules! strips {
        ($($name:literal $ends:literal;)*) => {
            $(catalog.add_generic(concat!("method.", $name), |types, args| {
                let fits = match args {
                    [_] => true,
                    [_, set] => is_text(types, *set),
                    _ => false,
                };
                // None means white space, as nothing does.
                let args = if args.len() == 2 && args[1] == Type::NONE { &args[..1] } else { args };
                of_text(types, args, Type::STR, fits || args.len() == 1, |emit, args| {
                    strip(emit, args, $ends)
                })
            });)*
        };
    }
    strips! { "strip" 3; "lstrip" 1; "rstrip" 2; }
    macro_rules! removals {
        ($($name:literal $at_end:literal;)*) => {
            $(catalog.add_generic(concat!("method.", $name), |types, args| {
                let fits = args.len() == 2 && is_text(types, args[1]);
                of_text(types, args, Type::STR, fits, |emit, args| {
                    let (text, part) = (Parts::of(&args[0]), Parts::of(&args[1]));
                    let at_end = emit.b.iconst(Native::I64, $at_end);
                    let [owner, data, meta] = text.all();
                    Ok(make(emit, Runtime::TextRemove, &[owner, data, meta, part.data, part.meta, at_end]))
                })
            });)*
        };
    }
    removals! { "removeprefix" 0; "removesuffix" 1; }
}

fn strip(emit: &mut Emit<'_>, args: &[Operand], ends: i64) -> Result<Operand> {
    let [owner, data, meta] = Parts::of(&args[0]).all();
    let (set_data, set_meta) = match args.get(1).map(Parts::of) {
        Some(set) => (set.data, set.meta),
        None => (emit.b.iconst(Native::Ptr, 0), emit.b.iconst(Native::I64, 0)),
    };
    let ends = emit.b.iconst(Native::I64, ends);
    Ok(make(emit, Runtime::TextStrip, &[owner, data, meta, set_data, set_meta, ends]))
}

fn add_filling(catalog: &mut Catalog) {
    macro_rules! fillings {
        ($($name:literal $how:literal;)*) => {
            $(catalog.add_generic(concat!("method.", $name), |types, args| {
                let fits = match args {
                    [_, width] => is_integer(types, *width),
                    [_, width, with] => $how != 3 && is_integer(types, *width) && is_text(types, *with),
                    _ => false,
                };
                let found = of_text(types, args, Type::STR, fits, |emit, args| {
                    fill(emit, args, $how, concat!($name, "() argument 2 must be a unicode character"))
                })?;
                let mut params = found.params;
                params[1] = Type::INT64;
                Some(Resolution { params, ..found })
            });)*
        };
    }
    fillings! { "ljust" 0; "rjust" 1; "center" 2; "zfill" 3; }
}

fn fill(emit: &mut Emit<'_>, args: &[Operand], how: i64, _: &str) -> Result<Operand> {
    let [owner, data, meta] = Parts::of(&args[0]).all();
    let with = match args.get(2) {
        Some(with) => {
            let with = Parts::of(with);
            let length = with.length(emit);
            let one = emit.b.iconst(Native::I64, 1);
            let wrong = emit.b.icmp(IntCond::Ne, length, one);
            emit.raise_if(wrong, TypeError, "The fill character must be exactly one character long");
            let zero = emit.b.iconst(Native::I64, 0);
            crate::layout::char_at(emit, with, zero)?
        }
        None => emit.b.iconst(Native::I64, if how == 3 { 48 } else { 32 }),
    };
    let how = emit.b.iconst(Native::I64, how);
    Ok(make(emit, Runtime::TextFill, &[owner, data, meta, args[1].value(), with, how]))
}

fn add_cases(catalog: &mut Catalog) {
    macro_rules! cases {
        ($($name:literal $how:literal;)*) => {
            $(catalog.add_generic(concat!("method.", $name), |types, args| {
                of_text(types, args, Type::STR, args.len() == 1, |emit, args| {
                    let text = Parts::of(&args[0]);
                    let how = emit.b.iconst(Native::I64, $how);
                    let (code, made) = try_make(emit, Runtime::TextCase, &[text.data, text.meta, how]);
                    check_memory(emit, code);
                    or_ask(emit, code, made, concat!(".", $name), args, Answer::Text)
                })
            });)*
        };
    }
    cases! { "lower" 0; "upper" 1; "swapcase" 2; "title" 3; "capitalize" 4; "casefold" 0; }
}

fn add_questions(catalog: &mut Catalog) {
    macro_rules! questions {
        ($($name:literal $kind:literal;)*) => {
            $(catalog.add_generic(concat!("method.", $name), |types, args| {
                let emit: EmitFn = |emit, args| is(emit, args, $kind, concat!(".", $name));
                let [text] = *args else { return None };
                if is_text(types, text) { resolution(Type::BOOL, &[Type::STR], emit) } else { None }
            });)*
        };
    }
    questions! {
        "isalpha" 0; "isalnum" 1; "isdigit" 2; "isdecimal" 3; "isnumeric" 4; "isspace" 5;
        "isupper" 6; "islower" 7; "istitle" 8; "isascii" 9; "isprintable" 10; "isidentifier" 11;
    }
}

fn is(emit: &mut Emit<'_>, args: &[Operand], kind: i64, method: &str) -> Result<Operand> {
    let text = Parts::of(&args[0]);
    let kind = emit.b.iconst(Native::I64, kind);
    let code = emit.call_runtime(Runtime::TextIs, &[text.data, text.meta, kind])[0];
    let unknown = emit.b.iconst(Native::I64, 2);
    let unknown = emit.b.icmp(IntCond::Eq, code, unknown);
    let truth = emit.if_else(
        unknown,
        |emit| Ok(ask(emit, method, args, Answer::Truth)?.parts),
        |emit| {
            let zero = emit.b.iconst(Native::I64, 0);
            Ok([emit.b.icmp(IntCond::Ne, code, zero)].into_iter().collect())
        },
    )?;
    Ok(crate::layout::truth(truth[0]))
}

fn resolve_replace(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let fits = match args {
        [_, old, new] => is_text(types, *old) && is_text(types, *new),
        [_, old, new, count] => is_text(types, *old) && is_text(types, *new) && is_integer(types, *count),
        _ => false,
    };
    let found = of_text(types, args, Type::STR, fits, replace)?;
    let mut params = found.params;
    params.iter_mut().skip(3).for_each(|param| *param = Type::INT64);
    Some(Resolution { params, ..found })
}

fn replace(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let slot = emit.frame_slot(72);
    for (number, &part) in args[..3].iter().flat_map(|arg| &arg.parts).enumerate() {
        emit.b.store(slot, 8 * number as i64, part);
    }
    let count = match args.get(3) {
        Some(count) => count.value(),
        None => emit.b.iconst(Native::I64, -1),
    };
    let scratch_slot = |emit: &mut Emit<'_>, at: i64| {
        let at = emit.b.iconst(Native::I64, at);
        emit.b.native(ir::Op::PtrAdd, [], &[slot, at], Native::Ptr)
    };
    let (old, new) = (scratch_slot(emit, 24), scratch_slot(emit, 48));
    Ok(make(emit, Runtime::TextReplace, &[slot, old, new, count]))
}
