//! Rumba's own library: functions written in Python, with instances that are compiled in advance.
//!
//! A call of a library function is looked up by its *key* (the function and the types of the arguments as
//! text): among the instances that this process knows, in the library image, in the user
//! cache. An instance that none of them has is compiled (`build_instance`) and kept in the user cache. Small instances are cloned into
//! the unit that calls them, where they are inlined; larger ones are linked once and shared (`instance`).
//!
//! Absent: overloads and what they return (`rumba.extending.overload_registry`), the file format (`cache`).

mod build_instance;
mod instance;
mod paths;

pub use build_instance::LibraryFront;
pub use instance::Instance;
pub(crate) use instance::runs_baseline;
pub use paths::Paths;

use cache::{Entry, Fault, File, Stamp, Store};
use catalog::{Extended, ExtensionQuery, FunctionInfo, NativeCode};
use entity::HashMap;
use paths::Files;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use types::{LiteralValue, Type, TypeData, TypeTable};

/// What precedes the key in an instance's symbol.
const SYMBOL: &str = "library.";

/// Bytes of a constant text for which an instance is made.
const LONGEST_TEXT: usize = 64;
/// The largest constant integer for which an instance is made.
const LARGEST_NUMBER: u64 = 8;

/// The instances of a session.
#[derive(Default)]
pub struct Library {
    paths: OnceLock<Paths>,
    files: OnceLock<Files>,
    known: Mutex<HashMap<String, Lookup>>,
}

#[derive(Clone)]
enum Lookup {
    /// It is here.
    Instance(Arc<Instance>),
    /// It cannot be made.
    Nowhere,
}

/// What the library says of a call.
pub enum Found {
    /// It has an instance.
    Instance(NativeCode),
    /// It has none, and one may be made.
    Missing,
    /// It cannot have one: the call depends on what only this process knows, or was tried.
    Never,
}

impl Library {
    /// Says where the files are, before anything is asked. Without paths there is no library.
    pub fn set_paths(&self, paths: Paths) {
        let _ = self.paths.set(paths);
    }

    /// Where the files are.
    pub fn paths(&self) -> Option<&Paths> {
        self.paths.get()
    }

    /// What image and store must have been made by and from.
    pub fn stamp(&self) -> Stamp {
        let both = self.paths().zip(self.files());
        both.map_or(Stamp { build: 0, sources: 0 }, |(paths, files)| files.stamp(paths))
    }

    /// The module of the library that implements a function, by the function's dotted name.
    pub fn module_of(&self, function: &str) -> Option<&str> {
        self.files()?.modules.get(function).map(|(module, _)| module.as_str())
    }

    /// The facts of a function that the library implements, of which no module is imported for that.
    pub fn info(&self, function: &str) -> Option<FunctionInfo> {
        let (_, facts) = self.files()?.modules.get(function)?;
        // A fact that cannot be read leaves the function unknown.
        Some(FunctionInfo::parse(facts).unwrap_or_default())
    }

    fn files(&self) -> Option<&Files> {
        let paths = self.paths()?;
        Some(self.files.get_or_init(|| Files::read(paths)))
    }

    fn image(&self) -> Option<&File> {
        let (paths, files) = (self.paths()?, self.files()?);
        let image = files.image.get_or_init(|| File::open(&paths.image, files.stamp(paths)));
        // Told after the lock: the warning runs Python, and other threads wait.
        image.as_ref().inspect_err(|fault| self.warn_image(fault)).ok()
    }

    fn store(&self) -> Option<&Store> {
        let (paths, files) = (self.paths()?, self.files()?);
        files.store.get_or_init(|| paths.open_store(files.stamp(paths))).as_ref()
    }

    fn warn_image(&self, fault: &Fault) {
        let (Some(paths), Some(files)) = (self.paths(), self.files.get()) else { return };
        if *fault != Fault::Missing && !files.warned.swap(true, Ordering::Relaxed) {
            let path = paths.image.display();
            (paths.warn)(&format!(
                "the library image {path} is not used: {fault}. Library functions are compiled as they are \
                 called; `python -m rumba image build` makes the image anew."
            ));
        }
    }

    /// What there is for a call whose arguments have the types of one of its [`Library::variants`].
    pub fn find(&self, types: &TypeTable, variant: &ExtensionQuery) -> Found {
        let Some(key) = self.key(types, variant) else { return Found::Never };
        if let Some(Lookup::Nowhere) = self.known().get(&key) {
            return Found::Never;
        }
        match self.load(types, &key) {
            Some(instance) => Found::Instance(instance.call(types, variant)),
            None => Found::Missing,
        }
    }

    /// The instance of a key, with all that it calls, if there is one.
    fn load(&self, types: &TypeTable, key: &str) -> Option<Arc<Instance>> {
        if let Some(Lookup::Instance(instance)) = self.known().get(key) {
            return Some(instance.clone());
        }
        let entry = self.in_image(key).or_else(|| self.in_store(key))?;
        self.adopt(types, entry)
    }

    /// Lets the process use the instance of an entry; none if what it calls is not there any more. (Those of the image call none.)
    fn adopt(&self, types: &TypeTable, entry: Entry) -> Option<Arc<Instance>> {
        let called = entry.calls.iter().map(|key| self.load(types, key)).collect::<Option<Vec<_>>>()?;
        Some(self.publish(Instance::new(entry, called, types)?))
    }

    fn in_image(&self, key: &str) -> Option<Entry> {
        self.image()?.find(key).unwrap_or_else(|fault| {
            self.warn_image(&fault);
            None
        })
    }

    fn in_store(&self, key: &str) -> Option<Entry> {
        // A damaged file is removed, and the instance made again.
        self.store()?.find(key).unwrap_or(None)
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, Lookup>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets the whole process use an instance; the first one of a key stays.
    fn publish(&self, instance: Instance) -> Arc<Instance> {
        let mut known = self.known();
        let slot = known.entry(instance.entry.key.clone()).or_insert(Lookup::Nowhere);
        if let Lookup::Instance(first) = slot {
            return first.clone();
        }
        let instance = Arc::new(instance);
        *slot = Lookup::Instance(instance.clone());
        instance
    }

    /// An instance that is known already, by its symbol.
    pub(crate) fn instance(&self, symbol: &str) -> Option<Arc<Instance>> {
        match self.known().get(symbol.strip_prefix(SYMBOL)?) {
            Some(Lookup::Instance(instance)) => Some(instance.clone()),
            _ => None,
        }
    }

    /// The calls that may have an instance that serves this one, the most general first: without constants of arguments, with
    /// the flags and texts that the type of the result may depend on (`keepdims=True`), and with small integers, too (`axes=1`).
    pub fn variants(&self, types: &TypeTable, query: &ExtensionQuery) -> Vec<ExtensionQuery> {
        let keeping = |is_kept: &dyn Fn(Type) -> bool| {
            let args = query.args.iter().map(|&ty| if is_kept(ty) { ty } else { types.unliteral(ty) });
            ExtensionQuery { args: args.collect(), ..query.clone() }
        };
        let Extended::Function(name) = &query.what else { return Vec::new() };
        match self.info(name) {
            Some(info) if info.is_inlined => return Vec::new(),
            Some(info) if info.keeps_constants => return vec![query.clone()],
            _ => {}
        }
        let mut variants = vec![
            keeping(&|_| false),
            keeping(&|ty| is_constant(types, ty) && types.unliteral(ty) != Type::INT64),
            keeping(&|ty| is_constant(types, ty)),
        ];
        variants.dedup_by(|second, first| second.args == first.args);
        variants
    }

    /// The key of a variant of a call, if every process would understand it.
    pub fn key(&self, types: &TypeTable, variant: &ExtensionQuery) -> Option<String> {
        let Extended::Function(name) = &variant.what else { return None };
        self.module_of(name)?;
        if variant.skip > 0 {
            return None;
        }
        let by_position = variant.args.len() - variant.names.len();
        let mut texts = Vec::new();
        for (at, &ty) in variant.args.iter().enumerate() {
            is_known(types, ty).then_some(())?;
            let text = types.name(ty);
            texts.push(match at.checked_sub(by_position) {
                Some(named) => format!("{}={text}", variant.names[named]),
                None => text,
            });
        }
        Some(format!("{name}({})", texts.join(", ")))
    }
}

/// Whether a type can stand in a key: it means the same in every process.
fn is_known(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Tuple(elements) => elements.iter().all(|&element| is_known(types, element)),
        _ => is_constant(types, ty) || is_portable(types, ty),
    }
}

/// Whether an argument is a constant that an instance can be made for: one of few, and one that can stand in a key.
fn is_constant(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Literal(LiteralValue::Bool(_)) => true,
        TypeData::Literal(LiteralValue::Int(number)) => number.unsigned_abs() <= LARGEST_NUMBER,
        TypeData::Literal(LiteralValue::Str(text)) => {
            let fits = |c: char| matches!(c, ' '..='~') && !"()[]{}".contains(c);
            text.len() <= LONGEST_TEXT && text.chars().all(fits)
        }
        _ => false,
    }
}

/// Whether a type means the same in every process.
fn is_portable(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Function(name) => {
            !["python.", "code ", "rumba."].iter().any(|start| name.starts_with(start))
        }
        TypeData::Range(_) | TypeData::NumpyGenerator => true,
        TypeData::Class(of) => is_value(types, of),
        _ => is_value(types, ty),
    }
}

/// Whether values of a type can leave an instance: they are all in their parts.
fn is_value(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::None
        | TypeData::Bool
        | TypeData::Str
        | TypeData::Int { .. }
        | TypeData::Float { .. }
        | TypeData::Complex { .. }
        | TypeData::Slice { .. }
        | TypeData::LiteralSlice { .. } => true,
        TypeData::List { item, .. } | TypeData::Deque { item } | TypeData::Set { item, .. } => {
            is_value(types, item)
        }
        TypeData::Dict { key, value, .. } => is_value(types, key) && is_value(types, value),
        TypeData::Array(array) => is_value(types, array.dtype),
        TypeData::Optional(of) | TypeData::FixedList(of) => is_value(types, of),
        TypeData::Tuple(elements) => elements.iter().all(|&element| is_value(types, element)),
        _ => false,
    }
}
