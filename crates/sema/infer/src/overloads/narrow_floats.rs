//! `float(x)` of a float32 beside an array of float32.
//!
//! `float(x)` is a float64, as in Python. NumPy takes Python's floats for the type of the array, and Numba leaves `x` as it is: for both
//! `a / float(x)` is an array of float32. So the operand of such an operation is `x` itself.

use crate::solver::Solver;
use ir::{Attr, Block, Def, Function, Inst, Op, Value};
use types::{Type, TypeData};

/// The types of the operands of an operation.
pub(crate) fn types_of_operands(solver: &Solver<'_>, inst: Inst, mut types: Vec<Type>) -> Vec<Type> {
    for (ty, &value) in types.iter_mut().zip(&solver.func.insts[inst].args) {
        if *ty == Type::FLOAT64 && operand(solver, inst, value) != value {
            *ty = Type::FLOAT32;
        }
    }
    types
}

/// The value that an operation takes for one of its operands.
pub(crate) fn operand(solver: &Solver<'_>, inst: Inst, value: Value) -> Value {
    let data = &solver.func.insts[inst];
    if !matches!((data.op, data.attrs.first()), (Op::Binary | Op::Inplace, Some(Attr::Binary(_)))) {
        return value;
    }
    let is_narrow_array = |&value: &Value| {
        let array = solver.ty(value).and_then(|ty| solver.cx.types.array(ty));
        array.is_some_and(|array| array.ndim > 0 && matches!(array.dtype, Type::FLOAT32 | Type::COMPLEX64))
    };
    match widened(solver, value) {
        Some(narrow) if data.args.iter().any(is_narrow_array) => narrow,
        _ => value,
    }
}

/// Lets the operations of a function take their operands.
pub(crate) fn substitute(solver: &Solver<'_>, func: &mut Function, reached: &[Block]) {
    for &inst in reached.iter().flat_map(|&block| &solver.func.blocks[block].insts) {
        for (at, &value) in solver.func.insts[inst].args.iter().enumerate() {
            let taken = operand(solver, inst, value);
            if taken != value {
                func.insts[inst].args[at] = taken;
            }
        }
    }
}

/// The float32 of which a value is the float64.
fn widened(solver: &Solver<'_>, value: Value) -> Option<Value> {
    let Def::Result(call, _) = solver.func.values[value].def else { return None };
    let data = &solver.func.insts[call];
    let (Op::Call, &[callee, given]) = (data.op, &data.args[..]) else { return None };
    let TypeData::Function(name) = solver.cx.types.get(solver.ty(callee)?) else { return None };
    (&*name == "builtins.float" && solver.ty(given) == Some(Type::FLOAT32)).then_some(given)
}
