//! Compile-time properties of a record, an array element with named fields.

use crate::array::item_alignment;
use crate::split::split_at_commas;
use crate::{Conversion, Type, TypeData, TypeTable};
use std::fmt::Write;
use std::sync::Arc;

/// A field of a record. One that has a title is listed under both names.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RecordField {
    /// Its name.
    pub name: Arc<str>,
    /// Type of the value, or of the elements if the field is an array.
    pub ty: Type,
    /// Shape of the field if it is an array; empty for a single value.
    pub shape: Arc<[i64]>,
    /// Its offset in bytes.
    pub offset: i64,
    /// Its other name.
    pub title: Option<Arc<str>>,
}

/// The type of a record.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RecordType {
    /// Its fields.
    pub fields: Arc<[RecordField]>,
    /// Bytes of a record.
    pub size: i64,
    /// Whether the fields are laid out as in C, so that they are aligned if the record is.
    pub aligned: bool,
    /// Whether fields may be written.
    pub mutable: bool,
}

impl RecordType {
    /// The field of this name.
    pub fn field(&self, name: &str) -> Option<&RecordField> {
        self.fields.iter().find(|field| *field.name == *name)
    }
}

impl TypeTable {
    /// The record that a type is, if it is one.
    pub fn record(&self, ty: Type) -> Option<Arc<RecordType>> {
        match self.get(ty) {
            TypeData::Record(record) => Some(record),
            _ => None,
        }
    }

    /// The type of a value in memory that is writable or not: only record types differ.
    pub fn seen_in(&self, ty: Type, mutable: bool) -> Type {
        match self.record(ty) {
            Some(record) if record.mutable != mutable => {
                self.intern(TypeData::Record(Arc::new(RecordType { mutable, ..(*record).clone() })))
            }
            _ => ty,
        }
    }

    /// What a multiple of an address must be for the fields of a record to be aligned.
    pub(crate) fn record_alignment(&self, record: &RecordType) -> i64 {
        if !record.aligned {
            return 1;
        }
        record.fields.iter().map(|field| item_alignment(self, field.ty)).max().unwrap_or(1)
    }

    /// `Record(a[type=int32;offset=0],b[type=float64;offset=8];16;True)`.
    pub(crate) fn record_name(&self, record: &RecordType) -> String {
        let mut out = if record.mutable { "Record(" } else { "readonly Record(" }.to_owned();
        for (number, field) in record.fields.iter().enumerate() {
            let comma = if number > 0 { "," } else { "" };
            let title = field.title.as_ref().map_or(String::new(), |title| format!(";title={title}"));
            let ty = match field.shape.len() {
                0 => self.name(field.ty),
                _ => format!("nestedarray({}, {})", self.name(field.ty), shape_name(&field.shape)),
            };
            write!(out, "{comma}{}[type={ty};offset={}{title}]", field.name, field.offset)
                .expect("writing to a string cannot fail");
        }
        format!("{out};{};{})", record.size, if record.aligned { "True" } else { "False" })
    }

    /// The record whose name has this text in its parentheses.
    pub(crate) fn parse_record(&self, inner: &str, mutable: bool) -> Option<Type> {
        let (rest, aligned) = inner.rsplit_once(';')?;
        let (fields, size) = rest.rsplit_once(';')?;
        let fields: Option<Vec<RecordField>> =
            split_at_commas(fields).into_iter().map(|field| self.parse_field(field)).collect();
        let (fields, size) = (fields?.into(), size.parse().ok()?);
        let record = RecordType { fields, size, aligned: aligned == "True", mutable };
        Some(self.intern(TypeData::Record(Arc::new(record))))
    }

    fn parse_field(&self, text: &str) -> Option<RecordField> {
        let (name, rest) = text.split_once("[type=")?;
        let rest = rest.strip_suffix(']')?;
        let (ty, rest) = rest.rsplit_once(";offset=")?;
        let (offset, title) = match rest.split_once(";title=") {
            Some((offset, title)) => (offset, Some(title.into())),
            None => (rest, None),
        };
        let nested = ty.strip_prefix("nestedarray(").and_then(|rest| rest.strip_suffix("))"));
        let (ty, shape) = match nested {
            Some(nested) => nested.rsplit_once(", (")?,
            None => (ty, ""),
        };
        let lengths = shape.split(',').map(str::trim).filter(|length| !length.is_empty());
        let shape: Option<Vec<i64>> = lengths.map(|length| length.parse().ok()).collect();
        let ty = self.parse(ty)?;
        Some(RecordField { name: name.into(), ty, shape: shape?.into(), offset: offset.parse().ok()?, title })
    }
}

/// A shape as Python prints it.
fn shape_name(shape: &[i64]) -> String {
    let lengths: Vec<String> = shape.iter().map(i64::to_string).collect();
    let end = if shape.len() == 1 { "," } else { "" };
    format!("({}{end})", lengths.join(", "))
}

/// A record may be taken for one that ends earlier, with the same fields in front, and for one that is not written.
pub(crate) fn convert_record(from: &RecordType, to: &RecordType) -> Option<Conversion> {
    let begins_alike = to.fields.len() <= from.fields.len()
        && from.fields.iter().zip(to.fields.iter()).all(|(a, b)| a == b)
        && from.size >= to.size;
    (begins_alike && (from.mutable || !to.mutable)).then_some(Conversion::Safe)
}

/// The record type that two records share: they differ in whether they are written.
pub(crate) fn unify_records(table: &TypeTable, a: &RecordType, b: &RecordType) -> Option<Type> {
    let frozen = RecordType { mutable: false, ..a.clone() };
    (frozen == RecordType { mutable: false, ..b.clone() })
        .then(|| table.intern(TypeData::Record(Arc::new(frozen))))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{convert, unify};

    const PACKED: &str = "Record(a[type=int32;offset=0],b[type=float64;offset=4];12;False)";
    const MORE: &str = "Record(a[type=int32;offset=0],b[type=float64;offset=4],c[type=nestedarray(int16, (2, 3));offset=12];24;False)";

    #[test]
    fn names_read_back() {
        let table = TypeTable::default();
        let nested = format!(
            "Record(n[type={PACKED};offset=0;title=t, u],v[type=nestedarray({MORE}, (3,));offset=12];84;True)"
        );
        for text in [PACKED, MORE, "readonly Record(x[type=bool;offset=0];1;False)"] {
            let ty = table.parse(text).unwrap();
            assert_eq!(table.name(ty), text);
        }
        let nested = nested.replace("t, u", "tu");
        assert_eq!(table.name(table.parse(&nested).unwrap()), nested);
        let array = format!("unaligned array({MORE}, 2d, C)");
        assert_eq!(table.name(table.parse(&array).unwrap()), array);
    }

    #[test]
    fn records_convert_to_their_beginnings() {
        let table = TypeTable::default();
        let (short, long) = (table.parse(PACKED).unwrap(), table.parse(MORE).unwrap());
        assert_eq!(convert(&table, long, short), Some(Conversion::Safe));
        assert_eq!(convert(&table, short, long), None);
        let frozen = table.seen_in(short, false);
        assert_eq!(convert(&table, short, frozen), Some(Conversion::Safe));
        assert_eq!(convert(&table, frozen, short), None);
        assert_eq!(unify(&table, short, frozen), Some(frozen));
        assert_eq!(unify(&table, short, long), None);
        assert_eq!(table.seen_in(frozen, true), short);
    }
}
