//! The Typed function out of what the fixpoint found.

use crate::Typed;
use crate::engine::Engine;
use crate::explain::span_of;
use diag::{Diagnostic, Result, codes};
use ir::{Attr, Block, BlockCall, Builder, Op, Phase, Value, ValueType};
use types::{LiteralValue, Type};

/// Removes what no path reaches, writes the types down, makes conversions explicit.
pub(crate) fn finish(engine: Engine<'_>) -> Result<Typed> {
    let reached = engine.reached_blocks();
    check_all_typed(&engine, &reached)?;
    let result = engine.result.unwrap_or(Type::NONE);
    let mut func = engine.func.clone();
    func.phase = Phase::Typed;
    func.layout = reached.clone();
    for &block in &reached {
        for &param in &func.blocks[block].params {
            func.values[param].ty = typed(&engine, param);
        }
        for &inst in &func.blocks[block].insts {
            let data = &mut func.insts[inst];
            for &value in &data.results {
                func.values[value].ty = typed(&engine, value);
            }
            match (data.op, engine.constants[inst]) {
                (_, Some(id)) => {
                    data.op = Op::Const;
                    data.attrs = [Attr::Const(id)].into_iter().collect();
                    data.args.clear();
                }
                (Op::Cast, None) => func.values[data.results[0]].ty = ValueType::Typed(result),
                (Op::Branch, None) => {
                    let known = engine.types[data.args[0]].and_then(|ty| engine.cx.types.literal(ty));
                    if let Some(LiteralValue::Bool(truth)) = known {
                        data.op = Op::Jump;
                        data.args.clear();
                        data.targets.remove(usize::from(truth));
                    }
                }
                _ => {}
            }
        }
    }
    for block in reached {
        promote_edges(&mut func, block);
    }
    Ok(Typed { func, result, params: engine.args.to_vec() })
}

fn typed(engine: &Engine<'_>, value: Value) -> ValueType {
    ValueType::Typed(engine.types[value].unwrap_or(Type::UNDEFINED))
}

/// A value without a type that some path uses: nothing on any path gives it one.
fn check_all_typed(engine: &Engine<'_>, reached: &[Block]) -> Result<()> {
    for &block in reached {
        for &inst in &engine.func.blocks[block].insts {
            let data = &engine.func.insts[inst];
            if let Some(&value) = data.results.iter().find(|&&value| engine.types[value].is_none()) {
                let name = engine.func.value_name(value).map_or("a value".into(), |name| format!("'{name}'"));
                return Err(Diagnostic::new(
                    codes::UNTYPED,
                    format!("the type of {name} in `{}` cannot be determined", engine.func.name),
                )
                .label(span_of(engine, value), "made here")
                .hint("A recursive function needs a path that returns without calling itself."));
            }
        }
    }
    Ok(())
}

/// Converts the values of an edge to the types of the parameters they go to.
fn promote_edges(func: &mut ir::Function, block: Block) {
    if let Some(handler) = func.blocks[block].handler.clone() {
        let (args, promotions) = promoted(func, block, &handler);
        func.blocks[block].handler = Some(BlockCall { block: handler.block, args });
        func.blocks[block].insts.splice(0..0, promotions);
    }
    let Some(last) = func.terminator(block) else { return };
    for index in 0..func.insts[last].targets.len() {
        let target = func.insts[last].targets[index].clone();
        let (args, promotions) = promoted(func, block, &target);
        func.insts[last].targets[index].args = args;
        let end = func.blocks[block].insts.len() - 1;
        func.blocks[block].insts.splice(end..end, promotions);
    }
}

/// The values of an edge converted, and the instructions that do it.
fn promoted(
    func: &mut ir::Function,
    block: Block,
    call: &BlockCall,
) -> (smallvec::SmallVec<[Value; 4]>, Vec<ir::Inst>) {
    let mut args = call.args.clone();
    let before = func.blocks[block].insts.len();
    let span = func.terminator(block).map(|last| func.insts[last].span).unwrap_or_default();
    for (index, arg) in args.iter_mut().enumerate() {
        let param = func.blocks[call.block].params[index];
        let ty = func.values[param].ty;
        if func.values[*arg].ty != ty {
            let mut builder = Builder::new(func, block);
            builder.span = span;
            *arg = builder.value(Op::Promote, [], &[*arg], ty);
        }
    }
    let promotions = func.blocks[block].insts.split_off(before);
    (args, promotions)
}
