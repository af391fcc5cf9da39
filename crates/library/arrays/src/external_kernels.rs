//! External kernels on array memory, for the library: BLAS, LAPACK and NumPy's sorts.
//!
//! BLAS and LAPACK take all arguments by address, as in Fortran: a number is stored in a stack slot. Whether they
//! are available is known at run time (`has_lapack`).

use abi::ExceptionClass::MemoryError;
use abi::Runtime;
use catalog::array::ArrayParts;
use catalog::{Catalog, Emit, EmitFn, Operand, Resolution};
use diag::{Diagnostic, Result};
use ir::{External, IntCond, Native, Value};
use smallvec::SmallVec;
use types::{Layout, LiteralValue, Type, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.blas", |types, args| {
        resolve_routine(types, args, (blas_result(types, args)?, call_blas))
    });
    catalog
        .add_generic("rumba.lapack", |types, args| resolve_routine(types, args, (Type::INT64, call_lapack)));
    catalog.add_generic("rumba.has_lapack", |_, args| {
        let emit: EmitFn = |emit, _| {
            let there = emit.call_runtime(Runtime::HasLapack, &[])[0];
            let zero = emit.b.iconst(Native::I64, 0);
            Ok(Operand::single(Type::BOOL, emit.b.icmp(IntCond::Ne, there, zero)))
        };
        args.is_empty().then_some(Resolution { result: Type::BOOL, params: Vec::new(), emit })
    });
    catalog.add_generic("rumba.sort_items", |types, args| {
        let [items, kind] = *args else { return None };
        resolve_sort(types, &[items], kind, args)
    });
    catalog.add_generic("rumba.argsort_items", |types, args| {
        let [items, indices, kind] = *args else { return None };
        (types.array(indices)?.dtype == Type::INT64).then_some(())?;
        resolve_sort(types, &[items, indices], kind, args)
    });
}

fn text(types: &TypeTable, ty: Type) -> Option<Box<str>> {
    match types.literal(ty)? {
        LiteralValue::Str(text) => Some(text.to_string().into()),
        _ => None,
    }
}

/// What a routine of BLAS returns.
fn blas_result(types: &TypeTable, args: &[Type]) -> Option<Type> {
    Some(match &*text(types, *args.first()?)? {
        "sdot" => Type::FLOAT32,
        "ddot" => Type::FLOAT64,
        _ => Type::NONE,
    })
}

/// A name, and then letters, numbers and arrays.
fn resolve_routine(types: &TypeTable, args: &[Type], (result, emit): (Type, EmitFn)) -> Option<Resolution> {
    let (&name, given) = args.split_first()?;
    text(types, name)?;
    let mut params = vec![name];
    for &arg in given {
        let plain = types.unliteral(arg);
        let is_letter = || text(types, arg).is_some_and(|text| text.len() == 1);
        params.push(match plain {
            _ if plain.is_int() => Type::INT64,
            _ if plain.is_float() || plain.is_complex() => plain,
            _ if types.array(arg).is_some() || is_letter() => arg,
            _ => return None,
        });
    }
    Some(Resolution { result, params, emit })
}

/// The symbol of a routine, and the words of its arguments.
fn routine(emit: &mut Emit<'_>, args: &[Operand]) -> Result<(String, Vec<Value>)> {
    let name = text(emit.types, args[0].ty)
        .ok_or_else(|| Diagnostic::internal("emission", "a routine without a name"))?;
    let words = args[1..].iter().map(|arg| address(emit, arg)).collect::<Result<_>>()?;
    Ok((format!("rumba_lapack_{name}"), words))
}

/// Calls a routine of BLAS, which cannot fail.
fn call_blas(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (symbol, words) = routine(emit, args)?;
    let given: Vec<Type> = args.iter().map(|arg| arg.ty).collect();
    match blas_result(emit.types, &given).filter(|&ty| ty != Type::NONE) {
        Some(result) => {
            let native = emit.machine_types(result)[0];
            Ok(Operand::single(result, call_external_kernel(emit, &symbol, &words, &[native])[0]))
        }
        None => {
            call_external_kernel(emit, &symbol, &words, &[]);
            Ok(Operand::new(Type::NONE, []))
        }
    }
}

/// Calls a routine of LAPACK, which writes its status where its last argument points.
fn call_lapack(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (symbol, mut words) = routine(emit, args)?;
    let status = emit.frame_slot(8);
    let zero = emit.b.iconst(Native::I64, 0);
    emit.b.store(status, 0, zero);
    words.push(status);
    call_external_kernel(emit, &symbol, &words, &[]);
    Ok(Operand::single(Type::INT64, emit.b.load(Native::I64, status, 0)))
}

/// Calls a C function that somebody lends.
fn call_external_kernel(
    emit: &mut Emit<'_>,
    symbol: &str,
    args: &[Value],
    results: &[Native],
) -> SmallVec<[Value; 1]> {
    let params = args.iter().map(|&arg| emit.b.func.native(arg)).collect();
    emit.b.call_external(External::new(symbol, params, results.to_vec()), args)
}

/// The location of an argument.
fn address(emit: &mut Emit<'_>, arg: &Operand) -> Result<Value> {
    if emit.types.array(arg.ty).is_some() {
        return Ok(ArrayParts::open(emit, arg)?.data);
    }
    let letter = text(emit.types, arg.ty).and_then(|text| text.bytes().next());
    let slot = emit.frame_slot(16);
    let parts = match letter {
        Some(letter) => vec![emit.b.iconst(Native::I64, i64::from(letter))],
        None => arg.parts.to_vec(),
    };
    let size = if arg.ty == Type::COMPLEX64 { 4 } else { 8 };
    for (number, part) in parts.into_iter().enumerate() {
        emit.b.store(slot, size * number as i64, part);
    }
    Ok(slot)
}

/// C-contiguous arrays, and whether equal items keep their order.
fn resolve_sort(types: &TypeTable, arrays: &[Type], kind: Type, args: &[Type]) -> Option<Resolution> {
    let plain = arrays
        .iter()
        .all(|&ty| types.array(ty).is_some_and(|array| array.layout == Layout::C && array.aligned));
    let item = types.array(arrays[0])?.dtype;
    let number = item == Type::BOOL || item.is_int() || item.is_float() || item.is_complex();
    matches!(&*text(types, kind)?, "quick" | "stable").then_some(())?;
    (plain && number).then(|| Resolution { result: Type::NONE, params: args.to_vec(), emit: sort })
}

fn sort(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (kind, arrays) = args.split_last().expect("the rule takes two arguments or more");
    let arrays = arrays.iter().map(|arg| ArrayParts::open(emit, arg)).collect::<Result<Vec<_>>>()?;
    let kind = text(emit.types, kind.ty).unwrap_or_default();
    let what = if arrays.len() == 1 { "sort" } else { "argsort" };
    let symbol = format!("rumba_{what}_{kind}_{}", emit.types.name(arrays[0].ty.dtype));
    let mut words: Vec<Value> = arrays.iter().map(|array| array.data).collect();
    words.push(arrays[0].shape[0]);
    words.push(emit.b.iconst(Native::I64, 0));
    let status = call_external_kernel(emit, &symbol, &words, &[Native::I32])[0];
    let zero = emit.b.iconst(Native::I32, 0);
    let failed = emit.b.icmp(IntCond::Ne, status, zero);
    emit.raise_if(failed, MemoryError, "no memory to sort");
    Ok(Operand::new(Type::NONE, []))
}
