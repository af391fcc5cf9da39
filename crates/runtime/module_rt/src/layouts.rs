//! Layouts of values in words and in containers, for code that has a type table.

use catalog::item_layout::Slot;
use catalog::{machine_types, owners};
use containers::{Shape, hash_steps};
use python_rt::data_model::ValueWords;
use python_rt::plan::layout::{Entries, Layout};
use types::{Type, TypeTable};

/// The words of a value.
pub fn words(types: &TypeTable, ty: Type) -> ValueWords {
    ValueWords { count: machine_types(types, ty).len(), owners: owners(types, ty) }
}

/// The layout of a value in a container; nothing if none can hold it.
pub fn layout(types: &TypeTable, ty: Type) -> Option<Layout> {
    Slot::of(types, ty).map(|slot| layout_of(&slot))
}

/// How entries of a dict or set lie in its table.
pub fn entries(types: &TypeTable, ty: Type) -> Option<Entries> {
    let shape = Shape::of(types, ty)?;
    let (size, value_at, owners) = shape.layout();
    let (key, value) = shape.slots();
    let (key, value) = (layout_of(key), layout_of(value));
    let hash = hash_steps(types, shape.key).into();
    Some(Entries { key, value, value_at: value_at as usize, size, owners, hash })
}

fn layout_of(slot: &Slot) -> Layout {
    let parts = slot.parts.iter().map(|&(native, offset)| (offset as usize, native.size() as usize));
    Layout::new(slot.size as usize, parts, slot.owners)
}
