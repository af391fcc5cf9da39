//! Generators: the layout of their frames, and how they are resumed.
//!
//! Absent: lowering of their code (`lower`), resuming (`opt::split_generator`).

use crate::exception_args::{Described, PAYLOAD_WORDS, can_be_told, is_describable};
use crate::{Emit, Operand, cast, machine_types, propagate, references};
use abi::ExceptionClass;
use abi::frame::{DONE, RESULT, RESUME, RETURNED, STATE};
use diag::{Diagnostic, Result};
use ir::{BlockCall, External, IntCond, Native, Op, Value};
use types::{Type, TypeData, TypeTable};

/// Where things lie in the frame of a generator: each part has a word of its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameLayout {
    /// Offsets of the parts of what it returns.
    pub result: Vec<i64>,
    /// Offsets of the parts of what is sent to it.
    pub sent: Vec<i64>,
    /// Offsets of the parts of its arguments.
    pub args: Vec<i64>,
    /// Where nothing lies yet.
    pub free: i64,
}

impl FrameLayout {
    /// The layout for a generator of this type with these parameters.
    pub fn of(types: &TypeTable, params: &[Type], generator: Type) -> FrameLayout {
        let (result, sent) = match types.get(generator) {
            TypeData::GeneratorObject { result, sent, .. } => (result, sent),
            _ => (Type::NONE, Type::NONE),
        };
        let mut free = RESULT;
        let mut assign_offsets = |ty: Type| -> Vec<i64> {
            let count = machine_types(types, ty).len() as i64;
            let first = free;
            free += 8 * count;
            (0..count).map(|part| first + 8 * part).collect()
        };
        let result = assign_offsets(result);
        let sent = assign_offsets(sent_value(types, sent));
        let args = params.iter().flat_map(|&param| assign_offsets(param)).collect();
        FrameLayout { result, sent, args, free }
    }
}

/// The type of the items and of the result of a generator.
pub fn parts_of(types: &TypeTable, ty: Type) -> Option<(Type, Type)> {
    match types.get(ty) {
        TypeData::GeneratorObject { item, result, .. } => Some((item, result)),
        _ => None,
    }
}

/// The type of what may be sent to a generator: None if it asks for nothing, undefined if nobody sends anything but None.
pub fn sent_to(types: &TypeTable, ty: Type) -> Type {
    match types.get(ty) {
        TypeData::GeneratorObject { sent, .. } => sent,
        _ => Type::NONE,
    }
}

/// The type of the value of a `yield` where such values are sent: nobody has to send one.
pub fn sent_value(types: &TypeTable, sent: Type) -> Type {
    if matches!(sent, Type::NONE | Type::UNDEFINED) { Type::NONE } else { types.optional(sent) }
}

/// How the code of a generator with such items is resumed.
pub fn resume_signature(types: &TypeTable, item: Type) -> External {
    let results = [Native::I1].into_iter().chain(machine_types(types, item)).collect();
    External::new("", vec![Native::Ptr, Native::I64], results)
        .giving(references(types, item).behind_one())
        .failing()
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
        let zero = self.b.iconst(Native::I64, 0);
        self.resume_with(generator, zero)
    }

    /// The same with a status other than 0 with which the generator is to fail where it stopped.
    pub fn resume_with(&mut self, generator: &Operand, status: Value) -> Result<(Operand, Value)> {
        let (status, item, has_item) = self.try_resume(generator, status)?;
        propagate(self, status);
        // The item counts for whoever asked; where there is none its owners are 0.
        let owners = self.owners(&item);
        self.refs.temporaries.extend(owners);
        Ok((item, has_item))
    }

    /// The same without leaving where it fails: the status, the item, and whether there is one.
    pub fn try_resume(&mut self, generator: &Operand, status: Value) -> Result<(Value, Operand, Value)> {
        let Some((item, _)) = parts_of(self.types, generator.ty) else {
            return Err(Diagnostic::internal("emission", "what is resumed is no generator"));
        };
        let frame = self.frame_of(generator.value());
        let resume = self.b.load(Native::Ptr, frame, RESUME);
        let signature = resume_signature(self.types, item);
        let mut made = self.b.call_indirect(resume, signature, &[frame, status]);
        let status = made.remove(0);
        let has_item = made.remove(0);
        Ok((status, Operand::new(item, made), has_item))
    }

    /// Puts what is sent to a generator where it looks when it continues; for one that does not wait nothing is done.
    pub fn put_sent(&mut self, generator: &Operand, value: &Operand) -> Result<()> {
        let sent = sent_to(self.types, generator.ty);
        if sent_value(self.types, sent) == Type::NONE {
            return Ok(());
        }
        let value = cast(self, value, sent_value(self.types, sent))?;
        let held = self.hand_over(&value);
        let frame = self.frame_of(generator.value());
        let state = self.b.load(Native::I64, frame, STATE);
        let zero = self.b.iconst(Native::I64, 0);
        let waits = self.b.icmp(IntCond::Sgt, state, zero);
        let [put, give_up, join] = [(); 3].map(|()| self.b.new_block());
        self.b.branch(waits, BlockCall::new(put, []), BlockCall::new(give_up, []));
        self.b.switch_to(put);
        let layout = FrameLayout::of(self.types, &[], generator.ty);
        for (&part, offset) in held.parts.iter().zip(layout.sent) {
            self.b.store(frame, offset, part);
        }
        self.give_refs(&held);
        self.b.jump(join, &[]);
        self.b.switch_to(give_up);
        for owner in self.owners(&held) {
            self.release(owner);
        }
        self.b.jump(join, &[]);
        self.b.switch_to(join);
        Ok(())
    }

    /// Leaves with the StopIteration that a generator ends with: it says what was returned, the first time. The block ends here.
    pub fn raise_stop(&mut self, generator: &Operand) -> Result<()> {
        let result = parts_of(self.types, generator.ty).map_or(Type::NONE, |(_, result)| result);
        let content = self.types.without_none(result);
        let fits = 2 * self.machine_types(result).len() <= PAYLOAD_WORDS && can_be_told(self.types, content);
        if result == Type::NONE || !fits {
            self.raise(ExceptionClass::StopIteration, None);
            return Ok(());
        }
        let frame = self.frame_of(generator.value());
        let state = self.b.load(Native::I64, frame, STATE);
        let returned = self.b.iconst(Native::I64, RETURNED);
        let is_news = self.b.icmp(IntCond::Eq, state, returned);
        let (told, tells) = (self.b.new_block(), self.b.new_block());
        self.b.branch(is_news, BlockCall::new(tells, []), BlockCall::new(told, []));
        self.b.switch_to(told);
        self.raise(ExceptionClass::StopIteration, None);
        self.b.switch_to(tells);
        let done = self.b.iconst(Native::I64, DONE);
        self.b.store(frame, STATE, done);
        let mut value = self.result_of_generator(generator)?;
        if let TypeData::Optional(content) = self.types.get(result) {
            let (says, nothing) = (self.b.new_block(), self.b.new_block());
            self.b.branch(value.parts[0], BlockCall::new(says, []), BlockCall::new(nothing, []));
            self.b.switch_to(nothing);
            self.raise(ExceptionClass::StopIteration, None);
            self.b.switch_to(says);
            value = Operand::new(content, value.parts[1..].iter().copied());
        }
        let mut described = Described::default();
        if is_describable(self.types, value.ty) {
            described.add(self, &value)?;
            // Whoever makes the exception gives up the strings.
            for owner in self.owners(&value) {
                self.retain(owner);
            }
            self.give_refs(&value);
        } else {
            described.add_boxed(self, &value);
        }
        let Described { layout, words } = described;
        self.raise_payload(ExceptionClass::StopIteration, &layout, &words);
        Ok(())
    }

    /// What a generator returned that has ended.
    pub fn result_of_generator(&mut self, generator: &Operand) -> Result<Operand> {
        let Some((_, result)) = parts_of(self.types, generator.ty) else {
            return Err(Diagnostic::internal("emission", "a result of what is no generator"));
        };
        let frame = self.frame_of(generator.value());
        let layout = FrameLayout::of(self.types, &[], generator.ty);
        let natives = self.machine_types(result);
        let parts: Vec<Value> = natives
            .into_iter()
            .zip(&layout.result)
            .map(|(native, &offset)| self.b.load(native, frame, offset))
            .collect();
        Ok(Operand::new(result, parts))
    }
}
