//! Unions of functions as values, and closures that escape the function that created them.

use crate::cast::cast;
use crate::no_cast::no_cast;
use crate::{Emit, Operand};
use diag::Result;
use entity::EntityRef;
use ir::{BlockCall, IntCond, Native, Op, Value, ValueType};
use types::{Handle, Type, TypeData, TypeTable};

/// How the symbols of entries for function values begin.
pub const VALUE_PREFIX: &str = "value.";

/// What the entry is called through which a compiled function is called as a value of type `ty`.
pub fn value_symbol(function: Handle, ty: Type) -> String {
    format!("{VALUE_PREFIX}{}.{}", function.0, ty.index())
}

/// What the Python object of a compiled function is called.
pub fn object_symbol(function: Handle) -> String {
    format!("object.{}", function.0)
}

/// What the C function and the Python object of a constant function value are called.
pub fn constant_symbols(number: u32) -> [String; 2] {
    [format!("constant.{number}.c"), format!("constant.{number}.object")]
}

/// A compiled function, or one of some, as a value of the type of functions.
pub(crate) fn as_value(emit: &mut Emit<'_>, value: &Operand, from: Type, to: Type) -> Result<Operand> {
    let members = emit.types.functions(from).ok_or_else(|| no_cast(emit, from, to))?;
    let mut found: Option<[Value; 3]> = None;
    for (number, &member) in members.iter().enumerate() {
        let TypeData::Dispatcher(function) = emit.types.get(member) else {
            return Err(no_cast(emit, from, to));
        };
        let native = emit.b.address_of(&value_symbol(function, to));
        let c = emit.b.iconst(Native::Ptr, 0);
        let this = [native, c, emit.b.address_of(&object_symbol(function))];
        found = Some(match found {
            None => this,
            Some(others) => {
                let number = emit.b.iconst(Native::I64, number as i64);
                let is_this = emit.b.icmp(IntCond::Eq, value.parts[0], number);
                [0, 1, 2].map(|part| emit.b.select(is_this, this[part], others[part]))
            }
        });
    }
    Ok(Operand::new(to, found.into_iter().flatten()))
}

/// The number of a value among the members of another type, from pairs of its number among those of its own, which is its first part if
/// there are several, and the new one.
pub(crate) fn renumber(emit: &mut Emit<'_>, parts: &[Value], numbers: &[(usize, i64)]) -> Option<Value> {
    let mut number = None;
    for &(old, new) in numbers {
        let new = emit.b.iconst(Native::I64, new);
        number = Some(match number {
            None => new,
            Some(others) => {
                let old = emit.b.iconst(Native::I64, old as i64);
                let this = emit.b.icmp(IntCond::Eq, parts[0], old);
                emit.b.select(this, new, others)
            }
        });
    }
    number
}

/// A function, or one of some, as one of more.
pub(crate) fn choose(
    emit: &mut Emit<'_>,
    value: &Operand,
    from: Type,
    to: Type,
    members: &[Type],
) -> Result<Operand> {
    let have = emit.types.functions(from).ok_or_else(|| no_cast(emit, from, to))?;
    let is_choice = matches!(emit.types.get(from), TypeData::Choice(_));
    let index_of = |member: &Type| members.iter().position(|known| known == member).map(|at| at as i64);
    let numbers: Option<Vec<(usize, i64)>> =
        have.iter().enumerate().map(|(old, member)| Some((old, index_of(member)?))).collect();
    let number = renumber(emit, &value.parts, &numbers.ok_or_else(|| no_cast(emit, from, to))?);
    let mut parts: Vec<Value> = number.into_iter().collect();
    for &member in members {
        let mut at = usize::from(is_choice);
        let mut known = None;
        for &other in have.iter() {
            let count = emit.machine_types(other).len();
            if other == member {
                known = Some(value.parts[at..at + count].to_vec());
            }
            at += count;
        }
        match known {
            Some(known) => parts.extend(known),
            None => parts.extend(emit.undefined(member).parts),
        }
    }
    Ok(Operand::new(to, parts))
}

/// A closure that takes the values instead of the cells along.
pub(crate) fn freeze(emit: &mut Emit<'_>, value: &Operand, from: Type, to: Type) -> Result<Operand> {
    let parts = |ty: Type| match emit.types.get(ty) {
        TypeData::Closure { captures, defaults, .. } => {
            captures.iter().chain(defaults.iter()).copied().collect()
        }
        _ => Vec::new(),
    };
    let tuple = |parts: Vec<Type>| emit.types.tuple(&parts);
    let (from, wanted) = (tuple(parts(from)), tuple(parts(to)));
    let frozen = cast(emit, &Operand { ty: from, parts: value.parts.clone() }, wanted)?;
    Ok(Operand { ty: to, parts: frozen.parts })
}

/// One of several closures that take the values instead of the cells along. Only the one that the value
/// is has cells to read.
pub(crate) fn freeze_choice(
    emit: &mut Emit<'_>,
    value: &Operand,
    have: &[Type],
    to: Type,
) -> Result<Operand> {
    let wanted = emit.types.functions(to).ok_or_else(|| no_cast(emit, value.ty, to))?;
    let join = emit.b.new_block();
    let mut at = 1;
    for (number, &member) in have.iter().enumerate() {
        let count = emit.machine_types(member).len();
        let function = Operand::new(member, value.parts[at..at + count].iter().copied());
        at += count;
        let frozen = frozen_form(emit, member, &wanted);
        let frozen = frozen.ok_or_else(|| no_cast(emit, value.ty, to))?;
        let (here, next) = (emit.b.new_block(), emit.b.new_block());
        let expected = emit.b.iconst(Native::I64, number as i64);
        let found = emit.b.icmp(IntCond::Eq, value.parts[0], expected);
        emit.b.branch(found, BlockCall::new(here, []), BlockCall::new(next, []));
        emit.b.switch_to(here);
        let function = cast(emit, &function, frozen)?;
        let chosen = cast(emit, &function, to)?;
        emit.b.jump(join, &chosen.parts);
        emit.b.switch_to(next);
    }
    emit.b.terminate(Op::Unreachable, &[]);
    let params: Vec<Value> = emit
        .machine_types(to)
        .into_iter()
        .map(|native| emit.b.func.add_param(join, ValueType::Native(native)))
        .collect();
    emit.b.switch_to(join);
    Ok(Operand::new(to, params))
}

/// What a function becomes among those that take values instead of cells along.
pub(crate) fn frozen_form(emit: &Emit<'_>, function: Type, among: &[Type]) -> Option<Type> {
    among.iter().copied().find(|&form| is_frozen_form(emit.types, emit.cells(), function, form))
}

/// Whether a function takes the values of some or all of its variables along, where another one takes their cells.
pub fn is_frozen_form(types: &TypeTable, cells: &[Type], from: Type, to: Type) -> bool {
    if from == to || frozen(types, cells, from) == to {
        return true;
    }
    match (types.get(from), types.get(to)) {
        (TypeData::Choice(have), _) => have.iter().all(|&member| is_frozen_form(types, cells, member, to)),
        (_, TypeData::Choice(wanted)) => wanted.iter().any(|&form| is_frozen_form(types, cells, from, form)),
        (
            TypeData::Closure { function, captures, defaults, .. },
            TypeData::Closure { function: same, captures: wanted, defaults: wanted_defaults, .. },
        ) => {
            let mut pairs = captures.iter().chain(&*defaults).zip(wanted.iter().chain(&*wanted_defaults));
            function == same && pairs.all(|(&part, &wanted)| is_frozen_form(types, cells, part, wanted))
        }
        // One in a block of its own is that block everywhere.
        (TypeData::Cell(number), _) => cells.get(number as usize).is_some_and(|&content| {
            content == to || is_frozen_form(types, cells, types.unliteral(content), to)
        }),
        _ => false,
    }
}

/// The type of a value that leaves the function which made it: closures take the values of variables along instead of their
/// cells, which hold `cells`. A function that captures itself stays as it is.
pub fn frozen(types: &TypeTable, cells: &[Type], ty: Type) -> Type {
    frozen_within(types, cells, ty, &mut Vec::new())
}

fn frozen_within(types: &TypeTable, cells: &[Type], ty: Type, open: &mut Vec<u32>) -> Type {
    let mut each = |parts: &[Type]| -> Vec<Type> {
        parts.iter().map(|&part| frozen_within(types, cells, part, open)).collect()
    };
    match types.get(ty) {
        TypeData::Closure { function, captures, defaults, optional } => {
            let (captures, defaults) = (each(&captures).into(), each(&defaults).into());
            types.intern(TypeData::Closure { function, captures, defaults, optional })
        }
        TypeData::Choice(members) => {
            let members = each(&members);
            let joined =
                members.iter().try_fold(members[0], |known, &member| types::unify(types, known, member));
            joined.unwrap_or(ty)
        }
        TypeData::Tuple(elements) => types.tuple(&each(&elements)),
        TypeData::NamedTuple { name, fields, types: elements, class } => {
            types.intern(TypeData::NamedTuple { name, fields, types: each(&elements).into(), class })
        }
        TypeData::Optional(inner) => types.optional(each(&[inner])[0]),
        TypeData::Cell(number) if !open.contains(&number) => match cells.get(number as usize) {
            Some(&block) if matches!(types.get(block), TypeData::HeapCell(_)) => block,
            Some(&content) => {
                open.push(number);
                let frozen = frozen_within(types, cells, types.unliteral(content), open);
                open.pop();
                frozen
            }
            None => ty,
        },
        _ => ty,
    }
}
