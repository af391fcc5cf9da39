//! `x ** c` of floats with a constant `c`: products, square roots and quotients instead of `pow`.
//!
//! Repeated multiplication would be wrong by several units in the last place. So each value is a double-double: a double and its
//! error, computed with fused multiply-add (T. J. Dekker, "A floating-point technique for extending the available
//! precision", 1971). Their sum is the nearest double except in one of some billions of cases. Singles are computed as doubles.
//!
//! Like the square, a product is infinite where Python raises OverflowError. A negative power of 0 and the square root of a negative
//! number are errors as those of any power.

use catalog::{Emit, ErrorModel};
use diag::Result;
use ir::{Attr, Builder, Def, FloatCond, Native, Op, Value};

use crate::power::check_power;

/// The largest exponent that becomes products.
const MAX_EXPONENT: f64 = 64.0;

/// A double and what is missing to the exact value.
#[derive(Clone, Copy)]
struct Pair {
    high: Value,
    low: Option<Value>,
}

/// The power, if the exponent is a number for which there is a short way.
pub(crate) fn constant_power(emit: &mut Emit<'_>, base: Value, exponent: Value) -> Result<Option<Value>> {
    let Some(number) = constant(&emit.b, exponent) else { return Ok(None) };
    if number.abs() > MAX_EXPONENT || (number * 2.0).fract() != 0.0 {
        return Ok(None);
    }
    let whole = number.fract() == 0.0;
    let native = emit.b.func.native(base);
    if emit.error_model == ErrorModel::Python && (number < 0.0 || !whole) {
        let zero = emit.b.fconst(native, 0.0);
        let cond = match (number < 0.0, whole) {
            (true, true) => FloatCond::Eq,
            (true, false) => FloatCond::Le,
            (false, _) => FloatCond::Lt,
        };
        let rare = emit.b.fcmp(cond, base, zero);
        emit.if_unlikely(rare, |emit| {
            let power = crate::emit_helpers::call_libm(emit, "pow", &[base, exponent]);
            check_power(emit, base, exponent, power)
        })?;
    }
    let wide = if native == Native::F32 { emit.b.convert(Op::Fpext, base, Native::F64) } else { base };
    let mut steps = Steps { b: &mut emit.b, is_exact: native == Native::F64 };
    let power = steps.power(wide, number);
    Ok(Some(if native == Native::F32 { emit.b.convert(Op::Fptrunc, power, Native::F32) } else { power }))
}

/// The number that a float is, if it is written in the operator. What a variable holds is none, so that one can tell from
/// the text which power it is, whatever the compiler finds out about the variable.
fn constant(b: &Builder<'_>, value: Value) -> Option<f64> {
    let Def::Result(inst, _) = b.func.values[value].def else { return None };
    if b.func.values[value].name.is_some() {
        return None;
    }
    let data = &b.func.insts[inst];
    match (data.op, &data.attrs[..]) {
        (Op::Fconst, &[_, Attr::Float(bits)]) => Some(f64::from_bits(bits)),
        (Op::SintToFloat, _) if b.func.values[data.args[0]].name.is_some() => None,
        (Op::SintToFloat, _) => b.known_int(data.args[0]).map(|number| number as f64),
        (Op::Fpext | Op::Fptrunc, _) => {
            constant(b, data.args[0]).filter(|number| number.abs() <= MAX_EXPONENT)
        }
        _ => None,
    }
}

/// Emits the steps; of a single, which is computed as a double, nothing is missing.
struct Steps<'a, 'f> {
    b: &'a mut Builder<'f>,
    is_exact: bool,
}

impl Steps<'_, '_> {
    fn op(&mut self, op: Op, args: &[Value]) -> Value {
        self.b.like_first(op, args)
    }

    fn number(&mut self, number: f64) -> Value {
        self.b.fconst(Native::F64, number)
    }

    fn power(&mut self, base: Value, exponent: f64) -> Value {
        let count = exponent.abs().trunc() as u32;
        if exponent == 0.0 {
            return self.number(1.0);
        }
        if exponent > 2.0 && exponent.fract() == 0.0 && self.is_exact {
            return self.whole_power(base, count);
        }
        let base = if exponent.fract() == 0.0 { base } else { self.without_sign(base) };
        let base =
            if exponent < 0.0 && count > 0 { self.reciprocal(base) } else { Pair { high: base, low: None } };
        let whole = (count > 0).then(|| self.repeated(base, count));
        let root = (exponent.fract() != 0.0).then(|| self.root(base, exponent));
        if exponent == -1.0 {
            return base.high;
        }
        if exponent == 2.0 {
            return self.op(Op::Fmul, &[base.high, base.high]);
        }
        let power = match (whole, root) {
            (Some(whole), Some(root)) => self.product(whole, root),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => base,
        };
        self.sum(power)
    }

    /// A power by 3 or more: the last product takes what is missing to its factors into its only rounding.
    ///
    /// What is missing to numbers whose power is infinite is no number, so these do without. Added to a product, minus 0 changes nothing.
    fn whole_power(&mut self, base: Value, count: u32) -> Value {
        let is_odd = count % 2 == 1;
        let factor = Pair { high: base, low: None };
        let before = self.repeated(factor, if is_odd { count - 1 } else { count / 2 });
        let low = before.low.expect("a product of doubles is a pair");
        let (last, missing) = if is_odd {
            // Of a number that became 0 nothing is missing, and nothing has no sign of its own.
            let zero = self.number(0.0);
            let low = if count > 3 { self.op(Op::Fadd, &[low, zero]) } else { low };
            (base, self.op(Op::Fmul, &[low, base]))
        } else {
            let product = self.op(Op::Fmul, &[before.high, low]);
            (before.high, self.op(Op::Fadd, &[product, product]))
        };
        let square = self.op(Op::Fmul, &[base, base]);
        let limit = self.number((2048.0 / f64::from(count)).exp2() * (1.0 + f64::EPSILON * 16.0));
        let is_finite = self.b.fcmp(FloatCond::Lt, square, limit);
        let nothing = self.number(-0.0);
        let missing = self.b.select(is_finite, missing, nothing);
        self.op(Op::Fma, &[before.high, last, missing])
    }

    /// By repeated squaring from the exponent's first bit on: nothing on the way is larger than the result.
    fn repeated(&mut self, base: Pair, count: u32) -> Pair {
        let mut power = base;
        for bit in (0..count.ilog2()).rev() {
            power = self.product(power, power);
            if count >> bit & 1 == 1 {
                power = self.product(power, base);
            }
        }
        power
    }

    fn product(&mut self, a: Pair, b: Pair) -> Pair {
        let high = self.op(Op::Fmul, &[a.high, b.high]);
        if !self.is_exact {
            return Pair { high, low: None };
        }
        let negated = self.op(Op::Fneg, &[high]);
        let mut low = self.op(Op::Fma, &[a.high, b.high, negated]);
        for (factor, part) in [(a.high, b.low), (b.high, a.low)] {
            if let Some(part) = part {
                low = self.op(Op::Fma, &[factor, part, low]);
            }
        }
        Pair { high, low: Some(low) }
    }

    /// What has a root though it has a sign: minus 0 becomes 0, minus infinity infinity.
    fn without_sign(&mut self, base: Value) -> Value {
        let (zero, lowest, infinity) =
            (self.number(0.0), self.number(f64::NEG_INFINITY), self.number(f64::INFINITY));
        let base = self.op(Op::Fadd, &[base, zero]);
        let is_lowest = self.b.fcmp(FloatCond::Eq, base, lowest);
        self.b.select(is_lowest, infinity, base)
    }

    fn reciprocal(&mut self, base: Value) -> Pair {
        let one = self.number(1.0);
        let high = self.op(Op::Fdiv, &[one, base]);
        let low = self.is_exact.then(|| self.rest_of_reciprocal(high, base));
        Pair { high, low }
    }

    fn rest_of_reciprocal(&mut self, high: Value, base: Value) -> Value {
        let one = self.number(1.0);
        let negated = self.op(Op::Fneg, &[high]);
        let rest = self.op(Op::Fma, &[negated, base, one]);
        self.op(Op::Fmul, &[high, rest])
    }

    /// The root of what the power is of, or its reciprocal.
    fn root(&mut self, base: Pair, exponent: f64) -> Pair {
        let root = self.op(Op::Fsqrt, &[base.high]);
        let is_inverse = exponent == -0.5;
        if exponent == 0.5 || !self.is_exact && !is_inverse {
            return Pair { high: root, low: None };
        }
        let (half, one) = (self.number(0.5), self.number(1.0));
        let inverse = self.op(Op::Fdiv, &[one, root]);
        if !self.is_exact {
            return Pair { high: inverse, low: None };
        }
        let negated = self.op(Op::Fneg, &[root]);
        let mut rest = self.op(Op::Fma, &[negated, root, base.high]);
        if let Some(low) = base.low {
            rest = self.op(Op::Fadd, &[rest, low]);
        }
        let halved = self.op(Op::Fmul, &[rest, half]);
        let low = self.op(Op::Fmul, &[halved, inverse]);
        if !is_inverse {
            return Pair { high: root, low: Some(low) };
        }
        let negated = self.op(Op::Fneg, &[inverse]);
        let missing = self.op(Op::Fma, &[negated, root, one]);
        let missing = self.op(Op::Fma, &[negated, low, missing]);
        let low = self.op(Op::Fmul, &[inverse, missing]);
        Pair { high: inverse, low: Some(low) }
    }

    /// Both parts as one double: the first alone where it is 0 or infinite, for the second is nothing then, or no number.
    fn sum(&mut self, pair: Pair) -> Value {
        let Some(low) = pair.low else { return pair.high };
        let sum = self.op(Op::Fadd, &[pair.high, low]);
        let [size, missing] = [pair.high, low].map(|part| self.op(Op::Fabs, &[part]));
        let counts = self.b.fcmp(FloatCond::Lt, missing, size);
        self.b.select(counts, sum, pair.high)
    }
}
