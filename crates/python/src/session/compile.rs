//! Compilations: argument types in, specializations out.

use crate::compat::custom_pipeline::{self, Job, Made};
use crate::diagnostics::{print_notes, print_revealed, to_exception};
use crate::host::PyHost;
use crate::host::compilation_cx::CompilationCx;
use crate::host::global_values::known_name;
use crate::host::library_host;
use crate::host::options;
use crate::host::snapshot;
use crate::object_mode;
use crate::session::compiled_unit::CompiledUnit;
use crate::session::compiler::{Argument, CompileFor, Compiler, Target};
use crate::session::object_unit::object_unit;
use crate::session::registries::Registries;
use crate::session::session_state::Backend;
use crate::session::target_scope::TargetScope;
use crate::typing::literal_dispatch;
use crate::typing::requested_literals::RequestedLiterals;
use diag::{Diagnostic, codes};
use driver::{Dumps, EntryKind, Request, TypedUnit, WantedLiterals};
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use python_rt::callbacks::RuntimeContext;
use python_rt::callbacks::numpy_kernels::KernelTable;
use python_rt::callbacks::symbols::symbols;
use python_rt::entry::Fingerprint;
use python_rt::entry::Specialization;
use python_rt::plan::{self, Unbox, value_types};
use python_rt::unit::Unit;
use python_rt::values::extension_types::BoxingCache;
use python_rt::without_gil::{with_gil, without_gil};
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use types::{Type, TypeData};

impl Backend {
    /// A compiler for the running interpreter, whose dumps go where the environment says.
    pub fn new(py: Python<'_>) -> Arc<Backend> {
        let minor = py.version_info().minor;
        let dumps = Dumps::from_environment(|text| {
            with_gil(|py| {
                // A dump that cannot be printed must not stop a compilation.
                let _ = py.import("builtins").and_then(|b| b.call_method1("print", (text,)));
            });
        });
        let paths = library_host::paths(py).ok();
        let kernels = Arc::new(KernelTable::default());
        let table = kernels.clone();
        let borrowed = Box::new(move |name: &str| table.address(name));
        Arc::new_cyclic(|own: &Weak<Backend>| {
            let context = Box::new(RuntimeContext::new(own.clone()));
            Backend {
                registries: {
                    let session = driver::Session::new(dumps, minor, &symbols(&context), borrowed);
                    if let Some(paths) = paths {
                        session.library().set_paths(paths);
                    }
                    library_host::follow_cache_setting(py, &session);
                    library_host::set_baseline(&session);
                    rt::fork_gate::watch();
                    Registries::new(Arc::new(session))
                },
                class: OnceLock::new(),
                fingerprints: Mutex::default(),
                wants: RequestedLiterals::default(),
                kernels,
                callback_class: OnceLock::new(),
                rewriting: AtomicBool::new(false),
                has_stage_passes: AtomicBool::new(false),
                listener: Mutex::default(),
                extended: AtomicBool::new(false),
                borders: BoxingCache::default(),
                own: own.clone(),
                context,
            }
        })
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
        let _scope = TargetScope::enter(&target.options)?;
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
        let (py, purpose) = (target.function.py(), job.purpose);
        let (front, chain) = self.front(target, job, made)?;
        let compiled =
            front.and_then(|front| without_gil(py, || self.session().compile_to_code(front, purpose)));
        let compiled = compiled.map_err(|diagnostic| to_exception(py, &diagnostic))?;
        let unit = CompiledUnit::new(self.shared(), compiled, chain.objects());
        if let (Some(loops), EntryKind::Python) = (unit.parallel_loops(), purpose) {
            py.import("rumba.parallel.loop_diagnostics")?
                .call_method1("tell", (&target.function, loops, unit.fusions()))?;
        }
        Ok(Arc::new(unit))
    }

    /// The half with the GIL, and what it knows of Python objects.
    pub(crate) fn front(
        &self,
        target: &Target<'_>,
        job: Job<'_>,
        made: Option<Made>,
    ) -> PyResult<(diag::Result<TypedUnit>, Rc<CompilationCx>)> {
        let Job { args, result, wanted, purpose } = job;
        let py = target.function.py();
        self.load_entry_points(py)?;
        let options = options::read(self, &target.options)?;
        if options.cache {
            library_host::follow_cache_setting(py, self.session());
        }
        let code = snapshot::of_function(&target.function)?;
        if code.parameter_count() as usize != args.len() {
            return Err(PyTypeError::new_err(format!(
                "{} got other code with other parameters after it was decorated: decorate it again",
                target.function
            )));
        }
        if options.semantics.debug {
            py.import("rumba.tools.debugger")?.call_method1("check_source", (&target.function,))?;
        }
        let own = self.handle_of(&target.dispatcher);
        let (func, globals) = made.map(|made| (made.func, made.values)).unzip();
        let chain = Rc::new(CompilationCx {
            globals: RefCell::new(globals),
            passes: options.passes.clone(),
            ..CompilationCx::default()
        });
        let host = PyHost::new(self.shared(), &target.function, chain.clone()).of(own);
        let host = Rc::new(if func.is_some() { host.finished() } else { host });
        let request = Request { code: &code, args, result, own, options, host, wanted, func };
        let front = self.session().compile_to_typed(request);
        if let (Err(_), Some(error)) = (&front, chain.raised.take()) {
            return Err(error);
        }
        let front = match purpose {
            EntryKind::Python => front.and_then(|front| self.check_result(front)),
            EntryKind::Callback => front,
        };
        if let Ok(front) = &front {
            print_revealed(py, &front.revealed(&self.session().types));
            self.tell_objects(target, front)?;
            if std::env::var_os("RUMBA_NOTES").is_some_and(|asked| asked == "1") {
                print_notes(py, &front.performance_notes(&self.session().types));
            }
            self.note_reached(front.callees());
            tell_coverage(py, front)?;
        }
        Ok((front, chain))
    }

    /// Warns of what is done with Python objects.
    fn tell_objects(&self, target: &Target<'_>, front: &TypedUnit) -> PyResult<()> {
        let py = target.function.py();
        for told in front.on_objects(&self.session().types) {
            let module = py.import("rumba.object_mode.lifted_loops")?;
            let error = to_exception(py, &told);
            module.call_method1("tell", (&target.dispatcher, error.value(py), true))?;
        }
        Ok(())
    }

    /// A result that Python cannot be given is an error before any code is made.
    fn check_result(&self, front: TypedUnit) -> diag::Result<TypedUnit> {
        if plan::boxing(self, front.result()).is_some() {
            return Ok(front);
        }
        let types = &self.session().types;
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
                plan::unboxing(self, &argument.value, self.type_of(argument.fingerprint), to)
            })
            .collect();
        let result = plan::boxing(self, signature.result)?;
        let thunk = unit.compiled.thunk()?;
        let unit: Arc<dyn Unit> = unit;
        result.bind(&unit);
        Some(Specialization { thunk, arguments: steps?.into(), result, release_gil, by_value: false, unit })
    }

    /// The key for a type, and the classes that count with it.
    fn number_of_type(&self, entry: (Type, Box<[usize]>)) -> Fingerprint {
        let mut known = self.fingerprints.lock().unwrap_or_else(PoisonError::into_inner);
        let number = known.iter().position(|other| *other == entry).unwrap_or_else(|| {
            known.push(entry);
            known.len() - 1
        });
        Fingerprint::interned(number as u32)
    }

    /// What is compiled for these types, with the defaults that the call leaves out.
    fn with_defaults(
        &self,
        target: &Target<'_>,
        arguments: &[Argument<'_>],
        args: &[Type],
    ) -> Option<Arc<CompiledUnit>> {
        let types = &self.session().types;
        let fits = |(argument, (&arg, &param)): (&Argument<'_>, (&Type, &Type))| match types.get(param) {
            TypeData::Omitted(_) => argument.fingerprint.is_omitted(),
            _ => arg == param,
        };
        let all_fit = |unit: &Arc<CompiledUnit>| {
            let params = &unit.compiled.signature.params;
            params.len() == args.len() && arguments.iter().zip(args.iter().zip(params)).all(fits)
        };
        target.units.iter().filter_map(CompiledUnit::of).find(all_fit)
    }

    fn compile_for(
        &self,
        target: &Target<'_>,
        arguments: &[Argument<'_>],
        may_compile: bool,
    ) -> PyResult<Specialization> {
        let args: Vec<Type> = arguments.iter().map(|argument| self.type_of(argument.fingerprint)).collect();
        let release_gil = options::release_gil(&target.options)?;
        let (unit, by_value) = match self.existing(target, &args) {
            Some(unit) if !arguments.iter().any(|argument| argument.fingerprint.is_omitted()) => {
                (unit, false)
            }
            _ if may_compile => literal_dispatch::compile(self, target, arguments, &args)?,
            _ if let Some(unit) = self.with_defaults(target, arguments, &args) => (unit, false),
            Some(unit) => (unit, false),
            None => match literal_dispatch::unit_of_values(self, target, arguments, &args)? {
                Some(unit) => (unit, true),
                None => self.best_unit(target, arguments, &args)?,
            },
        };
        let result = self.session().types.name(unit.compiled.signature.result);
        let made = self.specialization(unit, arguments, release_gil);
        made.map(|made| Specialization { by_value, ..made }).ok_or_else(|| {
            let names = self.session().types.names(&args);
            PyTypeError::new_err(format!("a call with ({names}) -> {result} cannot cross to Python yet"))
        })
    }

    /// What a call with these (positional) arguments would run, without running it.
    pub(crate) fn prepare(
        &self,
        dispatcher: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
    ) -> PyResult<Specialization> {
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
                let known = python_rt::entry::fingerprint_of(&value);
                let fingerprint = known.map_or_else(|| self.fingerprint(&value), Ok)?;
                Ok(Argument { fingerprint, value })
            })
            .collect::<PyResult<_>>()?;
        self.compile(&target, &arguments, true)
    }
}

/// Tells coverage.py of the lines that are compiled, if the settings ask for that.
fn tell_coverage(py: Python<'_>, front: &TypedUnit) -> PyResult<()> {
    if py.import("rumba.config")?.getattr(intern!(py, "JIT_COVERAGE"))?.is_truthy()? {
        py.import("rumba.tools.coverage_support")?.call_method1("tell", (front.lines(),))?;
    }
    Ok(())
}

impl Compiler for Backend {
    fn live_units(&self) -> usize {
        self.session().live_units()
    }

    fn announce<'py>(
        &self,
        target: &Target<'py>,
        request: CompileFor<'_, 'py>,
    ) -> PyResult<Option<Bound<'py, PyAny>>> {
        let py = target.function.py();
        let known = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        let listener = known.as_ref().map(|listener| listener.clone_ref(py));
        // It calls Python, which may register another one.
        drop(known);
        let Some(listener) = listener else { return Ok(None) };
        let args = match request {
            CompileFor::Arguments(arguments) => {
                arguments.iter().map(|argument| self.type_of(argument.fingerprint)).collect()
            }
            CompileFor::Signature(_) if object_mode::is_asked_for(&target.options)? => return Ok(None),
            CompileFor::Signature(signature) => self.read_signature(target, signature)?.0,
        };
        if self.existing(target, &args).is_some() {
            return Ok(None);
        }
        let types = args.into_iter().map(|ty| self.type_to_python(py, ty)).collect::<PyResult<Vec<_>>>()?;
        listener.into_bound(py).call1((&target.dispatcher, PyTuple::new(py, types)?)).map(Some)
    }

    fn set_listener(&self, listener: Option<Py<PyAny>>) {
        let mut known = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        let before = std::mem::replace(&mut *known, listener);
        drop(known);
        drop(before);
    }

    fn function_name(&self, value: &Bound<'_, PyAny>) -> Option<String> {
        known_name(&self.shared(), value)
    }

    fn reached<'py>(&self, dispatcher: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyTuple>>> {
        let py = dispatcher.py();
        let reached = self.handle_of(dispatcher).map(|handle| self.take_reached(handle)).unwrap_or_default();
        let shown = |params: Vec<Type>| {
            let types =
                params.into_iter().map(|ty| self.type_to_python(py, ty)).collect::<PyResult<Vec<_>>>()?;
            PyTuple::new(py, types)
        };
        reached.into_iter().map(shown).collect()
    }

    fn compile(
        &self,
        target: &Target<'_>,
        arguments: &[Argument<'_>],
        may_compile: bool,
    ) -> PyResult<Specialization> {
        rt::with_stack(|| self.compile_for(target, arguments, may_compile))
    }

    fn fingerprint_of_object(&self, units: &[Arc<dyn Unit>]) -> Option<Fingerprint> {
        let takes = |unit: Arc<CompiledUnit>| unit.compiled.signature.params.contains(&Type::PYOBJECT);
        let is_taken = units.iter().filter_map(CompiledUnit::of).any(takes);
        self.object_fingerprint().filter(|_| is_taken)
    }

    fn object_fingerprint(&self) -> Option<Fingerprint> {
        Some(self.number_of_type((Type::PYOBJECT, Box::default())))
    }

    fn with_containers_as_objects<'py>(&self, arguments: &[Argument<'py>]) -> Option<Vec<Argument<'py>>> {
        let types = &self.session().types;
        let is_container =
            |argument: &Argument<'_>| types.contents(self.type_of(argument.fingerprint)).is_some();
        if !arguments.iter().any(is_container) {
            return None;
        }
        let object = self.object_fingerprint()?;
        let given = arguments.iter().map(|argument| Argument {
            fingerprint: if is_container(argument) { object } else { argument.fingerprint },
            value: argument.value.clone(),
        });
        Some(given.collect())
    }

    fn fingerprint(&self, value: &Bound<'_, PyAny>) -> PyResult<Fingerprint> {
        let ty = match value_types::type_of(self, value) {
            // An extension that is not loaded yet may know its type.
            Err(_) if !self.extended.load(Relaxed) => {
                self.load_entry_points(value.py())?;
                value_types::type_of(self, value)?
            }
            found => found?,
        };
        Ok(self.number_of_type((ty, value_types::classes(value).into_boxed_slice())))
    }

    fn compile_signature(
        &self,
        target: &Target<'_>,
        signature: &Bound<'_, PyAny>,
    ) -> PyResult<Arc<dyn Unit>> {
        if object_mode::is_asked_for(&target.options)? {
            return object_unit(target, signature);
        }
        let (args, result) = self.read_signature(target, signature)?;
        if let Some(unit) = self.existing(target, &args) {
            return Ok(unit);
        }
        Ok(rt::with_stack(|| {
            self.compile_types(target, &args, result, WantedLiterals::default(), EntryKind::Python)
        })?)
    }

    fn compile_callback(&self, target: &Target<'_>, signature: &Bound<'_, PyAny>) -> PyResult<Arc<dyn Unit>> {
        let (args, result) = self.read_signature(target, signature)?;
        let unit = rt::with_stack(|| {
            let unit =
                self.compile_types(target, &args, result, WantedLiterals::default(), EntryKind::Callback)?;
            unit.callback(signature.py())?;
            PyResult::Ok(unit)
        })?;
        Ok(unit)
    }
}
