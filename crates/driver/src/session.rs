//! What compilations share: types, catalog, linker, Rumba's own library.

use crate::dumps::Dumps;
use crate::lazy_compile;
use crate::library::{Instance, Library};
use crate::lowered::Lowered;
use crate::object_cache::ObjectCache;
use catalog::Catalog;
use diag::Result;
use infer::Typed;
use jit::{Borrowed, Imports, Jit, LinkedUnit, Profile};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use types::{Handle, Type, TypeTable};

/// State shared by compilations. One per process is enough; several sessions are independent.
pub struct Session {
    /// All types.
    pub types: Arc<TypeTable>,
    pub(crate) catalog: Catalog,
    pub(crate) jit: Jit,
    pub(crate) units: AtomicU64,
    pub(crate) dumps: Dumps,
    pub(crate) library: Library,
    pub(crate) objects: Arc<ObjectCache>,
}

/// The complete catalog of the compiler.
fn catalog(python_minor: u8) -> Catalog {
    let mut catalog = builtins::catalog(python_minor);
    arrays::add(&mut catalog);
    containers::add(&mut catalog);
    strings::add(&mut catalog);
    catalog
}

/// What `RUMBA_PERF` (`map`, `jitdump`, `samples`, or several with commas between) or `NUMBA_ENABLE_PROFILING` (which asks for both) say.
fn profile_of_environment() -> Profile {
    let is_set = |name: &str| std::env::var(name).is_ok_and(|value| !matches!(value.trim(), "" | "0"));
    let all = is_set("NUMBA_ENABLE_PROFILING") || is_set("RUMBA_ENABLE_PROFILING");
    let named = std::env::var("RUMBA_PERF").unwrap_or_default();
    let has = |kind: &str| all || named.split(',').any(|part| part.trim() == kind);
    let samples = named.split(',').any(|part| part.trim() == "samples");
    Profile { map: has("map"), dump: has("jitdump"), samples }
}

impl Session {
    /// A session; dumps go where `dumps` says, exceptions carry the messages of this Python 3.
    ///
    /// `callbacks` are what compiled code calls besides the runtime: `rumba_ignored(rumba_context, status, site)` where
    /// an exception has nowhere to go, and `rumba_function_address(rumba_context, object)` where a C function has none.
    /// `borrowed` finds functions that belong to others.
    pub fn new(
        dumps: Dumps,
        python_minor: u8,
        callbacks: &[(&'static str, usize)],
        borrowed: Borrowed,
    ) -> Self {
        if dumps.remarks {
            llvm::initialize_with_remarks();
        }
        Session {
            types: Arc::default(),
            catalog: catalog(python_minor),
            jit: Jit::borrowing(
                &[
                    rt::symbols(),
                    parallel::symbols().to_vec(),
                    callbacks.to_vec(),
                    vec![lazy_compile::symbols()],
                ]
                .concat(),
                borrowed,
                profile_of_environment(),
            ),
            units: AtomicU64::new(0),
            dumps,
            library: Library::default(),
            objects: Arc::default(),
        }
    }

    /// Whether what passes make is verified.
    pub(crate) fn verifies(&self) -> bool {
        self.dumps.verify
    }

    /// The item type of an iterator type.
    pub fn item_of_iterator(&self, ty: Type) -> Option<Type> {
        Some(self.catalog.resolve(&self.types, &catalog::Key::Iternext, &[ty])?.result)
    }

    /// Checks the types of a group against the rules of its ops.
    pub(crate) fn verify_types(&self, typed: &[Typed]) -> Result<()> {
        let instance = |function: Handle, args: &[Type]| {
            let found = typed.iter().find(|known| known.handle == Some(function) && known.params == args)?;
            Some((found.params.clone(), found.result))
        };
        typed.iter().try_for_each(|function| {
            let context = lower::VerifyContext {
                types: &self.types,
                catalog: &self.catalog,
                params: &function.params,
                result: function.result,
                cells: &typed[0].cells,
                instance: &instance,
            };
            lower::verify(&function.func, context)
        })
    }

    /// The unit holds the instances of the library that it calls.
    pub(crate) fn link(
        &self,
        object: Vec<u8>,
        lowered: &Lowered,
        addresses: &[&[(String, usize)]],
    ) -> Result<Arc<LinkedUnit>> {
        link(&self.jit, object, &lowered.called, addresses)
    }
}

/// A unit's object in memory, with the instances of the library that it calls.
pub(crate) fn link(
    jit: &Jit,
    object: impl Into<Arc<[u8]>>,
    called: &[Arc<Instance>],
    addresses: &[&[(String, usize)]],
) -> Result<Arc<LinkedUnit>> {
    let units = called.iter().map(|instance| instance.link(jit)).collect::<Result<Vec<_>>>()?;
    let addresses: Vec<(&str, usize)> =
        addresses.iter().copied().flatten().map(|(name, address)| (name.as_str(), *address)).collect();
    jit.link(object, &Imports { units: &units, addresses: &addresses })
}
