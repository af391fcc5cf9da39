//! Development tasks: `cargo xtask <task>`. One file per task.

mod tidy;
mod walk;

use std::path::Path;
use std::process::ExitCode;

/// Name, what it does, and the chore itself, which gets the root of the repository.
type Chore = (&'static str, &'static str, fn(&Path) -> ExitCode);

/// All chores, in the order of the help.
const CHORES: &[Chore] = &[
    ("tidy", "check the fences: layers, heads of modules, sizes, forbidden calls", tidy::run),
    ("walk", "build SSA from every code object of the standard library, and time it", walk::run),
];

fn main() -> ExitCode {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let wanted = std::env::args().nth(1).unwrap_or_default();
    match CHORES.iter().find(|(name, ..)| *name == wanted) {
        Some((.., run)) => run(&root),
        None => {
            eprintln!("usage: cargo xtask <chore>");
            for (name, what, _) in CHORES {
                eprintln!("  {name:8} {what}");
            }
            ExitCode::from(2)
        }
    }
}
