//! Checks of documentation: docstrings of Python modules, the page of error codes, paths of source files in prose.

use super::source::{File, Finding};
use std::collections::BTreeSet;

/// Where the codes are declared.
const CODES: &str = "crates/support/diag/src/codes.rs";
/// Where each of them is explained.
const ERRORS: &str = "docs/errors.md";

/// Checks Python modules of the package and the page of error codes.
pub fn check(files: &[File]) -> Vec<Finding> {
    let is_module = |file: &&File| file.path.starts_with("python/") && file.path.ends_with(".py");
    let modules = files.iter().filter(is_module).filter(|file| !starts_with_docstring(&file.text));
    let what = "no docstring, begin the module with one: what lives here";
    let mut findings: Vec<Finding> = modules.map(|file| file.error(1, what)).collect();
    findings.extend(check_codes(files));
    findings.extend(check_paths(files));
    findings
}

/// A Rust file that a page or a Python file names exists.
fn check_paths(files: &[File]) -> Vec<Finding> {
    let known: BTreeSet<&str> = files.iter().map(|file| file.path.as_str()).collect();
    let mut findings = Vec::new();
    let is_prose = |file: &&File| file.path.ends_with(".md") || file.path.ends_with(".py");
    for file in files.iter().filter(is_prose) {
        for (i, line) in file.text.lines().enumerate() {
            for path in source_paths(line).filter(|path| !known.contains(path)) {
                findings.push(file.error(i + 1, format!("`{path}` is no file, name where that is today")));
            }
        }
    }
    findings
}

/// Paths of source files in a line. One with capitals stands for several.
fn source_paths(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("crates/").filter_map(|(at, _)| {
        let rest = &line[at..];
        let end =
            rest.find(|c: char| !c.is_ascii_alphanumeric() && !"_/.-".contains(c)).unwrap_or(rest.len());
        let path = rest[..end].trim_end_matches('.');
        (path.ends_with(".rs") && !path.contains(|c: char| c.is_ascii_uppercase())).then_some(path)
    })
}

fn starts_with_docstring(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with('#'));
    first.is_some_and(|line| line.trim_start_matches(['r', 'R']).starts_with(['"', '\'']))
}

/// Every declared code stands on the page, once the page exists.
fn check_codes(files: &[File]) -> Vec<Finding> {
    let find = |path: &str| files.iter().find(|file| file.path == path);
    let (Some(codes), Some(page)) = (find(CODES), find(ERRORS)) else {
        return Vec::new();
    };
    let lines = codes.text.lines().enumerate();
    let declared = lines.filter_map(|(i, line)| Some((i + 1, declared_code(line)?)));
    let missing = declared.filter(|(_, code)| !page.text.contains(code.as_str()));
    missing
        .map(|(line, code)| {
            let what = format!("{code} is not explained in {ERRORS}, write what it means there");
            codes.error(line, what)
        })
        .collect()
}

/// The code of a line `NAME = 101 Class "title";`.
fn declared_code(line: &str) -> Option<String> {
    let (name, rest) = line.trim().strip_suffix(';')?.split_once(" = ")?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_uppercase() || b"_0123456789".contains(&byte));
    let number: u16 = rest.split(' ').next()?.parse().ok()?;
    (is_name && rest.ends_with('"')).then(|| format!("R{number:04}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_python_module_needs_a_docstring() {
        let bad = ["", "import os\n", "# only a comment\nx = 1\n"];
        let good = ["\"\"\"What.\"\"\"\n", "# license\n\nr'''What.'''\n"];
        let found = |text: &str| check(&[File::new("python/rumba/a.py", text)]).len();
        assert!(bad.iter().all(|text| found(text) == 1));
        assert!(good.iter().all(|text| found(text) == 0));
    }

    #[test]
    fn paths_of_sources_exist() {
        let page = File::new(
            "docs/a.md",
            "See `crates/a/src/b.rs` and crates/a/src/c.rs.\nAlso crates/a/src/vXX.rs\n",
        );
        let source = File::new("crates/a/src/b.rs", "//! B.\n");
        let found = check(&[page, source]);
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().starts_with("docs/a.md:1: `crates/a/src/c.rs` is no file"));
    }

    #[test]
    fn every_code_is_on_the_page() {
        let codes =
            "codes! {\n    /// A.\n    INTERNAL = 1 Internal \"bug\";\n    USE_2 = 20 Usage \"x\";\n}\n";
        let codes = || File::new(CODES, codes);
        assert!(check(&[codes()]).is_empty());
        let found = check(&[codes(), File::new(ERRORS, "## R0001\n")]);
        assert_eq!(found.len(), 1);
        assert!(found[0].to_string().starts_with("crates/support/diag/src/codes.rs:4: R0020 is not"));
    }
}
