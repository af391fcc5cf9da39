//! Every code object of each interpreter's standard library: it decodes, its serialized form
//! is kept, and the stack effects fit together along every path.

use bytecode::{CodeSnapshot, Decoded, Instruction, Op, StackEffect, decode};

use crate::interpreters::{Interpreter, installed};

#[test]
fn every_code_object_decodes_and_its_depths_agree() {
    let workers = installed().into_iter().map(|python| std::thread::spawn(move || walk(&python)));
    for worker in workers.collect::<Vec<_>>() {
        worker.join().unwrap();
    }
}

fn walk(python: &Interpreter) {
    let stream = python.run("tools/snapshot.py", &["--stdlib"]);
    let mut rest = stream.as_slice();
    let (mut codes, mut instructions) = (0, 0);
    loop {
        let before = rest;
        let Some(module) = CodeSnapshot::read(&mut rest).unwrap() else { break };
        let mut again = Vec::new();
        module.write(&mut again);
        assert!(again == before[..before.len() - rest.len()], "{}", module.filename);
        module.for_each(&mut |code| {
            let decoded = decode(code).unwrap_or_else(|error| panic!("{}: {error}", qualified_name(code)));
            instructions += decoded.instructions.len();
            codes += 1;
            check_depths(code, &decoded);
        });
    }
    eprintln!("CPython {}: {codes} code objects, {instructions} instructions", python.version);
    assert!(codes > 20_000);
}

fn qualified_name(code: &CodeSnapshot) -> String {
    format!("CPython {} {}:{} {}", code.version, code.filename, code.first_line, code.qualname)
}

/// Follows every path with the depth of the stack.
fn check_depths(code: &CodeSnapshot, decoded: &Decoded) {
    let mut depths = vec![None; decoded.instructions.len()];
    let mut work = vec![(0usize, 0u32)];
    while let Some((index, depth)) = work.pop() {
        let Instruction { offset, op, .. } = decoded.instructions[index];
        let context = || format!("{} offset {offset} {op:?} depth {depth}", qualified_name(code));
        if let Some(known) = depths[index].replace(depth) {
            assert_eq!(known, depth, "{}", context());
            continue;
        }
        // A constant that is returned immediately is on the stack only here.
        let returned = u32::from(op == Op::Return);
        assert!(depth <= code.stack_size + returned, "{}", context());
        let after =
            |effect: StackEffect| effect.apply(depth).unwrap_or_else(|| panic!("underflow: {}", context()));
        let next = after(op.effect());
        if let Some(target) = op.target() {
            let effect = op.jump_effect().unwrap();
            work.push((decoded.index_at(target).unwrap(), after(effect)));
        }
        if op.falls_through() {
            work.push((index + 1, next));
        }
        if op == Op::Return {
            assert_eq!(next, 0, "{}", context());
        }
        if let Some(range) = decoded.handler_of(offset) {
            assert!(range.depth <= depth, "{} {range:?}", context());
            work.push((decoded.index_at(range.target).unwrap(), range.handler_depth()));
        }
    }
}
