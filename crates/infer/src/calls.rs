//! Calls of compiled functions: which parameter gets which argument.

use crate::closures;
use crate::engine::Engine;
use crate::explain;
use crate::instruction::{Types, infer_known_call};
use crate::literals;
use crate::values::{Meaning, meaning};
use catalog::{GlobalValue, Parameters};
use diag::Result;
use ir::{Block, Const, Inst, Symbol, Value};
use types::{Handle, LiteralValue, Type, TypeData};

/// What a parameter gets.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Argument {
    /// Operand number n of the call, the callee not counted.
    Operand(usize),
    /// Element n of the tuple that `f(*tuple)` passes.
    Element(usize),
    /// The function that is called: a closure is its own first argument.
    Callee,
    /// Part n of the closure that is called: a default.
    Captured(usize),
    /// A value that is no operand: a keyword argument beside `*args`.
    Value(Value),
    /// A constant: the parameter's default.
    Constant(Const),
    /// A default that is all in its type.
    Type(Type),
    /// The further positional arguments, as a tuple.
    Rest(Vec<Argument>),
}

/// What each parameter of a call gets, in order.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FoldedCall {
    /// One per parameter.
    pub arguments: Vec<Argument>,
    /// Their types.
    pub types: Vec<Type>,
    /// Of an instance that knows values of its parameters: what those are.
    pub exact: Option<Vec<Type>>,
}

/// A call of a compiled function with arguments by position and, last, by name.
pub(crate) fn infer_compiled(
    engine: &mut Engine<'_>,
    block: Block,
    inst: Inst,
    function: Handle,
    args: &[Type],
    names: &[Symbol],
) -> Types {
    let given: Vec<Given> =
        args.iter().enumerate().map(|(index, &ty)| (Argument::Operand(index), ty)).collect();
    let names: Vec<String> = names.iter().map(|&name| engine.func.symbols.get(name).clone()).collect();
    infer_folded(engine, block, inst, function, given, &names)
}

/// What an argument is, and its type.
pub(crate) type Given = (Argument, Type);

/// `f(*args)`, where the length of `args` is known.
pub(crate) fn infer_call_ex(engine: &mut Engine<'_>, block: Block, inst: Inst, operands: &[Type]) -> Types {
    let Some(keywords) = keywords(engine, inst, operands)? else { return Ok(vec![None]) };
    let Some(elements) = engine.cx.types.items(operands[1]) else {
        let name = engine.cx.types.name(operands[1]);
        return Err(explain::unsupported(engine, inst, &format!("a call with `*` of {name}")));
    };
    let callee = engine.cx.types.get(operands[0]);
    if let TypeData::Dispatcher(_) | TypeData::Closure { .. } = callee {
        let given = elements.iter().enumerate().map(|(index, &ty)| (Argument::Element(index), ty));
        let (names, named): (Vec<String>, Vec<_>) = keywords.into_iter().unzip();
        let given = given.chain(named).collect();
        return match callee {
            TypeData::Dispatcher(function) => infer_folded(engine, block, inst, function, given, &names),
            _ => closures::infer_folded_call(engine, block, inst, operands[0], given, &names),
        };
    }
    if !keywords.is_empty() {
        let what = "a keyword argument beside `*` of a function that is not compiled";
        return Err(explain::unsupported(engine, inst, what));
    }
    let arguments = (0..elements.len()).map(Argument::Element).collect();
    engine.folded[inst] = Some(FoldedCall { arguments, types: elements.to_vec(), exact: None });
    infer_known_call(engine, inst, operands[0], &elements)
}

/// What `f(*args, name=value)` passes by name; nothing while one has no type.
pub(crate) fn keywords(
    engine: &Engine<'_>,
    inst: Inst,
    operands: &[Type],
) -> Result<Option<Vec<(String, Given)>>> {
    if operands.len() <= 2 {
        return Ok(Some(Vec::new()));
    }
    let mut found = Vec::new();
    for &[key, value] in engine.displays.keywords(inst).unwrap_or_default() {
        let (Some(key), Some(ty)) = (engine.ty(key), engine.ty(value)) else { return Ok(None) };
        if let Some(LiteralValue::Str(name)) = engine.cx.types.literal(key) {
            found.push((name.to_string(), (Argument::Value(value), ty)));
        }
    }
    match engine.displays.keywords(inst) {
        Some(pairs) if pairs.len() == found.len() => Ok(Some(found)),
        _ => Err(explain::unsupported(engine, inst, "a call with `**`")),
    }
}

/// Names of the parameters of something that is not compiled, where they are known.
pub(crate) fn known_parameters(engine: &Engine<'_>, callee: Type) -> Option<Parameters> {
    let names: Vec<String> = match engine.cx.types.get(callee) {
        TypeData::NamedTupleClass { fields, .. } => fields.to_vec(),
        TypeData::Function(name) => engine.cx.catalog.parameter_names(&name)?.map(str::to_owned).collect(),
        TypeData::Class(ty) if ty.is_complex() => vec!["real".to_owned(), "imag".to_owned()],
        _ => return None,
    };
    let positional = names.len();
    let last: &[f64] = match engine.cx.types.get(callee) {
        TypeData::Function(name) => engine.cx.catalog.parameter_defaults(&name),
        _ => &[],
    };
    let mut defaults = vec![None; positional - last.len()];
    defaults.extend(last.iter().map(|&value| Some(GlobalValue::Float(value))));
    Some(Parameters { names, positional, defaults, ..Parameters::default() })
}

/// A call by name of something that is not compiled: what is left out must be at the end.
pub(crate) fn infer_named(
    engine: &mut Engine<'_>,
    inst: Inst,
    callee: Type,
    parameters: &Parameters,
    args: &[Type],
    names: &[Symbol],
) -> Types {
    let given: Vec<Given> =
        args.iter().enumerate().map(|(index, &ty)| (Argument::Operand(index), ty)).collect();
    let names: Vec<String> = names.iter().map(|&name| engine.func.symbols.get(name).clone()).collect();
    let optional = !matches!(engine.cx.types.get(callee), TypeData::NamedTupleClass { .. });
    let folded = fold(engine, inst, parameters, given, &names, optional, &|_| None)?;
    let types = folded.types.clone();
    engine.folded[inst] = Some(folded);
    infer_known_call(engine, inst, callee, &types)
}

fn infer_folded(
    engine: &mut Engine<'_>,
    block: Block,
    inst: Inst,
    function: Handle,
    given: Vec<Given>,
    names: &[String],
) -> Types {
    infer_with_defaults(engine, block, inst, function, (given, names), None, &|_| None)
}

/// The same with the closure that is called, and with defaults by parameter that it brings along.
pub(crate) fn infer_with_defaults(
    engine: &mut Engine<'_>,
    block: Block,
    inst: Inst,
    function: Handle,
    (given, names): (Vec<Given>, &[String]),
    closure: Option<Type>,
    optional: &dyn Fn(usize) -> Option<Given>,
) -> Types {
    let parameters = engine.shared.parameters(&*engine.host, function)?;
    let mut folded = fold(engine, inst, &parameters, given, names, false, optional)?;
    if let Some(closure) = closure {
        folded.arguments.insert(0, Argument::Callee);
        folded.types.insert(0, closure);
    }
    let wanted = literals::types_of_instance(engine, inst, function, &mut folded)?;
    engine.folded[inst] = Some(folded);
    let request = engine.request(block, function, wanted);
    let label = "called with other types each time";
    Ok(vec![request.map_err(|error| error.label(engine.func.insts[inst].span, label))?])
}

/// Gives each parameter its argument, as Python's calling rules say. With `open_end` parameters at
/// the end may get nothing.
fn fold(
    engine: &mut Engine<'_>,
    inst: Inst,
    parameters: &Parameters,
    given: Vec<Given>,
    names: &[String],
    open_end: bool,
    brought: &dyn Fn(usize) -> Option<Given>,
) -> Result<FoldedCall> {
    let count = parameters.names.len() - usize::from(parameters.varargs);
    let mut slots: Vec<Option<Given>> = vec![None; count];
    let by_position = given.len() - names.len();
    let mut rest = Vec::new();
    for (index, argument) in given.into_iter().enumerate() {
        if index >= by_position {
            let name = &names[index - by_position];
            let at = parameters.names[..count].iter().position(|known| known == name);
            let at = at.filter(|&at| at >= parameters.positional_only);
            let message = || format!("got an unexpected keyword argument '{name}'");
            let at = at.ok_or_else(|| explain::wrong_arguments(engine, inst, parameters, &message()))?;
            if slots[at].replace(argument).is_some() {
                let message = format!("got multiple values for argument '{name}'");
                return Err(explain::wrong_arguments(engine, inst, parameters, &message));
            }
        } else if index < parameters.positional {
            slots[index] = Some(argument);
        } else {
            rest.push(argument);
        }
    }
    if !rest.is_empty() && !parameters.varargs {
        let message =
            format!("too many positional arguments: takes {}, got {by_position}", parameters.positional);
        return Err(explain::wrong_arguments(engine, inst, parameters, &message));
    }
    let mut folded = FoldedCall { arguments: Vec::new(), types: Vec::new(), exact: None };
    if open_end {
        slots.truncate(slots.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    }
    for (index, slot) in slots.into_iter().enumerate() {
        let (argument, ty) = match slot.or_else(|| brought(index)) {
            Some(given) => given,
            None => default(engine, inst, parameters, index)?,
        };
        folded.arguments.push(argument);
        folded.types.push(ty);
    }
    if parameters.varargs {
        let (arguments, types): (Vec<_>, Vec<_>) = rest.into_iter().unzip();
        folded.arguments.push(Argument::Rest(arguments));
        folded.types.push(engine.cx.types.tuple(&types));
    }
    Ok(folded)
}

fn default(engine: &mut Engine<'_>, inst: Inst, parameters: &Parameters, index: usize) -> Result<Given> {
    let types = engine.cx.types;
    let name = &parameters.names[index];
    let Some(value) = parameters.defaults.get(index).and_then(Option::as_ref) else {
        return Err(explain::wrong_arguments(
            engine,
            inst,
            parameters,
            &format!("missing a required argument: '{name}'"),
        ));
    };
    match meaning(types, &mut engine.func.consts, value) {
        Meaning::Type(ty) => Ok((Argument::Type(ty), ty)),
        Meaning::Constant(id, ty) => Ok((Argument::Constant(id), ty)),
        Meaning::Unusable(why) => Err(explain::wrong_arguments(
            engine,
            inst,
            parameters,
            &format!("the default of '{name}': {why}"),
        )),
    }
}
