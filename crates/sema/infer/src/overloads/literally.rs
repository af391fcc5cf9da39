//! Parameters whose value a function requests at compile time with `literally`.
//!
//! The function's instances are then specialized for literal types. If an argument is a parameter of the
//! caller, the caller requests its value, too, up to the function that Python called.

use crate::calls::call_data::{Argument, FoldedCall};
use crate::calls::captures;
use crate::calls::static_dict;
use crate::desugar::literal_unroll;
use crate::desugar::literal_unroll_lists;
use crate::diagnostics;
use crate::overloads::initial_values;
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use crate::solver::restart_state::Unrolled;
use diag::{Diagnostic, Result, codes};
use ir::{Attr, Builder, Def, Function, Inst, Op, Value, ValueType};
use types::{Handle, Type, TypeData, TypeTable};

/// The types that the instance of a called function has: plain ones but for what it wants to know.
pub(crate) fn types_of_instance(
    solver: &Solver<'_>,
    inst: Inst,
    function: Handle,
    folded: &mut FoldedCall,
) -> Result<Vec<Type>> {
    let types = solver.cx.types;
    let mut exact = folded.types.clone();
    let mut is_plain = true;
    let keeps_all = solver.shared.keeps_literals(function);
    for (index, ty) in exact.iter_mut().enumerate() {
        if solver.shared.memory.borrow().wants_literal(function, index) {
            if !is_known(types, *ty) {
                let (argument, ty) = unknown_part(types, &folded.arguments[index], *ty);
                return Err(ask_for(solver, inst, value_of(solver, inst, argument), ty));
            }
            is_plain = false;
        } else if keeps_all {
            is_plain = is_plain && types.unliteral(*ty) == *ty;
        } else {
            *ty = types.unliteral(*ty);
        }
    }
    folded.exact = (!is_plain).then(|| exact.clone());
    Ok(exact)
}

/// Of keyword arguments that are collected, the first one whose value is not known; else the argument itself.
fn unknown_part<'a>(types: &TypeTable, argument: &'a Argument, ty: Type) -> (&'a Argument, Type) {
    let (Argument::Rest(parts), Some(each)) = (argument, types.components(ty)) else { return (argument, ty) };
    let mut unknown = parts.iter().zip(each.iter().copied()).filter(|&(_, ty)| !is_known(types, ty));
    unknown.next().unwrap_or((argument, ty))
}

/// Whether a type knows the value, or there is nothing to know.
pub(crate) fn is_known(types: &TypeTable, ty: Type) -> bool {
    let data = types.get(ty);
    ty == Type::NONE
        || types.keywords(ty).is_some_and(|(_, each)| each.iter().any(|&ty| types.literal(ty).is_some()))
        || matches!(
            data,
            TypeData::Literal(_)
                | TypeData::LiteralSlice { .. }
                | TypeData::Function(_)
                | TypeData::Dispatcher(_)
                | TypeData::Closure { .. }
                | TypeData::FunctionValue { .. }
                | TypeData::PythonFunction { .. }
                | TypeData::Opaque { .. }
                | TypeData::Object { .. }
                | TypeData::Class(_)
                | TypeData::Module(_)
        )
}

pub(crate) fn value_of(solver: &Solver<'_>, inst: Inst, argument: &Argument) -> Option<Value> {
    match *argument {
        Argument::Operand(index) => solver.func.insts[inst].args.get(1 + index).copied(),
        Argument::Value(value) => Some(value),
        Argument::Keyword(ref name) => static_dict::value_in_display(solver, inst, name),
        _ => None,
    }
}

/// The value must be known: the function that it is a parameter of wants to know it from now on.
pub(crate) fn ask_for(solver: &Solver<'_>, inst: Inst, value: Option<Value>, ty: Type) -> Box<Diagnostic> {
    let parameter_of = value.and_then(|value| origin(solver, value));
    let types = solver.cx.types;
    let mut memory = solver.shared.memory.borrow_mut();
    if let Some((instance, parameter)) = parameter_of {
        if instance == 0 {
            memory.want_literal_of_root(parameter);
        } else if let Some((function, args)) = solver.shared.key(instance) {
            let is_closure = captures::closure_of(types, function, &args).is_some();
            if memory.want_literal(function, parameter + usize::from(is_closure)) {
                memory.restart();
            }
        }
    }
    drop(memory);
    diagnostics::wants_literal(solver, inst, ty)
}

/// Which parameter of which instance a value is: of this one, or of one around it that shares the variable.
fn origin(solver: &Solver<'_>, value: Value) -> Option<(usize, usize)> {
    if let Some(parameter) = parameter(solver, value) {
        return Some((solver.number, parameter));
    }
    let Def::Result(inst, _) = solver.func.values[value].def else { return None };
    let data = &solver.func.insts[inst];
    let cell = match (data.op, data.attrs.first()) {
        (Op::LoadCell, _) => solver.ty(data.args[0])?,
        (Op::Freevar, Some(&Attr::Int(index))) => captures::captured(solver, index as usize)?,
        (Op::CheckBound | Op::NotNone | Op::Narrow, _) => return origin(solver, data.args[0]),
        _ => return None,
    };
    match solver.cx.types.get(cell) {
        TypeData::Cell(cell) => solver.shared.origin(cell),
        _ => None,
    }
}

/// Which parameter of the function a value is, or is an item of.
pub(crate) fn parameter(solver: &Solver<'_>, value: Value) -> Option<usize> {
    let Def::Result(inst, _) = solver.func.values[value].def else { return None };
    let data = &solver.func.insts[inst];
    match (data.op, data.attrs.first()) {
        (Op::Arg, Some(&Attr::Int(index))) => Some(index as usize),
        (Op::CheckBound | Op::NotNone | Op::Narrow, _) => parameter(solver, data.args[0]),
        (Op::Getitem, _) if solver.cx.types.keywords(solver.ty(data.args[0])?).is_some() => {
            parameter(solver, data.args[0])
        }
        _ => None,
    }
}

/// Arguments whose value is known go as plain ones to parameters that do not want to know it.
pub(crate) fn convert_to_exact(builder: &mut Builder<'_>, folded: &FoldedCall, args: &mut [Value]) {
    for (arg, &wanted) in args.iter_mut().zip(folded.exact.iter().flatten()) {
        let wanted = ValueType::Typed(wanted);
        if builder.func.values[*arg].ty != wanted {
            *arg = builder.value(Op::Promote, [], &[*arg], wanted);
        }
    }
}

/// A call that gives the value it is given, which must be known.
pub(crate) fn infer_literally(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> Result<Type> {
    let &[ty] = args else {
        return Err(Diagnostic::new(
            codes::ARITY,
            format!("literally() takes one argument, not {}", args.len()),
        )
        .label(solver.func.insts[inst].span, "called here")
        .hint("Write `literally(x)`."));
    };
    if is_known(solver.cx.types, ty) {
        return Ok(ty);
    }
    let value = solver.func.insts[inst].args.get(1).copied();
    if value.is_some_and(|value| initial_values::of(solver, value).is_some()) {
        return Ok(ty);
    }
    Err(ask_for(solver, inst, value, ty))
}

/// Most items of a tuple over which a loop is written out.
const MAX_ITERATIONS: usize = 256;

/// A call that gives a tuple, over which a loop is to be written out.
pub(crate) fn infer_unroll(solver: &mut Solver<'_>, inst: Inst, args: &[Type]) -> Result<Type> {
    let items = match args {
        &[ty] => solver.cx.types.items(ty).map(|items| (ty, items.len())),
        _ => None,
    };
    let span = solver.func.insts[inst].span;
    let Some((ty, count)) = items else { return Err(literal_unroll_lists::explain(solver, inst, args)) };
    let mut users = solver.func.layout.iter().flat_map(|&block| &solver.func.blocks[block].insts);
    let result = solver.func.insts[inst].results[0];
    if !users.any(|&user| solver.func.insts[user].args.contains(&result)) {
        // The loop is written out already.
        return Ok(ty);
    }
    if count > MAX_ITERATIONS || !literal_unroll::unroll(&mut solver.func.clone(), inst, count) {
        let message =
            "literal_unroll is the iterable of one `for` loop outside of any `try`, over at most 256 items";
        return Err(Diagnostic::new(codes::UNSUPPORTED_CONSTRUCT, message)
            .label(span, "called here")
            .hint("Write `for x in literal_unroll(items):`."));
    }
    let is_list = solver.cx.types.starred(ty).is_some();
    let unrolled = Unrolled { start: inst, iterations: count, is_list };
    solver.shared.memory.borrow_mut().note_unrolled(solver.shared.key(solver.number), unrolled);
    Err(Diagnostic::new(codes::UNTYPED, "the loop is to be written out for each item")
        .label(span, "called here"))
}

/// Asks for a loop over the items of a value to be written out, where it can be.
pub(crate) fn write_out(solver: &mut Solver<'_>, start: Inst, of: Type) -> Option<Box<Diagnostic>> {
    let types = solver.cx.types;
    let count = types.components(types.starred(of).unwrap_or(of))?.len();
    if types.starred(of).is_some() && make_list_if_written(solver, start) {
        let restart = Diagnostic::new(codes::UNTYPED, "the list of a starred name is written to");
        return Some(restart.label(solver.func.insts[start].span, "iterated over"));
    }
    if count > MAX_ITERATIONS || !literal_unroll::unroll(&mut solver.func.clone(), start, count) {
        return None;
    }
    let unrolled = Unrolled { start, iterations: count, is_list: types.starred(of).is_some() };
    solver.shared.memory.borrow_mut().note_unrolled(solver.shared.key(solver.number), unrolled);
    let restart = Diagnostic::new(codes::UNTYPED, "the loop is to be written out for each item");
    Some(restart.label(solver.func.insts[start].span, "over items of different types"))
}

/// Makes a list that may change of one of a starred name which is iterated over, where items of it are set or deleted: it will not have
/// the items that it has now. Whether there is such a one.
fn make_list_if_written(solver: &Solver<'_>, start: Inst) -> bool {
    let list = solver.func.insts[start].args[0];
    let Def::Result(maker, _) = solver.func.values[list].def else { return false };
    let writes = |&inst: &Inst| {
        let data = &solver.func.insts[inst];
        matches!(data.op, Op::Setitem | Op::Delitem | Op::Inplace) && data.args.first() == Some(&list)
    };
    let blocks = &solver.func.blocks;
    let is_written = || solver.func.layout.iter().flat_map(|&block| &blocks[block].insts).any(writes);
    let is_made = solver.func.insts[maker].op == Op::UnpackEx && is_written();
    // It may have been noted in this run of the inference already.
    if is_made {
        solver.make_list(maker);
    }
    is_made
}

/// A function with the loops written out that have turned out to need it.
pub(crate) fn unroll_loops(shared: &GroupState, number: usize, func: &mut Function) {
    for &Unrolled { start, iterations, .. } in shared.memory.borrow().unrolled(&shared.key(number)) {
        literal_unroll::unroll(func, start, iterations);
        // What only a removed edge led to names values that are no more.
        let cfg = flow::Cfg::compute(func);
        func.layout.retain(|&block| cfg.is_reachable(block));
    }
}
