//! The harness of golden tests: files with an input and its expected result.
//!
//! - `tests/files/**/*.test`: the text form of the IR through one command ([`commands`], [`testfile`]);
//! - `tests/stages/*.md`: one Python snippet through every stage of the compiler ([`stages`]).
//!
//! Both kinds are checked in the same way: a file is *rewritten* with what comes out today, and the
//! test fails with a diff if that changes it ([`check`]). Blessing stores the rewritten file.
//!
//! Absent: LLVM, so that these tests link in a moment, and any expectation that is not in a file.

pub mod commands;
mod host;
mod passes;
mod run_command;
pub mod stages;
pub mod testfile;

use similar::TextDiff;
use std::fs;
use std::path::{Path, PathBuf};

/// Why a file cannot be rewritten: it is malformed, or names what does not exist.
pub type Result<T> = std::result::Result<T, String>;

/// Compares a file with what `rewrite` makes of it; with `bless` the file is replaced instead.
pub fn check(path: &Path, bless: bool, rewrite: &dyn Fn(&Path, &str) -> Result<String>) -> Result<()> {
    let name = path.display();
    let old = fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?;
    let new = rewrite(path, &old).map_err(|error| format!("{name}: {error}"))?;
    if old == new {
        return Ok(());
    }
    if bless {
        return fs::write(path, new).map_err(|error| format!("{name}: {error}"));
    }
    Err(diff(&format!("{name} expects"), "found", &old, &new))
}

/// Checks every file below `root` whose name contains `filter` and ends in `extension`, in order
/// of their paths. Gives their number, or the reports of all that fail.
pub fn check_tree(
    root: &Path,
    extension: &str,
    filter: &str,
    bless: bool,
    rewrite: &dyn Fn(&Path, &str) -> Result<String>,
) -> Result<usize> {
    let files = files(root, extension)?;
    let chosen = files.iter().filter(|path| path.to_string_lossy().contains(filter));
    let results: Vec<Result<()>> = chosen.map(|path| check(path, bless, rewrite)).collect();
    let reports: Vec<&str> = results.iter().filter_map(|r| r.as_ref().err()).map(String::as_str).collect();
    if reports.is_empty() {
        return Ok(results.len());
    }
    let count = format!("{} of {} files differ; BLESS=1 rewrites them", reports.len(), results.len());
    Err(format!("{}\n{count}", reports.join("\n")))
}

/// Files below a folder with this extension, in order of their paths.
pub fn files(root: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut folders = vec![root.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The differences of two texts for display, lines with three lines around them.
pub fn diff(old_name: &str, new_name: &str, old: &str, new: &str) -> String {
    TextDiff::from_lines(old, new).unified_diff().header(old_name, new_name).to_string()
}
