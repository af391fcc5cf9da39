//! Class patterns for objects of compiled classes: tests of the class, and reads of attributes, which may run code.
//!
//! ```text
//!                                                              %n = is_none %s
//!                                                              branch %n, block3, block5
//!                                                          block5:
//! %t = python match_class, 0, %s, %Circle, ("radius",)         %c = is_instance[Circle] %s
//! %n = is_none %t                                becomes       branch %c, block6, block3
//! branch %n, block3, block4                                block6:
//!                                                              %o = narrow[Circle, 1] %s
//!                                                              %r = getattr radius, %o
//!                                                              %t = build_tuple %r
//!                                                              jump block4
//! ```
//!
//! Behind the match the object is of that class. Only types tell that the subject is an object, so the pattern is recorded, and
//! inference restarts with this rewrite. The same is done for values of several types, where `case int(n)` matches `n` with the value itself.

use crate::desugar::clone_blocks::beside;
use crate::desugar::narrow_classes::instances;
use crate::desugar::narrow_optionals::narrow_edge;
use crate::overloads::lookup::Failure;
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use crate::solver::restart_state::ObjectPattern;
use diag::{Diagnostic, codes};
use ir::{Attr, Block, BlockCall, Builder, Function, Inst, Op, Value};
use types::{LiteralValue, Type, TypeData, TypeTable};

/// The restart that a pattern asks for whose subject is an object; nothing for other subjects, and for classes that no object is of.
pub(crate) fn restart(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Option<Failure> {
    let types = solver.cx.types;
    let subject = types.without_none(args[0]);
    let (class, attributes) = match types.union_members(subject) {
        Some(members) => (instances(solver, &members, args[1])?.0, itself(solver, inst, args)?),
        None => {
            types.classes(subject)?;
            let class = match types.get(args[1]) {
                TypeData::Class(class) if types.is_instance(class) => class,
                _ => return None,
            };
            (class, attributes(solver, inst, class, args[2])?)
        }
    };
    let pattern = ObjectPattern { inst, class, attributes };
    solver.shared.memory.borrow_mut().note_object_pattern(solver.shared.key(solver.number), pattern);
    let restart = Diagnostic::new(codes::UNTYPED, "the class of a pattern's subject is to be tested");
    Some(Failure::from(restart.label(solver.func.insts[inst].span, "matched here")))
}

/// What the part of a pattern of a built-in class is matched with, if it has one: the value itself, which has no name.
fn itself(solver: &Solver<'_>, inst: Inst, args: &[Type]) -> Option<Vec<String>> {
    let types = solver.cx.types;
    let is_builtin = matches!(types.get(args[1]), TypeData::Function(name) if name.starts_with("builtins."));
    let count = positional(solver, inst);
    (types.elements(args[2])?.is_empty() && (count == 0 || count == 1 && is_builtin))
        .then(|| vec![String::new(); count])
}

/// How many parts of a pattern are matched by position.
fn positional(solver: &Solver<'_>, inst: Inst) -> usize {
    match solver.func.insts[inst].attrs.last() {
        Some(&Attr::Int(count)) => count as usize,
        _ => 0,
    }
}

/// The attributes that the parts of a pattern are matched with: by position those that the class lists, then those of these names.
fn attributes(solver: &Solver<'_>, inst: Inst, class: Type, names: Type) -> Option<Vec<String>> {
    let types = solver.cx.types;
    let positional = positional(solver, inst);
    let listed = match (positional, types.get(class)) {
        (1.., TypeData::Instance { object, .. }) => solver.host.match_args(object),
        _ => Vec::new(),
    };
    let mut attributes = listed.get(..positional)?.to_vec();
    for &name in types.elements(names)?.iter() {
        let Some(LiteralValue::Str(name)) = types.literal(name) else { return None };
        attributes.push(name.to_string());
    }
    attributes.iter().all(|name| has(types, class, name)).then_some(attributes)
}

/// Whether the objects of a class have an attribute.
fn has(types: &TypeTable, class: Type, name: &str) -> bool {
    types.class(class).is_some_and(|class| class.field(name).is_some() || class.members.contains_key(name))
}

/// Writes out the patterns that were recorded.
pub(crate) fn expand(shared: &GroupState, number: usize, func: &mut Function) {
    for pattern in shared.memory.borrow().object_patterns(&shared.key(number)) {
        let home = func.layout.iter().copied().find(|&block| is_tested(func, block, pattern.inst));
        if let Some(block) = home {
            expand_one(func, block, pattern);
        }
    }
}

/// Whether a block ends with a pattern, and a branch where it does not match.
fn is_tested(func: &Function, block: Block, pattern: Inst) -> bool {
    let [.., one, test, branch] = func.blocks[block].insts[..] else { return false };
    let matched = func.insts[pattern].results.first();
    one == pattern
        && func.insts[test].op == Op::IsNone
        && func.insts[test].args.first() == matched
        && func.insts[branch].op == Op::Branch
        && func.insts[branch].args.first() == func.insts[test].results.first()
}

fn expand_one(func: &mut Function, block: Block, pattern: &ObjectPattern) {
    let Some(end) = func.blocks[block].insts.pop() else { return };
    func.blocks[block].insts.pop();
    func.blocks[block].insts.pop();
    let [other, matched] = &func.insts[end].targets[..] else { return };
    let (other, matched) = (other.clone(), matched.clone());
    let (subject, result) = (func.insts[pattern.inst].args[0], func.insts[pattern.inst].results[0]);
    let [there, yes] = [(); 2].map(|()| beside(func, block));
    let mut builder = Builder::new(func, block);
    builder.span = builder.func.insts[pattern.inst].span;
    let absent = builder.untyped(Op::IsNone, [], &[subject]);
    builder.branch(absent, other.clone(), BlockCall::new(there, []));
    builder.switch_to(there);
    let is_this = builder.untyped(Op::IsInstance, [Attr::Type(pattern.class)], &[subject]);
    let test = builder.branch(is_this, BlockCall::new(yes, []), other);
    builder.switch_to(yes);
    let parts: Vec<Value> = pattern
        .attributes
        .iter()
        .map(|name| {
            if name.is_empty() {
                return subject;
            }
            let name = builder.symbol(name);
            builder.untyped(Op::Getattr, [Attr::Symbol(name)], &[subject])
        })
        .collect();
    let tuple = builder.untyped(Op::BuildTuple, [], &parts);
    builder.jump(matched.block, &matched.args);
    for user in func.layout.clone() {
        func.replace_uses(user, result, tuple);
    }
    for keeps in [true, false] {
        let attrs = [Attr::Type(pattern.class), Attr::Int(keeps.into())];
        narrow_edge(func, test, subject, usize::from(!keeps), (Op::Narrow, &attrs));
    }
}
