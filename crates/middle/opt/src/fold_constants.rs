//! Constant folding of control flow: removes branches and selects whose condition is known.
//!
//! ```text
//! %1: i64 = iconst i64, 10
//! %2: i1 = icmp eq, %1, 0
//! branch %2, block3, block4                            jump block4
//! block4:                                   becomes    block4:
//!     %3: i64 = select %2, %4, %5                          the users of %3 use %5
//! ```
//!
//! For example, constant divisors are tested for 0 and -1. The adjustment of negative indices is kept, because other passes
//! recognize lengths by it.

use crate::bounds_checks::counted_from_end;
use crate::constant_folding::evaluate;
use crate::spill_region::substitute;
use entity::HashMap;
use flow::Cfg;
use ir::{Attr, Def, FloatCond, Function, Op, Value};

/// Removes what is decided by constants.
pub fn fold_constants(func: &mut Function) {
    let mut replaced: HashMap<Value, Value> = HashMap::default();
    let mut jumps = Vec::new();
    for &inst in func.layout.iter().flat_map(|&block| &func.blocks[block].insts) {
        let data = &func.insts[inst];
        let way = |truth: bool| usize::from(!truth);
        match data.op {
            Op::Select if counted_from_end(func, data.results[0]).is_none() => {
                if let Some(truth) = known(func, data.args[0]) {
                    replaced.insert(data.results[0], data.args[1 + way(truth)]);
                }
            }
            Op::Branch => jumps.extend(known(func, data.args[0]).map(|truth| (inst, way(truth)))),
            _ => {}
        }
    }
    substitute(func, &replaced);
    if jumps.is_empty() {
        return;
    }
    for (inst, way) in jumps {
        func.insts[inst].jump_to(way);
    }
    let cfg = Cfg::compute(func);
    func.layout.retain(|&block| cfg.is_reachable(block));
}

/// Whether a condition is true, if it is known.
fn known(func: &Function, condition: Value) -> Option<bool> {
    let Def::Result(inst, 0) = func.values[condition].def else { return None };
    let data = &func.insts[inst];
    let (Op::Fcmp, Some(&Attr::FloatCond(cond))) = (data.op, data.attrs.first()) else {
        return evaluate(func, condition, &HashMap::default()).map(|number| number != 0);
    };
    let (a, b) = (float(func, data.args[0])?, float(func, data.args[1])?);
    match cond {
        FloatCond::Eq => Some(a == b),
        FloatCond::Lt => Some(a < b),
        FloatCond::Gt => Some(a > b),
        _ => None,
    }
}

/// The float that a value is.
fn float(func: &Function, value: Value) -> Option<f64> {
    let Def::Result(inst, 0) = func.values[value].def else { return None };
    let data = &func.insts[inst];
    match (data.op, &data.attrs[..]) {
        (Op::Fconst, &[_, Attr::Float(bits)]) => Some(f64::from_bits(bits)),
        (Op::SintToFloat, _) => {
            // Larger ones may be rounded.
            let number = evaluate(func, data.args[0], &HashMap::default())?;
            (number.unsigned_abs() <= 1 << 24).then_some(number as f64)
        }
        _ => None,
    }
}
