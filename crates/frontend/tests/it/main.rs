//! Tests of the front end on what CPython compiles, and on damaged bytes.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

mod damage;
mod growth;
#[path = "../../../ir/bytecode/tests/it/interpreters.rs"]
mod interpreters;
mod python_blocks;
mod stdlib;

use bytecode::CodeSnapshot;
use ir::Function;
use std::time::{Duration, Instant};

/// What the front end took, by its steps.
#[derive(Clone, Copy, Default)]
struct Times {
    instructions: usize,
    decode: Duration,
    build: Duration,
    verify: Duration,
}

impl Times {
    fn total(&self) -> Duration {
        self.decode + self.build + self.verify
    }

    /// Microseconds for each thousand instructions.
    fn rate(&self) -> f64 {
        self.total().as_secs_f64() * 1e9 / self.instructions.max(1) as f64
    }
}

/// The whole front end, and the verifier.
fn run(code: &CodeSnapshot, times: &mut Times) -> diag::Result<Function> {
    let start = Instant::now();
    let decoded = bytecode::decode(code)?;
    times.decode += start.elapsed();
    times.instructions += decoded.instructions.len();
    let start = Instant::now();
    let func = frontend::build(code, &decoded)?;
    times.build += start.elapsed();
    let start = Instant::now();
    ir::verify(&func)?;
    times.verify += start.elapsed();
    Ok(func)
}
