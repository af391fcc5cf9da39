//! Reductions into array items: `counts[bins[i]] += 1`, where several iterations may update the same item.
//!
//! Such an array becomes a loop-carried value like one that is added up as a whole. Each chunk then updates an array of its own, or the
//! items of the array itself atomically if it has too many items for that (`launch_mode`).

use super::carried::{Carried, is_made_alike};
use super::find_loops::{Loop, Scope, defined};
use super::index_classes::Indices;
use entity::HashMap;
use ir::{Attr, BinaryOp, Block, BlockCall, Builder, Def, Function, Inst, InstData, Op, Value, ValueType};
use types::{Type, TypeData, TypeTable};

/// An item that is read, changed, and written back.
pub(super) struct Update {
    /// What reads it.
    pub getitem: Inst,
    /// How the changes of several iterations become one.
    pub operator: BinaryOp,
    /// What it is changed by, and whether that is subtracted or divides; nothing if that takes several operations.
    pub operand: Option<(Value, bool)>,
}

/// The update that a `setitem` ends. `uses` counts those of each value in the function.
pub(super) fn update_of(
    func: &Function,
    types: &TypeTable,
    uses: &HashMap<Value, u32>,
    setitem: Inst,
) -> Option<Update> {
    let data = &func.insts[setitem];
    let (Op::Setitem, &[array, index, value]) = (data.op, &data.args[..]) else { return None };
    let item = types.array(func.ty(array))?.dtype;
    let search = Search { func, types, uses, setitem, array, index, item };
    let made = made_by(func, uses, value)?;
    let operator = neutral(&func.insts[made])?.0;
    search.operation(made, operator, MAX_OPERATIONS)
}

/// Operations between reading an item and writing it back, at most.
const MAX_OPERATIONS: usize = 8;

/// The operator of a reduction that an operation is part of, and whether it undoes that: `-` and `/`.
fn neutral(data: &InstData) -> Option<(BinaryOp, bool)> {
    match (data.op, data.attrs.first()) {
        (Op::Binary | Op::Inplace, Some(&Attr::Binary(op))) => match op {
            BinaryOp::Add | BinaryOp::Mul => Some((op, false)),
            BinaryOp::Sub => Some((BinaryOp::Add, true)),
            BinaryOp::TrueDiv => Some((BinaryOp::Mul, true)),
            _ => None,
        },
        _ => None,
    }
}

/// The search for what reads the item that a `setitem` writes.
struct Search<'a> {
    func: &'a Function,
    types: &'a TypeTable,
    uses: &'a HashMap<Value, u32>,
    setitem: Inst,
    array: Value,
    index: Value,
    item: Type,
}

impl Search<'_> {
    /// The update by an operation, and by those before it, of one operator.
    fn operation(&self, inst: Inst, operator: BinaryOp, left: usize) -> Option<Update> {
        let data = &self.func.insts[inst];
        let (own, inverse) = neutral(data)?;
        let [first, second] = data.args[..] else { return None };
        if own != operator || left == 0 || !is_of_kind(self.types, self.func.ty(data.results[0]), self.item) {
            return None;
        }
        for (value, other) in [(first, second), (second, first)] {
            if let Some(getitem) = self.read(value) {
                return Some(Update { getitem, operator, operand: Some((other, inverse)) });
            }
            let before = made_by(self.func, self.uses, value);
            let found = before.and_then(|inst| self.operation(inst, operator, left - 1));
            if let Some(found) = found {
                return Some(Update { operand: None, ..found });
            }
            if inverse {
                break;
            }
        }
        None
    }

    /// What makes a value, if that reads the item.
    fn read(&self, value: Value) -> Option<Inst> {
        let inst = made_by(self.func, self.uses, value)?;
        let data = &self.func.insts[inst];
        let &[array, index] = &data.args[..] else { return None };
        let is_read =
            data.op == Op::Getitem && array == self.array && self.func.ty(data.results[0]) == self.item;
        let repeats = |data: &InstData| may_repeat(self.func, self.types, data);
        let is_index = || {
            index == self.index
                || is_made_alike(self.func, index, self.index, &repeats)
                    && is_undisturbed(self.func, self.types, [inst, self.setitem])
        };
        (is_read && is_index()).then_some(inst)
    }
}

/// The instruction that makes a value used once, behind conversions.
fn made_by(func: &Function, uses: &HashMap<Value, u32>, value: Value) -> Option<Inst> {
    let Def::Result(inst, _) = func.values[value].def else { return None };
    (uses.get(&value) == Some(&1)).then_some(())?;
    match func.insts[inst].op {
        Op::Promote | Op::Cast => made_by(func, uses, func.insts[inst].args[0]),
        _ => Some(inst),
    }
}

/// Whether a number of one type is converted to one of the other without a loss that depends on the order of operations.
fn is_of_kind(types: &TypeTable, value: Type, item: Type) -> bool {
    let value = types.unliteral(value);
    let is = |ty: Type| (ty.is_int(), ty.is_float(), ty.is_complex());
    is(value) == is(item)
}

/// Functions that give the same for the same number.
const CONVERSIONS: &[&str] = &["builtins.int", "builtins.float", "builtins.abs", "builtins.round"];

/// Whether an instruction gives the same for the same operands, where nothing is written in between.
fn may_repeat(func: &Function, types: &TypeTable, data: &InstData) -> bool {
    match data.op {
        Op::Getitem
        | Op::Const
        | Op::Global
        | Op::Promote
        | Op::Cast
        | Op::BuildTuple
        | Op::Binary
        | Op::Unary => true,
        Op::Call => match types.get(func.ty(data.args[0])) {
            TypeData::Class(_) => true,
            TypeData::Function(name) => CONVERSIONS.contains(&&*name),
            _ => false,
        },
        _ => false,
    }
}

/// Whether all that stands between two instructions of a block only reads memory.
fn is_undisturbed(func: &Function, types: &TypeTable, [first, last]: [Inst; 2]) -> bool {
    let is_number = |&value: &Value| {
        let ty = types.unliteral(func.ty(value));
        ty == Type::BOOL || ty.is_number()
    };
    let only_reads = |inst: &Inst| {
        let data = &func.insts[*inst];
        match data.op {
            Op::Const | Op::Global | Op::Freevar | Op::Getattr | Op::Getitem | Op::Promote | Op::Cast => true,
            Op::BuildTuple => true,
            Op::Binary | Op::Inplace | Op::Unary | Op::Compare => data.args.iter().all(is_number),
            Op::Call => {
                let callee = types.get(func.ty(data.args[0]));
                matches!(callee, TypeData::Function(_) | TypeData::Class(_))
                    && data.args[1..].iter().all(is_number)
            }
            _ => false,
        }
    };
    let between = func.layout.iter().find_map(|&block| {
        let insts = &func.blocks[block].insts;
        let at = |wanted: Inst| insts.iter().position(|&inst| inst == wanted);
        insts.get(at(first)? + 1..at(last)?)
    });
    between.is_some_and(|insts| insts.iter().all(only_reads))
}

/// Makes loop-carried values of arrays whose items several iterations of a loop may update. Says whether there are any.
pub(super) fn carry_arrays(func: &mut Function, types: &TypeTable, found: &Loop) -> bool {
    let arrays = candidates(func, types, found);
    for &array in &arrays {
        let param = func.add_param(found.header, ValueType::Typed(func.ty(array)));
        func.values[param].name = func.values[array].name;
        func.values[param].version = func.values[array].version;
        for &block in &found.blocks {
            func.replace_uses(block, array, param);
        }
        for from in func.layout.clone() {
            let Some(last) = func.terminator(from) else { continue };
            let given = if found.blocks.contains(&from) { param } else { array };
            let targets = func.insts[last].targets.iter_mut();
            targets.filter(|to| to.block == found.header).for_each(|to| to.args.push(given));
        }
    }
    !arrays.is_empty()
}

/// Arrays from outside the loop that are used for nothing but updates by one operator, of which one may meet that of another iteration.
fn candidates(func: &Function, types: &TypeTable, found: &Loop) -> Vec<Value> {
    let own = defined(func, &found.blocks);
    let uses = func.count_uses();
    let insts = || found.blocks.iter().flat_map(|&block| &func.blocks[block].insts).copied();
    let mut arrays: Vec<Value> = Vec::new();
    for inst in insts().filter(|&inst| func.insts[inst].op == Op::Setitem) {
        let array = func.insts[inst].args[0];
        if !own.contains(&array)
            && !arrays.contains(&array)
            && Scope::is_array_of_numbers(types, func.ty(array))
        {
            arrays.push(array);
        }
    }
    let indices = Indices { func, types, header: found.header, own: &own };
    arrays.retain(|&array| {
        let users: Vec<Inst> =
            insts().filter(|&inst| func.insts[inst].uses().any(|value| value == array)).collect();
        let updates: Vec<(Inst, Update)> = users
            .iter()
            .filter_map(|&inst| Some((inst, update_of(func, types, &uses, inst)?)))
            .filter(|(inst, _)| func.insts[*inst].args[0] == array)
            .collect();
        let handled = found.blocks.iter().filter_map(|&block| func.blocks[block].handler.as_ref());
        let is_shared = |&block: &Block| func.blocks[block].insts.iter().any(|inst| users.contains(inst));
        let only_updates = users.iter().all(|&inst| {
            asks_for_shape(func, types, inst)
                || updates.iter().any(|(setitem, update)| *setitem == inst || update.getitem == inst)
        });
        let mut operators = updates.iter().map(|(_, update)| update.operator);
        let first = operators.next();
        only_updates
            && first.is_some()
            && operators.all(|operator| Some(operator) == first)
            && !found.shared.iter().any(is_shared)
            && !handled.into_iter().any(|handler| handler.args.contains(&array))
            && updates.iter().any(|(setitem, _)| indices.may_meet(func.insts[*setitem].args[1]))
    });
    arrays
}

/// Whether an instruction reads what an array of the same shape has, too.
pub(super) fn asks_for_shape(func: &Function, types: &TypeTable, inst: Inst) -> bool {
    let data = &func.insts[inst];
    match (data.op, data.attrs.first()) {
        (Op::Getattr, Some(&Attr::Symbol(name))) => {
            matches!(func.symbols.get(name).as_str(), "shape" | "size" | "ndim" | "dtype" | "itemsize")
        }
        (Op::Call, _) => {
            let is_len = |name: &str| name == "builtins.len";
            matches!(types.get(func.ty(data.args[0])), TypeData::Function(name) if is_len(&name))
        }
        _ => false,
    }
}

/// Whether the items of an array that is carried so may be updated atomically.
pub(super) fn is_atomic(types: &TypeTable, ty: Type, carried: &Carried) -> bool {
    let array = types.array(ty).filter(|array| array.aligned);
    *carried == Carried::Scattered(BinaryOp::Add) && array.is_some_and(|array| array.dtype.is_atomic())
}

/// Makes the updates in the body of a loop atomic where `atomically` is true.
pub(super) fn update_atomically(body: &mut Function, types: &TypeTable, found: &Loop, atomically: Value) {
    let params = &body.blocks[found.header].params;
    let kinds = params.iter().zip(&found.carried);
    let arrays: Vec<Value> = kinds
        .filter(|&(&param, kind)| is_atomic(types, body.ty(param), kind))
        .map(|(&param, _)| param)
        .collect();
    let uses = body.count_uses();
    let mut open = found.blocks.clone();
    while let Some(block) = open.pop() {
        let is_update = |&inst: &Inst| {
            let data = &body.insts[inst];
            data.op == Op::Setitem && arrays.contains(&data.args[0])
        };
        let Some(at) = body.blocks[block].insts.iter().position(is_update) else { continue };
        let setitem = body.blocks[block].insts[at];
        let Some(operand) = update_of(body, types, &uses, setitem).and_then(|update| update.operand) else {
            continue;
        };
        open.push(either_way(body, types, (block, at), operand, atomically));
    }
}

/// Splits a block at the `setitem` of an update: atomic on one way, as it is on the other. Gives the block of what follows.
fn either_way(
    body: &mut Function,
    types: &TypeTable,
    (block, at): (Block, usize),
    (operand, is_subtracted): (Value, bool),
    atomically: Value,
) -> Block {
    let rest = body.blocks[block].insts.split_off(at);
    let (label, handler) = (body.blocks[block].label, body.blocks[block].handler.clone());
    let [shared, own, behind] = [(); 3].map(|()| {
        let new = body.add_block(label);
        body.blocks[new].handler.clone_from(&handler);
        new
    });
    let (setitem, span) = (rest[0], body.insts[rest[0]].span);
    let [array, index] = [0, 1].map(|number| body.insts[setitem].args[number]);
    body.blocks[behind].insts = rest[1..].to_vec();
    let mut b = Builder::new(body, block);
    b.span = span;
    b.branch(atomically, BlockCall::new(shared, []), BlockCall::new(own, []));
    b.switch_to(shared);
    let name = if is_subtracted { "sub" } else { "add" };
    let symbol = b.symbol(name);
    let function = types.intern(TypeData::Function(format!("rumba.atomic.{name}").into()));
    let function = b.value(Op::Global, [Attr::Symbol(symbol)], &[], ValueType::Typed(function));
    let item = types.array(b.func.ty(array)).map_or(Type::NONE, |array| array.dtype);
    let args = [function, array, index, operand];
    b.value(Op::Call, [Attr::Symbols(Vec::new())], &args, ValueType::Typed(item));
    b.jump(behind, &[]);
    b.switch_to(own);
    b.func.blocks[own].insts.push(setitem);
    b.jump(behind, &[]);
    behind
}
