//! Calls: of interpreted functions, of functions of the host, and the chunks of parallel loops.

use crate::ints::Fault;
use crate::library::{call_results, check_results};
use crate::machine::{Machine, Next};
use crate::{AddressSpace, Word};
use abi::Runtime;
use ir::{Attr, External, Function, InstData};

/// Chunks that a parallel loop is cut into, if it has as many iterations.
const CHUNKS: u64 = 3;

impl<'a, S: AddressSpace> Machine<'a, S> {
    pub(crate) fn call(&mut self, func: &Function, data: &InstData) -> std::result::Result<Next<'a>, Fault> {
        let Attr::External(id) = data.attrs[0] else { return Err("names no function".into()) };
        let args = self.read_all(&data.args)?;
        self.call_known(func.externals.get(id), data, args)
    }

    pub(crate) fn call_indirect(
        &mut self,
        func: &Function,
        data: &InstData,
    ) -> std::result::Result<Next<'a>, Fault> {
        let Attr::External(id) = data.attrs[0] else { return Err("tells no signature".into()) };
        let address = self.read(data.args[0])?;
        let args = self.read_all(&data.args[1..])?;
        let declared = func.externals.get(id);
        let Some(name) = self.space.function_at(address) else {
            let results = self.space.call_at(address, declared, &args)?;
            return self.called(declared, data, results);
        };
        let external = External { name: name.to_owned(), ..declared.clone() };
        self.call_known(&external, data, args)
    }

    /// Runs a chunk of a parallel loop; the instruction runs again until none is left.
    fn next_chunk(&mut self, data: &InstData, args: &[Word]) -> std::result::Result<Next<'a>, Fault> {
        let &[body, context, Word::I64(iterations), Word::I64(chunks)] = args else {
            return Err("a parallel loop takes a body, a context and two numbers".into());
        };
        let chunk = self.frame().chunk;
        if chunk >= chunks {
            self.frame().chunk = 0;
            self.define(&data.results, [Some(Word::I64(0))]);
            return Ok(Next::Continue);
        }
        let name = self.space.function_at(body).ok_or("the body is no function that is interpreted")?;
        let callee = self.library.function(name).ok_or_else(|| format!("nothing is known of `{name}`"))?;
        self.frame().chunk += 1;
        let bounds = [chunk, chunk + 1].map(|at| Word::I64(at * iterations / chunks));
        Ok(Next::Enter(self.enter(callee, vec![context, Word::I64(chunk), bounds[0], bounds[1]])?))
    }

    fn call_known(
        &mut self,
        external: &External,
        data: &InstData,
        args: Vec<Word>,
    ) -> std::result::Result<Next<'a>, Fault> {
        match Runtime::from_symbol(&external.name) {
            Some(Runtime::ParallelChunks) => {
                let chunks = args[0].bits().min(CHUNKS);
                return self.called(external, data, vec![Word::I64(chunks as i64)]);
            }
            Some(Runtime::ParallelFor) => return self.next_chunk(data, &args),
            // The depth of calls is limited by the machine itself.
            Some(Runtime::StackLimit) => return self.called(external, data, vec![Word::Ptr(0)]),
            Some(Runtime::StackWord) => {
                let word = self.stack_word()?;
                return self.called(external, data, vec![word]);
            }
            _ => {}
        }
        let Some(callee) = self.library.function(&external.name) else {
            let results = self.space.call(external, &args)?;
            return self.called(external, data, results);
        };
        if external.results != call_results(callee) {
            return Err(format!("`{}` gives other results than its declaration says", external.name));
        }
        Ok(Next::Enter(self.enter(callee, args)?))
    }
    /// What a function that is not interpreted gave.
    fn called(
        &mut self,
        external: &External,
        data: &InstData,
        results: Vec<Word>,
    ) -> std::result::Result<Next<'a>, Fault> {
        check_results(external, &results)?;
        self.define(&data.results, results.into_iter().map(Some));
        Ok(Next::Continue)
    }

    fn stack_word(&mut self) -> std::result::Result<Word, Fault> {
        let address = match self.stack_word {
            Some(address) => address,
            None => {
                let address = self.space.allocate(8)?;
                self.space.store(address, Word::Ptr(0))?;
                address
            }
        };
        self.stack_word = Some(address);
        Ok(Word::Ptr(address))
    }
}
