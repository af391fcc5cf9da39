//! An instance loaded into this process: cloned into units, or linked once and called.

use super::SYMBOL;
use crate::lowered::LoweredFunction;
use crate::session;
use cache::{Entry, Level};
use catalog::{ExtensionQuery, NativeCode};
use diag::{Diagnostic, Result, codes};
use jit::{Jit, LinkedUnit};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use types::{Type, TypeTable};

/// Instructions of an instance that is cloned into every unit that calls it.
pub(crate) const SMALL: usize = 80;

/// A library function compiled for types of arguments.
pub struct Instance {
    pub(super) entry: Entry,
    symbol: Arc<str>,
    result: Type,
    members: OnceLock<Result<Arc<[LoweredFunction]>>>,
    called: Vec<Arc<Instance>>,
    linked: Mutex<Weak<LinkedUnit>>,
}

impl Instance {
    /// The instance of an entry, with those that it calls; none if this build does not know the type of its result.
    pub(super) fn new(entry: Entry, called: Vec<Arc<Instance>>, types: &TypeTable) -> Option<Instance> {
        let result = types.parse(&entry.result)?;
        let symbol = format!("{SYMBOL}{}", entry.key).into();
        let (members, linked) = (OnceLock::new(), Mutex::new(Weak::new()));
        Some(Instance { entry, symbol, result, members, called, linked })
    }

    /// A call of the instance.
    pub(super) fn call(&self, types: &TypeTable, query: &ExtensionQuery) -> NativeCode {
        NativeCode {
            symbol: self.symbol.clone(),
            params: query.args.iter().map(|&ty| types.unliteral(ty)).collect(),
            result: self.result,
            text: None,
            can_fail: self.entry.can_fail,
            order: (0..query.args.len()).collect(),
        }
    }

    /// Its functions in their Explicit phase; the one to call comes first.
    pub(crate) fn members(&self, types: &TypeTable) -> Result<Arc<[LoweredFunction]>> {
        let read = || {
            let members = self.entry.members.iter().map(|member| {
                let func = ir::parse(&member.text, types)?;
                Ok(LoweredFunction { func, symbol: member.symbol.as_str().into() })
            });
            members.collect::<Result<Arc<[LoweredFunction]>>>()
        };
        self.members.get_or_init(read).clone()
    }

    /// Other instances that it calls.
    pub(crate) fn called(&self) -> &[Arc<Instance>] {
        &self.called
    }

    /// Its key.
    pub(super) fn key(&self) -> &str {
        &self.entry.key
    }

    /// Whether it goes into the units that call it: because it is small, or because there is no machine code
    /// for this processor.
    pub(crate) fn is_cloned(&self) -> bool {
        self.object().is_none()
    }

    fn object(&self) -> Option<&[u8]> {
        let exact = self.entry.object(&Level::Exactly(llvm::host_name()));
        exact.or_else(|| levels_of_host().iter().find_map(|&level| self.entry.object(&Level::X86(level))))
    }

    /// Its machine code. Who calls it holds the unit.
    pub(crate) fn link(&self, jit: &Jit) -> Result<Arc<LinkedUnit>> {
        let mut linked = self.linked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(unit) = linked.upgrade() {
            return Ok(unit);
        }
        let object = self.object().ok_or_else(|| {
            Diagnostic::new(codes::CODE_GENERATION, format!("`{}` has no machine code", self.symbol))
        })?;
        let unit = session::link(jit, object, &self.called, &[])?;
        *linked = Arc::downgrade(&unit);
        Ok(unit)
    }
}

/// Whether this processor runs what is made for a level of x86-64, by its name.
#[cfg(target_arch = "x86_64")]
pub(crate) fn runs_baseline(name: &str) -> bool {
    match name {
        "x86-64" => true,
        "x86-64-v2" => is_x86_feature_detected!("sse4.2") && is_x86_feature_detected!("popcnt"),
        "x86-64-v3" => levels_of_host().contains(&3),
        "x86-64-v4" => levels_of_host().contains(&4),
        _ => false,
    }
}

#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn runs_baseline(_: &str) -> bool {
    false
}

/// The levels of x86-64 that object files of the image are for and this processor has, best first.
#[cfg(target_arch = "x86_64")]
fn levels_of_host() -> &'static [u8] {
    let third = ["avx2", "bmi1", "bmi2", "f16c", "fma", "lzcnt", "movbe"];
    let fourth = ["avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"];
    let has = |name: &&str| match *name {
        "avx2" => is_x86_feature_detected!("avx2"),
        "bmi1" => is_x86_feature_detected!("bmi1"),
        "bmi2" => is_x86_feature_detected!("bmi2"),
        "f16c" => is_x86_feature_detected!("f16c"),
        "fma" => is_x86_feature_detected!("fma"),
        "lzcnt" => is_x86_feature_detected!("lzcnt"),
        "movbe" => is_x86_feature_detected!("movbe"),
        "avx512f" => is_x86_feature_detected!("avx512f"),
        "avx512bw" => is_x86_feature_detected!("avx512bw"),
        "avx512cd" => is_x86_feature_detected!("avx512cd"),
        "avx512dq" => is_x86_feature_detected!("avx512dq"),
        "avx512vl" => is_x86_feature_detected!("avx512vl"),
        _ => false,
    };
    match (third.iter().all(has), fourth.iter().all(has)) {
        (true, true) => &[4, 3],
        (true, false) => &[3],
        _ => &[],
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn levels_of_host() -> &'static [u8] {
    &[]
}
