//! `np.nditer(a)` and `np.nditer((a, b))`: the elements of arrays broadcast to one shape, as read-only arrays without
//! dimensions.
//!
//! As in NumPy, iteration follows memory order: the runtime sorts the dimensions by their strides. The operands are then
//! arrays of one shape, and the state is that of other flat iterators.

use crate::flatiter;
use crate::loop_nest::address;
use abi::ExceptionClass::ValueError;
use abi::Runtime;
use catalog::array::{ArrayParts, item_size, store_item};
use catalog::{Catalog, Emit, EmitFn, Key, Operand, Resolution, Rule, constant_text};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{ArrayType, Facet, Layout, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("numpy.nditer", resolve).reads();
    catalog.name_parameters("numpy.nditer", &["op"]);
    catalog.add(Key::Iternext, Rule::Generic(resolve_next));
}

/// Where the words lie that the runtime sorts, in bytes: the length of each dimension, then each operand's strides,
/// then the address of each operand's first item.
struct Words {
    ndim: usize,
    operands: usize,
}

impl Words {
    fn length(&self, axis: usize) -> i64 {
        8 * axis as i64
    }

    fn stride(&self, operand: usize, axis: usize) -> i64 {
        self.length((1 + operand) * self.ndim + axis)
    }

    fn data(&self, operand: usize) -> i64 {
        self.length((1 + self.operands) * self.ndim + operand)
    }
}

/// The array that an operand is: a number is one without dimensions.
fn operand(types: &TypeTable, ty: Type) -> Option<ArrayType> {
    let plain = types.unliteral(ty);
    let scalar = ArrayType { dtype: plain, ndim: 0, layout: Layout::C, mutable: false, aligned: true };
    // A slot of the frame holds a number.
    let is_number = plain == Type::BOOL || plain.is_number();
    types.array(ty).or_else(|| is_number.then_some(scalar))
}

/// The arrays that are given: one, or some in a tuple.
fn operands(types: &TypeTable, of: Type) -> Option<Vec<ArrayType>> {
    match types.items(of) {
        Some(items) if items.is_empty() => None,
        Some(items) => items.iter().map(|&item| operand(types, item)).collect(),
        None => Some(vec![operand(types, of)?]),
    }
}

/// The arrays that a walk holds: of one shape, unless there is only one, which is contiguous.
fn walked_through(arrays: &[ArrayType]) -> Vec<ArrayType> {
    let ndim = arrays.iter().map(|array| array.ndim).max().unwrap_or_default();
    if is_even(arrays) || ndim == 0 {
        return arrays.to_vec();
    }
    arrays.iter().map(|array| ArrayType { ndim, layout: Layout::Any, ..*array }).collect()
}

/// Whether the items are contiguous as the walk goes.
fn is_even(arrays: &[ArrayType]) -> bool {
    matches!(arrays, [array] if array.layout != Layout::Any)
}

fn resolve(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [of] = *args else { return None };
    let arrays = walked_through(&operands(types, of)?);
    let arrays: Vec<Type> = arrays.into_iter().map(|array| types.intern(TypeData::Array(array))).collect();
    let result = types.intern(TypeData::Facet { facet: Facet::Nditer, of: types.tuple(&arrays) });
    Some(Resolution { result, params: args.to_vec(), emit: begin })
}

/// The operands as arrays; numbers are written to memory.
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
        let [data, owner] = emit.iterator_state(16);
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
    let zero = emit.b.iconst(Native::I64, 0);
    for &length in arrays.iter().flat_map(|array| &array.shape) {
        let nothing = emit.b.icmp(IntCond::Eq, length, zero);
        emit.raise_if(nothing, ValueError, "Iteration of zero-sized operands is not enabled");
    }
    let given: Vec<ArrayType> = arrays.iter().map(|array| array.ty).collect();
    let arrays = if is_even(&given) || ndim == 0 {
        arrays
    } else {
        let shape = broadcast(emit, &arrays, ndim);
        sorted(emit, arrays, &shape, &walked_through(&given))
    };
    let parts: Vec<Value> = arrays.iter().flat_map(|array| array.close(emit).parts).collect();
    Ok(flatiter::begin(emit, ndim, parts.into_iter()))
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

/// The arrays with this shape, their dimensions as the runtime sorts them.
fn sorted(
    emit: &mut Emit<'_>,
    mut arrays: Vec<ArrayParts>,
    shape: &[Value],
    types: &[ArrayType],
) -> Vec<ArrayParts> {
    let words = Words { ndim: shape.len(), operands: arrays.len() };
    let slot = emit.frame_slot(words.data(words.operands) as u32);
    let (zero, one) = (emit.b.iconst(Native::I64, 0), emit.b.iconst(Native::I64, 1));
    for (axis, &length) in shape.iter().enumerate() {
        emit.b.store(slot, words.length(axis), length);
        for (number, array) in arrays.iter().enumerate() {
            let stride = match (axis + array.shape.len()).checked_sub(words.ndim) {
                Some(own) => {
                    let single = emit.b.icmp(IntCond::Eq, array.shape[own], one);
                    emit.b.select(single, zero, array.strides[own])
                }
                None => zero,
            };
            emit.b.store(slot, words.stride(number, axis), stride);
        }
    }
    for (number, array) in arrays.iter().enumerate() {
        emit.b.store(slot, words.data(number), array.data);
    }
    sort(emit, slot, &words);
    let shape: SmallVec<[Value; 4]> =
        (0..words.ndim).map(|axis| emit.b.load(Native::I64, slot, words.length(axis))).collect();
    for ((number, array), &ty) in arrays.iter_mut().enumerate().zip(types) {
        array.ty = ty;
        array.shape = shape.clone();
        array.strides =
            (0..words.ndim).map(|axis| emit.b.load(Native::I64, slot, words.stride(number, axis))).collect();
        array.data = emit.b.load(Native::Ptr, slot, words.data(number));
    }
    arrays
}

fn sort(emit: &mut Emit<'_>, slot: Value, words: &Words) {
    let ndim = emit.b.iconst(Native::I64, words.ndim as i64);
    let operands = emit.b.iconst(Native::I64, words.operands as i64);
    emit.call_runtime(Runtime::SortAxes, &[slot, ndim, operands]);
}

/// The arrays of a walk.
fn walked(types: &TypeTable, ty: Type) -> Option<Vec<ArrayType>> {
    let TypeData::Facet { facet: Facet::Nditer, of } = types.get(ty) else { return None };
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
    let (mut arrays, mut rest) = (Vec::new(), &args[0].parts[2..]);
    for ty in types {
        let ty = emit.types.intern(TypeData::Array(ty));
        let (own, behind) = rest.split_at(emit.machine_types(ty).len());
        rest = behind;
        arrays.push(ArrayParts::open(emit, &Operand::new(ty, own.iter().copied()))?);
    }
    let size = arrays[0].size(emit);
    let at = flatiter::advance(emit, slot, size)?;
    let given: Vec<ArrayType> = arrays.iter().map(|array| array.ty).collect();
    let addresses: Vec<Value> = if is_even(&given) {
        let item = emit.b.iconst(Native::I64, item_size(emit, given[0].dtype)?);
        vec![address(emit, arrays[0].data, &[item], &[at])]
    } else {
        let indices = flatiter::advance_indices(emit, slot, &arrays[0].shape)?;
        arrays.iter().map(|array| address(emit, array.data, &array.strides, &indices)).collect()
    };
    let mut parts = Vec::new();
    for (array, data) in arrays.into_iter().zip(addresses) {
        let ty = item(&array.ty);
        let item =
            ArrayParts { ty, data, owner: array.owner, shape: SmallVec::new(), strides: SmallVec::new() };
        parts.extend(item.close(emit).parts);
    }
    Ok(Operand::new(Type::NONE, parts))
}
