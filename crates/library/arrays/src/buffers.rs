//! `bytes`, `bytearray`, `memoryview` and `array.array`: attributes, and `numpy.frombuffer`.
//!
//! Items, slices, loops and `len` are those of arrays: see `getitem`, `setitem`, `iter`.

use crate::creation::dtype_of;
use abi::ExceptionClass::{self, ValueError};
use catalog::array::{ArrayParts, item_size};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, cast, constant_text};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use smallvec::smallvec;
use types::{ArrayType, BufferKind, Layout, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    let mut attribute = |name: &str, rule: fn(&TypeTable, &[Type]) -> Option<Resolution>| {
        catalog.add(Key::Getattr(name.into()), Rule::Generic(rule));
    };
    attribute("contiguous", |types, args| {
        truth(types, args, |emit, args| contiguous(emit, args, &[Layout::C, Layout::F]))
    });
    attribute("c_contiguous", |types, args| {
        truth(types, args, |emit, args| contiguous(emit, args, &[Layout::C]))
    });
    attribute("f_contiguous", |types, args| {
        truth(types, args, |emit, args| contiguous(emit, args, &[Layout::F]))
    });
    attribute("readonly", |types, args| {
        truth(types, args, |emit, args| {
            let mutable = ArrayParts::open(emit, &args[0])?.ty.mutable;
            Ok(Operand::single(Type::BOOL, emit.b.bool(!mutable)))
        })
    });
    /// What an array's attribute of this name means, for a memoryview.
    macro_rules! as_of_arrays {
        ($($name:literal)*) => {
            $(catalog.add(Key::Getattr($name.into()), Rule::Nested(|catalog, types, args| {
                let items = types.intern(TypeData::Array(view(types, *args.first()?)?));
                let found = catalog.resolve(types, &Key::Getattr($name.into()), &[items])?;
                Some(Resolution { params: args.to_vec(), ..found })
            }));)*
        };
    }
    as_of_arrays! { "shape" "strides" "ndim" "itemsize" "nbytes" }
    catalog.add_generic("numpy.frombuffer", resolve_frombuffer).reads();
    catalog.name_parameters("numpy.frombuffer", &["buffer", "dtype", "count", "offset"]);
}

/// What is written to an item of a buffer that is no array: no integer is cut off, no float becomes one.
pub(crate) fn written(types: &TypeTable, dtype: Type, value: Type) -> Option<Type> {
    let plain = types.unliteral(value);
    // An array of objects to which none is assigned anywhere.
    if dtype == Type::UNDEFINED {
        return (plain == Type::NONE).then_some(plain);
    }
    match dtype.is_int() {
        true => (plain.is_int() || plain == Type::BOOL).then_some(plain),
        false => types::convert(types, plain, dtype).map(|_| dtype),
    }
}

/// Raises what Python does where an integer does not fit an item of a buffer.
pub(crate) fn check_written(emit: &mut Emit<'_>, target: Type, value: &Operand) -> Result<()> {
    let TypeData::Buffer(kind, items) = emit.types.get(target) else { return Ok(()) };
    let (Some((bits, signed)), Some((given, was_signed))) = (items.dtype.as_int(), value.ty.as_int()) else {
        return Ok(());
    };
    let wide = cast(emit, value, if was_signed { Type::INT64 } else { Type::UINT64 })?.parts[0];
    let (low, high) = match (bits, signed) {
        (_, true) => (i64::MIN >> (64 - bits), i64::MAX >> (64 - bits)),
        (64, false) => (0, -1),
        (_, false) => (0, (1 << bits) - 1),
    };
    let (class, below, above) = misfit(kind, bits, signed);
    if was_signed && (!signed || given > bits) {
        let low = emit.b.iconst(Native::I64, low);
        let fails = emit.b.icmp(IntCond::Slt, wide, low);
        emit.raise_if(fails, class, &below);
    }
    if given > bits || given == bits && signed && !was_signed {
        let high = emit.b.iconst(Native::I64, high);
        let fails = emit.b.icmp(if was_signed { IntCond::Sgt } else { IntCond::Ugt }, wide, high);
        emit.raise_if(fails, class, &above);
    }
    Ok(())
}

/// The exception of an integer that is too small or too large for an item.
fn misfit(kind: BufferKind, bits: u8, signed: bool) -> (ExceptionClass, String, String) {
    let both = |class, text: String| (class, text.clone(), text);
    match kind {
        BufferKind::Bytes | BufferKind::ByteArray | BufferKind::ObjectArray => {
            both(ExceptionClass::ValueError, "byte must be in range(0, 256)".to_owned())
        }
        BufferKind::MemoryView => {
            let letter = match bits {
                8 => 'b',
                16 => 'h',
                32 => 'i',
                _ => 'l',
            };
            let letter = if signed { letter } else { letter.to_ascii_uppercase() };
            both(ExceptionClass::ValueError, format!("memoryview: invalid value for format '{letter}'"))
        }
        BufferKind::PyArray => {
            let (name, below) = match (bits, signed) {
                (8, true) => ("signed char", None),
                (8, false) => ("unsigned byte integer", None),
                (16, true) => ("signed short integer", None),
                (16, false) => ("unsigned short", None),
                (32, true) => ("signed integer", None),
                (32, false) => ("unsigned int", Some("can't convert negative value to unsigned int")),
                (_, true) => {
                    return both(
                        ExceptionClass::OverflowError,
                        "Python int too large to convert to C long".to_owned(),
                    );
                }
                (_, false) => ("unsigned int", Some("can't convert negative value to unsigned int")),
            };
            let below = below.map_or_else(|| format!("{name} is less than minimum"), str::to_owned);
            (ExceptionClass::OverflowError, below, format!("{name} is greater than maximum"))
        }
    }
}

/// What is known of the items of a memoryview.
fn view(types: &TypeTable, ty: Type) -> Option<ArrayType> {
    match types.get(ty) {
        TypeData::Buffer(BufferKind::MemoryView, items) => Some(items),
        _ => None,
    }
}

fn truth(types: &TypeTable, args: &[Type], emit: EmitFn) -> Option<Resolution> {
    let [of] = *args else { return None };
    view(types, of)?;
    Some(Resolution { result: Type::BOOL, params: args.to_vec(), emit })
}

/// Whether items are contiguous in one of these orders.
fn contiguous(emit: &mut Emit<'_>, args: &[Operand], layouts: &[Layout]) -> Result<Operand> {
    let parts = ArrayParts::open(emit, &args[0])?;
    let mut any = emit.b.bool(false);
    for &layout in layouts {
        let one = follows(emit, &parts, layout)?;
        any = emit.b.like_first(Op::Ior, &[any, one]);
    }
    Ok(Operand::single(Type::BOOL, any))
}

fn follows(emit: &mut Emit<'_>, parts: &ArrayParts, layout: Layout) -> Result<Value> {
    let (one, zero) = (emit.b.iconst(Native::I64, 1), emit.b.iconst(Native::I64, 0));
    let mut wanted = emit.b.iconst(Native::I64, item_size(emit, parts.ty.dtype)?);
    let (mut all, mut empty) = (emit.b.bool(true), emit.b.bool(false));
    for number in 0..parts.shape.len() {
        let axis = if layout == Layout::F { number } else { parts.shape.len() - 1 - number };
        let (length, stride) = (parts.shape[axis], parts.strides[axis]);
        let fits = emit.b.icmp(IntCond::Eq, stride, wanted);
        // The stride of one place means nothing.
        let single = emit.b.icmp(IntCond::Eq, length, one);
        let fits = emit.b.like_first(Op::Ior, &[fits, single]);
        all = emit.b.like_first(Op::Iand, &[all, fits]);
        let none = emit.b.icmp(IntCond::Eq, length, zero);
        empty = emit.b.like_first(Op::Ior, &[empty, none]);
        wanted = emit.b.like_first(Op::Imul, &[wanted, length]);
    }
    Ok(emit.b.like_first(Op::Ior, &[all, empty]))
}

fn resolve_frombuffer(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&buffer, rest) = args.split_first()?;
    let items = types.buffer(buffer).filter(|items| items.layout == Layout::C)?;
    types.items_of_object_array(buffer).is_none().then_some(())?;
    let dtype = match rest.first() {
        Some(&dtype) => dtype_of(types, dtype)?,
        None => Type::FLOAT64,
    };
    let numbers = rest.iter().skip(1).all(|&ty| types.unliteral(ty).is_int());
    let mut params = args.to_vec();
    params.iter_mut().skip(2).for_each(|param| *param = Type::INT64);
    let made = ArrayType { dtype, ndim: 1, layout: Layout::C, mutable: items.mutable, aligned: true };
    let fits = rest.len() <= 3 && numbers && types.item_size(dtype).is_some_and(|size| size > 0);
    fits.then(|| Resolution { result: types.intern(TypeData::Array(made)), params, emit: frombuffer })
}

/// An array in the buffer's memory.
fn frombuffer(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let buffer = ArrayParts::open(emit, &args[0])?;
    let dtype = match args.get(1) {
        Some(dtype) => dtype_of(emit.types, dtype.ty).unwrap_or(Type::FLOAT64),
        None => Type::FLOAT64,
    };
    let item = item_size(emit, dtype)?;
    let bytes = bytes(emit, &buffer)?;
    let zero = emit.b.iconst(Native::I64, 0);
    let offset = match args.get(3) {
        Some(offset) => cast(emit, offset, Type::INT64)?.value(),
        None => zero,
    };
    // Unsigned: a negative offset is larger than any buffer.
    let outside = emit.b.icmp(IntCond::Ugt, offset, bytes);
    let head = constant_text("offset must be non-negative and no greater than buffer length (");
    let layout = format!("[{head}i{}]", constant_text(")"));
    emit.raise_payload_if(outside, ValueError, &layout, &[bytes]);
    let left = emit.b.like_first(Op::Isub, &[bytes, offset]);
    let size = emit.b.iconst(Native::I64, item);
    let whole = emit.b.like_first(Op::Udiv, &[left, size]);
    let length = match args.get(2) {
        Some(count) => counted(emit, count.value(), left, size, whole),
        None => {
            whole_items(emit, left, size, whole);
            whole
        }
    };
    let data = emit.b.native(Op::PtrAdd, [], &[buffer.data, offset], Native::Ptr);
    refuse_unaligned(emit, dtype, data);
    let ty = ArrayType { dtype, ndim: 1, layout: Layout::C, mutable: buffer.ty.mutable, aligned: true };
    let parts =
        ArrayParts { ty, owner: buffer.owner, data, shape: smallvec![length], strides: smallvec![size] };
    Ok(parts.close(emit))
}

fn bytes(emit: &mut Emit<'_>, buffer: &ArrayParts) -> Result<Value> {
    let (count, item) = (buffer.size(emit), item_size(emit, buffer.ty.dtype)?);
    let item = emit.b.iconst(Native::I64, item);
    Ok(emit.b.like_first(Op::Imul, &[count, item]))
}

fn whole_items(emit: &mut Emit<'_>, left: Value, size: Value, whole: Value) {
    let used = emit.b.like_first(Op::Imul, &[whole, size]);
    let broken = emit.b.icmp(IntCond::Ne, used, left);
    emit.raise_if(broken, ValueError, "buffer size must be a multiple of element size");
}

/// As many items as are asked for; where that is negative, all.
fn counted(emit: &mut Emit<'_>, count: Value, left: Value, size: Value, whole: Value) -> Value {
    let zero = emit.b.iconst(Native::I64, 0);
    let all = emit.b.icmp(IntCond::Slt, count, zero);
    let checked = emit.when(all, |emit| {
        whole_items(emit, left, size, whole);
        Ok(())
    });
    checked.expect("the check emits no rule that could refuse");
    let many = emit.b.icmp(IntCond::Sgt, count, whole);
    emit.raise_if(many, ValueError, "buffer is smaller than requested size");
    emit.b.select(all, whole, count)
}

/// The type of the result says that items are aligned.
fn refuse_unaligned(emit: &mut Emit<'_>, dtype: Type, data: Value) {
    let alignment = emit.types.item_alignment(dtype);
    if alignment > 1 {
        let address = emit.b.convert(Op::Bitcast, data, Native::I64);
        let mask = emit.b.iconst(Native::I64, alignment - 1);
        let rest = emit.b.like_first(Op::Iand, &[address, mask]);
        let zero = emit.b.iconst(Native::I64, 0);
        let wrong = emit.b.icmp(IntCond::Ne, rest, zero);
        let message =
            "frombuffer: the items would not be aligned; copy the bytes into a buffer of their own first";
        emit.raise_if(wrong, ValueError, message);
    }
}
