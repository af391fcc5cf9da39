//! Tuples with starred parts, `(1, *a)`, and the arguments of `f(1, *a)`: CPython creates a list, extends it, and
//! converts it to a tuple. Compiled code uses the parts directly.
//!
//! ```text
//! %l = build_list %1            becomes   %x, %y = unpack %a
//! list_extend %l, %a                      %t = build_tuple %1, %x, %y
//! %t = list_to_tuple %l
//! ```
//!
//! A list literal that is only passed to calls, `f([1, 2])`, has the type of an immutable list with a known length,
//! because nothing else can mutate it. So has a list of field names that indexes records, `a[["x", "y"]]`.
//!
//! Absent: mutable lists (`containers`).

use crate::desugar::starred_displays::Piece;
use crate::diagnostics;
use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use crate::solver::effects;
use catalog::{Parameter, Put, Returned};
use ir::{Attr, Block, Builder, Const, ConstData, Function, Inst, InstData, Op, Value, ValueType};
use types::{Type, TypeData, TypeTable};

/// Whether a list that is only passed to calls is passed to functions of which it is known that they do not change it, and give
/// nothing by which anybody else could.
pub(crate) fn never_changes(solver: &mut Solver<'_>, inst: Inst) -> bool {
    if let Some(&known) = solver.displays.unchanged.get(&inst) {
        return known;
    }
    let instance = solver.shared.key(solver.number);
    let changes = solver.shared.memory.borrow().changes(&instance, inst);
    let found = !changes && is_read_only(solver, inst);
    solver.displays.unchanged.insert(inst, found);
    found
}

/// Whether a list that was taken for one that never changes is changed by a call of which nothing was known yet. Then everything
/// is to be inferred again.
pub(crate) fn revise(solver: &Solver<'_>) -> bool {
    note_changing(solver, |inst| !is_read_only(solver, inst))
}

/// Whether something that gets a list which was taken for one that never changes has no meaning so far: it may have one for a
/// list that changes, for which everything is to be inferred again. With `in_callee` it may be in the body of what gets it.
pub(crate) fn retreat(solver: &Solver<'_>, in_callee: bool) -> bool {
    note_changing(solver, |inst| {
        let mut values = vec![solver.func.insts[inst].results[0]];
        let mut at = 0;
        while let Some(&value) = values.get(at) {
            at += 1;
            for block in solver.reached_blocks() {
                for &user in &solver.func.blocks[block].insts {
                    let data = &solver.func.insts[user];
                    let calls_body = in_callee && solver.extended[user].is_some();
                    match (data.op, data.results.first()) {
                        _ if !data.args.contains(&value) => {}
                        (Op::BuildTuple | Op::BuildList, Some(&holder)) => values.push(holder),
                        (_, Some(&result)) if calls_body || solver.ty(result).is_none() => return true,
                        _ => {}
                    }
                }
            }
        }
        false
    })
}

/// Whether an inner function gets a list of a starred target that was taken for one that never changes: it may give it to what changes it, for
/// which everything is to be inferred again.
pub(crate) fn retreat_captured(solver: &Solver<'_>) -> bool {
    let is_fixed = |&value: &Value| solver.ty(value).is_some_and(|ty| solver.cx.types.starred(ty).is_some());
    let insts = || {
        solver.reached_blocks().into_iter().flat_map(|block| solver.func.blocks[block].insts.iter().copied())
    };
    let captured: Vec<Value> = insts()
        .filter(|&inst| matches!(solver.func.insts[inst].op, Op::Capture | Op::MakeCell | Op::StoreCell))
        .flat_map(|inst| solver.func.insts[inst].args.iter().copied())
        .filter(is_fixed)
        .collect();
    let lists = insts().filter(|&inst| {
        let data = &solver.func.insts[inst];
        data.op == Op::UnpackEx && data.results.iter().any(|value| captured.contains(value))
    });
    lists.fold(false, |retreats, inst| solver.make_list(inst) || retreats)
}

/// Whether a value of a type holds a function that captures a list which never changes.
pub(crate) fn captures_fixed_list(types: &TypeTable, ty: Type) -> bool {
    let any = |members: &[Type]| members.iter().any(|&member| captures_fixed_list(types, member));
    match types.get(ty) {
        TypeData::Closure { captures, .. } => {
            captures.iter().any(|&captured| types.starred(captured).is_some()) || any(&captures)
        }
        TypeData::Tuple(members)
        | TypeData::NamedTuple { types: members, .. }
        | TypeData::Choice(members) => any(&members),
        TypeData::Optional(inner) => any(&[inner]),
        _ => types.contents(ty).is_some_and(|contents| any(&contents)),
    }
}

fn note_changing(solver: &Solver<'_>, changes: impl Fn(Inst) -> bool) -> bool {
    let taken = solver.displays.unchanged.iter().filter(|&(_, &unchanged)| unchanged);
    let mut changing: Vec<Inst> = taken.map(|(&inst, _)| inst).filter(|&inst| changes(inst)).collect();
    changing.sort_unstable();
    let instance = solver.shared.key(solver.number);
    let mut memory = solver.shared.memory.borrow_mut();
    for &inst in &changing {
        memory.note_changing(instance.clone(), inst);
    }
    !changing.is_empty()
}

/// How a value comes from a list.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reach {
    /// It is the list.
    Itself,
    /// One can get at the list by it.
    Within,
    /// It has the list's items, as the result of `sorted` has: it is a list that never changes if this is one.
    Copy,
}

fn is_read_only(solver: &Solver<'_>, inst: Inst) -> bool {
    let mut values = vec![(solver.func.insts[inst].results[0], Reach::Itself)];
    let mut at = 0;
    while let Some(&(value, reach)) = values.get(at) {
        at += 1;
        for &block in &solver.func.layout {
            for &user in &solver.func.blocks[block].insts {
                let data = &solver.func.insts[user];
                let next = match data.op {
                    _ if data.targets.iter().any(|target| target.args.contains(&value)) => return false,
                    _ if !data.args.contains(&value) => None,
                    Op::Call => match reach_of_result(solver, user, value, reach) {
                        Some(next) => next,
                        None => return false,
                    },
                    Op::BuildTuple | Op::BuildList if reach == Reach::Copy => Some(Reach::Copy),
                    Op::BuildTuple | Op::BuildList => Some(Reach::Within),
                    Op::Getitem | Op::Getiter | Op::Unpack | Op::Compare if reach == Reach::Copy => None,
                    Op::Getitem if reach == Reach::Itself && asks_for_fields(solver, data) => None,
                    _ => return false,
                };
                let result = data.results.first().copied().zip(next);
                if let Some(found) = result.filter(|found| !values.contains(found)) {
                    values.push(found);
                }
            }
        }
    }
    true
}

/// Whether an index stands for fields of records, as far as is known.
fn asks_for_fields(solver: &Solver<'_>, getitem: &InstData) -> bool {
    let types = solver.cx.types;
    let has_fields = |of| types.record(types.array(of).map_or(of, |array| array.dtype)).is_some();
    solver.ty(getitem.args[0]).is_none_or(has_fields)
}

/// How the result of a call comes from a list that it gets in this way, if it does; nothing at all if the call may change the
/// list. Of a callee that is not known yet the best is hoped (`revise`).
fn reach_of_result(solver: &Solver<'_>, call: Inst, value: Value, reach: Reach) -> Option<Option<Reach>> {
    let Some(callee) = solver.ty(solver.func.insts[call].args[0]) else { return Some(None) };
    let info = effects::of_callee(solver, callee);
    let arguments = effects::arguments(solver, call)?;
    let is_within = reach == Reach::Within;
    // A function that is called gets items.
    if is_within && arguments.iter().any(|argument| argument.may_be_called(&info)) {
        return None;
    }
    let count = arguments.iter().filter(|argument| !argument.is_named()).count();
    let mut found = None;
    for argument in arguments.iter().filter(|argument| argument.value == value) {
        let is = |parameter: &Parameter| argument.is_for(parameter);
        let is_put_in = |(_, put): &(Parameter, Put)| match put {
            Put::Item(item) => is(item),
            Put::Pair(key, value) => is(key) || is(value),
            Put::Items(items) | Put::Pairs(items) => is_within && is(items),
        };
        if argument.may_be_changed(&info) || info.puts.iter().any(is_put_in) {
            return None;
        }
        for returned in &info.returns {
            let (of, next) = match returned {
                Returned::Argument(of) => (of, Some(reach)),
                Returned::Any(of) if count > 1 => (of, Some(reach)),
                Returned::Item(of) | Returned::Any(of) => (of, is_within.then_some(Reach::Within)),
                Returned::Listed(of) if !is_within => (of, Some(Reach::Copy)),
                Returned::Items(of) | Returned::Listed(of) => (of, is_within.then_some(Reach::Within)),
            };
            if is(of) && (found.is_none() || next == Some(Reach::Within)) {
                found = next;
            }
        }
    }
    // What is the list itself is found by its uses.
    Some(found.map(|next| if next == Reach::Itself { Reach::Within } else { next }))
}

/// Lists and sets of three or more constants, which CPython makes by extending an empty one by a tuple or a frozen set, made of
/// their items. A frozen set that is asked whether it holds something, or iterated over, is a tuple.
pub(crate) fn expand_constant_literals(func: &mut Function) {
    for at in 0..func.layout.len() {
        let block = func.layout[at];
        let insts = func.blocks[block].insts.clone();
        for pair in insts.windows(3) {
            let [made, read, extended] = *pair else { continue };
            let list = func.insts[made].results.first().copied();
            let (operand, extend) = (func.insts[read].results.first().copied(), &func.insts[extended]);
            let ops = (func.insts[made].op, extend.op);
            let matches = [(Op::BuildList, Op::ListExtend), (Op::BuildSet, Op::SetUpdate)].contains(&ops)
                && func.insts[made].args.is_empty()
                && func.insts[read].op == Op::Const
                && (list, operand) == (extend.args.first().copied(), extend.args.get(1).copied());
            let Some(Attr::Const(tuple)) = func.insts[read].attrs.first().cloned() else { continue };
            let (ConstData::Tuple(items) | ConstData::FrozenSet(items)) = func.consts.get(tuple).clone()
            else {
                continue;
            };
            if matches && !becomes_tuple(func, list) {
                spell_list(func, block, made, extended, &items);
            }
        }
        for inst in func.blocks[block].insts.clone() {
            if let (Op::Const, Some(&Attr::Const(set))) =
                (func.insts[inst].op, func.insts[inst].attrs.first())
                && let ConstData::FrozenSet(items) = func.consts.get(set).clone()
            {
                let tuple = func.consts.intern(ConstData::Tuple(items));
                func.insts[inst].attrs = [Attr::Const(tuple)].into_iter().collect();
            }
        }
    }
}

/// Makes a list that has one use, an argument of a call in the same block, before this call: what it is passed to
/// is known there.
pub(crate) fn sink_passed_lists(func: &mut Function) {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    if !insts.any(|&inst| func.insts[inst].op == Op::BuildList) {
        return;
    }
    let uses = func.count_uses();
    for block in func.layout.clone() {
        let insts = func.blocks[block].insts.clone();
        for (at, &made) in insts.iter().enumerate() {
            if func.insts[made].op != Op::BuildList {
                continue;
            }
            let list = func.result(made);
            let passes = |&user: &Inst| {
                let data = &func.insts[user];
                data.op == Op::Call && data.args.iter().skip(1).any(|&arg| arg == list)
            };
            let user = insts[at..].iter().position(passes).filter(|_| uses.get(&list) == Some(&1));
            if let Some(user) = user.map(|user| insts[at + user]) {
                let insts = &mut func.blocks[block].insts;
                insts.retain(|&inst| inst != made);
                let to = insts.iter().position(|&inst| inst == user).unwrap_or(insts.len());
                insts.insert(to, made);
            }
        }
    }
}

fn becomes_tuple(func: &Function, list: Option<Value>) -> bool {
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts
        .any(|&inst| func.insts[inst].op == Op::ListToTuple && func.insts[inst].args.first().copied() == list)
}

fn spell_list(func: &mut Function, block: Block, made: Inst, extended: Inst, items: &[Const]) {
    let behind = func.blocks[block].insts.clone();
    let at = behind.iter().position(|&inst| inst == made).unwrap_or_default();
    func.blocks[block].insts.truncate(at);
    let mut builder = Builder::new(func, block);
    builder.span = builder.func.insts[made].span;
    let items: Vec<Value> =
        items.iter().map(|&item| builder.untyped(Op::Const, [Attr::Const(item)], &[])).collect();
    func.insts[made].args = items.into_iter().collect();
    func.blocks[block].insts.extend(behind[at..].iter().filter(|&&inst| inst != extended));
}

/// The type of the tuple that a list is turned into; nothing while a part has no type.
pub(crate) fn infer(solver: &mut Solver<'_>, inst: Inst) -> Types {
    let Some(pieces) = solver.displays.pieces.get(&inst) else {
        return Err(Failure::unsupported_op(solver, inst));
    };
    let mut elements = Vec::new();
    for piece in pieces {
        let (Piece::Item(value) | Piece::All(value)) = *piece;
        let Some(ty) = solver.ty(value) else { return Ok(vec![None]) };
        match (piece, solver.cx.types.items(ty)) {
            (Piece::Item(_), _) => elements.push(ty),
            (Piece::All(_), Some(items)) => elements.extend(items.iter()),
            (Piece::All(_), None) if ty == Type::PYOBJECT || solver.semantics.objects => {
                solver.displays.make_list(inst);
                solver.revisit_all();
                return Ok(vec![None]);
            }
            (Piece::All(_), None) => return Err(diagnostics::cannot_spread(solver, inst, value, ty).into()),
        }
    }
    Ok(vec![Some(solver.cx.types.tuple(&elements))])
}

/// Makes the tuple of the parts at once.
pub(crate) fn expand_starred(builder: &mut Builder<'_>, solver: &Solver<'_>, inst: Inst) {
    let Some(pieces) = solver.displays.pieces.get(&inst) else { return };
    let mut args = Vec::new();
    for piece in pieces {
        match *piece {
            Piece::Item(value) => args.push(value),
            Piece::All(value) => args.extend(unpacked(builder, solver, value)),
        }
    }
    let data = &mut builder.func.insts[inst];
    data.op = Op::BuildTuple;
    data.attrs = std::iter::empty::<Attr>().collect();
    data.args = args.into_iter().collect();
}

/// The items of a value whose type says how many there are.
pub(crate) fn unpacked(builder: &mut Builder<'_>, solver: &Solver<'_>, value: Value) -> Vec<Value> {
    let items = solver.cx.types.items(builder.func.ty(value)).unwrap_or_default();
    let types: Vec<ValueType> = items.iter().map(|&ty| ValueType::Typed(ty)).collect();
    let unpack = builder.inst(Op::Unpack, [], &[value], &types);
    builder.func.insts[unpack].results.to_vec()
}
