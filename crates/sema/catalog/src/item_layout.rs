//! The layout of values in containers: the parts of a value in sequence, aligned as in C.

use crate::{Emit, Operand, machine_types, owners};
use abi::ExceptionClass;
use abi::Runtime;
use ir::{BlockCall, IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{Type, TypeData, TypeTable};

/// The memory layout of a value of a type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slot {
    /// Bytes from one to the next.
    pub size: i64,
    /// Machine type and offset of each part.
    pub parts: SmallVec<[(Native, i64); 4]>,
    /// Which words are owners: bit n for the word at byte 8 n.
    pub owners: u64,
}

/// Bytes that a value in a container may take: its owners are a mask of 64 words.
const LARGEST: i64 = 512;

impl Slot {
    /// How values of a type lie in memory; nothing for those that no container can hold.
    pub fn of(types: &TypeTable, ty: Type) -> Option<Slot> {
        if !is_storable(types, ty) {
            return None;
        }
        let mut slot = Slot { size: 0, parts: SmallVec::new(), owners: 0 };
        let mut align = 1;
        for native in machine_types(types, ty) {
            let size = i64::from(native.size());
            slot.size = aligned(slot.size, size);
            slot.parts.push((native, slot.size));
            slot.size += size;
            align = align.max(size);
        }
        slot.size = aligned(slot.size, align);
        if slot.size > LARGEST {
            return None;
        }
        for part in owners(types, ty) {
            slot.owners |= 1 << (slot.parts[part].1 / 8);
        }
        Some(slot)
    }

    /// The value at an address.
    pub fn load(&self, emit: &mut Emit<'_>, ty: Type, address: Value) -> Operand {
        let parts: Vec<Value> =
            self.parts.iter().map(|&(native, offset)| emit.b.load(native, address, offset)).collect();
        Operand::new(ty, parts)
    }

    /// Writes a value, whose owners the memory holds from now on.
    pub fn store(&self, emit: &mut Emit<'_>, address: Value, value: &Operand) {
        let held = emit.hand_over(value);
        self.store_held(emit, address, &held);
    }

    /// The same where the instruction being emitted continues holding what it made: on another path nothing may be written.
    pub fn store_copy(&self, emit: &mut Emit<'_>, address: Value, value: &Operand) {
        let held = emit.held_for_others(value, false);
        self.store_held(emit, address, &held);
    }

    fn store_held(&self, emit: &mut Emit<'_>, address: Value, held: &Operand) {
        for (&(_, offset), &part) in self.parts.iter().zip(&held.parts) {
            emit.b.store(address, offset, part);
        }
        emit.give_refs(held);
    }
}

/// The next multiple of a power of two.
fn aligned(size: i64, to: i64) -> i64 {
    (size + to - 1) & -to
}

/// Whether a container can hold values of this type: iterators and cells live in the frame of a function.
fn is_storable(types: &TypeTable, ty: Type) -> bool {
    let all = |members: &[Type]| members.iter().all(|&member| is_storable(types, member));
    match types.get(ty) {
        TypeData::Optional(inner) | TypeData::FixedList(inner) | TypeData::Enum { value: inner, .. } => {
            is_storable(types, inner)
        }
        TypeData::Tuple(elements) | TypeData::NamedTuple { types: elements, .. } => all(&elements),
        TypeData::Closure { captures, defaults, .. } => all(&captures) && all(&defaults),
        TypeData::Choice(members) | TypeData::TaggedUnion(members) => all(&members),
        TypeData::Literal(_)
        | TypeData::Omitted(_)
        | TypeData::StaticDict { .. }
        | TypeData::ArrayBuilder { .. }
        | TypeData::Iterator(_)
        | TypeData::Enumerate(_)
        | TypeData::Zip(_)
        | TypeData::Map { .. }
        | TypeData::Filter { .. }
        | TypeData::GeneratorExpr { .. }
        | TypeData::GeneratorObject { bound: true, .. }
        | TypeData::Scratch(_)
        | TypeData::Facet { .. }
        | TypeData::Method(..)
        // It may be borrowed for a call.
        | TypeData::PyObject
        | TypeData::Manager { .. }
        | TypeData::Cell(_) => false,
        _ => true,
    }
}

/// Where the strings of a value begin among its parts.
fn texts(types: &TypeTable, ty: Type, start: usize) -> Vec<usize> {
    let all = |members: &[Type], mut at: usize| {
        let mut found = Vec::new();
        for &member in members {
            found.extend(texts(types, member, at));
            at += machine_types(types, member).len();
        }
        found
    };
    match types.get(ty) {
        TypeData::Str => vec![start],
        TypeData::Optional(inner) => texts(types, inner, start + 1),
        TypeData::FixedList(inner) | TypeData::Enum { value: inner, .. } => texts(types, inner, start),
        TypeData::Tuple(elements) | TypeData::NamedTuple { types: elements, .. } => all(&elements, start),
        TypeData::Closure { captures, defaults, .. } => {
            let parts: Vec<Type> = captures.iter().chain(defaults.iter()).copied().collect();
            all(&parts, start)
        }
        TypeData::Choice(members) | TypeData::TaggedUnion(members) => all(&members, start + 1),
        _ => Vec::new(),
    }
}

impl Emit<'_> {
    /// The value with owners that count for somebody else than the instruction being emitted. What Python only lends is
    /// held by a block of its own, since whoever gets it may outlive the call.
    pub fn hand_over(&mut self, value: &Operand) -> Operand {
        self.held_for_others(value, true)
    }

    /// The same; only if `moves`, counts of what the instruction made go along.
    fn held_for_others(&mut self, value: &Operand, moves: bool) -> Operand {
        let mut held = value.clone();
        let mut counted = Vec::new();
        let is_container = matches!(
            self.types.get(value.ty),
            TypeData::List { .. } | TypeData::Deque { .. } | TypeData::Dict { .. } | TypeData::Set { .. }
        );
        for part in owners(self.types, value.ty) {
            let owner = value.parts[part];
            let made = self.refs.temporaries.iter().position(|&made| made == owner && moves);
            if let Some(at) = made {
                self.refs.temporaries.remove(at);
            } else if is_container {
                self.retain(owner);
            } else {
                held.parts[part] = self.counted(owner);
            }
            counted.push(held.parts[part]);
        }
        // Where there is no memory for a string, all that was counted is released.
        let made_before = self.refs.temporaries.len();
        self.refs.temporaries.extend(counted);
        for part in texts(self.types, value.ty, 0) {
            let owner = held.parts[part];
            self.keep_text(&mut held.parts[part..part + 2], value.parts[part + 2]);
            let counted = self.refs.temporaries[made_before..].iter_mut().find(|counted| **counted == owner);
            counted.into_iter().for_each(|counted| *counted = held.parts[part]);
        }
        self.refs.temporaries.truncate(made_before);
        held
    }

    /// A string constant in the code, which may be freed first, is copied.
    fn keep_text(&mut self, words: &mut [Value], meta: Value) {
        let zero = self.b.iconst(Native::I64, 0);
        let nobodys = self.b.icmp(IntCond::Eq, words[0], zero);
        let (rare, join) = (self.b.new_block(), self.b.new_block());
        let before = [words[0], words[1]];
        self.b.branch(nobodys, BlockCall::new(rare, []), BlockCall::new(join, before));
        self.b.switch_to(rare);
        let made = self.call_runtime(Runtime::TextKeep, &[words[1], meta]);
        let failed = self.b.icmp(IntCond::Ne, made[0], zero);
        self.raise_if(failed, ExceptionClass::MemoryError, "no memory for a string");
        self.b.jump(join, &made[1..3]);
        for word in words {
            let ty = self.b.func.values[*word].ty;
            *word = self.b.func.add_param(join, ty);
        }
        self.b.switch_to(join);
    }

    /// The owner, counted once more; where it is borrowed, a block that holds the Python object.
    fn counted(&mut self, owner: Value) -> Value {
        self.retain(owner);
        let one = self.b.iconst(Native::I64, 1);
        let low = self.b.like_first(Op::Iand, &[owner, one]);
        let borrowed = self.b.icmp(IntCond::Eq, low, one);
        self.select_unlikely(owner, borrowed, |emit| emit.call_runtime(Runtime::KeepAlive, &[owner])[0])
    }
}
