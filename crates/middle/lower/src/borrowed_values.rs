//! Borrowed values, which need no reference of their own: another value keeps them alive while they are used.
//!
//! ```text
//! %1 = getattr[append] %0      the method is its receiver, which lives as long
//! %2 = getitem %0, %i          an item that is used in the same block, before anything
//! %3 = getitem %2, %j          could take it out of its container
//! %4 = promote %c              an address in the array of %c, which is `a.ctypes`
//! ```

use crate::ownership::uses;
use catalog::Catalog;
use entity::{HashMap, SideTable};
use ir::{Block, Function, Inst, Op, Value};
use types::{Facet, Type, TypeData, TypeTable};

/// Which values others hold.
#[derive(Default, Debug)]
pub(crate) struct Borrowed(HashMap<Value, Value>);

impl Borrowed {
    /// Finds them among the values that are counted.
    pub fn compute(
        func: &Function,
        (types, catalog): (&TypeTable, &Catalog),
        counted: &SideTable<Value, bool>,
    ) -> Borrowed {
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
                found.look_at(func, (types, catalog), &users, block, at, inst);
            }
        }
        found
    }

    fn look_at(
        &mut self,
        func: &Function,
        (types, catalog): (&TypeTable, &Catalog),
        users: &HashMap<Value, Vec<(Block, usize)>>,
        block: Block,
        at: usize,
        inst: Inst,
    ) {
        let data = &func.insts[inst];
        let (Some(&result), Some(&of)) = (data.results.first(), data.args.first()) else { return };
        if matches!(data.op, Op::Promote | Op::Cast) && points_into(types, func.ty(of), func.ty(result)) {
            self.0.insert(result, of);
            return;
        }
        let Some(used) = users.get(&result) else {
            // A method that became the function itself where it is called.
            if data.op == Op::Getattr && matches!(types.get(func.ty(result)), TypeData::Method(..)) {
                self.0.insert(result, of);
            }
            return;
        };
        let borrows = match data.op {
            Op::Getattr => matches!(types.get(func.ty(result)), TypeData::Method(..)),
            Op::Getitem => {
                types.contents(func.ty(of)).is_some()
                    && types.items_of_object_array(func.ty(of)).is_none()
                    && {
                        let last = used.iter().map(|&(_, index)| index).max().unwrap_or(at);
                        let insts = &func.blocks[block].insts;
                        used.iter().all(|&(home, _)| home == block)
                            && last < insts.len()
                            && insts[at + 1..=last]
                                .iter()
                                .all(|&between| is_read_only_inst(func, (types, catalog), between))
                    }
            }
            _ => false,
        };
        if borrows && used.iter().all(|&(_, index)| index != usize::MAX) {
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

/// Whether a conversion of `a.ctypes` gives an address, which is one of the array's items.
fn points_into(types: &TypeTable, from: Type, to: Type) -> bool {
    matches!(types.get(from), TypeData::Facet { facet: Facet::Ctypes, .. })
        && matches!(types.get(to), TypeData::Pointer(_))
}

/// Whether an instruction takes nothing out of any container and runs nobody's code.
fn is_read_only_inst(func: &Function, (types, catalog): (&TypeTable, &Catalog), inst: Inst) -> bool {
    let data = &func.insts[inst];
    let ty = |at: usize| data.args.get(at).map(|&value| func.ty(value));
    if data.args.iter().any(|&arg| func.ty(arg) == Type::PYOBJECT) {
        return false;
    }
    match data.op {
        Op::Const
        | Op::Global
        | Op::Freevar
        | Op::Binary
        | Op::Unary
        | Op::Compare
        | Op::IsNone
        | Op::IsInstance
        | Op::Getitem
        | Op::Getattr
        | Op::BuildTuple
        | Op::BuildSlice
        | Op::Unpack
        | Op::Promote
        | Op::Cast
        | Op::CheckBound => true,
        Op::Setitem => ty(0).is_some_and(|of| holds_no_owners(types, of)),
        Op::Call => {
            let keeps = |name: &str| catalog.info(name).is_some_and(|info| !info.may_remove());
            let known = match ty(0).map(|callee| types.get(callee)) {
                Some(TypeData::Function(name)) => keeps(&name),
                Some(TypeData::Class(_)) => true,
                Some(TypeData::Method(of, name)) => {
                    types.class_of_methods(of).is_some_and(|class| keeps(&format!("{class}.{name}")))
                }
                _ => false,
            };
            known && data.args[1..].iter().all(|&arg| !runs_code(types, func.ty(arg)))
        }
        _ => false,
    }
}

/// Whether a value of this type is code, or runs some when it is iterated over.
fn runs_code(types: &TypeTable, ty: Type) -> bool {
    match types.get(ty) {
        TypeData::Function(_)
        | TypeData::Dispatcher(_)
        | TypeData::Closure { .. }
        | TypeData::Choice(_)
        | TypeData::FunctionValue { .. }
        | TypeData::PythonFunction { .. }
        | TypeData::Native { .. }
        | TypeData::PyObject
        | TypeData::Foreign { .. }
        | TypeData::Map { .. }
        | TypeData::Filter { .. }
        | TypeData::GeneratorExpr { .. }
        | TypeData::GeneratorObject { .. }
        | TypeData::Enumerate(_)
        | TypeData::Zip(_)
        | TypeData::Iterator(_) => true,
        TypeData::Optional(inner) => runs_code(types, inner),
        _ => types.components(ty).is_some_and(|parts| parts.iter().any(|&part| runs_code(types, part))),
    }
}

/// Whether what is written over in a container of this type keeps nothing alive.
fn holds_no_owners(types: &TypeTable, of: Type) -> bool {
    match types.list_item(of) {
        Some(item) => catalog::owners(types, item).is_empty(),
        None => types.array(of).is_some(),
    }
}
