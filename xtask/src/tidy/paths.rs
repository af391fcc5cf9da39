//! Checks that no file contains a path of the machine it was written on.

use super::source::{File, Finding};
use std::path::Path;

/// Folders under the root of a machine that say nothing about whose machine it is.
const COMMON: &[&str] = &["tmp", "usr", "opt", "var", "mnt", "srv", "src", "app", "build"];

/// Prefixes of paths that must not occur: home folders, and the folder that holds this checkout.
pub fn forbidden(root: &Path) -> Vec<String> {
    // Put together here so that this file passes its own check.
    let mut prefixes: Vec<String> =
        ["root", "home", "Users"].iter().map(|name| format!("/{name}/")).collect();
    if let Ok(root) = root.canonicalize() {
        prefixes.push(format!("{}/", root.display()));
        let parent = root.parent().unwrap_or(&root);
        let is_common = |name: &&str| parent == Path::new("/").join(name);
        if parent != Path::new("/") && !COMMON.iter().any(is_common) {
            prefixes.push(format!("{}/", parent.display()));
        }
    }
    prefixes
}

/// Looks for the prefixes at the start of a path in every text file.
pub fn check(files: &[File], forbidden: &[String]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files {
        for (i, line) in file.text.lines().enumerate() {
            if let Some(prefix) = forbidden.iter().find(|prefix| names_path(line, prefix)) {
                let what = format!("a path of one machine (`{prefix}`), write it relative or look it up");
                findings.push(file.error(i + 1, what));
            }
        }
    }
    findings
}

/// Whether `prefix` occurs where a path begins, not in the middle of one (or of a web address).
fn names_path(line: &str, prefix: &str) -> bool {
    line.match_indices(prefix).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || "/._-~*)}".contains(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_of_the_machine_is_found() {
        let forbidden = ["/place/".to_owned()];
        let text = "a\nopen(\"/place/x\")\nhttps://example.org/place/x\nsrc/place/y\n";
        let found = check(&[File::new("docs/a.md", text)], &forbidden);
        assert_eq!(found.iter().map(|finding| finding.line).collect::<Vec<_>>(), [2]);
    }
}
