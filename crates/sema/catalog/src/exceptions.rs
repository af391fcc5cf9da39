//! Exceptions as values: records in heap blocks of the host, one owner word each.

use crate::exception_args::{Described, PAYLOAD_WORDS, can_be_read};
use crate::no_cast::no_cast;
use crate::{Emit, Operand, string};
use abi::{ExceptionClass, Runtime};
use diag::Result;
use ir::{BlockCall, IntCond, Native, Op, SiteData, Value, ValueType};
use smallvec::SmallVec;
use types::{Type, TypeData, TypeTable};

/// One of several exception classes as the number of its place among those of another type.
pub(crate) fn choose_class(emit: &mut Emit<'_>, value: &Operand, to: Type) -> Result<Operand> {
    let classes = |ty: Type| match emit.types.get(ty) {
        TypeData::ExceptionClass(class) => vec![class],
        TypeData::ExceptionClassChoice(classes) => classes.to_vec(),
        _ => Vec::new(),
    };
    let (have, wanted) = (classes(value.ty), classes(to));
    let index = |class: &u32| wanted.iter().position(|known| known == class);
    let indices: Option<Vec<usize>> = have.iter().map(index).collect();
    let indices = indices.ok_or_else(|| no_cast(emit, value.ty, to))?;
    let mut chosen = emit.b.iconst(Native::I64, indices.first().map_or(0, |&first| first as i64));
    for (number, &index) in indices.iter().enumerate().skip(1) {
        let number = emit.b.iconst(Native::I64, number as i64);
        let is_this = emit.b.icmp(IntCond::Eq, value.value(), number);
        let index = emit.b.iconst(Native::I64, index as i64);
        chosen = emit.b.select(is_this, index, chosen);
    }
    Ok(Operand::single(to, chosen))
}

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

/// The classes that an exception is known to be of, by their numbers; none where nothing is known.
pub fn caught_classes(types: &TypeTable, ty: Type) -> SmallVec<[u32; 4]> {
    let TypeData::Caught(known) = types.get(ty) else { return SmallVec::new() };
    let classes = known.iter().filter_map(|&one| match types.get(one) {
        TypeData::Exception { class, .. } => Some(class),
        _ => None,
    });
    classes.collect()
}

/// Whether a value is an exception or None.
pub fn may_be_caught(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Optional(inner) => matches!(types.get(inner), TypeData::Caught(_)),
        _ => false,
    }
}

impl Emit<'_> {
    /// The exception that a status stands for. The instruction being emitted holds it.
    pub fn catch(&mut self, status: Value) -> Operand {
        let context = self.b.address_of("rumba_context");
        let record = self.call_runtime(Runtime::Catch, &[context, status])[0];
        self.refs.temporaries.push(record);
        Operand::single(self.types.caught(&[]), record)
    }

    /// The exception that Python handles where the function was called. The instruction being emitted holds it.
    pub fn handled_by_python(&mut self) -> Operand {
        let context = self.b.address_of("rumba_context");
        let record = self.call_runtime(Runtime::Handled, &[context])[0];
        self.refs.temporaries.push(record);
        Operand::single(self.types.caught(&[]), record)
    }

    /// The arguments of an exception as a tuple of this type; the instruction being emitted holds it. Whatever goes wrong is raised.
    pub fn caught_arguments(&mut self, of: &Operand, ty: Type) -> Result<Operand> {
        let parts = self.types.elements(ty).filter(|_| can_be_read(self.types, ty));
        let Some(parts) = parts.filter(|parts| !parts.is_empty()) else {
            return Ok(self.caught_attribute(of, "args", ty));
        };
        let (found, known) = self.caught_words(of, ExceptionClass::BaseException, &parts)?;
        let known = Operand { ty, parts: known.parts };
        self.either(found, known, |emit| Ok(emit.caught_attribute(of, "args", ty)))
    }

    /// The values of these types that an exception was made of, if it is of a class and was made of such, and whether it was.
    fn caught_words(
        &mut self,
        of: &Operand,
        class: ExceptionClass,
        parts: &[Type],
    ) -> Result<(Value, Operand)> {
        let mut described = Described::default();
        for &part in parts {
            let nothing = self.undefined(part);
            described.add(self, &nothing)?;
        }
        let words = self.frame_slot(8 * PAYLOAD_WORDS as u32);
        let class = self.b.iconst(Native::I64, class as i64);
        let layout = abi::layout_hash(described.layout.as_bytes());
        let layout = self.b.iconst(Native::I64, layout.cast_signed());
        let found = self.call_runtime(Runtime::CaughtWords, &[of.value(), class, layout, words])[0];
        let mut values = Vec::new();
        let mut at = 0;
        for &part in parts {
            values.extend(Described::read(self, part, words, &mut at)?.parts);
        }
        Ok((found, Operand::new(self.types.tuple(parts), values)))
    }

    /// A value that somebody else holds if a condition is true, else one that is made; the instruction being emitted holds either.
    fn either(
        &mut self,
        condition: Value,
        held: Operand,
        made: impl FnOnce(&mut Self) -> Result<Operand>,
    ) -> Result<Operand> {
        let (here, there, join) = (self.b.new_block(), self.b.new_block(), self.b.new_block());
        let params: Vec<Value> = held
            .parts
            .iter()
            .map(|&part| {
                let native = self.b.func.native(part);
                self.b.func.add_param(join, ValueType::Native(native))
            })
            .collect();
        self.b.branch(condition, BlockCall::new(here, []), BlockCall::new(there, []));
        self.b.switch_to(here);
        for owner in self.owners(&held) {
            self.retain(owner);
        }
        self.b.jump(join, &held.parts);
        self.b.switch_to(there);
        let value = made(self)?;
        // After the join it is the join's parameter that is counted.
        let owners = self.owners(&value);
        self.refs.temporaries.retain(|owner| !owners.contains(owner));
        self.b.jump(join, &value.parts);
        self.b.switch_to(join);
        let joined = Operand::new(held.ty, params);
        let owners = self.owners(&joined);
        self.refs.temporaries.extend(owners);
        Ok(joined)
    }

    /// An attribute of an exception as a value of this type; the instruction being emitted holds it. Whatever goes wrong is raised.
    pub fn caught_attribute(&mut self, of: &Operand, name: &str, ty: Type) -> Operand {
        let natives = self.machine_types(ty);
        let out = self.frame_slot(8 * natives.len().max(1) as u32);
        let context = self.b.address_of("rumba_context");
        let request = format!("{name}\n{}", self.types.name(ty));
        let index = string::constant_bytes(self, request.as_bytes());
        let length = self.b.iconst(Native::I64, request.len() as i64);
        let args = [context, of.value(), index, length, out];
        let status = self.call_runtime(Runtime::CaughtGet, &args)[0];
        let zero = self.b.iconst(Native::I64, 0);
        let failed = self.b.icmp(IntCond::Ne, status, zero);
        self.raise_payload_if(failed, ExceptionClass::ValueError, "!", &[]);
        self.taken_from_python(ty, out)
    }

    /// The same if a condition is true, else a default of that type.
    pub fn caught_attribute_or(
        &mut self,
        is_there: Value,
        of: &Operand,
        name: &str,
        default: &Operand,
    ) -> Result<Operand> {
        let one = self.b.bool(true);
        let is_absent = self.b.like_first(Op::Ixor, &[is_there, one]);
        let ty = default.ty;
        self.either(is_absent, default.clone(), |emit| Ok(emit.caught_attribute(of, name, ty)))
    }

    /// TypeError if an exception is of none of these classes itself: Python can raise what inference does not know of.
    pub fn check_caught_class(&mut self, of: &Operand, classes: &[u32]) {
        let found = self.is_one_of(of, classes, Runtime::CaughtExactly);
        let one = self.b.bool(true);
        let other = self.b.like_first(Op::Ixor, &[found, one]);
        let message = "the exception is of a class that the function was not compiled for: catch that class by a clause of its own";
        self.raise_if(other, ExceptionClass::TypeError, message);
    }

    /// A status comes through this raise site, which tracebacks show, if it is one of the source.
    pub fn note_call_site(&mut self, status: Value) {
        let (class, span) = (ExceptionClass::Exception, self.b.span);
        if !span.is_known() {
            return;
        }
        let data = SiteData { class, user_class: None, message: None, payload: false, span, origin: None };
        let site = self.b.func.sites.push(data);
        let index = self.b.site_status(site);
        self.call_runtime(Runtime::Through, &[status, index]);
    }

    /// `e.value` of a caught StopIteration: None where it says nothing.
    pub fn stop_value(&mut self, exception: &Operand, ty: Type) -> Result<Operand> {
        let content = match self.types.get(ty) {
            TypeData::Optional(content) => content,
            _ => return Ok(self.undefined(Type::NONE)),
        };
        if !can_be_read(self.types, content) {
            return Ok(self.caught_attribute(exception, "value", ty));
        }
        let (found, value) = self.caught_words(exception, ExceptionClass::StopIteration, &[content])?;
        let yes = self.b.bool(true);
        let known = Operand::new(ty, std::iter::once(yes).chain(value.parts));
        self.either(found, known, |emit| Ok(emit.caught_attribute(exception, "value", ty)))
    }

    /// Whether a caught exception is of one of these classes.
    pub fn is_caught(&mut self, exception: &Operand, classes: &[u32]) -> Value {
        self.is_one_of(exception, classes, Runtime::CaughtIs)
    }

    /// Whether a test of an exception and a class is true of one of these classes.
    fn is_one_of(&mut self, exception: &Operand, classes: &[u32], test: Runtime) -> Value {
        let mut found = None;
        for &class in classes {
            let class = self.b.iconst(Native::I64, i64::from(class));
            let one = self.call_runtime(test, &[exception.value(), class])[0];
            found = Some(found.map_or(one, |known| self.b.like_first(Op::Ior, &[known, one])));
        }
        found.unwrap_or_else(|| self.b.bool(false))
    }
}
