//! Tuples of numbers, possibly nested, as array arguments.

use crate::alloc::allocate;
use catalog::array::{ArrayParts, item_size, store_item};
use catalog::{Emit, Operand, cast};
use diag::Result;
use ir::{Native, Value};
use smallvec::SmallVec;
use types::{Layout, Type, TypeTable};

/// The shape and the types of the items of a tuple of numbers, or of tuples that have one shape.
pub(crate) fn shape_of(types: &TypeTable, tuple: Type) -> Option<(Vec<i64>, Vec<Type>)> {
    let elements = types.elements(tuple)?;
    let length = i64::try_from(elements.len()).ok()?;
    let (mut inner, mut items): (Option<Vec<i64>>, Vec<Type>) = (None, Vec::new());
    for &element in elements.iter() {
        let (shape, of) = match types.unliteral(element) {
            plain if plain.is_number() || plain == Type::BOOL => (Vec::new(), vec![element]),
            _ => shape_of(types, element)?,
        };
        if inner.get_or_insert_with(|| shape.clone()) != &shape {
            return None;
        }
        items.extend(of);
    }
    Some((std::iter::once(length).chain(inner?).collect(), items))
}

/// A new array of the items of a tuple.
pub(crate) fn as_array(emit: &mut Emit<'_>, tuple: &Operand, dtype: Type) -> Result<Option<ArrayParts>> {
    let Some((shape, items)) = shape_of(emit.types, tuple.ty) else { return Ok(None) };
    let shape: SmallVec<[Value; 4]> =
        shape.into_iter().map(|length| emit.b.iconst(Native::I64, length)).collect();
    let made = allocate(emit, dtype, &shape, Layout::C, false)?;
    let size = item_size(emit, dtype)?;
    let mut at = 0;
    for (number, item) in items.into_iter().enumerate() {
        let count = emit.machine_types(item).len();
        let item = Operand::new(item, tuple.parts[at..at + count].iter().copied());
        at += count;
        let item = cast(emit, &item, dtype)?;
        let offset = emit.b.iconst(Native::I64, size * number as i64);
        let address = emit.b.native(ir::Op::PtrAdd, [], &[made.data, offset], Native::Ptr);
        store_item(emit, &made, address, &item);
    }
    Ok(Some(made))
}
