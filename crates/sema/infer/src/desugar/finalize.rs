//! Builds the Typed function from the result of the fixpoint.

use crate::Fusion;
use crate::Typed;
use crate::calls::call_data::Extended;
use crate::calls::default_dicts;
use crate::containers::container_growth;
use crate::desugar;
use crate::desugar::array_comprehensions;
use crate::desugar::narrow_optionals;
use crate::diagnostics;
use crate::object_fallback;
use crate::overloads::narrow_floats;
use crate::solver::Solver;
use catalog::{InlineQuery, Special};
use diag::{Diagnostic, Result, Span, codes};
use entity::EntitySet;
use ir::{Attr, Block, BlockCall, Builder, Inst, Op, Phase, Value, ValueType};
use std::collections::BTreeMap;
use types::{Handle, LiteralValue, Type, TypeData};

/// Removes what no path reaches, writes the types down, makes conversions explicit.
pub(crate) fn finish(
    solver: Solver<'_>,
    handle: Option<Handle>,
    calls: Vec<(Handle, Vec<Type>)>,
) -> Result<Typed> {
    let reached = solver.reached_blocks();
    let result = solver.result.unwrap_or(Type::NONE);
    let returned = if solver.func.is_generator { solver.returned.unwrap_or(Type::NONE) } else { result };
    let revealed = revealed(&solver, &reached);
    let on_objects = object_fallback::reasons(&solver, &reached);
    let performance_notes = variables_of_several_types(&solver, &reached);
    let mut func = solver.func.clone();
    func.phase = Phase::Typed;
    func.layout = reached.clone();
    for &block in &reached {
        for &param in &func.blocks[block].params {
            func.values[param].ty = typed(&solver, param);
        }
        cut_off(&solver, &mut func, block);
        for index in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[index];
            write_types(&solver, &mut func, inst, returned);
        }
    }
    narrow_floats::substitute(&solver, &mut func, &reached);
    let narrowed = narrow_optionals::resolve(&mut func, false);
    let passes = solver.cx.passes;
    passes.change("array_comprehensions", &mut func, &mut |func| {
        array_comprehensions::fuse_array_comprehension(&solver, func);
        Ok(())
    })?;
    let natives = if solver.number == 0 { solver.shared.natives() } else { crate::Natives::default() };
    let values = if solver.number == 0 { solver.shared.values() } else { Vec::new() };
    let cells = if solver.number == 0 { solver.shared.contents(solver.cx.types) } else { Vec::new() };
    let params = solver.closure.iter().chain(&solver.args).copied().collect();
    let source = solver.shared.rewriting.keeps_source.then(|| Box::new(source(&solver, &reached)));
    let mut asked = Vec::new();
    passes.change("desugar", &mut func, &mut |func| {
        asked = desugar::expand(&solver, func, &reached);
        // Calls that operators become pass operands as inference noted them.
        narrow_optionals::substitute(func, &narrowed);
        Ok(())
    })?;
    let inlined = inlined(&solver, &func, &asked)?;
    passes.change("promote_edges", &mut func, &mut |func| {
        reached.iter().for_each(|&block| promote_edges(func, block));
        Ok(())
    })?;
    let insts = reached.iter().flat_map(|&block| &solver.func.blocks[block].insts).copied();
    let parallel_calls = insts.filter(|&inst| solver.in_parallel[inst]).collect();
    let fusions = joined_parts(&solver, &reached);
    let (semantics, resolved) = (solver.semantics, solver.resolved);
    Ok(Typed {
        func,
        handle,
        result,
        params,
        calls,
        semantics,
        resolved,
        inlined,
        natives,
        values,
        revealed,
        on_objects,
        performance_notes,
        prange_loops: Vec::new(),
        parallel_calls,
        fusions,
        cells,
        source,
    })
}

/// A note for each variable whose type is a tagged union.
fn variables_of_several_types(solver: &Solver<'_>, reached: &[Block]) -> Vec<Diagnostic> {
    let types = solver.cx.types;
    if !types.has_tagged_unions() {
        return Vec::new();
    }
    let mut found: BTreeMap<&str, Diagnostic> = BTreeMap::new();
    for &block in reached {
        let data = &solver.func.blocks[block];
        let first = data.insts.iter().map(|&inst| solver.func.insts[inst].span).find(|span| span.is_known());
        let params = data.params.iter().filter_map(|&param| Some((param, first?)));
        let results = data.insts.iter().flat_map(|&inst| {
            solver.func.insts[inst].results.iter().map(move |&result| (result, solver.func.insts[inst].span))
        });
        for (value, span) in params.chain(results) {
            let (Some(name), Some(ty)) = (solver.func.value_name(value), solver.ty(value)) else { continue };
            if types.union_members(types.without_none(ty)).is_some() && !found.contains_key(name) {
                let message = format!("'{name}' is of several types: {}", types.name(ty));
                let note = Diagnostic::new(codes::SEVERAL_TYPES, message)
                    .label(span, "operations on it are compiled for each of them")
                    .hint("Narrow it with `isinstance`, or give it one type where time counts.");
                found.insert(name, *note);
            }
        }
    }
    found.into_values().collect()
}

/// Operations that are part of the reduction which uses their result.
fn joined_parts(solver: &Solver<'_>, reached: &[Block]) -> Vec<Fusion> {
    let insts = reached.iter().flat_map(|&block| &solver.func.blocks[block].insts);
    let joined = insts.filter(|&&inst| solver.extended[inst] == Some(Extended::Joined));
    let span = |inst: Inst| solver.func.insts[inst].span;
    joined
        .filter(|&&inst| solver.func.insts[inst].op != Op::Getattr)
        .filter_map(|&inst| {
            Some(Fusion { user: span(solver.joined_by[inst]?), operand: span(inst), reason: None })
        })
        .collect()
}

/// The function as it was inferred, with types: only what no path reaches is gone.
fn source(solver: &Solver<'_>, reached: &[Block]) -> ir::Function {
    let mut func = solver.func.clone();
    func.layout = reached.to_vec();
    for &block in reached {
        cut_off(solver, &mut func, block);
        for &param in &solver.func.blocks[block].params {
            func.values[param].ty = typed(solver, param);
        }
        for index in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[index];
            let data = &mut func.insts[inst];
            if data.op == Op::Branch {
                take_known_branch(solver, data);
            }
            for &value in &data.results {
                func.values[value].ty = typed(solver, value);
            }
        }
    }
    narrow_optionals::resolve(&mut func, true);
    func
}

/// The calls that become their callees' bodies: Python is asked about each call of one function.
fn inlined(solver: &Solver<'_>, func: &ir::Function, calls: &[Inst]) -> Result<EntitySet<Inst>> {
    let mut found = EntitySet::new();
    for &inst in calls {
        let data = &func.insts[inst];
        let (TypeData::Dispatcher(function) | TypeData::Closure { function, .. }) =
            solver.cx.types.get(func.ty(data.args[0]))
        else {
            continue;
        };
        let params: Vec<Type> = data.args[1..].iter().map(|&arg| func.ty(arg)).collect();
        let result = func.ty(func.result(inst));
        let number = || solver.number_of_call(inst);
        let query = InlineQuery { function, params: &params, result, number: &number };
        let answer = solver.host.inlines(&query).map_err(|error| error.label(data.span, "called here"))?;
        if answer {
            found.insert(inst);
        }
    }
    Ok(found)
}

/// Gives the results of an instruction their types, and makes it a constant or a jump where it is one.
fn write_types(solver: &Solver<'_>, func: &mut ir::Function, inst: Inst, result: Type) {
    let data = &mut func.insts[inst];
    for &value in &data.results {
        func.values[value].ty = match solver.ends[inst] {
            Some(gives) => ValueType::Typed(gives),
            None => typed(solver, value),
        };
    }
    match (data.op, solver.constants[inst]) {
        (_, Some(id)) => {
            data.op = Op::Const;
            data.attrs = [Attr::Const(id)].into_iter().collect();
            data.args.clear();
        }
        (Op::Call, None) if default_dicts::is_made(solver, inst) => {
            data.op = Op::BuildDefaultDict;
            data.attrs.clear();
            data.args.remove(0);
        }
        // `list()` and the like.
        (Op::Call, None) if container_growth::is_made(solver, inst) => {
            let made = container_growth::empty(solver, inst).map(|ty| solver.cx.types.get(ty));
            data.op = match made {
                Some(TypeData::Dict { .. }) => Op::BuildMap,
                Some(TypeData::Set { .. }) => Op::BuildSet,
                _ => Op::BuildList,
            };
            data.attrs.clear();
            data.args.clear();
        }
        (Op::Cast, None) => func.values[data.results[0]].ty = ValueType::Typed(result),
        (Op::Branch, None) => take_known_branch(solver, data),
        _ => {}
    }
}

/// A branch whose condition is known from its type becomes a jump.
fn take_known_branch(solver: &Solver<'_>, data: &mut ir::InstData) {
    let known = solver.types[data.args[0]].and_then(|ty| solver.cx.types.literal(ty));
    if let Some(LiteralValue::Bool(truth)) = known {
        data.jump_to(usize::from(!truth));
    }
}

/// Ends a block after a read of a name that is never bound there, and after a call that never returns.
fn cut_off(solver: &Solver<'_>, func: &mut ir::Function, block: Block) {
    let insts = &func.blocks[block].insts;
    if let Some(at) = insts.iter().position(|&inst| solver.ends_block(inst)) {
        func.blocks[block].insts.truncate(at + 1);
        let mut builder = Builder::new(func, block);
        builder.terminate(Op::Unreachable, &[]);
    }
}

/// What `typing.reveal_type` is asked for.
fn revealed(solver: &Solver<'_>, reached: &[Block]) -> Vec<(Span, Type)> {
    let asks = |callee: Value| match solver.types[callee].map(|ty| solver.cx.types.get(ty)) {
        Some(TypeData::Function(name)) => solver.cx.catalog.special(&name) == Some(Special::RevealType),
        _ => false,
    };
    let insts = reached.iter().flat_map(|&block| solver.func.blocks[block].insts.iter());
    let calls = insts
        .map(|&inst| &solver.func.insts[inst])
        .filter(|data| data.op == Op::Call && data.args.len() == 2 && asks(data.args[0]));
    calls.filter_map(|data| Some((data.span, solver.types[data.args[1]]?))).collect()
}

fn typed(solver: &Solver<'_>, value: Value) -> ValueType {
    ValueType::Typed(solver.types[value].unwrap_or(Type::UNDEFINED))
}

/// A value without a type that some path uses: nothing on any path gives it one.
pub(crate) fn check_all_typed(solver: &Solver<'_>) -> Result<()> {
    for block in solver.reached_blocks() {
        for &inst in &solver.func.blocks[block].insts {
            if solver.ends_block(inst) {
                break;
            }
            let data = &solver.func.insts[inst];
            if let Some(&value) = data.results.iter().find(|&&value| solver.types[value].is_none()) {
                return Err(diagnostics::untyped(solver, inst, value));
            }
        }
    }
    Ok(())
}

/// Converts the values of an edge to the types of the parameters they go to.
fn promote_edges(func: &mut ir::Function, block: Block) {
    let block = promote_handler_edge(func, block);
    let Some(last) = func.terminator(block) else { return };
    for index in 0..func.insts[last].targets.len() {
        let target = func.insts[last].targets[index].clone();
        let (args, promotions) = promoted(func, block, &target);
        func.insts[last].targets[index].args = args;
        let end = func.blocks[block].insts.len() - 1;
        func.blocks[block].insts.splice(end..end, promotions);
    }
}

/// What a handler is given is converted before the protected block. Gives the block that is protected.
fn promote_handler_edge(func: &mut ir::Function, block: Block) -> Block {
    let Some(handler) = func.blocks[block].handler.clone() else { return block };
    let (args, promotions) = promoted(func, block, &handler);
    let handler = Some(BlockCall { block: handler.block, args });
    if promotions.is_empty() {
        func.blocks[block].handler = handler;
        return block;
    }
    let protected = func.add_block(func.blocks[block].label);
    func.layout.pop();
    let at = func.layout.iter().position(|&other| other == block).map_or(func.layout.len(), |at| at + 1);
    func.layout.insert(at, protected);
    func.blocks[protected].insts = std::mem::replace(&mut func.blocks[block].insts, promotions);
    func.blocks[protected].handler = handler;
    func.blocks[block].handler = None;
    Builder::new(func, block).jump(protected, &[]);
    protected
}

/// The values of an edge converted, and the instructions that do it.
fn promoted(
    func: &mut ir::Function,
    block: Block,
    call: &BlockCall,
) -> (smallvec::SmallVec<[Value; 4]>, Vec<Inst>) {
    let mut args = call.args.clone();
    let before = func.blocks[block].insts.len();
    let span = func.terminator(block).map(|last| func.insts[last].span).unwrap_or_default();
    for (index, arg) in args.iter_mut().enumerate() {
        let param = func.blocks[call.block].params[index];
        let ty = func.values[param].ty;
        if func.values[*arg].ty != ty {
            let mut builder = Builder::new(func, block);
            builder.span = span;
            *arg = builder.value(Op::Promote, [], &[*arg], ty);
        }
    }
    let promotions = func.blocks[block].insts.split_off(before);
    (args, promotions)
}
