//! Dependencies between crates go down only. The table is that of ARCHITECTURE.md, section "Crates"; change both
//! together.

use super::source::{File, Finding};

/// What a crate may depend on among our own crates.
#[derive(Clone, Copy)]
enum Arrows {
    /// Every crate of a lower layer, and these of the same layer.
    Down(&'static [&'static str]),
    /// These alone.
    Only(&'static [&'static str]),
}
use Arrows::{Down, Only};

/// Layer, crate, arrows.
const CRATES: &[(u32, &str, Arrows)] = &[
    (0, "entity", Only(&[])),
    (0, "diag", Only(&["entity"])),
    (0, "abi", Only(&[])),
    (0, "vmath", Only(&[])),
    (1, "bytecode", Only(&["entity", "diag"])),
    (1, "flow", Only(&["entity"])),
    (2, "ssa", Only(&["entity", "flow"])),
    (1, "types", Only(&["entity", "diag"])),
    (1, "rt", Only(&["abi"])),
    (1, "parallel", Only(&["abi"])),
    (1, "cache", Only(&[])),
    (2, "python_rt", Only(&["abi", "entity", "parallel", "rt", "types"])),
    (2, "ir", Down(&[])),
    (2, "interp", Down(&["ir"])),
    (3, "frontend", Down(&[])),
    (3, "numba_ir", Down(&[])),
    (3, "catalog", Down(&[])),
    (3, "builtins", Down(&["catalog"])),
    (3, "arrays", Down(&["catalog"])),
    (3, "containers", Down(&["catalog"])),
    (3, "strings", Down(&["catalog"])),
    (4, "infer", Down(&[])),
    (
        4,
        "module_rt",
        Only(&["abi", "catalog", "containers", "parallel", "python_rt", "rt", "types", "vmath"]),
    ),
    (3, "opt", Down(&[])),
    (5, "lower", Down(&[])),
    (6, "llvm", Down(&[])),
    (6, "jit", Down(&["llvm"])),
    (7, "driver", Down(&[])),
    (8, "python", Down(&[])),
    (9, "filetests", Down(&[])),
    (9, "xtask", Only(&[])),
];

/// The layer from which on the environment may be read.
const DRIVER: u32 = 7;

fn row_of(name: &str) -> Option<(u32, Arrows)> {
    let row = CRATES.iter().find(|(_, known, _)| *known == name);
    row.map(|&(layer, _, arrows)| (layer, arrows))
}

/// Whether code of the crate may read the environment.
pub fn may_read_environment(name: &str) -> bool {
    row_of(name).is_some_and(|(layer, _)| layer >= DRIVER)
}

/// Checks the manifest of every crate. Dev-dependencies are free: tests may look up.
pub fn check(files: &[File]) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.ends_with("/Cargo.toml")) {
        let folder = file.path.trim_end_matches("/Cargo.toml");
        if folder != "xtask" && !folder.starts_with("crates/") {
            continue;
        }
        let name = folder.rsplit('/').next().unwrap_or(folder);
        match row_of(name) {
            Some(own) => findings.extend(check_manifest(file, name, own)),
            None => findings.push(file.error(
                1,
                format!(
                    "crate `{name}` has no layer, give it a row in CRATES of \
                     xtask/src/tidy/layers.rs and in ARCHITECTURE.md"
                ),
            )),
        }
    }
    findings
}

fn check_manifest(file: &File, name: &str, own: (u32, Arrows)) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (line, dependency) in dependencies(&file.text) {
        if let Some((below, _)) = row_of(dependency)
            && !may_depend(own, below, dependency)
        {
            let what = format!(
                "`{name}` (layer {}) must not depend on `{dependency}` (layer {below}), arrows \
                 go down only: move what is shared to a lower crate, or change the table in \
                 xtask/src/tidy/layers.rs and ARCHITECTURE.md",
                own.0
            );
            findings.push(file.error(line, what));
        }
        for (owned, owners) in super::rust::OWNED {
            let is_same = dependency.replace('-', "_").starts_with(owned);
            if is_same && !owners.contains(&name) {
                let what = format!("only {owners:?} may depend on `{dependency}`, remove it here");
                findings.push(file.error(line, what));
            }
        }
    }
    findings
}

fn may_depend((layer, arrows): (u32, Arrows), below: u32, dependency: &str) -> bool {
    match arrows {
        Down(beside) => below < layer || beside.contains(&dependency),
        Only(these) => these.contains(&dependency),
    }
}

/// The names under `[dependencies]` and `[build-dependencies]` with their lines.
fn dependencies(manifest: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut inside = false;
    for (i, line) in manifest.lines().enumerate() {
        let line = line.trim();
        if let Some(section) = line.strip_prefix('[') {
            let section = section.trim_end_matches(']');
            let (table, name) = match section.split_once("dependencies.") {
                Some((kind, name)) => (kind, Some(name)),
                None => (section.strip_suffix("dependencies").unwrap_or("dev-"), None),
            };
            inside = !table.ends_with("dev-");
            found.extend(name.filter(|_| inside).map(|name| (i + 1, name)));
            inside &= name.is_none();
            continue;
        }
        let name = line.split(['.', '=', ' ']).next().unwrap_or_default();
        if inside && !name.is_empty() && !name.starts_with('#') {
            found.push((i + 1, name));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn findings(path: &str, text: &str) -> Vec<String> {
        check(&[File::new(path, text)]).iter().map(|finding| finding.to_string()).collect()
    }

    #[test]
    fn an_arrow_up_is_found() {
        let found =
            findings("crates/ir/ir/Cargo.toml", "[dependencies]\nflow.workspace = true\nlower = \"1\"\n");
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with("crates/ir/ir/Cargo.toml:3: `ir` (layer 2) must not"));
    }

    #[test]
    fn dev_dependencies_may_look_up() {
        let text = "[dev-dependencies]\njit.workspace = true\n[dev-dependencies.python]\npath = \"x\"\n";
        assert!(findings("crates/ir/ir/Cargo.toml", text).is_empty());
    }

    #[test]
    fn tables_of_one_dependency_count() {
        let text = "[target.'cfg(unix)'.dependencies.python]\npath = \"x\"\n[features]\njit = []\n";
        assert_eq!(findings("crates/ir/ir/Cargo.toml", text).len(), 1);
    }

    #[test]
    fn foreign_crates_have_owners() {
        let text = "[dependencies]\npyo3 = \"1\"\nllvm-sys = \"1\"\n";
        assert_eq!(findings("crates/driver/Cargo.toml", text).len(), 2);
        assert_eq!(findings("crates/python/Cargo.toml", text).len(), 1);
        assert_eq!(findings("crates/backend/jit/Cargo.toml", text).len(), 1);
    }

    #[test]
    fn a_new_crate_needs_a_layer() {
        assert_eq!(findings("crates/novelty/Cargo.toml", "").len(), 1);
    }
}
