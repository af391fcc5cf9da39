//! Checks of what people read: docstrings of Python modules, the page of error codes.

use super::source::{File, Finding};

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
    findings
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
