//! A StopIteration that leaves a generator, or a generator expression, becomes a RuntimeError: it would end the loop that goes
//! through the generator.
//!
//! ```text
//! %s, %x = call next_of(%y)                     %s, %x = call next_of(%y)
//! ...                                           ...
//! fail %s                            becomes    %t = call rumba_stop_to_error(%context, %s)
//!                                               fail %t
//! ```

use abi::{ExceptionClass, Runtime};
use ir::{Attr, Builder, Def, Function, Inst, Op, Value};

/// Converts the StopIterations that a function fails with.
pub fn convert_stops(func: &mut Function) {
    if !may_stop(func) {
        return;
    }
    for block in func.layout.clone() {
        let Some(last) = func.terminator(block).filter(|&last| func.insts[last].op == Op::Fail) else {
            continue;
        };
        let status = func.insts[last].args[0];
        if is_other_class(func, status) {
            continue;
        }
        func.blocks[block].insts.pop();
        let mut builder = Builder::new(func, block);
        builder.span = builder.func.insts[last].span;
        let context = builder.address_of("rumba_context");
        let converted = builder.call_runtime(Runtime::StopToError, &[context, status])[0];
        func.insts[last].args[0] = converted;
        func.blocks[block].insts.push(last);
    }
}

/// Whether the code may fail with a StopIteration: it raises one, or calls what may.
fn may_stop(func: &Function) -> bool {
    let calls = |inst: Inst| match func.insts[inst].attrs.first() {
        Some(&Attr::External(id)) => func.externals.get(id).fails,
        _ => false,
    };
    let mut insts = func.layout.iter().flat_map(|&block| &func.blocks[block].insts);
    func.sites.iter().any(|(_, site)| site.class == ExceptionClass::StopIteration)
        || insts.any(|&inst| calls(inst) || func.callee(inst) == Some(Runtime::CaughtStatus.symbol()))
}

/// Whether a status is that of a place that raises another exception.
fn is_other_class(func: &Function, status: Value) -> bool {
    let Def::Result(inst, _) = func.values[status].def else { return false };
    match func.insts[inst].attrs.first() {
        Some(&Attr::Site(site)) => func.sites.get(site).is_some_and(|site| {
            site.user_class.is_none() && !site.payload && site.class != ExceptionClass::StopIteration
        }),
        _ => false,
    }
}
