//! Keys, rules and the catalog that maps one to the other.

use crate::effects::{FunctionInfo, Shows, Special};
use crate::{Emit, Operand};
use diag::Result;
use entity::{HashMap, SideTable};
use ir::{BinaryOp, CompareOp, Inst, UnaryOp};
use std::sync::Arc;
use types::{Type, TypeData, TypeTable, choose_overload};

/// What is asked of the catalog.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// `a + b` and its like; in-place operators on immutable values ask this too.
    Binary(BinaryOp),
    /// `a += b` and its like where `a` is changed; the result is `a`.
    Inplace(BinaryOp),
    /// `-a` and its like.
    Unary(UnaryOp),
    /// `a < b` and its like.
    Compare(CompareOp),
    /// `iter(a)`.
    Getiter,
    /// The next item of an iterator: see [`Emit::next_item`]. The signature's result is the item's type.
    Iternext,
    /// `a % b` of integers of which only whether it is zero matters.
    RemainderIsZero,
    /// `a[b]`.
    Getitem,
    /// `a[b] = c`, which gives None.
    Setitem,
    /// `a.name`, other than of modules.
    Getattr(Arc<str>),
    /// `a.name = b`, which gives None.
    Setattr(Arc<str>),
    /// A function by its dotted name.
    Function(Arc<str>),
    /// A type called as a function.
    Construct(Type),
}

/// Emits the machine operations of a resolved call. The operands have been converted to the
/// parameter types of the resolution; the result has its result type.
pub type EmitFn = fn(&mut Emit<'_>, &[Operand]) -> Result<Operand>;

/// The meaning of a key for given argument types.
#[derive(Clone, Debug)]
pub struct Resolution {
    /// Type of the result.
    pub result: Type,
    /// Types that the arguments are converted to.
    pub params: Vec<Type>,
    /// Emits the machine operations.
    pub emit: EmitFn,
}

/// A question to the catalog with its answer: what an instruction means.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// What was asked.
    pub key: Key,
    /// Types of the arguments.
    pub args: Vec<Type>,
    /// The answer.
    pub resolution: Resolution,
}

/// What instructions mean, as far as the catalog was asked; an instruction may have become another one since.
pub type Resolutions = SideTable<Inst, Option<Box<Resolved>>>;

/// One row of a table of signatures.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Type of the result.
    pub result: Type,
    /// Types of the parameters.
    pub params: &'static [Type],
    /// Emits the machine operations.
    pub emit: EmitFn,
}

/// How a key is resolved.
#[derive(Clone, Debug)]
pub enum Rule {
    /// By the case that takes the arguments best; the first of equally good ones.
    Cases(Vec<Case>),
    /// By a function of the argument types.
    Generic(fn(&TypeTable, &[Type]) -> Option<Resolution>),
    /// By a function that asks the catalog for other meanings, as a tuple asks for those of its elements.
    Nested(fn(&Catalog, &TypeTable, &[Type]) -> Option<Resolution>),
}

/// Everything the compiler knows of, by key. Built by plain functions; a value, never a registry.
#[derive(Clone, Default, Debug)]
pub struct Catalog {
    /// The minor version of the Python 3 whose messages exceptions carry.
    pub python_minor: u8,
    rules: HashMap<Key, Vec<Rule>>,
    parameters: HashMap<Arc<str>, &'static [&'static str]>,
    defaults: HashMap<Arc<str>, &'static [f64]>,
    /// By function, a method under the name of its class.
    info: HashMap<Arc<str>, FunctionInfo>,
    /// What is done item by item where an operand is an array: the function's name, and how many operands it takes.
    elementwise: HashMap<Key, (&'static str, usize)>,
}

impl Catalog {
    /// Adds a rule after those the key has already.
    pub fn add(&mut self, key: Key, rule: Rule) {
        self.rules.entry(key).or_default().push(rule);
    }

    /// Says that an operator or a function is one of items where an operand is an array.
    pub fn state_elementwise(&mut self, key: Key, name: &'static str, arity: usize) {
        self.elementwise.insert(key, (name, arity));
    }

    /// The function of items that an operator or a function is for arrays, and how many operands it takes.
    pub fn elementwise(&self, key: &Key) -> Option<(&'static str, usize)> {
        self.elementwise.get(key).copied()
    }

    /// Adds a table of signatures for a function by its dotted name. It is one of numbers, which nobody can change.
    pub fn add_function(&mut self, name: &str, cases: impl IntoIterator<Item = Case>) {
        self.add(Key::Function(name.into()), Rule::Cases(cases.into_iter().collect()));
        self.info_mut(name).reads();
    }

    /// Adds a rule computed from the argument types for a function by its dotted name; gives what is to be stated of it.
    pub fn add_generic(
        &mut self,
        name: &str,
        rule: fn(&TypeTable, &[Type]) -> Option<Resolution>,
    ) -> &mut FunctionInfo {
        self.add(Key::Function(name.into()), Rule::Generic(rule));
        self.info_mut(name)
    }

    /// Adds a rule that asks the catalog for other meanings, for a function by its dotted name; gives what is to be stated of it.
    pub fn add_nested(
        &mut self,
        name: &str,
        rule: fn(&Catalog, &TypeTable, &[Type]) -> Option<Resolution>,
    ) -> &mut FunctionInfo {
        self.add(Key::Function(name.into()), Rule::Nested(rule));
        self.info_mut(name)
    }

    fn info_mut(&mut self, name: &str) -> &mut FunctionInfo {
        self.info.entry(name.into()).or_default()
    }

    /// States facts of functions in the notation of [`FunctionInfo::parse`]; methods have the name of their class in front.
    pub fn state(&mut self, facts: &[(&str, &str)]) {
        for (name, text) in facts {
            let info = FunctionInfo::parse(text).expect("the compiler's own facts can be read");
            self.info_mut(name).state(info);
        }
    }

    /// What is known of a function besides its rules; nothing if nothing was stated.
    pub fn info(&self, function: &str) -> Option<&FunctionInfo> {
        self.info.get(function).filter(|info| info.is_stated())
    }

    /// Whether a function gives one of two arguments, whichever comes first.
    pub fn chooses(&self, function: &str) -> bool {
        self.info.get(function).is_some_and(|info| info.chooses)
    }

    /// Whether a function tells a member of an `IntEnum` from its value.
    pub fn shows(&self, function: &str) -> Shows {
        self.info.get(function).map_or(Shows::Never, |info| info.shows)
    }

    /// Which of the functions it is that inference has rules of its own for.
    pub fn special(&self, function: &str) -> Option<Special> {
        self.info.get(function)?.special
    }

    /// Says what the parameters of a function are called, so that they can be given by name.
    pub fn name_parameters(&mut self, function: &str, names: &'static [&'static str]) {
        self.parameters.insert(function.into(), names);
    }

    /// Says what the last parameters of a function are where they are left out.
    pub fn give_defaults(&mut self, function: &str, defaults: &'static [f64]) {
        self.defaults.insert(function.into(), defaults);
    }

    /// What the last parameters of a function are where they are left out.
    pub fn parameter_defaults(&self, function: &str) -> &'static [f64] {
        self.defaults.get(function).copied().unwrap_or_default()
    }

    /// Names of a function's parameters, where it has any.
    pub fn parameter_names(&self, function: &str) -> Option<impl Iterator<Item = &'static str> + use<>> {
        self.parameters.get(function).map(|names| names.iter().copied())
    }

    /// All keys, in no order.
    pub fn keys(&self) -> impl Iterator<Item = &Key> {
        self.rules.keys()
    }

    /// Whether there is any rule for the key.
    pub fn knows(&self, key: &Key) -> bool {
        self.rules.contains_key(key)
    }

    /// The meaning of `key` for these argument types: the first rule that takes them. Where none takes
    /// what may be None, it means what it means for the content; None is a TypeError at run time. A member of an
    /// `IntEnum` means its value.
    pub fn resolve(&self, types: &TypeTable, key: &Key, args: &[Type]) -> Option<Resolution> {
        self.resolve_present(types, key, args).or_else(|| {
            let shows = shows_class(self, types, key, args);
            let value = |&ty: &Type| match types.get(ty) {
                TypeData::Tuple(_) if shows == Shows::InTuples => ty,
                _ => types.without_enums(ty),
            };
            let values: Vec<Type> = args.iter().map(value).collect();
            let differ = values != args && shows != Shows::Always;
            differ.then(|| self.resolve_present(types, key, &values)).flatten()
        })
    }

    fn resolve_present(&self, types: &TypeTable, key: &Key, args: &[Type]) -> Option<Resolution> {
        self.resolve_exactly(types, key, args).or_else(|| {
            // `==` takes None as well; its own rules say what it gives.
            let is_operation = !matches!(key, Key::Iternext | Key::Compare(CompareOp::Eq | CompareOp::Ne));
            let present = |&ty: &Type| match types.get(ty) {
                TypeData::Optional(inner) => inner,
                _ => ty,
            };
            let contents: Vec<Type> = args.iter().map(present).collect();
            let differ = is_operation && contents != args;
            differ.then(|| self.resolve_exactly(types, key, &contents)).flatten()
        })
    }

    fn resolve_exactly(&self, types: &TypeTable, key: &Key, args: &[Type]) -> Option<Resolution> {
        self.rules.get(key)?.iter().find_map(|rule| match rule {
            Rule::Generic(resolve) => resolve(types, args),
            Rule::Nested(resolve) => resolve(self, types, args),
            Rule::Cases(cases) => {
                let chosen =
                    choose_overload(types, cases.iter().map(|case| case.params), args, false, true).ok()?;
                let case = &cases[chosen];
                Some(Resolution { result: case.result, params: case.params.to_vec(), emit: case.emit })
            }
        })
    }

    /// The same with the question.
    pub fn ask(&self, types: &TypeTable, key: Key, args: &[Type]) -> Option<Resolved> {
        let resolution = self.resolve(types, &key, args)?;
        Some(Resolved { key, args: args.to_vec(), resolution })
    }

    /// Parameter types of every tabled signature of a key, for error messages.
    pub fn candidates(&self, key: &Key) -> Vec<(Type, &'static [Type])> {
        let rules = self.rules.get(key).map(Vec::as_slice).unwrap_or_default();
        let cases = rules.iter().flat_map(|rule| match rule {
            Rule::Cases(cases) => cases.as_slice(),
            Rule::Generic(_) | Rule::Nested(_) => &[],
        });
        cases.map(|case| (case.result, case.params)).collect()
    }
}

fn shows_class(catalog: &Catalog, types: &TypeTable, key: &Key, args: &[Type]) -> Shows {
    match key {
        Key::Function(name) => catalog.shows(name),
        // A text may ask for what `repr` gives.
        Key::Binary(BinaryOp::Mod) if types.unliteral(args[0]) == Type::STR => Shows::Always,
        _ => Shows::Never,
    }
}
