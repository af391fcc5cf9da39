//! Keys, rules and the catalog that maps one to the other.

use crate::effects::{FunctionInfo, Shows, Special};
use crate::{Emit, Operand, half_precision};
use diag::Result;
use entity::{HashMap, SideTable};
use ir::{BinaryOp, CompareOp, Inst, UnaryOp};
use std::sync::Arc;
use types::{Type, TypeData, TypeTable, choose_overload};

/// A query to the catalog.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// `a + b` and so on; also in-place operators on immutable values.
    Binary(BinaryOp),
    /// `a += b` and so on if `a` is mutated; the result is `a`.
    Inplace(BinaryOp),
    /// `-a` and so on.
    Unary(UnaryOp),
    /// `a < b` and so on.
    Compare(CompareOp),
    /// `iter(a)`.
    Getiter,
    /// The next item of an iterator: see [`Emit::next_item`]. The signature's result is the item's type.
    Iternext,
    /// `a % b` of integers whose result is only compared with zero.
    RemainderIsZero,
    /// `a[b]`.
    Getitem,
    /// `a[b] = c`, whose result is None.
    Setitem,
    /// `a.name`, other than of modules.
    Getattr(Arc<str>),
    /// `a.name = b`, whose result is None.
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

/// A query with its resolution.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The query.
    pub key: Key,
    /// Types of the arguments.
    pub args: Vec<Type>,
    /// The resolution.
    pub resolution: Resolution,
}

/// Resolutions of instructions; an instruction may have changed since.
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
    /// By the best matching case; the first one if several match equally well.
    Cases(Vec<Case>),
    /// By a function of the argument types.
    Generic(fn(&TypeTable, &[Type]) -> Option<Resolution>),
    /// By a function that queries the catalog again, as a tuple does for its elements.
    Nested(fn(&Catalog, &TypeTable, &[Type]) -> Option<Resolution>),
}

/// All operations that the compiler supports, by key. Built by plain functions; a value, not a registry.
#[derive(Clone, Default, Debug)]
pub struct Catalog {
    /// The minor version of Python 3 whose exception messages are used.
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
    /// Adds a rule after the existing rules of the key.
    pub fn add(&mut self, key: Key, rule: Rule) {
        self.rules.entry(key).or_default().push(rule);
    }

    /// Declares that an operator or function is elementwise if an operand is an array.
    pub fn state_elementwise(&mut self, key: Key, name: &'static str, arity: usize) {
        self.elementwise.insert(key, (name, arity));
    }

    /// The elementwise function that an operator or function corresponds to, and its number of operands.
    pub fn elementwise(&self, key: &Key) -> Option<(&'static str, usize)> {
        self.elementwise.get(key).copied()
    }

    /// Adds a table of signatures for a function by its dotted name. Its arguments are immutable numbers.
    pub fn add_function(&mut self, name: &str, cases: impl IntoIterator<Item = Case>) {
        self.add(Key::Function(name.into()), Rule::Cases(cases.into_iter().collect()));
        self.info_mut(name).reads();
    }

    /// Adds a rule computed from the argument types for a function by its dotted name; returns its facts, to be stated.
    pub fn add_generic(
        &mut self,
        name: &str,
        rule: fn(&TypeTable, &[Type]) -> Option<Resolution>,
    ) -> &mut FunctionInfo {
        self.add(Key::Function(name.into()), Rule::Generic(rule));
        self.info_mut(name)
    }

    /// Adds a rule that queries the catalog again, for a function by its dotted name; returns its facts, to be stated.
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

    /// States facts about functions in the notation of [`FunctionInfo::parse`]; methods are prefixed with the name of
    /// their class.
    pub fn state(&mut self, facts: &[(&str, &str)]) {
        for (name, text) in facts {
            let info = FunctionInfo::parse(text).expect("the compiler's own facts can be read");
            self.info_mut(name).state(info);
        }
    }

    /// The facts stated about a function, if any.
    pub fn info(&self, function: &str) -> Option<&FunctionInfo> {
        self.info.get(function).filter(|info| info.is_stated())
    }

    /// Whether a function returns one of its two arguments, such as `min`.
    pub fn chooses(&self, function: &str) -> bool {
        self.info.get(function).is_some_and(|info| info.chooses)
    }

    /// Whether a function tells a member of an `IntEnum` from its value.
    pub fn shows(&self, function: &str) -> Shows {
        self.info.get(function).map_or(Shows::Never, |info| info.shows)
    }

    /// Which of the functions with special rules in inference it is, if any.
    pub fn special(&self, function: &str) -> Option<Special> {
        self.info.get(function)?.special
    }

    /// Names the parameters of a function, so that it accepts keyword arguments.
    pub fn name_parameters(&mut self, function: &str, names: &'static [&'static str]) {
        self.parameters.insert(function.into(), names);
    }

    /// Sets the defaults of the last parameters of a function.
    pub fn give_defaults(&mut self, function: &str, defaults: &'static [f64]) {
        self.defaults.insert(function.into(), defaults);
    }

    /// The defaults of the last parameters of a function.
    pub fn parameter_defaults(&self, function: &str) -> &'static [f64] {
        self.defaults.get(function).copied().unwrap_or_default()
    }

    /// Names of a function's parameters, if they are known.
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

    /// Resolves `key` for these argument types by the first rule that accepts them. If no rule accepts an Optional, it
    /// is resolved for the content, and None is a TypeError at run time. A member of an `IntEnum` counts as its value.
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
        let resolve = |args: &[Type]| self.resolve_as_stated(types, key, args);
        if let Some(stated) = self.case_for_halves(key, args) {
            return Some(stated);
        }
        match half_precision::in_single(types, key, args) {
            Some(wide) => half_precision::rounded(types, args, resolve(&wide)).or_else(|| resolve(args)),
            None => resolve(args),
        }
    }

    /// The row of a table that is for halves alone.
    fn case_for_halves(&self, key: &Key, args: &[Type]) -> Option<Resolution> {
        if !args.contains(&Type::FLOAT16) {
            return None;
        }
        let rows = self.rules.get(key)?.iter().filter_map(|rule| match rule {
            Rule::Cases(cases) => Some(cases),
            _ => None,
        });
        let case = rows.flatten().find(|case| case.params == args)?;
        Some(Resolution { result: case.result, params: case.params.to_vec(), emit: case.emit })
    }

    fn resolve_as_stated(&self, types: &TypeTable, key: &Key, args: &[Type]) -> Option<Resolution> {
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

    /// The same together with the query.
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
