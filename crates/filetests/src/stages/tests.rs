//! The plumbing, on toy stages and made-up code objects.

use super::*;

/// A code object whose name and first line stand for what differs between versions.
fn code(version: PythonVersion, name: &str) -> CodeSnapshot {
    CodeSnapshot {
        version,
        name: name.into(),
        qualname: name.into(),
        filename: "snippet.py".into(),
        first_line: u32::from(version.minor()),
        flags: 0,
        argcount: 0,
        posonlyargcount: 0,
        kwonlyargcount: 0,
        stack_size: 0,
        code: Vec::new(),
        exception_table: Vec::new(),
        line_table: Vec::new(),
        constants: Vec::new(),
        names: Vec::new(),
        locals: Vec::new(),
        python_blocks: Vec::new(),
    }
}

fn compile_all(version: PythonVersion, _source: &str, function: &str) -> Result<Option<CodeSnapshot>> {
    Ok(Some(code(version, function)))
}

fn without_newest(version: PythonVersion, source: &str, function: &str) -> Result<Option<CodeSnapshot>> {
    if version == PythonVersion::V313 { Ok(None) } else { compile_all(version, source, function) }
}

const LINE: Stage = Stage {
    name: "Line",
    per_version: true,
    needs_args: false,
    run: |input| Ok(format!("line {}\n", input.code.first_line)),
};
const NAME: Stage =
    Stage { name: "Name", per_version: false, needs_args: false, run: |input| Ok(input.code.name.clone()) };
const AGE: Stage = Stage {
    name: "Age",
    per_version: false,
    needs_args: false,
    run: |input| Ok(if input.code.first_line > 11 { "new" } else { "old" }.into()),
};

const SNIPPET: &str = "# Title\n\n```python\ndef f():\n    pass\n\ndef g(a):\n    return a\n```\n";

#[test]
fn an_empty_file_is_filled_and_stays() {
    let full = rewrite(SNIPPET, &[LINE, NAME], &compile_all).unwrap();
    let expected = format!(
        "{SNIPPET}\n## Line\n\n### CPython 3.11\n\n```text\nline 11\n```\n\n### CPython 3.12\n\n```text\nline 12\n```\n\n\
         ### CPython 3.13\n\n```text\nline 13\n```\n\n## Name\n\n```text\ng\n```\n"
    );
    assert_eq!(full, expected);
    assert_eq!(rewrite(&full, &[LINE, NAME], &compile_all).unwrap(), full);
}

#[test]
fn a_difference_between_versions_is_an_error_unless_the_file_shows_it() {
    let error = rewrite(SNIPPET, &[AGE], &compile_all).unwrap_err();
    assert!(error.contains("`Age` differs") && error.contains("-old\n+new"), "{error}");
    let shown = format!("{SNIPPET}\n## Age\n\nWhy it differs.\n\n### CPython 3.11\n");
    let full = rewrite(&shown, &[AGE], &compile_all).unwrap();
    let blocks = "Why it differs.\n\n### CPython 3.11\n\n```text\nold\n```\n\n### CPython 3.12, 3.13\n\n```text\nnew\n```\n";
    assert!(full.ends_with(blocks), "{full}");
    assert_eq!(rewrite(&full, &[AGE], &compile_all).unwrap(), full);
    // What no longer differs is one block again.
    let same = full.replace("## Age", "## Name");
    assert!(rewrite(&same, &[NAME], &compile_all).unwrap().ends_with("differs.\n\n```text\ng\n```\n"));
}

#[test]
fn a_version_that_is_not_at_hand_keeps_its_block() {
    let full = rewrite(SNIPPET, &[LINE, NAME], &compile_all).unwrap();
    assert_eq!(rewrite(&full, &[LINE, NAME], &without_newest).unwrap(), full);
}

#[test]
fn malformed_files_are_errors() {
    for text in ["", "```python\n", "```python\nx = 1\n```\n", "```python\ndef f(): pass\n```\nprose\n"] {
        assert!(rewrite(text, &[NAME], &compile_all).is_err(), "{text}");
    }
    let unknown = format!("{SNIPPET}\n## Name\n\n### CPython 2.7\n");
    assert!(rewrite(&unknown, &[NAME], &compile_all).is_err());
}
