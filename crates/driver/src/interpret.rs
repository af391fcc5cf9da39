//! Runs the Explicit phase of a compiled function in the reference interpreter.

use crate::Compiled;
use diag::Result;
use interp::{Externals, Library, Outcome, State, Word};
use ir::{External, Function};

/// Runs `compiled` on machine words, one per word of its parameters. Compiled functions that it calls
/// are interpreted too, those of the C library and the runtime are called.
pub fn interpret(compiled: &Compiled, words: &[u64]) -> Result<Outcome> {
    let mut library = Library::new([]);
    for member in &compiled.lowered.members {
        library.insert(&member.symbol, member.func.clone());
    }
    let root = &compiled.lowered.members[0].func;
    let args: Vec<Word> = words
        .iter()
        .zip(parameter_types(root))
        .map(|(&bits, native)| Word::from_bits(native, bits))
        .collect();
    interp::run(root, &args, &Runtime { library })
}

/// Machine types of the parameters, from the `arg` ops of the entry block.
fn parameter_types(func: &Function) -> Vec<ir::Native> {
    let insts = func.blocks[func.entry].insts.iter().map(|&inst| &func.insts[inst]);
    insts.filter(|data| data.op == ir::Op::Arg).map(|data| func.native(data.results[0])).collect()
}

struct Runtime {
    library: Library,
}

impl Externals for Runtime {
    fn function(&self, symbol: &str) -> Option<&Function> {
        self.library.function(symbol)
    }

    fn call(&self, external: &External, args: &[Word], state: &mut State) -> Result<Option<Vec<Word>>> {
        if external.name == "rumba_stack_limit" {
            // The interpreter limits the depth of calls by itself.
            return Ok(Some(vec![Word::Ptr(0)]));
        }
        match (rt::divide_function(&external.name), args) {
            (Some(divide), [a, b]) => Ok(Some(vec![Word::F64(divide(a.bits(), b.bits()))])),
            _ => self.library.call(external, args, state),
        }
    }
}
