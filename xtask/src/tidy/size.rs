//! Sizes of source files. Data tables (a folder named `tables`) may be as long as their data.

use super::source::{File, Finding};

/// What a file aims at.
const AIM: usize = 400;
/// What no file exceeds.
const LIMIT: usize = 1000;

/// Checks Rust and Python files.
pub fn check(files: &[File]) -> Vec<Finding> {
    let is_source = |file: &&File| file.is_rust() || file.path.ends_with(".py");
    let is_table = |file: &File| file.path.split('/').any(|folder| folder == "tables");
    let sources = files.iter().filter(is_source).filter(|file| !is_table(file));
    sources.filter_map(check_file).collect()
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
}
