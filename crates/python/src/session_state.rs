//! The compiler behind the dispatchers: argument types in, specializations out.

use crate::compiler::{Argument, Compiler, Target};
use crate::custom_pipeline::{self, Job, Made};
use crate::diagnostics::{print_revealed, to_exception};
use crate::dispatcher::{DispatcherClass, DispatcherRef};
use crate::dtypes::Dtypes;
use crate::enums;
use crate::extension_types;
use crate::fingerprint::Fingerprint;
use crate::function_value;
use crate::global_values::known_name;
use crate::host::{CompilationCx, PyHost};
use crate::library_host;
use crate::literal_dispatch;
use crate::numpy_kernels::KernelTable;
use crate::object_mode;
use crate::options;
use crate::overload_host;
use crate::plan::Unbox;
use crate::snapshot;
use crate::specialization::{Specialization, Unit};
use crate::type_objects::TypeObjectCache;
use crate::typeof_value;
use crate::unit::CompiledUnit;
use diag::{Diagnostic, codes};
use driver::{Dumps, EntryKind, Request, TypedUnit, WantedLiterals};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple, PyType, PyWeakrefMethods, PyWeakrefReference};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use types::{Handle, Type};

/// The compiler, shared by all dispatchers of the module.
pub struct Backend {
    session: Arc<driver::Session>,
    class: OnceLock<Arc<DispatcherClass>>,
    /// Compiled functions that are known by a handle.
    functions: Mutex<Vec<Py<PyWeakrefReference>>>,
    /// Code of functions made inside of functions, and what stands for it.
    inner: Mutex<Vec<(Py<PyAny>, Py<PyAny>)>>,
    /// Types that only Python knows, and objects without a value in compiled code, by a handle.
    opaque: Mutex<Vec<Py<PyAny>>>,
    /// Classes that are known by a handle.
    classes: Mutex<Vec<Py<PyType>>>,
    /// Types of arguments that dispatch does not know by heart, by the number of their
    /// fingerprint, each with the addresses of the classes of the value and of what is in it: NumPy's
    /// `float64` and Python's `float` are one type and two ways in.
    fingerprints: Mutex<Vec<(Type, Box<[usize]>)>>,
    /// Parameters of which functions want to know the value, by what else the arguments are.
    pub(crate) wants: literal_dispatch::RequestedLiterals,
    /// Whose functions compiled code calls.
    lenders: Arc<KernelTable>,
    /// NumPy's dtypes of types.
    pub(crate) dtypes: Dtypes,
    /// Types that Python has seen.
    pub(crate) shown: TypeObjectCache,
    /// How callbacks are known.
    pub(crate) callback_class: function_value::CallbackClass,
    /// Whether rewrites of users are registered.
    pub(crate) rewriting: AtomicBool,
    /// The classes of Python's enumerations.
    pub(crate) enums: enums::EnumClasses,
    /// What libraries say of the types of values.
    pub(crate) typers: overload_host::UserTypeof,
    /// Machine code that takes in and hands out values of libraries' types.
    pub(crate) borders: extension_types::BoxingCache,
    /// Itself, for hosts to hold.
    own: Weak<Backend>,
}

impl Backend {
    /// A compiler for the running interpreter, whose dumps go where the environment says.
    pub fn new(py: Python<'_>) -> Arc<Backend> {
        let minor = py.version_info().minor;
        let dumps = Dumps::from_environment(|text| {
            Python::attach(|py| {
                // A dump that cannot be printed must not stop a compilation.
                let _ = py.import("builtins").and_then(|b| b.call_method1("print", (text,)));
            });
        });
        let places = library_host::places(py).ok();
        let lenders = Arc::new(KernelTable::default());
        let lent = lenders.clone();
        let borrowed = Box::new(move |name: &str| lent.address(name));
        Arc::new_cyclic(|own| Backend {
            session: {
                let session =
                    driver::Session::new(dumps, minor, &function_value::symbols(own.as_ptr()), borrowed);
                if let Some(places) = places {
                    session.library().set_places(places);
                }
                Arc::new(session)
            },
            class: OnceLock::new(),
            functions: Mutex::default(),
            inner: Mutex::default(),
            opaque: Mutex::default(),
            classes: Mutex::default(),
            fingerprints: Mutex::default(),
            wants: literal_dispatch::RequestedLiterals::default(),
            lenders,
            dtypes: Dtypes::default(),
            shown: TypeObjectCache::default(),
            callback_class: function_value::CallbackClass::default(),
            rewriting: AtomicBool::new(false),
            enums: enums::EnumClasses::new(),
            typers: overload_host::UserTypeof::new(),
            borders: extension_types::BoxingCache::default(),
            own: own.clone(),
        })
    }

    pub(crate) fn shared(&self) -> Arc<Backend> {
        self.own.upgrade().expect("a method runs on a backend that is alive")
    }

    /// Tells which class dispatchers have; once, before the first call.
    pub fn set_class(&self, class: Arc<DispatcherClass>) {
        let _ = self.class.set(class);
    }

    /// Rumba's own library.
    pub(crate) fn library(&self) -> &driver::Library {
        self.session.library()
    }

    /// The session of the driver.
    pub fn session(&self) -> &Arc<driver::Session> {
        &self.session
    }

    /// The dispatcher behind a value, if it is one.
    pub(crate) fn dispatcher<'py>(&self, value: &Bound<'py, PyAny>) -> Option<DispatcherRef<'py>> {
        self.class.get()?.downcast(value)
    }

    /// The handle of a dispatcher; none for any other value.
    pub(crate) fn handle_of(&self, value: &Bound<'_, PyAny>) -> Option<Handle> {
        let function = self.class.get()?.downcast(value)?.function();
        let py = value.py();
        // Made in front of the lock: what makes an object may collect garbage, which runs Python code and lets other threads run.
        let reference = PyWeakrefReference::new(value).ok()?.unbind();
        let mut functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let same = |known: &Py<PyWeakrefReference>| known.bind(py).upgrade().is_some_and(|k| k.is(value));
        if let Some(index) = functions.iter().position(same) {
            return Some(Handle(index as u32));
        }
        functions.push(reference);
        let handle = Handle(functions.len() as u32 - 1);
        drop(functions);
        if let Ok(name) = function.getattr(intern!(py, "__name__")).and_then(|name| name.extract::<String>())
        {
            self.session.types.name_function(handle, &name);
        }
        Some(handle)
    }

    /// The handle of a function made inside of `outer` from this code. Its free variables are empty: the
    /// closure that is its first argument has them. It stays alive as long as the process.
    pub(crate) fn handle_of_code(
        &self,
        outer: &Bound<'_, PyAny>,
        code: &Bound<'_, PyAny>,
    ) -> PyResult<Handle> {
        let py = outer.py();
        let find = || {
            let known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            let same = known.iter().find(|(known, _)| known.bind(py).is(code));
            same.map(|(_, function)| function.clone_ref(py))
        };
        let function = match find() {
            Some(function) => function,
            None => {
                let made = py
                    .import("rumba.closures")?
                    .call_method1("template", (outer, code, self.compiles_callees_of(outer)))?
                    .unbind();
                let mut known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
                known.push((code.clone().unbind(), made.clone_ref(py)));
                made
            }
        };
        self.handle_of(function.bind(py))
            .ok_or_else(|| PyTypeError::new_err("an inner function did not become a compiled function"))
    }

    /// The address of what stands for the code of an inner function. It is kept for good.
    pub(crate) fn template_address(&self, handle: Handle) -> Option<usize> {
        Python::attach(|py| {
            let template = self.function_of(py, handle)?;
            let known = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            known.iter().any(|(_, function)| function.is(&template)).then_some(template.as_ptr() as usize)
        })
    }

    /// The dispatcher of a Python function that has a handle.
    pub(crate) fn dispatcher_of<'py>(&self, function: &Bound<'py, PyAny>) -> Option<Bound<'py, PyAny>> {
        let py = function.py();
        let class = self.class.get()?;
        let functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        let mut alive = functions.iter().filter_map(|known| known.bind(py).upgrade());
        alive.find(|known| class.downcast(known).is_some_and(|found| found.function().is(function)))
    }

    pub(crate) fn function_of<'py>(&self, py: Python<'py>, handle: Handle) -> Option<Bound<'py, PyAny>> {
        let functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        functions.get(handle.0 as usize)?.bind(py).upgrade()
    }

    /// The handle of a class: of named tuples, of exceptions. The class stays alive.
    pub(crate) fn handle_of_class(&self, class: &Bound<'_, PyType>) -> Handle {
        let mut classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        let known = classes.iter().position(|known| known.is(class));
        Handle(known.unwrap_or_else(|| {
            classes.push(class.clone().unbind());
            classes.len() - 1
        }) as u32)
    }

    /// The type of what has no content: `object` is the type that Python knows, which stays alive.
    pub(crate) fn opaque_type(&self, object: &Bound<'_, PyAny>, name: &str) -> Type {
        let object = self.opaque_handle(object);
        self.session.types.intern(types::TypeData::Opaque { name: name.into(), object })
    }

    /// A type that a library added, held as those of another type are. The object stays alive.
    pub(crate) fn foreign_type(&self, object: &Bound<'_, PyAny>, name: &str, held: Type) -> Type {
        let object = self.opaque_handle(object);
        self.session.types.intern(types::TypeData::Foreign { name: name.into(), object, held })
    }

    fn opaque_handle(&self, object: &Bound<'_, PyAny>) -> Handle {
        let mut known = self.opaque.lock().unwrap_or_else(PoisonError::into_inner);
        let number = known.iter().position(|known| known.is(object)).unwrap_or_else(|| {
            known.push(object.clone().unbind());
            known.len() - 1
        });
        Handle(number as u32)
    }

    /// The type of a Python object that has no value in compiled code. The object stays alive.
    pub(crate) fn object_type(&self, object: &Bound<'_, PyAny>, name: &str) -> Type {
        let object = self.opaque_handle(object);
        self.session.types.intern(types::TypeData::Object { name: name.into(), object })
    }

    /// The type that Python knows, by its handle.
    pub(crate) fn opaque_object(&self, py: Python<'_>, handle: Handle) -> Option<Py<PyAny>> {
        let known = self.opaque.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(handle.0 as usize).map(|object| object.clone_ref(py))
    }

    /// A class by its handle.
    pub(crate) fn class(&self, py: Python<'_>, handle: Handle) -> Option<Py<PyAny>> {
        let classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        classes.get(handle.0 as usize).map(|class| class.clone_ref(py).into_any())
    }

    /// The address of the weak reference to a compiled function. It is kept for good.
    pub(crate) fn reference_address(&self, handle: Handle) -> Option<usize> {
        let functions = self.functions.lock().unwrap_or_else(PoisonError::into_inner);
        functions.get(handle.0 as usize).map(|function| function.as_ptr() as usize)
    }

    /// The address of a class by its handle.
    pub(crate) fn class_address(&self, handle: Handle) -> Option<usize> {
        let classes = self.classes.lock().unwrap_or_else(PoisonError::into_inner);
        classes.get(handle.0 as usize).map(|class| class.as_ptr() as usize)
    }

    /// The type of an argument.
    fn type_of(&self, fingerprint: Fingerprint) -> Type {
        match fingerprint.of_value() {
            Fingerprint::INT64 => Type::INT64,
            Fingerprint::UINT64 => Type::UINT64,
            Fingerprint::FLOAT64 => Type::FLOAT64,
            Fingerprint::BOOL => Type::BOOL,
            Fingerprint::COMPLEX128 => Type::COMPLEX128,
            Fingerprint::NONE => Type::NONE,
            Fingerprint::STR => Type::STR,
            other => {
                let numbers = self.fingerprints.lock().unwrap_or_else(PoisonError::into_inner);
                let number = other.interned_number().unwrap_or_default() as usize;
                numbers.get(number).map_or(Type::NONE, |(ty, _)| *ty)
            }
        }
    }

    /// Loads what libraries have for compilations, and looks for functions that are borrowed.
    pub(crate) fn load_entry_points(&self, py: Python<'_>) -> PyResult<()> {
        py.import(intern!(py, "rumba.entrypoints"))?.call_method0(intern!(py, "init_all"))?;
        self.lenders.look(py, &self.session.types);
        Ok(())
    }

    /// Compiles a function for argument types, by the user's own pipeline where it has one.
    pub(crate) fn compile_types(
        &self,
        target: &Target<'_>,
        args: &[Type],
        result: Option<Type>,
        wanted: WantedLiterals,
        purpose: EntryKind,
    ) -> PyResult<Arc<CompiledUnit>> {
        match custom_pipeline::class_of(&target.options)? {
            Some(_) => {
                custom_pipeline::compile(&self.shared(), target, Job { args, result, wanted, purpose })
            }
            None => self.compile_function(target, Job { args, result, wanted, purpose }, None),
        }
    }

    /// Compiles a function, or what passes of the user made of it: the half with the GIL, then the half without.
    pub(crate) fn compile_function(
        &self,
        target: &Target<'_>,
        job: Job<'_>,
        made: Option<Made>,
    ) -> PyResult<Arc<CompiledUnit>> {
        let Job { args, result, wanted, purpose } = job;
        let py = target.function.py();
        self.load_entry_points(py)?;
        let options = options::read(self, &target.options)?;
        let code = snapshot::of_function(&target.function)?;
        if code.parameter_count() as usize != args.len() {
            return Err(PyTypeError::new_err(format!(
                "{} got other code with other parameters after it was decorated: decorate it again",
                target.function
            )));
        }
        let own = self.handle_of(&target.dispatcher);
        let (func, globals) = made.map(|made| (made.func, made.values)).unzip();
        let chain = Rc::new(CompilationCx { globals: RefCell::new(globals), ..CompilationCx::default() });
        let host = PyHost::new(self.shared(), &target.function, chain.clone()).of(own);
        let host = Rc::new(if func.is_some() { host.finished() } else { host });
        let request = Request { code: &code, args, result, own, options, host, wanted, func };
        let front = self.session.compile_to_typed(request);
        if let (Err(_), Some(error)) = (&front, chain.raised.take()) {
            return Err(error);
        }
        let front = match purpose {
            EntryKind::Python => front.and_then(|front| self.check_result(front)),
            EntryKind::Callback => front,
        };
        if let Ok(front) = &front {
            print_revealed(py, &front.revealed(&self.session.types));
        }
        let compiled = front.and_then(|front| py.detach(|| self.session.compile_to_code(front, purpose)));
        let compiled = compiled.map_err(|diagnostic| to_exception(py, &diagnostic))?;
        Ok(Arc::new(CompiledUnit::new(self.shared(), compiled, chain.objects())))
    }

    /// A result that Python cannot be given is an error before any code is made.
    fn check_result(&self, front: TypedUnit) -> diag::Result<TypedUnit> {
        if typeof_value::boxing(self, front.result()).is_some() {
            return Ok(front);
        }
        let types = &self.session.types;
        let name = types.name(front.result());
        let origin = front.origin(types);
        let line = diag::Span::line(origin.line);
        let hint = match types.starred(front.result()) {
            Some(_) => "Return tuple(...) of the list.",
            None => "Return numbers, arrays, None, compiled functions, or tuples and lists of them.",
        };
        Err(Diagnostic::new(codes::NOT_BOXED, format!("cannot convert native {name} to Python object"))
            .in_function(|| origin)
            .label(line, format!("this function returns {name}"))
            .hint(hint))
    }

    /// The Python function of a dispatcher by its handle.
    pub(crate) fn python_function(&self, py: Python<'_>, handle: Handle) -> Option<Py<PyAny>> {
        let dispatcher = self.function_of(py, handle)?;
        let found = self.class.get()?.downcast(&dispatcher)?;
        Some(found.function().unbind())
    }

    /// Whether the decorator of a Python function says that its plain callees are compiled, too.
    pub(crate) fn compiles_callees_of(&self, function: &Bound<'_, PyAny>) -> bool {
        let ask = || {
            let dispatcher = self.dispatcher_of(function)?;
            let options = self.class.get()?.downcast(&dispatcher)?.options().ok()?;
            options.get_item("auto").ok()??.is_truthy().ok()
        };
        ask().unwrap_or(false)
    }

    /// The options of a dispatcher as they were written.
    pub(crate) fn options_dict<'py>(&self, py: Python<'py>, handle: Handle) -> Option<Bound<'py, PyDict>> {
        let dispatcher = self.function_of(py, handle)?;
        self.class.get()?.downcast(&dispatcher)?.options().ok()
    }

    /// The options of a dispatcher.
    pub(crate) fn options_of(&self, py: Python<'_>, handle: Handle) -> PyResult<driver::Options> {
        match self.options_dict(py, handle) {
            Some(found) => options::read(self, &found),
            None => Ok(driver::Options::default()),
        }
    }

    /// What is compiled already for these types.
    pub(crate) fn existing(&self, target: &Target<'_>, args: &[Type]) -> Option<Arc<CompiledUnit>> {
        let exact = |unit: &Arc<CompiledUnit>| unit.compiled.signature.params == args;
        target.units.iter().filter_map(CompiledUnit::of).find(exact)
    }

    fn specialization(
        &self,
        unit: Arc<CompiledUnit>,
        arguments: &[Argument<'_>],
        release_gil: bool,
    ) -> Option<Specialization> {
        let signature = &unit.compiled.signature;
        let steps: Option<Vec<Unbox>> = arguments
            .iter()
            .zip(&signature.params)
            .map(|(argument, &to)| {
                typeof_value::unboxing(self, &argument.value, self.type_of(argument.fingerprint), to)
            })
            .collect();
        let result = typeof_value::boxing(self, signature.result)?;
        let thunk = unit.compiled.thunk()?;
        let unit: Arc<dyn Unit> = unit;
        result.bind(&unit);
        Some(Specialization { thunk, arguments: steps?.into(), result, release_gil, by_value: false, unit })
    }
}

impl Compiler for Backend {
    fn live_units(&self) -> usize {
        self.session.live_units()
    }

    fn function_name(&self, value: &Bound<'_, PyAny>) -> Option<String> {
        known_name(&self.shared(), value)
    }

    fn compile(
        &self,
        target: &Target<'_>,
        arguments: &[Argument<'_>],
        may_compile: bool,
    ) -> PyResult<Specialization> {
        rt::with_room(|| self.compile_for(target, arguments, may_compile))
    }

    fn fingerprint(&self, value: &Bound<'_, PyAny>) -> PyResult<Fingerprint> {
        let ty = typeof_value::type_of(self, value)?;
        let entry = (ty, typeof_value::classes(value).into_boxed_slice());
        let mut known = self.fingerprints.lock().unwrap_or_else(PoisonError::into_inner);
        let number = known.iter().position(|other| *other == entry).unwrap_or_else(|| {
            known.push(entry);
            known.len() - 1
        });
        Ok(Fingerprint::interned(number as u32))
    }

    fn compile_signature(
        &self,
        target: &Target<'_>,
        signature: &Bound<'_, PyAny>,
    ) -> PyResult<Arc<dyn Unit>> {
        if object_mode::is_asked_for(&target.options)? {
            return self.object_unit(target, signature);
        }
        let (args, result) = self.read_signature(target, signature)?;
        if let Some(unit) = self.existing(target, &args) {
            return Ok(unit);
        }
        Ok(rt::with_room(|| {
            self.compile_types(target, &args, result, WantedLiterals::default(), EntryKind::Python)
        })?)
    }

    fn compile_callback(&self, target: &Target<'_>, signature: &Bound<'_, PyAny>) -> PyResult<Arc<dyn Unit>> {
        let (args, result) = self.read_signature(target, signature)?;
        let unit = rt::with_room(|| {
            let unit =
                self.compile_types(target, &args, result, WantedLiterals::default(), EntryKind::Callback)?;
            unit.callback(signature.py())?;
            PyResult::Ok(unit)
        })?;
        Ok(unit)
    }
}

impl Backend {
    fn compile_for(
        &self,
        target: &Target<'_>,
        arguments: &[Argument<'_>],
        may_compile: bool,
    ) -> PyResult<Specialization> {
        let args: Vec<Type> = arguments.iter().map(|argument| self.type_of(argument.fingerprint)).collect();
        let release_gil = options::release_gil(&target.options)?;
        let (unit, by_value) = match self.existing(target, &args) {
            Some(unit) => (unit, false),
            None if may_compile => literal_dispatch::compile(self, target, arguments, &args)?,
            None => match literal_dispatch::unit_of_values(self, target, arguments, &args)? {
                Some(unit) => (unit, true),
                None => (self.best_unit(target, &args)?, false),
            },
        };
        let result = self.session.types.name(unit.compiled.signature.result);
        let made = self.specialization(unit, arguments, release_gil);
        made.map(|made| Specialization { by_value, ..made }).ok_or_else(|| {
            let names = self.session.types.names(&args);
            PyTypeError::new_err(format!("a call with ({names}) -> {result} cannot cross to Python yet"))
        })
    }
}

impl Backend {
    /// What a call with these (positional) arguments would run, without running it.
    pub(crate) fn prepare(
        &self,
        dispatcher: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
    ) -> PyResult<crate::interpret::Prepared> {
        let py = dispatcher.py();
        let found = self.class.get().and_then(|class| class.downcast(dispatcher));
        let found = found.ok_or_else(|| PyTypeError::new_err("expected a compiled function"))?;
        let target = Target {
            dispatcher: dispatcher.clone(),
            function: found.function(),
            options: found.options()?,
            units: found.units(),
        };
        let arguments: Vec<Argument<'_>> = args
            .iter()
            .map(|value| {
                let known = crate::fingerprint::of(&value);
                let fingerprint = known.map_or_else(|| self.fingerprint(&value), Ok)?;
                Ok(Argument { fingerprint, value })
            })
            .collect::<PyResult<_>>()?;
        let made = self.compile(&target, &arguments, true)?;
        let unit = CompiledUnit::of(&made.unit).ok_or_else(|| crate::interpret::no_unit(py))?;
        let mut words = Vec::new();
        for (step, argument) in made.arguments.iter().zip(&arguments) {
            let mut out = vec![0u64; step.words()];
            // SAFETY: the value is alive and there is room for the words of the step.
            let count = unsafe { step.unbox(argument.value.as_ptr(), out.as_mut_ptr()) };
            let refused = || PyErr::take(py).unwrap_or_else(|| crate::interpret::no_unit(py));
            words.extend_from_slice(&out[..count.ok_or_else(refused)?]);
        }
        Ok((unit, words, made.result))
    }
}
