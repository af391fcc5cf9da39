//! Values that meet, swap, and are read after a loop.

use crate::{describe, squeezed};
use types::TypeTable;

fn text(body: &str) -> String {
    let text = format!("function untyped \"f\" file \"f.py\" line 1 (a, b) {{\n{body}}}\n");
    let func = ir::parse(&text, &TypeTable::default()).unwrap();
    ir::verify(&func).unwrap();
    squeezed(&numba_ir::numba_text(&func, &describe))
}

const HEAD: &str = "block0 @0:\n    %a.0 = arg 0, a\n    %b.0 = arg 1, b\n";

#[test]
fn names_that_swap_go_through_other_variables() {
    let text = text(&format!(
        "{HEAD}    jump block1(%a.0, %b.0)\n\
         block1(%a.1, %b.1) @10:\n    branch %a.1, block1(%b.1, %a.1), block2\n\
         block2 @20:\n    return %b.1\n"
    ));
    let expected = "\
label 0:
a = arg(0, name=a) ['a']
b = arg(1, name=b) ['b']
$phi10.1 = a ['$phi10.1', 'a']
del a []
$phi10.2 = b ['$phi10.2', 'b']
del b []
jump 10 []
label 10:
a.1 = $phi10.1 ['$phi10.1', 'a.1']
del $phi10.1 []
b.1 = $phi10.2 ['$phi10.2', 'b.1']
del $phi10.2 []
$phi10.1 = b.1 ['$phi10.1', 'b.1']
$phi10.2 = a.1 ['$phi10.2', 'a.1']
branch a.1, 10, 20 ['a.1']
label 20:
del $phi10.2 []
del $phi10.1 []
del a.1 []
return b.1 ['b.1']";
    assert!(text.replace("del b.1 []\n", "").contains("$phi10.1 = b.1"), "{text}");
    let without = |text: &str| text.lines().filter(|l| !l.starts_with("del")).collect::<Vec<_>>().join("\n");
    assert_eq!(without(&text), without(expected), "{text}");
}

#[test]
fn a_branch_with_two_ways_to_one_block_gets_a_block_between() {
    let text = text(&format!(
        "{HEAD}    jump block1\n\
         block1 @2:\n    branch %a.0, block2(%a.0), block2(%b.0)\n\
         block2(%0) @8:\n    return %0\n"
    ));
    assert!(text.contains("$phi8.1 = a ['$phi8.1', 'a']\nbranch a, 8, 9 ['a']"), "{text}");
    assert!(text.contains("label 9:"), "{text}");
    assert!(text.contains("$phi8.1 = b ['$phi8.1', 'b']\ndel b []\njump 8 []"), "{text}");
}

#[test]
fn an_exception_edge_is_a_statement_where_the_protected_block_begins() {
    let text = text(&format!(
        "{HEAD}    jump block1\n\
         block1 @2 handler block2(%a.0):\n    %c.0 = binary //, %a.0, %b.0\n    return %c.0\n\
         block2(%d.0, %e.0) @8:\n    %f.0 = binary +, %d.0, %e.0\n    raise %f.0\n"
    ));
    assert!(text.contains("label 2:\nd = a ['a', 'd']\non exception jump 8 []\nc = a // b"), "{text}");
    assert!(text.contains("label 8:\ndel b []\ndel a []\ne = exception() ['e']\nf = d + e"), "{text}");
}

#[test]
fn every_op_of_the_parse_tests_has_a_text() {
    let path = crate::interpreters::repository().join("tests/files/parse/untyped.test");
    let file = std::fs::read_to_string(path).unwrap();
    let mut count = 0;
    for function in file.split("function untyped").skip(1) {
        let end = function.rfind("\n}\n").unwrap() + 3;
        let source = format!("function untyped{}", &function[..end]);
        let func = ir::parse(&source, &TypeTable::default()).unwrap();
        let text = numba_ir::numba_text(&func, &describe);
        assert!(text.starts_with("label ") && !text.contains('?'), "{source}\n{text}");
        println!("{text}");
        count += 1;
    }
    assert!(count > 3, "{count}");
}
