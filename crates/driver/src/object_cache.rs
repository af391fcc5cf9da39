//! The cache of object files: code of functions with `cache=True` from earlier processes.
//!
//! An object file is a pure function of a unit's Explicit functions and the options of the code generator. So the
//! key is a hash over all of these, taken after inference and optimization: it covers everything that a function calls or reads
//! (in its own file, in others, in overloads), so an entry can be useless but never
//! stale. A folder has one file for each entry (`cache::Store`).
//!
//! Absent: where the folder is (`python`), the format of the files (`cache`).

use cache::{CachedObject, Stamp, Store};
use diag::{Result, Span};
use ir::{Function, Origin};
use std::collections::BTreeSet;
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Where the cache is.
pub struct CachePath {
    /// The folder, which need not exist.
    pub folder: PathBuf,
    /// Whether the user named the folder; otherwise one that others may write to is refused.
    pub chosen: bool,
    /// A number for this build of the compiler under this version of Python.
    pub build: u64,
    /// How many bytes it may take; what was used longest ago goes first.
    pub most: u64,
    /// Where warnings go.
    pub warn: Box<dyn Fn(&str) + Send + Sync>,
    /// Where it is said what is loaded and saved.
    pub say: Box<dyn Fn(&[String]) + Send + Sync>,
}

/// Whether the cache had an object file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CacheOutcome {
    /// It had.
    Hit,
    /// It did not, and holds it now if its folder can be written.
    Miss,
}

/// The cache of a session.
#[derive(Default)]
pub(crate) struct ObjectCache {
    folder: Mutex<Option<Arc<CacheFolder>>>,
    /// What was loaded and saved, until it is reported.
    notes: Mutex<Vec<String>>,
    /// The processor that code is made for, if it is not the one that this is.
    baseline: OnceLock<String>,
}

/// A folder that the cache is in, opened when it is first used.
struct CacheFolder {
    path: CachePath,
    store: OnceLock<Option<Store>>,
    /// Why the folder is not used or cannot be written.
    fault: OnceLock<String>,
    warned: AtomicBool,
}

impl CacheFolder {
    fn store(&self, cpu: &str) -> Option<&Store> {
        let path = &self.path;
        let open = || {
            if !path.chosen && others_may_write(&path.folder) {
                let _ = self.fault.set("others may write to it, so its code is not to be trusted".into());
                return None;
            }
            let stamp = Stamp { build: path.build, sources: 0 };
            Some(Store::new(&path.folder, stamp, cpu, path.most))
        };
        self.store.get_or_init(open).as_ref()
    }
}

impl ObjectCache {
    /// Says where the cache is from now on. Without a path there is no cache.
    pub fn set_path(&self, path: CachePath) {
        let (store, fault, warned) = Default::default();
        *self.current_folder() = Some(Arc::new(CacheFolder { path, store, fault, warned }));
    }

    /// Code is made for every processor of a level of x86-64, before anything is compiled.
    pub fn set_baseline(&self, name: &str) {
        let _ = self.baseline.set(name.to_owned());
    }

    /// The processor that code is made for.
    pub fn cpu(&self) -> llvm::Cpu {
        self.baseline.get().map_or(llvm::Cpu::Host, |name| llvm::Cpu::Named(name.clone(), String::new()))
    }

    fn cpu_name(&self) -> String {
        self.baseline.get().cloned().unwrap_or_else(llvm::host_name)
    }

    /// The folder.
    pub fn folder(&self) -> Option<PathBuf> {
        self.current_folder().as_ref().map(|current| current.path.folder.clone())
    }

    fn current_folder(&self) -> MutexGuard<'_, Option<Arc<CacheFolder>>> {
        self.folder.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn current(&self) -> Option<Arc<CacheFolder>> {
        self.current_folder().clone()
    }

    /// Says what was loaded and saved, and once why the folder is of no use. A warning runs Python, so nobody may hold a lock here that others wait for.
    pub fn tell(&self) {
        let Some(current) = self.current() else { return };
        // What late functions loaded is reported with the next function.
        let notes = std::mem::take(&mut *self.notes());
        if !notes.is_empty() {
            (current.path.say)(&notes);
        }
        let Some(why) = current.fault.get() else { return };
        if !current.warned.swap(true, Ordering::Relaxed) {
            let folder = current.path.folder.display();
            (current.path.warn)(&format!(
                "cache=True has no effect: the cache folder {folder} is not used: {why}"
            ));
        }
    }

    /// Says of a function that it is not cached, and why.
    pub fn refuse(&self, func: &ir::Function, why: &str) {
        let Some(current) = self.current() else { return };
        let ir::Function { name, file, first_line, .. } = func;
        (current.path.warn)(&format!(
            "Cannot cache compiled function \"{name}\" ({file}, line {first_line}): {why}"
        ));
    }

    /// The object file of a unit that an earlier process made, or that `compile` makes now.
    pub fn object(
        &self,
        unit: &llvm::Unit<'_>,
        options: &llvm::Options,
        compile: impl FnOnce() -> Result<Vec<u8>>,
    ) -> Result<(Vec<u8>, CacheOutcome)> {
        let current = self.current();
        let Some((current, store)) =
            current.as_ref().and_then(|current| Some((current, current.store(&self.cpu_name())?)))
        else {
            return Ok((compile()?, CacheOutcome::Miss));
        };
        let key = key(unit, options);
        // A damaged file is removed, and the object made again.
        let find = || store.find(&key).ok().flatten().map(|CachedObject { object, .. }| object);
        let lock = match find() {
            Some(object) => return Ok(self.found(store, &key, object)),
            None => store.lock(&key),
        };
        // Another process may have been at it.
        if lock.is_some()
            && let Some(object) = find()
        {
            return Ok(self.found(store, &key, object));
        }
        let object = compile()?;
        let root = unit.functions[0].func;
        let (function, file) = (root.name.clone(), root.file.clone());
        let kept = CachedObject { key, function, file, line: root.first_line, object };
        match store.keep(&kept) {
            Ok(()) => self.say("saved to", store, &kept.key),
            // The first fault is the one that is reported.
            Err(error) => drop(current.fault.set(error.to_string())),
        }
        Ok((kept.object, CacheOutcome::Miss))
    }

    fn found(&self, store: &Store, key: &str, object: Vec<u8>) -> (Vec<u8>, CacheOutcome) {
        self.say("loaded from", store, key);
        (object, CacheOutcome::Hit)
    }

    fn say(&self, what: &str, store: &Store, key: &str) {
        let path = store.path::<CachedObject>(key);
        // The folder is the index.
        let folder = path.parent().unwrap_or(&path).display();
        let mut notes = self.notes();
        notes.push(format!("[cache] index {what} '{folder}'"));
        notes.push(format!("[cache] data {what} '{}'", path.display()));
    }

    fn notes(&self) -> MutexGuard<'_, Vec<String>> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The object file of a unit that is compiled later than its function, out of the cache if that is cached.
pub(crate) fn object_of(
    cache: Option<&ObjectCache>,
    unit: &llvm::Unit<'_>,
    options: &llvm::Options,
) -> Result<(Vec<u8>, Option<CacheOutcome>)> {
    let compile = || Ok(llvm::compile(unit, options)?.object);
    let Some(cache) = cache else { return Ok((compile()?, None)) };
    let (object, outcome) = cache.object(unit, options, compile)?;
    Ok((object, Some(outcome)))
}

/// Whether somebody else could have put machine code into an existing folder.
fn others_may_write(folder: &Path) -> bool {
    // SAFETY: always succeeds.
    let own = unsafe { libc::geteuid() };
    fs::metadata(folder).is_ok_and(|data| data.mode() & 0o022 != 0 || data.uid() != own)
}

/// A hash over everything that the object file is made from, besides the processor and the build of the compiler.
fn key(unit: &llvm::Unit<'_>, options: &llvm::Options) -> String {
    let sources = llvm::function_sources(unit);
    let of_object = |func: &Function| match options.lines {
        true => func.clone(),
        false => without_sources(func, &sources),
    };
    let functions: Vec<Function> = unit.functions.iter().map(|member| of_object(member.func)).collect();
    let mut bytes = Bytes(Vec::with_capacity(1 << 14));
    // The requested texts leave no mark on the object.
    let llvm::Options { opt_level, fastmath, cpu, verify: _, relocatable, lines, texts: _ } = options;
    (opt_level, fastmath, cpu, relocatable, lines).hash(&mut bytes);
    let llvm::Unit { name, functions: members, texts } = unit;
    (name, texts, &functions).hash(&mut bytes);
    for llvm::UnitFunction { func: _, symbol, exported, thunk } in members {
        (symbol, exported, thunk).hash(&mut bytes);
    }
    let half = |seed: u64| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u64(seed);
        hasher.write(&bytes.0);
        hasher.finish()
    };
    format!("{:016x}{:016x}", half(0), half(1))
}

/// What a hash is made from. Hashing many small values at once is several times faster than one by one.
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        0
    }
}

/// A function as its object shows it: files are numbers, lines are relative to those of their functions.
fn without_sources(func: &Function, sources: &[llvm::FunctionSource<'_>]) -> Function {
    let mut bare = func.clone();
    for (_, data) in bare.insts.iter_mut() {
        data.span = Span::default();
    }
    for ((_, data), (_, given)) in bare.sites.iter_mut().zip(func.sites.iter()) {
        let source = llvm::FunctionSource::of(func, given);
        let number = sources.iter().position(|other| *other == source).unwrap_or(sources.len());
        let name =
            given.origin.as_ref().map_or_else(|| func.name.as_str().into(), |origin| origin.name.clone());
        let file = if source.file.is_empty() { "".into() } else { number.to_string().into() };
        data.origin = Some(Origin { name, file, first_line: 0 });
        if given.span.is_known() {
            data.span.line = source.relative(given.span.line);
            data.span.end_line = source.relative(given.span.end_line);
        }
    }
    bare.file.clear();
    bare.first_line = 0;
    bare
}

/// What an object that is cached is linked with: its positions in the source.
pub(crate) fn source_addresses(unit: &llvm::Unit<'_>) -> Vec<(String, usize)> {
    let values = |source: llvm::FunctionSource<'_>| {
        let file = lasting(source.file);
        [source.base() as usize, file.as_ptr() as usize, file.len()]
    };
    let sources = llvm::function_sources(unit).into_iter().enumerate();
    sources
        .flat_map(|(number, source)| llvm::source_symbols(number).into_iter().zip(values(source)))
        .collect()
}

/// A file's name that stays where it is. Records of positions may be read as long as the process runs.
fn lasting(file: &str) -> &'static str {
    static FILES: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());
    let mut files = FILES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = files.get(file) {
        return known;
    }
    let made = Box::leak(Box::<str>::from(file));
    files.insert(made);
    made
}
