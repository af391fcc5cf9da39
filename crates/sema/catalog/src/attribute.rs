//! Attribute lookup: fields of records, and attributes by the catalog's rules.
//!
//! A field of a record hides an attribute of this name, a field of an array of records does not. Inference, lowering and the
//! verifier all use this module, so that they agree.

use crate::{Catalog, Key, Resolved};
use types::{Type, TypeTable};

/// What `of.name` is: a field of an object or of a record, or an attribute. (A field of an array comes after its methods:
/// [`field`].)
pub fn attribute(catalog: &Catalog, types: &TypeTable, of: Type, name: &str) -> Option<Resolved> {
    if types.is_instance(types.without_none(of)) {
        let field = catalog.ask(types, Key::Function("rumba.field".into()), &[of, types.literal_str(name)]);
        return field.or_else(|| catalog.ask(types, Key::Getattr(name.into()), &[of]));
    }
    let of_record = types.record(of).and_then(|_| field(catalog, types, of, name));
    of_record.or_else(|| catalog.ask(types, Key::Getattr(name.into()), &[of]))
}

/// The field of a record, or of all records of an array: the item with that name.
pub fn field(catalog: &Catalog, types: &TypeTable, of: Type, name: &str) -> Option<Resolved> {
    types.record(types.array(of).map_or(of, |array| array.dtype))?;
    catalog.ask(types, Key::Getitem, &[of, types.literal_str(name)])
}

/// What `of.name = value` is: a field of an object is set, an item where there are records, an attribute elsewhere.
pub fn assigned_attribute(
    catalog: &Catalog,
    types: &TypeTable,
    of: Type,
    name: &str,
    value: Type,
) -> Option<Resolved> {
    if types.is_instance(types.without_none(of)) {
        let key = Key::Function("rumba.set_field".into());
        return catalog.ask(types, key, &[of, types.literal_str(name), value]);
    }
    match types.record(types.array(of).map_or(of, |array| array.dtype)) {
        Some(_) => catalog.ask(types, Key::Setitem, &[of, types.literal_str(name), value]),
        None => catalog.ask(types, Key::Setattr(name.into()), &[of, value]),
    }
}
