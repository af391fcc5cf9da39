//! `rumba.atomic`: atomic updates of array elements. Each function returns the previous value.

use crate::basic_index::BasicIndex;
use catalog::array::{ArrayParts, load_item};
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution};
use diag::{Diagnostic, Result};
use ir::{BlockCall, FloatCond, IntCond, Native, Op, Value, ValueType};
use types::{Type, TypeTable, convert};

const NAMES: &[&str] = &["array", "index", "value"];

pub(crate) fn add(catalog: &mut Catalog) {
    type Rule = fn(&TypeTable, &[Type]) -> Option<Resolution>;
    let rules: [(&str, Rule); 5] = [
        ("add", |types, args| resolve(types, args, 3, sum)),
        ("sub", |types, args| resolve(types, args, 3, sub)),
        ("max", |types, args| resolve(types, args, 3, |emit, args| extreme(emit, args, true))),
        ("min", |types, args| resolve(types, args, 3, |emit, args| extreme(emit, args, false))),
        ("exchange", |types, args| resolve(types, args, 3, exchange)),
    ];
    for (name, rule) in rules {
        let name = format!("rumba.atomic.{name}");
        catalog.add_generic(&name, rule);
        catalog.name_parameters(&name, NAMES);
    }
    let name = "rumba.atomic.compare_and_swap";
    catalog.add_generic(name, |types, args| resolve(types, args, 4, compare_and_swap));
    catalog.name_parameters(name, &["array", "index", "expected", "value"]);
}

/// Of an array of integers or floats, which may be written, an index of an item, and values that can be items.
fn resolve(types: &TypeTable, args: &[Type], count: usize, emit: EmitFn) -> Option<Resolution> {
    let (&[target, index], values) = args.split_first_chunk::<2>()?;
    let array = types.array(target).filter(|array| array.mutable && array.aligned)?;
    let is_number = array.dtype.is_atomic();
    let is_item = BasicIndex::of(types, array, index)?.is_item;
    let fits = |&value: &Type| {
        let value = types.unliteral(value);
        let loses = value.is_float() && array.dtype.is_int();
        !loses && convert(types, value, array.dtype).is_some()
    };
    let params = [target, index].into_iter().chain(values.iter().map(|_| array.dtype)).collect();
    (args.len() == count && is_number && is_item && values.iter().all(fits)).then_some(Resolution {
        result: array.dtype,
        params,
        emit,
    })
}

/// An item that is changed.
struct Item {
    array: ArrayParts,
    position: Value,
}

impl Item {
    fn of(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Item> {
        let array = ArrayParts::open(emit, &args[0])?;
        let index = BasicIndex::of(emit.types, array.ty, args[1].ty)
            .ok_or_else(|| Diagnostic::internal("emission", "an index of another kind"))?;
        let check = emit.boundscheck;
        let position = index.apply(emit, &array, &args[1], check)?.data;
        Ok(Item { array, position })
    }

    /// The word that a value of the item's type is in memory.
    fn word(&self, emit: &mut Emit<'_>, value: Value) -> Value {
        match emit.b.func.native(value) {
            Native::F32 => emit.b.convert(Op::Bitcast, value, Native::I32),
            Native::F64 => emit.b.convert(Op::Bitcast, value, Native::I64),
            _ => value,
        }
    }

    /// The value of a word.
    fn value(&self, emit: &mut Emit<'_>, word: Value) -> Value {
        match emit.machine_types(self.array.ty.dtype)[0] {
            native if native.is_float() => emit.b.convert(Op::Bitcast, word, native),
            _ => word,
        }
    }

    fn result(&self, value: Value) -> Result<Operand> {
        Ok(Operand::new(self.array.ty.dtype, [value]))
    }

    /// Changes the item until nobody else did meanwhile: `change` says whether a value is to be replaced, and by what.
    fn update(
        &self,
        emit: &mut Emit<'_>,
        change: impl Fn(&mut Emit<'_>, Value) -> (Value, Value),
    ) -> Result<Operand> {
        let first = load_item(emit, &self.array, self.position).value();
        let first = self.word(emit, first);
        let ty = ValueType::Native(emit.b.func.native(first));
        let [head, attempt, done] = [emit.b.new_block(), emit.b.new_block(), emit.b.new_block()];
        let before = emit.b.func.add_param(head, ty);
        let left = emit.b.func.add_param(done, ty);
        emit.b.jump(head, &[first]);
        emit.b.switch_to(head);
        let old = self.value(emit, before);
        let (wanted, new) = change(emit, old);
        emit.b.branch(wanted, BlockCall::new(attempt, []), BlockCall::new(done, [before]));
        emit.b.switch_to(attempt);
        let new = self.word(emit, new);
        let found = atomic(emit, Op::AtomicCas, &[self.position, before, new], before);
        let same = emit.b.icmp(IntCond::Eq, found, before);
        emit.b.branch(same, BlockCall::new(done, [before]), BlockCall::new(head, [found]));
        emit.b.switch_to(done);
        let value = self.value(emit, left);
        self.result(value)
    }
}

/// An atomic op, which gives what the item was: of the type of a word.
fn atomic(emit: &mut Emit<'_>, op: Op, args: &[Value], like: Value) -> Value {
    let ty = emit.b.func.native(like);
    emit.b.native(op, [], args, ty)
}

fn sum(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let item = Item::of(emit, args)?;
    let value = args[2].value();
    if item.array.ty.dtype.is_int() {
        let old = atomic(emit, Op::AtomicAdd, &[item.position, value], value);
        return item.result(old);
    }
    item.update(emit, |emit, old| (emit.b.bool(true), emit.b.like_first(Op::Fadd, &[old, value])))
}

fn sub(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let item = Item::of(emit, args)?;
    let value = args[2].value();
    if item.array.ty.dtype.is_int() {
        let zero = emit.b.iconst(emit.b.func.native(value), 0);
        let negated = emit.b.like_first(Op::Isub, &[zero, value]);
        let old = atomic(emit, Op::AtomicAdd, &[item.position, negated], negated);
        return item.result(old);
    }
    item.update(emit, |emit, old| (emit.b.bool(true), emit.b.like_first(Op::Fsub, &[old, value])))
}

/// The greater or the lesser of item and value; NaN if one of them is, as `np.maximum` has it.
fn extreme(emit: &mut Emit<'_>, args: &[Operand], greater: bool) -> Result<Operand> {
    let item = Item::of(emit, args)?;
    let value = args[2].value();
    if let Some((_, signed)) = item.array.ty.dtype.as_int() {
        let cond = match (greater, signed) {
            (true, true) => IntCond::Sgt,
            (true, false) => IntCond::Ugt,
            (false, true) => IntCond::Slt,
            (false, false) => IntCond::Ult,
        };
        return item.update(emit, |emit, old| (emit.b.icmp(cond, value, old), value));
    }
    let cond = if greater { FloatCond::Gt } else { FloatCond::Lt };
    item.update(emit, |emit, old| {
        let better = emit.b.fcmp(cond, value, old);
        let is_nan = emit.b.fcmp(FloatCond::Uno, value, value);
        let was_number = emit.b.fcmp(FloatCond::Ord, old, old);
        let becomes_nan = emit.b.like_first(Op::Iand, &[is_nan, was_number]);
        (emit.b.like_first(Op::Ior, &[better, becomes_nan]), value)
    })
}

fn exchange(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let item = Item::of(emit, args)?;
    let word = item.word(emit, args[2].value());
    let old = atomic(emit, Op::AtomicExchange, &[item.position, word], word);
    let old = item.value(emit, old);
    item.result(old)
}

/// (The bits of floats are compared.)
fn compare_and_swap(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let item = Item::of(emit, args)?;
    let (expected, value) = (item.word(emit, args[2].value()), item.word(emit, args[3].value()));
    let old = atomic(emit, Op::AtomicCas, &[item.position, expected, value], expected);
    let old = item.value(emit, old);
    item.result(old)
}
