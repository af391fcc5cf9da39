//! The types of compiled code: interned data, the conversion lattice, signatures, names.
//!
//! A [`Type`] is an id into a [`TypeTable`]. Scalars have fixed ids
//! ([`Type::INT64`] ...), so most of the compiler never needs the table. Equal types have equal
//! ids within one table, and a session has one table.
//!
//! Absent: Python objects (they are a [`Handle`] that only `python` can resolve) and
//! machine representations (the data model is in `catalog`).

mod array;
mod buffer;
mod class;
mod container;
mod conversion;
mod datetime_unit;
mod frames;
mod interner;
mod names;
mod overload;
mod parse_names;
mod record;
mod split;
mod tagged_union;
mod type_data;
mod unify;
mod user_casts;

pub use array::{ArrayType, Facet, Layout};
pub use buffer::BufferKind;
pub use container::{INDEX_TRICKS, STREAMS};
pub use conversion::{
    Conversion, becomes_object, convert, fits_item, has_python_object, holds_object, kind, may_become_object,
    python_name,
};
pub use datetime_unit::TimeUnit;
pub use interner::{ElementKernel, TypeTable};
pub use overload::{Mismatch, Signature, choose_overload};
pub use record::{RecordField, RecordType};
pub use type_data::{
    Class, EnumKind, FieldNames, Handle, LiteralValue, ManagerKind, Member, SetKind, Type, TypeData,
    USER_EXCEPTION,
};
pub use unify::{unify, unify_unchanged};
pub use user_casts::Cast;
