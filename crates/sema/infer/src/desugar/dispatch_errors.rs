//! Operations that Python does not have for one member of a tagged union: there, the exception that it raises.
//!
//! ```text
//!     %u = binary +, %t, 1            %e = call TypeError, "can only concatenate str (not \"int\") to str"
//!     jump block5(%u)        becomes  raise %e
//! ```
//!
//! Only inference tells which operations these are, so they are recorded, and inference restarts. Python says whether an operation raises
//! for all values of these types, and what. An operation that raises for every member, or that only compiled code lacks, is an error.

use crate::overloads::lookup::Failure;
use crate::solver::Solver;
use crate::solver::group_state::GroupState;
use catalog::Raised;
use ir::{Attr, Builder, ConstData, Function, Inst, Op};
use types::{Type, TypeData};

/// An operation that raises.
pub(crate) struct RaisingMember {
    pub inst: Inst,
    pub raised: Raised,
}

/// Records an operation that failed, if it is one for a member of a union and there are others. Whether inference restarts.
pub(crate) fn note(solver: &Solver<'_>, inst: Inst, failure: &Failure) -> bool {
    let key = solver.shared.key(solver.number);
    if !failure.may_be_extended() || !solver.shared.memory.borrow().may_raise(&key, inst) {
        return false;
    }
    let Some(raised) = operation(solver, inst).and_then(|(name, args)| solver.host.raised(&name, &args))
    else {
        return false;
    };
    solver.shared.memory.borrow_mut().note_raising(key, RaisingMember { inst, raised });
    true
}

/// Has recorded operations raise.
pub(crate) fn insert(shared: &GroupState, number: usize, func: &mut Function) {
    for RaisingMember { inst, raised } in shared.memory.borrow().raising(&shared.key(number)) {
        let block = func.layout.iter().copied().find(|&block| func.blocks[block].insts.contains(inst));
        let Some(block) = block else { continue };
        let at = func.blocks[block].insts.iter().position(|one| one == inst).unwrap_or_default();
        func.blocks[block].insts.truncate(at);
        let message = func.consts.intern(ConstData::Str(raised.message.clone()));
        let class = func.symbols.intern_str(raised.class);
        let mut builder = Builder::new(func, block);
        builder.span = builder.func.insts[*inst].span;
        let class = builder.untyped(Op::Python, [Attr::Symbol(class), Attr::Int(0)], &[]);
        let message = builder.untyped(Op::Const, [Attr::Const(message)], &[]);
        let made = builder.untyped(Op::Call, [Attr::Symbols(Vec::new())], &[class, message]);
        builder.inst(Op::Raise, [], &[made], &[]);
    }
}

/// What an instruction does, as `rumba.raised_exceptions` names it, and the types that it does it with.
fn operation(solver: &Solver<'_>, inst: Inst) -> Option<(String, Vec<Type>)> {
    let types = solver.cx.types;
    let data = &solver.func.insts[inst];
    let args: Vec<Type> = data.args.iter().map(|&arg| solver.ty(arg)).collect::<Option<_>>()?;
    let args: Vec<Type> = args.into_iter().map(|ty| types.unliteral(ty)).collect();
    let name = match (data.op, data.attrs.first()) {
        (Op::Binary, Some(Attr::Binary(op))) => format!("binary {}", op.text()),
        (Op::Inplace, Some(Attr::Binary(op))) => format!("inplace {}", op.text()),
        (Op::Compare, Some(Attr::Compare(op))) => format!("compare {}", op.text()),
        (Op::Unary, Some(Attr::Unary(op))) => format!("unary {}", op.text()),
        (Op::Getattr, _) => format!("attribute {}", solver.symbol(inst)),
        (Op::Getiter, _) => "iterate".to_owned(),
        (Op::Unpack, _) => format!("unpack {}", data.results.len()),
        (Op::Getitem, _) => "item".to_owned(),
        (Op::Call, _) => match types.get(args[0]) {
            TypeData::Method(of, name) => return Some((format!("attribute {name}"), vec![of])),
            TypeData::Function(name) => return Some((format!("call {name}"), args[1..].to_vec())),
            _ => return None,
        },
        _ => return None,
    };
    Some((name, args))
}
