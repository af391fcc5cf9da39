//! The stages of a compilation that can be printed.

/// A stage that people look at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs, reason = "see title")]
pub enum Stage {
    Bytecode,
    Cfg,
    Ir,
    Ssa,
    TypeGraph,
    Typed,
    Explicit,
    Llvm,
    Optimized,
    Assembly,
}

impl Stage {
    /// Every stage, in order.
    pub const ALL: &[Stage] = &[
        Stage::Bytecode,
        Stage::Cfg,
        Stage::Ir,
        Stage::Ssa,
        Stage::TypeGraph,
        Stage::Typed,
        Stage::Explicit,
        Stage::Llvm,
        Stage::Optimized,
        Stage::Assembly,
    ];

    /// What it is called in headings.
    pub fn title(self) -> &'static str {
        match self {
            Stage::Bytecode => "BYTECODE",
            Stage::Cfg => "CONTROL FLOW",
            Stage::Ir => "IR DUMP",
            Stage::Ssa => "UNTYPED SSA",
            Stage::TypeGraph => "TYPE DEPENDENCE GRAPH",
            Stage::Typed => "TYPED SSA",
            Stage::Explicit => "EXPLICIT",
            Stage::Llvm => "LLVM",
            Stage::Optimized => "OPTIMIZED LLVM",
            Stage::Assembly => "ASSEMBLY",
        }
    }

    /// Its name after `RUMBA_DUMP_`.
    pub fn variable(self) -> &'static str {
        match self {
            Stage::Bytecode => "BYTECODE",
            Stage::Cfg => "CFG",
            Stage::Ir => "IR",
            Stage::Ssa => "SSA",
            Stage::TypeGraph => "TYPEGRAPH",
            Stage::Typed => "TYPED",
            Stage::Explicit => "EXPLICIT",
            Stage::Llvm => "LLVM",
            Stage::Optimized => "OPTIMIZED",
            Stage::Assembly => "ASSEMBLY",
        }
    }
}
