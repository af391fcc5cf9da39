//! Typed ids, tables keyed by them, and the interner.
//!
//! Every block, value, instruction and type of the compiler is a `u32` newtype (an *entity*);
//! data about it is in tables keyed by the id. The tables are those of `cranelift-entity`; the
//! interner and the hash tables without a random seed are defined here.
//!
//! Absent: anything that knows what an entity means.

pub use cranelift_entity::packed_option::{PackedOption, ReservedValue};
pub use cranelift_entity::{EntityRef, EntitySet, Keys, entity_impl};

mod interner;
pub use interner::Interner;

/// A table that owns its entities: pushing returns the next id.
pub type Table<K, V> = cranelift_entity::PrimaryMap<K, V>;
/// Facts about entities of another table; a missing entry reads as the default.
pub type SideTable<K, V> = cranelift_entity::SecondaryMap<K, V>;
/// Hash map with a fixed hash function: iteration order must still never reach any output.
pub type HashMap<K, V> = rustc_hash::FxHashMap<K, V>;
/// Hash set with a fixed hash function.
pub type HashSet<K> = rustc_hash::FxHashSet<K>;
/// Hash map that iterates in insertion order, for everything that reaches an output.
pub type OrderedMap<K, V> = indexmap::IndexMap<K, V, rustc_hash::FxBuildHasher>;
/// Hash set that iterates in insertion order.
pub type OrderedSet<K> = indexmap::IndexSet<K, rustc_hash::FxBuildHasher>;

/// Declares an entity: a `u32` newtype with a printed prefix.
///
/// ```
/// entity::id!(
///     /// A room of a house.
///     pub struct Room = "room"
/// );
/// let mut names: entity::Table<Room, &str> = entity::Table::new();
/// let kitchen = names.push("kitchen");
/// assert_eq!(kitchen.to_string(), "room0");
/// ```
#[macro_export]
macro_rules! id {
    ($(#[$meta:meta])* $vis:vis struct $name:ident = $prefix:literal) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(u32);
        $crate::entity_impl!($name, $prefix);
    };
}
