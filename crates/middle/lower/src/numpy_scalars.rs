//! Whether a generator expression yields NumPy scalars: array elements and results of operators on them. Python's `sum`
//! adds these without compensation, unlike its own floats.
//!
//! A NumPy function of a number counts as returning a Python float.

use catalog::Scalars;
use entity::SideTable;
use ir::{Block, Def, Function, Inst, Op, Value};
use types::{Type, TypeData, TypeTable};

/// What the step of a generator expression gives in its tuple.
pub fn numpy_scalars(func: &Function, types: &TypeTable) -> Scalars {
    let analysis = Analysis { func, types };
    let mut known: SideTable<Value, Option<Scalars>> = SideTable::new();
    // What parameters of blocks hold is taken for scalars until something else is found.
    while analysis.look(&mut known) {}
    let given = func.layout.iter().flat_map(|&block| &func.blocks[block].insts).filter_map(|&inst| {
        let data = &func.insts[inst];
        (data.op == Op::Return).then(|| analysis.element(data.args[0])).flatten()
    });
    given.map(|value| known[value].unwrap_or(Scalars::Never)).min().unwrap_or(Scalars::Never)
}

struct Analysis<'a> {
    func: &'a Function,
    types: &'a TypeTable,
}

type ScalarFacts = SideTable<Value, Option<Scalars>>;

impl Analysis<'_> {
    /// Looks at all values once; whether something new was found.
    fn look(&self, known: &mut ScalarFacts) -> bool {
        let mut changed = false;
        for &block in &self.func.layout {
            for (number, &param) in self.func.blocks[block].params.iter().enumerate() {
                changed |= note(known, param, self.handed(block, number, known));
            }
            for &inst in &self.func.blocks[block].insts {
                let found = self.result_of(inst, known);
                if let Some(&result) = self.func.insts[inst].results.first() {
                    changed |= note(known, result, found);
                }
            }
        }
        changed
    }

    /// What all paths into a block hand to a parameter.
    fn handed(&self, to: Block, number: usize, known: &ScalarFacts) -> Scalars {
        let edges = self.func.layout.iter().flat_map(|&from| self.func.edges(from));
        let handed = edges.filter(|call| call.block == to).filter_map(|call| call.args.get(number));
        handed.map(|&arg| known[arg].unwrap_or(Scalars::Always)).min().unwrap_or(Scalars::Never)
    }

    fn result_of(&self, inst: Inst, known: &ScalarFacts) -> Scalars {
        let data = &self.func.insts[inst];
        let of = |at: usize| known[data.args[at]].unwrap_or(Scalars::Always);
        let is_array = |at: usize| self.types.array(self.func.ty(data.args[at])).is_some();
        match data.op {
            // The closure comes first, then the item.
            Op::Arg if data.attrs.first() == Some(&ir::Attr::Int(1)) => Scalars::IfItemIs,
            Op::Getitem if is_array(0) => Scalars::Always,
            Op::Iternext if self.goes_through_array(self.func.ty(data.args[0])) => Scalars::Always,
            Op::Binary | Op::Inplace => of(0).max(of(1)),
            Op::Unary | Op::Promote | Op::Cast | Op::Declared | Op::CheckBound => of(0),
            _ => Scalars::Never,
        }
    }

    fn goes_through_array(&self, iterator: Type) -> bool {
        matches!(self.types.get(iterator), TypeData::Iterator(of) if self.types.array(of).is_some())
    }

    /// The value in a tuple that is returned; none where the item is passed over.
    fn element(&self, returned: Value) -> Option<Value> {
        let Def::Result(inst, _) = self.func.values[returned].def else { return None };
        let data = &self.func.insts[inst];
        match data.op {
            Op::Promote | Op::Cast => self.element(data.args[0]),
            Op::BuildTuple => data.args.first().copied(),
            _ => None,
        }
    }
}

fn note(known: &mut ScalarFacts, value: Value, found: Scalars) -> bool {
    known[value].replace(found) != Some(found)
}
