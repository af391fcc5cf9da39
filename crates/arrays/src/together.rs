//! `np.nditer(a)` and `np.nditer((a, b))`: the items of arrays that are broadcast to one shape, side by side, as arrays
//! without dimensions that cannot be written.
//!
//! As NumPy does, the walk goes through memory as it lies: the runtime sorts the dimensions by their strides. The
//! frame holds the state, in words: how many items came before, how many there are, then for each dimension the next index, the
//! length, and for each operand the stride; last the address of each operand's first item.

use abi::ExceptionClass::ValueError;
use catalog::array::{ArrayParts, item_size, store_item};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, constant_text};
use diag::{Diagnostic, Result};
use ir::{External, IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, Facet, Layout, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("numpy.nditer", resolve);
    catalog.name_parameters("numpy.nditer", &["op"]);
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
}

/// Where the words of the state lie, in bytes.
struct State {
    ndim: usize,
    operands: usize,
}

impl State {
    const SIZE: i64 = 8;

    fn index(&self, axis: usize) -> i64 {
        8 * (2 + axis as i64)
    }

    fn length(&self, axis: usize) -> i64 {
        self.index(self.ndim + axis)
    }

    fn stride(&self, operand: usize, axis: usize) -> i64 {
        self.index((2 + operand) * self.ndim + axis)
    }

    fn data(&self, operand: usize) -> i64 {
        self.index((2 + self.operands) * self.ndim + operand)
    }

    fn bytes(&self) -> u32 {
        self.data(self.operands) as u32
    }
}

/// The array that an operand is: a number is one without dimensions.
fn operand(types: &TypeTable, ty: Type) -> Option<ArrayType> {
    let plain = types.unliteral(ty);
    let scalar = ArrayType { dtype: plain, ndim: 0, layout: Layout::C, mutable: false, aligned: true };
    types.array(ty).or_else(|| types.item_size(plain).map(|_| scalar))
}

/// The arrays that are walked through, and whether it is one that is not in a tuple.
fn operands(types: &TypeTable, of: Type) -> Option<(Vec<ArrayType>, bool)> {
    match types.items(of) {
        Some(items) if !items.is_empty() => {
            Some((items.iter().map(|&item| operand(types, item)).collect::<Option<_>>()?, items.len() == 1))
        }
        Some(_) => None,
        None => Some((vec![operand(types, of)?], true)),
    }
}

fn resolve(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [of] = *args else { return None };
    let (arrays, _) = operands(types, of)?;
    let arrays: Vec<Type> = arrays.into_iter().map(|array| types.intern(TypeData::Array(array))).collect();
    let result = types.intern(TypeData::Facet { facet: Facet::Together, of: types.tuple(&arrays) });
    Some(Resolution { result, params: args.to_vec(), emit: begin })
}

/// The operands as arrays; numbers are written to the frame.
fn open(emit: &mut Emit<'_>, given: &Operand) -> Result<Vec<ArrayParts>> {
    let items = emit.types.items(given.ty).unwrap_or_else(|| [given.ty].into());
    let (mut arrays, mut at) = (Vec::new(), 0);
    for &item in items.iter() {
        let count = emit.machine_types(item).len();
        let value = Operand::new(item, given.parts[at..at + count].iter().copied());
        at += count;
        if emit.types.array(item).is_some() {
            arrays.push(ArrayParts::open(emit, &value)?);
            continue;
        }
        let ty = operand(emit.types, item).ok_or_else(unexpected)?;
        let data = emit.frame_slot(16);
        let owner = emit.b.iconst(Native::I64, 0);
        let array = ArrayParts { ty, owner, data, shape: SmallVec::new(), strides: SmallVec::new() };
        store_item(emit, &array, data, &Operand { ty: ty.dtype, ..value });
        arrays.push(array);
    }
    Ok(arrays)
}

fn unexpected() -> Box<Diagnostic> {
    Diagnostic::internal("emission", "a walk through what are no arrays")
}

fn begin(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let arrays = open(emit, &args[0])?;
    let ndim = arrays.iter().map(|array| array.shape.len()).max().unwrap_or_default();
    let state = State { ndim, operands: arrays.len() };
    let slot = emit.frame_slot(state.bytes());
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    for &length in arrays.iter().flat_map(|array| &array.shape) {
        let nothing = emit.b.icmp(IntCond::Eq, length, zero);
        emit.raise_if(nothing, ValueError, "Iteration of zero-sized operands is not enabled");
    }
    let shape = broadcast(emit, &arrays, ndim);
    let mut size = one;
    for (axis, &length) in shape.iter().enumerate() {
        size = emit.b.like_first(Op::Imul, &[size, length]);
        emit.b.store(slot, state.index(axis), zero);
        emit.b.store(slot, state.length(axis), length);
        for (number, array) in arrays.iter().enumerate() {
            let stride = match (axis + array.shape.len()).checked_sub(ndim) {
                Some(own) => {
                    let single = emit.b.icmp(IntCond::Eq, array.shape[own], one);
                    emit.b.select(single, zero, array.strides[own])
                }
                None => zero,
            };
            emit.b.store(slot, state.stride(number, axis), stride);
        }
    }
    emit.b.store(slot, 0, zero);
    emit.b.store(slot, State::SIZE, size);
    for (number, array) in arrays.iter().enumerate() {
        emit.b.store(slot, state.data(number), array.data);
    }
    if !even(&arrays) && ndim > 0 {
        sort(emit, slot, &state);
    }
    let parts: Vec<Value> = arrays.iter().flat_map(|array| array.close(emit).parts).collect();
    Ok(Operand::new(Type::NONE, std::iter::once(slot).chain(parts)))
}

/// Whether the items follow each other as the walk goes.
fn even(arrays: &[ArrayParts]) -> bool {
    matches!(arrays, [array] if array.ty.layout != Layout::Any)
}

/// The shape of all, where dimensions of length 1 stretch. ValueError if there is none.
fn broadcast(emit: &mut Emit<'_>, arrays: &[ArrayParts], ndim: usize) -> Vec<Value> {
    let one = emit.b.iconst(Native::I64, 1);
    let mut misfit = emit.b.bool(false);
    let mut shape = vec![one; ndim];
    for (axis, length) in shape.iter_mut().enumerate() {
        for array in arrays {
            let Some(own) = (axis + array.shape.len()).checked_sub(ndim) else { continue };
            let own = array.shape[own];
            let single = emit.b.icmp(IntCond::Eq, own, one);
            let differs = emit.b.icmp(IntCond::Ne, own, *length);
            let fixed = emit.b.icmp(IntCond::Ne, *length, one);
            let wrong = emit.b.like_first(Op::Iand, &[differs, fixed]);
            let no = emit.b.bool(false);
            let wrong = emit.b.select(single, no, wrong);
            misfit = emit.b.like_first(Op::Ior, &[misfit, wrong]);
            *length = emit.b.select(single, *length, own);
        }
    }
    let mut layout = format!("[{}", constant_text("operands could not be broadcast together with shapes "));
    for array in arrays {
        let lengths = vec!["i"; array.shape.len()].join(&constant_text(","));
        let end = constant_text(if array.shape.len() == 1 { ",) " } else { ") " });
        layout.push_str(&format!("{}{lengths}{end}", constant_text("(")));
    }
    layout.push(']');
    let words: Vec<Value> = arrays.iter().flat_map(|array| array.shape.iter().copied()).collect();
    if arrays.len() > 1 {
        emit.raise_payload_if(misfit, ValueError, &layout, &words);
    }
    shape
}

/// Lets the runtime sort the dimensions.
fn sort(emit: &mut Emit<'_>, slot: Value, state: &State) {
    let external = External {
        name: "rumba_sort_axes".into(),
        params: vec![Native::Ptr, Native::I64, Native::I64],
        results: vec![],
        pure: false,
        inline: false,
    };
    let ndim = emit.b.iconst(Native::I64, state.ndim as i64);
    let operands = emit.b.iconst(Native::I64, state.operands as i64);
    let offset = emit.b.iconst(Native::I64, state.length(0));
    let lengths = emit.b.native(Op::PtrAdd, [], &[slot, offset], Native::Ptr);
    emit.b.call_external(external, &[lengths, ndim, operands]);
}

/// The arrays of a walk.
fn walked(types: &TypeTable, ty: Type) -> Option<Vec<ArrayType>> {
    let TypeData::Facet { facet: Facet::Together, of } = types.get(ty) else { return None };
    types.elements(of)?.iter().map(|&array| types.array(array)).collect()
}

/// The item of an array, as an array.
fn item(array: &ArrayType) -> ArrayType {
    ArrayType { ndim: 0, layout: Layout::C, mutable: false, ..*array }
}

fn resolve_next(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [walk] = *args else { return None };
    let items: Vec<Type> =
        walked(types, walk)?.iter().map(|array| types.intern(TypeData::Array(item(array)))).collect();
    let result = if let [single] = items[..] { single } else { types.tuple(&items) };
    let emit: EmitFn = next;
    Some(Resolution { result, params: args.to_vec(), emit })
}

fn next(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let types = walked(emit.types, args[0].ty).ok_or_else(unexpected)?;
    let slot = args[0].parts[0];
    let (mut arrays, mut rest) = (Vec::new(), &args[0].parts[1..]);
    for ty in types {
        let ty = emit.types.intern(TypeData::Array(ty));
        let (own, behind) = rest.split_at(emit.machine_types(ty).len());
        rest = behind;
        arrays.push(ArrayParts::open(emit, &Operand::new(ty, own.iter().copied()))?);
    }
    let ndim = arrays.iter().map(|array| array.shape.len()).max().unwrap_or_default();
    let state = State { ndim, operands: arrays.len() };
    let (at, size) = (emit.b.load(Native::I64, slot, 0), emit.b.load(Native::I64, slot, State::SIZE));
    let valid = emit.b.icmp(IntCond::Slt, at, size);
    emit.end_unless(valid)?;
    let one = emit.b.iconst(Native::I64, 1);
    let following = emit.b.like_first(Op::Iadd, &[at, one]);
    emit.b.store(slot, 0, following);
    let places = if even(&arrays) {
        let item = emit.b.iconst(Native::I64, item_size(emit, arrays[0].ty.dtype)?);
        vec![crate::loops::address(emit, arrays[0].data, &[item], &[at])]
    } else {
        advance(emit, slot, &state)
    };
    let mut parts = Vec::new();
    for (array, data) in arrays.into_iter().zip(places) {
        let ty = item(&array.ty);
        let item =
            ArrayParts { ty, data, owner: array.owner, shape: SmallVec::new(), strides: SmallVec::new() };
        parts.extend(item.close(emit).parts);
    }
    Ok(Operand::new(Type::NONE, parts))
}

/// The addresses of the next items; the indices of those behind them are written to the frame.
fn advance(emit: &mut Emit<'_>, slot: Value, state: &State) -> Vec<Value> {
    let indices: Vec<Value> =
        (0..state.ndim).map(|axis| emit.b.load(Native::I64, slot, state.index(axis))).collect();
    let mut places = Vec::new();
    for operand in 0..state.operands {
        let data = emit.b.load(Native::Ptr, slot, state.data(operand));
        let strides: Vec<Value> =
            (0..state.ndim).map(|axis| emit.b.load(Native::I64, slot, state.stride(operand, axis))).collect();
        places.push(crate::loops::address(emit, data, &strides, &indices));
    }
    let (zero, mut carried) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    for axis in (0..state.ndim).rev() {
        let length = emit.b.load(Native::I64, slot, state.length(axis));
        let moved = emit.b.like_first(Op::Iadd, &[indices[axis], carried]);
        let over = emit.b.icmp(IntCond::Eq, moved, length);
        let kept = emit.b.select(over, zero, moved);
        emit.b.store(slot, state.index(axis), kept);
        carried = emit.b.convert(Op::Zext, over, Native::I64);
    }
    places
}
