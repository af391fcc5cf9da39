//! Calls of compiled functions: matches arguments with parameters.

pub(crate) mod call_data;
pub(crate) mod captures;
pub(crate) mod cell_variables;
pub(crate) mod closures;
pub(crate) mod default_dicts;
pub(crate) mod first_class_functions;
pub(crate) mod fused_reductions;
pub(crate) mod generators;
pub(crate) mod getattr_calls;
pub(crate) mod infer_call;
pub(crate) mod map_filter;
pub(crate) mod minmax_key;
pub(crate) mod object_arrays;
pub(crate) mod parallel_calls;
pub(crate) mod print_call;
pub(crate) mod python_functions;
pub(crate) mod raised_classes;
pub(crate) mod static_dict;
pub(crate) mod super_calls;
pub(crate) mod unbound_methods;

use crate::calls::call_data::{Argument, FoldedCall, Given, Written};
use crate::constant_types::{Meaning, meaning};
use crate::diagnostics;
use crate::overloads::literally;
use crate::overloads::lookup::Types;
use crate::solver::Solver;
use crate::solver::joins;
use catalog::Parameters;
use diag::Result;
use ir::{Attr, Block, Inst, Op};
use types::{Handle, Signature, Type, TypeData, choose_overload};

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
        return Err(diagnostics::unknown_count(solver, inst, &format!("a call with `*` of {name}")));
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
    if let Some(closure) = closure.filter(|_| parameters.is_generator) {
        let Some(kept) = cell_variables::kept_by_generator(solver, block, inst, closure)? else {
            return Ok(vec![None]);
        };
        if kept != wanted[0] {
            wanted[0] = kept;
            folded.exact = Some(wanted.clone());
        }
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
pub(crate) fn fold(
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
