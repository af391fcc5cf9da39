//! Values that were compared with None are not None where the comparison says so.
//!
//! ```text
//!     %c = is_none %x                        %c = is_none %x
//!     branch %c, block5, block6              branch %c, block5, block7
//! block6:                                block7:
//!     %r = call %sort, %x         becomes    %y = not_none %x
//!                                            jump block6
//!                                        block6:
//!                                            %r = call %sort, %y
//! ```
//!
//! The same holds where a value is true. Only types tell which values may be None, so the branches of such values are recorded, and inference
//! restarts with them rewritten. In the Typed phase `not_none` is a conversion, or nothing if its operand is never None after all.

use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use entity::HashMap;
use ir::{Attr, Block, BlockCall, Builder, Def, Function, Inst, Op, UnaryOp, Value};
use types::{Type, TypeData, TypeTable};

/// The value that a branch tests, and the number of the target where it is not None.
fn tested(func: &Function, branch: Inst) -> Option<(Value, usize)> {
    let data = &func.insts[branch];
    let (Op::Branch, Def::Result(test, _)) = (data.op, func.values[*data.args.first()?].def) else {
        return None;
    };
    let test = &func.insts[test];
    match (test.op, test.attrs.first()) {
        (Op::IsNone, _) => Some((test.args[0], 1)),
        (Op::Unary, Some(Attr::Unary(UnaryOp::Bool))) => Some((test.args[0], 0)),
        (Op::Unary, Some(Attr::Unary(UnaryOp::Not))) => Some((test.args[0], 1)),
        _ => None,
    }
}

/// Records the branches that test values which may be None, unless they are rewritten already.
pub(crate) fn note(solver: &Solver<'_>) {
    let types = solver.cx.types;
    let mut found = Vec::new();
    for block in solver.reached_blocks() {
        let Some(branch) = solver.func.terminator(block) else { continue };
        let Some((value, target)) = tested(&solver.func, branch) else { continue };
        let is_optional = solver.ty(value).is_some_and(|ty| matches!(types.get(ty), TypeData::Optional(_)));
        if is_optional && !is_narrowed(&solver.func, branch, value, target) {
            found.push(branch);
        }
    }
    if !found.is_empty() {
        let key = solver.shared.key(solver.number);
        solver.shared.memory.borrow_mut().note_optional_tests(key, found);
    }
}

/// Whether the edge leads through `not_none` of the value already.
fn is_narrowed(func: &Function, branch: Inst, value: Value, target: usize) -> bool {
    let block = func.insts[branch].targets[target].block;
    func.blocks[block].insts.first().is_some_and(|&first| {
        let data = &func.insts[first];
        data.op == Op::NotNone && data.args[0] == value
    })
}

/// Rewrites the recorded branches. Those of a loop that was written out since then are gone.
pub(crate) fn insert(shared: &GroupState, number: usize, func: &mut Function) {
    for &branch in shared.memory.borrow().optional_tests(&shared.key(number)) {
        let is_there = func.layout.iter().any(|&block| func.terminator(block) == Some(branch));
        if is_there && let Some((value, target)) = tested(func, branch) {
            narrow_edge(func, branch, value, target, (Op::NotNone, &[]));
        }
    }
}

/// Leads an edge through a block of its own, behind which the value is the result of an op.
pub(crate) fn narrow_edge(
    func: &mut Function,
    branch: Inst,
    value: Value,
    target: usize,
    (op, attrs): (Op, &[Attr]),
) {
    let to = func.insts[branch].targets[target].clone();
    let between = func.add_block(func.blocks[to.block].label);
    func.insts[branch].targets[target] = BlockCall { block: between, args: Default::default() };
    let mut builder = Builder::new(func, between);
    builder.span = builder.func.insts[branch].span;
    let known = builder.untyped(op, attrs.iter().cloned(), &[value]);
    let args: Vec<Value> = to.args.iter().map(|&arg| if arg == value { known } else { arg }).collect();
    builder.jump(to.block, &args);
    let dominators = flow::compute_dominators(&flow::Cfg::compute(func));
    let behind: Vec<Block> = func
        .layout
        .iter()
        .copied()
        .filter(|&block| block != between && dominators.dominates(between, block))
        .collect();
    for block in behind {
        func.replace_uses(block, value, known);
    }
}

/// Makes `not_none` and `narrow` conversions where the types differ, else removes it; `as_inferred` removes all. Returns what stands for
/// the removed results.
pub(crate) fn resolve(func: &mut Function, as_inferred: bool) -> HashMap<Value, Value> {
    let mut names: HashMap<Value, Value> = HashMap::default();
    for &block in &func.layout {
        let values = &func.values;
        let insts = &mut func.insts;
        func.blocks[block].insts.retain(|&inst| {
            let data = &mut insts[inst];
            if !matches!(data.op, Op::NotNone | Op::Narrow) {
                return true;
            }
            let (from, to) = (data.args[0], data.results[0]);
            data.op = Op::Promote;
            data.attrs.clear();
            let stays = !as_inferred && values[from].ty != values[to].ty;
            if !stays {
                names.insert(to, from);
            }
            stays
        });
    }
    // Tests of one value may stand behind each other.
    let roots: HashMap<Value, Value> = names.keys().map(|&value| (value, root(&names, value))).collect();
    substitute(func, &roots);
    roots
}

/// Replaces uses of removed results by what stands for them.
pub(crate) fn substitute(func: &mut Function, roots: &HashMap<Value, Value>) {
    if roots.is_empty() {
        return;
    }
    for block in func.layout.clone() {
        func.change_uses(block, |value| *value = roots.get(value).copied().unwrap_or(*value));
    }
}

fn root(names: &HashMap<Value, Value>, value: Value) -> Value {
    names.get(&value).map_or(value, |&from| root(names, from))
}

/// The type of a value that is not None.
pub(crate) fn without_none(types: &TypeTable, ty: Type) -> Type {
    match types.get(ty) {
        TypeData::Optional(inner) => inner,
        _ => ty,
    }
}
