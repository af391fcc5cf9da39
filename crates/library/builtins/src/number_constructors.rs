//! Number types called as functions: `int(x)`, `float(x)`, `complex(a, b)`, `np.float32(x)` and so on.

use crate::emit_helpers::*;
use crate::rounding::to_int;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast};
use diag::Result;
use ir::Op;
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
    constructors! { INT8 INT16 INT32 UINT8 UINT16 UINT32 UINT64 FLOAT16 FLOAT32 FLOAT64 COMPLEX64 COMPLEX128 }
    catalog.add(Key::Construct(Type::INT64), Rule::Generic(numpy_int64));
    catalog.add_generic("builtins.int", python_int).reads();
    catalog.add_generic("builtins.float", |types, args| construct(types, args, Type::FLOAT64)).reads();
    catalog.add_generic("builtins.complex", |types, args| construct(types, args, Type::COMPLEX128)).reads();
}

/// A cast to the type, from nothing (zero) or from one number; complex takes two real ones as well.
fn construct(types: &TypeTable, args: &[Type], to: Type) -> Option<Resolution> {
    let plain: Vec<Type> = args.iter().map(|&ty| types.unliteral(ty)).collect();
    let real = |ty: Type| ty == Type::BOOL || ty.is_int() || ty.is_float();
    let params = match plain[..] {
        [] => vec![],
        [ty] if real(ty) || ty.is_complex() && to.is_complex() => vec![if to.is_complex() { to } else { ty }],
        [a, b] if real(a) && real(b) && to.is_complex() => vec![to.complex_part(); 2],
        [a, b] if (real(a) || a.is_complex()) && (real(b) || b.is_complex()) && to.is_complex() => vec![a, b],
        _ => return None,
    };
    macro_rules! emit_for {
        ($($ty:ident)*) => {
            match to { $(Type::$ty => (|emit, args| convert(emit, args, Type::$ty)) as EmitFn,)* _ => return None }
        };
    }
    let emit = emit_for! { INT8 INT16 INT32 INT64 UINT8 UINT16 UINT32 UINT64 FLOAT16 FLOAT32 FLOAT64 COMPLEX64 COMPLEX128 };
    Some(Resolution { result: to, params, emit })
}

fn convert(emit: &mut Emit<'_>, args: &[Operand], to: Type) -> Result<Operand> {
    match args {
        [] => Ok(emit.undefined(to)),
        [value] => cast(emit, value, to),
        [a, b, ..] if a.ty.is_complex() || b.ty.is_complex() => complex_of_complex(emit, a, b, to),
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
        // The one integer type whose numbers int64 does not hold.
        Type::UINT64 => Some(Resolution { result: plain, params: vec![plain], emit: identity }),
        _ if plain == Type::BOOL || plain.is_int() => {
            Some(Resolution { result: Type::INT64, params: vec![Type::INT64], emit: identity })
        }
        _ if plain.is_float() => Some(Resolution {
            result: Type::INT64,
            params: vec![plain],
            emit: |e, a| to_int(e, a, Op::Ftrunc),
        }),
        _ => None,
    }
}

/// `np.int64(x)`: of floats as `int(x)`, which raises where no integer is meant; of integers a cast.
fn numpy_int64(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    match args {
        [ty] if types.unliteral(*ty).is_float() => python_int(types, args),
        _ => construct(types, args, Type::INT64),
    }
}

/// `complex(a, b)` is a + b*1j, also where a or b is complex itself.
fn complex_of_complex(emit: &mut Emit<'_>, a: &Operand, b: &Operand, to: Type) -> Result<Operand> {
    let (x, y) = (cast(emit, a, to)?, cast(emit, b, to)?);
    let mut re = x.parts[0];
    if b.ty.is_complex() {
        re = emit.b.like_first(Op::Fsub, &[re, y.parts[1]]);
    }
    let mut im = y.parts[0];
    if a.ty.is_complex() {
        im = emit.b.like_first(Op::Fadd, &[im, x.parts[1]]);
    }
    Ok(Operand::new(to, [re, im]))
}
