//! Shared containers and objects: a list, dict, set or object from outside the loop may only be read, because
//! concurrent modifications would corrupt it. (Numbers in arrays and lists may be written.)
//!
//! What is taken out of such a value is followed; functions say themselves what they do to their arguments (`catalog::effects`).

use super::carried::Carried;
use super::find_loops::{Scope, used};
use catalog::references;
use entity::HashSet;
use ir::{Attr, Block, CompareOp, Inst, Op, Value};
use types::{BufferKind, Type, TypeData};

/// Why the loop stays as it is, if it uses something in a way that threads cannot.
pub(super) fn check(scope: &Scope<'_>, blocks: &[Block]) -> Result<(), String> {
    let own = scope.defined(blocks);
    let iterator = scope.func.insts[scope.func.blocks[scope.header].insts[0]].args[0];
    let captured = used(scope.func, blocks).filter(|value| !own.contains(value) && *value != iterator);
    let mut shared: HashSet<Value> = HashSet::default();
    for value in captured {
        let ty = scope.func.ty(value);
        let what = match scope.types.get(ty) {
            TypeData::Cell(_) | TypeData::HeapCell(_) => "a variable that an inner function shares",
            TypeData::NumpyGenerator => "a generator of random numbers",
            TypeData::Caught(_) => "an exception",
            _ if is_iterator(scope, ty) => "an iterator",
            _ => {
                if holds_changing(scope, ty) {
                    shared.insert(value);
                }
                continue;
            }
        };
        return Err(format!("it uses {what} from outside of it"));
    }
    if shared.is_empty() {
        return Ok(());
    }
    follow(scope, blocks, &mut shared);
    let mut insts = blocks.iter().flat_map(|&block| &scope.func.blocks[block].insts);
    match insts.find(|&&inst| !only_reads(scope, inst, &shared)) {
        Some(&inst) => {
            let line = scope.func.insts[inst].span.line;
            Err(format!("line {line} may change a list, dict, set or object from outside of it"))
        }
        None => Ok(()),
    }
}

/// Why a loop that adds up arrays stays as it is, if it may read them under other names: of arrays and tuples that is seen when it runs.
pub(super) fn check_sums(scope: &Scope<'_>, blocks: &[Block], carried: &[Carried]) -> Result<(), String> {
    let params = &scope.func.blocks[scope.header].params;
    let is_sum =
        |(param, kind): (&Value, &Carried)| kind.array_operator(scope.types, scope.func.ty(*param)).is_some();
    let Some(sum) = params.iter().zip(carried).find(|&(param, kind)| is_sum((param, kind))) else {
        return Ok(());
    };
    let own = scope.defined(blocks);
    let iterator = scope.func.insts[scope.func.blocks[scope.header].insts[0]].args[0];
    let mut captured = used(scope.func, blocks).filter(|value| !own.contains(value) && *value != iterator);
    match captured.any(|value| hides_array(scope, scope.func.ty(value))) {
        true => {
            let name = scope.func.value_name(*sum.0).unwrap_or("an array");
            Err(format!("`{name}`, which it adds up, may lie in a list or an object that it uses"))
        }
        false => Ok(()),
    }
}

/// Whether values of the type may hold an array that is none of their parts.
fn hides_array(scope: &Scope<'_>, ty: Type) -> bool {
    if scope.types.array(ty).is_some() || ty == Type::STR || references(scope.types, ty).is_empty() {
        return false;
    }
    match scope.types.elements(ty) {
        Some(elements) => elements.iter().any(|&element| hides_array(scope, element)),
        None => true,
    }
}

fn is_iterator(scope: &Scope<'_>, ty: Type) -> bool {
    matches!(
        scope.types.get(ty),
        TypeData::Iterator(_)
            | TypeData::GeneratorObject { .. }
            | TypeData::Enumerate(_)
            | TypeData::Zip(_)
            | TypeData::Map { .. }
            | TypeData::Filter { .. }
            | TypeData::GeneratorExpr { .. }
    )
}

/// Whether values of the type are, or hold, something that grows or holds references which change.
fn holds_changing(scope: &Scope<'_>, ty: Type) -> bool {
    let any = |members: &[Type]| members.iter().any(|&member| holds_changing(scope, member));
    match scope.types.get(ty) {
        TypeData::List { .. }
        | TypeData::Deque { .. }
        | TypeData::Dict { .. }
        | TypeData::Set { .. }
        | TypeData::ArrayBuilder { .. }
        | TypeData::Scratch(_)
        | TypeData::Buffer(BufferKind::ObjectArray, _)
        | TypeData::Facet { .. }
        | TypeData::Cell(_)
        | TypeData::HeapCell(_)
        | TypeData::NumpyGenerator => true,
        // What an extension does with memory behind an address is its own business.
        TypeData::Optional(of) | TypeData::Method(of, _) | TypeData::Foreign { held: of, .. } => {
            holds_changing(scope, of)
        }
        TypeData::Closure { captures, defaults, .. } => any(&captures) || any(&defaults),
        TypeData::Choice(members) | TypeData::TaggedUnion(members) => any(&members),
        _ => is_iterator(scope, ty) || scope.types.components(ty).is_some_and(|members| any(&members)),
    }
}

/// Adds what comes from shared values.
fn follow(scope: &Scope<'_>, blocks: &[Block], shared: &mut HashSet<Value>) {
    loop {
        let before = shared.len();
        for &inst in blocks.iter().flat_map(|&block| &scope.func.blocks[block].insts) {
            let data = &scope.func.insts[inst];
            if data.args.iter().any(|arg| shared.contains(arg)) {
                let results = data.results.iter().copied();
                shared.extend(results.filter(|&result| holds_changing(scope, scope.func.ty(result))));
            }
            for to in &data.targets {
                let params = &scope.func.blocks[to.block].params;
                let taken = to.args.iter().zip(params).filter(|(arg, _)| shared.contains(*arg));
                let taken: Vec<Value> = taken.map(|(_, &param)| param).collect();
                shared.extend(taken);
            }
        }
        if shared.len() == before {
            return;
        }
    }
}

/// Whether an instruction leaves shared values as they are.
fn only_reads(scope: &Scope<'_>, inst: Inst, shared: &HashSet<Value>) -> bool {
    let data = &scope.func.insts[inst];
    let is_shared = |value: &Value| shared.contains(value);
    if !data.args.iter().any(is_shared) {
        return true;
    }
    match (data.op, data.attrs.first()) {
        (Op::Compare, Some(Attr::Compare(CompareOp::In | CompareOp::Is | CompareOp::IsNot))) => true,
        (
            Op::Getitem
            | Op::Getattr
            | Op::Compare
            | Op::Unary
            | Op::Binary
            | Op::IsNone
            | Op::IsInstance
            | Op::Getiter
            | Op::Iternext
            | Op::Promote
            | Op::Cast
            | Op::CheckBound
            | Op::BuildTuple
            | Op::BuildList
            | Op::Unpack
            | Op::UnpackEx
            | Op::Branch,
            _,
        ) => true,
        // A number is written over in one step.
        (Op::Setitem, _) => match scope.types.get(scope.func.ty(data.args[0])) {
            TypeData::List { item, .. } => scope.is_plain(item),
            _ => false,
        },
        (Op::Call, Some(Attr::Symbols(keywords))) if keywords.is_empty() => {
            call_only_reads(scope, inst, shared)
        }
        _ => false,
    }
}

/// The same of a call: what the function says that it changes is not shared.
fn call_only_reads(scope: &Scope<'_>, inst: Inst, shared: &HashSet<Value>) -> bool {
    let data = &scope.func.insts[inst];
    let (name, first) = match scope.types.get(scope.func.ty(data.args[0])) {
        TypeData::Function(name) => (name.to_string(), 1),
        TypeData::Method(of, name) => match scope.types.class_of_methods(of) {
            Some(class) => (format!("{class}.{name}"), 0),
            None => return false,
        },
        TypeData::Class(_) => return true,
        _ => return false,
    };
    let Some(info) = scope.catalog.info(&name) else { return false };
    let given = data.args[first..].iter().enumerate();
    given.filter(|(_, value)| shared.contains(*value)).all(|(position, _)| !info.mutates(position, None))
}
