//! Input and output of a compilation.

use entity::HashSet;
use std::time::Duration;

/// Functions that are compiled together into one object file.
#[derive(Clone, Debug)]
pub struct Unit<'a> {
    /// Name of the module, for display.
    pub name: &'a str,
    /// The functions; one finds another by its symbol.
    pub functions: Vec<UnitFunction<'a>>,
    /// LLVM IR texts with additional functions that these call.
    pub texts: Vec<&'a str>,
}

impl Unit<'_> {
    /// Symbols that functions of the unit call.
    pub(crate) fn called_symbols(&self) -> HashSet<&str> {
        let externals = self.functions.iter().flat_map(|member| member.func.externals.iter());
        externals.map(|(_, external)| external.name.as_str()).collect()
    }
}

/// A function of a unit and its callers.
#[derive(Clone, Debug)]
pub struct UnitFunction<'a> {
    /// The function, in its Explicit phase.
    pub func: &'a ir::Function,
    /// Symbol of the native entry, by which other compiled functions call it.
    pub symbol: String,
    /// Whether code outside the unit may call the native entry.
    pub exported: bool,
    /// Symbol of the packed-words thunk, if Python enters the function.
    pub thunk: Option<String>,
}

impl<'a> UnitFunction<'a> {
    /// A function that is only called by Python and within the unit.
    pub fn python(func: &'a ir::Function, symbol: &str, thunk: &str) -> Self {
        UnitFunction { func, symbol: symbol.into(), exported: false, thunk: Some(thunk.into()) }
    }

    /// A function that other compiled code calls, but not Python.
    pub fn native(func: &'a ir::Function, symbol: &str) -> Self {
        UnitFunction { func, symbol: symbol.into(), exported: true, thunk: None }
    }
}

/// Fast-math flags, with LLVM's bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FastMath(pub u32);

impl FastMath {
    /// Strict IEEE 754.
    pub const NONE: FastMath = FastMath(0);
    /// Sums and products may be regrouped.
    pub const REASSOCIATE: FastMath = FastMath(1);
    /// No operand or result is NaN.
    pub const NO_NANS: FastMath = FastMath(2);
    /// No operand or result is infinite.
    pub const NO_INFINITIES: FastMath = FastMath(4);
    /// The sign of zero does not matter.
    pub const NO_SIGNED_ZEROS: FastMath = FastMath(8);
    /// A division may become a multiplication by the reciprocal.
    pub const RECIPROCAL: FastMath = FastMath(16);
    /// A product and a sum may be fused.
    pub const CONTRACT: FastMath = FastMath(32);
    /// Functions may be approximated.
    pub const APPROXIMATE: FastMath = FastMath(64);
    /// All flags.
    pub const ALL: FastMath = FastMath(127);

    /// What is in both sets.
    pub fn intersection(self, other: FastMath) -> FastMath {
        FastMath(self.0 & other.0)
    }

    /// The union of both sets.
    pub fn union(self, other: FastMath) -> FastMath {
        FastMath(self.0 | other.0)
    }
}

/// Which processor the code is for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Cpu {
    /// The host processor, with all its features.
    #[default]
    Host,
    /// A processor and feature list by LLVM's names, such as `x86-64-v3` and `+avx2`.
    Named(String, String),
}

/// The requested texts; each costs time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TextRequest {
    /// LLVM IR before optimization.
    pub llvm: bool,
    /// LLVM IR after optimization.
    pub optimized: bool,
    /// Assembly.
    pub assembly: bool,
}

impl TextRequest {
    /// Whether any is requested.
    pub fn any(self) -> bool {
        self.llvm || self.optimized || self.assembly
    }
}

/// How to compile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// 0: none. 1: cheap. 2: by the content of the unit. 3: all of LLVM's passes.
    pub opt_level: u8,
    /// Fast-math flags.
    pub fastmath: FastMath,
    /// The processor.
    pub cpu: Cpu,
    /// Whether LLVM's verifier checks the module first.
    pub verify: bool,
    /// Whether the object says its places in the source by symbols ([`function_sources`](crate::function_sources)).
    pub relocatable: bool,
    /// Whether instructions have source locations, which become DWARF in the object file.
    pub lines: bool,
    /// Which texts are wanted.
    pub texts: TextRequest,
}

/// By content, strict floats, for this processor, verified in debug builds.
impl Default for Options {
    fn default() -> Self {
        Options {
            opt_level: 2,
            fastmath: FastMath::NONE,
            cpu: Cpu::Host,
            verify: cfg!(debug_assertions),
            relocatable: false,
            lines: false,
            texts: TextRequest::default(),
        }
    }
}

/// The requested texts.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Texts {
    /// LLVM IR before optimization.
    pub llvm: Option<String>,
    /// LLVM IR after optimization.
    pub optimized: Option<String>,
    /// Assembly.
    pub assembly: Option<String>,
    /// The remarks of LLVM's passes, if enabled by [`initialize_with_remarks`](crate::initialize_with_remarks).
    pub remarks: Vec<String>,
}

/// Machine code of a unit, not linked.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// A relocatable ELF object.
    pub object: Vec<u8>,
    /// Symbols that can be looked up once it is linked: exported entries and thunks.
    pub symbols: Vec<String>,
    /// The time of each step, in order.
    pub timings: Vec<(&'static str, Duration)>,
    /// The requested texts.
    pub texts: Texts,
}
