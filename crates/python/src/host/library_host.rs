//! Rumba's own library: paths of its files, and resolution of calls of its functions.
//!
//! A call whose instance is known, in the image or in the user cache imports nothing of the library. Any
//! other one imports the module that implements the function; what it answers becomes an instance for all
//! callers, unless it depends on what only this process knows.
//!
//! Absent: the files themselves (`driver`), overloads (`rumba.extending.overload_registry`).

use crate::diagnostics::to_exception;
use crate::host::PyHost;
use crate::host::compilation_cx::CompilationCx;
use crate::host::overload_host;
use crate::host::overload_registry;
use crate::session::session_state::Backend;
use crate::typing::user_typeof;
use catalog::{
    CalleeIr, Extended, Extension, ExtensionQuery, FunctionInfo, GlobalValue, Host, NativeCode, Parameters,
};
use diag::Result;
use driver::cache::{self, CachedObject, Entry, File, Hasher, Level, Stamp};
use driver::{CachePath, Found, LibraryFront, Paths};
use pyo3::exceptions::{PyException, PyOSError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyFunction, PyList, PyModule, PyString, PyTuple, PyType};
use python_rt::without_gil::{with_gil, without_gil};
use rt::fork_gate;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, PoisonError};
use types::{Handle, INDEX_TRICKS, Type};

/// How many typed instances wait for a thread that compiles them.
const QUEUED_FRONTS: usize = 16;

/// A number for this build under this version of Python: the hash of the compiler's sources is from the build. Code that polls
/// aside is for processes that can.
fn build() -> u64 {
    let mut hasher = Hasher::default();
    hasher.add_text(env!("RUMBA_BUILD"));
    hasher.add_text(Python::version_str());
    if !rt::can_poll_out_of_line() {
        hasher.add_text("no polls aside");
    }
    hasher.finish()
}

/// The library's files; an error where the package has no folder.
pub(crate) fn paths(py: Python<'_>) -> PyResult<Paths> {
    let package = py.import("rumba")?.getattr(intern!(py, "__path__"))?;
    let package: PathBuf = package.get_item(0)?.extract()?;
    let tag: String = py.import("sys")?.getattr("implementation")?.getattr("cache_tag")?.extract()?;
    let image = package.join("library").join(format!("library.{tag}.image"));
    Ok(Paths { package, image, store: store(), build: build(), warn: Box::new(warn) })
}

/// A warning that is an error must not stop a compilation.
fn warn(text: &str) {
    let _ = with_gil(|py| {
        let class = py.import("rumba.errors")?.getattr("NumbaWarning")?;
        py.import("warnings")?.call_method1("warn", (text, class)).map(drop)
    });
}

/// Object files of cached functions are kept where the environment and the setting `CACHE_DIR` say now: programs change both.
pub(crate) fn follow_cache_setting(py: Python<'_>, session: &driver::Session) {
    let named = assigned_folder(py).ok().flatten().or_else(|| set("NUMBA_CACHE_DIR"));
    let chosen = named.is_some() || set("RUMBA_CACHE_DIR").is_some();
    let Some(folder) = named.or_else(|| cache_folder().map(|folder| folder.join("objects"))) else { return };
    if session.cache_folder().as_ref() != Some(&folder) {
        let (warn, say) = (Box::new(warn), Box::new(say));
        session.set_cache_path(CachePath { folder, chosen, build: build(), most: most_cached(), warn, say });
    }
}

/// The setting `CACHE_DIR` if it is from a program or the file of settings, and not from the environment.
fn assigned_folder(py: Python<'_>) -> PyResult<Option<PathBuf>> {
    let Some(settings) = user_typeof::loaded(py, "rumba.config")? else { return Ok(None) };
    let setting: PathBuf = settings.getattr(intern!(py, "CACHE_DIR"))?.extract()?;
    let of_environment: PathBuf = settings.getattr(intern!(py, "_environment_cache_dir"))?.extract()?;
    Ok((!setting.as_os_str().is_empty() && setting != of_environment).then_some(setting))
}

/// Prints lines if the setting `DEBUG_CACHE` says so. Standard output may be closed.
fn say(lines: &[String]) {
    let _ = with_gil(|py| {
        if py.import("rumba.config")?.getattr("DEBUG_CACHE")?.is_truthy()? {
            let print = py.import("builtins")?.getattr("print")?;
            lines.iter().try_for_each(|line| print.call1((line,)).map(drop))?;
        }
        PyResult::Ok(())
    });
}

/// How many bytes the cache takes if nothing else is said.
const MAX_CACHED: u64 = 512 << 20;

/// How many bytes the cache may take: `RUMBA_CACHE_SIZE`, a number that may end in K, M or G.
fn most_cached() -> u64 {
    let Ok(text) = std::env::var("RUMBA_CACHE_SIZE") else { return MAX_CACHED };
    let text = text.trim();
    if text.is_empty() {
        return MAX_CACHED;
    }
    read_size(text).unwrap_or_else(|| {
        warn(&format!(
            "RUMBA_CACHE_SIZE={text} is no number of bytes (such as 200000000 or 200M): the cache takes at most 512M"
        ));
        MAX_CACHED
    })
}

fn read_size(text: &str) -> Option<u64> {
    let unit = match text.chars().last()? {
        'k' | 'K' => 10,
        'm' | 'M' => 20,
        'g' | 'G' => 30,
        _ => 0,
    };
    let number: u64 = text[..text.len() - usize::from(unit > 0)].parse().ok()?;
    number.checked_mul(1 << unit)
}

/// `RUMBA_CPU` names a level of x86-64 that machine code is made for, so that other machines can run it, too.
pub(crate) fn set_baseline(session: &driver::Session) {
    let Ok(name) = std::env::var("RUMBA_CPU") else { return };
    if !name.is_empty() && name != "host" && !session.set_baseline(&name) {
        warn(&format!(
            "RUMBA_CPU={name} has no effect: it is host, x86-64, x86-64-v2, x86-64-v3 or x86-64-v4, as far as this \
             processor has it"
        ));
    }
}

/// The folder of the user cache.
fn store() -> Option<PathBuf> {
    cache_folder().map(|folder| folder.join("library"))
}

fn set(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

/// `RUMBA_CACHE_DIR`, or the platform's folder for such things.
fn cache_folder() -> Option<PathBuf> {
    let own = set("RUMBA_CACHE_DIR");
    let platform = || {
        let home = set("HOME");
        if cfg!(target_os = "macos") {
            return home.map(|home| home.join("Library/Caches/rumba"));
        }
        let caches = set("XDG_CACHE_HOME").filter(|path| path.is_absolute());
        caches.or_else(|| home.map(|home| home.join(".cache"))).map(|caches| caches.join("rumba"))
    };
    own.or_else(platform)
}

/// The module of the library that implements this.
pub(crate) fn module_of<'b>(backend: &'b Backend, what: &Extended) -> Option<&'b str> {
    match what {
        Extended::Function(name) => backend.library().module_of(name),
        _ => None,
    }
}

/// Functions that NumPy has, or had, under several names, and the names that the library knows.
const RENAMED: &[(&str, &str)] = &[
    ("numpy.alltrue", "numpy.all"),
    ("numpy.cumproduct", "numpy.cumprod"),
    ("numpy.product", "numpy.prod"),
    ("numpy.round_", "numpy.round"),
    ("numpy.sometrue", "numpy.any"),
    ("numpy.trapz", "numpy.trapezoid"),
];

/// The dotted name of a plain Python function that the library implements, or of a method of the one object after a
/// module of random numbers, which stands in that module as a function.
pub(crate) fn function_name(backend: &Backend, value: &Bound<'_, PyAny>) -> Option<Arc<str>> {
    let py = value.py();
    // NumPy wraps most of its functions in a class of its own.
    let is_wrapped = || value.get_type().name().is_ok_and(|class| class == "_ArrayFunctionDispatcher");
    // What Python has built in is known otherwise.
    let is_class = || value.is_instance_of::<PyType>() && !is_builtin(value);
    if !value.is_exact_instance_of::<PyFunction>() && !is_wrapped() && !is_class() {
        return method_name(backend, value).or_else(|| index_trick(value));
    }
    let module: String = value.getattr(intern!(py, "__module__")).ok()?.extract().ok()?;
    let name: String = value.getattr(intern!(py, "__name__")).ok()?.extract().ok()?;
    let dotted = format!("{module}.{name}");
    let dotted = RENAMED.iter().find(|(old, _)| *old == dotted).map_or(dotted, |(_, new)| (*new).to_owned());
    backend.library().module_of(&dotted)?;
    // Another function may say of itself that it came from there.
    let there = user_typeof::loaded(py, &module).ok()??.getattr(name).ok()?;
    there.is(value).then(|| dotted.into())
}

fn is_builtin(value: &Bound<'_, PyAny>) -> bool {
    value.getattr(intern!(value.py(), "__module__")).is_ok_and(|module| module.eq("builtins").unwrap_or(true))
}

/// The name of one of NumPy's objects that make arrays of indices.
fn index_trick(value: &Bound<'_, PyAny>) -> Option<Arc<str>> {
    let class = value.get_type();
    if !class.module().ok()?.to_str().ok()?.starts_with("numpy.lib") {
        return None;
    }
    let module = user_typeof::loaded(value.py(), "numpy").ok()??;
    let is_it = |name: &&&str| {
        let short = name.trim_start_matches("numpy.");
        module.getattr(short).is_ok_and(|known| known.is(value))
    };
    INDEX_TRICKS.iter().find(is_it).map(|name| (**name).into())
}

fn method_name(backend: &Backend, value: &Bound<'_, PyAny>) -> Option<Arc<str>> {
    let py = value.py();
    let kind = value.get_type();
    let kind = kind.name().ok()?;
    let module = match kind.to_str().ok()? {
        // Cython's class of functions.
        "cython_function_or_method" => value.getattr(intern!(py, "__module__")).ok()?,
        "method" | "builtin_function_or_method" => {
            let of = value.getattr(intern!(py, "__self__")).ok()?;
            // A function of a module that is written in C, as those of `numpy.random` before NumPy 2 are, or a method.
            let is_function = of.is_none() || of.is_instance_of::<PyModule>();
            let names_it = if is_function { value.clone() } else { of.get_type().into_any() };
            names_it.getattr(intern!(py, "__module__")).ok()?
        }
        _ => return None,
    };
    let module = match module.cast::<PyString>().ok()?.to_str().ok()? {
        "random" => "random",
        "numpy.random" | "numpy.random.mtrand" | "numpy.random._generator" => "numpy.random",
        _ => return None,
    };
    let name: String = value.getattr(intern!(py, "__name__")).ok()?.extract().ok()?;
    let there = user_typeof::loaded(py, module).ok()??;
    // Functions of other objects have the same names, and some functions stand there under several.
    let listed = |name: &str| backend.library().module_of(&format!("{module}.{name}")).is_some();
    let is_there = |name: &str| there.getattr(name).is_ok_and(|found| found.eq(value).unwrap_or(false));
    (listed(&name) && is_there(&name)).then(|| format!("{module}.{name}").into())
}

/// What there is for a call.
pub(crate) fn answer(
    backend: &Arc<Backend>,
    py: Python<'_>,
    query: &ExtensionQuery,
    chain: &CompilationCx,
) -> PyResult<Extension> {
    let making = !chain.making.is_empty();
    let Some(module) = module_of(backend, &query.what) else {
        return overload_host::resolve(backend, py, query, chain);
    };
    if !chain.alone && (making || !is_overridden(py, &query.what)?) {
        let native = instance(backend, py, query, chain)?;
        if native.is_some() {
            return Ok(Extension { native, ..Extension::default() });
        }
    }
    py.import(format!("rumba.library.{module}"))?;
    overload_host::resolve(backend, py, query, chain)
}

/// What the library and others state of a function or a method that they implement; nothing if nobody does.
pub(crate) fn info(
    backend: &Backend,
    py: Python<'_>,
    what: &Extended,
    chain: &CompilationCx,
) -> Option<FunctionInfo> {
    let own = match what {
        Extended::Function(name) => backend.library().info(name),
        _ => None,
    };
    if !chain.making.is_empty() {
        return own;
    }
    if let Some(module) = module_of(backend, what) {
        if !is_overridden(py, what).unwrap_or(true) {
            return own;
        }
        // What is asked of the registry is what this compilation sees of it from now on.
        py.import(format!("rumba.library.{module}")).ok()?;
    }
    // Facts that cannot be had leave the function unknown.
    let stated = overload_host::stated(backend, py, what, chain).unwrap_or_else(|_| vec![String::new()]);
    let stated = stated.iter().map(|text| FunctionInfo::parse(text).unwrap_or_default());
    stated.chain(own).reduce(FunctionInfo::or)
}

/// Whether somebody else implements the function, too: then the order of all implementations counts.
fn is_overridden(py: Python<'_>, what: &Extended) -> PyResult<bool> {
    let (Some(registry), Extended::Function(name)) = (overload_registry::registry(py)?, what) else {
        return Ok(false);
    };
    registry.call_method1(intern!(py, "is_overridden"), (&**name,))?.is_truthy()
}

/// The instance for a call, made and kept if there is none. None if that cannot be done: what the call itself
/// then runs into tells the reason. An interrupt is no reason: it continues.
fn instance(
    backend: &Arc<Backend>,
    py: Python<'_>,
    query: &ExtensionQuery,
    chain: &CompilationCx,
) -> PyResult<Option<NativeCode>> {
    let session = backend.session();
    let variants = backend.library().variants(&session.types, query);
    let is_made = |variant| {
        let key = backend.library().key(&session.types, variant);
        key.is_some_and(|key| chain.making.contains(&key))
    };
    if variants.iter().any(is_made) {
        return Ok(None);
    }
    let mut missing = Vec::new();
    for variant in variants {
        match backend.library().find(&session.types, &variant) {
            Found::Instance(native) => return Ok(Some(native)),
            Found::Missing => missing.push(variant),
            Found::Never => {}
        }
    }
    for variant in missing {
        if let Found::Instance(native) = make(backend, py, &variant, chain)? {
            return Ok(Some(native));
        }
    }
    Ok(None)
}

/// Makes the instance for a variant of a call, and keeps it.
fn make(
    backend: &Arc<Backend>,
    py: Python<'_>,
    variant: &ExtensionQuery,
    chain: &CompilationCx,
) -> PyResult<Found> {
    let session = backend.session();
    let key = backend.library().key(&session.types, variant);
    let making = chain.making.iter().cloned().chain(key).collect();
    let inner = Rc::new(CompilationCx { making, ..CompilationCx::default() });
    match entry(backend, py, variant, inner.clone(), &session.library_levels()) {
        Ok(entry) => Ok(without_gil(py, || session.library_keep(entry, variant))),
        Err(_) => {
            let raised = inner.raised.take();
            if let Some(error) = raised.filter(|error| !error.is_instance_of::<PyException>(py)) {
                return Err(error);
            }
            session.library_give_up(variant);
            Ok(Found::Never)
        }
    }
}

/// An instance, with machine code for these levels.
fn entry(
    backend: &Arc<Backend>,
    py: Python<'_>,
    query: &ExtensionQuery,
    chain: Rc<CompilationCx>,
    levels: &[Level],
) -> Result<Entry> {
    let session = backend.session();
    let front = front(backend, query, chain)?;
    without_gil(py, || session.library_back(front, levels))
}

/// The half of an instance that asks Python.
fn front(backend: &Arc<Backend>, query: &ExtensionQuery, chain: Rc<CompilationCx>) -> Result<LibraryFront> {
    let host = LibraryHost { backend: backend.clone(), query: query.clone(), chain };
    backend.session().library_front(query, Rc::new(host))
}

/// The Python side of the function that does nothing but call one of the library.
struct LibraryHost {
    backend: Arc<Backend>,
    query: ExtensionQuery,
    chain: Rc<CompilationCx>,
}

impl LibraryHost {
    /// A host for what does not depend on the function.
    fn plain(&self) -> PyHost {
        Python::attach(|py| PyHost::new(self.backend.clone(), py.None().bind(py), self.chain.clone()))
    }
}

impl Host for LibraryHost {
    fn global(&self, _: &str) -> Option<GlobalValue> {
        match &self.query.what {
            Extended::Function(name) => Some(GlobalValue::Function(name.clone())),
            _ => None,
        }
    }

    fn freevar(&self, _: usize) -> Option<GlobalValue> {
        None
    }

    fn module_attribute(&self, _: &str, _: &str) -> Option<GlobalValue> {
        None
    }

    fn is_of_library(&self) -> bool {
        true
    }

    fn parameters(&self, function: Handle) -> Result<Parameters> {
        self.plain().parameters(function)
    }

    fn inner(&self, code: usize) -> Result<Handle> {
        self.plain().inner(code)
    }

    fn changes_captured(&self, function: Handle, index: usize) -> Result<bool> {
        self.plain().changes_captured(function, index)
    }

    fn is_extended(&self, what: &Extended) -> bool {
        *what == self.query.what
    }

    fn extension(&self, query: &ExtensionQuery) -> Result<Extension> {
        self.plain().extension(query)
    }

    fn function_info(&self, what: &Extended) -> Option<FunctionInfo> {
        self.plain().function_info(what)
    }

    fn open(&self, function: Handle) -> Result<CalleeIr> {
        self.plain().open(function)
    }

    fn open_generator(&self, function: Handle) -> Result<CalleeIr> {
        self.plain().open_generator(function)
    }

    fn load_callee_for(&self, function: Handle, params: &[Type]) -> Result<CalleeIr> {
        self.plain().load_callee_for(function, params)
    }
}

/// An instance for the image: function, types of arguments, names of the last arguments, levels of x86-64.
type Wanted = (String, Vec<String>, Vec<String>, Vec<u8>);

/// What the build and `rumba image` need: `rumba._rumba.library`.
#[pyclass(frozen, module = "rumba._rumba")]
pub struct Builder {
    backend: Arc<Backend>,
}

impl Builder {
    pub(crate) fn new(backend: Arc<Backend>) -> Builder {
        Builder { backend }
    }

    fn query(&self, name: &str, args: Vec<String>, names: Vec<String>) -> PyResult<ExtensionQuery> {
        let types = &self.backend.session().types;
        let read = |text: &String| {
            types.parse(text).ok_or_else(|| PyValueError::new_err(format!("there is no type {text}")))
        };
        let args = args.iter().map(read).collect::<PyResult<Vec<Type>>>()?;
        Ok(ExtensionQuery {
            what: Extended::Function(name.into()),
            args,
            names,
            skip: 0,
            prefer_literal: false,
            initial_values: Vec::new(),
        })
    }

    /// What an instance is compiled within: nothing but itself.
    fn alone(&self, query: &ExtensionQuery) -> Rc<CompilationCx> {
        let making =
            vec![self.backend.library().key(&self.backend.session().types, query).unwrap_or_default()];
        Rc::new(CompilationCx { making, alone: true, ..CompilationCx::default() })
    }

    /// Makes instances: typed one after the other on this thread, which has the GIL, and compiled by others meanwhile.
    fn make_all(
        &self,
        py: Python<'_>,
        instances: Vec<Wanted>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Vec<Entry>> {
        let session = self.backend.session();
        let (sender, receiver) = sync_channel::<(usize, LibraryFront, Vec<Level>)>(QUEUED_FRONTS);
        let receiver = Mutex::new(receiver);
        let next = || receiver.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let failed = AtomicBool::new(false);
        let compile_all = || {
            let mut made = Ok(Vec::new());
            // What comes after a failure is taken, too: the sender waits for a place in the queue.
            while let Ok((at, front, levels)) = next() {
                if let Ok(entries) = &mut made
                    && !failed.load(Relaxed)
                {
                    match fork_gate::inside(|| session.library_back(front, &levels)) {
                        Ok(entry) => entries.push((at, entry)),
                        Err(diagnostic) => {
                            failed.store(true, Relaxed);
                            made = Err(diagnostic);
                        }
                    }
                }
            }
            made
        };
        std::thread::scope(|scope| {
            let threads = std::thread::available_parallelism().map_or(1, NonZero::get);
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(compile_all)).collect();
            // Moved in, so that the workers see the end of the work on every way out.
            let sender = sender;
            let count = instances.len();
            for (at, (name, args, names, levels)) in instances.into_iter().enumerate() {
                let levels = levels.into_iter().map(Level::X86).collect();
                let query = self.query(&name, args, names)?;
                let front = front(&self.backend, &query, self.alone(&query));
                let front = front.map_err(|diagnostic| to_exception(py, &diagnostic))?;
                // The error is found below.
                if failed.load(Relaxed) || without_gil(py, || sender.send((at, front, levels))).is_err() {
                    break;
                }
                if let Some(progress) = &progress {
                    progress.call1((at + 1, count))?;
                }
            }
            drop(sender);
            let done =
                without_gil(py, || workers.into_iter().map(|worker| worker.join()).collect::<Vec<_>>());
            let mut entries = Vec::with_capacity(count);
            for made in done {
                let made = made.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
                entries.extend(made.map_err(|diagnostic| to_exception(py, &diagnostic))?);
            }
            entries.sort_by_key(|(at, _)| *at);
            Ok(entries.into_iter().map(|(_, entry)| entry).collect())
        })
    }
}

/// What an instance is, for Python: key, result, whether it raises, instructions, texts of its functions, bytes of
/// machine code per level.
fn shown<'py>(py: Python<'py>, entry: &Entry) -> PyResult<Bound<'py, PyTuple>> {
    let texts: Vec<&str> = entry.members.iter().map(|member| member.text.as_str()).collect();
    let sizes = entry.objects.iter().map(|(level, object)| match level {
        Level::X86(level) => (format!("x86-64-v{level}"), object.len()),
        Level::Exactly(cpu) => (cpu.clone(), object.len()),
    });
    let sizes: Vec<(String, usize)> = sizes.collect();
    (&entry.key, &entry.result, entry.can_fail, entry.ops, texts, sizes).into_pyobject(py)
}

fn damaged(fault: &cache::Fault) -> PyErr {
    PyValueError::new_err(fault.to_string())
}

#[pymethods]
impl Builder {
    /// Where the image is.
    #[getter]
    fn path(&self) -> Option<PathBuf> {
        Some(self.backend.library().paths()?.image.clone())
    }

    /// Where the user cache is, or None.
    #[getter]
    fn store(&self) -> Option<PathBuf> {
        self.backend.library().paths()?.store.clone()
    }

    /// The folder of the cache of object files, or None.
    #[getter]
    fn objects(&self, py: Python<'_>) -> Option<PathBuf> {
        follow_cache_setting(py, self.backend.session());
        self.backend.session().cache_folder()
    }

    /// What a file of the cache holds: (function, file of its source, line, bytes of code); ValueError for one that is
    /// damaged or was made by another build.
    fn cached_object(&self, path: PathBuf) -> PyResult<(String, String, u32, usize)> {
        let found = File::open(&path, Stamp { build: build(), sources: 0 }).and_then(|file| {
            let first = file.entries::<CachedObject>().next();
            first.unwrap_or(Err(cache::Fault::Truncated))
        });
        let found = found.map_err(|fault| damaged(&fault))?;
        Ok((found.function, found.file, found.line, found.object.len()))
    }

    /// Makes the image: instances are (function, types of arguments, names of the last arguments, levels of x86-64 to make
    /// machine code for). `progress` is called with how many are typed, and with how many there are.
    #[pyo3(signature = (path, instances, progress=None))]
    fn build(
        &self,
        py: Python<'_>,
        path: PathBuf,
        instances: Vec<Wanted>,
        progress: Option<Bound<'_, PyAny>>,
    ) -> PyResult<usize> {
        let entries = self.make_all(py, instances, progress)?;
        cache::write_compressed(&path, self.backend.library().stamp(), &entries)
            .map_err(PyOSError::new_err)?;
        Ok(entries.len())
    }

    /// Why the image at a path cannot be used, or None.
    fn fault(&self, path: PathBuf) -> Option<String> {
        cache::File::open(&path, self.backend.library().stamp()).err().map(|fault| fault.to_string())
    }

    /// All instances of an image; ValueError for one that is damaged.
    fn entries<'py>(&self, py: Python<'py>, path: PathBuf) -> PyResult<Bound<'py, PyList>> {
        let file = open(&path, self.backend.library().stamp())?;
        let found = file.entries::<Entry>().map(|entry| shown(py, &entry.map_err(|fault| damaged(&fault))?));
        PyList::new(py, found.collect::<PyResult<Vec<_>>>()?)
    }

    /// An instance made again, without machine code.
    fn anew<'py>(
        &self,
        py: Python<'py>,
        name: &str,
        args: Vec<String>,
        names: Vec<String>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let query = self.query(name, args, names)?;
        let entry = entry(&self.backend, py, &query, self.alone(&query), &[]);
        shown(py, &entry.map_err(|diagnostic| to_exception(py, &diagnostic))?)
    }
}

fn open(path: &Path, stamp: cache::Stamp) -> PyResult<cache::File> {
    cache::File::open(path, stamp).map_err(|fault| damaged(&fault))
}
