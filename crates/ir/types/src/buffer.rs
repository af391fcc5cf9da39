//! Python objects with memory of their own, other than arrays: bytes and the like.

use crate::{ArrayType, Layout, Type, TypeData, TypeTable};

/// Whose memory it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BufferKind {
    /// `bytes`.
    Bytes,
    /// `bytearray`.
    ByteArray,
    /// `memoryview`.
    MemoryView,
    /// `array.array`.
    PyArray,
    /// An array of NumPy whose items are objects of compiled classes, or None.
    ObjectArray,
}

impl BufferKind {
    /// All of them.
    pub const ALL: [BufferKind; 5] = [
        BufferKind::Bytes,
        BufferKind::ByteArray,
        BufferKind::MemoryView,
        BufferKind::PyArray,
        BufferKind::ObjectArray,
    ];

    /// What its types are called.
    pub fn name(self) -> &'static str {
        match self {
            BufferKind::Bytes => "bytes",
            BufferKind::ByteArray => "bytearray",
            BufferKind::MemoryView => "memoryview",
            BufferKind::PyArray => "pyarray",
            BufferKind::ObjectArray => "objectarray",
        }
    }

    /// Whether a slice of it may lie in the same memory: the others' slices are copies that can be written.
    pub fn has_views(self) -> bool {
        matches!(self, BufferKind::Bytes | BufferKind::MemoryView | BufferKind::ObjectArray)
    }
}

impl TypeTable {
    /// The type of `bytes`.
    pub fn bytes(&self) -> Type {
        let layout = Layout::C;
        let items = ArrayType { dtype: Type::UINT8, ndim: 1, layout, mutable: false, aligned: true };
        self.intern(TypeData::Buffer(BufferKind::Bytes, items))
    }

    /// The type of `bytearray`.
    pub fn bytearray(&self) -> Type {
        let layout = Layout::C;
        let items = ArrayType { dtype: Type::UINT8, ndim: 1, layout, mutable: true, aligned: true };
        self.intern(TypeData::Buffer(BufferKind::ByteArray, items))
    }

    /// Whether a type is that of `bytes`, or of a slice of them.
    pub fn is_bytes(&self, ty: Type) -> bool {
        matches!(self.get(ty), TypeData::Buffer(BufferKind::Bytes, items) if items.ndim == 1)
    }

    /// The type of arrays of objects with this item type, which is that of `item_of_objects`.
    pub fn object_array(&self, dtype: Type, ndim: u8, mutable: bool) -> Type {
        let items = ArrayType { dtype, ndim, layout: Layout::C, mutable, aligned: true };
        self.intern(TypeData::Buffer(BufferKind::ObjectArray, items.with_layout(Layout::C)))
    }

    /// What is known of the items of an array of objects.
    pub fn items_of_object_array(&self, ty: Type) -> Option<ArrayType> {
        match self.get(ty) {
            TypeData::Buffer(BufferKind::ObjectArray, items) => Some(items),
            _ => None,
        }
    }

    /// The item type of arrays of objects that hold a value of this type: an optional object, or undefined if None says nothing
    /// about the class.
    pub fn item_of_objects(&self, value: Type) -> Option<Type> {
        match self.get(value) {
            TypeData::None | TypeData::Undefined => Some(Type::UNDEFINED),
            TypeData::Optional(inner) => self.classes(inner).map(|_| value),
            _ => self.classes(value).map(|_| self.optional(value)),
        }
    }

    /// What is known of the items of an array or of another object with memory.
    pub fn buffer(&self, ty: Type) -> Option<ArrayType> {
        match self.get(ty) {
            TypeData::Array(array) | TypeData::Buffer(_, array) => Some(array),
            _ => None,
        }
    }

    /// The type of a view on an array, or on another object that has views.
    pub fn view_of(&self, whole: Type, view: ArrayType) -> Option<Type> {
        match self.get(whole) {
            TypeData::Array(_) => Some(self.intern(TypeData::Array(view))),
            TypeData::Buffer(kind, _) if kind.has_views() => Some(self.intern(TypeData::Buffer(kind, view))),
            _ => None,
        }
    }

    pub(crate) fn buffer_name(&self, kind: BufferKind, items: &ArrayType) -> String {
        let readonly = if items.mutable { "" } else { "readonly " };
        let (dtype, letter) = (self.name(items.dtype), items.layout.letter());
        format!("{readonly}{}({dtype}, {}d, {letter})", kind.name(), items.ndim)
    }

    /// The type whose name is this text in parentheses after these words.
    pub(crate) fn parse_buffer(&self, head: &str, inner: &str) -> Option<Type> {
        let (mutable, name) = match head.strip_prefix("readonly ") {
            Some(name) => (false, name),
            None => (true, head),
        };
        let kind = BufferKind::ALL.into_iter().find(|kind| kind.name() == name)?;
        let (rest, layout) = inner.rsplit_once(", ")?;
        let (dtype, ndim) = rest.rsplit_once(", ")?;
        let (dtype, ndim) = (self.parse(dtype)?, ndim.strip_suffix('d')?.parse().ok()?);
        let items = ArrayType { dtype, ndim, layout: Layout::from_letter(layout)?, mutable, aligned: true };
        Some(self.intern(TypeData::Buffer(kind, items)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back_and_views_keep_their_kind() {
        let table = TypeTable::default();
        for text in
            ["readonly bytes(uint8, 1d, C)", "pyarray(float64, 1d, C)", "readonly memoryview(int32, 2d, A)"]
        {
            let ty = table.parse(text).unwrap();
            assert_eq!(table.name(ty), text);
            assert!(table.array(ty).is_none());
            let items = table.buffer(ty).unwrap();
            let view = table.view_of(ty, items);
            assert_eq!(view, (!text.starts_with("pyarray")).then_some(ty));
        }
    }
}
