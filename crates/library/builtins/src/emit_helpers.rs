//! Helpers for emission functions.

use abi::ExceptionClass;
use catalog::{Case, Emit, EmitFn, Operand};
use diag::Result;
use ir::{External, FloatCond, IntCond, Native, Op, Value};
use types::Type;

/// A case of a table of signatures.
pub(crate) const fn case(result: Type, params: &'static [Type], emit: EmitFn) -> Case {
    Case { result, params, emit }
}

/// An operand of one part.
pub(crate) fn single(ty: Type, value: Value) -> Result<Operand> {
    Ok(Operand::single(ty, value))
}

/// One op on the first parts of the operands; the result has the first operand's type.
pub(crate) fn like_first(emit: &mut Emit<'_>, args: &[Operand], op: Op) -> Result<Operand> {
    let values: Vec<Value> = args.iter().map(Operand::value).collect();
    let value = emit.b.like_first(op, &values);
    single(args[0].ty, value)
}

/// Whether a type is a signed integer.
pub(crate) fn is_signed(ty: Type) -> bool {
    ty.as_int().is_some_and(|(_, signed)| signed)
}

/// Calls a pure function of the C library on doubles (or singles, with the name that C gives it).
pub(crate) fn call_libm(emit: &mut Emit<'_>, name: &str, args: &[Value]) -> Value {
    let native = emit.b.func.native(args[0]);
    let name = if native == Native::F32 { format!("{name}f") } else { name.to_owned() };
    let external = External { pure: true, ..External::new(name, vec![native; args.len()], vec![native]) };
    emit.b.call_external(external, args)[0]
}

/// Emission functions that are one op on the first parts.
macro_rules! simple_ops {
    ($($name:ident = $op:ident;)*) => {
        $(pub(crate) fn $name(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
            like_first(emit, args, Op::$op)
        })*
    };
}

simple_ops! {
    iadd = Iadd; isub = Isub; imul = Imul;
    fadd = Fadd; fsub = Fsub; fmul = Fmul;
    iand = Iand; ior = Ior; ixor = Ixor;
    fneg = Fneg; fabs = Fabs;
}

/// The operand itself.
pub(crate) fn identity(_: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    Ok(args[0].clone())
}

/// A boolean that is always true.
pub(crate) fn const_true(emit: &mut Emit<'_>, _: &[Operand]) -> Result<Operand> {
    let value = emit.b.bool(true);
    single(Type::BOOL, value)
}

/// A boolean that is always false.
pub(crate) fn const_false(emit: &mut Emit<'_>, _: &[Operand]) -> Result<Operand> {
    let value = emit.b.bool(false);
    single(Type::BOOL, value)
}

/// Both booleans.
pub(crate) fn bool_and(emit: &mut Emit<'_>, a: Value, b: Value) -> Value {
    emit.b.native(Op::Iand, [], &[a, b], Native::I1)
}

/// One of two booleans or both.
pub(crate) fn bool_or(emit: &mut Emit<'_>, a: Value, b: Value) -> Value {
    emit.b.native(Op::Ior, [], &[a, b], Native::I1)
}

/// The other boolean.
pub(crate) fn bool_not(emit: &mut Emit<'_>, truth: Value) -> Value {
    let one = emit.b.bool(true);
    emit.b.like_first(Op::Ixor, &[truth, one])
}

/// Whether a float is NaN.
pub(crate) fn is_nan(emit: &mut Emit<'_>, value: Value) -> Value {
    emit.b.fcmp(FloatCond::Uno, value, value)
}

/// Whether a float is infinite.
pub(crate) fn is_infinite(emit: &mut Emit<'_>, value: Value) -> Value {
    let size = emit.b.like_first(Op::Fabs, &[value]);
    let infinity = emit.b.fconst(emit.b.func.native(size), f64::INFINITY);
    emit.b.fcmp(FloatCond::Eq, size, infinity)
}

/// Whether a float is neither infinite nor NaN.
pub(crate) fn is_finite(emit: &mut Emit<'_>, value: Value) -> Value {
    let size = emit.b.like_first(Op::Fabs, &[value]);
    let infinity = emit.b.fconst(emit.b.func.native(size), f64::INFINITY);
    emit.b.fcmp(FloatCond::Lt, size, infinity)
}

/// Raises what belongs to a code of the runtime; 0 is success.
pub(crate) fn raise_codes(emit: &mut Emit<'_>, code: Value, errors: &[(i64, ExceptionClass, &str)]) {
    for &(number, class, message) in errors {
        let number = emit.b.iconst(Native::I64, number);
        let found = emit.b.icmp(IntCond::Eq, code, number);
        emit.raise_if(found, class, message);
    }
}

/// The elements of a tuple.
pub(crate) fn elements(emit: &Emit<'_>, tuple: &Operand) -> Vec<Operand> {
    let types = emit.types.elements(tuple.ty).unwrap_or_default();
    let mut at = 0;
    types
        .iter()
        .map(|&ty| {
            let count = emit.machine_types(ty).len();
            at += count;
            Operand::new(ty, tuple.parts[at - count..at].iter().copied())
        })
        .collect()
}

/// A tuple of these elements.
pub(crate) fn tuple_of(emit: &Emit<'_>, elements: &[Operand]) -> Operand {
    let types: Vec<Type> = elements.iter().map(|element| element.ty).collect();
    let parts = elements.iter().flat_map(|element| element.parts.iter().copied());
    Operand::new(emit.types.tuple(&types), parts)
}

/// The value with the parts of `then` or `other`, which are of one type.
pub(crate) fn choose(emit: &mut Emit<'_>, condition: Value, then: &Operand, other: &Operand) -> Operand {
    let pairs = then.parts.iter().zip(&other.parts);
    let parts: Vec<Value> = pairs.map(|(&a, &b)| emit.b.select(condition, a, b)).collect();
    Operand::new(then.ty, parts)
}

/// Reports what the resolution should have excluded.
pub(crate) fn unexpected(what: &str) -> Box<diag::Diagnostic> {
    diag::Diagnostic::internal("emission", what)
}
