//! Displays, and the insertions of comprehensions.

use super::{Check, Verifier};
use catalog::Key;
use ir::{InstData, Op};
use types::{Type, TypeData};

/// Whether an op makes or fills a tuple, a list, a set or a dict.
pub(super) fn is_about_containers(op: Op) -> bool {
    matches!(
        op,
        Op::BuildTuple
            | Op::BuildList
            | Op::BuildSet
            | Op::BuildMap
            | Op::BuildDefaultDict
            | Op::CopyContents
            | Op::MapUpdate
            | Op::ListAppend
            | Op::SetAdd
            | Op::MapAdd
    )
}

impl Verifier<'_> {
    pub(super) fn container_op(&self, data: &InstData, args: &[Type]) -> Check {
        match data.op {
            Op::BuildTuple => self.build_tuple(data, args),
            Op::BuildList => self.build_list(data, args),
            Op::BuildMap => self.build_map(data, args),
            Op::BuildDefaultDict if self.cx.types.missing(self.func.ty(data.results[0])) != Some(args[0]) => {
                Err("the type of the dict has another factory".into())
            }
            Op::BuildDefaultDict => Ok(()),
            Op::CopyContents => self.copy_contents(args[0], self.func.ty(data.results[0])),
            Op::BuildSet => {
                let set = self.func.ty(data.results[0]);
                self.all_put(&Key::Function("method.add".into()), set, args, 1)
            }
            Op::MapUpdate => self.merge(data, args),
            Op::ListAppend if self.is_built(args[0]) => {
                self.put(&Key::Function("rumba.builder_put".into()), args)
            }
            Op::ListAppend => self.put(&Key::Function("method.append".into()), args),
            Op::SetAdd => self.put(&Key::Function("method.add".into()), args),
            _ => self.put(&Key::Setitem, args),
        }
    }

    /// What a key does with a container and what is put in.
    fn put(&self, key: &Key, args: &[Type]) -> Check {
        self.rule(key, args).map(|_| ())
    }

    /// The same for all that a display holds, so many at a time.
    fn all_put(&self, key: &Key, container: Type, items: &[Type], width: usize) -> Check {
        items.chunks(width).try_for_each(|items| {
            let args: Vec<Type> = [container].iter().chain(items).copied().collect();
            self.put(key, &args)
        })
    }

    /// A container of the same class whose items those of the other become.
    fn copy_contents(&self, from: Type, to: Type) -> Check {
        let types = self.cx.types;
        let (Some(given), Some(wanted)) = (types.contents(from), types.contents(to)) else {
            return Err("only the items of containers are copied".into());
        };
        if types.with_contents(from, &wanted) != Some(to) {
            return Err("the copy is of another class".into());
        }
        let mut known = given.iter().zip(&wanted).filter(|&(&item, _)| item != Type::UNDEFINED);
        known.try_for_each(|(&item, &held)| self.becomes(item, held))
    }

    fn build_tuple(&self, data: &InstData, args: &[Type]) -> Check {
        let types = self.cx.types;
        // Further keyword arguments of a call are held as a tuple is.
        match types.keywords(self.func.ty(data.results[0])) {
            Some((_, parts)) if parts[..] == *args => Ok(()),
            _ => self.gives(data, &[types.tuple(args)]),
        }
    }

    fn build_list(&self, data: &InstData, args: &[Type]) -> Check {
        let types = self.cx.types;
        let list = self.func.ty(data.results[0]);
        match types.get(list) {
            TypeData::FixedList(_) => {
                self.gives(data, &[types.intern(TypeData::FixedList(types.tuple(args)))])
            }
            TypeData::ArrayBuilder { .. } => self.build_array(args),
            _ => self.all_put(&Key::Function("rumba.list_push".into()), list, args, 1),
        }
    }

    /// An array that is being filled: as many places as the source has items, perhaps in another one's memory.
    fn build_array(&self, args: &[Type]) -> Check {
        let source = match args {
            [] => return Ok(()),
            [source, parent] if self.is_built(*parent) => source,
            [only] if self.is_built(*only) => return Ok(()),
            [source] => source,
            _ => return Err("an array is filled from one source".into()),
        };
        self.rule(&Key::Function("builtins.len".into()), &[*source]).map(|_| ())
    }

    /// Whether a type is that of an array that is being filled.
    pub(super) fn is_built(&self, ty: Type) -> bool {
        matches!(self.cx.types.get(ty), TypeData::ArrayBuilder { .. })
    }

    /// The array that was filled.
    pub(super) fn array_done(&self, data: &InstData, builder: Type) -> Check {
        match self.cx.types.get(builder) {
            TypeData::ArrayBuilder { array, .. } => self.gives(data, &[array]),
            _ => Err("what is done was never begun".into()),
        }
    }

    /// A dict, or one whose keys are known: of a key that stands twice the last value.
    fn build_map(&self, data: &InstData, args: &[Type]) -> Check {
        let dict = self.func.ty(data.results[0]);
        let Some((names, parts)) = self.cx.types.keywords(dict) else {
            return self.all_put(&Key::Setitem, dict, args, 2);
        };
        for (name, &part) in names.iter().zip(parts.iter()) {
            let is_key = |pair: &&[Type]| self.text(pair[0]).is_some_and(|key| *key == **name);
            let value = args.chunks_exact(2).rfind(is_key).map(|pair| pair[1]);
            if value != Some(part) {
                return Err(format!("'{name}' has another type than its value"));
            }
        }
        Ok(())
    }

    /// A dict with the items of another one, which win.
    fn merge(&self, data: &InstData, args: &[Type]) -> Check {
        let Some((names, parts)) =
            data.results.first().and_then(|&result| self.cx.types.keywords(self.func.ty(result)))
        else {
            return Err("only dicts whose keys are known are merged".into());
        };
        for (name, &part) in names.iter().zip(parts.iter()) {
            let of = |&dict: &Type| {
                let (names, parts) = self.cx.types.keywords(dict)?;
                parts.get(names.iter().position(|known| known == name)?).copied()
            };
            if args.iter().rev().find_map(of) != Some(part) {
                return Err(format!("'{name}' has another type than its value"));
            }
        }
        Ok(())
    }
}
