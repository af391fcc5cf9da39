//! Number types called as functions: `int(x)`, `float(x)`, `complex(a, b)`, `np.float32(x)` and so on.

use crate::emit_util::*;
use abi::ExceptionClass::{OverflowError, ValueError};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::{FloatCond, Op};
use types::{Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    // One rule per type: the rule is a plain function, so the type is a constant of it.
    macro_rules! constructors {
        ($($ty:ident)*) => {
            $(catalog.add(
                Key::Construct(Type::$ty),
                Rule::Generic(|types, args| construct(types, args, Type::$ty)),
            );)*
        };
    }
    constructors! { INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FLOAT32 FLOAT64 COMPLEX64 COMPLEX128 }
    catalog.add(Key::Function("builtins.int".into()), Rule::Generic(python_int));
}

/// A cast to the type, from nothing (zero) or from one number; complex takes two real ones as well.
fn construct(types: &TypeTable, args: &[Type], to: Type) -> Option<Resolution> {
    let plain: Vec<Type> = args.iter().map(|&ty| types.unliteral(ty)).collect();
    let real = |ty: Type| ty == Type::BOOL || ty.is_int() || ty.is_float();
    let params = match plain[..] {
        [] => vec![],
        [ty] if real(ty) || ty.is_complex() && to.is_complex() => vec![if to.is_complex() { to } else { ty }],
        [a, b] if real(a) && real(b) && to.is_complex() => vec![to.complex_part(); 2],
        _ => return None,
    };
    macro_rules! emit_for {
        ($($ty:ident)*) => {
            match to { $(Type::$ty => (|emit, args| convert(emit, args, Type::$ty)) as EmitFn,)* _ => return None }
        };
    }
    let emit =
        emit_for! { INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FLOAT32 FLOAT64 COMPLEX64 COMPLEX128 };
    Some(Resolution { result: to, params, emit })
}

fn convert(emit: &mut Emit<'_>, args: &[Operand], to: Type) -> Result<Operand> {
    match args {
        [] => Ok(emit.undefined(to)),
        [value] => cast(emit, value, to),
        [re, im, ..] => Ok(Operand::new(to, [re.value(), im.value()])),
    }
}

/// Python's `int(x)`: of an integer itself, of a float truncated; errors as in Python where the
/// number has no integer or none of 64 bits.
fn python_int(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [ty] = *args else {
        let emit: EmitFn = |emit, _| Ok(emit.undefined(Type::INT64));
        return args.is_empty().then(|| Resolution { result: Type::INT64, params: vec![], emit });
    };
    let plain = types.unliteral(ty);
    match plain {
        Type::BOOL => Some(Resolution { result: Type::INT64, params: vec![Type::INT64], emit: identity }),
        _ if plain.is_int() => {
            let wide = Type::int(64, is_signed(plain));
            Some(Resolution { result: wide, params: vec![wide], emit: identity })
        }
        _ if plain.is_float() => {
            Some(Resolution { result: Type::INT64, params: vec![Type::FLOAT64], emit: truncate })
        }
        _ => None,
    }
}

fn truncate(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = args[0].value();
    let nan = emit.b.fcmp(FloatCond::Uno, value, value);
    emit.raise_if(nan, ValueError, "cannot convert float NaN to integer");
    let native = emit.b.func.native(value);
    let size = emit.b.like_first(Op::Fabs, &[value]);
    let infinity = emit.b.fconst(native, f64::INFINITY);
    let infinite = emit.b.fcmp(FloatCond::Eq, size, infinity);
    emit.raise_if(infinite, OverflowError, "cannot convert float infinity to integer");
    check_range(emit, args)?;
    cast(emit, &args[0], Type::INT64)
}

/// OverflowError if a finite float has no 64-bit integer part.
fn check_range(emit: &mut Emit<'_>, args: &[Operand]) -> Result<()> {
    let value = args[0].value();
    let native = emit.b.func.native(value);
    let bound = emit.b.fconst(native, 9223372036854775808.0);
    let low = emit.b.fconst(native, -9223372036854775808.0);
    for (cond, limit) in [(FloatCond::Ge, bound), (FloatCond::Lt, low)] {
        let beyond = emit.b.fcmp(cond, value, limit);
        emit.raise_if(beyond, OverflowError, "float too large to convert to a 64-bit integer");
    }
    Ok(())
}
