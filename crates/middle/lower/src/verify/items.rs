//! Attributes, items, iteration and unpacking.

use super::{Check, Verifier};
use catalog::Key;
use ir::{Attr, InstData, Op};
use std::sync::Arc;
use types::{Handle, LiteralValue, Type, TypeData};

impl Verifier<'_> {
    pub(super) fn item_op(&self, data: &InstData, args: &[Type]) -> Check {
        match (data.op, data.attrs.first()) {
            (Op::Getattr, _) => self.getattr(data, args[0]),
            (Op::Getitem, _) => self.getitem(data, args),
            (Op::Setitem, _) => self.rule(&Key::Setitem, args).map(|_| ()),
            (Op::Setattr, _) => self.setattr(data, args),
            (Op::Getiter, _) => self.by_catalog(data, &Key::Getiter, args),
            (Op::Iternext, _) => self.iternext(data, args[0]),
            (Op::BuildSlice, _) => self.build_slice(data, args),
            (Op::Format, _) => self.by_catalog(data, &Key::Function("builtins.format".into()), args),
            (Op::BuildString, _) => self.by_catalog(data, &Key::Function("rumba.concatenate".into()), args),
            (Op::Arrayexpr, Some(Attr::Symbols(words))) => self.arrayexpr(data, args, words),
            (Op::ParallelFor, Some(&Attr::Int(body))) => self.parallel_for(data, args, body),
            (Op::Unpack, _) => self.unpack(data, args[0]),
            (Op::UnpackEx, Some(&Attr::Int(before))) => self.unpack_starred(data, args[0], before as usize),
            (op, _) => Err(format!("`{}` has no rule", op.info().name)),
        }
    }

    /// The body takes two iterations and what is passed, and gives what continues, then flags.
    fn parallel_for(&self, data: &InstData, args: &[Type], body: i64) -> Check {
        let Some(TypeData::Range(index)) = args.first().map(|&range| self.cx.types.get(range)) else {
            return Err("a parallel loop runs over a range".into());
        };
        let params: Vec<Type> = [index; 2].into_iter().chain(args[1..].iter().copied()).collect();
        let Some((_, result)) = (self.cx.instance)(Handle(body as u32), &params) else {
            return Err("there is no such body".into());
        };
        let given = self.cx.types.elements(result).unwrap_or_default();
        match given.get(..data.results.len()) {
            Some(carried) => self.gives(data, carried),
            None => Err("the body gives less".into()),
        }
    }

    fn getattr(&self, data: &InstData, of: Type) -> Check {
        let types = self.cx.types;
        let (name, result) = (self.symbol(data), self.func.ty(data.results[0]));
        match (types.get(of), types.get(result)) {
            (TypeData::Module(_) | TypeData::Object { .. } | TypeData::Function(_), _) => {
                self.is_all_type(data)
            }
            (TypeData::Optional(_), _) if catalog::may_be_caught(types, of) => Ok(()),
            // What they are depends on what was raised.
            (TypeData::Caught(_) | TypeData::CaughtClass, _) => Ok(()),
            (_, TypeData::Method(receiver, known)) if receiver == of && *known == *name => Ok(()),
            // What a class has for all of its instances.
            (
                TypeData::Instance { .. } | TypeData::Class(_) | TypeData::ExceptionClass(_),
                TypeData::Dispatcher(_),
            ) => Ok(()),
            (TypeData::NamedTuple { fields, types: parts, .. }, _)
                if fields.iter().any(|field| field == name) =>
            {
                let at = fields.iter().position(|field| field == name).unwrap_or_default();
                self.gives(data, &[parts[at]])
            }
            _ if types.literal(result).is_some() => Ok(()),
            _ => {
                let found = catalog::attribute(self.cx.catalog, types, of, name);
                let found = found.or_else(|| catalog::field(self.cx.catalog, types, of, name));
                let found = found.ok_or_else(|| format!("{} has no attribute `{name}`", self.name(of)))?;
                self.gives(data, &[found.resolution.result])
            }
        }
    }

    fn getitem(&self, data: &InstData, args: &[Type]) -> Check {
        let types = self.cx.types;
        if matches!(types.get(args[0]), TypeData::Object { .. }) {
            return self.is_all_type(data);
        }
        let (Some(items), Some(LiteralValue::Int(index))) = (types.items(args[0]), types.literal(args[1]))
        else {
            return self.by_catalog(data, &Key::Getitem, args);
        };
        let at = if index < 0 { index + items.len() as i64 } else { index };
        match usize::try_from(at).ok().and_then(|at| items.get(at)) {
            Some(&item) => self.gives(data, &[item]),
            None => Err("there is no such item".into()),
        }
    }

    /// An attribute, or a field of a record, as the item with its name.
    fn setattr(&self, data: &InstData, args: &[Type]) -> Check {
        let types = self.cx.types;
        if matches!(types.get(types.without_none(args[0])), TypeData::Caught(_)) {
            return Ok(());
        }
        let found = catalog::assigned_attribute(self.cx.catalog, types, args[0], self.symbol(data), args[1]);
        let found = found.ok_or_else(|| {
            format!("attribute `{}` of {} is not assigned", self.symbol(data), self.name(args[0]))
        })?;
        found
            .args
            .iter()
            .zip(&found.resolution.params)
            .try_for_each(|(&arg, &param)| self.becomes(arg, param))
    }

    /// An item and whether there was one.
    fn iternext(&self, data: &InstData, iterator: Type) -> Check {
        let item = self.item_of(iterator)?;
        let results = [self.func.ty(data.results[0]), self.func.ty(data.results[1])];
        let fits = results[0] == item && self.cx.types.unliteral(results[1]) == Type::BOOL;
        if fits { Ok(()) } else { self.gives(data, &[item, Type::BOOL]) }
    }

    /// A slice; one whose parts are known has them in its type.
    fn build_slice(&self, data: &InstData, args: &[Type]) -> Check {
        let types = self.cx.types;
        let part = |&ty: &Type| match types.literal(ty) {
            Some(LiteralValue::Int(value)) => Some(value),
            _ => None,
        };
        let known = |at: usize| args.get(at).and_then(part);
        match types.get(self.func.ty(data.results[0])) {
            TypeData::LiteralSlice { start, stop, step } => {
                let same = [start, stop, step] == [known(0), known(1), known(2)];
                if same { Ok(()) } else { Err("the slice has other bounds than its type".into()) }
            }
            TypeData::Slice { members } => {
                let is_whole = |ty: Type| {
                    let plain = types.unliteral(ty);
                    ty == Type::NONE || plain.is_int() || plain == Type::BOOL
                };
                let fits = |&ty: &Type| match types.get(ty) {
                    TypeData::Optional(inner) => is_whole(inner),
                    _ => is_whole(ty),
                };
                let fits = usize::from(members) <= args.len() && args.iter().all(fits);
                if fits { Ok(()) } else { Err("bounds of slices are integers or None".into()) }
            }
            _ => Err("it gives a slice".into()),
        }
    }

    fn arrayexpr(&self, data: &InstData, args: &[Type], words: &[ir::Symbol]) -> Check {
        let words: Vec<&str> = words.iter().map(|&word| self.func.symbols.get(word).as_str()).collect();
        let text = self.cx.types.literal_str(&words.join(" "));
        let all: Vec<Type> = [text].iter().chain(args).copied().collect();
        let found = self.rule(&Key::Function("rumba.arrayexpr".into()), &all)?;
        match data.results.len() {
            0 => Ok(()),
            1 => self.gives(data, &[found.result]),
            _ => self.gives(data, &self.cx.types.elements(found.result).unwrap_or_default()),
        }
    }

    /// Types of what a value unpacks to, if that is known by its type.
    fn unpacked(&self, of: Type) -> Option<Arc<[Type]>> {
        let types = self.cx.types;
        match types.get(of) {
            TypeData::Optional(inner) => types.items(inner),
            TypeData::StaticDict { names, .. } => {
                Some(names.iter().map(|name| types.literal_str(name)).collect())
            }
            _ => types.items(of),
        }
    }

    fn unpack(&self, data: &InstData, of: Type) -> Check {
        if let Some(items) = self.unpacked(of) {
            return self.gives(data, &items);
        }
        let types = self.cx.types;
        let of = types.present(of);
        let has_indices =
            types.unliteral(of) == Type::STR || types.array(of).is_some() || types.list_item(of).is_some();
        if !has_indices {
            let iterator = self.rule(&Key::Getiter, &[of])?.result;
            let item = self.rule(&Key::Iternext, &[iterator])?.result;
            return self.gives(data, &vec![item; data.results.len()]);
        }
        self.rule(&Key::Function("builtins.len".into()), &[of])?;
        let item = self.rule(&Key::Getitem, &[of, Type::UINT64])?.result;
        self.gives(data, &vec![item; data.results.len()])
    }

    /// Items, a list of some type that takes them, items.
    fn unpack_one_by_one(&self, data: &InstData, of: Type, before: usize) -> Check {
        let iterator = self.rule(&Key::Getiter, &[of])?.result;
        let item = self.rule(&Key::Iternext, &[iterator])?.result;
        let list = self.func.ty(data.results[before]);
        if let Some(held) = self.cx.types.list_item(list) {
            self.becomes(item, held)?;
        }
        let wanted: Vec<Type> =
            (0..data.results.len()).map(|at| if at == before { list } else { item }).collect();
        self.gives(data, &wanted)
    }

    /// Items, the list of those between, items.
    fn unpack_starred(&self, data: &InstData, of: Type, before: usize) -> Check {
        let types = self.cx.types;
        let names = data.results.len() - 1;
        let Some(items) = self.unpacked(of) else {
            let of = types.present(of);
            if types.list_item(of).is_none() {
                return self.unpack_one_by_one(data, of, before);
            }
            let item = self.rule(&Key::Getitem, &[of, Type::UINT64])?.result;
            // After what an empty list is unpacked to nothing runs.
            let is_nothing = names > 0 && item == Type::UNDEFINED;
            let list = if is_nothing { item } else { self.func.ty(data.results[before]) };
            if let Some(held) = types.list_item(list).filter(|&held| held != item) {
                self.becomes(item, held)?;
            }
            let wanted: Vec<Type> = (0..=names).map(|at| if at == before { list } else { item }).collect();
            return self.gives(data, &wanted);
        };
        let behind = items.len().checked_sub(names - before).filter(|&behind| behind >= before);
        let behind = behind.ok_or("there are fewer items than names")?;
        let list = types.intern(TypeData::FixedList(types.tuple(&items[before..behind])));
        let wanted = items[..before].iter().chain([&list]).chain(&items[behind..]);
        self.gives(data, &wanted.copied().collect::<Vec<_>>())
    }
}
