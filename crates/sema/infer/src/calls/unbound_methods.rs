//! Methods called through their class: `list.append(l, x)`.
//!
//! ```text
//! %m = getattr append, %list            %n = getattr append, %l
//! %r = call %m, %l, %x       becomes    %r = call %n, %x
//! ```
//!
//! One that is not called but passed on, `sorted(names, key=str.lower)`, is a function that calls the method.
//!
//! Only types tell whether a class is that of the first argument. If not, the call is recorded, and
//! inference restarts without this rewrite.

use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use catalog::GlobalValue;
use diag::{Diagnostic, codes};
use ir::{Attr, Builder, Def, Function, Inst, Op};
use types::{Type, TypeData};

/// Notes a call of a method through the class of its first argument, if an instruction is one.
pub(crate) fn note(solver: &Solver<'_>, inst: Inst) -> Option<Box<Diagnostic>> {
    let data = &solver.func.insts[inst];
    let (Op::Call, [method, first, ..]) = (data.op, &data.args[..]) else { return None };
    let types = solver.cx.types;
    let TypeData::Method(of, _) = types.get(solver.ty(*method)?) else { return None };
    let TypeData::Function(class) = types.get(of) else { return None };
    if types.class_of_methods(solver.ty(*first)?) != Some(&*class) || getattr_of(&solver.func, inst).is_none()
    {
        return None;
    }
    solver.shared.memory.borrow_mut().note_unbound(solver.shared.key(solver.number), inst);
    let restart = Diagnostic::new(codes::UNTYPED, "the method is to be called on its value");
    Some(restart.label(data.span, "called here"))
}

/// The function that a method read from its class is, where it is used otherwise than to be called.
pub(crate) fn as_value(solver: &Solver<'_>, getattr: Inst, of: Type, name: &str) -> Option<GlobalValue> {
    let TypeData::Function(class) = solver.cx.types.get(of) else { return None };
    let class = class.strip_prefix("builtins.")?;
    let func = &solver.func;
    let &method = func.insts[getattr].results.first()?;
    let passes = |inst: &Inst| {
        let data = &func.insts[*inst];
        let passed = if data.op == Op::Call { &data.args[1..] } else { &data.args[..] };
        passed.contains(&method) || data.targets.iter().any(|target| target.args.contains(&method))
    };
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    insts.any(passes).then(|| solver.host.unbound_method(class, name))?
}

/// What reads the method that an instruction calls.
fn getattr_of(func: &Function, call: Inst) -> Option<Inst> {
    let Def::Result(getattr, _) = func.values[*func.insts[call].args.first()?].def else { return None };
    (func.insts[getattr].op == Op::Getattr).then_some(getattr)
}

/// Calls the methods on their values that were found to be called through their class.
pub(crate) fn bind(shared: &GroupState, number: usize, func: &mut Function) {
    for &call in shared.memory.borrow().unbound(&shared.key(number)) {
        let home = func.layout.iter().copied().find(|&block| func.blocks[block].insts.contains(&call));
        let (Some(block), Some(getattr)) = (home, getattr_of(func, call)) else { continue };
        let name: Vec<Attr> = func.insts[getattr].attrs.iter().cloned().collect();
        let value = func.insts[call].args[1];
        let at = func.blocks[block].insts.iter().position(|&inst| inst == call).unwrap_or_default();
        let behind = func.blocks[block].insts.split_off(at);
        let mut builder = Builder::new(func, block);
        builder.span = builder.func.insts[getattr].span;
        let method = builder.untyped(Op::Getattr, name, &[value]);
        func.blocks[block].insts.extend(behind);
        let args = &mut func.insts[call].args;
        args.remove(1);
        args[0] = method;
    }
}
