//! Sizes of source files and of functions in Rust. Data tables (a folder named `tables`) may be as long as their data.

use super::source::{File, Finding, code_only};

/// What a file aims at.
const AIM: usize = 400;
/// What no file exceeds.
const LIMIT: usize = 1000;

/// What a function aims at.
const FUNCTION_AIM: usize = 50;
/// What no function exceeds, a `match` over every type or op included.
const FUNCTION_LIMIT: usize = 150;
/// How many lines an arm of a `match` has that is a table of contents: what is longer calls a function.
const ARM_AIM: usize = 5;

/// Checks Rust and Python files.
pub fn check(files: &[File]) -> Vec<Finding> {
    let is_source = |file: &&File| file.is_rust() || file.path.ends_with(".py");
    let is_table = |file: &File| file.path.split('/').any(|folder| folder == "tables");
    let sources = files.iter().filter(is_source).filter(|file| !is_table(file));
    sources.flat_map(|file| check_file(file).into_iter().chain(check_functions(file))).collect()
}

/// The functions of a file that rustfmt has laid out: each ends with the brace that is indented as its head.
fn check_functions(file: &File) -> Vec<Finding> {
    if !file.is_rust() {
        return Vec::new();
    }
    let code = code_only(&file.text);
    let lines: Vec<&str> = code.lines().collect();
    let mut findings = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let Some(name) = function_name(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |other: &&str| other.strip_prefix(indent).is_some_and(|rest| rest == "}" || rest == ";");
        let body =
            lines[number..].iter().position(|other| ends(other) || other.ends_with(';') && *other == *line);
        let length = body.map_or(0, |last| last + 1);
        let what = |limit| format!("`{name}` has {length} lines, {limit}: give its parts names of their own");
        if length > FUNCTION_LIMIT {
            findings.push(file.error(number + 1, what(format!("at most {FUNCTION_LIMIT}"))));
        } else if length > FUNCTION_AIM && !is_table(&lines[number..number + length]) {
            findings.push(file.warning(number + 1, what(format!("aim at {FUNCTION_AIM}"))));
        }
    }
    findings
}

/// Whether a function is a `match` with arms of few lines and little else: a table of contents.
fn is_table(function: &[&str]) -> bool {
    let indent_of = |line: &str| line.len() - line.trim_start().len();
    let is_head = |line: &&str| line.ends_with('{') && line.contains("match ") && !line.contains("=>");
    let Some(head) = function.iter().position(is_head) else { return false };
    let indent = indent_of(function[head]);
    let rest = &function[head + 1..];
    let Some(end) =
        rest.iter().position(|line| indent_of(line) <= indent && line.trim_start().starts_with('}'))
    else {
        return false;
    };
    let mut longest = 0;
    let mut length = None;
    for line in &rest[..end] {
        let begins = indent_of(line) == indent + 4 && !line.trim_start().starts_with(['}', '{', ')']);
        if begins {
            length = None;
        }
        match (&mut length, line.contains("=>")) {
            (None, true) => length = Some(0),
            (Some(lines), _) if !matches!(line.trim(), "{" | "}" | "") => *lines += 1,
            _ => {}
        }
        longest = longest.max(length.unwrap_or(0));
    }
    longest <= ARM_AIM && function.len() - end <= FUNCTION_AIM
}

/// The name of the function whose head begins on a line.
fn function_name(line: &str) -> Option<&str> {
    let mut rest = line.trim_start();
    for word in ["pub(crate) ", "pub(super) ", "pub ", "const ", "unsafe ", "extern \"C\" ", "extern \"\" "] {
        rest = rest.strip_prefix(word).unwrap_or(rest);
    }
    let name = rest.strip_prefix("fn ")?;
    name.split(|c: char| !c.is_alphanumeric() && c != '_').next().filter(|name| !name.is_empty())
}

fn check_file(file: &File) -> Option<Finding> {
    let lines = file.text.lines().count();
    let split = "split it by subject, or move data to a folder `tables`";
    if lines > LIMIT {
        return Some(file.error(lines, format!("{lines} lines, at most {LIMIT}: {split}")));
    }
    (lines > AIM).then(|| file.warning(lines, format!("{lines} lines, aim at {AIM}: {split}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict(path: &str, lines: usize) -> Option<bool> {
        let found = check(&[File::new(path, "x\n".repeat(lines))]);
        found.first().map(|finding| finding.is_warning)
    }

    #[test]
    fn long_files_are_found() {
        assert_eq!(verdict("crates/ir/ir/src/a.rs", 400), None);
        assert_eq!(verdict("crates/ir/ir/src/a.rs", 401), Some(true));
        assert_eq!(verdict("python/rumba/a.py", 1001), Some(false));
        assert_eq!(verdict("crates/ir/ir/src/tables/a.rs", 5000), None);
        assert_eq!(verdict("docs/a.md", 5000), None);
    }

    #[test]
    fn long_functions_are_found() {
        let text = |lines: usize| {
            format!(
                "trait A {{\n    fn b();\n}}\npub(crate) unsafe fn c() {{\n{}}}\n",
                "    x();\n".repeat(lines)
            )
        };
        let found = |lines| check_functions(&File::new("crates/ir/ir/src/a.rs", text(lines)));
        assert!(found(48).is_empty());
        assert_eq!(
            found(49).iter().map(|finding| (finding.line, finding.is_warning)).collect::<Vec<_>>(),
            [(4, true)]
        );
        assert!(!found(149)[0].is_warning);
    }

    #[test]
    fn tables_of_contents_may_be_longer() {
        let found = |arm: &str, count: usize| {
            let text = format!("fn a(x: u8) {{\n    match x {{\n{}    }}\n}}\n", arm.repeat(count));
            check_functions(&File::new("crates/ir/ir/src/a.rs", text)).len()
        };
        assert_eq!(found("        1 => {\n            b();\n            c();\n        }\n", 30), 0);
        assert_eq!(found("        1\n            if b =>\n        {\n            c()\n        }\n", 20), 0);
        let long = format!("        1 => {{\n{}        }}\n", "            b();\n".repeat(6));
        assert_eq!(found(&long, 8), 1);
        assert_eq!(found(&long, 5), 0);
    }
}
