//! Calls give way to bodies: the text of the result holds to the rules of its phase and says what it should.

use ir::{Function, Printer};
use opt::{Policy, calls_of, inline};
use types::TypeTable;

const EVERYWHERE: Policy = Policy { tiny: 1000, in_loop: 1000, most: 10_000 };

fn parse(text: &str) -> Function {
    ir::parse(text, &TypeTable::default()).expect("the text is well-formed")
}

/// The caller after the inlining of one callee, verified.
fn inlined(caller: &str, callee: &str, policy: Policy) -> Function {
    let (mut caller, callee) = (parse(caller), parse(callee));
    inline(&mut caller, &|symbol| (symbol == "callee").then_some((&callee, false)), policy);
    ir::verify(&caller).expect("the result is well-formed");
    caller
}

fn text(func: &Function) -> String {
    Printer::new(func, &TypeTable::default()).to_string()
}

const CALLER: &str = "function explicit \"f\" file \"f.py\" line 1 (a) -> i64 fails {
    fn0 = external \"callee\" (i64) -> i64, i64
block0:
    %0: i64 = arg 0, a
    jump block1
block1:
    %1: i64, %2: i64 = call_external fn0, %0
    %3: i64 = iconst i64, 0
    %4: i1 = icmp ne, %1, %3
    branch %4, block2, block3
block2:
    fail %1
block3:
    %5: i64 = iadd %2, %0
    return %5
}";

const CALLEE: &str = "function explicit \"g\" file \"g.py\" line 7 (x) -> i64 fails {
    site0 = raises ValueError \"negative\" @ 8:4-9
block0:
    %0: i64 = arg 0, x
    %1: ptr = stack_slot 8
    jump block1
block1:
    %2: i64 = iconst i64, 0
    %3: i1 = icmp slt, %0, %2
    branch %3, block2, block3
block2:
    %4: i64 = site_status site0
    fail %4
block3:
    store 0, %1, %0
    %5: i64 = load i64, 0, %1
    return %5
}";

#[test]
fn a_failure_becomes_the_callers_own_and_keeps_its_place() {
    let func = inlined(CALLER, CALLEE, EVERYWHERE);
    assert_eq!(calls_of(&func).count(), 0);
    let text = text(&func);
    assert!(text.contains("site0 = raises ValueError \"negative\" @ 8:4-9 in \"g\" of \"g.py\""), "{text}");
    assert_eq!(text.matches("fail ").count(), 2, "{text}");
    // The slot stands in the caller's entry, where every slot stands.
    let entry = &func.blocks[func.entry].insts;
    assert!(entry.iter().any(|&inst| func.insts[inst].op == ir::Op::StackSlot), "{text}");
    let again = parse(&text);
    assert_eq!(self::text(&again), text, "the text form keeps everything");
}

#[test]
fn size_decides_outside_of_loops() {
    let policy = Policy { tiny: 3, in_loop: 1000, most: 10_000 };
    assert_eq!(calls_of(&inlined(CALLER, CALLEE, policy)).count(), 1);
    let looping =
        CALLER.replace("    return %5\n", "    branch %4, block1, block4\nblock4:\n    return %5\n");
    assert_eq!(calls_of(&inlined(&looping, CALLEE, policy)).count(), 0);
}

#[test]
fn a_caller_does_not_grow_beyond_its_limit() {
    let policy = Policy { tiny: 1000, in_loop: 1000, most: 12 };
    assert_eq!(calls_of(&inlined(CALLER, CALLEE, policy)).count(), 1);
}

#[test]
fn a_body_goes_into_itself_once() {
    let recursive = CALLEE.replace(
        "    store 0, %1, %0\n",
        "    %6: i64, %7: i64 = call_external fn0, %0\n    store 0, %1, %7\n",
    );
    let recursive =
        recursive.replace("block0:\n", "    fn0 = external \"callee\" (i64) -> i64, i64\nblock0:\n");
    let func = inlined(&recursive, &recursive, EVERYWHERE);
    assert_eq!(calls_of(&func).count(), 1, "the call that came in with the body stays");
}

#[test]
fn what_never_returns_leaves_nothing_behind_it() {
    let callee = "function explicit \"g\" file \"g.py\" line 7 (x) -> i64 fails {
    site0 = raises ValueError @ 8:4-9
block0:
    %0: i64 = arg 0, x
    jump block1
block1:
    %1: i64 = site_status site0
    fail %1
}";
    assert_eq!(calls_of(&inlined(CALLER, callee, EVERYWHERE)).count(), 0);
}

#[test]
fn a_caller_that_cannot_fail_gets_the_status_behind_the_body() {
    let caller = CALLER.replace(" fails {", " {").replace("    fail %1\n", "    return %1\n");
    let func = inlined(&caller, CALLEE, EVERYWHERE);
    let text = text(&func);
    assert_eq!(calls_of(&func).count(), 0);
    assert_eq!(text.matches("fail ").count(), 0, "{text}");
    assert!(text.contains("site_status site0"), "{text}");
}

#[test]
fn calls_by_a_known_address_become_direct() {
    let mut func = parse(
        "function explicit \"f\" file \"f.py\" line 1 (a, p) -> i64 {
    fn0 = external \"callee\" () ->
    fn1 = external \"\" (i64) -> i64
    fn2 = external \"other\" () ->
block0:
    %0: i64 = arg 0, a
    %1: ptr = arg 1, p
    %2: ptr = address_of fn0
    %3: ptr = address_of fn2
    %4: i64 = call_indirect fn1, %2, %0
    %5: i64 = call_indirect fn1, %1, %4
    %6: i64 = call_indirect fn1, %3, %5
    return %6
}",
    );
    assert!(opt::devirtualize_calls(&mut func, &|symbol| symbol == "callee"));
    ir::verify(&func).expect("the result is well-formed");
    assert_eq!(calls_of(&func).collect::<Vec<_>>(), ["callee"]);
    assert!(func.calls_by_address() && !opt::devirtualize_calls(&mut func, &|symbol| symbol == "callee"));
}
