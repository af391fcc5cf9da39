//! Objects of one of several classes are of fewer where `isinstance` says so.
//!
//! ```text
//!     %c = call isinstance, %s, %Circle      the same, and on the edges
//!     branch %c, block5, block6              %t = narrow[Circle, 1] %s, %o = narrow[Circle, 0] %s
//! ```
//!
//! As for values that may be None (`narrow_optionals`), only types tell, and inference restarts with the branches rewritten.

use crate::desugar::narrow_optionals::narrow_edge;
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use crate::solver::restart_state::ClassTest;
use ir::{Attr, Def, Function, Inst, Op, UnaryOp, Value};
use types::{Type, TypeData, TypeTable};

/// The call of three operands whose result a branch tests, and the number of the target where it is True.
fn tested(func: &Function, branch: Inst) -> Option<([Value; 3], usize)> {
    let data = &func.insts[branch];
    if data.op != Op::Branch {
        return None;
    }
    let (mut value, mut target) = (data.args[0], 0);
    loop {
        let Def::Result(inst, _) = func.values[value].def else { return None };
        let test = &func.insts[inst];
        match (test.op, test.attrs.first()) {
            (Op::Call, _) => return Some((test.args[..].try_into().ok()?, target)),
            (Op::Unary, Some(Attr::Unary(UnaryOp::Bool))) => value = test.args[0],
            (Op::Unary, Some(Attr::Unary(UnaryOp::Not))) => (value, target) = (test.args[0], 1 - target),
            _ => return None,
        }
    }
}

/// Records the branches that test the class of objects which may be of several, unless they are rewritten already.
pub(crate) fn note(solver: &Solver<'_>) {
    if !solver.cx.types.has_classes() {
        return;
    }
    let found: Vec<ClassTest> = solver
        .reached_blocks()
        .into_iter()
        .filter_map(|block| class_test(solver, solver.func.terminator(block)?))
        .collect();
    if !found.is_empty() {
        let key = solver.shared.key(solver.number);
        solver.shared.memory.borrow_mut().note_class_tests(key, found);
    }
}

fn class_test(solver: &Solver<'_>, branch: Inst) -> Option<ClassTest> {
    let types = solver.cx.types;
    let ([function, object, class], _) = tested(&solver.func, branch)?;
    let TypeData::Function(name) = types.get(solver.ty(function)?) else { return None };
    let is_union = matches!(types.get(types.without_none(solver.ty(object)?)), TypeData::Union(_));
    if &*name != "builtins.isinstance" || !is_union || is_narrowed(&solver.func, branch, object) {
        return None;
    }
    let class = types.union_of(&asked_classes(types, solver.ty(class)?)?)?;
    Some(ClassTest { branch, class })
}

/// The classes that the second argument of `isinstance` says.
fn asked_classes(types: &TypeTable, asked: Type) -> Option<Vec<Type>> {
    match types.get(asked) {
        TypeData::Class(instance) => Some(vec![instance]),
        TypeData::Tuple(members) => {
            let classes: Option<Vec<Vec<Type>>> =
                members.iter().map(|&member| asked_classes(types, member)).collect();
            Some(classes?.concat())
        }
        _ => None,
    }
}

/// Whether an edge leads through `narrow` of the object already.
fn is_narrowed(func: &Function, branch: Inst, object: Value) -> bool {
    func.insts[branch].targets.iter().any(|target| {
        func.blocks[target.block].insts.first().is_some_and(|&first| {
            let data = &func.insts[first];
            data.op == Op::Narrow && data.args[0] == object
        })
    })
}

/// Rewrites the recorded branches. Those of a loop that was written out since then are gone.
pub(crate) fn insert(shared: &GroupState, number: usize, func: &mut Function) {
    for test in shared.memory.borrow().class_tests(&shared.key(number)) {
        let is_there = func.layout.iter().any(|&block| func.terminator(block) == Some(test.branch));
        if is_there && let Some(([_, object, _], target)) = tested(func, test.branch) {
            for keeps in [true, false] {
                let target = if keeps { target } else { 1 - target };
                let attrs = [Attr::Type(test.class), Attr::Int(keeps.into())];
                narrow_edge(func, test.branch, object, target, (Op::Narrow, &attrs));
            }
        }
    }
}
