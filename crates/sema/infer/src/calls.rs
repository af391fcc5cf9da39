//! Calls of compiled functions: which parameter gets which argument.

use crate::closures;
use crate::constant_types::{Meaning, meaning};
use crate::container_growth;
use crate::diagnostics;
use crate::exceptions;
use crate::first_class_functions;
use crate::generators;
use crate::joins;
use crate::literally;
use crate::lookup::{Failure, Types};
use crate::map_filter::{self, generator_expressions};
use crate::minmax_key;
use crate::ops::infer_known_call;
use crate::print_call;
use crate::solver::Solver;
use catalog::{GlobalValue, Parameters, Special};
use diag::Result;
use ir::{Attr, Block, Const, Inst, Op, Value};
use types::{Handle, Signature, Type, TypeData, choose_overload};

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
    /// The item with this key of the dict that `f(**dict)` passes.
    Keyword(String),
    /// A value that is no operand of a call.
    Value(Value),
    /// A constant: the parameter's default.
    Constant(Const),
    /// A default that is all in its type.
    Type(Type),
    /// Further positional arguments as a tuple, further keyword arguments as a dict.
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

/// What an argument is, and its type.
pub(crate) type Given = (Argument, Type);

/// A call as it is written.
pub(crate) struct Written {
    /// What is called.
    pub callee: Type,
    /// The arguments by position and, last, by name.
    pub given: Vec<Given>,
    /// The names of the last ones.
    pub names: Vec<String>,
}

/// The call that an instruction is.
pub(crate) fn read(solver: &Solver<'_>, inst: Inst, operands: &[Type]) -> Result<Written> {
    let data = &solver.func.insts[inst];
    let callee = operands[0];
    if let (Op::Call, Some(Attr::Symbols(names))) = (data.op, data.attrs.first()) {
        let given = operands[1..].iter().enumerate().map(|(at, &ty)| (Argument::Operand(at), ty)).collect();
        let names = names.iter().map(|&name| solver.func.symbols.get(name).clone()).collect();
        return Ok(Written { callee, given, names });
    }
    let Some(elements) = solver.cx.types.items(operands[1]) else {
        let name = solver.cx.types.name(operands[1]);
        return Err(diagnostics::unsupported(solver, inst, &format!("a call with `*` of {name}")));
    };
    let mut given: Vec<Given> =
        elements.iter().enumerate().map(|(at, &ty)| (Argument::Element(at), ty)).collect();
    let Some(&mapping) = operands.get(2) else { return Ok(Written { callee, given, names: Vec::new() }) };
    let Some((names, types)) = solver.cx.types.keywords(mapping) else {
        let name = solver.cx.types.name(mapping);
        return Err(diagnostics::unsupported(solver, inst, &format!("a call with `**` of {name}")));
    };
    given.extend(names.iter().map(|name| Argument::Keyword(name.clone())).zip(types.iter().copied()));
    Ok(Written { callee, given, names: names.to_vec() })
}

/// A call of whatever it is.
pub(crate) fn infer_call(solver: &mut Solver<'_>, block: Block, inst: Inst, operands: &[Type]) -> Types {
    if let Some(made) = container_growth::made(solver, inst, operands) {
        return Ok(vec![Some(made?)]);
    }
    if solver.cx.types.has_containers() {
        let calls_code = matches!(
            solver.cx.types.get(operands[0]),
            TypeData::Dispatcher(_) | TypeData::Closure { .. } | TypeData::Choice(_)
        );
        if calls_code && container_growth::waits(solver, block, operands) {
            return Ok(vec![None]);
        }
    }
    if let Some(outcome) = minmax_key::infer_keyed(solver, block, inst, operands) {
        return outcome;
    }
    if let Some(outcome) = map_filter::infer(solver, block, inst, operands) {
        return outcome;
    }
    if let Some(outcome) = generator_expressions::infer(solver, block, inst, operands) {
        return outcome;
    }
    if let (TypeData::Method(generator, name), &[_, value]) = (solver.cx.types.get(operands[0]), operands)
        && matches!(solver.cx.types.get(generator), TypeData::GeneratorObject { .. })
        && solver.cx.catalog.special(&format!("method.{name}")) == Some(Special::Send)
    {
        generators::note_sent(solver, inst, generator, value)?;
        if catalog::generator::sent_to(solver.cx.types, generator) == Type::UNDEFINED && value != Type::NONE {
            return Ok(vec![None]);
        }
    }
    let call = read(solver, inst, operands)?;
    match solver.cx.types.get(call.callee) {
        TypeData::Dispatcher(function) => {
            infer_with_defaults(solver, block, inst, function, call, None, &|_| None)
        }
        TypeData::Closure { .. } => closures::infer_call(solver, block, inst, call),
        TypeData::Choice(members) => closures::infer_choice(solver, block, inst, &members, call),
        _ => infer_by_catalog(solver, inst, call),
    }
}

/// A call of what is not compiled.
fn infer_by_catalog(solver: &mut Solver<'_>, inst: Inst, call: Written) -> Types {
    if let TypeData::Function(name) = solver.cx.types.get(call.callee)
        && solver.cx.catalog.special(&name) == Some(Special::Print)
    {
        return print_call::infer(solver, inst, call);
    }
    if matches!(
        solver.cx.types.get(call.callee),
        TypeData::ExceptionClass(_) | TypeData::ExceptionClassChoice(_)
    ) {
        return exceptions::infer_made(solver, inst, call);
    }
    let is_class = matches!(solver.cx.types.get(call.callee), TypeData::NamedTupleClass { .. });
    if let Some(parameters) = known_parameters(solver, call.callee)
        && (!call.names.is_empty() || is_class)
    {
        let callee = call.callee;
        let folded = fold(solver, inst, &parameters, call, !is_class, &|_| None)?;
        let types = folded.types.clone();
        solver.folded[inst] = Some(folded);
        return infer_known_call(solver, inst, callee, &types);
    }
    first_class_functions::check_names(solver, inst, call.callee, !call.names.is_empty())?;
    if !call.names.is_empty() {
        return Err(Failure::Unsupported("a keyword argument of a function that is not compiled"));
    }
    let (arguments, types): (Vec<Argument>, Vec<Type>) = call.given.into_iter().unzip();
    if solver.func.insts[inst].op == Op::CallEx {
        solver.folded[inst] = Some(FoldedCall { arguments, types: types.clone(), exact: None });
    }
    infer_known_call(solver, inst, call.callee, &types)
}

/// Names of the parameters of something that is not compiled, where they are known.
pub(crate) fn known_parameters(solver: &Solver<'_>, callee: Type) -> Option<Parameters> {
    let names: Vec<String> = match solver.cx.types.get(callee) {
        TypeData::NamedTupleClass { fields, .. } => fields.to_vec(),
        TypeData::Function(name) => solver.cx.catalog.parameter_names(&name)?.map(str::to_owned).collect(),
        TypeData::Method(_, name) => return known_parameters_of_method(solver, &name),
        TypeData::Class(ty) if ty.is_complex() => vec!["real".to_owned(), "imag".to_owned()],
        _ => return None,
    };
    let positional = names.len();
    let last: &[f64] = match solver.cx.types.get(callee) {
        TypeData::Function(name) => solver.cx.catalog.parameter_defaults(&name),
        _ => &[],
    };
    let mut defaults = vec![None; positional - last.len()];
    defaults.extend(last.iter().map(|&value| Some(GlobalValue::Float(value))));
    Some(Parameters { names, positional, defaults, ..Parameters::default() })
}

/// The same of a method; None stands for what is left out in front of what is given.
fn known_parameters_of_method(solver: &Solver<'_>, name: &str) -> Option<Parameters> {
    let names = solver.cx.catalog.parameter_names(&format!("method.{name}"))?;
    let names: Vec<String> = names.map(str::to_owned).collect();
    let positional = names.len();
    let defaults = vec![Some(GlobalValue::None); positional];
    Some(Parameters { names, positional, defaults, ..Parameters::default() })
}

/// A call of a compiled function, with the closure that is called, and with defaults by parameter that it
/// brings along.
pub(crate) fn infer_with_defaults(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    function: Handle,
    call: Written,
    closure: Option<Type>,
    optional: &dyn Fn(usize) -> Option<Given>,
) -> Types {
    let parameters = solver.shared.parameters(&*solver.host, function)?;
    let mut folded = fold(solver, inst, &parameters, call, false, optional)?;
    if let Some(closure) = closure {
        folded.arguments.insert(0, Argument::Callee);
        folded.types.insert(0, closure);
    }
    let mut wanted = literally::types_of_instance(solver, inst, function, &mut folded)?;
    if let Some(signatures) = &parameters.signatures {
        wanted = fixed_types(solver, inst, function, signatures, wanted)?;
        folded.exact = Some(wanted.clone());
    }
    let key = (function, wanted);
    if let Some(asked) = solver.shared.wanted_params(&key) {
        joins::in_call(solver, inst, &key, &folded, &asked)?;
        return Ok(vec![None]);
    }
    solver.folded[inst] = Some(folded);
    if solver.shared.never_returns(&key) {
        solver.end_at(inst, Type::NONE);
    }
    let request = solver.request(block, function, key.1);
    let label = "called with other types each time";
    let result = request.map_err(|error| error.label(solver.func.insts[inst].span, label))?;
    // Nobody looks at what a function gives that never returns.
    Ok(vec![result.filter(|_| solver.ends[inst].is_none())])
}

/// The types of the parameters of a function that compiles no more: those of the signature that takes the arguments best.
fn fixed_types(
    solver: &Solver<'_>,
    inst: Inst,
    function: Handle,
    signatures: &[Signature],
    wanted: Vec<Type>,
) -> Result<Vec<Type>> {
    let types = solver.cx.types;
    let cases = signatures.iter().map(|signature| &signature.params[..]);
    match choose_overload(types, cases, &wanted, true, true) {
        Ok(chosen) => Ok(signatures[chosen].params.clone()),
        Err(_) => Err(diagnostics::no_signature(solver, inst, function, signatures, &wanted)),
    }
}

/// Gives each parameter its argument, as Python's calling rules say. With `open_end` parameters at
/// the end may get nothing.
fn fold(
    solver: &mut Solver<'_>,
    inst: Inst,
    parameters: &Parameters,
    call: Written,
    open_end: bool,
    brought: &dyn Fn(usize) -> Option<Given>,
) -> Result<FoldedCall> {
    let (mut slots, rest) = assign(solver, inst, parameters, call)?;
    let mut folded = FoldedCall { arguments: Vec::new(), types: Vec::new(), exact: None };
    if open_end {
        slots.truncate(slots.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
    }
    for (index, slot) in slots.into_iter().enumerate() {
        let (argument, ty) = match slot.or_else(|| brought(index)) {
            Some(given) => given,
            None => default(solver, inst, parameters, index)?,
        };
        folded.arguments.push(argument);
        folded.types.push(ty);
    }
    if parameters.varargs {
        let (arguments, types): (Vec<_>, Vec<_>) = rest.by_position.into_iter().unzip();
        folded.arguments.push(Argument::Rest(arguments));
        folded.types.push(solver.cx.types.tuple(&types));
    }
    if parameters.varkeywords {
        let (names, given): (Vec<String>, Vec<Given>) = rest.by_name.into_iter().unzip();
        let (arguments, types): (Vec<_>, Vec<_>) = given.into_iter().unzip();
        folded.arguments.push(Argument::Rest(arguments));
        let data = TypeData::StaticDict { names: names.into(), types: types.into() };
        folded.types.push(solver.cx.types.intern(data));
    }
    Ok(folded)
}

/// Arguments for which no parameter has a name.
#[derive(Default)]
struct Surplus {
    by_position: Vec<Given>,
    by_name: Vec<(String, Given)>,
}

/// The argument for each parameter that has a name of its own, and the others.
fn assign(
    solver: &Solver<'_>,
    inst: Inst,
    parameters: &Parameters,
    call: Written,
) -> Result<(Vec<Option<Given>>, Surplus)> {
    let mut slots: Vec<Option<Given>> = vec![None; parameters.named()];
    let mut surplus = Surplus::default();
    let by_position = call.given.len() - call.names.len();
    let wrong = |message: String| Err(diagnostics::wrong_arguments(solver, inst, parameters, &message));
    for (index, argument) in call.given.into_iter().enumerate() {
        let Some(at) = index.checked_sub(by_position) else {
            match slots[..parameters.positional].get_mut(index) {
                Some(slot) => *slot = Some(argument),
                None => surplus.by_position.push(argument),
            }
            continue;
        };
        let name = &call.names[at];
        let found = parameters.names[..slots.len()].iter().position(|known| known == name);
        match found.filter(|&found| found >= parameters.positional_only) {
            Some(found) if slots[found].is_some() => {
                return wrong(format!("got multiple values for argument '{name}'"));
            }
            Some(found) => slots[found] = Some(argument),
            None if parameters.varkeywords => surplus.by_name.push((name.clone(), argument)),
            None => return wrong(format!("got an unexpected keyword argument '{name}'")),
        }
    }
    if !surplus.by_position.is_empty() && !parameters.varargs {
        let takes = parameters.positional;
        return wrong(format!("too many positional arguments: takes {takes}, got {by_position}"));
    }
    Ok((slots, surplus))
}

fn default(solver: &mut Solver<'_>, inst: Inst, parameters: &Parameters, index: usize) -> Result<Given> {
    let types = solver.cx.types;
    let name = &parameters.names[index];
    let Some(value) = parameters.defaults.get(index).and_then(Option::as_ref) else {
        return Err(diagnostics::wrong_arguments(
            solver,
            inst,
            parameters,
            &format!("missing a required argument: '{name}'"),
        ));
    };
    match meaning(types, &mut solver.func.consts, value) {
        Meaning::Type(ty) => Ok((Argument::Type(ty), ty)),
        Meaning::Constant(id, ty) => Ok((Argument::Constant(id), ty)),
        Meaning::Unusable(why) => Err(diagnostics::wrong_arguments(
            solver,
            inst,
            parameters,
            &format!("the default of '{name}': {why}"),
        )),
    }
}
