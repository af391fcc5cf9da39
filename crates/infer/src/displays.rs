//! Tuples with starred parts, `(1, *a)` and the arguments of `f(1, *a)`: CPython makes a list, extends it,
//! and turns it into a tuple. Compiled code has the parts at once.
//!
//! ```text
//! %l = build_list %1            becomes   %x, %y = unpack %a
//! list_extend %l, %a                      %t = build_tuple %1, %x, %y
//! %t = list_to_tuple %l
//! ```
//!
//! Absent: lists that are seen as lists.

use crate::engine::Engine;
use crate::explain;
use diag::Result;
use entity::{EntitySet, HashMap};
use ir::{Attr, Block, Builder, Def, Function, Inst, Op, Value, ValueType};
use types::Type;

/// A part of a tuple that is made.
#[derive(Clone, Copy, Debug)]
enum Piece {
    /// One item.
    Item(Value),
    /// All items of a value.
    All(Value),
}

/// What a function's tuples with starred parts are made of.
#[derive(Default)]
pub(crate) struct Displays {
    /// By the instruction that turns the list into a tuple.
    pieces: HashMap<Inst, Vec<Piece>>,
    /// Instructions that work on the lists.
    parts: EntitySet<Inst>,
}

impl Displays {
    /// Those of a function; `order` is its blocks in reverse postorder.
    pub fn compute(func: &Function, order: &[Block]) -> Self {
        let mut found = Displays::default();
        for &inst in order.iter().flat_map(|&block| &func.blocks[block].insts) {
            if func.insts[inst].op == Op::ListToTuple {
                found.add(func, order, inst);
            }
        }
        found
    }

    fn add(&mut self, func: &Function, order: &[Block], end: Inst) {
        let list = func.insts[end].args[0];
        let Def::Result(made, _) = func.values[list].def else { return };
        if func.insts[made].op != Op::BuildList {
            return;
        }
        let mut pieces: Vec<Piece> = func.insts[made].args.iter().map(|&item| Piece::Item(item)).collect();
        let mut parts = vec![made];
        let paths = Paths::to(func, end, made);
        for &block in order {
            for &inst in &func.blocks[block].insts {
                let data = &func.insts[inst];
                let on_edge = data.targets.iter().any(|call| call.args.contains(&list));
                let piece = match (data.op, &data.args[..]) {
                    (Op::ListAppend, &[of, item]) if of == list && item != list => Piece::Item(item),
                    (Op::ListExtend, &[of, all]) if of == list && all != list => Piece::All(all),
                    // On another path the list becomes another tuple.
                    (Op::ListToTuple, _) => continue,
                    (_, args) if !args.contains(&list) && !on_edge => continue,
                    // The list is used as a list too.
                    _ => return,
                };
                parts.push(inst);
                match (paths.always.contains(block), paths.sometimes.contains(block)) {
                    (true, _) => pieces.push(piece),
                    (false, false) => {}
                    (false, true) => return,
                }
            }
        }
        self.parts.extend(parts);
        self.pieces.insert(end, pieces);
    }

    /// Whether the instruction works on the list of one.
    pub fn is_part(&self, inst: Inst) -> bool {
        self.parts.contains(inst)
    }

    /// Values that the instruction works on and that are no operands of it.
    pub fn uses(&self, inst: Inst) -> impl Iterator<Item = Value> {
        self.pieces.get(&inst).into_iter().flatten().map(|piece| match *piece {
            Piece::Item(value) | Piece::All(value) => value,
        })
    }
}

/// Blocks on the paths from where a list is made to where it becomes a tuple.
struct Paths {
    /// Those on every path.
    always: EntitySet<Block>,
    /// Those on some path.
    sometimes: EntitySet<Block>,
}

impl Paths {
    fn to(func: &Function, end: Inst, made: Inst) -> Self {
        let home = |inst: Inst| func.layout.iter().copied().find(|&b| func.blocks[b].insts.contains(&inst));
        let mut paths = Paths { always: EntitySet::new(), sometimes: EntitySet::new() };
        let (Some(last), Some(first)) = (home(end), home(made)) else { return paths };
        let cfg = flow::Cfg::compute(func);
        let dominators = flow::compute_dominators(&cfg);
        let mut open = vec![last];
        while let Some(block) = open.pop() {
            if !paths.sometimes.insert(block) {
                continue;
            }
            if dominators.dominates(block, last) {
                paths.always.insert(block);
            }
            if block != first {
                open.extend(cfg.predecessors(block));
            }
        }
        paths
    }
}

/// The type of the tuple that a list is turned into; nothing while a part has no type.
pub(crate) fn infer(engine: &Engine<'_>, inst: Inst) -> Result<Vec<Option<Type>>> {
    let Some(pieces) = engine.displays.pieces.get(&inst) else {
        return Err(explain::unsupported_op(engine, inst));
    };
    let mut elements = Vec::new();
    for piece in pieces {
        let (Piece::Item(value) | Piece::All(value)) = *piece;
        let Some(ty) = engine.ty(value) else { return Ok(vec![None]) };
        match (piece, engine.cx.types.items(ty)) {
            (Piece::Item(_), _) => elements.push(ty),
            (Piece::All(_), Some(items)) => elements.extend(items.iter()),
            (Piece::All(_), None) => return Err(explain::cannot_spread(engine, inst, value, ty)),
        }
    }
    Ok(vec![Some(engine.cx.types.tuple(&elements))])
}

/// Makes the tuple of the parts at once.
pub(crate) fn spell_out(builder: &mut Builder<'_>, engine: &Engine<'_>, inst: Inst) {
    let Some(pieces) = engine.displays.pieces.get(&inst) else { return };
    let mut args = Vec::new();
    for piece in pieces {
        match *piece {
            Piece::Item(value) => args.push(value),
            Piece::All(value) => args.extend(unpacked(builder, engine, value)),
        }
    }
    let data = &mut builder.func.insts[inst];
    data.op = Op::BuildTuple;
    data.attrs = std::iter::empty::<Attr>().collect();
    data.args = args.into_iter().collect();
}

/// The items of a value whose type says how many there are.
pub(crate) fn unpacked(builder: &mut Builder<'_>, engine: &Engine<'_>, value: Value) -> Vec<Value> {
    let items = engine.cx.types.items(builder.func.ty(value)).unwrap_or_default();
    let types: Vec<ValueType> = items.iter().map(|&ty| ValueType::Typed(ty)).collect();
    let unpack = builder.inst(Op::Unpack, [], &[value], &types);
    builder.func.insts[unpack].results.to_vec()
}
