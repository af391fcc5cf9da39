//! What rendered diagnostics look like.

use super::*;
use diag::codes;

const SOURCE: &str = "def f(n):\n    x = 0\n    for é in n:\n        x = 'ä' + é\n    return x\n";

/// The source of all files.
struct One<'a>(Option<&'a str>);

impl SourceFiles for One<'_> {
    fn text(&self, _: &str) -> Option<String> {
        self.0.map(str::to_owned)
    }
}

fn span(line: u32, column: u32, end_column: u32) -> Span {
    Span { line, end_line: line, column, end_column }
}

fn origin(function: &str) -> Origin {
    Origin { file: "a.py".into(), function: function.into(), line: 1, arguments: Some("int64".into()) }
}

fn sample() -> Box<Diagnostic> {
    Diagnostic::new(codes::CANNOT_UNIFY, "Cannot unify a and b for 'x'")
        .label(span(4, 12, 21), "'x' is b here")
        .label(span(2, 8, 9), "'x' is a here")
        .hint("Use two names.")
        .in_function(|| origin("f"))
}

fn check(diagnostic: &Diagnostic, source: Option<&str>, expected: &str) {
    let text = error(diagnostic, &One(source), Look::Plain);
    assert_eq!(text.trim_end(), expected.trim_matches('\n'), "\n{text}");
}

#[test]
fn an_excerpt_underlines_bytes() {
    let expected = "
error[R0300]: Cannot unify a and b for 'x'
 --> a.py:4:13
  |
2 |     x = 0
  |         - 'x' is a here
3 |     for é in n:
4 |         x = 'ä' + é
  |             ^^^^^^^ 'x' is b here
  |
  = note: while compiling `f` for (int64)
  = help: Use two names.

Failed in nopython mode pipeline (step: nopython frontend)
";
    check(&sample(), Some(SOURCE), expected);
}

#[test]
fn without_source_places_are_told_in_words() {
    let expected = "
error[R0300]: Cannot unify a and b for 'x'
--> a.py:4:13
 = note: line 4, columns 13-21: 'x' is b here
 = note: line 2, column 9: 'x' is a here
 = note: while compiling `f` for (int64)
 = help: Use two names.

Failed in nopython mode pipeline (step: nopython frontend)
";
    check(&sample(), None, expected);
    // A file that has become shorter since.
    check(&sample(), Some("def f(n):\n"), expected);
}

#[test]
fn columns_that_do_not_fit_underline_the_line() {
    let bad = Diagnostic::new(codes::NO_MATCH, "no")
        .label(span(4, 14, 400), "")
        .in_function(|| Origin { file: "a.py".into(), ..Origin::default() });
    let expected = "
error[R0301]: no
 --> a.py:4:9
  |
4 |         x = 'ä' + é
  |         ^^^^^^^^^^^

Failed in nopython mode pipeline (step: nopython frontend)
";
    check(&bad, Some(SOURCE), expected);
}

#[test]
fn calls_are_shown() {
    let nested = Diagnostic::new(codes::UNDEFINED_NAME, "name 'q' is not defined")
        .label(span(2, 8, 9), "used here")
        .in_function(|| origin("g"))
        .called_from(origin("f"), span(5, 11, 12));
    let expected = "
error[R0202]: name 'q' is not defined
 --> a.py:2:9
  |
2 |     x = 0
  |         ^ used here
  |
  = note: while compiling `g` for (int64)
note: called from `f` for (int64)
 --> a.py:5:12
  |
5 |     return x
  |            ^

Failed in nopython mode pipeline (step: nopython frontend)
";
    check(&nested, Some(SOURCE), expected);
}

#[test]
fn what_is_not_known_is_left_out() {
    check(&Diagnostic::new(codes::USAGE, "no such option"), None, "error[R0500]: no such option");
    let internal = Diagnostic::internal("lowering", "a bug").in_function(|| origin("f"));
    let text = error(&internal, &One(None), Look::Plain);
    assert!(
        text.starts_with("error[R0001]: internal compiler error in lowering: a bug\n--> a.py:1\n"),
        "{text}"
    );
}

#[test]
fn colors_are_escape_sequences() {
    assert!(error(&sample(), &One(None), Look::Colored).contains('\u{1b}'));
    assert!(!error(&sample(), &One(None), Look::Plain).contains('\u{1b}'));
}
