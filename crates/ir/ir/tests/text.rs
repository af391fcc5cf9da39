//! The text form prints, parses back and verifies.

use ir::{Printer, parse, verify};
use types::TypeTable;

const TYPED: &str = r#"function typed "f" file "f.py" line 1 (n, "odd name") {
block0 @0:
    %n.0: int64 = arg 0, n @ 1:6-7
    %0: Literal[int](0) = const int 0 @ 2:4-5
    %1: int64 = promote %0
    %x.0: float64 = const float 1.5
    %2: complex128 = const complex 0.0 nan:7ff8000000000000
    %3: Literal[int](3) = const tuple(int 1, str "a\"b\n", tuple(), bytes "00ff", code 3 "<lambda>")
    jump block1(%1, %x.0)
block1(%i.1: int64, %t.1: float64) @12 handler block3(%i.1):
    %4: bool = compare <, %i.1, %n.0
    %5: int64 = call [key, "a b"], %i.1, %n.0, %0
    %6: int64, %7: bool = iternext %5
    branch %4, block1(%6, %t.1), block2
block2 @20:
    return %i.1 @ 3:4-4:9
block3(%8: int64, %9: none) @30:
    unreachable
}
"#;

const EXPLICIT: &str = r#"function explicit "g" file "g.py" line 7 (a, b) -> i64 fails {
    site0 = raises ZeroDivisionError "division by zero" @ 8:11-16
    fn0 = external pure "pow" (f64, f64) -> f64
    fn1 = external "rumba_poll" () -> 
block0 @0:
    %a.0: i64 = arg 0, a
    %b.0: i64 = arg 1, b
    %0: i64 = iconst i64, 0
    %1: i1 = icmp eq, %b.0, %0
    branch %1, block1, block2
block1 @0:
    %2: i64 = site_status site0
    fail %2
block2 @0:
    %3: f64 = fconst f64, 2.5
    %4: f64 = call_external fn0, %3, %3
    call_external fn1
    %5: i64 = float_to_sint i64, %4
    %6: i64 = sdiv %5, %b.0
    return %6
}
"#;

fn round_trip(text: &str) {
    let types = TypeTable::default();
    let func = parse(text, &types).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(Printer::new(&func, &types).to_string(), text);
    verify(&func).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn a_typed_function_prints_as_it_was_read() {
    round_trip(TYPED);
}

#[test]
fn an_explicit_function_prints_as_it_was_read() {
    round_trip(EXPLICIT);
}

/// Each edit breaks one invariant and is refused.
#[test]
fn the_verifier_refuses_what_does_not_hold() {
    let types = TypeTable::default();
    let edits = [
        ("    return %6\n", "", "terminator"),
        ("%6: i64 = sdiv %5, %b.0", "%6: i64 = sdiv %5, %4", "machine types"),
        ("    %1: i1 = icmp eq, %b.0, %0\n    branch %1", "    branch %1", "no type"),
        (
            "%6: i64 = sdiv %5, %b.0\n    return %6",
            "return %6\nblock3 @0:\n    %6: i64 = sdiv %5, %b.0\n    return %6",
            "not defined",
        ),
        ("branch %1, block1, block2", "branch %1, block1(%a.0), block2", "values for"),
        ("branch %1, block1, block2", "branch %1, block1, block9", "does not exist"),
        ("fail %2", "fail %2\n    return %2", "before its end"),
        ("call_external fn1", "call_external fn1, %3", "machine types"),
        ("%6: i64 = sdiv %5", "%6: i64 = binary +, %5", "phase"),
        ("%3: f64 = fconst", "%3: f32 = fconst", "machine types"),
    ];
    for (old, new, expected) in edits {
        assert!(EXPLICIT.contains(old), "{old}");
        let func = parse(&EXPLICIT.replacen(old, new, 1), &types).unwrap_or_else(|e| panic!("{new}: {e}"));
        let error = verify(&func).expect_err(new).to_string();
        assert!(error.contains(expected), "{new}: {error}");
    }
}

/// Truncated and garbled texts are errors, never panics.
#[test]
fn malformed_text_is_an_error() {
    let types = TypeTable::default();
    for end in 0..EXPLICIT.len() - 2 {
        assert!(parse(&EXPLICIT[..end], &types).is_err());
    }
    for start in (0..TYPED.len()).filter(|&s| TYPED.is_char_boundary(s)) {
        let mut text = TYPED.to_owned();
        text.replace_range(start..start + 1, "%");
        let _ = parse(&text, &types);
    }
}
