//! Exceptions as values: records that the host keeps in blocks of memory, one owner word each.

use crate::exception_args::{Described, PAYLOAD_WORDS};
use crate::{Emit, Operand};
use abi::{ExceptionClass, Runtime};
use diag::Result;
use ir::{Block, Native, Op, SiteData, Value};
use smallvec::SmallVec;
use types::{Type, TypeData, TypeTable};

/// The classes that a class of exceptions or a tuple of them stands for, by their numbers; nothing for what is neither.
pub fn exception_classes(types: &TypeTable, ty: Type) -> Option<SmallVec<[u32; 4]>> {
    match types.get(ty) {
        TypeData::ExceptionClass(class) => Some([class].into_iter().collect()),
        TypeData::Tuple(parts) => parts
            .iter()
            .map(|&part| match types.get(part) {
                TypeData::ExceptionClass(class) => Some(class),
                _ => None,
            })
            .collect(),
        _ => None,
    }
}

/// Where a protected block's exceptions go.
#[derive(Clone, Debug)]
pub struct Protection {
    /// The handler.
    pub block: Block,
    /// What it is given in front of the status.
    pub args: SmallVec<[Value; 4]>,
    /// Owners of these that are counted for it.
    pub counted: Vec<Value>,
}

impl Emit<'_> {
    /// The exception that a status stands for. The instruction being emitted holds it.
    pub fn catch(&mut self, status: Value) -> Operand {
        let context = self.b.address_of("rumba_context");
        let record = self.call_runtime(Runtime::Catch, &[context, status])[0];
        self.held.fresh.push(record);
        Operand::single(self.types.intern(TypeData::Caught), record)
    }

    /// The exception that Python handles where the function was called. The instruction being emitted holds it.
    pub fn handled_by_python(&mut self) -> Operand {
        let context = self.b.address_of("rumba_context");
        let record = self.call_runtime(Runtime::Handled, &[context])[0];
        self.held.fresh.push(record);
        Operand::single(self.types.intern(TypeData::Caught), record)
    }

    /// A status comes through this place, which tracebacks show.
    pub fn note_place(&mut self, status: Value) {
        let (class, span) = (ExceptionClass::Exception, self.b.span);
        let data = SiteData { class, user_class: None, message: None, payload: false, span, origin: None };
        let site = self.b.func.sites.push(data);
        let place = self.b.site_status(site);
        self.call_runtime(Runtime::Through, &[status, place]);
    }

    /// `e.value` of a caught StopIteration: None where it says nothing, or something of another type.
    pub fn stop_value(&mut self, exception: &Operand, ty: Type) -> Result<Operand> {
        let content = match self.types.get(ty) {
            TypeData::Optional(content) => content,
            _ => return Ok(self.undefined(Type::NONE)),
        };
        let mut described = Described::default();
        let nothing = self.undefined(content);
        described.add(self, &nothing)?;
        let words = self.frame_slot(8 * PAYLOAD_WORDS as u32);
        let layout = self.b.iconst(Native::I64, abi::layout_hash(&described.layout).cast_signed());
        let found = self.call_runtime(Runtime::StopValue, &[exception.value(), layout, words])[0];
        let value = Described::read(self, content, words, &mut 0)?;
        Ok(Operand::new(ty, std::iter::once(found).chain(value.parts)))
    }

    /// Whether a caught exception is of one of these classes.
    pub fn is_caught(&mut self, exception: &Operand, classes: &[u32]) -> Value {
        let mut found = None;
        for &class in classes {
            let class = self.b.iconst(Native::I64, i64::from(class));
            let one = self.call_runtime(Runtime::CaughtIs, &[exception.value(), class])[0];
            found = Some(found.map_or(one, |known| self.b.like_first(Op::Ior, &[known, one])));
        }
        found.unwrap_or_else(|| self.b.bool(false))
    }
}
