//! Blocks that are not supported, such as `with objmode(...)`, raise where they begin.
//!
//! A library's function may hold one on a way that is seldom taken; the others compile. What the block says is not looked at.

use ir::{Attr, Block, Builder, ConstData, Def, Function, Inst, Op, Value, ValueType};

const WHY: &str = "Rumba does not have `objmode` blocks yet: this one was reached";

/// Ends blocks of the function where such a block begins.
pub fn raise_where_unsupported(func: &mut Function) {
    let entered: Vec<(Block, usize, Value)> = func
        .layout
        .iter()
        .filter_map(|&block| {
            let insts = &func.blocks[block].insts;
            let at = insts.iter().position(|&inst| enters_objmode(func, inst))?;
            Some((block, at, func.insts[insts[at]].args[0]))
        })
        .collect();
    if entered.is_empty() {
        return;
    }
    for (block, at, manager) in entered {
        let span = func.insts[func.blocks[block].insts[at]].span;
        func.blocks[block].insts.truncate(at);
        let [call, callee] = call_and_callee(func, manager).expect("it was found by these");
        func.blocks[block].insts.retain(|&inst| inst != call && inst != callee);
        let mut builder = Builder::new(func, block);
        builder.span = span;
        let name = builder.symbol("NotImplementedError");
        let class = builder.untyped(Op::Global, [Attr::Symbol(name)], &[]);
        let text = builder.constant(ConstData::Str(WHY.into()));
        let text = builder.untyped(Op::Const, [Attr::Const(text)], &[]);
        let error =
            builder.value(Op::Call, [Attr::Symbols(Default::default())], &[class, text], ValueType::Untyped);
        builder.terminate(Op::Raise, &[error]);
    }
    let cfg = flow::Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
}

/// Whether an instruction enters `with objmode(...)` or `with module.objmode(...)`.
fn enters_objmode(func: &Function, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let enters = matches!(data.attrs[..], [Attr::Symbol(name), _] if func.symbols.get(name) == "with_enter");
    data.op == Op::Python && enters && data.args.first().is_some_and(|&manager| is_objmode(func, manager))
}

fn is_objmode(func: &Function, manager: Value) -> bool {
    let Some([_, callee]) = call_and_callee(func, manager) else { return false };
    matches!(func.insts[callee].attrs[..], [Attr::Symbol(name)] if func.symbols.get(name) == "objmode")
}

/// The call that made a context manager, and what gave the callee by its name.
fn call_and_callee(func: &Function, manager: Value) -> Option<[Inst; 2]> {
    let Def::Result(call, _) = func.values[manager].def else { return None };
    let data = &func.insts[call];
    let Def::Result(callee, _) = func.values[*data.args.first()?].def else { return None };
    (data.op == Op::Call && matches!(func.insts[callee].op, Op::Global | Op::Getattr))
        .then_some([call, callee])
}
