//! Input and output of a compilation.

use entity::HashSet;
use std::time::Duration;

/// Functions that are compiled together into one object.
#[derive(Clone, Debug)]
pub struct Unit<'a> {
    /// Name of the module, for people.
    pub name: &'a str,
    /// The functions; one finds another by its symbol.
    pub functions: Vec<UnitFunction<'a>>,
    /// Texts of LLVM's IR with further functions that these call.
    pub texts: Vec<&'a str>,
}

impl Unit<'_> {
    /// Symbols that functions of the unit call.
    pub(crate) fn called_symbols(&self) -> HashSet<&str> {
        let externals = self.functions.iter().flat_map(|member| member.func.externals.iter());
        externals.map(|(_, external)| external.name.as_str()).collect()
    }
}

/// A function of a unit and who enters it.
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
    /// A function that only Python and the unit itself enter.
    pub fn python(func: &'a ir::Function, symbol: &str, thunk: &str) -> Self {
        UnitFunction { func, symbol: symbol.into(), exported: false, thunk: Some(thunk.into()) }
    }

    /// A function that other compiled code enters, not Python.
    pub fn native(func: &'a ir::Function, symbol: &str) -> Self {
        UnitFunction { func, symbol: symbol.into(), exported: true, thunk: None }
    }
}

/// Liberties that floating-point arithmetic may take; bits as LLVM numbers them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct FastMath(pub u32);

impl FastMath {
    /// IEEE 754 to the letter.
    pub const NONE: FastMath = FastMath(0);
    /// Sums and products may be regrouped.
    pub const REASSOCIATE: FastMath = FastMath(1);
    /// No operand or result is NaN.
    pub const NO_NANS: FastMath = FastMath(2);
    /// No operand or result is infinite.
    pub const NO_INFINITIES: FastMath = FastMath(4);
    /// The sign of zero does not matter.
    pub const NO_SIGNED_ZEROS: FastMath = FastMath(8);
    /// A quotient may become a product with the reciprocal.
    pub const RECIPROCAL: FastMath = FastMath(16);
    /// Product and sum may be rounded once.
    pub const CONTRACT: FastMath = FastMath(32);
    /// Functions may be approximated.
    pub const APPROXIMATE: FastMath = FastMath(64);
    /// All liberties.
    pub const ALL: FastMath = FastMath(127);

    /// The liberties of both.
    pub fn union(self, other: FastMath) -> FastMath {
        FastMath(self.0 | other.0)
    }
}

/// Which processor the code is for.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum Cpu {
    /// The one this runs on, with all its features.
    #[default]
    Host,
    /// A processor and feature list as LLVM names them, as `x86-64-v3` and `+avx2`.
    Named(String, String),
}

/// Which texts are wanted; each costs time.
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
    /// Whether any is wanted.
    pub fn any(self) -> bool {
        self.llvm || self.optimized || self.assembly
    }
}

/// How to compile.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// 0: as written. 1: cheap. 2: by the content of the unit. 3: everything LLVM has.
    pub opt_level: u8,
    /// Liberties of floating-point arithmetic.
    pub fastmath: FastMath,
    /// The processor.
    pub cpu: Cpu,
    /// Whether LLVM's verifier reads the module before anything else.
    pub verify: bool,
    /// Whether the object says its places in the source by symbols ([`function_sources`](crate::function_sources)).
    pub relocatable: bool,
    /// Whether instructions have places in the source, which become DWARF in the object.
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

/// The texts that were asked for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Texts {
    /// LLVM IR before optimization.
    pub llvm: Option<String>,
    /// LLVM IR after optimization.
    pub optimized: Option<String>,
    /// Assembly.
    pub assembly: Option<String>,
    /// What LLVM's passes remark of the code, if [`initialize_with_remarks`](crate::initialize_with_remarks) asked them to.
    pub remarks: Vec<String>,
}

/// Machine code of a unit, not linked.
#[derive(Clone, Debug)]
pub struct Compiled {
    /// A relocatable ELF object.
    pub object: Vec<u8>,
    /// Symbols that can be looked up once it is linked: exported entries and thunks.
    pub symbols: Vec<String>,
    /// What each step took, in order.
    pub timings: Vec<(&'static str, Duration)>,
    /// The texts that were asked for.
    pub texts: Texts,
}
