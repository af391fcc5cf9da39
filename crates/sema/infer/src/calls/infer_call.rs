//! Inference of calls: of a compiled function, a closure, a class, or a catalog function.
//!
//! Absent: which parameter gets which argument (`calls`), what libraries implement (`overload_resolution`).

use crate::calls::call_data::{Argument, FoldedCall, Written};
use crate::calls::closures;
use crate::calls::default_dicts;
use crate::calls::first_class_functions;
use crate::calls::generators;
use crate::calls::map_filter::{self, generator_expressions};
use crate::calls::minmax_key;
use crate::calls::print_call;
use crate::calls::{fold, infer_with_defaults, read};
use crate::containers::container_growth;
use crate::overloads::by_catalog::infer_known_call;
use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use crate::solver::exceptions;
use catalog::{GlobalValue, Parameters, Special};
use ir::{Block, Inst, Op};
use types::{Type, TypeData};

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
    if let Some(outcome) = default_dicts::infer(solver, block, inst, operands) {
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
        return exceptions::infer_exception_call(solver, inst, call);
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
        return infer_format(solver, inst, call);
    }
    let (arguments, types): (Vec<Argument>, Vec<Type>) = call.given.into_iter().unzip();
    if solver.func.insts[inst].op == Op::CallEx {
        solver.folded[inst] = Some(FoldedCall { arguments, types: types.clone(), exact: None });
        return infer_known_call(solver, inst, call.callee, &types);
    }
    let found = infer_known_call(solver, inst, call.callee, &types)?;
    if found.iter().all(Option::is_some) {
        // With less known of the arguments, the library was asked.
        solver.folded[inst] = None;
    }
    Ok(found)
}

/// `text.format(x, name=y)`: behind the values stand the names, in one constant, and `...` to say so. Nothing else takes any name.
fn infer_format(solver: &mut Solver<'_>, inst: Inst, call: Written) -> Types {
    let types = solver.cx.types;
    let is_format = match types.get(call.callee) {
        TypeData::Method(of, name) => &*name == "format" && types.unliteral(of) == Type::STR,
        _ => false,
    };
    if !is_format {
        return Err(Failure::Unsupported("a keyword argument of a function that is not compiled"));
    }
    let names = types.literal_str(&call.names.join(","));
    let (mut arguments, mut given): (Vec<Argument>, Vec<Type>) = call.given.into_iter().unzip();
    for ty in [names, Type::ELLIPSIS] {
        arguments.push(Argument::Type(ty));
        given.push(ty);
    }
    solver.folded[inst] = Some(FoldedCall { arguments, types: given.clone(), exact: None });
    infer_known_call(solver, inst, call.callee, &given)
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
    let last: Vec<GlobalValue> = match solver.cx.types.get(callee) {
        TypeData::Function(name) => solver
            .cx
            .catalog
            .parameter_defaults(&name)
            .iter()
            .map(|&value| GlobalValue::Float(value))
            .collect(),
        TypeData::NamedTupleClass { class, .. } => solver.host.field_defaults(class),
        _ => Vec::new(),
    };
    let mut defaults = vec![None; positional.saturating_sub(last.len())];
    defaults.extend(last.into_iter().map(Some));
    Some(Parameters { names, positional, defaults, ..Parameters::default() })
}

/// The same of a method; None stands for what is left out before what is given.
fn known_parameters_of_method(solver: &Solver<'_>, name: &str) -> Option<Parameters> {
    let names = solver.cx.catalog.parameter_names(&format!("method.{name}"))?;
    let names: Vec<String> = names.map(str::to_owned).collect();
    let positional = names.len();
    let defaults = vec![Some(GlobalValue::None); positional];
    Some(Parameters { names, positional, defaults, ..Parameters::default() })
}
