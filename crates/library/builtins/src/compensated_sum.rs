//! Neumaier's compensated summation of floats, as `sum` does it since Python 3.12.
//!
//! The algorithm is that of A. Neumaier, "Rundungsfehleranalyse einiger Verfahren zur Summation endlicher
//! Summen" (1974). Here: the addition of one item. The sums themselves, and older Python versions: `sum_any_all`.

use crate::emit_helpers::*;
use catalog::{Emit, Key, Operand, Scalars, cast};
use diag::Result;
use ir::{BinaryOp, FloatCond, Native, Op, Value};
use types::{Type, TypeData};

const ADD: Key = Key::Binary(BinaryOp::Add);

/// The minor version of the first Python 3 whose sums are compensated.
const SINCE: u8 = 12;

/// How a sum continues, by what it is so far.
#[derive(Clone, Copy, PartialEq)]
enum Mode {
    /// An integer of Python.
    Int,
    /// A double, with what was lost.
    Float,
    /// Something else: items are added by `+`.
    Plain,
}

/// A sum under way, item by item.
pub(crate) struct Sum {
    total: Operand,
    /// What rounding has lost so far; while it is a double.
    lost: Option<Value>,
    mode: Mode,
}

impl Sum {
    /// A sum that has this value so far.
    pub(crate) fn new(emit: &Emit<'_>, start: Operand) -> Self {
        let mode = match emit.types.unliteral(start.ty) {
            _ if emit.catalog.python_minor < SINCE => Mode::Plain,
            Type::INT64 | Type::UINT64 => Mode::Int,
            Type::FLOAT64 => Mode::Float,
            _ => Mode::Plain,
        };
        Sum { total: start, lost: None, mode }
    }

    /// Adds an item.
    pub(crate) fn add(&mut self, emit: &mut Emit<'_>, item: &Operand) -> Result<()> {
        let ty = emit.types.unliteral(item.ty);
        let whole = ty == Type::BOOL || ty.is_int();
        if self.mode == Mode::Float && ty == Type::FLOAT64 {
            let zero = emit.b.fconst(Native::F64, 0.0);
            let lost = self.lost.unwrap_or(zero);
            let (total, lost) = add_compensated(emit, self.total.value(), lost, item.value());
            self.total.parts[0] = total;
            self.lost = Some(lost);
            return Ok(());
        }
        if self.mode == Mode::Float && !whole {
            self.flush(emit);
            self.mode = Mode::Plain;
        }
        self.total = emit.call(&ADD, &[self.total.clone(), item.clone()])?;
        if self.mode == Mode::Int && !whole {
            self.mode = if ty == Type::FLOAT64 { Mode::Float } else { Mode::Plain };
        }
        Ok(())
    }

    fn flush(&mut self, emit: &mut Emit<'_>) {
        if let Some(lost) = self.lost.take() {
            self.total.parts[0] = with_lost(emit, self.total.value(), lost);
        }
    }

    /// The sum of all.
    pub(crate) fn finish(mut self, emit: &mut Emit<'_>) -> Operand {
        self.flush(emit);
        self.total
    }
}

/// The next sum, and what has been lost then.
fn add_compensated(emit: &mut Emit<'_>, total: Value, lost: Value, item: Value) -> (Value, Value) {
    let next = emit.b.like_first(Op::Fadd, &[total, item]);
    let (size, item_size) = (emit.b.like_first(Op::Fabs, &[total]), emit.b.like_first(Op::Fabs, &[item]));
    let larger = emit.b.fcmp(FloatCond::Ge, size, item_size);
    let (large, small) = (emit.b.select(larger, total, item), emit.b.select(larger, item, total));
    let rounded = emit.b.like_first(Op::Fsub, &[large, next]);
    let error = emit.b.like_first(Op::Fadd, &[rounded, small]);
    (next, emit.b.like_first(Op::Fadd, &[lost, error]))
}

/// The sum with what was lost, unless that is zero (which could change the sign of a zero) or no
/// number (after an overflow).
fn with_lost(emit: &mut Emit<'_>, total: Value, lost: Value) -> Value {
    let sum = emit.b.like_first(Op::Fadd, &[total, lost]);
    let zero = emit.b.fconst(Native::F64, 0.0);
    let some = emit.b.fcmp(FloatCond::Ne, lost, zero);
    let finite = is_finite(emit, lost);
    let counts = bool_and(emit, some, finite);
    emit.b.select(counts, sum, total)
}

/// Whether a sum of items of one type is compensated, by what it starts from and what the items are taken from: NumPy's
/// doubles are added by `+`.
pub(crate) fn is_compensated(emit: &Emit<'_>, start: Type, item: Type, from: Type) -> bool {
    let starts = matches!(start, Type::INT64 | Type::UINT64 | Type::FLOAT64);
    emit.catalog.python_minor >= SINCE && starts && item == Type::FLOAT64 && !gives_scalars(emit, from)
}

/// Whether the items of an iterable are NumPy's scalars, by where it takes them from.
fn gives_scalars(emit: &Emit<'_>, from: Type) -> bool {
    match emit.types.get(from) {
        TypeData::Array(_) => true,
        TypeData::Iterator(of) | TypeData::Facet { of, .. } | TypeData::Filter { iterator: of, .. } => {
            gives_scalars(emit, of)
        }
        TypeData::GeneratorExpr { function, iterator, .. } => {
            let item = emit.catalog.resolve(emit.types, &Key::Iternext, &[iterator]);
            let item = item.map_or(Type::UNDEFINED, |item| emit.types.unliteral(item.result));
            match emit.callee(function, &[function, item]).map(|step| step.scalars) {
                Ok(Scalars::Always) => true,
                Ok(Scalars::IfItemIs) => gives_scalars(emit, iterator),
                _ => false,
            }
        }
        _ => false,
    }
}

/// What a loop carries for a compensated sum: the sum, what was lost, and whether the sum is a double
/// yet (an integer and the first item are added as `+` does).
pub(crate) fn carried(emit: &mut Emit<'_>, start: &Operand) -> Result<Operand> {
    let float = emit.b.bool(start.ty == Type::FLOAT64);
    let zero = emit.b.fconst(Native::F64, 0.0);
    let total = cast(emit, start, Type::FLOAT64)?.value();
    Ok(Operand::new(Type::FLOAT64, [total, zero, float]))
}

/// The same after one more item.
pub(crate) fn carry(emit: &mut Emit<'_>, sum: &Operand, item: &Operand) -> Operand {
    let (total, lost) = add_compensated(emit, sum.parts[0], sum.parts[1], item.value());
    let lost = emit.b.select(sum.parts[2], lost, sum.parts[1]);
    let float = emit.b.bool(true);
    Operand::new(Type::FLOAT64, [total, lost, float])
}

/// The sum after the loop.
pub(crate) fn carried_sum(emit: &mut Emit<'_>, sum: &Operand) -> Result<Operand> {
    let total = with_lost(emit, sum.parts[0], sum.parts[1]);
    single(Type::FLOAT64, total)
}
