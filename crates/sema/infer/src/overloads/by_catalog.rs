//! Operations and calls with rules in the catalog.

use crate::calls::first_class_functions;
use crate::calls::object_arrays;
use crate::calls::python_functions;
use crate::desugar::user_iterables::MEMBER_OF_VALUE;
use crate::diagnostics;
use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use crate::solver::joins;
use catalog::{Key, Resolved};
use ir::{Inst, Op};
use types::{Type, TypeData};

/// The type that the rule of the catalog gives.
pub(crate) fn by_catalog(solver: &mut Solver<'_>, inst: Inst, key: Key, args: &[Type]) -> Types {
    let Some(resolution) = solver.cx.catalog.resolve(solver.cx.types, &key, args) else {
        return Err(Failure::NoRule { key, args: args.to_vec() });
    };
    if solver.cx.types.has_containers() && !joins::in_operation(solver, inst, args, &resolution.params)? {
        return Ok(vec![None]);
    }
    if resolution.result == Type::UNDEFINED && solver.func.insts[inst].op != Op::Iternext {
        solver.take_from_empty(inst);
        return Ok(vec![None]);
    }
    Ok(vec![Some(solver.note_resolved(inst, Resolved { key, args: args.to_vec(), resolution }))])
}

/// A part of an f-string, or all of it.
pub(crate) fn infer_written(solver: &mut Solver<'_>, inst: Inst, function: &str, args: &[Type]) -> Types {
    match solver.cx.catalog.ask(solver.cx.types, Key::Function(function.into()), args) {
        Some(resolved) => Ok(vec![Some(solver.note_resolved(inst, resolved))]),
        None => Err(Failure::unsupported_op(solver, inst)),
    }
}

/// A call of something of the catalog, by position.
pub(crate) fn infer_known_call(solver: &mut Solver<'_>, inst: Inst, callee: Type, args: &[Type]) -> Types {
    let types = solver.cx.types;
    match types.get(callee) {
        TypeData::Function(name) => {
            let given = by_catalog(solver, inst, Key::Function(name), args);
            if types.has_classes() { object_arrays::with_growth(solver, inst, given) } else { given }
        }
        TypeData::Class(ty) => by_catalog(solver, inst, Key::Construct(ty), args),
        TypeData::Method(of, name) => {
            let with_receiver: Vec<Type> = [of].iter().chain(args).copied().collect();
            let key = Key::Function(format!("method.{name}").into());
            by_catalog(solver, inst, key, &with_receiver)
        }
        TypeData::NamedTupleClass { name, fields, class } => {
            let data = TypeData::NamedTuple { name, fields, types: args.into(), class };
            Ok(vec![Some(types.intern(data))])
        }
        TypeData::FunctionValue { params, result } => {
            first_class_functions::infer_call(solver, inst, callee, &params, result, args)
        }
        TypeData::PythonFunction { params: Some(params), result, .. } => {
            python_functions::check_arguments(solver, inst, &params)?;
            first_class_functions::infer_call(solver, inst, callee, &params, result, args)
        }
        TypeData::PythonFunction { params: None, result, .. } => {
            python_functions::check_arguments(solver, inst, args)?;
            Ok(vec![Some(result)])
        }
        // The library knows the members of an enumeration.
        TypeData::Object { object, .. } if solver.host.is_enumeration(object) => {
            let args = std::iter::once(callee).chain(args.iter().copied()).collect();
            Err(Failure::NoRule { key: Key::Function(MEMBER_OF_VALUE.into()), args })
        }
        _ => Err(diagnostics::not_callable(solver, inst, callee).into()),
    }
}
