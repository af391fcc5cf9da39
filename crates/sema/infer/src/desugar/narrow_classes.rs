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
use catalog::Key;
use ir::{Attr, Def, Function, Inst, Op, UnaryOp, Value};
use types::{LiteralValue, Type, TypeData, TypeTable};

/// The second attribute of `narrow` where what is left are the instances of the class, and None if the value may be None; without None.
const KEEPS: i64 = 1;
const KEEPS_PRESENT: i64 = 2;

/// The type of a test of an object's class, or of the object behind it.
pub(crate) fn infer(solver: &Solver<'_>, inst: Inst, of: Type, class: Type) -> Option<Type> {
    let types = solver.cx.types;
    let data = &solver.func.insts[inst];
    if data.op == Op::IsInstance {
        // On other paths it is an object: those that no class leads to are not reached before.
        let is_unknown = of == Type::UNDEFINED || of == Type::NONE && class != Type::NONE;
        return (!is_unknown).then(|| types.instance_test(of, class));
    }
    let kind = data.attrs.last();
    let of_present = if kind == Some(&Attr::Int(KEEPS_PRESENT)) { types.without_none(of) } else { of };
    Some(types.narrowed(of_present, class, kind != Some(&Attr::Int(0))).unwrap_or(of))
}

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
    if !solver.cx.types.has_classes() && !solver.cx.types.has_tagged_unions() {
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
    let ty = solver.ty(object)?;
    let of = types.get(types.without_none(ty));
    let is_union = matches!(of, TypeData::Union(_) | TypeData::TaggedUnion(_));
    if &*name != "builtins.isinstance" || !is_union || is_narrowed(&solver.func, branch, object) {
        return None;
    }
    if let TypeData::TaggedUnion(members) = of {
        let asked = solver.ty(class)?;
        let (class, is_all) = instances(solver, &members, asked)?;
        if is_all && types.without_none(ty) == ty {
            return None;
        }
        return Some(ClassTest { branch, class, none: is_instance(solver, Type::NONE, asked) });
    }
    let class = types.union_of(&asked_classes(types, solver.ty(class)?)?)?;
    Some(ClassTest { branch, class, none: false })
}

/// The members of a tagged union that are instances of a class, if some are: a union of them, or the only one, and whether that is all of them.
pub(crate) fn instances(solver: &Solver<'_>, members: &[Type], class: Type) -> Option<(Type, bool)> {
    let types = solver.cx.types;
    let found: Vec<Type> =
        members.iter().copied().filter(|&member| is_instance(solver, member, class)).collect();
    let (&first, rest) = found.split_first()?;
    let union = rest.iter().try_fold(first, |union, &member| types.tagged_union(union, member))?;
    Some((union, found.len() == members.len()))
}

/// Whether values of a type are known to be instances of a class.
fn is_instance(solver: &Solver<'_>, ty: Type, class: Type) -> bool {
    let types = solver.cx.types;
    let key = Key::Function("builtins.isinstance".into());
    let found = solver.cx.catalog.resolve(types, &key, &[ty, class]);
    found.and_then(|found| types.literal(found.result)) == Some(LiteralValue::Bool(true))
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
                let kept = if test.none { KEEPS } else { KEEPS_PRESENT };
                let attrs = [Attr::Type(test.class), Attr::Int(if keeps { kept } else { 0 })];
                narrow_edge(func, test.branch, object, target, (Op::Narrow, &attrs));
            }
        }
    }
}
