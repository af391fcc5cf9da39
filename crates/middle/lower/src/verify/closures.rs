//! Cells, closures, and operations for which CPython has dedicated instructions.

use super::{Check, Verifier};
use catalog::{Key, PatternPart, pattern_parts};
use ir::{Attr, FunctionAttribute, Inst, InstData, Op};
use std::sync::Arc;
use types::{LiteralValue, Type, TypeData};

impl Verifier<'_> {
    /// What a cell holds.
    fn content(&self, cell: Type) -> Option<Type> {
        match self.cx.types.get(cell) {
            TypeData::Cell(number) => catalog::closure_cell::content(self.cx.types, self.cx.cells, number),
            TypeData::HeapCell(content) => Some(content),
            _ => None,
        }
    }

    fn holds(&self, cell: Type, content: Type) -> Check {
        match self.content(cell) {
            Some(known) if known == content => Ok(()),
            Some(known) => Err(format!("the cell holds {}, not {}", self.name(known), self.name(content))),
            None => Err(format!("{} is no cell of the group", self.name(cell))),
        }
    }

    pub(super) fn cell_op(&self, data: &InstData, args: &[Type]) -> Check {
        let result = || self.func.ty(data.results[0]);
        match (data.op, data.attrs.get(1)) {
            (Op::MakeCell, _) => self.holds(result(), args[0]),
            (Op::EmptyCell, Some(&Attr::Type(content))) => self.holds(result(), content),
            (Op::StoreCell, _) => self.holds(args[0], args[1]),
            // A value that a closure took along.
            (Op::LoadCell, _) if self.content(args[0]).is_none() => self.gives(data, args),
            (Op::LoadCell, _) => self.holds(args[0], result()),
            _ => self.capture(data, args[0]),
        }
    }

    /// Part n of a closure, function n of a choice.
    fn capture(&self, data: &InstData, of: Type) -> Check {
        let parts: Arc<[Type]> = match self.cx.types.get(of) {
            TypeData::Closure { captures, defaults, .. } => {
                captures.iter().chain(defaults.iter()).copied().collect()
            }
            TypeData::Choice(members) => members,
            _ => return Err("nothing is captured by what is no function".into()),
        };
        let index = match data.attrs.first() {
            Some(&Attr::Int(index)) => usize::try_from(index).unwrap_or(usize::MAX),
            _ => usize::MAX,
        };
        match parts.get(index) {
            Some(&part) => self.gives(data, &[part]),
            None => Err("the function has no such part".into()),
        }
    }

    pub(super) fn python(&self, inst: Inst, args: &[Type]) -> Check {
        let data = &self.func.insts[inst];
        match self.symbol(data) {
            "make_function" => match self.cx.types.get(self.func.ty(data.results[0])) {
                TypeData::Closure { captures, defaults, .. }
                    if captures.is_empty() && defaults.is_empty() =>
                {
                    Ok(())
                }
                _ => Err("a function of its code alone has no parts".into()),
            },
            "delete_cell" => match self.content(args[0]) {
                Some(_) => Ok(()),
                None => Err("what ends is no variable that functions share".into()),
            },
            FunctionAttribute::OP => self.function_attribute(inst, args),
            "convert" => {
                let function = catalog::string::conversion(data.attrs.last());
                self.by_catalog(data, &Key::Function(function.into()), args)
            }
            "match_class" => self.match_class(data, args),
            "handled_exception" => self.gives(data, &[self.cx.types.caught(&[])]),
            "narrow_exception" | "exact_exception" => {
                match self.cx.types.get(self.func.ty(data.results[0])) {
                    TypeData::Caught(_) => Ok(()),
                    _ => Err("what is known of an exception is one".into()),
                }
            }
            "with_exit_method" => match self.cx.types.get(self.func.ty(data.results[0])) {
                TypeData::Method(manager, _) if manager == args[0] => Ok(()),
                _ => Err("what leaves a context is its manager's method".into()),
            },
            "with_enter" => match self.cx.types.get(args[0]) {
                TypeData::Manager { .. } => Ok(()),
                _ => Err("only context managers are entered".into()),
            },
            "exception_matches" | "with_exit"
                if self.cx.types.literal(self.func.ty(data.results[0])).is_none() =>
            {
                self.gives(data, &[Type::BOOL])
            }
            "generator_result" => match catalog::generator::parts_of(self.cx.types, args[0]) {
                Some((_, result)) => self.gives(data, &[result]),
                None => self.is_all_type(data),
            },
            _ => self.is_all_type(data),
        }
    }

    /// A function with its captures or its defaults.
    fn function_attribute(&self, inst: Inst, args: &[Type]) -> Check {
        let types = self.cx.types;
        let data = &self.func.insts[inst];
        let result = types.get(self.func.ty(data.results[0]));
        let (
            TypeData::Closure { function, captures, defaults, .. },
            TypeData::Closure { function: made, captures: taken, defaults: given, .. },
        ) = (types.get(args[1]), result)
        else {
            return Err("only functions have attributes".into());
        };
        let parts = types.components(args[0]).unwrap_or_default();
        let fits = match self.func.function_attribute(inst) {
            Some(FunctionAttribute::Closure) => captures.is_empty() && taken == parts && defaults == given,
            Some(FunctionAttribute::Defaults | FunctionAttribute::KeywordDefaults) => {
                let new = given.strip_prefix(&defaults[..]).unwrap_or_default();
                new.len() == parts.len() && captures == taken && {
                    new.iter().zip(parts.iter()).try_for_each(|(&new, &part)| self.becomes(part, new))?;
                    true
                }
            }
            _ => captures == taken && defaults == given,
        };
        if fits && function == made {
            Ok(())
        } else {
            Err("the function has other parts than it is given".into())
        }
    }

    /// None, or the tuple of what the sub-patterns are matched with.
    fn match_class(&self, data: &InstData, args: &[Type]) -> Check {
        let types = self.cx.types;
        let result = self.func.ty(data.results[0]);
        if result == Type::NONE {
            return Ok(());
        }
        let (content, is_optional) = match types.get(args[0]) {
            TypeData::Optional(inner) => (inner, true),
            // Of an exception only the run time knows.
            TypeData::Caught(_) => (args[0], true),
            _ => (args[0], false),
        };
        let positional = match data.attrs.last() {
            Some(&Attr::Int(count)) => count as usize,
            _ => 0,
        };
        let parts = pattern_parts(types, content, args[1], positional, args[2]);
        let part = |part: &PatternPart| part.of(types, content);
        let taken: Option<Vec<Type>> = parts.and_then(|parts| parts.iter().map(part).collect());
        let taken = types.tuple(&taken.ok_or("the pattern has no parts")?);
        self.gives(data, &[if is_optional { types.optional(taken) } else { taken }])
    }

    /// The constant text that a type knows.
    pub(super) fn text(&self, ty: Type) -> Option<Arc<str>> {
        match self.cx.types.literal(ty) {
            Some(LiteralValue::Str(text)) => Some(text),
            _ => None,
        }
    }
}
