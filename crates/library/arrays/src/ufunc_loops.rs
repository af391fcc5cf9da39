//! Inner loops of C ufuncs, for the library: over array elements, and for scalars in stack slots.
//!
//! A loop has the name `module:ufunc:types`, with the types of `ufunc.types`. Its address is known at run time.

use abi::ExceptionClass::RuntimeError;
use abi::Runtime;
use catalog::array::ArrayParts;
use catalog::element::ItemPointer;
use catalog::string::constant_bytes;
use catalog::{Catalog, Emit, Operand, Resolution};
use diag::{Diagnostic, Result};
use ir::{IntCond, Native, Op, Value};
use types::{Layout, LiteralValue, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.ufunc_loop", resolve_loop);
    catalog.add_generic("rumba.ufunc_call", resolve_call);
}

fn name_of(types: &TypeTable, ty: Type) -> Option<Box<str>> {
    match types.literal(ty)? {
        LiteralValue::Str(text) => Some(text.to_string().into()),
        _ => None,
    }
}

/// A name, vectors of integers (addresses, lengths and steps), and arrays that have to live until then.
fn resolve_loop(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&name, vectors) = args.get(..4)?.split_first()?;
    name_of(types, name)?;
    let is_vector = |ty: &Type| {
        types.array(*ty).is_some_and(|array| array.layout == Layout::C && array.dtype == Type::INT64)
    };
    vectors.iter().all(is_vector).then(|| Resolution {
        result: Type::NONE,
        params: args.to_vec(),
        emit: call_loop,
    })
}

fn call_loop(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let record = find_loop(emit, args[0].ty)?;
    let mut words = [record; 3];
    for (word, arg) in words.iter_mut().zip(&args[1..4]) {
        *word = ArrayParts::open(emit, arg)?.data;
    }
    run(emit, record, words);
    Ok(Operand::new(Type::NONE, []))
}

/// The types of arguments and of results that characters stand for.
fn operand_types(name: &str) -> Option<(Vec<Type>, Vec<Type>)> {
    let (params, results) = name.rsplit(':').next()?.split_once("->")?;
    let read = |letters: &str| letters.chars().map(type_of).collect::<Option<Vec<Type>>>();
    Some((read(params)?, read(results)?))
}

fn type_of(letter: char) -> Option<Type> {
    Some(match letter {
        '?' => Type::BOOL,
        'b' => Type::INT8,
        'B' => Type::UINT8,
        'h' => Type::INT16,
        'H' => Type::UINT16,
        'i' => Type::INT32,
        'I' => Type::UINT32,
        'l' | 'q' | 'p' => Type::INT64,
        'L' | 'Q' | 'P' => Type::UINT64,
        'e' => Type::FLOAT16,
        'f' => Type::FLOAT32,
        'd' => Type::FLOAT64,
        'F' => Type::COMPLEX64,
        'D' => Type::COMPLEX128,
        _ => return None,
    })
}

/// A name, and numbers of the types that the loop takes: gives its result, or the tuple of its results.
fn resolve_call(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let (&name, given) = args.split_first()?;
    let (params, results) = operand_types(&name_of(types, name)?)?;
    let is_number = |ty: Type| ty == Type::BOOL || ty.is_int() || ty.is_float() || ty.is_complex();
    let fits = params.len() == given.len() && given.iter().all(|&ty| is_number(types.unliteral(ty)));
    fits.then(|| Resolution {
        result: if let [only] = results[..] { only } else { types.tuple(&results) },
        params: std::iter::once(name).chain(params).collect(),
        emit: call_once,
    })
}

fn call_once(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let missing = || Diagnostic::internal("emission", "the loop of a ufunc without types");
    let name = name_of(emit.types, args[0].ty).ok_or_else(missing)?;
    let (params, results) = operand_types(&name).ok_or_else(missing)?;
    let record = find_loop(emit, args[0].ty)?;
    let count = (params.len() + results.len()) as u32;
    let [addresses, steps] = [emit.frame_slot(8 * count), emit.frame_slot(8 * count)];
    let length = emit.frame_slot(8);
    let [zero, one] = [0, 1].map(|number| emit.b.iconst(Native::I64, number));
    emit.b.store(length, 0, one);
    let mut pointers = Vec::new();
    for (at, &ty) in params.iter().chain(&results).enumerate() {
        let pointer = ItemPointer { owner: zero, address: emit.frame_slot(16), aligned: true, mutable: true };
        if let Some(value) = args.get(at + 1) {
            pointer.store(emit, ty, value);
        }
        emit.b.store(addresses, 8 * at as i64, pointer.address);
        emit.b.store(steps, 8 * at as i64, zero);
        pointers.push(pointer);
    }
    run(emit, record, [addresses, length, steps]);
    let made = results.iter().zip(&pointers[params.len()..]);
    let parts: Vec<Value> = made.flat_map(|(&ty, pointer)| pointer.load(emit, ty).parts).collect();
    let result = if let [only] = results[..] { only } else { emit.types.tuple(&results) };
    Ok(Operand::new(result, parts))
}

/// The record of a loop, which lives for ever.
fn find_loop(emit: &mut Emit<'_>, name: Type) -> Result<Value> {
    let name = name_of(emit.types, name)
        .ok_or_else(|| Diagnostic::internal("emission", "the loop of a ufunc without a name"))?;
    let bytes = constant_bytes(emit, name.as_bytes());
    let length = emit.b.iconst(Native::I64, name.len() as i64);
    let record = emit.call_runtime(Runtime::UfuncLoop, &[bytes, length])[0];
    let (address, zero) = (emit.b.convert(Op::Bitcast, record, Native::I64), emit.b.iconst(Native::I64, 0));
    let missing = emit.b.icmp(IntCond::Eq, address, zero);
    emit.raise_if(missing, RuntimeError, &format!("the version installed here has no loop {name}"));
    Ok(record)
}

fn run(emit: &mut Emit<'_>, record: Value, [addresses, lengths, steps]: [Value; 3]) {
    emit.call_runtime(Runtime::RunUfuncLoop, &[record, addresses, lengths, steps]);
}
