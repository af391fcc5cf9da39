//! Calls: of catalog functions, of compiled functions, of one of several functions.

use super::{Check, Verifier};
use catalog::{Key, Special};
use ir::InstData;
use types::{Handle, Type, TypeData};

impl Verifier<'_> {
    pub(super) fn call(&self, data: &InstData, operands: &[Type]) -> Check {
        let types = self.cx.types;
        let result = self.func.ty(data.results[0]);
        if let TypeData::Closure { .. } = types.get(operands[0])
            && let TypeData::GeneratorExpr { function, iterator, item } = types.get(result)
        {
            return self.generator(operands, function, iterator, item);
        }
        let (callee, args) = (operands[0], &operands[1..]);
        match types.get(callee) {
            TypeData::Function(name)
                if matches!(self.cx.catalog.special(&name), Some(Special::Map | Special::Filter)) =>
            {
                self.map(args, result)
            }
            TypeData::Function(name) => self.by_catalog(data, &Key::Function(name), args),
            TypeData::Class(ty) => self.by_catalog(data, &Key::Construct(ty), args),
            TypeData::Method(of, name) => {
                let all: Vec<Type> = [of].iter().chain(args).copied().collect();
                self.by_catalog(data, &Key::Function(format!("method.{name}").into()), &all)
            }
            TypeData::NamedTupleClass { name, fields, class } => {
                let made = TypeData::NamedTuple { name, fields, types: args.into(), class };
                self.gives(data, &[types.intern(made)])
            }
            TypeData::Native { params, result, .. } | TypeData::FunctionValue { params, result } => {
                self.passes(args, &params)?;
                self.gives(data, &[result])
            }
            TypeData::PythonFunction { params, result, .. } => {
                params.map_or(Ok(()), |params| self.passes(args, &params))?;
                self.gives(data, &[result])
            }
            TypeData::ExceptionClass(_) | TypeData::ExceptionClassChoice(_) => match types.get(result) {
                TypeData::Exception { args: of, .. } if of.len() == args.len() => Ok(()),
                TypeData::Caught(known) if !known.is_empty() => Ok(()),
                _ => Err("a class of exceptions gives an exception".into()),
            },
            TypeData::Dispatcher(_) | TypeData::Closure { .. } => {
                let given = self.compiled(callee, args)?;
                self.gives(data, &[given])
            }
            TypeData::Choice(members) => self.choice(&members, args, result),
            _ => Err("what is called is no function".into()),
        }
    }

    /// As many arguments as parameters, and each can become what its parameter is.
    fn passes(&self, args: &[Type], params: &[Type]) -> Check {
        if args.len() != params.len() {
            return Err(format!("{} arguments for {} parameters", args.len(), params.len()));
        }
        args.iter().zip(params).try_for_each(|(&arg, &param)| self.becomes(arg, param))
    }

    /// What a compiled function gives for these arguments, of which a closure is the first.
    fn compiled(&self, callee: Type, args: &[Type]) -> std::result::Result<Type, String> {
        let types = self.cx.types;
        let (TypeData::Dispatcher(handle) | TypeData::Closure { function: handle, .. }) = types.get(callee)
        else {
            return Err(format!("{} is no compiled function", self.name(callee)));
        };
        let plain: Vec<Type> = args.iter().map(|&arg| types.unliteral(arg)).collect();
        let find = |handle: Handle, args: &[Type]| (self.cx.instance)(handle, args);
        let found = find(handle, args).or_else(|| find(handle, &plain));
        let (params, result) = found.ok_or_else(|| format!("no instance for ({})", self.names(args)))?;
        self.passes(args, &params)?;
        Ok(result)
    }

    /// One of several functions, each with the tuple of its arguments.
    fn choice(&self, members: &[Type], tuples: &[Type], result: Type) -> Check {
        if members.len() != tuples.len() {
            return Err("each function of a choice gets a tuple of arguments".into());
        }
        for (&member, &tuple) in members.iter().zip(tuples) {
            let args = self.cx.types.elements(tuple).ok_or("the arguments of a choice are tuples")?;
            let given = self.compiled(member, &args)?;
            self.becomes(given, result)?;
        }
        Ok(())
    }

    /// The iterator of an iterable, and the type of its items.
    fn iterated(&self, iterable: Type) -> std::result::Result<(Type, Type), String> {
        let iterator = self.rule(&Key::Getiter, &[iterable])?.result;
        Ok((iterator, self.item_of(iterator)?))
    }

    /// The type of an iterator's items, all of which are held as such.
    pub(super) fn item_of(&self, iterator: Type) -> std::result::Result<Type, String> {
        let types = self.cx.types;
        let item = self.rule(&Key::Iternext, &[iterator])?.result;
        let elements = match types.get(iterator) {
            TypeData::Iterator(of) => types.elements(of),
            _ => None,
        };
        let differs = |&&element: &&Type| element != item && types.functions(element).is_none();
        match elements.as_deref().unwrap_or_default().iter().find(differs) {
            Some(&other) => Err(format!("an iterator over {} gives {}", self.name(other), self.name(item))),
            None => Ok(item),
        }
    }

    /// What a function gives for items that an iterator gives.
    fn called_with(&self, function: Type, items: &[Type]) -> std::result::Result<Type, String> {
        match self.cx.types.get(function) {
            TypeData::Function(name) => Ok(self.rule(&Key::Function(name), items)?.result),
            TypeData::Class(ty) => Ok(self.rule(&Key::Construct(ty), items)?.result),
            TypeData::FunctionValue { params, result } => {
                self.passes(items, &params)?;
                Ok(result)
            }
            TypeData::Closure { .. } => {
                let all: Vec<Type> = [function].iter().chain(items).copied().collect();
                self.compiled(function, &all)
            }
            _ => self.compiled(function, items),
        }
    }

    /// `map` and `filter`: iterators over what is passed, and what the function gives for their items.
    fn map(&self, args: &[Type], result: Type) -> Check {
        let (&function, iterables) = args.split_first().ok_or("`map` of nothing")?;
        let iterated = iterables.iter().map(|&iterable| self.iterated(iterable));
        let (iterators, items): (Vec<Type>, Vec<Type>) =
            iterated.collect::<std::result::Result<Vec<_>, String>>()?.into_iter().unzip();
        match self.cx.types.get(result) {
            // One of the iterators never gives an item.
            TypeData::Map { function: known, iterators: wanted, item: Type::UNDEFINED }
                if known == function && wanted[..] == iterators[..] =>
            {
                Ok(())
            }
            TypeData::Map { function: known, iterators: wanted, item }
                if known == function && wanted[..] == iterators[..] =>
            {
                self.becomes(self.called_with(function, &items)?, item)
            }
            TypeData::Filter { function: known, iterator }
                if known == function && iterators == [iterator] =>
            {
                let answer =
                    if function == Type::NONE { items[0] } else { self.called_with(function, &items)? };
                self.condition(answer)
            }
            _ => Err(format!("the iterators are ({})", self.names(&iterators))),
        }
    }

    /// A generator expression: its function gives a tuple of the value, or None for an item that is passed over.
    fn generator(&self, operands: &[Type], function: Type, iterator: Type, item: Type) -> Check {
        let types = self.cx.types;
        let &[callee, iterable] = operands else { return Err("a generator over one iterable".into()) };
        let (known, from) = self.iterated(iterable)?;
        if callee != function || known != iterator {
            return Err(format!("the function is {}, the iterator {}", self.name(callee), self.name(known)));
        }
        let given = self.called_with(function, &[from])?;
        let tuple = match types.get(given) {
            TypeData::Optional(tuple) => tuple,
            _ => given,
        };
        match types.elements(tuple).and_then(|elements| elements.first().copied()) {
            Some(value) => self.becomes(value, item),
            None if given == Type::NONE => Ok(()),
            None => Err(format!("its function gives {}", self.name(given))),
        }
    }
}
