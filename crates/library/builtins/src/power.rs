//! `**` and `pow` of integers and floats.
//!
//! An integer to a non-negative power is computed by repeated squaring and wraps. A negative
//! literal exponent gives a float, as in Python; a negative exponent met at run time, where the
//! result would have to be a float but is an integer, is a ValueError with NumPy's message. The
//! square of a float is a product, which gives infinity where Python raises OverflowError.

use crate::constant_power::constant_power;
use crate::emit_helpers::*;
use abi::ExceptionClass::{OverflowError, ValueError, ZeroDivisionError};
use abi::Runtime;
use catalog::{Catalog, Emit, ErrorModel, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{BinaryOp, BlockCall, FloatCond, IntCond, Native, Op, Value, ValueType};
use types::{LiteralValue, Type, TypeTable};

/// The C library's number of a range error, which Python's exception carries.
const OUT_OF_RANGE: i64 = 34;

const NEGATIVE_EXPONENT: &str = "Integers to negative integer powers are not allowed.";

pub(crate) fn add(catalog: &mut Catalog) {
    let cases = vec![
        case(Type::INT64, &[Type::INT64, Type::INT64], int_power),
        case(Type::UINT64, &[Type::UINT64, Type::UINT64], int_power),
        case(Type::INT64, &[Type::INT64, Type::UINT64], int_power),
        case(Type::INT64, &[Type::UINT64, Type::INT64], int_power),
        case(Type::FLOAT32, &[Type::FLOAT32, Type::FLOAT32], float_power),
        // An integral power of a single stays one.
        case(Type::FLOAT32, &[Type::FLOAT32, Type::INT64], single_power),
        case(Type::FLOAT32, &[Type::FLOAT32, Type::UINT64], single_power),
        case(Type::FLOAT64, &[Type::FLOAT64, Type::FLOAT64], float_power),
    ];
    catalog.add_function(
        "builtins.pow",
        [
            case(Type::INT64, &[Type::INT64; 3], modular_power),
            case(Type::UINT64, &[Type::UINT64; 3], modular_power),
        ],
    );
    for key in [Key::Binary(BinaryOp::Pow), Key::Function("builtins.pow".into())] {
        catalog.add(key.clone(), Rule::Generic(literal_exponent));
        catalog.add(key, Rule::Cases(cases.clone()));
    }
}

fn literal_exponent(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [base, exponent] = *args else { return None };
    let Some(LiteralValue::Int(power)) = types.literal(exponent) else { return None };
    let base = types.unliteral(base);
    if base.is_float() && power == 2 {
        return Some(Resolution { result: base, params: vec![base, exponent], emit: square });
    }
    if (base.is_int() || base == Type::BOOL) && power < 0 {
        let params = vec![Type::FLOAT64, Type::FLOAT64];
        return Some(Resolution { result: Type::FLOAT64, params, emit: float_power });
    }
    None
}

fn square(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let base = args[0].value();
    let square = emit.b.like_first(Op::Fmul, &[base, base]);
    single(args[0].ty, square)
}

fn float_power(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (base, exponent) = (args[0].value(), args[1].value());
    if let Some(power) = constant_power(emit, base, exponent)? {
        return single(args[0].ty, power);
    }
    let power = call_libm(emit, "pow", &[base, exponent]);
    if emit.error_model == ErrorModel::Python {
        let finite = is_finite(emit, power);
        let rare = bool_not(emit, finite);
        emit.when(rare, |emit| check_power(emit, base, exponent, power))?;
    }
    single(args[0].ty, power)
}

/// A power that is not finite though the operands are: there is none among the doubles. One
/// comparison of the result stands on the usual path, for all errors.
pub(crate) fn check_power(emit: &mut Emit<'_>, base: Value, exponent: Value, power: Value) -> Result<()> {
    let (x, y, nan) = (is_finite(emit, base), is_finite(emit, exponent), is_nan(emit, power));
    let finite = bool_and(emit, x, y);
    let complex = bool_and(emit, finite, nan);
    // In Python this is a complex number, which the type of the result excludes.
    emit.raise_if(complex, ValueError, "negative number cannot be raised to a fractional power");
    let zero = emit.b.fconst(emit.b.func.native(base), 0.0);
    let base_zero = emit.b.fcmp(FloatCond::Eq, base, zero);
    let of_zero = bool_and(emit, finite, base_zero);
    emit.raise_if(of_zero, ZeroDivisionError, "0.0 cannot be raised to a negative power");
    let (fail, go_on) = (emit.b.new_block(), emit.b.new_block());
    emit.b.branch(finite, BlockCall::new(fail, []), BlockCall::new(go_on, []));
    emit.b.switch_to(fail);
    let number = emit.b.iconst(Native::I64, OUT_OF_RANGE);
    emit.raise_payload(OverflowError, "is29:Numerical result out of range", &[number]);
    emit.b.switch_to(go_on);
    Ok(())
}

fn single_power(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let exponent = catalog::cast(emit, &args[1], Type::FLOAT32)?;
    float_power(emit, &[args[0].clone(), exponent])
}

/// `pow(base, exponent, modulus)` of integers.
fn modular_power(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let values: Vec<Value> = args.iter().map(Operand::value).collect();
    if !is_signed(args[0].ty) {
        let zero = emit.b.iconst(Native::I64, 0);
        let none = emit.b.icmp(IntCond::Eq, values[2], zero);
        emit.raise_if(none, ValueError, "pow() 3rd argument cannot be 0");
        let power = emit.call_runtime(Runtime::PowModU64, &values)[0];
        return single(args[0].ty, power);
    }
    let power = emit.call_runtime(Runtime::PowMod, &values);
    let errors = [
        (1, ValueError, "pow() 3rd argument cannot be 0"),
        (2, ValueError, "base is not invertible for the given modulus"),
    ];
    raise_codes(emit, power[1], &errors);
    single(args[0].ty, power[0])
}

fn int_power(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (base, exponent) = (args[0].value(), args[1].value());
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    if is_signed(args[1].ty) {
        let negative = emit.b.icmp(IntCond::Slt, exponent, zero);
        emit.raise_if(negative, ValueError, NEGATIVE_EXPONENT);
    }
    if let Some(count) = emit.b.known_int(exponent).filter(|&count| count >= 0) {
        let power = repeated_product(emit, base, count as u64);
        return single(args[0].ty, power);
    }
    let (head, body, done) = (emit.b.new_block(), emit.b.new_block(), emit.b.new_block());
    let word = ValueType::Native(Native::I64);
    let [result, square, left] = [0; 3].map(|_| emit.b.func.add_param(head, word));
    emit.b.jump(head, &[one, base, exponent]);
    emit.b.switch_to(head);
    let more = emit.b.icmp(IntCond::Ne, left, zero);
    emit.b.branch(more, BlockCall::new(body, []), BlockCall::new(done, []));
    emit.b.switch_to(body);
    let bit = emit.b.like_first(Op::Iand, &[left, one]);
    let odd = emit.b.icmp(IntCond::Ne, bit, zero);
    let product = emit.b.like_first(Op::Imul, &[result, square]);
    let next_result: Value = emit.b.select(odd, product, result);
    let next_square = emit.b.like_first(Op::Imul, &[square, square]);
    let next_left = emit.b.like_first(Op::Ushr, &[left, one]);
    emit.b.jump(head, &[next_result, next_square, next_left]);
    emit.b.switch_to(done);
    single(args[0].ty, result)
}

/// A power by a number that the program names, from the exponent's first bit on.
fn repeated_product(emit: &mut Emit<'_>, base: Value, count: u64) -> Value {
    if count == 0 {
        return emit.b.iconst(Native::I64, 1);
    }
    let mut power = base;
    for bit in (0..count.ilog2()).rev() {
        power = emit.b.like_first(Op::Imul, &[power, power]);
        if count >> bit & 1 == 1 {
            power = emit.b.like_first(Op::Imul, &[power, base]);
        }
    }
    power
}
