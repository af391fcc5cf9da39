//! Short ways to write emission functions.

use catalog::{Case, Emit, EmitFn, Operand};
use diag::Result;
use ir::{External, Native, Op, Value};
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
    let external = External { name, params: vec![native; args.len()], results: vec![native], pure: true };
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
