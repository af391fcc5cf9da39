//! Dicts whose keys are known at compile time: `**kwargs` and dict literals with constant string keys. Their type lists
//! the keys, their values are laid out like a tuple, and they are immutable.
//!
//! CPython builds a dict literal with `**` by mutating a dict. Here each update creates a new one:
//!
//! ```text
//! %d = build_map                becomes    %d = build_map
//! map_update %d, %a                        %d1 = map_update %d, %a
//! call_ex %f, %t, %d                       call_ex %f, %t, %d1
//! ```
//!
//! Absent: mutable dicts, operations on such dicts (`builtins`).

use crate::diagnostics;
use crate::overloads::lookup::{Failure, Types};
use crate::solver::Solver;
use crate::solver::effects;
use entity::{HashSet, PackedOption};
use ir::{Attr, Block, Def, Function, Inst, Op, Value, ValueData, ValueType};
use types::{LiteralValue, Type, TypeData, TypeTable, unify};

/// Gives every update of a dict that is being built a result, which is what is used after it.
pub(crate) fn form_merges(func: &mut Function) {
    let is_update = |func: &Function, inst: Inst| {
        func.insts[inst].op == Op::MapUpdate && func.insts[inst].results.is_empty()
    };
    let has_updates =
        |func: &Function, block: Block| func.blocks[block].insts.iter().any(|&inst| is_update(func, inst));
    if !func.layout.iter().any(|&block| has_updates(func, block)) {
        return;
    }
    let cfg = flow::Cfg::compute(func);
    let dominators = flow::compute_dominators(&cfg);
    for &block in cfg.reverse_postorder() {
        for at in 0..func.blocks[block].insts.len() {
            let inst = func.blocks[block].insts[at];
            if !is_update(func, inst) {
                continue;
            }
            let old = func.insts[inst].args[0];
            let data = ValueData {
                ty: ValueType::Untyped,
                def: Def::Result(inst, 0),
                name: PackedOption::default(),
                version: 0,
            };
            let new = func.values.push(data);
            func.insts[inst].results.push(new);
            for &later in cfg.reverse_postorder() {
                if later == block {
                    rename(func, later, at + 1, old, new);
                } else if dominators.dominates(block, later) {
                    rename(func, later, 0, old, new);
                }
            }
        }
    }
}

/// Replaces the uses of a value in a block from one instruction on.
fn rename(func: &mut Function, block: Block, first: usize, old: Value, new: Value) {
    for &inst in &func.blocks[block].insts[first..] {
        func.insts[inst].uses_mut().filter(|value| **value == old).for_each(|value| *value = new);
    }
}

/// Whether the type of a display can name its keys: they are constant strings, and the display is only asked for what such
/// keys stand for, passed on by `**` or returned; or its values have no common type. Any other display is a dict.
pub(crate) fn has_known_keys(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> bool {
    let types = solver.cx.types;
    let result = solver.func.insts[inst].results[0];
    if args.is_empty() {
        return users(solver, result).all(|user| {
            let data = &solver.func.insts[user];
            match data.op {
                Op::MapUpdate => data.args[0] == result,
                Op::CallEx => data.args.get(2) == Some(&result),
                _ => false,
            }
        });
    }
    let keys = || args.iter().step_by(2);
    if !keys().all(|&key| matches!(types.literal(key), Some(LiteralValue::Str(_)))) {
        return false;
    }
    let mut values = args.iter().skip(1).step_by(2).map(|&value| types.unliteral(value));
    let grows = solver.grown.contains_key(&inst);
    let join = |known, value| if grows { solver.join(known, value) } else { unify(types, known, value) };
    let common = values.try_fold(Type::UNDEFINED, join);
    common.is_none_or(|common| common == Type::UNDEFINED)
        || !grows && !stands_twice(keys()) && is_only_asked(solver, result)
}

/// Whether a key stands twice: its first value is one of the dict's, too, while its type counts.
fn stands_twice<'k>(keys: impl Iterator<Item = &'k Type>) -> bool {
    let mut seen = HashSet::default();
    keys.into_iter().any(|key| !seen.insert(*key))
}

/// Instructions that use a value.
fn users<'e>(solver: &'e Solver<'_>, value: Value) -> impl Iterator<Item = Inst> + 'e {
    let insts = solver.func.layout.iter().flat_map(|&block| &solver.func.blocks[block].insts).copied();
    insts.filter(move |&inst| {
        let data = &solver.func.insts[inst];
        data.uses().any(|used| used == value)
    })
}

/// Whether a display is used as one whose keys are known.
fn is_only_asked(solver: &Solver<'_>, display: Value) -> bool {
    let is_constant = |value: Value| match solver.func.values[value].def {
        Def::Result(inst, _) => solver.func.insts[inst].op == Op::Const,
        Def::Param(..) => false,
    };
    let (mut open, mut seen) = (vec![display], vec![display]);
    while let Some(value) = open.pop() {
        for user in users(solver, value) {
            let data = &solver.func.insts[user];
            let fits = match data.op {
                Op::Jump | Op::Branch => {
                    for call in &data.targets {
                        for (index, _) in call.args.iter().enumerate().filter(|&(_, &arg)| arg == value) {
                            let param = solver.func.blocks[call.block].params[index];
                            if solver.ty(param).is_some_and(|ty| solver.cx.types.contents(ty).is_some()) {
                                return false;
                            }
                            if !seen.contains(&param) {
                                seen.push(param);
                                open.push(param);
                            }
                        }
                    }
                    true
                }
                Op::Getitem => is_constant(data.args[1]),
                Op::Compare => data.args[1] == value && is_constant(data.args[0]),
                Op::Getattr => is_asking(solver, user, &is_constant),
                Op::CallEx => data.args.get(2) == Some(&value),
                Op::Call => {
                    let callee = solver.ty(data.args[0]);
                    callee.is_some_and(|callee| effects::of_callee(solver, callee).takes_known_keys)
                }
                Op::MapUpdate
                | Op::Unary
                | Op::Getiter
                | Op::Return
                | Op::Cast
                | Op::Unpack
                | Op::BuildTuple
                | Op::Python => true,
                Op::CheckBound | Op::NotNone | Op::Narrow | Op::Promote | Op::Declared => {
                    let result = data.results[0];
                    if !seen.contains(&result) {
                        seen.push(result);
                        open.push(result);
                    }
                    true
                }
                _ => false,
            };
            if !fits {
                return false;
            }
        }
    }
    true
}

/// Whether a method is read that asks for constant keys, or for all items.
fn is_asking(solver: &Solver<'_>, getattr: Inst, is_constant: &dyn Fn(Value) -> bool) -> bool {
    let method = solver.func.insts[getattr].results[0];
    match solver.symbol(getattr) {
        "keys" | "values" | "items" => true,
        "get" => users(solver, method).all(|call| {
            let data = &solver.func.insts[call];
            data.op == Op::Call
                && data.args[0] == method
                && data.args.get(1).is_some_and(|&key| is_constant(key))
        }),
        _ => false,
    }
}

/// `{"a": x, "b": y}`: a key that stands twice keeps its first place and its last value.
pub(crate) fn infer_display(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let mut items: Vec<(String, Type)> = Vec::new();
    for pair in args.chunks_exact(2) {
        let Some(LiteralValue::Str(key)) = solver.cx.types.literal(pair[0]) else {
            return Err(Failure::unsupported_op(solver, inst));
        };
        insert(&mut items, &key, pair[1]);
    }
    Ok(vec![Some(keywords_type(solver.cx.types, items))])
}

/// A dict with the items of another one; in a call no key may stand twice.
pub(crate) fn infer_merge(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Types {
    let types = solver.cx.types;
    let (Some((names, own)), Some((more, others))) = (types.keywords(args[0]), types.keywords(args[1]))
    else {
        return Err(diagnostics::no_keywords(solver, inst, args[1]).into());
    };
    let mut items: Vec<(String, Type)> = names.iter().cloned().zip(own.iter().copied()).collect();
    let in_call = solver.func.insts[inst].attrs.first() == Some(&Attr::Int(1));
    for (name, &ty) in more.iter().zip(others.iter()) {
        if in_call && names.contains(name) {
            return Err(diagnostics::repeated_keyword(solver, inst, name).into());
        }
        insert(&mut items, name, ty);
    }
    Ok(vec![Some(keywords_type(types, items))])
}

fn insert(items: &mut Vec<(String, Type)>, key: &str, ty: Type) {
    match items.iter_mut().find(|(name, _)| name == key) {
        Some((_, known)) => *known = ty,
        None => items.push((key.to_owned(), ty)),
    }
}

fn keywords_type(types: &TypeTable, items: Vec<(String, Type)>) -> Type {
    let (names, of): (Vec<String>, Vec<Type>) = items.into_iter().unzip();
    types.intern(TypeData::StaticDict { names: names.into(), types: of.into() })
}

/// The value that stands for a key in the display that a call passes by `**`, if it is one.
pub(crate) fn value_in_display(solver: &Solver<'_>, call: Inst, name: &str) -> Option<Value> {
    let dict = *solver.func.insts[call].args.get(2)?;
    let Def::Result(display, _) = solver.func.values[dict].def else { return None };
    let data = &solver.func.insts[display];
    let is_key = |key: Value| match solver.ty(key).and_then(|ty| solver.cx.types.literal(ty)) {
        Some(LiteralValue::Str(known)) => *known == *name,
        _ => false,
    };
    let pairs = data.args.chunks_exact(2).filter(|_| data.op == Op::BuildMap);
    pairs.rev().find(|pair| is_key(pair[0])).map(|pair| pair[1])
}

/// Whether a loop over a value is written out even where its items have one type: they are or hold strings,
/// which only their types know, some of them may be None, or there are none.
pub(crate) fn is_written_out(types: &TypeTable, of: Type) -> bool {
    let differ = |items: &[Type]| {
        let plain = |ty| types.unliteral(ty);
        items.windows(2).any(|pair| plain(pair[0]) != plain(pair[1]) && types.functions(pair[0]).is_none())
    };
    let of_items = |items: std::sync::Arc<[Type]>| {
        items.is_empty() || differ(&items) || items.iter().any(|&ty| holds_text(types, ty))
    };
    types.keywords(of).is_some() || types.items(of).is_some_and(of_items)
}

/// Whether a value is, or holds, constant strings.
fn holds_text(types: &TypeTable, ty: Type) -> bool {
    matches!(types.literal(ty), Some(LiteralValue::Str(_)))
        || types.elements(ty).is_some_and(|parts| parts.iter().any(|&part| holds_text(types, part)))
}
