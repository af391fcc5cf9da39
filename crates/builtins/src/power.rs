//! `**` and `pow` with two arguments.
//!
//! An integer to a non-negative power is computed by repeated squaring and wraps. A negative
//! literal exponent gives a float, as in Python; a negative exponent met at run time, where the
//! result would have to be a float but is an integer, is a ValueError with NumPy's message.

use crate::emit_util::*;
use abi::ExceptionClass::{ValueError, ZeroDivisionError};
use catalog::{Catalog, Emit, ErrorModel, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{BinaryOp, BlockCall, FloatCond, IntCond, Native, Op, Value, ValueType};
use types::{LiteralValue, Type, TypeTable};

const NEGATIVE_EXPONENT: &str = "Integers to negative integer powers are not allowed.";

pub(crate) fn add(catalog: &mut Catalog) {
    let cases = vec![
        case(Type::INT64, &[Type::INT64, Type::INT64], int_power),
        case(Type::UINT64, &[Type::UINT64, Type::UINT64], int_power),
        case(Type::INT64, &[Type::INT64, Type::UINT64], int_power),
        case(Type::UINT64, &[Type::UINT64, Type::INT64], int_power),
        case(Type::FLOAT32, &[Type::FLOAT32, Type::FLOAT32], float_power),
        case(Type::FLOAT64, &[Type::FLOAT64, Type::FLOAT64], float_power),
    ];
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
    if emit.error_model == ErrorModel::Python {
        let native = emit.b.func.native(base);
        let zero = emit.b.fconst(native, 0.0);
        let base_zero = emit.b.fcmp(FloatCond::Eq, base, zero);
        let negative = emit.b.fcmp(FloatCond::Lt, exponent, zero);
        let wrong = emit.b.native(Op::Iand, [], &[base_zero, negative], Native::I1);
        emit.raise_if(wrong, ZeroDivisionError, "0.0 cannot be raised to a negative power");
    }
    let power = call_libm(emit, "pow", &[base, exponent]);
    single(args[0].ty, power)
}

fn int_power(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (base, exponent) = (args[0].value(), args[1].value());
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    if is_signed(args[1].ty) {
        let negative = emit.b.icmp(IntCond::Slt, exponent, zero);
        emit.raise_if(negative, ValueError, NEGATIVE_EXPONENT);
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
