//! Values that need no count because another value holds them while they are used.
//!
//! ```text
//! %1 = getattr[append] %0      the method is its receiver, which lives as long
//! %2 = getitem %0, %i          an item that is used in the same block, before anything
//! %3 = getitem %2, %j          could take it out of its container
//! ```

use crate::ownership::uses;
use entity::{HashMap, SideTable};
use ir::{Block, Function, Inst, Op, Value};
use types::{Type, TypeData, TypeTable};

/// Which values others hold.
#[derive(Default, Debug)]
pub(crate) struct Borrowed(HashMap<Value, Value>);

impl Borrowed {
    /// Finds them among the values that are counted.
    pub fn compute(func: &Function, types: &TypeTable, counted: &SideTable<Value, bool>) -> Borrowed {
        let mut found = Borrowed::default();
        let mut users: HashMap<Value, Vec<(Block, usize)>> = HashMap::default();
        for &block in &func.layout {
            for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
                let handed = func.insts[inst].targets.iter().flat_map(|target| target.args.iter().copied());
                // What is handed to another block is used beyond this one.
                let beyond = handed.map(|value| (value, usize::MAX));
                for (value, at) in uses(func, inst).map(|value| (value, at)).chain(beyond) {
                    if counted[value] {
                        users.entry(value).or_default().push((block, at));
                    }
                }
            }
            if let Some(handler) = &func.blocks[block].handler {
                for &value in &handler.args {
                    users.entry(value).or_default().push((block, usize::MAX));
                }
            }
        }
        // Who uses a method uses its receiver.
        for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
            let data = &func.insts[inst];
            if data.op == Op::Getattr
                && matches!(types.get(func.ty(data.results[0])), TypeData::Method(..))
                && let Some(of_method) = users.get(&data.results[0]).cloned()
            {
                users.entry(data.args[0]).or_default().extend(of_method);
            }
        }
        for &block in &func.layout {
            for (at, &inst) in func.blocks[block].insts.iter().enumerate() {
                found.look_at(func, types, &users, block, at, inst);
            }
        }
        found
    }

    fn look_at(
        &mut self,
        func: &Function,
        types: &TypeTable,
        users: &HashMap<Value, Vec<(Block, usize)>>,
        block: Block,
        at: usize,
        inst: Inst,
    ) {
        let data = &func.insts[inst];
        let (Some(&result), Some(&of)) = (data.results.first(), data.args.first()) else { return };
        let Some(used) = users.get(&result) else { return };
        let borrows = match data.op {
            Op::Getattr => matches!(types.get(func.ty(result)), TypeData::Method(..)),
            Op::Getitem => {
                types.contents(func.ty(of)).is_some() && {
                    let last = used.iter().map(|&(_, place)| place).max().unwrap_or(at);
                    let insts = &func.blocks[block].insts;
                    used.iter().all(|&(home, _)| home == block)
                        && last < insts.len()
                        && insts[at + 1..=last].iter().all(|&between| only_looks(func, types, between))
                }
            }
            _ => false,
        };
        if borrows && used.iter().all(|&(_, place)| place != usize::MAX) {
            self.0.insert(result, of);
        }
    }

    /// The values that are held by others.
    pub fn values(&self) -> impl Iterator<Item = Value> {
        self.0.keys().copied()
    }

    /// Who holds a value: itself, or the one that it comes from.
    pub fn holder(&self, mut value: Value) -> Value {
        while let Some(&of) = self.0.get(&value) {
            value = of;
        }
        value
    }
}

/// Whether an instruction takes nothing out of any container and runs nobody's code.
fn only_looks(func: &Function, types: &TypeTable, inst: Inst) -> bool {
    let data = &func.insts[inst];
    let ty = |at: usize| data.args.get(at).map(|&value| func.ty(value));
    match data.op {
        Op::Const
        | Op::Global
        | Op::Freevar
        | Op::Binary
        | Op::Unary
        | Op::Compare
        | Op::IsNone
        | Op::Getitem
        | Op::Getattr
        | Op::BuildTuple
        | Op::BuildSlice
        | Op::Unpack
        | Op::Promote
        | Op::Cast
        | Op::CheckBound => true,
        Op::Setitem => ty(0).is_some_and(|of| holds_no_owners(types, of)),
        Op::Call => match ty(0).map(|callee| types.get(callee)) {
            Some(TypeData::Function(name)) => &*name == "builtins.len" || name.starts_with("math."),
            Some(TypeData::Class(_)) => true,
            Some(TypeData::Method(of, name)) => types.list_item(of).is_some() && &*name == "append",
            _ => false,
        },
        _ => false,
    }
}

/// Whether what is written over in a container of this type keeps nothing alive.
fn holds_no_owners(types: &TypeTable, of: Type) -> bool {
    match types.list_item(of) {
        Some(item) => catalog::owners(types, item).is_empty(),
        None => types.array(of).is_some(),
    }
}
