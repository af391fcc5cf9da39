//! `min` and `max` with `key=` and `default=`: `key` is called during inference, because only inference can type calls
//! of compiled functions; then the catalog chooses among values and keys.
//!
//! ```text
//! max(a, b, key=f)    becomes    f(a), f(b) and a choice by them
//! ```
//!
//! Absent: how it is chosen (`builtins`).

use crate::calls::call_data::{Among, Choice};
use crate::desugar::expansion::Expansion;
use crate::desugar::starred_literals;
use crate::diagnostics;
use crate::overloads::by_catalog::infer_known_call;
use crate::overloads::lookup::{Failure, Outcome, Types};
use crate::solver::Solver;
use catalog::Key;
use ir::{Attr, Block, Inst, Op, Symbol, Value, ValueType};
use std::sync::Arc;
use types::{Type, TypeData};

/// The function that chooses, if it is one of those that take `key` and `default`.
fn chooser(solver: &Solver<'_>, callee: Type) -> Option<Type> {
    match solver.cx.types.get(callee) {
        TypeData::Function(name) => {
            let by_key: Arc<str> = format!("{name}.by_key").into();
            let is_known = solver.cx.catalog.knows(&Key::Function(by_key.clone()));
            is_known.then(|| solver.cx.types.intern(TypeData::Function(by_key)))
        }
        _ => None,
    }
}

/// The type of a call of `min` or `max` with keyword arguments, if it is one.
pub(crate) fn infer_keyed(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    operands: &[Type],
) -> Option<Types> {
    let Some(Attr::Symbols(names)) = solver.func.insts[inst].attrs.first() else { return None };
    let names = names.clone();
    if names.is_empty() {
        return None;
    }
    let function = chooser(solver, operands[0])?;
    Some(infer(solver, block, inst, function, operands, &names))
}

fn infer(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    function: Type,
    operands: &[Type],
    names: &[Symbol],
) -> Types {
    let types = solver.cx.types;
    let first_named = operands.len() - names.len();
    let (mut key, mut default) = (None, None);
    for (index, &name) in names.iter().enumerate() {
        match solver.func.symbols.get(name).as_str() {
            "key" => key = Some(first_named + index).filter(|&at| operands[at] != Type::NONE),
            "default" => default = Some(first_named + index),
            other => {
                let what = format!("the keyword argument `{other}` of `min` and `max`");
                return Err(diagnostics::unsupported(solver, inst, &what).into());
            }
        }
    }
    let values = match (&operands[1..first_named], default) {
        (&[of], _) => types.items(of).ok_or_else(|| {
            let what = format!("`key` or `default` with {}", types.name(of));
            diagnostics::unsupported(solver, inst, &what)
        })?,
        (several, None) => several.into(),
        (_, Some(_)) => {
            return Err(Failure::Unsupported("`default` with several values"));
        }
    };
    let (among, values) = match (values.is_empty(), default) {
        (true, Some(at)) => (Among::Default(at), vec![operands[at]]),
        _ if first_named == 2 => (Among::Items, values.to_vec()),
        _ => (Among::Operands(first_named - 1), values.to_vec()),
    };
    let key = key.filter(|_| !matches!(among, Among::Default(_)));
    let mut keys = Vec::new();
    for &value in &values {
        match key {
            None => keys.push(value),
            Some(at) => match infer_key(solver, block, inst, operands[at], value)? {
                Some(ty) => keys.push(ty),
                None => return Ok(vec![None]),
            },
        }
    }
    if let Among::Default(at) = among {
        solver.choices[inst] = Some(Choice { function, among, key, keys });
        return Ok(vec![Some(operands[at])]);
    }
    let all: Vec<Type> = values.iter().chain(&keys).copied().collect();
    solver.choices[inst] = Some(Choice { function, among, key, keys });
    infer_known_call(solver, inst, function, &all)
}

/// The type of the key of one value; nothing while it is not known.
fn infer_key(
    solver: &mut Solver<'_>,
    block: Block,
    inst: Inst,
    key: Type,
    value: Type,
) -> Outcome<Option<Type>> {
    let TypeData::Dispatcher(function) = solver.cx.types.get(key) else {
        return Ok(infer_known_call(solver, inst, key, &[value])?[0]);
    };
    let parameters = solver.shared.parameters(&*solver.host, function)?;
    if parameters.names.len() != 1 || parameters.named() != 1 {
        return Err(Failure::Unsupported("a `key` function that has not just one parameter"));
    }
    Ok(solver.request(block, function, vec![solver.cx.types.unliteral(value)])?)
}

/// Calls the key for each value, then the function that chooses.
pub(crate) fn expand(pass: &mut Expansion<'_, '_>, inst: Inst, choice: &Choice) {
    let solver = pass.solver;
    let operands: Vec<Value> = pass.func.insts[inst].args.to_vec();
    if let Among::Default(at) = choice.among {
        let data = &mut pass.func.insts[inst];
        data.op = Op::Promote;
        data.attrs.clear();
        data.args = [operands[at]].into_iter().collect();
        return;
    }
    let mut builder = pass.builder(inst);
    let values = match choice.among {
        Among::Items => starred_literals::unpacked(&mut builder, solver, operands[1]),
        Among::Operands(count) => operands[1..=count].to_vec(),
        Among::Default(_) => Vec::new(),
    };
    let name = builder.symbol("by_key");
    let chooser = builder.value(Op::Global, [Attr::Symbol(name)], &[], ValueType::Typed(choice.function));
    let mut args = values.clone();
    for (&value, &ty) in values.iter().zip(&choice.keys) {
        args.push(match choice.key {
            None => value,
            Some(at) => {
                let names = [Attr::Symbols(Vec::new())];
                builder.value(Op::Call, names, &[operands[at], value], ValueType::Typed(ty))
            }
        });
    }
    pass.make_call(inst, chooser, &args);
}
