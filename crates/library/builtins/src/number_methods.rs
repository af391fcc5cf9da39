//! Attributes and methods of numbers: `item`, `bit_length`, `bit_count`, `is_integer`, `numerator` and
//! so on. (`real`, `imag` and `conjugate`: `complex`.)

use crate::emit_helpers::*;
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule};
use diag::Result;
use ir::{FloatCond, IntCond, Native, Op, Value};
use types::{Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("method.view", resolve_view);
    catalog.add_generic("method.item", |types, args| {
        let [ty] = *args else { return None };
        let ty = types.unliteral(ty);
        (ty == Type::BOOL || ty.is_number()).then(|| Resolution {
            result: ty,
            params: vec![ty],
            emit: identity,
        })
    });
    catalog.state(&[("numpy.ndarray.view", "reads"), ("numpy.ndarray.item", "reads")]);
    catalog.add_generic("method.bit_length", |types, args| of_int(types, args, bit_length));
    catalog.add_generic("method.bit_count", |types, args| of_int(types, args, bit_count));
    catalog.add_function(
        "method.is_integer",
        [case(Type::BOOL, &[Type::FLOAT64], is_integer), case(Type::BOOL, &[Type::FLOAT32], is_integer)],
    );
    catalog.add(
        Key::Getattr("numerator".into()),
        Rule::Generic(|types, args| {
            let resolution = of_int(types, args, identity)?;
            Some(Resolution { result: resolution.params[0], ..resolution })
        }),
    );
    catalog.add(
        Key::Getattr("denominator".into()),
        Rule::Generic(|types, args| {
            of_int(types, args, |emit, _| {
                let one = emit.b.iconst(Native::I64, 1);
                single(Type::INT64, one)
            })
        }),
    );
}

/// `np.float32(x).view(np.int32)`: the same bits as another type of the same size. (A literal is a number
/// of Python, which has no `view`.)
fn resolve_view(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [from, class] = *args else { return None };
    let to = number_of_class(types, class)?;
    let bits = |ty: Type| match types.get(ty) {
        TypeData::Bool => Some(8),
        TypeData::Int { bits, .. } | TypeData::Float { bits } => Some(bits),
        _ => None,
    };
    let same = bits(from)? == bits(to)? && (from == to || from != Type::BOOL && to != Type::BOOL);
    same.then(|| Resolution { result: to, params: args.to_vec(), emit: view })
}

/// The number type that a class means as a dtype: `np.float32`, and Python's own.
pub(crate) fn number_of_class(types: &TypeTable, class: Type) -> Option<Type> {
    match types.get(class) {
        TypeData::Class(ty) => Some(ty),
        TypeData::Function(name) => match &*name {
            "builtins.bool" => Some(Type::BOOL),
            "builtins.int" => Some(Type::INT64),
            "builtins.float" => Some(Type::FLOAT64),
            "builtins.complex" => Some(Type::COMPLEX128),
            _ => None,
        },
        _ => None,
    }
}

fn view(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let Some(to) = number_of_class(emit.types, args[1].ty) else {
        return Err(unexpected("a view as what is no class"));
    };
    let native = emit.machine_types(to)[0];
    let value = args[0].value();
    let value =
        if emit.b.func.native(value) == native { value } else { emit.b.convert(Op::Bitcast, value, native) };
    single(to, value)
}

fn of_int(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [ty] = *args else { return None };
    let wide = match types.unliteral(ty) {
        Type::BOOL => Type::INT64,
        ty => Type::int(64, ty.as_int()?.1),
    };
    Some(Resolution { result: Type::INT64, params: vec![wide], emit })
}

/// The magnitude as an unsigned number.
fn size(emit: &mut Emit<'_>, operand: &Operand) -> Value {
    let value = operand.value();
    if !is_signed(operand.ty) {
        return value;
    }
    let zero = emit.b.iconst(Native::I64, 0);
    let negative = emit.b.icmp(IntCond::Slt, value, zero);
    let negated = emit.b.like_first(Op::Isub, &[zero, value]);
    emit.b.select(negative, negated, value)
}

fn bit_length(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let size = size(emit, &args[0]);
    let leading = emit.b.like_first(Op::Clz, &[size]);
    let width = emit.b.iconst(Native::I64, 64);
    let length = emit.b.like_first(Op::Isub, &[width, leading]);
    single(Type::INT64, length)
}

fn bit_count(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let size = size(emit, &args[0]);
    let count = emit.b.like_first(Op::Popcount, &[size]);
    single(Type::INT64, count)
}

fn is_integer(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let value = args[0].value();
    let whole = emit.b.like_first(Op::Ffloor, &[value]);
    let same = emit.b.fcmp(FloatCond::Eq, whole, value);
    let finite = is_finite(emit, value);
    let is_integer = bool_and(emit, same, finite);
    single(Type::BOOL, is_integer)
}
