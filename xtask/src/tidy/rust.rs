//! Checks of Rust source: module heads, crates that may use a library, forbidden calls.

use super::layers::may_read_environment;
use super::source::{File, Finding, code_only, has_word, test_lines};

/// Libraries that only some crates may name.
pub const OWNED: &[(&str, &[&str])] = &[
    ("pyo3", &["python_rt", "module_rt", "python"]),
    ("inkwell", &["llvm", "jit"]),
    ("llvm_sys", &["llvm", "jit"]),
];

/// What must not stand anywhere, not even in tests, and what to do.
const NOWHERE: &[(&str, &str)] = &[
    ("todo!(", "write it, or return a diagnostic that says what is unsupported"),
    ("unimplemented!(", "write it, or return a diagnostic that says what is unsupported"),
    ("dbg!(", "remove it"),
    ("#[ignore", "repair the test or delete it"),
];

/// Checks every Rust file.
pub fn check(files: &[File]) -> Vec<Finding> {
    files.iter().filter(|file| file.is_rust()).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    if !file.text.trim_start().starts_with("//!") {
        let what = "no head comment, begin the file with `//!`: what lives here and what does not";
        findings.push(file.error(1, what));
    }
    let code = code_only(&file.text);
    let tests = test_lines(&code);
    for (i, line) in code.lines().enumerate() {
        let in_test = tests.iter().any(|range| range.contains(&i));
        let found = anywhere(file, line).chain(in_library(file, line, in_test));
        findings.extend(found.map(|what| file.error(i + 1, what)));
    }
    findings
}

fn anywhere(file: &File, line: &str) -> impl Iterator<Item = String> {
    let forbidden = NOWHERE
        .iter()
        .filter(|(call, _)| if call.starts_with('#') { line.contains(call) } else { has_word(line, call) });
    let name = file.crate_name();
    let foreign = OWNED.iter().filter(move |(library, owners)| {
        name.is_some_and(|name| !owners.contains(&name)) && has_word(line, library)
    });
    let forbidden = forbidden.map(|(call, instead)| format!("`{call}` in the code, {instead}"));
    let foreign =
        foreign.map(|(library, owners)| format!("only {owners:?} may name `{library}`, move this there"));
    forbidden.chain(foreign).collect::<Vec<_>>().into_iter()
}

fn in_library(file: &File, line: &str, in_test: bool) -> impl Iterator<Item = String> {
    let in_library = file.is_library() && !in_test;
    let unwraps = in_library && line.contains(".unwrap()");
    let reads = in_library && has_word(line, "env::");
    let may_read = file.crate_name().is_some_and(may_read_environment);
    let unwrap = "`.unwrap()` in library code, return an error or write \
                  `.expect(\"why it cannot fail\")`";
    let environment = "the environment is read below `driver`, take an option from the caller";
    let found = [(unwraps, unwrap), (reads && !may_read, environment)];
    found.into_iter().filter(|(is_found, _)| *is_found).map(|(_, what)| what.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(path: &str, text: &str) -> Vec<usize> {
        check(&[File::new(path, text)]).iter().map(|finding| finding.line).collect()
    }

    #[test]
    fn a_module_needs_a_head() {
        assert_eq!(lines("crates/ir/ir/src/a.rs", "// no\nfn a() {}\n"), [1]);
        assert_eq!(lines("crates/ir/ir/src/a.rs", "//! Yes.\nfn a() {}\n"), []);
    }

    #[test]
    fn unwrap_stays_in_tests() {
        let text = "//! A.\nfn a() { b.unwrap(); }\n#[cfg(test)]\nmod tests { fn c() { d.unwrap(); } }\n";
        assert_eq!(lines("crates/ir/ir/src/a.rs", text), [2]);
        assert_eq!(lines("crates/ir/ir/tests/a.rs", text), []);
        assert_eq!(lines("crates/ir/ir/src/a/tests.rs", text), []);
        assert_eq!(lines("xtask/src/a.rs", text), []);
    }

    #[test]
    fn comments_and_strings_are_free() {
        let text = "//! Never .unwrap() nor pyo3.\nconst A: &str = \"x.unwrap() todo!( env::var\";\n";
        assert_eq!(lines("crates/ir/ir/src/a.rs", text), []);
    }

    #[test]
    fn unfinished_code_is_found_in_tests_too() {
        let text =
            "//! A.\nfn a() { todo!() }\nfn b() { dbg!(1); }\n#[ignore]\nfn c() {}\n#[ignore = \"x\"]\n";
        assert_eq!(lines("crates/ir/ir/tests/a.rs", text), [2, 3, 4, 6]);
    }

    #[test]
    fn libraries_have_owners() {
        let text = "//! A.\nuse pyo3::prelude::*;\nuse inkwell::context;\nuse llvm_sys::core;\n";
        assert_eq!(lines("crates/driver/src/a.rs", text), [2, 3, 4]);
        assert_eq!(lines("crates/python/src/a.rs", text), [3, 4]);
        assert_eq!(lines("crates/backend/jit/src/a.rs", text), [2]);
    }

    #[test]
    fn the_environment_is_read_at_the_top() {
        let text = "//! A.\nfn a() { std::env::var(\"B\"); }\nconst C: &str = env!(\"D\");\n";
        assert_eq!(lines("crates/sema/infer/src/a.rs", text), [2]);
        assert_eq!(lines("crates/driver/src/a.rs", text), []);
        assert_eq!(lines("crates/sema/infer/tests/a.rs", text), []);
    }
}
