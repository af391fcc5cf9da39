//! The session and the units linked into it.

use crate::elf::ObjectInfo;
use crate::gdb::DebugObject;
use crate::libc_symbols::libc_symbols;
use crate::orc::{Orc, Space, refused};
use crate::perf::{self, Profile};
use diag::Result;
use entity::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// Looks up an external function by name.
pub type Borrowed = Box<dyn Fn(&str) -> Option<usize> + Send + Sync>;

/// Links object files. Clones share one session, which ends with the last of them and of its units.
#[derive(Clone)]
pub struct Jit {
    session: Arc<Session>,
}

struct Session {
    runtime: HashMap<String, usize>,
    borrowed: Borrowed,
    profile: Profile,
    /// Started by the first unit: it takes most of a millisecond.
    orc: OnceLock<Result<Orc>>,
    /// Held while an object is placed or a space cleared, a tenth of a millisecond; all else of a
    /// compilation runs beside. One run of the test that recompiles under three callers did not end,
    /// with all of them inside machine code; this is where threads met inside ORC.
    placing: Mutex<()>,
    spaces: Mutex<Spaces>,
}

/// ORC keeps a name space for ever, so a freed one is used again.
#[derive(Default)]
struct Spaces {
    free: Vec<Space>,
    made: usize,
}

/// Symbols for an object file besides the runtime's.
#[derive(Clone, Default)]
pub struct Imports<'a> {
    /// Addresses by name.
    pub addresses: &'a [(&'a str, usize)],
    /// Units whose entries the object file may call; the new unit keeps them alive.
    pub units: &'a [Arc<LinkedUnit>],
}

/// Code in memory. Dropping the last `Arc` frees it, so callers must hold one.
pub struct LinkedUnit {
    session: Arc<Session>,
    space: Space,
    entries: HashMap<String, usize>,
    object: Arc<[u8]>,
    info: ObjectInfo,
    /// What debuggers know of it.
    debug: Option<DebugObject>,
    /// Held for their code, which this unit's code calls.
    callees: Vec<Arc<LinkedUnit>>,
}

impl Jit {
    /// Creates a linker for these runtime functions, which take precedence over [`libc_symbols`].
    pub fn new(runtime: &[(&str, usize)]) -> Jit {
        Jit::borrowing(runtime, Box::new(|_| None), Profile::default())
    }

    /// Creates a linker that looks up external functions before the runtime's own, and tells a profiler of code.
    pub fn borrowing(runtime: &[(&str, usize)], borrowed: Borrowed, profile: Profile) -> Jit {
        let names = libc_symbols().iter().chain(runtime).map(|&(name, address)| (name.to_owned(), address));
        let session = Session {
            runtime: names.collect(),
            borrowed,
            profile,
            orc: OnceLock::new(),
            placing: Mutex::default(),
            spaces: Mutex::default(),
        };
        Jit { session: Arc::new(session) }
    }

    /// Loads an object file into memory and resolves its undefined symbols.
    pub fn link(&self, object: impl Into<Arc<[u8]>>, imports: &Imports) -> Result<Arc<LinkedUnit>> {
        let object = object.into();
        let info = ObjectInfo::read(&object)?;
        let bound = self.bind(&info, imports)?;
        let orc = self.session.orc()?;
        let space = self.session.take_space(orc)?;
        let placing = self.session.placing.lock().unwrap_or_else(PoisonError::into_inner);
        let linked = orc
            .define(space, &bound)
            .and_then(|()| orc.add_object(space, &object))
            .and_then(|()| orc.look_up(space, &info.defined));
        drop(placing);
        match linked {
            Ok(addresses) => {
                let entries = info.defined.iter().cloned().zip(addresses).collect();
                let debug = match info.is_described {
                    true => Some(DebugObject::register(&object, &entries)?),
                    false => None,
                };
                perf::tell(self.session.profile, &object, &entries)?;
                let session = Arc::clone(&self.session);
                let callees = imports.units.to_vec();
                Ok(Arc::new(LinkedUnit { session, space, entries, object, info, debug, callees }))
            }
            Err(error) => {
                self.session.give_back(space);
                Err(error)
            }
        }
    }

    /// Resolves every undefined symbol of an object file.
    fn bind<'i>(&self, info: &'i ObjectInfo, imports: &Imports) -> Result<Vec<(&'i str, usize)>> {
        let mut bound = Vec::with_capacity(info.wanted.len());
        let mut missing = Vec::new();
        for name in &info.wanted {
            let given =
                imports.addresses.iter().find(|(given, _)| given == name).map(|&(_, address)| address);
            let address = given
                .or_else(|| imports.units.iter().find_map(|unit| unit.address(name)))
                .or_else(|| (self.session.borrowed)(name))
                .or_else(|| vmath::address(name))
                .or_else(|| self.session.runtime.get(name).copied());
            match address {
                Some(address) => bound.push((name.as_str(), address)),
                None => missing.push(format!("`{name}`")),
            }
        }
        if missing.is_empty() {
            Ok(bound)
        } else {
            Err(refused(format!("nothing is called {}", missing.join(", "))))
        }
    }

    /// What a profiler is told.
    pub fn profile(&self) -> Profile {
        self.session.profile
    }

    /// The number of units in memory.
    pub fn live_units(&self) -> usize {
        let spaces = self.session.spaces.lock().unwrap_or_else(PoisonError::into_inner);
        spaces.made - spaces.free.len()
    }
}

impl Session {
    fn orc(&self) -> Result<&Orc> {
        self.orc.get_or_init(Orc::start).as_ref().map_err(Clone::clone)
    }

    fn take_space(&self, orc: &Orc) -> Result<Space> {
        let number = {
            let mut spaces = self.spaces.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(space) = spaces.free.pop() {
                return Ok(space);
            }
            spaces.made += 1;
            spaces.made
        };
        orc.create_space(&format!("unit{number}"))
    }

    /// Frees a space's code. A space that ORC cannot clear is left alone: its memory is lost, its
    /// names do no harm.
    fn give_back(&self, space: Space) {
        let Ok(orc) = self.orc() else { return };
        let placing = self.placing.lock().unwrap_or_else(PoisonError::into_inner);
        let cleared = orc.clear(space).is_ok();
        drop(placing);
        if cleared {
            self.spaces.lock().unwrap_or_else(PoisonError::into_inner).free.push(space);
        }
    }
}

impl LinkedUnit {
    /// The address of an entry.
    pub fn address(&self, symbol: &str) -> Option<usize> {
        self.entries.get(symbol).copied()
    }

    /// All entries with their addresses.
    pub fn entries(&self) -> impl Iterator<Item = (&str, usize)> {
        self.entries.iter().map(|(name, &address)| (name.as_str(), address))
    }

    /// The bytes of the object file.
    pub fn object(&self) -> &Arc<[u8]> {
        &self.object
    }

    /// Names and sizes of the object.
    pub fn info(&self) -> &ObjectInfo {
        &self.info
    }

    /// Bytes of machine code.
    pub fn code_size(&self) -> usize {
        self.info.code_size
    }

    /// The units that this one keeps alive.
    pub fn callees(&self) -> &[Arc<LinkedUnit>] {
        &self.callees
    }
}

impl Drop for LinkedUnit {
    fn drop(&mut self) {
        drop(self.debug.take());
        self.session.give_back(self.space);
    }
}

impl fmt::Debug for LinkedUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LinkedUnit").field("info", &self.info).finish_non_exhaustive()
    }
}

impl fmt::Debug for Jit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Jit").field("live_units", &self.live_units()).finish_non_exhaustive()
    }
}
