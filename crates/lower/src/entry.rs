//! The entry of a function that may call itself: it finds the limit of the stack once, and every
//! activation passes it on.

use crate::calls::{call_native, external};
use catalog::{Callee, Catalog, Emit, ErrorModel, machine_types};
use ir::{Attr, External, Function, Native, Op, Phase, Value};
use types::TypeTable;

/// The lowest address that a frame of this thread may have.
pub fn stack_limit(emit: &mut Emit<'_>) -> Value {
    let external = External {
        name: "rumba_stack_limit".into(),
        params: Vec::new(),
        results: vec![Native::Ptr],
        pure: false,
        inline: false,
    };
    emit.b.call_external(external, &[])[0]
}

/// A function of the same parameters as `callee` that calls it with the limit of the stack.
pub fn entry(typed: &Function, callee: &Callee, types: &TypeTable) -> Function {
    let mut func = Function::new(&typed.name, &typed.file, typed.first_line, Phase::Explicit);
    func.results = machine_types(types, callee.result).to_vec();
    func.can_fail = true;
    let block = func.entry;
    let catalog = Catalog::default();
    let mut emit = Emit::new(&mut func, block, types, &catalog, ErrorModel::Python);
    let natives: Vec<Native> = callee.params.iter().flat_map(|&ty| machine_types(types, ty)).collect();
    let mut values = Vec::new();
    for (index, &native) in natives.iter().enumerate() {
        let symbol = emit.b.symbol(&format!("word{index}"));
        emit.b.func.params.push(symbol);
        let attrs = [Attr::Int(index as i64), Attr::Symbol(symbol)];
        values.push(emit.b.native(Op::Arg, attrs, &[], native));
    }
    values.push(stack_limit(&mut emit));
    let params = natives.into_iter().chain([Native::Ptr]).collect();
    let external = external(&emit, &callee.symbol, params, callee.result, false);
    let parts = call_native(&mut emit, external, &values, true);
    emit.b.terminate(Op::Return, &parts);
    func
}
