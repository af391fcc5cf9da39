//! Finds remainders that are only compared with zero, which need no sign correction.
//!
//! `n % 2 == 0`, `if i % 3:` and `not n % k` need no remainder of Python's sign, and the machine's
//! own is zero exactly when Python's is.

use entity::SideTable;
use ir::{Attr, BinaryOp, CompareOp, Function, InstData, Op, UnaryOp, Value};
use types::{LiteralValue, Type, TypeTable};

/// The remainders of integers of which nothing but being zero matters.
pub(crate) fn zero_tested(typed: &Function, types: &TypeTable) -> SideTable<Value, bool> {
    let mut found = SideTable::new();
    let insts =
        || typed.layout.iter().flat_map(|&block| &typed.blocks[block].insts).map(|&i| &typed.insts[i]);
    let mut any = false;
    for data in insts().filter(|data| is_remainder_of_ints(typed, types, data)) {
        found[data.results[0]] = true;
        any = true;
    }
    if any {
        for data in insts() {
            let passed_on = data.targets.iter().flat_map(|target| &target.args);
            let asked =
                data.args.iter().enumerate().filter(|(at, _)| !asks_for_zero(typed, types, data, *at));
            for &value in asked.map(|(_, value)| value).chain(passed_on) {
                found[value] = false;
            }
        }
    }
    found
}

fn is_remainder_of_ints(typed: &Function, types: &TypeTable, data: &InstData) -> bool {
    let op = matches!(
        (data.op, data.attrs.first()),
        (Op::Binary | Op::Inplace, Some(Attr::Binary(BinaryOp::Mod)))
    );
    op && data.args.iter().all(|&arg| {
        let ty = types.unliteral(typed.ty(arg));
        ty.is_int() || ty == Type::BOOL
    }) && types.literal(typed.ty(data.results[0])).is_none()
}

/// Whether the instruction asks of its operand `at` only whether it is zero.
fn asks_for_zero(typed: &Function, types: &TypeTable, data: &InstData, at: usize) -> bool {
    match (data.op, data.attrs.first()) {
        (Op::Branch, _) => true,
        (Op::Unary, Some(Attr::Unary(UnaryOp::Not | UnaryOp::Bool))) => true,
        (Op::Compare, Some(Attr::Compare(CompareOp::Eq | CompareOp::Ne))) => {
            matches!(types.literal(typed.ty(data.args[1 - at])), Some(LiteralValue::Int(0)))
        }
        _ => false,
    }
}
