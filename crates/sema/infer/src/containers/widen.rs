//! Operands with more precise types than an operation supports: the length of a list, the keys of a dict, the type of
//! each tuple item. If an operation has no meaning for them, this is forgotten where the operand was created:
//!
//! ```text
//! iter((%a, %b))      %a is a list(undefined), %b a list(int64): both hold int64
//! {"a": 1} == %d      the dict of known keys becomes one of any
//! zip([[], [1]], %l)  the list that never changes becomes one that may
//! ```
//!
//! Absent: how a type request is propagated (`type_request`), joins (`joins`).

use crate::containers::iterated_items;
use crate::containers::type_request::require_type;
use crate::solver::Solver;
use ir::{Attr, Def, Inst, Op, Value};
use types::{Type, TypeData, TypeTable, unify};

/// Asks the operands of an instruction that has no meaning for them to be of types that say less. Whether one of them
/// will be.
pub(crate) fn widen(solver: &mut Solver<'_>, inst: Inst) -> bool {
    if !solver.cx.types.has_containers() {
        return false;
    }
    let mut found = false;
    for value in operands(solver, inst) {
        let Some(known) = solver.ty(value) else { continue };
        let of_items = iterated_items::widened(solver, known);
        let wanted = of_items.unwrap_or_else(|| widened(solver.cx.types, known, true));
        if wanted == known {
            continue;
        }
        found |= match solver.widened.get(&value) {
            // What callers pass, or a shared variable holds, is on its way. What is made here would be there, so it
            // was asked for in vain.
            Some(&(asked, comes)) if asked == wanted => comes && is_from_elsewhere(solver, value),
            _ => {
                let comes = require_type(solver, value, wanted);
                solver.widened.insert(value, (wanted, comes));
                comes
            }
        };
    }
    found
}

fn is_from_elsewhere(solver: &Solver<'_>, value: Value) -> bool {
    let Def::Result(inst, _) = solver.func.values[value].def else { return false };
    matches!(solver.func.insts[inst].op, Op::Arg | Op::LoadCell | Op::Freevar)
}

/// Values that an instruction works on: the receiver in the place of a method, the arguments in that of their tuple.
fn operands(solver: &Solver<'_>, inst: Inst) -> Vec<Value> {
    let maker = |value: Value| match solver.func.values[value].def {
        Def::Result(inst, _) => Some(&solver.func.insts[inst]),
        Def::Param(..) => None,
    };
    let data = &solver.func.insts[inst];
    if data.op == Op::MapUpdate && data.attrs.first() == Some(&Attr::Int(1)) {
        // Keyword arguments: a name that is given twice is an error.
        return Vec::new();
    }
    let mut all = Vec::new();
    for (at, &value) in data.args.iter().enumerate() {
        match maker(value) {
            Some(made) if at == 0 && made.op == Op::Getattr => all.extend(made.args.iter()),
            Some(made) if at == 1 && data.op == Op::CallEx && made.op == Op::BuildTuple => {
                all.extend(made.args.iter());
            }
            // After `**` stands a dict of which the keys are known, or an error.
            _ if at == 2 && data.op == Op::CallEx => {}
            _ => all.push(value),
        }
    }
    all
}

/// The type of an item of a container: it says neither how long a list is nor which keys a dict has.
pub(crate) fn as_item(types: &TypeTable, ty: Type) -> Type {
    widened(types, ty, false)
}

/// The type of a key, which does not say how many bytes it has: others are looked for, too. None is no key: a TypeError at run
/// time.
pub(crate) fn as_key(types: &TypeTable, ty: Type) -> Type {
    match types.get(ty) {
        TypeData::Optional(inner) => as_key(types, inner),
        TypeData::CharSeq { wide: false, .. } => types.bytes(),
        TypeData::Tuple(parts) => {
            types.tuple(&parts.iter().map(|&part| as_key(types, part)).collect::<Vec<_>>())
        }
        _ => as_item(types, ty),
    }
}

/// The type that says less; with `uniform` all items of a tuple have one type.
fn widened(types: &TypeTable, ty: Type, uniform: bool) -> Type {
    let less = |ty: Type| widened(types, ty, uniform);
    // An item may be a tuple, which keeps the types of its items.
    let all = |parts: &[Type]| parts.iter().map(|&part| widened(types, part, false)).collect::<Vec<_>>();
    match types.get(ty) {
        TypeData::StaticDict { .. } => types.dict_of_keywords(ty).map_or(ty, less),
        TypeData::FixedList(_) => types.list_of_starred(ty).map_or(ty, less),
        TypeData::Optional(inner) => types.optional(less(inner)),
        TypeData::Tuple(elements) => {
            let elements = all(&elements);
            let join = |known, &element: &Type| unify(types, known, element);
            match elements.iter().try_fold(Type::UNDEFINED, join) {
                Some(joined) if uniform && types.may_hold_more(joined) => {
                    types.tuple(&vec![joined; elements.len()])
                }
                _ => types.tuple(&elements),
            }
        }
        _ => match types.contents(ty) {
            Some(contents) => types.with_contents(ty, &all(&contents)).unwrap_or(ty),
            None => ty,
        },
    }
}
