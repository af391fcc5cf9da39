//! The Typed function out of what the fixpoint found.

use crate::Typed;
use crate::best;
use crate::calls::Argument;
use crate::displays;
use crate::engine::Engine;
use crate::explain;
use crate::extensions;
use diag::{Result, Span};
use ir::{Attr, Block, BlockCall, Builder, Op, Phase, Value, ValueType};
use types::{Handle, LiteralValue, Type, TypeData};

/// Removes what no path reaches, writes the types down, makes conversions explicit.
pub(crate) fn finish(
    engine: Engine<'_>,
    handle: Option<Handle>,
    calls: Vec<(Handle, Vec<Type>)>,
) -> Result<Typed> {
    let reached = engine.reached_blocks();
    let result = engine.result.unwrap_or(Type::NONE);
    let revealed = revealed(&engine, &reached);
    let mut func = engine.func.clone();
    func.phase = Phase::Typed;
    func.layout = reached.clone();
    for &block in &reached {
        for &param in &func.blocks[block].params {
            func.values[param].ty = typed(&engine, param);
        }
        cut_off(&engine, &mut func, block);
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
    let natives = if engine.number == 0 { engine.shared.natives() } else { Vec::new() };
    let mut params = engine.args.clone();
    if let Some(closure) = engine.closure {
        params.insert(0, closure);
        open_closure(&engine, &mut func, closure);
    }
    for &block in &reached {
        spell_out_cells(&engine, &mut func, block);
    }
    for block in reached {
        spell_out_calls(&engine, &mut func, block);
        promote_edges(&mut func, block);
    }
    Ok(Typed { func, handle, result, params, calls, error_model: engine.error_model, natives, revealed })
}

/// Ends a block behind a read of a name that is never bound there.
fn cut_off(engine: &Engine<'_>, func: &mut ir::Function, block: Block) {
    let insts = &func.blocks[block].insts;
    if let Some(at) = insts.iter().position(|&inst| engine.is_never_bound(inst)) {
        func.blocks[block].insts.truncate(at + 1);
        let mut builder = Builder::new(func, block);
        builder.terminate(Op::Unreachable, &[]);
    }
}

/// What `typing.reveal_type` is asked for.
fn revealed(engine: &Engine<'_>, reached: &[Block]) -> Vec<(Span, Type)> {
    let asks = engine.cx.types.intern(TypeData::Function("typing.reveal_type".into()));
    let insts = reached.iter().flat_map(|&block| engine.func.blocks[block].insts.iter());
    let calls = insts.map(|&inst| &engine.func.insts[inst]).filter(|data| {
        data.op == Op::Call && data.args.len() == 2 && engine.types[data.args[0]] == Some(asks)
    });
    calls.filter_map(|data| Some((data.span, engine.types[data.args[1]]?))).collect()
}

fn typed(engine: &Engine<'_>, value: Value) -> ValueType {
    ValueType::Typed(engine.types[value].unwrap_or(Type::UNDEFINED))
}

/// A value without a type that some path uses: nothing on any path gives it one.
pub(crate) fn check_all_typed(engine: &Engine<'_>) -> Result<()> {
    for block in engine.reached_blocks() {
        for &inst in &engine.func.blocks[block].insts {
            if engine.is_never_bound(inst) {
                break;
            }
            let data = &engine.func.insts[inst];
            if let Some(&value) = data.results.iter().find(|&&value| engine.types[value].is_none()) {
                return Err(explain::untyped(engine, inst, value));
            }
        }
    }
    Ok(())
}

/// The closure becomes the first parameter, and what it shares with the functions around it its parts.
fn open_closure(engine: &Engine<'_>, func: &mut ir::Function, closure: Type) {
    let blocks = func.layout.clone();
    for &block in &blocks {
        for &inst in &func.blocks[block].insts {
            if let (Op::Arg, Some(Attr::Int(index))) =
                (func.insts[inst].op, func.insts[inst].attrs.first_mut())
            {
                *index += 1;
            }
        }
    }
    let insts = std::mem::take(&mut func.blocks[func.entry].insts);
    let mut builder = Builder::new(func, engine.func.entry);
    let symbol = builder.symbol("closure");
    builder.func.params.insert(0, symbol);
    let attrs = [Attr::Int(0), Attr::Symbol(symbol)];
    let own = builder.value(Op::Arg, attrs, &[], ValueType::Typed(closure));
    func.blocks[func.entry].insts.extend(insts);
    for &block in &blocks {
        let insts = std::mem::take(&mut func.blocks[block].insts);
        for inst in insts {
            let data = func.insts[inst].clone();
            if let (Op::Freevar | Op::FreeCell, Some(&Attr::Int(index))) = (data.op, data.attrs.first()) {
                let captured = crate::closures::captured(engine, index as usize).unwrap_or(Type::UNDEFINED);
                let part = [Attr::Int(index)];
                let loads = data.op == Op::Freevar && captured != typed_as(func, data.results[0]);
                if loads {
                    let mut builder = Builder::new(func, block);
                    builder.span = data.span;
                    let cell = builder.value(Op::Capture, part, &[own], ValueType::Typed(captured));
                    let data = &mut func.insts[inst];
                    data.op = Op::LoadCell;
                    data.attrs.remove(0);
                    data.args.push(cell);
                } else {
                    let data = &mut func.insts[inst];
                    data.op = Op::Capture;
                    data.attrs = part.into_iter().collect();
                    data.args.push(own);
                }
            }
            func.blocks[block].insts.push(inst);
        }
    }
}

fn typed_as(func: &ir::Function, value: Value) -> Type {
    match func.values[value].ty {
        ValueType::Typed(ty) => ty,
        _ => Type::UNDEFINED,
    }
}

/// What goes into a cell is converted to the type that the cell has in the end, which a new cell says.
fn spell_out_cells(engine: &Engine<'_>, func: &mut ir::Function, block: Block) {
    let insts = std::mem::take(&mut func.blocks[block].insts);
    for inst in insts {
        let data = func.insts[inst].clone();
        let cell = match data.op {
            Op::MakeCell | Op::EmptyCell => Some(data.results[0]),
            Op::StoreCell => Some(data.args[0]),
            _ => None,
        };
        let content = cell.and_then(|cell| match engine.cx.types.get(typed_as(func, cell)) {
            TypeData::Cell(number) => engine.shared.content(number),
            _ => None,
        });
        if data.op == Op::EmptyCell {
            func.insts[inst].attrs[1] = Attr::Type(content.unwrap_or(Type::UNDEFINED));
        }
        if let Some(content) = content
            && let Some(&value) = data.args.last()
            && typed_as(func, value) != content
        {
            let mut builder = Builder::new(func, block);
            builder.span = data.span;
            let converted = builder.value(Op::Promote, [], &[value], ValueType::Typed(content));
            if let Some(last) = func.insts[inst].args.last_mut() {
                *last = converted;
            }
        }
        func.blocks[block].insts.push(inst);
    }
}

/// Calls of compiled functions get one operand per parameter: defaults become constants, further
/// positional arguments a tuple, `*args` its elements.
fn spell_out_calls(engine: &Engine<'_>, func: &mut ir::Function, block: Block) {
    let insts = std::mem::take(&mut func.blocks[block].insts);
    for inst in insts {
        if engine.displays.is_part(inst) {
            continue;
        }
        if engine.extended[inst].is_some() {
            extensions::spell_out(engine, func, block, inst);
            continue;
        }
        if engine.choices[inst].is_some() {
            best::spell_out(engine, func, block, inst);
        }
        if func.insts[inst].op == Op::ListToTuple {
            let mut builder = Builder::new(func, block);
            builder.span = builder.func.insts[inst].span;
            displays::spell_out(&mut builder, engine, inst);
        }
        if displays::is_keyword_defaults(&func.insts[inst])
            && let Some(pairs) = engine.displays.keywords(inst)
        {
            let values: Vec<Value> = pairs.iter().map(|&[_, value]| value).collect();
            let types: Vec<Type> = values.iter().map(|&value| typed_as(func, value)).collect();
            let tuple = ValueType::Typed(engine.cx.types.tuple(&types));
            let mut builder = Builder::new(func, block);
            func.insts[inst].args[0] = builder.value(Op::BuildTuple, [], &values, tuple);
        }
        if let Some(folded) = &engine.folded[inst]
            && matches!(func.insts[inst].op, Op::Call | Op::CallEx)
        {
            let operands: Vec<Value> = func.insts[inst].args.to_vec();
            let mut builder = Builder::new(func, block);
            builder.span = builder.func.insts[inst].span;
            let elements = spread(&mut builder, engine, inst, &operands);
            let mut args = vec![operands[0]];
            for (argument, &ty) in folded.arguments.iter().zip(&folded.types) {
                args.push(argument_value(&mut builder, argument, ty, &operands, &elements));
            }
            crate::literals::convert_to_exact(&mut builder, folded, &mut args[1..]);
            let data = &mut func.insts[inst];
            data.op = Op::Call;
            data.attrs = [Attr::Symbols(Vec::new())].into_iter().collect();
            data.args = args.into_iter().collect();
        }
        func.blocks[block].insts.push(inst);
    }
}

/// The elements of the tuple that `f(*tuple)` passes.
pub(crate) fn spread(
    builder: &mut Builder<'_>,
    engine: &Engine<'_>,
    inst: ir::Inst,
    operands: &[Value],
) -> Vec<Value> {
    if engine.func.insts[inst].op != Op::CallEx {
        return Vec::new();
    }
    displays::unpacked(builder, engine, operands[1])
}

pub(crate) fn argument_value(
    builder: &mut Builder<'_>,
    argument: &Argument,
    ty: Type,
    operands: &[Value],
    elements: &[Value],
) -> Value {
    let ty = ValueType::Typed(ty);
    match argument {
        Argument::Operand(index) => operands[1 + index],
        Argument::Element(index) => elements[*index],
        Argument::Value(value) => *value,
        Argument::Callee => operands[0],
        Argument::Captured(part) => builder.value(Op::Capture, [Attr::Int(*part as i64)], &operands[..1], ty),
        Argument::Constant(id) => builder.value(Op::Const, [Attr::Const(*id)], &[], ty),
        Argument::Type(_) => {
            let name = builder.symbol("default");
            builder.value(Op::Global, [Attr::Symbol(name)], &[], ty)
        }
        Argument::Rest(rest) => {
            let values: Vec<Value> = rest
                .iter()
                .map(|argument| match argument {
                    Argument::Element(index) => elements[*index],
                    Argument::Operand(index) => operands[1 + index],
                    // Defaults are never collected by `*args`.
                    _ => operands[0],
                })
                .collect();
            builder.value(Op::BuildTuple, [], &values, ty)
        }
    }
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
