//! Operations on an object of one of several classes, or a value of a tagged union, written out for each class or type.
//!
//! ```text
//!                                       %c = is_instance[Circle] %s
//!                                       branch %c, block2, block3
//!                                   block2:
//!                                       %t = narrow[Circle, 1] %s
//!                                       %u = getattr area, %t
//! %r = getattr area, %s   becomes       jump block5(%u)
//!                                   block3:
//!                                       %o = narrow[Circle, 0] %s
//!                                       ...
//!                                   block5(%r):
//! ```
//!
//! Only types tell which classes an object may be of, so the instructions are recorded, and inference restarts with them rewritten.
//! A class stands before those that it derives from. The instruction itself stays behind the last test. It is reached only
//! if the object turns out to be of yet another class, which is then added to the record.

use crate::desugar::clone_blocks::beside;
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use crate::solver::restart_state::{Dispatch, Object};
use catalog::Special;
use ir::{Attr, Block, BlockCall, Builder, CompareOp, Def, Function, Inst, Op, Value, ValueType};
use std::sync::Arc;
use types::{Member, Type, TypeData, TypeTable};

/// Records an instruction whose meaning depends on the class of an object which is of one of several. Whether it does.
pub(crate) fn note(solver: &Solver<'_>, inst: Inst) -> bool {
    let found = match solver.cx.types.has_tagged_unions() {
        true => dispatched(solver, inst).or_else(|| dispatched_union(solver, inst)),
        false => dispatched(solver, inst),
    };
    let Some((object, classes)) = found else { return false };
    let dispatch = Dispatch { inst, object, classes };
    solver.shared.memory.borrow_mut().note_dispatch(solver.shared.key(solver.number), dispatch);
    true
}

/// The classes of an object that is of one of several, if it is not None.
fn union(types: &TypeTable, ty: Type) -> Option<Arc<[Type]>> {
    match types.get(types.without_none(ty)) {
        TypeData::Union(members) => Some(members),
        _ => None,
    }
}

/// The object of several classes on which the meaning of an instruction depends.
fn dispatched(solver: &Solver<'_>, inst: Inst) -> Option<(Object, Arc<[Type]>)> {
    let types = solver.cx.types;
    let args = &solver.func.insts[inst].args;
    let of =
        |at: usize| union(types, solver.ty(*args.get(at)?)?).map(|classes| (Object::Operand(at), classes));
    match (solver.func.insts[inst].op, solver.func.insts[inst].attrs.first()) {
        (Op::Getattr, _) => of(0).filter(|(_, classes)| !is_method(types, classes, solver.symbol(inst))),
        (Op::Setattr | Op::Getiter | Op::Getitem | Op::Setitem | Op::Unary | Op::Format, _) => of(0),
        (Op::Python, _) if matches!(solver.symbol(inst), "with_enter" | "with_exit_method" | "convert") => {
            of(0)
        }
        (Op::Binary | Op::Inplace, _) => of(0).or_else(|| of(1)),
        (Op::Compare, Some(Attr::Compare(CompareOp::Is | CompareOp::IsNot))) => None,
        (Op::Compare, Some(Attr::Compare(CompareOp::In))) => of(1),
        (Op::Compare, Some(Attr::Compare(CompareOp::Eq | CompareOp::Ne))) => {
            let decides = |&at: &usize| {
                args.get(at)
                    .and_then(|&arg| solver.ty(arg))
                    .is_some_and(|ty| types.has_member(types.without_none(ty), &["__eq__", "__ne__"]))
            };
            [0, 1].into_iter().filter(decides).find_map(of)
        }
        (Op::Compare, _) => of(0).or_else(|| of(1)),
        (Op::Call | Op::CallEx, _) => match types.get(solver.ty(*args.first()?)?) {
            TypeData::Method(of, _) => {
                let classes = union(types, of)?;
                receiver(&solver.func, inst).map(|_| (Object::Receiver, classes))
            }
            TypeData::Function(name) if crate::classes::asks_class(&name) => (1..args.len()).find_map(of),
            _ => of(0),
        },
        _ => None,
    }
}

/// The value of a tagged union on whose type the meaning of an instruction depends.
fn dispatched_union(solver: &Solver<'_>, inst: Inst) -> Option<(Object, Arc<[Type]>)> {
    let types = solver.cx.types;
    let args = &solver.func.insts[inst].args;
    let ty = |at: usize| args.get(at).and_then(|&arg| solver.ty(arg));
    // None comes first, so that nothing behind it may be None.
    let members = |ty: Type| {
        let members = types.union_members(types.without_none(ty))?;
        let none = (types.without_none(ty) != ty).then_some(Type::NONE);
        Some(none.into_iter().chain(members.iter().copied()).collect::<Arc<[Type]>>())
    };
    let of = |at: usize| Some((Object::Operand(at), members(ty(at)?)?));
    let is_container = |ty: Type| types.contents(ty).is_some();
    match (solver.func.insts[inst].op, solver.func.insts[inst].attrs.first()) {
        (Op::Getattr, _) => of(0).filter(|_| !is_called(&solver.func, inst)),
        (Op::Python, _) if solver.symbol(inst) == "convert" => of(0),
        (
            Op::Setattr | Op::Getiter | Op::Iternext | Op::Unary | Op::Format | Op::Unpack | Op::UnpackEx,
            _,
        ) => of(0),
        (Op::Getitem | Op::Delitem | Op::Binary | Op::Inplace, _) => of(0).or_else(|| of(1)),
        (Op::Setitem, _) => {
            let holds = ty(0).is_some_and(is_container);
            of(0).or_else(|| of(1)).or_else(|| of(2).filter(|_| !holds))
        }
        (Op::Compare, Some(Attr::Compare(CompareOp::Is | CompareOp::IsNot))) => None,
        (Op::Compare, Some(Attr::Compare(CompareOp::In))) => of(1).or_else(|| of(0)),
        (Op::Compare, _) => of(0).or_else(|| of(1)),
        (Op::Call, _) => match types.get(ty(0)?) {
            TypeData::Method(receives, _) => match members(receives) {
                Some(members) => receiver(&solver.func, inst).map(|_| (Object::Receiver, members)),
                None => (1..args.len()).find_map(of).filter(|_| !is_container(receives)),
            },
            TypeData::Function(name) if !is_about_types(solver, &name) => (1..args.len()).find_map(of),
            TypeData::Class(_) => (1..args.len()).find_map(of),
            _ => of(0),
        },
        _ => None,
    }
}

/// Whether a function takes values of several types as they are.
fn is_about_types(solver: &Solver<'_>, function: &str) -> bool {
    function == "builtins.isinstance"
        || solver.cx.catalog.special(function).is_some_and(|special| special != Special::Print)
}

/// Whether what an instruction gives is only called, as a method is.
fn is_called(func: &Function, inst: Inst) -> bool {
    let result = func.insts[inst].results[0];
    let mut users = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    users.all(|&user| {
        let data = &func.insts[user];
        let is_callee = matches!(data.op, Op::Call | Op::CallEx) && data.args[0] == result;
        !data.uses().any(|value| value == result) || is_callee && !data.args[1..].contains(&result)
    })
}

/// What binds the method that an instruction calls.
fn receiver(func: &Function, call: Inst) -> Option<Inst> {
    let Def::Result(bound, _) = func.values[*func.insts[call].args.first()?].def else { return None };
    matches!(func.insts[bound].op, Op::Getattr | Op::Python).then_some(bound)
}

/// Whether all classes have a method under a name.
fn is_method(types: &TypeTable, classes: &[Type], name: &str) -> bool {
    classes.iter().all(|&class| {
        types.class(class).is_some_and(|class| {
            matches!(class.members.get(name), Some(Member::Method(_) | Member::OfClass(_)))
        })
    })
}

/// The method that all classes of an object have.
pub(crate) fn method(solver: &Solver<'_>, inst: Inst, of: Type) -> Option<Type> {
    let types = solver.cx.types;
    let name = solver.symbol(inst);
    if types.union_members(types.without_none(of)).is_some() && is_called(&solver.func, inst) {
        // The call is written out for each type.
        return Some(types.intern(TypeData::Method(of, name.into())));
    }
    let classes = union(types, of)?;
    is_method(types, &classes, name).then(|| types.intern(TypeData::Method(of, name.into())))
}

/// Writes the recorded instructions out. Those of a loop that was written out since then are gone.
pub(crate) fn expand(shared: &GroupState, number: usize, func: &mut Function) {
    let key = shared.key(number);
    let mut members = Vec::new();
    for dispatch in shared.memory.borrow().dispatches(&key) {
        let has = |&block: &Block| func.blocks[block].insts.contains(&dispatch.inst);
        if let Some(block) = func.layout.iter().copied().find(has) {
            members.extend(expand_one(func, block, dispatch));
        }
    }
    if !members.is_empty() {
        shared.memory.borrow_mut().note_members(&key, members);
    }
}

/// Writes one instruction out. Gives those for each class, and what binds the methods that these call.
fn expand_one(func: &mut Function, block: Block, dispatch: &Dispatch) -> [Vec<Inst>; 2] {
    let inst = dispatch.inst;
    let found = match dispatch.object {
        Object::Operand(at) => func.insts[inst].args.get(at).copied(),
        Object::Receiver => receiver(func, inst).map(|bound| func.insts[bound].args[0]),
    };
    let Some(mut object) = found else { return Default::default() };
    let (mut members, mut bound) = (Vec::new(), Vec::new());
    let join = split_behind(func, block, inst);
    func.blocks[block].insts.pop();
    let mut here = block;
    for &class in dispatch.classes.iter() {
        let [this, next] = [(); 2].map(|()| beside(func, block));
        let mut builder = Builder::new(func, here);
        builder.span = builder.func.insts[inst].span;
        let is_this = builder.untyped(Op::IsInstance, [Attr::Type(class)], &[object]);
        builder.branch(is_this, BlockCall::new(this, []), BlockCall::new(next, []));
        builder.switch_to(this);
        let narrowed = builder.untyped(Op::Narrow, [Attr::Type(class), Attr::Int(1)], &[object]);
        let made = clone_with(&mut builder, dispatch, narrowed);
        members.push(made);
        bound.extend(receiver(builder.func, made));
        let results = builder.func.insts[made].results.to_vec();
        builder.jump(join, &results);
        builder.switch_to(next);
        object = builder.untyped(Op::Narrow, [Attr::Type(class), Attr::Int(0)], &[object]);
        here = next;
    }
    func.blocks[here].insts.push(inst);
    let results = func.insts[inst].results.to_vec();
    Builder::new(func, here).jump(join, &results);
    [members, bound]
}

/// Moves what stands behind an instruction to a block of its own, whose parameters take the results.
fn split_behind(func: &mut Function, block: Block, inst: Inst) -> Block {
    let join = beside(func, block);
    let at = func.blocks[block].insts.iter().position(|&one| one == inst).map_or(0, |at| at + 1);
    func.blocks[join].insts = func.blocks[block].insts.split_off(at);
    for result in func.insts[inst].results.to_vec() {
        let param = func.add_param(join, ValueType::Untyped);
        for user in func.layout.clone() {
            func.replace_uses(user, result, param);
        }
        let (name, version) = (func.values[result].name, func.values[result].version);
        func.values[param].name = name;
        func.values[param].version = version;
        func.values[result].name = Default::default();
    }
    join
}

/// The instruction with another object.
fn clone_with(builder: &mut Builder<'_>, dispatch: &Dispatch, object: Value) -> Inst {
    let mut data = builder.func.insts[dispatch.inst].clone();
    match dispatch.object {
        Object::Operand(at) => data.args[at] = object,
        Object::Receiver => {
            if let Some(bound) = receiver(builder.func, dispatch.inst) {
                let mut bound = builder.func.insts[bound].clone();
                bound.args[0] = object;
                data.args[0] = builder.untyped(bound.op, bound.attrs, &bound.args);
            }
        }
    }
    let types = vec![ValueType::Untyped; data.results.len()];
    builder.inst(data.op, data.attrs, &data.args, &types)
}
