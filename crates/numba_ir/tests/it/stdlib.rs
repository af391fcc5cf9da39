//! Functions of the standard library have a text whose jumps all lead to a label.

use crate::describe;
use crate::interpreters::installed;
use bytecode::CodeSnapshot;
use std::collections::HashSet;

/// One in this many files is shown.
const STRIDE: &str = if cfg!(debug_assertions) { "40" } else { "4" };

#[test]
fn every_function_has_a_text() {
    for python in installed() {
        let stream = python.run("tools/snapshot.py", &["--stdlib", "--every", STRIDE]);
        let mut rest = stream.as_slice();
        let mut count = 0;
        while let Some(module) = CodeSnapshot::read(&mut rest).unwrap() {
            module.for_each(&mut |code| {
                let decoded = bytecode::decode(code).unwrap();
                let func = frontend::build(code, &decoded).unwrap();
                check(&numba_ir::numba_text(&func, &describe));
                count += 1;
            });
        }
        assert!(count > 500, "{count}");
    }
}

fn check(text: &str) {
    let labels: HashSet<&str> =
        text.lines().filter_map(|line| line.strip_prefix("label ")?.strip_suffix(':')).collect();
    assert_eq!(labels.len(), text.lines().filter(|line| line.starts_with("label ")).count(), "{text}");
    for line in text.lines() {
        let Some(line) = line.strip_prefix("    ") else { continue };
        let (statement, _) = line.rsplit_once(" [").unwrap_or_else(|| panic!("{line}\n{text}"));
        let statement = statement.trim_end();
        let mut words = statement.split(' ');
        let goals = match (words.next(), words.next()) {
            // Variables may have these names, too.
            (_, Some("=")) => None,
            (Some("jump"), _) => statement.strip_prefix("jump "),
            (Some("branch"), _) => statement.split_once(", ").map(|(_, goals)| goals),
            _ => None,
        };
        for goal in goals.into_iter().flat_map(|goals| goals.split(", ")) {
            assert!(labels.contains(goal), "{line}\n{text}");
        }
    }
}
