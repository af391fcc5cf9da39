//! Generators: where things lie in their frames, and how they are resumed.
//!
//! Absent: what the code of one does (`lower`), how it goes on where it stopped (`opt::split`).

use crate::{Emit, Operand, machine_types, propagate, references};
use abi::frame::{RESULT, RESUME};
use diag::{Diagnostic, Result};
use ir::{External, Native, Op, Value};
use types::{Type, TypeData, TypeTable};

/// Where things lie in the frame of a generator: each part has a word of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameLayout {
    /// Offsets of the parts of what it returns.
    pub result: Vec<i64>,
    /// Offsets of the parts of its arguments.
    pub args: Vec<i64>,
    /// Where nothing lies yet.
    pub free: i64,
}

impl FrameLayout {
    /// The layout for a generator with these parameters that returns such values.
    pub fn of(types: &TypeTable, params: &[Type], result: Type) -> FrameLayout {
        let mut free = RESULT;
        let mut place = |ty: Type| -> Vec<i64> {
            let count = machine_types(types, ty).len() as i64;
            let first = free;
            free += 8 * count;
            (0..count).map(|part| first + 8 * part).collect()
        };
        let result = place(result);
        let args = params.iter().flat_map(|&param| place(param)).collect();
        FrameLayout { result, args, free }
    }
}

/// The type of the items and of the result of a generator.
pub fn parts_of(types: &TypeTable, ty: Type) -> Option<(Type, Type)> {
    match types.get(ty) {
        TypeData::GeneratorObject { item, result, .. } => Some((item, result)),
        _ => None,
    }
}

/// How the code of a generator with such items is resumed.
pub fn resume_signature(types: &TypeTable, item: Type) -> External {
    let results = [Native::I1].into_iter().chain(machine_types(types, item)).collect();
    External::new("", vec![Native::Ptr, Native::I64], results).giving(references(types, item) << 1).failing()
}

impl Emit<'_> {
    /// The address of a generator's frame.
    pub fn frame_of(&mut self, owner: Value) -> Value {
        let block = self.b.convert(Op::Bitcast, owner, Native::Ptr);
        let items = self.b.iconst(Native::I64, abi::ITEMS);
        self.b.native(Op::PtrAdd, [], &[block, items], Native::Ptr)
    }

    /// Resumes a generator: the item, and whether there is one. It fails where the generator does.
    pub fn resume(&mut self, generator: &Operand) -> Result<(Operand, Value)> {
        let Some((item, _)) = parts_of(self.types, generator.ty) else {
            return Err(Diagnostic::internal("emission", "what is resumed is no generator"));
        };
        let frame = self.frame_of(generator.value());
        let resume = self.b.load(Native::Ptr, frame, RESUME);
        let zero = self.b.iconst(Native::I64, 0);
        let signature = resume_signature(self.types, item);
        let mut made = self.b.call_indirect(resume, signature, &[frame, zero]);
        let status = made.remove(0);
        propagate(self, status);
        let has_item = made.remove(0);
        let item = Operand::new(item, made);
        // The item counts for whoever asked; where there is none its owners are 0.
        let owners = self.owners(&item);
        self.held.fresh.extend(owners);
        Ok((item, has_item))
    }

    /// What a generator returned that has ended.
    pub fn result_of_generator(&mut self, generator: &Operand) -> Result<Operand> {
        let Some((_, result)) = parts_of(self.types, generator.ty) else {
            return Err(Diagnostic::internal("emission", "a result of what is no generator"));
        };
        let frame = self.frame_of(generator.value());
        let layout = FrameLayout::of(self.types, &[], result);
        let natives = self.machine_types(result);
        let parts: Vec<Value> = natives
            .into_iter()
            .zip(&layout.result)
            .map(|(native, &offset)| self.b.load(native, frame, offset))
            .collect();
        Ok(Operand::new(result, parts))
    }
}
