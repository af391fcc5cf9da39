//! The C function that runs one chunk of a parallel loop: it loads the body's arguments from the context and stores its
//! results in the slot of the chunk.

use crate::entry_points::arguments;
use catalog::{
    Callee, Catalog, Emit, Operand, Semantics, call_native, external, machine_types, references, stack_word,
};
use ir::{Function, IntCond, Native, Op, Phase, Value};
use types::{Type, TypeTable};

/// The symbol of the function that runs a chunk, by the body's.
pub fn chunk_symbol(body: &str) -> String {
    format!("{body}.chunk")
}

/// How the context of a launch and the slot of a chunk lie.
pub(super) struct ChunkLayout {
    /// Machine types of what the body takes after the two iterations, and where they lie in the context.
    pub params: Vec<(Native, i64)>,
    /// Machine types of what it returns, and where they lie in a slot.
    pub results: Vec<(Native, i64)>,
    /// Whether some of that are references.
    pub holds_references: bool,
}

impl ChunkLayout {
    /// Offsets in the context.
    pub const START: i64 = 0;
    pub const STEP: i64 = 8;
    pub const SLOTS: i64 = 16;
    const PARAMS: i64 = 24;

    pub fn of(types: &TypeTable, body: &Callee) -> ChunkLayout {
        let assign_offsets = |types: Vec<Native>, first: i64| -> Vec<(Native, i64)> {
            types.into_iter().zip((0..).map(|at| first + 8 * at)).collect()
        };
        let params = body.params[2..].iter().flat_map(|&ty| machine_types(types, ty)).collect();
        let results = machine_types(types, body.result).to_vec();
        let holds_references = !references(types, body.result).is_empty();
        ChunkLayout {
            params: assign_offsets(params, Self::PARAMS),
            results: assign_offsets(results, 0),
            holds_references,
        }
    }

    pub fn context_size(&self) -> u32 {
        (Self::PARAMS + 8 * self.params.len() as i64) as u32
    }

    pub fn slot_size(&self) -> i64 {
        8 * self.results.len() as i64
    }
}

/// Runs iterations `begin` to `end` of a chunk: `(context, chunk, begin, end)`.
pub fn chunk_entry(typed: &Function, body: &Callee, types: &TypeTable) -> Function {
    let mut func = Function::new(&typed.name, &typed.file, typed.first_line, Phase::Explicit);
    func.module.clone_from(&typed.module);
    func.can_fail = true;
    let (entry, catalog) = (func.entry, Catalog::default());
    let mut emit = Emit::new(&mut func, entry, types, &catalog, Semantics::default());
    let words = arguments(&mut emit, &[Native::Ptr, Native::I64, Native::I64, Native::I64]);
    let &[context, chunk, begin, end] = &words[..] else { return func };
    let layout = ChunkLayout::of(types, body);
    let index = body.params[0];
    let [first, behind] = bounds(&mut emit, index, context, [begin, end]);
    let mut values = vec![first, behind];
    values.extend(layout.params.iter().map(|&(native, at)| emit.b.load(native, context, at)));
    let mut params: Vec<Native> = values.iter().map(|&value| emit.b.func.native(value)).collect();
    if body.in_cycle {
        values.push(stack_word(&mut emit));
        params.push(Native::Ptr);
    }
    let called = external(&emit, &body.symbol, params, body.result, false);
    let parts = call_native(&mut emit, called, &values, body.can_fail);
    if !layout.results.is_empty() {
        let slots = emit.b.load(Native::Ptr, context, ChunkLayout::SLOTS);
        let size = emit.b.iconst(Native::I64, layout.slot_size());
        let offset = emit.b.like_first(Op::Imul, &[chunk, size]);
        let slot = emit.b.native(Op::PtrAdd, [], &[slots, offset], Native::Ptr);
        for (&part, &(_, at)) in parts.iter().zip(&layout.results) {
            emit.b.store(slot, at, part);
        }
        emit.give_refs(&Operand::new(body.result, parts));
    }
    emit.b.terminate(Op::Return, &[]);
    func
}

/// The first value of the counter and the end of its range, by the numbers of the iterations. There is at least one.
fn bounds(emit: &mut Emit<'_>, index: Type, context: Value, [begin, end]: [Value; 2]) -> [Value; 2] {
    let native = machine_types(emit.types, index)[0];
    let narrow = |emit: &mut Emit<'_>, value: Value| match native {
        Native::I64 => value,
        _ => emit.b.convert(Op::Trunc, value, native),
    };
    let (begin, end) = (narrow(emit, begin), narrow(emit, end));
    let start = emit.b.load(native, context, ChunkLayout::START);
    let step = emit.b.load(native, context, ChunkLayout::STEP);
    let at = |emit: &mut Emit<'_>, number: Value| {
        let along = emit.b.like_first(Op::Imul, &[number, step]);
        emit.b.like_first(Op::Iadd, &[start, along])
    };
    let first = at(emit, begin);
    // One after the last value: a whole step after it may be more than the type has.
    let (one, zero, minus) = (emit.b.iconst(native, 1), emit.b.iconst(native, 0), emit.b.iconst(native, -1));
    let last = emit.b.like_first(Op::Isub, &[end, one]);
    let last = at(emit, last);
    let is_signed = index.as_int().is_some_and(|(_, signed)| signed);
    let beyond = match is_signed {
        true => {
            let down = emit.b.icmp(IntCond::Slt, step, zero);
            emit.b.select(down, minus, one)
        }
        false => one,
    };
    [first, emit.b.like_first(Op::Iadd, &[last, beyond])]
}
