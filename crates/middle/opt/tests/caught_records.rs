//! Records of exceptions go where nobody keeps them, and stay where somebody does.

use ir::{Function, Printer};
use opt::eliminate_caught_records;
use types::TypeTable;

/// The text of a function with a handler, after the pass; `status` and `body` are what stands in their places.
fn changed(status: &str, body: &str) -> String {
    let text = format!(
        "function explicit \"f\" file \"f.py\" line 1 (a) -> i64 fails {{
    site0 = raises ValueError \"large\" @ 2:4-9
    site1 = raises KeyError payload \"i\" @ 3:4-9
    fn0 = external \"rumba_context\" () -> \n    fn1 = external \"rumba_catch\" (ptr, i64) -> own i64
    fn2 = external \"rumba_caught_is\" (i64, i64) -> i1
    fn3 = external \"rumba_caught_status\" (i64) -> i64
    fn4 = external \"other\" () -> \n    fn5 = external \"rumba_caught_words\" (i64, i64, i64, ptr) -> i1
    fn6 = external \"rumba_caught_get\" (ptr, i64, ptr, i64, ptr) -> i64
block0:
    %0: i64 = arg 0, a
    {status}
    jump block1(%1)
block1(%2: i64):
    %3: ptr = address_of fn0
    %4: i64 = call_external fn1, %3, %2
    %5: i64 = iconst i64, 62
    %6: i1 = call_external fn2, %4, %5
    branch %6, block2, block3
block2:
    {body}
    decref %4
    return %0
block3:
    %7: i64 = call_external fn3, %4
    decref %4
    fail %7
}}"
    );
    let mut func: Function = ir::parse(&text, &TypeTable::default()).expect("the text is well-formed");
    eliminate_caught_records(&mut func);
    ir::verify(&func).expect("the result is well-formed");
    Printer::new(&func, &TypeTable::default()).to_string()
}

/// Whether a function of the runtime is called.
fn calls(text: &str, symbol: &str) -> bool {
    let Some(line) = text.lines().find(|line| line.contains(&format!("\"{symbol}\""))) else { return false };
    let name = line.trim().split(' ').next().unwrap_or_default();
    text.contains(&format!("call_external {name},"))
}

#[test]
fn what_one_site_raises_is_known() {
    let text = changed("%1: i64 = site_status site0", "");
    for symbol in ["rumba_catch", "rumba_caught_is", "rumba_status_is", "rumba_forget", "rumba_caught_status"]
    {
        assert!(!calls(&text, symbol), "{symbol}\n{text}");
    }
    assert!(text.contains("iconst i1, 1") && text.contains("fail %2"), "{text}");
}

#[test]
fn arguments_are_given_up() {
    let text = changed("%1: i64 = site_status site1", "");
    assert!(text.contains("iconst i1, 0") && calls(&text, "rumba_forget"), "{text}");
}

#[test]
fn a_status_from_elsewhere_is_tested() {
    let text = changed("%1: i64 = iconst i64, 8", "");
    assert!(calls(&text, "rumba_status_is") && calls(&text, "rumba_forget"), "{text}");
    assert!(!calls(&text, "rumba_catch"), "{text}");
}

#[test]
fn what_happens_meanwhile_needs_a_record() {
    let text = changed("%1: i64 = site_status site0", "call_external fn4");
    assert!(calls(&text, "rumba_catch") && calls(&text, "rumba_caught_is"), "{text}");
}

#[test]
fn what_is_not_raised_is_not_caught() {
    let status = "%1: i64 = site_status site0
    %8: i64 = iconst i64, 0
    %9: i1 = icmp ne, %8, %8
    branch %9, block4, block5
block4:
    jump block1(%8)
block5:";
    let text = changed(status, "");
    assert!(!calls(&text, "rumba_status_is") && !calls(&text, "rumba_forget"), "{text}");
}

#[test]
fn arguments_are_read_where_they_lie() {
    let layout = abi::layout_hash(b"i").cast_signed();
    let body = |class: i64| {
        format!(
            "incref %4
    %8: i64 = iconst i64, {class}
    %9: i64 = iconst i64, {layout}
    %10: ptr = stack_slot 256
    %11: i1 = call_external fn5, %4, %8, %9, %10
    branch %11, block4, block5
block5:
    %12: i64 = call_external fn6, %3, %4, %3, %8, %10
    jump block4
block4:
    decref %4"
        )
    };
    let known = changed("%1: i64 = site_status site1", &body(0));
    let symbols = ["rumba_catch", "rumba_caught_words", "rumba_caught_get"];
    assert!(symbols.iter().all(|symbol| !calls(&known, symbol)), "{known}");
    assert!(known.contains("\"rumba_payload\""), "{known}");
    // A class that it is not of, and a site that lays out nothing.
    assert!(calls(&changed("%1: i64 = site_status site0", &body(0)), "rumba_caught_words"));
    assert!(calls(&changed("%1: i64 = iadd %0, %0", &body(0)), "rumba_caught_words"));
}
