//! Statements over variables become SSA form.

use entity::{EntityRef, Table};
use ir::{Attr, ConstData, Function, Op, Phase};
use numba_ir::{BlockId, IrBlock, Kind, NumbaIr, Stmt, VarData, VarId, rebuild};

const NAMES: [&str; 4] = ["n", "acc", "test", "other"];

fn step(op: Option<Op>, attrs: Vec<Attr>, args: &[usize], results: &[usize], targets: &[usize]) -> Stmt {
    Stmt {
        op,
        attrs: attrs.into_iter().collect(),
        args: args.iter().map(|&n| VarId::new(n)).collect(),
        results: results.iter().map(|&n| VarId::new(n)).collect(),
        targets: targets.iter().map(|&n| BlockId::new(n)).collect(),
        span: diag::Span::UNKNOWN,
    }
}

fn build(parts: Vec<(Kind, Vec<Stmt>)>, func: Function) -> Result<String, String> {
    let mut sketch = NumbaIr { parts: Table::new(), names: Table::new() };
    for name in NAMES {
        sketch.names.push(VarData { text: name.into(), source: Some((name.into(), 0)) });
    }
    for (label, (kind, steps)) in (0..).zip(parts) {
        sketch.parts.push(IrBlock { label, kind, steps, ..IrBlock::default() });
    }
    let func = rebuild(func, &sketch).map_err(|error| error.message.clone())?;
    ir::verify(&func).map_err(|error| error.message.clone())?;
    Ok(ir::Printer::new(&func, &types::TypeTable::default()).without_spans().to_string())
}

fn shell() -> (Function, [Attr; 2]) {
    let mut func = Function::new("f", "f.py", 1, Phase::Untyped);
    let name = func.symbols.intern_str("n");
    func.params.push(name);
    let one = func.consts.intern(ConstData::Int(1));
    (func, [Attr::Symbol(name), Attr::Const(one)])
}

#[test]
fn a_loop_that_assigns_a_variable_gets_a_parameter() {
    let (func, [name, one]) = shell();
    let blocks = vec![
        (
            Kind::Plain,
            vec![
                step(Some(Op::Arg), vec![Attr::Int(0), name], &[], &[0], &[]),
                step(None, vec![], &[0], &[1], &[]),
                step(Some(Op::Jump), vec![], &[], &[], &[1]),
            ],
        ),
        (
            Kind::Plain,
            vec![
                step(Some(Op::Const), vec![one], &[], &[3], &[]),
                step(Some(Op::Binary), vec![Attr::Binary(ir::BinaryOp::Add)], &[1, 3], &[1], &[]),
                step(Some(Op::Unary), vec![Attr::Unary(ir::UnaryOp::Bool)], &[1], &[2], &[]),
                step(Some(Op::Branch), vec![], &[2], &[], &[1, 2]),
            ],
        ),
        (Kind::Plain, vec![step(Some(Op::Return), vec![], &[1], &[], &[])]),
    ];
    let text = build(blocks, func).unwrap();
    assert!(text.contains("jump block1(%n.0)"), "{text}");
    assert!(text.contains("branch %test.0, block1("), "{text}");
}

#[test]
fn blocks_that_only_hold_the_copies_of_an_edge_go() {
    let (func, [name, one]) = shell();
    let blocks = vec![
        (
            Kind::Plain,
            vec![
                step(Some(Op::Arg), vec![Attr::Int(0), name], &[], &[0], &[]),
                step(Some(Op::Const), vec![one], &[], &[3], &[]),
                step(None, vec![], &[0], &[1], &[]),
                step(Some(Op::Branch), vec![], &[0], &[], &[2, 1]),
            ],
        ),
        (Kind::Edge, vec![step(None, vec![], &[3], &[1], &[]), step(Some(Op::Jump), vec![], &[], &[], &[2])]),
        (Kind::Plain, vec![step(Some(Op::Return), vec![], &[1], &[], &[])]),
    ];
    let text = build(blocks, func).unwrap();
    assert!(text.contains("branch %n.0, block1(%n.0), block1(%other.0)"), "{text}");
}

#[test]
fn what_is_not_assigned_is_told() {
    let (func, _) = shell();
    let blocks = vec![(Kind::Plain, vec![step(Some(Op::Return), vec![], &[1], &[], &[])])];
    assert_eq!(build(blocks, func).unwrap_err(), "`acc` is read where it may not have been assigned");
}
