//! Values in the memory of containers: the parts of a value one behind the other, each aligned as C does.

use crate::{Emit, Operand, machine_types, owners};
use ir::{External, IntCond, Native, Op, Value};
use smallvec::SmallVec;
use types::{Type, TypeData, TypeTable};

/// How a value of a type lies in memory.
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

    /// The value that lies at an address.
    pub fn load(&self, emit: &mut Emit<'_>, ty: Type, address: Value) -> Operand {
        let parts: Vec<Value> =
            self.parts.iter().map(|&(native, offset)| emit.b.load(native, address, offset)).collect();
        Operand::new(ty, parts)
    }

    /// Writes a value, whose owners the memory holds from now on.
    pub fn store(&self, emit: &mut Emit<'_>, address: Value, value: &Operand) {
        let held = emit.hand_over(value);
        for (&(_, offset), &part) in self.parts.iter().zip(&held.parts) {
            emit.b.store(address, offset, part);
        }
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
        TypeData::Optional(inner) | TypeData::Starred(inner) => is_storable(types, inner),
        TypeData::Tuple(elements) | TypeData::NamedTuple { types: elements, .. } => all(&elements),
        TypeData::Closure { captures, defaults, .. } => all(&captures) && all(&defaults),
        TypeData::Choice(members) => all(&members),
        TypeData::Literal(_)
        | TypeData::Omitted(_)
        | TypeData::Keywords { .. }
        | TypeData::Iterator(_)
        | TypeData::Enumerate(_)
        | TypeData::Zip(_)
        | TypeData::Map { .. }
        | TypeData::Filter { .. }
        | TypeData::Room(_)
        | TypeData::Facet { .. }
        | TypeData::Method(..)
        | TypeData::Cell(_) => false,
        _ => true,
    }
}

impl Emit<'_> {
    /// The value with owners that count for somebody else than the instruction being emitted. What Python only lends is
    /// held by a block of its own, since whoever gets it may outlive the call.
    pub fn hand_over(&mut self, value: &Operand) -> Operand {
        let mut held = value.clone();
        let is_container =
            matches!(self.types.get(value.ty), TypeData::List { .. } | TypeData::Dict { .. } | TypeData::Set(_));
        for part in owners(self.types, value.ty) {
            let owner = value.parts[part];
            if let Some(at) = self.held.fresh.iter().position(|&made| made == owner) {
                self.held.fresh.remove(at);
                continue;
            }
            if is_container {
                self.retain(owner);
            } else {
                held.parts[part] = self.counted(owner);
            }
        }
        held
    }

    /// The owner, counted once more; where it is lent, a block that holds the Python object.
    fn counted(&mut self, owner: Value) -> Value {
        self.retain(owner);
        let one = self.b.iconst(Native::I64, 1);
        let low = self.b.like_first(Op::Iand, &[owner, one]);
        let lent = self.b.icmp(IntCond::Eq, low, one);
        self.usually(owner, lent, |emit| {
            let external = External {
                name: "rumba_pin".into(),
                params: vec![Native::I64],
                results: vec![Native::I64],
                pure: false,
                inline: false,
            };
            emit.b.call_external(external, &[owner])[0]
        })
    }
}
