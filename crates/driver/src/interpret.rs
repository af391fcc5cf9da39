//! Runs the Explicit phase of a compiled function in the reference interpreter.

use crate::compiled::Compiled;
use abi::Runtime;
use diag::Result;
use interp::{Externals, Library, Machine, Outcome, State, Word};
use ir::{External, Function};
use std::cell::Cell;
use types::TypeTable;

/// Runs `compiled` on machine words, one per word of its parameters. Compiled functions that it calls
/// are interpreted too, those of the C library and the runtime are called.
pub fn interpret(compiled: &Compiled, types: &TypeTable, words: &[u64]) -> Result<Interpreted> {
    let mut library = Library::new([]);
    for member in &compiled.lowered.members {
        library.insert(&member.symbol, member.func.clone());
    }
    for instance in &compiled.lowered.called {
        for member in instance.members(types)?.iter() {
            library.insert(&member.symbol, member.func.clone());
        }
    }
    let root = &compiled.lowered.members[0].func;
    let args: Vec<Word> = words
        .iter()
        .zip(parameter_types(root))
        .map(|(&bits, native)| Word::from_bits(native, bits))
        .collect();
    let runtime = Host { library, payload: Cell::new(None), stack_word: Cell::new(None) };
    let mut machine = Machine::new(&runtime);
    let outcome = machine.run(root, &args)?;
    let mut payload = Vec::new();
    if let (Outcome::Failed(site), Some(address)) = (&outcome, runtime.payload.get())
        && site.payload
    {
        for index in 0..rt::PAYLOAD_WORDS as u64 {
            // Words after the last argument were never written: there the payload ends.
            match machine.state.memory.load(ir::Native::I64, address + 8 * index) {
                Ok(word) => payload.push(word.bits()),
                Err(_) => break,
            }
        }
    }
    Ok(Interpreted { outcome, payload })
}

/// What an interpreted call gave.
pub struct Interpreted {
    /// It returned or failed.
    pub outcome: Outcome,
    /// If it failed: the words of the exception's arguments.
    pub payload: Vec<u64>,
}

/// Machine types of the parameters, from the `arg` ops of the entry block.
fn parameter_types(func: &Function) -> Vec<ir::Native> {
    let insts = func.blocks[func.entry].insts.iter().map(|&inst| &func.insts[inst]);
    insts.filter(|data| data.op == ir::Op::Arg).map(|data| func.native(data.results[0])).collect()
}

struct Host {
    library: Library,
    /// Address of the payload, once asked for.
    payload: Cell<Option<u64>>,
    /// Address of a word where the stack has no limit, once asked for.
    stack_word: Cell<Option<u64>>,
}

/// New memory that holds a null pointer.
fn zeroed(state: &mut State, size: u64) -> Result<u64> {
    let made = state.memory.allocate(size).and_then(|address| {
        state.memory.store(address, Word::Ptr(0))?;
        Ok(address)
    });
    made.map_err(|fault| diag::Diagnostic::internal("the interpreter", fault))
}

impl Externals for Host {
    fn function(&self, symbol: &str) -> Option<&Function> {
        self.library.function(symbol)
    }

    fn call(&self, external: &External, args: &[Word], state: &mut State) -> Result<Option<Vec<Word>>> {
        if external.name == Runtime::StackLimit.symbol() {
            // The interpreter limits the depth of calls by itself.
            return Ok(Some(vec![Word::Ptr(0)]));
        }
        if external.name == Runtime::StackWord.symbol() {
            let address = match self.stack_word.get() {
                Some(address) => address,
                None => zeroed(state, 8)?,
            };
            self.stack_word.set(Some(address));
            return Ok(Some(vec![Word::Ptr(address)]));
        }
        if external.name == Runtime::Payload.symbol() {
            let address = match self.payload.get() {
                Some(address) => address,
                None => {
                    let size = 8 * rt::PAYLOAD_WORDS as u64;
                    let room = state.memory.allocate(size);
                    room.map_err(|fault| diag::Diagnostic::internal("the interpreter", fault))?
                }
            };
            self.payload.set(Some(address));
            return Ok(Some(vec![Word::Ptr(address)]));
        }
        if let Some(results) = crate::caught::call(&external.name, args, self.payload.get(), state)? {
            return Ok(Some(results));
        }
        if let (Some(call), [Word::Ptr(address), count]) = (rt::float_slice_function(&external.name), args) {
            let mut values = Vec::new();
            for index in 0..count.bits() {
                let word = state.memory.load(ir::Native::F64, address + 8 * index);
                let word = word.map_err(|fault| diag::Diagnostic::internal("the interpreter", fault))?;
                values.push(f64::from_bits(word.bits()));
            }
            return Ok(Some(typed(external, call(&values))));
        }
        match rt::word_function(&external.name) {
            Some(call) => {
                let words: Vec<u64> = args.iter().map(|word| word.bits()).collect();
                Ok(Some(typed(external, call(&words))))
            }
            None => self.library.call(external, args, state),
        }
    }
}

/// Words as the results that a function is declared with.
fn typed(external: &External, words: [u64; 2]) -> Vec<Word> {
    external.results.iter().zip(words).map(|(&native, word)| Word::from_bits(native, word)).collect()
}
