//! Compile-time properties of an array: dtype, dimensions, layout.

use crate::{Conversion, Type, TypeData, TypeTable};

/// In which order an array's items lie in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Layout {
    /// One row after the other, without gaps.
    C,
    /// One column after the other, without gaps.
    F,
    /// As strides say that are known at run time.
    Any,
}

impl Layout {
    /// The letter that NumPy and Numba give it.
    pub fn letter(self) -> char {
        match self {
            Layout::C => 'C',
            Layout::F => 'F',
            Layout::Any => 'A',
        }
    }

    /// The layout with this letter.
    pub fn from_letter(letter: &str) -> Option<Layout> {
        [Layout::C, Layout::F, Layout::Any].into_iter().find(|layout| letter == layout.letter().to_string())
    }
}

/// The type of an array: everything but its shape and its address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ArrayType {
    /// Type of the items: a number or a boolean.
    pub dtype: Type,
    /// Number of dimensions.
    pub ndim: u8,
    /// Order of the items.
    pub layout: Layout,
    /// Whether items may be written.
    pub mutable: bool,
    /// Whether items lie at addresses that are multiples of what their type asks for.
    pub aligned: bool,
}

/// A way to see arrays, or dicts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Facet {
    /// `a.flat`: the items in the order of rows.
    Flat,
    /// `np.ndenumerate(a)`: the indices and items.
    Ndenumerate,
    /// `np.ndindex(shape)`: the indices.
    Indices,
    /// `np.nditer((a, b))`: the items of several arrays, side by side.
    Nditer,
    /// `a.flags`.
    Flags,
    /// `a.ctypes`.
    Ctypes,
    /// `d.keys()` of a dict.
    Keys,
    /// `d.values()`.
    Values,
    /// `d.items()`.
    Items,
    /// An array as a stencil's kernel sees it: of a tuple of the array and the indices of the item that offsets count from.
    StencilPoint,
}

impl Facet {
    /// All of them, with the names that their types have in Numba.
    pub const NAMES: [(Facet, &'static str); 10] = [
        (Facet::Flat, "array.flat"),
        (Facet::Ndenumerate, "ndenumerate"),
        (Facet::Indices, "ndindex"),
        (Facet::Nditer, "nditer"),
        (Facet::Flags, "ArrayFlags"),
        (Facet::Ctypes, "ArrayCTypes"),
        (Facet::Keys, "dict_keys"),
        (Facet::Values, "dict_values"),
        (Facet::Items, "dict_items"),
        (Facet::StencilPoint, "stencil_point"),
    ];

    /// The name of the types.
    pub fn name(self) -> &'static str {
        Facet::NAMES.iter().find(|&&(facet, _)| facet == self).map_or("", |&(_, name)| name)
    }

    /// Whether it is an iterator, whose state is in the frame of the function that created it.
    pub fn is_iterator(self) -> bool {
        matches!(self, Facet::Flat | Facet::Ndenumerate | Facet::Indices | Facet::Nditer)
    }
}

impl ArrayType {
    /// Whether the strides are values of their own, as they do not follow from the shape.
    pub fn has_strides(&self) -> bool {
        self.layout == Layout::Any && self.ndim > 0
    }

    /// The same array seen in the order of another layout.
    pub fn with_layout(self, layout: Layout) -> ArrayType {
        // With one dimension there is one order; without dimensions as well.
        let layout = if self.ndim < 2 && layout == Layout::F { Layout::C } else { layout };
        ArrayType { layout, ..self }
    }
}

impl TypeTable {
    /// The array that a type is, if it is one.
    pub fn array(&self, ty: Type) -> Option<ArrayType> {
        match self.get(ty) {
            TypeData::Array(array) => Some(array),
            _ => None,
        }
    }

    /// Bytes of an item of this type in memory.
    pub fn item_size(&self, dtype: Type) -> Option<i64> {
        Some(match self.get(dtype) {
            TypeData::Bool => 1,
            TypeData::Int { bits, .. } | TypeData::Float { bits } | TypeData::Complex { bits } => {
                i64::from(bits) / 8
            }
            TypeData::Record(record) => record.size,
            TypeData::Datetime { .. } => 8,
            TypeData::CharSeq { count, wide } => i64::from(count) * if wide { 4 } else { 1 },
            _ => return None,
        })
    }

    /// What the addresses of items of this type are multiples of where an array is aligned.
    pub fn item_alignment(&self, dtype: Type) -> i64 {
        item_alignment(self, dtype)
    }

    /// The type of an item of an array: that of a record says whether it may be written. An array of objects to which none is assigned
    /// holds None.
    pub fn item_type(&self, array: &ArrayType) -> Type {
        if array.dtype == Type::UNDEFINED {
            return Type::NONE;
        }
        self.seen_in(array.dtype, array.mutable)
    }

    pub(crate) fn array_name(&self, array: &ArrayType) -> String {
        let unaligned = if array.aligned { "" } else { "unaligned " };
        let readonly = if array.mutable { "" } else { "readonly " };
        format!(
            "{unaligned}{readonly}array({}, {}d, {})",
            self.name(array.dtype),
            array.ndim,
            array.layout.letter()
        )
    }

    /// The array whose name is this text after `array` in parentheses, and these words before it.
    pub(crate) fn parse_array(&self, words: &str, inner: &str) -> Option<Type> {
        let (aligned, words) = match words.strip_prefix("unaligned ") {
            Some(rest) => (false, rest),
            None => (true, words),
        };
        let mutable = match words {
            "" => true,
            "readonly " => false,
            _ => return None,
        };
        let (rest, layout) = inner.rsplit_once(", ")?;
        let (dtype, ndim) = rest.rsplit_once(", ")?;
        let (dtype, ndim) = (self.parse(dtype)?, ndim.strip_suffix('d')?.parse().ok()?);
        let layout = Layout::from_letter(layout)?;
        Some(self.intern(TypeData::Array(ArrayType { dtype, ndim, layout, mutable, aligned })))
    }
}

pub(crate) fn item_alignment(table: &TypeTable, dtype: Type) -> i64 {
    match table.get(dtype) {
        TypeData::Record(record) => table.record_alignment(&record),
        TypeData::Complex { bits } => i64::from(bits) / 16,
        TypeData::CharSeq { wide, .. } => {
            if wide {
                4
            } else {
                1
            }
        }
        _ => table.item_size(dtype).unwrap_or(1),
    }
}

/// An array may be taken for one of any layout, for one that is not written, and for one that is not aligned.
pub(crate) fn convert_array(from: &ArrayType, to: &ArrayType) -> Option<Conversion> {
    let fits = from.dtype == to.dtype && from.ndim == to.ndim && (from.mutable || !to.mutable);
    let fits = fits && (from.aligned || !to.aligned);
    let ordered = from.layout == to.layout || to.layout == Layout::Any;
    // Two properties given up are no worse than one: the code that results is general in both.
    (fits && ordered).then_some(Conversion::Safe)
}

/// The array type that two arrays share.
pub(crate) fn unify_arrays(table: &TypeTable, a: &ArrayType, b: &ArrayType) -> Option<Type> {
    if a.dtype != b.dtype || a.ndim != b.ndim {
        return None;
    }
    let layout = if a.layout == b.layout { a.layout } else { Layout::Any };
    let (mutable, aligned) = (a.mutable && b.mutable, a.aligned && b.aligned);
    Some(table.intern(TypeData::Array(ArrayType { layout, mutable, aligned, ..*a })))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{convert, unify};

    #[test]
    fn arrays_lose_their_order_and_their_writability() {
        let table = TypeTable::default();
        let of = |text: &str| table.parse(text).unwrap();
        let rows = of("array(float64, 2d, C)");
        assert_eq!(table.name(rows), "array(float64, 2d, C)");
        assert_eq!(convert(&table, rows, of("array(float64, 2d, A)")), Some(Conversion::Safe));
        assert_eq!(convert(&table, rows, of("readonly array(float64, 2d, C)")), Some(Conversion::Safe));
        assert_eq!(convert(&table, of("readonly array(float64, 2d, C)"), rows), None);
        assert_eq!(convert(&table, rows, of("array(float64, 2d, F)")), None);
        assert_eq!(unify(&table, rows, of("array(float64, 2d, F)")), Some(of("array(float64, 2d, A)")));
        assert_eq!(convert(&table, rows, of("unaligned array(float64, 2d, C)")), Some(Conversion::Safe));
        assert_eq!(convert(&table, of("unaligned array(float64, 2d, C)"), rows), None);
        let packed = of("unaligned readonly array(float64, 2d, F)");
        assert_eq!(unify(&table, rows, packed), Some(of("unaligned readonly array(float64, 2d, A)")));
        assert_eq!(unify(&table, rows, of("array(float64, 1d, C)")), None);
        assert_eq!(unify(&table, rows, of("array(float32, 2d, C)")), None);
    }
}
