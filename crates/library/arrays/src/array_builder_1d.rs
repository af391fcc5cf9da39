//! The array builder of a comprehension of known length: `np.array([f(i) for i in range(n)])` without an intermediate
//! list.
//!
//! While it is filled (`TypeData::ArrayBuilder`), the next index is in the frame, next to the array. If the length is not
//! known in advance, or there are more dimensions, the array grows ([`crate::array_builder`]).

use crate::alloc::allocate;
use catalog::array::{ArrayParts, item_size, store_item};
use catalog::{Catalog, Emit, Operand, Resolution};
use diag::{Diagnostic, Result};
use ir::{Native, Op};
use types::{ArrayType, Type, TypeData, TypeTable};

pub(crate) fn add(catalog: &mut Catalog) {
    catalog.add_generic("rumba.builder_new", resolve_new);
    catalog.add_generic("rumba.builder_put", resolve_put);
    catalog.add_generic("rumba.builder_done", resolve_done);
}

/// The array that a builder of fixed length fills.
pub(crate) fn filled(types: &TypeTable, builder: Type) -> Option<(Type, ArrayType)> {
    let TypeData::ArrayBuilder { array, growable: false } = types.get(builder) else { return None };
    Some((array, types.array(array).filter(|parts| parts.ndim == 1)?))
}

/// A builder of this type for a given number of items.
fn resolve_new(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [like, count] = *args else { return None };
    filled(types, like)?;
    types.unliteral(count).is_int().then_some(())?;
    Some(Resolution {
        result: like,
        params: vec![like, Type::INT64],
        emit: |emit, args| {
            let (_, ty) = opened(emit, &args[0])?;
            let address = emit.frame_slot(8);
            let zero = emit.b.iconst(Native::I64, 0);
            emit.b.store(address, 0, zero);
            let array = allocate(emit, ty.dtype, &[args[1].value()], ty.layout, false)?.close(emit);
            Ok(Operand::new(args[0].ty, std::iter::once(address).chain(array.parts)))
        },
    })
}

/// At the next address, of which there is one.
fn resolve_put(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [builder, item] = *args else { return None };
    let (_, array) = filled(types, builder)?;
    types::fits_item(types, item, array.dtype).then_some(())?;
    Some(Resolution { result: Type::NONE, params: vec![builder, array.dtype], emit: put })
}

fn put(emit: &mut Emit<'_>, args: &[Operand]) -> Result<Operand> {
    let (array, ty) = opened(emit, &args[0])?;
    let parts = ArrayParts::open(emit, &array)?;
    let address = args[0].parts[0];
    let at = emit.b.load(Native::I64, address, 0);
    let size = emit.b.iconst(Native::I64, item_size(emit, ty.dtype)?);
    let offset = emit.b.like_first(Op::Imul, &[at, size]);
    let to = emit.b.native(Op::PtrAdd, [], &[parts.data, offset], Native::Ptr);
    store_item(emit, &parts, to, &args[1]);
    let one = emit.b.iconst(Native::I64, 1);
    let following = emit.b.like_first(Op::Iadd, &[at, one]);
    emit.b.store(address, 0, following);
    Ok(Operand::new(Type::NONE, []))
}

fn resolve_done(types: &TypeTable, args: &[Type]) -> Option<Resolution> {
    let [builder] = *args else { return None };
    let (array, _) = filled(types, builder)?;
    let emit: catalog::EmitFn = |emit, args| Ok(opened(emit, &args[0])?.0);
    Some(Resolution { result: array, params: args.to_vec(), emit })
}

fn opened(emit: &Emit<'_>, builder: &Operand) -> Result<(Operand, ArrayType)> {
    let Some((array, ty)) = filled(emit.types, builder.ty) else {
        return Err(Diagnostic::internal("emission", "an array to fill that is none"));
    };
    Ok((Operand::new(array, builder.parts[1..].iter().copied()), ty))
}
