//! The layout of the fields of an object in its block: in sequence, aligned as in C.
//!
//! Absent: the header before them and the masks after them (`rt::object`).

use crate::item_layout::Slot;
use crate::{Emit, Operand};
use ir::{Native, Op};
use std::sync::Arc;
use types::{Type, TypeData, TypeTable};

/// A field in its place.
#[derive(Clone, Debug)]
pub struct Field {
    /// Its name.
    pub name: Arc<str>,
    /// Its type.
    pub ty: Type,
    /// The layout of its value there.
    pub slot: Slot,
    /// Bytes from the first field on.
    pub offset: i64,
}

/// Where all fields are.
#[derive(Clone, Debug)]
pub struct ObjectLayout {
    /// The fields, in their order.
    pub fields: Vec<Field>,
    /// Words that they take.
    pub words: i64,
    /// Which words are owners, a mask for every 64.
    pub masks: Vec<u64>,
}

impl ObjectLayout {
    /// The layout of instances of a type; nothing if that is no class, or a field cannot be stored.
    pub fn of(types: &TypeTable, instance: Type) -> Option<ObjectLayout> {
        let class = types.class(instance)?;
        let mut at = 0;
        let mut fields = Vec::with_capacity(class.fields.len());
        for (name, ty) in &class.fields {
            let slot = Slot::of(types, *ty)?;
            // A part that is an owner takes a whole word, which masks count.
            let align = if slot.size >= 8 || slot.owners != 0 {
                8
            } else {
                slot.size.max(1).cast_unsigned().next_power_of_two().cast_signed()
            };
            at = (at + align - 1) & -align;
            let size = slot.size;
            fields.push(Field { name: name.clone(), ty: *ty, slot, offset: at });
            at += size;
        }
        let words = (at + 7) / 8;
        let mut masks = vec![0; (words as usize).div_ceil(64)];
        for field in &fields {
            let mut owners = field.slot.owners;
            while owners != 0 {
                let word = field.offset as usize / 8 + owners.trailing_zeros() as usize;
                masks[word / 64] |= 1 << (word % 64);
                owners &= owners - 1;
            }
        }
        Some(ObjectLayout { fields, words, masks })
    }

    /// A field by its name.
    pub fn field(&self, name: &str) -> Option<&Field> {
        self.fields.iter().find(|field| *field.name == *name)
    }
}

/// The values of the fields that say alone which objects of a class are equal; nothing if no such fields do.
pub fn load_identifying_fields(emit: &mut Emit<'_>, object: &Operand) -> Option<Vec<Operand>> {
    let names = emit.types.identifying_fields(object.ty)?;
    let layout = ObjectLayout::of(emit.types, object.ty)?;
    let block = emit.b.convert(Op::Bitcast, object.value(), Native::Ptr);
    let load = |emit: &mut Emit<'_>, field: &Field| {
        let offset = emit.b.iconst(Native::I64, abi::ITEMS + abi::FIELDS + field.offset);
        let address = emit.b.native(Op::PtrAdd, [], &[block, offset], Native::Ptr);
        field.slot.load(emit, field.ty, address)
    };
    names.iter().map(|(name, _)| layout.field(name).map(|field| load(emit, field))).collect()
}

/// The first part of a value that is never 0, by which a field is known to have been set. Of other values any word means
/// something: a field of numbers that nobody has set is 0.
pub fn part_that_tells(types: &TypeTable, ty: Type) -> Option<usize> {
    match types.get(ty) {
        TypeData::List { .. }
        | TypeData::Deque { .. }
        | TypeData::Dict { .. }
        | TypeData::Set { .. }
        | TypeData::Instance { .. }
        | TypeData::GeneratorObject { .. }
        | TypeData::Caught(_)
        | TypeData::CaughtClass
        | TypeData::CaughtTraceback => Some(0),
        // The address of the characters, of the items or of the record.
        TypeData::Str
        | TypeData::Record(_)
        | TypeData::Array(_)
        | TypeData::Buffer(..)
        | TypeData::Union(_) => Some(1),
        TypeData::Foreign { held, .. } => part_that_tells(types, held),
        _ => {
            let mut before = 0;
            for &part in types.elements(ty)?.iter() {
                if let Some(found) = part_that_tells(types, part) {
                    return Some(before + found);
                }
                before += crate::machine_types(types, part).len();
            }
            None
        }
    }
}
