//! Hash tables of dicts and sets: their heads, and probing specialized by key type.
//!
//! Absent: operations on entries (`dict_set_ops`), iteration (`dict_iter`).

use abi::ExceptionClass::MemoryError;
use abi::Runtime;
use catalog::item_layout::Slot;
use catalog::{Emit, Key, Operand};
use diag::{Diagnostic, Result};
use ir::{Block, BlockCall, CompareOp, IntCond, Native, Op, Value, ValueType};
use rt::hash_table::TableHead;
use smallvec::SmallVec;
use std::mem::offset_of;
use types::{Type, TypeData, TypeTable};

/// What a table's entries are made of.
pub struct Shape {
    /// Type of the keys.
    pub key: Type,
    /// Type of what a dict holds under them.
    pub value: Option<Type>,
    key_slot: Slot,
    value_slot: Slot,
    value_at: i64,
    entry_size: i64,
    owners: u64,
}

/// An entry begins with the hash.
const KEY_AT: i64 = 8;

/// Bytes that an entry may take: its owners are a mask of 64 words.
const LARGEST: i64 = 512;

impl Shape {
    /// Of a dict or a set that compiled code can hold.
    pub fn of(types: &TypeTable, ty: Type) -> Option<Shape> {
        let (key, value) = match types.get(ty) {
            TypeData::Dict { key, value, .. } => (key, Some(value)),
            TypeData::Set { item, .. } => (item, None),
            _ => return None,
        };
        let key_slot = Slot::of(types, key)?;
        let value_slot = Slot::of(types, value.unwrap_or(Type::NONE))?;
        let whole_words = |size: i64| (size + 7) & !7;
        let value_at = KEY_AT + whole_words(key_slot.size);
        let entry_size = value_at + whole_words(value_slot.size);
        if entry_size > LARGEST || !types.is_key(key) {
            return None;
        }
        let owners = key_slot.owners << (KEY_AT / 8)
            | value_slot.owners.checked_shl((value_at / 8) as u32).unwrap_or(0);
        Some(Shape { key, value, key_slot, value_slot, value_at, entry_size, owners })
    }

    /// Whether methods of classes say which keys are equal: functions of the library search among them.
    pub fn asks_methods(&self, types: &TypeTable) -> bool {
        types.is_key_by_methods(self.key)
    }

    /// Whether it is not known yet what the keys are: nothing is in such a table.
    pub fn is_empty(&self) -> bool {
        self.key == Type::UNDEFINED
    }

    /// The size of an entry in bytes, the offset of the value in it, and which words are owners: bit n for word n.
    pub fn layout(&self) -> (i64, i64, u64) {
        (self.entry_size, self.value_at, self.owners)
    }

    /// How keys and values lie.
    pub fn slots(&self) -> (&Slot, &Slot) {
        (&self.key_slot, &self.value_slot)
    }
}

/// A table taken apart.
pub(crate) struct Table {
    /// Address of its head.
    pub head: Value,
    /// What its entries are.
    pub shape: Shape,
}

impl Table {
    pub fn open(emit: &mut Emit<'_>, table: &Operand) -> Result<Table> {
        let Some(shape) = Shape::of(emit.types, table.ty) else {
            let name = emit.types.name(table.ty);
            return Err(Diagnostic::internal("emission", format!("{name} is no dict or set")));
        };
        let block = emit.b.convert(Op::Bitcast, table.value(), Native::Ptr);
        let items = emit.b.iconst(Native::I64, rt::ITEMS);
        let head = emit.b.native(Op::PtrAdd, [], &[block, items], Native::Ptr);
        Ok(Table { head, shape })
    }

    fn word(&self, emit: &mut Emit<'_>, offset: usize) -> Value {
        emit.b.load(Native::I64, self.head, offset as i64)
    }

    pub fn length(&self, emit: &mut Emit<'_>) -> Value {
        self.word(emit, offset_of!(TableHead, len))
    }

    /// Number of entries, removed ones with them.
    pub fn used(&self, emit: &mut Emit<'_>) -> Value {
        self.word(emit, offset_of!(TableHead, used))
    }

    /// Python's object, if this is a copy of one, is to be changed too.
    pub fn mark_changed(&self, emit: &mut Emit<'_>) {
        let one = emit.b.iconst(Native::I64, 1);
        emit.b.store(self.head, offset_of!(TableHead, changed) as i64, one);
    }

    /// Address of an entry.
    pub fn entry(&self, emit: &mut Emit<'_>, number: Value) -> Value {
        let entries = emit.b.load(Native::Ptr, self.head, offset_of!(TableHead, entries) as i64);
        let size = emit.b.iconst(Native::I64, self.shape.entry_size);
        let offset = emit.b.like_first(Op::Imul, &[number, size]);
        emit.b.native(Op::PtrAdd, [], &[entries, offset], Native::Ptr)
    }

    /// The key of an entry.
    pub fn key(&self, emit: &mut Emit<'_>, entry: Value) -> Operand {
        let at = emit.b.iconst(Native::I64, KEY_AT);
        let pointer = emit.b.native(Op::PtrAdd, [], &[entry, at], Native::Ptr);
        self.shape.key_slot.load(emit, self.shape.key, pointer)
    }

    fn value_address(&self, emit: &mut Emit<'_>, entry: Value) -> Value {
        let at = emit.b.iconst(Native::I64, self.shape.value_at);
        emit.b.native(Op::PtrAdd, [], &[entry, at], Native::Ptr)
    }

    /// What a dict holds in an entry.
    pub fn value(&self, emit: &mut Emit<'_>, entry: Value) -> Operand {
        let pointer = self.value_address(emit, entry);
        self.shape.value_slot.load(emit, self.shape.value.unwrap_or(Type::NONE), pointer)
    }

    /// Writes a value to where there is none.
    pub fn set_value(&self, emit: &mut Emit<'_>, entry: Value, value: &Operand) {
        let pointer = self.value_address(emit, entry);
        store(emit, &self.shape.value_slot, pointer, value);
    }

    /// Changes the value of an entry, and gives up the one before.
    pub fn replace_value(&self, emit: &mut Emit<'_>, entry: Value, value: &Operand) {
        let before = self.value(emit, entry);
        self.set_value(emit, entry, value);
        self.mark_changed(emit);
        emit.take_refs(&before);
        for owner in emit.owners(&before) {
            emit.release(owner);
        }
    }

    /// A new entry for a key that the table has not; MemoryError if there is no memory for it.
    pub fn add(&self, emit: &mut Emit<'_>, hash: Value, key: &Operand) -> Value {
        let entry = emit.call_runtime(Runtime::TableAdd, &[self.head, hash])[0];
        let nothing = emit.b.iconst(Native::I64, 0);
        let address = emit.b.convert(Op::Bitcast, entry, Native::I64);
        let failed = emit.b.icmp(IntCond::Eq, address, nothing);
        emit.raise_if(failed, MemoryError, "cannot allocate dict or set");
        let at = emit.b.iconst(Native::I64, KEY_AT);
        let pointer = emit.b.native(Op::PtrAdd, [], &[entry, at], Native::Ptr);
        store(emit, &self.shape.key_slot, pointer, key);
        entry
    }

    /// What is done where the key is, with the number and the address of its entry, or where it is not: both give
    /// values of the same machine types.
    pub fn search(
        &self,
        emit: &mut Emit<'_>,
        key: &Operand,
        hash: Value,
        found: impl FnOnce(&mut Emit<'_>, Value, Value) -> Result<SmallVec<[Value; 2]>>,
        missing: impl FnOnce(&mut Emit<'_>) -> Result<SmallVec<[Value; 2]>>,
    ) -> Result<SmallVec<[Value; 2]>> {
        let (hit, miss) = (emit.b.new_block(), emit.b.new_block());
        let number = emit.b.func.add_param(hit, ValueType::Native(Native::I64));
        let entry = emit.b.func.add_param(hit, ValueType::Native(Native::Ptr));
        self.probe(emit, key, hash, hit, miss)?;
        Self::joined(emit, [hit, miss], |emit| found(emit, number, entry), missing)
    }

    /// The hash of a string and the number of its entry, less than 0 if there is none: the runtime searches for strings.
    pub fn search_text(&self, emit: &mut Emit<'_>, key: &Operand) -> Option<(Value, Value)> {
        if emit.types.get(key.ty) != TypeData::Str {
            return None;
        }
        let words = [self.head, key.parts[1], key.parts[2]];
        let outcome = emit.call_runtime(Runtime::TableFindText, &words);
        Some((outcome[0], outcome[1]))
    }

    /// The same by the outcome of a search: the number of the key's entry, or less than 0.
    pub fn with_outcome(
        emit: &mut Emit<'_>,
        number: Value,
        found: impl FnOnce(&mut Emit<'_>) -> Result<SmallVec<[Value; 2]>>,
        missing: impl FnOnce(&mut Emit<'_>) -> Result<SmallVec<[Value; 2]>>,
    ) -> Result<SmallVec<[Value; 2]>> {
        let (hit, miss) = (emit.b.new_block(), emit.b.new_block());
        let zero = emit.b.iconst(Native::I64, 0);
        let absent = emit.b.icmp(IntCond::Slt, number, zero);
        emit.b.branch(absent, BlockCall::new(miss, []), BlockCall::new(hit, []));
        Self::joined(emit, [hit, miss], found, missing)
    }

    fn joined(
        emit: &mut Emit<'_>,
        [hit, miss]: [Block; 2],
        found: impl FnOnce(&mut Emit<'_>) -> Result<SmallVec<[Value; 2]>>,
        missing: impl FnOnce(&mut Emit<'_>) -> Result<SmallVec<[Value; 2]>>,
    ) -> Result<SmallVec<[Value; 2]>> {
        let join = emit.b.new_block();
        emit.b.switch_to(hit);
        let values = found(emit)?;
        emit.b.jump(join, &values);
        let params: SmallVec<[Value; 2]> = values
            .iter()
            .map(|&value| {
                let ty = emit.b.func.values[value].ty;
                emit.b.func.add_param(join, ty)
            })
            .collect();
        emit.b.switch_to(miss);
        let values = missing(emit)?;
        emit.b.jump(join, &values);
        emit.b.switch_to(join);
        Ok(params)
    }

    /// Goes from slot to slot until one is free.
    fn probe(&self, emit: &mut Emit<'_>, key: &Operand, hash: Value, hit: Block, miss: Block) -> Result<()> {
        let [head, check, other, next] = [(); 4].map(|()| emit.b.new_block());
        let mask = self.word(emit, offset_of!(TableHead, mask));
        let index = emit.b.load(Native::Ptr, self.head, offset_of!(TableHead, index) as i64);
        let first = emit.b.like_first(Op::Iand, &[hash, mask]);
        emit.b.jump(head, &[first]);
        let at = emit.b.func.add_param(head, ValueType::Native(Native::I64));
        emit.b.switch_to(head);
        let eight = emit.b.iconst(Native::I64, 8);
        let offset = emit.b.like_first(Op::Imul, &[at, eight]);
        let pointer = emit.b.native(Op::PtrAdd, [], &[index, offset], Native::Ptr);
        let slot = emit.b.load(Native::I64, pointer, 0);
        let half = emit.b.iconst(Native::I64, 32);
        let difference = emit.b.like_first(Op::Ixor, &[slot, hash]);
        let upper = emit.b.like_first(Op::Ushr, &[difference, half]);
        let zero = emit.b.iconst(Native::I64, 0);
        let alike = emit.b.icmp(IntCond::Eq, upper, zero);
        emit.b.branch(alike, BlockCall::new(check, []), BlockCall::new(other, []));
        emit.b.switch_to(check);
        let low = emit.b.iconst(Native::I64, i64::from(u32::MAX));
        let number = emit.b.like_first(Op::Iand, &[slot, low]);
        let entry = self.entry(emit, number);
        let known = self.key(emit, entry);
        let same = emit.call(&Key::Compare(CompareOp::Eq), &[known, key.clone()])?.value();
        emit.b.branch(same, BlockCall::new(hit, [number, entry]), BlockCall::new(next, []));
        emit.b.switch_to(other);
        let free = emit.b.iconst(Native::I64, -1);
        let ended = emit.b.icmp(IntCond::Eq, slot, free);
        emit.b.branch(ended, BlockCall::new(miss, []), BlockCall::new(next, []));
        emit.b.switch_to(next);
        let one = emit.b.iconst(Native::I64, 1);
        let following = emit.b.like_first(Op::Iadd, &[at, one]);
        let wrapped = emit.b.like_first(Op::Iand, &[following, mask]);
        emit.b.jump(head, &[wrapped]);
        Ok(())
    }
}

/// Writes a value whose owners the table counts for itself: on another path nothing may be put in.
fn store(emit: &mut Emit<'_>, slot: &Slot, pointer: Value, value: &Operand) {
    slot.store_copy(emit, pointer, value);
}

/// An empty table of a type with a given capacity, owned by the instruction being emitted.
pub fn new_table(emit: &mut Emit<'_>, ty: Type, capacity: Value) -> Result<Operand> {
    let Some(shape) = Shape::of(emit.types, ty) else {
        return Err(Diagnostic::internal("emission", format!("no table: {}", emit.types.name(ty))));
    };
    let size = emit.b.iconst(Native::I64, shape.entry_size);
    let owners = emit.b.iconst(Native::I64, shape.owners.cast_signed());
    let owner = emit.call_runtime(Runtime::TableNew, &[size, owners, capacity])[0];
    let nothing = emit.b.iconst(Native::I64, 0);
    let failed = emit.b.icmp(IntCond::Eq, owner, nothing);
    emit.raise_if(failed, MemoryError, "cannot allocate dict or set");
    emit.refs.temporaries.push(owner);
    Ok(Operand::single(ty, owner))
}
