//! The ops of one instruction. The match is a table of contents; anything longer than a few lines has its own function.

use crate::constants::{constant, load_const, symbol};
use crate::locals::{
    delete_deref, delete_fast, load_deref, load_fast, load_fast_and_clear, make_cell, store_deref, store_fast,
};
use crate::op_names::{binary_op, compare_op, unary_op};
use crate::ssa_rename::Renamer;
use crate::{stack_shape, unsupported_ops};
use bytecode::{ConstId, Constant, Conversion, FunctionAttribute, NameId, Op};
use diag::{Diagnostic, Result};
use entity::EntityRef;
use ir::{Attr, ConstData, Value, ValueType};

/// An element of the stack.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slot {
    /// The value; none is the marker that `PushNull` pushes.
    pub value: Option<Value>,
    /// Of what an inlined comprehension saved: whether it was bound.
    pub bound: Option<Value>,
}

impl Slot {
    pub fn value(value: Value) -> Slot {
        Slot { value: Some(value), bound: None }
    }

    pub fn null() -> Slot {
        Slot { value: None, bound: None }
    }
}

/// How an instruction leaves its block.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ended {
    /// It does not.
    No,
    /// Its terminator stands.
    Terminated,
    /// By a branch: to the second successor if the condition is `jump_if`, else to the first.
    Branch { condition: Value, jump_if: bool },
}

pub(crate) type Step = Result<Ended>;

/// Emits what `op` does. `restores`: it is a `StoreFast` that puts back what was saved.
pub(crate) fn translate(r: &mut Renamer<'_>, op: Op, restores: bool) -> Step {
    match op {
        Op::Nop | Op::Jump(_) => Ok(Ended::No),
        Op::Copy(_) | Op::Swap(_) => move_stack(r, op),
        Op::PopTop => pop_top(r),
        Op::PushNull => push(r, Slot::null()),
        Op::LoadConst(id) => load_const(r, id),
        Op::LoadFast(local) => load_fast(r, local),
        Op::LoadFastAndClear(local) => load_fast_and_clear(r, local),
        Op::StoreFast(local) => store_fast(r, local, restores),
        Op::DeleteFast(local) => delete_fast(r, local),
        Op::MakeCell(local) => make_cell(r, local),
        Op::LoadClosure(local) => {
            let cell = r.local(local);
            push(r, Slot::value(cell))
        }
        Op::LoadDeref(local) => load_deref(r, local),
        Op::StoreDeref(local) => store_deref(r, local),
        Op::DeleteDeref(local) => delete_deref(r, local),
        Op::LoadGlobal(name) => {
            let name = symbol(r, name);
            push_op(r, ir::Op::Global, [Attr::Symbol(name)], &[])
        }
        Op::Binary(op) => pop_push(r, ir::Op::Binary, [Attr::Binary(binary_op(op))], 2),
        Op::InplaceBinary(op) => pop_push(r, ir::Op::Inplace, [Attr::Binary(binary_op(op))], 2),
        Op::Unary(op) => pop_push(r, ir::Op::Unary, [Attr::Unary(unary_op(op))], 1),
        Op::ToBool => pop_push(r, ir::Op::Unary, [Attr::Unary(ir::UnaryOp::Bool)], 1),
        Op::Compare(op) => pop_push(r, ir::Op::Compare, [Attr::Compare(compare_op(op))], 2),
        Op::Is { invert } => {
            let op = if invert { ir::CompareOp::IsNot } else { ir::CompareOp::Is };
            pop_push(r, ir::Op::Compare, [Attr::Compare(op)], 2)
        }
        Op::Contains { invert } => {
            pop_push(r, ir::Op::Compare, [Attr::Compare(ir::CompareOp::In)], 2)?;
            if invert {
                pop_push(r, ir::Op::Unary, [Attr::Unary(ir::UnaryOp::Not)], 1)?;
            }
            Ok(Ended::No)
        }
        Op::LoadAttr(name) => {
            let name = symbol(r, name);
            pop_push(r, ir::Op::Getattr, [Attr::Symbol(name)], 1)
        }
        Op::LoadMethod(name) => {
            let name = symbol(r, name);
            pop_push(r, ir::Op::Getattr, [Attr::Symbol(name)], 1)?;
            push(r, Slot::null())
        }
        Op::StoreAttr(name) => store_attr(r, name),
        Op::BinarySubscr => pop_push(r, ir::Op::Getitem, [], 2),
        Op::StoreSubscr => store_subscr(r),
        Op::DeleteSubscr => pop_effect(r, ir::Op::Delitem, [], 2),
        Op::BinarySlice => binary_slice(r),
        Op::StoreSlice => store_slice(r),
        Op::BuildSlice(n) if n < 2 => Err(malformed("a slice of fewer than two parts")),
        Op::BuildSlice(n) => pop_push(r, ir::Op::BuildSlice, [], n),
        Op::BuildTuple(n) => pop_push(r, ir::Op::BuildTuple, [], n),
        Op::BuildList(n) => pop_push(r, ir::Op::BuildList, [], n),
        Op::BuildSet(n) => pop_push(r, ir::Op::BuildSet, [], n),
        Op::BuildMap(n) => pop_push(r, ir::Op::BuildMap, [], 2 * n),
        Op::BuildString(n) => pop_push(r, ir::Op::BuildString, [], n),
        Op::BuildConstKeyMap(n) => build_const_key_map(r, n),
        Op::ListAppend(n) => update(r, ir::Op::ListAppend, &[], n, 1),
        Op::SetAdd(n) => update(r, ir::Op::SetAdd, &[], n, 1),
        Op::MapAdd(n) => update(r, ir::Op::MapAdd, &[], n, 2),
        Op::ListExtend(n) => update(r, ir::Op::ListExtend, &[], n, 1),
        Op::SetUpdate(n) => update(r, ir::Op::SetUpdate, &[], n, 1),
        Op::DictUpdate(n) => update(r, ir::Op::MapUpdate, &[Attr::Int(0)], n, 1),
        Op::DictMerge(n) => update(r, ir::Op::MapUpdate, &[Attr::Int(1)], n, 1),
        Op::ListToTuple => pop_push(r, ir::Op::ListToTuple, [], 1),
        Op::UnpackSequence(n) => unpack(r, ir::Op::Unpack, &[], n as usize),
        Op::UnpackEx { before, after } => {
            unpack(r, ir::Op::UnpackEx, &[Attr::Int(before.into())], (before + 1 + after) as usize)
        }
        Op::ConvertValue(conversion) => convert_value(r, conversion),
        Op::FormatSimple => pop_push(r, ir::Op::Format, [Attr::Int(0)], 1),
        Op::FormatWithSpec => pop_push(r, ir::Op::Format, [Attr::Int(0)], 2),
        Op::Call { argc, keywords } => call(r, argc, keywords),
        Op::CallFunctionEx { keywords } => call_ex(r, keywords),
        Op::MakeFunction => pop_push_python(r, "make_function", 0, 1, 1),
        Op::SetFunctionAttribute(attribute) => set_function_attribute(r, attribute),
        Op::GetIter => pop_push(r, ir::Op::Getiter, [], 1),
        Op::ForIter { .. } => for_iter(r),
        Op::PopJumpIfTrue(_) => branch_on_truth(r, true),
        Op::PopJumpIfFalse(_) => branch_on_truth(r, false),
        Op::PopJumpIfNone(_) => branch_on_none(r, true),
        Op::PopJumpIfNotNone(_) => branch_on_none(r, false),
        Op::JumpIfTrueOrPop(_) => branch_and_keep(r, true),
        Op::JumpIfFalseOrPop(_) => branch_and_keep(r, false),
        Op::Return => return_value(r),
        Op::Raise(n) => end(r, ir::Op::Raise, n),
        Op::Reraise { .. } => reraise(r),
        _ => unsupported_ops::rare(r, op),
    }
}

// ---- the stack ----

pub(crate) fn push(r: &mut Renamer<'_>, slot: Slot) -> Step {
    r.stack.push(slot);
    Ok(Ended::No)
}

pub(crate) fn too_low() -> Box<Diagnostic> {
    malformed("the stack is too low, or a null is used as a value")
}

fn malformed(what: &str) -> Box<Diagnostic> {
    Diagnostic::new(diag::codes::MALFORMED_BYTECODE, format!("malformed bytecode: {what}"))
}

pub(crate) fn pop(r: &mut Renamer<'_>) -> Result<Value> {
    r.stack.pop().and_then(|slot| slot.value).ok_or_else(too_low)
}

/// The topmost `n` values, bottom to top, removed.
fn pop_many(r: &mut Renamer<'_>, n: u32) -> Result<Vec<Value>> {
    let at = r.stack.len().checked_sub(n as usize).ok_or_else(too_low)?;
    r.stack.split_off(at).into_iter().map(|slot| slot.value.ok_or_else(too_low)).collect()
}

/// The n-th value from the top; 1 is the top.
pub(crate) fn peek(r: &Renamer<'_>, n: usize) -> Result<Value> {
    let at = r.stack.len().checked_sub(n).ok_or_else(too_low)?;
    r.stack.get(at).and_then(|slot| slot.value).ok_or_else(too_low)
}

fn move_stack(r: &mut Renamer<'_>, op: Op) -> Step {
    stack_shape::step(op, &mut r.stack, |_| Slot::null()).ok_or_else(too_low)?;
    Ok(Ended::No)
}

/// An iterator that a loop leaves behind lives until here.
fn pop_top(r: &mut Renamer<'_>) -> Step {
    let top = r.stack.pop().ok_or_else(too_low)?;
    if let Some(iterator) = top.value.filter(|&value| is_iterator(r, value)) {
        python(r, "drop_iterator", 0, &[iterator], 0);
    }
    Ok(Ended::No)
}

/// Whether a value is the iterator of a loop.
fn is_iterator(r: &Renamer<'_>, value: Value) -> bool {
    matches!(r.b.func.values[value].def, ir::Def::Result(inst, _) if r.b.func.insts[inst].op == ir::Op::Getiter)
}

pub(crate) fn push_op(
    r: &mut Renamer<'_>,
    op: ir::Op,
    attrs: impl IntoIterator<Item = Attr>,
    args: &[Value],
) -> Step {
    let value = r.b.untyped(op, attrs, args);
    push(r, Slot::value(value))
}

fn pop_push(r: &mut Renamer<'_>, op: ir::Op, attrs: impl IntoIterator<Item = Attr>, n: u32) -> Step {
    let args = pop_many(r, n)?;
    push_op(r, op, attrs, &args)
}

fn pop_effect(r: &mut Renamer<'_>, op: ir::Op, attrs: impl IntoIterator<Item = Attr>, n: u32) -> Step {
    let args = pop_many(r, n)?;
    r.b.inst(op, attrs, &args, &[]);
    Ok(Ended::No)
}

/// Emits `python "name"` with this many results.
pub(crate) fn python(
    r: &mut Renamer<'_>,
    name: &str,
    number: u32,
    args: &[Value],
    results: usize,
) -> Vec<Value> {
    let name = r.b.symbol(name);
    let attrs = [Attr::Symbol(name), Attr::Int(number.into())];
    let inst = r.b.inst(ir::Op::Python, attrs, args, &vec![ValueType::Untyped; results]);
    r.b.func.insts[inst].results.to_vec()
}

pub(crate) fn pop_push_python(
    r: &mut Renamer<'_>,
    name: &str,
    number: u32,
    pops: u32,
    pushes: usize,
) -> Step {
    let args = pop_many(r, pops)?;
    let results = python(r, name, number, &args, pushes);
    r.stack.extend(results.into_iter().map(Slot::value));
    Ok(Ended::No)
}

/// The same, but the operands stay on the stack.
pub(crate) fn look_push_python(
    r: &mut Renamer<'_>,
    name: &str,
    number: u32,
    looks: u32,
    pushes: usize,
) -> Step {
    let args = pop_many(r, looks)?;
    r.stack.extend(args.iter().copied().map(Slot::value));
    let results = python(r, name, number, &args, pushes);
    r.stack.extend(results.into_iter().map(Slot::value));
    Ok(Ended::No)
}

/// A Python op that works on a name: the name is its last operand.
pub(crate) fn named(r: &mut Renamer<'_>, what: &str, name: NameId, pops: u32, pushes: usize) -> Step {
    let mut args = pop_many(r, pops)?;
    let text = r.code.names[name.index()].clone();
    args.push(constant(r, ConstData::Str(text)));
    let results = python(r, what, 0, &args, pushes);
    r.stack.extend(results.into_iter().map(Slot::value));
    Ok(Ended::No)
}

// ---- attributes and items ----

fn store_attr(r: &mut Renamer<'_>, name: NameId) -> Step {
    let name = symbol(r, name);
    let object = pop(r)?;
    let value = pop(r)?;
    r.b.inst(ir::Op::Setattr, [Attr::Symbol(name)], &[object, value], &[]);
    Ok(Ended::No)
}

fn store_subscr(r: &mut Renamer<'_>) -> Step {
    let args = pop_many(r, 3)?;
    r.b.inst(ir::Op::Setitem, [], &[args[1], args[2], args[0]], &[]);
    Ok(Ended::No)
}

fn binary_slice(r: &mut Renamer<'_>) -> Step {
    let args = pop_many(r, 3)?;
    let slice = r.b.untyped(ir::Op::BuildSlice, [], &args[1..]);
    push_op(r, ir::Op::Getitem, [], &[args[0], slice])
}

fn store_slice(r: &mut Renamer<'_>) -> Step {
    let args = pop_many(r, 4)?;
    let slice = r.b.untyped(ir::Op::BuildSlice, [], &args[2..]);
    r.b.inst(ir::Op::Setitem, [], &[args[1], slice, args[0]], &[]);
    Ok(Ended::No)
}

fn build_const_key_map(r: &mut Renamer<'_>, n: u32) -> Step {
    let keys = pop(r)?;
    let values = pop_many(r, n)?;
    let results = vec![ValueType::Untyped; n as usize];
    let inst = r.b.inst(ir::Op::Unpack, [], &[keys], &results);
    let keys = r.b.func.insts[inst].results.clone();
    let pairs: Vec<Value> = keys.into_iter().zip(values).flat_map(|(key, value)| [key, value]).collect();
    push_op(r, ir::Op::BuildMap, [], &pairs)
}

/// An op on the container `depth` elements below the `n` operands, which go.
fn update(r: &mut Renamer<'_>, op: ir::Op, attrs: &[Attr], depth: u32, n: u32) -> Step {
    let operands = pop_many(r, n)?;
    let container = peek(r, depth as usize)?;
    let args: Vec<Value> = std::iter::once(container).chain(operands).collect();
    r.b.inst(op, attrs.iter().cloned(), &args, &[]);
    Ok(Ended::No)
}

fn unpack(r: &mut Renamer<'_>, op: ir::Op, attrs: &[Attr], results: usize) -> Step {
    let value = pop(r)?;
    let inst = r.b.inst(op, attrs.iter().cloned(), &[value], &vec![ValueType::Untyped; results]);
    let items = r.b.func.insts[inst].results.clone();
    r.stack.extend(items.into_iter().rev().map(Slot::value));
    Ok(Ended::No)
}

fn convert_value(r: &mut Renamer<'_>, conversion: Conversion) -> Step {
    let kind = match conversion {
        Conversion::Str => 1,
        Conversion::Repr => 2,
        Conversion::Ascii => 3,
    };
    pop_push_python(r, "convert", kind, 1, 1)
}

// ---- functions and calls ----

/// Callable and arguments, whichever of the two slots below them is the null.
fn callee_and_args(r: &mut Renamer<'_>, n: usize) -> Result<Vec<Value>> {
    let at = r.stack.len().checked_sub(n + 2).ok_or_else(too_low)?;
    let slots = r.stack.split_off(at);
    let nulls = slots.iter().take(2).filter(|slot| slot.value.is_none()).count();
    if nulls > 1 {
        return Err(too_low());
    }
    let values: Vec<Value> = slots.into_iter().filter_map(|slot| slot.value).collect();
    if values.len() + nulls == n + 2 { Ok(values) } else { Err(too_low()) }
}

fn call(r: &mut Renamer<'_>, argc: u32, keywords: Option<ConstId>) -> Step {
    let args = callee_and_args(r, argc as usize)?;
    let code = r.code;
    let mut names = Vec::new();
    if let Some(Constant::Tuple(items)) = keywords.map(|id| &code.constants[id.index()]) {
        for item in items {
            if let Constant::Str(name) = item {
                names.push(r.b.symbol(name));
            }
        }
    }
    push_op(r, ir::Op::Call, [Attr::Symbols(names)], &args)
}

fn call_ex(r: &mut Renamer<'_>, keywords: bool) -> Step {
    let args = callee_and_args(r, 1 + usize::from(keywords))?;
    push_op(r, ir::Op::CallEx, [], &args)
}

fn set_function_attribute(r: &mut Renamer<'_>, attribute: FunctionAttribute) -> Step {
    let attribute = match attribute {
        FunctionAttribute::Defaults => ir::FunctionAttribute::Defaults,
        FunctionAttribute::KeywordDefaults => ir::FunctionAttribute::KeywordDefaults,
        FunctionAttribute::Annotations => ir::FunctionAttribute::Annotations,
        FunctionAttribute::Closure => ir::FunctionAttribute::Closure,
    };
    pop_push_python(r, ir::FunctionAttribute::OP, attribute.number() as u32, 2, 1)
}

// ---- control ----

fn for_iter(r: &mut Renamer<'_>) -> Step {
    let iterator = peek(r, 1)?;
    let inst = r.b.inst(ir::Op::Iternext, [], &[iterator], &[ValueType::Untyped; 2]);
    let results = r.b.func.insts[inst].results.clone();
    r.stack.push(Slot::value(results[0]));
    Ok(Ended::Branch { condition: results[1], jump_if: false })
}

/// The truth of a value; a value that is a boolean already is itself.
fn truth_of(r: &mut Renamer<'_>, value: Value) -> Value {
    if let ir::Def::Result(inst, _) = r.b.func.values[value].def {
        let data = &r.b.func.insts[inst];
        let known = match data.attrs.first() {
            Some(Attr::Unary(op)) => matches!(op, ir::UnaryOp::Bool | ir::UnaryOp::Not),
            Some(Attr::Compare(op)) => *op >= ir::CompareOp::Is,
            _ => data.op == ir::Op::IsNone,
        };
        if known {
            return value;
        }
    }
    r.b.untyped(ir::Op::Unary, [Attr::Unary(ir::UnaryOp::Bool)], &[value])
}

fn branch_on_truth(r: &mut Renamer<'_>, jump_if: bool) -> Step {
    let value = pop(r)?;
    let condition = truth_of(r, value);
    Ok(Ended::Branch { condition, jump_if })
}

fn branch_on_none(r: &mut Renamer<'_>, jump_if: bool) -> Step {
    let value = pop(r)?;
    let condition = r.b.untyped(ir::Op::IsNone, [], &[value]);
    Ok(Ended::Branch { condition, jump_if })
}

fn branch_and_keep(r: &mut Renamer<'_>, jump_if: bool) -> Step {
    let value = peek(r, 1)?;
    let condition = truth_of(r, value);
    Ok(Ended::Branch { condition, jump_if })
}

fn return_value(r: &mut Renamer<'_>) -> Step {
    let value = pop(r)?;
    let value = r.b.untyped(ir::Op::Cast, [], &[value]);
    r.b.terminate(ir::Op::Return, &[value]);
    Ok(Ended::Terminated)
}

/// The iterators of loops that this leaves live until here: what goes before the exception.
fn reraise(r: &mut Renamer<'_>) -> Step {
    let exception = pop(r)?;
    let values = r.stack.iter().filter_map(|slot| slot.value);
    let mut args: Vec<Value> = values.filter(|&value| is_iterator(r, value)).collect();
    args.push(exception);
    r.b.terminate(ir::Op::Reraise, &args);
    Ok(Ended::Terminated)
}

fn end(r: &mut Renamer<'_>, op: ir::Op, n: u32) -> Step {
    let args = pop_many(r, n)?;
    r.b.terminate(op, &args);
    Ok(Ended::Terminated)
}
