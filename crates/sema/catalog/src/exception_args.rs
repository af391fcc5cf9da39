//! Values for Python as words, with a text that describes their layout: the arguments of exceptions and of calls into
//! Python. The letters are those of [`abi::RaiseSite::PAYLOAD`].

use crate::{Emit, Operand, cast, constant_text, string};
use abi::{ExceptionClass, Runtime};
use diag::Result;
use ir::{IntCond, Native, Op, Value};
use types::{LiteralValue, Type, TypeData, TypeTable};

/// The number of words reserved, as in the runtime.
pub const PAYLOAD_WORDS: usize = 32;

/// Values on their way to Python.
#[derive(Default, Debug)]
pub struct Described {
    /// How they lie in the words.
    pub layout: String,
    /// The words.
    pub words: Vec<Value>,
}

/// Whether a value of this type can be described.
pub fn is_describable(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Optional(inner) => is_describable(types, inner),
        TypeData::Tuple(elements) | TypeData::NamedTuple { types: elements, .. } => {
            elements.iter().all(|&element| is_describable(types, element))
        }
        TypeData::None
        | TypeData::Caught(_)
        | TypeData::CaughtClass
        | TypeData::CaughtTraceback
        | TypeData::Bool
        | TypeData::Int { .. }
        | TypeData::Float { .. }
        | TypeData::Complex { .. }
        | TypeData::Str
        | TypeData::CharSeq { .. }
        | TypeData::Literal(_) => true,
        TypeData::Buffer(..) => ty == types.bytes(),
        _ => false,
    }
}

/// Whether a value of this type can be told by an exception and had back: one that can be described, an array, which stays the same
/// memory, tuples of them. A list would become another one.
pub fn can_be_told(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Tuple(elements) => elements.iter().all(|&element| can_be_told(types, element)),
        TypeData::Array(_) => true,
        _ => is_describable(types, ty),
    }
}

/// Whether a value of this type that was described can be had back from its words.
pub fn can_be_read(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Optional(inner) => can_be_read(types, inner),
        TypeData::Tuple(elements) | TypeData::NamedTuple { types: elements, .. } => {
            elements.iter().all(|&element| can_be_read(types, element))
        }
        data => {
            matches!(
                data,
                TypeData::None
                    | TypeData::Bool
                    | TypeData::Int { .. }
                    | TypeData::Float { .. }
                    | TypeData::Complex { .. }
                    | TypeData::Str
            )
        }
    }
}

/// A value whose words are read when the instruction is over: fixed-width string becomes strings and bytes, which have owners
/// that whoever reads them gives up.
pub fn with_owned_text(emit: &mut Emit<'_>, operand: &Operand) -> Result<Operand> {
    match type_with_owned_text(emit.types, operand.ty) {
        ty if ty == operand.ty => Ok(operand.clone()),
        ty => cast(emit, operand, ty),
    }
}

fn type_with_owned_text(types: &TypeTable, ty: Type) -> Type {
    let all =
        |parts: &[Type]| parts.iter().map(|&part| type_with_owned_text(types, part)).collect::<Vec<_>>();
    match types.get(ty) {
        TypeData::CharSeq { wide: true, .. } => Type::STR,
        TypeData::CharSeq { wide: false, .. } => types.bytes(),
        TypeData::Optional(inner) => types.optional(type_with_owned_text(types, inner)),
        TypeData::Tuple(parts) => types.tuple(&all(&parts)),
        TypeData::NamedTuple { class, name, fields, types: parts } => {
            types.intern(TypeData::NamedTuple { class, name, fields, types: all(&parts).into() })
        }
        _ => ty,
    }
}

impl Emit<'_> {
    /// Asks Python to call a method (`.name`) of the first value, or a function, for an answer of the kind that a letter stands for
    /// (`rumba_ask`). Whatever goes wrong is raised. The answer is where this points to.
    pub fn ask_python(&mut self, answer: char, operation: &str, described: &Described) -> Value {
        let request = format!("{answer}{operation}\n{}", described.layout);
        let words = self.frame_slot(8 * described.words.len().max(1) as u32);
        for (index, &word) in described.words.iter().enumerate() {
            self.b.store(words, 8 * index as i64, word);
        }
        let found = self.frame_slot(24);
        let bytes = string::constant_bytes(self, request.as_bytes());
        let length = self.b.iconst(Native::I64, request.len() as i64);
        let count = self.b.iconst(Native::I64, described.words.len() as i64);
        let status = self.call_runtime(Runtime::Ask, &[bytes, length, words, count, found])[0];
        let zero = self.b.iconst(Native::I64, 0);
        let failed = self.b.icmp(IntCond::Ne, status, zero);
        self.raise_payload_if(failed, ExceptionClass::ValueError, "!", &[]);
        found
    }
}

impl Described {
    /// Appends a value of a type that can be described; strings stay where they are.
    pub fn add(&mut self, emit: &mut Emit<'_>, operand: &Operand) -> Result<()> {
        if let Some(LiteralValue::Str(text)) = emit.types.literal(operand.ty) {
            self.layout += &constant_text(&text);
            return Ok(());
        }
        let plain = emit.types.unliteral(operand.ty);
        if let Some(elements) = emit.types.elements(operand.ty) {
            if let TypeData::NamedTuple { name, fields, .. } = emit.types.get(plain) {
                self.layout += &constant_text(&format!("{name} {}", fields.join(" ")));
                self.add_elements(emit, operand, &elements)?;
                self.layout.push('N');
                return Ok(());
            }
            return self.add_elements(emit, operand, &elements);
        }
        if let TypeData::Optional(inner) = emit.types.get(plain) {
            self.layout.push('{');
            let present = emit.b.convert_bool(operand.parts[0], Native::I64);
            self.words.push(present);
            self.add(emit, &Operand::new(inner, operand.parts[1..].iter().copied()))?;
            self.layout.push('}');
            return Ok(());
        }
        if let TypeData::CharSeq { wide: false, .. } = emit.types.get(plain) {
            let bytes = cast(emit, operand, emit.types.bytes())?;
            return self.add(emit, &bytes);
        }
        if let TypeData::Buffer(..) = emit.types.get(plain) {
            self.layout.push('y');
            self.words.extend(&operand.parts[..3]);
            return Ok(());
        }
        if let held @ (TypeData::Caught(_) | TypeData::CaughtClass | TypeData::CaughtTraceback) =
            emit.types.get(plain)
        {
            self.layout.push(if held == TypeData::CaughtClass { 'E' } else { 'e' });
            self.words.push(operand.value());
            return Ok(());
        }
        let (letter, wide) = match plain {
            Type::NONE => ('n', Type::NONE),
            Type::BOOL => ('b', Type::BOOL),
            Type::STR => ('t', Type::STR),
            _ if matches!(emit.types.get(plain), TypeData::CharSeq { .. }) => ('t', Type::STR),
            Type::FLOAT16 => ('h', Type::FLOAT64),
            Type::FLOAT32 => ('g', Type::FLOAT64),
            Type::COMPLEX64 => ('k', Type::COMPLEX128),
            _ if plain.is_complex() => ('c', Type::COMPLEX128),
            _ if plain.is_float() => ('f', Type::FLOAT64),
            _ if plain.as_int().is_some_and(|(_, signed)| !signed) => ('u', Type::UINT64),
            _ => ('i', Type::INT64),
        };
        self.layout.push(letter);
        for part in cast(emit, operand, wide)?.parts {
            let is_truth = emit.b.func.native(part) == Native::I1;
            self.words.push(if is_truth { emit.b.convert_bool(part, Native::I64) } else { part });
        }
        Ok(())
    }

    /// Appends a value that becomes a Python object at once, of a type that its name says all of.
    pub fn add_boxed(&mut self, emit: &mut Emit<'_>, value: &Operand) {
        for owner in emit.owners(value) {
            emit.retain(owner);
        }
        emit.give_refs(value);
        let words = emit.frame_slot(8 * value.parts.len() as u32);
        for (at, &part) in value.parts.iter().enumerate() {
            let word = as_word(emit, part);
            emit.b.store(words, 8 * at as i64, word);
        }
        let name = emit.types.name(emit.types.unliteral(value.ty));
        let context = emit.b.address_of("rumba_context");
        let text = string::constant_bytes(emit, name.as_bytes());
        let length = emit.b.iconst(Native::I64, name.len() as i64);
        let object = emit.call_runtime(Runtime::Boxed, &[context, text, length, words])[0];
        let nothing = emit.b.iconst(Native::I64, 0);
        let failed = emit.b.icmp(IntCond::Eq, object, nothing);
        emit.raise_payload_if(failed, ExceptionClass::ValueError, "!", &[]);
        self.layout.push('o');
        self.words.push(object);
    }

    /// A value of a type of which [`can_be_read`] holds, out of words that lie as [`Self::add`] puts them; `at` counts the words. Its
    /// owners are not counted.
    pub fn read(emit: &mut Emit<'_>, ty: Type, words: Value, at: &mut i64) -> Result<Operand> {
        let mut parts = Vec::new();
        match emit.types.get(ty) {
            TypeData::Optional(inner) => {
                parts.push(Self::read_part(emit, Native::I1, words, at));
                parts.extend(Self::read(emit, inner, words, at)?.parts);
            }
            TypeData::Tuple(elements) | TypeData::NamedTuple { types: elements, .. } => {
                for &element in elements.iter() {
                    parts.extend(Self::read(emit, element, words, at)?.parts);
                }
            }
            _ => {
                let wide = match ty {
                    Type::NONE | Type::BOOL | Type::INT64 | Type::UINT64 | Type::STR => ty,
                    _ if ty.is_complex() => Type::COMPLEX128,
                    _ if ty.is_float() => Type::FLOAT64,
                    _ if ty.as_int().is_some_and(|(_, signed)| !signed) => Type::UINT64,
                    _ => Type::INT64,
                };
                for native in emit.machine_types(wide) {
                    parts.push(Self::read_part(emit, native, words, at));
                }
                return cast(emit, &Operand::new(wide, parts), ty);
            }
        }
        Ok(Operand::new(ty, parts))
    }

    fn read_part(emit: &mut Emit<'_>, native: Native, words: Value, at: &mut i64) -> Value {
        let offset = 8 * *at;
        *at += 1;
        if native != Native::I1 {
            return emit.b.load(native, words, offset);
        }
        let word = emit.b.load(Native::I64, words, offset);
        let zero = emit.b.iconst(Native::I64, 0);
        emit.b.icmp(IntCond::Ne, word, zero)
    }

    fn add_elements(&mut self, emit: &mut Emit<'_>, tuple: &Operand, elements: &[Type]) -> Result<()> {
        self.layout.push('(');
        let mut at = 0;
        for &element in elements {
            let count = emit.machine_types(element).len();
            let part = Operand::new(element, tuple.parts[at..at + count].iter().copied());
            at += count;
            self.add(emit, &part)?;
        }
        self.layout.push(')');
        Ok(())
    }
}

/// The value as what takes eight bytes, the upper ones zero.
pub fn as_word(emit: &mut Emit<'_>, value: Value) -> Value {
    match emit.b.func.native(value) {
        Native::F32 => {
            let bits = emit.b.convert(Op::Bitcast, value, Native::I32);
            emit.b.convert(Op::Zext, bits, Native::I64)
        }
        Native::I1 | Native::I8 | Native::I16 | Native::I32 => emit.b.convert(Op::Zext, value, Native::I64),
        _ => value,
    }
}
