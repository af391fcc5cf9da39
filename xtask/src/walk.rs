//! `cargo xtask walk`: runs the front end on every code object of the standard library of each installed CPython and
//! prints times, in a release build (`cargo test` covers a part in a debug build). `WALK_EVERY=4` takes a quarter of the files.

use std::path::Path;
use std::process::{Command, ExitCode};

/// Runs the integration tests of `frontend` in release mode and shows what they report.
pub fn run(root: &Path) -> ExitCode {
    let arguments = ["test", "--quiet", "--release", "-p", "frontend", "--test", "it", "--"];
    let status = Command::new(env!("CARGO"))
        .args(arguments)
        // One after another, so that the times are not those of a busy machine.
        .args(["--nocapture", "--test-threads=1"])
        .current_dir(root)
        .status();
    if status.is_ok_and(|status| status.success()) { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
