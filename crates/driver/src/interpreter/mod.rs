//! Runs the Explicit phase of a compiled function in the reference interpreter, on the memory of the process.
//!
//! | file | contents |
//! |---|---|
//! | `bridges` | machine code through which interpreted code calls the runtime |
//! | `process` | memory of the process, as the interpreter sees it |
//!
//! Absent: how arguments are unboxed and results boxed (`python`), as in a call of machine code.

mod bridges;
mod process;

use crate::compiled::Compiled;
use crate::session::Session;
use bridges::Bridges;
use diag::{Diagnostic, Result};
use interp::{Library, Limits, Machine, Outcome, Word};
use ir::Native;
use process::Process;

/// The functions of a compilation as the interpreter takes them.
pub struct Interpreter {
    library: Library,
    root: String,
    params: Vec<Native>,
    bridges: Bridges,
}

impl Session {
    /// The interpreter of a compiled function, made the first time. Compiled functions that it calls are interpreted too, those of
    /// the C library and the runtime are called.
    pub fn interpreter<'c>(&self, compiled: &'c Compiled) -> Result<&'c Interpreter> {
        let made = compiled.interpreter.get_or_init(|| self.make_interpreter(compiled));
        made.as_ref().map_err(Clone::clone)
    }

    fn make_interpreter(&self, compiled: &Compiled) -> Result<Interpreter> {
        let lowered = &compiled.lowered;
        let mut library = Library::default();
        let mut open = lowered.called.clone();
        while let Some(instance) = open.pop() {
            for member in instance.members(&self.types)?.iter() {
                library.insert(&member.symbol, member.func.clone());
            }
            open.extend_from_slice(instance.called());
        }
        for member in &lowered.members {
            library.insert(&member.symbol, member.func.clone());
        }
        let root = lowered.members[0].symbol.to_string();
        let missing = || Diagnostic::internal("the interpreter", "a unit without a function");
        let params = llvm::parameter_types(library.function(&root).ok_or_else(missing)?)?;
        let bridges = Bridges::compile(self, compiled, &library, &root)?;
        Ok(Interpreter { library, root, params, bridges })
    }
}

impl Interpreter {
    /// Calls the function as its entry for Python would ([`abi::Thunk`]): the status that it gives.
    ///
    /// # Safety
    /// As for the entry: `words` are those of the arguments, `results` has room for those of the result.
    pub unsafe fn run(&self, words: *const u64, results: *mut u64) -> Result<usize> {
        let missing = || Diagnostic::internal("the interpreter", "a unit without a function");
        let root = self.library.function(&self.root).ok_or_else(missing)?;
        let args = self.params.iter().enumerate().map(|(index, &native)| {
            // SAFETY: the caller passes a word for each parameter.
            Word::from_bits(native, unsafe { *words.add(index) })
        });
        let args: Vec<Word> = args.collect();
        let mut machine = Machine::over(Process::new(&self.bridges), &self.library, Limits::default());
        match machine.run(root, &args)? {
            Outcome::Failed(status) => Ok(status.bits() as usize),
            Outcome::Returned(values) => {
                for (index, value) in values.iter().enumerate() {
                    // SAFETY: the caller has room for the words of the result.
                    unsafe { *results.add(index) = value.bits() };
                }
                Ok(0)
            }
        }
    }
}
