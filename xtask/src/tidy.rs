//! `cargo xtask tidy`: the house rules that can be checked automatically.
//!
//! A check is a function from the files of the repository to findings; a group of checks is a file
//! of `tidy/`. Findings print as `path:line: what, and what to do`. Warnings do not fail the run.

mod docs;
mod imports;
mod layers;
mod paths;
mod rust;
mod size;
mod source;
mod words;

use source::{File, Finding};
use std::path::Path;
use std::process::{Command, ExitCode};

/// Checks every file that git tracks or would track.
pub fn run(root: &Path) -> ExitCode {
    let files = match read_files(root) {
        Ok(files) => files,
        Err(message) => {
            eprintln!("tidy: {message}");
            return ExitCode::from(2);
        }
    };
    let mut findings = check(&files);
    findings.extend(paths::check(&files, &paths::forbidden(root)));
    findings.sort();
    for finding in &findings {
        println!("{finding}");
    }
    let errors = findings.iter().filter(|finding| !finding.is_warning).count();
    println!("tidy: {} files, {errors} errors, {} warnings", files.len(), findings.len() - errors);
    if errors == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// All checks that depend on the files alone.
fn check(files: &[File]) -> Vec<Finding> {
    let groups = [layers::check, imports::check, rust::check, size::check, docs::check, words::check];
    groups.iter().flat_map(|group| group(files)).collect()
}

/// The text files of the work tree, ignored ones left out.
fn read_files(root: &Path) -> Result<Vec<File>, String> {
    let listing = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output()
        .map_err(|error| format!("cannot run git: {error}"))?;
    if !listing.status.success() {
        return Err(String::from_utf8_lossy(&listing.stderr).trim().to_owned());
    }
    let listing = String::from_utf8_lossy(&listing.stdout);
    let mut names: Vec<&str> = listing.split('\0').filter(|name| !name.is_empty()).collect();
    names.sort();
    names.dedup();
    // What cannot be read as text is binary, or was deleted and the deletion is not committed.
    let read = |name: &str| Some(File::new(name, std::fs::read_to_string(root.join(name)).ok()?));
    Ok(names.into_iter().filter_map(read).collect())
}
