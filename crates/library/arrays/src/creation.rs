//! Array creation: `zeros`, `empty`, `ones`, `full`, their `_like` forms, `copy`, `arange`.

use crate::alloc::allocate;
use crate::astype::convert_item;
use crate::setitem::{copy_items, fill};
use catalog::array::{ArrayParts, store_item};
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution, cast};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value};
use types::{ArrayType, Layout, LiteralValue, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("numpy.zeros", |types, args| of_shape(types, args, zeros)).reads();
    catalog.add_generic("numpy.empty", |types, args| of_shape(types, args, empty)).reads();
    catalog
        .add_generic("numpy.ones", |types, args| {
            of_shape(types, args, ones).filter(|made| has_one(types, made))
        })
        .reads();
    catalog.add_generic("numpy.full", resolve_full).reads();
    catalog.add_generic("numpy.zeros_like", |types, args| like(types, args, zeros_like)).reads();
    catalog.add_generic("numpy.empty_like", |types, args| like(types, args, empty_like));
    catalog.state(&[("numpy.empty_like", "returns=items:prototype@0")]);
    catalog
        .add_generic("numpy.ones_like", |types, args| {
            like(types, args, ones_like).filter(|made| has_one(types, made))
        })
        .reads();
    catalog.add_generic("numpy.full_like", resolve_full_like).reads();
    catalog.add_generic("method.copy", resolve_copy);
    catalog.add_generic("method.fill", resolve_fill);
    catalog.state(&[("numpy.ndarray.copy", "reads"), ("numpy.ndarray.fill", "mutates=self@0")]);
    catalog.add_generic("numpy.arange", resolve_arange).reads();
    for function in ["numpy.zeros", "numpy.empty", "numpy.ones"] {
        catalog.name_parameters(function, &["shape", "dtype"]);
    }
    catalog.name_parameters("numpy.full", &["shape", "fill_value", "dtype"]);
    catalog.name_parameters("numpy.zeros_like", &["a", "dtype"]);
    catalog.name_parameters("numpy.ones_like", &["a", "dtype"]);
    catalog.name_parameters("numpy.empty_like", &["prototype", "dtype"]);
    catalog.name_parameters("numpy.full_like", &["a", "fill_value", "dtype"]);
}

/// The item type that an argument means: `np.float32`, `float`, `'f4'`.
pub(crate) fn dtype_of(types: &TypeTable, ty: Type) -> Option<Type> {
    let named = |name: &str| {
        Some(match name {
            "bool" | "bool_" | "?" | "b1" => Type::BOOL,
            "int8" | "i1" | "b" | "byte" => Type::INT8,
            "int16" | "i2" | "h" | "short" => Type::INT16,
            "int32" | "i4" | "i" | "intc" => Type::INT32,
            "int64" | "i8" | "int" | "int_" | "intp" | "long" | "longlong" | "l" | "q" | "n" | "p" => {
                Type::INT64
            }
            "uint8" | "u1" | "B" | "ubyte" => Type::UINT8,
            "uint16" | "u2" | "H" | "ushort" => Type::UINT16,
            "uint32" | "u4" | "I" | "uintc" => Type::UINT32,
            "uint64" | "u8" | "uint" | "uintp" | "ulong" | "ulonglong" | "L" | "Q" | "N" | "P" => {
                Type::UINT64
            }
            "float16" | "f2" | "e" | "half" => Type::FLOAT16,
            "float32" | "f4" | "f" | "single" => Type::FLOAT32,
            "float64" | "f8" | "float" | "d" | "double" => Type::FLOAT64,
            "complex64" | "c8" | "F" => Type::COMPLEX64,
            "complex128" | "c16" | "complex" | "D" => Type::COMPLEX128,
            _ => return types.item_of_dtype(name),
        })
    };
    match types.get(ty) {
        TypeData::Class(of) => types.item_size(of).map(|_| of),
        TypeData::Function(name) => named(name.strip_prefix("builtins.")?),
        TypeData::Literal(LiteralValue::Str(name)) => named(name.trim_start_matches(['<', '='])),
        _ => None,
    }
}

/// Whether there is a 1 among the items of the array that is made.
fn has_one(types: &TypeTable, made: &Resolution) -> bool {
    let dtype = types.array(made.result).map(|array| array.dtype);
    dtype.is_some_and(|dtype| dtype == Type::BOOL || dtype.is_number() || types.time(dtype).is_some())
}

/// How many dimensions a shape has: an integer, or a tuple of integers.
pub(crate) fn dimensions(types: &TypeTable, shape: Type) -> Option<u8> {
    let is_length = |ty: Type| types.unliteral(ty).is_int();
    match types.elements(shape) {
        Some(elements) => {
            elements.iter().all(|&ty| is_length(ty)).then(|| u8::try_from(elements.len()).ok()).flatten()
        }
        None => is_length(shape).then_some(1),
    }
}

/// The lengths of a shape.
pub(crate) fn lengths(emit: &mut Emit<'_>, shape: &Operand) -> Result<Vec<Value>> {
    let count = emit.types.elements(shape.ty).map(|elements| elements.len());
    let wide = match count {
        Some(count) => emit.types.tuple(&vec![Type::INT64; count]),
        None => Type::INT64,
    };
    Ok(cast(emit, shape, wide)?.parts.to_vec())
}

pub(crate) fn new_array(types: &TypeTable, dtype: Type, ndim: u8, layout: Layout) -> Type {
    let array = ArrayType { dtype, ndim, layout, mutable: true, aligned: true };
    types.intern(TypeData::Array(array.with_layout(layout)))
}

fn of_shape(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let (shape, dtype) = match *args {
        [shape] => (shape, Type::FLOAT64),
        [shape, dtype] => (shape, dtype_of(types, dtype)?),
        _ => return None,
    };
    let result = new_array(types, dtype, dimensions(types, shape)?, Layout::C);
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// The item type of the array that is made: of the argument of this number, or another one.
fn wanted(emit: &Emit<'_>, args: &[Operand], number: usize, other: Type) -> Result<Type> {
    match args.get(number) {
        Some(given) => dtype_of(emit.types, given.ty)
            .ok_or_else(|| Diagnostic::internal("emission", "an item type that is none")),
        None => Ok(other),
    }
}

fn zeros(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    make(emit, args, true).map(|array| array.close(emit))
}

fn empty(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    make(emit, args, false).map(|array| array.close(emit))
}

fn ones(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let array = make(emit, args, false)?;
    fill_with_one(emit, &array)
}

fn make(emit: &mut Emit<'_>, args: &[Operand], zeroed: bool) -> Result<ArrayParts> {
    let dtype = wanted(emit, args, 1, Type::FLOAT64)?;
    let shape = lengths(emit, &args[0])?;
    allocate(emit, dtype, &shape, Layout::C, zeroed)
}

fn fill_with_one(emit: &mut Emit<'_>, array: &ArrayParts) -> Result<Operand> {
    let one = Operand::single(Type::INT64, emit.b.iconst(Native::I64, 1));
    let one = cast(emit, &one, array.ty.dtype)?;
    fill(emit, array, &one)?;
    Ok(array.close(emit))
}

fn resolve_full(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (shape, value, dtype) = match *args {
        [shape, value] => (shape, value, types.unliteral(value)),
        [shape, value, dtype] => (shape, value, dtype_of(types, dtype)?),
        _ => return None,
    };
    types.item_size(dtype)?;
    types::convert(types, types.unliteral(value), dtype)?;
    let result = new_array(types, dtype, dimensions(types, shape)?, Layout::C);
    let emit: EmitFn = |emit, args| {
        let dtype = wanted(emit, args, 2, emit.types.unliteral(args[1].ty))?;
        let shape = lengths(emit, &args[0])?;
        let array = allocate(emit, dtype, &shape, Layout::C, false)?;
        let value = convert_item(emit, &args[1], dtype)?;
        fill(emit, &array, &value)?;
        Ok(array.close(emit))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// The layout of an array like one of this layout.
pub(crate) fn kept(layout: Layout) -> Layout {
    if layout == Layout::F { Layout::F } else { Layout::C }
}

fn like(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let (array, dtype) = match *args {
        [array] => (types.array(array)?, None),
        [array, dtype] => (types.array(array)?, Some(dtype_of(types, dtype)?)),
        _ => return None,
    };
    let result = new_array(types, dtype.unwrap_or(array.dtype), array.ndim, kept(array.layout));
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn make_like(emit: &mut Emit<'_>, args: &[Operand], dtype_at: usize, zeroed: bool) -> Result<ArrayParts> {
    let parts = ArrayParts::open(emit, &args[0])?;
    let dtype = wanted(emit, args, dtype_at, parts.ty.dtype)?;
    allocate(emit, dtype, &parts.shape, kept(parts.ty.layout), zeroed)
}

fn zeros_like(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    make_like(emit, args, 1, true).map(|array| array.close(emit))
}

fn empty_like(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    make_like(emit, args, 1, false).map(|array| array.close(emit))
}

fn ones_like(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let array = make_like(emit, args, 1, false)?;
    fill_with_one(emit, &array)
}

fn resolve_full_like(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (array, value, dtype) = match *args {
        [array, value] => (types.array(array)?, value, types.array(array)?.dtype),
        [array, value, dtype] => (types.array(array)?, value, dtype_of(types, dtype)?),
        _ => return None,
    };
    types::convert(types, types.unliteral(value), dtype)?;
    let result = new_array(types, dtype, array.ndim, kept(array.layout));
    let emit: EmitFn = |emit, args| {
        let array = make_like(emit, args, 2, false)?;
        let value = convert_item(emit, &args[1], array.ty.dtype)?;
        fill(emit, &array, &value)?;
        Ok(array.close(emit))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn resolve_copy(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array] = *args else { return None };
    let array = types.array(array)?;
    let result = new_array(types, array.dtype, array.ndim, Layout::C);
    let emit: EmitFn = |emit, args| {
        let source = ArrayParts::open(emit, &args[0])?;
        let copy = allocate(emit, source.ty.dtype, &source.shape, Layout::C, false)?;
        copy_items(emit, &copy, &source)?;
        Ok(copy.close(emit))
    };
    Some(Resolution { result, params: args.to_vec(), emit })
}

/// `a.fill(value)`.
fn resolve_fill(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [array, value] = *args else { return None };
    let dtype = types.array(array).filter(|array| array.mutable)?.dtype;
    types::convert(types, types.unliteral(value), dtype)?;
    let emit: EmitFn = |emit, args| {
        let array = ArrayParts::open(emit, &args[0])?;
        let value = convert_item(emit, &args[1], array.ty.dtype)?;
        fill(emit, &array, &value)?;
        Ok(Operand::new(Type::NONE, []))
    };
    Some(Resolution { result: Type::NONE, params: args.to_vec(), emit })
}

fn resolve_arange(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    if args.is_empty() || args.len() > 3 {
        return None;
    }
    let mut dtype = Type::INT64;
    for &arg in args {
        let plain = types.unliteral(arg);
        if plain.is_float() {
            dtype = Type::FLOAT64;
        } else if !plain.is_int() || plain.as_int() == Some((64, false)) {
            return None;
        }
    }
    let result = new_array(types, dtype, 1, Layout::C);
    let emit: EmitFn = if dtype == Type::INT64 { arange_of_integers } else { arange_of_floats };
    Some(Resolution { result, params: vec![dtype; args.len()], emit })
}

fn bounds(args: &[Operand], zero: Value, one: Value) -> [Value; 3] {
    match args {
        [stop] => [zero, stop.value(), one],
        [start, stop] => [start.value(), stop.value(), one],
        [start, stop, step, ..] => [start.value(), stop.value(), step.value()],
        [] => [zero, zero, one],
    }
}

fn arange_of_integers(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    let [start, stop, step] = bounds(args, zero, one);
    let standing = emit.b.icmp(IntCond::Eq, step, zero);
    emit.raise_if(standing, abi::ExceptionClass::ZeroDivisionError, "division by zero");
    let down = emit.b.icmp(IntCond::Slt, step, zero);
    let (low, high) = (emit.b.select(down, stop, start), emit.b.select(down, start, stop));
    let negated = emit.b.like_first(Op::Isub, &[zero, step]);
    let stride = emit.b.select(down, negated, step);
    let span = emit.b.like_first(Op::Isub, &[high, low]);
    let before = emit.b.like_first(Op::Isub, &[span, one]);
    let jumps = emit.b.like_first(Op::Udiv, &[before, stride]);
    let count = emit.b.like_first(Op::Iadd, &[jumps, one]);
    let empty = emit.b.icmp(IntCond::Sge, low, high);
    let count = emit.b.select(empty, zero, count);
    let array = allocate(emit, Type::INT64, &[count], Layout::C, false)?;
    count_up(emit, &array, |emit, at| {
        let offset = emit.b.like_first(Op::Imul, &[at, step]);
        emit.b.like_first(Op::Iadd, &[start, offset])
    })
}

/// As NumPy, items are the first one and multiples of the difference of the first two.
fn arange_of_floats(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (zero, one) = (emit.b.fconst(Native::F64, 0.0), emit.b.fconst(Native::F64, 1.0));
    let [start, stop, step] = bounds(args, zero, one);
    let standing = emit.b.fcmp(ir::FloatCond::Eq, step, zero);
    emit.raise_if(standing, abi::ExceptionClass::ZeroDivisionError, "float division by zero");
    let span = emit.b.like_first(Op::Fsub, &[stop, start]);
    let steps = emit.b.like_first(Op::Fdiv, &[span, step]);
    let steps = emit.b.like_first(Op::Fceil, &[steps]);
    let undefined = emit.b.fcmp(ir::FloatCond::Ne, steps, steps);
    emit.raise_if(undefined, abi::ExceptionClass::ValueError, "arange: cannot compute length");
    let most = emit.b.fconst(Native::F64, 9.2e18);
    let endless = emit.b.fcmp(ir::FloatCond::Ge, steps, most);
    emit.raise_if(endless, abi::ExceptionClass::ValueError, "Maximum allowed size exceeded");
    let count = emit.b.convert(Op::FloatToSint, steps, Native::I64);
    let nothing = emit.b.iconst(Native::I64, 0);
    let empty = emit.b.icmp(IntCond::Slt, count, nothing);
    let count = emit.b.select(empty, nothing, count);
    let array = allocate(emit, Type::FLOAT64, &[count], Layout::C, false)?;
    let second = emit.b.like_first(Op::Fadd, &[start, step]);
    let delta = emit.b.like_first(Op::Fsub, &[second, start]);
    count_up(emit, &array, |emit, at| {
        let at = emit.b.convert(Op::SintToFloat, at, Native::F64);
        let offset = emit.b.like_first(Op::Fmul, &[at, delta]);
        emit.b.like_first(Op::Fadd, &[start, offset])
    })
}

/// Fills an array of one dimension by a function of the place.
fn count_up(
    emit: &mut Emit<'_>,
    array: &ArrayParts,
    mut value: impl FnMut(&mut Emit<'_>, Value) -> Value,
) -> Result<Operand> {
    let (data, strides, dtype) = (array.data, array.strides.clone(), array.ty.dtype);
    crate::loop_nest::for_each_in_parallel(emit, &array.shape, 2, &mut |emit, indices| {
        let value = value(emit, indices[0]);
        let pointer = crate::loop_nest::address(emit, data, &strides, indices);
        store_item(emit, array, pointer, &Operand::single(dtype, value));
        Ok(())
    })?;
    Ok(array.close(emit))
}
