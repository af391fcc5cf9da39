//! Functions in the Explicit phase, and the unit that they form.
//!
//! Absent: how a group is lowered (`compilation_unit`).

use crate::library::Instance;
use catalog::Callee;
use diag::Span;
use ir::Function;
use std::sync::Arc;

/// A function in its Explicit phase.
#[derive(Clone, Debug)]
pub struct LoweredFunction {
    /// The function.
    pub func: Function,
    /// Its symbol.
    pub symbol: Arc<str>,
}

/// The functions of a unit.
pub struct Lowered {
    /// What Python enters comes first.
    pub members: Vec<LoweredFunction>,
    /// Symbol of the entry for Python.
    pub thunk: String,
    /// Texts of LLVM IR with further functions that these call.
    pub texts: Vec<Arc<str>>,
    /// Instances of the library that these call, in units of their own.
    pub called: Vec<Arc<Instance>>,
    /// How the first one is called by its symbol.
    pub(crate) callee: Callee,
    /// Whether some function calls a function value: a recursion may lead through what it calls.
    pub(crate) calls_values: bool,
    /// What became of loops, if the function is compiled for several threads.
    pub parallel: Option<Vec<ParallelLoop>>,
    /// Operations on arrays whose results others use, of such a function.
    pub fusions: Vec<infer::Fusion>,
}

/// A loop that runs on several threads, or could have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ParallelLoop {
    /// The function's name.
    pub function: String,
    /// Its file.
    pub file: String,
    /// Where the loop stands.
    pub span: Span,
    /// Whether it is one over `prange`; otherwise it goes through items of arrays.
    pub is_prange: bool,
    /// Why it stays serial, if it does.
    pub reason: Option<String>,
    /// Lines where its iterations write over what others write.
    pub races: Vec<u32>,
}

impl Lowered {
    /// The same unit with other functions, and another entry for Python.
    pub(crate) fn with_members(&self, members: Vec<LoweredFunction>, thunk: String) -> Lowered {
        Lowered {
            members,
            thunk,
            texts: self.texts.clone(),
            called: self.called.clone(),
            callee: self.callee.clone(),
            calls_values: self.calls_values,
            parallel: self.parallel.clone(),
            fusions: self.fusions.clone(),
        }
    }

    /// The functions as LLVM takes them.
    pub(crate) fn unit(&self) -> llvm::Unit<'_> {
        let functions = self.members.iter().enumerate().map(|(number, member)| llvm::UnitFunction {
            func: &member.func,
            symbol: member.symbol.to_string(),
            exported: false,
            thunk: (number == 0).then(|| self.thunk.clone()),
        });
        let texts = self.texts.iter().map(|text| &**text).collect();
        llvm::Unit { name: &self.members[0].symbol, functions: functions.collect(), texts }
    }
}

/// Functions as LLVM takes them, the first ones for whoever links the unit.
pub(crate) fn unit_of<'a>(
    functions: &'a [LoweredFunction],
    exported: usize,
    texts: &'a [Arc<str>],
) -> llvm::Unit<'a> {
    let members = functions.iter().enumerate().map(|(number, function)| llvm::UnitFunction {
        exported: number < exported,
        ..llvm::UnitFunction::native(&function.func, &function.symbol)
    });
    let texts = texts.iter().map(|text| &**text).collect();
    llvm::Unit { name: &functions[0].symbol, functions: members.collect(), texts }
}
