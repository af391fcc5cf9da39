//! The last stages of `add`: LLVM as emitted and optimized, assembly, and PTX of the same text.
//! What LLVM prints changes with its versions and the processor, so patterns are checked.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use llvm::{Cpu, Options, PtxOptions, TextRequest, Texts, Unit, UnitFunction, compile, emit_ptx};
use types::TypeTable;

const ADD: &str = "\
function explicit \"add\" file \"seed.py\" line 1 (a, b) -> i64 {
block0 @0:
    %0: i64 = arg 0, a
    %1: i64 = arg 1, b
    jump block1
block1 @0:
    %2: i64 = iadd %0, %1 @ 2:11-16
    return %2 @ 2:4-16
}
";

/// `add` for Python alone, or for other compiled functions too.
fn texts(exported: bool) -> Texts {
    let func = ir::parse(ADD, &TypeTable::default()).unwrap();
    ir::verify(&func).unwrap();
    let texts = TextRequest { llvm: true, optimized: true, assembly: true };
    // A processor that does not depend on the machine that tests.
    let cpu = Cpu::Named("x86-64-v3".into(), String::new());
    let member = UnitFunction { exported, ..UnitFunction::python(&func, "add", "add.python") };
    let unit = Unit { name: "add", functions: vec![member], texts: Vec::new() };
    compile(&unit, &Options { texts, cpu, verify: true, ..Options::default() }).unwrap().texts
}

/// The lines from the one that contains `start` up to the first that is `end`.
fn part<'a>(text: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|line| !line.contains(start));
    let lines: Vec<&str> = lines.take_while(|line| line.trim() != end).map(str::trim).collect();
    assert!(!lines.is_empty(), "no `{start}` in\n{text}");
    lines
}

/// The lines contain these texts in this order.
fn assert_order(lines: &[&str], texts: &[&str]) {
    let mut rest = lines.iter();
    for text in texts {
        assert!(rest.any(|line| line.contains(text)), "no `{text}` in its place in\n{}", lines.join("\n"));
    }
}

#[test]
fn llvm_adds_two_integers_and_returns() {
    let text = texts(true).llvm.unwrap();
    assert_order(&part(&text, "@add(", "}"), &["define", "add i64", "ret i64"]);
    let text = texts(false).llvm.unwrap();
    let thunk = part(&text, "@add.python(", "}");
    assert_order(&thunk, &["define", "load i64", "load i64", "add i64", "store i64", "ret i64 0"]);
}

#[test]
fn optimised_llvm_has_one_block() {
    for (exported, function) in [(true, "@add("), (false, "@add.python(")] {
        let text = texts(exported).optimized.unwrap();
        let lines = part(&text, function, "}");
        assert_order(&lines, &["define", "add i64", "ret i64"]);
        assert!(!lines.iter().any(|line| line.starts_with("br ") || line.contains("call ")), "{text}");
    }
}

#[test]
fn assembly_is_an_addition_and_a_return() {
    let text = texts(true).assembly.unwrap();
    let lines = part(&text, "add:", ".Lfunc_end0:");
    let code = lines.iter().filter(|line| !line.starts_with('.') && !line.contains(':') && !line.is_empty());
    let code: Vec<&str> = code.copied().collect();
    assert!(code.len() <= 3, "{code:?}");
    assert!(code[0].starts_with("lea") || code.iter().any(|line| line.starts_with("add")), "{code:?}");
    assert!(code.last().is_some_and(|line| line.starts_with("ret")), "{code:?}");
}

#[test]
fn ptx_of_the_same_text_adds_too() {
    let func = ir::parse(ADD, &TypeTable::default()).unwrap();
    let unit = Unit { name: "add", functions: vec![UnitFunction::native(&func, "add")], texts: Vec::new() };
    let text = emit_ptx(&unit, &PtxOptions::default()).unwrap();
    assert_order(&text.lines().collect::<Vec<_>>(), &[".target sm_80", "add(", "add.s64", "ret;"]);
    assert!(text.contains(".func"), "{text}");
}
