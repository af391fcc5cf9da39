//! Rules of single ufuncs and operators, and of the expressions that `fusion` forms.

use super::codegen;
use super::postfix::{Program, Target, same_kind};
use super::ufunc_table::{for_each_function, for_each_operator};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::{Diagnostic, Result};
use ir::{BinaryOp, CompareOp, UnaryOp};
use types::{LiteralValue, Type, TypeData, TypeTable};

/// What an expression is called in the catalog; its first operand is the program's text, a literal.
pub(crate) const EXPRESSION: &str = "rumba.arrayexpr";

pub(crate) fn add(catalog: &mut Catalog) {
    super::item::add(catalog);
    macro_rules! offer {
        ($key:expr, $name:expr, $arity:literal) => {
            let key = $key;
            let rule = match key {
                Key::Inplace(_) => Rule::Nested(|catalog, types, args| {
                    const TEXT: &str = concat!("0 1 ", $name, " =");
                    let emit: EmitFn = |emit, args| codegen::change(emit, TEXT, args);
                    resolve_program(catalog, types, args, TEXT, emit)
                }),
                Key::Function(_) => Rule::Nested(|catalog, types, args| {
                    let emit: EmitFn = |emit, args| call(emit, args, $name, $arity);
                    let resolution = resolve(catalog, types, args, $name, $arity, emit)?;
                    takes_items(catalog, types, $name, &args[..$arity]).then_some(resolution)
                }),
                _ => Rule::Nested(|catalog, types, args| {
                    let emit: EmitFn = |emit, args| call(emit, args, $name, $arity);
                    resolve(catalog, types, args, $name, $arity, emit)
                }),
            };
            catalog.add(key, rule);
        };
    }
    macro_rules! offer_function {
        ($name:expr, $arity:literal) => {
            offer!(Key::Function($name.into()), $name, $arity);
            catalog.state_elementwise(Key::Function($name.into()), $name, $arity);
            let names: [&'static [&'static str]; 4] =
                [&[], &["x", "out"], &["x1", "x2", "out"], &["condition", "x", "y"]];
            catalog.name_parameters($name, names[$arity]);
            let facts = ["reads", "mutates=out@1", "mutates=out@2", "reads"];
            catalog.state(&[($name, facts[$arity])]);
        };
    }
    for_each_function!(offer_function);
    macro_rules! offer_operator {
        ($key:expr, $name:expr, $arity:literal) => {
            offer!($key, $name, $arity);
            if !matches!($key, Key::Inplace(_)) {
                catalog.state_elementwise($key, $name, $arity);
            }
        };
    }
    for_each_operator!(offer_operator);
    offer!(Key::Function("builtins.abs".into()), "numpy.absolute", 1);
    for name in ["method.conjugate", "method.conj"] {
        catalog.add_generic(name, itself_if_real);
        offer!(Key::Function(name.into()), "numpy.conjugate", 1);
    }
    catalog.state(&[("numpy.ndarray.conjugate", "reads"), ("numpy.ndarray.conj", "reads")]);
    catalog.add_nested(EXPRESSION, |catalog, types, args| {
        let text = text_of(types, *args.first()?)?;
        let resolution = resolve_program(catalog, types, &args[1..], &text, |emit, args| {
            let text = text_of(emit.types, args[0].ty);
            let text = text.ok_or_else(|| Diagnostic::internal("emission", "an expression without text"))?;
            codegen::change(emit, &text, &args[1..])
        })?;
        Some(Resolution { params: args.to_vec(), ..resolution })
    });
}

/// `a.conj()` of an array that holds no complex numbers is the array.
fn itself_if_real(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array] = *args else { return None };
    let dtype = types.array(array)?.dtype;
    let real = dtype == Type::BOOL || dtype.is_int() || dtype.is_float();
    let emit: EmitFn = |_, args| Ok(args[0].clone());
    real.then(|| Resolution { result: array, params: args.to_vec(), emit })
}

fn text_of(types: &TypeTable, ty: Type) -> Option<std::sync::Arc<str>> {
    match types.literal(ty)? {
        LiteralValue::Str(text) => Some(text),
        _ => None,
    }
}

/// The program that is one function, with or without an array for the result.
fn program_text(name: &str, arity: usize, out: bool) -> String {
    let operands: Vec<String> = (0..arity).map(|number| number.to_string()).collect();
    format!("{} {name}{}", operands.join(" "), if out { " out" } else { "" })
}

fn call(emit: &mut Emit<'_>, args: &[Operand], name: &str, arity: usize) -> Result<Operand> {
    let out = args.get(arity).is_some_and(|out| out.ty != Type::NONE);
    let given = if out { args } else { &args[..arity] };
    codegen::change(emit, &program_text(name, arity, out), given)
}

/// Whether a function takes what operands hold where that is times: an operator takes more of them than the function
/// that it means for arrays.
fn takes_items(catalog: &Catalog, types: &TypeTable, name: &str, args: &[Type]) -> bool {
    let items: Vec<Type> =
        args.iter().map(|&arg| types.array(arg).map_or(types.unliteral(arg), |array| array.dtype)).collect();
    let times = items.iter().all(|&item| types.time(item).is_some());
    !times || catalog.resolve(types, &Key::Function(name.into()), &items).is_some()
}

/// One function of operands of which one is an array, or whose result goes into an array.
fn resolve(
    catalog: &Catalog,
    types: &TypeTable,
    args: &[Type],
    name: &str,
    arity: usize,
    emit: EmitFn,
) -> Option<Resolution> {
    if args.len() < arity || args.len() > arity + 1 || !args.iter().any(|&arg| types.array(arg).is_some()) {
        return None;
    }
    let out = args.get(arity).is_some_and(|&out| out != Type::NONE);
    let given = if out { args } else { &args[..arity] };
    let resolution = resolve_program(catalog, types, given, &program_text(name, arity, out), emit)?;
    Some(Resolution { params: args.to_vec(), ..resolution })
}

/// A program on operands of these types.
fn resolve_program(
    catalog: &Catalog,
    types: &TypeTable,
    args: &[Type],
    text: &str,
    emit: EmitFn,
) -> Option<Resolution> {
    let program = Program::read(catalog, types, text, args)?;
    let kind = program.result();
    let result = match program.target {
        Target::New if program.outputs.len() > 1 => {
            let each: Vec<Type> =
                program.outputs.iter().map(|&output| program.kinds[output].ty(types)).collect();
            types.tuple(&each)
        }
        Target::New => kind.ty(types),
        Target::Part => Type::NONE,
        Target::First | Target::Out(_) => {
            let target = if let Target::Out(number) = program.target { args[number] } else { args[0] };
            let array = types.array(target).filter(|array| array.mutable)?;
            let is_time = |ty: Type| matches!(types.get(ty), TypeData::Datetime { .. });
            let both_times = is_time(kind.item) && is_time(array.dtype);
            let converts = both_times && types::convert(types, kind.item, array.dtype).is_some();
            (kind.ndim <= array.ndim && (converts || same_kind(kind.item, array.dtype))).then_some(target)?
        }
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}
