//! How the values of a type lie in the memory that a debugger reads, with names for what is in it.
//!
//! An array has the members that Numba's users know: `meminfo`, `parent`, `nitems`, `itemsize`, `data`, `shape` and
//! `strides`, whatever of it a value keeps. A type that has no form of its own is a struct of its machine words.

use catalog::machine_types;
use ir::{DebugForm, DebugMember, DebugType, Native};
use types::{ArrayType, RecordType, Type, TypeData, TypeTable};

/// Where what of a value lies.
pub(crate) struct Layout {
    /// The type in memory.
    pub ty: DebugType,
    /// What is stored at which offsets.
    pub words: Vec<(u32, Word)>,
}

/// A number that is stored.
pub(crate) enum Word {
    /// A part of the value.
    Part(usize),
    /// A part, moved down by this many bits.
    Shifted(usize, i64),
    /// A number times parts.
    Product(i64, Vec<usize>),
}

const POINTER: u32 = 8;

impl Layout {
    /// The layout of values of a type; nothing if they have no parts.
    pub(crate) fn of(types: &TypeTable, ty: Type) -> Option<Layout> {
        let mut maker = Maker { types, part: 0, end: 0, words: Vec::new() };
        let ty = maker.lay(ty)?;
        Some(Layout { ty, words: maker.words })
    }
}

/// Lays out the parts of a value, one after the other.
struct Maker<'a> {
    types: &'a TypeTable,
    /// The next part.
    part: usize,
    /// Where the last one ended.
    end: u32,
    words: Vec<(u32, Word)>,
}

impl Maker<'_> {
    /// The type whose parts come next.
    fn lay(&mut self, ty: Type) -> Option<DebugType> {
        // A constant text in a tuple has no parts, unlike any other text.
        if machine_types(self.types, ty).is_empty() {
            return None;
        }
        let ty = self.types.unliteral(ty);
        let name = self.types.name(ty);
        if let Some(scalar) = scalar(self.types, ty) {
            return Some(self.scalar(scalar));
        }
        Some(match self.types.get(ty) {
            TypeData::Tuple(elements) if is_uniform(&elements) => {
                self.uniform(name, elements[0], elements.len())?
            }
            TypeData::Tuple(elements) => {
                self.members(name, (0..).map(|number| format!("f{number}")).zip(elements.iter().copied()))
            }
            TypeData::NamedTuple { fields, types, .. } | TypeData::StaticDict { names: fields, types } => {
                self.members(name, fields.iter().cloned().zip(types.iter().copied()))
            }
            TypeData::Enum { value: inner, .. } | TypeData::Omitted(inner) | TypeData::FixedList(inner) => {
                self.lay(inner)?
            }
            TypeData::Range(of) => {
                self.members(name, ["start", "stop", "step"].map(|part| (part.to_owned(), of)).into_iter())
            }
            TypeData::Optional(inner) => {
                let members = [("valid".to_owned(), Type::BOOL), ("data".to_owned(), inner)];
                self.members(name, members.into_iter())
            }
            TypeData::Array(array) | TypeData::Buffer(_, array) => self.array(name, array),
            TypeData::Str => self.text(name),
            TypeData::Record(record) => {
                self.part += 1;
                let of = record_type(self.types, &name, &record);
                self.scalar(pointer(name, Some(of)))
            }
            TypeData::List { item, .. } | TypeData::Deque { item } => {
                let of = list_head(self.types, &name, item);
                self.scalar(pointer(name, Some(of)))
            }
            TypeData::Dict { .. } | TypeData::Set { .. } | TypeData::Instance { .. } => {
                self.scalar(pointer(name, None))
            }
            _ => self.parts(name, ty),
        })
    }

    fn align(&mut self, to: u32) -> u32 {
        self.end = self.end.next_multiple_of(to);
        self.end
    }

    /// A number that is stored next.
    fn store(&mut self, size: u32, word: Word) {
        let offset = self.align(size);
        self.words.push((offset, word));
        self.end += size;
    }

    /// The next part.
    fn next(&mut self, size: u32) {
        self.store(size, Word::Part(self.part));
        self.part += 1;
    }

    fn scalar(&mut self, ty: DebugType) -> DebugType {
        if ty.form == DebugForm::Complex {
            self.align(8);
            self.next(ty.size / 2);
            self.next(ty.size / 2);
        } else {
            self.next(ty.size);
        }
        ty
    }

    /// A struct of what `fill` lays out.
    fn structure(
        &mut self,
        name: String,
        fill: impl FnOnce(&mut Self, &mut dyn FnMut(&str, u32, DebugType)),
    ) -> DebugType {
        let start = self.align(8);
        let mut members = Vec::new();
        fill(self, &mut |name, end, ty: DebugType| {
            members.push(DebugMember { name: name.to_owned(), offset: end - ty.size - start, ty });
        });
        let size = self.align(8) - start;
        DebugType { name, size, form: DebugForm::Struct(members) }
    }

    /// A struct of these members; one without parts is left out.
    fn members(&mut self, name: String, members: impl Iterator<Item = (String, Type)>) -> DebugType {
        self.structure(name, |maker, add| {
            for (name, ty) in members {
                if let Some(ty) = maker.lay(ty) {
                    add(&name, maker.end, ty);
                }
            }
        })
    }

    /// A struct of the machine words of a type.
    fn parts(&mut self, name: String, ty: Type) -> DebugType {
        let natives = machine_types(self.types, ty);
        self.structure(name, |maker, add| {
            for (number, native) in natives.into_iter().enumerate() {
                let ty = maker.scalar(machine_type(native));
                add(&format!("word{number}"), maker.end, ty);
            }
        })
    }

    fn uniform(&mut self, name: String, element: Type, count: usize) -> Option<DebugType> {
        let first = self.lay(element)?;
        for _ in 1..count {
            self.lay(element);
        }
        let size = first.size * count as u32;
        Some(DebugType { name, size, form: DebugForm::Array(Box::new(first), count as u32) })
    }

    fn array(&mut self, name: String, array: ArrayType) -> DebugType {
        let (first, ndim) = (self.part, usize::from(array.ndim));
        let shape: Vec<usize> = (first + 2..first + 2 + ndim).collect();
        let item_size = self.types.item_size(array.dtype).unwrap_or(1);
        let strides: Vec<Word> = (0..ndim)
            .map(|axis| match array.layout {
                types::Layout::C => Word::Product(item_size, shape[axis + 1..].to_vec()),
                types::Layout::F => Word::Product(item_size, shape[..axis].to_vec()),
                types::Layout::Any => Word::Part(first + 2 + ndim + axis),
            })
            .collect();
        self.part = first + machine_types(self.types, self.types.intern(TypeData::Array(array))).len();
        let item = item_type(self.types, array.dtype);
        self.structure(name, |maker, add| {
            let mut word = |maker: &mut Self, name: &str, word: Word, ty: DebugType| {
                maker.store(8, word);
                add(name, maker.end, ty);
            };
            word(maker, "meminfo", Word::Part(first), pointer("void*".into(), None));
            word(maker, "parent", Word::Product(0, Vec::new()), pointer("void*".into(), None));
            word(maker, "nitems", Word::Product(1, shape.clone()), integer());
            word(maker, "itemsize", Word::Product(item_size, Vec::new()), integer());
            let name = format!("{}*", maker.types.name(array.dtype));
            word(maker, "data", Word::Part(first + 1), pointer(name, Some(item)));
            if ndim == 0 {
                return;
            }
            shape.iter().for_each(|&part| maker.store(8, Word::Part(part)));
            add("shape", maker.end, several(ndim));
            strides.into_iter().for_each(|word| maker.store(8, word));
            add("strides", maker.end, several(ndim));
        })
    }

    /// Characters of one, two or four bytes, as `kind` says.
    fn text(&mut self, name: String) -> DebugType {
        let first = self.part;
        self.part += 3;
        self.structure(name, |maker, add| {
            let character = DebugType { name: "char".into(), size: 1, form: DebugForm::Char };
            maker.store(8, Word::Part(first + 1));
            add("data", maker.end, pointer("char*".into(), Some(character)));
            maker.store(8, Word::Shifted(first + 2, 2));
            add("length", maker.end, integer());
        })
    }
}

fn is_uniform(elements: &[Type]) -> bool {
    elements.len() > 1 && elements.iter().all(|&element| element == elements[0])
}

/// A type of one number.
fn scalar(types: &TypeTable, ty: Type) -> Option<DebugType> {
    let (bits, form) = match types.get(ty) {
        TypeData::Bool => (8, DebugForm::Bool),
        TypeData::Int { bits, signed: true } => (bits, DebugForm::Signed),
        TypeData::Int { bits, signed: false } => (bits, DebugForm::Unsigned),
        TypeData::Float { bits } => (bits, DebugForm::Float),
        TypeData::Complex { bits } => (bits, DebugForm::Complex),
        TypeData::Datetime { .. } => (64, DebugForm::Signed),
        _ => return None,
    };
    Some(DebugType { name: types.name(ty), size: u32::from(bits) / 8, form })
}

fn machine_type(native: Native) -> DebugType {
    let size = native.size() as u32;
    match native {
        Native::Ptr => pointer("void*".into(), None),
        _ if native.is_float() => {
            DebugType { name: format!("float{}", 8 * size), size, form: DebugForm::Float }
        }
        _ => DebugType { name: format!("int{}", 8 * size), size, form: DebugForm::Signed },
    }
}

fn integer() -> DebugType {
    DebugType { name: "int64".into(), size: 8, form: DebugForm::Signed }
}

fn several(count: usize) -> DebugType {
    let form = DebugForm::Array(Box::new(integer()), count as u32);
    DebugType { name: format!("UniTuple(int64 x {count})"), size: 8 * count as u32, form }
}

fn pointer(name: String, to: Option<DebugType>) -> DebugType {
    DebugType { name, size: POINTER, form: DebugForm::Pointer(to.map(Box::new)) }
}

/// A type as it lies in an array.
fn item_type(types: &TypeTable, ty: Type) -> DebugType {
    match types.record(ty) {
        Some(record) => record_type(types, &types.name(ty), &record),
        None => scalar(types, ty).unwrap_or_else(|| bytes(types, ty)),
    }
}

/// A record as it lies in an array.
fn record_type(types: &TypeTable, name: &str, record: &RecordType) -> DebugType {
    let field = |field: &types::RecordField| {
        let ty = field.shape.iter().rev().fold(item_type(types, field.ty), |ty, &length| {
            let name = format!("{}[{length}]", ty.name);
            let size = ty.size * length as u32;
            DebugType { name, size, form: DebugForm::Array(Box::new(ty), length as u32) }
        });
        DebugMember { name: field.name.to_string(), offset: field.offset as u32, ty }
    };
    let members = record.fields.iter().map(field).collect();
    DebugType { name: name.to_owned(), size: record.size as u32, form: DebugForm::Struct(members) }
}

/// Characters of fixed width.
fn bytes(types: &TypeTable, ty: Type) -> DebugType {
    let size = types.item_size(ty).unwrap_or(0) as u32;
    let character = DebugType { name: "char".into(), size: 1, form: DebugForm::Char };
    DebugType { name: types.name(ty), size, form: DebugForm::Array(Box::new(character), size) }
}

/// The begin of the block of a list (`rt::list::ListHead`).
fn list_head(types: &TypeTable, name: &str, item: Type) -> DebugType {
    let at = |offset: i64| (abi::ITEMS + offset) as u32;
    let items = pointer(format!("{}*", types.name(item)), scalar(types, item));
    let members = vec![
        DebugMember { name: "length".into(), offset: at(0), ty: integer() },
        DebugMember { name: "items".into(), offset: at(8), ty: items },
    ];
    DebugType { name: name.to_owned(), size: at(16), form: DebugForm::Struct(members) }
}
